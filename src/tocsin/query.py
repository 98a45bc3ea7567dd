"""A question in one compiled call: motion, culling, advancement, slab by slab in time; and the contacts in another.

A motion is cut where any model's piece ends, and long turns are cut further into slabs in which the swept boxes stay
tight. Slabs are taken in order of time, so the first contact found is the first; what comes later is never looked at.
"""

import math

import numpy as np

from tocsin._jit import borrowed, kernel, ticks
from tocsin.advancement.engine import CONTACT, FREE, VISITED, advance
from tocsin.advancement.room import borrowed_room
from tocsin.contacts.closest import closest
from tocsin.contacts.inside import one_inside_other
from tocsin.contacts.manifold import manifold
from tocsin.culling.boxes import build_static, clear_leaves, join_up
from tocsin.culling.pairs import prepare
from tocsin.culling.spatial import add_pair, against_standing, between_moving
from tocsin.culling.sweep import geom_box, link_bounds, link_middle
from tocsin.culling.temporal import free_until
from tocsin.model.world import borrowed_world
from tocsin.motion.joints import joint_motion

MODEL, PIECES, OFFSET, FIRST, ROOM = range(5)
"""Columns of the table of active models: which, pieces of its motion, its rows in `configs`, its dynamic tree."""

SPATIAL, SLABS, COUNTS = VISITED + 1, VISITED + 2, VISITED + 3
"""Further counts of a query, and how many there are."""

MOTION, CULLING, ADVANCEMENT, STAGES = range(4)
"""Stages whose time is taken."""

JOINT_TURN = 1.6
"""Radians that one joint may turn in one slab: beyond, a cubic no longer follows its sine."""

CHAIN_TURN = 3.0
"""Radians that all joints of a chain may turn, added up, in one slab (measured on chains of 2 to 200 links)."""

MOST_SLABS = 64


@kernel
def set_motion(world, joints, sweeps, active, configs, t0, t1):
    """Write the joints and motion bounds of all active links for the piece around [t0, t1]; return how many slabs."""
    middle = 0.5 * (t0 + t1)
    slabs = 1.0
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        pieces = active[k, PIECES]
        width = model["width"]
        row0 = active[k, OFFSET]
        row1 = row0
        begin = 0.0
        end = 1.0
        if pieces > 0:
            piece = min(int(middle * pieces), pieces - 1)
            begin = piece / pieces
            end = (piece + 1) / pieces
            row0 += piece * width
            row1 = row0 + width
        for i in range(model["link"], model["link"] + model["links"]):
            joint_motion(joints[i], world.links[i], configs, row0, row1, begin, end)
            link_bounds(sweeps, joints, world.links, i)
            slabs = max(slabs, (t1 - t0) * max(joints[i]["turn"] / JOINT_TURN, sweeps[i]["turn"] / CHAIN_TURN))
    return int(min(math.ceil(slabs), MOST_SLABS))


@kernel
def cull(world, joints, sweeps, taylor, scratch, boxes, active, static_boxes, static_child, static_geom, pairs,
         t0, t1, margin, grow, tolerance, relative_tolerance, counts):  # fmt: skip
    """Return (pairs, n): what may touch during [t0, t1], ready for the advancement."""
    middle = 0.5 * (t0 + t1)
    n = 0
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        first = active[k, FIRST]
        room = active[k, ROOM]
        for i in range(model["link"], model["link"] + model["links"]):
            link_middle(sweeps, joints, world.links, i, middle)
        for g in range(model["geoms"]):
            geom = world.geoms[model["geom"] + g]
            geom_box(
                boxes, first + room + g, sweeps, taylor, scratch, joints, world.links, world.points, geom, t0, t1, grow
            )
        join_up(boxes, first, room)
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        first = active[k, FIRST]
        room = active[k, ROOM]
        pairs, n = against_standing(
            pairs, n, world, boxes, first, room, model["geom"], static_boxes, static_child, static_geom, margin
        )
        for o in range(k, active.shape[0]):
            other = world.models[active[o, MODEL]]
            pairs, n = between_moving(
                pairs, n, world, boxes, first, room, model["geom"], active[o, FIRST], active[o, ROOM], other["geom"],
                margin,
            )  # fmt: skip
    counts[SPATIAL] += n
    kept = 0
    for p in range(n):
        pair = pairs[p]
        prepare(pair, world.geoms, joints, world.links, sweeps, tolerance, relative_tolerance)
        pair["start"] = free_until(
            pair, world.geoms[pair["a"]], world.geoms[pair["b"]], sweeps, taylor, scratch, joints, world.links, t0, t1
        )
        if pair["start"] < math.inf:
            if kept < p:
                pairs[kept] = pair
            kept += 1
    return pairs, kept


@kernel
def named(pairs, p):
    """Return (a, b, tolerance) of a pair.

    A call of its own: a record holds no reference to its table, and a table that has grown belongs to the caller alone,
    who would let go of it between taking the record and reading its fields.
    """
    pair = pairs[p]
    return pair["a"], pair["b"], pair["tolerance"]


