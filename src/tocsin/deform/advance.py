"""Local advancement [LOCAL V, eq. 3]: when a vertex and a face, or two edges, first come within a margin.

First, `coplanarity_step` takes pairs past the moments at which they are in one plane, where all but a few are settled.
The others go on in steps: from a time until which freedom is proven, the volume that the two features span may tell
that they are free for longer (`volume`). There the closest points of the two give a direction, and `certificate` says
how long it separates them: that is the next time. The loop ends at a contact (closest points within margin +
tolerance), at the end of the motion (proven free), at `limit` (too late to matter), or, where floating point or the cap
on steps ends it first, undecided: then too freedom is proven until the time that is returned.

No case needs special treatment: coplanar motion, parallel edges, degenerate faces and edges all have closest points and
a direction between them.

Eight pairs are advanced side by side in `lanes`: all take their first step, then those that are left their second, and
so on; three in a hundred take more than two. Each lane computes what it would alone, bit by bit.
"""

import numpy as np

from tocsin import vec
from tocsin.bounds.rounding import UNIT
from tocsin.compiler.jit import kernel
from tocsin.deform.certificate import between, greatest, hold, larger, largest, later, smaller, stay, widest
from tocsin.deform.closest import toward_edge, toward_face
from tocsin.deform.coplanarity_step import coplanarity_step
from tocsin.deform.volume import volume_hold
from tocsin.outcome import CAPPED, CONTACT, FREE
from tocsin.simd.gathers import corner, entry
from tocsin.simd.lanes import DOUBLES, bits, lane, root, select

MOST_STEPS = 512
"""Steps after which a pair is left undecided."""

LEAPS = 2
"""Steps that are leaps: the volume of many has two roots."""

PATIENCE = 4
"""Steps after which directions that turn are tried too: they are dear, and few pairs need them."""

ENDED = np.dtype([("time", "f8"), ("status", "i4"), ("steps", "i4")])
"""How a pair ended, when, and after how many steps."""

EVERYONE = (1 << DOUBLES) - 1


@kernel
def unit_scaled(n):
    """Return a direction scaled to components of at most 1, the factor, and a bound of its length."""
    s = 1.0 / (larger(larger(abs(n[0]), abs(n[1])), abs(n[2])) + 1e-300)
    n = vec.scale(n, s)
    return n, s, bounded(n)


@kernel
def bounded(n):
    """Return the length of a vector, rounded up."""
    return root(vec.dot(n, n)) * (1.0 + 8.0 * UNIT)


@kernel
def stay_all(n, d, d_end, far, margin):
    """Return how long a direction that does not turn keeps four differences apart."""
    n, _, length = unit_scaled(n)
    wide = widest(n, n)
    x = stay(n, wide, length, d[0], d_end[0], far[0], margin)
    x = smaller(x, stay(n, wide, length, d[1], d_end[1], far[1], margin))
    x = smaller(x, stay(n, wide, length, d[2], d_end[2], far[2], margin))
    return smaller(x, stay(n, wide, length, d[3], d_end[3], far[3], margin))


@kernel
def hold_all(n, rate, rest, d, d_end, far, margin):
    """Return how long a direction that turns at a rate keeps four differences apart."""
    n, s, length = unit_scaled(n)
    n_end = vec.axpy(n, s * rest, rate)
    turning = n, n_end, widest(n, n_end), length, bounded(n_end)
    x = hold(turning, d[0], d_end[0], far[0], margin)
    x = smaller(x, hold(turning, d[1], d_end[1], far[1], margin))
    x = smaller(x, hold(turning, d[2], d_end[2], far[2], margin))
    return smaller(x, hold(turning, d[3], d_end[3], far[3], margin))


@kernel
def without(n, e):
    """Return n less what it has along e."""
    ee = vec.dot(e, e)
    return vec.axpy(n, (0.0 - vec.dot(n, e)) / select(ee > 0.0, ee, 1.0), e)


