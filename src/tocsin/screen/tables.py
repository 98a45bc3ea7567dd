"""The surfaces of a whole scene as flat tables, the form in which the screen's kernels read them.

Numbers of corners, edges, faces and so on are global. `numbers` holds lists one after the other: the faces around a
corner (`corner.face`), the edges of a face (`SURFACE.ring` + CSR `first_ring`), its corners (`SURFACE.rim`, numbered
within the body), the face of each triangle of the mesh. What every drawing reads of every corner, edge and face is
there once more, packed: `places`, `planes` and `links`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tocsin.compiler.addresses import Layout
from tocsin.geometry.features import CORNER, EDGE, FACE, SIDE, Features
from tocsin.model.tables import World

if TYPE_CHECKING:
    from tocsin.model.base import Model

SURFACE = np.dtype(
    [
        ("link", "i4"),
        ("point", "i4"),  # its first vertex, corner, edge, face; how many
        ("corner", "i4"),
        ("corners", "i4"),
        ("edge", "i4"),
        ("edges", "i4"),
        ("face", "i4"),
        ("faces", "i4"),
        ("closed", "i4"),
        ("root", "i4"),  # its hierarchy in the scene's tables, -1 if it has none
        ("mesh_face", "i4"),  # first triangle in the scene's tables
        ("owner", "i4"),  # where in `numbers` the face of each of its triangles is
        ("ring", "i4"),  # where in `numbers` the edges of its faces start, face by face: first a table of starts
        ("rim", "i4"),  # the same for the corners of its faces
        ("short", "f8"),  # length of a typical short edge
        ("radius", "f8"),  # of a ball around `center` that contains it
        ("center", "f8", 3),
    ],
    align=True,
)

SHORT_QUANTILE = 0.25
"""A typical short edge is one that a quarter of the edges are shorter than."""


MANY, WIRE = -2, -3
"""In place of the first face in `links`: there are more than two, or none at all."""


class Surfaces(NamedTuple):
    """The tables."""

    table: np.ndarray
    """One SURFACE for each shape of the scene."""
    vectors: np.ndarray
    """(n, 3): points, then spokes."""
    corners: np.ndarray
    edges: np.ndarray
    faces: np.ndarray
    sides: np.ndarray
    triangles: np.ndarray
    numbers: np.ndarray
    places: np.ndarray
    """(3, corners): coordinate by coordinate, which is how they are placed and projected, several at once."""
    planes: np.ndarray
    """(4, faces): normals and offsets in the same way."""
    links: np.ndarray
    """(edges, 7): corners and up to two faces, numbered within the body, -1 where there is one face; is it flat; its
    sides."""


class Drawn(NamedTuple):
    """Of the tables, what drawing needs: fewer are handed on faster."""

    sides: np.ndarray
    numbers: np.ndarray
    places: np.ndarray
    planes: np.ndarray
    links: np.ndarray


class Edged(NamedTuple):
    """What two edges that may touch need."""

    vectors: np.ndarray
    corners: np.ndarray
    edges: np.ndarray
    sides: np.ndarray


class Faced(NamedTuple):
    """What a corner and a face that may touch need."""

    vectors: np.ndarray
    corners: np.ndarray
    faces: np.ndarray
    triangles: np.ndarray


SURFACES = Layout(
    Surfaces,
    table=(SURFACE, 1),
    vectors=(np.dtype(np.float64), 2),
    corners=(CORNER, 1),
    edges=(EDGE, 1),
    faces=(FACE, 1),
    sides=(SIDE, 1),
    triangles=(np.dtype(np.int32), 2),
    numbers=(np.dtype(np.int32), 1),
    places=(np.dtype(np.float64), 2),
    planes=(np.dtype(np.float64), 2),
    links=(np.dtype(np.int32), 2),
)


def lay_out(models: tuple[Model, ...], world: World) -> Surfaces:
    """Return the tables of a scene, in the order of its shapes in `world.geoms`; a shape of many is there once."""
    table = np.zeros(len(world.geoms), SURFACE)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in (*Surfaces._fields[2:], "points", "spokes")}
    size = dict.fromkeys(parts, 0)
    placed: dict[tuple[int, bytes], np.void] = {}
    shapes = [s for model in models for link in model.shapes for s in link if not s.is_empty]
    which = [s.identity for s in shapes]
    total_points = sum(len(s.features.points) for s in dict(zip(reversed(which), reversed(shapes))).values())
    for k, (shape, own) in enumerate(zip(shapes, which)):
        if own not in placed:
            found = shape.features
            row = np.zeros(1, SURFACE)[0]
            row["point"], row["corner"], row["edge"] = size["points"], size["corners"], size["edges"]
            row["face"], row["closed"] = size["faces"], found.closed
            row["corners"], row["edges"], row["faces"] = len(found.corners), len(found.edges), len(found.faces)
            row["owner"], row["ring"], row["rim"] = _add(parts, size, found, total_points)
            used = found.points[found.corners["point"]]
            row["center"] = 0.5 * (used.min(axis=0) + used.max(axis=0))
            row["radius"] = np.linalg.norm(used - row["center"], axis=1).max() * (1.0 + 1e-12)
            sharp = found.edges[found.edges["flat"] == 0]
            length = np.linalg.norm(used[sharp["tail"]] - used[sharp["head"]], axis=1)
            row["short"] = np.quantile(length, SHORT_QUANTILE) if len(length) else row["radius"]
            placed[own] = row
        table[k] = placed[own]
        geom = world.geoms[k]
        table[k]["link"], table[k]["mesh_face"] = geom["link"], geom["face"]
        table[k]["root"] = geom["root"] if shape.is_mesh else -1
    joined = {name: np.concatenate(arrays) if arrays else np.zeros((0, 3), np.int32) for name, arrays in parts.items()}
    vectors = np.concatenate([joined["points"], joined["spokes"]]) if shapes else np.zeros((0, 3))
    for name in ("places", "planes"):
        joined[name] = np.ascontiguousarray(joined[name].T)
    return Surfaces(table, vectors, *(joined[name] for name in Surfaces._fields[2:]))


def _add(
    parts: dict[str, list[np.ndarray]], size: dict[str, int], found: Features, points: int
) -> tuple[int, int, int]:
    """Append the tables of one shape; return where its owners, its rings and its rims are in `numbers`."""
    corners, edges, faces, sides = (
        found.corners.copy(), found.edges.copy(), found.faces.copy(), found.sides.copy(),
    )  # fmt: skip
    corners["point"] += size["points"]
    corners["spoke"] += points + size["spokes"]
    corners["face"] += size["numbers"]
    edges["tail"] += size["corners"]
    edges["head"] += size["corners"]
    edges["side"] += size["sides"]
    sides["face"] += size["faces"]
    faces["triangle"] += size["triangles"]
    which = np.repeat(np.arange(len(found.edges)), found.edges["sides"])
    order = np.argsort(found.sides["face"], kind="stable")  # sides lie edge by edge
    starts = np.concatenate([[0], np.cumsum(np.bincount(found.sides["face"], minlength=len(faces)))])
    owner_at = size["numbers"] + len(found.fans)
    ring_at = owner_at + len(found.owner)
    ring_table = starts + ring_at + len(starts)
    rim_at = ring_at + len(starts) + len(which)
    rim_face, rim = np.divmod(_rims(found, which), max(len(corners), 1))
    rim_starts = np.concatenate([[0], np.cumsum(np.bincount(rim_face, minlength=len(faces)))])
    numbers = [
        found.fans + size["faces"],
        np.where(found.owner < 0, -1, found.owner + size["faces"]),
        ring_table,
        which[order] + size["edges"],
        rim_starts + rim_at + len(rim_starts),
        rim,
    ]
    new = {
        "points": found.points,
        "spokes": found.spokes,
        "corners": corners,
        "edges": edges,
        "faces": faces,
        "sides": sides,
        "triangles": found.triangles + np.int32(size["points"]),
        "numbers": np.concatenate(numbers).astype(np.int32),
        "places": found.points[found.corners["point"]],
        "planes": np.concatenate([found.faces["normal"], found.faces["offset"][:, None]], axis=1),
        "links": _links(found, size["sides"]),
    }
    for name, array in new.items():
        parts[name].append(array)
        size[name] += len(array)
    return owner_at, ring_at, rim_at


def _rims(found: Features, which: np.ndarray) -> np.ndarray:
    """Return face * corners + corner for all corners of all faces, ascending; `which`: the edge of each side."""
    face = found.sides["face"].astype(np.int64) * len(found.corners)
    return np.unique(np.concatenate([face + found.edges["tail"][which], face + found.edges["head"][which]]))


def _links(found: Features, first_side: int) -> np.ndarray:
    """Return the packed table of edges."""
    edges = found.edges
    links = np.full((len(edges), 7), -1, np.int32)
    for column, name in ((0, "tail"), (1, "head"), (4, "flat"), (5, "side"), (6, "sides")):
        links[:, column] = edges[name]
    for k in range(2):
        there = edges["sides"] > k
        links[there, 2 + k] = found.sides["face"][edges["side"][there] + k]
    links[:, 5] += first_side
    links[edges["sides"] == 0, 2] = WIRE
    links[edges["sides"] > 2, 2] = MANY
    return links
