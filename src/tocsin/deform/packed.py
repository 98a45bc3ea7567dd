"""Elements of an octet side by side: one element against eight, before any of their features is looked at.

Corners are kept in single precision, from the origin of the hierarchy, so that nothing has to be gathered; three fixed
directions are tried for each pair, and a direction that separates two elements during [0, T] settles all their feature
pairs at once. Neighbours in a mesh share a corner: then everything else has to lie on its two sides. Those that share
two are hinges, of which there is a list: they are left to `hinges`.
"""

import math

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin._lanes import bits, load_singles, select

IDENTITY, ROWS = 18, 21
"""Rows of an octet: x, y, z of the three corners at time 0, then at time 1, then which vertices they are."""

ROUNDING = 2.0**-24
"""Unit roundoff of single precision."""

ALL = 255

ZERO, ONE, LEAST = np.float32(0.0), np.float32(1.0), np.float32(2.0**-100)


@kernel
def pack(packed, corners, identity, p0, p1, origin):
    """Write the corners of all elements; return (reach, pace, size).

    The largest coordinate at either end, and how far any corner goes, rounded up; and the mean width of elements.
    Unused lanes repeat the last element: nothing asks for them.
    """
    n = corners.shape[0]
    reach = 0.0
    pace = 0.0
    width = 0.0
    for q in range(packed.shape[0]):
        for lane in range(8):
            e = min(8 * q + lane, n - 1)
            for c in range(3):
                v = corners[e, c]
                gone = 0.0
                for k in range(3):
                    x = p0[v, k] - origin[k]
                    y = p1[v, k] - origin[k]
                    packed[q, 3 * c + k, lane] = x
                    packed[q, 9 + 3 * c + k, lane] = y
                    reach = max(reach, abs(x), abs(y))
                    gone += (p1[v, k] - p0[v, k]) ** 2
                pace = max(pace, gone)
                width += abs(p0[v, 0] - p0[corners[e, 0], 0]) + abs(p0[v, 1] - p0[corners[e, 0], 1])
                width += abs(p0[v, 2] - p0[corners[e, 0], 2])
                packed[q, IDENTITY + c, lane] = identity[e, c]
    return reach * (1.0 + 2.0**-50), math.sqrt(pace) * (1.0 + 2.0**-50), width / (16.0 * packed.shape[0])


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
def sided(n, a, b, keep, shared):
    """Return where n . (b_j - a_i) > keep for all corners i of a and j of b, but those that are one vertex."""
    a0 = vec.dot(n, a[0]) + keep
    a1 = vec.dot(n, a[1]) + keep
    a2 = vec.dot(n, a[2]) + keep
    b0 = vec.dot(n, b[0])
    b1 = vec.dot(n, b[1])
    b2 = vec.dot(n, b[2])
    apart = ((b0 > a0) | shared[0]) & ((b1 > a0) | shared[1]) & ((b2 > a0) | shared[2])
    apart = apart & ((b0 > a1) | shared[3]) & ((b1 > a1) | shared[4]) & ((b2 > a1) | shared[5])
    return apart & ((b0 > a2) | shared[6]) & ((b1 > a2) | shared[7]) & ((b2 > a2) | shared[8])


@kernel
def same_vertex(x, y, itself):
    """Return where two numbers of vertices are equal; nowhere for two models."""
    return ((x - y) * itself >= ZERO) & ((y - x) * itself >= ZERO)


@kernel
def common(packed_a, oa, i, packed_b, ob, itself):
    """Return which corners of element i of octet a and of all elements of octet b are one vertex: nine masks."""
    x0 = packed_a[oa, IDENTITY, i]
    x1 = packed_a[oa, IDENTITY + 1, i]
    x2 = packed_a[oa, IDENTITY + 2, i]
    y0 = load_singles(packed_b, ob, IDENTITY)
    y1 = load_singles(packed_b, ob, IDENTITY + 1)
    y2 = load_singles(packed_b, ob, IDENTITY + 2)
    return (
        same_vertex(x0, y0, itself), same_vertex(x0, y1, itself), same_vertex(x0, y2, itself),
        same_vertex(x1, y0, itself), same_vertex(x1, y1, itself), same_vertex(x1, y2, itself),
        same_vertex(x2, y0, itself), same_vertex(x2, y1, itself), same_vertex(x2, y2, itself),
    )  # fmt: skip


