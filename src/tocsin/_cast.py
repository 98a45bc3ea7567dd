"""The one door: everything a user hands in is coerced and checked here, and nowhere else; kernels trust what they get.

What is kept beyond a call is a copy that cannot be written (`kept`, `indices`): whatever happens to a user's array
afterwards, no answer changes. `numbers`, `array` and `coordinates` may return the user's own array, for use at once.

Nothing is repaired in silence. A rotation matrix or quaternion off by less than `RIGID` (files carry few digits)
stands for the rotation nearest to it, one and the same whether it is given as a pose, a placement, the origin of a
joint or in a file (`nearest_rotation`); one that is farther off is refused. That rotation is what proofs are about, up
to the rounding of its numbers: of a moving frame exactly that of its row, q / |q|; of what is placed once, exactly the
points and joints that the placement gives, rounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from tocsin import vec
from tocsin._types import FloatArray, IntArray, Matrix3, Matrix4, Numeric, Row, Vector
from tocsin.errors import TocsinError, UnitWarning, quoted, remark
from tocsin.row_checks import LARGEST, RIGID, SMALLEST, nearest_rotation, write_pose

LARGEST_TURN = 1e9
"""Radians; the rounding of a larger angle moves a link by more than two millionths of its length, and at last by all of
it."""

POSES = "a 4x4 rigid transform, a translation (x, y, z), tocsin.pose(...), a scipy Rotation or a pinocchio SE3"
"""What a pose may be given as."""

POSE_METHODS = ("as_matrix", "GetAsMatrix4")
"""By which poses and rotations of scipy and Drake say what they are, 4x4 or 3x3."""

FLOAT64 = np.dtype(np.float64)

Number = TypeVar("Number", bound=np.generic)

MOST = 2**62
"""The largest count: the kernels' whole numbers have 64 bits."""


MEANT_POSES = {
    (7,): ": a position and a quaternion are tocsin.pose((x, y, z), quaternion_xyzw=(...)), or quaternion_wxyz=.",
    (3, 3): ": a rotation is tocsin.pose((x, y, z), rotation=...).",
}
"""What is given for a pose and could be one, by its shape, and how to say it."""

KINDS = {
    "c": "complex numbers", "U": "text", "S": "text", "T": "text", "b": "True and False", "O": "objects", "M": "dates",
    "m": "durations", "V": "records",
}  # fmt: skip
"""What NumPy would make numbers of, or trip over, and nobody means as such."""


def said(value: object) -> str:
    """Put what was given into a few words, on one line."""
    if isinstance(value, np.ndarray):
        given = cast(Numeric, value)
        return f"an array of {KINDS.get(given.dtype.kind, given.dtype)} of shape {given.shape}"
    return quoted(value)


def clock(seconds: float) -> str:
    """Say a second of a clock: those since 1970 have ten digits before the point."""
    t = float(seconds)
    return f"{t:.6f}".rstrip("0").rstrip(".") if 1e5 <= abs(t) < 1e18 else f"{t:.6g}"


def instance(value: object, kinds: type | tuple[type, ...]) -> bool:
    """Is what a user handed in of these kinds? Annotations promise it, and nobody enforces them."""
    return isinstance(value, kinds)


def is_masked(value: object) -> bool:
    """Is this an array some of whose values are masked?"""
    return instance(value, np.ma.MaskedArray) and bool(np.ma.getmaskarray(cast(Numeric, value)).any())


def real(value: object) -> Numeric:
    """Return a plain array of integers or floats; a TypeError says what it is instead.

    Whatever a stranger's object raises while it is made an array is such a TypeError too.
    """
    try:
        hidden = is_masked(value)
        # To NumPy a bytearray is numbers, bytes are text.
        out: Numeric = np.asarray(bytes(value) if isinstance(value, bytearray) else value)
        if out.dtype.kind == "O" and all(isinstance(x, Real) and not instance(x, bool) for x in members(out)):
            out = np.array([float(x) for x in out.flat]).reshape(out.shape)  # fractions, and integers of any size
    except Exception as error:
        raise TypeError("no array, perhaps rows of different lengths") from error
    if hidden:
        raise TypeError("a masked array, some of whose values are masked")
    if out.dtype.kind not in "fiu":
        raise TypeError(KINDS.get(out.dtype.kind, str(out.dtype)))
    return out


