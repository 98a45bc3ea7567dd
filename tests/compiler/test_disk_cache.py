"""Compiled code is kept per state of all that a kernel can reach."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import llvmlite.binding
import numba
import pytest

import tocsin.vec
from tocsin.compiler import disk_cache
from tocsin.compiler.jit import PURE_PYTHON


def test_a_module_reaches_what_it_imports_through_others():
    reached = disk_cache.reached(disk_cache.PACKAGE / "queries/kernels/first_contact.py")
    names = {file.relative_to(disk_cache.PACKAGE).as_posix() for file in reached}
    assert {"advancement/engine.py", "bounds/rounding.py", "simd/lanes.py", "compiler/jit.py"} <= names
    assert not {"scene.py", "cli/app.py", "io/urdf.py", "__init__.py"} & names


SPEAKING = ("_cast.py", "results.py", "options.py", "model/base.py", "model/robot.py", "geometry/mesh.py")
"""What is read and written for users: an edit of a sentence there is to recompile no question."""


@pytest.mark.parametrize("question", ["first_contact", "contact_intervals", "interval", "at_moment", "batch"])
def test_no_question_reaches_what_speaks_to_users(question):
    reached = disk_cache.reached(disk_cache.PACKAGE / f"queries/kernels/{question}.py")
    assert not reached & {disk_cache.PACKAGE / name for name in SPEAKING}


def test_what_only_checkers_of_types_import_is_not_reached(tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(
        "from typing import TYPE_CHECKING\n\nfrom tocsin import vec\n\nif TYPE_CHECKING:\n"
        "    from tocsin.scene import Scene\n\n    from tocsin.results import Status\n\n"
        "from tocsin.bounds.rounding import UNIT\n\n\ndef late():\n"
        "    if TYPE_CHECKING:\n        from tocsin import options\n    from tocsin.limits import MAX_STEPS\n"
    )
    _, found = disk_cache._read(file)
    names = {other.relative_to(disk_cache.PACKAGE).as_posix() for other in found}
    assert names == {"vec.py", "bounds/rounding.py", "limits.py"}


@pytest.fixture
def copy(tmp_path):
    """A copy of the package's sources, whose state is looked at."""
    shutil.copytree(disk_cache.PACKAGE, tmp_path / "tocsin", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "tocsin"


def run(program, package, *arguments, **environment):
    """What a process prints that has the package of this folder."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=kept | {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"} | environment,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def states(package, *modules):
    program = (
        "import sys; from tocsin.compiler import disk_cache as c\nfor m in sys.argv[1:]: print(c.state(c.PACKAGE / m))"
    )
    return run(program, package, *modules).split()


def test_an_edited_callee_changes_the_state_of_its_callers_alone(copy):
    modules = ("queries/kernels/first_contact.py", "bounds/taylor.py", "geometry/tree.py")
    before = states(copy, *modules)
    assert before == [disk_cache.state(disk_cache.PACKAGE / m) for m in modules], "copies share what was compiled"
    with (copy / "bounds" / "rounding.py").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    with (copy / "compiler/store.py").open("a", encoding="utf-8") as file:
        file.write("# where things are kept changes no kernel\n")
    query, taylor, tree = states(copy, *modules)
    assert query != before[0]
    assert taylor != before[1]
    assert tree == before[2]


def test_what_was_edited_since_it_was_loaded_has_no_state(copy):
    """What is compiled is the text as it was loaded: under the name of a later text it would mislead every process."""
    program = (
        "import pathlib, sys; from tocsin import vec; from tocsin.compiler import disk_cache as c\n"
        "file = c.PACKAGE / 'vec.py'; file.write_text(file.read_text() + '# edited')\n"
        "print(c.state(file), c.state(c.PACKAGE / 'simd/lanes.py') is None)\n"
        "print(c.KernelCache(vec.dot.py_func)._name((), ''))"
    )
    assert run(program, copy).split() == ["None", "False", "None"]


SETTINGS = {
    "BOUNDSCHECK": 1, "CPU_NAME": "haswell", "CPU_FEATURES": "+avx2", "OPT": 1, "ENABLE_AVX": 0, "DEBUGINFO_DEFAULT": 1,
    "LOOP_VECTORIZE": 0, "SLP_VECTORIZE": 1, "USING_SVML": 1, "LLVM_REFPRUNE_PASS": 0,
}  # fmt: skip
HOSTS = {
    "get_host_cpu_name": "haswell",
    "get_host_cpu_features": llvmlite.binding.FeatureMap(),
    "get_process_triple": "",
}


@pytest.mark.skipif(PURE_PYTHON, reason="nothing is compiled")
def test_kernels_are_kept_for_a_processor_and_for_settings(monkeypatch):
    """A home folder may serve machines with and without AVX-512, and processes with other settings of Numba."""

    def name():
        return disk_cache.KernelCache(tocsin.vec.dot.py_func)._name("()", disk_cache.made_for_here())

    names = [name()]
    for key, value in SETTINGS.items():
        with monkeypatch.context() as patch:
            patch.setattr(numba.config, key, value)
            names.append(name())
    for key, value in HOSTS.items():
        with monkeypatch.context() as patch:
            patch.setattr(disk_cache.binding, key, lambda value=value: value)
            disk_cache._host.cache_clear()
            names.append(name())
    assert len(set(names)) == len(names)
    disk_cache._host.cache_clear()
    for key in ("NUMBA_NUM_THREADS", "CACHE_DIR", "THREADING_LAYER", "COLOR_SCHEME"):
        monkeypatch.setattr(numba.config, key, 1)
    assert name() == names[0], "these change no code"


ADDED = """
@kernel
def ask():
    return dot((1.0, 2.0, 3.0), (1.0, 2.0, 3.0))
"""


@pytest.mark.parametrize("kept", ["off", "folder"])
def test_no_kernel_is_ever_stale_and_off_writes_nothing(copy, tmp_path, kept):
    (copy / "extra.py").write_text(f"from tocsin.compiler.jit import kernel\nfrom tocsin.vec import dot\n{ADDED}")
    home = tmp_path / "home"
    home.mkdir()
    chosen = {"TOCSIN_CACHE": "off" if kept == "off" else str(tmp_path / "kept"), "HOME": str(home)}
    ask = "from tocsin.extra import ask; print(ask(), sum(ask.stats.cache_hits.values()))"
    assert run(ask, copy, **chosen).split() == ["14.0", "0"]
    assert run(ask, copy, **chosen).split() == ["14.0", "0" if kept == "off" else "1"]
    text = (copy / "vec.py").read_text()
    edited = re.sub(r"(def dot\(.*\).*:\n(?:    \"\"\".*\"\"\"\n)?    return )", r"\g<1>1000.0 + ", text)
    assert edited != text
    (copy / "vec.py").write_text(edited)
    assert run(ask, copy, **chosen).split() == ["1014.0", "0"]
    assert [*home.rglob("*"), *copy.rglob("*.nb?")] == [], "none of Numba's files, there or beside ours"


BARE = "import sys; from tocsin.extra import ask; print(ask(), 'numba.np.linalg' in sys.modules)"


@pytest.mark.skipif(PURE_PYTHON, reason="nothing is compiled")
@pytest.mark.parametrize("private", ["", "import numba.core.runtime.nrt as r; del r.rtsys; "])
def test_a_kernel_from_disk_runs_without_what_compilers_need(copy, tmp_path, private):
    """Numba's own caches load all it knows of types and functions before they look, SciPy's linear algebra included."""
    (copy / "extra.py").write_text(f"from tocsin.compiler.jit import kernel\nfrom tocsin.vec import dot\n{ADDED}")
    chosen = {"TOCSIN_CACHE": str(tmp_path / "kept")}
    assert run(BARE, copy, **chosen).split() == ["14.0", "True"]
    assert run(private + BARE, copy, **chosen).split() == ["14.0", str(bool(private))]


EVERYTHING = """
import pickle
from numba.core.compiler import CompileResult
from numba.core.registry import cpu_target
from tocsin.compiler import disk_cache as c
states = {c.state(file) for file in c.PACKAGE.rglob("*.py")}
c._ready_to_run(cpu_target.target_context)
keys = [name.removesuffix(".tocsin") for name in c.KERNELS.names()]
kept = [pickle.loads(c.KERNELS.load(key)) for key in keys if key.rpartition("-")[0] in states]
kept = [payload for payload in kept if payload[0][1] == "object"]
for payload in kept:
    CompileResult._rebuild(cpu_target.target_context, *payload)
late = (b"_numba_hashsecret", b"numba_parallel_for")
print(len(kept), sum(name in payload[0][2][0] for payload in kept for name in late))
"""


@pytest.mark.skipif(PURE_PYTHON, reason="nothing is compiled")
def test_all_that_kept_kernels_call_is_there_before_anything_is_compiled():
    """A name that is not there would end the process; Numba makes two kinds of them known late.

    Asked of all kernels that this machine keeps of these sources; some of them were made for functions of tests.
    """
    tocsin.vec.dot((1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    if disk_cache.KERNELS.place() is None:
        pytest.skip("no kernel is kept")
    places = disk_cache.PACKAGE.parent, Path(__file__).parents[1]
    count, late = run(EVERYTHING, disk_cache.PACKAGE, PYTHONPATH=os.pathsep.join(map(str, places))).split()
    assert int(count) > 0
    assert late == "0"


def test_the_package_is_the_one_that_is_imported():
    assert str(disk_cache.PACKAGE) in tocsin.__file__


def test_kernels_of_a_package_built_on_this_one_are_kept_under_the_text_of_its_modules_too():
    """Else one that calls another of that package would live on when the other is edited."""
    from tocsin_bench.campaigns import bounds, motion_attack

    found = disk_cache.reached(Path(bounds.__file__))
    assert Path(motion_attack.__file__) in found
    assert disk_cache.PACKAGE / "bounds" / "motion_bound.py" in found
    assert disk_cache._file_of("tocsin_of_others.bounds.rounding") is None
