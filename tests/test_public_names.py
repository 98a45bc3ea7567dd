"""`dir(tocsin)` is what a user may use, and all that comes back has a name there."""

import subprocess
import sys

import pytest

import tocsin

pytestmark = pytest.mark.pure


def test_dir_shows_the_public_names_and_nothing_else():
    assert dir(tocsin) == sorted(["__version__", *tocsin.__all__])
    assert len(set(tocsin.__all__)) == len(tocsin.__all__)
    for name in tocsin.__all__:
        assert getattr(tocsin, name) is not None


@pytest.mark.parametrize(
    "name", ["Audit", "Joint", "Model", "Problem", "Trajectory", "MeshReport", "FeatureContacts", "TriangleTimes"]
)
def test_what_questions_and_readers_return_has_a_public_name(name):
    assert name in tocsin.__all__
    assert getattr(tocsin, name).__name__ == name


def test_modules_that_the_readme_names_are_there_without_an_import_of_their_own():
    program = "import tocsin; print(tocsin.planning.plan.__name__, tocsin.cluster.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["plan", "tocsin.cluster"]


IMPORTS = """
import sys
import numba, numpy
before = set(sys.modules)
import tocsin
new = {name for name in set(sys.modules) - before if name.partition(".")[0] not in sys.stdlib_module_names}
print(*sorted(name for name in new if not name.startswith(("tocsin.", "numpy."))))
print(*sorted(name for name in new if name.startswith(("tocsin.queries", "tocsin.wave", "tocsin.viewer"))))
"""


def test_an_import_brings_no_library_but_numpy_and_numba_and_no_engine_that_nobody_asked():
    """The first answer is to come soon: what questions, GPUs and pictures need is loaded when they are asked for."""
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["tocsin", ""]