def members(given: Numeric) -> list[object]:
    """Return the members of an array, one by one."""
    return list(given.flat)


def numbers(value: object, what: str, wanted: str) -> FloatArray:
    """Return a contiguous float64 array of any shape; `wanted` says what it should have been."""
    if type(value) is np.ndarray and value.dtype is FLOAT64 and value.flags.c_contiguous:
        return value
    try:
        given = real(value)
    except TypeError as error:
        kind = "" if value is None else f" ({error})"
        raise TocsinError(f"{what} must be {wanted}; got {said(value)}{kind}.") from error
    with np.errstate(over="ignore"):  # of longer floats: not finite then, which is looked for
        return np.asarray(given, dtype=np.float64, order="C")


def array(value: object, what: str, shape: tuple[int | None, ...]) -> FloatArray:
    """Return a float64 array of the given shape (None: any length); finite."""
    out = numbers(value, what, f"numbers in an array of shape {_shape(shape)}")
    if len(out.shape) != len(shape) or any(s is not None and s != n for s, n in zip(shape, out.shape)):
        raise TocsinError(f"{what} must have shape {_shape(shape)}; got shape {out.shape}.")
    if not np.isfinite(out).all():
        raise TocsinError(f"{what} must be finite; got nan or inf.")
    return out


def kept(value: object, what: str, shape: tuple[int | None, ...]) -> FloatArray:
    """Return a copy of finite numbers that nobody can write: for what is kept beyond a call."""
    return frozen(array(value, what, shape).copy())


def frozen(owned: NDArray[Number]) -> NDArray[Number]:
    """Return an array of ours after taking away the right to write it."""
    owned.setflags(write=False)
    return owned


def coordinates(value: object, what: str, shape: tuple[int | None, ...]) -> FloatArray:
    """Return a float64 array of positions (metres) of the given shape: finite, and not too far away."""
    out = array(value, what, shape)
    if out.size and max(out.max(), -out.min()) > LARGEST:
        raise TocsinError(
            f"{what} reaches {np.abs(out).max():g} m; lengths go up to {LARGEST:g} m; choose other units."
        )
    return out


def indices(value: object, what: str, width: int, vertices: int) -> IntArray:
    """Return an (n, width) int32 array of vertex numbers, all below `vertices`; None is none of them.

    A copy that nobody can write: kernels read memory by these numbers.
    """
    if value is None:
        return frozen(np.zeros((0, width), np.int32))
    try:
        hidden = is_masked(value)
        given: Numeric = np.asarray(value)
        if given.dtype.kind == "O" and all(isinstance(x, Integral) and not instance(x, bool) for x in members(given)):
            given = given.astype(np.int64)
    except Exception:  # rows of different lengths, or whatever a stranger's object raises
        raise TocsinError(
            f"{what} must be rows of {width} whole numbers each; got {said(value)}, perhaps rows of different lengths."
        ) from None
    if hidden:
        raise TocsinError(f"{what} must be whole numbers; got a masked array, some of whose values are masked.")
    if given.size == 0:
        return frozen(np.zeros((0, width), np.int32))
    if width == 1 and given.ndim == 1:
        given = given.reshape(-1, 1)
    if given.ndim != 2 or given.shape[1] != width:
        wanted = "(n,)" if width == 1 else f"(n, {width})"
        raise TocsinError(f"{what} must have shape {wanted}; got shape {np.asarray(value).shape}.")
    if given.dtype.kind not in "iu":
        found = KINDS.get(given.dtype.kind, given.dtype)
        raise TocsinError(f"{what} must be whole numbers, those of vertices; got {found}.")
    if given.min() < 0 or given.max() >= vertices:
        row = given[np.argmax(((given < 0) | (given >= vertices)).any(axis=1))].tolist()
        raise TocsinError(
            f"{what} name vertices {given.min()} to {given.max()}, but there are {vertices} vertices, from 0; the "
            f"first row that is wrong: {row}."
        )
    return frozen(np.array(given, dtype=np.int32, order="C"))


