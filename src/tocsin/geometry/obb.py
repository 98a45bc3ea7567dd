"""Oriented bounding boxes of near-minimal volume, proven to contain their points.

A box of least volume has a face or an edge of the convex hull on each side (O'Rourke 1985). `search_axes` goes over
candidate normals (the frame's axes, principal axes, spans between extreme points, a grid, the hull's largest faces);
for each the best rectangle in the plane across it is exact (rotating calipers), which is the search of Barequet and
Har-Peled (2001) with better candidates. The best box is then improved by taking each of its own axes as the normal,
until nothing changes. Searching promises quality only; `tight_box` promises containment for whatever axes it is
given.
"""

import math

import numpy as np

from tocsin import vec
from tocsin._types import Faces, Matrix3, Vector, Vectors
from tocsin.compiler.arrays import copy_rows
from tocsin.compiler.jit import kernel
from tocsin.errors import TocsinError
from tocsin.geometry.hull import Hull, convex_hull
from tocsin.geometry.planar import smallest_rectangle
from tocsin.geometry.scaling import UNDERFLOW, binary_scale, largest_coordinate, representable, scale_up

FACE_NORMALS = 32
"""Candidate normals taken from the hull's largest faces (more gain < 1 % on random hulls)."""

MANY = 2000
"""Beyond this many points the search looks at support points only."""

SUPPORTS = 256
"""Directions in which support points are taken, each both ways."""


@kernel
def tight_box(points, axes):
    """Return `(center, half)`: the smallest box along the rows of `axes` that contains all `points` (n >= 1).

    Claim, in exact arithmetic on the returned numbers, for every point p and k:
    (a) |axes[k].(p - center)| <= half[k], and (b) p = center + sum_k x_k axes[k] with |x_k| <= half[k].

    Proof. Work at unit size (`binary_scale`; U = 2^-53). (a) fl(a.(p - c)) carries one rounding of the difference,
    one of the product and two of the sum: it errs by at most 4.01 U sum |a_j| |p_j - c_j| <= 4.02 U m, m the computed
    sum. Adding 8 U m covers it, the roundings of m, and of that addition (|fl| <= m (1 + 4 U)). Underflows are below
    `UNDERFLOW`. (b) Let E = A A^T - I, |E_ij| <= e. With y = A (p - c) and x = A^-T (p - c): A A^T x = y, so |x_k| <=
    |y_k| + e sum |x_j|; summing, sum |x_j| <= H / (1 - 3e) with H = sum half, so e (1 + 4e) H is added. e is the
    computed |E| plus 4 U (the error of a dot product of unit vectors is <= 3.01 U (1 + e)); the factor 1 + 2^-20
    covers 4e and the roundings.
    """
    n = points.shape[0]
    if n == 0:
        raise ValueError("a box needs at least one point")
    down, up = binary_scale(largest_coordinate(points))
    lo = np.full(3, np.inf)
    hi = np.full(3, -np.inf)
    for i in range(n):
        for k in range(3):
            s = (axes[k, 0] * (points[i, 0] * down) + axes[k, 1] * (points[i, 1] * down)) + axes[k, 2] * (
                points[i, 2] * down
            )
            lo[k] = min(lo[k], s)
            hi[k] = max(hi[k], s)
    c = np.zeros(3)
    for j in range(3):
        c[j] = representable(
            0.5 * (axes[0, j] * (lo[0] + hi[0]) + axes[1, j] * (lo[1] + hi[1]) + axes[2, j] * (lo[2] + hi[2])), down, up
        )
    half = np.zeros(3)
    moved = False
    for i in range(n):
        d0 = points[i, 0] * down - c[0]
        d1 = points[i, 1] * down - c[1]
        d2 = points[i, 2] * down - c[2]
        moved = moved or d0 != 0.0 or d1 != 0.0 or d2 != 0.0
        for k in range(3):
            t0 = axes[k, 0] * d0
            t1 = axes[k, 1] * d1
            t2 = axes[k, 2] * d2
            half[k] = max(half[k], abs((t0 + t1) + t2) + 2.0**-50 * ((abs(t0) + abs(t1)) + abs(t2)))
    e = 0.0
    for k in range(3):
        for j in range(3):
            s = axes[k, 0] * axes[j, 0] + axes[k, 1] * axes[j, 1] + axes[k, 2] * axes[j, 2]
            e = max(e, abs(s - (1.0 if k == j else 0.0)))
    skew = (e + 2.0**-51) * (1.0 + 2.0**-20) * (half[0] + half[1] + half[2])
    if moved:
        for k in range(3):
            half[k] = scale_up((half[k] + skew) * (1.0 + 2.0**-51) + UNDERFLOW, up)
    return c * up, half


