"""Local advancement (2010, section V): when a vertex and a face, or two edges, first come within a margin.

From a time until which freedom is proven, the closest points of the two features give a direction, `certificate.hold`
says how long it separates them, and that is the next time. The loop ends at a contact (closest points within margin +
tolerance), at the end of the motion (proven free), at `limit` (too late to matter), or, where floating point or the cap
on steps ends it first, undecided: then too freedom is proven until the time that is returned.

There is no case to single out: coplanar motion, parallel edges, degenerate faces and edges all have closest points and
a direction between them. What a direction may be too slow for, a feature that turns fast close to another without
touching it, is settled by inclusion: the volume spanned by the two features is a cubic in Bernstein form, and before
its control points allow a root there is no contact (`volume_hold`).
"""

import math

from tocsin import vec
from tocsin._jit import kernel
from tocsin.bounds.rounding import UNDERFLOW, UNIT
from tocsin.deform.certificate import between, greatest, hold, largest, later, toward_segment, widest

FREE, CONTACT, UNDECIDED = 0, 1, 2
"""How a pair ended."""

MOST_STEPS = 512
"""Steps after which a pair is left undecided."""

PATIENCE = 1
"""Steps after which the volume's cubic is asked too."""


@kernel
def crossing(above, below, at, width):
    """Return where the line from (at, above) to (at + width, below) crosses zero downwards; 3 if it does not."""
    if above > 0.0 and not below > 0.0:
        return at + width * (above / (above - below))
    return 3.0


@kernel
def volume_hold(w, e, f, w_end, e_end, f_end, size_w, size_e, size_f, margin):
    """Return x in [0, 1]: det(w, e, f) keeps its sign, and the planes or lines their margin, for all y < x.

    w joins the two features, e and f span them: the two sides of the face, or the two edges. Each moves linearly
    from its value to its end value; the sizes bound their components over the whole motion. Within the margin |det| <=
    margin |e x f|.

    Proof. The determinant is a cubic in Bernstein form whose coefficients are sums of at most three determinants with
    one vector of each at either end, over three. A determinant has six products of components, each wrong by 5 u per
    factor (`between`) and at most 7 roundings: in all at most 24 u times 6 size_w size_e size_f. So 160 u covers it,
    and the roundings of taking off the margin. The cubic lies in the convex hull of its control points (k/3, c_k), and
    that reaches zero no earlier than the earliest crossing of a line from a control point above zero to a later one
    that is not: where the hull first meets zero, an edge of the hull does, and its ends are two such control points.
    """
    n00 = vec.cross(e, f)
    n11 = vec.cross(e_end, f_end)
    n01 = vec.add(vec.cross(e, f_end), vec.cross(e_end, f))
    c0 = vec.dot(w, n00)
    c1 = (vec.dot(w_end, n00) + vec.dot(w, n01)) / 3.0
    c2 = (vec.dot(w_end, n01) + vec.dot(w, n11)) / 3.0
    c3 = vec.dot(w_end, n11)
    off = 160.0 * UNIT * size_w * size_e * size_f + UNDERFLOW
    if margin > 0.0:
        widest = max(vec.norm(n00), 0.5 * vec.norm(n01), vec.norm(n11))
        off += margin * (widest * (1.0 + 64.0 * UNIT) + 64.0 * UNIT * size_e * size_f)
    if c0 < 0.0:
        c0, c1, c2, c3 = -c0, -c1, -c2, -c3
    c0 -= off
    if not c0 > 0.0:
        return 0.0
    c1 -= off
    c2 -= off
    c3 -= off
    x = min(crossing(c0, c1, 0.0, 1.0), crossing(c0, c2, 0.0, 2.0), crossing(c0, c3, 0.0, 3.0))
    x = min(x, crossing(c1, c2, 1.0, 1.0), crossing(c1, c3, 1.0, 2.0), crossing(c2, c3, 2.0, 1.0)) / 3.0
    return x * (1.0 - 8.0 * UNIT) if x < 1.0 else 1.0


