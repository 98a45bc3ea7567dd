"""A mesh in halves, quarters and so on, by a rule that a checker can follow without being told; each part in a hull.

The rule: along the axis of the mesh's own frame on which the box of a part's corners is longest (the first of equal
ones), its triangles are sorted by the sum of their corners, ties by their number; the first half, rounded down, is one
part and the rest the other. Nothing sound rests on it: whatever is halved, every triangle is in one of the halves.

The hull of a part is that of a few of its corners grown by a radius. The radius is at least the distance of every other
corner from the hull of the few, by a witness (as in `geometry.proxy`), so what is proven apart is apart as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance
from tocsin.geometry.proxy import sphere_directions

if TYPE_CHECKING:
    from tocsin.geometry.shape import Shape

PART = np.dtype(
    [
        ("half", "i4"),  # its first half; the other one is right behind that. -1: it has none
        ("point", "i4"),  # the corners of its hull, in the link's frame
        ("points", "i4"),
        ("triangles", "i4"),
        ("radius", "f8"),
        ("disk", "f8"),
        ("reach", "f8"),  # no point of it is farther from the link's origin
        ("size", "f8"),  # about its diagonal
        ("center", "f8", 3),
        ("girth", "f8"),  # no point of it is farther from the center
        ("span", "f8", 3),  # nor, along the axes of the link's frame, than this
    ],
    align=True,
)

FEW = 24
"""Corners that are all kept."""

DIRECTIONS = sphere_directions(26)
"""Of more, those that are farthest along these."""


class Parts(NamedTuple):
    """The parts of one shape, the whole first, and the table of their corners."""

    parts: np.ndarray
    points: np.ndarray


@kernel
def excess(points, corners, kept, count, simplex, probe):
    """Return how far any of the corners is from the hull of the first `count` rows of `kept`, at most, up to
    rounding."""
    pose = (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
    worst = 0.0
    guess = (1.0, 0.0, 0.0)
    for i in range(corners.shape[0]):
        for k in range(3):
            probe[0, k] = points[corners[i], k]
        guess = (probe[0, 0] - kept[0, 0], probe[0, 1] - kept[0, 1], probe[0, 2] - kept[0, 2])
        found = convex_distance(
            kept, (0, count, 0.0, 0.0), probe, (0, 1, 0.0, 0.0), pose, guess, simplex, (0.0, 0.0, 1.0)
        )
        worst = max(worst, found[1])
    return worst


@kernel
def write_hull(part, points, corners, table, first, directions, simplex, probe):
    """Write the corners of a part's hull into the table from row `first` on; fill in its record; return how many."""
    n = corners.shape[0]
    reach = 0.0
    low = np.full(3, np.inf)
    high = np.full(3, -np.inf)
    for i in range(n):
        square = 0.0
        for c in range(3):
            x = points[corners[i], c]
            square += x * x
            low[c] = min(low[c], x)
            high[c] = max(high[c], x)
        reach = max(reach, square)
    part["reach"] = np.sqrt(reach) * (1.0 + 2.0**-45)
    part["size"] = np.sqrt(((high - low) ** 2).sum())
    for c in range(3):
        part["center"][c] = 0.5 * (low[c] + high[c])
        part["span"][c] = 0.5 * (high[c] - low[c]) * (1.0 + 2.0**-40)
    girth = 0.0
    for i in range(n):
        square = 0.0
        for c in range(3):
            square += (points[corners[i], c] - part["center"][c]) ** 2
        girth = max(girth, square)
    part["girth"] = np.sqrt(girth) * (1.0 + 2.0**-20)
    part["point"] = first
    part["disk"] = 0.0
    part["radius"] = 0.0
    count = n
    if n <= FEW:
        for i in range(n):
            for c in range(3):
                table[first + i, c] = points[corners[i], c]
    else:
        chosen = np.full(n, False)
        for d in range(directions.shape[0]):
            best = -np.inf
            at = 0
            for i in range(n):
                p = corners[i]
                s = points[p, 0] * directions[d, 0] + points[p, 1] * directions[d, 1] + points[p, 2] * directions[d, 2]
                if s > best:
                    best = s
                    at = i
            chosen[at] = True
        count = 0
        for i in range(n):
            if chosen[i]:
                for c in range(3):
                    table[first + count, c] = points[corners[i], c]
                count += 1
        away = excess(points, corners, table[first : first + count], count, simplex, probe)
        part["radius"] = (away + 2.0**-45 * part["reach"]) * (1.0 + 2.0**-40)
    part["points"] = count
    return count


