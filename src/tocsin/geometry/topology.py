"""Which triangles share edges: the connectivity of a soup, by numbers of corner positions.

Half-edge h = 3 f + k is the side of face f from its corner k to corner k + 1. Half-edges over the same pair of
corners, in either direction and however many there are, form one ring.
"""

from typing import NamedTuple

import numpy as np

from tocsin._types import Counts, Faces, Indices
from tocsin.compiler.jit import kernel


class HalfEdges(NamedTuple):
    """The rings of half-edges."""

    next_around: Indices
    """(3m,) int32: the next half-edge over the same edge, cyclically; itself for an open edge or a collapsed side."""
    uses: Counts
    """(e,) int64: how many half-edges each edge has, collapsed sides (both ends the same corner) left out."""


def half_edges(corners: Faces, count: int) -> HalfEdges:
    """Return the rings of an (m, 3) array of corner numbers below `count`, in O(m log m)."""
    tails = corners.ravel().astype(np.int64)
    heads = np.roll(corners, -1, axis=1).ravel().astype(np.int64)
    next_around = np.arange(len(tails), dtype=np.int32)
    real = np.flatnonzero(tails != heads)
    if len(real) == 0:
        return HalfEdges(next_around, np.zeros(0, dtype=np.int64))
    tails, heads = tails[real], heads[real]
    key = np.minimum(tails, heads) * count + np.maximum(tails, heads)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    uses = np.diff(np.append(starts, len(order)))
    following = np.arange(1, len(order) + 1)
    following[starts + uses - 1] = starts
    next_around[real[order]] = real[order][following]
    return HalfEdges(next_around, uses)


def label_faces(corners: Faces, count: int) -> Indices:
    """Return (m,) int32 labels of edge-connected groups of faces, numbered in the order of their first face."""
    return _flood(half_edges(corners, count).next_around, len(corners))


@kernel
def _flood(next_around, n):
    """Label faces by walking over the rings.

    One step on each ring is enough: rings are cycles, so whoever is reached takes the next step, and all of a ring is
    reached from any part of it. Each face that walked around its whole rings would take n squared steps on a fan.
    """
    labels = np.full(n, -1, dtype=np.int32)
    stack = np.zeros(n, dtype=np.int32)
    found = 0
    for seed in range(n):
        if labels[seed] >= 0:
            continue
        labels[seed] = found
        stack[0] = seed
        top = 1
        while top > 0:
            top -= 1
            face = stack[top]
            for h in range(3 * face, 3 * face + 3):
                other = next_around[h] // 3
                if labels[other] < 0:
                    labels[other] = found
                    stack[top] = other
                    top += 1
        found += 1
    return labels
