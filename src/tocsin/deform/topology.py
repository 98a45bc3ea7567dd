"""What a deformable model is made of: elements, the edges they share, and which element speaks for which feature.

An element is a face, a loose edge or a loose point. Every vertex and every edge is represented by exactly one element,
so that a pair of elements stands for the feature pairs that its two elements represent, and each vertex-face and
edge-edge pair is tested once (the representative triangles that the 2010 paper compares itself with). A loose point is
an edge without length: so points meet edges and points through the edge-edge pairs.
"""

from typing import NamedTuple

import numpy as np

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


def make_elements(n: int, faces: np.ndarray, edges: np.ndarray, points: np.ndarray, same: np.ndarray) -> Elements:
    """Return the elements of a model with n vertices, in the order given."""
    corners = np.concatenate([faces, edges[:, [0, 1, 1]], np.repeat(points[:, None], 3, axis=1)]).astype(np.int32)
    m = len(corners)
    sides = np.stack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]], axis=1)
    counts = np.zeros((m, 3), bool)
    counts[: len(faces)] = True
    counts[len(faces) :, 0] = True
    where = np.nonzero(counts.reshape(-1))[0]
    given = np.sort(sides.reshape(-1, 2)[where], axis=1).astype(np.int64)
    keys, first = np.unique(given[:, 0] * n + given[:, 1], return_index=True)
    all_edges = np.stack([keys // max(n, 1), keys % max(n, 1)], axis=1).astype(np.int32)
    owned = np.full(3 * m, -1, np.int32)
    owned[where[first]] = np.arange(len(keys), dtype=np.int32)
    owns = np.zeros(m, np.uint8)
    _, speaker = np.unique(corners.reshape(-1), return_index=True)
    np.bitwise_or.at(owns, speaker // 3, (1 << (speaker % 3)).astype(np.uint8))
    owns[: len(faces)] |= FACE
    source = np.arange(m, dtype=np.int32)
    return Elements(corners, owned.reshape(m, 3), owns, source, all_edges, same)


def reordered(elements: Elements, order: np.ndarray) -> Elements:
    """Return the same elements in another order."""
    return elements._replace(
        corners=np.ascontiguousarray(elements.corners[order]),
        owned_edges=np.ascontiguousarray(elements.owned_edges[order]),
        owns=np.ascontiguousarray(elements.owns[order]),
        source=np.ascontiguousarray(elements.source[order]),
    )
