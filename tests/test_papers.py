"""`docs/papers.md` leads from every place in the papers to what exists, and the code cites only what the page lists."""

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [ROOT / "src" / "tocsin", ROOT / "benchmarks" / "tocsin_bench"]
PAGE = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")

PAPERS = {
    "CATCH": {"eq.": range(1, 13), "alg.": [1], "table": [1, 2], "fig.": range(1, 13)},
    "ARTICULATE": {"eq.": range(1, 19), "table": [1, 2], "fig.": range(1, 8)},
    "LOCAL": {"eq.": range(1, 9), "lemma": [1, 2, 3], "table": ["I", "II"], "fig.": range(1, 8)},
    "SCREW": {"eq.": range(1, 8), "fig.": range(1, 15)},
}
"""What the papers number themselves."""

SECTIONS = {
    "CATCH": "1 2 2.1 2.2 2.3 2.4 3 3.1 3.2 3.3 3.4 4 5 5.1 5.2 6 7 7.1 7.2 8 8.1 8.2 9",
    "ARTICULATE": "1 2 3 3.1 3.2 3.3 3.4 3.5 4 4.1 4.2 4.2.1 4.2.2 4.2.2.1 4.2.2.2 4.2.3 5 5.1 5.1.1 5.2 5.2.1 5.2.2 "
    "5.2.3 5.2.4 6 7 7.1 8",
    "LOCAL": "I II II.A II.B II.C II.D III III.A III.B IV IV.A IV.B V V.A V.B VI VII",
    "SCREW": "1 2 3 4 4.1 4.2 4.3 5 6 7 8 9 9.1 9.2 10",
}

CITATION = re.compile(rf"\[({'|'.join(PAPERS)})\b\s*([^\]]*)\]")
VAGUE = re.compile(
    r"\bthe (\w+ )?paper\b|\b(eqs?\.|equations?|lemmas?|figs?\.|figures?|tables?|alg\.|sections?) \(?(\d|[IVX]+\b)",
    flags=re.IGNORECASE,
)
OTHERS = re.compile(r"\((Ericson|Ehmann and Lin|Higham)\b[^)]*\)")
"""Works beside the four papers, cited with their authors."""


@cache
def module(name):
    """Return the syntax tree of a module by its name, below `tocsin` or in `tocsin_bench`; None if there is none."""
    root = SOURCES[1].parent if name.split(".")[0] == SOURCES[1].name else SOURCES[0]
    place = root.joinpath(*name.split("."))
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return ast.parse(file.read_text(encoding="utf-8"))
    return None


@cache
def functions_of(path):
    """Return the names of all functions in a file of tests, none if there is no such file."""
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8") if (ROOT / path).is_file() else "")
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def has(tree, names):
    """Is there a function, or a class and a method of it, of these names?"""
    body = tree.body
    for name in names:
        found = [n for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.name == name]
        if not found:
            return False
        body = found[0].body
    return True


def exists(target):
    """Is `module.function`, or `module.Class.method`, in the code?"""
    parts = target.split(".")
    return any(
        (tree := module(".".join(parts[:k]))) is not None and has(tree, parts[k:]) for k in range(len(parts) - 1, 0, -1)
    )


def rows():
    """Yield the cells of every row of the page that places of a paper lead from."""
    for line in PAGE.splitlines():
        if re.match(r"\| \[[A-Z]+ ", line):
            yield [cell.strip() for cell in line[1:-1].split("|")]


def places(text):
    """Yield (key, place) for every citation in a text: of "[CATCH 5.1, fig. 5]" two."""
    for key, inside in CITATION.findall(" ".join(text.split())):
        for place in inside.split(","):
            yield key, place.strip()


