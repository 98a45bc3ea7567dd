"""A question in one compiled call: motion, culling, advancement, slab by slab in time; and the contacts in another.

A motion is cut where any model's piece ends, and long turns are cut further into slabs in which the swept boxes stay
tight. Slabs are taken in order of time, so the first contact found is the first; what comes later is never looked at.
Times here are those of a stretch between two knots, from 0 to 1 (`motion.knots`).
"""

import math

import numpy as np

from tocsin.advancement.engine import CAPPED, CONTACT, FREE, advance
from tocsin.advancement.midpoint_test import midpoint_test
from tocsin.advancement.static_witness import LOOKS, UNSEEN, has_static_witness
from tocsin.advancement.work import CHARGED, LIMIT, OWN
from tocsin.broad_phase.aabb_tree import join_up
from tocsin.broad_phase.charts import chart_of, may_have_chart, settled
from tocsin.broad_phase.pairs import prepare
from tocsin.broad_phase.spatial import add_pair, against_standing, between_moving, with_itself
from tocsin.broad_phase.sweep import DEEP, LONG, TURNING, geom_box, half_of, link_bounds, link_middle
from tocsin.broad_phase.temporal import free_until
from tocsin.compiler.jit import borrowed, kernel, question, ticks
from tocsin.contacts.closest import closest
from tocsin.contacts.inside import one_inside_other
from tocsin.contacts.manifold import manifold
from tocsin.motion.joints import joint_motion
from tocsin.motion.knots import WHOLE, piece_in, stretch_at
from tocsin.options import MAX_STEPS
from tocsin.stage import FIRST, MODEL, OFFSET, PIECES, SLOTS, buffers_at

SPATIAL, SLABS, COUNTS = LIMIT + 1, LIMIT + 2, LIMIT + 3
"""Further counts of a query, and how many there are."""

UNCHARTED = 3
"""No status of an answer: a pair gives up, and there is no telling what its chart would say before it is made."""

MOTION, CULLING, ADVANCEMENT, STAGES = range(4)
"""Stages whose time is taken."""

JOINT_TURN = 1.6
"""Radians that one joint may turn in one slab: beyond, a cubic no longer follows its sine."""

CHAIN_TURN, LONG_TURN = 3.0, 6.0
"""Radians that all joints of a chain may turn, added up, in one slab, and those of one of more than DEEP joints, whose
bounds do not add up the joints (measured on chains of 2 to 200 links)."""

MOST_SLABS = 64

SHORT = 1.2
"""Radians: if no chain turns by more, `is_free` takes UNSEEN steps before it looks: most short motions are free, and
done by then."""


@kernel
def rows_of(buffers, k, stretch):
    """Return (row0, row1, begin, end): the piece of active model k in a stretch, its rows in the configurations."""
    pieces = buffers.active[k, PIECES]
    row = buffers.active[k, OFFSET]
    if pieces == 0:
        return row, row, 0.0, 1.0
    width = buffers.world.models[buffers.active[k, MODEL]]["width"]
    piece, begin, end = piece_in(stretch, np.int64(pieces))
    row += piece * width
    return row, row + width, begin, end


@kernel
def set_motion(buffers, configs, stretch):
    """Write the joints and motion bounds of all active links during a stretch; return how many slabs it is cut into."""
    world, joints, sweeps, active = buffers.world, buffers.joints, buffers.sweeps, buffers.active
    slabs = 1.0
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        row0, row1, begin, end = rows_of(buffers, k, stretch)
        for i in range(model["link"], model["link"] + model["links"]):
            joint_motion(joints[i], world.links[i], configs, row0, row1, begin, end)
            link_bounds(sweeps, joints, world.links, i)
            most = CHAIN_TURN if world.links[i]["depth"] <= DEEP else LONG_TURN
            slabs = max(slabs, joints[i]["turn"] / JOINT_TURN, sweeps[i]["turn"] / most)
    return int(min(math.ceil(slabs), MOST_SLABS))


