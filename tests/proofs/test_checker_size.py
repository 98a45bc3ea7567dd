"""The checker stays small, and a stranger to what it checks.

Lines are counted that hold a token of the program: no blank ones, no comments, no docstrings (texts that stand alone).
"""

import ast
import io
import sys
import tokenize
from pathlib import Path

import pytest

CHECKER = Path(__file__).parents[2] / "checker" / "src" / "tocsin_checker"

LINES = 600
"""At most."""

MINE = {"numpy", "tocsin_checker", "trimesh"}

pytestmark = pytest.mark.skipif(not CHECKER.is_dir(), reason="the checker's sources are not beside the tests")


def lines(text: str) -> int:
    texts = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)]
    alone = {k for n in texts if isinstance(n.value.value, str) for k in range(n.lineno, (n.end_lineno or 0) + 1)}
    nothing = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type not in nothing]
    return len({k for t in tokens for k in range(t.start[0], t.end[0] + 1)} - alone)


def test_lines_are_counted_without_comments_and_docstrings() -> None:
    assert lines('"""One.\n\nTwo."""\n\nx = 1  # three\n# four\ny = [\n    2,\n]\n"""Of y."""\n') == 4


@pytest.mark.pure
def test_the_checker_has_no_more_than_six_hundred_lines() -> None:
    assert sum(lines(path.read_text()) for path in CHECKER.glob("*.py")) <= LINES


@pytest.mark.pure
def test_the_checker_imports_nothing_of_what_it_checks() -> None:
    for path in CHECKER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                assert str(name).partition(".")[0] in MINE | sys.stdlib_module_names