@kernel
def frame_along(n):
    """Return two unit vectors that make a right-handed orthonormal frame (u, v, n) with the unit vector n."""
    if abs(n[0]) <= abs(n[1]) and abs(n[0]) <= abs(n[2]):
        u = (0.0, n[2], -n[1])
    elif abs(n[1]) <= abs(n[2]):
        u = (-n[2], 0.0, n[0])
    else:
        u = (n[1], -n[0], 0.0)
    u = vec.scale(u, 1.0 / vec.norm(u))
    return u, vec.cross(n, u)


@kernel
def unit(v):
    """Return v / |v|, or z for a vector too short to have a direction (v is of unit size or zero)."""
    length = vec.norm(v)
    if length < 2.0**-400:
        return (0.0, 0.0, 1.0)
    return vec.scale(v, 1.0 / length)


@kernel
def principal_axes(points):
    """Return the three unit eigenvectors (rows) of the covariance of points of about unit size, longest spread last."""
    n = points.shape[0]
    mean = np.zeros(3)
    for i in range(n):
        for j in range(3):
            mean[j] += points[i, j] / n
    covariance = np.zeros((3, 3))
    for i in range(n):
        for j in range(3):
            for k in range(3):
                covariance[j, k] += (points[i, j] - mean[j]) * (points[i, k] - mean[k])
    return np.ascontiguousarray(np.linalg.eigh(covariance)[1].T)


