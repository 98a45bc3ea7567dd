"""The one door: everything a user hands in is coerced and checked here, and nowhere else; kernels trust what they get.

Nothing is repaired in silence. A rotation matrix or quaternion off by less than `RIGID` (files carry few digits)
stands for the nearest exact rotation; one that is farther off is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin.errors import TocsinError

RIGID = 1e-5
"""Largest deviation of R R^T from I, or of a quaternion's length from 1, that still counts as a rotation."""

LARGEST_TURN = 1e9
"""Radians; the rounding of a larger angle moves a link by more than two millionths of its length, and at last by all of
it."""

POSES = "a 4x4 rigid transform or a translation (x, y, z)"
"""What a pose may be given as."""

SMALLEST, LARGEST = 1e-30, 1e30
"""Sizes and distances (metres) outside these are refused: their squares and cubes would leave the range of floats."""

FLOAT64 = np.dtype(np.float64)

MOST = 2**62
"""The largest count: the kernels' whole numbers have 64 bits."""


@kernel
def write_pose(matrix, out):
    """Write a 4x4 matrix as (x y z, quaternion x y z w); return 0, or 1 nan, 2 not rigid, 3 a mirror, 4 too far."""
    for i in range(4):
        for j in range(4):
            if not math.isfinite(matrix[i, j]):
                return 1
            if abs(matrix[i, j]) > LARGEST:
                return 4
    for i in range(3):
        for j in range(3):
            d = matrix[i, 0] * matrix[j, 0] + matrix[i, 1] * matrix[j, 1] + matrix[i, 2] * matrix[j, 2]
            if abs(d - (1.0 if i == j else 0.0)) > RIGID:
                return 2
    if matrix[3, 0] != 0.0 or matrix[3, 1] != 0.0 or matrix[3, 2] != 0.0 or matrix[3, 3] != 1.0:
        return 2
    m = (vec.load3(matrix, 0), vec.load3(matrix, 1), vec.load3(matrix, 2))
    if vec.dot(m[0], vec.cross(m[1], m[2])) < 0.0:
        return 3
    x, y, z, w = vec.quaternion_of(m)
    out[0] = matrix[0, 3]
    out[1] = matrix[1, 3]
    out[2] = matrix[2, 3]
    out[3] = x
    out[4] = y
    out[5] = z
    out[6] = w
    return 0


@kernel
def check_row(row, quaternions, most):
    """Return 0 if a configuration is fine, 1 for nan or inf, 2 + k if the quaternion at entry k is not unit.

    And -1 - k if entry k is larger than most[k].
    """
    for i in range(row.shape[0]):
        if not math.isfinite(row[i]):
            return 1
        if abs(row[i]) > most[i]:
            return -1 - i
    for i in range(quaternions.shape[0]):
        k = quaternions[i]
        s = row[k] * row[k] + row[k + 1] * row[k + 1] + row[k + 2] * row[k + 2] + row[k + 3] * row[k + 3]
        if abs(s - 1.0) > 2.0 * RIGID:
            return 2 + k
    return 0


def real(value: Any) -> np.ndarray:
    """Return an array as it is; a TypeError for what NumPy would make numbers of, and nobody means as such."""
    out = np.asarray(value)
    if out.dtype.kind in "cUS":
        raise TypeError("complex numbers have no order" if out.dtype.kind == "c" else "text is no number")
    return out


