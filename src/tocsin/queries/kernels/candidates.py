"""The pairs that are left when all is culled that can be, ready for the advancement: boxes, charts, Taylor models."""

import math

from tocsin.advancement.midpoint_test import midpoint_test
from tocsin.advancement.work import HASTE, LIMIT, OWN, late
from tocsin.broad_phase.charts import chart_of, may_have_chart, settled, settled_curve
from tocsin.broad_phase.moving import MODEL, rows_of, swept_pairs
from tocsin.broad_phase.sweep import half_of
from tocsin.broad_phase.temporal import free_until
from tocsin.compiler.jit import kernel

SPATIAL, SLABS, COUNTS = LIMIT + 1, LIMIT + 2, LIMIT + 3
"""Further counts of a query, and how many there are."""


@kernel
def leave_out_charted(buffers, configs, pairs, n, stretch, t0, t1):
    """Drop the pairs that a chart settles for [t0, t1]; return how many are left.

    Pairs that may have a chart get an account of their own, see `advancement.work`.
    """
    world = buffers.world
    kept = 0
    for p in range(n):
        pair = pairs[p]
        if pair["stop"] >= 0 and may_have_chart(world, pair["a"], pair["b"], pair["stop"]):
            pair["own"] = OWN
            c = chart_of(world, pair["a"], pair["b"])
            pair["uncharted"] = 1 if c < 0 and buffers.counts[HASTE] == 0 else 0
            if c >= 0 and charted_free(buffers, configs, pair, world.charts[c], stretch, t0, t1):
                continue
        if kept < p:
            pairs[kept] = pair
        kept += 1
    return kept


@kernel
def charted_free(buffers, configs, pair, chart, stretch, t0, t1):
    """Is a pair of shapes of an active model settled by its chart for [t0, t1]?"""
    for k in range(buffers.active.shape[0]):
        if buffers.active[k, MODEL] == buffers.world.geoms[pair["a"]]["model"]:
            row0, row1, begin, end, _ = rows_of(buffers, configs, k, stretch)
            if row1 < 0:
                return settled_curve(pair, chart, buffers.joints, t0, t1)
            return settled(buffers.world, pair, chart, configs, row0, row1, begin, end, t0, t1)
    return False


@kernel
def leave_out_free(buffers, pairs, n, t0, t1, every):
    """Drop the pairs that are free for all of [t0, t1], and write until when the others are; return how many.

    From the middle of the slab, then by the Taylor models. Not all pairs are seen from the middle unless `every` is
    asked for: where they touch at once, poses of chains of their own would be made in vain.
    """
    world = buffers.world
    middle, half = 0.5 * (t0 + t1), half_of(t0, t1)
    kept = 0
    for p in range(n):
        pair = pairs[p]
        if late(buffers.counts):
            if kept < p:
                pairs[kept] = pair
            kept += 1
            continue
        if (
            half > 0.0
            and (every or pair["stop"] < 0)
            and midpoint_test(world, buffers.sweeps, buffers.joints, pair, middle, half)
        ):
            continue
        until = free_until(
            pair, world.geoms[pair["a"]], world.geoms[pair["b"]], buffers.sweeps, buffers.taylor,
            buffers.workspace.taylor, buffers.joints, world.links, t0, t1,
        )  # fmt: skip
        if until < math.inf:
            pair["start"] = max(pair["start"], until)
            if kept < p:
                pairs[kept] = pair
            kept += 1
    return kept


@kernel
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
