"""The simultaneous solver: all pairs and equations of a scene over the same intervals of time [ARTICULATE 5.2.2].

A *segment* is an interval [t0, t1] with the list of items that are active in it: pairs of boxes, pairs of solids,
equations (`leaves`). Taking up a segment tests each item over it; motions of links are bounded once and shared. A test
returns the part of the interval in which the item can touch. Boxes whose motion during the interval is small against
their size are opened, down to equations; others wait for a shorter interval. If nothing is left, the segment is free.
Otherwise everything before the earliest part, at `first`, is proven free, and:

- if the item that is active at `first` touches there (validity, by two points), `first` is the time of contact;
- if the parts together are at most half the segment, they become the next segment (Newton [ARTICULATE 5.2.4]);
- else the segment is cut in two, the earlier half first [ARTICULATE 5.2.3].

Segments are taken in order of time, so the first contact found is the first. It ends because remainders shrink with the
square of the interval: what is farther apart than margin + tolerance is excluded once they are below the tolerance. A
segment that cannot be cut any more, or the cap on steps, ends in CAPPED with the time until which all is free.

The cap bounds time and memory: a step is a pair of boxes, of which at most 15 equations are made, each test of an
equation or of solids, and each equation made; every item was one step in its segment, and is kept twice at most.
"""

import math

import numpy as np

from tocsin.bounds.rounding import above, below
from tocsin.bounds.taylor import time_frame
from tocsin.compiler.jit import kernel
from tocsin.geometry.descent import opens_a
from tocsin.interval.box_separation import box_range, clearance, travel
from tocsin.interval.frames import grown
from tocsin.interval.leaves import (
    BOXES,
    EDGE_EDGE,
    FACE_VERTEX,
    KINDS,
    SOLIDS,
    VERTEX_FACE,
    equation_range,
    has_solid,
    leaves_at,
    solid_range,
    touches,
)
from tocsin.interval.witness import APART, TOUCHING
from tocsin.interval.workspace import (
    BOX_TESTS,
    EQUATION_TESTS,
    EQUATIONS,
    INTERVALS,
    SOLID_TESTS,
    STEPS,
    ready,
    ready_back,
)
from tocsin.outcome import CAPPED, CONTACT, FREE

ITEM = np.dtype(
    [
        ("pair", "i4"),
        ("kind", "i4"),
        ("a", "i4"),  # nodes, or triangles of an equation
        ("b", "i4"),
        ("lo", "f8"),  # it can touch between these times only
        ("hi", "f8"),
    ],
    align=True,
)

SEGMENT = np.dtype([("t0", "f8"), ("t1", "f8"), ("begin", "i8")], align=True)

COARSE = 0.25
"""Boxes that move by less than this fraction of the larger one's radius, or of the tolerance, in half the interval are
opened."""

FINE = 0.5
"""Two leaves that move by less than this fraction of the larger one's radius become equations."""

NEWTON = 0.5
"""If the active parts cover no more than this fraction of a segment, they become the next one."""


@kernel
def put(items, n, p, kind, a, b, lo, hi):
    """Append an item; return (items, n), the table grown if it was full."""
    if n == items.shape[0]:
        items = grown(items)
    item = items[n]
    item["pair"] = p
    item["kind"] = kind
    item["a"] = a
    item["b"] = b
    item["lo"] = lo
    item["hi"] = hi
    return items, n + 1


@kernel
def read(items, k):
    """Return (pair, kind, a, b, lo, hi) of an item. Tables grow: their records are not kept (`lifetimes`)."""
    item = items[k]
    return item["pair"], item["kind"], item["a"], item["b"], item["lo"], item["hi"]


@kernel
def narrowed(lo, hi, mid, half, from_time, to_time):
    """Return the times of a range of s, rounded outward, within the times it came from."""
    return max(from_time, below(mid + lo * half)), min(to_time, above(mid + hi * half))


@kernel
def share(t, mid, half, slack):
    """Return s of a time, moved by the slack (more than its rounding), within [-1, 1]."""
    if half == 0.0:
        return 0.0
    return max(-1.0, min(1.0, (t - mid) / half + slack))


@kernel
def share_of(lo, hi, t0, t1):
    """Return (lo, hi) of two times of an interval [t0, t1], as its s, rounded outward."""
    mid, half = time_frame(t0, t1)
    return share(lo, mid, half, -(2.0**-40)), share(hi, mid, half, 2.0**-40)


@kernel
def is_spent(workspace, during):
    """Take a step: is it one too many?"""
    workspace.counts[STEPS] += 1
    return workspace.counts[STEPS] > during[3]


