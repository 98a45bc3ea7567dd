"""Quick proofs of freedom for pairs of features, four pairs at a time: most pairs never reach the advancement.

Certificates over [0, T], with no search in them: the direction between the two centroids, at the start, at the end,
where they pass each other closest, or turning from the first to the second (`certificate`); and the sign of the volume
that the two features span (`advance.volume_hold`). The code is written over `_lanes`, and holds for floats as well.
"""

from tocsin import vec
from tocsin._jit import kernel
from tocsin._lanes import load, select
from tocsin.bounds.rounding import UNDERFLOW, UNIT

POINTS, ENDS = 4, 2
ROWS = POINTS * ENDS * 3
"""Rows of a block: x, y, z of four points at time 0, then at time 1."""


@kernel
def point(block, k, end):
    """Return point k of four pairs at one end."""
    row = 12 * end + 3 * k
    return (load(block, 0, row), load(block, 0, row + 1), load(block, 0, row + 2))


@kernel
def put(block, lane, row, rows, v):
    """Write a vertex into one lane of three rows of a block."""
    block[0, row, lane] = rows[v, 0]
    block[0, row + 1, lane] = rows[v, 1]
    block[0, row + 2, lane] = rows[v, 2]


@kernel
def put_points(block, lane, places, points, k):
    """Write the four points of pair k into one lane of a block: numbers of a's vertices, or ~ numbers of b's.

    `places` are the vertices of a at time 0 and 1, and those of b.
    """
    a0, a1, b0, b1 = places
    for c in range(4):
        v = points[k, c]
        if v >= 0:
            put(block, lane, 3 * c, a0, v)
            put(block, lane, 3 * c + 12, a1, v)
        else:
            put(block, lane, 3 * c, b0, ~v)
            put(block, lane, 3 * c + 12, b1, ~v)


@kernel
def absolute(v):
    """Return the absolute components."""
    return (abs(v[0]), abs(v[1]), abs(v[2]))


@kernel
def total(v):
    """Return the sum of the components."""
    return v[0] + v[1] + v[2]


@kernel
def spans(d_t0, d_t1, far):
    """Return `far` with the absolute components of a difference at both ends added."""
    return vec.add(far, vec.add(absolute(d_t0), absolute(d_t1)))


@kernel
def ahead(d_t0, d_t1, done, limit):
    """Return a difference at the time limit."""
    return vec.add(vec.scale(d_t0, done), vec.scale(d_t1, limit))


@kernel
def volume_sign(w, e, f, w_end, e_end, f_end, noise, margin):
    """Return where det(w, e, f) keeps one sign, and the margin, from the first values to the end values.

    The proof is `advance.volume_hold`'s: four Bernstein coefficients beyond `noise`, all on one side. The margin counts
    |e x f| in the sum of absolute components, which is larger than its length.
    """
    n00 = vec.cross(e, f)
    n11 = vec.cross(e_end, f_end)
    n01 = vec.add(vec.cross(e, f_end), vec.cross(e_end, f))
    keep = noise + margin * (total(absolute(n00)) + total(absolute(n01)) + total(absolute(n11))) * (1.0 + 64.0 * UNIT)
    c0 = vec.dot(w, n00)
    c1 = vec.dot(w_end, n00) + vec.dot(w, n01)
    c2 = vec.dot(w_end, n01) + vec.dot(w, n11)
    c3 = vec.dot(w_end, n11)
    three = 3.0 * keep
    above = (c0 > keep) & (c1 > three) & (c2 > three) & (c3 > keep)
    below = (c0 < 0.0 - keep) & (c1 < 0.0 - three) & (c2 < 0.0 - three) & (c3 < 0.0 - keep)
    return above | below


@kernel
def apart_by(n, far, margin):
    """Return how far apart projections on n must be computed to be, for the margin and the roundings."""
    size = absolute(n)
    return 24.0 * UNIT * vec.dot(size, far) + margin * total(size) * (1.0 + 16.0 * UNIT) + UNDERFLOW


@kernel
def closest_time(m, n):
    """Return x in [0, 1] near which m + x (n - m) is shortest."""
    rate = vec.sub(n, m)
    x = (0.0 - vec.dot(m, rate)) / (vec.dot(rate, rate) + UNDERFLOW)
    return select(x > 0.0, select(x < 1.0, x, 1.0), 0.0)


@kernel
def kept(m, n, d, e, x, keep_m, keep_n):
    """Return where a difference from d to e is kept apart: by m, by n, by m + x (n - m), and by m turning into n.

    Proof. Each product is known up to its `keep`, which also holds the margin (`certificate.hold`). A fixed direction
    keeps d and e apart, and so all between; the last one needs the three Bernstein coefficients. Sums of two products
    are held against both `keep`s together, which covers any x in [0, 1] and their own roundings.
    """
    md = vec.dot(m, d)
    me = vec.dot(m, e)
    nd = vec.dot(n, d)
    ne = vec.dot(n, e)
    both = keep_m + keep_n
    rest = 1.0 - x
    at_d = md > keep_m
    at_e = ne > keep_n
    by_m = at_d & (me > keep_m)
    by_n = at_e & (nd > keep_n)
    between = (rest * md + x * nd > both) & (rest * me + x * ne > both)
    turning = at_d & at_e & (me + nd > both)
    return by_m, by_n, between, turning


