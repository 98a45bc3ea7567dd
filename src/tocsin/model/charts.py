"""The table of charts: grids over the values of the one or two joints between two shapes (see `broad_phase.charts`)."""

import math

import numpy as np

CELLS = 128
"""Cells of a whole turn. Twice as many prove one per cent more of an arm's charts, and take three times as long."""

PER_RADIAN = CELLS / (2.0 * math.pi)

WORD = 64
"""Cells that share a word."""

CHART = np.dtype(
    [
        ("b", "i4"),  # the other shape, with the greater number
        ("joint_x", "i4"),  # the links whose joints move between the two; y is -1 where only one does
        ("joint_y", "i4"),
        ("spare", "i4"),
        ("clear", "f8"),  # where a bit is set, the shapes are farther apart than this
        ("bits", "u8", (CELLS, CELLS // WORD)),  # cell (i, k): x in [i, i + 1] / PER_RADIAN, y likewise, any turn
    ],
    align=True,
)

NO_CHARTS = np.zeros(0, CHART)
