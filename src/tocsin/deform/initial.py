"""Overlap at the start: does an edge go through a face at time 0?

Surfaces that do not cross at time 0 can cross later only after a vertex meets a face, or an edge an edge; so this is
asked once, at the start. Signs of volumes decide; where rounding hides a sign, the edge passes within rounding of an
edge or a corner of the face, or ends within rounding of its plane, and the pair's distance at time 0, which the
advancement looks at, is a contact already.
"""

from tocsin import vec
from tocsin._jit import kernel
from tocsin.bounds.rounding import UNDERFLOW, UNIT
from tocsin.deform.certificate import greatest, largest, widest


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
    """Return True if the segment p q certainly goes through the triangle a b c."""
    e = vec.sub(b, a)
    f = vec.sub(c, a)
    above = sign(vec.sub(p, a), e, f)
    if above == 0 or above == sign(vec.sub(q, a), e, f):
        return False
    if sign(vec.sub(q, a), e, f) == 0:
        return False
    d = vec.sub(q, p)
    pa = vec.sub(a, p)
    pb = vec.sub(b, p)
    pc = vec.sub(c, p)
    first = sign(d, pa, pb)
    return first != 0 and first == sign(d, pb, pc) and first == sign(d, pc, pa)


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
