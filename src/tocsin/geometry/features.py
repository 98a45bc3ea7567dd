"""The features of a surface that can touch: corners, edges and flat faces, and how they hang together.

Triangles that lie in one plane and share edges are one flat face (a box has 6, not 12), as long as it has at most
`MOST_TRIANGLES` of them; edges between triangles that are flat against each other are not features: whatever touches
such an edge touches a face as well. Corners are told apart by position, so an unmerged STL hangs together. A triangle
without area is no face; its sides stay edges. Soups, open and non-manifold surfaces are legal: an edge has any number
of faces.

`python -m tocsin_bench screen` and `Scene.contacts` read these tables; numbers of points are the mesh's vertex numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tocsin._types import Faces, Flags, Indices, LongIndices, Numeric, Records, Values, Vectors

if TYPE_CHECKING:
    from tocsin.geometry.mesh import Mesh

FLAT = 1e-10
"""Two unit normals that differ by no more than this are one: rounding of coordinates of order one, and no more."""

MOST_TRIANGLES = 64
"""A flat face is searched triangle by triangle; larger ones stay in pieces, whose inner edges are marked `flat`."""

CORNER = np.dtype(
    [
        ("point", "i4"),
        ("spoke", "i4"),  # its edges that are not flat: unit directions away from it, rows of `spokes`
        ("spokes", "i4"),
        ("face", "i4"),  # the flat faces around it, entries of `fans`
        ("faces", "i4"),
    ],
    align=True,
)

EDGE = np.dtype(
    [
        ("tail", "i4"),  # numbers of corners
        ("head", "i4"),
        ("side", "i4"),  # the faces at it, records of `sides`
        ("sides", "i4"),
        ("flat", "i4"),  # 1: between two pieces of one plane; never a feature
    ],
    align=True,
)

SIDE = np.dtype([("into", "f8", 3), ("face", "i4"), ("forward", "i4")], align=True)
"""A face at an edge: the unit vector in the face, across the edge and away from it; does the face run from tail to
head?"""

FACE = np.dtype(
    [
        ("normal", "f8", 3),  # outward by winding
        ("offset", "f8"),  # normal . x on its plane
        ("triangle", "i4"),  # its triangles, rows of `triangles`
        ("triangles", "i4"),
    ],
    align=True,
)


class Features(NamedTuple):
    """The tables, in the frame of the shape's link."""

    points: Vectors
    """(n, 3): the vertices."""
    corners: Records
    """CORNER each."""
    edges: Records
    """EDGE each."""
    faces: Records
    """FACE each."""
    triangles: Faces
    """(m, 3) int32: vertex numbers, face by face; triangles without area are left out."""
    sides: Records
    """SIDE each."""
    spokes: Vectors
    fans: Indices
    """Numbers of faces, corner by corner."""
    owner: Indices
    """(mesh triangles,) int32: the flat face of each triangle of the mesh; -1 for one without area."""
    closed: bool
    """Closed, and wound alike: there is an outside, where normals point. Otherwise faces count from both sides."""


def find_features(mesh: Mesh, points: Vectors) -> Features:
    """Return the features of a mesh whose vertices are at `points`, in O(n log n)."""
    welded, first = mesh.welded
    at = points[first]
    p, q, r = (at[welded[:, k]] for k in range(3))
    normal = np.cross(q - p, r - p)
    area = np.linalg.norm(normal, axis=1)
    real = ~mesh.degenerate & (area > 0.0)
    corners3, normal, area = welded[real].astype(np.int64), normal[real], area[real]
    unit = normal / area[:, None]
    tails, heads, owner = _half_edges(corners3)
    loose = welded[~real].astype(np.int64)
    extra_tails, extra_heads, _ = _half_edges(loose)
    keep = extra_tails != extra_heads
    all_tails = np.concatenate([tails, extra_tails[keep]])
    all_heads = np.concatenate([heads, extra_heads[keep]])
    n = len(first)
    key = np.minimum(all_tails, all_heads) * n + np.maximum(all_tails, all_heads)
    edge_key, edge_of = np.unique(key, return_inverse=True)
    edge_of = edge_of[: len(tails)]
    count = np.bincount(edge_of, minlength=len(edge_key))
    order = np.argsort(edge_of, kind="stable")
    start = np.concatenate([[0], np.cumsum(count)])[:-1]
    forward = tails < heads
    closed, inverted = _orientation(at, corners3, bool((~real).any()), count, edge_of, forward)
    if inverted:
        unit = -unit
    flat = _flat_edges(unit, owner, order, start, count, forward)
    label = _label(flat, order, start, owner, len(corners3))
    by_face = np.argsort(label, kind="stable")
    faces = _faces(unit, area, label, by_face, at, corners3)
    inner = flat.copy()
    inner[flat] = label[owner[order[start[flat]]]] == label[owner[order[start[flat] + 1]]]
    kept = np.flatnonzero(~inner)
    edges = np.zeros(len(kept), EDGE)
    ends = edge_key[kept] // n, edge_key[kept] % n
    edges["tail"], edges["head"] = ends
    edges["flat"] = flat[kept]
    halves = order, start, count, owner, forward
    sides, edges["side"], edges["sides"] = _sides(kept, halves, label, at, corners3, ends)
    corners, spokes, fans = _corners(edges, at, label[np.repeat(np.arange(len(corners3)), 3)], corners3.ravel(), n)
    corners["point"] = first
    triangles = mesh.faces[real][by_face]
    owner_of = np.full(len(mesh.faces), -1, np.int32)
    owner_of[real] = label
    return Features(points, corners, edges, faces, triangles, sides, spokes, fans, owner_of, closed)


