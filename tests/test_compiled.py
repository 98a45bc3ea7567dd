"""Compiled code is kept per state of all that a kernel can reach."""

import shutil
import subprocess
import sys

import pytest

import tocsin
from tocsin import _compiled


def test_a_module_reaches_what_it_imports_through_others():
    reached = _compiled.reached(_compiled.PACKAGE / "query.py")
    names = {file.relative_to(_compiled.PACKAGE).as_posix() for file in reached}
    assert {"query.py", "advancement/engine.py", "bounds/rounding.py", "_lanes.py", "_jit.py"} <= names
    assert not {"scene.py", "cli/app.py", "io/urdf.py", "__init__.py"} & names


@pytest.fixture
def copy(tmp_path):
    """A copy of the package's sources, whose state is looked at."""
    shutil.copytree(_compiled.PACKAGE, tmp_path / "tocsin", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "tocsin"


def states(package, *modules):
    program = (
        "import sys; from pathlib import Path; from tocsin import _compiled as c\n"
        "for m in sys.argv[1:]: print(c.state(c.PACKAGE / m))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *modules], env={"PYTHONPATH": str(package.parent), "PATH": ""},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.split()


def test_an_edited_callee_changes_the_state_of_its_callers_alone(copy):
    modules = ("query.py", "bounds/taylor.py", "geometry/tree.py")
    before = states(copy, *modules)
    assert before == [_compiled.state(_compiled.PACKAGE / m) for m in modules], "copies share what was compiled"
    with (copy / "bounds" / "rounding.py").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    query, taylor, tree = states(copy, *modules)
    assert query != before[0]
    assert taylor != before[1]
    assert tree == before[2]


def test_only_what_was_not_used_for_long_is_forgotten(tmp_path):
    for name, age in (("old", 2 * _compiled.KEPT_FOR), ("new", 0.0)):
        (tmp_path / name).mkdir()
        then = _compiled.time.time() - age
        _compiled.os.utime(tmp_path / name, (then, then))
    _compiled._forget_old(tmp_path)
    assert [f.name for f in tmp_path.iterdir()] == ["new"]


def test_the_package_is_the_one_that_is_imported():
    assert str(_compiled.PACKAGE) in tocsin.__file__
