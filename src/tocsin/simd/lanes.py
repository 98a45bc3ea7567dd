"""Several numbers in one register: the same arithmetic on four or eight things at once.

Compilers vectorise loops, but not the body of a traversal; so the four children of a node are tested by code written
over `lanes`, four doubles, the eight of a hierarchy that is refitted all the time over `singles`, eight floats of
single precision, and long chains of operations, which wait for each other, over eight `doubles`. They support + - * /
abs, comparisons, & and |, `select` and `root`. The same source runs on plain floats (one box against one box, and in a
CUDA kernel), since all of these work on floats too. Lanes live inside kernels only.

Every operation is the IEEE operation of each lane, so a lane holds the very bits that the same code gives for a float.
"""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, lower_builtin, models, overload, register_model, type_callable

from tocsin.compiler.emitting import Builder, Context, Instruction, Signature, Word

WIDTH = 4
"""Of lanes."""

SINGLES = 8
"""How many singles there are."""

DOUBLES = 8
"""How many doubles there are."""

Lanes: TypeAlias = Any
"""Inside a kernel a `LanesType`; as plain Python an array. What is written for lanes takes floats as well."""

Mask: TypeAlias = Any
"""Of a comparison of lanes; of floats, a truth value."""

Case = tuple[types.Type, ...]
"""Types of arguments that an operation takes."""

_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)


class LanesType(types.Type):
    """Several numbers of one kind."""

    def __init__(self, name: str, scalar: types.Type, number: ir.Type, width: int) -> None:
        super().__init__(name=name)
        self.scalar = scalar
        self.width = width
        self.vector = ir.VectorType(number, width)


class MaskType(types.Type):
    """Several truth values, of a comparison of lanes."""

    def __init__(self, name: str, width: int) -> None:
        super().__init__(name=name)
        self.width = width


lanes = LanesType("lanes", types.float64, ir.DoubleType(), WIDTH)
singles = LanesType("singles", types.float32, ir.FloatType(), SINGLES)
doubles = LanesType("doubles", types.float64, ir.DoubleType(), DOUBLES)
_masks = {
    lanes: MaskType("mask", WIDTH),
    singles: MaskType("mask of singles", SINGLES),
    doubles: MaskType("mask of doubles", DOUBLES),
}


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: object, fe_type: LanesType) -> None:
        super().__init__(dmm, fe_type, fe_type.vector)


@register_model(MaskType)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, dmm: object, fe_type: MaskType) -> None:
        super().__init__(dmm, fe_type, ir.VectorType(ir.IntType(1), fe_type.width))


def _wide(builder: Builder, family: LanesType, kind: types.Type, value: Word) -> Word:
    """Return lanes as they are, a float in every lane."""
    if kind == family:
        return value
    nothing = ir.Constant(family.vector, ir.Undefined)
    first = builder.insert_element(nothing, value, ir.Constant(_INT32, 0))
    everywhere = ir.Constant(ir.VectorType(_INT32, family.width), [0] * family.width)
    return builder.shuffle_vector(first, nothing, everywhere)


def _define(
    function: Callable[..., object],
    result: type[LanesType | MaskType],
    cases: Callable[[LanesType], tuple[Case, ...]],
    emit: Callable[..., Word],
) -> None:
    """Teach the compiler an operation on all kinds of lanes: its types, and the instruction that it is."""
    returned = {}
    for family, mask in _masks.items():
        for case in cases(family):
            returned[case] = mask if result is MaskType else family

            def lower(
                context: Context, builder: Builder, sig: Signature, args: Sequence[Word],
                family: LanesType = family,
            ) -> Word:  # fmt: skip
                given = [
                    value if isinstance(kind, MaskType) else _wide(builder, family, kind, value)
                    for kind, value in zip(sig.args, args)
                ]
                return emit(builder, *given)

            lower_builtin(function, *case)(lower)

    def typed(*given: types.Type) -> Signature | None:
        """Return the signature for arguments, of which one is lanes or a mask; a number is one in every lane."""
        ours = next((kind for kind in given if isinstance(kind, LanesType | MaskType)), None)
        if ours is None:
            return None
        case = tuple(kind if isinstance(kind, LanesType | MaskType) else ours.scalar for kind in given)
        return returned[case](*case) if case in returned else None

    if len(next(iter(returned))) == 1:
        type_callable(function)(lambda context: lambda a: typed(a))
    else:
        type_callable(function)(lambda context: lambda a, b: typed(a, b))


def _call(name: str) -> Callable[[Builder, Word], Word]:
    """Return what emits a call of one of LLVM's functions on vectors."""

    def emit(builder: Builder, value: Word) -> Word:
        kind = "f64" if value.type.element == ir.DoubleType() else "f32"
        shape = ir.FunctionType(value.type, [value.type])
        function = builder.module.declare_intrinsic(f"llvm.{name}.v{value.type.count}{kind}", (), shape)
        return builder.call(function, [value])

    return emit


def _pairs(family: LanesType) -> tuple[Case, ...]:
    return ((family, family), (family, family.scalar), (family.scalar, family))


def _two_masks(family: LanesType) -> tuple[Case, ...]:
    return ((_masks[family], _masks[family]),)


