"""The one alias through which every kernel is compiled.

`error_model="numpy"` keeps division by zero an IEEE infinity instead of an exception path, `nogil` lets batches use
threads, `cache` keeps the compiled code between runs. Never `fastmath`: it would let the compiler reorder sums and
drop the outward roundings that the promises stand on. Multiply-adds are not contracted on the CPU.
"""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from tocsin._compiled import KernelCache

F = TypeVar("F", bound=Callable[..., Any])

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
        cache = KernelCache(self._function)
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
