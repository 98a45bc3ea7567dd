"""Which triangle answers for which feature: the tables that the exact search reads, for all shapes of a scene.

The hierarchies are over triangles, the features are corners, edges and flat faces (`geometry.features`). Every corner
and every edge is given to one of the triangles that have it, its representative, so that a pair of triangles stands for
few pairs of features and each pair of features is looked at once. That is complete: if two features touch, so do their
representatives, and a pair of triangles that may touch is never dropped.

Boxes and convex hulls are their tessellation, which is exact, with a hierarchy of its own. Round solids have none.
"""

from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from tocsin.errors import TocsinError
from tocsin.geometry.primitives import Box, ConvexHull
from tocsin.geometry.shape import Shape
from tocsin.geometry.tree import NODE
from tocsin.geometry.tree_building import build_tree
from tocsin.screen.tables import Surfaces

SOLE = np.dtype(
    [
        ("root", "i4"),  # of its hierarchy in `nodes`; -1: nothing to touch
        ("face", "i4"),  # its first triangle
        ("point", "i4"),  # its first point
        ("reach", "f8"),
    ],
    align=True,
)
"""A shape in the tables."""


class ExactTables(NamedTuple):
    """All shapes of a scene, one after the other; corners, edges and flat faces are numbered as in `Surfaces`."""

    shapes: np.ndarray
    nodes: np.ndarray
    points: np.ndarray
    faces: np.ndarray
    """(m, 3): points of the triangles."""
    corner: np.ndarray
    """(m, 3): the corners for which a triangle answers, in the order of its points; -1 for those of others."""
    edge: np.ndarray
    """(m, 3): the edges from point k to k + 1 for which it answers; -1 for those of others."""
    flat: np.ndarray
    """(m,): its flat face; -1 if it has no area."""


class _Part(NamedTuple):
    nodes: np.ndarray
    points: np.ndarray
    faces: np.ndarray
    corner: np.ndarray
    edge: np.ndarray
    flat: np.ndarray


_parts: WeakKeyDictionary[Shape, _Part] = WeakKeyDictionary()


def _part(shape: Shape) -> _Part:
    """Return the tables of one shape, kept as long as the shape."""
    found = _parts.get(shape)
    if found is None:
        found = _parts[shape] = _make(shape)
    return found


def _make(shape: Shape) -> _Part:
    if shape.is_mesh:
        mesh, nodes = shape.mesh(), shape.nodes
    elif isinstance(shape.source, (Box, ConvexHull)):
        mesh = shape.source.tessellate()
        nodes = None
    else:
        raise TocsinError(
            f"exact=True finds contacts of flat faces and straight edges; a {type(shape.source).__name__} is round. "
            "Give a mesh of it, or leave exact=True out: the screen then takes its tessellation."
        )
    features = shape.features
    faces = mesh.faces
    if nodes is None:
        nodes = build_tree(features.points, faces)
    corners, _ = mesh.welded
    n = len(features.corners)
    m = len(faces)
    corner = np.full(3 * m, -1, np.int32)
    number, where = np.unique(corners.ravel(), return_index=True)
    corner[where] = np.where(features.corners["spokes"][number] > 0, number, -1)
    # Sides by the key of their corners, looked up among the edges that are features.
    tails = corners.ravel().astype(np.int64)
    heads = np.roll(corners, -1, axis=1).ravel().astype(np.int64)
    key = np.minimum(tails, heads) * n + np.maximum(tails, heads)
    sharp = np.flatnonzero(features.edges["flat"] == 0)
    sharp_key = features.edges["tail"][sharp].astype(np.int64) * n + features.edges["head"][sharp]
    order = np.argsort(sharp_key)
    edge = np.full(3 * m, -1, np.int32)
    if len(sharp):
        at = np.minimum(np.searchsorted(sharp_key[order], key), len(sharp) - 1)
        known = (sharp_key[order][at] == key) & (tails != heads)
        side = np.flatnonzero(known)
        number, first = np.unique(sharp[order][at[side]], return_index=True)
        edge[side[first]] = number
    return _Part(nodes, features.points, faces, corner.reshape(m, 3), edge.reshape(m, 3), features.owner)


def exact_tables(shapes: Sequence[Shape], surfaces: Surfaces) -> ExactTables:
    """Return the tables of a scene's shapes, in their order; shapes that occur twice are stored once.

    The numbers of features are those of `surfaces`, which has the same shapes in the same order: what is found here is
    looked up there, so there is one numbering.
    """
    table = np.zeros(len(shapes), SOLE)
    placed: dict[tuple[int, bytes], np.void] = {}
    nodes, points, faces, corner, edge, flat = ([] for _ in range(6))
    n_nodes = n_points = n_faces = 0
    for k, (shape, known) in enumerate(zip(shapes, surfaces.table, strict=True)):
        if shape.identity not in placed:
            row = np.zeros(1, SOLE)[0]
            row["root"] = -1
            if not shape.is_empty:
                part = _part(shape)
                row["root"], row["face"], row["point"] = n_nodes, n_faces, n_points
                row["reach"] = shape.reach
                moved = part.nodes.copy()
                leaf = moved["count"] > 0
                moved["first"] += np.where(leaf, n_faces, n_nodes).astype(np.int32)
                nodes.append(moved)
                points.append(part.points)
                faces.append(part.faces + np.int32(n_points))
                corner.append(_numbered_from(known["corner"], part.corner))
                edge.append(_numbered_from(known["edge"], part.edge))
                flat.append(_numbered_from(known["face"], part.flat))
                n_nodes += len(part.nodes)
                n_points += len(part.points)
                n_faces += len(part.faces)
            placed[shape.identity] = row
        table[k] = placed[shape.identity]
    if not nodes:
        none = np.zeros((0, 3), np.int32)
        return ExactTables(table, np.zeros(0, NODE), np.zeros((0, 3)), none, none, none, np.zeros(0, np.int32))
    joined = [np.ascontiguousarray(np.concatenate(part)) for part in (nodes, points, faces, corner, edge, flat)]
    joined[0] = joined[0].view(NODE)  # joined, it may have lost that it is aligned, which is another type to kernels
    return ExactTables(table, *joined)


def _numbered_from(first: np.int32, numbers: np.ndarray) -> np.ndarray:
    """Return numbers of one shape as those of the scene; -1 stays."""
    return np.where(numbers < 0, -1, numbers + first)
