"""Descending two hierarchies in step, from pairs of octets to chunks of element pairs.

Work is handed out as pairs of octets: `spread` opens the top until there are enough of them for all threads, `descend`
settles some of them. What it finds does not depend on how they are handed out: a pair is left out only if it is proven
free, or later than a contact that was found. Pairs of octets of elements, lanes of them and pairs of elements are each
gathered into a list before the next stage looks at them: a stage is one loop over few tables.
"""

from typing import NamedTuple

import numpy as np

from tocsin._jit import borrowed, kernel
from tocsin.deform.advance import CONTACT
from tocsin.deform.hierarchy import LEVELS
from tocsin.deform.narrow import ANY, CHUNK, EVERY, HIT, NODES, culling_margin, make_room, settle
from tocsin.deform.overlap import A, Reach, diagonal, make_ready, near_lane, near_octet, ready, single_up
from tocsin.deform.packed import ROUNDING, elements_free, sharing, still_free
from tocsin.deform.sides import borrowed_side
from tocsin.deform.stars import settle_rings

STILL = 0.01
"""Of the width of elements: models that move less until the time limit are tested where they are at time 0."""

DEEPEST = 64 * LEVELS
"""Room of the stack: opening a pair of octets puts at most 64 in the place of one, on each level once."""

LEAVES = 256
"""Pairs of octets of elements that are gathered."""


class Boxes(NamedTuple):
    """What tests of octets and elements look at; all of a `Side` would be too much to hand around."""

    octets: np.ndarray
    start: np.ndarray
    packed: np.ndarray
    marks: np.ndarray


class Lists(NamedTuple):
    """What is gathered on the way down."""

    work: np.ndarray
    """(DEEPEST, 3) pairs of octets that wait, and their level."""
    leaves: np.ndarray
    """(LEAVES + 64, 3) pairs of octets of elements."""
    lanes: np.ndarray
    """(8 LEAVES + 512, 3) elements of a, octets of b, and which of their elements (bits) may come near."""
    octets: np.ndarray
    masks: np.ndarray


@kernel
def boxes_of(side):
    """Return the boxes of a side."""
    return Boxes(side.octets, side.start, side.packed, side.marks)


@kernel
def make_lists():
    """Return empty lists."""
    return Lists(
        np.zeros((DEEPEST, 3), dtype=np.int32),
        np.zeros((LEAVES + 64, 3), dtype=np.int32),
        np.zeros((8 * LEAVES + 512, 3), dtype=np.int32),
        make_ready(),
        np.zeros(8, dtype=np.int64),
    )


@kernel
def set_reach(a, b, limit, margin):
    """Return the reach of a question up to a time limit."""
    slack = limit * (a.pace + b.pace)
    still = slack < STILL * min(a.size, b.size)
    if still:
        margin = (margin + slack) * (1.0 + 2.0**-50)
    limit32 = single_up(limit)
    return Reach(
        np.float32(1.0) - limit32,
        limit32,
        single_up(margin * (1.0 + 2.0**-20)),
        single_up(diagonal(margin * (1.0 + 2.0**-20))),
        single_up(24.0 * ROUNDING * max(a.reach, b.reach)),
        still,
    )


@kernel
def test_octets(a, b, itself, level, qa, qb, reach, lists, counts):
    """Write into `lists.masks` which lanes of two octets may come near each other; the first one is made ready.

    Lanes of a are first asked against the whole octet b, as its parent has it: half of them are done with that.
    """
    lanes = 255
    if level < LEVELS - 1 and not (itself and qa == qb):
        lanes = near_lane(lists.octets, b.octets, b.start[level + 1] + (qb >> 3), qb & 7, reach)
        counts[NODES] += 1
    near_octet(lists.octets, b.octets, b.start[level] + qb, lanes, reach, lists.masks)
    if itself and qa == qb:
        for i in range(8):
            lists.masks[i] &= (255 if level > 0 else 254) << i
    while lanes:
        counts[NODES] += lanes & 1
        lanes >>= 1


@kernel
def open_pair(a, b, itself, level, qa, qb, reach, lists, out, top, counts):
    """Put the pairs of children of a pair of octets that may meet into `out`; return the new top."""
    ready(a.octets, a.start[level] + qa, reach, reach.margin, reach.wide, lists.octets, A)
    test_octets(a, b, itself, level, qa, qb, reach, lists, counts)
    for i in range(8):
        left = lists.masks[i]
        k = 0
        while left:
            if left & 1:
                out[top, 0] = 8 * qa + i
                out[top, 1] = 8 * qb + k
                out[top, 2] = level - 1
                top += 1
            left >>= 1
            k += 1
    return top


@kernel
def list_lanes(a, b, itself, n, reach, lists, counts):
    """Write the elements of a with the elements of octets of b that may come near them into a list; return how many."""
    count = 0
    last = -1
    for p in range(n):
        qa = lists.leaves[p, 0]
        qb = lists.leaves[p, 1]
        if qa != last:
            ready(a.octets, qa, reach, reach.margin, reach.wide, lists.octets, A)
            last = qa
        test_octets(a, b, itself, 0, qa, qb, reach, lists, counts)
        for i in range(8):
            left = lists.masks[i]
            if left and itself:
                left &= ~sharing(a.marks, qa, i, b.marks, qb)
            if left:
                lists.lanes[count, 0] = 8 * qa + i
                lists.lanes[count, 1] = qb
                lists.lanes[count, 2] = left
                count += 1
    return count


