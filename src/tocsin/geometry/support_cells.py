"""How the table of cells is filled: for every square of directions the patches that its farthest corners lie in.

What a cell is, and why what it leaves out is not needed: `geometry.support_table`. The points w of that claim are those
that are farthest along the cell's middle and the middles of its quarters. They are found going down from a whole face
to halves of it: what a cell leaves out, no part of it needs.

Most of the time goes into comparing corners with the points w, so that is done for four corners at once; and at first,
when there are all corners of a node to compare, for the boxes of four patches. A box reaches at least as far along a
direction as its corners do, also as computed: rounding keeps the order of products and sums. A face of a node's cube is
filled by itself, so faces are shared out between threads; longer lists go into a table of each thread's own, and are
numbered when all are there.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.compiler.arrays import copy_rows
from tocsin.compiler.jit import kernel
from tocsin.geometry.support_table import ROW
from tocsin.simd.lanes import SINGLES, WIDTH, bits, lane, load, select

PATCH = 2 * SINGLES
"""Corners of one: see `geometry.support_patches`."""

WIDER = 2.0**-16

MANY = 1024
"""Entries of a cell of which no shortest list is looked for."""

POINTS = 5
"""How many points w there are."""

EVERY_LANE = 2**WIDTH - 1

PLACE, COUNT, GRID, FIRST, FACE, FILLED = 0, 1, 2, 3, 4, 5
"""Columns of a face that is to be filled: the node's first patch and how many, cells along an edge of the cube, the row
of the face's first cell, and which of the six faces it is."""


@kernel
def direction_of(face, u, v):
    """Return the point (u, v) of a face of the cube."""
    m = 1.0 if face % 2 == 0 else -1.0
    if face < 2:
        return (m, u, v)
    if face < 4:
        return (v, m, u)
    return (u, v, m)


@kernel
def along(places, block, d):
    """Return how far four entries reach along d."""
    return load(places, block, 0) * d[0] + load(places, block, 1) * d[1] + load(places, block, 2) * d[2]


@kernel
def place_of(places, k):
    """Return an entry's place in double precision."""
    block, i = k // WIDTH, k % WIDTH
    return (np.float64(places[block, 0, i]), np.float64(places[block, 1, i]), np.float64(places[block, 2, i]))


@kernel
def best_along(places, n, d):
    """Return the entry farthest along d, the first of those that are equally far."""
    best = -math.inf
    found = 0
    whole = n // WIDTH
    if whole > 0:
        values = along(places, 0, d)
        origin = select(values > values, 1.0, 0.0)
        for block in range(1, whole):
            reach = along(places, block, d)
            better = reach > values
            values = select(better, reach, values)
            origin = select(better, np.float64(block), origin)
        for i in range(WIDTH):
            k = WIDTH * int(lane(origin, i)) + i
            s = lane(values, i)
            if s > best or (s == best and k < found):
                best = s
                found = k
    for k in range(WIDTH * whole, n):
        s = vec.dot(place_of(places, k), d)
        if s > best:
            best = s
            found = k
    return found


@kernel
def within(bars, j, s0, s1, s2, s3):
    """Which of four entries reach nowhere farther than point j does?"""
    return (bars[j, 0] >= s0) & (bars[j, 1] >= s1) & (bars[j, 2] >= s2) & (bars[j, 3] >= s3)


@kernel
def is_needed(bars, reach, vertex):
    """Is an entry needed: does no point w leave it out, or is it a copy of the first that would? Every copy is kept."""
    for j in range(POINTS):
        if reach[0] <= bars[j, 0] and reach[1] <= bars[j, 1] and reach[2] <= bars[j, 2] and reach[3] <= bars[j, 3]:
            return vertex == bars[j, 4]
    return True


@kernel
def corners_of_cell(square):
    """Return the corners of a cell, (face, u, v, half) around (u, v), made wider."""
    face, u, v, half = square
    wide = half + WIDER
    return (
        direction_of(face, u - wide, v - wide),
        direction_of(face, u - wide, v + wide),
        direction_of(face, u + wide, v - wide),
        direction_of(face, u + wide, v + wide),
    )