@kernel
def longest_turn(buffers):
    """Return the radians a stretch that all joints of a chain turn by at most, added up."""
    most = 0.0
    for k in range(buffers.active.shape[0]):
        model = buffers.world.models[buffers.active[k, MODEL]]
        for i in range(model["link"], model["link"] + model["links"]):
            most = max(most, buffers.sweeps[i]["turn"])
    return most


@kernel
def near_pairs(buffers, pairs, margin):
    """Return (pairs, n): those whose swept boxes overlap."""
    world, boxes, active = buffers.world, buffers.boxes, buffers.active
    n = 0
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        first = active[k, FIRST]
        slots = active[k, SLOTS]
        pairs, n = against_standing(
            pairs, n, world, boxes, first, slots, model["geom"], buffers.static_boxes, buffers.static_child,
            buffers.static_geom, margin, buffers.workspace.stack,
        )  # fmt: skip
        listed = model["selves"] >= 0
        if listed:
            pairs, n = with_itself(pairs, n, world, boxes, first + slots, model, margin)
        for o in range(k + 1 if listed else k, active.shape[0]):
            other = world.models[active[o, MODEL]]
            pairs, n = between_moving(
                pairs, n, world, boxes, first, slots, model["geom"], active[o, FIRST], active[o, SLOTS], other["geom"],
                margin, buffers.workspace.stack,
            )  # fmt: skip
    return pairs, n


@kernel
def all_pairs(buffers, pairs, margin):
    """Return (pairs, n): every pair of shapes that the rules let touch, one of which is of an active model."""
    world, active, standing = buffers.world, buffers.active, buffers.static_geom
    n = 0
    for k in range(active.shape[0]):
        a = world.models[active[k, MODEL]]
        for g in range(a["geom"], a["geom"] + a["geoms"]):
            for s in range(standing.shape[0]):
                pairs, n = add_pair(pairs, n, world, g, standing[s], margin)
            for o in range(k, active.shape[0]):
                b = world.models[active[o, MODEL]]
                for h in range(g + 1 if o == k else b["geom"], b["geom"] + b["geoms"]):
                    pairs, n = add_pair(pairs, n, world, g, h, margin)
    return pairs, n


@kernel
def swept_pairs(buffers, pairs, t0, t1, margin, grow, tolerance, relative_tolerance):
    """Return (pairs, n): the pairs of shapes whose swept boxes overlap during [t0, t1], their records filled in."""
    world, joints, sweeps, taylor, boxes = buffers.world, buffers.joints, buffers.sweeps, buffers.taylor, buffers.boxes
    active = buffers.active
    middle, half = 0.5 * (t0 + t1), half_of(t0, t1)
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        first = active[k, FIRST]
        slots = active[k, SLOTS]
        around = 0.0
        if model["links"] > LONG:
            for i in range(model["link"], model["link"] + model["links"]):
                if world.links[i]["depth"] > LONG and sweeps[i]["turn"] * half > TURNING:
                    around = half
        for i in range(model["link"], model["link"] + model["links"]):
            link_middle(sweeps, joints, world.links, i, middle, around)
        for g in range(model["geoms"]):
            geom = world.geoms[model["geom"] + g]
            geom_box(
                boxes, first + slots + g, sweeps, taylor, buffers.workspace.taylor, joints, world.links, world.points,
                geom, t0, t1, grow,
            )  # fmt: skip
        join_up(boxes, first, slots)
    pairs, n = near_pairs(buffers, pairs, margin)
    for p in range(n):
        prepare(pairs[p], world.geoms, joints, world.links, sweeps, tolerance, relative_tolerance)
        pairs[p]["start"] = t0
    return pairs, n


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
            pair["uncharted"] = 1 if c < 0 else 0
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
            row0, row1, begin, end = rows_of(buffers, k, stretch)
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
def cull(buffers, pairs, t0, t1, margin, grow, tolerance, relative_tolerance, counts):
    """Return (pairs, n): what may touch during [t0, t1], ready for the advancement; without charts."""
    pairs, n = swept_pairs(buffers, pairs, t0, t1, margin, grow, tolerance, relative_tolerance)
    counts[SPATIAL] += n
    return pairs, leave_out_free(buffers, pairs, n, t0, t1, False)


