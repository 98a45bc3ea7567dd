"""Descending two hierarchies in step, from pairs of octets to chunks of element pairs.

Work is handed out as pairs of octets: `spread` opens the top until there are enough of them for all threads, `descend`
settles some of them. What it finds does not depend on how they are handed out: a pair is left out only if it is proven
free, or later than a contact that was found.
"""

from typing import NamedTuple

import numpy as np

from tocsin._jit import borrowed, kernel
from tocsin.deform.advance import CONTACT
from tocsin.deform.hierarchy import LEVELS
from tocsin.deform.hinges import settle_hinges
from tocsin.deform.narrow import ANY, CHUNK, EVERY, FIRST, HIT, NODES, culling_margin, make_room, settle
from tocsin.deform.overlap import diagonal, near, single_up, still_near
from tocsin.deform.packed import ROUNDING, elements_free, still_free
from tocsin.deform.sides import borrowed_side

STILL = 0.01
"""Of the width of elements: models that move less until the time limit are tested where they are at time 0."""

DEEPEST = 64 * LEVELS
"""Room of the stack: opening a pair of octets puts at most 64 in the place of one, on each level once."""


class Reach(NamedTuple):
    """What a test of octets needs to know: the time until which it matters, and how near is near."""

    done: np.float32
    limit: np.float32
    margin: np.float32
    wide: np.float32
    """The margin along diagonal axes."""
    noise: np.float32
    itself: np.float32
    """1 for a model against itself, else nan."""
    still: bool
    """So little moves until then that time 0 will do, with margins that are larger by it."""


@kernel
def set_reach(a, b, itself, limit, margin):
    """Return the reach of a question up to a time limit."""
    slack = limit * (a.pace + b.pace)
    still = slack < STILL * min(a.size, b.size)
    if still:
        margin = (margin + slack) * (1.0 + 2.0**-50)
    limit32 = single_up(limit)
    return Reach(
        np.float32(1.0) - limit32,
        limit32,
        single_up(margin),
        single_up(diagonal(margin)),
        single_up(24.0 * ROUNDING * max(a.reach, b.reach)),
        np.float32(1.0 if itself else np.nan),
        still,
    )


@kernel
def lanes_near(octets_a, a, i, octets_b, b, reach):
    """Return (lanes, lanes at 0) as bits: which DOPs of octet b may come near lane i of octet a; see `overlap`."""
    if reach.still:
        near_by = still_near(octets_a, a, i, octets_b, b, reach.margin, reach.wide)
        return near_by, near_by
    return near(octets_a, a, i, octets_b, b, reach.done, reach.limit, reach.margin, reach.wide)


@kernel
def open_pair(a, b, itself, level, qa, qb, reach, work, top, counts):
    """Put the pairs of children of a pair of octets that may meet onto `work`; return the new top.

    Lanes of a are first asked against the whole octet b, as its parent has it: half of them are done with that.
    """
    oa = a.start[level] + qa
    ob = b.start[level] + qb
    lanes = 255
    if level < LEVELS - 1 and not (itself and qa == qb):
        lanes, _ = lanes_near(b.octets, b.start[level + 1] + (qb >> 3), qb & 7, a.octets, oa, reach)
        counts[NODES] += 1
    for i in range(8):
        if not (lanes >> i) & 1 or a.octets[oa, 0, i] > a.octets[oa, 1, i]:
            continue
        left, at_start = lanes_near(a.octets, oa, i, b.octets, ob, reach)
        counts[NODES] += 1
        if itself and qa == qb:
            left &= (255 if level > 0 else 254) << i
        if level == 0 and left:
            if reach.still:
                left &= ~still_free(a.packed, qa, i, b.packed, qb, reach.itself, reach.noise, reach.margin, left)
            else:
                left &= ~elements_free(
                    a.packed, qa, i, b.packed, qb, reach.itself, reach.done, reach.limit, reach.noise, reach.margin,
                    left,
                )  # fmt: skip
        k = 0
        while left:
            if left & 1:
                work[top, 0] = 8 * qa + i
                work[top, 1] = 8 * qb + k
                work[top, 2] = (at_start >> k) & 1
                work[top, 3] = level - 1
                top += 1
            left >>= 1
            k += 1
    return top


@kernel
def spread(a, b, itself, want, limit, margin):
    """Return (tasks, n): pairs of octets (a, b, -, level) that stand for everything, `want` of them or more."""
    reach = set_reach(a, b, itself, limit, margin)
    counts = np.zeros(NODES + 1, dtype=np.int64)
    tasks = np.zeros((1, 4), dtype=np.int32)
    tasks[0, 3] = LEVELS - 1
    n = 1
    level = LEVELS - 1
    while level > 0 and n < want:
        opened = np.zeros((64 * n, 4), dtype=np.int32)
        top = 0
        for p in range(n):
            top = open_pair(a, b, itself, level, tasks[p, 0], tasks[p, 1], reach, opened, top, counts)
        tasks = opened
        n = top
        level -= 1
    return tasks, n


@kernel
def fold(a, first, last, margin, tolerance, limit, question, hits, found, counts):
    """Settle hinges of a model; return (hits, found, limit)."""
    a = borrowed_side(a)
    return settle_hinges(a, first, last, make_room(), margin, tolerance, limit, question, hits, found, borrowed(counts))


@kernel
def descend(a, b, itself, tasks, first, last, margin, tolerance, limit, question, overlaps, hits, found, counts):
    """Settle the tasks first to last - 1; return (hits, found, limit).

    `overlaps`: an edge through a face at time 0 is a contact too.
    """
    a = borrowed_side(a)
    b = borrowed_side(b)
    counts = borrowed(counts)
    room = make_room()
    near_by = culling_margin(margin, tolerance, question)
    work = np.zeros((DEEPEST, 4), dtype=np.int32)
    reach = set_reach(a, b, itself, limit, near_by)
    n = 0
    for task in range(first, last):
        for c in range(4):
            work[0, c] = tasks[task, c]
        top = 1
        while top > 0:
            top -= 1
            qa = work[top, 0]
            qb = work[top, 1]
            level = work[top, 3]
            if level > 0:
                top = open_pair(a, b, itself, level, qa, qb, reach, work, top, counts)
                continue
            n = open_pair(a, b, itself, 0, qa, qb, reach, room.pairs, n, counts)
            if n >= CHUNK:
                hits, found, limit = settle(
                    a, b, itself, room, n, margin, tolerance, limit, question, overlaps, hits, found, counts
                )
                n = 0
                reach = set_reach(a, b, itself, limit, near_by)
                ends = question == ANY or (question == FIRST and found > 0 and hits[0]["time"] == 0.0)
                if ends and found > 0 and hits[0]["status"] == CONTACT:
                    return hits, found, limit
    if n > 0:
        hits, found, limit = settle(
            a, b, itself, room, n, margin, tolerance, limit, question, overlaps, hits, found, counts
        )
    return hits, found, limit


def empty_hits(question: int) -> np.ndarray:
    """Return room for contacts: one for the first, more for all of them."""
    return np.zeros(4096 if question == EVERY else 1, HIT)
