"""Pairs of elements kept apart by one direction: eight pairs at a time, before any of their features is looked at.

Corners are in single precision, from the origin of the hierarchy. A fixed direction that separates two elements during
[0, T] [LOCAL V.A, lemma 1] settles all their feature pairs at once. Five are tried: between the centres where they pass
each other, and the normals of both at 0 and at T; and where little moves, so that time 0 decides, the nine across an
edge of each, which tell apart all that does not cross. Elements that share a vertex with a ring are left to `one_ring`.
"""

from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import inlined, kernel
from tocsin.simd.gathers import listed_corner
from tocsin.simd.lanes import bits, select
from tocsin.simd.singles import greater, lesser, trailing

ROUNDING = 2.0**-24
"""Unit roundoff of single precision."""

ZERO, ONE, LEAST = np.float32(0.0), np.float32(1.0), np.float32(2.0**-100)

ALL = 255


class Corners(NamedTuple):
    """Where the corners of a model's elements are."""

    corners: np.ndarray
    """(m, 3) their vertices."""
    table: np.ndarray
    """Where vertices are, in single precision."""


LARGEST = 2.0**40
"""Coordinates beyond which products of three might overflow single precision: then nothing is settled."""


@kernel
def single_up(x):
    """Return a single-precision number of at least x >= 0, and 0 for 0.

    Proof. From 2^-126 on singles have all their digits, and x (1 + 2^-23), rounded to a double and then to a single, is
    at least x (1 + 2^-23) (1 - 2^-53) (1 - 2^-24) > x. Below, where rounding is not in proportion, 2^-126 is more.
    """
    return np.float32(max(x * (1.0 + 2.0**-23), 2.0**-126)) if x > 0.0 else np.float32(0.0)


@kernel
def noise_of(reach, most):
    """Return 24 ROUNDING times the largest coordinate, rounded up; beyond `most` infinity, which settles nothing."""
    return single_up(24.0 * ROUNDING * reach * (1.0 + 2.0**-22)) if reach < most else np.float32(np.inf)


@kernel
def mixed(p, q, done, limit):
    """Return done p + limit q."""
    return (p[0] * done + q[0] * limit, p[1] * done + q[1] * limit, p[2] * done + q[2] * limit)


@kernel
def length1(n):
    """Return the sum of the absolute components."""
    return abs(n[0]) + abs(n[1]) + abs(n[2])


@inlined
def beside(n, a, b):
    """Return (low of b - high of a, low of a - high of b) of three corners each, along n."""
    p = vec.dot(n, a[0])
    q = vec.dot(n, a[1])
    r = vec.dot(n, a[2])
    x = vec.dot(n, b[0])
    y = vec.dot(n, b[1])
    z = vec.dot(n, b[2])
    above = lesser(lesser(x, y), z) - greater(greater(p, q), r)
    below = lesser(lesser(p, q), r) - greater(greater(x, y), z)
    return above, below


@kernel
def centers(a, b):
    """Return three times the difference of the centroids of b and a."""
    return vec.sub(vec.add(vec.add(b[0], b[1]), b[2]), vec.add(vec.add(a[0], a[1]), a[2]))


@kernel
def normal(a):
    """Return a normal of three corners."""
    return vec.cross(vec.sub(a[1], a[0]), vec.sub(a[2], a[0]))


@inlined
def still_by(n, a, b, keep):
    """Return where n keeps a and b apart at time 0."""
    above, below = beside(n, a, b)
    return greater(above, below) > keep * length1(n) + LEAST


@inlined
def moving_by(n, a, b, at, bt, keep):
    """Return where n keeps a and b apart, on the same sides at time 0 and at T."""
    above, below = beside(n, a, b)
    above_t, below_t = beside(n, at, bt)
    return greater(lesser(above, above_t), lesser(below, below_t)) > keep * length1(n) + LEAST


@inlined
def still_free(a, b, keep):
    """Return which pairs are settled as in `pairs_free`, by where they are at time 0 alone.

    `keep` includes how far corners of both can go during [0, T]: what is that far apart at 0 stays apart.
    """
    free = still_by(centers(a, b), a, b, keep) | still_by(normal(a), a, b, keep) | still_by(normal(b), a, b, keep)
    if bits(free) == ALL:
        return ALL
    e = (vec.sub(a[1], a[0]), vec.sub(a[2], a[1]), vec.sub(a[0], a[2]))
    f = (vec.sub(b[1], b[0]), vec.sub(b[2], b[1]), vec.sub(b[0], b[2]))
    for i in range(3):
        for k in range(3):
            free = free | still_by(vec.cross(e[i], f[k]), a, b, keep)
    return bits(free)


