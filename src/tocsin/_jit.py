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
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

PURE_PYTHON: bool = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
"""True under NUMBA_DISABLE_JIT=1, where kernels run as plain Python."""


def kernel(function: F) -> F:
    """Compile `function` on first use and keep the result on disk."""
    return numba.njit(cache=True, nogil=True, error_model="numpy")(function)




if PURE_PYTHON:

    def ticks() -> int:
        """Return a count that grows with time, for measuring stages; nanoseconds here, processor cycles in kernels."""
        return time.perf_counter_ns()

else:

    @intrinsic
    def _cycles(typingctx):  # noqa: ANN001, ANN202
        """Read the processor's cycle counter."""
        signature = types.int64()

        def codegen(context, builder, signature, args):  # noqa: ANN001, ANN202
            counter = builder.module.declare_intrinsic("llvm.readcyclecounter", (), ir.FunctionType(ir.IntType(64), ()))
            return builder.call(counter, ())

        return signature, codegen

    @numba.njit(cache=True, nogil=True)
    def ticks():
        """Return a count that grows with time, for measuring stages: processor cycles."""
        return _cycles()
