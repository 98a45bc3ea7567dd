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

How the table is filled: `geometry.support_cells`.
"""

from tocsin.compiler.jit import kernel
from tocsin.simd.lanes import select

FINEST = 5
"""Halvings of a face at most."""

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
    # Without a branch: no face is likelier than another, and a wrong guess takes as long as all of this.
    by_x = (ax >= ay) & (ax >= az)
    by_y = ay >= az
    first = select(by_x, 0, select(by_y, 2, 4))
    m = select(by_x, ax, select(by_y, ay, az))
    face = first + select(select(by_x, x, select(by_y, y, z)) >= 0.0, 0, 1)
    u = select(by_x, y, select(by_y, z, x))
    v = select(by_x, z, select(by_y, x, y))
    if not m > 0.0:
        return 0
    half = 0.5 * grid
    i = min(int((u / m + 1.0) * half), grid - 1)
    k = min(int((v / m + 1.0) * half), grid - 1)
    return (face * grid + i) * grid + k
