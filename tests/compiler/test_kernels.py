"""Kernels that call kernels: compiled once for each kind of argument, and with machine code only where Python calls."""

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import from_dtype, types

from tocsin.compiler import disk_cache
from tocsin.compiler.jit import KNOWN, PURE_PYTHON, kernel
from tocsin.compiler.store import Store

if PURE_PYTHON or not KNOWN:
    pytest.skip("kernels are compiled another way here", allow_module_level=True)

from tocsin.compiler import kernels, lifetimes

LONG = "\n".join(f"    x = math.sin(x) + y * {k}.5" for k in range(300))
PROGRAM = f"""
import math
from tocsin.compiler.jit import inlined, kernel

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

@inlined
def passed_on(x):
    return long(x, 3.0)

@kernel
def asks_passed_on(x):
    return passed_on(x) + 1.0

@kernel
def ask(x):
    return short(x) + long(x, 2.0)

@kernel
def calls_long(x, y):
{LONG}
    return long(x, y)

@kernel
def calls_caller(x, y):
{LONG}
    return calls_long(x, y)

@inlined
def long_if(x, asked):
    return long(x, 3.0) if asked else x

@kernel
def expression(values):
    return values * 2.0 + 1.0

@kernel
def asks_late(x):
    return calls_caller(x, 1.0) + long_if(x, False)

@kernel
def asks_early(x):
    return long_if(x, False) + calls_caller(x, 1.0)
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


@pytest.mark.parametrize("asked", ["asks_late", "asks_early"])
def test_a_body_that_only_callees_of_callees_call_is_there(fresh, asked):
    """The linker leaves out what nothing calls yet: here `long`, whose call in `long_if` is never made."""
    called = fresh[asked]
    assert called(0.25) == called.py_func(0.25)
    (result,) = called.overloads.values()
    known = {library.symbol for library in result.library._callees()}
    assert len(known) == 4
    assert not [f.name for f in result.library._final_module.functions if f.is_declaration and f.name in known]


def test_callees_come_after_all_that_call_them(fresh):
    fresh["asks_late"](0.25)
    (result,) = fresh["asks_late"].overloads.values()
    order = result.library._callees()
    for place, library in enumerate(order):
        assert not set(order[:place]) & set(library._linking_libraries)


def test_a_missing_body_is_an_error_not_a_signal(fresh, monkeypatch):
    callees = kernels._Library._callees
    monkeypatch.setattr(kernels._Library, "_callees", lambda self: callees(self)[::-1])
    with pytest.raises(RuntimeError, match="without a body"):
        fresh["asks_late"](0.25)


def test_names_in_machine_code_say_the_types_of_records(fresh):
    """Numba numbers types of records as a process meets them: two processes may mean different ones by a number."""
    marks = {kernels.mark(fresh["short"].py_func, kinds) for kinds in (numba_records("x"), numba_records("y"))}
    assert len(marks) == 2
    fresh["short"](0.25)
    (result,) = fresh["short"].overloads.values()
    assert kernels.mark(fresh["short"].py_func, result.signature.args) in result.fndesc.llvm_func_name


def test_what_numba_compiles_of_its_own_for_a_kernel_is_named_by_numba(fresh):
    assert fresh["expression"](np.array([1.0, 2.0])).tolist() == [3.0, 5.0]


def numba_records(field: str) -> tuple[types.Type, ...]:
    return (from_dtype(np.dtype([(field, "f8")])),)


@pytest.mark.parametrize("first", ["short", "asks_passed_on"])
def test_a_kernel_is_the_same_whoever_asked_for_it_first(fresh, first):
    """Numba hands on to callees that a function is to be a part of its callers."""
    fresh[first](0.25)
    (long,) = fresh["long"].inner.overloads.values()
    assert not long.library.short
    assert "alwaysinline" not in str(long.library.module.get_function(long.fndesc.llvm_func_name))


@pytest.mark.parametrize("damage", ["empty", "cut", "zeros", "random", "flip", "folder", "mode"])
def test_damaged_kernels_are_compiled_again(tmp_path, monkeypatch, damage):
    """In one process: each kernel is made anew, as the next process would."""
    monkeypatch.setattr(disk_cache, "KERNELS", Store("kernels", root=tmp_path))
    told = cached_call()
    for file in list((tmp_path / "kernels").iterdir()):
        data = file.read_bytes()
        middle = len(data) // 2
        contents = {"empty": b"", "cut": data[:middle], "zeros": bytes(len(data)), "random": os.urandom(len(data)),
                    "flip": data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :]}  # fmt: skip
        if damage in contents:
            file.write_bytes(contents[damage])
        elif damage == "mode":
            file.chmod(0o666)
        else:
            file.unlink()
            file.mkdir()
    assert cached_call() == (told[0], 0)
    assert cached_call() == (told[0], 0 if damage == "folder" else 1), "and kept again, where that is possible"


def cached_call() -> tuple[str, int]:
    """The bits of a call of a kernel that is new here, and whether it was found."""
    from tocsin_bench.campaigns import cached

    for name in ("third", "asked"):
        setattr(cached, name, kernel(getattr(cached, name).py_func))
    asked: Any = cached.asked
    return asked(0.7).hex(), sum(asked.stats.cache_hits.values())


def test_where_nothing_can_be_kept_kernels_are_compiled_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_cache, "KERNELS", Store("kernels", root=tmp_path / "a file" / "below"))
    (tmp_path / "a file").write_text("in the way")
    assert cached_call() == cached_call()
    monkeypatch.setattr(disk_cache, "KERNELS", Store("kernels", root=tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(Store, "save", lambda *_: False)
        assert cached_call()[1] == cached_call()[1] == 0
    monkeypatch.setattr(disk_cache, "_dumps", lambda value: value.no_such_name)  # Numba pickles in another way
    assert cached_call()[1] == cached_call()[1] == 0


def test_a_cache_that_cannot_be_written_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(disk_cache, "KERNELS", Store("kernels", root=tmp_path))
    told = cached_call()[0]
    monkeypatch.setattr(Store, "save", lambda *_: False)
    assert cached_call() == (told, 1)


def test_a_missing_private_name_is_noticed(monkeypatch):
    assert kernels.missing() == []
    taken = 0
    for place, names in kernels.NEEDED.items():
        for name in names:
            where = next((base for base in getattr(place, "__mro__", (place,)) if name in vars(base)), tuple)
            if where is not tuple:
                with monkeypatch.context() as patch:
                    patch.delattr(where, name)
                    assert f"{place.__name__}.{name}" in kernels.missing()
                taken += 1
    assert taken > 20
    assert kernels.missing() == []


WITHOUT = {
    "nothing": ("pass", True),
    "another version": ("numba.__version__ = '0.60.0'", False),
    "a class": ("del numba.core.codegen.JITCodeLibrary", False),
    "a dispatcher": ("del numba.core.registry.CPUDispatcher", False),
    "how results are kept": ("del numba.core.compiler.CompileResult._rebuild", False),
    "a cache": ("del numba.core.caching.CacheImpl, numba.core.caching.IndexDataCacheFile", True),
}

DOCUMENTED = ("numba", "numba.extending")
"""Modules of Numba from which everybody may take names."""

HIDING = """
def hide(module, name):
    real = builtins.__import__

    def imported(asked, globals=None, locals=None, names=(), level=0):
        found = real(asked, globals, locals, names, level)
        if asked != module or name not in (names or ()) or not globals["__name__"].startswith("tocsin"):
            return found
        other = types.ModuleType(f"{module} without {name}")
        vars(other).update({key: value for key, value in vars(found).items() if key not in ("__name__", name)})
        return other

    builtins.__import__ = imported
