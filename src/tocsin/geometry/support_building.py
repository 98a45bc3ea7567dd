"""How the corners below every node are laid out in patches, and their cells filled: on all cores, the same bits always.

What patches and cells are for: `geometry.support_patches`.
"""

import numpy as np
from numpy.typing import NDArray

from tocsin import vec
from tocsin._types import Faces, IntArray, NodeTable, Vectors
from tocsin.compiler.jit import kernel
from tocsin.compiler.progress import preparing
from tocsin.compiler.threads import on_cores
from tocsin.geometry.support_cells import COUNT as OF_PATCHES
from tocsin.geometry.support_cells import FACE, FILLED, FIRST, boxes_of, fill_faces
from tocsin.geometry.support_cells import GRID as GRID_OF
from tocsin.geometry.support_cells import PLACE as PLACE_OF
from tocsin.geometry.support_patches import CELL, CORNERS, COUNT, FEW, GRID, PLACE, SPAN, WHICH, SupportPatches
from tocsin.geometry.support_table import ROW, grid_of
from tocsin.geometry.tree import MAX_DEPTH
from tocsin.simd.lanes import SINGLES

SHARES = 64
"""Into so many pieces of about equal work the faces of all nodes are cut."""


def are_support_patches(patches: SupportPatches) -> bool:
    """Do all nodes refer to patches and cells that are there? Asked of what comes from a file."""
    return spans_fit(patches.spans, len(patches.corners), len(patches.cells))


@kernel
def spans_fit(spans, groups, rows):
    """Do spans lie within so many groups of eight corners, and so many rows of cells?"""
    for i in range(spans.shape[0]):
        for k in range(SPAN):
            if spans[i, k] < 0:
                return False
        grid = np.int64(spans[i, GRID])
        if (
            spans[i, COUNT] == 0
            or 2 * (np.int64(spans[i, PLACE]) + np.int64(spans[i, COUNT])) > groups
            or spans[i, WHICH] >= 2**CORNERS
            or np.int64(spans[i, CELL]) + 6 * grid * grid > rows
        ):
            return False
    return True


@kernel
def corners_of(nodes, faces, node, found):
    """Return how many different corners the triangles below a node have, and write them; CORNERS + 1 if too many."""
    stack = np.zeros(2 * MAX_DEPTH, np.int32)
    stack[0] = node
    top = 1
    n = 0
    while top > 0:
        top -= 1
        i = stack[top]
        if nodes[i]["count"] <= 0:
            stack[top] = nodes[i]["first"] + 1
            stack[top + 1] = nodes[i]["first"]
            top += 2
            continue
        for c in range(3):
            v = faces[nodes[i]["first"], c]
            new = True
            for k in range(n):
                if found[k] == v:
                    new = False
            if new and n == CORNERS:
                return CORNERS + 1
            if new:
                found[n] = v
                n += 1
    return n


