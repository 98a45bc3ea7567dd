"""The documents say what the code has: every public name, and only keywords that exist."""

import ast
import doctest
import inspect
import re
from pathlib import Path

import pytest
import yaml

import tocsin

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "api.md", ROOT / "docs" / "files.md"]

SPEAKERS = {
    "scene": tocsin.Scene, "robot": tocsin.Robot, "arm": tocsin.Robot, "table": tocsin.Body, "body": tocsin.Body,
    "cloth": tocsin.Deformable, "b": tocsin.RobotBuilder, "tocsin": tocsin,
}  # fmt: skip
"""What the names in the documents' code stand for; other names are those of `tocsin`."""


def calls():
    """Yield (document, written, function, keywords) for every call in the code of the documents that can be found."""
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
        inline = re.findall(r"`([^`\n]+\))`", text)
        for code in [*blocks, *inline]:
            try:
                tree = ast.parse(code)
            except SyntaxError:
                if code in inline:
                    continue
                raise AssertionError(f"{document.name}: this is not Python:\n{code}") from None
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    found = target(node.func)
                    if found is not None:
                        yield document.name, ast.unparse(node), found, [k.arg for k in node.keywords if k.arg]


def target(name):
    """Return what a call calls; None for names of others."""
    if isinstance(name, ast.Name):
        return getattr(tocsin, name.id, None)
    if isinstance(name, ast.Attribute) and isinstance(name.value, ast.Name):
        owner = SPEAKERS.get(name.value.id) or getattr(tocsin, name.value.id, None)
        if owner is None:
            return None
        assert hasattr(owner, name.attr), f"{ast.unparse(name)}: there is no {name.attr!r}"
        return getattr(owner, name.attr)
    return None


@pytest.mark.parametrize(
    "document",
    ["docs/how-it-works.md", "docs/benchmarks.md", "docs/papers.md", "docs/glossary.md", "CONTRIBUTING.md"],
)
def test_files_that_the_documents_name_are_there(document):
    there = {f"/{file.relative_to(ROOT).as_posix()}" for file in ROOT.glob("[!.]*/**/*.py")}
    for name in re.findall(r"`([\w/]+\.py)`", (ROOT / document).read_text(encoding="utf-8")):
        assert any(file.endswith(f"/{name}") for file in there), f"{document}: {name}"


def test_every_public_name_is_in_the_reference():
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    missing = [name for name in tocsin.__all__ if not re.search(rf"\b{name}\b", text)]
    assert missing == []


def test_calls_in_the_documents_use_keywords_that_exist():
    checked = 0
    for document, written, function, keywords in calls():
        try:
            signature = inspect.signature(function)
        except ValueError:  # an enum
            continue
        parameters = signature.parameters
        if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
            continue
        wrong = [k for k in keywords if k not in parameters]
        assert wrong == [], f"{document}: {written}: no {wrong}"
        checked += 1
    assert checked > 40


@pytest.mark.parametrize("name", ["first_contact", "is_free", "safe_step", "contacts", "contact_intervals", "distance"])
def test_every_question_is_in_the_reference_with_its_keywords(name):
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert f"scene.{name}(" in text
    for keyword, parameter in inspect.signature(getattr(tocsin.Scene, name)).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY:
            assert re.search(rf"\b{keyword}\b", text), f"{name}: {keyword}"


@pytest.mark.parametrize("name", tocsin.__all__)
def test_every_public_name_says_what_it_is_for_and_its_examples_run(name, request):
    found = getattr(tocsin, name)
    assert found.__doc__
    assert len(found.__doc__) > 30
    members = vars(found).items() if inspect.isclass(found) else ()
    assert [k for k, v in members if not k.startswith("_") and callable(v) and not v.__doc__] == []
    words = {n: getattr(tocsin, n) for n in tocsin.__all__} | {"getfixture": request.getfixturevalue}
    runner = doctest.DocTestRunner(verbose=False)
    for example in doctest.DocTestFinder(recurse=False).find(found, name, globs=words):
        assert runner.run(example).failed == 0, f"the example of {name} does not say what it says"


def test_names_that_are_loaded_on_first_use_are_listed():
    assert set(tocsin.__all__) <= set(dir(tocsin))


def test_the_first_example_of_the_readme_prints_what_it_says(capsys):
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)[0]
    exec(code, {})
    said = re.findall(r"print\(.*\)  # (.+)", code)
    printed = capsys.readouterr().out.splitlines()
    assert len(said) == 2
    for words in said:
        assert any(line.startswith(words.rstrip(".")) for line in printed), f"{words!r} is not in {printed}"


class _Config(yaml.SafeLoader):
    """Reads mkdocs.yml, whose tags name Python functions."""


_Config.add_multi_constructor("tag:yaml.org,2002:python/name:", lambda loader, suffix, node: suffix)


def leaves(tree):
    """Yield the pages of a navigation."""
    for entry in tree:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from [value] if isinstance(value, str) else leaves(value)


def test_every_page_is_in_the_navigation_once():
    config = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), _Config)
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert sorted(leaves(config["nav"])) == sorted(pages)


def test_every_public_name_has_its_place_in_the_reference():
    text = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md"))
    assert sorted(re.findall(r"^::: tocsin\.(\w+)$", text, re.MULTILINE)) == sorted(tocsin.__all__)
