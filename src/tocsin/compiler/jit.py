"""The one alias through which every kernel is compiled.

`error_model="numpy"` keeps division by zero an IEEE infinity instead of an exception path, `nogil` lets batches use
threads, `cache` keeps the compiled code between runs. Never `fastmath`: it would let the compiler reorder sums and
drop the outward roundings that the promises stand on. Multiply-adds are not contracted on the CPU.
"""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tocsin.compiler.disk_cache import KernelCache

F = TypeVar("F", bound=Callable[..., Any])

PURE_PYTHON: bool = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
"""True under NUMBA_DISABLE_JIT=1, where kernels run as plain Python."""


def _known() -> bool:
    if not numba.__version__.startswith("0.68."):
        return False
    try:
        from tocsin.compiler import kernels
    except (ImportError, AttributeError):
        return False
    return not kernels.missing()


KNOWN: bool = _known()
"""Is this a Numba whose inner workings `kernels` was tested with? Others compile kernels their own way, for longer."""


def kernel(function: F) -> F:
    """Compile `function` on first use and keep the result on disk."""
    return _compiled(function)


def inlined(function: F) -> F:
    """Compile `function` into each of its callers, whatever its size.

    A call hands every array on as ten words through memory, twice where one function calls another: 15 ns, as long as
    a small test takes. The compiler makes only short functions part of their callers by itself.
    """
    return _compiled(function, forceinline=True)


def lending(function: F) -> F:
    """Mark a function that is no kernel, but returns arrays without owners: they look into its arguments."""
    function.lends = True  # type: ignore[attr-defined]
    return function


def question(function: F) -> F:
    """Compile a `function` that Python calls all the time, and no kernel: such a call takes 0.1 µs less."""
    compiled = _compiled(function)
    return compiled.entry if KNOWN and not PURE_PYTHON else compiled


OPTIONS = {"nogil": True, "error_model": "numpy", "forceinline": False}
"""Of every kernel; all are said, see `kernels._Compiler`."""


def _compiled(function: Any, **options: Any) -> Any:
    if PURE_PYTHON:
        return function
    if KNOWN:
        from tocsin.compiler.kernels import Kernel

        return Kernel(function, {"nopython": True, **OPTIONS, **options})
    compiled: Any = numba.njit(**{**OPTIONS, **options})(function)
    compiled._cache = KernelCache(function)  # a Numba that does not look there keeps nothing
    return compiled


if PURE_PYTHON:
    np.seterr(divide="ignore", invalid="ignore")  # as compiled: an infinity or nan, and not a word about it

    def ticks() -> int:  # type: ignore[reportRedeclaration]
        """Return a count that grows with time, for measuring stages; nanoseconds here, processor cycles in kernels."""
        return time.perf_counter_ns()

    def borrowed(array: np.ndarray) -> np.ndarray:  # type: ignore[reportRedeclaration]
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

    @lending
    @intrinsic
    def _unowned(typingctx, array):
        """Copy an array's descriptor without its owner."""

        def codegen(context, builder, signature, args):
            view = context.make_array(signature.return_type)(context, builder, value=args[0])
            view.meminfo = ir.Constant(view.meminfo.type, None)
            view.parent = ir.Constant(view.parent.type, None)
            return view._getvalue()

        return array(array), codegen

    @kernel
    def ticks():
        """Return a count that grows with time, for measuring stages: processor cycles."""
        return _cycles()  # type: ignore[reportCallIssue]

    @kernel
    def borrowed(array):
        """Return the same array without a reference to its owner, which has to be held elsewhere: `lifetimes`.

        Numba counts references, atomically, at every call that takes an array; an array without an owner is not
        counted.
        """
        return _unowned(array)  # type: ignore[reportCallIssue]
