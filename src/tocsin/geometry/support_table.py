"""For every direction, the patches in which the farthest corner can be: found once, when a hierarchy is built.

The directions are those of a cube's surface, cut into `grid` by `grid` squares a face; a cell is such a square. Of a
node's corners a cell keeps those that can be the farthest for one of its directions, and lists the patches that they
lie in.

Claim. Let c_0 ... c_3 be the corners of a cell, each (1, u, v) up to the order and the sign of its entries, d any
direction of it, |d| <= 1 + 2^-22, and let v and w be two points with v.c_i <= w.c_i for i = 0 ... 3. Then v.d <= w.d.
Proof: a square is the convex hull of its corners, so d = m (sum l_i c_i) with l_i >= 0, sum l_i = 1 and m > 0, the
largest entry of d; multiply out. As computed, in double precision from corners up to R from the root's centre, the
comparisons can be wrong by 2^-49 R, and m is at most 1 + 2^-22: v.d <= w.d + 2^-48 R. A point w is kept, but may itself
be left out by a part of the cell; over all halvings that adds up to less than 2^-45 R. Cells are made wider by 2^-16 on
every side, which is more than the rounding of `cell_of`.

A row of the table of cells, half a line of the processor's cache, holds how many patches a cell has and then their
numbers, counted from the node's first; of more than seven, how many rows farther on the numbers lie.

The points w are those that are farthest along the cell's middle and the middles of its quarters. They are found going
down from a whole face to halves of it: what a cell leaves out, no part of it needs.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.compiler.arrays import copy_rows
from tocsin.compiler.jit import kernel
from tocsin.simd.lanes import SINGLES

PATCH = 2 * SINGLES
"""Corners of one: see `geometry.support_patches`."""

FINEST = 5
"""Halvings of a face at most."""

WIDER = 2.0**-16

MANY = 1024
"""Entries of a cell of which no shortest list is looked for."""

ROW = 8
"""Numbers in a row of the table of cells."""


@kernel
def grid_of(patches):
    """Return into how many cells a face is cut, along an edge, for a node of so many patches: about one each."""
    grid = 4
    while 6 * grid * grid < patches and grid < 2**FINEST:
        grid *= 2
    return grid


@kernel
def cell_of(x, y, z, grid):
    """Return the number, among the cells of a node, of the one that a direction lies in."""
    ax = abs(x)
    ay = abs(y)
    az = abs(z)
    if ax >= ay and ax >= az:
        face, m, u, v = (0 if x >= 0.0 else 1), ax, y, z
    elif ay >= az:
        face, m, u, v = (2 if y >= 0.0 else 3), ay, z, x
    else:
        face, m, u, v = (4 if z >= 0.0 else 5), az, x, y
    if not m > 0.0:
        return 0
    half = 0.5 * grid
    i = min(int((u / m + 1.0) * half), grid - 1)
    k = min(int((v / m + 1.0) * half), grid - 1)
    return (face * grid + i) * grid + k


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
def best_along(entries, n, d):
    """Return the column of the entry farthest along d."""
    best = -math.inf
    found = 0
    for k in range(n):
        s = entries[0, k] * d[0] + entries[1, k] * d[1] + entries[2, k] * d[2]
        if s > best:
            best = s
            found = k
    return found


@kernel
def keep(entries, n, face, u, v, half, kept, bars):
    """Write into `kept` the entries that can be farthest in the cell around (u, v); return how many.

    Columns of `entries` are a corner's place, the number of its vertex and its patch; `bars` is (5, 5) workspace: how
    far the points w reach along the four corners of the cell, and which vertices they are.
    """
    wide = half + WIDER
    c0 = direction_of(face, u - wide, v - wide)
    c1 = direction_of(face, u - wide, v + wide)
    c2 = direction_of(face, u + wide, v - wide)
    c3 = direction_of(face, u + wide, v + wide)
    for j in range(5):
        off_u = 0.0 if j == 0 else (0.5 * half if j % 2 == 0 else -0.5 * half)
        off_v = 0.0 if j == 0 else (0.5 * half if j > 2 else -0.5 * half)
        w = best_along(entries, n, direction_of(face, u + off_u, v + off_v))
        at = (entries[0, w], entries[1, w], entries[2, w])
        bars[j, 0] = vec.dot(at, c0)
        bars[j, 1] = vec.dot(at, c1)
        bars[j, 2] = vec.dot(at, c2)
        bars[j, 3] = vec.dot(at, c3)
        bars[j, 4] = entries[3, w]
    count = 0
    for k in range(n):
        at = (entries[0, k], entries[1, k], entries[2, k])
        s0 = vec.dot(at, c0)
        s1 = vec.dot(at, c1)
        s2 = vec.dot(at, c2)
        s3 = vec.dot(at, c3)
        needed = True
        for j in range(5):
            if s0 <= bars[j, 0] and s1 <= bars[j, 1] and s2 <= bars[j, 2] and s3 <= bars[j, 3]:
                # Of a point w itself every copy is kept.
                needed = entries[3, k] == bars[j, 4]
                break
        if needed:
            for c in range(5):
                kept[c, count] = entries[c, k]
            count += 1
    return count


@kernel
def cover(vertices, entries, n, listed, left):
    """List patches that hold every vertex of the entries: each time the one that holds most of what is left.

    Where there are MANY entries, as of corners in a row, all patches are listed: to find fewer takes n^2.
    """
    used = 0
    if n > MANY:
        for k in range(n):
            if k == 0 or entries[4, k] != entries[4, k - 1]:
                listed[used] = int(entries[4, k])
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
            p = entries[4, k]
            count = 0
            while k < n and entries[4, k] == p:
                count += left[k]
                k += 1
            if count > best:
                best = count
                patch = int(p)
        if best == 0:
            return used
        listed[used] = patch
        used += 1
        for k in range(n):
            if left[k] > 0:
                for c in range(PATCH):
                    if vertices[patch, c] == entries[3, k]:
                        left[k] = 0


@kernel
def fill_cells(corners, vertices, place, count, first, grid, cells, used):
    """Write the cells of the node of patches place:place + count, from row `first` on; return (cells, used).

    `used` rows are taken; longer lists go behind, and the table grows. `vertices` (patches, 16) says which corners of
    the patches are the same.
    """
    depth = 0
    while 2**depth < grid:
        depth += 1
    entries = np.zeros((depth + 1, 5, PATCH * count))
    n = np.zeros(depth + 1, np.int64)
    left = np.zeros(PATCH * count, np.int32)
    listed = np.zeros(count, np.int32)
    bars = np.zeros((5, 5))
    total = 0
    for p in range(place, place + count):
        for k in range(PATCH):
            # Patches that are not full repeat their first corner.
            if k == 0 or vertices[p, k] != vertices[p, 0]:
                for i in range(3):
                    entries[0, i, total] = corners[2 * p + k // SINGLES, i, k % SINGLES]
                entries[0, 3, total] = vertices[p, k]
                entries[0, 4, total] = p
                total += 1
    n[0] = total
    for face in range(6):
        for leaf in range(grid * grid):
            # In the order of the halvings, so that what a larger square keeps is there for all of its parts.
            i = 0
            k = 0
            for level in range(depth):
                part = leaf >> 2 * (depth - 1 - level) & 3
                i = 2 * i + (part & 1)
                k = 2 * k + (part >> 1)
                if leaf & (1 << 2 * (depth - 1 - level)) - 1 == 0:
                    half = 2.0 ** -(level + 1)
                    u = (2 * i + 1) * half - 1.0
                    v = (2 * k + 1) * half - 1.0
                    n[level + 1] = keep(entries[level], n[level], face, u, v, half, entries[level + 1], bars)
            c = first + (face * grid + i) * grid + k
            size = cover(vertices, entries[depth], n[depth], listed, left)
            cells[c, 0] = size
            row = c
            start = 1
            if size >= ROW:
                row = used
                start = 0
                cells[c, 1] = row - c
                used += (size + ROW - 1) // ROW
                if used > cells.shape[0]:
                    bigger = np.zeros((2 * used, ROW), np.int32)
                    copy_rows(bigger, cells, row)
                    cells = bigger
            for j in range(size):
                cells[row + (start + j) // ROW, (start + j) % ROW] = listed[j] - place
    return cells, used
