"""Quick proofs of freedom for pairs of features, eight pairs at a time: most pairs never reach the advancement.

Certificates over [0, T], with no search in them: the direction between the two centroids, at the start, at the end,
where they pass each other closest, or turning from the first to the second (`certificate`); and the sign of the volume
that the two features span (`volume`). Positions are those of the hierarchy, in single precision: 32 bytes a vertex, so
that gathering eight pairs takes 32 loads.
"""

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin._lanes import select
from tocsin.deform.apart import LEAST, ONE, ZERO, length1, mixed
from tocsin.deform.rows import gathered, greater

THREE = np.float32(3.0)
SPREAD = np.float32(16.0)
"""Noise of a volume, in `noise` and products of two lengths; see `volume_sign`."""


@kernel
def largest1(d, e):
    """Return the largest absolute component of two vectors."""
    size = greater(greater(abs(d[0]), abs(d[1])), abs(d[2]))
    return greater(size, greater(greater(abs(e[0]), abs(e[1])), abs(e[2])))


@kernel
def volume_sign(w, e, f, w_end, e_end, f_end, noise, margin):
    """Return where det(w, e, f) keeps one sign, and the margin, from the first values to the end values.

    `noise` is 24 u X, u the unit roundoff and X the largest coordinate: a component of a vector is wrong by at most
    half of it (`features_free`).

    Proof. As `volume.volume_hold`: four Bernstein coefficients, all on one side. With d the error of a component and W,
    E, F the largest components plus d, a determinant is wrong by 6 d (E F + W F + W E) from its vectors and by 6 * 10 u
    W E F from rounding, where u W <= u (2 X + d) < noise / 11: in all less than 9 noise (E F + W F + W E), and 16 cover
    the roundings of this bound. The margin counts |e x f| in the sum of absolute components, which is larger than its
    length, with its own error: 4 d (E + F) and 4 u E F in each of three components.
    """
    n00 = vec.cross(e, f)
    n11 = vec.cross(e_end, f_end)
    n01 = vec.add(vec.cross(e, f_end), vec.cross(e_end, f))
    size_w = largest1(w, w_end) + noise
    size_e = largest1(e, e_end) + noise
    size_f = largest1(f, f_end) + noise
    off = SPREAD * noise * (size_e * size_f + size_w * (size_e + size_f))
    wide = length1(n00) + length1(n01) + length1(n11) + SPREAD * noise * (size_e + size_f)
    keep = off + margin * wide + LEAST
    three = THREE * keep
    c0 = vec.dot(w, n00)
    c1 = vec.dot(w_end, n00) + vec.dot(w, n01)
    c2 = vec.dot(w_end, n01) + vec.dot(w, n11)
    c3 = vec.dot(w_end, n11)
    above = (c0 > keep) & (c1 > three) & (c2 > three) & (c3 > keep)
    below = (c0 < ZERO - keep) & (c1 < ZERO - three) & (c2 < ZERO - three) & (c3 < ZERO - keep)
    return above | below


@kernel
def closest_time(m, n):
    """Return x in [0, 1] near which m + x (n - m) is shortest."""
    rate = vec.sub(n, m)
    x = (ZERO - vec.dot(m, rate)) / (vec.dot(rate, rate) + LEAST)
    return select(x > ZERO, select(x < ONE, x, ONE), ZERO)


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
    rest = ONE - x
    at_d = md > keep_m
    at_e = ne > keep_n
    by_m = at_d & (me > keep_m)
    by_n = at_e & (nd > keep_n)
    between = (rest * md + x * nd > both) & (rest * me + x * ne > both)
    turning = at_d & at_e & (me + nd > both)
    return by_m, by_n, between, turning


@kernel
def ends_of(first, second):
    """Return the difference of two gathered vertices at time 0 and at time 1."""
    return (
        (second[0] - first[0], second[1] - first[1], second[2] - first[2]),
        (second[3] - first[3], second[4] - first[4], second[5] - first[5]),
    )


