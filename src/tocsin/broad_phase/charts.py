"""Charts: for two shapes with one or two joints between them, the joint values at which they are proven apart.

Links two joints apart fit closely: they run beside each other at a few millimetres through the whole motion, and nine
tenths of an arm's advancement went into proving, edge by edge, that they never touch. But how they lie depends on
two angles only. A *chart* is a grid over the two, with one bit a cell, set where the shapes are proven farther apart
than `clear` at all angles in the cell (`advancement.cells`). A motion is a straight line in the chart; if all cells
that it passes through are set, the pair is done.

No answer depends on a chart: one is only asked where `clear` is at least margin + tolerance, so that a pair that it
settles has no contact, and `advancement.work` proves that such a pair, searched or not, changes nothing for the others.
That rests on three rules. Which pairs may have a chart is said by the scene alone (`may_have_chart`). A chart settles a
pair for a whole window of time or does nothing, since where a search starts decides at which times it looks; the
windows into which a slab is cut depend on the motion alone, and each is searched by itself, with charts or without
(`queries.kernels.candidates`). And what a pair that may have one costs is not charged to the question, unless its chart
was asked and does not settle it.
"""

import math

import numpy as np

from tocsin.broad_phase.pairs import BETWEEN
from tocsin.compiler.jit import kernel
from tocsin.model.charts import CELLS, PER_RADIAN, WORD
from tocsin.model.tables import CONVEX
from tocsin.motion.curves import value
from tocsin.motion.links import FIXED, REVOLUTE

SLACK = 2.0**-24
"""In cells: proofs and lines are both wider by this."""

LARGEST = 2.0**20
"""Radians beyond which nothing is looked up, neither values nor the offsets of joints that follow others. Below, a
value is off by less than 8 units of 2^21 radians, 2^-24 in cells; what was proven reaches five times as far beyond a
cell that is looked up."""


@kernel
def may_have_chart(world, a, b, stop):
    """Can shapes a, b of links that meet at link `stop` get a chart?

    One to three revolute joints between them, and no more than BETWEEN of any kind, since beyond these the links of a
    pair may be seen from the world; and no mesh that is solid: of those a chart knows the surfaces only.
    """
    links = world.links
    joints = 0
    moving = 0
    for geom in (world.geoms[a], world.geoms[b]):
        if stop < 0 or (geom["solid"] != 0 and geom["kind"] != CONVEX):
            return False
        i = geom["link"]
        while i != stop:
            kind = links[i]["kind"]
            joints += 1
            moving += 1 if kind != FIXED else 0
            if joints > BETWEEN or moving > 3 or (kind != FIXED and kind != REVOLUTE):
                return False
            i = links[i]["parent"]
    return moving > 0


@kernel
def chart_of(world, a, b):
    """Return the row of the chart of shapes a < b, -1 if there is none."""
    first = world.geoms[a]["chart"]
    for c in range(first, first + world.geoms[a]["charts"]):
        if world.charts[c]["b"] == b:
            return c
    return -1


