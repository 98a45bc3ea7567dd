"""The one alias through which every kernel is compiled.

`error_model="numpy"` keeps division by zero an IEEE infinity instead of an exception path, `nogil` lets batches use
threads, `cache` keeps the compiled code between runs. Never `fastmath`: it would let the compiler reorder sums and
drop the outward roundings that the promises stand on. Multiply-adds are not contracted on the CPU.
"""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.caching import FunctionCache
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

WITHOUT_KERNELS = (
    "__init__.py", "auditing", "bench", "cli", "errors.py", "geometry/cache.py", "geometry/mesh.py",
    "geometry/meshfile*.py", "io", "model/base.py", "model/body.py", "model/robot.py", "results.py", "scene.py",
    "viewer",
)  # fmt: skip
"""Files and folders that hold nothing which a kernel outside their own file uses: editing them recompiles no other."""

KEPT_FOR = 7 * 86400.0
"""Seconds for which compiled code of other versions of the sources is kept."""


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


_to_announce: list[str] = []


def _set_kernel_cache() -> None:
    """Keep compiled kernels in a folder named after the state of all sources that hold kernels.

    Numba notices that a function's own file has changed, but not that a function it calls has: an edited bound would
    live on inside its callers. A folder per state of the sources rules that out, and works for read-only installs.
    """
    root = cache_folder()
    if root is None or os.environ.get("NUMBA_CACHE_DIR") or numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return
    package = Path(__file__).parent
    state = hashlib.blake2b(digest_size=8)
    for file in sorted(package.rglob("*.py")):
        inside = file.relative_to(package)
        if any(inside.match(pattern) or pattern == inside.parts[0] for pattern in WITHOUT_KERNELS):
            continue
        stat = file.stat()
        state.update(f"{inside} {stat.st_mtime_ns} {stat.st_size}\n".encode())
    folder = root / "kernels" / state.hexdigest()
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _to_announce.append("tocsin: compiling kernels, a minute or two, once per machine")
            for other in folder.parent.iterdir():
                if time.time() - other.stat().st_mtime > KEPT_FOR:
                    shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]


_set_kernel_cache()


def announce_compilation() -> None:
    """Say once, on standard error, that kernels are about to be compiled, if none of this version were there."""
    if _to_announce:
        print(_to_announce.pop(), file=sys.stderr, flush=True)


PURE_PYTHON: bool = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
"""True under NUMBA_DISABLE_JIT=1, where kernels run as plain Python."""


class _LazyCache:
    """A function's compiled code on disk, looked for when it is first needed.

    Numba tries at once, for every decorated function, whether the folder can be written: a fifth of our import.
    """

    def __init__(self, function: Any) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        cache = FunctionCache(self._function)
        self.__dict__.update({key: getattr(cache, key) for key in ("load_overload", "save_overload", "cache_path")})
        return getattr(cache, name)


def kernel(function: F) -> F:
    """Compile `function` on first use and keep the result on disk."""
    compiled: Any = numba.njit(nogil=True, error_model="numpy")(function)
    if not PURE_PYTHON:
        compiled._cache = _LazyCache(compiled.py_func)
    return compiled


if PURE_PYTHON:

    def ticks() -> int:  # type: ignore[reportRedeclaration]
        """Return a count that grows with time, for measuring stages; nanoseconds here, processor cycles in kernels."""
        return time.perf_counter_ns()

    def borrowed(array: Any) -> Any:  # type: ignore[reportRedeclaration]
        """Return the array itself."""
        return array

else:

    @intrinsic
    def _cycles(typingctx):
        """Read the processor's cycle counter."""
        signature = types.int64()

        def codegen(context, builder, signature, args):
            counter = builder.module.declare_intrinsic("llvm.readcyclecounter", (), ir.FunctionType(ir.IntType(64), ()))
            return builder.call(counter, ())

        return signature, codegen

    @intrinsic
    def _unowned(typingctx, array):
        """Copy an array's descriptor without its owner."""

        def codegen(context, builder, signature, args):
            from numba.np import arrayobj  # 0.03 s, which only compiling needs

            view = arrayobj.make_array(signature.return_type)(context, builder, value=args[0])
            view.meminfo = cgutils.get_null_value(view.meminfo.type)
            view.parent = cgutils.get_null_value(view.parent.type)
            return view._getvalue()

        return array(array), codegen

    @kernel
    def ticks():
        """Return a count that grows with time, for measuring stages: processor cycles."""
        return _cycles()  # type: ignore[reportCallIssue]

    @kernel
    def borrowed(array):
        """Return the same array without a reference to its owner; the caller's caller must keep that alive.

        Numba counts references, atomically, at every call that takes an array; an array without an owner is not
        counted.
        """
        return _unowned(array)  # type: ignore[reportCallIssue]
