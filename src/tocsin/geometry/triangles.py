"""The closest points of two triangles: nine pairs of edges, then six vertices over faces.

The answer is used twice, and neither use trusts it blindly: the direction between the points becomes a certificate (the
gap between the triangles along it is measured again from all six corners), and the distance between the points is a
witness, an upper bound whatever happened on the way. Degenerate triangles are the segments or points that they are.
"""

import math

from tocsin import vec
from tocsin.compiler.jit import kernel

ROUNDING = 1.3e-29
"""The square of 32 units of rounding."""

FAT = 100.0
"""Triangles with (|e0|^2 + |e1|^2)^2 below this many times |e0 x e1|^2: no needles."""


@kernel
def clamp01(x):
    """Return x clamped to [0, 1]; a NaN from 0/0 becomes 0."""
    if not x > 0.0:
        return 0.0
    return min(x, 1.0)


@kernel
def segments(p, dp, q, dq):
    """Return the closest points of the segments p + s dp and q + t dq, s and t in [0, 1].

    Parallel and degenerate segments fall out of the clamping: where the determinant is not positive s is taken as 0,
    which is optimal for parallel segments once t has been clamped and s recomputed.
    """
    r = vec.sub(q, p)
    a = vec.dot(dp, dp)
    b = vec.dot(dp, dq)
    c = vec.dot(dq, dq)
    d = vec.dot(dp, r)
    e = vec.dot(dq, r)
    det = a * c - b * b
    s = 0.0
    if det > 0.0:
        s = clamp01((d * c - b * e) / det)
    t = (s * b - e) / c
    if not t > 0.0:
        t = 0.0
        s = clamp01(d / a)
    elif t > 1.0:
        t = 1.0
        s = clamp01((b + d) / a)
    return vec.axpy(p, s, dp), vec.axpy(q, t, dq)


@kernel
def edge_pair(p, dp, q, dq, third_a, third_b):
    """Return (d2, x, y, closest, apart) for one edge of each triangle.

    `closest`: both third corners lie on the far sides of the planes through x and y across x - y, so x, y are the
    closest points of the triangles. `apart`: a slab across x - y separates the triangles, and it is wide enough (1e-10
    of the edges) not to be a rounding error: triangles that touch have slabs of width 0.
    """
    x, y = segments(p, dp, q, dq)
    v = vec.sub(y, x)
    d2 = vec.dot(v, v)
    a = vec.dot(vec.sub(third_a, x), v)
    b = vec.dot(vec.sub(third_b, y), v)
    closest = a <= 0.0 and b >= 0.0
    if a < 0.0:
        a = 0.0
    if b > 0.0:
        b = 0.0
    width = d2 - a + b
    return d2, x, y, closest, width > 0.0 and width * width > 1e-20 * d2 * (vec.dot(dp, dp) + vec.dot(dq, dq))


@kernel
def blend(w0, w1, w2, a0, a1, a2):
    """Return the point of a triangle with these weights, which are not negative but need not add up to one."""
    s = 1.0 / (w0 + w1 + w2)
    return vec.axpy(vec.axpy(vec.scale(a0, w0 * s), w1 * s, a1), w2 * s, a2)


@kernel
def on_face(p, a, b, c, ab, bc, ca):
    """Return a point of triangle abc: the foot of p on its plane, if that is in the triangle; ab, bc, ca are its edges.

    Claim: whatever p and the triangle are, the result is a point of the triangle up to a few roundings of its corners.
    With e the longest edge, from u to v, and w the third corner, over the point f of e, it is u + s e + k (w - u - f e)
    = (1 - s - k (1 - f)) u + (s - k f) v + k w, where s is in [0, 1] and 0 <= k <= min(s / f, (1 - s) / (1 - f)): no
    weight is negative. On the face of a needle s keeps its digits, and k moves the point across it only. By the
    normal of its plane it would not stay there: of a needle as long as L and as thin as w the normal is off by L / w
    units, and the foot, or the proof that it is inside, by (L / w)^2.
    """
    u, e, g = a, ab, (-ca[0], -ca[1], -ca[2])
    square = vec.dot(ab, ab)
    other = vec.dot(bc, bc)
    if other > square:
        u, e, g, square = b, bc, (-ab[0], -ab[1], -ab[2]), other
    other = vec.dot(ca, ca)
    if other > square:
        u, e, g, square = c, ca, (-bc[0], -bc[1], -bc[2]), other
    f = clamp01(vec.dot(g, e) / square)
    m = vec.axpy(g, -f, e)
    r = vec.sub(p, u)
    s = clamp01(vec.dot(r, e) / square)
    k = clamp01(vec.dot(vec.axpy(r, -s, e), m) / vec.dot(m, m))
    if s < f:
        k = min(k, s / f)
    elif f < 1.0:
        k = min(k, (1.0 - s) / (1.0 - f))
    return vec.axpy(vec.axpy(u, s, e), k, m)


