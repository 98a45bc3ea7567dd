"""What a deformable model is made of: elements, the edges they share, and which element speaks for which feature.

An element is a face, a loose edge or a loose point. Every vertex and every edge is represented by exactly one element,
so that a pair of elements stands for the feature pairs that its two elements represent, and each vertex-face and
edge-edge pair is tested once (the representative triangles that [LOCAL VI] compares itself with). A loose point is an
edge without length: so points meet edges and points through the edge-edge pairs.
"""

from typing import NamedTuple

import numpy as np

from tocsin._types import Pairs
from tocsin.compiler.jit import kernel

FACE = 8
"""Bit of `owns`: the element is a face. Bits 0 to 2: it represents its corners."""


class Elements(NamedTuple):
    """Elements in the order of a hierarchy, and the edges by index."""

    corners: np.ndarray
    """(m, 3) vertices; a loose edge repeats its second, a loose point its only one."""
    owned_edges: np.ndarray
    """(m, 3) the edges from corner k to k + 1 that the element represents; -1 where another does."""
    owns: np.ndarray
    """(m,) bits."""
    source: np.ndarray
    """(m,) which element it is: faces first, then loose edges, then loose points, as given."""
    edges: np.ndarray
    """(k, 2) all edges, each once."""
    same: np.ndarray
    """(n,) for each vertex the first of those that count as one with it."""


@kernel
def by_number(numbers, order, n):
    """Return `order`, the places of `numbers` below n, sorted by them; places of the same number keep their order."""
    start = np.zeros(n + 1, dtype=np.int64)
    for place in order:
        start[numbers[place] + 1] += 1
    for k in range(n):
        start[k + 1] += start[k]
    out = np.zeros_like(order)
    for place in order:
        k = numbers[place]
        out[start[k]] = place
        start[k] += 1
    return out


@kernel
def represent(corners, n_faces, n, owned, owns):
    """Say which element represents which edge and vertex: the first that has it; return all edges, sorted.

    The first n_faces elements are faces; the others have one edge, from their first corner to the second.
    """
    m = corners.shape[0]
    low = np.zeros(3 * m, dtype=np.int32)
    high = np.zeros(3 * m, dtype=np.int32)
    sides = np.zeros(3 * m, dtype=np.int32)
    met = np.zeros(n, dtype=np.bool_)
    count = 0
    for e in range(m):
        if e < n_faces:
            owns[e] |= FACE
        for c in range(3):
            v = corners[e, c]
            w = corners[e, (c + 1) % 3]
            if not met[v]:
                met[v] = True
                owns[e] |= 1 << c
            if e < n_faces or c == 0:
                low[3 * e + c] = min(v, w)
                high[3 * e + c] = max(v, w)
                sides[count] = 3 * e + c
                count += 1
    order = by_number(low, by_number(high, sides[:count], n), n)
    edges = np.zeros((count, 2), dtype=np.int32)
    k = 0
    for side in order:
        if k == 0 or low[side] != edges[k - 1, 0] or high[side] != edges[k - 1, 1]:
            edges[k, 0] = low[side]
            edges[k, 1] = high[side]
            owned[side // 3, side % 3] = k
            k += 1
    return edges[:k].copy()


def make_elements(n: int, faces: np.ndarray, edges: np.ndarray, points: np.ndarray, same: np.ndarray) -> Elements:
    """Return the elements of a model with n vertices, in the order given."""
    corners = np.concatenate([faces, edges[:, [0, 1, 1]], np.repeat(points[:, None], 3, axis=1)]).astype(np.int32)
    m = len(corners)
    owned = np.full((m, 3), -1, np.int32)
    owns = np.zeros(m, np.uint8)
    all_edges: Pairs = represent(corners, len(faces), n, owned, owns)
    source = np.arange(m, dtype=np.int32)
    return Elements(corners, owned, owns, source, all_edges, same)


def directed(elements: Elements) -> np.ndarray:
    """Return (k, 2): the edges, each in the direction in which the element that represents it goes around."""
    out = elements.edges.copy()
    both = np.stack([elements.corners, np.roll(elements.corners, -1, axis=1)], axis=2)
    owned = elements.owned_edges >= 0
    out[elements.owned_edges[owned]] = both[owned]
    return out


def sides_of(elements: Elements) -> np.ndarray:
    """Return (m, 3): which edges are the sides of each element, in the order given; a loose one has its own thrice."""
    n = len(elements.same)
    faces = (elements.owns & FACE)[:, None] != 0
    first, second = elements.corners.astype(np.int64), np.roll(elements.corners, -1, axis=1).astype(np.int64)
    numbers = np.minimum(first, second) * n + np.maximum(first, second)
    numbers = np.where(faces, numbers, numbers[:, :1])
    return np.searchsorted(elements.edges.astype(np.int64) @ (n, 1), numbers)


def reordered(elements: Elements, order: np.ndarray) -> Elements:
    """Return the same elements in another order."""
    return elements._replace(
        corners=np.ascontiguousarray(elements.corners[order]),
        owned_edges=np.ascontiguousarray(elements.owned_edges[order]),
        owns=np.ascontiguousarray(elements.owns[order]),
        source=np.ascontiguousarray(elements.source[order]),
    )
