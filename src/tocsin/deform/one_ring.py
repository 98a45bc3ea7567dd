"""The faces around a vertex: can two of them meet during the motion? Eight rings at a time, all their pairs at once.

Neighbours are always close, so no box tells them apart, and most pairs of faces that are close are neighbours. But seen
along one direction n, the ring of a vertex usually lies flat: its faces go once around it. Then none of them can touch
another, and the n (n - 1) / 2 pairs of a ring are done with n products. The few rings that are folded more sharply are
taken apart: of their pairs most are kept apart by a plane through the vertex, or lie on two sides of a common edge, and
what is left goes the way of all others.

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
from tocsin.compiler.jit import kernel
from tocsin.deform.element_filter import LEAST, ONE, ZERO, length1, mixed, noise_of, single_up
from tocsin.deform.mesh_arrays import REACH, culling_margin
from tocsin.deform.narrow import is_spent, settle
from tocsin.deform.overlap import Reach
from tocsin.deform.rings import LONGEST
from tocsin.simd.gathers import gathered
from tocsin.simd.lanes import bits, load_singles, root, select
from tocsin.simd.singles import greater, spread_single, store_singles, trailing

ROWS = 21
"""Of scratch: a spoke at 0 and at T, the face's normal at 0, at T, and what is between; directions of both."""

DIRECTION, FACING = 15, 18
"""Rows of the sums of the unit vectors at 0 and at T: of spokes, and of normals."""

MOST_PAIRS = 8 * (LONGEST - 1)
"""Of one face of each of the rings of a block with those after it."""

LARGEST = 2.0**28
"""Coordinates beyond which products of four might overflow single precision: then rings are taken apart."""

LARGEST_ROW = 6
"""Of the place after the last spoke, which repeats the first and has no face: the largest component of all spokes."""

LEAN, TENTH = np.float32(0.375), np.float32(0.1)
TWO, FOUR, SIX = np.float32(2.0), np.float32(4.0), np.float32(6.0)


@kernel
def make_scratch():
    """Return room for the rings of one block; all of it is written before it is read."""
    return np.empty((LONGEST + 1, ROWS, 8), dtype=np.float32)


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
def rings_free(table, vertices, first, length, reach, scratch):
    """Return the rings of a block (bits) none of whose features without a common vertex come near during [0, T].

    Its vertices are those from row `first` on; `reach.noise` is 24 ROUNDING times the largest coordinate.

    Proof. With u = ROUNDING, X the largest coordinate and L the largest component of a spoke e: positions are rounded
    by u X, a spoke by 2 u X + u L, and at T by 5 u L more, which is less than d = `noise` as L <= 2 X. A component of
    e x f is then known up to 4 d L + 2 d^2 + 4 u L^2, and n . (e x f) up to |n|_1 (4 d L + 2 d^2 + 12 u L^2), which is
    less than |n|_1 d (6 L + 2 d) by as much as computing that may be off. Spokes are shorter than sqrt 3 (L + d) and
    sides at most twice as long: 4 (L + d) is l of the lemma, and margin l |n|_1 is added. To go around once means that
    exactly one face lies across the ray of g, which is in the first face: spokes before and after it are told apart by
    n . (g x e), known up to |n|_1 3.3 d |g| < |n|_1 5 d L, as components of g are below 1.4 L.
    """
    noise = reach.noise
    margin = reach.margin
    center = gathered(table, vertices, first, 0)
    v0 = (center[0], center[1], center[2])
    v1 = (center[3], center[4], center[5])
    most = spread_single(ZERO)
    for k in range(length):
        spoke = gathered(table, vertices, first + 1 + k, 0)
        e0 = vec.sub((spoke[0], spoke[1], spoke[2]), v0)
        et = mixed(e0, vec.sub((spoke[3], spoke[4], spoke[5]), v1), reach.done, reach.limit)
        store3(scratch, k, 0, e0)
        store3(scratch, k, 3, et)
        most = widened(et, widened(e0, most))
    store3(scratch, length, 0, row3(scratch, 0, 0))
    store3(scratch, length, 3, row3(scratch, 0, 3))
    store_singles(scratch, length, LARGEST_ROW, most)
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
def both_units(p, q):
    """Return about the sum of two vectors scaled to length 1."""
    x = ONE / root(vec.dot(p, p) + LEAST)
    y = ONE / root(vec.dot(q, q) + LEAST)
    return (x * p[0] + y * q[0], x * p[1] + y * q[1], x * p[2] + y * q[2])


@kernel
def direct(scratch, length):
    """Write the directions of spokes and of normals."""
    for k in range(length):
        store3(scratch, k, DIRECTION, both_units(row3(scratch, k, 0), row3(scratch, k, 3)))
        store3(scratch, k, FACING, both_units(row3(scratch, k, 6), row3(scratch, k, 9)))
    store3(scratch, length, DIRECTION, row3(scratch, 0, DIRECTION))


@kernel
def beyond(n, scratch, k, keep):
    """Return where spoke k is on the far side of the plane across n through the vertex, by `keep`, at 0 and at T."""
    return (vec.dot(n, row3(scratch, k, 0)) > keep) & (vec.dot(n, row3(scratch, k, 3)) > keep)


@kernel
def through(n, scratch, i, k, noise, margin):
    """Return where the plane across n through the vertex keeps faces i and k apart, which share nothing else.

    Proof. Let the other corners of one face be beyond the plane by h and those of the other before it by h: two
    features without a common vertex are on its two sides, and one of them, which does not have the vertex, is h away
    from it. For a fixed n heights are linear in time: two ends will do. A spoke is known up to `noise` in each
    component (`rings_free`), n . e up to |n|_1 (noise + 3 u L) < 2 |n|_1 noise, as L <= 2 X.
    """
    keep = length1(n) * (FOUR * noise + TWO * margin) + LEAST
    free = beyond(n, scratch, i, keep) & beyond(n, scratch, i + 1, keep)
    n = (ZERO - n[0], ZERO - n[1], ZERO - n[2])
    return free & beyond(n, scratch, k, keep) & beyond(n, scratch, k + 1, keep)


