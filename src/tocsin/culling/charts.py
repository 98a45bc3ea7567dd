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
"""Radians beyond which nothing is looked up. Below, an angle in cells is off by less than 32 units of 2^25: 2^-23 of
the slack."""


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
    """Are all cells set through which the straight line from (x0, y0) to (x1, y1), in radians, passes?

    Claim: every point of the line is in one of the cells that are looked at. Proof: the line is cut into parts no
    longer than half a cell along x or y; a part is inside the box of its two ends, grown by the slack for their
    rounding, and all cells that meet the box are looked at.
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


@kernel
def chart_says_free(world, pair, configs, row0, row1, begin, end, t0, t1):
    """Is the pair, of one model, proven farther apart than margin + tolerance during [t0, t1], by its chart?

    `configs`, `row0`, `row1`, `begin`, `end`: the model's piece of motion, as for `joint_motion`.
    """
    c = chart_of(world, pair["a"], pair["b"])
    if c < 0:
        return False
    chart = world.charts[c]
    if not pair["margin"] + pair["tolerance"] <= chart["clear"]:
        return False
    link = world.links[chart["joint_x"]]
    x0 = value_at(link, configs, row0, row1, begin, end, t0)
    x1 = value_at(link, configs, row0, row1, begin, end, t1)
    y0 = y1 = 0.0
    if chart["joint_y"] >= 0:
        link = world.links[chart["joint_y"]]
        y0 = value_at(link, configs, row0, row1, begin, end, t0)
        y1 = value_at(link, configs, row0, row1, begin, end, t1)
    return line_is_free(chart, x0, y0, x1, y1)