@kernel
def sharper(k, n, e, f):
    """Return a direction to try where rounding has spoilt n, close by: across e, f, both, or their sum, by number.

    The corner that is closest may be so by less than rounding, with the closest point a little along e or f: then n is
    not quite across that side, as it should be. The third side of a face is e + f.
    """
    if k == 0:
        return without(n, e)
    if k == 1:
        return without(n, f)
    if k == 2:
        both = vec.cross(e, f)
        return vec.scale(both, select(vec.dot(both, n) > 0.0, 1.0, -1.0))
    return without(n, vec.add(e, f))


@kernel
def corners_of(edges, pairs, first):
    """Return (start, end, e0, e1, f0, f1) of eight pairs of the queue: four differences at both ends, and two sides.

    With `edges` the points are the ends of two edges, else a vertex and the corners of a face. Differences are start[0]
    - s e + r f for s and r of 0 or 1; of a vertex and a face one of them is there twice.
    """
    places, points, queue = pairs
    p0, p1 = corner(places[0], points, queue, first, 0)
    q0, q1 = corner(places[0] if edges else places[1], points, queue, first, 1)
    r0, r1 = corner(places[1], points, queue, first, 2)
    s0, s1 = corner(places[1], points, queue, first, 3)
    if edges:  # a_0 a_1, b_0 b_1: differences b_j - a_i
        start = (vec.sub(r0, p0), vec.sub(s0, p0), vec.sub(r0, q0), vec.sub(s0, q0))
        end = (vec.sub(r1, p1), vec.sub(s1, p1), vec.sub(r1, q1), vec.sub(s1, q1))
        return start, end, vec.sub(q0, p0), vec.sub(q1, p1), vec.sub(s0, r0), vec.sub(s1, r1)
    start = (vec.sub(q0, p0), vec.sub(s0, p0), vec.sub(r0, p0), vec.sub(r0, p0))
    end = (vec.sub(q1, p1), vec.sub(s1, p1), vec.sub(r1, p1), vec.sub(r1, p1))
    return start, end, vec.sub(q0, r0), vec.sub(q1, r1), vec.sub(s0, q0), vec.sub(s1, q1)


@kernel
def plane_step(edges, again, pairs, first, begun, near, margin):
    """Return (t, contact, free) of eight pairs of the queue that are free until `begun`, as `coplanarity_step`."""
    start, end, e0, e1, f0, f1 = corners_of(edges, pairs, first)
    sizes = largest(start[0], end[0]), largest(e0, e1), largest(f0, f1)
    return coplanarity_step(edges, again, begun, (start[0], e0, f0), (end[0], e1, f1), sizes, near, margin)


@kernel
def points_step(edges, turning, pairs, first, begun, near, margin):
    """Return (t, contact, ahead): what one step says about eight pairs of the queue that are free until `begun`.

    They are free until t, where `contact` is a truth or not, and until `ahead`, 2 for the whole motion; `near` counts
    as a contact.

    Proof that a contact is one. The closest points differ by w - s e + r f, with s and r in [0, 1] (and s + r <= 1 +
    2 u for a face). Each component is known up to 5 u of |w|, |e| and |f| (`between`), and at most 5 roundings; in all
    three together, with the length's own roundings, less than 26 u of the sum of their largest components.
    """
    start, end, e0, e1, f0, f1 = corners_of(edges, pairs, first)
    far = (widest(start[0], end[0]), widest(start[1], end[1]), widest(start[2], end[2]), widest(start[3], end[3]))
    size_w = greatest(far[0])
    size_e = largest(e0, e1)
    size_f = largest(f0, f1)
    now = between(start[0], end[0], begun), between(e0, e1, begun), between(f0, f1, begun)
    x = volume_hold(now, (end[0], e1, f1), (size_w, size_e, size_f), margin)
    t = larger(begun, later(begun, x))
    through = x >= 1.0
    w = between(start[0], end[0], t)
    d01 = between(start[1], end[1], t)
    d10 = between(start[2], end[2], t)
    d = (w, d01, d10, between(start[3], end[3], t))
    e = between(e0, e1, t)
    f = between(f0, f1, t)
    w_rate = vec.sub(end[0], start[0])
    rate_01 = vec.sub(end[1], start[1])
    rate_10 = vec.sub(end[2], start[2])
    e_rate = vec.sub(e1, e0)
    f_rate = vec.sub(f1, f0)
    if edges:
        distance, n, rate, s, r = toward_edge((w, d01, d10, e, f), (w_rate, rate_01, rate_10, e_rate, f_rate))
    else:
        distance, n, rate, s, r = toward_face((w, d10, d01, e, f), (w_rate, rate_10, e_rate, f_rate))
    gap = vec.sub(vec.axpy(w, r, f), vec.scale(e, s))
    blur = 32.0 * UNIT * (size_w + size_e + size_f)
    contact = (near >= distance) & (near >= root(vec.dot(gap, gap)) + blur)
    x = stay_all(n, d, end, far, margin)
    if turning:
        x = larger(x, hold_all(n, rate, 1.0 - t, d, end, far, margin))
    k = 0
    done = (x > 0.0) | contact | through
    while k < 4 and bits(done) != EVERYONE:
        x = select(done, x, stay_all(sharper(k, n, e, f), d, end, far, margin))
        done = done | (x > 0.0)
        k += 1
    ahead = select((x >= 1.0) | through, 2.0, larger(t, later(t, x)))
    return t, contact, ahead


