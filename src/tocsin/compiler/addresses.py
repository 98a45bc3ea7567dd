"""Many arrays as one argument: a table of where they are and how long.

A call from Python unpacks every array that it is given, 0.1 µs each, and a scene has thirty: a tenth of a short
question. Their addresses stay the same from one question to the next, so they are written down once. The table keeps
its arrays alive, and kernels see them as if they had been passed, without owners (see `jit.borrowed`).
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.extending import intrinsic

from tocsin.compiler.emitting import Builder, Context, Word
from tocsin.compiler.jit import PURE_PYTHON, lending

WIDTH = 5
"""Entries of a row: the address, and up to four lengths."""


Table: TypeAlias = np.ndarray
"""Where arrays are; as plain Python the tuple of the arrays themselves."""

Record: TypeAlias = Sequence[Any]
"""A named tuple of arrays, and of such records."""


class _Rows(bytearray):
    """The memory of a table, which goes when the last view of it does, and its arrays with it."""

    arrays: tuple[np.ndarray, ...]


def table_of(arrays: Sequence[np.ndarray], like: np.ndarray | None = None, but: Iterable[int] | None = None) -> Table:
    """Return the table of the arrays; as plain Python, where nothing is unpacked, the arrays themselves.

    `like` is a table of the same arrays, `but` for those at these places: a row takes 0.7 µs.
    """
    if PURE_PYTHON:
        return tuple(arrays)  # type: ignore[return-value]
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


def unowned_array(
    context: Context,
    builder: Builder,
    kind: types.Array,
    start: Word,
    shape: Sequence[Word],
    strides: Sequence[Word],
    item: Word,
) -> Word:
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


def _packed(builder: Builder, values: Sequence[Word]) -> Word:
    out: Word = ir.Constant(ir.ArrayType(values[0].type, len(values)), ir.Undefined)
    for k, value in enumerate(values):
        out = builder.insert_value(out, value, k)
    return out


class Layout:
    """What a record's arrays are, field by field: the order of a table's rows follows from it, and nobody counts them.

    A field is (dtype, dimensions), or the layout of a record within the record.
    """

    def __init__(self, record: Any, **fields: "tuple[np.dtype, int] | Layout") -> None:
        assert set(fields) == set(record._fields), f"{record.__name__} has the fields {', '.join(record._fields)}"
        self.record = record
        self.fields = tuple(fields[name] for name in record._fields)
        self._length = sum(len(field) if isinstance(field, Layout) else 1 for field in self.fields)

    def __len__(self) -> int:
        """Return how many arrays there are, those of records within it included."""
        return self._length

    def arrays(self, value: Record) -> list[np.ndarray]:
        """Return a record's arrays in order."""
        if len(self) == len(self.fields):
            return list(value)
        found: list[np.ndarray] = []
        for field, part in zip(self.fields, value):
            found += field.arrays(part) if isinstance(field, Layout) else (part,)
        return found

    def checked(self, value: Record) -> list[np.ndarray]:
        """Return the same, of a record that is what it is said to be: a kernel would misread any other."""
        for name, field, part in zip(self.record._fields, self.fields, value):
            if isinstance(field, Layout):
                field.checked(part)
            else:
                told = (part.dtype, part.ndim)
                assert told == field, f"{name} of {self.record.__name__} is {told}, not {field}"
        return self.arrays(value)

    def rows(self, *names: str) -> list[int]:
        """Return the rows of a table in which the arrays of these fields are."""
        found, row = [], 0
        for name, field in zip(self.record._fields, self.fields):
            after = row + (len(field) if isinstance(field, Layout) else 1)
            found += range(row, after) if name in names else ()
            row = after
        return found

    def reader(self) -> Callable[..., Any]:
        """Return a function for kernels that returns the record of a table of its arrays, which somebody else holds."""
        return self._as_python if PURE_PYTHON else lending(intrinsic(self._typed))

    def _as_python(self, table: Iterable[np.ndarray]) -> Record:
        left = list(table)
        parts = []
        for field in self.fields:
            here = [left.pop(0) for _ in range(len(field) if isinstance(field, Layout) else 1)]
            parts.append(field._as_python(here) if isinstance(field, Layout) else here[0])
        return self.record(*parts)

    def _type(self) -> types.BaseTuple:
        parts = [
            field._type() if isinstance(field, Layout) else types.Array(from_dtype(field[0]), field[1], "C")
            for field in self.fields
        ]
        if len(set(parts)) == 1:
            return types.NamedUniTuple(parts[0], len(parts), self.record)
        return types.NamedTuple(parts, self.record)

    def _typed(self, typingctx, table):
        kind = self._type()

        def codegen(context, builder, signature, args):
            rows = context.make_array(signature.args[0])(context, builder, value=args[0])
            return self._emit(context, builder, kind, rows.data, 0)

        return kind(table), codegen

    def _emit(self, context: Context, builder: Builder, kind: Any, rows: Word, row: int) -> Word:
        """Emit the record whose arrays are in a table from a row on."""
        parts = []
        for field, part in zip(self.fields, kind):
            if isinstance(field, Layout):
                parts.append(field._emit(context, builder, part, rows, row))
                row += len(field)
            else:
                parts.append(_array(context, builder, part, rows, row))
                row += 1
        return context.make_tuple(builder, kind, parts)


def _array(context: Context, builder: Builder, kind: types.Array, rows: Word, row: int) -> Word:
    """Emit the array of one row of a table."""
    word = ir.IntType(64)
    entries = [
        builder.load(builder.gep(rows, [ir.Constant(word, WIDTH * row + i)])) for i in range(1 + kind.ndim)
    ]  # fmt: skip
    item = ir.Constant(word, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides: list[Word] = [item]
    for length in reversed(entries[2:]):
        strides.insert(0, builder.mul(strides[0], length))
    return unowned_array(context, builder, kind, entries[0], entries[1:], strides, item)