@kernel
def open_pair(world, joints, workspace, item, during, out, n):
    """Test a pair of nodes over an interval, then what is inside, as far as it pays; return (out, n, status).

    At a moment (t0 = t1) everything is settled: TOUCHING and UNDECIDED end it, as CONTACT and CAPPED. So does the cap.
    """
    p, _, a, b, lo, hi = item
    t0, t1, stamp, _ = during
    pair = workspace.pairs[p]
    relative = ready(workspace, joints, p, t0, t1, stamp)
    mid, half = time_frame(t0, t1)
    stack = workspace.stack
    ranges = workspace.ranges
    stack[0, 0] = a
    stack[0, 1] = b
    ranges[0, 0] = lo
    ranges[0, 1] = hi
    top = 1
    while top > 0:
        top -= 1
        a = stack[top, 0]
        b = stack[top, 1]
        times = ranges[top, 0], ranges[top, 1]
        node_a = world.nodes[a]
        node_b = world.nodes[b]
        workspace.counts[BOX_TESTS] += 1
        if is_spent(workspace, during):
            return out, n, CAPPED
        need = clearance(pair, relative, 0, np.float64(node_b["reach"]))
        s_lo, s_hi = share_of(times[0], times[1], t0, t1)
        s_lo, s_hi = box_range(node_a, node_b, relative, need, s_lo, s_hi, workspace.work)
        if s_lo > s_hi:
            continue
        leaves = node_a["count"] > 0 and node_b["count"] > 0
        if leaves and t0 == t1:
            settled = leaves_at(world, joints, pair, relative, workspace, (a, b), t0)
            if settled != APART:
                return out, n, CONTACT if settled == TOUCHING else CAPPED
            continue
        lo, hi = narrowed(s_lo, s_hi, mid, half, times[0], times[1])
        if t0 < t1 and waits(pair, relative, node_a, node_b):
            out, n = put(out, n, p, BOXES, a, b, lo, hi)
        elif leaves:
            inside = p, BOXES, a, b, times[0], times[1]
            out, n = open_leaves(world, joints, workspace, inside, (s_lo, s_hi), during, out, n)
        else:
            open_a = opens_a(node_a, node_b)
            first = node_a["first"] if open_a else node_b["first"]
            for k in range(2):
                stack[top, 0] = first + k if open_a else a
                stack[top, 1] = b if open_a else first + k
                ranges[top, 0] = lo
                ranges[top, 1] = hi
                top += 1
    return out, n, FREE


@kernel
def waits(pair, relative, node_a, node_b):
    """Do two boxes move so far during the interval that they are better opened in a shorter one?"""
    center = (np.float64(node_b["center"][0]), np.float64(node_b["center"][1]), np.float64(node_b["center"][2]))
    moved = travel(relative, center, np.float64(node_b["radius"]))
    radius = max(np.float64(node_a["radius"]), np.float64(node_b["radius"]))
    leaves = node_a["count"] > 0 and node_b["count"] > 0
    return moved > (FINE if leaves else COARSE) * max(radius, pair["tolerance"])


@kernel
def open_leaves(world, joints, workspace, item, s, during, out, n):
    """Append what of two leaves can touch in a range s of the interval: solids as they are, triangles as equations."""
    p, _, a, b, from_time, to_time = item
    t0, t1, stamp, _ = during
    mid, half = time_frame(t0, t1)
    pair = workspace.pairs[p]
    relative = ready(workspace, joints, p, t0, t1, stamp)
    if has_solid(world, pair):
        workspace.counts[SOLID_TESTS] += 1
        s_lo, s_hi = solid_range(world, pair, relative, workspace, (a, b), s[0], s[1])
        if s_lo <= s_hi:
            lo, hi = narrowed(s_lo, s_hi, mid, half, from_time, to_time)
            out, n = put(out, n, p, SOLIDS, a, b, lo, hi)
        return out, n
    ready_back(workspace, joints, p, t0, t1, stamp)
    fa = world.nodes[a]["first"]
    fb = world.nodes[b]["first"]
    for kind in range(VERTEX_FACE, KINDS):
        workspace.counts[EQUATIONS] += 1
        e_lo, e_hi = equation_range(world, pair, relative, kind, fa, fb, s[0], s[1])
        if e_lo <= e_hi:
            workspace.counts[STEPS] += 1
            lo, hi = narrowed(e_lo, e_hi, mid, half, from_time, to_time)
            out, n = put(out, n, p, kind, fa, fb, lo, hi)
    return out, n


@kernel
def take_up(world, joints, workspace, item, during, out, n):
    """Test one item, as `read`, over an interval and append what is left of it; return (out, n, status).

    `during`: (t0, t1, stamp, max_steps), the interval, its number (what is known of it is kept under that), the cap.
    """
    p, kind, a, b, lo, hi = item
    t0, t1, stamp, _ = during
    from_time = max(lo, t0)
    to_time = min(hi, t1)
    if kind == BOXES:
        return open_pair(world, joints, workspace, (p, kind, a, b, from_time, to_time), during, out, n)
    if is_spent(workspace, during):
        return out, n, CAPPED
    pair = workspace.pairs[p]
    relative = ready(workspace, joints, p, t0, t1, stamp)
    lo, hi = share_of(from_time, to_time, t0, t1)
    if kind == SOLIDS:
        workspace.counts[SOLID_TESTS] += 1
        lo, hi = solid_range(world, pair, relative, workspace, (a, b), lo, hi)
    else:
        workspace.counts[EQUATION_TESTS] += 1
        if FACE_VERTEX <= kind < EDGE_EDGE:
            ready_back(workspace, joints, p, t0, t1, stamp)
        lo, hi = equation_range(world, pair, relative, kind, a, b, lo, hi)
    if lo <= hi:
        mid, half = time_frame(t0, t1)
        lo, hi = narrowed(lo, hi, mid, half, from_time, to_time)
        out, n = put(out, n, p, kind, a, b, lo, hi)
    return out, n, FREE


