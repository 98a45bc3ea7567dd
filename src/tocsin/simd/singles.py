"""Eight singles in a register: what hierarchies eight wide need beyond `lanes`.

They are stored into a table and read from one row, compared for equality, reduced to the smallest and the largest of
the eight, and shuffled so that the places of two vertices lie side by side. `gathers` fills them from many rows. Like
lanes they live inside kernels only, and every function has a twin on arrays for plain Python.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from tocsin._types import IntArray, SingleRows, SingleTable
from tocsin.compiler.emitting import Builder, Context, Signature, Word
from tocsin.compiler.jit import kernel
from tocsin.simd.lanes import SINGLES, Lanes, MaskType, _define, _pairs, _vector_at, _wide, lane, select, singles

_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)

_define(operator.eq, MaskType, _pairs, lambda builder, a, b: builder.fcmp_ordered("==", a, b))


@intrinsic
def _store(typingctx, table, i, row, value):
    def codegen(context, builder, sig, args):
        builder.store(args[3], _address(context, builder, sig, args), align=4)
        return context.get_dummy_value()

    return types.void(table, i, row, value), codegen


def _address(context: Context, builder: Builder, sig: Signature, args: Sequence[Word]) -> Word:
    """Emit the address of a row of a (n, rows, 8) table, of args: table, i, row."""
    loaded = _vector_at(context, builder, sig, args, singles.vector, 4)
    return loaded.operands[0]


def store_singles(table: SingleTable, i: int, row: int, value: Lanes) -> None:
    """Write singles into table[i, row] of an (n, rows, 8) table in single precision, contiguous."""
    table[i, row] = value


@overload(store_singles)
def _store_kernel(table, i, row, value):
    return lambda table, i, row, value: _store(table, i, row, value)  # type: ignore[reportCallIssue]


@intrinsic
def _spread(typingctx, value):
    def codegen(context, builder, sig, args):
        nothing = ir.Constant(singles.vector, ir.Undefined)
        first = builder.insert_element(nothing, args[0], ir.Constant(_INT32, 0))
        return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(_INT32, SINGLES), [0] * SINGLES))

    return singles(types.float32), codegen


def spread_single(value: float | np.float32) -> Lanes:
    """Return a number of single precision in every lane."""
    return np.full(SINGLES, value, np.float32)


@overload(spread_single)
def _spread_kernel(value):
    return lambda value: _spread(np.float32(value))  # type: ignore[reportCallIssue]


@intrinsic
def _lane_at(typingctx, table, i, row, lane):
    def codegen(context, builder, sig, args):
        array = context.make_array(sig.args[0])(context, builder, value=args[0])
        i, row, lane = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (1, 2, 3))
        stride = builder.extract_value(array.strides, 0)
        offset = builder.add(builder.mul(row, _INT64(4 * SINGLES)), builder.mul(lane, _INT64(4)))
        address = builder.add(builder.ptrtoint(array.data, _INT64), builder.add(builder.mul(i, stride), offset))
        return builder.load(builder.inttoptr(address, ir.FloatType().as_pointer()))

    return types.float32(table, i, row, lane), codegen


def lane_at(table: SingleTable, i: int, row: int, lane: int) -> np.float32:
    """Return table[i, row, lane] of an (n, rows, 8) table in single precision, contiguous.

    Numba does not know that rows are eight long and computes where each of them starts: a third slower.
    """
    return table[i, row, lane]


@overload(lane_at)
def _lane_at_kernel(table, i, row, lane):
    return lambda table, i, row, lane: _lane_at(table, i, row, lane)  # type: ignore[reportCallIssue]


def _shuffled(builder: Builder, a: Word, b: Word, places: list[int]) -> Word:
    """Emit the numbers of two registers, one after the other, at these places."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_INT32, len(places)), places))


def _row_address(context: Context, builder: Builder, sig: Signature, args: Sequence[Word]) -> Word:
    """Emit the address of a row of an (n, 8) table in single precision, of args: table, row."""
    array = context.make_array(sig.args[0])(context, builder, value=args[0])
    place = context.cast(builder, args[1], sig.args[1], types.int64)
    return builder.add(builder.ptrtoint(array.data, _INT64), builder.shl(place, _INT64(5)))


@intrinsic
def _row_of(typingctx, table, v):
    def codegen(context, builder, sig, args):
        at = _row_address(context, builder, sig, args)
        loaded = builder.load(builder.inttoptr(at, singles.vector.as_pointer()))
        loaded.align = 4
        return loaded

    return singles(table, v), codegen


def row_of(table: SingleRows, v: int) -> Lanes:
    """Return row v of an (n, 8) table in single precision, contiguous."""
    return table[v]


@overload(row_of)
def _row_of_kernel(table, v):
    return lambda table, v: _row_of(table, v)  # type: ignore[reportCallIssue]


