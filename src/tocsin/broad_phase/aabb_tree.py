"""Trees of axis-aligned boxes: over what stands (built once), and over the links of a moving model (every query).

A box is six numbers: lo x y z, hi x y z. The tree over standing shapes is built top down and kept. The tree over a
moving model is the dynamic hierarchy of [CATCH 5.2]: leaves in the order of the links, so that neighbours in the chain
share a parent, boxes joined bottom up; leaf i of n is node `leaves + i`, node k has children 2k and 2k + 1, node 1 is
the root.
"""

import math

import numpy as np

from tocsin.compiler.arrays import copy_row, stable_order
from tocsin.compiler.jit import kernel


@kernel
def apart(boxes_a, i, boxes_b, k):
    """Are two boxes disjoint? Boxes that only touch are not."""
    return (
        boxes_a[i, 0] > boxes_b[k, 3]
        or boxes_a[i, 3] < boxes_b[k, 0]
        or boxes_a[i, 1] > boxes_b[k, 4]
        or boxes_a[i, 4] < boxes_b[k, 1]
        or boxes_a[i, 2] > boxes_b[k, 5]
        or boxes_a[i, 5] < boxes_b[k, 2]
    )


@kernel
def leaf_slots(n):
    """Return the number of leaves of the dynamic tree over n boxes: the next power of two, at least 1."""
    slots = 1
    while slots < n:
        slots *= 2
    return slots


@kernel
def join_up(boxes, first, slots):
    """Fill the inner boxes of the dynamic tree at rows first .. first + 2 room - 1 from its leaves [CATCH 5.2]."""
    for k in range(slots - 1, 0, -1):
        left = first + 2 * k
        for c in range(3):
            boxes[first + k, c] = min(boxes[left, c], boxes[left + 1, c])
            boxes[first + k, 3 + c] = max(boxes[left, 3 + c], boxes[left + 1, 3 + c])


@kernel
def clear_leaves(boxes, first, slots, used):
    """Make the unused leaves of a dynamic tree empty: boxes that overlap nothing."""
    for k in range(first + slots + used, first + 2 * slots):
        for c in range(3):
            boxes[k, c] = math.inf
            boxes[k, 3 + c] = -math.inf


@kernel
def refit(boxes, child, leaf_boxes):
    """Fill the boxes of a tree from those of its leaves, children, which come after their parent, first."""
    for k in range(child.shape[0] - 1, -1, -1):
        left = child[k]
        if left < 0:
            copy_row(boxes, k, leaf_boxes, ~left)
            continue
        for c in range(3):
            boxes[k, c] = min(boxes[left, c], boxes[left + 1, c])
            boxes[k, 3 + c] = max(boxes[left, 3 + c], boxes[left + 1, 3 + c])


@kernel
def build_static(leaf_boxes):
    """Return (boxes, child): a tree over n boxes. child[k] >= 0: children child[k] and next, else leaf ~child[k]."""
    n = leaf_boxes.shape[0]
    boxes = np.zeros((max(2 * n - 1, 1), 6))
    if n == 0:
        child = np.full(1, -1, np.int32)
        for c in range(3):
            boxes[0, c] = math.inf
            boxes[0, 3 + c] = -math.inf
        return boxes, child
    child = build_order(leaf_boxes)
    refit(boxes, child, leaf_boxes)
    return boxes, child


@kernel
def build_order(leaf_boxes):
    """Return the children of a tree over n > 0 boxes: halves of equal number along the axis on which they spread most.

    Boxes that hold nothing, whose ends are the wrong way around, are taken to be at the origin.
    """
    n = leaf_boxes.shape[0]
    child = np.zeros(2 * n - 1, np.int32)
    middles = np.zeros((n, 3))
    for k in range(n):
        for c in range(3):
            if leaf_boxes[k, c] <= leaf_boxes[k, 3 + c]:
                middles[k, c] = leaf_boxes[k, c] + leaf_boxes[k, 3 + c]
    order = np.arange(n)
    ranges = np.zeros((2 * n, 3), dtype=np.int64)
    ranges[0, 2] = n
    top = 1
    free = 1
    while top > 0:
        top -= 1
        node = ranges[top, 0]
        begin = ranges[top, 1]
        end = ranges[top, 2]
        if end - begin == 1:
            child[node] = ~order[begin]
            continue
        sort_along(order[begin:end], middles)
        middle = (begin + end) // 2
        child[node] = free
        ranges[top, 0] = free
        ranges[top, 1] = begin
        ranges[top, 2] = middle
        ranges[top + 1, 0] = free + 1
        ranges[top + 1, 1] = middle
        ranges[top + 1, 2] = end
        top += 2
        free += 2
    return child


@kernel
def sort_along(order, middles):
    """Sort the numbers of boxes by their middles, along the axis on which these spread most."""
    axis = 0
    widest = -1.0
    for c in range(3):
        low = math.inf
        high = -math.inf
        for k in range(order.shape[0]):
            low = min(low, middles[order[k], c])
            high = max(high, middles[order[k], c])
        if high - low > widest:
            widest = high - low
            axis = c
    keys = np.zeros(order.shape[0])
    for k in range(order.shape[0]):
        keys[k] = middles[order[k], axis]
    rank = stable_order(keys)
    part = order.copy()
    for k in range(order.shape[0]):
        order[k] = part[rank[k]]
