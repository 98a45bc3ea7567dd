"""Columns of eight doubles, collected from tables by number: the corners of eight pairs of features, side by side.

Written lane by lane into a table and loaded again, they would wait for each other. Like lanes they live inside kernels
only, and every function has a twin on arrays for pure Python.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from tocsin._lanes import DOUBLES, doubles

_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)


def _number(builder: Any, base: Any, at: Any) -> Any:
    """Emit the load of a number, 32 bits, at an offset in bytes."""
    place = builder.inttoptr(builder.add(base, at), _INT32.as_pointer())
    return builder.sext(builder.load(place), _INT64)


def _data(context: Any, builder: Any, kind: Any, value: Any) -> tuple[Any, Any]:
    """Emit where an array starts, and the bytes from one row to the next."""
    array = context.make_array(kind)(context, builder, value=value)
    stride = cgutils.unpack_tuple(builder, array.strides, kind.ndim)[0]
    return builder.ptrtoint(array.data, _INT64), stride


def _columns(context: Any, builder: Any, rows: list[Any], count: int) -> list[Any]:
    """Emit columns of doubles from the addresses of eight rows."""
    columns = [ir.Constant(doubles.vector, ir.Undefined)] * count
    for k, row in enumerate(rows):
        for c in range(count):
            place = builder.inttoptr(builder.add(row, _INT64(8 * c)), ir.DoubleType().as_pointer())
            columns[c] = builder.insert_element(columns[c], builder.load(place), ir.Constant(_INT32, k))
    return columns


@intrinsic
def _corner(typingctx, table, points, queue, first, c):
    family = types.UniTuple(doubles, 3)

    def codegen(context, builder, sig, args):
        base, stride = _data(context, builder, sig.args[0], args[0])
        numbers, wide = _data(context, builder, sig.args[1], args[1])
        waiting, _ = _data(context, builder, sig.args[2], args[2])
        first, c = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (3, 4))
        rows = []
        for k in range(DOUBLES):
            pair = _number(builder, waiting, builder.mul(builder.add(first, _INT64(k)), _INT64(4)))
            vertex = _number(builder, numbers, builder.add(builder.mul(pair, wide), builder.mul(c, _INT64(4))))
            rows.append(builder.add(base, builder.mul(vertex, stride)))
        return context.make_tuple(builder, family, _columns(context, builder, rows, 3))

    return family(table, points, queue, first, c), codegen


def corner(table: Any, points: Any, queue: Any, first: int, c: int) -> Any:
    """Return the rows of `table`, (n, 3), that points[p, c] names, p = queue[first] and the seven after it: x, y, z."""
    return tuple(table[points[queue[first : first + DOUBLES], c]].T)


@overload(corner)
def _corner_kernel(table, points, queue, first, c):
    return lambda table, points, queue, first, c: _corner(table, points, queue, first, c)  # type: ignore[reportCallIssue]


@intrinsic
def _entry(typingctx, table, queue, first, each):
    def codegen(context, builder, sig, args):
        base, stride = _data(context, builder, sig.args[0], args[0])
        waiting, _ = _data(context, builder, sig.args[1], args[1])
        first, each = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (2, 3))
        rows = []
        for k in range(DOUBLES):
            pair = _number(builder, waiting, builder.mul(builder.add(first, _INT64(k)), _INT64(4)))
            rows.append(builder.add(base, builder.mul(builder.mul(pair, each), stride)))
        return _columns(context, builder, rows, 1)[0]

    return doubles(table, queue, first, each), codegen


def entry(table: Any, queue: Any, first: int, each: int) -> Any:
    """Return the first number of table[p * each], p = queue[first] and the seven after it."""
    rows = table[each * queue[first : first + DOUBLES]]
    return rows if rows.dtype.names is None else rows[rows.dtype.names[0]]


@overload(entry)
def _entry_kernel(table, queue, first, each):
    return lambda table, queue, first, each: _entry(table, queue, first, each)  # type: ignore[reportCallIssue]
