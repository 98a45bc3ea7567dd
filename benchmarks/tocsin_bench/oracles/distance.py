"""How far two sets of triangles are apart: exactly in rationals for one pair, by brute force in float64 for meshes.

Both follow one argument. Two triangles that do not meet are closest at two points of which one is a vertex of its
triangle (then: vertex against triangle, 6 of them) or both lie on edges (9 of them). Two triangles that meet do so,
if not in such a pair, where an edge of one runs through the inside of the other (6 tests). Degenerate triangles need
no case of their own: every vertex-triangle test that would divide by their area is left out, and their edges carry
the answer.

The float64 version only ever measures between points that are on the triangles, so it can err upwards by rounding, and
downwards only by the rounding of those points and by a piercing test whose sign is rounding noise: a few 1e-16 of the
coordinates in both directions.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

# --- exact ------------------------------------------------------------------------------------------------------------


def _fractions(points):
    return [tuple(Fraction(float(c)) if not isinstance(c, Fraction) else c for c in p) for p in points]


def _sub(a, b):
    return tuple(x - y for x, y in zip(a, b))


def _dot(a, b):
    return sum((x * y for x, y in zip(a, b)), Fraction(0))


def _cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _at(a, d, s):
    return tuple(x + s * y for x, y in zip(a, d))


def exact_point_segment(p, a, b) -> Fraction:
    """Return the squared distance of a point to a segment."""
    d = _sub(b, a)
    dd = _dot(d, d)
    s = min(max(_dot(_sub(p, a), d) / dd, Fraction(0)), Fraction(1)) if dd else Fraction(0)
    r = _sub(p, _at(a, d, s))
    return _dot(r, r)


def exact_segment_segment(a, b, c, d) -> Fraction:
    """Return the squared distance of the segments ab and cd."""
    best = min(
        exact_point_segment(a, c, d),
        exact_point_segment(b, c, d),
        exact_point_segment(c, a, b),
        exact_point_segment(d, a, b),
    )
    u, v, w = _sub(b, a), _sub(d, c), _sub(a, c)
    uu, uv, vv, uw, vw = _dot(u, u), _dot(u, v), _dot(v, v), _dot(u, w), _dot(v, w)
    denominator = uu * vv - uv * uv
    if denominator:
        s, t = (uv * vw - vv * uw) / denominator, (uu * vw - uv * uw) / denominator
        if 0 <= s <= 1 and 0 <= t <= 1:
            r = _sub(_at(a, u, s), _at(c, v, t))
            best = min(best, _dot(r, r))
    return best


def exact_point_triangle(p, triangle) -> Fraction:
    """Return the squared distance of a point to a triangle."""
    a, b, c = triangle
    best = min(exact_point_segment(p, a, b), exact_point_segment(p, b, c), exact_point_segment(p, c, a))
    n = _cross(_sub(b, a), _sub(c, a))
    nn = _dot(n, n)
    if nn:
        r = _sub(p, a)
        beta, gamma = _dot(_cross(r, _sub(c, a)), n) / nn, _dot(_cross(_sub(b, a), r), n) / nn
        if beta >= 0 and gamma >= 0 and beta + gamma <= 1:
            best = min(best, _dot(r, n) ** 2 / nn)
    return best


def exact_pierces(p, q, triangle):
    """Return whether the segment pq, not parallel to the triangle's plane, meets the triangle."""
    a, b, c = triangle
    n = _cross(_sub(b, a), _sub(c, a))
    hp, hq = _dot(_sub(p, a), n), _dot(_sub(q, a), n)
    if hp * hq > 0 or hp == hq:
        return False
    x = _at(p, _sub(q, p), hp / (hp - hq))
    sides = [_dot(_cross(_sub(e, s), _sub(x, s)), n) for s, e in ((a, b), (b, c), (c, a))]
    return min(sides) >= 0


def exact_triangle_triangle(a, b) -> Fraction:
    """Return the exact squared distance of two triangles given as three points each, of floats or Fractions."""
    a, b = _fractions(a), _fractions(b)
    edges = ((0, 1), (1, 2), (2, 0))
    if any(exact_pierces(a[i], a[j], b) or exact_pierces(b[i], b[j], a) for i, j in edges):
        return Fraction(0)
    vertex = min(min(exact_point_triangle(p, b) for p in a), min(exact_point_triangle(p, a) for p in b))
    return min(vertex, min(exact_segment_segment(a[i], a[j], b[k], b[l]) for i, j in edges for k, l in edges))


# --- float64 ----------------------------------------------------------------------------------------------------------


def _inner(a, b):
    return np.einsum("...i,...i->...", a, b)


def cross(a, b):
    """Return cross products, broadcast over leading axes; `np.cross` spends most of its time on moving axes about."""
    (ax, ay, az), (bx, by, bz) = (tuple(v[..., k] for k in range(3)) for v in (a, b))
    x = ay * bz - az * by
    out = np.empty((*x.shape, 3), x.dtype)
    out[..., 0], out[..., 1], out[..., 2] = x, az * bx - ax * bz, ax * by - ay * bx
    return out


def _ratio(a, b):
    """Return a / b, and 0 where b is 0."""
    return np.where(b == 0, 0.0, a / np.where(b == 0, 1.0, b))


def point_segment(p, a, b):
    """Return squared distances of points to segments, broadcast over leading axes."""
    d = b - a
    s = np.clip(_ratio(_inner(p - a, d), _inner(d, d)), 0.0, 1.0)
    r = p - (a + s[..., None] * d)
    return _inner(r, r)


