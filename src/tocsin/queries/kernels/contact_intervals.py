"""All contacts of a motion as intervals of time, pair of links by pair of links, in one compiled call.

Contact of two links at t means a distance of at most the margin between any two of their shapes. What is written is a
list of intervals of which is proven:

    every time of contact lies in an interval;
    at every time of an interval the distance is at most margin + tolerance.

In between, where the distance is above the margin but within the tolerance, an interval may or may not go on.

The method: two certificates take turns, and each advances in time from where the other has ended.

apart     the advancement of all pairs of shapes of the two links at once, exactly as for a first contact, but with half
          the tolerance: it proves that they are apart until they come within margin + tolerance / 2 (the enter).
in touch  from there on, by whichever pair of leaves holds longest (`contacts.contact_certificate`): the pair that held
          last is asked first, the hierarchies where it is about to let go. When nothing is left within margin + 3/4
          tolerance, they are apart again (the exit), and the advancement goes on from there.

It ends: at any time the links are farther than margin + tolerance / 2, and the advancement goes on by tolerance / 2
over their speed at least; or they are within margin + 3/4 tolerance, and touch goes on by tolerance / 4 over their
speed at least. Neither rests on finding a good direction or a deep overlap: those make strides long.
A mesh inside a solid one touches nothing; while the surfaces are apart it stays inside or outside, so one look when the
advancement starts decides for all of its stretch.
"""

import numpy as np

from tocsin.advancement.box_step import box_gap
from tocsin.advancement.engine import advance
from tocsin.advancement.leaves import later
from tocsin.advancement.relative import relative_state
from tocsin.advancement.work import CHARGED, LEAF_TESTS, NODE_TESTS, STEPS, exhausted
from tocsin.advancement.workspace import Tables
from tocsin.broad_phase.moving import set_motion
from tocsin.broad_phase.pairs import PAIR
from tocsin.compiler.arrays import stable_order
from tocsin.compiler.jit import borrowed, kernel
from tocsin.contacts.contact_certificate import Within, leaf_certificate
from tocsin.contacts.inside import one_inside_other
from tocsin.geometry.descent import open_larger
from tocsin.motion.knots import stretch_at, time_after, time_before
from tocsin.outcome import CONTACT, FREE
from tocsin.queries.buffers import buffers_at
from tocsin.queries.kernels.candidates import SLABS, cull

ENTER = 0.5
"""Fraction of the tolerance within which two links count as in touch when they come from apart."""

STAY = 0.75
"""Fraction of the tolerance within which they count as in touch still."""

CANDIDATES = 12
"""Pairs of leaves in touch that are compared before the longest hold is taken (4 took half as many strides again)."""

FADING = 0.125
"""The pair of leaves that held last is asked alone until it holds for less than this fraction of its first stride."""

ROW = np.dtype(
    [
        ("link_a", "i4"),
        ("link_b", "i4"),
        ("enter", "f8"),
        ("exit", "f8"),
        ("tolerance", "f8"),
        ("proven", "i4"),  # 0: rounding hides what is beyond the tolerance that was asked for
        ("spare", "i4"),
    ],
    align=True,
)


@kernel
def add_row(rows, n, pair, enter, exit_, tolerance, proven):
    """Append an interval; return (rows, n), the table grown if it was full."""
    if n == rows.shape[0]:
        bigger = np.zeros(2 * n + 16, dtype=ROW)
        for k in range(n):
            bigger[k] = rows[k]
        rows = bigger
    row = rows[n]
    row["link_a"] = pair["link_a"]
    row["link_b"] = pair["link_b"]
    row["enter"] = enter
    row["exit"] = exit_
    row["tolerance"] = tolerance
    row["proven"] = proven
    return rows, n + 1


@kernel
def within(pair, need):
    """Return what is asked about two leaves of a pair: do they stay in touch, and for how long?"""
    limit = pair["margin"] + STAY * pair["tolerance"] - pair["noise"]
    return Within(limit, pair["margin"] + pair["tolerance"] - pair["noise"], need)


