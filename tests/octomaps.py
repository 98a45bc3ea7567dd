"""Octomaps as OctoMap writes them: the trees of sets of cells, by the format's definition."""

import numpy as np


def encoded(cells, low=(0, 0, 0), depth=16):
    """Return the tree of a set of cells, recursively, as the format says; full cubes are one leaf."""
    half = 1 << (depth - 1)
    bits, below = 0, b""
    for i in range(8):
        corner = tuple(low[k] + half * (i >> k & 1) for k in range(3))
        inside = {c for c in cells if all(corner[k] <= c[k] < corner[k] + half for k in range(3))}
        if len(inside) == half**3:
            bits |= 2 << 2 * i
        elif inside:
            bits |= 3 << 2 * i
            below += encoded(inside, corner, depth - 1)
        elif i == 3:
            bits |= 1 << 2 * i  # seen to be free
    return bits.to_bytes(2, "little") + below


def full(cells, colour=b"", low=(0, 0, 0), depth=16):
    """Return the full tree of a set of cells, every node with its log-odds; cells beside them were seen to be free."""
    side = 1 << depth
    if len(cells) == side**3 or not cells:
        odds = 0.0 if depth % 2 else 3.5
        return np.array(odds if cells else -0.4, "<f4").tobytes() + colour + b"\0"
    children, below = 0, b""
    for i in range(8):
        corner = tuple(low[k] + (side // 2) * (i >> k & 1) for k in range(3))
        inside = {c for c in cells if all(corner[k] <= c[k] < corner[k] + side // 2 for k in range(3))}
        if inside or i == 3:
            children |= 1 << i
            below += full(inside, colour, corner, depth - 1)
    return np.array(9.0, "<f4").tobytes() + colour + bytes([children]) + below
