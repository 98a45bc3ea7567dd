"""Where compiled kernels are kept: each under a name for all that it was compiled from, and for what.

Numba notices that a function's own file has changed, but not that a function it calls has: an edited bound would live
on inside its callers. A kernel can only use what its module imports, so its name on disk has a digest of the module's
own text and of the text of every module of this package that it imports, directly or through others. Editing a file
thus recompiles exactly the kernels that may use it; copies of the same sources share what was compiled; and installs
that cannot be written to are served as well. The processor, Numba's settings and all versions are in the name too: a
home folder may serve several machines.

What came with the package is looked for first (`packaged`), under names that say a level of processors instead of this
one. Numba's own cache is never used, for the reason above. Where nothing can be kept, kernels are compiled in memory.
"""

import hashlib
import pickle
import re
import sys
import time
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import llvmlite
import numba
import numpy as np
from llvmlite import binding
from numba import config

from tocsin.compiler import helpers
from tocsin.compiler.claims import Claims
from tocsin.compiler.packaged import LEVELS, Archive, levels
from tocsin.compiler.progress import COMPILING
from tocsin.compiler.store import Bytes, Store, folder

if TYPE_CHECKING:
    from numba.core.base import BaseContext

PACKAGE = Path(__file__).parents[1]

KERNELS = Store("kernels")

PACKAGED = {level: Archive(PACKAGE / f"compiled/{level}.kernels", KERNELS.kind) for level in LEVELS}
"""What came with the package, by level."""

CLAIMS = Claims()
"""Of this process, which may compile beside others."""

KEEPING = {Path(__file__), PACKAGE / "_types.py"} | {
    PACKAGE / f"compiler/{name}.py"
    for name in ("claims", "helpers", "pages", "store", "packaged", "progress", "emitting")
}
"""Modules that change no kernel: what they write has a version of its own, or they only name types for checkers."""

FORMAT = 1
"""Raise it when other things are kept of a kernel."""

STARTED = time.time()
"""This module is the first of the package that is loaded, up to those that load nothing of it."""

IMPORT = re.compile(r"^[ \t]*(?:from (tocsin[\w.]*) import (\([^)]*\)|.*)|import (tocsin[\w.]*))", re.MULTILINE)

FOR_CHECKERS = re.compile(r"^([ \t]*)if TYPE_CHECKING:\n(?:\1[ \t]+.*\n|[ \t]*\n)*", re.MULTILINE)
"""What only checkers of types import: no kernel can use it."""

OF_NO_MATTER = re.compile(r"CUDA|THREAD|CACHE|COLOR_SCHEME|GDB_BINARY|RUNNING_UNDER_PROFILER")
"""Settings of Numba that change no code, and may differ from run to run."""


@cache
def _file_of(module: str) -> Path | None:
    """Return the file of a module of this package, or of one built on it (`tocsin_bench`); None for anything else."""
    top, *parts = module.split(".")
    package = PACKAGE if top == PACKAGE.name else _folder_of(top)
    if package is None:
        return None
    inside = package.joinpath(*parts)
    for file in (inside.with_suffix(".py"), inside / "__init__.py"):
        if file.is_file():
            return file
    return None


def _folder_of(package: str) -> Path | None:
    """Return the folder of a package that is loaded: kernels that import it are being compiled."""
    file = getattr(sys.modules.get(package), "__file__", None)
    return None if file is None else Path(file).parent


@cache
def _read(file: Path) -> tuple[bytes, frozenset[Path]]:
    """Return the digest of a file, and the files of this package that it imports when it runs, anywhere in its text."""
    text = file.read_text(encoding="utf-8")
    found = set()
    for module, names, plain in IMPORT.findall(FOR_CHECKERS.sub("", text)):
        if plain:
            found.add(_file_of(plain))
        else:
            parts = [_file_of(f"{module}.{name}") for name in re.findall(r"(\w+)(?: as \w+)?", names)]
            found.update(parts)
            if not all(parts):
                found.add(_file_of(module))
    return hashlib.blake2b(text.encode(), digest_size=16).digest(), frozenset(f for f in found if f)


