"""Three stages in one compiled call [ARTICULATE 3.5].

Stage 1, dynamic BVH [ARTICULATE 4.1]: the box that each shape sweeps, a hierarchy over those of a model, against what
stands, against other models and against itself. Stage 2, swept volumes [ARTICULATE 4.2], drops pairs whose line-swept
spheres stay apart. Stage 3 [ARTICULATE 5] finds the first contact of the pairs that are left, exactly (`solver`).

Stages 1 and 2 only drop pairs; either can be switched off, and then stage 3 has more to do.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin.bounds.taylor import compose, joint_taylor, swept_box
from tocsin.bounds.tubes import widen
from tocsin.broad_phase.aabb_tree import join_up
from tocsin.broad_phase.moving import FIRST, MODEL, SLOTS, all_pairs, near_pairs, set_motion
from tocsin.broad_phase.pairs import prepare
from tocsin.broad_phase.sweep import link_middle
from tocsin.compiler.jit import kernel, ticks
from tocsin.contacts.inside import one_inside_other
from tocsin.interval import workspace as tables
from tocsin.interval.frames import flatten
from tocsin.interval.solver import contacts_between
from tocsin.interval.sphere_filter import drop_far, parts_of
from tocsin.interval.swept_cull import Swept, swept_cull
from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.motion.joints import UP
from tocsin.motion.knots import stretch_at
from tocsin.outcome import CONTACT, FREE

PAIRS_BVH, PAIRS_SWEPT, PIECES = tables.STEPS + 1, tables.STEPS + 2, tables.STEPS + 3
"""Further counts: pairs left by stage 1 and by stage 2, summed over the pieces; pieces."""

MOTION, BVH, SWEPT, EXACT = range(4)
"""Stages whose time is taken."""

STAGE_BVH, STAGE_SWEPT, PLAIN = 1, 2, 4
"""Bits of `stages`: which of the two culling stages are on (the third always is); are matrices plain intervals?"""


class Switches(NamedTuple):
    """A sum of STAGE_BVH, STAGE_SWEPT and PLAIN, and the tables of stage 2."""

    bits: int
    swept: Swept


@kernel
def sweep_boxes(buffers, t0, t1, grow, plain):
    """Write the boxes that the shapes of all active models sweep in [t0, t1], and the trees over them [ARTICULATE 4.1].

    Claim: each shape stays in its box, grown by `grow`. Proof: it is the union of the boxes of `taylor.swept_box` over
    the parts of [t0, t1], and the true motion is within `noise` of the joint records'.
    """
    world, joints, sweeps, taylor = buffers.world, buffers.joints, buffers.sweeps, buffers.taylor
    scratch, boxes, active = buffers.workspace.taylor, buffers.boxes, buffers.active
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        first = active[k, FIRST]
        slots = active[k, SLOTS]
        fastest = 0.0
        for i in range(model["link"], model["link"] + model["links"]):
            fastest = max(fastest, sweeps[i]["turn"])
        parts = parts_of(fastest, t1 - t0)
        for part in range(parts):
            p0 = t0 + (t1 - t0) * part / parts
            p1 = t1 if part == parts - 1 else t0 + (t1 - t0) * (part + 1) / parts
            for i in range(model["link"], model["link"] + model["links"]):
                parent = world.links[i]["parent"]
                step = taylor[i] if parent < 0 else scratch
                joint_taylor(step, joints[i], p0, p1)
                if plain != 0:
                    flatten(step)
                if parent >= 0:
                    compose(taylor[i], taylor[parent], scratch)
            for g in range(model["geoms"]):
                geom = world.geoms[model["geom"] + g]
                i = geom["link"]
                lo, hi = swept_box(taylor[i], geom["center"], geom["axes"], geom["half"])
                error = sweeps[i]["noise"] * (sweeps[i]["length"] + geom["reach"]) + grow
                error = (error + sweeps[i]["error"] + sweeps[i]["error_per_reach"] * geom["reach"]) * UP
                row = first + slots + g
                for c in range(3):
                    boxes[row, c] = lo[c] - error if part == 0 else min(boxes[row, c], lo[c] - error)
                    boxes[row, 3 + c] = hi[c] + error if part == 0 else max(boxes[row, 3 + c], hi[c] + error)
        join_up(boxes, first, slots)


@kernel
def whole(n, begin, end):
    """Return (n, 2): all of [begin, end] for each of n pairs."""
    window = np.zeros((n, 2))
    window[:, 0] = begin
    window[:, 1] = end
    return window


@kernel
def start_inside(world, joints, sweeps, active, pairs, n):
    """Return the first pair of which one shape lies inside the other, a solid mesh, at t = 0; -1 if there is none."""
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        for i in range(model["link"], model["link"] + model["links"]):
            link_middle(sweeps, joints, world.links, i, 0.0, 0.0)
    for p in range(n):
        if one_inside_other(world, pairs[p], sweeps, joints, 0.0):
            return p
    return -1


@kernel
def outcome(pairs, status, time, upper, p, i):
    """Return the result of a pair, as `queries.engines.Outcome` has it."""
    return status, time, upper, pairs[p]["a"], pairs[p]["b"], pairs[p]["tolerance"], i


@kernel
def solve(buffers, configs, stretches, margin, grow, tolerance, max_steps, switches):
    """Return (status, time, upper, geom_a, geom_b, tolerance, i): the first contact of a scene, in stretch i.

    `upper` is the end of the final interval. The counts and clocks of the stage are written.
    """
    stamp = ticks()
    world, workspace, joints, sweeps = buffers.world, buffers.workspace, buffers.joints, buffers.sweeps
    active, counts, clock = buffers.active, buffers.counts, buffers.clock
    counts[:] = 0
    clock[:] = 0
    plain = switches.bits & PLAIN
    pairs = workspace.pairs
    begin, end = 0.0, 1.0
    for i in range(stretches.shape[0]):
        counts[PIECES] += 1
        set_motion(buffers, configs, stretch_at(stretches, i))
        now = ticks()
        clock[MOTION] += now - stamp
        stamp = now
        if switches.bits & STAGE_BVH:
            sweep_boxes(buffers, begin, end, grow, plain)
            pairs, n = near_pairs(buffers, pairs, margin)
        else:
            pairs, n = all_pairs(buffers, pairs, margin)
        for p in range(n):
            widen(pairs[p], world.geoms, joints, world.links, sweeps)
        counts[PAIRS_BVH] += n
        now = ticks()
        clock[BVH] += now - stamp
        stamp = now
        if switches.bits & STAGE_SWEPT:
            n, window = swept_cull(world, joints, sweeps, switches.swept, pairs, n, begin, end)
        else:
            window = whole(n, begin, end)
        counts[PAIRS_SWEPT] += n
        now = ticks()
        clock[SWEPT] += now - stamp
        stamp = now
        if not switches.bits & STAGE_BVH:
            n = drop_far(buffers, pairs, window, n, begin, end)
        if n == 0:
            continue
        for p in range(n):
            prepare(pairs[p], world.geoms, joints, world.links, sweeps, tolerance, RELATIVE_TOLERANCE)
        solver_workspace = tables.lay_out(pairs, n, world, joints, workspace, plain, counts)
        status, time, upper, p = contacts_between(world, joints, solver_workspace, window, n, begin, end, max_steps)
        if i == 0 and not (status == CONTACT and time == 0.0):
            inside = start_inside(world, joints, sweeps, active, pairs, n)
            if inside >= 0:
                status, time, upper, p = CONTACT, 0.0, 0.0, inside
        now = ticks()
        clock[EXACT] += now - stamp
        stamp = now
        if status != FREE:
            return outcome(pairs, status, time, upper, p, i)
    return FREE, math.inf, math.inf, -1, -1, 0.0, 0
