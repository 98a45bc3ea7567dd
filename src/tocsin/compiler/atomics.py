"""Numbers that several threads write: added to, or lowered, in one step that nobody comes between.

Threads of ours run kernels without the interpreter's lock, so a kernel that takes the next piece of work, or tells the
others the best time so far, needs these. As plain Python they hold a lock.
"""

from collections.abc import Sequence
from threading import Lock

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from tocsin.compiler.emitting import Builder, Context, Signature, Word
from tocsin.compiler.jit import PURE_PYTHON

_INT64 = ir.IntType(64)
_LOCK = Lock()


def _place(context: Context, builder: Builder, sig: Signature, args: Sequence[Word]) -> Word:
    """Emit the address of entry args[1] of the array args[0], whose entries have 8 bytes, as that of a whole number."""
    array = context.make_array(sig.args[0])(context, builder, value=args[0])
    k = context.cast(builder, args[1], sig.args[1], types.int64)
    at = builder.add(builder.ptrtoint(array.data, _INT64), builder.shl(k, _INT64(3)))
    return builder.inttoptr(at, _INT64.as_pointer())


@intrinsic
def _fetch_add(typingctx, numbers, k, by):
    def codegen(context, builder, sig, args):
        by = context.cast(builder, args[2], sig.args[2], types.int64)
        return builder.atomic_rmw("add", _place(context, builder, sig, args), by, "seq_cst")

    return types.int64(numbers, k, by), codegen


def fetch_add(numbers: np.ndarray, k: int, by: int) -> int:
    """Add to numbers[k], of 64 bits; return what it was before."""
    with _LOCK:
        was = int(numbers[k])
        numbers[k] += by
    return was


@intrinsic
def _lower(typingctx, times, k, to):
    def codegen(context, builder, sig, args):
        bits = builder.bitcast(args[2], _INT64)
        builder.atomic_rmw("min", _place(context, builder, sig, args), bits, "seq_cst")
        return context.get_dummy_value()

    return types.void(times, k, types.float64), codegen


def lower(times: np.ndarray, k: int, to: float) -> None:
    """Lower times[k], a float of 64 bits that is not negative, to a value if that is smaller, and not negative either.

    Such floats are in the order of their bits, read as whole numbers.
    """
    with _LOCK:
        times[k] = min(times[k], to)


if not PURE_PYTHON:

    @overload(fetch_add)
    def _fetch_add_kernel(numbers, k, by):
        return lambda numbers, k, by: _fetch_add(numbers, k, by)  # type: ignore[reportCallIssue]

    @overload(lower)
    def _lower_kernel(times, k, to):
        return lambda times, k, to: _lower(times, k, to)  # type: ignore[reportCallIssue]
