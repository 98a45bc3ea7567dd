"""Elements of an octet side by side: one element against eight, before any of their features is looked at.

Corners are kept in single precision, from the origin of the hierarchy, so that nothing has to be gathered; three fixed
directions are tried for each pair, and a direction that separates two elements during [0, T] settles all their feature
pairs at once. Elements that share a vertex with a ring are left to `stars`.
"""

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin._lanes import bits, load_singles, select
from tocsin.deform.rows import greater, lesser

ROWS = 18
"""Rows of an octet: x, y, z of the three corners at time 0, then at time 1."""

ROUNDING = 2.0**-24
"""Unit roundoff of single precision."""

ALL = 255

ZERO, ONE, LEAST = np.float32(0.0), np.float32(1.0), np.float32(2.0**-100)


@kernel
def corner8(packed, q, row):
    """Return a corner of all elements of an octet."""
    return (load_singles(packed, q, row), load_singles(packed, q, row + 1), load_singles(packed, q, row + 2))


@kernel
def corner1(packed, q, row, lane):
    """Return a corner of one element of an octet."""
    return (packed[q, row, lane], packed[q, row + 1, lane], packed[q, row + 2, lane])


@kernel
def mixed(p, q, done, limit):
    """Return done p + limit q."""
    return (p[0] * done + q[0] * limit, p[1] * done + q[1] * limit, p[2] * done + q[2] * limit)


@kernel
def length1(n):
    """Return the sum of the absolute components."""
    return abs(n[0]) + abs(n[1]) + abs(n[2])


@kernel
def sided(n, a, b, keep):
    """Return where n . (b_j - a_i) > keep for all corners i of a and j of b."""
    low = lesser(lesser(vec.dot(n, b[0]), vec.dot(n, b[1])), vec.dot(n, b[2]))
    high = greater(greater(vec.dot(n, a[0]), vec.dot(n, a[1])), vec.dot(n, a[2]))
    return low > high + keep


@kernel
def sharing(marks_a, oa, i, marks_b, ob):
    """Return the elements of octet b (bits) that have a vertex with a ring in common with element i of octet a.

    Marks of other vertices are nan, which equals nothing.
    """
    x = marks_a[oa, 0, i]
    y = marks_a[oa, 1, i]
    z = marks_a[oa, 2, i]
    p = load_singles(marks_b, ob, 0)
    q = load_singles(marks_b, ob, 1)
    r = load_singles(marks_b, ob, 2)
    same = (p == x) | (p == y) | (p == z) | (q == x) | (q == y) | (q == z)
    return bits(same | (r == x) | (r == y) | (r == z))


@kernel
def toward(n, m):
    """Return n, turned to the side of m."""
    sign = select(vec.dot(m, n) < ZERO, -ONE, ONE)
    return (sign * n[0], sign * n[1], sign * n[2])


@kernel
def centers(a, b):
    """Return three times the difference of the centroids of b and a."""
    return vec.sub(vec.add(vec.add(b[0], b[1]), b[2]), vec.add(vec.add(a[0], a[1]), a[2]))


@kernel
def still_free(packed_a, oa, i, packed_b, ob, noise, margin, asked):
    """Return the elements of octet b (bits) that are settled as in `elements_free`, by where they are at time 0 alone.

    `margin` includes how far corners of both can go during [0, T]: what is that far apart at 0 stays apart. Only the
    lanes in `asked` are needed.
    """
    a = (corner1(packed_a, oa, 0, i), corner1(packed_a, oa, 3, i), corner1(packed_a, oa, 6, i))
    b = (corner8(packed_b, ob, 0), corner8(packed_b, ob, 3), corner8(packed_b, ob, 6))
    keep = noise + margin
    m = centers(a, b)
    free = sided(m, a, b, keep * length1(m) + LEAST)
    if not asked & ~bits(free):
        return ALL
    n = toward(vec.cross(vec.sub(b[1], b[0]), vec.sub(b[2], b[0])), m)
    free = free | sided(n, a, b, keep * length1(n) + LEAST)
    n = toward(vec.cross(vec.sub(a[1], a[0]), vec.sub(a[2], a[0])), m)
    return bits(free | sided(n, a, b, keep * length1(n) + LEAST))


@kernel
def elements_free(packed_a, oa, i, packed_b, ob, done, limit, noise, margin, asked):
    """Return the elements of octet b (bits) none of whose feature pairs with element i of octet a comes near in [0, T].

    `noise` is 24 ROUNDING times the largest coordinate of both. Only the lanes in `asked` are needed.

    Proof. With n fixed, n . (b_j - a_i) is linear in time; it is above margin |n|_1 >= margin |n| at 0 and at T, so in
    between. With u = ROUNDING and X the largest coordinate: a position is rounded by u X, and three times more at T; a
    dot product by 3 u |n|_1 X; adding `keep` and the comparison cost u each: n . (b_j - a_i) is known up to
    2 (4 + 3 + 1) u |n|_1 X plus 4 u of keep, and 24 u covers it.
    """
    a0 = (corner1(packed_a, oa, 0, i), corner1(packed_a, oa, 3, i), corner1(packed_a, oa, 6, i))
    a1 = (corner1(packed_a, oa, 9, i), corner1(packed_a, oa, 12, i), corner1(packed_a, oa, 15, i))
    b0 = (corner8(packed_b, ob, 0), corner8(packed_b, ob, 3), corner8(packed_b, ob, 6))
    b1 = (corner8(packed_b, ob, 9), corner8(packed_b, ob, 12), corner8(packed_b, ob, 15))
    at = (mixed(a0[0], a1[0], done, limit), mixed(a0[1], a1[1], done, limit), mixed(a0[2], a1[2], done, limit))
    bt = (mixed(b0[0], b1[0], done, limit), mixed(b0[1], b1[1], done, limit), mixed(b0[2], b1[2], done, limit))
    keep = noise + margin
    m = centers(a0, b0)
    rate = vec.sub(centers(at, bt), m)
    s = (ZERO - vec.dot(m, rate)) / (vec.dot(rate, rate) + LEAST)
    s = select(s > ZERO, select(s < ONE, s, ONE), ZERO)
    n = (m[0] + s * rate[0], m[1] + s * rate[1], m[2] + s * rate[2])
    by = keep * length1(n) + LEAST
    free = sided(n, a0, b0, by) & sided(n, at, bt, by)
    if not asked & ~bits(free):
        return ALL
    n = toward(vec.cross(vec.sub(b0[1], b0[0]), vec.sub(b0[2], b0[0])), m)
    by = keep * length1(n) + LEAST
    free = free | (sided(n, a0, b0, by) & sided(n, at, bt, by))
    n = toward(vec.cross(vec.sub(a0[1], a0[0]), vec.sub(a0[2], a0[0])), m)
    by = keep * length1(n) + LEAST
    return bits(free | (sided(n, a0, b0, by) & sided(n, at, bt, by)))
