"""Questions about one moment: what touches then, and what is closest."""

import math

from tocsin.broad_phase.aabb_tree import join_up
from tocsin.broad_phase.moving import FIRST, MODEL, SLOTS, all_pairs, chains_of, near_pairs, set_motion
from tocsin.broad_phase.pairs import prepare
from tocsin.broad_phase.spatial import append_pair
from tocsin.broad_phase.sweep import geom_box, link_middle
from tocsin.compiler.jit import kernel
from tocsin.contacts.closest import closest
from tocsin.contacts.manifold import manifold
from tocsin.motion.knots import WHOLE
from tocsin.queries.buffers import buffers_at
from tocsin.queries.kernels.candidates import cull, named

FEW_PAIRS = 4096
"""Pairs of shapes, one of which is asked about, that are all looked at: 0.5 ms."""

SMALL, STRIDE = 0.125, 2.0
"""Of the smallest shape: how far is looked for the closest pair among many, to begin with; and how many times as far
then. Few shapes that do not overlap can be within an eighth of the size of the smallest; eight times as far took
twice as long on 10,000 boxes, for pairs that were looked at in vain."""


@kernel
def touching(table, configs, stretch, t, margin, grow, tolerance, max_tests):
    """Return (touches, n, whole): the contact manifold at time t of a stretch."""
    buffers = buffers_at(table)
    set_motion(buffers, configs, stretch)
    pairs, n = cull(buffers, buffers.workspace.pairs, t, t, margin, grow, tolerance)
    return manifold(buffers.world, buffers.sweeps, buffers.joints, buffers.workspace, pairs, n, t, max_tests)


@kernel
def nearest(table, configs):
    """Return what `closest_pair` does, called from Python."""
    return closest_pair(table, configs)


@kernel
def nearest_of_two(table, configs, a, b):
    """Return (upper, lower, x, y): how far two shapes of a standing scene are apart, one of which is of an active model
    at least."""
    buffers = buffers_at(table)
    place_links(buffers, configs)
    pairs, n = append_pair(buffers.workspace.pairs, 0, a, b, 0.0)
    upper, lower, _, x, y = closest_of(buffers, pairs, n)
    return upper, lower, x, y


@kernel
def place_links(buffers, configs):
    """Write where the links of active models stand; return how many shapes they carry."""
    world, active = buffers.world, buffers.active
    set_motion(buffers, configs, WHOLE)
    shapes = 0
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        shapes += model["geoms"]
        for i in range(model["link"], model["link"] + model["links"]):
            link_middle(buffers.sweeps, buffers.joints, world.links, i, 0.0, 0.0)
    return shapes


@kernel
def closest_pair(table, configs):
    """Return (upper, lower, geom_a, geom_b, x, y): the closest pair of a standing scene, by its active models."""
    buffers = buffers_at(table)
    shapes = place_links(buffers, configs)
    pairs = buffers.workspace.pairs
    if shapes * buffers.world.geoms.shape[0] <= FEW_PAIRS:
        pairs, n = all_pairs(buffers, pairs, 0.0)
        upper, lower, p, x, y = closest_of(buffers, pairs, n)
    else:
        pairs, (upper, lower, p, x, y) = closest_near(buffers, pairs)
    if p < 0:
        return upper, lower, -1, -1, x, y
    a, b, _ = named(pairs, p)
    return upper, lower, a, b, x, y


@kernel
def closest_of(buffers, pairs, n):
    """Return what `closest` does of pairs of a standing scene."""
    world, joints, sweeps = buffers.world, buffers.joints, buffers.sweeps
    for p in range(n):
        prepare(pairs[p], world.geoms, joints, world.links, sweeps, -1.0, 0.0)
    return closest(world, sweeps, joints, buffers.workspace, pairs, n, 0.0)


@kernel
def closest_near(buffers, pairs):
    """Return (pairs, closest): the closest of many, found among those whose boxes are near each other.

    Claim: it is the closest of all pairs. Proof: boxes that move are grown by `grow`; a pair that is left out has boxes
    that are apart along an axis, so without that the two are farther apart than `grow`, or twice that where both are
    grown, as all are if nothing stands. The search ends when the closest of those that are not left out is no farther,
    or when boxes that are grown by all of the scene leave out none. Where that closest one is farther, so much is
    enough; but no more is tried at once than STRIDE times as much, since it may be much farther than most.
    """
    least, most = scales(buffers)
    share = 0.5 if buffers.static_geom.shape[0] == 0 else 1.0
    grow = min(least * SMALL, most)
    while True:
        place_boxes(buffers, grow)
        pairs, n = near_pairs(buffers, pairs, 0.0)
        found = closest_of(buffers, pairs, n)
        if share * found[0] <= grow or grow >= most:
            return pairs, found
        grow = min(min(share * found[0], STRIDE * grow), most)


@kernel
def place_boxes(buffers, grow):
    """Write the boxes of all shapes that are asked about where they stand, grown by so much."""
    world, active, boxes = buffers.world, buffers.active, buffers.boxes
    chains = chains_of(buffers)
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        first, slots = active[k, FIRST], active[k, SLOTS]
        for g in range(model["geoms"]):
            geom = world.geoms[model["geom"] + g]
            geom_box(boxes, first + slots + g, chains, world.points, geom, 0.0, 0.0, grow)
        join_up(boxes, first, slots)


@kernel
def scales(buffers):
    """Return (least, most): the smallest shape of a scene's moving models, or a little where they are points; and a
    length by which no two boxes are farther apart along any axis."""
    world, active = buffers.world, buffers.active
    place_boxes(buffers, 0.0)
    least = math.inf
    most = 0.0
    for c in range(3):
        lo, hi = math.inf, -math.inf
        if buffers.static_geom.shape[0] > 0:
            lo, hi = buffers.static_boxes[0, c], buffers.static_boxes[0, 3 + c]
        for k in range(active.shape[0]):
            root = active[k, FIRST] + 1
            lo, hi = min(lo, buffers.boxes[root, c]), max(hi, buffers.boxes[root, 3 + c])
        most = max(most, hi - lo)
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        for g in range(model["geom"], model["geom"] + model["geoms"]):
            if world.geoms[g]["diagonal"] > 0.0:
                least = min(least, world.geoms[g]["diagonal"])
    return max(least if least < math.inf else 0.0, most * 2.0**-40), most
