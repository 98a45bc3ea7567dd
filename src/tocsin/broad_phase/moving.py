"""What moves, all at once: the motion of every link written down, the boxes that shapes sweep, and the pairs that meet.

These work on the buffers of a question (`queries.buffers`), of which they know the fields alone. Both engines begin
here, and share nothing beyond it.
"""

import math

import numpy as np

from tocsin.bounds.tubes import widen
from tocsin.broad_phase.aabb_tree import apart, join_up
from tocsin.broad_phase.model_tree import done, overlapping, set_leaves
from tocsin.broad_phase.pairs import prepare
from tocsin.broad_phase.spatial import add_pair, against_standing, between_moving, with_itself
from tocsin.broad_phase.sweep import DEEP, LONG, TURNING, Chains, geom_box, half_of, link_bounds, link_middle
from tocsin.compiler.arrays import copy_row
from tocsin.compiler.jit import borrowed, inlined, kernel
from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.motion.clocks import piece_on_clock
from tocsin.motion.curved_joints import set_joint
from tocsin.motion.curves import narrow
from tocsin.motion.knots import piece_in

MODEL, PIECES, OFFSET, FIRST, SLOTS = range(5)
"""Columns of the table of active models: which, pieces of its motion, its rows in `configs`, its dynamic tree."""

JOINT_TURN = 1.6
"""Radians that one joint may turn in one slab: beyond, a cubic no longer follows its sine."""

CHAIN_TURN, LONG_TURN = 3.0, 6.0
"""Radians that all joints of a chain may turn, added up, in one slab, and those of one of more than DEEP joints, whose
bounds do not add up the joints (measured on chains of 2 to 200 links)."""

MOST_SLABS = 64


@inlined
def chains_of(buffers):
    """Return how the links of a question move, as boxes and Taylor models are made of it."""
    return Chains(buffers.sweeps, buffers.taylor, buffers.workspace.taylor, buffers.joints, buffers.world.links)


@inlined
def rows_of(buffers, configs, k, stretch):
    """Return (row0, row1, begin, end, errors): the piece of active model k in a stretch, as `clocks` lists it."""
    if stretch[1] == 0:
        return piece_on_clock(configs, stretch, k)
    pieces = buffers.active[k, PIECES]
    row = buffers.active[k, OFFSET]
    if pieces == 0:
        return row, row, 0.0, 1.0, -1
    width = buffers.world.models[buffers.active[k, MODEL]]["width"]
    piece, begin, end = piece_in(stretch, np.int64(pieces))
    row += piece * width
    return row, row + width, begin, end, -1


@kernel
def narrow_motion(buffers, t0, t1):
    """Write the bounds of all joints on curves, and of their links, for a slab of the stretch."""
    world, joints = buffers.world, buffers.joints
    for k in range(buffers.active.shape[0]):
        model = world.models[buffers.active[k, MODEL]]
        if joints[model["link"]]["degree"] != 0:
            for i in range(model["link"], model["link"] + model["links"]):
                narrow(joints[i], t0, t1)
                link_bounds(buffers.sweeps, joints, world.links, i)


@kernel
def set_motion(buffers, configs, stretch):
    """Write the joints and motion bounds of all active links during a stretch; return how many slabs it is cut into."""
    world, joints, sweeps, active = buffers.world, buffers.joints, buffers.sweeps, buffers.active
    slabs = 1.0
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        piece = rows_of(buffers, configs, k, stretch)
        for i in range(model["link"], model["link"] + model["links"]):
            set_joint(joints[i], world.links[i], configs, model["width"], piece)
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
    """Return (pairs, n): those whose swept boxes overlap; model by model, in the order in which they were given."""
    world, boxes, active, tree = buffers.world, buffers.boxes, buffers.active, buffers.tree
    stack = buffers.workspace.stack
    many = tree.leaves.shape[0] > 0
    if many:
        for k in range(active.shape[0]):
            copy_row(tree.leaves, k, boxes, active[k, FIRST] + 1)
        set_leaves(tree)
    n = 0
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        first = active[k, FIRST]
        slots = active[k, SLOTS]
        own = first, slots, model["geom"]
        # A call that is handed a whole world takes 0.1 µs: none is made where nothing can come of it.
        if not apart(boxes, first + 1, buffers.static_boxes, 0):
            standing = buffers.static_boxes, buffers.static_child, buffers.static_geom
            pairs, n = against_standing(pairs, n, world, boxes, own, standing, margin, stack)
        if model["selves"] > 0:
            pairs, n = with_itself(pairs, n, world, boxes, first + slots, model, margin)
        elif model["selves"] < 0:
            pairs, n = between_moving(pairs, n, world, boxes, own, own, margin, stack)
        others = overlapping(tree, k, stack) if many else active.shape[0] - k - 1
        for i in range(others):
            o = tree.found[i] if many else k + 1 + i
            other = active[o, FIRST], active[o, SLOTS], world.models[active[o, MODEL]]["geom"]
            pairs, n = between_moving(pairs, n, world, boxes, own, other, margin, stack)
    if many:
        done(tree)
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
def sweep_boxes(buffers, t0, t1, grow):
    """Write the boxes that all shapes of active models sweep during [t0, t1], and the trees over them."""
    world, active, boxes = buffers.world, buffers.active, buffers.boxes
    joints, sweeps = buffers.joints, buffers.sweeps
    chains = chains_of(buffers)
    middle, half = 0.5 * (t0 + t1), half_of(t0, t1)
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        first = active[k, FIRST]
        slots = active[k, SLOTS]
        around = 0.0
        if model["links"] > LONG and joints[model["link"]]["degree"] == 0:
            for i in range(model["link"], model["link"] + model["links"]):
                if world.links[i]["depth"] > LONG and sweeps[i]["turn"] * half > TURNING:
                    around = half
        for i in range(model["link"], model["link"] + model["links"]):
            link_middle(sweeps, joints, world.links, i, middle, around)
        for g in range(model["geoms"]):
            geom = world.geoms[model["geom"] + g]
            geom_box(boxes, first + slots + g, chains, world.points, geom, t0, t1, grow)
        join_up(boxes, first, slots)


@kernel
def swept_pairs(buffers, pairs, t0, t1, margin, grow, tolerance):
    """Return (pairs, n): the pairs of shapes whose swept boxes overlap during [t0, t1], their records filled in."""
    if t0 < t1:
        narrow_motion(buffers, t0, t1)
    sweep_boxes(buffers, t0, t1, grow)
    pairs, n = near_pairs(buffers, pairs, margin)
    prepare_all(buffers, pairs, n, t0, t1, tolerance)
    return pairs, n


@inlined
def prepare_all(buffers, pairs, n, t0, t1, tolerance):
    """Fill in the records of pairs whose shapes and margins are there, for [t0, t1]."""
    world, joints, sweeps = buffers.world, buffers.joints, buffers.sweeps
    pairs = borrowed(pairs)
    for p in range(n):
        widen(pairs[p], world.geoms, joints, world.links, sweeps)
        prepare(pairs[p], world.geoms, joints, world.links, sweeps, tolerance, RELATIVE_TOLERANCE)
        pairs[p]["start"] = t0
        pairs[p]["until"] = t1