@kernel
def extreme_spans(points):
    """Return (13, 3): differences between the two extreme points along the 13 directions of a 3x3x3 grid."""
    spans = np.zeros((13, 3))
    for k in range(13):
        cell = k + 14
        d = (cell // 9 - 1.0, cell // 3 % 3 - 1.0, cell % 3 - 1.0)
        first, last = 0, 0
        lo, hi = math.inf, -math.inf
        for i in range(points.shape[0]):
            s = vec.dot(d, vec.load3(points, i))
            if s < lo:
                first, lo = i, s
            if s > hi:
                last, hi = i, s
        for j in range(3):
            spans[k, j] = points[last, j] - points[first, j]
    return spans


@kernel
def _best_about(points, n, pad, x, y, axes):
    """Write the best box axes with normal n into `axes`; return (e0 + pad)(e1 + pad)(e2 + pad) for its extents."""
    u, v = frame_along(n)
    lo, hi = math.inf, -math.inf
    for i in range(points.shape[0]):
        p = vec.load3(points, i)
        x[i] = vec.dot(u, p)
        y[i] = vec.dot(v, p)
        s = vec.dot(n, p)
        lo = min(lo, s)
        hi = max(hi, s)
    cx, cy, measure = smallest_rectangle(x, y, pad)
    a = unit(vec.add(vec.scale(u, cx), vec.scale(v, cy)))
    b = vec.cross(n, a)
    for j in range(3):
        axes[0, j] = a[j]
        axes[1, j] = b[j]
        axes[2, j] = n[j]
    return measure * (hi - lo + pad)


@kernel
def search_axes(points, normals):
    """Return (3, 3) right-handed unit rows: axes of a small box around `points`, which are of about unit size.

    `normals` (m, 3) are unit candidates on top of the built-in ones. A later candidate must be better by one part in
    10^9, so that a box given along the frame's axes is found as such.
    """
    n = points.shape[0]
    x = np.zeros(n)
    y = np.zeros(n)
    trial = np.eye(3)
    axes = np.eye(3)
    extent = 0.0
    best = 1.0
    for k in range(3):
        extent = max(extent, points[:, k].max() - points[:, k].min())
    pad = extent * 2.0**-20  # flat sets have no volume; the pad ranks them by area, then by length
    for k in range(3):
        best *= points[:, k].max() - points[:, k].min() + pad
    spans = extreme_spans(points)
    principal = principal_axes(points)
    for c in range(3 + 3 + 13 + 13 + normals.shape[0]):
        if c < 3:
            d = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        elif c < 6:
            d = vec.load3(principal, c - 3)
        elif c < 19:
            d = vec.load3(spans, c - 6)
        elif c < 32:
            cell = c - 19 + 14
            d = (cell // 9 - 1.0, cell // 3 % 3 - 1.0, cell % 3 - 1.0)
        else:
            d = vec.load3(normals, c - 32)
        measure = _best_about(points, unit(d), pad, x, y, trial)
        if measure < best * (1.0 - 1e-9):
            best = measure
            copy_rows(axes, trial, 3)
    for _ in range(8):
        before = best
        for k in range(3):
            measure = _best_about(points, unit(vec.load3(axes, k)), pad, x, y, trial)
            if measure < best * (1.0 - 1e-9):
                best = measure
                copy_rows(axes, trial, 3)
        if best == before:
            break
    return axes


@kernel
def support_points(points):
    """Return a mask of the points that are extreme along at least one of `SUPPORTS` evenly spread directions."""
    chosen = np.zeros(points.shape[0], dtype=np.bool_)
    for k in range(SUPPORTS):
        z = (k + 0.5) / SUPPORTS  # half a sphere, on a golden spiral; each direction serves both ways
        turn = 2.399963229728653 * k
        r = math.sqrt(1.0 - z * z)
        d = (r * math.cos(turn), r * math.sin(turn), z)
        first, last = 0, 0
        lo, hi = math.inf, -math.inf
        for i in range(points.shape[0]):
            s = vec.dot(d, vec.load3(points, i))
            if s < lo:
                first, lo = i, s
            if s > hi:
                last, hi = i, s
        chosen[first] = True
        chosen[last] = True
    return chosen


def search_hull(points: Vectors) -> Hull:
    """Return the hull that searches look at: of all points, or of their support points where there are very many.

    100,000 points on a ball: 2.6 s become 0.03 s; smooth bodies get a box that is 0.1 to 1 % larger.
    """
    return convex_hull(points[support_points(points)] if len(points) > MANY else points)


def fit_obb(points: Vectors) -> tuple[Vector, Matrix3, Vector]:
    """Return `(center, axes, half)` of a box of near-minimal volume around an (n, 3) array of points, n >= 1.

    The rows of `axes` are right-handed unit vectors. Contains every point in exact arithmetic, in both senses of
    `tight_box`. Milliseconds: the search sees only the corners of the convex hull.
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
        raise TocsinError(f"a box is fitted to an (n, 3) array with n >= 1; got shape {points.shape}.")
    axes = box_axes(search_hull(points))
    center, half = tight_box(points, axes)
    return center, axes, half


def box_axes(hull: Hull) -> Matrix3:
    """Return (3, 3) right-handed unit rows: axes of a small box around a hull."""
    corners = hull.vertices - hull.vertices[0]
    corners = corners * binary_scale(largest_coordinate(corners))[0]
    return search_axes(corners, _face_normals(corners, hull.faces))


def _face_normals(corners: Vectors, faces: Faces) -> Vectors:
    """Unit normals of the hull's largest faces, at most `FACE_NORMALS`, each direction once."""
    a, b, c = (corners[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    area = np.linalg.norm(normals, axis=1)
    order = np.argsort(-area, kind="stable")[: 4 * FACE_NORMALS]
    order = order[area[order] > 0.0]
    chosen = np.zeros((0, 3))
    for normal in normals[order] / area[order, None]:
        if len(chosen) == FACE_NORMALS:
            break
        if not np.any(np.abs(chosen @ normal) > 1.0 - 1e-9):
            chosen = np.vstack((chosen, normal))
    return np.ascontiguousarray(chosen)
