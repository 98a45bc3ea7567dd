"""Kernels that call kernels: compiled once for each kind of argument, and with machine code only where Python calls."""

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tocsin._jit import KNOWN, PURE_PYTHON, kernel

pytestmark = pytest.mark.skipif(PURE_PYTHON or not KNOWN, reason="kernels are compiled another way here")

LONG = "\n".join(f"    x = math.sin(x) + y * {k}.5" for k in range(300))
PROGRAM = f"""
import math
from tocsin._jit import inlined, kernel

@kernel
def powers(x, n):
    out = 1.0
    for _ in range(n):
        out *= x
    return out

@kernel
def some_powers(x, sizes):
    return powers(x, 2) + powers(x, 3) + powers(x, sizes[0])

@inlined
def doubled(x):
    return 2.0 * x

@kernel
def asks_doubled(x):
    return doubled(x) + doubled(1.0)

@kernel
def long(x, y):
{LONG}
    return x

@kernel
def short(x):
    return long(x, 1.0) + 1.0

@kernel
def ask(x):
    return short(x) + long(x, 2.0)
"""


@kernel
def countdown(n):
    return 0 if n == 0 else 1 + countdown(n - 1)


@kernel
def count_twice(n):
    return countdown(n) + countdown(n)


@kernel
def checked(n):
    if n < 0:
        raise ValueError("below zero")
    return n


@kernel
def asks_checked(n):
    return checked(n) + 1


@pytest.fixture
def fresh(tmp_path) -> dict[str, Any]:
    """The program's kernels, of which nothing is kept from before: its text is another one each time."""
    file = tmp_path / "program.py"
    file.write_text(f"{PROGRAM}\n# {tmp_path}")
    scope: dict[str, Any] = {"__name__": "program", "__file__": str(file)}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    return scope


def test_constants_and_small_integers_need_no_version_of_their_own(fresh):
    assert fresh["some_powers"](2.0, np.array([4], np.int32)) == 4.0 + 8.0 + 16.0
    assert len(fresh["powers"].inner.overloads) == 1
    assert len(fresh["powers"].overloads) == 0, "Python has not called it: there is no machine code"
    assert fresh["powers"](3.0, 2) == 9.0, "but it can"


def test_a_kernel_may_call_itself():
    assert count_twice(5) == 10


def test_an_error_in_a_callee_arrives():
    assert asks_checked(1) == 2
    with pytest.raises(ValueError, match="below zero"):
        asks_checked(-1)


def test_inlined_kernels_are_part_of_their_callers(fresh):
    assert fresh["asks_doubled"](1.5) == 5.0
    (result,) = fresh["asks_doubled"].overloads.values()
    bodies = [f.name for f in result.library._final_module.functions if not f.is_declaration]
    assert bodies
    assert not [name for name in bodies if "doubled" in name and "asks" not in name]


@pytest.mark.parametrize("before", [[], ["short(0.5)"]])
def test_what_was_compiled_is_found_by_the_next_process(tmp_path, before):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    environment = dict(
        os.environ, TOCSIN_CACHE=str(tmp_path / "cache"), PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path])
    )

    def run(text: str) -> list[str]:
        program = f"from program import *\n{text}"
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    for line in before:
        run(line)
    told = "print(ask(0.25).hex(), sum(ask.stats.cache_hits.values()), long.inner.overloads and 'linked' or 'unlinked')"
    first, second = run(told), run(told)
    assert first[1:] == ["0", "linked"]
    assert second[1:] == ["1", "unlinked"], "machine code alone is read"
    plain = run("print((short.py_func(0.25) + long.py_func(0.25, 2.0)).hex())")
    assert first[0] == second[0] == plain[0]


def test_long_kernels_are_called_by_name(fresh):
    fresh["ask"](0.25)
    (long,) = fresh["long"].inner.overloads.values()
    (short,) = fresh["short"].inner.overloads.values()
    assert not long.library.short
    assert short.library.short
    declared = [f.name for f in short.library.module.functions if f.is_declaration]
    assert long.fndesc.llvm_func_name in declared


def test_other_versions_of_numba_compile_their_own_way(tmp_path):
    program = (
        "import numba; numba.__version__ = '0.60.0'\n"
        "from tocsin import _jit, vec\n"
        "assert not _jit.KNOWN and type(vec.norm).__name__ == 'CPUDispatcher'\n"
        "print(vec.norm((3.0, 4.0, 0.0)))"
    )
    environment = dict(os.environ, TOCSIN_CACHE=str(tmp_path), PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["5.0"]
