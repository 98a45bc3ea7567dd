"""Convex hulls of any point set: solid, flat, on a line, or a single point, with a proven bound on what was left out.

Qhull works in floating point and drops points that lie outside the hull of those it keeps by a rounding error (and
merges faces that are coplanar up to one). So a hull comes with `slack`: no input point is farther than that from the
convex hull of the returned vertices. Whoever needs containment inflates by it.

How the slack is proven: for a dropped point p, `excess_over` names a point of the hull, o + sum l_j (v_j - o) with
l_j >= 0 and sum l_j <= 1, and returns an upper bound on the distance to it. Any such combination lies in the hull,
wherever the l_j come from, so nothing depends on Qhull's planes or on the search for a good face being right.
Vertices have no excess, so a hull that drops nothing has slack 0.
"""

from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin._types import Faces, Indices, IntArray, Numeric, Pairs, Vectors
from tocsin.compiler.jit import kernel
from tocsin.errors import TocsinError
from tocsin.geometry.grouping import weld
from tocsin.geometry.planar import convex_polygon
from tocsin.geometry.scaling import binary_scale, largest_coordinate, middle_of_box, scale_up

FLAT = 2.0**-44
"""Thinner than this, relative to the largest distance from the middle, a set counts as flat (or as on a line)."""

ROUNDING = 2.0**-46
"""Covers every rounding of one excess at unit size; the proof is in `excess_over`."""


class Hull(NamedTuple):
    """A convex hull. Vertices are rows of the input, bit for bit."""

    vertices: Vectors
    """(k, 3) float64: k = 1 for a point, 2 for a segment, the polygon's corners for a flat set."""
    faces: Faces
    """(f, 3) int32, counter-clockwise from outside. A flat hull has both sides; a segment or point has none."""
    start: Indices
    """(k + 1,) int32: the neighbours of vertex i are index[start[i]:start[i + 1]]."""
    index: Indices
    """Neighbours along edges, int32, for hill climbing."""
    slack: float
    """No input point is farther than this from the convex hull of `vertices`. 0 if no position was dropped."""
    dimension: int
    """0 point, 1 segment, 2 flat, 3 solid."""


