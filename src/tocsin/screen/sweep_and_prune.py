"""Which boxes of two drawings meet [SCREW 9 step 4, 9 step 5, 9 step 6].

What can touch has boxes over (r, h, t) that overlap: those of two edges, or of a corner and a face. The boxes of b are
laid out eight by eight, with a box around each eight, and twice more so; a box of a is compared with eight at once. So
little is left that few boxes are best taken as they come: what is near on a surface is mostly near in its tables. Many
are sorted, in rows and columns along the two axes that part them best. [SCREW 9 step 4] sorts by r and h, and t is what
highly non-convex bodies need [SCREW 9.1]: along the thread of a bolt in its nut everything has one place (r, h) on the
screen, and lies apart in time only.

Single precision is enough to say what may overlap: boxes are rounded outward.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin.compiler.addresses import Layout
from tocsin.compiler.jit import borrowed, inlined, kernel
from tocsin.simd.lanes import bits, load_singles

SORT_FROM = 512
"""From this many boxes on they are sorted: before, that costs more than it saves (measured)."""

CELLS = 16
"""Rows, and columns of each, that boxes are sorted into."""

R, H, T = 0, 2, 4
"""Where the axes are in a box."""

OUTWARD = 2.0**-22
"""Part of a number that covers its rounding to single precision."""

ALL = 255
"""The bits of eight lanes."""

FEW = 8
"""Eights up to which a box is compared with each: boxes around them would cost more than they spare."""

ROOM = 37
"""Rows of eight that 256 boxes take, those around them included."""


class Sorting(NamedTuple):
    """Where boxes are laid out; many take room of their own, and few are not sorted."""

    boxes: np.ndarray
    """(ROOM, 6, 8) those of b eight by eight, then those around each eight, and so on."""
    unsorted: np.ndarray
    """(0,) the order of boxes that are taken as they come."""
    looked: np.ndarray
    """(1,) how often a box was compared with eight that are not at the top."""


SORTING = Layout(
    Sorting, boxes=(np.dtype(np.float32), 3), unsorted=(np.dtype(np.int64), 1), looked=(np.dtype(np.int64), 1)
)


def make_sorting() -> Sorting:
    """Return room for boxes."""
    return Sorting(np.empty((ROOM, 6, 8), np.float32), np.zeros(0, np.int64), np.zeros(1, np.int64))


LOWEST = np.array([(k & -k).bit_length() - 1 for k in range(256)], np.int64)
"""The lowest bit that is set."""


@inlined
def below(x):
    """Return x in single precision, rounded down."""
    return np.float32(x - OUTWARD * abs(x))


@inlined
def above(x):
    """Return x in single precision, rounded up."""
    return np.float32(x + OUTWARD * abs(x))


@inlined
def reach(boxes, n, axis):
    """Return (from, to, mean length) of boxes along an axis."""
    lo = math.inf
    hi = -math.inf
    total = 0.0
    for k in range(n):
        lo = min(lo, boxes[k, axis])
        hi = max(hi, boxes[k, axis + 1])
        total += boxes[k, axis + 1] - boxes[k, axis]
    return lo, hi, total / n


@inlined
def cell_of(boxes, k, axis, along):
    """Return the cell of the middle of a box along an axis."""
    width = along[1] - along[0]
    part = (0.5 * (boxes[k, axis] + boxes[k, axis + 1]) - along[0]) / width if width > 0.0 else 0.0
    return np.int64(min(CELLS * part, CELLS - 1.0))


@inlined
def apart(along):
    """Return how short boxes are along an axis, in parts of all that they reach over."""
    return along[2] / (along[1] - along[0]) if along[1] > along[0] else 1.0


@kernel
def sorted_boxes(boxes, n, in_time):
    """Return the numbers of the boxes in rows along the axis that parts them best, and in these along the second best,
    each next row the other way round; t is only taken if `in_time`."""
    along_r = reach(boxes, n, R)
    along_h = reach(boxes, n, H)
    along_t = reach(boxes, n, T)
    by_r = apart(along_r)
    by_h = apart(along_h)
    by_t = apart(along_t) if in_time else math.inf
    # The axis that parts them least is left out.
    first_axis, first, second_axis, second = R, along_r, H, along_h
    best, next_best = by_r, by_h
    if by_t < max(by_r, by_h):
        if by_r > by_h:
            first_axis, first, best = T, along_t, by_t
        else:
            second_axis, second, next_best = T, along_t, by_t
    if next_best < best:
        first_axis, first, second_axis, second = second_axis, second, first_axis, first
    start = np.zeros(CELLS * CELLS + 1, dtype=np.int64)
    cells = np.empty(n, dtype=np.int64)
    for k in range(n):
        row = cell_of(boxes, k, first_axis, first)
        column = cell_of(boxes, k, second_axis, second)
        cells[k] = CELLS * row + (column if row % 2 == 0 else CELLS - 1 - column)
        start[cells[k] + 1] += 1
    for c in range(CELLS * CELLS):
        start[c + 1] += start[c]
    order = np.empty(n, dtype=np.int64)
    for k in range(n):
        order[start[cells[k]]] = k
        start[cells[k]] += 1
    return order


@inlined
def lay_out_eights(boxes, n, order, table):
    """Write the boxes, rounded outward, eight by eight into an (m, 6, 8) table; what is missing overlaps nothing."""
    none = np.float32(math.inf)
    for k in range((n + 7) // 8):
        for lane in range(8):
            at = 8 * k + lane
            box = 0
            if at < n:
                box = order[at] if n >= SORT_FROM else at
            for j in range(0, 6, 2):
                table[k, j, lane] = below(boxes[box, j]) if at < n else none
                table[k, j + 1, lane] = above(boxes[box, j + 1]) if at < n else -none


@inlined
def lay_out_level(table, start, count, above_it):
    """Write, from row `above_it` on, the boxes around `count` rows from `start` on."""
    none = np.float32(math.inf)
    for k in range((count + 7) // 8):
        for lane in range(8):
            at = 8 * k + lane
            for j in range(0, 6, 2):
                lo = none
                hi = -none
                if at < count:
                    for m in range(8):
                        lo = min(lo, table[start + at, j, m])
                        hi = max(hi, table[start + at, j + 1, m])
                table[above_it + k, j, lane] = lo
                table[above_it + k, j + 1, lane] = hi


@inlined
def overlapping(table, k, r0, r1, h0, h1, t0, t1):
    """Return the bits of those of eight boxes that overlap another."""
    far = (load_singles(table, k, 0) > r1) | (load_singles(table, k, 2) > h1) | (load_singles(table, k, 4) > t1)
    far = far | (load_singles(table, k, 1) < r0) | (load_singles(table, k, 3) < h0) | (load_singles(table, k, 5) < t0)
    return ALL ^ bits(far)


@inlined
def write_lanes(left, eight, i, order, pairs, count):
    """Write the pairs of box i of a and those of an eight that are left (bits), `order` says which they are if they are
    sorted; return how many pairs there are then. Those that there is no room for go into the last row."""
    capacity = pairs.shape[0] - 1
    while left != 0:
        k = 8 * eight + LOWEST[left]
        left &= left - 1
        pairs[min(count, capacity), 0] = i
        pairs[min(count, capacity), 1] = order[k] if order.shape[0] > 0 else k
        count += 1
    return count


@kernel
def meeting(a, n_a, b, n_b, pairs, in_time, sorting):
    """Write the pairs (i, k) of boxes of a and b that overlap; return how many, more than there is room for if so.

    `in_time`: sort by t too where that is better; `sorting` is what a `Sorting` says.
    """
    if n_a == 0 or n_b == 0:
        return 0
    eights = (n_b + 7) // 8
    groups = (eights + 7) // 8
    tops = (groups + 7) // 8
    own_order = sorting.unsorted
    if n_b >= SORT_FROM:
        own_order = sorted_boxes(b, n_b, in_time)
    order = borrowed(own_order)
    few = eights <= FEW
    rows = eights if few else eights + groups + tops
    own_table = sorting.boxes
    if rows > ROOM:
        own_table = np.empty((rows, 6, 8), dtype=np.float32)
    table = borrowed(own_table)
    lay_out_eights(b, n_b, order, table)
    if not few:
        lay_out_level(table, 0, eights, eights)
        lay_out_level(table, eights, groups, eights + groups)
    count = 0
    seen = 0
    capacity = pairs.shape[0] - 1
    for i in range(n_a):
        if count > capacity + 1:
            break
        r0, r1 = below(a[i, 0]), above(a[i, 1])
        h0, h1 = below(a[i, 2]), above(a[i, 3])
        t0, t1 = below(a[i, 4]), above(a[i, 5])
        if few:
            for eight in range(eights):
                left = overlapping(table, eight, r0, r1, h0, h1, t0, t1)
                count = write_lanes(left, eight, i, order, pairs, count)
            continue
        for top in range(tops):
            far = overlapping(table, eights + groups + top, r0, r1, h0, h1, t0, t1)
            while far != 0:
                group = 8 * top + LOWEST[far]
                far &= far - 1
                seen += 1
                near = overlapping(table, eights + group, r0, r1, h0, h1, t0, t1)
                while near != 0:
                    eight = 8 * group + LOWEST[near]
                    near &= near - 1
                    seen += 1
                    left = overlapping(table, eight, r0, r1, h0, h1, t0, t1)
                    count = write_lanes(left, eight, i, order, pairs, count)
    sorting.looked[0] += seen
    if own_table.shape[0] + own_order.shape[0] == 0:  # a last use, so that both live until here
        count = 0
    return count
