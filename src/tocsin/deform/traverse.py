"""Descending two hierarchies in step, from pairs of octets to chunks of element pairs.

Work is handed out as pairs of octets: `spread` opens the top until there are enough of them for all threads, `descend`
settles some of them; octets of a model that are `neighbours` are not met on the way down, but taken from their lists,
and what shares a vertex is left to rings (`one_ring`): these are tasks as well.
What it finds does not depend on how work is handed out: a pair is left out only if it is proven free, or later than a
contact that was found. Pairs of octets of elements and pairs of elements are gathered into lists before the next stage
looks at them: a stage is one loop over few tables, and handing tables on costs as much as a test.
"""

from typing import NamedTuple

import numpy as np

from tocsin.compiler.addresses import Layout
from tocsin.compiler.jit import borrowed, inlined, kernel
from tocsin.deform.element_filter import LARGEST, Corners, keep_pairs, noise_of, single_up
from tocsin.deform.hierarchy import AXES, LEVELS
from tocsin.deform.mesh_arrays import FLOAT32, INT32, INT64, PACE, REACH, SIZE, culling_margin, local_pair, pair_at
from tocsin.deform.narrow import ANY, CHUNK, EVERY, HIT, NODES, is_spent, settle
from tocsin.deform.neighbours import MOST_BESIDE, UPPER, known_of
from tocsin.deform.one_ring import settle_rings
from tocsin.deform.overlap import Reach, diagonal, make_ready, near, ready
from tocsin.outcome import CONTACT
from tocsin.simd.singles import trailing

STILL = 0.01
"""Of the width of elements: models that move less until the time limit are tested where they are at time 0."""

DEEPEST = 64 * LEVELS
"""Room of the stack: opening a pair of octets puts at most 64 in the place of one, on each level once."""

FEW = 6
"""Pairs of elements for which testing them costs less than asking about the diagonal axes of their octets."""

LEAVES = 256
"""Pairs of octets of elements that are gathered."""

GATHERED = 64 * LEAVES + 4096
"""Pairs of elements that are gathered, or those of one octet with all that are beside it."""

BESIDE, RINGS = -1, -2
"""In the place of a level: octets from one number to another, each with those beside it; and blocks of rings."""


SEARCHED = 2048
"""Tests of octets after which what was kept is settled before there is a chunk of it, where not every contact is asked
for: where they find little, a contact among what was kept ends the search earlier than more of them would."""

TASK, TOP, LEAVES_LISTED, KEPT, PLACES = range(5)
"""Where a descent stands: its next task, and how many pairs wait in each list (`Lists.at`)."""


class Lists(NamedTuple):
    """What is gathered on the way down."""

    work: np.ndarray
    """(DEEPEST, 3) pairs of octets that wait, and their level."""
    leaves: np.ndarray
    """(LEAVES + 64, 3) pairs of octets of elements."""
    elements: np.ndarray
    """(., 2) pairs of elements: GATHERED, and more than one octet has with those beside it."""
    octet: np.ndarray
    at: np.ndarray
    """(PLACES,) where the descent stands."""


LISTS = Layout(
    Lists, work=(INT32, 2), leaves=(INT32, 2), elements=(INT32, 2), octet=(FLOAT32, 3), at=(INT64, 1)
)  # fmt: skip


@kernel
def make_lists():
    """Return empty lists."""
    return Lists(
        np.zeros((DEEPEST, 3), dtype=np.int32),
        np.zeros((LEAVES + 64, 3), dtype=np.int32),
        np.zeros((max(GATHERED, 64 * MOST_BESIDE + 8), 2), dtype=np.int32),
        make_ready(),
        np.zeros(PLACES, dtype=np.int64),
    )


@inlined
def reach_of(pair, limit):
    """Return the reach of a question about a pair up to a time limit."""
    return set_reach(pair.a.measures, pair.b.measures, limit, culling_margin(pair))


