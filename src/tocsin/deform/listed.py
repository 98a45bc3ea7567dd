"""Corners of eight listed pairs of elements, from tables straight into registers.

Written lane by lane into a table and loaded again they would wait for each other: that took longer than the tests that
need them. Like lanes they live inside kernels only, with a twin on arrays.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from tocsin._types import IntArray, SingleRows
from tocsin.deform.rows import _transposed
from tocsin.simd.lanes import SINGLES, Lanes, singles

_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)


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
            place = builder.add(base, builder.shl(vertex, _INT64(5)))
            loaded = builder.load(builder.inttoptr(place, singles.vector.as_pointer()))
            loaded.align = 4
            found.append(loaded)
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
