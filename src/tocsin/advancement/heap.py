"""A binary heap of (time, pair, node, node, direction): the earliest first, items of one pair and time in a row."""

import numpy as np

from tocsin._jit import kernel

ITEM = np.dtype(
    [
        ("time", "f8"),
        ("pair", "i4"),
        ("a", "i4"),
        ("b", "i4"),
        ("aim", "f4", 3),  # the last separating direction, in the common ancestor's frame; 0: none is known
        ("opened", "i4"),  # its hulls were in vain: only what is below it matters
    ],
    align=True,
)


@kernel
def before(time, pair, item):
    """Does (time, pair) come before the item?"""
    other = item["time"]
    return time < other or (time == other and pair < item["pair"])


@kernel
def push(heap, size, time, pair, a, b, aim, opened):
    """Add an item; return the new size. The caller has made sure that there is room."""
    i = size
    while i > 0:
        up = (i - 1) >> 1
        if not before(time, pair, heap[up]):
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
        item["aim"][k] = aim[k]
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
        if child + 1 < size and before(heap[child + 1]["time"], heap[child + 1]["pair"], heap[child]):
            child += 1
        if not before(heap[child]["time"], heap[child]["pair"], heap[size]):
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
