"""Descending two hierarchies in step, from pairs of octets to chunks of element pairs.

Work is handed out as pairs of octets: `spread` opens the top until there are enough of them for all threads, `descend`
settles some of them; octets of a model that are `neighbours` are not met on the way down, but taken from their lists,
and what shares a vertex is left to rings (`stars`): these are tasks as well.
What it finds does not depend on how work is handed out: a pair is left out only if it is proven free, or later than a
contact that was found. Pairs of octets of elements and pairs of elements are gathered into lists before the next stage
looks at them: a stage is one loop over few tables, and handing tables on costs as much as a test.
"""

from typing import NamedTuple

import numpy as np

from tocsin.compiler.jit import borrowed, inlined, kernel
from tocsin.deform.element_filter import LARGEST, keep_pairs, noise_of, single_up
from tocsin.deform.hierarchy import AXES, LEVELS
from tocsin.deform.mesh_arrays import borrowed_side
from tocsin.deform.narrow import ANY, CHUNK, EVERY, HIT, NODES, culling_margin, is_spent, settle, work_of
from tocsin.deform.neighbours import UPPER, known_of
from tocsin.deform.one_ring import settle_rings
from tocsin.deform.overlap import Reach, diagonal, make_ready, near, ready
from tocsin.deform.rows import trailing
from tocsin.outcome import CONTACT

STILL = 0.01
"""Of the width of elements: models that move less until the time limit are tested where they are at time 0."""

DEEPEST = 64 * LEVELS
"""Room of the stack: opening a pair of octets puts at most 64 in the place of one, on each level once."""

FEW = 6
"""Pairs of elements for which testing them costs less than asking about the diagonal axes of their octets."""

LEAVES = 256
"""Pairs of octets of elements that are gathered."""

BESIDE, RINGS = -1, -2
"""In the place of a level: octets from one number to another, each with those beside it; and blocks of rings."""


class Lists(NamedTuple):
    """What is gathered on the way down."""

    work: np.ndarray
    """(DEEPEST, 3) pairs of octets that wait, and their level."""
    leaves: np.ndarray
    """(LEAVES + 64, 3) pairs of octets of elements."""
    elements: np.ndarray
    """(64 LEAVES + 4096, 2) pairs of elements: more than one octet has with those beside it (264 octets at most)."""
    octet: np.ndarray


@kernel
def make_lists():
    """Return empty lists."""
    return Lists(
        np.zeros((DEEPEST, 3), dtype=np.int32),
        np.zeros((LEAVES + 64, 3), dtype=np.int32),
        np.zeros((64 * LEAVES + 4096, 2), dtype=np.int32),
        make_ready(),
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
        noise_of(max(a.reach, b.reach), LARGEST),
        still,
    )


@kernel
def open_pair(octets_a, start_a, octets_b, start_b, level, qa, qb, reach, octet, left, out, top):
    """Put the pairs of children of a pair of octets that may meet, of those `left`, into `out`; return the new top."""
    ready(octets_a, start_a[level] + qa, reach, octet)
    left &= near(octet, octets_b, start_b[level] + qb, reach, 0, AXES)
    while left:
        k = trailing(left)
        left &= left - 1
        out[top, 0] = 8 * qa + (k >> 3)
        out[top, 1] = 8 * qb + (k & 7)
        out[top, 2] = level - 1
        top += 1
    return top


@kernel
def to_open(start, other, known, itself, level, qa, qb):
    """Return which pairs of children of a pair of octets are met on the way down: each once, and no neighbours."""
    left = np.int64(-1)
    if itself:
        if qa == qb:
            left &= UPPER
        if level == 1:
            left &= ~known_of(start, other, known, qa, qb)
    return left


@inlined
def many(left):
    """Return True if more than FEW bits are set."""
    for _ in range(FEW):
        left &= left - 1
    return left != 0


@inlined
def write_pairs(qa, qb, left, out, count):
    """Write the pairs of elements of two octets that are left; return the new count."""
    while left:
        k = trailing(left)
        left &= left - 1
        out[count, 0] = 8 * qa + (k >> 3)
        out[count, 1] = 8 * qb + (k & 7)
        count += 1
    return count


@kernel
def list_elements(octets_a, octets_b, leaves, n, reach, octet, out):
    """Write the pairs of elements of n pairs of octets that may come near each other; return how many."""
    count = 0
    last = -1
    for p in range(n):
        qa = leaves[p, 0]
        qb = leaves[p, 1]
        if qa != last:
            ready(octets_a, qa, reach, octet)
            last = qa
        left = near(octet, octets_b, qb, reach, 0, 3)
        if many(left):
            left &= near(octet, octets_b, qb, reach, 3, AXES)
        count = write_pairs(qa, qb, left, out, count)
    return count


@kernel
def list_beside(octets, start, other, known, first, last, reach, octet, out):
    """Write the pairs of elements of neighbours that may come near, for octets first to last - 1; return (count, next).

    As many octets as fit, one or more. Boxes and rings leave little: most pairs of octets need no other axes.
    """
    count = 0
    q = first
    while q < last and (q == first or count + 64 * (start[q + 1] - start[q]) + 8 <= out.shape[0]):
        ready(octets, q, reach, octet)
        for k in range(start[q], start[q + 1]):
            r = other[k]
            left = near(octet, octets, r, reach, 0, 3) & ~known[k]
            if many(left):
                left &= near(octet, octets, r, reach, 3, AXES)
            count = write_pairs(q, r, left, out, count)
        q += 1
    return count, q