@kernel
def over_face(a, edges, b):
    """Return (found, x, y, apart): is the corner of b nearest to a's plane closest, and right over a's face?

    `apart`: a plane across n = e0 x e1, as computed, separates them. Rounding turns the normal of a needle anywhere, so
    a's corners may stand out of that plane: |n.e| of an edge is below 8 units of |e0| |e1| |e|, and what is computed
    for the corners of b is off by 4 units of |n| |b - a0|; 32 units of both are asked for. x is a point of a, see
    `on_face`, and y one of b, even where rounding errs about what is over the face.
    """
    a0, a1, a2 = a
    e0, e1, e2 = edges
    b0, b1, b2 = b
    n = vec.cross(e0, e1)
    r0 = vec.sub(b0, a0)
    r1 = vec.sub(b1, a0)
    r2 = vec.sub(b2, a0)
    h0 = vec.dot(n, r0)
    h1 = vec.dot(n, r1)
    h2 = vec.dot(n, r2)
    none = (False, a0, b0, False)
    if h0 > 0.0 and h1 > 0.0 and h2 > 0.0:
        h = min(h0, min(h1, h2))
    elif h0 < 0.0 and h1 < 0.0 and h2 < 0.0:
        h = max(h0, max(h1, h2))
    else:
        return none
    c0 = vec.dot(e0, e0)
    c1 = vec.dot(e1, e1)
    far = max(vec.dot(r0, r0), max(vec.dot(r1, r1), vec.dot(r2, r2)))
    if not h * h > ROUNDING * (2.0 * c0 * c1 * (c0 + c1) + vec.dot(n, n) * far):
        return none
    y = b2
    if h == h0:
        y = b0
    elif h == h1:
        y = b1
    w2 = vec.dot(vec.sub(y, a0), vec.cross(n, e0))
    w0 = vec.dot(vec.sub(y, a1), vec.cross(n, e1))
    w1 = vec.dot(vec.sub(y, a2), vec.cross(n, e2))
    if w0 > 0.0 and w1 > 0.0 and w2 > 0.0:
        if FAT * vec.dot(n, n) > (c0 + c1) * (c0 + c1):
            return True, blend(w0, w1, w2, a0, a1, a2), y, True
        return True, on_face(y, a0, a1, a2, e0, e1, e2), y, True
    return False, a0, b0, True


@kernel
def closest_on_triangle(p, a, b, c):
    """Return the point of triangle abc closest to p: over the face if p projects into it, else on the best edge.

    It is a point of the triangle in any case: see `on_face`.
    """
    ab = vec.sub(b, a)
    bc = vec.sub(c, b)
    ca = vec.sub(a, c)
    n = vec.cross(ab, bc)
    best = a
    least = math.inf
    n2 = vec.dot(n, n)
    wc = vec.dot(vec.sub(p, a), vec.cross(n, ab))
    wa = vec.dot(vec.sub(p, b), vec.cross(n, bc))
    wb = vec.dot(vec.sub(p, c), vec.cross(n, ca))
    if n2 > 0.0 and wa >= 0.0 and wb >= 0.0 and wc >= 0.0:
        c0 = vec.dot(ab, ab) + vec.dot(bc, bc)
        if FAT * n2 > c0 * c0:
            return blend(wa, wb, wc, a, b, c)
        best = on_face(p, a, b, c, ab, bc, ca)
        d = vec.sub(p, best)
        least = vec.dot(d, d)
    x = vec.axpy(a, clamp01(vec.dot(vec.sub(p, a), ab) / vec.dot(ab, ab)), ab)
    d = vec.sub(p, x)
    if vec.dot(d, d) < least:
        least = vec.dot(d, d)
        best = x
    x = vec.axpy(b, clamp01(vec.dot(vec.sub(p, b), bc) / vec.dot(bc, bc)), bc)
    d = vec.sub(p, x)
    if vec.dot(d, d) < least:
        least = vec.dot(d, d)
        best = x
    x = vec.axpy(c, clamp01(vec.dot(vec.sub(p, c), ca) / vec.dot(ca, ca)), ca)
    d = vec.sub(p, x)
    if vec.dot(d, d) < least:
        best = x
    return best


@kernel
def pierce(p, q, a, b, c, least, best_x, best_y):
    """Return (d2, x, y): where the segment pq crosses the plane of abc, and the triangle's point closest to there."""
    n = vec.cross(vec.sub(b, a), vec.sub(c, a))
    hp = vec.dot(n, vec.sub(p, a))
    hq = vec.dot(n, vec.sub(q, a))
    if hp * hq > 0.0 or hp == hq:
        return least, best_x, best_y
    x = vec.axpy(p, clamp01(hp / (hp - hq)), vec.sub(q, p))
    y = closest_on_triangle(x, a, b, c)
    d = vec.sub(x, y)
    d2 = vec.dot(d, d)
    if d2 < least:
        return d2, x, y
    return least, best_x, best_y


@kernel
def corner_on(p, a, b, c, least, best_x, best_y):
    """Return (d2, x, y): the corner p and the point of triangle abc closest to it, if closer than what is known."""
    y = closest_on_triangle(p, a, b, c)
    d = vec.sub(p, y)
    d2 = vec.dot(d, d)
    if d2 < least:
        return d2, p, y
    return least, best_x, best_y


