"""Columns of eight doubles, collected from tables by number: the corners of eight pairs of features, side by side.

A row of a table of places is one vertex, x, y, z at time 0, then at time 1, in one line of the cache: eight rows are
loaded whole and turned into columns by shuffles. Written lane by lane into a table and loaded again, columns would wait
for each other. Like lanes they live inside kernels only, and every function has a twin on arrays for pure Python.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from tocsin._types import FloatArray, IntArray
from tocsin.compiler.emitting import Builder, Context, Word
from tocsin.simd.lanes import DOUBLES, Lanes, doubles

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


def _data(context: Context, builder: Builder, kind: types.Type, value: Word) -> tuple[Word, Word]:
    """Emit where an array starts, and the bytes from one row to the next."""
    array = context.make_array(kind)(context, builder, value=value)
    stride = builder.extract_value(array.strides, 0)
    return builder.ptrtoint(array.data, _INT64), stride


def _woven(builder: Builder, a: Word, b: Word, places: list[int]) -> Word:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_INT32, DOUBLES), places))


def _six_columns(builder: Builder, rows: Sequence[Word]) -> list[Word]:
    """Emit the first six columns of eight rows: pairs of rows interleaved, then pairs of pairs, then halves."""
    columns: list[Any] = [None] * DOUBLES
    for odd in (0, 1):
        first = [0, 8, 2, 10, 4, 12, 6, 14] if odd == 0 else [1, 9, 3, 11, 5, 13, 7, 15]
        pairs = [_woven(builder, rows[k], rows[k + 1], first) for k in range(0, DOUBLES, 2)]
        outer = [_woven(builder, pairs[k], pairs[k + 1], [0, 1, 8, 9, 4, 5, 12, 13]) for k in (0, 2)]
        inner = [_woven(builder, pairs[k], pairs[k + 1], [2, 3, 10, 11, 6, 7, 14, 15]) for k in (0, 2)]
        columns[odd] = _woven(builder, outer[0], outer[1], [0, 1, 2, 3, 8, 9, 10, 11])
        columns[odd + 2] = _woven(builder, inner[0], inner[1], [0, 1, 2, 3, 8, 9, 10, 11])
        columns[odd + 4] = _woven(builder, outer[0], outer[1], [4, 5, 6, 7, 12, 13, 14, 15])
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