@kernel
def tilted(n, toward, off):
    """Return a tenth of `toward`, plus n or its opposite: whichever does not point to `off`."""
    away = select(vec.dot(n, off) > ZERO, ZERO - ONE, ONE)
    return (away * n[0] + TENTH * toward[0], away * n[1] + TENTH * toward[1], away * n[2] + TENTH * toward[2])


@kernel
def apart_free(scratch, i, k, noise, margin):
    """Return the rings (bits) whose faces i and k, which share the vertex alone, have no features that come near.

    Three planes through the vertex are tried: between the two faces, and almost that of the one and of the other.
    """
    p = vec.add(row3(scratch, i, DIRECTION), row3(scratch, i + 1, DIRECTION))
    q = vec.add(row3(scratch, k, DIRECTION), row3(scratch, k + 1, DIRECTION))
    n = vec.sub(p, q)
    free = through(n, scratch, i, k, noise, margin)
    free = free | through(tilted(row3(scratch, i, FACING), n, q), scratch, i, k, noise, margin)
    p = (ZERO - p[0], ZERO - p[1], ZERO - p[2])
    return bits(free | through(tilted(row3(scratch, k, FACING), n, p), scratch, i, k, noise, margin))


@kernel
def facing(m, scratch, k, keep):
    """Return where m . (e x f) of face k stays above `keep`: its three Bernstein coefficients are."""
    up = (vec.dot(m, row3(scratch, k, 6)) > keep) & (vec.dot(m, row3(scratch, k, 9)) > keep)
    return up & (vec.dot(m, row3(scratch, k, 12)) > TWO * keep)


@kernel
def folded_free(scratch, length, i, k, noise, margin):
    """Return the rings (bits) whose faces i and k, one after the other, have no features that come near.

    Proof. Seen along m let them lie on two sides of their common edge v w: with corners a, b beside it, the products
    cross(w - v, a - v) and cross(b - v, w - v) are at least c, lengths at most l. Features without a common vertex are
    a and the face of b, or b and that of a: c / l apart, as they are on two sides of the line v w, and a or b is c / l
    from it. Or they are edges v a and w b (v b and w a): they do not cross, so an end of one is closest. a and b are as
    before; v is c / l away from the line w b, and w from v a. Rounding is that of `rings_free`.
    """
    m = vec.add(row3(scratch, i, FACING), row3(scratch, k, FACING))
    most = load_singles(scratch, length, LARGEST_ROW)
    keep = length1(m) * (noise * (SIX * most + TWO * noise) + FOUR * margin * (most + noise)) + LEAST
    return bits(facing(m, scratch, i, keep) & facing(m, scratch, k, keep))


@kernel
def list_face(a, b, i, folded, reach, scratch, pairs, n):
    """Write the pairs of face i, and one after it, of those rings of block b that are `folded` (bits); return the next
    row of `pairs`.

    Those that nothing keeps apart; `direct` has been here. Faces that follow each other share a second vertex; if that
    has a ring too, the pair belongs to the smaller one.
    """
    length = a.ring_lengths[b, 0]
    first = a.ring_lengths[b, 2]
    for k in range(i + 1, length):
        joint = -1
        if k == i + 1:
            joint = 1 + k
        elif i == 0 and k == length - 1:
            joint = 1
        if joint < 0:
            left = folded & ~apart_free(scratch, i, k, reach.noise, reach.margin)
        else:
            left = folded & ~folded_free(scratch, length, i, k, reach.noise, reach.margin)
        while left:
            lane = trailing(left)
            left &= left - 1
            if joint >= 0:
                w = a.ring_vertices[first + joint, 0, lane]
                if w < a.ring_vertices[first, 0, lane] and a.has_ring[w]:
                    continue
            pairs[n, 0] = a.ring_faces[first + i, 0, lane]
            pairs[n, 1] = a.ring_faces[first + k, 0, lane]
            pairs[n, 2] = joint < 0
            n += 1
    return n


@kernel
def settle_rings(pair, first, last, workspace, search):
    """Settle the blocks of rings first to last - 1 of a model and itself; return the search as it then stands.

    With n = 0 as a constant `settle` would be compiled again for it.
    """
    a = pair.a
    near = single_up(culling_margin(pair) * (1.0 + 2.0**-22))
    noise = noise_of(a.measures[REACH], LARGEST)
    scratch = make_scratch()
    pairs = workspace.pairs
    n = np.int64(0)
    for b in range(first, last):
        if is_spent(workspace.counts):
            break
        until = single_up(search.limit)
        reach = Reach(ONE - until, until, near, near, noise, False)
        length = a.ring_lengths[b, 0]
        flat = rings_free(a.table, a.ring_vertices, a.ring_lengths[b, 2], length, reach, scratch)
        folded = ~flat & ((1 << a.ring_lengths[b, 1]) - 1)
        if folded:
            direct(scratch, length)
        i = 0 if folded else length
        while i < length or (n > 0 and b == last - 1):
            while i < length and n + MOST_PAIRS <= pairs.shape[0]:
                n = list_face(a, b, i, folded, reach, scratch, pairs, n)
                i += 1
            if i < length or b == last - 1:
                search = settle(pair, workspace, n, search)
                n = np.int64(0)
    return search
