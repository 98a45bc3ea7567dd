"""The closest points of two features at one moment, and how the direction between them turns.

The code is written over `lanes`, and holds for floats as well: every case is computed, and the right one is selected.
"""

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.simd.lanes import root, select

STILL = (0.0, 0.0, 0.0)
"""The rate of what does not move."""


@kernel
def chosen3(chosen, a, b):
    """Return the vector a where `chosen`, else b."""
    return (select(chosen, a[0], b[0]), select(chosen, a[1], b[1]), select(chosen, a[2], b[2]))


@kernel
def divisor(x):
    """Return x where it is positive, else 1."""
    return select(x > 0.0, x, 1.0)


@kernel
def on_segment(p, e):
    """Return (square, s): how near p + s e comes to the origin for s in [0, 1], and where."""
    ee = vec.dot(e, e)
    s = 0.0 - vec.dot(p, e)
    s = select(s > 0.0, select(s < ee, s * (1.0 / divisor(ee)), 1.0), 0.0)
    c = vec.axpy(p, s, e)
    return vec.dot(c, c), s


@kernel
def nearer(one, other):
    """Return the nearer of two candidates (square, where, p, e, p_rate, e_rate, s, r)."""
    chosen = other[0] < one[0]
    return (
        select(chosen, other[0], one[0]), select(chosen, other[1], one[1]), chosen3(chosen, other[2], one[2]),
        chosen3(chosen, other[3], one[3]), chosen3(chosen, other[4], one[4]), chosen3(chosen, other[5], one[5]),
        select(chosen, other[6], one[6]), select(chosen, other[7], one[7]),
    )  # fmt: skip


@kernel
def along(where, p, e, p_rate, e_rate):
    """Return (c, c_rate): the closest point c = p + where e of a segment, and its rate.

    Inside the segment c stays perpendicular to e: with `where` fixed it would move by p_rate + where e_rate; it changes
    so that the derivative of c . e vanishes.
    """
    inside = (where > 0.0) & (where < 1.0)
    over = select(inside, 1.0 / divisor(vec.dot(e, e)), 0.0)
    c = vec.axpy(p, where, e)
    c = vec.axpy(c, (0.0 - vec.dot(c, e)) * over, e)  # close by, rounding leaves c far from perpendicular: once more
    rate = vec.axpy(p_rate, where, e_rate)
    return c, vec.axpy(rate, (0.0 - (vec.dot(rate, e) + vec.dot(c, e_rate))) * over, e)


@kernel
def across(inside, n, n_rate, height, s, r, best):
    """Return (distance, direction, rate, s, r): across both features where `inside`, else from their nearest sides."""
    c, c_rate = along(best[1], best[2], best[3], best[4], best[5])
    sign = select(height < 0.0, -1.0, 1.0)
    square = select(inside, height * height / divisor(vec.dot(n, n)), vec.dot(c, c))
    return (
        root(square),
        chosen3(inside, vec.scale(n, sign), c),
        chosen3(inside, vec.scale(n_rate, sign), c_rate),
        select(inside, s, best[6]),
        select(inside, r, best[7]),
    )


@kernel
def toward_face(face, rates):
    """Return (distance, n, n_rate, s, r): the direction from the origin to a triangle, and where on it it ends.

    `face` is (q0, q1, q2, e, f): the corners, and two sides e = q0 - q1 and f = q2 - q0; `rates` those of q0, q1, e, f.
    The closest point is q0 - s e + r f.
    """
    q0, q1, q2, e, f = face
    r0, r1, e_rate, f_rate = rates
    back = vec.scale(e, -1.0)
    square, s = on_segment(q0, back)
    best = (square, s, q0, back, r0, vec.scale(e_rate, -1.0), s, 0.0)
    square, r = on_segment(q0, f)
    best = nearer(best, (square, r, q0, f, r0, f_rate, 0.0, r))
    third = vec.add(e, f)
    square, r = on_segment(q1, third)
    best = nearer(best, (square, r, q1, third, r1, vec.add(e_rate, f_rate), 1.0 - r, r))
    n = vec.cross(f, e)
    g0 = vec.dot(n, vec.cross(q1, q2))
    g1 = vec.dot(n, vec.cross(q2, q0))
    g2 = vec.dot(n, vec.cross(q0, q1))
    total = g0 + g1 + g2
    inside = (total > 0.0) & (g0 >= 0.0) & (g1 >= 0.0) & (g2 >= 0.0)
    over = 1.0 / divisor(total)
    n_rate = vec.add(vec.cross(f_rate, e), vec.cross(f, e_rate))
    return across(inside, n, n_rate, vec.dot(n, q0), g1 * over, g2 * over, best)


@kernel
def toward_edge(edges, rates):
    """Return (distance, n, n_rate, s, r): the direction from the edge a to the edge b, and where on each it starts.

    `edges` is (d00, d01, d10, e, f), d_ij = b_j - a_i, e and f the edges a and b, with their `rates`; the closest
    points are a_0 + s e and b_0 + r f.
    """
    d00, d01, d10, e, f = edges
    r00, r01, r10, e_rate, f_rate = rates
    back = vec.scale(e, -1.0)
    back_rate = vec.scale(e_rate, -1.0)
    square, r = on_segment(d00, f)
    other, where = on_segment(d10, f)
    best = nearer((square, r, d00, f, r00, f_rate, 0.0, r), (other, where, d10, f, r10, f_rate, 1.0, where))
    square, s = on_segment(d00, back)
    other, where = on_segment(d01, back)
    best = nearer(best, nearer((square, s, d00, back, r00, back_rate, s, 0.0),
                               (other, where, d01, back, r01, back_rate, where, 1.0)))  # fmt: skip
    n = vec.cross(e, f)
    nn = vec.dot(n, n)
    s = vec.dot(vec.cross(d00, f), n)
    r = vec.dot(vec.cross(d00, e), n)
    inside = (nn > 0.0) & (s >= 0.0) & (nn >= s) & (r >= 0.0) & (nn >= r)
    over = 1.0 / divisor(nn)
    n_rate = vec.add(vec.cross(e_rate, f), vec.cross(e, f_rate))
    return across(inside, n, n_rate, vec.dot(n, d00), s * over, r * over, best)


@kernel
def still_face(q0, q1, q2):
    """Return (distance, n, s, r) of a triangle that stands still, as `toward_face`."""
    e = vec.sub(q0, q1)
    distance, n, _, s, r = toward_face((q0, q1, q2, e, vec.sub(q2, q0)), (STILL, STILL, STILL, STILL))
    return distance, n, s, r


@kernel
def still_edge(d00, d01, d10, e, f):
    """Return (distance, n, s, r) of edges that stand still, as `toward_edge`."""
    distance, n, _, s, r = toward_edge((d00, d01, d10, e, f), (STILL, STILL, STILL, STILL, STILL))
    return distance, n, s, r
