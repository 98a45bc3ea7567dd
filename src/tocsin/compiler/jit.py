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
from tocsin.compiler.emitting import Builder, Context, Word

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

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

    def borrowed(tables: T) -> T:  # type: ignore[reportRedeclaration]
        """Return the very same."""
        return tables

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
    def _unowned(typingctx, tables):
        """Copy the descriptors of an array, or of all arrays of a record, without their owners."""

        def copied(context: Context, builder: Builder, kind: types.Type, value: Word) -> Word:
            if isinstance(kind, types.BaseTuple):
                values = []
                for k, part in enumerate(kind.types):  # type: ignore[reportAttributeAccessIssue]  # all tuples have them
                    values.append(copied(context, builder, part, builder.extract_value(value, k)))
                return context.make_tuple(builder, kind, values)
            if not isinstance(kind, types.Array):
                return value
            view = context.make_array(kind)(context, builder, value=value)
            view.meminfo = ir.Constant(view.meminfo.type, None)
            view.parent = ir.Constant(view.parent.type, None)
            return view._getvalue()

        def codegen(context, builder, signature, args):
            return copied(context, builder, signature.return_type, args[0])

        return tables(tables), codegen

    @kernel
    def ticks():
        """Return a count that grows with time, for measuring stages: processor cycles."""
        return _cycles()  # type: ignore[reportCallIssue]

    @inlined
    def borrowed(tables):
        """Return the same array, or record of arrays, without references to owners, for the duration of a call.

        Whoever calls has to hold them: `lifetimes`. Numba counts references, atomically, at every call that takes an
        array, even to functions that become a part of their caller; sixty times in a question about links, 0.1 µs.
        Arrays without an owner are not counted.
        """
        return _unowned(tables)  # type: ignore[reportCallIssue]
