"""Overlap at the start: does an edge go through a face at time 0?

Surfaces that do not cross at time 0 can cross later only after a vertex meets a face, or an edge an edge; so this is
asked once, at the start. Signs of volumes decide; where rounding hides one, a separating direction does, or the pair is
left undecided at time 0.
"""

from tocsin import vec
from tocsin.bounds.rounding import UNDERFLOW, UNIT
from tocsin.compiler.jit import kernel
from tocsin.deform.advance import unit_scaled
from tocsin.deform.certificate import greatest, largest, widest
from tocsin.deform.closest import still_edge, still_face
from tocsin.outcome import CAPPED, CONTACT, FREE


@kernel
def sign(a, b, c):
    """Return the sign of det(a, b, c), 0 if rounding hides it.

    Proof. Six products of three factors, each a difference rounded once: at most 8 u of 6 times the product of the
    largest components.
    """
    volume = vec.dot(a, vec.cross(b, c))
    noise = 64.0 * UNIT * largest(a, a) * largest(b, b) * largest(c, c) + UNDERFLOW
    return 1 if volume > noise else (-1 if volume < -noise else 0)


@kernel
def crosses(p, q, a, b, c):
    """Return CONTACT if the segment p q certainly goes through the triangle a b c, FREE if not, CAPPED if unclear.

    Where rounding hides a sign, a direction that separates the two, the one between their closest features, proves that
    they do not cross; without one nothing is claimed. So a needle of a face, whose plane rounding does not know, is not
    taken for a miss.
    """
    e = vec.sub(b, a)
    f = vec.sub(c, a)
    above = sign(vec.sub(p, a), e, f)
    other = sign(vec.sub(q, a), e, f)
    if above != 0 and above == other:
        return FREE
    d = vec.sub(q, p)
    pa = vec.sub(a, p)
    pb = vec.sub(b, p)
    pc = vec.sub(c, p)
    first = sign(d, pa, pb)
    second = sign(d, pb, pc)
    third = sign(d, pc, pa)
    if first * second < 0 or second * third < 0 or third * first < 0:
        return FREE
    if above != 0 and other != 0 and first != 0 and second != 0 and third != 0:
        return CONTACT
    return FREE if parted(p, q, a, b, c) else CAPPED


@kernel
def parted(p, q, a, b, c):
    """Return True if the direction between the closest features of segment and triangle certainly separates them.

    Proof. The six differences of their ends are rounded once, products with n three times: 16 u of the sum of the
    absolute values of the terms covers it.
    """
    pa = vec.sub(a, p)
    pb = vec.sub(b, p)
    pc = vec.sub(c, p)
    qa = vec.sub(a, q)
    qb = vec.sub(b, q)
    qc = vec.sub(c, q)
    d = vec.sub(q, p)
    least, n, _, _ = still_face(pa, pb, pc)
    near, m, _, _ = still_face(qa, qb, qc)
    if near < least:
        least, n = near, m
    near, m, _, _ = still_edge(pa, pb, qa, d, vec.sub(b, a))
    if near < least:
        least, n = near, m
    near, m, _, _ = still_edge(pb, pc, qb, d, vec.sub(c, b))
    if near < least:
        least, n = near, m
    near, m, _, _ = still_edge(pc, pa, qc, d, vec.sub(a, c))
    if near < least:
        n = m
    n, _, _ = unit_scaled(n)
    far = widest(widest(widest(pa, pb), pc), widest(widest(qa, qb), qc))
    noise = 16.0 * UNIT * vec.dot(widest(n, n), far) + UNDERFLOW
    gap = min(vec.dot(n, pa), vec.dot(n, pb), vec.dot(n, pc))
    return min(gap, vec.dot(n, qa), vec.dot(n, qb), vec.dot(n, qc)) > noise


@kernel
def one_sided(p, q, r, a, b, c):
    """Return True if p, q and r are certainly on one side of the plane of a, b and c; the bound is that of `sign`."""
    e = vec.sub(b, a)
    f = vec.sub(c, a)
    n = vec.cross(e, f)
    u = vec.sub(p, a)
    v = vec.sub(q, a)
    w = vec.sub(r, a)
    noise = 64.0 * UNIT * greatest(widest(widest(u, v), w)) * largest(e, e) * largest(f, f) + UNDERFLOW
    x = vec.dot(u, n)
    y = vec.dot(v, n)
    z = vec.dot(w, n)
    return min(x, y, z) > noise or max(x, y, z) < -noise