@intrinsic
def _single_at(typingctx, table, v, k):
    def codegen(context, builder, sig, args):
        k = context.cast(builder, args[2], sig.args[2], types.int64)
        at = builder.add(_row_address(context, builder, sig, args), builder.shl(k, _INT64(2)))
        return builder.load(builder.inttoptr(at, ir.FloatType().as_pointer()))

    return types.float32(table, v, k), codegen


def single_at(table: SingleRows, v: int, k: int) -> np.float32:
    """Return number k of row v of an (n, 8) table in single precision, contiguous."""
    return table[v, k]


@overload(single_at)
def _single_at_kernel(table, v, k):
    return lambda table, v, k: _single_at(table, v, k)  # type: ignore[reportCallIssue]


@intrinsic
def _both_ends(typingctx, a, b):
    family = types.UniTuple(singles, 3)

    def codegen(context, builder, sig, args):
        out = [
            _shuffled(builder, args[0], args[1], [k, k + 3, k, k + 3, k + 8, k + 11, k + 8, k + 11]) for k in range(3)
        ]
        return context.make_tuple(builder, family, out)

    return family(a, b), codegen


def both_ends(a: Lanes, b: Lanes) -> tuple[Lanes, ...]:
    """Return (x, y, z) of two rows of places, in the lanes: a at 0, a at 1, the same again, then b likewise."""
    return tuple(np.array([a[k], a[k + 3], a[k], a[k + 3], b[k], b[k + 3], b[k], b[k + 3]]) for k in range(3))


@overload(both_ends)
def _both_ends_kernel(a, b):
    return lambda a, b: _both_ends(a, b)  # type: ignore[reportCallIssue]


@intrinsic
def _summed(typingctx, v):
    def codegen(context, builder, sig, args):
        beside = _shuffled(builder, args[0], args[0], [1, 0, 3, 2, 5, 4, 7, 6])
        return _shuffled(builder, args[0], builder.fadd(args[0], beside), [0, 1, 10, 3, 4, 5, 14, 7])

    return singles(v), codegen


def summed(v: Lanes) -> Lanes:
    """Return the same with lanes 2 and 6 replaced by the sum of them and the lane after."""
    return np.array([v[0], v[1], v[2] + v[3], v[3], v[4], v[5], v[6] + v[7], v[7]])


@overload(summed)
def _summed_kernel(v):
    return lambda v: _summed(v)  # type: ignore[reportCallIssue]


@intrinsic
def _seated(typingctx, v, row):
    family = types.UniTuple(singles, 3)

    def codegen(context, builder, sig, args):
        parts = [builder.extract_value(args[0], k) for k in range(3)]
        out = [_shuffled(builder, parts[k], args[1], [0, 1, 2, 8 + k, 4, 5, 6, 11 + k]) for k in range(3)]
        return context.make_tuple(builder, family, out)

    return family(family, row), codegen


def seated(v: Sequence[Lanes], row: Lanes) -> tuple[Lanes, ...]:
    """Return (x, y, z) with those of a row of places, at 0 and at 1, in lanes 3 and 7."""
    return tuple(np.array([*v[k][:3], row[k], *v[k][4:7], row[k + 3]]) for k in range(3))


@overload(seated)
def _seated_kernel(v, row):
    return lambda v, row: _seated(v, row)  # type: ignore[reportCallIssue]


@intrinsic
def _until(typingctx, row, done, limit):
    def codegen(context, builder, sig, args):
        row, done, limit = (args[0], *(_wide(builder, singles, singles.scalar, x) for x in args[1:]))
        start = _shuffled(builder, row, row, [0, 1, 2, 0, 1, 2, 6, 7])
        end = builder.fadd(builder.fmul(start, done), builder.fmul(row, limit))
        return _shuffled(builder, row, end, [0, 1, 2, 11, 12, 13, 6, 7])

    return singles(row, types.float32, types.float32), codegen


def until(row: Lanes, done: float, limit: float) -> Lanes:
    """Return a row of places with those at the limit in the place of those at 1."""
    return np.array([*row[:3], *(row[:3] * done + row[3:6] * limit), *row[6:]])


@overload(until)
def _until_kernel(row, done, limit):
    return lambda row, done, limit: _until(row, done, limit)  # type: ignore[reportCallIssue]


def _putting(width: int) -> Callable[..., None]:
    """Return what writes `width` whole numbers of a table's row, with one added to them."""

    @intrinsic
    def put(typingctx, table, i, base, out, n):
        def codegen(context, builder, sig, args):
            vector = ir.VectorType(_INT32, width)
            both = []
            for k, size in ((0, 4 * width), (3, 4)):
                array = context.make_array(sig.args[k])(context, builder, value=args[k])
                place = context.cast(builder, args[k + 1], sig.args[k + 1], types.int64)
                at = builder.add(builder.ptrtoint(array.data, _INT64), builder.mul(place, _INT64(size)))
                both.append(builder.inttoptr(at, vector.as_pointer()))
            numbers = builder.load(both[0])
            numbers.align = 4
            more = context.cast(builder, args[2], sig.args[2], types.int32)
            nothing = ir.Constant(vector, ir.Undefined)
            first = builder.insert_element(nothing, more, ir.Constant(_INT32, 0))
            wide = builder.shuffle_vector(first, nothing, ir.Constant(vector, [0] * width))
            builder.store(builder.add(numbers, wide), both[1], align=4)
            return context.get_dummy_value()

        return types.void(table, i, base, out, n), codegen

    return put