@kernel
def unit_scaled(n, rate, ahead):
    """Return (n, n_end, lengths of both): a direction scaled to components of at most 1, and where it turns to."""
    s = 1.0 / (max(abs(n[0]), abs(n[1]), abs(n[2])) + 1e-300)
    n = vec.scale(n, s)
    n_end = vec.axpy(n, s * ahead, rate)
    return n, n_end, vec.norm(n) * (1.0 + 8.0 * UNIT), vec.norm(n_end) * (1.0 + 8.0 * UNIT)


@kernel
def toward_face(q0, q1, q2, r0, r1, r2):
    """Return (distance, n, n_rate, a, b, c): the direction from the origin to a triangle, and weights of its corners.

    q are the corners, r their rates. A weight of -1 for the distance's point is never returned: weights are barycentric
    and not negative.
    """
    e = vec.sub(q1, q0)
    f = vec.sub(q2, q0)
    n = vec.cross(e, f)
    nn = vec.dot(n, n)
    if nn > 0.0:
        g0 = vec.dot(n, vec.cross(q1, q2))
        g1 = vec.dot(n, vec.cross(q2, q0))
        g2 = vec.dot(n, vec.cross(q0, q1))
        if g0 >= 0.0 and g1 >= 0.0 and g2 >= 0.0:
            height = vec.dot(n, q0)
            total = g0 + g1 + g2
            rate = vec.add(vec.cross(vec.sub(r1, r0), f), vec.cross(e, vec.sub(r2, r0)))
            if height < 0.0:
                n = vec.scale(n, -1.0)
                rate = vec.scale(rate, -1.0)
            return abs(height) / math.sqrt(nn), n, rate, g0 / total, g1 / total, g2 / total
    square, c, rate, s = toward_segment(q0, e, r0, vec.sub(r1, r0))
    a, b, g = 1.0 - s, s, 0.0
    other, c_other, rate_other, s = toward_segment(q0, f, r0, vec.sub(r2, r0))
    if other < square:
        square, c, rate = other, c_other, rate_other
        a, b, g = 1.0 - s, 0.0, s
    other, c_other, rate_other, s = toward_segment(q1, vec.sub(q2, q1), r1, vec.sub(r2, r1))
    if other < square:
        square, c, rate = other, c_other, rate_other
        a, b, g = 0.0, 1.0 - s, s
    return math.sqrt(square), c, rate, a, b, g


@kernel
def toward_edge(d00, d01, d10, e, f, r00, r01, r10, e_rate, f_rate):
    """Return (distance, n, n_rate, s, r): the direction from the edge a to the edge b, and where on each it starts.

    d_ij = b_j - a_i, e and f the edges a and b; the closest points are a_0 + s e and b_0 + r f.
    """
    n = vec.cross(e, f)
    nn = vec.dot(n, n)
    if nn > 0.0:
        s = vec.dot(vec.cross(d00, f), n)
        r = vec.dot(vec.cross(d00, e), n)
        if s >= 0.0 and s <= nn and r >= 0.0 and r <= nn:
            height = vec.dot(n, d00)
            rate = vec.add(vec.cross(e_rate, f), vec.cross(e, f_rate))
            if height < 0.0:
                n = vec.scale(n, -1.0)
                rate = vec.scale(rate, -1.0)
            return abs(height) / math.sqrt(nn), n, rate, s / nn, r / nn
    square, c, rate, r = toward_segment(d00, f, r00, f_rate)
    s = 0.0
    other, c_other, rate_other, where = toward_segment(d10, f, r10, f_rate)
    if other < square:
        square, c, rate = other, c_other, rate_other
        s, r = 1.0, where
    back = vec.scale(e, -1.0)
    back_rate = vec.scale(e_rate, -1.0)
    other, c_other, rate_other, where = toward_segment(d00, back, r00, back_rate)
    if other < square:
        square, c, rate = other, c_other, rate_other
        s, r = where, 0.0
    other, c_other, rate_other, where = toward_segment(d01, back, r01, back_rate)
    if other < square:
        square, c, rate = other, c_other, rate_other
        s, r = where, 1.0
    return math.sqrt(square), c, rate, s, r


@kernel
def without(n, e):
    """Return n less what it has along e."""
    ee = vec.dot(e, e)
    return vec.axpy(n, -vec.dot(n, e) / ee, e) if ee > 0.0 else n


