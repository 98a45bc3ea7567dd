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

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tocsin._types import IntArray, SingleArray
from tocsin.compiler.jit import kernel
from tocsin.geometry.support_table import ROW, cell_of
from tocsin.simd.lanes import SINGLES, bits, lane, load_singles, select

CORNERS = 2 * SINGLES
"""Of a patch."""

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


@kernel
def farthest(patches, node, d):
    """Return (reach, group, k): how far the corners below a node reach along d from the root's centre, and which does.

    `reach` is the dot product of that corner, computed in single precision; how far it can be off: `singles_noise`.
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
    grid = spans[node, GRID]
    if grid == 0:
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
    row = np.int64(spans[node, CELL] + cell_of(np.float64(x), np.float64(y), np.float64(z), grid))
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
    corners = np.concatenate([part.corners for part in parts])
    return SupportPatches(spans, corners, np.concatenate([part.cells for part in parts]))