_put_four, _put_sixteen = _putting(4), _putting(16)


def put_four(table: IntArray, i: int, base: int, out: IntArray, n: Any) -> None:
    """Write row i of a table of four whole numbers, with `base` added, into `out` from n on."""
    out[n : n + 4] = table[i] + base


@overload(put_four)
def _put_four_kernel(table, i, base, out, n):
    return lambda table, i, base, out, n: _put_four(table, i, base, out, n)  # type: ignore[reportCallIssue]


def put_sixteen(table: IntArray, i: Any, base: int, out: IntArray, n: Any) -> None:
    """Write row i of a table of sixteen whole numbers, with `base` added, into `out` from n on."""
    out[n : n + 16] = table[i] + base


@overload(put_sixteen)
def _put_sixteen_kernel(table, i, base, out, n):
    return lambda table, i, base, out, n: _put_sixteen(table, i, base, out, n)  # type: ignore[reportCallIssue]


@intrinsic
def _trailing(typingctx, word):
    def codegen(context, builder, sig, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


def trailing(word: int) -> int:
    """Return the number of the lowest bit that is set, of a word that is not 0."""
    return (int(word) & -int(word)).bit_length() - 1


@overload(trailing)
def _trailing_kernel(word):
    return lambda word: _trailing(np.int64(word))  # type: ignore[reportCallIssue]


def _reducing(comparison: str) -> Callable[..., Lanes]:
    """Return what takes the extreme of the eight lanes of a row of each of eight tables that follow each other.

    Neighbours are compared, then pairs of them, then halves: rows of two tables go side by side into one register.
    """
    steps = (
        ([0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15]),
        ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]),
        ([0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]),
    )

    @intrinsic
    def extreme(typingctx, table, i, row):
        def codegen(context, builder, sig, args):
            rows = []
            for k in range(SINGLES):
                place = builder.add(context.cast(builder, args[1], sig.args[1], types.int64), _INT64(k))
                signature = types.void(sig.args[0], types.int64, sig.args[2])
                rows.append(_vector_at(context, builder, signature, (args[0], place, args[2]), singles.vector, 4))
            for one, other in steps:
                halves = [(rows[k], rows[k + 1]) for k in range(0, len(rows), 2)]
                both = [(_shuffled(builder, a, b, one), _shuffled(builder, a, b, other)) for a, b in halves]
                rows = [builder.select(builder.fcmp_ordered(comparison, a, b), a, b) for a, b in both]
            return rows[0]

        return singles(table, i, row), codegen

    return extreme


_lowest_of_eight, _highest_of_eight = _reducing("<"), _reducing(">")


def lowest_of_eight(table: SingleTable, i: int, row: int) -> Lanes:
    """Return the smallest of table[i, row], of table[i + 1, row] and so on, of eight; an (n, rows, 8) table."""
    return table[i : i + SINGLES, row].min(axis=1)


@overload(lowest_of_eight)
def _lowest_of_eight_kernel(table, i, row):
    return lambda table, i, row: _lowest_of_eight(table, i, row)  # type: ignore[reportCallIssue]


def highest_of_eight(table: SingleTable, i: int, row: int) -> Lanes:
    """Return the largest of table[i, row], of table[i + 1, row] and so on, of eight; an (n, rows, 8) table."""
    return table[i : i + SINGLES, row].max(axis=1)


@overload(highest_of_eight)
def _highest_of_eight_kernel(table, i, row):
    return lambda table, i, row: _highest_of_eight(table, i, row)  # type: ignore[reportCallIssue]


@kernel
def lesser(a, b):
    """Return the smaller one in every lane."""
    return select(a < b, a, b)


@kernel
def greater(a, b):
    """Return the larger one in every lane."""
    return select(a > b, a, b)


@kernel
def lowest(v):
    """Return the smallest of eight."""
    a = min(min(lane(v, 0), lane(v, 1)), min(lane(v, 2), lane(v, 3)))
    b = min(min(lane(v, 4), lane(v, 5)), min(lane(v, 6), lane(v, 7)))
    return min(a, b)


@kernel
def highest(v):
    """Return the largest of eight."""
    a = max(max(lane(v, 0), lane(v, 1)), max(lane(v, 2), lane(v, 3)))
    b = max(max(lane(v, 4), lane(v, 5)), max(lane(v, 6), lane(v, 7)))
    return max(a, b)
