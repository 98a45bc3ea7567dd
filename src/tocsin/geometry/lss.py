"""Line-swept spheres (Larsen et al. 1999): a segment and a radius that together contain all points [ARTICULATE 4.2.1].

For a given direction the best axis goes through the center of the smallest circle around the points' shadow; the
segment is then shortened as far as the two round caps allow. Directions: the axes of the oriented box, the longest
span, and a pattern search around the best. A sphere is the segment of length zero. Searching promises quality only;
`swept_radius` promises containment for whatever segment it is given.
"""

import math

import numpy as np

from tocsin import vec
from tocsin._types import Vector, Vectors
from tocsin.compiler.jit import kernel
from tocsin.errors import TocsinError
from tocsin.geometry.obb import box_axes, extreme_spans, frame_along, search_hull, unit
from tocsin.geometry.scaling import (
    UNDERFLOW,
    binary_scale,
    largest_coordinate,
    middle_of_box,
    scale_up,
)
from tocsin.geometry.sphere import bounding_sphere, smallest_sphere_center


def fit_lss(points: Vectors) -> tuple[Vector, Vector, float]:
    """Return `(p0, p1, radius)`: every point of the (n, 3) array, n >= 1, is within `radius` of the segment p0 p1.

    In exact arithmetic: see `swept_radius`. The volume is near the least there is; milliseconds.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
        raise TocsinError(f"a line-swept sphere is fitted to an (n, 3) array with n >= 1; got shape {points.shape}.")
    hull = search_hull(points)
    axes = box_axes(hull)
    corners = hull.vertices
    middle = np.array(middle_of_box(corners))
    corners = corners - middle
    down, up = binary_scale(largest_coordinate(corners))
    p0, p1 = search_segment(corners * down, axes)
    p0, p1 = p0 * up + middle, p1 * up + middle
    radius = swept_radius(points, p0, p1)
    center, ball = bounding_sphere(points)
    if _volume(math.dist(p0, p1), radius) < _volume(0.0, ball):
        return p0, p1, radius
    return center, center.copy(), ball


@kernel
def swept_radius(points, p0, p1):
    """Return the radius around the segment p0 p1 that contains all points, rounded up.

    Claim: for every p there is s in [0, 1] with |p - p0 - s e| <= radius, e = p1 - p0, in exact arithmetic. Proof:
    any computed s in [0, 1] names a point of the segment. At unit size with U = 2^-53 each component of fl((p - p0) -
    s e) errs by at most 2.01 U |p_j - p0_j| + 3.01 U |e_j|, its norm by 3.5 U of itself (`bounding_sphere`) plus the
    1-norm of that; 8 U of both 1-norms and of the norm are added. Underflows are below 2^-500.
    """
    ends = np.vstack((p0, p1))
    largest = max(largest_coordinate(points), largest_coordinate(ends))
    down, up = binary_scale(largest)
    a = (p0[0] * down, p0[1] * down, p0[2] * down)
    e = (p1[0] * down - a[0], p1[1] * down - a[1], p1[2] * down - a[2])
    square = vec.dot(e, e)
    stretch = abs(e[0]) + abs(e[1]) + abs(e[2])
    radius = 0.0
    for i in range(points.shape[0]):
        d = (points[i, 0] * down - a[0], points[i, 1] * down - a[1], points[i, 2] * down - a[2])
        s = min(max(vec.dot(d, e) / square, 0.0), 1.0) if square > 0.0 else 0.0
        w = vec.axpy(d, -s, e)
        reach = (abs(d[0]) + abs(d[1]) + abs(d[2])) + stretch
        if reach > 0.0:
            radius = max(radius, vec.norm(w) * (1.0 + 2.0**-50) + (2.0**-50 * reach + (2.0**-500 + UNDERFLOW)))
    return scale_up(radius * (1.0 + 2.0**-51), up)


@kernel
def search_segment(points, axes):
    """Return the ends of the best segment found for points of about unit size; rows of `axes` are first directions."""
    best_direction = vec.load3(axes, 0)
    best = segment_along(points, best_direction)
    spans = extreme_spans(points)
    for k in range(1, 16):
        direction = vec.load3(axes, k) if k < 3 else unit(vec.load3(spans, k - 3))
        trial = segment_along(points, direction)
        if trial[2] < best[2]:
            best, best_direction = trial, direction
    step = 0.25
    while step > 1e-3:
        u, v = frame_along(best_direction)
        improved = False
        for k in range(8):
            turn = k * math.pi / 4
            shift = vec.axpy(vec.scale(u, step * math.cos(turn)), step * math.sin(turn), v)
            direction = unit(vec.add(best_direction, shift))
            trial = segment_along(points, direction)
            if trial[2] < best[2] * (1.0 - 1e-9):
                best, best_direction, improved = trial, direction, True
        if not improved:
            step *= 0.5
    p0, p1, _ = best
    return np.array(p0), np.array(p1)


@kernel
def segment_along(points, direction):
    """Return `(p0, p1, volume)` of the best line-swept sphere with its segment along a unit direction."""
    n = points.shape[0]
    shadow = np.zeros((n, 3))
    for i in range(n):
        p = vec.load3(points, i)
        q = vec.axpy(p, -vec.dot(p, direction), direction)
        shadow[i, 0], shadow[i, 1], shadow[i, 2] = q
    foot = smallest_sphere_center(shadow, middle_of_box(shadow))
    square = 0.0
    for i in range(n):
        d = vec.sub(vec.load3(shadow, i), foot)
        square = max(square, vec.dot(d, d))
    lo, hi = math.inf, -math.inf  # the caps reach every point when the ends are at lo and hi
    for i in range(n):
        d = vec.sub(vec.load3(shadow, i), foot)
        cap = math.sqrt(max(square - vec.dot(d, d), 0.0))
        along = vec.dot(vec.load3(points, i), direction)
        lo = min(lo, along + cap)
        hi = max(hi, along - cap)
    if lo > hi:
        lo = 0.5 * (lo + hi)
        hi = lo
    radius = math.sqrt(square)
    return vec.axpy(foot, lo, direction), vec.axpy(foot, hi, direction), _volume(hi - lo, radius)


@kernel
def _volume(length, radius):
    """Volume of a line-swept sphere, over pi."""
    return radius * radius * length + 4.0 / 3.0 * radius * radius * radius
