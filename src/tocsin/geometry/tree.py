"""A hierarchy of oriented boxes over the triangles of a shape.

A node is one record of 64 bytes, one line of the processor's cache (a random visit costs 26 ns when the node is at hand
and twice that when it is not; in double precision a node would be three lines). It holds its box in single precision,
the reach of its content from the frame's origin (for the motion bounds), and its children, which lie side by side:
`first` and `first + 1` of an inner node. A leaf holds one triangle: `count` is 1 and `first` is the triangle's index.
The root is node 0.

Boxes follow the principal axes of their vertices, or the frame's axes where those make a smaller box. Walks down a tree
keep what waits on stacks of fixed length, so no tree is deeper than DEPTH (`tree_building`).
"""

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel

NODE = np.dtype(
    [
        ("center", "f4", 3),
        ("axes", "f4", (2, 3)),  # rows are nearly unit; the third axis is their cross product
        ("half", "f4", 3),
        ("reach", "f4"),  # no point of the content is farther than this from the frame's origin
        ("radius", "f4"),  # half-diagonal of the box
        ("first", "i4"),
        ("count", "i4"),  # 0: inner node
    ],
    align=True,
)

UNIT = 2.0**-53

DEPTH = 47
"""No leaf of a tree is farther from its root than this; half as many again as a balanced tree of 2^31 triangles has."""

MAX_DEPTH = 2 * DEPTH
"""The same of a tree each of whose leaves is the root of another one (`pieces`). Stacks are as long as this asks for: a
walk that opens one of w children after another has at most (w - 1) MAX_DEPTH + 1 of them waiting, and one down two
trees twice as many."""

SINGLE_UP = 1.0 + 2.0**-22
SINGLE_TINY = 2.0**-140
"""x * SINGLE_UP + SINGLE_TINY, rounded to single precision, is at least x, for x >= 0 and below 2^127."""

UNIT_DOWN = 1.0 - 2.0**-21
"""Times an axis of a node: a vector no longer than 1."""


@kernel
def eigen_axes(c00, c01, c02, c11, c12, c22):
    """Return three orthonormal eigenvectors (rows) of a symmetric matrix, by cyclic Jacobi rotations.

    Only their orthonormality matters for soundness (Gram-Schmidt at the end); how well they diagonalise is a matter
    of quality. No absolute thresholds: scaling the matrix by a power of two changes no bit of the result.
    """
    v00, v01, v02 = 1.0, 0.0, 0.0
    v10, v11, v12 = 0.0, 1.0, 0.0
    v20, v21, v22 = 0.0, 0.0, 1.0
    for _ in range(8):
        off = abs(c01) + abs(c02) + abs(c12)
        if off <= 1e-14 * (abs(c00) + abs(c11) + abs(c22)):
            break
        if c01 != 0.0:
            theta = (c11 - c00) / (2.0 * c01)
            t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
            if theta < 0.0:
                t = -t
            c = 1.0 / np.sqrt(t * t + 1.0)
            s = t * c
            c00, c11 = c00 - t * c01, c11 + t * c01
            c02, c12 = c * c02 - s * c12, s * c02 + c * c12
            c01 = 0.0
            v00, v10 = c * v00 - s * v10, s * v00 + c * v10
            v01, v11 = c * v01 - s * v11, s * v01 + c * v11
            v02, v12 = c * v02 - s * v12, s * v02 + c * v12
        if c02 != 0.0:
            theta = (c22 - c00) / (2.0 * c02)
            t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
            if theta < 0.0:
                t = -t
            c = 1.0 / np.sqrt(t * t + 1.0)
            s = t * c
            c00, c22 = c00 - t * c02, c22 + t * c02
            c01, c12 = c * c01 - s * c12, s * c01 + c * c12
            c02 = 0.0
            v00, v20 = c * v00 - s * v20, s * v00 + c * v20
            v01, v21 = c * v01 - s * v21, s * v01 + c * v21
            v02, v22 = c * v02 - s * v22, s * v02 + c * v22
        if c12 != 0.0:
            theta = (c22 - c11) / (2.0 * c12)
            t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
            if theta < 0.0:
                t = -t
            c = 1.0 / np.sqrt(t * t + 1.0)
            s = t * c
            c11, c22 = c11 - t * c12, c22 + t * c12
            c01, c02 = c * c01 - s * c02, s * c01 + c * c02
            c12 = 0.0
            v10, v20 = c * v10 - s * v20, s * v10 + c * v20
            v11, v21 = c * v11 - s * v21, s * v11 + c * v21
            v12, v22 = c * v12 - s * v22, s * v12 + c * v22
    return orthonormal((v00, v01, v02), (v10, v11, v12))


