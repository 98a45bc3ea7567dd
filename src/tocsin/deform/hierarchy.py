"""The hierarchy of a deformable model: 18-DOPs at both ends of the motion, refitted for every question.

Eight elements in a row make an octet, eight octets in a row an octet of the next level: no links, so that refitting is
one pass over each level. A row of an octet is one number of its eight DOPs side by side, ready for `lanes.singles`.
Along each axis there are four rows: low and high at time 0, low and high at time 1. In between, the DOP whose sides
move linearly from one to the other contains what moves linearly inside.

The two layers of [LOCAL VI] keep both ends near the elements only, and one swept volume above. Octets make the levels
above a seventh of the whole, and both ends are strictly tighter: what moves together, or has passed before another
comes, is told apart early. Keeping both everywhere was the faster of the two (`python -m tocsin_bench layers`).
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin.compiler.jit import kernel
from tocsin.deform.element_filter import ROUNDING, ZERO
from tocsin.deform.mesh_arrays import BOX, PACE, REACH, SIZE, mesh_at
from tocsin.simd.gathers import gathered
from tocsin.simd.lanes import lane as one_lane
from tocsin.simd.lanes import load_singles
from tocsin.simd.singles import (
    greater,
    highest,
    highest_of_eight,
    lesser,
    lowest,
    lowest_of_eight,
    spread_single,
    store_singles,
)

AXES = 9
"""Of an 18-DOP: x, y, z, and the sums and differences of two of them."""

LO_T0, HI_T0, LO_T1, HI_T1, ENDS = 0, 1, 2, 3, 4
"""Rows of one axis."""

ROWS = AXES * ENDS

LEVELS = 9
"""Of every hierarchy, the level of elements included: room for 8^9 elements. All have the same number, so that two
hierarchies are always descended in step; the top ones of small models hold one DOP in one octet."""

PAD = 24.0 * ROUNDING
"""DOPs are grown by this much of the largest coordinate X. A corner is rounded once to single precision, a sum of two
of its coordinates once more, and growing it once: 6 ROUNDING X at most, along a diagonal axis. What is left, 18
ROUNDING X, covers the roundings of the tests (`overlap`)."""

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


def make_hierarchy(elements: int) -> Hierarchy:
    """Return an empty hierarchy over so many elements."""
    start = np.zeros(LEVELS + 1, np.int64)
    count = elements
    for level in range(LEVELS):
        count = max((count + 7) // 8, 1)
        start[level + 1] = start[level] + count
    octets = np.zeros((int(start[-1]), ROWS, 8), np.float32)
    return Hierarchy(octets, start)


@kernel
def place_vertices(used, p0, p1, origin, table, places):
    """Write where the vertices in use are at time 0, then at time 1; return (reach, pace).

    Into `places` as they are, into `table` from `origin`, in single precision. The largest coordinate there at either
    end, and how far any of them goes, rounded up.
    """
    reach = 0.0
    pace = 0.0
    for v in used:
        gone = 0.0
        for k in range(3):
            p = p0[v, k]
            q = p1[v, k]
            places[v, k] = p
            places[v, 3 + k] = q
            x = p - origin[k]
            y = q - origin[k]
            table[v, k] = x
            table[v, 3 + k] = y
            reach = max(reach, abs(x), abs(y))
            gone += (q - p) ** 2
        pace = max(pace, gone)
    return reach * (1.0 + 2.0**-50), math.sqrt(pace) * (1.0 + 2.0**-50)


@kernel
def span(octets, q, row, a, b, c, pad):
    """Write the low and the high end of three corners along an axis; return how far apart they are."""
    low = lesser(lesser(a, b), c)
    high = greater(greater(a, b), c)
    store_singles(octets, q, row, low - pad)
    store_singles(octets, q, row + 1, high + pad)
    return high - low


@kernel
def fit_end(octets, q, low, a, b, c, pad):
    """Write the rows of all axes at one end of the motion, for corners a, b, c; return the widths along x + y + z."""
    width = span(octets, q, low, a[0], b[0], c[0], pad)
    width = width + span(octets, q, low + ENDS, a[1], b[1], c[1], pad)
    width = width + span(octets, q, low + 2 * ENDS, a[2], b[2], c[2], pad)
    span(octets, q, low + 3 * ENDS, a[0] + a[1], b[0] + b[1], c[0] + c[1], pad)
    span(octets, q, low + 4 * ENDS, a[0] - a[1], b[0] - b[1], c[0] - c[1], pad)
    span(octets, q, low + 5 * ENDS, a[1] + a[2], b[1] + b[2], c[1] + c[2], pad)
    span(octets, q, low + 6 * ENDS, a[1] - a[2], b[1] - b[2], c[1] - c[2], pad)
    span(octets, q, low + 7 * ENDS, a[2] + a[0], b[2] + b[0], c[2] + c[0], pad)
    span(octets, q, low + 8 * ENDS, a[2] - a[0], b[2] - b[0], c[2] - c[0], pad)
    return width


@kernel
def clear_lane(octet, lane):
    """Make a lane empty."""
    for row in range(0, ROWS, 2):
        octet[row, lane] = NOWHERE
        octet[row + 1, lane] = -NOWHERE


@kernel
def fit_octet(hierarchy, level, q):
    """Write one octet of a level above the elements, from the octets of the level below it."""
    octets = hierarchy.octets
    start = hierarchy.start
    below = start[level - 1]
    count = start[level] - below
    if 8 * q + 8 <= count:
        first = below + 8 * q
        for row in range(0, ROWS, 2):
            store_singles(octets, start[level] + q, row, lowest_of_eight(octets, first, row))
            store_singles(octets, start[level] + q, row + 1, highest_of_eight(octets, first, row + 1))
        return
    octet = octets[start[level] + q]
    for lane in range(8):
        if 8 * q + lane >= count:
            clear_lane(octet, lane)
            continue
        child = below + 8 * q + lane
        for row in range(0, ROWS, 2):
            octet[row, lane] = lowest(load_singles(octets, child, row))
            octet[row + 1, lane] = highest(load_singles(octets, child, row + 1))


@kernel
def fit_elements(hierarchy, seats, table, pad, n):
    """Write the octets of the n elements, and those above them; return the sum of the widths of all lanes.

    An octet is put together as soon as its eight are written: a model of 100,000 triangles has 15 MB of them, which
    would come back from memory in a pass of its own.
    """
    octets = hierarchy.octets
    total = spread_single(ZERO)
    last = seats.shape[0] - 1
    for q in range(seats.shape[0]):
        a = gathered(table, seats, q, 0)
        b = gathered(table, seats, q, 1)
        c = gathered(table, seats, q, 2)
        total = total + fit_end(octets, q, LO_T0, a, b, c, pad)
        fit_end(octets, q, LO_T1, (a[3], a[4], a[5]), (b[3], b[4], b[5]), (c[3], c[4], c[5]), pad)
        if 8 * q + 8 > n:
            for lane in range(n - 8 * q, 8):
                clear_lane(octets[q], lane)
        if q & 7 == 7 or q == last:
            fit_octet(hierarchy, 1, q >> 3)
    return total


@kernel
def measure_box(hierarchy, measures):
    """Write the box around all of a motion: low x, y, z, then high."""
    top = hierarchy.octets[hierarchy.start[LEVELS - 1]]
    for k in range(3):
        measures[BOX + k] = min(top[k * ENDS + LO_T0, 0], top[k * ENDS + LO_T1, 0])
        measures[BOX + 3 + k] = max(top[k * ENDS + HI_T0, 0], top[k * ENDS + HI_T1, 0])


@kernel
def refit(addresses, seats, used, p0, p1, origin):
    """Fit all DOPs of a mesh to both ends of a motion [LOCAL VI]; return how loose they are.

    That is how wide octets are at time 0 compared with their elements. All else is written into its measures.
    """
    mesh = mesh_at(addresses)
    hierarchy = Hierarchy(mesh.octets, mesh.start)
    measures = mesh.measures
    measures[REACH], measures[PACE] = place_vertices(used, p0, p1, origin, mesh.table, mesh.places)
    pad = np.float32((PAD * measures[REACH] + LEAST_PAD) * (1.0 + 2.0**-22))
    total = fit_elements(hierarchy, seats, mesh.table, pad, mesh.corners.shape[0])
    for level in range(2, LEVELS):
        for q in range(hierarchy.start[level + 1] - hierarchy.start[level]):
            fit_octet(hierarchy, level, q)
    width = 0.0
    for k in range(8):
        width += one_lane(total, k)
    loose = 0.0
    for q in range(hierarchy.start[1], hierarchy.start[2]):
        for row in range(0, 3 * ENDS, ENDS):
            for k in range(8):
                loose += max(ZERO, hierarchy.octets[q, row + HI_T0, k] - hierarchy.octets[q, row + LO_T0, k])
    measures[SIZE] = width / (8.0 * seats.shape[0])
    measure_box(hierarchy, measures)
    return loose / width if width > 0.0 else 0.0