@inlined
def moving_free(a, b, at, bt, keep):
    """Return which pairs are settled as in `pairs_free`, by where they are at time 0 and at T."""
    m = centers(a, b)
    rate = vec.sub(centers(at, bt), m)
    s = (ZERO - vec.dot(m, rate)) / (vec.dot(rate, rate) + LEAST)
    s = select(s > ZERO, select(s < ONE, s, ONE), ZERO)
    free = moving_by((m[0] + s * rate[0], m[1] + s * rate[1], m[2] + s * rate[2]), a, b, at, bt, keep)
    if bits(free) == ALL:
        return ALL
    free = free | moving_by(normal(a), a, b, at, bt, keep) | moving_by(normal(b), a, b, at, bt, keep)
    if bits(free) == ALL:
        return ALL
    return bits(free | moving_by(normal(at), a, b, at, bt, keep) | moving_by(normal(bt), a, b, at, bt, keep))


@inlined
def pairs_free(a, b, listed, first, reach):
    """Return which of eight listed pairs (bits) have no features that come within the margin of each other in [0, T].

    `reach.noise` is 24 ROUNDING times the largest coordinate of both.

    Proof. With n fixed, n . (b_j - a_i) is linear in time; it is above margin |n|_1 >= margin |n| at 0 and at T, so in
    between. With u = ROUNDING and X the largest coordinate: a position is rounded by u X, and three times more at T; a
    dot product by 3 u |n|_1 X; their difference by u, and `keep` |n|_1 by 4 u: n . (b_j - a_i) is known up to
    2 (4 + 3 + 1) u |n|_1 X plus 4 u of keep, and 24 u covers it.
    """
    p = listed_corner(a.table, a.corners, listed, first, 0, 0)
    q = listed_corner(a.table, a.corners, listed, first, 0, 1)
    r = listed_corner(a.table, a.corners, listed, first, 0, 2)
    x = listed_corner(b.table, b.corners, listed, first, 1, 0)
    y = listed_corner(b.table, b.corners, listed, first, 1, 1)
    z = listed_corner(b.table, b.corners, listed, first, 1, 2)
    a0 = ((p[0], p[1], p[2]), (q[0], q[1], q[2]), (r[0], r[1], r[2]))
    b0 = ((x[0], x[1], x[2]), (y[0], y[1], y[2]), (z[0], z[1], z[2]))
    keep = reach.noise + reach.margin
    if reach.still:
        return still_free(a0, b0, keep)
    done = reach.done
    limit = reach.limit
    at = (
        mixed(a0[0], (p[3], p[4], p[5]), done, limit),
        mixed(a0[1], (q[3], q[4], q[5]), done, limit),
        mixed(a0[2], (r[3], r[4], r[5]), done, limit),
    )
    bt = (
        mixed(b0[0], (x[3], x[4], x[5]), done, limit),
        mixed(b0[1], (y[3], y[4], y[5]), done, limit),
        mixed(b0[2], (z[3], z[4], z[5]), done, limit),
    )
    return moving_free(a0, b0, at, bt, keep)


@kernel
def keep_pairs(a, b, listed, first, last, reach, pairs, n):
    """Move the listed pairs first to last - 1 that are not proven free to `pairs`, from row n on; return (n, next).

    Of the elements of a and b, which are `Corners`. As many as fit. There is room for eight more pairs in `listed`.
    """
    if first < last:
        for k in range(last, last + 8):
            listed[k, 0] = listed[last - 1, 0]
            listed[k, 1] = listed[last - 1, 1]
    p = first
    while p < last and n + 8 <= pairs.shape[0]:
        left = ALL - pairs_free(a, b, listed, p, reach)
        left &= (1 << min(8, last - p)) - 1
        while left:
            k = p + trailing(left)
            left &= left - 1
            pairs[n, 0] = listed[k, 0]
            pairs[n, 1] = listed[k, 1]
            pairs[n, 2] = 1
            n += 1
        p += 8
    return n, min(p, last)