def _shape(shape: tuple[int | None, ...]) -> str:
    return "(" + ", ".join("n" if s is None else str(s) for s in shape) + ("," if len(shape) == 1 else "") + ")"


def foreign_pose(value: object) -> object:
    """Return the 4x4 matrix of a pose or rotation of another library; what is none of these as it is.

    pinocchio's SE3 has it as `homogeneous`; scipy's Rotation and RigidTransform, and Drake's, have a method for it
    (`POSE_METHODS`). A 3x3 rotation stands at the origin. Whatever a stranger's object raises is
    left to the check of what it is.
    """
    if instance(value, (np.ndarray, tuple, list)):
        return value
    try:
        found: object = getattr(value, "homogeneous", None)
        for name in POSE_METHODS:
            method = getattr(value, name, None)
            found = method() if found is None and callable(method) else found
        matrix = None if found is None else real(found)
    except Exception:
        return value
    if matrix is None or matrix.shape not in ((3, 3), (4, 4)):
        return value
    whole = np.eye(4)
    whole[: len(matrix), : len(matrix)] = matrix
    return whole


def rolled(rpy: Vector) -> Matrix3:
    """Return the rotation by roll, pitch and yaw (radians) about the fixed axes x, y, z in this order, as in URDF."""
    cr, sr, cp, sp, cy, sy = (f(float(a)) for a in rpy for f in (math.cos, math.sin))
    return np.array(
        (
            (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
            (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
            (-sp, cp * sr, cp * cr),
        )
    )


def pose(value: object, what: str = "a pose", out: Row | None = None) -> Row:
    """Return a pose (`POSES`) as seven numbers: x y z, quaternion x y z w."""
    matrix = numbers(value if type(value) is np.ndarray else foreign_pose(value), what, POSES)
    if out is None:
        out = np.zeros(7)
    if matrix.shape == (3,):
        out[:3] = coordinates(matrix, what, (3,))
        out[3:7] = 0.0, 0.0, 0.0, 1.0
        return out
    if matrix.shape != (4, 4):
        said_so = f"{what} must be {POSES}; got shape {matrix.shape}"
        raise TocsinError(f"{said_so}{MEANT_POSES.get(matrix.shape, '.')}")
    wrong = write_pose(matrix, out)
    if wrong == 1:
        raise TocsinError(f"{what} must be finite; got nan or inf.")
    if wrong == 2:
        raise TocsinError(
            f"{what} must be a rigid transform: an orthonormal 3x3 rotation (within {RIGID:g}), a translation, and a "
            f"last row 0 0 0 1; got {matrix.tolist()}."
        )
    if wrong == 4:
        raise TocsinError(f"{what} is too far away: lengths go from {SMALLEST:g} to {LARGEST:g} m; choose other units.")
    if wrong == 3:
        raise TocsinError(f"{what} mirrors: its rotation has determinant -1; a rigid motion needs +1.")
    return out


def placement(value: object, what: str) -> Matrix4:
    """Return a 4x4 matrix, which nobody can write, of a pose (`POSES`)."""
    given = numbers(foreign_pose(value), what, POSES)
    place = pose(given, what)
    matrix = np.eye(4)
    matrix[:3, 3] = place[:3]
    if given.shape == (4, 4):
        rotation = nearest_rotation((vec.load3(given, 0), vec.load3(given, 1), vec.load3(given, 2)))
        matrix[:3, :3] = np.array(rotation)
    return frozen(matrix)


def unit(value: object, what: str) -> Vector:
    """Return a direction as a unit vector, which nobody can write; zero is refused."""
    v = array(value, what, (3,))
    largest = float(np.abs(v).max())
    if largest == 0.0:
        raise TocsinError(f"{what} must not be zero.")
    v = v / largest
    return frozen(v / math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]))  # not `@`, whose last bits are BLAS's