@kernel
def parts_of(out, n):
    """Return (first, last, earliest, pair): from when to when anything can touch; the item that begins, its pair."""
    first = math.inf
    last = -math.inf
    earliest = 0
    of = 0
    for k in range(n):
        p, _, _, _, lo, hi = read(out, k)
        if lo < first:
            first = lo
            earliest = k
            of = p
        last = max(last, hi)
    return first, last, earliest, of


@kernel
def touching_at(world, joints, workspace, out, begin, n, first):
    """Return (pair, upper): an item, from number `begin` on, that touches at `first`, where it begins; or (-1, 0)."""
    for k in range(begin, n):
        p, kind, a, b, lo, hi = read(out, k)
        if lo == first and kind != BOXES and touches(world, joints, workspace.pairs[p], kind, a, b, first, workspace):
            return p, hi
    return -1, 0.0


@kernel
def put_part(out, n, items, top, middle, side):
    """Append the items of a half, `side` 0 the later one and 1 the earlier, or of all (2); return (items, top).

    What only touches the cut belongs to one side: in the other it would be a moment that nothing can cut.
    """
    for k in range(n):
        p, kind, a, b, lo, hi = read(out, k)
        earlier = lo < middle
        later = hi > middle or not earlier
        if side == 2 or (later if side == 0 else earlier):
            items, top = put(items, top, p, kind, a, b, lo, hi)
    return items, top


@kernel
def settle_start(world, joints, workspace, window, n_pairs, items, max_steps):
    """Return (status, pair) of the moment 0: FREE if no pair touches then."""
    workspace.counts[INTERVALS] += 1
    out = np.zeros(1, dtype=ITEM)
    for p in range(n_pairs):
        if window[p, 0] > 0.0:
            continue
        out, _, status = take_up(world, joints, workspace, read(items, p), (0.0, 0.0, 1, max_steps), out, 0)
        if status != FREE:
            return status, p
    return FREE, -1


@kernel
def contacts_between(world, joints, workspace, window, n_pairs, begin, end, max_steps):
    """Return (status, time, upper, pair): the first contact of the workspace's pairs during [begin, end].

    Row p of `window` is the part of [begin, end] outside which pair p is known to be free. CONTACT: free before `time`,
    where two features are within margin + tolerance; `upper` is the end of the final interval, in which their equation
    has its root if it has one. With begin = 0 the moment 0 is settled first.
    """
    items = np.zeros(1024, dtype=ITEM)
    out = np.zeros(1024, dtype=ITEM)
    segments = np.zeros(64, dtype=SEGMENT)
    top = 0
    for p in range(n_pairs):
        root_a = world.geoms[workspace.pairs[p]["a"]]["root"]
        root_b = world.geoms[workspace.pairs[p]["b"]]["root"]
        items, top = put(items, top, p, BOXES, root_a, root_b, window[p, 0], window[p, 1])
    stamp = 1
    if begin == 0.0:
        status, p = settle_start(world, joints, workspace, window, n_pairs, items, max_steps)
        if status != FREE:
            return status, 0.0, 0.0 if status == CONTACT else math.inf, p
        stamp += 1
    count = 1 if top > 0 and begin < end else 0
    segments[0]["t0"] = begin
    segments[0]["t1"] = end
    while count > 0:
        count -= 1
        t0 = segments[count]["t0"]
        t1 = segments[count]["t1"]
        bottom = segments[count]["begin"]
        workspace.counts[INTERVALS] += 1
        n = 0
        for k in range(bottom, top):
            item = read(items, k)
            out, n, status = take_up(world, joints, workspace, item, (t0, t1, stamp, max_steps), out, n)
            if status != FREE:
                return CAPPED, t0, math.inf, item[0]
        stamp += 1
        top = bottom
        if n == 0:
            continue
        first, last, earliest, of = parts_of(out, n)
        p, upper = touching_at(world, joints, workspace, out, earliest, n, first)
        if p >= 0:
            return CONTACT, first, upper, p
        middle = 0.5 * (first + last)
        if not first < middle < last:
            return CAPPED, first, math.inf, of
        if count + 2 > segments.shape[0]:
            segments = grown(segments)
        whole = last - first <= NEWTON * (t1 - t0)
        for part in range(1 if whole else 2):
            # The later half goes below the earlier one.
            segments[count]["t0"] = middle if not whole and part == 0 else first
            segments[count]["t1"] = middle if not whole and part == 1 else last
            segments[count]["begin"] = top
            start = top
            items, top = put_part(out, n, items, top, middle, 2 if whole else part)
            if top > start:
                count += 1
    return FREE, math.inf, math.inf, -1