def convex_hull(points: Vectors) -> Hull:
    """Return the convex hull of an (n, 3) array of finite points, n >= 1."""
    points = np.ascontiguousarray(points, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
        raise TocsinError(f"a convex hull needs an (n, 3) array with n >= 1; got shape {points.shape}.")
    points = points[weld(points)[1]]
    # The middle goes first: a small hull far from the origin keeps all its digits. At unit size |q| <= 1.
    q = points - np.array(middle_of_box(points))
    down, up = binary_scale(largest_coordinate(q))
    q *= down
    dimension, x, y = _flattened(q)
    if dimension == 3:
        kept, faces, excess = _solid(q)
    else:
        kept = convex_polygon(x, y)
        faces = _both_sides(len(kept))
        excess = _flat_excess(q, x, y, kept)
    start, index = _neighbours(faces if dimension == 3 else _ring(len(kept)), len(kept))
    return Hull(points[kept], faces, start, index, scale_up(float(excess), up), dimension)


@kernel
def excess_over(p, o, a, b, c, la, lb, lc):
    """Return an upper bound on the distance from p to the hull of o, a, b, c (unit-size coordinates).

    Claim: the l's, clamped below at 0 and scaled to a sum <= 1, give a point h = o + sum l_j (v_j - o) of the hull,
    and the result is >= |p - h| also for the original points. Proof, per component, U = 2^-53, all |q| <= 1: fl((p -
    o) - sum l_j (v_j - o)) errs by at most 6.01 U (|p - o| + sum l_j |v_j - o|) <= 24.1 U; each q is off the original
    point, moved by the same middle, by U |q|, and the combination's coefficients add up to at most 2 in absolute
    value: 2.01 U; o, when it is a mean of four vertices, is off it by 4.01 U. Together below 31 U, below 54 U in
    3-space; with the norm's own 3.5 U |p - h| <= 14 U still below 2^-46 = 128 U, which is added. The clamped sum is
    <= 1 exactly: it is scaled down to 1 - 8 U when its computed value, off by 2 U, exceeds that.
    """
    la = max(la, 0.0)
    lb = max(lb, 0.0)
    lc = max(lc, 0.0)
    total = la + lb + lc
    if total > 1.0 - 2.0**-50:
        shrink = (1.0 - 2.0**-50) / total
        la *= shrink
        lb *= shrink
        lc *= shrink
    r = vec.sub(p, o)
    r = vec.axpy(r, -la, vec.sub(a, o))
    r = vec.axpy(r, -lb, vec.sub(b, o))
    r = vec.axpy(r, -lc, vec.sub(c, o))
    return vec.norm(r) + ROUNDING


@kernel
def _flattened(q):
    """Return `(dimension, x, y)`: affine dimension up to `FLAT`, and coordinates in the best plane if below 3.

    The plane goes through the two points farthest apart (nearly) and the one farthest from their line.
    """
    n = q.shape[0]
    x = np.zeros(n)
    y = np.zeros(n)
    o = vec.load3(q, _farthest_along(q, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))[0])
    i, length = _farthest_along(q, o, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    if length == 0.0:
        return 0, x, y
    u = vec.scale(vec.sub(vec.load3(q, i), o), 1.0 / length)
    i, width = _farthest_along(q, o, u, (0.0, 0.0, 0.0))
    for k in range(n):
        x[k] = vec.dot(vec.sub(vec.load3(q, k), o), u)
    if width <= FLAT * length:
        return 1, x, y
    d = vec.sub(vec.load3(q, i), o)
    d = vec.axpy(d, -vec.dot(d, u), u)
    v = vec.scale(d, 1.0 / vec.norm(d))
    _, thickness = _farthest_along(q, o, u, v)
    for k in range(n):
        y[k] = vec.dot(vec.sub(vec.load3(q, k), o), v)
    return (2 if thickness <= FLAT * length else 3), x, y


@kernel
def _farthest_along(q, o, u, v):
    """Return `(index, distance)` of the point farthest from o after removing the parts along u and v."""
    best = -1.0
    index = 0
    for k in range(q.shape[0]):
        d = vec.sub(vec.load3(q, k), o)
        d = vec.axpy(d, -vec.dot(d, u), u)
        d = vec.axpy(d, -vec.dot(d, v), v)
        length = vec.norm(d)
        if length > best:
            best = length
            index = k
    return index, best


@kernel
def _flat_excess(q, x, y, polygon):
    """Largest excess of any point over a convex polygon, located by bisection in the fan of corner 0."""
    n = polygon.shape[0]
    is_corner = np.zeros(q.shape[0], dtype=np.bool_)
    is_corner[polygon] = True
    worst = 0.0
    s = polygon[0]
    o = vec.load3(q, s)
    for i in range(q.shape[0]):
        if is_corner[i]:
            continue
        lo, hi = 1, n - 1
        while hi - lo > 1:
            middle = (lo + hi) // 2
            m = polygon[middle]
            if (x[m] - x[s]) * (y[i] - y[s]) - (y[m] - y[s]) * (x[i] - x[s]) >= 0.0:
                lo = middle
            else:
                hi = middle
        a, b = polygon[lo], polygon[hi]
        p = vec.load3(q, i)
        va = vec.load3(q, a)
        vb = vec.load3(q, b)
        _, la, lb = _face_weights(p, o, va, vb)
        excess = excess_over(p, o, va, vb, va, la, lb, 0.0)
        if excess > 2.0**-40:  # next to nearly coincident corners the bisection may err
            for k in range(1, n):
                va = vec.load3(q, polygon[k])
                vb = vec.load3(q, polygon[max(k - 1, 1)])
                _, la, lb = _face_weights(p, o, va, vb)
                excess = min(excess, excess_over(p, o, va, vb, va, la, lb, 0.0))
        worst = max(worst, excess)
    return worst


def _both_sides(k: int) -> Faces:
    """Triangles of both sides of a polygon with k corners; fans from different corners, so that no diagonal repeats."""
    if k < 3:
        return np.zeros((0, 3), dtype=np.int32)
    front = [(0, i, i + 1) for i in range(1, k - 1)]
    ring = [(i + 1) % k for i in range(k)]
    back = [(ring[0], ring[i + 1], ring[i]) for i in range(1, k - 1)]
    return np.array(front + back, dtype=np.int32)


def _solid(q: Vectors) -> tuple[Numeric, Faces, float]:
    """Return `(kept, faces, excess)` from Qhull: indices of the vertices, faces over them, and the largest excess."""
    from scipy.spatial import ConvexHull, QhullError  # 0.2 s of imports, paid when the first hull is asked for

    try:
        result = ConvexHull(q)
    except QhullError:  # a first simplex too thin for it: joggle the input instead; the excess tells what that cost
        result = ConvexHull(q, qhull_options="QJ")
    kept, corners = np.unique(result.simplices, return_inverse=True)
    faces = np.ascontiguousarray(corners.reshape(-1, 3), dtype=np.int32)
    across = np.ascontiguousarray(result.neighbors, dtype=np.int32)
    vertices = np.ascontiguousarray(q[kept])
    _turn_outward(vertices, faces, across)
    is_vertex = np.zeros(len(q), dtype=bool)
    is_vertex[kept] = True
    return kept, faces, _solid_excess(np.ascontiguousarray(q[~is_vertex]), vertices, faces, across, inside(vertices))


@kernel
def _turn_outward(vertices, faces, across):
    """Wind all faces alike and outward, in place; `across[f, k]` is the face opposite corner k of f.

    By spreading over neighbours, because the normals of thin faces have random signs.
    """
    m = faces.shape[0]
    done = np.zeros(m, dtype=np.bool_)
    stack = np.zeros(m, dtype=np.int32)
    top = 1
    done[0] = True
    while top > 0:
        top -= 1
        f = stack[top]
        for k in range(3):
            g = across[f, k]
            if done[g]:
                continue
            tail, head = faces[f, (k + 1) % 3], faces[f, (k + 2) % 3]
            for j in range(3):
                if faces[g, j] == tail and faces[g, (j + 1) % 3] == head:
                    _flip(faces, across, g)
                    break
            done[g] = True
            stack[top] = g
            top += 1
    volume = 0.0
    for f in range(m):
        a = vec.load3(vertices, faces[f, 0])
        volume += vec.dot(a, vec.cross(vec.load3(vertices, faces[f, 1]), vec.load3(vertices, faces[f, 2])))
    if volume < 0.0:
        for f in range(m):
            _flip(faces, across, f)


@kernel
def _flip(faces, across, f):
    """Swap two corners of a face, and what lies opposite them."""
    faces[f, 1], faces[f, 2] = faces[f, 2], faces[f, 1]
    across[f, 1], across[f, 2] = across[f, 2], across[f, 1]


@kernel
def inside(vertices):
    """Return the mean of four vertices that span about the largest simplex: deep inside, however thin the hull is."""
    zero = (0.0, 0.0, 0.0)
    a = vec.load3(vertices, _farthest_along(vertices, zero, zero, zero)[0])
    b = vec.load3(vertices, _farthest_along(vertices, a, zero, zero)[0])
    u = vec.sub(b, a)
    u = vec.scale(u, 1.0 / vec.norm(u))
    c = vec.load3(vertices, _farthest_along(vertices, a, u, zero)[0])
    v = vec.sub(c, a)
    v = vec.axpy(v, -vec.dot(v, u), u)
    v = vec.scale(v, 1.0 / vec.norm(v))
    d = vec.load3(vertices, _farthest_along(vertices, a, u, v)[0])
    return vec.scale(vec.add(vec.add(a, b), vec.add(c, d)), 0.25)


@kernel
def _solid_excess(dropped, vertices, faces, across, o):
    """Largest excess of the dropped points over the hull.

    Each point is looked for in the tetrahedra between o and the faces, by walking over neighbouring faces from
    where the previous point was found; if that leads nowhere all faces are tried.
    """
    m = faces.shape[0]
    worst = 0.0
    f = 0
    for i in range(dropped.shape[0]):
        p = vec.load3(dropped, i)
        for _ in range(m):
            la, lb, lc = weights(p, o, vertices, faces, f)
            least = min(la, min(lb, lc))
            if least >= -ROUNDING:
                break
            f = across[f, 0] if la == least else across[f, 1] if lb == least else across[f, 2]
        excess = _excess_at(p, o, vertices, faces, f)
        if excess > 2.0**-40:
            for g in range(m):
                other = _excess_at(p, o, vertices, faces, g)
                if other < excess:
                    excess = other
                    f = g
        worst = max(worst, excess)
    return worst


@kernel
def _excess_at(p, o, vertices, faces, f):
    """Excess of p over the tetrahedron of o and face f: the better of its inside and its face.

    Weights are refined with the residual, which brings a tetrahedron as thin as 2^-40 to full precision.
    """
    a = vec.load3(vertices, faces[f, 0])
    b = vec.load3(vertices, faces[f, 1])
    c = vec.load3(vertices, faces[f, 2])
    la, lb, lc = _face_weights(p, a, b, c)
    best = excess_over(p, o, a, b, c, la, lb, lc)
    la, lb, lc = 0.0, 0.0, 0.0
    for _ in range(4):
        h = vec.add(vec.scale(vec.sub(a, o), la), vec.scale(vec.sub(b, o), lb))
        h = vec.add(h, vec.scale(vec.sub(c, o), lc))
        da, db, dc = weights(vec.sub(p, h), o, vertices, faces, f)
        la, lb, lc = la + da, lb + db, lc + dc
        best = min(best, excess_over(p, o, a, b, c, la, lb, lc))
        if best <= 2.0 * ROUNDING:
            break
    return best


@kernel
def _face_weights(p, a, b, c):
    """Return weights, with sum 1, of the point of triangle a b c that is closest to p (Ericson 2005, section 5.1.5)."""
    ab = vec.sub(b, a)
    ac = vec.sub(c, a)
    ap = vec.sub(p, a)
    bp = vec.sub(p, b)
    cp = vec.sub(p, c)
    d1, d2 = vec.dot(ab, ap), vec.dot(ac, ap)
    d3, d4 = vec.dot(ab, bp), vec.dot(ac, bp)
    d5, d6 = vec.dot(ab, cp), vec.dot(ac, cp)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        s = d1 / (d1 - d3)
        return 1.0 - s, s, 0.0
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        s = d2 / (d2 - d6)
        return 1.0 - s, 0.0, s
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        s = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - s, s
    return va / (va + vb + vc), vb / (va + vb + vc), vc / (va + vb + vc)


@kernel
def weights(p, o, vertices, faces, f):
    """Solve p - o = la (a - o) + lb (b - o) + lc (c - o) for the corners of face f; zeros when they are dependent."""
    a = vec.sub(vec.load3(vertices, faces[f, 0]), o)
    b = vec.sub(vec.load3(vertices, faces[f, 1]), o)
    c = vec.sub(vec.load3(vertices, faces[f, 2]), o)
    d = vec.sub(p, o)
    bc = vec.cross(b, c)
    volume = vec.dot(a, bc)
    if volume == 0.0:
        return 0.0, 0.0, 0.0
    return vec.dot(d, bc) / volume, vec.dot(d, vec.cross(c, a)) / volume, vec.dot(d, vec.cross(a, b)) / volume


def _ring(k: int) -> Pairs:
    """Sides of a polygon with k corners, as closed paths of two."""
    if k < 2:
        return np.zeros((0, 2), dtype=np.int32)
    return np.array([(i, (i + 1) % k) for i in range(k)], dtype=np.int32)


def _neighbours(paths: IntArray, k: int) -> tuple[Indices, Indices]:
    """Return `(start, index)`: for each of k vertices those next to it on any closed path, in increasing order."""
    ahead = np.roll(paths, -1, axis=1)
    tails = np.concatenate((paths.ravel(), ahead.ravel())).astype(np.int64)
    heads = np.concatenate((ahead.ravel(), paths.ravel())).astype(np.int64)
    pairs = np.unique(tails * k + heads)
    start = np.searchsorted(pairs, np.arange(k + 1) * k).astype(np.int32)
    return start, (pairs % max(k, 1)).astype(np.int32)