@kernel
def spread(a, b, itself, want, limit, margin):
    """Return (tasks, n): pairs of octets (a, b, level) that stand for all but neighbours, `want` of them or more."""
    reach = set_reach(a, b, limit, margin)
    octet = make_ready()
    tasks = np.zeros((1, 3), dtype=np.int32)
    tasks[0, 2] = LEVELS - 1
    n = 1
    level = LEVELS - 1
    while level > 0 and n < want:
        opened = np.zeros((64 * n, 3), dtype=np.int32)
        top = 0
        for p in range(n):
            qa = tasks[p, 0]
            qb = tasks[p, 1]
            left = to_open(a.above_start, a.above_other, a.above_known, itself, level, qa, qb)
            top = open_pair(a.octets, a.start, b.octets, b.start, level, qa, qb, reach, octet, left, opened, top)
        tasks = opened
        n = top
        level -= 1
    return tasks, n


@kernel
def is_over(question, hits, found):
    """Return True if no other contact matters: any was asked for, or the first, which is at 0."""
    if found == 0 or question == EVERY or hits[0]["status"] != CONTACT:
        return False
    return question == ANY or hits[0]["time"] == 0.0


@kernel
def descend(
    a, b, itself, tasks, first, last, workspace, lists, margin, tolerance, limit, question, overlaps, hits, found,
    counts
):  # fmt: skip
    """Settle the tasks first to last - 1, or as many as the cap allows; return (hits, found, limit, work).

    `overlaps`: an edge through a face at time 0 is a contact too. Counters do not start as constants, for which what is
    called would be compiled once more.
    """
    a = borrowed_side(a)
    b = borrowed_side(b)
    counts = borrowed(counts)
    near_by = culling_margin(margin, tolerance)
    reach = set_reach(a, b, limit, near_by)
    task = first
    top = np.int64(0)
    leaves = np.int64(0)
    n = np.int64(0)
    while (task < last or top > 0 or leaves > 0 or n > 0) and not is_spent(counts):
        if top == 0 and task < last:
            for c in range(3):
                lists.work[0, c] = tasks[task, c]
            task += 1
            top = np.int64(1)
        listed = np.int64(0)
        if top > 0 and leaves < LEAVES and lists.work[top - 1, 2] >= 0:
            top -= 1
            qa = lists.work[top, 0]
            qb = lists.work[top, 1]
            level = lists.work[top, 2]
            left = to_open(a.above_start, a.above_other, a.above_known, itself, level, qa, qb)
            counts[NODES] += 1
            if level > 1:
                top = open_pair(
                    a.octets, a.start, b.octets, b.start, level, qa, qb, reach, lists.octet, left, lists.work, top
                )
            elif level == 1:
                leaves = open_pair(
                    a.octets, a.start, b.octets, b.start, 1, qa, qb, reach, lists.octet, left, lists.leaves, leaves
                )
            else:
                lists.leaves[leaves, 0] = qa
                lists.leaves[leaves, 1] = qb
                leaves += 1
                counts[NODES] -= 1
            continue
        if leaves > 0:
            listed = list_elements(a.octets, b.octets, lists.leaves, leaves, reach, lists.octet, lists.elements)
            counts[NODES] += leaves
            leaves = np.int64(0)
        elif top > 0 and lists.work[top - 1, 2] == RINGS:
            if n > 0:
                hits, found, limit = settle(
                    a, b, itself, workspace, n, margin, tolerance, limit, question, overlaps, hits, found, counts
                )
                n = np.int64(0)
            top -= 1
            hits, found, limit = settle_rings(
                a, itself, lists.work[top, 0], lists.work[top, 1], workspace, margin, tolerance, limit, question,
                overlaps, hits, found, counts,
            )  # fmt: skip
            if is_over(question, hits, found):
                return hits, found, limit, work_of(counts)
            reach = set_reach(a, b, limit, near_by)
        elif top > 0:
            q = lists.work[top - 1, 0]
            listed, done = list_beside(
                a.octets, a.beside_start, a.beside_other, a.beside_known, q, lists.work[top - 1, 1], reach, lists.octet,
                lists.elements,
            )  # fmt: skip
            counts[NODES] += a.beside_start[done] - a.beside_start[q]
            lists.work[top - 1, 0] = done
            if done == lists.work[top - 1, 1]:
                top -= 1
        p = np.int64(0)
        while p < listed or (n > 0 and task == last and top == 0):
            n, p = keep_pairs(
                a.corners, a.table, b.corners, b.table, lists.elements, p, listed, reach, workspace.pairs, n
            )
            if n < CHUNK and (task < last or top > 0):
                continue
            hits, found, limit = settle(
                a, b, itself, workspace, n, margin, tolerance, limit, question, overlaps, hits, found, counts
            )
            n = np.int64(0)
            if is_over(question, hits, found) or is_spent(counts):
                return hits, found, limit, work_of(counts)
            reach = set_reach(a, b, limit, near_by)
    return hits, found, limit, work_of(counts)


def empty_hits(question: int) -> np.ndarray:
    """Return room for contacts: one for the first, more for all of them."""
    return np.zeros(4096 if question == EVERY else 1, HIT)
