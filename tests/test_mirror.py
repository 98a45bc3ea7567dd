"""`tests/` mirrors `src/`: every module has its file of direct tests, which imports it or asks what it answers."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TESTS = ROOT / "src" / "tocsin", ROOT / "tests"

BESIDE = {"promise", "museum"}
"""Folders of tests that mirror none of the library: the promises of the README, and what once was wrong."""

EXEMPT = {
    "compiler/emitting.py": "names types for checkers; nothing in it runs",
}
"""Modules without a file of tests of their own, each with its reason."""


def modules():
    """Return the modules of the library, relative to the package; packages that only gather are told by their parts."""
    found = sorted(file.relative_to(SOURCE) for file in SOURCE.rglob("*.py"))
    return [file for file in found if file.name not in ("__init__.py", "__main__.py")]


def file_of_tests(module):
    """Return where the tests of a module are."""
    return TESTS / module.parent / f"test_{module.stem.lstrip('_')}.py"


def without_tests():
    return [module.as_posix() for module in modules() if not file_of_tests(module).exists()]


def test_every_module_has_a_file_of_tests_of_its_own():
    missing = set(without_tests())
    assert missing - set(EXEMPT) == set(), "write tests/<folder>/test_<module>.py, or say in EXEMPT why not"


def test_what_is_exempt_is_there_and_has_no_tests():
    """An entry that outlives its module, or its lack of tests, hides the next one."""
    assert set(EXEMPT) <= set(without_tests())
    assert all(EXEMPT.values())


def test_no_file_of_tests_is_empty():
    """A file that only imports is no test."""
    for module in modules():
        file = file_of_tests(module)
        if file.exists():
            tests = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if _is_test(node)]
            assert tests, file


def _is_test(node):
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test_")


def test_every_folder_of_tests_is_one_of_the_library():
    folders = {file.parent.relative_to(TESTS).as_posix() for file in TESTS.rglob("test_*.py")} - {"."}
    assert {name for name in folders if name not in BESIDE and not (SOURCE / name).is_dir()} == set()