@kernel
def is_set(chart, i, k):
    """Is the bit of cell (i, k) set? Whole numbers of cells, any turn."""
    i = i % CELLS
    k = k % CELLS
    return (chart["bits"][i, k // WORD] >> np.uint64(k % WORD)) & np.uint64(1) != np.uint64(0)


@kernel
def line_is_free(chart, x0, y0, x1, y1):
    """Is all of the straight line from (x0, y0) to (x1, y1), in radians, in set cells?

    Claim: then every point of the line is in a cell that is set. Proof: the line is cut into parts no longer than half
    a cell along x or y; a part is inside the box of its two ends, grown by the slack for their rounding, and all cells
    that meet the box are looked at.
    """
    if not (abs(x0) <= LARGEST and abs(x1) <= LARGEST and abs(y0) <= LARGEST and abs(y1) <= LARGEST):
        return False
    u0 = x0 * PER_RADIAN
    v0 = y0 * PER_RADIAN
    du = (x1 - x0) * PER_RADIAN
    dv = (y1 - y0) * PER_RADIAN
    parts = int(2.0 * max(abs(du), abs(dv))) + 1
    u_before = u0
    v_before = v0
    for part in range(1, parts + 1):
        u = u0 + du * (part / parts)
        v = v0 + dv * (part / parts)
        i0 = math.floor(min(u, u_before) - SLACK)
        i1 = math.floor(max(u, u_before) + SLACK)
        k0 = math.floor(min(v, v_before) - SLACK)
        k1 = math.floor(max(v, v_before) + SLACK)
        for i in range(i0, i1 + 1):
            for k in range(k0, k1 + 1):
                if not is_set(chart, i, k):
                    return False
        u_before = u
        v_before = v
    return True


@kernel
def value_at(link, configs, row0, row1, begin, end, t):
    """Return a joint's value at time t of the piece [begin, end] between two rows of configurations."""
    v0 = link["multiplier"] * configs[row0 + link["config"]] + link["offset"]
    v1 = link["multiplier"] * configs[row1 + link["config"]] + link["offset"]
    return v0 + (v1 - v0) * ((t - begin) / (end - begin))


MOST_PARTS = 4096
"""Parts of a curve in a chart that are looked at: beyond 16 whole turns nothing is."""


@kernel
def range_in(joint, t, half):
    """Return (first, last): the cells of a joint's values within `half` of time t, as numbers of cells."""
    middle = (joint["first"] + value(joint, 0, t - joint["begin"])) * PER_RADIAN
    gone = joint["turn"] * half * PER_RADIAN
    return math.floor(middle - gone - SLACK), math.floor(middle + gone + SLACK)


@kernel
def curve_is_free(chart, joints, t0, t1):
    """Are the values of a chart's joints, polynomials of time, in set cells for all of [t0, t1]?

    Claim: then at every time they are in a cell that is set. Proof: [t0, t1] is cut into parts in which no joint turns
    by more than half a cell, by the bound of its rate (`motion.curves`); from the middle of a part a value moves by at
    most that rate times half of it, and all cells that meet the box of both ranges, and the slack, are looked at.
    """
    joint = joints[chart["joint_x"]]
    other = joints[max(chart["joint_y"], 0)]
    two = chart["joint_y"] >= 0
    turn = max(joint["turn"], other["turn"]) if two else joint["turn"]
    size = max(joint["angle"], other["angle"]) if two else joint["angle"]
    if not size <= LARGEST or not turn * (t1 - t0) * 2.0 * PER_RADIAN < MOST_PARTS:
        return False
    parts = int(2.0 * turn * (t1 - t0) * PER_RADIAN) + 1
    half = 0.5 * (t1 - t0) / parts * (1.0 + 2.0**-30)
    for part in range(parts):
        t = t0 + (t1 - t0) * ((part + 0.5) / parts)
        i0, i1 = range_in(joint, t, half)
        k0, k1 = range_in(other, t, half) if two else (0, 0)
        for i in range(i0, i1 + 1):
            for k in range(k0, k1 + 1):
                if not is_set(chart, i, k):
                    return False
    return True


@kernel
def settled_curve(pair, chart, joints, t0, t1):
    """Does a chart of the pair, whose joints are on curves, have it apart by margin + tolerance for all of [t0, t1]?"""
    return pair["margin"] + pair["tolerance"] <= chart["clear"] and curve_is_free(chart, joints, t0, t1)


@kernel
def settled(world, pair, chart, configs, piece, t0, t1):
    """Does a chart of the pair have it apart by margin + tolerance for all of [t0, t1]?

    `configs` and the piece (row0, row1, begin, end) are the motion of the model to which both belong, as for
    `joint_motion`. The slack of `line_is_free` holds the rounding of times and angles.
    """
    if not pair["margin"] + pair["tolerance"] <= chart["clear"]:
        return False
    row0, row1, begin, end = piece
    link = world.links[chart["joint_x"]]
    most = abs(link["offset"])
    x0 = value_at(link, configs, row0, row1, begin, end, t0)
    x1 = value_at(link, configs, row0, row1, begin, end, t1)
    y0 = y1 = 0.0
    if chart["joint_y"] >= 0:
        link = world.links[chart["joint_y"]]
        most = max(most, abs(link["offset"]))
        y0 = value_at(link, configs, row0, row1, begin, end, t0)
        y1 = value_at(link, configs, row0, row1, begin, end, t1)
    return most <= LARGEST and line_is_free(chart, x0, y0, x1, y1)