@kernel
def collect(nodes, faces, spans):
    """Write the patches into `spans`; return the corners of each, (n, CORNERS), filled up with the first, and n.

    Patches are numbered in the order of the tree, so that those below a node follow each other.
    """
    table = np.zeros((nodes.shape[0] // 2 + 1, CORNERS), np.int32)
    found = np.zeros(CORNERS, np.int32)
    part = np.zeros(CORNERS, np.int32)
    below = np.zeros(2 * MAX_DEPTH, np.int32)
    stack = np.zeros(2 * MAX_DEPTH, np.int32)
    top = 1
    n = 0
    while top > 0:
        top -= 1
        node = stack[top]
        count = corners_of(nodes, faces, node, found)
        if count > CORNERS:
            stack[top] = nodes[node]["first"] + 1
            stack[top + 1] = nodes[node]["first"]
            top += 2
            continue
        for k in range(CORNERS):
            table[n, k] = found[k] if k < count else found[0]
        below[0] = node
        low = 1
        while low > 0:
            low -= 1
            i = below[low]
            which = 0
            for j in range(corners_of(nodes, faces, i, part)):
                for k in range(count):
                    if found[k] == part[j]:
                        which |= 1 << k
            spans[i, PLACE] = n
            spans[i, COUNT] = 1
            spans[i, WHICH] = which
            if nodes[i]["count"] <= 0:
                below[low] = nodes[i]["first"] + 1
                below[low + 1] = nodes[i]["first"]
                low += 2
        n += 1
    # Children come after their parents.
    for i in range(nodes.shape[0] - 1, -1, -1):
        if spans[i, COUNT] == 0:
            k = nodes[i]["first"]
            spans[i, PLACE] = min(spans[k, PLACE], spans[k + 1, PLACE])
            spans[i, COUNT] = spans[k, COUNT] + spans[k + 1, COUNT]
            spans[i, WHICH] = 2**CORNERS - 1
    return table, n


@kernel
def one_for_all(points, faces, center):
    """Return the triangles by corners of which no two are in one place, seen from the centre in single precision.

    One stands for all that are there, of which soups have thousands: lists would name each of them.
    """
    m = points.shape[0]
    size = 8
    while size < 2 * m:
        size *= 2
    slots = np.full(size, -1, np.int32)
    places = np.zeros((m, 3), np.float32)
    for v in range(m):
        for i in range(3):
            places[v, i] = points[v, i] - center[i] + 0.0  # -0 is 0
    words = places.view(np.int32)
    number = np.zeros(m, np.int32)
    for v in range(m):
        key = np.int64(0)
        for i in range(3):
            key = (key * 73 + words[v, i]) & 0xFFFFFFFFFF
        key = (key ^ (key >> 15) ^ (key >> 27)) & 0x3FFFFFFF
        slot = (key * 2654435761 >> 16) & (size - 1)
        while slots[slot] >= 0 and not same_place(words, slots[slot], v):
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = v
        number[v] = slots[slot]
    out = np.zeros((faces.shape[0], 3), np.int32)
    for f in range(faces.shape[0]):
        for c in range(3):
            out[f, c] = number[faces[f, c]]
    return out


@kernel
def same_place(places, a, b):
    """Are two points in one place?"""
    return places[a, 0] == places[b, 0] and places[a, 1] == places[b, 1] and places[a, 2] == places[b, 2]


@kernel
def lay_out(nodes, points, faces):
    """Return (spans, corners, vertices, rows): all but the cells, of which there are so many rows."""
    spans = np.zeros((nodes.shape[0], SPAN), np.int32)
    center = (np.float64(nodes[0]["center"][0]), np.float64(nodes[0]["center"][1]), np.float64(nodes[0]["center"][2]))
    table, n = collect(nodes, one_for_all(points, faces, center), spans)
    corners = np.zeros((2 * n, 3, SINGLES), np.float32)
    for p in range(n):
        for k in range(CORNERS):
            e = vec.sub(vec.load3(points, table[p, k]), center)
            for i in range(3):
                corners[2 * p + k // SINGLES, i, k % SINGLES] = e[i]
    rows = 0
    for i in range(spans.shape[0]):
        if spans[i, COUNT] > FEW:
            grid = grid_of(spans[i, COUNT])
            spans[i, CELL] = rows
            spans[i, GRID] = grid
            rows += 6 * grid * grid
    return spans, corners, table[:n].copy(), rows


def build_support_patches(nodes: NodeTable, points: Vectors, faces: Faces) -> SupportPatches:
    """Return the patches of a tree over triangles."""
    spans, corners, vertices, rows = lay_out(nodes, points, faces)
    cells = np.zeros((rows, ROW), np.int32)
    jobs = _faces_of_cubes(spans)
    work = np.cumsum(jobs[:, OF_PATCHES])
    shares = np.searchsorted(work, np.arange(1, SHARES) * (work[-1] / SHARES)) if rows else []
    parts = [part for part in np.split(jobs, np.unique(shares)) if len(part)]
    largest_first = sorted(range(len(parts)), key=lambda k: -int(parts[k][:, OF_PATCHES].max()))
    tables = corners, vertices, boxes_of(corners)
    with preparing("its support tables", len(faces)) as tell:
        made = on_cores(lambda k: fill_faces(tables, parts[k], cells, len(points)), largest_first, tell)
    longer = [made[largest_first.index(k)] for k in range(len(parts))]
    _number(cells, parts, longer)
    return SupportPatches(spans, corners, np.concatenate([cells, *longer]))


def _faces_of_cubes(spans: IntArray) -> NDArray[np.int64]:
    """Return the faces that are to be filled, in the order of their rows (`geometry.support_cells`)."""
    large = spans[spans[:, GRID] > 0].repeat(6, axis=0)
    face = np.tile(np.arange(6), len(large) // 6)
    jobs = np.zeros((len(large), FILLED), dtype=np.int64)
    jobs[:, PLACE_OF], jobs[:, OF_PATCHES], jobs[:, GRID_OF] = large[:, PLACE], large[:, COUNT], large[:, GRID]
    jobs[:, FIRST] = large[:, CELL] + face * jobs[:, GRID_OF] ** 2
    jobs[:, FACE] = face
    return jobs


def _number(cells: IntArray, parts: list[NDArray[np.int64]], longer: list[IntArray]) -> None:
    """Let every cell with a longer list say how many rows farther on it lies, once all lists lie behind the cells."""
    behind = len(cells)
    for part, lists in zip(parts, longer):
        first, last = part[0, FIRST], part[-1, FIRST] + part[-1, GRID_OF] ** 2
        long = first + np.flatnonzero(cells[first:last, 0] >= ROW)
        cells[long, 1] += (behind - long).astype(np.int32)
        behind += len(lists)