@kernel
def ahead(d, done, limit):
    """Return a difference, given at both ends, at the time limit."""
    return mixed(d[0], d[1], done, limit)


@kernel
def centroids_part(m, n, a, at, b, bt, c, ct, d, dt, noise, margin):
    """Return where one of the directions of `kept` keeps all of four differences apart, from a to at and so on."""
    keep_m = (noise + margin) * length1(m) + LEAST
    keep_n = (noise + margin) * length1(n) + LEAST
    x = closest_time(m, n)
    i0, i1, i2, i3 = kept(m, n, a, at, x, keep_m, keep_n)
    j0, j1, j2, j3 = kept(m, n, b, bt, x, keep_m, keep_n)
    k0, k1, k2, k3 = kept(m, n, c, ct, x, keep_m, keep_n)
    l0, l1, l2, l3 = kept(m, n, d, dt, x, keep_m, keep_n)
    return (i0 & j0 & k0 & l0) | (i1 & j1 & k1 & l1) | (i2 & j2 & k2 & l2) | (i3 & j3 & k3 & l3)


@kernel
def vertex_face_free(table_a, table_b, seats, q, done, limit, noise, margin):
    """Return which of eight vertex-face pairs are proven to keep more than the margin during [0, T].

    seats[q] holds the numbers of the vertices, and those of the corners of the faces, in `table_b`. `noise` is 24 u X,
    u the unit roundoff of single precision and X the largest coordinate, `margin` larger than asked by 2^-20.

    Proof. Positions are rounded by u X, a difference by 2 u X more, both ends at T by 6 u X, and as `done` and `limit`
    add up to 1 only up to u, by 2 u X more: a component is known up to 12 u X. A product with n takes another 6 u X
    |n|_1: in all 18 u X |n|_1, and `noise` covers it and the roundings of |n|_1. With n fixed the product is linear in
    time: above margin |n|_1 >= margin |n| at 0 and at T, it is so in between.
    """
    v = gathered(table_a, seats, q, 0)
    f = gathered(table_b, seats, q, 1)
    g = gathered(table_b, seats, q, 2)
    h = gathered(table_b, seats, q, 3)
    a = ends_of(v, f)
    b = ends_of(v, g)
    c = ends_of(v, h)
    at = ahead(a, done, limit)
    bt = ahead(b, done, limit)
    ct = ahead(c, done, limit)
    m = vec.add(vec.add(a[0], b[0]), c[0])
    n = vec.add(vec.add(at, bt), ct)
    free = centroids_part(m, n, a[0], at, b[0], bt, c[0], ct, c[0], ct, noise, margin)
    e = ends_of(f, g)
    s = ends_of(f, h)
    et = ahead(e, done, limit)
    return free | volume_sign(a[0], e[0], s[0], at, et, ahead(s, done, limit), noise, margin)


@kernel
def edge_edge_free(table_a, table_b, seats, q, done, limit, noise, margin):
    """Return which of eight edge-edge pairs are proven to keep more than the margin; as `vertex_face_free`.

    seats[q] holds the numbers of the ends of a's edges and of b's.
    """
    p = gathered(table_a, seats, q, 0)
    r = gathered(table_a, seats, q, 1)
    f = gathered(table_b, seats, q, 2)
    g = gathered(table_b, seats, q, 3)
    a = ends_of(p, f)
    b = ends_of(p, g)
    c = ends_of(r, f)
    d = ends_of(r, g)
    at = ahead(a, done, limit)
    bt = ahead(b, done, limit)
    ct = ahead(c, done, limit)
    dt = ahead(d, done, limit)
    m = vec.add(vec.add(a[0], b[0]), vec.add(c[0], d[0]))
    n = vec.add(vec.add(at, bt), vec.add(ct, dt))
    free = centroids_part(m, n, a[0], at, b[0], bt, c[0], ct, d[0], dt, noise, margin)
    e = ends_of(p, r)
    s = ends_of(f, g)
    et = ahead(e, done, limit)
    return free | volume_sign(a[0], e[0], s[0], at, et, ahead(s, done, limit), noise, margin)