@kernel
def strongest(tables, pairs, t, need, max_steps, counts):
    """Return (h, pair, node_a, node_b): of up to CANDIDATES pairs of leaves in touch, the one that holds longest.

    Of those that were found before the cap, if it is reached.
    """
    world = tables.world
    stack = tables.workspace.stack
    best = 0.0
    best_p = -1
    best_a = -1
    best_b = -1
    seen = 0
    for p in range(pairs.shape[0]):
        pair = pairs[p]
        if pair["start"] > t:
            continue
        asked = within(pair, need)
        pose, motion = relative_state(pair, tables.sweeps, tables.joints, world.links, t)
        stack[0, 0] = world.geoms[pair["a"]]["root"]
        stack[0, 1] = world.geoms[pair["b"]]["root"]
        top = 1
        while top > 0 and not exhausted(max_steps, counts):
            top -= 1
            counts[NODE_TESTS] += 1
            a = stack[top, 0]
            b = stack[top, 1]
            node_a = world.nodes[a]
            node_b = world.nodes[b]
            gap, _ = box_gap(node_a, node_b, pose)
            if gap > asked.limit:
                continue
            if node_a["count"] > 0 and node_b["count"] > 0:
                counts[LEAF_TESTS] += 1
                h, d = leaf_certificate(world, pair, a, b, pose, motion, asked, tables.workspace)
                if h > best:
                    best, best_p, best_a, best_b = h, p, a, b
                if d <= asked.limit:
                    seen += 1
                    if seen == CANDIDATES or best >= need:
                        return best, best_p, best_a, best_b
                continue
            top = open_larger(stack, top, node_a, node_b)
    return best, best_p, best_a, best_b


@kernel
def certificate_of(tables, pair, a, b, t, need):
    """Return how long the leaves a, b of a pair of shapes are in touch from t on."""
    world = tables.world
    pose, motion = relative_state(pair, tables.sweeps, tables.joints, world.links, t)
    h, _ = leaf_certificate(world, pair, a, b, pose, motion, within(pair, need), tables.workspace)
    return h


@kernel
def in_touch_until(tables, pairs, t, end, max_steps, counts):
    """Return a time up to which the pairs are proven to be in touch from t on; t itself where nothing holds."""
    p = -1
    a = -1
    b = -1
    first = 0.0
    while t < end and not exhausted(max_steps, counts):
        counts[STEPS] += 1
        counts[CHARGED] += 1
        h = 0.0
        if p >= 0:
            h = certificate_of(tables, pairs[p], a, b, t, end - t)
        if p < 0 or h < FADING * first:
            other, k, i, j = strongest(tables, pairs, t, end - t, max_steps, counts)
            if other > h:
                h, p, a, b = other, k, i, j
            first = min(h, end - t)
        if later(t, h) >= end:
            return end
        if not later(t, h) > t:
            return t
        t = later(t, h)
    return t


@kernel
def any_inside(tables, pairs, t):
    """Is a shape of one of the pairs inside the other, a solid mesh, at time t?"""
    for p in range(pairs.shape[0]):
        if one_inside_other(tables.world, pairs[p], tables.sweeps, tables.joints, t):
            return True
    return False


@kernel
def advanced(tables, pairs, t, t0, t1, max_steps, counts):
    """Return (status, time): when the pairs, apart from t on, first come within margin + ENTER tolerance, before t1."""
    n = pairs.shape[0]
    for p in range(n):
        pairs[p]["start"] = max(pairs[p]["start"], t)
        pairs[p]["tolerance"] *= ENTER
    status, time, _ = advance(tables, pairs, n, (t0, t1), False, max_steps, counts, False)
    for p in range(n):
        pairs[p]["tolerance"] /= ENTER
    return status, t1 if status == FREE else time