def reached(file: Path) -> set[Path]:
    """Return the file and every file of this package that it imports, directly or through others."""
    seen = {file}
    waiting = [file]
    while waiting:
        for other in _read(waiting.pop())[1] - seen:
            seen.add(other)
            waiting.append(other)
    return seen


def _as_loaded(file: Path) -> bool:
    """Is the text of a file still the one that this process has loaded?

    What is compiled is what was loaded; under the name of a text that was edited since, it would mislead others.
    """
    status = file.stat()
    return max(status.st_mtime, status.st_ctime) < STARTED


@cache
def state(file: Path) -> str | None:
    """Return a name for the text of all that kernels in this file can reach; None if any of it was edited just now."""
    digest = hashlib.blake2b(digest_size=10)
    for other in sorted(reached(file) - KEEPING):
        inside = other.relative_to(PACKAGE).as_posix() if other.is_relative_to(PACKAGE) else other.name
        digest.update(inside.encode() + _read(other)[0])
    if not all(map(_as_loaded, reached(file) - KEEPING)):
        return None
    stem = re.sub(r"\W", "_", file.stem)[:40]
    return f"{stem}-{digest.hexdigest()}"


@cache
def _host() -> tuple[str, ...]:
    """Return what code is made for, as far as it stays the same in a process."""
    versions = (numba.__version__, llvmlite.__version__, np.__version__, sys.version, getattr(sys, "abiflags", ""))
    features = binding.get_host_cpu_features().flatten()
    return *versions, binding.get_process_triple(), binding.get_host_cpu_name(), features


@cache
def _settings() -> tuple[str, ...]:
    return tuple(sorted(key for key in vars(config) if key.isupper() and not OF_NO_MATTER.search(key)))


def machine() -> str:
    """Return all that decides what becomes of a text: processor, versions, and Numba's settings as they are now."""
    return repr((_host(), [(key, getattr(config, key, None)) for key in _settings()]))


def for_level(level: str) -> str:
    """Return what decides what becomes of a text on every processor of a level.

    Of versions as much as machine code can hang on: Numba's, and the calling conventions of Python and of NumPy.
    """
    versions = numba.__version__, llvmlite.__version__, np.__version__.split(".")[0], sys.implementation.cache_tag
    settings = [(key, getattr(config, key, None)) for key in _settings() if not key.startswith("CPU_")]
    return repr((level, versions, getattr(sys, "abiflags", ""), binding.get_process_triple(), settings))


def made_for_here() -> str:
    """Return what code is made for here: a level, where just that was asked for, or this machine."""
    name = getattr(config, "CPU_NAME", None)
    return for_level(name) if name in LEVELS and getattr(config, "CPU_FEATURES", None) == "" else machine()


@cache
def _levels() -> tuple[str, ...]:
    """Return the levels that came with the package and run here, the best first."""
    return tuple(level for level in levels(binding.get_host_cpu_features()) if PACKAGED[level].places)


def packaged_levels() -> tuple[str, ...]:
    """Return the levels whose kernels are looked for first; none where the user names a processor to compile for."""
    return _levels() if getattr(config, "CPU_NAME", None) is None else ()


def _hear_of_failures() -> None:
    """Have claims given back, and helpers ended, where something could not be compiled: the cache hears of what was.

    Where Numba tells of nothing, claims end with the process.
    """
    try:
        from numba.core.event import Event, Listener, register
    except ImportError:
        return

    class Failures(Listener):
        def on_start(self, event: Event) -> None:
            """Do nothing."""

        def on_end(self, event: Event) -> None:
            """Let others compile what this process has claimed, and end its helpers."""
            ours = isinstance(getattr((event.data or {}).get("dispatcher"), "_cache", None), KernelCache)
            if ours and getattr(event, "_exc_details", None) is not None:  # `is_failed` says the opposite
                CLAIMS.give_all()
                helpers.end()

    register("numba:compile", Failures())


_hear_of_failures()


