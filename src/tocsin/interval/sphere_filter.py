"""What is far from everything: balls around whole shapes, on the lines along which their centres move.

The third stage begins with pairs of whole shapes. Where the first stage is off, these are all pairs of a scene,
thousands, and nearly all of them are far apart. To say so by boxes takes the relative motion of each pair, 2 µs; here
it takes a line and a radius of each shape, and a few products a pair. A question of 8,260 pairs (`python -m
tocsin_bench arm`, the third stage alone) takes 2 to 4 ms instead of 37.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.bounds.rounding import UNIT
from tocsin.bounds.taylor import compose, joint_taylor
from tocsin.broad_phase.moving import MODEL
from tocsin.compiler.jit import kernel
from tocsin.interval.frames import mean_value
from tocsin.motion.joints import UP

LINE = np.dtype([("at", "f8", 3), ("way", "f8", 3), ("radius", "f8")], align=True)
"""A shape is within `radius` of at + s way, s in [-1, 1] over the stretch of time."""

TURN = 1.5
"""Radians that a chain may turn in one part of a stretch of time: beyond, a cubic no longer follows its sines."""

MOST_PARTS = 16


@kernel
def parts_of(turn, stretch):
    """Return how many parts to cut a stretch of time into, during which a chain turns by `turn` a unit."""
    return int(max(1.0, min(math.ceil(stretch * turn / TURN), MOST_PARTS)))


@kernel
def slack(sweep, reach):
    """Return what a shape may be off: the noise of its link, and 64 units of all lengths for the arithmetic of a
    test."""
    return (sweep["noise"] + 64.0 * UNIT) * (sweep["length"] + reach)


@kernel
def stand_still(line, node, sweep):
    """Write the line of a shape that stands: its centre, where its link is, and no way."""
    rotation = (vec.load3(sweep["rotation"], 0), vec.load3(sweep["rotation"], 1), vec.load3(sweep["rotation"], 2))
    center = (np.float64(node["center"][0]), np.float64(node["center"][1]), np.float64(node["center"][2]))
    place = vec.add((sweep["place"][0], sweep["place"][1], sweep["place"][2]), vec.matvec(rotation, center))
    line["at"][0], line["at"][1], line["at"][2] = place
    line["way"][0] = line["way"][1] = line["way"][2] = 0.0
    line["radius"] = (np.float64(node["radius"]) + slack(sweep, np.float64(node["reach"]))) * UP


@kernel
def go_along(line, node, sweep, taylor, x0, x1):
    """Write the line of a shape whose link moves by a Taylor matrix; x0 and x1 are scratch of shape (3, 4).

    Claim: the shape stays within `radius` of the line. Proof. The link's motion M is rigid, so M p is no farther from
    M c than p from the centre c of the box around all p, whose half-diagonal is `radius`; and M c is within
    rho |c| + tau of (x0 + s x1) c (`mean_value`). The slope, which lengths do not bound, is given 64 units.
    """
    rho, tau = mean_value(x0, x1, taylor)
    center = (np.float64(node["center"][0]), np.float64(node["center"][1]), np.float64(node["center"][2]))
    reach = np.float64(node["reach"])
    slope = 0.0
    for i in range(3):
        line["at"][i] = x0[i, 0] * center[0] + x0[i, 1] * center[1] + x0[i, 2] * center[2] + x0[i, 3]
        line["way"][i] = x1[i, 0] * center[0] + x1[i, 1] * center[1] + x1[i, 2] * center[2] + x1[i, 3]
        slope += (abs(x1[i, 0]) + abs(x1[i, 1]) + abs(x1[i, 2])) * reach + abs(x1[i, 3])
    off = rho * reach + tau + slack(sweep, reach) + 64.0 * UNIT * slope
    line["radius"] = (np.float64(node["radius"]) + off) * UP


@kernel
def lines_of_all(buffers, lines, x0, x1, t0, t1):
    """Write the lines of all shapes of active models during [t0, t1], links in order: parents come first."""
    world, joints, taylor = buffers.world, buffers.joints, buffers.taylor
    for k in range(buffers.active.shape[0]):
        model = world.models[buffers.active[k, MODEL]]
        for i in range(model["link"], model["link"] + model["links"]):
            parent = world.links[i]["parent"]
            if parent < 0:
                joint_taylor(taylor[i], joints[i], t0, t1)
            else:
                joint_taylor(buffers.workspace.taylor, joints[i], t0, t1)
                compose(taylor[i], taylor[parent], buffers.workspace.taylor)
        for g in range(model["geom"], model["geom"] + model["geoms"]):
            i = world.geoms[g]["link"]
            go_along(lines[g], world.nodes[world.geoms[g]["root"]], buffers.sweeps[i], taylor[i], x0, x1)


@kernel
def apart(a, b, margin):
    """Are two shapes farther apart than the margin all along their lines? False: not proven.

    Proof. Let d(s) be the way from one centre to the other, and n = d(0). Then n . d(s) = n . d(0) + s n . d'(0) is at
    least n . n - |n . d'|, and the shapes' distance at least n . d / |n| less both radii. Rounding: the radii hold 64
    units of all lengths that enter d, of which |n| is a sum.
    """
    n = (a["at"][0] - b["at"][0], a["at"][1] - b["at"][1], a["at"][2] - b["at"][2])
    way = (a["way"][0] - b["way"][0], a["way"][1] - b["way"][1], a["way"][2] - b["way"][2])
    square = vec.dot(n, n)
    return square - abs(vec.dot(n, way)) > (a["radius"] + b["radius"] + margin) * math.sqrt(square) * UP


@kernel
def drop_far(buffers, pairs, window, n, t0, t1):
    """Return how many of n pairs are left, moved to the front with their windows: the others are farther apart than
    their margins during all of [t0, t1].

    Links of one model are left alone: their common motion would hide how they move against each other.
    """
    world, sweeps = buffers.world, buffers.sweeps
    turn = 0.0
    lines = np.zeros(world.geoms.shape[0], LINE)
    for k in range(buffers.active.shape[0]):
        model = world.models[buffers.active[k, MODEL]]
        for i in range(model["link"], model["link"] + model["links"]):
            turn = max(turn, sweeps[i]["turn"])
    for s in range(buffers.static_geom.shape[0]):
        g = buffers.static_geom[s]
        stand_still(lines[g], world.nodes[world.geoms[g]["root"]], sweeps[world.geoms[g]["link"]])
    x0 = np.zeros((3, 4))
    x1 = np.zeros((3, 4))
    near = np.zeros(n, np.bool_)
    parts = parts_of(turn, t1 - t0)
    for part in range(parts):
        begin = t0 + (t1 - t0) * part / parts
        end = t1 if part == parts - 1 else t0 + (t1 - t0) * (part + 1) / parts
        lines_of_all(buffers, lines, x0, x1, begin, end)
        for p in range(n):
            if not near[p]:
                a = pairs[p]["a"]
                b = pairs[p]["b"]
                near[p] = world.geoms[a]["model"] == world.geoms[b]["model"] or not apart(
                    lines[a], lines[b], pairs[p]["margin"]
                )
    kept = 0
    for p in range(n):
        if near[p]:
            pairs[kept] = pairs[p]
            window[kept, 0] = window[p, 0]
            window[kept, 1] = window[p, 1]
            kept += 1
    return kept