@kernel
def corners_of(faces, order, lo, hi):
    """Return the corners of the triangles order[lo:hi], each once, in order."""
    found = np.zeros(3 * (hi - lo), np.int64)
    for i in range(lo, hi):
        for k in range(3):
            found[3 * (i - lo) + k] = faces[order[i], k]
    return np.unique(found)


@kernel
def halve(vertices, faces, corners, order, lo, hi):
    """Sort order[lo:hi], so that its first half is the first half of the part; return where the rest begins."""
    axis = 0
    longest = -1.0
    for c in range(3):
        low = np.inf
        high = -np.inf
        for i in range(corners.shape[0]):
            low = min(low, vertices[corners[i], c])
            high = max(high, vertices[corners[i], c])
        if high - low > longest:
            longest = high - low
            axis = c
    own = np.sort(order[lo:hi])
    keys = np.zeros(hi - lo)
    for i in range(hi - lo):
        f = own[i]
        keys[i] = (vertices[faces[f, 0], axis] + vertices[faces[f, 1], axis]) + vertices[faces[f, 2], axis]
    sort = np.argsort(keys, kind="mergesort")
    for i in range(hi - lo):
        order[lo + i] = own[sort[i]]
    return lo + (hi - lo) // 2


@kernel
def build(vertices, faces, points, directions, parts, table):
    """Fill the records of all parts of a mesh and the table of their corners; return how many corners there are.

    `vertices` in the frame of the mesh, where it is halved; `points` the same in the link's.
    """
    n = faces.shape[0]
    order = np.arange(n)
    ranges = np.zeros((parts.shape[0], 2), np.int64)
    ranges[0, 1] = n
    simplex = np.zeros((4, 9))
    probe = np.zeros((1, 3))
    made = 1
    used = 0
    for i in range(parts.shape[0]):
        lo = ranges[i, 0]
        hi = ranges[i, 1]
        corners = corners_of(faces, order, lo, hi)
        used += write_hull(parts[i], points, corners, table, used, directions, simplex, probe)
        parts[i]["triangles"] = hi - lo
        parts[i]["half"] = -1
        if hi - lo > 1:
            middle = halve(vertices, faces, corners, order, lo, hi)
            parts[i]["half"] = made
            ranges[made, 0] = lo
            ranges[made, 1] = middle
            ranges[made + 1, 0] = middle
            ranges[made + 1, 1] = hi
            made += 2
    return used


def parts_of(shape: Shape) -> Parts:
    """Return the parts of a shape; a convex solid is one."""
    if not shape.is_mesh:
        part = np.zeros(1, PART)
        part["half"], part["points"], part["triangles"] = -1, len(shape.proxy), 1
        part["radius"], part["disk"], part["reach"], part["size"] = (
            shape.radius,
            shape.disk,
            shape.reach,
            shape.diagonal,
        )
        center = 0.5 * (shape.proxy.min(axis=0) + shape.proxy.max(axis=0))
        away = float(np.sqrt(((shape.proxy - center) ** 2).sum(axis=1).max())) + shape.radius + shape.disk
        part["center"], part["girth"] = center, away * (1.0 + 2.0**-20)
        part["span"] = (np.ptp(shape.proxy, axis=0) * 0.5 + shape.radius + shape.disk) * (1.0 + 2.0**-40)
        return Parts(part, np.concatenate([shape.proxy, shape.axis]))
    n = len(shape.faces)
    parts = np.zeros(2 * n - 1, PART)
    table = np.zeros((20 * n + 64, 3))  # three a triangle on the four lowest levels, FEW or 32 a part above
    used = build(shape.mesh().vertices, shape.faces, shape.points, DIRECTIONS, parts, table)
    return Parts(parts, np.ascontiguousarray(table[:used]))
