"""Shapes as sets of points that a linear function can be maximised over, and meshes cut into parts.

A part of a mesh is a set of its triangles. It is halved by a rule, so that a proof need not say how: along the axis on
which the box of its corners is longest (the first of equal ones), its triangles are sorted by the sum of their three
corners, ties by their number in the file; the first half, rounded down, and the rest. Every triangle is in one of the
two whatever the rule does, so that nothing rests on it but that proofs find what they mean.
"""

from __future__ import annotations

import io
import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tocsin_checker.proof import need


@dataclass
class Part:
    """Points whose hull, grown by balls of `radius` and rings of `ring` about z, is what it stands for."""

    points: np.ndarray
    radius: float = 0.0
    ring: float = 0.0
    is_box: bool = False
    faces: np.ndarray | None = None
    mesh: tuple[np.ndarray, np.ndarray] | None = None
    halves: tuple[Part, Part] | None = None
    reaches: dict[bytes, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Measure how far it is from the origin of its own frame."""
        real = len(self.points) > 0 and min(self.radius, self.ring) >= 0.0
        need(real, "a shape has no points, or a size below zero.")
        self.size = float(np.sqrt((self.points**2).sum(axis=1).max())) + self.radius + self.ring
        need(self.size < 1e9, "a shape is larger than 1e9 m, or has sizes that are not numbers.")

    def reach(self, place: np.ndarray) -> float:
        """Return how far its points are from the origin of a link in which `place` puts them."""
        key = place.tobytes()
        if key not in self.reaches:
            far = np.sqrt(((self.points @ place[:3, :3].T + place[:3, 3]) ** 2).sum(axis=1).max())
            self.reaches[key] = (float(far) + self.radius + self.ring) * (1.0 + 1e-8) + 1e-12 * self.size
        return self.reaches[key]

    def largest(self, rows: np.ndarray) -> np.ndarray:
        """Return the largest a x + b y + c z + d over the part, for each row (a, b, c, d), up to a few roundings."""
        best = (self.points @ rows[:, :3].T).max(axis=0) + rows[:, 3]
        if self.radius:
            best = best + self.radius * np.sqrt((rows[:, :3] ** 2).sum(axis=1))
        return best + self.ring * np.hypot(rows[:, 0], rows[:, 1]) if self.ring else best

    def point(self, said: list[Any]) -> np.ndarray:
        """Return a point of the whole shape, up to a few roundings: of a mesh by triangle and weights, of a hull by
        points and weights, else as it is."""
        if self.mesh is not None or not (self.radius or self.ring or self.is_box):
            number = [int(i) for i in (said[::2] if self.mesh is None else said[:1])]
            corners = self.points[number] if self.mesh is None else self.mesh[0][self.mesh[1][number[0]]]
            weights = np.array(said[1::2] if self.mesh is None else said[1:], dtype=float)
            fits = len(weights) == len(corners) and min(weights) >= 0 and 1e-9 < sum(weights) < 1e9 and min(number) >= 0
            need(fits, "a point of the contact is not between corners of its shape.")
            return weights @ corners / weights.sum()
        x, y, z = (float(v) for v in said)
        top = self.points.max(axis=0)
        beyond, size = max(abs(z) - top[2], 0.0), self.radius or self.ring
        inside = x * x + y * y + beyond * beyond <= size * size and (beyond == 0.0 or not self.ring)
        inside = abs(x) <= top[0] and abs(y) <= top[1] and beyond == 0.0 if self.is_box else inside
        need(bool(inside), "a point of the contact is not in its solid.")
        return np.array([x, y, z])

    def split(self) -> tuple[Part, Part]:
        """Return its halves."""
        if self.halves is None:
            halved = self.mesh is not None and len(self.faces) > 1
            need(halved, "the proof halves a part that cannot be halved: a convex solid, or a single triangle.")
            axis = int(np.argmax(self.points.max(axis=0) - self.points.min(axis=0)))
            corners = self.mesh[0][:, axis][self.mesh[1][self.faces]]
            order = np.argsort((corners[:, 0] + corners[:, 1]) + corners[:, 2], kind="stable")
            half = len(order) // 2
            first, rest = np.sort(self.faces[order[:half]]), np.sort(self.faces[order[half:]])
            self.halves = mesh_part(self.mesh, first), mesh_part(self.mesh, rest)
        return self.halves


def mesh_part(mesh: tuple[np.ndarray, np.ndarray], faces: np.ndarray) -> Part:
    """Return the part of a mesh that has these triangles."""
    return Part(mesh[0][np.unique(mesh[1][faces])], faces=faces, mesh=mesh)


def whole_mesh(vertices: Any, faces: Any) -> Part:
    """Return a mesh as one part."""
    mesh = np.array(vertices, dtype=float).reshape(-1, 3), np.array(faces, dtype=np.int64).reshape(-1, 3)
    whole = len(mesh[1]) > 0 and np.array_equal(mesh[1].ravel(), np.ravel(faces))
    there = whole and mesh[1].min() >= 0 and mesh[1].max() < len(mesh[0])
    need(bool(there), "a mesh has no triangles, or corners that it does not have.")
    return mesh_part(mesh, np.arange(len(mesh[1])))


def solid(kind: str, size: Any) -> Part:
    """Return a box (x, y, z), sphere (radius), cylinder or capsule (radius, length) along z, or hull of points."""
    if kind == "box":
        return Part(np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * np.array(size, dtype=float), is_box=True)
    if kind == "sphere":
        return Part(np.zeros((1, 3)), radius=float(size))
    if kind in ("cylinder", "capsule"):
        ends = np.array([[0.0, 0.0, -0.5 * size[1]], [0.0, 0.0, 0.5 * size[1]]])
        return Part(ends, ring=float(size[0])) if kind == "cylinder" else Part(ends, radius=float(size[0]))
    need(kind == "hull", f"a shape is a box, sphere, cylinder, capsule, hull or mesh; not {str(kind)[:40]!r}.")
    return Part(np.array(size, dtype=float).reshape(-1, 3))


def read_mesh(raw: bytes, suffix: str, scale: list[float]) -> Part:
    """Read the triangles of a file in their order, nothing merged and nothing dropped; polygons as fans."""
    if suffix == ".obj":
        vertices, faces = [], []
        for line in raw.decode(errors="replace").splitlines():
            word, *rest = line.split() or [""]
            if word == "v":
                vertices.append([float(v) for v in rest[:3]])
            elif word == "f":
                corners = [int(c.split("/")[0]) for c in rest]
                corners = [c - 1 if c > 0 else len(vertices) + c for c in corners]
                faces += [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]
    else:
        import trimesh

        mesh: Any = trimesh.load(io.BytesIO(raw), file_type=suffix[1:], process=False, force="mesh")
        vertices, faces = mesh.vertices, mesh.faces
    return whole_mesh(np.array(vertices, dtype=float) * np.array(scale, dtype=float), faces)
