"""Rows of tables, gathered by number and turned into columns: the coordinates of eight vertices side by side.

A row holds one vertex, x, y, z at time 0, then at time 1: eight doubles in one line of the cache, or eight singles.
Eight rows are loaded whole and transposed by shuffles. Written lane by lane into a table and loaded again, the columns
would wait for each other, longer than the tests take that need them. Like lanes they live inside kernels only, and
every function has a twin on arrays for plain Python.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from tocsin._types import FloatArray, IntArray, SingleRows
from tocsin.compiler.emitting import Builder, Context, Word
from tocsin.simd.lanes import DOUBLES, SINGLES, Lanes, _vector_at, doubles, singles
from tocsin.simd.singles import _shuffled

_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)

PLACE = 8
"""Numbers in a row of places: three coordinates at time 0, three at time 1, and two spares."""


def make_places(n: int) -> np.ndarray:
    """Return room for the places of n vertices, (n, PLACE), each row in one line of the cache."""
    room = np.zeros(PLACE * (n + 1))
    skip = -room.ctypes.data % 64 // 8
    return room[skip : skip + PLACE * n].reshape(n, PLACE)


def _number(builder: Builder, base: Word, at: Word) -> Word:
    """Emit the load of a number, 32 bits, at an offset in bytes."""
    place = builder.inttoptr(builder.add(base, at), _INT32.as_pointer())
    return builder.sext(builder.load(place), _INT64)


def _row(builder: Builder, base: Word, place: Word) -> Word:
    """Emit the load of row `place` of a table of rows of eight singles."""
    at = builder.add(base, builder.shl(place, _INT64(5)))
    loaded = builder.load(builder.inttoptr(at, singles.vector.as_pointer()))
    loaded.align = 4
    return loaded


def _data(context: Context, builder: Builder, kind: types.Type, value: Word) -> tuple[Word, Word]:
    """Emit where an array starts, and the bytes from one row to the next."""
    array = context.make_array(kind)(context, builder, value=value)
    stride = builder.extract_value(array.strides, 0)
    return builder.ptrtoint(array.data, _INT64), stride


def _six_columns(builder: Builder, rows: Sequence[Word]) -> list[Word]:
    """Emit the first six columns of eight rows: pairs of rows interleaved, then pairs of pairs, then halves."""
    columns: list[Any] = [None] * DOUBLES
    for odd in (0, 1):
        first = [0, 8, 2, 10, 4, 12, 6, 14] if odd == 0 else [1, 9, 3, 11, 5, 13, 7, 15]
        pairs = [_shuffled(builder, rows[k], rows[k + 1], first) for k in range(0, DOUBLES, 2)]
        outer = [_shuffled(builder, pairs[k], pairs[k + 1], [0, 1, 8, 9, 4, 5, 12, 13]) for k in (0, 2)]
        inner = [_shuffled(builder, pairs[k], pairs[k + 1], [2, 3, 10, 11, 6, 7, 14, 15]) for k in (0, 2)]
        columns[odd] = _shuffled(builder, outer[0], outer[1], [0, 1, 2, 3, 8, 9, 10, 11])
        columns[odd + 2] = _shuffled(builder, inner[0], inner[1], [0, 1, 2, 3, 8, 9, 10, 11])
        columns[odd + 4] = _shuffled(builder, outer[0], outer[1], [4, 5, 6, 7, 12, 13, 14, 15])
    return columns[:6]


@intrinsic
def _corner(typingctx, table, points, queue, first, c):
    ends = types.UniTuple(doubles, 3)
    family = types.UniTuple(ends, 2)

    def codegen(context, builder, sig, args):
        base, _ = _data(context, builder, sig.args[0], args[0])
        numbers, wide = _data(context, builder, sig.args[1], args[1])
        waiting, _ = _data(context, builder, sig.args[2], args[2])
        first, c = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (3, 4))
        rows = []
        for k in range(DOUBLES):
            pair = _number(builder, waiting, builder.mul(builder.add(first, _INT64(k)), _INT64(4)))
            vertex = _number(builder, numbers, builder.add(builder.mul(pair, wide), builder.mul(c, _INT64(4))))
            at = builder.add(base, builder.mul(vertex, _INT64(8 * PLACE)))
            row = builder.load(builder.inttoptr(at, doubles.vector.as_pointer()))
            row.align = 8
            rows.append(row)
        x = _six_columns(builder, rows)
        both = [context.make_tuple(builder, ends, x[:3]), context.make_tuple(builder, ends, x[3:])]
        return context.make_tuple(builder, family, both)

    return family(table, points, queue, first, c), codegen


def corner(
    table: FloatArray, points: IntArray, queue: IntArray, first: int, c: int
) -> tuple[tuple[Lanes, ...], tuple[Lanes, ...]]:
    """Return the places that points[p, c] names in `table`, p = queue[first] and the seven after it.

    ((x, y, z) at time 0, (x, y, z) at time 1), each of them a column of eight.
    """
    rows = table[points[queue[first : first + DOUBLES], c]].T
    return tuple(rows[:3]), tuple(rows[3:6])


@overload(corner)
def _corner_kernel(table, points, queue, first, c):
    return lambda table, points, queue, first, c: _corner(table, points, queue, first, c)  # type: ignore[reportCallIssue]


@intrinsic
def _entry(typingctx, table, queue, first, each):
    def codegen(context, builder, sig, args):
        base, stride = _data(context, builder, sig.args[0], args[0])
        waiting, _ = _data(context, builder, sig.args[1], args[1])
        first, each = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (2, 3))
        column = ir.Constant(doubles.vector, ir.Undefined)
        for k in range(DOUBLES):
            pair = _number(builder, waiting, builder.mul(builder.add(first, _INT64(k)), _INT64(4)))
            row = builder.add(base, builder.mul(builder.mul(pair, each), stride))
            value = builder.load(builder.inttoptr(row, ir.DoubleType().as_pointer()))
            column = builder.insert_element(column, value, ir.Constant(_INT32, k))
        return column

    return doubles(table, queue, first, each), codegen


def entry(table: np.ndarray, queue: IntArray, first: int, each: int) -> Lanes:
    """Return the first number of table[p * each], p = queue[first] and the seven after it."""
    rows = table[each * queue[first : first + DOUBLES]]
    return rows if rows.dtype.names is None else rows[rows.dtype.names[0]]


@overload(entry)
def _entry_kernel(table, queue, first, each):
    return lambda table, queue, first, each: _entry(table, queue, first, each)  # type: ignore[reportCallIssue]


def _transposed(builder: Builder, rows: Sequence[Word]) -> list[Word]:
    """Emit all eight columns of eight rows, of singles: pairs of rows interleaved, then pairs of pairs, then halves."""
    pairs = []
    for k in range(0, 8, 2):
        pairs.append(_shuffled(builder, rows[k], rows[k + 1], [0, 8, 1, 9, 4, 12, 5, 13]))
        pairs.append(_shuffled(builder, rows[k], rows[k + 1], [2, 10, 3, 11, 6, 14, 7, 15]))
    fours = []
    for k in (0, 4):
        for half in (0, 1):
            fours.append(_shuffled(builder, pairs[k + half], pairs[k + half + 2], [0, 1, 8, 9, 4, 5, 12, 13]))
            fours.append(_shuffled(builder, pairs[k + half], pairs[k + half + 2], [2, 3, 10, 11, 6, 7, 14, 15]))
    low = [_shuffled(builder, fours[c], fours[c + 4], [0, 1, 2, 3, 8, 9, 10, 11]) for c in range(4)]
    high = [_shuffled(builder, fours[c], fours[c + 4], [4, 5, 6, 7, 12, 13, 14, 15]) for c in range(4)]
    return low + high


@intrinsic
def _gathered(typingctx, table, seats, q, row):
    family = types.UniTuple(singles, SINGLES)

    def codegen(context, builder, sig, args):
        rows_of = context.make_array(sig.args[0])(context, builder, value=args[0])
        signature = types.void(sig.args[1], sig.args[2], sig.args[3])
        numbers = _vector_at(context, builder, signature, args[1:], ir.VectorType(_INT32, SINGLES), 4)
        base = builder.ptrtoint(rows_of.data, _INT64)
        found = []
        for k in range(SINGLES):
            place = builder.zext(builder.extract_element(numbers, ir.Constant(_INT32, k)), _INT64)
            found.append(_row(builder, base, place))
        return context.make_tuple(builder, family, _transposed(builder, found))

    return family(table, seats, q, row), codegen


def gathered(table: SingleRows, seats: IntArray, q: int, row: int) -> tuple[Lanes, ...]:
    """Return the eight columns of the eight rows of `table`, (n, 8) in single precision, that seats[q, row] names."""
    return tuple(table[seats[q, row]].T)


@overload(gathered)
def _gathered_kernel(table, seats, q, row):
    return lambda table, seats, q, row: _gathered(table, seats, q, row)  # type: ignore[reportCallIssue]


@intrinsic
def _picked(typingctx, table, points, first, c):
    family = types.UniTuple(singles, SINGLES)

    def codegen(context, builder, sig, args):
        tables = [context.make_array(sig.args[k])(context, builder, value=args[k]) for k in (0, 1)]
        first, c = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (2, 3))
        stride = builder.extract_value(tables[1].strides, 0)
        offset = builder.add(builder.mul(first, stride), builder.shl(c, _INT64(2)))
        number = builder.add(builder.ptrtoint(tables[1].data, _INT64), offset)
        base = builder.ptrtoint(tables[0].data, _INT64)
        found = []
        for k in range(SINGLES):
            at = builder.inttoptr(builder.add(number, builder.mul(stride, _INT64(k))), _INT32.as_pointer())
            found.append(_row(builder, base, builder.zext(builder.load(at), _INT64)))
        return context.make_tuple(builder, family, _transposed(builder, found))

    return family(table, points, first, c), codegen


def picked(table: SingleRows, points: IntArray, first: int, c: int) -> tuple[Lanes, ...]:
    """Return the eight columns of those rows of `table`, (n, 8) in single precision, that points[first + k, c] name."""
    return tuple(table[points[first : first + SINGLES, c]].T)


@overload(picked)
def _picked_kernel(table, points, first, c):
    return lambda table, points, first, c: _picked(table, points, first, c)  # type: ignore[reportCallIssue]


@intrinsic
def _listed(typingctx, table, corners, pairs, p, side, c):
    family = types.UniTuple(singles, SINGLES)

    def codegen(context, builder, sig, args):
        tables = [context.make_array(sig.args[k])(context, builder, value=args[k]) for k in range(3)]
        base, numbers, rows = (builder.ptrtoint(found.data, _INT64) for found in tables)
        wide, long = (builder.extract_value(found.strides, 0) for found in tables[1:])
        p, side, c = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (3, 4, 5))
        first = builder.add(rows, builder.add(builder.mul(p, long), builder.shl(side, _INT64(2))))
        offset = builder.shl(c, _INT64(2))
        found = []
        for k in range(SINGLES):
            at = builder.inttoptr(builder.add(first, builder.mul(long, _INT64(k))), _INT32.as_pointer())
            element = builder.sext(builder.load(at), _INT64)
            seat = builder.add(numbers, builder.add(builder.mul(element, wide), offset))
            vertex = builder.sext(builder.load(builder.inttoptr(seat, _INT32.as_pointer())), _INT64)
            found.append(_row(builder, base, vertex))
        return context.make_tuple(builder, family, _transposed(builder, found))

    return family(table, corners, pairs, p, side, c), codegen


def listed_corner(
    table: SingleRows, corners: IntArray, pairs: IntArray, p: int, side: int, c: int
) -> tuple[Lanes, ...]:
    """Return the columns of `table`, (n, 8) in single precision, of corner c of eight elements.

    They are on one `side` of the pairs, (n, .), from row p on; `corners` (m, 3) are theirs.
    """
    return tuple(table[corners[pairs[p : p + SINGLES, side], c]].T)


@overload(listed_corner)
def _listed_kernel(table, corners, pairs, p, side, c):
    return lambda table, corners, pairs, p, side, c: _listed(table, corners, pairs, p, side, c)  # type: ignore[reportCallIssue]