@kernel
def middle_of_part(square, j):
    """Return the direction along which point w of number j is farthest: the cell's middle, or that of a quarter."""
    face, u, v, half = square
    off_u = 0.0 if j == 0 else (0.5 * half if j % 2 == 0 else -0.5 * half)
    off_v = 0.0 if j == 0 else (0.5 * half if j > 2 else -0.5 * half)
    return direction_of(face, u + off_u, v + off_v)


@kernel
def reaches(at, c):
    """Return how far a point reaches along the four corners of a cell."""
    return vec.dot(at, c[0]), vec.dot(at, c[1]), vec.dot(at, c[2]), vec.dot(at, c[3])


@kernel
def write_bar(bars, j, reach, vertex):
    """Write down how far point w of number j reaches, and which vertex it is."""
    bars[j, 0], bars[j, 1], bars[j, 2], bars[j, 3] = reach
    bars[j, 4] = vertex


@kernel
def write_entry(kept, owners, n, at, vertex, patch):
    """Write an entry behind n others."""
    for axis in range(3):
        kept[n // WIDTH, axis, n % WIDTH] = at[axis]
    owners[0, n] = vertex
    owners[1, n] = patch


@kernel
def corner_of(corners, p, k):
    """Return corner k of a patch."""
    group, i = 2 * p + k // SINGLES, k % SINGLES
    return (np.float64(corners[group, 0, i]), np.float64(corners[group, 1, i]), np.float64(corners[group, 2, i]))


@kernel
def box_along(boxes, block, d):
    """Return how far the boxes of four patches reach along d."""
    x = load(boxes, block, 3 if d[0] >= 0.0 else 0)
    y = load(boxes, block, 4 if d[1] >= 0.0 else 1)
    z = load(boxes, block, 5 if d[2] >= 0.0 else 2)
    return x * d[0] + y * d[1] + z * d[2]


@kernel
def best_corner(corners, boxes, place, count, d):
    """Return (patch, k): the corner of the patches place:place + count farthest along d, the first of equals."""
    best = -math.inf
    patch = place
    found = 0
    for block in range(place // WIDTH, (place + count + WIDTH - 1) // WIDTH):
        farther = bits(box_along(boxes, block, d) > best)
        if farther == 0:
            continue
        for i in range(WIDTH):
            p = WIDTH * block + i
            if farther >> i & 1 == 0 or p < place or p >= place + count:
                continue
            for k in range(PATCH):
                s = vec.dot(corner_of(corners, p, k), d)
                if s > best:
                    best = s
                    patch = p
                    found = k
    return patch, found


@kernel
def trusted(bars, j):
    """May whole boxes be left out because of point w of number j?

    Copies of the points w are kept unless an earlier one leaves them out (`is_needed`): not if one before j is within
    the reach of j.
    """
    for i in range(j):
        if bars[i, 4] != bars[j, 4] and (
            bars[i, 0] <= bars[j, 0]
            and bars[i, 1] <= bars[j, 1]
            and bars[i, 2] <= bars[j, 2]
            and bars[i, 3] <= bars[j, 3]
        ):
            return False
    return True


@kernel
def keep_of_all(tables, place, count, square, kept, kept_owners, bars):
    """Do as `keep` does, of all corners of the patches place:place + count.

    A patch whose box is within the reach of a point w on all four corners of the cell, and less far on one, has no
    corner that is needed: it does not hold w itself, and no corner of it is kept as a copy of another one (`trusted`).
    """
    corners, vertices, boxes = tables
    c = corners_of_cell(square)
    for j in range(POINTS):
        p, k = best_corner(corners, boxes, place, count, middle_of_part(square, j))
        write_bar(bars, j, reaches(corner_of(corners, p, k), c), vertices[p, k])
    use = 0
    for j in range(POINTS):
        if trusted(bars, j):
            use |= 1 << j
    n = 0
    for block in range(place // WIDTH, (place + count + WIDTH - 1) // WIDTH):
        s0 = box_along(boxes, block, c[0])
        s1 = box_along(boxes, block, c[1])
        s2 = box_along(boxes, block, c[2])
        s3 = box_along(boxes, block, c[3])
        left_out = 0
        for j in range(POINTS):
            if left_out == EVERY_LANE:
                break
            if use >> j & 1 == 1:
                inside = within(bars, j, s0, s1, s2, s3)
                left_out |= bits(
                    inside & ((bars[j, 0] > s0) | (bars[j, 1] > s1) | (bars[j, 2] > s2) | (bars[j, 3] > s3))
                )
        for i in range(WIDTH):
            p = WIDTH * block + i
            if left_out >> i & 1 == 1 or p < place or p >= place + count:
                continue
            for k in range(PATCH):
                # Patches that are not full repeat their first corner.
                if k == 0 or vertices[p, k] != vertices[p, 0]:
                    at = corner_of(corners, p, k)
                    if is_needed(bars, reaches(at, c), vertices[p, k]):
                        write_entry(kept, kept_owners, n, at, vertices[p, k], p)
                        n += 1
    return n


@kernel
def keep(places, owners, n, square, kept, kept_owners, bars, marks):
    """Write into `kept` the entries that can be farthest in a cell; return how many.

    An entry is a corner: `places` holds four of them in single precision in a row, `owners` the number of its vertex
    and its patch. `bars` is (5, 5) workspace: how far the points w reach along the four corners of the cell, and which
    vertices they are; `marks` holds 0 for every vertex, and 1 meanwhile for these.
    """
    c = corners_of_cell(square)
    for j in range(POINTS):
        w = best_along(places, n, middle_of_part(square, j))
        write_bar(bars, j, reaches(place_of(places, w), c), owners[0, w])
        marks[owners[0, w]] = 1
    count = 0
    for block in range((n + WIDTH - 1) // WIDTH):
        s0 = along(places, block, c[0])
        s1 = along(places, block, c[1])
        s2 = along(places, block, c[2])
        s3 = along(places, block, c[3])
        left_out = bits(within(bars, 0, s0, s1, s2, s3))
        for j in range(1, POINTS):
            if left_out == EVERY_LANE:
                break
            left_out |= bits(within(bars, j, s0, s1, s2, s3))
        first = WIDTH * block
        if left_out == EVERY_LANE:
            marked = 0
            for i in range(WIDTH):
                marked |= marks[owners[0, first + i]]
            if marked == 0:
                continue
        for i in range(min(WIDTH, n - first)):
            k = first + i
            needed = left_out >> i & 1 == 0
            if not needed and marks[owners[0, k]] > 0:
                needed = is_needed(bars, (lane(s0, i), lane(s1, i), lane(s2, i), lane(s3, i)), owners[0, k])
            if needed:
                write_entry(kept, kept_owners, count, place_of(places, k), owners[0, k], owners[1, k])
                count += 1
    for j in range(POINTS):
        marks[int(bars[j, 4])] = 0
    return count


@kernel
def cover(vertices, owners, n, listed, left):
    """List patches that hold every vertex of the entries: each time the one that holds most of what is left.

    Where there are MANY entries, as of corners in a row, all patches are listed: to find fewer takes n^2.
    """
    used = 0
    if n > MANY:
        for k in range(n):
            if k == 0 or owners[1, k] != owners[1, k - 1]:
                listed[used] = owners[1, k]
                used += 1
        return used
    for k in range(n):
        left[k] = 1
    while True:
        best = 0
        patch = -1
        k = 0
        while k < n:
            # Entries of one patch follow each other.
            p = owners[1, k]
            count = 0
            while k < n and owners[1, k] == p:
                count += left[k]
                k += 1
            if count > best:
                best = count
                patch = p
        listed[used] = patch
        used += 1
        rest = 0
        for k in range(n):
            if left[k] > 0:
                held = owners[1, k] == patch
                if not held:
                    for c in range(PATCH):
                        held |= vertices[patch, c] == owners[0, k]
                left[k] = 0 if held else 1
                rest += left[k]
        if rest == 0:
            return used


@kernel
def boxes_of(corners):
    """Return the boxes of all patches, four in a row: (n, 6, 4), the lower ends first."""
    n = corners.shape[0] // 2
    boxes = np.zeros((n // WIDTH + 1, 6, WIDTH), np.float32)
    for p in range(n):
        for axis in range(3):
            lo = hi = corners[2 * p, axis, 0]
            for k in range(1, PATCH):
                x = corners[2 * p + k // SINGLES, axis, k % SINGLES]
                lo = min(lo, x)
                hi = max(hi, x)
            boxes[p // WIDTH, axis, p % WIDTH] = lo
            boxes[p // WIDTH, 3 + axis, p % WIDTH] = hi
    return boxes


@kernel
def write_list(cells, c, listed, size, place, longer, used):
    """Write the list of cell c: into its row, or behind the `used` rows of longer ones; return (longer, used).

    A cell with a longer list says for now where it lies among those.
    """
    cells[c, 0] = size
    if size < ROW:
        for j in range(size):
            cells[c, 1 + j] = listed[j] - place
        return longer, used
    cells[c, 1] = used
    row = used
    used += (size + ROW - 1) // ROW
    if used > longer.shape[0]:
        bigger = np.zeros((2 * used, ROW), np.int32)
        copy_rows(bigger, longer, row)
        longer = bigger
    for j in range(size):
        longer[row + j // ROW, j % ROW] = listed[j] - place
    return longer, used


@kernel
def fill_faces(tables, faces, cells, points):
    """Fill the cells of some faces (rows as above); return the longer lists, one after the other.

    `tables`: the corners of the patches, (patches, 16) which of them are the same, numbers below `points`, and boxes.
    """
    vertices = tables[1]
    most = 0
    finest = 1
    for f in range(faces.shape[0]):
        most = max(most, faces[f, COUNT])
        finest = max(finest, faces[f, GRID])
    levels = 0
    while 2**levels < finest:
        levels += 1
    places = np.zeros((levels, PATCH // WIDTH * most, 3, WIDTH), np.float32)
    owners = np.zeros((levels, 2, PATCH * most), np.int32)
    n = np.zeros(levels, np.int64)
    left = np.zeros(PATCH * most, np.int32)
    listed = np.zeros(most, np.int32)
    bars = np.zeros((POINTS, 5))
    marks = np.zeros(points, np.uint8)
    longer = np.zeros((64, ROW), np.int32)
    used = 0
    for f in range(faces.shape[0]):
        place = faces[f, PLACE]
        grid = faces[f, GRID]
        depth = 0
        while 2**depth < grid:
            depth += 1
        for leaf in range(grid * grid):
            # In the order of the halvings, so that what a larger square keeps is there for all of its parts.
            i = 0
            k = 0
            for level in range(depth):
                part = leaf >> 2 * (depth - 1 - level) & 3
                i = 2 * i + (part & 1)
                k = 2 * k + (part >> 1)
                if leaf & (1 << 2 * (depth - 1 - level)) - 1 > 0:
                    continue
                half = 2.0 ** -(level + 1)
                square = (faces[f, FACE], (2 * i + 1) * half - 1.0, (2 * k + 1) * half - 1.0, half)
                kept, own = places[level], owners[level]
                if level == 0:
                    n[level] = keep_of_all(tables, place, faces[f, COUNT], square, kept, own, bars)
                else:
                    n[level] = keep(places[level - 1], owners[level - 1], n[level - 1], square, kept, own, bars, marks)
            size = cover(vertices, owners[depth - 1], n[depth - 1], listed, left)
            longer, used = write_list(cells, faces[f, FIRST] + i * grid + k, listed, size, place, longer, used)
    return longer[:used].copy()