@kernel
def solve(world, room, joints, sweeps, taylor, boxes, active, static_boxes, static_child, static_geom, configs, breaks,
          margin, grow, tolerance, relative_tolerance, max_steps, any_contact, counts, clock):  # fmt: skip
    """Return (status, time, geom_a, geom_b, tolerance): the first contact of a scene over [0, 1].

    With `any_contact` whichever contact is found first. `counts` and `clock` (ticks per stage) are written. `grow` is
    the largest margin of any pair; boxes are grown by it.
    """
    stamp = ticks()
    world = borrowed_world(world)
    room = borrowed_room(room)
    joints = borrowed(joints)
    sweeps = borrowed(sweeps)
    taylor = borrowed(taylor)
    boxes = borrowed(boxes)
    counts = borrowed(counts)
    configs = borrowed(configs)
    pairs = room.pairs
    scratch = room.taylor
    for piece in range(breaks.shape[0] - 1):
        begin = breaks[piece]
        end = breaks[piece + 1]
        slabs = set_motion(world, joints, sweeps, active, configs, begin, end)
        now = ticks()
        clock[MOTION] += now - stamp
        stamp = now
        for slab in range(slabs):
            t0 = begin + (end - begin) * slab / slabs
            t1 = end if slab == slabs - 1 else begin + (end - begin) * (slab + 1) / slabs
            pairs, n = cull(
                world, joints, sweeps, taylor, scratch, boxes, active, static_boxes, static_child, static_geom, pairs,
                t0, t1, margin, grow, tolerance, relative_tolerance, counts,
            )  # fmt: skip
            counts[SLABS] += 1
            now = ticks()
            clock[CULLING] += now - stamp
            stamp = now
            status, time, p = advance(
                world, sweeps, joints, taylor, room, pairs, n, t0, t1, any_contact, max_steps, counts
            )
            if t0 == 0.0 and not (status == CONTACT and time == 0.0):
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
            return status, time, a, b, used
    return FREE, math.inf, -1, -1, 0.0


@kernel
def touching(world, room, joints, sweeps, taylor, boxes, active, static_boxes, static_child, static_geom, configs,
             t, margin, grow, tolerance, relative_tolerance):  # fmt: skip
    """Return (touches, n): the whole contact manifold at time t."""
    world = borrowed_world(world)
    room = borrowed_room(room)
    set_motion(world, joints, sweeps, active, configs, t, t)
    pairs, n = cull(
        world, joints, sweeps, taylor, room.taylor, boxes, active, static_boxes, static_child, static_geom, room.pairs,
        t, t, margin, grow, tolerance, relative_tolerance, np.zeros(COUNTS, dtype=np.int64),
    )  # fmt: skip
    return manifold(world, sweeps, joints, room, pairs, n, t)


@kernel
def stand(world, joints, sweeps, taylor, configs, is_active):
    """Write the joints, bounds and poses of all standing links; return the tree of standing shapes and their list."""
    count = 0
    for g in range(world.geoms.shape[0]):
        if not is_active[world.geoms[g]["model"]]:
            count += 1
    geoms = np.zeros(count, dtype=np.int32)
    leaf_boxes = np.zeros((count, 6))
    scratch = np.zeros((3, 4, 5))
    n = 0
    for m in range(world.models.shape[0]):
        if is_active[m]:
            continue
        model = world.models[m]
        for i in range(model["link"], model["link"] + model["links"]):
            joint_motion(joints[i], world.links[i], configs, model["config"], model["config"], 0.0, 1.0)
            link_bounds(sweeps, joints, world.links, i)
            link_middle(sweeps, joints, world.links, i, 0.5)
        for g in range(model["geom"], model["geom"] + model["geoms"]):
            geoms[n] = g
            geom_box(
                leaf_boxes, n, sweeps, taylor, scratch, joints, world.links, world.points, world.geoms[g], 0.0, 1.0, 0.0
            )
            n += 1
    boxes, child = build_static(leaf_boxes)
    return boxes, child, geoms


@kernel
def lay_trees(boxes, active, world):
    """Make the unused leaves of every active model's dynamic tree empty."""
    for k in range(active.shape[0]):
        clear_leaves(boxes, active[k, FIRST], active[k, ROOM], world.models[active[k, MODEL]]["geoms"])


@kernel
def nearest(world, room, joints, sweeps, active, static_geom, configs, margin):
    """Return (upper, lower, geom_a, geom_b, x, y): the closest pair of a standing scene, by its active models."""
    world = borrowed_world(world)
    room = borrowed_room(room)
    joints = borrowed(joints)
    sweeps = borrowed(sweeps)
    set_motion(world, joints, sweeps, active, configs, 0.0, 1.0)
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        for i in range(model["link"], model["link"] + model["links"]):
            link_middle(sweeps, joints, world.links, i, 0.0)
    pairs = room.pairs
    n = 0
    for k in range(active.shape[0]):
        a = world.models[active[k, MODEL]]
        for g in range(a["geom"], a["geom"] + a["geoms"]):
            for s in range(static_geom.shape[0]):
                pairs, n = add_pair(pairs, n, world, g, static_geom[s], margin)
            for o in range(k, active.shape[0]):
                b = world.models[active[o, MODEL]]
                for h in range(max(b["geom"], g + 1) if o == k else b["geom"], b["geom"] + b["geoms"]):
                    pairs, n = add_pair(pairs, n, world, g, h, margin)
    for p in range(n):
        prepare(pairs[p], world.geoms, joints, world.links, sweeps, -1.0, 0.0)
    upper, lower, p, x, y = closest(world, sweeps, joints, room, pairs, n, 0.0)
    if p < 0:
        return upper, lower, -1, -1, x, y
    a, b, _ = named(pairs, p)
    return upper, lower, a, b, x, y
