"""Points of a table, four at a time: a row of three numbers each in memory, lanes of x, y and z in registers."""

import math

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from tocsin.compiler.jit import kernel
from tocsin.simd.lanes import WIDTH, Lanes, lane, lanes, select

_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)

_PLACES = tuple(tuple(3 * k + c for k in range(WIDTH)) for c in range(3))
"""Where the four x, y and z are among the twelve numbers of four points."""


@intrinsic
def _load_points(typingctx, points, k):
    """Load twelve numbers from row k on, and sort them into x, y and z."""
    if points.layout != "C":
        return None  # no such call: points that are loaded four at a time lie in one piece, row by row

    def codegen(context, builder, sig, args):
        array = context.make_array(sig.args[0])(context, builder, value=args[0])
        row = context.cast(builder, args[1], sig.args[1], types.int64)
        whole = ir.VectorType(ir.DoubleType(), 3 * WIDTH)
        address = builder.add(builder.ptrtoint(array.data, _INT64), builder.mul(row, _INT64(24)))
        twelve = builder.load(builder.inttoptr(address, whole.as_pointer()))
        twelve.align = 8
        nothing = ir.Constant(whole, ir.Undefined)
        parts = [
            builder.shuffle_vector(twelve, nothing, ir.Constant(ir.VectorType(_INT32, WIDTH), list(place)))
            for place in _PLACES
        ]
        return context.make_tuple(builder, sig.return_type, parts)

    return types.UniTuple(lanes, 3)(points, k), codegen


def load_points(points: np.ndarray, k: int) -> tuple[Lanes, Lanes, Lanes]:
    """Return (x, y, z) of the points k to k + 3 of a contiguous (n, 3) table in double precision, as lanes."""
    four = np.asarray(points[k : k + WIDTH])
    return four[:, 0].copy(), four[:, 1].copy(), four[:, 2].copy()


@overload(load_points)
def _load_points_kernel(points, k):
    return lambda points, k: _load_points(points, k)  # type: ignore[reportCallIssue]


@kernel
def farthest_point(points, first, count, n):
    """Return which of `count` points, from `first` on, is farthest along n: the first of equals.

    Four at a time from eight on, a third of the time. The products are those of one at a time, so is their order: a
    lane keeps the first of its own that is best, the last four may be among them twice, and of the lanes that are as
    good the one whose point comes first is taken.
    """
    best, k = -math.inf, first
    if count < 2 * WIDTH:
        for i in range(first, first + count):
            s = points[i, 0] * n[0] + points[i, 1] * n[1] + points[i, 2] * n[2]
            if s > best:
                best, k = s, i
        return k
    last = first + count - WIDTH
    x, y, z = load_points(points, first)
    s = x * n[0] + y * n[1] + z * n[2]
    better = s > -math.inf
    far = select(better, s, -math.inf)
    place = select(better, np.float64(first), np.float64(first))
    for i in range(first + WIDTH, last + WIDTH, WIDTH):
        at = min(i, last)
        x, y, z = load_points(points, at)
        s = x * n[0] + y * n[1] + z * n[2]
        better = s > far
        far = select(better, s, far)
        place = select(better, np.float64(at), place)
    for j in range(WIDTH):
        s, i = lane(far, j), int(lane(place, j)) + j
        if s > best or (s == best and i < k):
            best, k = s, i
    return k
