"""Shapes as sets of points that a linear function can be maximised over, and meshes cut into parts.

A part of a mesh is a set of its triangles. It is halved by a rule, so that a proof need not say how: along the axis on
which the box of its corners is longest (the first of equal ones), its triangles are sorted by the sum of their three
corners, ties by their number in the file; the first half, rounded down, and the rest. Every triangle is in one of the
two whatever the rule does, so that nothing rests on it but that proofs find what they mean.
"""

import io
import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tocsin_checker.proof import need


@dataclass(eq=False)
class Part:
    """What a link has of a shape: the hull of corners, grown by balls of `radius` and rings of `ring` about z; or, of a
    mesh, triangles. Corners are in the shape's own frame, and `place` is where the link has that."""

    corners: np.ndarray
    place: np.ndarray
    radius: float = 0.0
    ring: float = 0.0
    faces: np.ndarray | None = None
    """Of a mesh: the corners of each triangle of the part, in the order of the file."""

    def __post_init__(self) -> None:
        """Place its points in the link. `sizes`: how far they are at most from its origin (reach); what roundings are a
        share of (spread); a ball around them, its radius (girth) and center."""
        self.used = self.corners if self.faces is None else self.corners[np.unique(self.faces)]
        real = len(self.used) > 0 and min(self.radius, self.ring) >= 0.0
        need(real, "a shape has no points, or a size below zero.")
        self.points = self.placed(self.used)
        center = 0.5 * (self.points.min(axis=0) + self.points.max(axis=0))
        sets, grown = (self.used, self.points, self.points - center), self.radius + self.ring
        size, far, girth = (float(np.sqrt((v**2).sum(axis=1).max())) + grown for v in sets)
        need(size < 1e9 and far < 1e9, "a shape is larger than 1e9 m, or has sizes that are not numbers.")
        reach, girth = (v * (1.0 + 1e-8) + 1e-12 * size for v in (far, girth))
        self.sizes = np.array([reach, 4.0 * (reach + size), girth, *center])

    def placed(self, points: np.ndarray) -> np.ndarray:
        """Return points of the shape in the frame of the link."""
        return points @ self.place[:3, :3].T + self.place[:3, 3]

    def largest(self, rows: np.ndarray) -> np.ndarray:
        """Return the largest a x + b y + c z + d over the part, for each row (a, b, c, d), up to a few roundings."""
        along = rows[:, :3]
        best = (self.points @ along.T).max(axis=0) + rows[:, 3] + self.radius * np.sqrt((along**2).sum(axis=1))
        return best + self.ring * np.hypot(*(along @ self.place[:3, :2]).T) if self.ring else best

    def point(self, of: Any, weights: list[float], beside: list[float]) -> np.ndarray:
        """Return a point of the whole shape, in the link: between the corners of a triangle, or those that are listed,
        by weights; and beside it by no more than its balls and rings reach, in the shape's frame."""
        numbers = [int(i) for i in of] if self.faces is None else self.faces[int(of)]
        sum_of, (x, y, z) = sum(weights), map(float, beside)
        between = len(weights) == len(numbers) and min(weights) >= 0.0 and 1e-9 < sum_of < 1e9
        within = x * x + y * y + z * z <= (self.radius or self.ring) ** 2 and not (self.ring and z)
        need(between and within, "a point of the contact is not in its shape.")
        return self.placed(np.array(weights) @ self.corners[numbers] / sum_of + (x, y, z))

    @cached_property
    def halves(self) -> "list[Part]":
        """Its two halves."""
        halved = self.faces is not None and len(self.faces) > 1
        need(halved, "the proof halves a part that cannot be halved: a convex solid, or a single triangle.")
        axis = int(np.argmax(self.used.max(axis=0) - self.used.min(axis=0)))
        a, b, c = self.corners[:, axis][self.faces].T
        order = np.argsort((a + b) + c, kind="stable")
        first, rest = np.split(order, [len(order) // 2])
        return [replace(self, faces=self.faces[np.sort(half)]) for half in (first, rest)]


def shape(points: Any, place: np.ndarray, radius: float = 0.0, ring: float = 0.0, faces: Any = None) -> Part:
    """Return a shape as one part, or a mesh, if there are triangles: of that, corners at the same place are one."""
    corners = np.array(points, dtype=float).reshape(-1, 3)
    if faces is None:
        return Part(corners, place, float(radius), float(ring))
    triangles = np.array(faces, dtype=np.int64).reshape(-1, 3)
    there = len(triangles) > 0 and triangles.min() >= 0 and triangles.max() < len(corners)
    need(bool(there) and np.array_equal(triangles.ravel(), np.ravel(faces)), "a mesh lacks triangles, or corners.")
    corners, same = np.unique(corners, axis=0, return_inverse=True)
    return Part(corners, place, faces=same.reshape(-1)[triangles])


def solid(kind: str, sizes: list[float], place: np.ndarray) -> Part:
    """Return a solid of a URDF: a box (x, y, z), a sphere (radius), a cylinder or capsule (radius, length) along z."""
    fits = len(sizes) == {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2}.get(kind)
    need(fits, f"a shape is a mesh or a solid with its sizes, not {str(kind)[:40]!r} with {len(sizes)}.")
    if kind == "box":
        return shape(np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * sizes, place)
    radius, length = [*sizes, 0.0][:2]
    grown = {"ring" if kind == "cylinder" else "radius": radius}
    return shape([[0.0, 0.0, -0.5 * length], [0.0, 0.0, 0.5 * length]], place, **grown)


def read_mesh(raw: bytes, suffix: str) -> tuple[Any, Any]:
    """Return the corners and triangles of a file in their order, nothing merged and nothing dropped; polygons as
    fans."""
    if suffix != ".obj":
        import trimesh

        read: Any = trimesh.load(io.BytesIO(raw), file_type=suffix[1:], process=False, force="mesh")
        return read.vertices, read.faces
    vertices, faces = [], []
    for word, *rest in (line.split() for line in raw.decode(errors="replace").splitlines() if line.strip()):
        if word == "v":
            vertices.append([float(v) for v in rest[:3]])
        elif word == "f":
            numbers = [int(c.split("/")[0]) for c in rest]
            first, *others = [c - 1 if c > 0 else len(vertices) + c for c in numbers]
            faces += [(first, a, b) for a, b in itertools.pairwise(others)]
    return vertices, faces