@cache
def prose(file):
    """Return the comments of a file and its strings that are statements; nothing where no word of it matters here."""
    text = file.read_text(encoding="utf-8")
    words = " ".join(text.split())
    if not CITATION.search(words) and not VAGUE.search(words):
        return []
    alone = [node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr)]
    strings = [node.value for node in alone if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return strings + [token.string for token in tokens if token.type == tokenize.COMMENT]


LISTED = {place for row in rows() for place in places(row[0])}
FILES = sorted(file for source in SOURCES for file in source.rglob("*.py"))


@pytest.mark.parametrize("key", PAPERS)
def test_every_section_equation_lemma_table_and_figure_of_a_paper_is_listed_once(key):
    due = SECTIONS[key].split() + [f"{kind} {n}" for kind, numbers in PAPERS[key].items() for n in numbers]
    found = [place for row in rows() for k, place in places(row[0]) if k == key]
    steps = {place for place in found if re.fullmatch(r"9 (step \d|end)", place)}
    assert sorted(set(found) - steps) == sorted(due)
    assert len(found) == len(set(found))


def test_a_row_leads_to_code_and_to_a_test_or_says_why_not():
    for row in rows():
        assert len(row) == 5, row
        cited, _, code, tests, note = row
        assert re.fullmatch(r"\[[^\]]+\](, \[[^\]]+\])*", cited), cited
        assert (code and tests) or "nothing to build" in note or "not in the product" in note, cited
        for cell in (code, tests):
            assert re.fullmatch(r"(`[^`]+`(, `[^`]+`)*)?", cell), cell


def test_functions_and_tests_that_the_page_names_exist():
    named = re.findall(r"`([^`\n]+)`", PAGE)
    functions = [n for n in named if re.fullmatch(r"[a-z_]\w*(\.\w+)+", n)]
    tests = [n for n in named if "::" in n]
    assert len(functions) > 100
    assert len(tests) > 80
    assert [n for n in functions if not exists(n)] == []
    assert [n for n in tests if n.split("::")[1] not in functions_of(n.split("::")[0])] == []
    for row in rows():
        assert all("::" in n for n in re.findall(r"`([^`]+)`", row[3]))
        assert all(n in functions for n in re.findall(r"`([^`]+)`", row[2]))


def test_what_the_code_and_the_documents_cite_is_listed():
    texts = [(file, text) for file in FILES for text in prose(file)]
    texts += [(file, file.read_text(encoding="utf-8")) for file in (ROOT / "docs").glob("*.md")]
    cited = {(file.name, *place) for file, text in texts for place in places(text)}
    assert len(cited) > 80
    assert sorted(each for each in cited if each[1:] not in LISTED) == []


def test_a_citation_is_on_one_line_so_that_a_search_finds_it():
    assert [file.name for file in FILES for text in prose(file) for m in CITATION.finditer(text) if "\n" in m[0]] == []


def test_no_citation_in_the_code_is_without_its_key():
    left = []
    for file in FILES:
        for text in prose(file):
            rest = OTHERS.sub("", CITATION.sub("", " ".join(text.split())))
            left += [f"{file.name}: {rest[max(0, m.start() - 40) : m.end() + 20]}" for m in VAGUE.finditer(rest)]
    assert left == []


@pytest.mark.parametrize(
    ("text", "vague"),
    [
        ("as the paper does", True), ("the 2010 paper", True), ("eq. 7", True), ("equation (14)", True),
        ("lemma 2", True), ("section VI", True), ("Table I", True),
        ("see [CATCH eq. 7]", False), ("(Ericson 2005, section 5.1.5)", False), ("a paper", False),
    ],
)  # fmt: skip
def test_a_vague_citation_is_noticed(text, vague):
    assert bool(VAGUE.search(OTHERS.sub("", CITATION.sub("", text)))) is vague


def test_a_name_that_does_not_exist_is_noticed():
    assert exists("bounds.taylor.compose")
    assert exists("deform.mesh_state.MeshState.fit")
    assert not exists("bounds.taylor.decompose")
    assert not exists("bounds.nothing.compose")
    assert not exists("deform.mesh_state.MeshState.unfit")
