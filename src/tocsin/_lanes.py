"""Four doubles in one register: the same arithmetic on four things at once.

Compilers vectorise loops, but not the body of a traversal; so the four children of a node are tested by code written
over `lanes`, which support + - * / abs, comparisons, & and |, `select` and `root`. The same source runs on plain floats
(one box against one box, and in a CUDA kernel), since all of these work on floats too. Lanes live inside kernels only.

Every operation is the IEEE operation of each lane, so a lane holds the very bits that the same code gives for a float.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel.models import PrimitiveModel
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, overload, register_model

WIDTH = 4

_VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
_SINGLE = ir.VectorType(ir.FloatType(), WIDTH)
_BITS = ir.VectorType(ir.IntType(1), WIDTH)
_INT32 = ir.IntType(32)


class LanesType(types.Type):
    """Four doubles."""

    def __init__(self) -> None:
        super().__init__(name="lanes")


class MaskType(types.Type):
    """Four truth values, of a comparison of lanes."""

    def __init__(self) -> None:
        super().__init__(name="mask")


lanes = LanesType()
mask = MaskType()


@register_model(LanesType)
class _LanesModel(PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _VECTOR)


@register_model(MaskType)
class _MaskModel(PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _BITS)


def _wide(builder: Any, kind: Any, value: Any) -> Any:
    """Return lanes as they are, a float in every lane."""
    if kind == lanes:
        return value
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_INT32, 0))
    everywhere = ir.Constant(ir.VectorType(_INT32, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, nothing, everywhere)


def _define(function: Any, result: Any, cases: tuple[tuple[Any, ...], ...], emit: Callable[..., Any]) -> None:
    """Teach the compiler an operation on lanes: its types, and the instruction that it is."""
    template = {"key": function, "cases": [signature(result, *case) for case in cases]}
    register: Any = infer_global(function)
    register(type(f"Lanes_{function.__name__}", (ConcreteTemplate,), template))

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        given = [value if kind == mask else _wide(builder, kind, value) for kind, value in zip(sig.args, args)]
        return emit(builder, *given)

    for case in cases:
        lower_builtin(function, *case)(lower)


def _call(name: str) -> Callable[..., Any]:
    """Return what emits a call of one of LLVM's functions on vectors."""

    def emit(builder: Any, value: Any) -> Any:
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), name)
        return builder.call(function, [value])

    return emit


_PAIRS = ((lanes, lanes), (lanes, types.float64), (types.float64, lanes))
_define(operator.add, lanes, _PAIRS, lambda builder, a, b: builder.fadd(a, b))
_define(operator.sub, lanes, _PAIRS, lambda builder, a, b: builder.fsub(a, b))
_define(operator.mul, lanes, _PAIRS, lambda builder, a, b: builder.fmul(a, b))
_define(operator.truediv, lanes, _PAIRS, lambda builder, a, b: builder.fdiv(a, b))
_define(operator.gt, mask, _PAIRS, lambda builder, a, b: builder.fcmp_ordered(">", a, b))
_define(operator.ge, mask, _PAIRS, lambda builder, a, b: builder.fcmp_ordered(">=", a, b))
_define(operator.lt, mask, _PAIRS, lambda builder, a, b: builder.fcmp_ordered("<", a, b))
_define(operator.and_, mask, ((mask, mask),), lambda builder, a, b: builder.and_(a, b))
_define(operator.or_, mask, ((mask, mask),), lambda builder, a, b: builder.or_(a, b))
_define(abs, lanes, ((lanes,),), _call(f"llvm.fabs.v{WIDTH}f64"))
_define(math.sqrt, lanes, ((lanes,),), _call(f"llvm.sqrt.v{WIDTH}f64"))


@intrinsic
def _select(typingctx, chosen, a, b):
    def codegen(context, builder, sig, args):
        return builder.select(args[0], _wide(builder, sig.args[1], args[1]), _wide(builder, sig.args[2], args[2]))

    return lanes(chosen, a, b), codegen


def select(chosen: Any, a: Any, b: Any) -> Any:
    """Return a where `chosen`, else b, in every lane."""
    return np.where(chosen, a, b) if isinstance(chosen, np.ndarray) else (a if chosen else b)


@overload(select)
def _select_kernel(chosen, a, b):
    if isinstance(chosen, MaskType):
        return lambda chosen, a, b: _select(chosen, a, b)  # type: ignore[reportCallIssue]
    return lambda chosen, a, b: a if chosen else b


def root(x: Any) -> Any:
    """Return the square root, in every lane."""
    return np.sqrt(x)


@overload(root)
def _root_kernel(x):
    return lambda x: math.sqrt(x)


@intrinsic
def _load(typingctx, table, i, row):
    def codegen(context, builder, sig, args):
        array = context.make_array(sig.args[0])(context, builder, value=args[0])
        i64 = ir.IntType(64)
        i, row = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (1, 2))
        stride = cgutils.unpack_tuple(builder, array.strides, 3)[0]
        offset = builder.add(builder.mul(i, stride), builder.mul(row, i64(4 * WIDTH)))
        address = builder.add(builder.ptrtoint(array.data, i64), offset)
        value = builder.load(builder.inttoptr(address, _SINGLE.as_pointer()))
        value.align = 4
        return builder.fpext(value, _VECTOR)

    return lanes(table, i, row), codegen


def load(table: Any, i: int, row: int) -> Any:
    """Return table[i, row] of an (n, rows, 4) table in single precision, contiguous, as lanes."""
    return table[i, row].astype(np.float64)


@overload(load)
def _load_kernel(table, i, row):
    return lambda table, i, row: _load(table, i, row)  # type: ignore[reportCallIssue]


@intrinsic
def _lane(typingctx, value, k):
    def codegen(context, builder, sig, args):
        return builder.extract_element(args[0], context.cast(builder, args[1], sig.args[1], types.int32))

    return types.float64(value, k), codegen


def lane(value: Any, k: int) -> float:
    """Return lane k as a float."""
    return float(value[k])


@overload(lane)
def _lane_kernel(value, k):
    return lambda value, k: _lane(value, k)  # type: ignore[reportCallIssue]


@intrinsic
def _bits(typingctx, chosen):
    def codegen(context, builder, sig, args):
        return builder.zext(builder.bitcast(args[0], ir.IntType(WIDTH)), ir.IntType(64))

    return types.int64(chosen), codegen


def bits(chosen: Any) -> int:
    """Return a number whose bit k is set where lane k is chosen."""
    return int(sum(1 << k for k in range(WIDTH) if chosen[k]))


@overload(bits)
def _bits_kernel(chosen):
    return lambda chosen: _bits(chosen)  # type: ignore[reportCallIssue]