@kernel
def sharper(k, n, e, f):
    """Return a direction to try where rounding has spoilt n, close by: across e, across f, across both, by number.

    The corner that is closest may be so by less than rounding, with the closest point a little along e or f: then n is
    not quite across that side, as it should be.
    """
    if k == 0:
        return without(n, e)
    if k == 1:
        return without(n, f)
    both = vec.cross(e, f)
    return both if vec.dot(both, n) > 0.0 else vec.scale(both, -1.0)


@kernel
def vertex_face(v_t0, f0_t0, f1_t0, f2_t0, v_t1, f0_t1, f1_t1, f2_t1, margin, tolerance, limit):
    """Return (status, t, steps): when a vertex first comes within margin of a face, or FREE also if after `limit`.

    Free until t is proven; at a CONTACT the distance at t is at most margin + tolerance.
    """
    a0 = vec.sub(f0_t0, v_t0)
    b0 = vec.sub(f1_t0, v_t0)
    c0 = vec.sub(f2_t0, v_t0)
    a1 = vec.sub(f0_t1, v_t1)
    b1 = vec.sub(f1_t1, v_t1)
    c1 = vec.sub(f2_t1, v_t1)
    far_a = widest(a0, a1)
    far_b = widest(b0, b1)
    far_c = widest(c0, c1)
    blur = 16.0 * UNIT * (greatest(far_a) + greatest(far_b) + greatest(far_c))
    r0 = vec.sub(a1, a0)
    r1 = vec.sub(b1, b0)
    r2 = vec.sub(c1, c0)
    t = 0.0
    for step in range(MOST_STEPS):
        a = between(a0, a1, t)
        b = between(b0, b1, t)
        c = between(c0, c1, t)
        distance, n, rate, wa, wb, wc = toward_face(a, b, c, r0, r1, r2)
        if distance <= margin + tolerance:
            point = vec.add(vec.add(vec.scale(a, wa), vec.scale(b, wb)), vec.scale(c, wc))
            if vec.norm(point) + blur <= margin + tolerance:
                return CONTACT, t, step
        n, n_end, length, length_end = unit_scaled(n, rate, 1.0 - t)
        wide = widest(n, n)
        x = hold(n, n, wide, length, length, a, a1, far_a, margin)
        x = min(x, hold(n, n, wide, length, length, b, b1, far_b, margin))
        x = min(x, hold(n, n, wide, length, length, c, c1, far_c, margin))
        if x < 1.0:
            wide = widest(n, n_end)
            y = hold(n, n_end, wide, length, length_end, a, a1, far_a, margin)
            if y > x:
                y = min(y, hold(n, n_end, wide, length, length_end, b, b1, far_b, margin))
                y = min(y, hold(n, n_end, wide, length, length_end, c, c1, far_c, margin))
                x = max(x, y)
            if x < 1.0 and (step >= PATIENCE or not x > 0.0):
                e0 = vec.sub(f1_t0, f0_t0)
                g0 = vec.sub(f2_t0, f0_t0)
                e1 = vec.sub(f1_t1, f0_t1)
                g1 = vec.sub(f2_t1, f0_t1)
                x = max(x, volume_hold(a, between(e0, e1, t), between(g0, g1, t), a1, e1, g1,
                                       greatest(far_a), largest(e0, e1), largest(g0, g1), margin))  # fmt: skip
                k = 0
                while not x > 0.0 and k < 4:
                    if k < 3:
                        m = sharper(k, n, vec.sub(b, a), vec.sub(c, a))
                    else:
                        m = without(n, vec.sub(c, b))
                    m, _, long, _ = unit_scaled(m, m, 0.0)
                    wide = widest(m, m)
                    x = hold(m, m, wide, long, long, a, a1, far_a, margin)
                    x = min(x, hold(m, m, wide, long, long, b, b1, far_b, margin))
                    x = min(x, hold(m, m, wide, long, long, c, c1, far_c, margin))
                    k += 1
            if x < 1.0:
                ahead = later(t, x)
                if not ahead > t:
                    return UNDECIDED, t, step
                t = ahead
                if t > limit:
                    return FREE, t, step
                continue
        return FREE, math.inf, step
    return UNDECIDED, t, MOST_STEPS


