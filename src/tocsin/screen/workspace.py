"""Where a drawing is made: one block of numbers that is kept from call to call, cut into tables.

Memory that is taken and given back in every call costs more than the drawing: the system takes large pieces away each
time, and hands them out anew page by page (a fifth of the time on two tori, measured).
"""

import numpy as np
from numba import types
from numba.extending import intrinsic

from tocsin.compiler.addresses import unowned_array
from tocsin.compiler.jit import PURE_PYTHON, inlined

if PURE_PYTHON:

    def table(block: np.ndarray, at: int, rows: int, columns: int) -> np.ndarray:  # type: ignore[reportRedeclaration]
        """Return rows x columns numbers of a block from `at` on."""
        return block[at : at + rows * columns].reshape(rows, columns)

else:

    @intrinsic
    def _table(typingctx, block, at, rows, columns):
        """Describe a part of a block as a table, without an owner."""
        result = types.Array(block.dtype, 2, "C")

        def codegen(context, builder, signature, args):
            source = context.make_array(signature.args[0])(context, builder, value=args[0])
            start = builder.gep(source.data, [args[1]])
            strides = [builder.mul(args[3], source.itemsize), source.itemsize]
            return unowned_array(context, builder, result, start, args[2:], strides, source.itemsize)

        return result(block, types.int64, types.int64, types.int64), codegen

    @inlined
    def table(block, at, rows, columns):
        """Return rows x columns numbers of a block from `at` on; the block has to live."""
        return _table(block, np.int64(at), np.int64(rows), np.int64(columns))  # type: ignore[reportCallIssue]