@kernel
def note(ended, queue, these, step, said, lowers, so_far):
    """Write down what a step says about pairs of the queue; return (limit, left, found), as `so_far` has them.

    `these` are the first and how many; `said` is (t, ahead, touching, going). Those that are not done are put back into
    the queue, at `left`, which is behind `first`; `found` are not free.
    """
    first, count = these
    t, ahead, touching, going = said
    limit, left, found = so_far
    for k in range(count):
        p = queue[first + k]
        now = lane(t, k)
        then = lane(ahead, k)
        end = ended[p]
        end["steps"] = step
        if (touching >> k) & 1 and now <= limit:
            end["status"] = CONTACT
            end["time"] = now
            found += 1
            if lowers:
                limit = now
            continue
        end["time"] = then
        if then > limit:
            end["status"] = FREE
            continue
        end["status"] = CAPPED
        if (going >> k) & 1 and step < MOST_STEPS:
            queue[left] = p
            left += 1
        else:
            found += 1
    return limit, left, found


@kernel
def advance_all(edges, pairs, n, margin, tolerance, limit, lowers, ended):
    """Advance n pairs of points, edges or a vertex and a face; return (how many are not free, steps of all).

    `pairs` are (places, points, queue): tables of the vertices of a and of b (`columns.make_places`), their numbers,
    four for each pair, and room for the numbers of pairs. How a pair ended is written into `ended`: CONTACT with the
    time at which it was seen, FREE with one beyond `limit`, CAPPED with the time until which it is free. `tolerance`
    has one value for all or one for each. With `lowers`, a contact lowers the limit for the others. The queue has room
    for seven more.
    """
    queue = pairs[2]
    each = 1 if tolerance.shape[0] > 1 else 0
    for p in range(n):
        queue[p] = p
        ended[p]["time"] = 0.0
    left = n
    found = np.int64(0)
    steps = 0
    for step in range(1, MOST_STEPS + 1):
        n = left
        left = np.int64(0)
        steps += n
        for k in range(n, n + 7):
            queue[k] = queue[n - 1]
        for first in range(0, n, DOUBLES):
            near = entry(tolerance, queue, first, each) + margin
            begun = entry(ended, queue, first, 1)
            if step <= LEAPS:
                t, contact, free = plane_step(edges, step > 1, pairs, first, begun, near, margin)
                ahead = select(free, 2.0, t)
                going = EVERYONE
            else:
                turning = step > PATIENCE
                t, contact, ahead = points_step(edges, turning, pairs, first, begun, near, margin)
                going = bits(ahead > begun)
            these = first, min(DOUBLES, n - first)
            said = t, ahead, bits(contact & (ahead < 2.0)), going
            limit, left, found = note(ended, queue, these, step, said, lowers, (limit, left, found))
        if left == 0:
            break
    return found, steps
