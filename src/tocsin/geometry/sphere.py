"""Bounding spheres of near-minimal radius, proven to contain their points.

The smallest sphere is found as a linear-programming-type problem: the farthest point enters the support, and the
smallest sphere of the (at most five) support points is found among all spheres through two to four of them. Each
round is one pass over the points and the radius grows, so it ends; 5 to 20 rounds are usual.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.compiler.arrays import copy_row, copy_rows
from tocsin.compiler.jit import kernel
from tocsin.geometry.scaling import (
    UNDERFLOW,
    binary_scale,
    largest_coordinate,
    middle_of_box,
    representable,
    scale_up,
)

ROUNDS = 100
"""A cap that has never been reached; the sphere is proven whatever the center."""


@kernel
def bounding_sphere(points):
    """Return `(center, radius)` of a near-minimal sphere around an (n, 3) array, n >= 1.

    Claim: |p - center| <= radius for every point, in exact arithmetic. Proof: at unit size with U = 2^-53, fl(|p -
    c|) has relative error below (2 + 1 + 2) U / 2 + U = 3.5 U (a difference squared, a product, two sums of positive
    numbers, under the root); the factor 1 + 8 U covers it and its own rounding. Squares underflow only for |p - c| <
    2^-500, which is added.
    """
    n = points.shape[0]
    if n == 0:
        raise ValueError("a sphere needs at least one point")
    down, up = binary_scale(largest_coordinate(points))
    q = points * down
    middle = middle_of_box(q)
    c = smallest_sphere_center(q, middle)
    if _farthest(q, middle)[1] < _farthest(q, c)[1]:
        c = middle
    c = (representable(c[0], down, up), representable(c[1], down, up), representable(c[2], down, up))
    _, distance = _farthest(q, c)
    radius = 0.0
    if distance > 0.0 or np.any(q != np.array(c)):
        radius = scale_up(distance * (1.0 + 2.0**-50) + 2.0**-500 + UNDERFLOW, up)
    return np.array((c[0] * up, c[1] * up, c[2] * up)), radius


@kernel
def smallest_sphere_center(points, start):
    """Return the center of the smallest sphere around points of about unit size, up to rounding; no promise."""
    support = np.zeros((5, 3))
    trial = np.zeros((4, 3))
    keep = np.zeros((4, 3))
    size = 0
    center = start
    entering, _ = _farthest(points, center)
    radius = 0.0
    for _ in range(ROUNDS):
        for j in range(3):
            support[size, j] = points[entering, j]
        size += 1
        if size == 1:
            new_center, new_radius = vec.load3(points, entering), 0.0
        else:
            new_center, new_radius, kept = _smallest_through_last(support, size, trial, keep)
            if not new_radius > radius * (1.0 + 2.0**-50):
                break
            size = kept
            copy_rows(support, keep, kept)
        center, radius = new_center, new_radius
        entering, distance = _farthest(points, center)
        if distance <= radius * (1.0 + 2.0**-46):
            break
    return center


@kernel
def _farthest(points, c):
    """Return `(index, distance)` of the point farthest from c."""
    best = -1.0
    index = 0
    for i in range(points.shape[0]):
        d0 = points[i, 0] - c[0]
        d1 = points[i, 1] - c[1]
        d2 = points[i, 2] - c[2]
        s = d0 * d0 + d1 * d1 + d2 * d2
        if s > best:
            best = s
            index = i
    return index, math.sqrt(best)


@kernel
def _smallest_through_last(support, size, trial, keep):
    """Smallest sphere around support[:size] through its last point and one to three others.

    Returns `(center, radius, k)` and the k points that span it in `keep`; radius -1 when rounding left no sphere.
    """
    best = math.inf
    best_center = (0.0, 0.0, 0.0)
    kept = 0
    for subset in range(1, 1 << (size - 1)):
        count = 1
        copy_row(trial, 0, support, size - 1)
        for i in range(size - 1):
            if subset >> i & 1:
                if count < 4:
                    copy_row(trial, count, support, i)
                count += 1
        if count > 4:
            continue
        center, radius = _circumscribed(trial, count)
        if radius < 0.0 or radius >= best:
            continue
        if _farthest(support[:size], center)[1] <= radius * (1.0 + 2.0**-40):
            best = radius
            best_center = center
            kept = count
            copy_rows(keep, trial, count)
    if kept == 0:
        return best_center, -1.0, 0
    return best_center, best, kept


@kernel
def _circumscribed(p, count):
    """Center and radius of the smallest sphere through p[:count], two to four points; radius -1 if they are dependent.

    With d_i = p_i - p_0 the center is p_0 + sum l_i d_i, where sum_j (d_i.d_j) l_j = |d_i|^2 / 2.
    """
    o = vec.load3(p, 0)
    d1 = vec.sub(vec.load3(p, 1), o)
    d2 = vec.sub(vec.load3(p, 2), o) if count > 2 else (0.0, 0.0, 0.0)
    d3 = vec.sub(vec.load3(p, 3), o) if count > 3 else (0.0, 0.0, 0.0)
    s1, s2, s3 = vec.dot(d1, d1), vec.dot(d2, d2), vec.dot(d3, d3)
    if count == 2:
        offset = vec.scale(d1, 0.5)
    elif count == 3:
        normal = vec.cross(d1, d2)
        square = vec.dot(normal, normal)
        if square <= 2.0**-80 * s1 * s2:
            return o, -1.0
        offset = vec.scale(vec.cross(vec.sub(vec.scale(d2, s1), vec.scale(d1, s2)), normal), 0.5 / square)
    else:
        volume = vec.dot(d1, vec.cross(d2, d3))
        if abs(volume) <= 2.0**-40 * math.sqrt(s1) * math.sqrt(s2) * math.sqrt(s3):
            return o, -1.0
        offset = vec.scale(vec.cross(d2, d3), s1)
        offset = vec.add(offset, vec.scale(vec.cross(d3, d1), s2))
        offset = vec.scale(vec.add(offset, vec.scale(vec.cross(d1, d2), s3)), 0.5 / volume)
    return vec.add(o, offset), vec.norm(offset)
