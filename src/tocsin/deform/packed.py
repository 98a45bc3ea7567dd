"""Elements of an octet side by side: one element against eight, before any of their features is looked at.

Corners are kept in single precision, from the origin of the hierarchy, so that nothing has to be gathered; three fixed
directions are tried for each pair, and a direction that separates two elements during [0, T] settles all their feature
pairs at once. Neighbours in a mesh share a corner: then everything else has to lie on its two sides.
"""

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin._lanes import bits, load_singles, select

IDENTITY, ROWS = 18, 21
"""Rows of an octet: x, y, z of the three corners at time 0, then at time 1, then which vertices they are."""

MOST_VERTICES = 2**24
"""Vertices whose numbers single precision can hold."""

ROUNDING = 2.0**-24
"""Unit roundoff of single precision."""

ALL = 255


@kernel
def pack(packed, corners, same, p0, p1, origin):
    """Write the corners of all elements; return the largest coordinate at either end, rounded up.

    Unused lanes repeat the last element: nothing asks for them.
    """
    n = corners.shape[0]
    reach = 0.0
    for q in range(packed.shape[0]):
        for lane in range(8):
            e = min(8 * q + lane, n - 1)
            for c in range(3):
                v = corners[e, c]
                for k in range(3):
                    x = p0[v, k] - origin[k]
                    y = p1[v, k] - origin[k]
                    packed[q, 3 * c + k, lane] = x
                    packed[q, 9 + 3 * c + k, lane] = y
                    reach = max(reach, abs(x), abs(y))
                packed[q, IDENTITY + c, lane] = same[v]
    return reach * (1.0 + 2.0**-50)


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
    return ((x - y) * itself >= np.float32(0.0)) & ((y - x) * itself >= np.float32(0.0))


@kernel
def elements_free(packed_a, oa, i, packed_b, ob, itself, done, limit, noise, margin):
    """Return the elements of octet b (bits) none of whose feature pairs with element i of octet a comes near in [0, T].

    `itself` is 1 for a model against itself, else nan; `noise` is 24 ROUNDING times the largest coordinate of both.

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
    x0 = packed_a[oa, IDENTITY, i]
    x1 = packed_a[oa, IDENTITY + 1, i]
    x2 = packed_a[oa, IDENTITY + 2, i]
    y0 = load_singles(packed_b, ob, IDENTITY)
    y1 = load_singles(packed_b, ob, IDENTITY + 1)
    y2 = load_singles(packed_b, ob, IDENTITY + 2)
    shared = (
        same_vertex(x0, y0, itself), same_vertex(x0, y1, itself), same_vertex(x0, y2, itself),
        same_vertex(x1, y0, itself), same_vertex(x1, y1, itself), same_vertex(x1, y2, itself),
        same_vertex(x2, y0, itself), same_vertex(x2, y1, itself), same_vertex(x2, y2, itself),
    )  # fmt: skip
    keep = noise + margin
    m = vec.sub(vec.add(vec.add(b0[0], b0[1]), b0[2]), vec.add(vec.add(a0[0], a0[1]), a0[2]))
    n = vec.sub(vec.add(vec.add(bt[0], bt[1]), bt[2]), vec.add(vec.add(at[0], at[1]), at[2]))
    rate = vec.sub(n, m)
    least = np.float32(2.0**-100)
    x = (np.float32(0.0) - vec.dot(m, rate)) / (vec.dot(rate, rate) + least)
    x = select(x > np.float32(0.0), select(x < np.float32(1.0), x, np.float32(1.0)), np.float32(0.0))
    pass_by = (m[0] + x * rate[0], m[1] + x * rate[1], m[2] + x * rate[2])
    by = keep * length1(pass_by) + least
    free = sided(pass_by, a0, b0, by, shared) & sided(pass_by, at, bt, by, shared)
    if bits(free) == ALL:
        return ALL
    n = vec.cross(vec.sub(b0[1], b0[0]), vec.sub(b0[2], b0[0]))
    sign = select(vec.dot(n, m) < np.float32(0.0), np.float32(-1.0), np.float32(1.0))
    n = (n[0] * sign, n[1] * sign, n[2] * sign)
    by = keep * length1(n) + least
    free = free | (sided(n, a0, b0, by, shared) & sided(n, at, bt, by, shared))
    n1 = vec.cross(vec.sub(a0[1], a0[0]), vec.sub(a0[2], a0[0]))
    sign = select(vec.dot(m, n1) < np.float32(0.0), np.float32(-1.0), np.float32(1.0))
    n = (sign * n1[0], sign * n1[1], sign * n1[2])
    by = keep * length1(n) + least
    return bits(free | (sided(n, a0, b0, by, shared) & sided(n, at, bt, by, shared)))