_define(operator.add, LanesType, _pairs, lambda builder, a, b: builder.fadd(a, b))
_define(operator.sub, LanesType, _pairs, lambda builder, a, b: builder.fsub(a, b))
_define(operator.mul, LanesType, _pairs, lambda builder, a, b: builder.fmul(a, b))
_define(operator.truediv, LanesType, _pairs, lambda builder, a, b: builder.fdiv(a, b))
_define(operator.gt, MaskType, _pairs, lambda builder, a, b: builder.fcmp_ordered(">", a, b))
_define(operator.ge, MaskType, _pairs, lambda builder, a, b: builder.fcmp_ordered(">=", a, b))
_define(operator.lt, MaskType, _pairs, lambda builder, a, b: builder.fcmp_ordered("<", a, b))
_define(operator.and_, MaskType, _two_masks, lambda builder, a, b: builder.and_(a, b))
_define(operator.or_, MaskType, _two_masks, lambda builder, a, b: builder.or_(a, b))
_define(abs, LanesType, lambda family: ((family,),), _call("fabs"))
_define(math.sqrt, LanesType, lambda family: ((family,),), _call("sqrt"))


@intrinsic
def _select(typingctx, chosen, a, b):
    family = next(family for family, mask in _masks.items() if mask == chosen)

    def codegen(context, builder, sig, args):
        yes, no = (_wide(builder, family, sig.args[k], args[k]) for k in (1, 2))
        return builder.select(args[0], yes, no)

    return family(chosen, a, b), codegen


def select(chosen: Mask, a: Lanes, b: Lanes) -> Lanes:
    """Return a where `chosen`, else b, in every lane."""
    return np.where(chosen, a, b) if isinstance(chosen, np.ndarray) else (a if chosen else b)


@overload(select)
def _select_kernel(chosen, a, b):
    if isinstance(chosen, MaskType):
        return lambda chosen, a, b: _select(chosen, a, b)  # type: ignore[reportCallIssue]
    return lambda chosen, a, b: a if chosen else b


def root(x: Lanes) -> Lanes:
    """Return the square root, in every lane."""
    return np.sqrt(x)


@overload(root)
def _root_kernel(x):
    return lambda x: math.sqrt(x)


def _vector_at(
    context: Context,
    builder: Builder,
    sig: Signature,
    args: Sequence[Word],
    vector: ir.VectorType,
    size: int,
) -> Instruction:
    """Emit the load of a row of a (n, rows, width) table, numbers of `size` bytes, of args: table, i, row."""
    array = context.make_array(sig.args[0])(context, builder, value=args[0])
    i, row = (context.cast(builder, args[k], sig.args[k], types.int64) for k in (1, 2))
    stride = builder.extract_value(array.strides, 0)
    offset = builder.add(builder.mul(i, stride), builder.mul(row, _INT64(size * vector.count)))
    address = builder.add(builder.ptrtoint(array.data, _INT64), offset)
    value = builder.load(builder.inttoptr(address, vector.as_pointer()))
    value.align = size
    return value


@intrinsic
def _load(typingctx, table, i, row):
    def codegen(context, builder, sig, args):
        if sig.args[0].dtype == types.float64:
            return _vector_at(context, builder, sig, args, lanes.vector, 8)
        narrow = _vector_at(context, builder, sig, args, ir.VectorType(ir.FloatType(), WIDTH), 4)
        return builder.fpext(narrow, lanes.vector)

    return lanes(table, i, row), codegen


def load(table: np.ndarray, i: int, row: int) -> Lanes:
    """Return table[i, row] of an (n, rows, 4) table in single or double precision, contiguous, as lanes."""
    return table[i, row].astype(np.float64)


@overload(load)
def _load_kernel(table, i, row):
    return lambda table, i, row: _load(table, i, row)  # type: ignore[reportCallIssue]


@intrinsic
def _load_singles(typingctx, table, i, row):
    def codegen(context, builder, sig, args):
        return _vector_at(context, builder, sig, args, singles.vector, 4)

    return singles(table, i, row), codegen


def load_singles(table: np.ndarray, i: int, row: int) -> Lanes:
    """Return table[i, row] of an (n, rows, 8) table in single precision, contiguous, as singles."""
    return table[i, row]


@overload(load_singles)
def _load_singles_kernel(table, i, row):
    return lambda table, i, row: _load_singles(table, i, row)  # type: ignore[reportCallIssue]


@intrinsic
def _lane(typingctx, value, k):
    def codegen(context, builder, sig, args):
        return builder.extract_element(args[0], context.cast(builder, args[1], sig.args[1], types.int32))

    return value.scalar(value, k), codegen


def lane(value: Lanes, k: int) -> float:
    """Return lane k as a float."""
    return float(value[k])


@overload(lane)
def _lane_kernel(value, k):
    return lambda value, k: _lane(value, k)  # type: ignore[reportCallIssue]


@intrinsic
def _bits(typingctx, chosen):
    def codegen(context, builder, sig, args):
        return builder.zext(builder.bitcast(args[0], ir.IntType(sig.args[0].width)), _INT64)

    return types.int64(chosen), codegen


def bits(chosen: Mask) -> int:
    """Return a number whose bit k is set where lane k is chosen."""
    return int(sum(1 << k for k in range(len(chosen)) if chosen[k]))


@overload(bits)
def _bits_kernel(chosen):
    return lambda chosen: _bits(chosen)  # type: ignore[reportCallIssue]
