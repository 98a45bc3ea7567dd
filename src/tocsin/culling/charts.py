"""Charts: for two shapes with one or two joints between them, the joint values at which they are proven apart.

Links two joints apart fit closely: they run beside each other at a few millimetres through the whole motion, and nine
tenths of an arm's advancement went into proving, edge by edge, that they never touch. But how they lie depends on
two angles only. A *chart* is a grid over the two, with one bit a cell, set where the shapes are proven farther apart
than `clear` at all angles in the cell (`advancement.cells`). A motion is a straight line in the chart; if all cells
that it passes through are set, the pair is done.

No answer depends on a chart. A contact is two points within margin + tolerance, and a chart is only asked where `clear`
is at least that: a pair that it settles has no contact, and a pair that has none changes nothing for the others.
"""

import math

import numpy as np

from tocsin._jit import kernel
from tocsin.model.charts import CELLS, PER_RADIAN, WORD

SLACK = 2.0**-24
"""In cells: proofs and lines are both wider by this."""

LARGEST = 2.0**20
"""Radians beyond which nothing is looked up, neither values nor the offsets of joints that follow others. Below, a
value is off by less than 8 units of 2^21 radians, 2^-24 in cells; what was proven reaches five times as far beyond a
cell that is looked up."""


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
def free_part(chart, x0, y0, x1, y1):
    """Return how much of the straight line from (x0, y0) to (x1, y1), in radians, is in set cells: 1.0 if all of it is.

    Claim: up to that fraction every point of the line is in a cell that is set. Proof: the line is cut into parts no
    longer than half a cell along x or y; a part is inside the box of its two ends, grown by the slack for their
    rounding, and all cells that meet the box are looked at. The fraction is the beginning of the first part that fails.
    """
    if not (abs(x0) <= LARGEST and abs(x1) <= LARGEST and abs(y0) <= LARGEST and abs(y1) <= LARGEST):
        return 0.0
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
                    return (part - 1) / parts
        u_before = u
        v_before = v
    return 1.0


@kernel
def value_at(link, configs, row0, row1, begin, end, t):
    """Return a joint's value at time t of the piece [begin, end] between two rows of configurations."""
    v0 = link["multiplier"] * configs[row0 + link["config"]] + link["offset"]
    v1 = link["multiplier"] * configs[row1 + link["config"]] + link["offset"]
    return v0 + (v1 - v0) * ((t - begin) / (end - begin))


@kernel
def chart_free_until(world, pair, configs, row0, row1, begin, end, t0, t1):
    """Return a time in [t0, t1] until which the pair's chart has it apart by margin + tolerance; inf for all of it.

    `configs`, `row0`, `row1`, `begin`, `end`: the piece of motion of the model to which both belong, as for
    `joint_motion`. The slack of `free_part` holds the rounding of times and angles.
    """
    c = chart_of(world, pair["a"], pair["b"])
    if c < 0:
        return t0
    chart = world.charts[c]
    if not pair["margin"] + pair["tolerance"] <= chart["clear"]:
        return t0
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
    part = free_part(chart, x0, y0, x1, y1) if most <= LARGEST else 0.0
    if part == 1.0:
        return math.inf
    return t0 + (t1 - t0) * part
