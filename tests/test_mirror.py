"""`tests/` mirrors `src/`: every module has its file of direct tests, but for a list that may only get shorter."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TESTS = ROOT / "src" / "tocsin", ROOT / "tests"

BESIDE = {"promise", "museum"}
"""Folders of tests that mirror none of the library: the promises of the README, and what once was wrong."""

MOST_WITHOUT = 27
"""Modules without a file of tests of their own. It may only fall."""

MOST_UNNAMED = 14
"""Of those, modules that no other test imports either: they are met through others alone. It may only fall."""


def modules():
    """Return the modules of the library that have something to test, relative to the package."""
    found = sorted(file.relative_to(SOURCE) for file in SOURCE.rglob("*.py"))
    return [file for file in found if file.name not in ("__init__.py", "__main__.py")]


def file_of_tests(module):
    """Return where the tests of a module are."""
    return TESTS / module.parent / f"test_{module.stem.lstrip('_')}.py"


def without_tests():
    return [module.as_posix() for module in modules() if not file_of_tests(module).exists()]


def imported(file):
    """Yield the dotted names that a file imports, modules and what is taken from them."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def unnamed():
    """Return the modules that have no file of tests and that no test imports."""
    named = {name for file in TESTS.rglob("*.py") for name in imported(file)}
    return [m for m in without_tests() if f"tocsin.{m.removesuffix('.py').replace('/', '.')}" not in named]


def test_no_module_more_is_without_tests_of_its_own():
    missing = without_tests()
    assert len(missing) <= MOST_WITHOUT, missing


def test_no_module_more_is_met_through_others_alone():
    missing = unnamed()
    assert len(missing) <= MOST_UNNAMED, missing


def test_the_ceilings_follow_what_was_reached():
    """A ceiling that is far above hides what grows back: lower it when tests were added."""
    assert MOST_WITHOUT - len(without_tests()) <= 15
    assert MOST_UNNAMED - len(unnamed()) <= 15


def test_every_folder_of_tests_is_one_of_the_library():
    folders = {file.parent.relative_to(TESTS).as_posix() for file in TESTS.rglob("test_*.py")} - {"."}
    assert {name for name in folders if name not in BESIDE and not (SOURCE / name).is_dir()} == set()
