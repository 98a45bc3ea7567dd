"""How a hierarchy of boxes is built: top down, by compiled code in O(n log n), large ones on all cores.

Splits are at the mean along the longest axis, at the median where the mean would be lopsided, so that the depth stays
logarithmic. Where a node's descendants lie in the table follows from how many triangles are below it and its sibling:
the parts of a tree can be built in any order, by any number of threads, and the table has the same bits.
"""

import numpy as np

from tocsin import vec
from tocsin._types import Faces, NodeTable, Vectors
from tocsin.compiler.arrays import stable_order
from tocsin.compiler.jit import kernel
from tocsin.compiler.progress import preparing
from tocsin.compiler.threads import on_cores
from tocsin.geometry.tree import DEPTH, NODE, fit, node_axes

LARGE = 20_000
"""Triangles from which a tree is built in parts: 20 ms."""

PARTS = 32
"""A part has at most one of so many shares of the triangles."""

PLACE, BEGIN, END, LEVEL, FREE, ROW = 0, 1, 2, 3, 4, 5
"""Columns of what waits to be built: the node's place in the table, its stretch of triangles, how far it is from the
root, and from where on its descendants lie."""


@kernel
def is_tree(nodes):
    """Do these nodes refer to each other as those of a hierarchy over triangles do: children after parents, and every
    triangle in one leaf? Asked of what comes from a file."""
    n = nodes.shape[0]
    child = np.zeros(n + 1, np.uint8)
    triangle = np.zeros(n // 2 + 1, np.uint8)
    leaves = 0
    for i in range(n):
        first = nodes[i]["first"]
        if nodes[i]["count"] == 1:
            if first < 0 or first > n // 2 or triangle[first] > 0:
                return False
            triangle[first] = 1
            leaves += 1
        else:
            if nodes[i]["count"] != 0 or first <= i or first % 2 == 0 or first + 1 >= n or child[first] > 0:
                return False
            child[first] = 1
    return n % 2 == 1 and leaves == n // 2 + 1


@kernel
def centroid_along(points, faces, f, axis):
    """Return three times the centroid of triangle f along an axis."""
    s = vec.add(vec.load3(points, faces[f, 0]), vec.load3(points, faces[f, 1]))
    return vec.dot(axis, vec.add(s, vec.load3(points, faces[f, 2])))


@kernel
def partition(keys, order, begin, end, pivot):
    """Move the entries with key < pivot to the front of [begin, end); return the first index of the rest."""
    i = begin
    for k in range(begin, end):
        if keys[k] < pivot:
            keys[i], keys[k] = keys[k], keys[i]
            order[i], order[k] = order[k], order[i]
            i += 1
    return i


@kernel
def halvings(n):
    """Return how often n must be halved, rounding up, until 1 is left: the least depth of a tree of n leaves."""
    depth = 0
    while n > 1:
        n -= n // 2
        depth += 1
    return depth


@kernel
def split(points, faces, order, keys, begin, end, axis, levels):
    """Split order[begin:end] in two along an axis: at the mean, or at the median if that is lopsided.

    Lopsided are parts of an eighth, and parts too large for a tree of `levels` levels.
    """
    total = 0.0
    for k in range(begin, end):
        keys[k] = centroid_along(points, faces, order[k], axis)
        total += keys[k]
    n = end - begin
    middle = partition(keys, order, begin, end, total / n)
    larger = max(middle - begin, end - middle)
    if n - larger < n // 8 + 1 or halvings(larger) > levels:
        rank = stable_order(keys[begin:end])
        sorted_order = order[begin:end][rank]
        for k in range(n):
            order[begin + k] = sorted_order[k]
        middle = begin + n // 2
    return middle


@kernel
def open_node(nodes, points, faces, order, keys, stack, top):
    """Build the node in row `top` of a stack, and put its children there and behind; return the stack's height.

    Claim: no leaf is more than DEPTH below the root. Proof: every node of depth d and n triangles has d + halvings(n)
    <= DEPTH. The root has, as n < 2^31. Its children have if they pass the test in `split`; if they do not they are the
    two halves, and halvings((n + 1) // 2) = halvings(n) - 1.

    A node of n triangles has 2 n - 2 descendants. Its children come first, then all of the smaller part's, then all of
    the larger one's. The larger part lies below the smaller one on the stack: the stack then stays logarithmic.
    """
    node = stack[top, PLACE]
    begin = stack[top, BEGIN]
    end = stack[top, END]
    free = stack[top, FREE]
    below = stack[top, LEVEL] + 1
    fit(nodes, node, points, faces, order, begin, end)
    box = nodes[node]
    if end - begin == 1:
        box["first"] = order[begin]
        box["count"] = 1
        return top
    axis = 0
    for i in range(1, 3):
        if box["half"][i] > box["half"][axis]:
            axis = i
    axes = node_axes(box)
    direction = axes[0] if axis == 0 else (axes[1] if axis == 1 else axes[2])
    middle = split(points, faces, order, keys, begin, end, direction, DEPTH - below)
    box["first"] = free
    box["count"] = 0
    left_first = middle - begin >= end - middle
    smaller = min(middle - begin, end - middle)
    for part in range(2):
        left = (part == 0) == left_first
        row = top + part
        stack[row, PLACE] = free if left else free + 1
        stack[row, BEGIN] = begin if left else middle
        stack[row, END] = middle if left else end
        stack[row, LEVEL] = below
        stack[row, FREE] = free + 2 * smaller if part == 0 else free + 2
    return top + 2


@kernel
def build_below(nodes, points, faces, order, keys, row):
    """Build a node that waits (columns as above) and all below it, each level in O(n log n) at most."""
    stack = np.zeros((DEPTH + 2, ROW), dtype=np.int64)
    for k in range(ROW):
        stack[0, k] = row[k]
    top = 1
    while top > 0:
        top = open_node(nodes, points, faces, order, keys, stack, top - 1)


@kernel
def build_triangles(points, faces):
    """Return the nodes of the tree over all triangles."""
    m = faces.shape[0]
    nodes = np.zeros(2 * m - 1, dtype=NODE)
    row = np.zeros(ROW, dtype=np.int64)
    row[END] = m
    row[FREE] = 1
    build_below(nodes, points, faces, np.arange(m).astype(np.int32), np.zeros(m), row)
    return nodes


def build_tree(points: Vectors, faces: Faces) -> NodeTable:
    """Return the same nodes; those of large meshes are built on all cores.

    First the nodes of more than one share of PARTS are opened, level by level, then what is below each of the others is
    built. Two rows that wait have no triangle and no node in common, so threads write to different places.
    """
    m = len(faces)
    if m < LARGE:
        return build_triangles(points, faces)
    nodes = np.zeros(2 * m - 1, dtype=NODE)
    order, keys = np.arange(m, dtype=np.int32), np.zeros(m)

    def opened(row: np.ndarray) -> np.ndarray:
        stack = np.zeros((2, ROW), dtype=np.int64)
        stack[0] = row
        return stack[: open_node(nodes, points, faces, order, keys, stack, 0)]

    waiting = np.zeros((1, ROW), dtype=np.int64)
    waiting[0, END], waiting[0, FREE] = m, 1
    small = []
    while len(waiting):
        is_large = waiting[:, END] - waiting[:, BEGIN] > m // PARTS
        small += list(waiting[~is_large])
        found = on_cores(opened, list(waiting[is_large]))
        waiting = np.concatenate([waiting[:0], *found])
    small.sort(key=lambda row: int(row[BEGIN] - row[END]))
    with preparing("its hierarchy", m) as tell:
        on_cores(lambda row: build_below(nodes, points, faces, order, keys, row), small, tell)
    return nodes
