"""Two faces that share an edge: can they fold onto each other during the motion?

Neighbours are always close, so no box tells them apart, and there are half as many of them as there are edges: they are
taken from a list instead, four at a time. With s and r the ends of the shared edge and a and b the two other corners,
the feature pairs that share no vertex are a with the second face, b with the first, and the edges s a with r b and r a
with s b. Two fixed directions, tilted a little one way and the other along the shared edge, keep all of them apart as
long as the faces stay well unfolded; the few that do not go the way of all other pairs.
"""

from tocsin import vec
from tocsin._jit import kernel
from tocsin._lanes import bits, root
from tocsin.bounds.rounding import UNDERFLOW
from tocsin.deform.filters import absolute, ahead, apart_by, point, put, spans
from tocsin.deform.narrow import culling_margin, settle

TILT = 0.25
"""Of the directions, along the shared edge."""


@kernel
def both_ways(n, along, tilt, d, keep):
    """Return where n . d is above keep with both tilts."""
    across = vec.dot(n, d)
    off = tilt * vec.dot(along, d)
    return (across + off > keep) & (across - off > keep)


@kernel
def hinges_free(block, done, limit, margin):
    """Return which of four hinges (s, r, a, b) have no feature pair that comes within the margin during [0, T].

    Proof. Let n+ and n- be the two directions. All of s - a, r - a, b - s, b - r have positive products with both, so b
    - a has; r - s has one with n+, and s - r one with n-. The differences of a vertex of the second face and a are s -
    a, r - a and b - a; of b and the first face b - s, b - r and b - a; of r b and s a they are r - s, r - a, b - s, b -
    a, all positive along n+; of s b and r a likewise along n-. Products are linear in time, so what holds at 0 and at T
    holds in between; `apart_by` covers roundings and margin of a direction of at most twice the length of both.
    """
    s0 = point(block, 0, 0)
    s1 = point(block, 0, 1)
    r0 = point(block, 1, 0)
    r1 = point(block, 1, 1)
    a0 = point(block, 2, 0)
    a1 = point(block, 2, 1)
    b0 = point(block, 3, 0)
    b1 = point(block, 3, 1)
    sa0 = vec.sub(s0, a0)
    sa1 = vec.sub(s1, a1)
    ra0 = vec.sub(r0, a0)
    ra1 = vec.sub(r1, a1)
    bs0 = vec.sub(b0, s0)
    bs1 = vec.sub(b1, s1)
    br0 = vec.sub(b0, r0)
    br1 = vec.sub(b1, r1)
    e0 = vec.sub(r0, s0)
    e1 = vec.sub(r1, s1)
    far = spans(sa0, sa1, spans(ra0, ra1, spans(bs0, bs1, spans(br0, br1, vec.add(absolute(e0), absolute(e1))))))
    sat = ahead(sa0, sa1, done, limit)
    rat = ahead(ra0, ra1, done, limit)
    bst = ahead(bs0, bs1, done, limit)
    brt = ahead(br0, br1, done, limit)
    et = ahead(e0, e1, done, limit)
    along = vec.add(e0, et)
    ee = vec.dot(along, along) + UNDERFLOW
    n = vec.add(vec.add(sa0, br0), vec.add(sat, brt))
    part = vec.dot(n, along) / ee
    n = vec.sub(n, (along[0] * part, along[1] * part, along[2] * part))
    tilt = TILT * root(vec.dot(n, n) / ee)
    reach = vec.add(absolute(n), absolute((along[0] * tilt, along[1] * tilt, along[2] * tilt)))
    keep = 2.0 * apart_by(reach, far, margin)
    free = both_ways(n, along, tilt, sa0, keep) & both_ways(n, along, tilt, sat, keep)
    free = free & both_ways(n, along, tilt, ra0, keep) & both_ways(n, along, tilt, rat, keep)
    free = free & both_ways(n, along, tilt, bs0, keep) & both_ways(n, along, tilt, bst, keep)
    free = free & both_ways(n, along, tilt, br0, keep) & both_ways(n, along, tilt, brt, keep)
    lean = abs(vec.dot(n, e0))
    free = free & (tilt * vec.dot(along, e0) - lean > keep)
    lean = abs(vec.dot(n, et))
    return free & (tilt * vec.dot(along, et) - lean > keep)


@kernel
def keep_hinges(a, first, last, block, done, limit, margin, pairs):
    """Write the hinges that are not proven free into `pairs`; return (how many, the next hinge): as many as fit."""
    n = 0
    p = first
    while p < last and n + 4 <= pairs.shape[0]:
        for lane in range(4):
            k = min(p + lane, last - 1)
            for c in range(4):
                v = a.hinge_vertices[k, c]
                put(block, lane, 3 * c, a.p0, v)
                put(block, lane, 3 * c + 12, a.p1, v)
        left = 15 - bits(hinges_free(block, done, limit, margin))
        for lane in range(min(4, last - p)):
            if (left >> lane) & 1:
                pairs[n, 0] = a.hinges[p + lane, 0]
                pairs[n, 1] = a.hinges[p + lane, 1]
                pairs[n, 2] = 0
                n += 1
        p += 4
    return n, p


@kernel
def settle_hinges(a, first, last, room, margin, tolerance, limit, question, hits, found, counts):
    """Settle the hinges first to last - 1 of a model; return (hits, found, limit)."""
    near = culling_margin(margin, tolerance, question)
    p = first
    while p < last:
        n, p = keep_hinges(a, p, last, room.block, 1.0 - limit, limit, near, room.pairs)
        hits, found, limit = settle(a, a, True, room, n, margin, tolerance, limit, question, False, hits, found, counts)
    return hits, found, limit
