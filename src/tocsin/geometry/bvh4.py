"""A hierarchy made four wide: up to four descendants of a node side by side, ready to be tested at once.

A row of `quads` holds the boxes of four nodes, in the order and precision of `NODE`, number by number: (FIELDS, 4). The
four are found by opening the largest of a node's descendants until there are four. Unused lanes are points very far
away, done at once, and have no entry in `kids`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tocsin._types import IntArray, NodeTable, SingleArray
from tocsin.compiler.jit import kernel
from tocsin.geometry.tree import MAX_DEPTH, NODE
from tocsin.simd import lanes

CENTER, AXES, HALF, REACH, RADIUS, FIELDS = 0, 3, 9, 12, 13, 14
"""Rows of a quad: where each field of a node starts, and how many there are."""

FAR_AWAY = 2.0**120
"""Where unused lanes are (metres): beyond every length that is let in."""


class BVH4(NamedTuple):
    """A hierarchy with its quads."""

    nodes: NodeTable
    """As in the binary tree, but `count` is -1 - q for an inner node that has the quad q."""
    quads: SingleArray
    """(n, FIELDS, 4) single precision."""
    kids: IntArray
    """(n, 4): twice the node of each lane, plus one for a leaf; -1 for an unused lane."""


@kernel
def write_lane(quad, k, node):
    """Copy a node's box into lane k."""
    for i in range(3):
        quad[CENTER + i, k] = node["center"][i]
        quad[AXES + i, k] = node["axes"][0, i]
        quad[AXES + 3 + i, k] = node["axes"][1, i]
        quad[HALF + i, k] = node["half"][i]
    quad[REACH, k] = node["reach"]
    quad[RADIUS, k] = node["radius"]


@kernel
def fill_quads(nodes, quads, kids):
    """Write the quads of a tree, the root's first, and their numbers into the nodes; return how many there are."""
    if nodes[0]["count"] > 0:
        return 0
    stack = np.zeros(3 * MAX_DEPTH + 4, dtype=np.int32)
    top = 1
    n = 0
    while top > 0:
        top -= 1
        node = stack[top]
        kids[n, 0] = nodes[node]["first"]
        kids[n, 1] = kids[n, 0] + 1
        count = 2
        while count < 4:
            largest = -1
            for k in range(count):
                kid = nodes[kids[n, k]]
                if kid["count"] <= 0 and (largest < 0 or kid["radius"] > nodes[kids[n, largest]]["radius"]):
                    largest = k
            if largest < 0:
                break
            first = nodes[kids[n, largest]]["first"]
            kids[n, largest] = first
            kids[n, count] = first + 1
            count += 1
        for k in range(count):
            kid = kids[n, k]
            write_lane(quads[n], k, nodes[kid])
            leaf = nodes[kid]["count"] > 0
            if not leaf:
                stack[top] = kid
                top += 1
            kids[n, k] = 2 * kid + (1 if leaf else 0)
        for k in range(count, 4):
            kids[n, k] = -1
            quads[n, CENTER, k] = FAR_AWAY
        nodes[node]["count"] = -1 - n
        n += 1
    return n


@kernel
def shift(nodes, kids, node, face, quad):
    """Number nodes, triangles and quads of a tree from where they lie in a larger table."""
    for i in range(nodes.shape[0]):
        if nodes[i]["count"] > 0:
            nodes[i]["first"] += face
        else:
            nodes[i]["first"] += node
            nodes[i]["count"] -= quad
    for i in range(kids.shape[0]):
        for k in range(kids.shape[1]):
            if kids[i, k] >= 0:
                kids[i, k] += 2 * node


def make_bvh4(trees: Sequence[NodeTable], faces: Sequence[int] = (0,)) -> BVH4:
    """Return the wide trees of binary ones, one after the other; the triangles of each are numbered from `faces` on.

    Nothing is copied twice: a tree of millions of nodes is written where it stays.
    """
    total = sum(map(len, trees))
    nodes = _aligned(total)
    most = sum(len(tree) // 2 for tree in trees)
    quads = np.zeros((most, FIELDS, lanes.WIDTH), np.float32)
    kids = np.zeros((most, lanes.WIDTH), np.int32)
    node = quad = 0
    for tree, face in zip(trees, faces, strict=True):
        own = nodes[node : node + len(tree)]
        own.view(np.uint8)[:] = tree.view(np.uint8)  # as bytes: field by field takes ten times as long
        if len(tree):
            n = fill_quads(own, quads[quad:], kids[quad:])
            shift(own, kids[quad : quad + n], node, face, quad)
            quad += n
        node += len(tree)
    return BVH4(nodes, quads[:quad], kids[:quad])


def _aligned(count: int) -> NodeTable:
    """Return so many nodes, each at a multiple of its size, so that it is in one line of the processor's cache."""
    size = NODE.itemsize
    raw = np.zeros(size * (count + 1), np.uint8)
    start = -raw.ctypes.data % size
    return raw[start : start + size * count].view(NODE)
