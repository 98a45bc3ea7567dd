"""Local advancement (2010, section V): when a vertex and a face, or two edges, first come within a margin.

From a time until which freedom is proven, the volume that the two features span may tell that they are free for longer
(`volume`): mostly up to the moment at which they are in one plane. There the closest points of the two give a
direction, and `certificate` says how long it separates them: that is the next time. The loop ends at a contact (closest
points within margin + tolerance), at the end of the motion (proven free), at `limit` (too late to matter), or, where
floating point or the cap on steps ends it first, undecided: then too freedom is proven until the time that is returned.

There is no case to single out: coplanar motion, parallel edges, degenerate faces and edges all have closest points and
a direction between them.

Four pairs go side by side in `_lanes`, and where one has ended the next takes its lane: a pair takes two steps in the
mean, and the others do not wait for one that takes twenty. Each lane computes what it would alone, bit by bit.
"""

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin._lanes import DOUBLES, bits, lane, load_doubles, root, select
from tocsin.bounds.rounding import UNIT
from tocsin.deform.certificate import between, greatest, hold, larger, largest, later, smaller, stay, widest
from tocsin.deform.closest import toward_edge, toward_face
from tocsin.deform.volume import volume_hold

FREE, CONTACT, UNDECIDED = 0, 1, 2
"""How a pair ended."""

MOST_STEPS = 512
"""Steps after which a pair is left undecided."""

PATIENCE = 2
"""Steps after which directions that turn are tried too: they are dear, and few pairs need them."""

ENDED = np.dtype([("time", "f8"), ("status", "i4"), ("steps", "i4")])
"""How a pair ended, when, and after how many steps."""

TIME, NEAR, ROWS = 24, 25, 26
"""Rows of a block after those of the points: the time reached, and the distance that counts as a contact."""

EVERYONE = (1 << DOUBLES) - 1


@kernel
def point(block, k, end):
    """Return point k of eight pairs at one end."""
    row = 12 * end + 3 * k
    return (load_doubles(block, 0, row), load_doubles(block, 0, row + 1), load_doubles(block, 0, row + 2))


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
    length_end = bounded(n_end)
    wide = widest(n, n_end)
    x = hold(n, n_end, wide, length, length_end, d[0], d_end[0], far[0], margin)
    x = smaller(x, hold(n, n_end, wide, length, length_end, d[1], d_end[1], far[1], margin))
    x = smaller(x, hold(n, n_end, wide, length, length_end, d[2], d_end[2], far[2], margin))
    return smaller(x, hold(n, n_end, wide, length, length_end, d[3], d_end[3], far[3], margin))


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
def points_step(edges, turning, block, margin):
    """Return (t, contact, ahead): what one step says about four pairs that are free until block[TIME].

    They are free until t, where `contact` is a truth or not, and until `ahead`, 2 for the whole motion. With `edges`
    the points are the ends of two edges, else a vertex and the corners of a face.

    Proof that a contact is one. The closest points differ by w - s e + r f, with s and r in [0, 1] (and s + r <= 1 +
    2 u for a face). Each component is known up to 5 u of |w|, |e| and |f| (`between`), and at most 5 roundings; in all
    three together, with the length's own roundings, less than 26 u of the sum of their largest components.
    """
    p0 = point(block, 0, 0)
    p1 = point(block, 0, 1)
    q0 = point(block, 1, 0)
    q1 = point(block, 1, 1)
    r0 = point(block, 2, 0)
    r1 = point(block, 2, 1)
    s0 = point(block, 3, 0)
    s1 = point(block, 3, 1)
    if edges:  # a_0 a_1, b_0 b_1: differences b_j - a_i
        start = (vec.sub(r0, p0), vec.sub(s0, p0), vec.sub(r0, q0), vec.sub(s0, q0))
        end = (vec.sub(r1, p1), vec.sub(s1, p1), vec.sub(r1, q1), vec.sub(s1, q1))
        e0 = vec.sub(q0, p0)
        e1 = vec.sub(q1, p1)
        f0 = vec.sub(s0, r0)
        f1 = vec.sub(s1, r1)
    else:  # a vertex, three corners; one difference is there twice
        start = (vec.sub(q0, p0), vec.sub(s0, p0), vec.sub(r0, p0), vec.sub(r0, p0))
        end = (vec.sub(q1, p1), vec.sub(s1, p1), vec.sub(r1, p1), vec.sub(r1, p1))
        e0 = vec.sub(q0, r0)
        e1 = vec.sub(q1, r1)
        f0 = vec.sub(s0, q0)
        f1 = vec.sub(s1, q1)
    far = (widest(start[0], end[0]), widest(start[1], end[1]), widest(start[2], end[2]), widest(start[3], end[3]))
    size_w = greatest(far[0])
    size_e = largest(e0, e1)
    size_f = largest(f0, f1)
    begun = load_doubles(block, 0, TIME)
    x = volume_hold(
        between(start[0], end[0], begun), between(e0, e1, begun), between(f0, f1, begun), end[0], e1, f1,
        size_w, size_e, size_f, margin,
    )  # fmt: skip
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
        distance, n, rate, s, r = toward_edge(w, d01, d10, e, f, w_rate, rate_01, rate_10, e_rate, f_rate)
    else:
        distance, n, rate, s, r = toward_face(w, d10, d01, e, f, w_rate, rate_10, e_rate, f_rate)
    near = load_doubles(block, 0, NEAR)
    gap = vec.sub(vec.axpy(w, r, f), vec.scale(e, s))
    blur = 32.0 * UNIT * (size_w + size_e + size_f)
    contact = (near >= distance) & (near >= root(vec.dot(gap, gap)) + blur)
    x = stay_all(n, d, end, far, margin)
    if turning:
        x = larger(x, hold_all(n, rate, 1.0 - t, d, end, far, margin))
    k = 0
    while k < 4 and bits((x > 0.0) | contact | through) != EVERYONE:
        x = select(x > 0.0, x, stay_all(sharper(k, n, e, f), d, end, far, margin))
        k += 1
    ahead = select((x >= 1.0) | through, 2.0, larger(t, later(t, x)))
    return t, contact, ahead