@kernel
def set_reach(a, b, limit, margin):
    """Return the reach of a question up to a time limit, about meshes with the measures a and b."""
    slack = limit * (a[PACE] + b[PACE])
    still = slack < STILL * min(a[SIZE], b[SIZE])
    if still:
        margin = (margin + slack) * (1.0 + 2.0**-50)
    limit32 = single_up(limit)
    return Reach(
        np.float32(1.0) - limit32,
        limit32,
        single_up(margin * (1.0 + 2.0**-20)),
        single_up(diagonal(margin * (1.0 + 2.0**-20))),
        noise_of(max(a[REACH], b[REACH]), LARGEST),
        still,
    )


@inlined
def to_open(pair, node) -> int:
    """Return which pairs of children of a pair of octets are met on the way down: each once, and no neighbours."""
    qa, qb, level = node
    left = -1
    if pair.itself:
        if qa == qb:
            left &= UPPER
        if level == 1:
            left &= ~int(known_of(pair.a.above_start, pair.a.above_other, pair.a.above_known, qa, qb))
    return left


@inlined
def open_node(pair, node, reach, octet, out, top):
    """Put the pairs of children of a node, a pair of octets (a, b, level), that may meet into `out`; return the top."""
    qa, qb, level = node
    left = to_open(pair, node)
    ready(pair.a.octets, pair.a.start[level] + qa, reach, octet)
    left &= near(octet, pair.b.octets, pair.b.start[level] + qb, reach, 0, AXES)
    while left:
        k = trailing(left)
        left &= left - 1
        out[top, 0] = 8 * qa + (k >> 3)
        out[top, 1] = 8 * qb + (k & 7)
        out[top, 2] = level - 1
        top += 1
    return top


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
def list_beside(side, first, last, reach, octet, out):
    """Write the pairs of elements of neighbours that may come near, for octets first to last - 1; return (count, next).

    As many octets as fit, one or more. Boxes and rings leave little: most pairs of octets need no other axes.
    """
    octets = side.octets
    start = side.beside_start
    count = 0
    q = first
    while q < last and (q == first or count + 64 * (start[q + 1] - start[q]) + 8 <= GATHERED):
        ready(octets, q, reach, octet)
        for k in range(start[q], start[q + 1]):
            r = side.beside_other[k]
            left = near(octet, octets, r, reach, 0, 3) & ~int(side.beside_known[k])
            if many(left):
                left &= near(octet, octets, r, reach, 3, AXES)
            count = write_pairs(q, r, left, out, count)
        q += 1
    return count, q


@kernel
def spread(pair, want, limit):
    """Return (tasks, n): pairs of octets (a, b, level) that stand for all but neighbours, `want` of them or more."""
    pair = pair_at(pair)
    reach = reach_of(pair, limit)
    octet = make_ready()
    tasks = np.zeros((1, 3), dtype=np.int32)
    tasks[0, 2] = LEVELS - 1
    n = 1
    level = LEVELS - 1
    while level > 0 and n < want:
        opened = np.zeros((64 * n, 3), dtype=np.int32)
        top = 0
        for p in range(n):
            top = open_node(pair, (tasks[p, 0], tasks[p, 1], level), reach, octet, opened, top)
        tasks = opened
        n = top
        level -= 1
    return tasks, n


@kernel
def is_over(search):
    """Return True if no other contact matters: any was asked for, or the first, which is at 0."""
    if search.found == 0 or search.question == EVERY or search.hits[0]["status"] != CONTACT:
        return False
    return search.question == ANY or search.hits[0]["time"] == 0.0


@inlined
def step_down(pair, reach, lists, counts):
    """Open the node on top of those that wait: its children wait in its place, or among the leaves."""
    at = lists.at
    at[TOP] -= 1
    top = at[TOP]
    qa = lists.work[top, 0]
    qb = lists.work[top, 1]
    level = lists.work[top, 2]
    if level > 0:
        counts[NODES] += 1
        below = level > 1
        out = lists.work if below else lists.leaves
        end = open_node(pair, (qa, qb, level), reach, lists.octet, out, at[TOP] if below else at[LEAVES_LISTED])
        at[TOP if below else LEAVES_LISTED] = end
    else:
        lists.leaves[at[LEAVES_LISTED], 0] = qa
        lists.leaves[at[LEAVES_LISTED], 1] = qb
        at[LEAVES_LISTED] += 1