@kernel
def static_witness(buffers, pairs, n, t, own):
    """Return the first pair that is seen to touch at time t, or -1; those that are free until later are passed over.

    Those on their own account too, if `own`.
    """
    for p in range(n):
        pair = pairs[p]
        due = pair["start"] <= t and (own or pair["own"] == 0)
        if due and has_static_witness(buffers.world, buffers.sweeps, buffers.joints, buffers.workspace, pair, t):
            return p
    return -1


@kernel
def static_witness_ahead(buffers, pairs, n, t0, t1, first):
    """Return (pair, time): the first pair on its own account that is seen to touch at one of LOOKS; -1 for none.

    Their steps are not charged, so nothing else would make `is_free` look at them before they are advanced, on a long
    motion; on a short one `advance` looks itself. `first`: 1 where the end was looked at before.
    """
    for k in range(first, 4):
        t = t1 if k == 0 else t0 + (t1 - t0) * LOOKS[k]
        for p in range(n):
            pair = pairs[p]
            due = pair["own"] > 0 and pair["start"] <= t
            if due and has_static_witness(buffers.world, buffers.sweeps, buffers.joints, buffers.workspace, pair, t):
                return p, t
    return -1, t0


@kernel
def named(pairs, p):
    """Return (a, b, tolerance) of a pair.

    A call of its own: a record holds no reference to its table, and a table that has grown belongs to the caller alone,
    who would let go of it between taking the record and reading its fields.
    """
    pair = pairs[p]
    return pair["a"], pair["b"], pair["tolerance"]


@kernel
def lacks_chart(pairs, p):
    """Could a pair have a chart that is not there? A call of its own, as `named`."""
    return pairs[p]["uncharted"] != 0