@kernel
def edge_edge(a0_t0, a1_t0, b0_t0, b1_t0, a0_t1, a1_t1, b0_t1, b1_t1, margin, tolerance, limit):
    """Return (status, t, steps): when two edges first come within margin of each other; as `vertex_face`."""
    p00 = vec.sub(b0_t0, a0_t0)
    p01 = vec.sub(b1_t0, a0_t0)
    p10 = vec.sub(b0_t0, a1_t0)
    p11 = vec.sub(b1_t0, a1_t0)
    q00 = vec.sub(b0_t1, a0_t1)
    q01 = vec.sub(b1_t1, a0_t1)
    q10 = vec.sub(b0_t1, a1_t1)
    q11 = vec.sub(b1_t1, a1_t1)
    e0 = vec.sub(a1_t0, a0_t0)
    f0 = vec.sub(b1_t0, b0_t0)
    e1 = vec.sub(a1_t1, a0_t1)
    f1 = vec.sub(b1_t1, b0_t1)
    far_00 = widest(p00, q00)
    far_01 = widest(p01, q01)
    far_10 = widest(p10, q10)
    far_11 = widest(p11, q11)
    size_00 = greatest(far_00)
    size_e = largest(e0, e1)
    size_f = largest(f0, f1)
    blur = 16.0 * UNIT * (size_00 + size_e + size_f)
    r00 = vec.sub(q00, p00)
    r01 = vec.sub(q01, p01)
    r10 = vec.sub(q10, p10)
    e_rate = vec.sub(e1, e0)
    f_rate = vec.sub(f1, f0)
    t = 0.0
    for step in range(MOST_STEPS):
        d00 = between(p00, q00, t)
        d01 = between(p01, q01, t)
        d10 = between(p10, q10, t)
        d11 = between(p11, q11, t)
        e = between(e0, e1, t)
        f = between(f0, f1, t)
        distance, n, rate, s, r = toward_edge(d00, d01, d10, e, f, r00, r01, r10, e_rate, f_rate)
        if distance <= margin + tolerance:
            point = vec.sub(vec.axpy(d00, r, f), vec.scale(e, s))
            if vec.norm(point) + blur <= margin + tolerance:
                return CONTACT, t, step
        n, n_end, length, length_end = unit_scaled(n, rate, 1.0 - t)
        wide = widest(n, n)
        x = hold(n, n, wide, length, length, d00, q00, far_00, margin)
        x = min(x, hold(n, n, wide, length, length, d01, q01, far_01, margin))
        x = min(x, hold(n, n, wide, length, length, d10, q10, far_10, margin))
        x = min(x, hold(n, n, wide, length, length, d11, q11, far_11, margin))
        if x < 1.0:
            wide = widest(n, n_end)
            y = hold(n, n_end, wide, length, length_end, d00, q00, far_00, margin)
            if y > x:
                y = min(y, hold(n, n_end, wide, length, length_end, d01, q01, far_01, margin))
                y = min(y, hold(n, n_end, wide, length, length_end, d10, q10, far_10, margin))
                y = min(y, hold(n, n_end, wide, length, length_end, d11, q11, far_11, margin))
                x = max(x, y)
            if x < 1.0 and (step >= PATIENCE or not x > 0.0):
                x = max(x, volume_hold(d00, e, f, q00, e1, f1, size_00, size_e, size_f, margin))
                k = 0
                while not x > 0.0 and k < 3:
                    m, _, long, _ = unit_scaled(sharper(k, n, e, f), n, 0.0)
                    wide = widest(m, m)
                    x = hold(m, m, wide, long, long, d00, q00, far_00, margin)
                    x = min(x, hold(m, m, wide, long, long, d01, q01, far_01, margin))
                    x = min(x, hold(m, m, wide, long, long, d10, q10, far_10, margin))
                    x = min(x, hold(m, m, wide, long, long, d11, q11, far_11, margin))
                    k += 1
            if x < 1.0:
                ahead = later(t, x)
                if not ahead > t:
                    return UNDECIDED, t, step
                t = ahead
                if t > limit:
                    return FREE, t, step
                continue
        return FREE, math.inf, step
    return UNDECIDED, t, MOST_STEPS
