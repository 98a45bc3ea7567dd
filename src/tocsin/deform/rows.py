"""Rows of eight singles: what hierarchies of octets need beyond `_lanes`.

Stored into a table, gathered from the rows of eight vertices, compared for equality, and the smallest and the largest
of the eight. Like lanes they live inside kernels only, and every function has a twin on arrays for pure Python.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from tocsin._jit import kernel
from tocsin._lanes import SINGLES, MaskType, _define, _pairs, _vector_at, lane, select, singles

_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)

_define(operator.eq, MaskType, _pairs, lambda builder, a, b: builder.fcmp_ordered("==", a, b))


@intrinsic
def _store(typingctx, table, i, row, value):
    def codegen(context, builder, sig, args):
        builder.store(args[3], _address(context, builder, sig, args), align=4)
        return context.get_dummy_value()

    return types.void(table, i, row, value), codegen


def _address(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Emit the address of a row of a (n, rows, 8) table, of args: table, i, row."""
    loaded = _vector_at(context, builder, sig, args, singles.vector, 4)
    return loaded.operands[0]


def store_singles(table: Any, i: int, row: int, value: Any) -> None:
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


def spread_single(value: Any) -> Any:
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
        stride = cgutils.unpack_tuple(builder, array.strides, 3)[0]
        offset = builder.add(builder.mul(row, _INT64(4 * SINGLES)), builder.mul(lane, _INT64(4)))
        address = builder.add(builder.ptrtoint(array.data, _INT64), builder.add(builder.mul(i, stride), offset))
        return builder.load(builder.inttoptr(address, ir.FloatType().as_pointer()))

    return types.float32(table, i, row, lane), codegen


def lane_at(table: Any, i: int, row: int, lane: int) -> Any:
    """Return table[i, row, lane] of an (n, rows, 8) table in single precision, contiguous.

    Numba does not know that rows are eight long and computes where each of them starts: a third slower.
    """
    return table[i, row, lane]


@overload(lane_at)
def _lane_at_kernel(table, i, row, lane):
    return lambda table, i, row, lane: _lane_at(table, i, row, lane)  # type: ignore[reportCallIssue]


def _shuffled(builder: Any, a: Any, b: Any, places: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_INT32, SINGLES), places))


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Emit the eight columns of eight rows: pairs of rows interleaved, then pairs of pairs, then halves."""
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
            at = builder.add(base, builder.shl(place, _INT64(5)))
            loaded = builder.load(builder.inttoptr(at, singles.vector.as_pointer()))
            loaded.align = 4
            found.append(loaded)
        return context.make_tuple(builder, family, _transposed(builder, found))

    return family(table, seats, q, row), codegen


def gathered(table: Any, seats: Any, q: int, row: int) -> Any:
    """Return the eight columns of the eight rows of `table`, (n, 8) in single precision, that seats[q, row] names."""
    return tuple(table[seats[q, row]].T)


@overload(gathered)
def _gathered_kernel(table, seats, q, row):
    return lambda table, seats, q, row: _gathered(table, seats, q, row)  # type: ignore[reportCallIssue]


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
