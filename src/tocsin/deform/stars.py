"""The faces around a vertex: can two of them meet during the motion? Eight rings at a time, all their pairs at once.

Neighbours are always close, so no box tells them apart, and most pairs of faces that are close are neighbours. But seen
along one direction n, the ring of a vertex usually lies flat: its faces go once around it. Then none of them can touch
another, and the n (n - 1) / 2 pairs of a ring are done with n products. The few rings that are folded more sharply are
taken apart, and their pairs go the way of all others.

Lemma. In a plane let r_0, ..., r_(n-1) be points around the origin o with cross(r_i, r_(i+1)) >= c > 0 cyclically, that
go around it once, and let no r_i, and no side r_i r_(i+1), be longer than l. Then features (vertices, edges, faces) of
the triangles T_i = o r_i r_(i+1) that share no vertex are at least c / l apart.

Proof. The wedges W_i of the triangles have angles in (0, 180) and tile the plane. Features without a common vertex are
(1) r_a and the face T_j, (2) a side of ring i and a spoke o r_b, (3) two sides.
(1) The point of W_j next to r_a is on one of its rays, r_b, b != a. If the angle between them is 90 degrees or more,
the distance is |r_a| >= c / |r_(a+1)|. Else it is |r_a| times its sine, and the wedge beside r_a on that side lies
between them, so that it is at least the distance of r_a from the ray of a neighbour r_n, |cross(r_a, r_n)| / |r_n|.
(2) Let x be on the side p q of W_i. If the angle between x and r_b is 90 degrees or more, the distance is |x|, at least
that of o from the line p q: cross(p, q) / |q - p|. Else let r_b be on the side of q: cross(x, r_b) / |r_b| is linear in
x between q and either p or where the angle is 90 degrees. At q it is as in (1), at 90 degrees it is |x|, and at p it
is |p| times the sine of an angle that contains W_i: at least cross(p, q) / |q|.
(3) Segments that do not meet are closest at an end of one of them: (1).

In space n . (a x b) / |n| is the cross product of what is seen along n, and distances seen are no longer than true
ones. The vertices move linearly, so n . (e_i x e_(i+1)) is a quadratic in time and above a bound if its Bernstein
coefficients are; all the while the ring goes around once, as it does at the start.
"""

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin._lanes import bits, load_singles, select
from tocsin.deform.apart import LEAST, ONE, ZERO, length1, mixed, noise_of
from tocsin.deform.narrow import culling_margin, settle
from tocsin.deform.rings import LONGEST
from tocsin.deform.rows import gathered, greater, spread_single, store_singles

ROWS = 15
"""Of scratch: a spoke at 0 and at T, then the face's normal at 0, at T, and what is between."""

MOST_PAIRS = 4 * LONGEST * (LONGEST - 1)
"""Of a block."""

LARGEST = 2.0**28
"""Coordinates beyond which products of four might overflow single precision: then rings are taken apart."""

LEAN = np.float32(0.375)
TWO, FOUR, SIX = np.float32(2.0), np.float32(4.0), np.float32(6.0)


@kernel
def make_scratch():
    """Return room for the rings of one block."""
    return np.zeros((LONGEST + 1, ROWS, 8), dtype=np.float32)


@kernel
def row3(table, i, row):
    """Return three rows as a vector."""
    return (load_singles(table, i, row), load_singles(table, i, row + 1), load_singles(table, i, row + 2))


@kernel
def store3(table, i, row, v):
    """Write a vector into three rows."""
    store_singles(table, i, row, v[0])
    store_singles(table, i, row + 1, v[1])
    store_singles(table, i, row + 2, v[2])


@kernel
def widened(v, most):
    """Return the larger of `most` and the absolute components."""
    return greater(greater(abs(v[0]), abs(v[1])), greater(abs(v[2]), most))


