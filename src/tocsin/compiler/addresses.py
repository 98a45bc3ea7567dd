"""Many arrays as one argument: a table of where they are and how long.

A call from Python unpacks every array that it is given, 0.1 µs each, and a scene has thirty: a tenth of a short
question. Their addresses stay the same from one question to the next, so they are written down once. The table keeps
its arrays alive, and kernels see them as if they had been passed, without owners (see `jit.borrowed`).
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from tocsin.compiler.jit import PURE_PYTHON, lending

WIDTH = 5
"""Entries of a row: the address, and up to four lengths."""


class _Rows(bytearray):
    """The memory of a table, which goes when the last view of it does, and its arrays with it."""

    arrays: tuple[np.ndarray, ...]


def table_of(arrays: Sequence[np.ndarray], like: Any = None, but: Iterable[int] | None = None) -> Any:
    """Return the table of the arrays; as plain Python, where nothing is unpacked, the arrays themselves.

    `like` is a table of the same arrays, `but` for those at these places: a row takes 0.7 µs.
    """
    if PURE_PYTHON:
        return tuple(arrays)
    memory = _Rows(8 * WIDTH * len(arrays) if like is None else like.tobytes())
    memory.arrays = tuple(arrays)
    rows = memoryview(memory).cast("q")
    for k in range(len(arrays)) if but is None else but:
        array = arrays[k]
        assert array.flags.carray, "kernels write these arrays, and read them row by row without gaps"
        rows[WIDTH * k] = array.__array_interface__["data"][0]
        for axis, length in enumerate(array.shape):
            rows[WIDTH * k + 1 + axis] = length
    return np.frombuffer(memory, np.int64).reshape(len(arrays), WIDTH)


def unowned_array(context: Any, builder: Any, kind: Any, start: Any, shape: Any, strides: Any, item: Any) -> Any:
    """Emit the descriptor of an array in memory that somebody else holds, from an address or a pointer on.

    `kind` is its type, `item` the size of a number.
    """
    view = context.make_array(kind)(context, builder)
    count = ir.Constant(ir.IntType(64), 1)
    for length in shape:
        count = builder.mul(count, length, flags=["nsw"])
    view.data = start if isinstance(start.type, ir.PointerType) else builder.inttoptr(start, view.data.type)
    view.shape = _packed(builder, shape)
    view.strides = _packed(builder, strides)
    view.nitems = count
    view.itemsize = item
    view.meminfo = ir.Constant(view.meminfo.type, None)
    view.parent = ir.Constant(view.parent.type, None)
    return view._getvalue()


def _packed(builder: Any, values: Any) -> Any:
    out = ir.Constant(ir.ArrayType(values[0].type, len(values)), ir.Undefined)
    for k, value in enumerate(values):
        out = builder.insert_value(out, value, k)
    return out


if PURE_PYTHON:

    def array_at(table: Any, k: int, dtype: Any, ndim: int) -> Any:  # type: ignore[reportRedeclaration]
        """Return array k of a table."""
        assert (table[k].dtype, table[k].ndim) == (dtype, ndim)
        return table[k]

else:

    def _array_at(typingctx, table, k, dtype, ndim):
        """Return array k of a table: of this type and this number of dimensions, or its memory is misread."""
        if not isinstance(ndim, types.IntegerLiteral):
            return None
        array = types.Array(dtype.dtype, ndim.literal_value, "C")

        def codegen(context, builder, signature, args):
            rows = context.make_array(signature.args[0])(context, builder, value=args[0])
            row = context.cast(builder, args[1], signature.args[1], types.int64)
            first = builder.mul(row, ir.Constant(ir.IntType(64), WIDTH))
            entries = [
                builder.load(builder.gep(rows.data, [builder.add(first, ir.Constant(ir.IntType(64), i))]))
                for i in range(1 + ndim.literal_value)
            ]
            size = context.get_abi_sizeof(context.get_data_type(array.dtype))
            strides = [ir.Constant(ir.IntType(64), size)]
            for length in reversed(entries[2:]):
                strides.insert(0, builder.mul(strides[0], length))
            item = ir.Constant(ir.IntType(64), size)
            return unowned_array(context, builder, array, entries[0], entries[1:], strides, item)

        return array(table, k, dtype, ndim), codegen

    array_at: Any = lending(intrinsic(prefer_literal=True)(_array_at))  # type: ignore[reportRedeclaration]
