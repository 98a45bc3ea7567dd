"""The elementary equations of two triangles on an interval, at a margin [ARTICULATE 5.2.1].

Two triangles that are farther apart than the margin m first come within it where a vertex is at m from the other
triangle, or two edges are (the closest points of disjoint triangles lie on such features, and m = 0 is the limit). So
it is enough to exclude the six pairs vertex-triangle and the nine pairs of edges, each as a pair of convex sets,
*provided that the triangles are proven apart at the start*, which `witness` does at t = 0. Continuity does the rest.

Every pair of features returns the part of its range in which its two sets can be within `need` of each other
(`contraction`), empty where there is none. What excludes time:

- vertex-face: [ARTICULATE eq. 14], the distance from the face's plane, which is linear in the vertex's place as the
  face sees it; likewise its three sides, the validity of a root; and the direction from the closest point, for corners
  at a margin and for triangles without area, which have no plane.
- edge-edge: [ARTICULATE eq. 13] with both edges moving, f = (c - a) . (u x v), which says that the lines are apart; and
  the direction between the closest points of the segments, its validity. Parallel edges have f = 0 at all times and are
  left to the second, which needs no plane.
"""

from tocsin import vec
from tocsin.bounds.rounding import UNIT
from tocsin.compiler.jit import kernel
from tocsin.geometry.triangles import closest_on_triangle, segments
from tocsin.interval.contraction import contract
from tocsin.motion.joints import UP


@kernel
def least_of(n, a, b, c):
    """Return the least n . p of three points."""
    return min(vec.dot(n, a), min(vec.dot(n, b), vec.dot(n, c)))


@kernel
def most_of(n, a, b, c):
    """Return the greatest n . p of three points."""
    return max(vec.dot(n, a), max(vec.dot(n, b), vec.dot(n, c)))


@kernel
def between(x, y, share):
    """Return x + share (y - x)."""
    return (x[0] + share * (y[0] - x[0]), x[1] + share * (y[1] - x[1]), x[2] + share * (y[2] - x[2]))


@kernel
def vertex_face(x, y, a, b, c, need, lo, hi):
    """Return the part of [lo, hi] in which a vertex, at x at lo and at y at hi, can be within `need` of triangle abc.

    Claim and proof: those of `contraction` for each direction used, whatever it is; that the first is the plane's
    normal [ARTICULATE eq. 14] and the next three point out of the sides only makes them good ones.
    """
    s0 = lo
    s1 = hi
    ab = vec.sub(b, a)
    bc = vec.sub(c, b)
    n = vec.cross(ab, bc)
    length = vec.norm(n)
    if length > 0.0:
        n = (n[0] / length, n[1] / length, n[2] / length)
        top = most_of(n, a, b, c)
        bottom = least_of(n, a, b, c)
        x_n = vec.dot(n, x)
        y_n = vec.dot(n, y)
        lo, hi = contract(x_n - top, y_n - top, need * UP, s0, s1, lo, hi)
        lo, hi = contract(bottom - x_n, bottom - y_n, need * UP, s0, s1, lo, hi)
        if lo > hi:
            return lo, hi
        for side in range(3):
            e = ab if side == 0 else (bc if side == 1 else vec.sub(a, c))
            out = vec.cross(e, n)
            beyond = need * vec.norm(out) * UP + most_of(out, a, b, c)
            lo, hi = contract(vec.dot(out, x) - beyond, vec.dot(out, y) - beyond, 0.0, s0, s1, lo, hi)
            if lo > hi:
                return lo, hi
    for end in range(2):
        wide = s1 - s0
        p = x
        q = y
        if wide > 0.0:
            p = between(x, y, (lo - s0) / wide)
            q = between(x, y, (hi - s0) / wide)
        here = p if end == 0 else q
        n = vec.sub(here, closest_on_triangle(here, a, b, c))
        beyond = need * vec.norm(n) * UP + most_of(n, a, b, c)
        lo, hi = contract(vec.dot(n, p) - beyond, vec.dot(n, q) - beyond, 0.0, lo, hi, lo, hi)
        if lo > hi:
            return lo, hi
    return lo, hi


@kernel
def edge_edge(edge, other, terms, lo, hi):
    """Return the part of [lo, hi] in which the edges a + [0, 1] u and c + [0, 1] v can be within `need`
    [ARTICULATE eq. 13].

    `edge` is (a, u), `other` (c, v, dc, dv): c and v move by dc and dv between lo and hi. `terms` are (need, loose,
    margin), `loose` what |v| can be off. With p = c - a, f = p . (u x v) is quadratic: above its chord by -q x (1 - x),
    0 <= x <= 1, q = dp . (u x dv), so by at most |q| / 4 off it. True p and v are within `need` - margin and `loose` of
    the lines', so f is off by at most |u| ((need - margin)(|v| + loose) + |p| loose), rounding included; and if the
    segments are within the margin, so are the lines: |f| <= margin |u x v|, and a norm of a line is greatest at an end.
    """
    a, u = edge
    c, v, dc, dv = other
    need, loose, margin = terms
    s0 = lo
    s1 = hi
    p = vec.sub(c, a)
    p1 = vec.add(p, dc)
    v1 = vec.add(v, dv)
    w = vec.cross(u, v)
    w1 = vec.cross(u, v1)
    f0 = vec.dot(p, w)
    f1 = vec.dot(p1, w1)
    bend = 0.25 * vec.dot(dc, vec.cross(u, dv))
    size_u = vec.norm(u)
    size_v = max(vec.norm(v), vec.norm(v1))
    size_p = max(vec.norm(p), vec.norm(p1))
    off = (need - margin) * (size_v + loose) + size_p * (loose + 64.0 * UNIT * size_v)
    most = margin * (max(vec.norm(w), vec.norm(w1)) + size_u * loose) + size_u * off
    lo, hi = contract(f0 - max(bend, 0.0), f1 - max(bend, 0.0), most * UP, s0, s1, lo, hi)
    lo, hi = contract(min(bend, 0.0) - f0, min(bend, 0.0) - f1, most * UP, s0, s1, lo, hi)
    if lo > hi:
        return lo, hi
    wide = s1 - s0
    for end in range(2):
        at_lo = (lo - s0) / wide if wide > 0.0 else 0.0
        at_hi = (hi - s0) / wide if wide > 0.0 else 0.0
        share = at_lo if end == 0 else at_hi
        x, y = segments(a, u, vec.axpy(c, share, dc), vec.axpy(v, share, dv))
        n = vec.sub(y, x)
        beyond = need * vec.norm(n) * UP + max(vec.dot(n, a), vec.dot(n, vec.add(a, u)))
        first = vec.axpy(c, at_lo, dc)
        last = vec.axpy(c, at_hi, dc)
        near_lo = min(vec.dot(n, first), vec.dot(n, vec.add(first, vec.axpy(v, at_lo, dv))))
        near_hi = min(vec.dot(n, last), vec.dot(n, vec.add(last, vec.axpy(v, at_hi, dv))))
        lo, hi = contract(near_lo - beyond, near_hi - beyond, 0.0, lo, hi, lo, hi)
        if lo > hi:
            return lo, hi
    return lo, hi