def _half_edges(corners: Numeric) -> tuple[Numeric, Numeric, LongIndices]:
    """Return tails, heads and the triangle of all sides."""
    return corners.ravel(), np.roll(corners, -1, axis=1).ravel(), np.repeat(np.arange(len(corners)), 3)


def _orientation(
    at: Vectors, corners: Numeric, soup: bool, count: LongIndices, edge_of: LongIndices, forward: Flags
) -> tuple[bool, bool]:
    """Return (closed and wound alike, wound inside out)."""
    if len(corners) == 0 or soup or not (count == 2).all():
        return False, False
    if not (np.bincount(edge_of, weights=np.where(forward, 1.0, -1.0)) == 0.0).all():
        return False, False
    p, q, r = (at[corners[:, k]] - at[corners[0, 0]] for k in range(3))
    return True, float(np.einsum("ij,ij->", p, np.cross(q, r))) < 0.0


def _flat_edges(
    unit: Vectors, owner: LongIndices, order: LongIndices, start: LongIndices, count: LongIndices, forward: Flags
) -> Flags:
    """Say of every edge whether it has exactly two faces, wound alike, in one plane."""
    flat = count == 2
    one, two = order[start[flat]], order[start[flat] + 1]
    apart = np.abs(unit[owner[one]] - unit[owner[two]]).max(axis=1)
    flat[flat] = (apart <= FLAT) & (forward[one] != forward[two])
    return flat


def _label(flat: Flags, order: LongIndices, start: LongIndices, owner: LongIndices, n: int) -> LongIndices:
    """Number the flat faces: groups of triangles connected through flat edges; groups that are too large fall apart."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    one, two = owner[order[start[flat]]], owner[order[start[flat] + 1]]
    graph = coo_matrix((np.ones(len(one)), (one, two)), shape=(n, n))
    _, label = connected_components(graph, directed=False)
    large = np.bincount(label, minlength=1)[label] > MOST_TRIANGLES if n else np.zeros(0, bool)
    label = np.where(large, label.max(initial=0) + 1 + np.arange(n), label)
    return np.unique(label, return_inverse=True)[1].reshape(-1)


def _faces(
    unit: Vectors, area: Values, label: LongIndices, by_face: LongIndices, at: Vectors, corners: Numeric
) -> Records:
    """Return the table of flat faces; a face of one triangle has that triangle's own normal."""
    n = int(label.max(initial=-1)) + 1
    faces = np.zeros(n, FACE)
    size = np.bincount(label, minlength=n)
    faces["triangles"] = size
    faces["triangle"] = np.concatenate([[0], np.cumsum(size)])[:-1] if n else 0
    total = np.stack([np.bincount(label, unit[:, c] * area, n).astype(float) for c in range(3)], axis=1)
    total /= np.maximum(np.linalg.norm(total, axis=1), np.finfo(float).tiny)[:, None]
    single = by_face[faces["triangle"]]
    faces["normal"] = np.where((size == 1)[:, None], unit[single], total)
    faces["offset"] = np.einsum("ij,ij->i", faces["normal"], at[corners[single, 0]])
    return faces


def _sides(
    kept: LongIndices, halves: tuple[LongIndices, LongIndices, LongIndices, LongIndices, Flags], label: LongIndices,
    at: Vectors, corners: Numeric, ends: tuple[LongIndices, LongIndices],
) -> tuple[Records, LongIndices, LongIndices]:  # fmt: skip
    """Return the faces at the kept edges, and where those of each edge start and how many there are.

    `halves`: the half edges in the order of their edges, where those of each edge start and how many there are, the
    faces that they are of, and whether they run from the smaller corner to the larger; `ends`: those of edges.
    """
    order, start, count, owner, forward = halves
    tails, heads = ends
    counts = count[kept]
    first = np.concatenate([[0], np.cumsum(counts)])[:-1]
    which = np.repeat(np.arange(len(kept)), counts)
    half = order[start[kept][which] + np.arange(len(which)) - first[which]]
    sides = np.zeros(len(half), SIDE)
    sides["face"] = label[owner[half]]
    sides["forward"] = forward[half]
    tail = at[tails[which]]
    along = at[heads[which]] - tail
    opposite = at[corners[owner[half], (half % 3 + 2) % 3]] - tail
    # Twice, so that what is left of the edge's direction in a sliver is left of nothing.
    for _ in range(2):
        opposite -= along * (np.einsum("ij,ij->i", opposite, along) / np.einsum("ij,ij->i", along, along))[:, None]
    sides["into"] = opposite / np.maximum(np.linalg.norm(opposite, axis=1), np.finfo(float).tiny)[:, None]
    return sides, first, counts


def _corners(
    edges: Records, at: Vectors, label: LongIndices, corner: Numeric, n: int
) -> tuple[Records, Vectors, Indices]:
    """Return the table of corners, their spokes and their fans."""
    corners = np.zeros(n, CORNER)
    sharp = edges[edges["flat"] == 0]
    ends = np.concatenate([sharp["tail"], sharp["head"]])
    away = np.concatenate([at[sharp["head"]] - at[sharp["tail"]], at[sharp["tail"]] - at[sharp["head"]]])
    away /= np.maximum(np.linalg.norm(away, axis=1), np.finfo(float).tiny)[:, None]
    order = np.argsort(ends, kind="stable")
    corners["spokes"] = np.bincount(ends, minlength=n)
    corners["spoke"] = np.concatenate([[0], np.cumsum(corners["spokes"])])[:-1]
    pairs = np.unique(corner * (int(label.max(initial=0)) + 1) + label)
    fan_corner, fans = np.divmod(pairs, int(label.max(initial=0)) + 1)
    corners["faces"] = np.bincount(fan_corner, minlength=n)
    corners["face"] = np.concatenate([[0], np.cumsum(corners["faces"])])[:-1]
    return corners, away[order], fans.astype(np.int32)