@inlined
def list_next(pair, reach, lists, counts):
    """List pairs of elements: of the leaves, if there are any, else of the neighbours on top; return how many."""
    at = lists.at
    if at[LEAVES_LISTED] > 0:
        leaves = at[LEAVES_LISTED]
        listed = list_elements(pair.a.octets, pair.b.octets, lists.leaves, leaves, reach, lists.octet, lists.elements)
        counts[NODES] += leaves
        at[LEAVES_LISTED] = 0
        return listed
    top = at[TOP] - 1
    q = lists.work[top, 0]
    listed, done = list_beside(pair.a, q, lists.work[top, 1], reach, lists.octet, lists.elements)
    counts[NODES] += pair.a.beside_start[done] - pair.a.beside_start[q]
    lists.work[top, 0] = done
    if done == lists.work[top, 1]:
        at[TOP] = top
    return listed


@kernel
def settle_kept(pair, workspace, lists, search):
    """Settle the pairs of elements that were kept; return the search as it then stands."""
    n = lists.at[KEPT]
    lists.at[KEPT] = 0
    return settle(pair, workspace, n, search)


@kernel
def descend(pair, tasks, first, last, workspace, lists, search):
    """Settle the tasks first to last - 1, or as many as the cap allows; return the search as it then stands."""
    pair = local_pair(pair)
    counts = borrowed(workspace.counts)
    a = Corners(pair.a.corners, pair.a.table)
    b = Corners(pair.b.corners, pair.b.table)
    at = lists.at
    at[TASK] = first
    at[TOP] = at[LEAVES_LISTED] = at[KEPT] = 0
    reach = reach_of(pair, search.limit)
    since = counts[NODES]
    while (at[TASK] < last or at[TOP] + at[LEAVES_LISTED] + at[KEPT] > 0) and not is_spent(counts):
        if at[TOP] == 0 and at[TASK] < last:
            for c in range(3):
                lists.work[0, c] = tasks[at[TASK], c]
            at[TASK] += 1
            at[TOP] = 1
        top = at[TOP]
        if top > 0 and at[LEAVES_LISTED] < LEAVES and lists.work[top - 1, 2] >= 0:
            step_down(pair, reach, lists, counts)
            continue
        listed = np.int64(0)
        if at[LEAVES_LISTED] > 0 or (top > 0 and lists.work[top - 1, 2] == BESIDE):
            listed = list_next(pair, reach, lists, counts)
        elif top > 0:
            if at[KEPT] > 0:
                search = settle_kept(pair, workspace, lists, search)
            at[TOP] = top - 1
            search = settle_rings(pair, lists.work[top - 1, 0], lists.work[top - 1, 1], workspace, search)
            if is_over(search):
                return search
            reach = reach_of(pair, search.limit)
        p = np.int64(0)
        while p < listed or (at[KEPT] > 0 and at[TASK] == last and at[TOP] == 0):
            at[KEPT], p = keep_pairs(a, b, lists.elements, p, listed, reach, workspace.pairs, at[KEPT])
            enough = at[KEPT] > 0 and search.question != EVERY and counts[NODES] - since >= SEARCHED and p >= listed
            if at[KEPT] < CHUNK and not enough and (at[TASK] < last or at[TOP] > 0):
                continue
            search = settle_kept(pair, workspace, lists, search)
            since = counts[NODES]
            if is_over(search) or is_spent(counts):
                return search
            reach = reach_of(pair, search.limit)
    return search


def empty_hits(question: int) -> np.ndarray:
    """Return room for contacts: one for the first, more for all of them."""
    return np.zeros(4096 if question == EVERY else 1, HIT)