def segment_segment(a, b, c, d):
    """Return squared distances of the segments ab and cd, broadcast over leading axes."""
    best = np.minimum(
        np.minimum(point_segment(a, c, d), point_segment(b, c, d)),
        np.minimum(point_segment(c, a, b), point_segment(d, a, b)),
    )
    u, v, w = b - a, d - c, a - c
    uu, vv, n = _inner(u, u), _inner(v, v), cross(u, v)
    # By n, which keeps half of its digits where lines are 1e-8 from parallel; uu vv - (u.v)^2 has none left there.
    s = np.clip(_ratio(_inner(cross(v, w), n), _inner(n, n)), 0.0, 1.0)
    for _ in range(2):
        t = np.clip(_ratio(_inner(a + s[..., None] * u - c, v), vv), 0.0, 1.0)
        s = np.clip(_ratio(_inner(c + t[..., None] * v - a, u), uu), 0.0, 1.0)
    r = (a + s[..., None] * u) - (c + t[..., None] * v)
    return np.minimum(best, _inner(r, r))


def point_triangle(p, a, b, c):
    """Return squared distances of points to the insides of triangles (inf where the foot is outside), broadcast."""
    n = cross(b - a, c - a)
    nn = _inner(n, n)
    r = p - a
    beta, gamma = _ratio(_inner(cross(r, c - a), n), nn), _ratio(_inner(cross(b - a, r), n), nn)
    inside = (nn > 0) & (beta >= 0) & (gamma >= 0) & (beta + gamma <= 1)
    foot = r - (beta[..., None] * (b - a) + gamma[..., None] * (c - a))
    return np.where(inside, _inner(foot, foot), np.inf)


def pierces(p, q, a, b, c):
    """Return whether the segments pq strictly cross the planes of the triangles inside them, broadcast."""
    n = cross(b - a, c - a)
    hp, hq = _inner(p - a, n), _inner(q - a, n)
    crossing = hp * hq < 0
    x = p + _ratio(hp, hp - hq)[..., None] * (q - p)
    sides = [_inner(cross(e - s, x - s), n) for s, e in ((a, b), (b, c), (c, a))]
    return crossing & (np.minimum(np.minimum(sides[0], sides[1]), sides[2]) >= 0)


def triangle_triangle(a, b):
    """Return the distances (n,) of n pairs of triangles (n, 3, 3)."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    # One translation and one scale for each pair: accuracy far from the origin, no overflow or underflow in the
    # squares.
    centre = a.mean(1, keepdims=True)
    a, b = a - centre, b - centre
    size = np.maximum(np.abs(a).max((1, 2)), np.abs(b).max((1, 2)))
    size = np.where(size == 0, 1.0, size)
    a, b = a / size[:, None, None], b / size[:, None, None]
    a_next, b_next = np.roll(a, -1, axis=1), np.roll(b, -1, axis=1)
    edges = segment_segment(a[:, :, None], a_next[:, :, None], b[:, None], b_next[:, None]).min((1, 2))
    corners = [t[:, None, k] for t in (a, b) for k in range(3)]
    faces = np.minimum(point_triangle(a, *corners[3:]).min(1), point_triangle(b, *corners[:3]).min(1))
    through = pierces(a, a_next, *corners[3:]).any(1) | pierces(b, b_next, *corners[:3]).any(1)
    return np.where(through, 0.0, np.sqrt(np.minimum(edges, faces))) * size


def bounding_spheres(triangles):
    """Return centres (n, 3) and radii (n,) of balls around triangles, the radii rather too large than too small."""
    centres = triangles.mean(1)
    return centres, np.sqrt(((triangles - centres[:, None]) ** 2).sum(2).max(1)) * (1 + 1e-12)


def mesh_mesh(a, b, enough: float = -1.0, chunk: int = 1 << 15) -> float:
    """Return the distance of two triangle sets (n, 3, 3), (m, 3, 3): the minimum over all pairs.

    Pairs are visited in the order of a lower bound (balls around the triangles) and those whose bound exceeds the best
    distance so far are left out, which cannot change the minimum. The search stops early once it is `<= enough`.
    """
    if len(a) == 0 or len(b) == 0:
        return float("inf")
    (ca, ra), (cb, rb) = bounding_spheres(a), bounding_spheres(b)
    bound = np.sqrt(((ca[:, None] - cb[None]) ** 2).sum(2)) - ra[:, None] - rb[None]
    upper = (bound + 2 * (ra[:, None] + rb[None])).min() * (1 + 1e-12)
    i, j = np.nonzero(bound <= upper)
    order = np.argsort(bound[i, j], kind="stable")
    i, j = i[order], j[order]
    lower = bound[i, j]
    best, start, size = float("inf"), 0, 64
    while start < len(i) and lower[start] <= best and best > enough:
        part = slice(start, start + size)
        best = min(best, float(triangle_triangle(a[i[part]], b[j[part]]).min()))
        start, size = start + size, min(2 * size, chunk)
    return best


def winding_number(points, triangles):
    """Return how often a closed triangle mesh winds around each point (van Oosterom and Strackee's solid angles)."""
    a, b, c = (triangles[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))
    numerator = _inner(a, cross(b, c))
    denominator = la * lb * lc + _inner(a, b) * lc + _inner(b, c) * la + _inner(c, a) * lb
    return np.arctan2(numerator, denominator).sum(1) / (2 * np.pi)