def turned(position: Vector, quaternion: object, what: str, order: str = "xyzw") -> Matrix4:
    """Return the 4x4 matrix of a position and a unit quaternion, given in this order: that of q / |q|."""
    given = array(quaternion, f"the orientation of {what}", (4,))
    q = given[[order.index(part) for part in "xyzw"]]
    length = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if not abs(length - 1.0) <= RIGID:
        raise TocsinError(
            f"the orientation of {what} must be a unit quaternion ({' '.join(order)}); got {given.tolist()}."
        )
    x, y, z, w = (q / length).tolist()
    matrix = np.eye(4)
    rotation = (
        (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
        (2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
        (2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
    )
    matrix[:3, :3] = np.array(rotation)
    matrix[:3, 3] = position
    return matrix


UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
"""Metres in a unit of length."""


def scale(factor: object, units: object = None) -> FloatArray | None:
    """Return one or three factors that make lengths metres, from a scale or the name of a unit; None for neither."""
    if units is not None:
        if factor is not None:
            raise TocsinError(f"give scale or units, not both; got scale={said(factor)} and units={said(units)}.")
        return np.array(UNITS[choice(units, "units", UNITS)])
    if factor is None:
        return None
    factors = numbers(factor, "a scale", "one or three finite numbers other than zero")
    if factors.shape not in ((), (1,), (3,)) or not np.isfinite(factors).all() or (factors == 0.0).any():
        raise TocsinError(f"a scale must be one or three finite numbers other than zero; got {said(factor)}.")
    return factors if factors.shape == (3,) else factors.reshape(())


TEXTS = (bool, np.bool_, str, bytes)
"""What Python would take for a number, and nobody means as one."""


def plain(value: Any) -> float | None:
    """Return a number as a float; None if it is none: text, an array of several, a complex number, a date."""
    if value.__class__ is float or value.__class__ is int:
        try:
            return float(value)
        except OverflowError:  # an integer beyond all floats
            return math.inf if value > 0 else -math.inf
    try:
        if isinstance(value, TEXTS) or np.ndim(value) != 0:
            return None
        if hasattr(value, "dtype"):
            value = real(value)
        return float(value)
    except OverflowError:
        return math.inf
    except Exception:  # whatever a stranger's object raises
        return None


def scalar(
    value: object, what: str, *, least: float = -math.inf, above: float = -math.inf, most: float = math.inf
) -> float:
    """Return a finite float, at least `least`, greater than `above` and at most `most`; text is no number."""
    x = plain(value)
    if x is None:
        raise TocsinError(f"{what} must be a number; got {said(value)}.")
    if not math.isfinite(x):
        raise TocsinError(f"{what} must be a finite number; got {said(value)}.")
    if x < least:
        raise TocsinError(f"{what} must be at least {least:g}; got {x:g}.")
    if x <= above and above > -math.inf:
        raise TocsinError(f"{what} must be greater than {above:g}; got {x:g}.")
    if x > most:
        raise TocsinError(f"{what} must be at most {most:g}; got {x:g}.")
    return x


LATEST = 1e12
"""Seconds: a clock that goes so far is probably in nanoseconds; Unix time has ten digits."""


def times(value: object, what: str, count: int) -> FloatArray:
    """Return so many seconds, which increase; remark on those that are probably nanoseconds, as stamps of ROS are."""
    stamps = array(value, f"the times of {what}", (count,)).copy()
    stuck = np.flatnonzero(np.diff(stamps) <= 0.0)
    if len(stuck):
        k = int(stuck[0])
        raise TocsinError(
            f"the times of {what} must increase, but number {k} is {clock(stamps[k])} s and the next "
            f"{clock(stamps[k + 1])} s."
        )
    if count and max(abs(stamps[0]), abs(stamps[-1])) > LATEST:
        remark(f"the times of {what} go to {stamps[-1]:g} s. Nanoseconds? Times are seconds.", UnitWarning)
    return stamps


WIDE = 2.0
"""Metres: a margin of so much is probably in millimetres."""


class Tried(float):
    """A margin that a search tries by itself: its user has not given it, and is told nothing of it."""


def margin(value: object, what: str = "margin") -> float:
    """Return a distance to be kept, metres: 0 or more; one that is `WIDE` is remarked on."""
    kept = scalar(value, what, least=0.0, most=LARGEST)
    if kept >= WIDE and not isinstance(value, Tried):
        remark(f"{what} is {kept:g} m. Millimetres? Lengths are metres: {kept / 1000:g}.", UnitWarning)
    return kept


FAR_OFF = 1.0
"""Radians or metres: an error of so much is probably in degrees or millimetres."""


def error(value: object, what: str = "error") -> float:
    """Return how far something may be off, radians or metres: 0 or more; what is `FAR_OFF` is remarked on."""
    off = scalar(value, what, least=0.0, most=LARGEST)
    if off >= FAR_OFF:
        remark(f"{what} is {off:g}. Degrees, or millimetres? Angles are radians, lengths metres.", UnitWarning)
    return off


def tolerance(value: object) -> float:
    """Return how far beyond the margin a contact may be reported, metres: more than 0."""
    return scalar(value, "tolerance", above=0.0, most=LARGEST)


def whole(value: object) -> int | None:
    """Return a whole number as an int; None if it is none. To NumPy a duration is one."""
    if isinstance(value, (bool, np.timedelta64)) or not isinstance(value, (int, np.integer)):
        return None
    return int(cast(int, value))


def count(value: object, what: str) -> int:
    """Return an int of at least 1."""
    number = whole(value)
    if number is None or number < 1:
        raise TocsinError(f"{what} must be a whole number of at least 1; got {said(value)}.")
    if number > MOST:
        raise TocsinError(f"{what} must be at most {MOST}; got {said(value)}.")
    return number


def flag(value: object, what: str) -> bool:
    """Return True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TocsinError(f"{what} must be True or False; got {said(value)}.")
    return bool(cast(object, value))


def name(value: object, what: str) -> str:
    """Return a non-empty string that can be written."""
    if not isinstance(value, str) or not value:
        raise TocsinError(f"{what} must be a non-empty string; got {said(value)}.")
    if not value.isascii() and not is_writable(value):
        raise TocsinError(
            f"{what} has half of a character, a lone surrogate, which no file can hold; got {said(value)}."
        )
    return value


def is_writable(value: str) -> bool:
    """Can this text be written as UTF-8? Python's strings may hold halves of letters."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def names(value: object, what: str) -> tuple[str, ...]:
    """Return several names, from any sequence of them; one name alone is not taken for its letters."""
    try:
        given: Any = value  # whatever a stranger takes for a sequence
        found: tuple[object, ...] | None = None if isinstance(value, (str, bytes)) else tuple(given)
    except TypeError:
        found = None
    if found is None:
        raise TocsinError(f"{what} must be a sequence of names; got {said(value)}.")
    return tuple(name(one, f"each of {what}") for one in found)


def choice(value: object, what: str, valid: Iterable[str]) -> str:
    """Return `value` if it is one of the valid words."""
    words = list(valid)
    if not isinstance(value, str) or value not in words:
        raise TocsinError(f"{what} must be one of {', '.join(repr(w) for w in words)}; got {said(value)}.")
    return value
