"""A binary heap of (time, pair, node, node, direction): the earliest first, items of one pair and time in a row.

The order is total: two nodes of a pair wait once, so (time, pair, node, node) tells all items apart, and what comes out
next depends on what is in the heap, not on how it got there.
"""

import numpy as np

from tocsin.compiler.jit import kernel

ITEM = np.dtype(
    [
        ("time", "f8"),
        ("pair", "i4"),
        ("a", "i4"),
        ("b", "i4"),
        ("warm_start", "f4", 3),  # the last separating direction, in the common ancestor's frame; 0: none is known
        ("opened", "i4"),  # its hulls were in vain: only what is below it matters
    ],
    align=True,
)


@kernel
def before(time, pair, a, b, item):
    """Does (time, pair, a, b) come before the item?"""
    other = item["time"]
    if time != other:
        return time < other
    if pair != item["pair"]:
        return pair < item["pair"]
    return a < item["a"] or (a == item["a"] and b < item["b"])


@kernel
def sooner(item, other):
    """Does an item come before another?"""
    return before(item["time"], item["pair"], item["a"], item["b"], other)


@kernel
def push(heap, size, time, pair, a, b, warm_start, opened):
    """Add an item; return the new size. The caller has made sure that there is room."""
    i = size
    while i > 0:
        up = (i - 1) >> 1
        if not before(time, pair, a, b, heap[up]):
            break
        heap[i] = heap[up]
        i = up
    item = heap[i]
    item["time"] = time
    item["pair"] = pair
    item["a"] = a
    item["b"] = b
    item["opened"] = opened
    for k in range(3):
        item["warm_start"][k] = warm_start[k]
    return size + 1


@kernel
def drop_first(heap, size):
    """Remove the earliest item; return the new size."""
    size -= 1
    i = 0
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and sooner(heap[child + 1], heap[child]):
            child += 1
        if not sooner(heap[child], heap[size]):
            break
        heap[i] = heap[child]
        i = child
    heap[i] = heap[size]
    return size


@kernel
def grown(heap):
    """Return a copy of the heap with twice the room."""
    bigger = np.zeros(2 * heap.shape[0], dtype=ITEM)
    for i in range(heap.shape[0]):
        bigger[i] = heap[i]
    return bigger
