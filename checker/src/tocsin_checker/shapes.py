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
    is_box: bool = False
    faces: np.ndarray | None = None
    """Of a mesh: the corners of each triangle of the part, in the order of the file."""

    def __post_init__(self) -> None:
        """Place its points in the link. `sizes`: how far they are at most from its origin (reach); what roundings are a
        share of (spread); a ball around them, its radius (girth) and center."""
        self.used = self.corners if self.faces is None else self.corners[np.unique(self.faces)]
        real = len(self.used) > 0 and min(self.radius, self.ring) >= 0.0
        need(real, "a shape has no points, or a size below zero.")
        self.points = self.placed(self.used)
        grown = self.radius + self.ring
        size, far = (float(np.sqrt((v**2).sum(axis=1).max())) + grown for v in (self.used, self.points))
        need(size < 1e9 and far < 1e9, "a shape is larger than 1e9 m, or has sizes that are not numbers.")
        reach = far * (1.0 + 1e-8) + 1e-12 * size
        center = 0.5 * (self.points.min(axis=0) + self.points.max(axis=0))
        girth = (float(np.sqrt(((self.points - center) ** 2).sum(axis=1).max())) + grown) * (1.0 + 1e-8) + 1e-12 * size
        self.sizes = np.array([reach, 4.0 * (reach + size), girth, *center])

    def placed(self, points: np.ndarray) -> np.ndarray:
        """Return points of the shape in the frame of the link."""
        return points @ self.place[:3, :3].T + self.place[:3, 3]

    def largest(self, rows: np.ndarray) -> np.ndarray:
        """Return the largest a x + b y + c z + d over the part, for each row (a, b, c, d), up to a few roundings."""
        along = rows[:, :3]
        best = (self.points @ along.T).max(axis=0) + rows[:, 3] + self.radius * np.sqrt((along**2).sum(axis=1))
        return best + self.ring * np.hypot(*(along @ self.place[:3, :2]).T) if self.ring else best

    def point(self, said: list[Any]) -> np.ndarray:
        """Return a point of the whole shape, in the link: of a mesh by triangle and weights, of a hull by corners and
        weights, else as it is in the shape's frame."""
        if self.faces is not None or not (self.radius or self.ring or self.is_box):
            numbers = self.faces[int(said[0])] if self.faces is not None else [int(i) for i in said[::2]]
            weights = np.array(said[1:] if self.faces is not None else said[1::2], dtype=float)
            fits = len(weights) == len(numbers) and min(weights) >= 0.0 and 1e-9 < sum(weights) < 1e9
            need(fits, "a point of the contact is not between corners of its shape.")
            return self.placed(weights @ self.corners[numbers] / weights.sum())
        x, y, z = map(float, said)
        top, size = self.corners.max(axis=0), self.radius or self.ring
        beyond = max(abs(z) - top[2], 0.0)
        flat = beyond == 0.0 or not (self.ring or self.is_box)
        inside = abs(x) <= top[0] and abs(y) <= top[1] if self.is_box else x * x + y * y + beyond**2 <= size * size
        need(bool(inside and flat), "a point of the contact is not in its solid.")
        return self.placed(np.array([x, y, z]))

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


def mesh(vertices: Any, faces: Any, place: np.ndarray) -> Part:
    """Return a mesh as one part; corners at the same place are one."""
    corners, triangles = (np.array(v, dtype=t).reshape(-1, 3) for v, t in ((vertices, float), (faces, np.int64)))
    there = len(triangles) > 0 and triangles.min() >= 0 and triangles.max() < len(corners)
    need(bool(there) and np.array_equal(triangles.ravel(), np.ravel(faces)), "a mesh lacks triangles, or corners.")
    corners, same = np.unique(corners, axis=0, return_inverse=True)
    return Part(corners, place, faces=same.reshape(-1)[triangles])


def solid(kind: str, size: Any, place: np.ndarray) -> Part:
    """Return a box (x, y, z), sphere (radius), cylinder or capsule (radius, length) along z, or hull of points."""
    if kind == "box":
        corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * np.array(size, dtype=float)
        return Part(corners, place, is_box=True)
    if kind == "sphere":
        return Part(np.zeros((1, 3)), place, radius=float(size))
    if kind in ("cylinder", "capsule"):
        ends = np.array([[0.0, 0.0, -0.5 * size[1]], [0.0, 0.0, 0.5 * size[1]]])
        return Part(ends, place, **{"ring" if kind == "cylinder" else "radius": float(size[0])})
    need(kind == "hull", f"a shape is a box, sphere, cylinder, capsule, hull or mesh; not {str(kind)[:40]!r}.")
    return Part(np.array(size, dtype=float).reshape(-1, 3), place)


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
