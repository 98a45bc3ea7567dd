"""Times of contact of pairs that the caller brings: vertices and faces, edges and edges, all in one compiled call."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast
from tocsin._types import Values
from tocsin.compiler.jit import kernel
from tocsin.deform.advance import ENDED, advance_all
from tocsin.errors import TocsinError
from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.outcome import FREE
from tocsin.row_checks import LARGEST
from tocsin.simd.lanes import DOUBLES

BY_SIZE = np.zeros(0)
"""Tolerances: of each pair by its size."""


@kernel
def written(start, end, count, points, column, places):
    """Write places of points that follow each other, `count` of each pair, and their numbers; False if one is wrong."""
    for v in range(start.shape[0] // 3):
        points[v // count, column + v % count] = v
        for k in range(3):
            x = start[3 * v + k]
            y = end[3 * v + k]
            if not (abs(x) <= LARGEST and abs(y) <= LARGEST):  # nor is nan
                return False
            places[v, k] = x
            places[v, 3 + k] = y
    return True


@kernel
def diagonal(points, first, count):
    """Return the diagonal of the box of points that follow each other."""
    square = 0.0
    for k in range(3):
        low = points[3 * first + k]
        high = low
        for v in range(first + 1, first + count):
            low = min(low, points[3 * v + k])
            high = max(high, points[3 * v + k])
        square += (high - low) * (high - low)
    return math.sqrt(square)


@kernel
def size_of(a, b, of_a, p):
    """Return the diagonal of the smaller side of pair p that has one, a single point left out; else 1."""
    size = math.inf
    if of_a > 1:
        span = diagonal(a, of_a * p, of_a)
        size = span if span > 0.0 else math.inf
    span = diagonal(b, (4 - of_a) * p, 4 - of_a)
    if span > 0.0:
        size = min(size, span)
    return size if size < math.inf else 1.0


@kernel
def end_pairs(of_a, a, b, margin, tolerance, ended, times):
    """Advance pairs of `of_a` points of a and 4 - of_a of b, all coordinates in a row; False if one is not finite.

    `a` and `b` are where points are at time 0 and at time 1. How they end goes into `ended` and `times`, inf where
    free; `tolerance` is one for all, one for each, or by size.
    """
    a0, a1 = a
    b0, b1 = b
    n = a0.shape[0] // (3 * of_a)
    points = np.empty((n, 4), dtype=np.int32)
    places_a = np.empty((of_a * n, 8))
    places_b = np.empty(((4 - of_a) * n, 8))
    if not written(a0, a1, of_a, points, 0, places_a):
        return False
    if not written(b0, b1, 4 - of_a, points, of_a, places_b):
        return False
    if tolerance.shape[0] == 0:
        tolerance = np.empty(n)
        for p in range(n):
            tolerance[p] = RELATIVE_TOLERANCE * size_of(a0, b0, of_a, p)
    queue = np.empty(n + DOUBLES, dtype=np.int32)
    advance_all(of_a == 2, ((places_a, places_b), points, queue), n, margin, tolerance, 1.0, False, ended)
    for p in range(n):
        times[p] = math.inf if ended[p]["status"] == FREE else ended[p]["time"]
    return True


def _refuse(given: dict[str, ArrayLike], shapes: tuple[tuple[int, ...], ...]) -> None:
    """Say what is wrong with the arrays."""
    arrays = [_cast.coordinates(value, name, (None, *shape)) for (name, value), shape in zip(given.items(), shapes)]
    said = ", ".join(f"{len(array)} in {name}" for name, array in zip(given, arrays))
    raise TocsinError(f"every array must hold the same number of pairs; got {said}.")


def _times(
    of_a: int, given: dict[str, ArrayLike], shapes: tuple[tuple[int, ...], ...], margin: float, tolerance: float | None
) -> Values:
    """Return the times of pairs, after a look at the shapes; coordinates are looked at where they are used."""
    a0, a1, b0, b1 = [_cast.numbers(value, name, "an array of numbers") for name, value in given.items()]
    n = len(a0) if a0.ndim else 0
    if (a0.shape[1:], a1.shape[1:], b0.shape[1:], b1.shape[1:]) != shapes or not n == len(a1) == len(b0) == len(b1):
        _refuse(given, shapes)
    margin = _cast.margin(margin)
    by = BY_SIZE if tolerance is None else np.array([_cast.tolerance(tolerance)])
    times = np.empty(n)
    flat = (a0.reshape(-1), a1.reshape(-1)), (b0.reshape(-1), b1.reshape(-1))
    if not end_pairs(of_a, *flat, margin, by, np.empty(n, ENDED), times):
        _refuse(given, shapes)
    return times


def vertex_face_times(
    v_t0: ArrayLike, v_t1: ArrayLike, f_t0: ArrayLike, f_t1: ArrayLike, *, margin: float = 0.0,
    tolerance: float | None = None,
) -> Values:  # fmt: skip
    """Return when each vertex first comes within `margin` of its face, (n,); `inf` where proven that it never does.

    `v_t0`, `v_t1`: (n, 3), where the vertices are at time 0 and 1; `f_t0`, `f_t1`: (n, 3, 3), the corners of the faces.
    Everything moves along straight lines in between. A time is never later than the true one, and the distance at that
    time is at most margin + tolerance (metres; by default 1e-4 of the face's diagonal), except where floating point
    does not tell: then, too, the pair is free until the time given.
    """
    given = {"v_t0": v_t0, "v_t1": v_t1, "f_t0": f_t0, "f_t1": f_t1}
    return _times(1, given, ((3,), (3,), (3, 3), (3, 3)), margin, tolerance)


def edge_edge_times(
    a_t0: ArrayLike, a_t1: ArrayLike, b_t0: ArrayLike, b_t1: ArrayLike, *, margin: float = 0.0,
    tolerance: float | None = None,
) -> Values:  # fmt: skip
    """Return when each edge of a first comes within `margin` of its edge of b, (n,); `inf` where it never does.

    All arguments are (n, 2, 3): the ends of the edges at time 0 and 1. As `vertex_face_times`; the tolerance is by
    default 1e-4 of the shorter edge.
    """
    given = {"a_t0": a_t0, "a_t1": a_t1, "b_t0": b_t0, "b_t1": b_t1}
    return _times(2, given, ((2, 3), (2, 3), (2, 3), (2, 3)), margin, tolerance)