@kernel
def orthonormal(u, v):
    """Return rows (u/|u|, v made orthogonal to it and unit, their cross product); any frame where u or v vanish.

    Two rounds of Gram-Schmidt leave |rows rows^T - I| below 16 units of rounding.
    """
    length = vec.norm(u)
    if not length > 0.0 or not np.isfinite(length):
        return (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    u = (u[0] / length, u[1] / length, u[2] / length)
    size = vec.norm(v)
    v = vec.axpy(v, -vec.dot(u, v), u)
    length = vec.norm(v)
    if not length > 1e-6 * size or not np.isfinite(length):
        # v is parallel to u, or nothing: take the frame axis most across u.
        if abs(u[0]) <= abs(u[1]) and abs(u[0]) <= abs(u[2]):
            v = (1.0, 0.0, 0.0)
        elif abs(u[1]) <= abs(u[2]):
            v = (0.0, 1.0, 0.0)
        else:
            v = (0.0, 0.0, 1.0)
        v = vec.axpy(v, -vec.dot(u, v), u)
        length = vec.norm(v)
    v = (v[0] / length, v[1] / length, v[2] / length)
    v = vec.axpy(v, -vec.dot(u, v), u)
    length = vec.norm(v)
    v = (v[0] / length, v[1] / length, v[2] / length)
    return u, v, vec.cross(u, v)


@kernel
def measure(points, faces, order, begin, end, axes):
    """Return (lo, hi) of the projections of the triangles order[begin:end] on the three axes."""
    lo0 = lo1 = lo2 = np.inf
    hi0 = hi1 = hi2 = -np.inf
    for k in range(begin, end):
        f = order[k]
        for c in range(3):
            p = vec.load3(points, faces[f, c])
            x = vec.dot(axes[0], p)
            y = vec.dot(axes[1], p)
            z = vec.dot(axes[2], p)
            lo0 = min(lo0, x)
            lo1 = min(lo1, y)
            lo2 = min(lo2, z)
            hi0 = max(hi0, x)
            hi1 = max(hi1, y)
            hi2 = max(hi2, z)
    return (lo0, lo1, lo2), (hi0, hi1, hi2)


@kernel
def surface(lo, hi):
    """Return a measure of a box's size: the area of its faces (flat boxes still compare)."""
    x = hi[0] - lo[0]
    y = hi[1] - lo[1]
    z = hi[2] - lo[2]
    return x * y + y * z + z * x


@kernel
def fit(nodes, node, points, faces, order, begin, end):
    """Write the box and the reach of order[begin:end] into a node."""
    biggest = 0.0
    reach2 = 0.0
    m = (0.0, 0.0, 0.0)
    n = 3.0 * (end - begin)
    for k in range(begin, end):
        for c in range(3):
            p = vec.load3(points, faces[order[k], c])
            biggest = max(biggest, max(abs(p[0]), max(abs(p[1]), abs(p[2]))))
            reach2 = max(reach2, vec.dot(p, p))
            m = vec.add(m, p)
    m = (m[0] / n, m[1] / n, m[2] / n)
    if end - begin == 1:
        # One triangle: along its longest edge and its normal, so that the box is flat.
        a = vec.load3(points, faces[order[begin], 0])
        b = vec.load3(points, faces[order[begin], 1])
        c = vec.load3(points, faces[order[begin], 2])
        ab = vec.sub(b, a)
        bc = vec.sub(c, b)
        ca = vec.sub(a, c)
        e = ab
        g = bc
        if vec.dot(bc, bc) > vec.dot(e, e):
            e = bc
            g = ca
        if vec.dot(ca, ca) > vec.dot(e, e):
            e = ca
            g = ab
        axes = orthonormal(e, g)
        lo, hi = measure(points, faces, order, begin, end, axes)
    else:
        c00 = c01 = c02 = c11 = c12 = c22 = 0.0
        for k in range(begin, end):
            for c in range(3):
                p = vec.sub(vec.load3(points, faces[order[k], c]), m)
                c00 += p[0] * p[0]
                c01 += p[0] * p[1]
                c02 += p[0] * p[2]
                c11 += p[1] * p[1]
                c12 += p[1] * p[2]
                c22 += p[2] * p[2]
        axes = eigen_axes(c00, c01, c02, c11, c12, c22)
        lo, hi = measure(points, faces, order, begin, end, axes)
        frame = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        lo_f, hi_f = measure(points, faces, order, begin, end, frame)
        if surface(lo_f, hi_f) <= surface(lo, hi):
            axes = frame
            lo = lo_f
            hi = hi_f
    slack = 128.0 * UNIT * biggest
    mid = (0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]), 0.5 * (lo[2] + hi[2]))
    half = (0.5 * (hi[0] - lo[0]) + slack, 0.5 * (hi[1] - lo[1]) + slack, 0.5 * (hi[2] - lo[2]) + slack)
    write_box(nodes[node], vec.tmatvec(axes, mid), axes, half, np.sqrt(reach2) * (1.0 + 8.0 * UNIT))