def numbers(value: Any, what: str, wanted: str) -> np.ndarray:
    """Return a contiguous float64 array of any shape; `wanted` says what it should have been."""
    if value.__class__ is np.ndarray and value.dtype is FLOAT64 and value.flags.c_contiguous:
        return value
    try:
        out = np.asarray(real(value), dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise TocsinError(f"{what} must be {wanted}; got {value!r}.") from error
    if value is None:
        raise TocsinError(f"{what} must be {wanted}; got None.")
    return out


def array(value: Any, what: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """Return a float64 array of the given shape (None: any length); finite."""
    out = numbers(value, what, f"numbers in an array of shape {_shape(shape)}")
    if len(out.shape) != len(shape) or any(s is not None and s != n for s, n in zip(shape, out.shape)):
        raise TocsinError(f"{what} must have shape {_shape(shape)}; got shape {out.shape}.")
    if not np.isfinite(out).all():
        raise TocsinError(f"{what} must be finite; got nan or inf.")
    return out


def coordinates(value: Any, what: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """Return a float64 array of positions (metres) of the given shape: finite, and not too far away."""
    out = array(value, what, shape)
    if out.size and max(out.max(), -out.min()) > LARGEST:
        raise TocsinError(
            f"{what} reaches {np.abs(out).max():g} m; lengths go up to {LARGEST:g} m; choose other units."
        )
    return out


def indices(value: Any, what: str, width: int, vertices: int) -> np.ndarray:
    """Return an (n, width) int32 array of vertex numbers, all below `vertices`; None is none of them."""
    if value is None:
        return np.zeros((0, width), np.int32)
    try:
        given = np.asarray(value)
    except ValueError:
        raise TocsinError(
            f"{what} must be rows of {width} whole numbers each; got rows of different lengths."
        ) from None
    if given.size == 0:
        return np.zeros((0, width), np.int32)
    if width == 1 and given.ndim == 1:
        given = given.reshape(-1, 1)
    if given.ndim != 2 or given.shape[1] != width:
        wanted = "(n,)" if width == 1 else f"(n, {width})"
        raise TocsinError(f"{what} must have shape {wanted}; got shape {np.shape(value)}.")
    if given.dtype.kind not in "iu":
        raise TocsinError(f"{what} must be whole numbers, those of vertices; got {given.dtype}.")
    if given.min() < 0 or given.max() >= vertices:
        raise TocsinError(
            f"{what} name vertices {given.min()} to {given.max()}, but there are {vertices} vertices, from 0."
        )
    return np.ascontiguousarray(given, dtype=np.int32)


def _shape(shape: tuple[int | None, ...]) -> str:
    return "(" + ", ".join("n" if s is None else str(s) for s in shape) + ("," if len(shape) == 1 else "") + ")"


def pose(value: Any, what: str = "a pose", out: np.ndarray | None = None) -> np.ndarray:
    """Return a 4x4 rigid transform, or a translation (x, y, z), as seven numbers: x y z, quaternion x y z w."""
    matrix = numbers(value, what, POSES)
    if out is None:
        out = np.zeros(7)
    if matrix.shape == (3,):
        out[:3] = coordinates(matrix, what, (3,))
        out[3:7] = 0.0, 0.0, 0.0, 1.0
        return out
    if matrix.shape != (4, 4):
        raise TocsinError(f"{what} must be {POSES}; got shape {matrix.shape}.")
    wrong = write_pose(matrix, out)
    if wrong == 1:
        raise TocsinError(f"{what} must be finite; got nan or inf.")
    if wrong == 2:
        raise TocsinError(
            f"{what} must be a rigid transform: an orthonormal 3x3 rotation (within {RIGID:g}), a translation, and a "
            f"last row 0 0 0 1; got\n{matrix}"
        )
    if wrong == 4:
        raise TocsinError(f"{what} is too far away: lengths go from {SMALLEST:g} to {LARGEST:g} m; choose other units.")
    if wrong == 3:
        raise TocsinError(f"{what} mirrors: its rotation has determinant -1; a rigid motion needs +1.")
    return out


def placement(value: Any, what: str) -> np.ndarray:
    """Return a 4x4 matrix from a 4x4 rigid transform or a translation (x, y, z)."""
    place = pose(value, what)
    matrix = np.eye(4)
    if np.shape(value) == (3,):
        matrix[:3, 3] = place[:3]
        return matrix
    matrix[:] = value
    r = matrix[:3, :3]
    if np.abs(r @ r.T - np.eye(3)).max() > 1e-15:
        # Off by the few digits of a file: the nearest rotation, which an exact one is left as.
        u, _, v = np.linalg.svd(r)
        matrix[:3, :3] = u @ v
    return matrix


def unit(value: Any, what: str) -> np.ndarray:
    """Return a direction as a unit vector; zero is refused."""
    v = array(value, what, (3,))
    largest = float(np.abs(v).max())
    if largest == 0.0:
        raise TocsinError(f"{what} must not be zero.")
    v = v / largest
    return v / math.sqrt(float(v @ v))


TEXTS = (bool, np.bool_, str, bytes)
"""What Python would take for a number, and nobody means as one."""


def scalar(
    value: Any, what: str, *, least: float = -math.inf, above: float = -math.inf, most: float = math.inf
) -> float:
    """Return a finite float, at least `least`, greater than `above` and at most `most`; text is no number."""
    try:
        kind = value.dtype.kind if isinstance(value, np.ndarray) else ""
        x = float(None if kind in ("b", "U", "S") or isinstance(value, TEXTS) else value)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise TocsinError(f"{what} must be a number; got {value!r}.") from error
    if not math.isfinite(x):
        raise TocsinError(f"{what} must be a finite number; got {value!r}.")
    if x < least:
        raise TocsinError(f"{what} must be at least {least:g}; got {x:g}.")
    if x <= above and above > -math.inf:
        raise TocsinError(f"{what} must be greater than {above:g}; got {x:g}.")
    if x > most:
        raise TocsinError(f"{what} must be at most {most:g}; got {x:g}.")
    return x


def margin(value: Any, what: str = "margin") -> float:
    """Return a distance to be kept, metres: 0 or more."""
    return scalar(value, what, least=0.0, most=LARGEST)


def tolerance(value: Any) -> float:
    """Return how far beyond the margin a contact may be reported, metres: more than 0."""
    return scalar(value, "tolerance", above=0.0, most=LARGEST)


def count(value: Any, what: str) -> int:
    """Return an int of at least 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise TocsinError(f"{what} must be a whole number of at least 1; got {value!r}.")
    if value > MOST:
        raise TocsinError(f"{what} must be at most {MOST}; got {value!r}.")
    return int(value)


def flag(value: Any, what: str) -> bool:
    """Return True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TocsinError(f"{what} must be True or False; got {value!r}.")
    return bool(value)


def name(value: Any, what: str) -> str:
    """Return a non-empty string."""
    if not isinstance(value, str) or not value:
        raise TocsinError(f"{what} must be a non-empty string; got {value!r}.")
    return value


def names(value: Any, what: str) -> tuple[str, ...]:
    """Return several names, from any sequence of them; one name alone is not taken for its letters."""
    try:
        found = None if isinstance(value, (str, bytes)) else tuple(value)
    except TypeError:
        found = None
    if found is None:
        raise TocsinError(f"{what} must be a sequence of names; got {value!r}.")
    return tuple(name(one, f"each of {what}") for one in found)


def choice(value: Any, what: str, valid: Iterable[str]) -> str:
    """Return `value` if it is one of the valid words."""
    words = list(valid)
    if value not in words:
        raise TocsinError(f"{what} must be one of {', '.join(repr(w) for w in words)}; got {value!r}.")
    return value