@kernel
def is_hinge(shared):
    """Return where two corners are shared."""
    x = shared[0] | shared[1] | shared[2]
    y = shared[3] | shared[4] | shared[5]
    z = shared[6] | shared[7] | shared[8]
    return (x & y) | (y & z) | (z & x)


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
def still_free(packed_a, oa, i, packed_b, ob, itself, noise, margin, asked):
    """Return the elements of octet b (bits) that are settled as in `elements_free`, by where they are at time 0 alone.

    `margin` includes how far corners of both can go during [0, T]: what is that far apart at 0 stays apart. Only the
    lanes in `asked` are needed.
    """
    a = (corner1(packed_a, oa, 0, i), corner1(packed_a, oa, 3, i), corner1(packed_a, oa, 6, i))
    b = (corner8(packed_b, ob, 0), corner8(packed_b, ob, 3), corner8(packed_b, ob, 6))
    shared = common(packed_a, oa, i, packed_b, ob, itself)
    keep = noise + margin
    m = centers(a, b)
    free = is_hinge(shared) | sided(m, a, b, keep * length1(m) + LEAST, shared)
    if not asked & ~bits(free):
        return ALL
    n = toward(vec.cross(vec.sub(b[1], b[0]), vec.sub(b[2], b[0])), m)
    free = free | sided(n, a, b, keep * length1(n) + LEAST, shared)
    n = toward(vec.cross(vec.sub(a[1], a[0]), vec.sub(a[2], a[0])), m)
    return bits(free | sided(n, a, b, keep * length1(n) + LEAST, shared))


@kernel
def elements_free(packed_a, oa, i, packed_b, ob, itself, done, limit, noise, margin, asked):
    """Return the elements of octet b (bits) none of whose feature pairs with element i of octet a comes near in [0, T].

    Hinges count as settled. `itself` is 1 for a model against itself, else nan; `noise` is 24 ROUNDING times the
    largest coordinate of both. Only the lanes in `asked` are needed.

    Proof. With n fixed, n . (b_j - a_i) is linear in time; it is above margin |n|_1 >= margin |n| at 0 and at T, so in
    between. With u = ROUNDING and X the largest coordinate: a position is rounded by u X, and three times more at T; a
    dot product by 3 u |n|_1 X; adding `keep` and the comparison cost u each: n . (b_j - a_i) is known up to
    2 (4 + 3 + 1) u |n|_1 X plus 4 u of keep, and 24 u covers it. Where two corners are one vertex, all others are on
    its two sides: features that do not share a vertex are then apart.
    """
    a0 = (corner1(packed_a, oa, 0, i), corner1(packed_a, oa, 3, i), corner1(packed_a, oa, 6, i))
    a1 = (corner1(packed_a, oa, 9, i), corner1(packed_a, oa, 12, i), corner1(packed_a, oa, 15, i))
    b0 = (corner8(packed_b, ob, 0), corner8(packed_b, ob, 3), corner8(packed_b, ob, 6))
    b1 = (corner8(packed_b, ob, 9), corner8(packed_b, ob, 12), corner8(packed_b, ob, 15))
    at = (mixed(a0[0], a1[0], done, limit), mixed(a0[1], a1[1], done, limit), mixed(a0[2], a1[2], done, limit))
    bt = (mixed(b0[0], b1[0], done, limit), mixed(b0[1], b1[1], done, limit), mixed(b0[2], b1[2], done, limit))
    shared = common(packed_a, oa, i, packed_b, ob, itself)
    keep = noise + margin
    m = centers(a0, b0)
    rate = vec.sub(centers(at, bt), m)
    s = (ZERO - vec.dot(m, rate)) / (vec.dot(rate, rate) + LEAST)
    s = select(s > ZERO, select(s < ONE, s, ONE), ZERO)
    n = (m[0] + s * rate[0], m[1] + s * rate[1], m[2] + s * rate[2])
    by = keep * length1(n) + LEAST
    free = is_hinge(shared) | (sided(n, a0, b0, by, shared) & sided(n, at, bt, by, shared))
    if not asked & ~bits(free):
        return ALL
    n = toward(vec.cross(vec.sub(b0[1], b0[0]), vec.sub(b0[2], b0[0])), m)
    by = keep * length1(n) + LEAST
    free = free | (sided(n, a0, b0, by, shared) & sided(n, at, bt, by, shared))
    n = toward(vec.cross(vec.sub(a0[1], a0[0]), vec.sub(a0[2], a0[0])), m)
    by = keep * length1(n) + LEAST
    return bits(free | (sided(n, a0, b0, by, shared) & sided(n, at, bt, by, shared)))