"""


def private_names() -> set[tuple[Path, str, str]]:
    """Every (file, module, name) that is taken from a module of Numba that promises nothing."""
    found = set()
    for file in disk_cache.PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "numba":
                found |= {(file, node.module, alias.name) for alias in node.names if node.module not in DOCUMENTED}
            elif isinstance(node, ast.Import):
                found |= {(file, alias.name, "") for alias in node.names if alias.name.startswith("numba.")}
    return found


def test_what_numba_does_not_document_is_used_only_where_there_is_another_way():
    assert {file for file, _, _ in private_names()} == {Path(m.__file__) for m in (disk_cache, kernels, lifetimes)}


def test_without_any_of_numbas_private_names_kernels_have_the_same_bits(tmp_path):
    """One process, which is forked for each name that is taken away before tocsin is loaded."""
    without = dict(WITHOUT)
    for file, module, name in sorted(private_names()):
        known = file == Path(disk_cache.__file__)
        without[f"{module}.{name} in {file.stem}"] = (f"hide({module!r}, {name!r})", known)
    parts = [f"import builtins, os, sys, types, numba, numba.core.codegen, numba.core.registry\n{HIDING}"]
    for words, (taken, _) in without.items():
        parts.append(f"""
sys.stdout.flush()
child = os.fork()
if child == 0:
    {taken}
    from tocsin.compiler import jit
    from tocsin_bench.campaigns.cached import asked
    print({words!r}, jit.KNOWN, asked(0.7).hex(), sep="|", flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0, {words!r}
""")
    environment = dict(os.environ, TOCSIN_CACHE=str(tmp_path / "kept"), PYTHONPATH=os.pathsep.join(sys.path))
    program = "\n".join(parts)
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = [line.split("|") for line in done.stdout.splitlines()]
    assert [line[0] for line in said] == list(without)
    assert len(said) > 15
    assert [line[1] for line in said] == [str(known) for _, known in without.values()]
    x = 0.7
    assert {line[2] for line in said} == {(x / 3.0 + (0.1 / 3.0 + x * x / 3.0)).hex()}