@kernel
def list_elements(packed_a, packed_b, lanes, first, last, reach, pairs, n):
    """Write the pairs of elements of the lanes first to last - 1 that are not proven free; return (pairs, next lane).

    As many as fit.
    """
    p = first
    while p < last and n + 8 <= pairs.shape[0]:
        x = lanes[p, 0]
        qb = lanes[p, 1]
        left = lanes[p, 2]
        if reach.still:
            left &= ~still_free(packed_a, x >> 3, x & 7, packed_b, qb, reach.noise, reach.margin, left)
        else:
            left &= ~elements_free(
                packed_a, x >> 3, x & 7, packed_b, qb, reach.done, reach.limit, reach.noise, reach.margin, left
            )
        k = 0
        while left:
            if left & 1:
                pairs[n, 0] = x
                pairs[n, 1] = 8 * qb + k
                pairs[n, 2] = 1
                n += 1
            left >>= 1
            k += 1
        p += 1
    return n, p


@kernel
def spread(a, b, itself, want, limit, margin):
    """Return (tasks, n): pairs of octets (a, b, level) that stand for everything, `want` of them or more."""
    reach = set_reach(a, b, limit, margin)
    counts = np.zeros(NODES + 1, dtype=np.int64)
    lists = make_lists()
    boxes_a = boxes_of(a)
    boxes_b = boxes_of(b)
    tasks = np.zeros((1, 3), dtype=np.int32)
    tasks[0, 2] = LEVELS - 1
    n = 1
    level = LEVELS - 1
    while level > 0 and n < want:
        opened = np.zeros((64 * n, 3), dtype=np.int32)
        top = 0
        for p in range(n):
            top = open_pair(
                boxes_a, boxes_b, itself, level, tasks[p, 0], tasks[p, 1], reach, lists, opened, top, counts
            )
        tasks = opened
        n = top
        level -= 1
    return tasks, n


@kernel
def fold(a, first, last, margin, tolerance, limit, question, overlaps, hits, found, counts):
    """Settle blocks of rings of a model; return (hits, found, limit)."""
    a = borrowed_side(a)
    counts = borrowed(counts)
    return settle_rings(a, first, last, make_room(), margin, tolerance, limit, question, overlaps, hits, found, counts)


@kernel
def is_over(question, hits, found):
    """Return True if no other contact matters: any was asked for, or the first, which is at 0."""
    if found == 0 or question == EVERY or hits[0]["status"] != CONTACT:
        return False
    return question == ANY or hits[0]["time"] == 0.0


@kernel
def descend(a, b, itself, tasks, first, last, margin, tolerance, limit, question, overlaps, hits, found, counts):
    """Settle the tasks first to last - 1; return (hits, found, limit).

    `overlaps`: an edge through a face at time 0 is a contact too.
    """
    a = borrowed_side(a)
    b = borrowed_side(b)
    counts = borrowed(counts)
    boxes_a = boxes_of(a)
    boxes_b = boxes_of(b)
    room = make_room()
    lists = make_lists()
    near_by = culling_margin(margin, tolerance, question)
    reach = set_reach(a, b, limit, near_by)
    task = first
    top = 0
    leaves = 0
    n = 0
    while task < last or top > 0 or leaves > 0 or n > 0:
        if leaves < LEAVES and (top > 0 or task < last):
            if top == 0:
                for c in range(3):
                    lists.work[0, c] = tasks[task, c]
                task += 1
                top = 1
            top -= 1
            qa = lists.work[top, 0]
            qb = lists.work[top, 1]
            level = lists.work[top, 2]
            if level > 1:
                top = open_pair(boxes_a, boxes_b, itself, level, qa, qb, reach, lists, lists.work, top, counts)
            elif level == 1:
                leaves = open_pair(boxes_a, boxes_b, itself, 1, qa, qb, reach, lists, lists.leaves, leaves, counts)
            else:
                lists.leaves[leaves, 0] = qa
                lists.leaves[leaves, 1] = qb
                leaves += 1
            continue
        lanes = list_lanes(boxes_a, boxes_b, itself, leaves, reach, lists, counts)
        leaves = 0
        lane = 0
        while lane < lanes or (n > 0 and task == last and top == 0):
            n, lane = list_elements(a.packed, b.packed, lists.lanes, lane, lanes, reach, room.pairs, n)
            if n < CHUNK and (task < last or top > 0):
                continue
            hits, found, limit = settle(
                a, b, itself, room, n, margin, tolerance, limit, question, overlaps, hits, found, counts
            )
            n = 0
            if is_over(question, hits, found):
                return hits, found, limit
            reach = set_reach(a, b, limit, near_by)
    return hits, found, limit


def empty_hits(question: int) -> np.ndarray:
    """Return room for contacts: one for the first, more for all of them."""
    return np.zeros(4096 if question == EVERY else 1, HIT)
