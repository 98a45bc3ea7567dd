"""Descending two hierarchies in step, from pairs of octets to chunks of element pairs.

Work is handed out as pairs of octets: `spread` opens the top until there are enough of them for all threads, `descend`
settles some of them. What it finds does not depend on how they are handed out: a pair is left out only if it is proven
free, or later than a contact that was found.
"""

import numpy as np

from tocsin._jit import borrowed, kernel
from tocsin.deform.advance import CONTACT
from tocsin.deform.hierarchy import LEVELS
from tocsin.deform.narrow import ANY, CHUNK, EVERY, HIT, MOST_FEATURES, NODES, settle
from tocsin.deform.overlap import diagonal, near, single_up
from tocsin.deform.packed import ROUNDING, elements_free
from tocsin.deform.sides import borrowed_side

DEEPEST = 64 * LEVELS
"""Room of the stack: opening a pair of octets puts at most 64 in the place of one, on each level once."""


@kernel
def open_pair(a, b, itself, level, qa, qb, done, limit, margin, wide, noise, work, top, counts):
    """Put the pairs of children of a pair of octets that may meet onto `work`; return the new top.

    Lanes of a are first asked against the whole octet b, as its parent has it: half of them are done with that.
    """
    oa = a.start[level] + qa
    ob = b.start[level] + qb
    lanes = 255
    if level < LEVELS - 1 and not (itself and qa == qb):
        lanes, _ = near(b.octets, b.start[level + 1] + (qb >> 3), qb & 7, a.octets, oa, done, limit, margin, wide)
        counts[NODES] += 1
    for i in range(8):
        if not (lanes >> i) & 1 or a.octets[oa, 0, i] > a.octets[oa, 1, i]:
            continue
        left, at_start = near(a.octets, oa, i, b.octets, ob, done, limit, margin, wide)
        counts[NODES] += 1
        if itself and qa == qb:
            left &= (255 if level > 0 else 254) << i
        if level == 0 and left:
            left &= ~elements_free(
                a.packed, qa, i, b.packed, qb, np.float32(1.0 if itself else np.nan), done, limit, noise, margin
            )
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
    limit32 = single_up(limit)
    done = np.float32(1.0) - limit32
    near_by = single_up(margin)
    wide = single_up(diagonal(margin))
    noise = single_up(24.0 * ROUNDING * max(a.reach, b.reach))
    counts = np.zeros(NODES + 1, dtype=np.int64)
    tasks = np.zeros((1, 4), dtype=np.int32)
    tasks[0, 3] = LEVELS - 1
    n = 1
    level = LEVELS - 1
    while level > 0 and n < want:
        opened = np.zeros((64 * n, 4), dtype=np.int32)
        top = 0
        for p in range(n):
            top = open_pair(
                a, b, itself, level, tasks[p, 0], tasks[p, 1], done, limit32, near_by, wide, noise, opened, top, counts
            )
        tasks = opened
        n = top
        level -= 1
    return tasks, n


@kernel
def descend(a, b, itself, tasks, first, last, margin, tolerance, limit, question, overlaps, hits, found, counts):
    """Settle the tasks first to last - 1; return (hits, found, limit).

    `overlaps`: an edge through a face at time 0 is a contact too.
    """
    a = borrowed_side(a)
    b = borrowed_side(b)
    counts = borrowed(counts)
    work = np.zeros((DEEPEST, 4), dtype=np.int32)
    pairs = np.zeros((CHUNK + 64, 4), dtype=np.int32)
    features = np.zeros((MOST_FEATURES + 1024, 4), dtype=np.int32)
    lists = np.zeros((2, 4), dtype=np.int32)
    block = np.zeros((1, 24, 4))
    near_by = single_up(margin)
    wide = single_up(diagonal(margin))
    noise = single_up(24.0 * ROUNDING * max(a.reach, b.reach))
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
            limit32 = single_up(limit)
            done = np.float32(1.0) - limit32
            if level > 0:
                top = open_pair(a, b, itself, level, qa, qb, done, limit32, near_by, wide, noise, work, top, counts)
                continue
            n = open_pair(a, b, itself, 0, qa, qb, done, limit32, near_by, wide, noise, pairs, n, counts)
            if n >= CHUNK:
                hits, found, limit = settle(
                    a, b, itself, pairs, n, features, lists, block, margin, tolerance, limit, question, overlaps,
                    hits, found, counts,
                )  # fmt: skip
                n = 0
                if question == ANY and found > 0 and hits[0]["status"] == CONTACT:
                    return hits, found, limit
    if n > 0:
        hits, found, limit = settle(
            a, b, itself, pairs, n, features, lists, block, margin, tolerance, limit, question, overlaps, hits,
            found, counts,
        )  # fmt: skip
    return hits, found, limit


def empty_hits(question: int) -> np.ndarray:
    """Return room for contacts: one for the first, more for all of them."""
    return np.zeros(4096 if question == EVERY else 1, HIT)
