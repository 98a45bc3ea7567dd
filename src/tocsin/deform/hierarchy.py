"""The hierarchy of a deformable model: 18-DOPs at both ends of the motion, refitted for every question.

Eight elements in a row make an octet, eight octets in a row an octet of the next level: no links, so that refitting is
one pass over each level. A row of an octet is one number of its eight DOPs side by side, ready for `_lanes.singles`.
Along each axis there are four rows: low and high at time 0, low and high at time 1. In between, the DOP whose sides
move linearly from one to the other contains what moves linearly inside.

The 2010 paper (section VI) keeps both ends near the elements only, and one swept volume above. Octets make the levels
above a seventh of the whole, and both ends are strictly tighter: what moves together, or has passed before another
comes, is told apart early. Keeping both everywhere was the faster of the two (`python -m tocsin.bench layers`).
"""

from typing import NamedTuple

import numpy as np

from tocsin._jit import kernel

AXES = 9
"""Of an 18-DOP: x, y, z, and the sums and differences of two of them."""

LO_T0, HI_T0, LO_T1, HI_T1, ENDS = 0, 1, 2, 3, 4
"""Rows of one axis."""

ROWS = AXES * ENDS

LEVELS = 9
"""Of every hierarchy, the level of elements included: room for 8^9 elements. All have the same number, so that two
hierarchies are always descended in step; the top ones of small models hold one DOP in one octet."""

PAD = 2.0**-20
"""DOPs are grown by this much of their coordinates: single precision rounds by 2^-24, and what is left, 15 times that,
covers the roundings of the tests (`overlap`)."""

LEAST_PAD = 2.0**-110
"""And by this: smaller numbers lose digits in single precision."""

NOWHERE = np.float32(2.0**120)
"""Unused lanes reach from here down to its negative: empty, beyond every length that is let in."""


class Hierarchy(NamedTuple):
    """Octets of all levels, the elements' first."""

    octets: np.ndarray
    """(octets, ROWS, 8) single precision; above level 0, lane k of an octet is the octet 8 q + k of the level below."""
    start: np.ndarray
    """(LEVELS + 1,) where each level starts."""
    projected: np.ndarray
    """(vertices, ENDS, AXES) single precision: every vertex's own, grown."""


def make_hierarchy(elements: int, vertices: int) -> Hierarchy:
    """Return an empty hierarchy over so many elements."""
    start = np.zeros(LEVELS + 1, np.int64)
    count = elements
    for level in range(LEVELS):
        count = max((count + 7) // 8, 1)
        start[level + 1] = start[level] + count
    octets = np.zeros((int(start[-1]), ROWS, 8), np.float32)
    return Hierarchy(octets, start, np.zeros((vertices, ENDS, AXES), np.float32))


@kernel
def grown_down(x):
    """Return a single-precision number below x, by at least 15 2^-24 of |x|."""
    return np.float32(x - (abs(x) * PAD + LEAST_PAD))


@kernel
def grown_up(x):
    """Return a single-precision number above x, by at least 15 2^-24 of |x|."""
    return np.float32(x + (abs(x) * PAD + LEAST_PAD))


@kernel
def project(positions, origin, low, high, projected):
    """Write the projections of all vertices at one end of the motion into rows `low` and `high`, rounded outward.

    They are taken from `origin`, near which single precision is fine. Proof. A difference, and a sum of two, are
    rounded twice, by 2^-53 of what they are made of; PAD covers that and the rounding to single precision.
    """
    for v in range(positions.shape[0]):
        x = positions[v, 0] - origin[0]
        y = positions[v, 1] - origin[1]
        z = positions[v, 2] - origin[2]
        lo = projected[v, low]
        hi = projected[v, high]
        lo[0] = grown_down(x)
        lo[1] = grown_down(y)
        lo[2] = grown_down(z)
        lo[3] = grown_down(x + y)
        lo[4] = grown_down(x - y)
        lo[5] = grown_down(y + z)
        lo[6] = grown_down(y - z)
        lo[7] = grown_down(z + x)
        lo[8] = grown_down(z - x)
        hi[0] = grown_up(x)
        hi[1] = grown_up(y)
        hi[2] = grown_up(z)
        hi[3] = grown_up(x + y)
        hi[4] = grown_up(x - y)
        hi[5] = grown_up(y + z)
        hi[6] = grown_up(y - z)
        hi[7] = grown_up(z + x)
        hi[8] = grown_up(z - x)


@kernel
def clear_lane(octet, lane):
    """Make a lane empty."""
    for row in range(0, ROWS, 2):
        octet[row, lane] = NOWHERE
        octet[row + 1, lane] = -NOWHERE


@kernel
def fit_elements(hierarchy, corners, first, last):
    """Write the octets first to last - 1 of the lowest level."""
    n = corners.shape[0]
    for q in range(first, last):
        octet = hierarchy.octets[q]
        for lane in range(8):
            e = 8 * q + lane
            if e >= n:
                clear_lane(octet, lane)
                continue
            a = hierarchy.projected[corners[e, 0]]
            b = hierarchy.projected[corners[e, 1]]
            c = hierarchy.projected[corners[e, 2]]
            for axis in range(AXES):
                row = axis * ENDS
                octet[row + LO_T0, lane] = min(a[LO_T0, axis], b[LO_T0, axis], c[LO_T0, axis])
                octet[row + HI_T0, lane] = max(a[HI_T0, axis], b[HI_T0, axis], c[HI_T0, axis])
                octet[row + LO_T1, lane] = min(a[LO_T1, axis], b[LO_T1, axis], c[LO_T1, axis])
                octet[row + HI_T1, lane] = max(a[HI_T1, axis], b[HI_T1, axis], c[HI_T1, axis])


@kernel
def fit_level(hierarchy, level):
    """Write the octets of one level above the elements, from the level below it."""
    octets = hierarchy.octets
    start = hierarchy.start
    below = start[level - 1]
    count = start[level] - below
    for q in range(start[level + 1] - start[level]):
        octet = octets[start[level] + q]
        for lane in range(8):
            if 8 * q + lane >= count:
                clear_lane(octet, lane)
                continue
            child = octets[below + 8 * q + lane]
            for row in range(0, ROWS, 2):
                lo = child[row, 0]
                hi = child[row + 1, 0]
                for k in range(1, 8):
                    lo = min(lo, child[row, k])
                    hi = max(hi, child[row + 1, k])
                octet[row, lane] = lo
                octet[row + 1, lane] = hi


@kernel
def refit(hierarchy, corners, positions_t0, positions_t1, origin):
    """Fit all DOPs to the two ends of a motion."""
    project(positions_t0, origin, LO_T0, HI_T0, hierarchy.projected)
    project(positions_t1, origin, LO_T1, HI_T1, hierarchy.projected)
    fit_elements(hierarchy, corners, 0, hierarchy.start[1])
    for level in range(1, LEVELS):
        fit_level(hierarchy, level)