@kernel
def vertex_face_free(block, done, limit, margin):
    """Return which of four vertex-face pairs (vertex first) are proven to keep more than the margin during [0, T].

    Proof. With n fixed, n . D is linear in time; at 0 and at T it is computed within 10 u of the sum of the absolute
    values of its terms at both ends (`certificate.hold`), and margin |n| <= margin |n|_1.
    """
    v0 = point(block, 0, 0)
    v1 = point(block, 0, 1)
    f0 = point(block, 1, 0)
    f1 = point(block, 1, 1)
    a0 = vec.sub(f0, v0)
    a1 = vec.sub(f1, v1)
    g0 = point(block, 2, 0)
    g1 = point(block, 2, 1)
    b0 = vec.sub(g0, v0)
    b1 = vec.sub(g1, v1)
    h0 = point(block, 3, 0)
    h1 = point(block, 3, 1)
    c0 = vec.sub(h0, v0)
    c1 = vec.sub(h1, v1)
    far = spans(c0, c1, spans(b0, b1, vec.add(absolute(a0), absolute(a1))))
    at = ahead(a0, a1, done, limit)
    bt = ahead(b0, b1, done, limit)
    ct = ahead(c0, c1, done, limit)
    m = vec.add(vec.add(a0, b0), c0)
    n = vec.add(vec.add(at, bt), ct)
    keep_m = apart_by(m, far, margin)
    keep_n = apart_by(n, far, margin)
    x = closest_time(m, n)
    p0, p1, p2, p3 = kept(m, n, a0, at, x, keep_m, keep_n)
    q0, q1, q2, q3 = kept(m, n, b0, bt, x, keep_m, keep_n)
    r0, r1, r2, r3 = kept(m, n, c0, ct, x, keep_m, keep_n)
    free = (p0 & q0 & r0) | (p1 & q1 & r1) | (p2 & q2 & r2) | (p3 & q3 & r3)
    e0 = vec.sub(g0, f0)
    e1 = vec.sub(g1, f1)
    s0 = vec.sub(h0, f0)
    s1 = vec.sub(h1, f1)
    noise = 160.0 * UNIT * total(far) * (total(absolute(e0)) + total(absolute(e1)))
    noise = noise * (total(absolute(s0)) + total(absolute(s1))) + UNDERFLOW
    et = ahead(e0, e1, done, limit)
    return free | volume_sign(a0, e0, s0, at, et, ahead(s0, s1, done, limit), noise, margin)


@kernel
def edge_edge_free(block, done, limit, margin):
    """Return which of four edge-edge pairs (the two ends of a, then of b) are proven to keep more than the margin."""
    p0 = point(block, 0, 0)
    p1 = point(block, 0, 1)
    q0 = point(block, 1, 0)
    q1 = point(block, 1, 1)
    r0 = point(block, 2, 0)
    r1 = point(block, 2, 1)
    s0 = point(block, 3, 0)
    s1 = point(block, 3, 1)
    a0 = vec.sub(r0, p0)
    a1 = vec.sub(r1, p1)
    b0 = vec.sub(s0, p0)
    b1 = vec.sub(s1, p1)
    c0 = vec.sub(r0, q0)
    c1 = vec.sub(r1, q1)
    d0 = vec.sub(s0, q0)
    d1 = vec.sub(s1, q1)
    far = spans(d0, d1, spans(c0, c1, spans(b0, b1, vec.add(absolute(a0), absolute(a1)))))
    at = ahead(a0, a1, done, limit)
    bt = ahead(b0, b1, done, limit)
    ct = ahead(c0, c1, done, limit)
    dt = ahead(d0, d1, done, limit)
    m = vec.add(vec.add(a0, b0), vec.add(c0, d0))
    n = vec.add(vec.add(at, bt), vec.add(ct, dt))
    keep_m = apart_by(m, far, margin)
    keep_n = apart_by(n, far, margin)
    x = closest_time(m, n)
    i0, i1, i2, i3 = kept(m, n, a0, at, x, keep_m, keep_n)
    j0, j1, j2, j3 = kept(m, n, b0, bt, x, keep_m, keep_n)
    k0, k1, k2, k3 = kept(m, n, c0, ct, x, keep_m, keep_n)
    l0, l1, l2, l3 = kept(m, n, d0, dt, x, keep_m, keep_n)
    free = (i0 & j0 & k0 & l0) | (i1 & j1 & k1 & l1) | (i2 & j2 & k2 & l2) | (i3 & j3 & k3 & l3)
    e0 = vec.sub(q0, p0)
    e1 = vec.sub(q1, p1)
    g0 = vec.sub(s0, r0)
    g1 = vec.sub(s1, r1)
    noise = 160.0 * UNIT * total(far) * (total(absolute(e0)) + total(absolute(e1)))
    noise = noise * (total(absolute(g0)) + total(absolute(g1))) + UNDERFLOW
    et = ahead(e0, e1, done, limit)
    return free | volume_sign(a0, e0, g0, at, et, ahead(g0, g1, done, limit), noise, margin)