@question
def solve(
    table, configs, stretches, margin, grow, tolerance, relative_tolerance, max_steps, any_contact, counts, clock
):
    """Return (status, time, geom_a, geom_b, tolerance, i): the first contact of a scene, at a time of stretch i.

    `table` is that of a `QueryBuffers`; `stretches` are all there are, in order, see `motion.knots`. With `any_contact`
    whichever contact is found first. `counts` and `clock` (ticks per stage) are written. `grow` is the largest margin
    of any pair; boxes are grown by it. Charts are for questions with the default cap or a larger one: a lower one is a
    promise about the work of all pairs. UNCHARTED: ask again when the chart of the two shapes is made.
    """
    stamp = ticks()
    buffers = buffers_at(table)
    world, joints, sweeps = buffers.world, buffers.joints, buffers.sweeps
    counts = borrowed(counts)
    configs = borrowed(configs)
    pairs = buffers.workspace.pairs
    charted = max_steps >= MAX_STEPS
    for i in range(stretches.shape[0]):
        stretch = stretch_at(stretches, i)
        slabs = set_motion(buffers, configs, stretch)
        now = ticks()
        clock[MOTION] += now - stamp
        stamp = now
        long = any_contact and longest_turn(buffers) >= SHORT
        unseen = 0 if long else UNSEEN
        if any_contact and slabs > 1:
            # A look at the ends of the slabs, the last first: half to nine tenths of the contacts of edges are there.
            for slab in range(slabs, 0, -1):
                t = slab / slabs
                pairs, n = swept_pairs(buffers, pairs, t, t, margin, grow, tolerance, relative_tolerance)
                n = leave_out_charted(buffers, configs, pairs, n, stretch, t, t) if charted else n
                p = static_witness(buffers, pairs, n, t, True)
                if p >= 0:
                    a, b, used = named(pairs, p)
                    return CONTACT, t, a, b, used, i
        for slab in range(slabs):
            t0 = slab / slabs
            t1 = (slab + 1) / slabs
            pairs, n = swept_pairs(buffers, pairs, t0, t1, margin, grow, tolerance, relative_tolerance)
            counts[SPATIAL] += n
            end_seen = any_contact and (slabs > 1 or long)
            if n > 0:
                n = leave_out_charted(buffers, configs, pairs, n, stretch, t0, t1) if charted else n
                p = static_witness(buffers, pairs, n, t1, True) if end_seen and slabs == 1 else -1
                if p >= 0:
                    a, b, used = named(pairs, p)
                    return CONTACT, t1, a, b, used, i
                n = leave_out_free(buffers, pairs, n, t0, t1, long)
                if long and charted:
                    p, t = static_witness_ahead(buffers, pairs, n, t0, t1, 1 if end_seen else 0)
                    if p >= 0:
                        a, b, used = named(pairs, p)
                        return CONTACT, t, a, b, used, i
            counts[SLABS] += 1
            now = ticks()
            clock[CULLING] += now - stamp
            stamp = now
            status, time, p = CAPPED if n > 0 else FREE, math.inf, -1
            cap = min(max_steps, counts[CHARGED] + unseen) if any_contact else max_steps
            while status == CAPPED:
                status, time, p = advance(
                    world, sweeps, joints, buffers.taylor, buffers.workspace, pairs, n, t0, t1, any_contact, cap, counts
                )
                if status == CAPPED and lacks_chart(pairs, p):
                    a, b, used = named(pairs, p)
                    return UNCHARTED, time, a, b, used, i
                if cap == max_steps:
                    break
                if status == CAPPED:
                    for k in range(1 if end_seen else 0, 4):
                        t = t1 if k == 0 else t0 + (t1 - t0) * LOOKS[k]
                        p = static_witness(buffers, pairs, n, t, not long)
                        if p >= 0:
                            a, b, used = named(pairs, p)
                            return CONTACT, t, a, b, used, i
                cap = max_steps
            if i == 0 and slab == 0 and not (status == CONTACT and time == 0.0):
                for k in range(n):
                    if one_inside_other(world, pairs[k], sweeps, joints, 0.0):
                        status, time, p = CONTACT, 0.0, k
                        break
            now = ticks()
            clock[ADVANCEMENT] += now - stamp
            stamp = now
            if status == FREE:
                continue
            a, b, used = named(pairs, p)
            return status, time, a, b, used, i
    return FREE, math.inf, -1, -1, 0.0, 0


@kernel
def touching(table, configs, stretch, t, margin, grow, tolerance, relative_tolerance, max_tests):
    """Return (touches, n, whole): the contact manifold at time t of a stretch."""
    buffers = buffers_at(table)
    set_motion(buffers, configs, stretch)
    counts = np.zeros(COUNTS, dtype=np.int64)
    pairs, n = cull(buffers, buffers.workspace.pairs, t, t, margin, grow, tolerance, relative_tolerance, counts)
    return manifold(buffers.world, buffers.sweeps, buffers.joints, buffers.workspace, pairs, n, t, max_tests)


@kernel
def nearest(table, configs, margin):
    """Return (upper, lower, geom_a, geom_b, x, y): the closest pair of a standing scene, by its active models."""
    buffers = buffers_at(table)
    world, workspace, joints, sweeps, active = (
        buffers.world,
        buffers.workspace,
        buffers.joints,
        buffers.sweeps,
        buffers.active,
    )
    set_motion(buffers, configs, WHOLE)
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        for i in range(model["link"], model["link"] + model["links"]):
            link_middle(sweeps, joints, world.links, i, 0.0, 0.0)
    pairs, n = all_pairs(buffers, workspace.pairs, margin)
    for p in range(n):
        prepare(pairs[p], world.geoms, joints, world.links, sweeps, -1.0, 0.0)
    upper, lower, p, x, y = closest(world, sweeps, joints, workspace, pairs, n, 0.0)
    if p < 0:
        return upper, lower, -1, -1, x, y
    a, b, _ = named(pairs, p)
    return upper, lower, a, b, x, y
