"""The corners below every node of a hierarchy, laid out so that the farthest along a direction is found at once.

The convex hull of a curved piece of a surface is far tighter than its box: where two tori are about to touch, their
boxes overlap in 1,350 places, the hulls of the same nodes in 23. A hull need not be built for that. All that is asked
of it is how far it reaches along a direction, which is how far its corners do, and those of a node lie together:

patch   up to 16 corners, in single precision about the root's centre: the largest nodes that have so few;
cell    of a node of more than a few patches, the patches in which the corner farthest along a direction can be, for all
        directions of a small square of a cube around it: see `geometry.support_table`.

A node is a stretch of patches, or some of the corners of one: `spans` holds where it starts, how many patches and which
corners these are, and its cells. So a search looks at every corner of a few patches, eight at a time, without a
branch: 20 to 40 ns, where a tree of bounds took 300.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tocsin._types import IntArray, SingleArray
from tocsin.compiler.jit import inlined, kernel
from tocsin.geometry.support_table import ROW, cell_of
from tocsin.simd.lanes import SINGLES, bits, lane, load_singles, select
from tocsin.simd.prefetch import LINE, prefetch

Number = TypeVar("Number", bound=np.generic)

CORNERS = 2 * SINGLES
"""Of a patch."""

PATCH_LINES = CORNERS * 3 * 4 // LINE
"""Lines of the processor's cache that a patch takes."""

PLACE, COUNT, WHICH, CELL, GRID, SPAN = 0, 1, 2, 3, 4, 5
"""Columns of `spans`: the first patch and how many, the corners of the first, one bit each, the first cell, and how
many cells there are along an edge of the cube; none if 0: all patches are looked at."""

FEW = 8
"""Patches of which all are looked at."""

NO_CORNER = -(2.0**126)
"""Below every number that is let in."""
HIDING = np.array(
    [[[0.0 if chosen >> k & 1 else NO_CORNER for k in range(SINGLES)]] for chosen in range(256)], np.float32
)
"""Added to eight numbers: leaves those that are chosen, by bits, and hides the others."""
LOWEST = np.array([0] + [(chosen & -chosen).bit_length() - 1 for chosen in range(1, 256)], np.int64)
"""The lowest bit of a number below 256."""

ALL = 255


class SupportPatches(NamedTuple):
    """The corners of a hierarchy; see the module."""

    spans: IntArray
    """(nodes, 5) int32."""
    corners: SingleArray
    """(2 patches, 3, 8) float32, from the root's centre."""
    cells: IntArray
    """(rows, 8) int32: see `geometry.support_table`."""


def patch_layout(nodes: int) -> dict[str, tuple[Any, tuple[int | None, ...]]]:
    """Return the types and shapes of the patches of so many nodes."""
    spans, corners, cells = (nodes, SPAN), (None, 3, SINGLES), (None, ROW)
    return {"spans": (np.int32, spans), "corners": (np.float32, corners), "cells": (np.int32, cells)}


@kernel
def corner_at(corners, group, k):
    """Return a corner in double precision: corner k of eight."""
    return (np.float64(corners[group, 0, k]), np.float64(corners[group, 1, k]), np.float64(corners[group, 2, k]))


@kernel
def dots(corners, group, x, y, z):
    """Return the dot products of eight corners with a direction."""
    return (
        load_singles(corners, group, 0) * x + load_singles(corners, group, 1) * y + load_singles(corners, group, 2) * z
    )


@kernel
def largest(values):
    """Return the largest of eight."""
    a = max(max(lane(values, 0), lane(values, 1)), max(lane(values, 2), lane(values, 3)))
    b = max(max(lane(values, 4), lane(values, 5)), max(lane(values, 6), lane(values, 7)))
    return max(a, b)


@inlined
def list_of(patches, node, d):
    """Return the row of the list of a node's cell that holds a direction, -1 if it has no cells, and ask for it."""
    spans, corners, cells = patches
    grid = spans[node, GRID]
    if grid == 0:
        prefetch(corners, 2 * np.int64(spans[node, PLACE]))
        return -1
    x, y, z = np.float64(np.float32(d[0])), np.float64(np.float32(d[1])), np.float64(np.float32(d[2]))
    row = np.int64(spans[node, CELL] + cell_of(x, y, z, grid))
    prefetch(cells, row)
    return row


@inlined
def ask_for_first(patches, node, row):
    """Ask for the first patch of a list, the one most likely to hold the corner."""
    spans, corners, cells = patches
    if row < 0 or cells[row, 0] >= ROW:
        return
    p = 2 * np.int64(spans[node, PLACE] + cells[row, 1])
    for line in range(PATCH_LINES):
        prefetch(corners, p, LINE * line)


