"""Where compiled kernels are kept: a folder for each module, named after the text of all that its kernels can reach.

Numba notices that a function's own file has changed, but not that a function it calls has: an edited bound would live
on inside its callers. A kernel can only use what its module imports, so the folder's name is a digest of the module's
own text and of the text of every module of this package that it imports, directly or through others. Editing a file
thus recompiles exactly the kernels that may use it; copies of the same sources share what was compiled; and installs
that cannot be written to are served as well.
"""

import hashlib
import os
import re
import shutil
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.compiler import compile_result

PACKAGE = Path(__file__).parent

KEPT_FOR = 7 * 86400.0
"""Seconds for which compiled code is kept after its last use."""

IMPORT = re.compile(r"^[ \t]*(?:from (tocsin[\w.]*) import (\([^)]*\)|.*)|import (tocsin[\w.]*))", re.MULTILINE)

_announced: list[bool] = []


def cache_folder() -> Path | None:
    """Return the folder for what is kept between runs, or None: TOCSIN_CACHE, or the user's cache folder."""
    chosen = os.environ.get("TOCSIN_CACHE", "")
    if chosen.lower() == "off":
        return None
    if chosen:
        return Path(chosen)
    try:
        if sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
        elif sys.platform == "darwin":
            base = Path.home() / "Library" / "Caches"
        else:
            base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # no home folder
        return None
    return base / "tocsin"


@cache
def _file_of(module: str) -> Path | None:
    """Return the file of a module of this package, or None if the name is of something else."""
    inside = PACKAGE.joinpath(*module.split(".")[1:])
    for file in (inside.with_suffix(".py"), inside / "__init__.py"):
        if file.is_file():
            return file
    return None


@cache
def _read(file: Path) -> tuple[bytes, frozenset[Path]]:
    """Return the digest of a file, and the files of this package that it imports, anywhere in its text."""
    text = file.read_text(encoding="utf-8")
    found = set()
    for module, names, plain in IMPORT.findall(text):
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


@cache
def state(file: Path) -> str:
    """Return a name for the text of all that kernels in this file can reach."""
    digest = hashlib.blake2b(digest_size=10)
    for other in sorted(reached(file)):
        inside = other.relative_to(PACKAGE).as_posix() if other.is_relative_to(PACKAGE) else other.name
        digest.update(inside.encode() + _read(other)[0])
    return f"{file.stem}-{digest.hexdigest()}"


@cache
def _folder(file: Path) -> Path | None:
    """Return the folder for the compiled kernels of a file, made if need be; None where there can be none."""
    root = cache_folder()
    if root is None or os.environ.get("NUMBA_CACHE_DIR"):
        return None
    folder = root / "kernels" / state(file)
    try:
        if folder.is_dir():
            if time.time() - folder.stat().st_mtime > 86400.0:
                os.utime(folder)
        else:
            if not _announced:
                _announced.append(True)
                print("tocsin: compiling kernels, a minute or two, once per machine", file=sys.stderr, flush=True)
                _forget_old(folder.parent)
            folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            return None
    except OSError:
        return None
    return folder


def _forget_old(kernels: Path) -> None:
    """Remove compiled code that was not used for long."""
    if kernels.is_dir():
        for other in kernels.iterdir():
            if time.time() - other.stat().st_mtime > KEPT_FOR:
                shutil.rmtree(other, ignore_errors=True)


class _Locator:
    """Tells Numba where the compiled code of one function is, and what it was compiled from."""

    def __init__(self, function: Any, file: Path, folder: Path) -> None:
        self._line = function.__code__.co_firstlineno
        self._state = state(file)
        self._folder = folder
        self._py_file = str(file)

    @classmethod
    def from_function(cls, function: Any, file: str) -> "_Locator | None":
        """Return the locator of a function in a file, also one outside this package; None leaves it to Numba."""
        path = Path(file)
        folder = _folder(path) if path.is_file() else None
        return None if folder is None else cls(function, path, folder)

    def ensure_cache_path(self) -> None:
        """Make the folder, if it has been removed since."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Return the state of the sources."""
        return self._state

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name in one file apart."""
        return str(self._line)


class _Compiled(CompileResultCacheImpl):
    _locator_classes = [_Locator, *CompileResultCacheImpl._locator_classes]  # noqa: RUF012


class KernelCache(FunctionCache):
    """A function's compiled code on disk."""

    _impl_class = _Compiled


class _Inner(_Compiled):
    """What is kept of a kernel that other kernels call."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return f"inner-{super().get_filename_base(fullname, abiflags)}"

    def reduce(self, cres: Any) -> tuple[Any, ...]:
        cres.fndesc.typemap = cres.fndesc.calltypes = None
        environments = tuple(cres._find_referenced_environments())
        return cres.library.to_disk(), cres.fndesc, cres.environment, cres.signature, cres.reload_init, environments

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        from tocsin._kernels import InnerLibrary

        kept, fndesc, environment, signature, reload_init, environments = payload
        return compile_result(
            target_context=target_context, typing_context=target_context.typing_context, fndesc=fndesc,
            library=InnerLibrary.from_disk(target_context.codegen(), *kept), environment=environment,
            entry_point=object(), signature=signature, objectmode=False, lifted=(), reload_init=reload_init,
            referenced_envs=environments,
        )  # fmt: skip


class InnerCache(FunctionCache):
    """Intermediate code of a function on disk."""

    _impl_class = _Inner