@kernel
def gap_along(n, a0, a1, a2, b0, b1, b2):
    """Return the gap between two triangles along n, from a to b: a lower bound of |n| times their distance."""
    top = max(vec.dot(n, a0), max(vec.dot(n, a1), vec.dot(n, a2)))
    return min(vec.dot(n, b0), min(vec.dot(n, b1), vec.dot(n, b2))) - top


@kernel
def sharper_direction(n, gap, a0, a1, a2, b0, b1, b2):
    """Return (n, gap): the best of n, the two face normals and the nine edge-edge normals.

    Closest points that nearly coincide say little about the direction between them: at a distance d their rounding
    turns it by units / d, which tilts the triangles by as much. Normals do not lose digits that way.
    """
    best = n
    for k in range(11):
        if k == 0:
            m = vec.cross(vec.sub(a1, a0), vec.sub(a2, a0))
        elif k == 1:
            m = vec.cross(vec.sub(b1, b0), vec.sub(b2, b0))
        else:
            i = (k - 2) // 3
            j = (k - 2) % 3
            e = vec.sub(a1, a0) if i == 0 else (vec.sub(a2, a1) if i == 1 else vec.sub(a0, a2))
            f = vec.sub(b1, b0) if j == 0 else (vec.sub(b2, b1) if j == 1 else vec.sub(b0, b2))
            m = vec.cross(e, f)
        length = vec.norm(m)
        if not length > 0.0:
            continue
        if vec.dot(m, n) < 0.0:
            length = -length
        m = (m[0] / length, m[1] / length, m[2] / length)
        g = gap_along(m, a0, a1, a2, b0, b1, b2)
        if g > gap:
            gap = g
            best = m
    return best, gap


@kernel
def triangle_pair(a0, a1, a2, b0, b1, b2):
    """Return (d, x, y): the closest points of two triangles and their distance, nearly 0 where they cross."""
    ea0 = vec.sub(a1, a0)
    ea1 = vec.sub(a2, a1)
    ea2 = vec.sub(a0, a2)
    eb0 = vec.sub(b1, b0)
    eb1 = vec.sub(b2, b1)
    eb2 = vec.sub(b0, b2)
    least = math.inf
    apart = False
    best_x = a0
    best_y = b0
    for i in range(3):
        if i == 0:
            p, dp, third = a0, ea0, a2
        elif i == 1:
            p, dp, third = a1, ea1, a0
        else:
            p, dp, third = a2, ea2, a1
        for j in range(3):
            if j == 0:
                q, dq, other = b0, eb0, b2
            elif j == 1:
                q, dq, other = b1, eb1, b0
            else:
                q, dq, other = b2, eb2, b1
            d2, x, y, closest, separated = edge_pair(p, dp, q, dq, third, other)
            apart = apart or separated
            if d2 < least:
                least = d2
                best_x = x
                best_y = y
                if closest and d2 > 0.0:
                    return math.sqrt(d2), x, y
    found, x, y, separated = over_face((a0, a1, a2), (ea0, ea1, ea2), (b0, b1, b2))
    if found:
        d = vec.norm(vec.sub(y, x))
        if d * d <= least:
            return d, x, y
    apart = apart or separated
    found, y, x, separated = over_face((b0, b1, b2), (eb0, eb1, eb2), (a0, a1, a2))
    if found:
        d = vec.norm(vec.sub(y, x))
        if d * d <= least:
            return d, x, y
    apart = apart or separated
    if not apart:
        # They cross: an edge of one pierces the other. The witness is the crossing point itself.
        least, best_x, best_y = pierce(a0, a1, b0, b1, b2, least, best_x, best_y)
        least, best_x, best_y = pierce(a1, a2, b0, b1, b2, least, best_x, best_y)
        least, best_x, best_y = pierce(a2, a0, b0, b1, b2, least, best_x, best_y)
        least, best_y, best_x = pierce(b0, b1, a0, a1, a2, least, best_y, best_x)
        least, best_y, best_x = pierce(b1, b2, a0, a1, a2, least, best_y, best_x)
        least, best_y, best_x = pierce(b2, b0, a0, a1, a2, least, best_y, best_x)
        # Or they lie in one plane, one inside the other: then a corner is on the other's face.
        least, best_x, best_y = corner_on(a0, b0, b1, b2, least, best_x, best_y)
        least, best_x, best_y = corner_on(a1, b0, b1, b2, least, best_x, best_y)
        least, best_x, best_y = corner_on(a2, b0, b1, b2, least, best_x, best_y)
        least, best_y, best_x = corner_on(b0, a0, a1, a2, least, best_y, best_x)
        least, best_y, best_x = corner_on(b1, a0, a1, a2, least, best_y, best_x)
        least, best_y, best_x = corner_on(b2, a0, a1, a2, least, best_y, best_x)
    return math.sqrt(least), best_x, best_y
