"""The surfaces of a whole scene as flat tables, the form in which the screen's kernels read them.

Numbers of corners, edges, faces and so on are global. `numbers` holds lists one after the other: the faces around a
corner (`corner.face`), the edges of a face (`SURFACE.ring` + CSR `first_ring`), the face of each triangle of the mesh.
"""

from typing import NamedTuple

import numpy as np

from tocsin.geometry.features import Features
from tocsin.model.base import Model
from tocsin.model.world import World

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
        ("spare", "i4"),
        ("short", "f8"),  # length of a typical short edge
        ("radius", "f8"),  # of a ball around `center` that contains it
        ("center", "f8", 3),
    ],
    align=True,
)

SHORT_QUANTILE = 0.25
"""A typical short edge is one that a quarter of the edges are shorter than."""


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


def lay_out(models: tuple[Model, ...], world: World) -> Surfaces:
    """Return the tables of a scene, in the order of its shapes in `world.geoms`."""
    table = np.zeros(len(world.geoms), SURFACE)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in (*Surfaces._fields[2:], "points", "spokes")}
    size = dict.fromkeys(parts, 0)
    placed: dict[int, np.ndarray] = {}
    shapes = [s for model in models for link in model.shapes for s in link if not s.is_empty]
    total_points = sum(len(s.features.points) for s in {id(s): s for s in shapes}.values())
    for k, shape in enumerate(shapes):
        if id(shape) not in placed:
            found = shape.features
            row = np.zeros(1, SURFACE)[0]
            row["point"], row["corner"], row["edge"] = size["points"], size["corners"], size["edges"]
            row["face"], row["closed"] = size["faces"], found.closed
            row["corners"], row["edges"], row["faces"] = len(found.corners), len(found.edges), len(found.faces)
            row["owner"], row["ring"] = _add(parts, size, found, shape.faces, total_points)
            used = found.points[found.corners["point"]]
            row["center"] = 0.5 * (used.min(axis=0) + used.max(axis=0))
            row["radius"] = np.linalg.norm(used - row["center"], axis=1).max() * (1.0 + 1e-12)
            sharp = found.edges[found.edges["flat"] == 0]
            length = np.linalg.norm(used[sharp["tail"]] - used[sharp["head"]], axis=1)
            row["short"] = np.quantile(length, SHORT_QUANTILE) if len(length) else row["radius"]
            placed[id(shape)] = row
        table[k] = placed[id(shape)]
        geom = world.geoms[k]
        table[k]["link"], table[k]["mesh_face"] = geom["link"], geom["face"]
        table[k]["root"] = geom["root"] if shape.is_mesh else -1
    joined = {name: np.concatenate(arrays) if arrays else np.zeros((0, 3), np.int32) for name, arrays in parts.items()}
    vectors = np.concatenate([joined["points"], joined["spokes"]]) if shapes else np.zeros((0, 3))
    return Surfaces(table, vectors, *(joined[name] for name in Surfaces._fields[2:]))


def _add(
    parts: dict[str, list[np.ndarray]], size: dict[str, int], found: Features, mesh_faces: np.ndarray, points: int
) -> tuple[int, int]:
    """Append the tables of one shape; return where its owners and its rings are in `numbers`."""
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
    numbers = [
        found.fans + size["faces"],
        np.where(found.owner < 0, -1, found.owner + size["faces"]),
        ring_table,
        which[order] + size["edges"],
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
    }
    for name, array in new.items():
        parts[name].append(array)
        size[name] += len(array)
    return owner_at, ring_at
