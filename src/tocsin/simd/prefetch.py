"""Asking for what will be read soon, so that it is on its way from memory meanwhile.

The processor looks ahead by itself, but seldom past a branch that hangs on what is missing: a list of unknown length, a
node that may be opened or not. A row that comes from the last cache takes as long as a test of two boxes. No result
hangs on this.
"""

from typing import TYPE_CHECKING, SupportsIndex

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

if TYPE_CHECKING:
    from tocsin.compiler.emitting import Builder

LINE = 64
"""Bytes of a line of the processor's cache."""

_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()


@intrinsic
def _prefetch(typingctx, table, i, offset):
    def codegen(context, builder: "Builder", sig, args):
        array = context.make_array(sig.args[0])(context, builder, value=args[0])
        row, beyond = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (1, 2))
        start = builder.add(builder.mul(row, builder.extract_value(array.strides, 0)), beyond)
        address = builder.inttoptr(builder.add(builder.ptrtoint(array.data, _INT64), start), _POINTER)
        shape = ir.FunctionType(ir.VoidType(), [_POINTER, _INT32, _INT32, _INT32])
        ask = builder.module.declare_intrinsic("llvm.prefetch.p0", (), shape)
        # To be read, kept in all caches, data.
        builder.call(ask, [address, ir.Constant(_INT32, 0), ir.Constant(_INT32, 3), ir.Constant(_INT32, 1)])
        return context.get_dummy_value()

    return types.none(table, i, offset), codegen


def prefetch(table: np.ndarray, i: SupportsIndex, offset: int = 0) -> None:
    """Ask for the line that holds byte `offset` of row i of a table. Of a row that is not there, for nothing."""


@overload(prefetch)
def _prefetch_kernel(table, i, offset=0):
    return lambda table, i, offset=0: _prefetch(table, i, offset)  # type: ignore[reportCallIssue]