@kernel
def pair_of_links(tables, pairs, t0, t1, max_steps, counts, rows, n):
    """Append the intervals during [t0, t1] of all pairs of shapes of two links; return (rows, n)."""
    tolerance = 0.0
    for p in range(pairs.shape[0]):
        tolerance = max(tolerance, pairs[p]["tolerance"])
    t = t0
    touching = False
    enter = t0
    while True:
        status, stop = advanced(tables, pairs, t, t0, t1, max_steps, counts)
        if exhausted(max_steps, counts):
            return rows, n
        if stop > t:
            if any_inside(tables, pairs, t):
                if not touching:
                    enter = t
                touching = True
            elif touching:
                rows, n = add_row(rows, n, pairs[0], enter, t, tolerance, 1)
                touching = False
        if status == FREE:
            break
        if not touching:
            enter = stop
        touching = True
        t = stop
        if status == CONTACT:
            t = in_touch_until(tables, pairs, stop, t1, max_steps, counts)
            if exhausted(max_steps, counts):
                return rows, n
        if t == t1:
            break
        if t == stop:
            # Neither certificate gets on: the tolerance is below the resolution of floating point here.
            return add_row(rows, n, pairs[0], enter, t1, tolerance, 0)
    if touching:
        rows, n = add_row(rows, n, pairs[0], enter, t1, tolerance, 1)
    return rows, n


@kernel
def by_links(pairs, n, n_links):
    """Return a copy of the first n pairs in which those of the same two links are in a row."""
    keys = np.zeros(n, dtype=np.int64)
    for p in range(n):
        keys[p] = pairs[p]["link_a"] * np.int64(n_links) + pairs[p]["link_b"]
    order = stable_order(keys)
    out = np.zeros(n, dtype=PAIR)
    for p in range(n):
        out[p] = pairs[order[p]]
    return out


@kernel
def joined(rows, n, n_links):
    """Return the intervals by pair of links and time, those that meet at the end of a slab made one."""
    keys = np.zeros(n, dtype=np.int64)
    for k in range(n):
        keys[k] = rows[k]["link_a"] * np.int64(n_links) + rows[k]["link_b"]
    # Rows of one pair are in the order of time already, and the sort is stable.
    order = stable_order(keys)
    out = np.zeros(n, dtype=ROW)
    kept = 0
    for i in range(n):
        k = order[i]
        row = rows[k]
        if kept > 0:
            last = out[kept - 1]
            if keys[k] == last["link_a"] * np.int64(n_links) + last["link_b"] and row["enter"] <= last["exit"]:
                last["exit"] = max(last["exit"], row["exit"])
                last["tolerance"] = max(last["tolerance"], row["tolerance"])
                last["proven"] = min(last["proven"], row["proven"])
                continue
        out[kept] = row
        kept += 1
    return out[:kept]


@kernel
def intervals(table, configs, stretches, margin, grow, tolerance, max_steps):
    """Return (rows, until): the intervals of contact of all pairs of links; complete up to the time `until`.

    `until` is 1, or the begin of the slab of time in which the cap of steps was reached.
    """
    buffers = buffers_at(table)
    world, workspace = buffers.world, buffers.workspace
    tables = Tables(world, buffers.sweeps, buffers.joints, buffers.taylor, workspace)
    counts = buffers.counts
    counts[:] = 0
    configs = borrowed(configs)
    pairs = workspace.pairs
    n_links = world.links.shape[0]
    rows = np.zeros(64, dtype=ROW)
    n_rows = 0
    until = 1.0
    for i in range(stretches.shape[0]):
        stretch = stretch_at(stretches, i)
        first_row = n_rows
        slabs = set_motion(buffers, configs, stretch)
        for slab in range(slabs):
            t0 = slab / slabs
            t1 = (slab + 1) / slabs
            pairs, n = cull(buffers, pairs, t0, t1, margin, grow, tolerance)
            counts[SLABS] += 1
            if n == 0:
                continue
            ordered = by_links(pairs, n, n_links)
            first = 0
            for p in range(1, n + 1):
                same = p < n and ordered["link_a"][p] == ordered["link_a"][first]
                if same and ordered["link_b"][p] == ordered["link_b"][first]:
                    continue
                rows, n_rows = pair_of_links(tables, ordered[first:p], t0, t1, max_steps, counts, rows, n_rows)
                first = p
                if exhausted(max_steps, counts):
                    until = time_before(stretch, t0)
                    break
            if until < 1.0:
                break
        for k in range(first_row, n_rows):
            rows[k]["enter"] = time_before(stretch, rows[k]["enter"])
            rows[k]["exit"] = time_after(stretch, rows[k]["exit"])
        if until < 1.0:
            break
    return joined(rows, n_rows, n_links), until
