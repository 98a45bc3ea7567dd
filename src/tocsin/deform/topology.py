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


MOST_VERTICES = 2**22
"""Identities of corners must be told apart in single precision."""


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
    identity: np.ndarray
    """(m, 3) which vertex each corner is, by `same`; a vertex that an element repeats is another one the second time,
    so that two common identities are two common corners."""
    hinges: np.ndarray
    """(h, 2) places of elements that have exactly two common identities."""
    hinge_vertices: np.ndarray
    """(h, 4) the two vertices that they share, then the one of the first and the one of the second that they do not."""


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
    identity = _identities(corners, same)
    hinges, vertices = _hinges(corners, identity)
    source = np.arange(m, dtype=np.int32)
    return Elements(corners, owned.reshape(m, 3), owns, source, all_edges, same, identity, hinges, vertices)


def _identities(corners: np.ndarray, same: np.ndarray) -> np.ndarray:
    identity = same[corners].astype(np.int32).reshape(-1, 3)
    first, second, third = identity.T.copy()
    again = second == first
    identity[again, 1] = -1 - second[again]
    again = (third == first) | (third == second)
    identity[again, 2] = -1 - MOST_VERTICES - third[again]
    return identity


def _hinges(corners: np.ndarray, identity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs of elements with exactly two common identities, and their four vertices."""
    sides = np.sort(np.stack([identity[:, [0, 1]], identity[:, [1, 2]], identity[:, [2, 0]]], axis=1), axis=2)
    sides = sides.reshape(-1, 2).astype(np.int64)
    order = np.lexsort((sides[:, 1], sides[:, 0]))
    key = sides[order]
    starts = np.concatenate([[True], (key[1:] != key[:-1]).any(axis=1)]) if len(key) else np.zeros(0, bool)
    group = np.cumsum(starts) - 1
    place = np.arange(len(order)) - np.flatnonzero(starts)[group] if len(key) else np.zeros(0, int)
    pairs = [np.zeros((0, 2), np.int64)]
    for step in range(1, int(place.max(initial=0)) + 1):
        later = np.flatnonzero(place >= step)
        pairs.append(np.stack([order[later - step] // 3, order[later] // 3], axis=1))
    found = np.sort(np.concatenate(pairs), axis=1)
    found, times = np.unique(found, axis=0, return_counts=True)
    found = found[(times == 1) & (found[:, 0] != found[:, 1])]
    common = identity[found[:, 0]][:, :, None] == identity[found[:, 1]][:, None, :]
    a_in, b_in = common.any(axis=2), common.any(axis=1)
    shared = corners[found[:, 0]][a_in].reshape(-1, 2)
    alone = corners[found[:, 0]][~a_in], corners[found[:, 1]][~b_in]
    return found.astype(np.int32), np.column_stack([shared, *alone]).astype(np.int32).reshape(-1, 4)


def reordered(elements: Elements, order: np.ndarray) -> Elements:
    """Return the same elements in another order."""
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return elements._replace(
        identity=np.ascontiguousarray(elements.identity[order]),
        hinges=np.ascontiguousarray(place[elements.hinges]),
        corners=np.ascontiguousarray(elements.corners[order]),
        owned_edges=np.ascontiguousarray(elements.owned_edges[order]),
        owns=np.ascontiguousarray(elements.owns[order]),
        source=np.ascontiguousarray(elements.source[order]),
    )