@kernel
def put(block, lane, row, rows_t0, rows_t1, v):
    """Write where a vertex is at both ends into one lane of a block."""
    for c in range(3):
        block[0, row + c, lane] = rows_t0[v, c]
        block[0, row + 12 + c, lane] = rows_t1[v, c]


@kernel
def start_lane(block, k, edges, places, points, p, near, time):
    """Put pair p into lane k of a block; `places` are the vertices of a at time 0 and 1, and those of b."""
    a0, a1, b0, b1 = places
    put(block, k, 0, a0, a1, points[p, 0])
    if edges:
        put(block, k, 3, a0, a1, points[p, 1])
    else:
        put(block, k, 3, b0, b1, points[p, 1])
    put(block, k, 6, b0, b1, points[p, 2])
    put(block, k, 9, b0, b1, points[p, 3])
    block[0, TIME, k] = time
    block[0, NEAR, k] = near


@kernel
def march(edges, places, points, queue, n, most, margin, tolerance, limit, lowers, block, ended):
    """Advance the first n pairs of the queue by up to `most` steps each; return (left, touching, steps, limit).

    What is left stands in the queue again, and the time that it has reached in `ended`; `touching` is the number of
    those that are not free, and not left.
    """
    pair = np.zeros(DOUBLES, dtype=np.int64)
    each = 1 if tolerance.shape[0] > 1 else 0
    turning = most > PATIENCE
    busy = 0
    for k in range(DOUBLES):
        p = queue[min(k, n - 1)]
        pair[k] = p
        busy |= (1 if k < n else 0) << k
        start_lane(block, k, edges, places, points, p, margin + tolerance[p * each], ended[p]["time"])
    following = min(DOUBLES, n)
    left = 0
    found = 0
    steps = 0
    while busy:
        t, contact, ahead = points_step(edges, turning, block, margin)
        touching = bits(contact & (ahead < 2.0))
        for k in range(DOUBLES):
            if not (busy >> k) & 1:
                continue
            p = pair[k]
            end = ended[p]
            end["steps"] += 1
            steps += 1
            now = lane(t, k)
            then = lane(ahead, k)
            if (touching >> k) & 1 and now <= limit:
                end["status"] = CONTACT
                end["time"] = now
                found += 1
                if lowers:
                    limit = now
            elif then > limit:
                end["status"] = FREE
                end["time"] = then
            else:
                end["status"] = UNDECIDED
                end["time"] = then
                if then > block[0, TIME, k]:
                    if end["steps"] < most:
                        block[0, TIME, k] = then
                        continue
                    queue[left] = p
                    left += 1
                else:
                    found += 1
            if following == n:
                busy &= ~(1 << k)
                continue
            p = queue[following]
            pair[k] = p
            start_lane(block, k, edges, places, points, p, margin + tolerance[p * each], ended[p]["time"])
            following += 1
    return left, found, steps, limit


@kernel
def advance_all(edges, places, points, n, margin, tolerance, limit, lowers, block, queue, ended):
    """Advance n pairs of points, edges or a vertex and a face; return (how many are not free, steps of all).

    How each ended is written into `ended`.

    A CONTACT has the time at which it was seen, FREE a time beyond `limit`; UNDECIDED the time until which it is free.
    `tolerance` has one value for all or one for each. With `lowers`, a contact lowers the limit for the others.
    """
    left = n
    for p in range(n):
        queue[p] = p
        ended[p]["time"] = 0.0
        ended[p]["steps"] = 0
    found = 0
    steps = 0
    for most in (PATIENCE, MOST_STEPS):
        if left > 0:
            left, more, taken, limit = march(
                edges, places, points, queue, left, most, margin, tolerance, limit, lowers, block, ended
            )
            found += more
            steps += taken
    return found + left, steps