class KernelCache:
    """A function's compiled code on disk, looked for when it is first needed; what Numba's dispatchers want of a cache.

    What comes from there is unpickled and run, so it must be ours: see `store`. Whatever goes wrong, the function is
    compiled.
    """

    kind = "entry"

    def __init__(self, function: FunctionType) -> None:
        self._function = function

    @property
    def cache_path(self) -> str | None:
        """The folder."""
        place = KERNELS.place()
        return None if place is None else str(place)

    def _name(self, sig: object, made_for: str) -> str | None:
        """Return the name of what is compiled for a signature; None if no text that stands in a file is compiled."""
        code = self._function.__code__
        file = Path(code.co_filename)
        text = state(file) if file.is_file() else None
        if text is None:
            return None
        cells = self._function.__closure__ or ()
        closed = _dumps([cell.cell_contents for cell in cells]) if cells else b""
        function = self._function.__qualname__, code.co_firstlineno, code.co_code, closed
        parts = repr((FORMAT, self.kind, made_for, function, str(sig)))
        return f"{text}-{hashlib.blake2b(parts.encode(), digest_size=20).hexdigest()}"

    def load_overload(self, sig: object, target_context: Any) -> Any:
        """Return what was compiled for a signature, or None.

        All that Numba knows of types and functions is not loaded for it, as Numba's own caches do: that brings SciPy's
        linear algebra along, 0.4 s. Machine code needs none of it, and whatever is compiled loads it then.
        """
        _ready_to_run(target_context)
        found = self._found(sig, target_context)
        name = None if found is not None or folder() is None else self._name(sig, made_for_here())
        if name is not None:
            if self.kind == KernelCache.kind:
                helpers.call(made_for_here())
            CLAIMS.take(name)
            found = self._found(sig, target_context)
            if found is not None:
                CLAIMS.give(name)
        if found is None and self.kind == KernelCache.kind:
            kept = folder() is not None and KERNELS.place(make=True) is not None
            COMPILING.begin(self._function, kept=kept)
        elif found is not None:
            COMPILING.tell(self._function)
        return found

    def _found(self, sig: object, target_context: object) -> Any:
        places: list[tuple[Archive | Store, str]] = [(PACKAGED[level], for_level(level)) for level in packaged_levels()]
        if folder() is not None:
            places.append((KERNELS, made_for_here()))
        for place, made_for in places:
            try:
                name = self._name(sig, made_for)
                body = None if name is None else place.load(name)
                if body is not None:
                    return self.rebuild(target_context, pickle.loads(body))
            except Exception:
                continue
        return None

    def save_overload(self, sig: object, result: Any) -> None:
        """Keep what was compiled for a signature, if that is possible."""
        COMPILING.tell(self._function)
        COMPILING.end(self._function)
        name = None
        try:
            name = None if folder() is None else self._name(sig, made_for_here())
            if name is None or result.library.has_dynamic_globals or any(not part.can_cache for part in result.lifted):
                return
            body = _dumps(self.reduce(result))
            KERNELS.save(name, body)
        except Exception:
            return
        finally:
            if name is not None:
                CLAIMS.give(name)

    def reduce(self, result: Any) -> tuple[object, ...]:
        """Return what is kept of a function."""
        return result._reduce()

    def rebuild(self, target_context: object, payload: tuple[Any, ...]) -> Any:
        """Return a function as it was."""
        from numba.core.compiler import CompileResult

        return CompileResult._rebuild(target_context, *payload)

    def enable(self) -> None:
        """Do nothing: TOCSIN_CACHE says what is kept."""

    disable = flush = enable


def _ready_to_run(target_context: "BaseContext") -> None:
    """Have ready what machine code calls: what counts references. Python's own functions and C's always are."""
    try:
        from numba.core.runtime.nrt import rtsys

        rtsys.initialize(target_context)
    except (ImportError, AttributeError):  # private names of Numba
        target_context.refresh()


def _dumps(value: object) -> Bytes:
    from numba.core.serialize import dumps

    return dumps(value)
