"""The pairs that are left when all is culled that can be, ready for the advancement: boxes, charts, Taylor models."""

import math

from tocsin.advancement.box_step import midpoint_test
from tocsin.advancement.work import HASTE, LIMIT, OWN, late
from tocsin.broad_phase.charts import chart_of, may_have_chart, settled, settled_curve
from tocsin.broad_phase.moving import MODEL, chains_of, rows_of, swept_pairs
from tocsin.broad_phase.pairs import BETWEEN
from tocsin.broad_phase.spatial import with_room
from tocsin.broad_phase.sweep import half_of
from tocsin.broad_phase.temporal import free_until
from tocsin.compiler.jit import borrowed, inlined, kernel

SPATIAL, SLABS = LIMIT + 1, LIMIT + 2
"""Further counts of a query."""


WINDOW, MOST_WINDOWS = 0.4, 8
"""Radians that the joints between two shapes may turn, added up, in one window of a slab; and how many there may be."""


@kernel
def windows_of(world, pair, slab):
    """Return into how many windows a slab is cut for a pair, a power of two; 0 if it may have no chart."""
    if pair["stop"] < 0 or not may_have_chart(world, pair["a"], pair["b"], pair["stop"]):
        return 0
    turn = (pair["turn_a"] + pair["turn_b"]) * (slab[1] - slab[0])
    count = 1
    while count < MOST_WINDOWS and turn > WINDOW * count:
        count *= 2
    return count


@kernel
def window_of(slab, count, k):
    """Return the begin and the end of window k of a slab."""
    begin = slab[0] + (slab[1] - slab[0]) * (k / count)
    return begin, slab[1] if k + 1 == count else slab[0] + (slab[1] - slab[0]) * ((k + 1) / count)


@kernel
def seen_from_middle(buffers, pair, begin, end):
    """Is a pair proven apart from `begin` to `end`, as seen from the middle?"""
    return midpoint_test(
        buffers.world, buffers.sweeps, buffers.joints, pair, 0.5 * (begin + end), half_of(begin, end)
    )  # fmt: skip


@inlined
def cut_charted(buffers, configs, pairs, n, stretch, slab, charted):
    """Cut the slab of pairs that may have a chart into windows; return (pairs, n) without those that are settled.

    Where the windows lie depends on the pair's motion alone, and each becomes a record of its own, with an account of
    its own if charts are asked (`charted`), see `advancement.work`. So a chart settles a window or does nothing to it,
    and all others are searched as if it were not there: which charts there are changes no answer. A pair that is seen
    to be free from the middle, of the slab or of a window, is dropped with a chart as well as without.
    """
    kept, end = 0, n
    for p in range(n):
        count = windows_of(buffers.world, pairs[p], slab)
        if count > 0:
            settled = settled_windows(buffers, configs, pairs[p], stretch, slab, count) if charted else 0
            if settled == 2**count - 1:
                continue
            if count > 1:
                if not seen_from_middle(buffers, pairs[p], slab[0], slab[1]):
                    for k in range(count):
                        t0, t1 = window_of(slab, count, k)
                        if not settled >> k & 1 and not seen_from_middle(buffers, pairs[p], t0, t1):
                            pairs, end = append_window(pairs, end, p, t0, t1)
                continue
        if kept < p:
            pairs[kept] = pairs[p]
        kept += 1
    for p in range(n, end):
        if kept < p:
            pairs[kept] = pairs[p]
        kept += 1
    return pairs, kept


@kernel
def append_window(pairs, n, p, begin, end):
    """Append a copy of pair p that begins and ends with a window; return (pairs, n), the table grown if it was full."""
    if n == pairs.shape[0]:
        pairs = with_room(pairs, n, n + 16)
    pairs[n] = pairs[p]
    pairs[n]["start"] = begin
    pairs[n]["until"] = end
    return pairs, n + 1


@kernel
def settled_windows(buffers, configs, pair, stretch, slab, count):
    """Return the windows that a pair's chart settles, a bit each; and give the pair an account of its own."""
    pair["own"] = OWN
    c = chart_of(buffers.world, pair["a"], pair["b"])
    pair["uncharted"] = 1 if c < 0 and buffers.counts[HASTE] == 0 else 0
    out = 0
    if c >= 0:
        for k in range(count):
            t0, t1 = window_of(slab, count, k)
            out |= (1 if charted_free(buffers, configs, pair, c, stretch, t0, t1) else 0) << k
    return out


@kernel
def charted_free(buffers, configs, pair, c, stretch, t0, t1):
    """Is a pair of shapes of an active model settled by chart c for [t0, t1]?"""
    chart = buffers.world.charts[c]
    for k in range(buffers.active.shape[0]):
        if buffers.active[k, MODEL] == buffers.world.geoms[pair["a"]]["model"]:
            row0, row1, begin, end, _ = rows_of(buffers, configs, k, stretch)
            if row1 < 0:
                return settled_curve(pair, chart, buffers.joints, t0, t1)
            return settled(buffers.world, pair, chart, configs, (row0, row1, begin, end), t0, t1)
    return False


@kernel
def is_charted_at(buffers, configs, pair, stretch, t):
    """Is there a chart that has the pair apart at time t?"""
    if buffers.world.charts.shape[0] == 0:
        return False
    c = chart_of(buffers.world, pair["a"], pair["b"])
    return c >= 0 and charted_free(buffers, configs, pair, c, stretch, t, t)


@kernel
def joints_between(links, pair):
    """Return the joints on the ways from the links of a pair to their common ancestor."""
    return links[pair["link_a"]]["depth"] + links[pair["link_b"]]["depth"] - 2 * links[pair["stop"]]["depth"]


@inlined
def leave_out_free(buffers, pairs, n, t0, t1, every):
    """Drop the pairs that are free for all of [t0, t1], and write until when the others are; return how many.

    From the middle of the slab, then by the Taylor models. Pairs with an ancestor take poses of chains of their own to
    be seen from the middle: where they touch at once that would be in vain, so not unless `every` is asked for, and not
    where chains are long. Windows were seen already.
    """
    world = buffers.world
    pairs = borrowed(pairs)
    kept = 0
    for p in range(n):
        pair = pairs[p]
        if late(buffers.counts):
            if kept < p:
                pairs[kept] = pair
            kept += 1
            continue
        whole = pair["start"] == t0 and pair["until"] == t1 and t0 < t1
        near = pair["stop"] < 0 or (every and joints_between(world.links, pair) <= BETWEEN)
        if whole and near and seen_from_middle(buffers, pair, t0, t1):
            continue
        until = free_until(pair, world.geoms[pair["a"]], world.geoms[pair["b"]], chains_of(buffers), t0, t1)
        if until < math.inf:
            pair["start"] = max(pair["start"], until)
            if kept < p:
                pairs[kept] = pair
            kept += 1
    return kept


@inlined
def cull(buffers, pairs, t0, t1, margin, grow, tolerance):
    """Return (pairs, n): what may touch during [t0, t1], ready for the advancement; without charts."""
    pairs, n = swept_pairs(buffers, pairs, t0, t1, margin, grow, tolerance)
    buffers.counts[SPATIAL] += n
    return pairs, leave_out_free(buffers, pairs, n, t0, t1, False)


@kernel
def named(pairs, p):
    """Return (a, b, tolerance) of a pair.

    A call of its own: a record holds no reference to its table, and a table that has grown belongs to the caller alone,
    who would let go of it between taking the record and reading its fields.
    """
    pair = pairs[p]
    return pair["a"], pair["b"], pair["tolerance"]