@kernel
def rings_free(table, vertices, b, length, done, limit, noise, margin, scratch):
    """Return the rings of block b (bits) none of whose features without a common vertex come near during [0, T].

    `noise` is 24 ROUNDING times the largest coordinate.

    Proof. With u = ROUNDING, X the largest coordinate and L the largest component of a spoke e: positions are rounded
    by u X, a spoke by 2 u X + u L, and at T by 5 u L more, which is less than d = `noise` as L <= 2 X. A component of
    e x f is then known up to 4 d L + 2 d^2 + 4 u L^2, and n . (e x f) up to |n|_1 (4 d L + 2 d^2 + 12 u L^2), which is
    less than |n|_1 d (6 L + 2 d) by as much as computing that may be off. Spokes are shorter than sqrt 3 (L + d) and
    sides at most twice as long: 4 (L + d) is l of the lemma, and margin l |n|_1 is added. To go around once means that
    exactly one face lies across the ray of g, which is in the first face: spokes before and after it are told apart by
    n . (g x e), known up to |n|_1 3.3 d |g| < |n|_1 5 d L, as components of g are below 1.4 L.
    """
    center = gathered(table, vertices, b, 0)
    v0 = (center[0], center[1], center[2])
    v1 = (center[3], center[4], center[5])
    most = spread_single(ZERO)
    for k in range(length):
        spoke = gathered(table, vertices, b, 1 + k)
        e0 = vec.sub((spoke[0], spoke[1], spoke[2]), v0)
        et = mixed(e0, vec.sub((spoke[3], spoke[4], spoke[5]), v1), done, limit)
        store3(scratch, k, 0, e0)
        store3(scratch, k, 3, et)
        most = widened(et, widened(e0, most))
    store3(scratch, length, 0, row3(scratch, 0, 0))
    store3(scratch, length, 3, row3(scratch, 0, 3))
    zero = spread_single(ZERO)
    n = (zero, zero, zero)
    e0 = row3(scratch, 0, 0)
    et = row3(scratch, 0, 3)
    for k in range(length):
        f0 = row3(scratch, k + 1, 0)
        ft = row3(scratch, k + 1, 3)
        n0 = vec.cross(e0, f0)
        nt = vec.cross(et, ft)
        store3(scratch, k, 6, n0)
        store3(scratch, k, 9, nt)
        store3(scratch, k, 12, vec.add(vec.cross(e0, ft), vec.cross(et, f0)))
        n = vec.add(n, vec.add(n0, nt))
        e0 = f0
        et = ft
    keep = length1(n) * (noise * (SIX * most + TWO * noise) + FOUR * margin * (most + noise)) + LEAST
    twice = TWO * keep
    e0 = row3(scratch, 0, 0)
    f0 = row3(scratch, 1, 0)
    m = vec.cross(n, (e0[0] + LEAN * f0[0], e0[1] + LEAN * f0[1], e0[2] + LEAN * f0[2]))
    before = vec.dot(m, row3(scratch, length - 1, 0))
    flat = keep > ZERO
    turns = zero
    for k in range(length):
        flat = flat & (vec.dot(n, row3(scratch, k, 6)) > keep) & (vec.dot(n, row3(scratch, k, 9)) > keep)
        flat = flat & (vec.dot(n, row3(scratch, k, 12)) > twice)
        after = vec.dot(m, row3(scratch, k, 0))
        flat = flat & (abs(after) > keep)
        turns = turns + select((before < ZERO) & (after > ZERO), ONE, ZERO)
        before = after
    return bits(flat & (turns < TWO))


@kernel
def list_ring(a, b, lane, pairs, n):
    """Write the pairs of faces of a ring into `pairs`; return the next row.

    Faces that follow each other share a second vertex; if that has a ring too, the pair belongs to the smaller one.
    """
    length = a.ring_lengths[b, 0]
    v = a.ring_vertices[b, 0, lane]
    for i in range(length):
        for k in range(i + 1, length):
            joint = -1
            if k == i + 1:
                joint = a.ring_vertices[b, 1 + k, lane]
            elif i == 0 and k == length - 1:
                joint = a.ring_vertices[b, 1, lane]
            if joint >= 0 and joint < v and a.has_ring[joint]:
                continue
            pairs[n, 0] = a.ring_faces[b, i, lane]
            pairs[n, 1] = a.ring_faces[b, k, lane]
            pairs[n, 2] = joint < 0
            n += 1
    return n


@kernel
def settle_rings(a, first, last, room, margin, tolerance, limit, question, overlaps, hits, found, counts):
    """Settle the blocks of rings first to last - 1 of a model; return (hits, found, limit)."""
    near = np.float32(culling_margin(margin, tolerance, question) * (1.0 + 2.0**-22))
    noise = noise_of(a.reach, LARGEST)
    scratch = make_scratch()
    n = 0
    for b in range(first, last):
        until = np.float32(limit * (1.0 + 2.0**-23))
        length = a.ring_lengths[b, 0]
        flat = rings_free(a.table, a.ring_vertices, b, length, ONE - until, until, noise, near, scratch)
        for lane in range(a.ring_lengths[b, 1]):
            if not (flat >> lane) & 1:
                n = list_ring(a, b, lane, room.pairs, n)
        if n + MOST_PAIRS > room.pairs.shape[0] or b == last - 1:
            hits, found, limit = settle(
                a, a, True, room, n, margin, tolerance, limit, question, overlaps, hits, found, counts
            )
            n = 0
    return hits, found, limit