@kernel
def write_box(node, center, axes, half, reach):
    """Write a box, given in double precision with orthonormal axes, into a node, so that the node contains it.

    Claim: every point p of the box is c + sum x_k a_k with |x_k| <= half_k of the node, where c, a_k are the node's
    own centre and axes (a_2 = a_0 x a_1). Proof: y_k = a_k.(p - c) is at most |a_k.(center - c)| + sum_j half_j
    |a_k.axes_j|. Rounding a unit vector to single precision changes it by at most 2^-24, so the Gram matrix of the a_k
    differs from I by less than 2^-20 in norm, hence x differs from y by less than 2^-19 |y|: added, with 16 units of
    the largest coordinate for the rounding of these sums, and rounded up to single precision.
    """
    for i in range(3):
        node["center"][i] = np.float32(center[i])
        node["axes"][0, i] = np.float32(axes[0][i])
        node["axes"][1, i] = np.float32(axes[1][i])
    a = node_axes(node)
    c = (np.float64(node["center"][0]), np.float64(node["center"][1]), np.float64(node["center"][2]))
    d = vec.sub(center, c)
    size = abs(center[0]) + abs(center[1]) + abs(center[2]) + half[0] + half[1] + half[2]
    y0 = spread(half, axes, a[0]) + abs(vec.dot(a[0], d)) + 16.0 * UNIT * size
    y1 = spread(half, axes, a[1]) + abs(vec.dot(a[1], d)) + 16.0 * UNIT * size
    y2 = spread(half, axes, a[2]) + abs(vec.dot(a[2], d)) + 16.0 * UNIT * size
    extra = 2.0**-19 * vec.norm((y0, y1, y2))
    node["half"][0] = np.float32((y0 + extra) * SINGLE_UP + SINGLE_TINY)
    node["half"][1] = np.float32((y1 + extra) * SINGLE_UP + SINGLE_TINY)
    node["half"][2] = np.float32((y2 + extra) * SINGLE_UP + SINGLE_TINY)
    radius = vec.norm((np.float64(node["half"][0]), np.float64(node["half"][1]), np.float64(node["half"][2])))
    node["radius"] = np.float32(radius * SINGLE_UP * SINGLE_UP + SINGLE_TINY)
    node["reach"] = np.float32(reach * SINGLE_UP + SINGLE_TINY)


@kernel
def node_axes(node):
    """Return the three axes of a node's box as row vectors in double precision.

    Not by float(): in compiled code that leaves single precision as it is.
    """
    a = node["axes"]
    u = (np.float64(a[0, 0]), np.float64(a[0, 1]), np.float64(a[0, 2]))
    v = (np.float64(a[1, 0]), np.float64(a[1, 1]), np.float64(a[1, 2]))
    return u, v, vec.cross(u, v)


@kernel
def spread(half, axes, n):
    """Return the half-width of a box along n: sum of half_k |axes_k . n|."""
    return half[0] * abs(vec.dot(axes[0], n)) + half[1] * abs(vec.dot(axes[1], n)) + half[2] * abs(vec.dot(axes[2], n))
