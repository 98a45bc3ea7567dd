"""Signs of differences, kept in the sign bits of singles: which of eight intervals meet another, axis after axis.

A test of octets asks of each axis only on which side things are. So differences are not compared: their sign bits are
combined as they are, two instructions an axis where comparing and joining masks would be six. A difference of exactly
0 counts as not negative. Like lanes they live inside kernels only, and every function has a twin on arrays.
"""

from collections.abc import Sequence

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from tocsin.compiler.emitting import Builder, Word
from tocsin.simd.lanes import SINGLES, Lanes, singles

_WORDS = ir.VectorType(ir.IntType(32), SINGLES)

YES = np.float32(-1.0)
"""In every lane: so far all meet."""


def _words(builder: Builder, values: Sequence[Word]) -> list[Word]:
    return [builder.bitcast(value, _WORDS) for value in values]


@intrinsic
def _meet(typingctx, so_far, above, below):
    def codegen(context, builder, sig, args):
        so_far, above, below = _words(builder, args)
        both = builder.and_(above, builder.not_(below))
        return builder.bitcast(builder.and_(so_far, both), singles.vector)

    return singles(so_far, above, below), codegen


def meet(so_far: Lanes, above: Lanes, below: Lanes) -> Lanes:
    """Return `so_far` with its sign bit kept where `above` is negative and `below` is not, cleared elsewhere."""
    return np.where(np.signbit(so_far) & np.signbit(above) & ~np.signbit(below), YES, -YES)


@overload(meet)
def _meet_kernel(so_far, above, below):
    return lambda so_far, above, below: _meet(so_far, above, below)  # type: ignore[reportCallIssue]


@intrinsic
def _may_meet(typingctx, so_far, above, above_t, below, below_t):
    def codegen(context, builder, sig, args):
        so_far, above, above_t, below, below_t = _words(builder, args)
        kept = builder.and_(so_far, builder.or_(above, above_t))
        kept = builder.and_(kept, builder.not_(builder.and_(below, below_t)))
        return builder.bitcast(kept, singles.vector)

    return singles(so_far, above, above_t, below, below_t), codegen


def may_meet(so_far: Lanes, above: Lanes, above_t: Lanes, below: Lanes, below_t: Lanes) -> Lanes:
    """Return `so_far` with its sign bit kept where `above` is negative at one end or more, `below` not at both."""
    over = np.signbit(above) | np.signbit(above_t)
    under = np.signbit(below) & np.signbit(below_t)
    return np.where(np.signbit(so_far) & over & ~under, YES, -YES)


@overload(may_meet)
def _may_meet_kernel(so_far, above, above_t, below, below_t):
    def kernel(so_far, above, above_t, below, below_t):
        return _may_meet(so_far, above, above_t, below, below_t)  # type: ignore[reportCallIssue]

    return kernel


@intrinsic
def _negatives(typingctx, value):
    def codegen(context, builder, sig, args):
        negative = builder.icmp_signed("<", _words(builder, args)[0], ir.Constant(_WORDS, [0] * SINGLES))
        return builder.zext(builder.bitcast(negative, ir.IntType(SINGLES)), ir.IntType(64))

    return types.int64(value), codegen


def negatives(value: Lanes) -> int:
    """Return a number whose bit k is the sign bit of lane k."""
    return int(sum(1 << k for k in range(len(value)) if np.signbit(value[k])))


@overload(negatives)
def _negatives_kernel(value):
    return lambda value: _negatives(value)  # type: ignore[reportCallIssue]