@inlined
def farthest(patches, node, d, row):
    """Return (reach, group, k): how far the corners below a node reach along d from the root's centre, and which does.

    `reach` is the dot product of that corner, computed in single precision; how far it can be off: `singles_noise`.
    `row` is where the list of its patches is, see `list_of`.
    """
    x = np.float32(d[0])
    y = np.float32(d[1])
    z = np.float32(d[2])
    spans, corners, cells = patches
    place = np.int64(spans[node, PLACE])
    count = np.int64(spans[node, COUNT])
    if count == 1:
        which = spans[node, WHICH]
        near = dots(corners, 2 * place, x, y, z) + load_singles(HIDING, which & ALL, 0)
        far = dots(corners, 2 * place + 1, x, y, z) + load_singles(HIDING, which >> SINGLES, 0)
        best = select(near > far, near, far)
        reach = largest(best)
        k = LOWEST[ALL ^ bits(best < reach)]
        return np.float64(reach), (2 * place if lane(near, k) == reach else 2 * place + 1), k
    # Which of the groups, counted from the first, each lane's best comes from: small whole numbers.
    if row < 0:
        near = dots(corners, 2 * place, x, y, z)
        far = dots(corners, 2 * place + 1, x, y, z)
        best = select(near > far, near, far)
        origin = select(near > far, np.float32(0.0), np.float32(1.0))
        for i in range(2, 2 * count):
            values = dots(corners, 2 * place + i, x, y, z)
            better = values > best
            best = select(better, values, best)
            origin = select(better, np.float32(i), origin)
        reach = largest(best)
        k = LOWEST[ALL ^ bits(best < reach)]
        return np.float64(reach), 2 * place + np.int64(lane(origin, k)), k
    count = np.int64(cells[row, 0])
    start = 1
    if count >= ROW:
        row += np.int64(cells[row, 1])
        start = 0
    p = place + cells[row, start]
    near = dots(corners, 2 * p, x, y, z)
    far = dots(corners, 2 * p + 1, x, y, z)
    best = select(near > far, near, far)
    origin = select(near > far, np.float32(0.0), np.float32(1.0))
    for i in range(1, count):
        p = place + cells[row + (start + i) // ROW, (start + i) % ROW]
        near = dots(corners, 2 * p, x, y, z)
        far = dots(corners, 2 * p + 1, x, y, z)
        nearer = near > far
        values = select(nearer, near, far)
        better = values > best
        best = select(better, values, best)
        origin = select(better, select(nearer, np.float32(2 * i), np.float32(2 * i + 1)), origin)
    reach = largest(best)
    k = LOWEST[ALL ^ bits(best < reach)]
    i = np.int64(lane(origin, k))
    p = place + cells[row + (start + (i >> 1)) // ROW, (start + (i >> 1)) % ROW]
    return np.float64(reach), 2 * p + (i & 1), k


@kernel
def farthest_of_two(patches, a, d_a, b, d_b):
    """Return `farthest` of two nodes: what the second reads is on its way while the first is looked at."""
    row_a = list_of(patches, a, d_a)
    row_b = list_of(patches, b, d_b)
    ask_for_first(patches, a, row_a)
    ask_for_first(patches, b, row_b)
    return farthest(patches, a, d_a, row_a), farthest(patches, b, d_b, row_b)


@kernel
def singles_noise(node_a, node_b):
    """Return what the reaches of two roots' corners, computed in single precision, can be off, added up.

    A corner is rounded once, the direction once, and a dot product has three products and two sums, so it is off by
    less than 6 units (2^-24) of the corner's distance from the root's centre, at most the root's radius; a cell may
    leave out a corner that is farther by 2^-45 of it. 16 units of both radii cover these.
    """
    return 16.0 * 2.0**-24 * (np.float64(node_a["radius"]) + np.float64(node_b["radius"])) + 2.0**-120


def no_patches(nodes: int) -> SupportPatches:
    """Return what stands for a hierarchy of so many nodes of which no corners are kept."""
    corners, cells = np.zeros((0, 3, SINGLES), np.float32), np.zeros((0, ROW), np.int32)
    return SupportPatches(np.zeros((nodes, SPAN), np.int32), corners, cells)


def joined(parts: Sequence[SupportPatches]) -> SupportPatches:
    """Return the patches of several hierarchies as one table, numbered from where they lie in it.

    Corners and cells that are all there is are not copied: of one large mesh among small ones 100 bytes a triangle.
    """
    parts = [no_patches(0), *parts]
    spans = np.concatenate([part.spans for part in parts])
    node = patch = cell = 0
    for part in parts:
        own = spans[node : node + len(part.spans)]
        if len(part.corners):
            own[:, PLACE] += np.int32(patch)
            own[:, CELL] += np.int32(cell)
        node, patch, cell = node + len(own), patch + len(part.corners) // 2, cell + len(part.cells)
    holding = [part for part in parts if len(part.corners)]
    if len(holding) == 1:
        return holding[0]._replace(spans=spans)
    corners = np.concatenate([p.corners for p in parts], out=_from_a_line((2 * patch, 3, SINGLES), np.float32))
    return SupportPatches(
        spans, corners, np.concatenate([p.cells for p in parts], out=_from_a_line((cell, ROW), np.int32))
    )


def _from_a_line(shape: tuple[int, ...], kind: type[Number]) -> NDArray[Number]:
    """Return zeros that start with a line of the processor's cache: no row of a power of two bytes lies on two."""
    size = math.prod(shape) * np.dtype(kind).itemsize
    raw = np.zeros(size + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + size].view(kind).reshape(shape)
