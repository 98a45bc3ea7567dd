"""Shapes as robot descriptions say them, URDF and SDF alike: primitives, planes, meshes at a scale."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import cast

import numpy as np

from tocsin import _cast
from tocsin._types import Values, Vector, Vectors
from tocsin.errors import MeshWarning, TocsinError, remark
from tocsin.geometry.hull import convex_hull
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder, Primitive, Sphere

PLANE_SIDE = 2000.0
"""Metres: a plane, which has no end, is the top of a box of this side, half as thick, as in MuJoCo files."""

ROUNDNESS = 9
"""An ellipsoid's polytope has 10 * ROUNDNESS^2 + 2 vertices."""


def primitive(tag: str, sizes: list[float]) -> Primitive:
    """Return a primitive; one without extent (contact points are written as spheres of radius 0) is its own hull."""
    if tag == "box":
        if 0.0 in sizes and min(sizes) >= 0.0:
            x, y, z = (0.5 * s for s in sizes)
            return ConvexHull(np.array([[i * x, j * y, k * z] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]))
        return Box((sizes[0], sizes[1], sizes[2]))
    if tag == "sphere":
        return ConvexHull(np.zeros((1, 3))) if sizes[0] == 0.0 else Sphere(sizes[0])
    return Cylinder(*sizes) if tag == "cylinder" else Capsule(*sizes)


def half_space(normal: Values, what: str, line: int, remarked: str) -> ConvexHull:
    """Return the half-space below a plane through the origin as a box; other readers take it for endless."""
    said = f"the normal of {what} (line {line})"
    normal = _cast.unit(normal, said)
    first = _cast.unit(np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))]), said)
    second = np.cross(normal, first)
    half = 0.5 * PLANE_SIDE
    corners = [half * (i * first + j * second - k * normal) for i in (-1, 1) for j in (-1, 1) for k in (0, 1)]
    remark(f"{what} is a <plane>, {remarked}: taken for the top of a box of {PLANE_SIDE:g} m.", MeshWarning)
    return ConvexHull(np.array(corners))


@cache
def round_polytope() -> Vectors:
    """Return the vertices of a polytope that contains the unit ball: a sphere's points, pushed out to clear it.

    The hull of points on the unit sphere has its faces at distances h <= 1 from the centre; divided by the smallest h,
    every face clears the ball.
    """
    golden = 0.5 * (1.0 + 5.0**0.5)
    corners = np.array([(s, t * golden, 0.0) for s in (-1, 1) for t in (-1, 1)])
    corners = np.vstack((corners, corners[:, [2, 0, 1]], corners[:, [1, 2, 0]]))
    triangles = convex_hull(corners).faces
    vertices = convex_hull(corners).vertices
    points: list[Vector] = []
    for p, q, r in vertices[triangles]:
        for i in range(ROUNDNESS + 1):
            for k in range(ROUNDNESS + 1 - i):
                points.append(p + (q - p) * (i / ROUNDNESS) + (r - p) * (k / ROUNDNESS))
    spread = np.array(points)
    spread /= np.linalg.norm(spread, axis=1)[:, None]
    directions: Vectors = np.unique(cast(Vectors, np.round(spread, 12)), axis=0)
    hull = convex_hull(directions)
    a, b, c = (hull.vertices[hull.faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    heights = np.einsum("ij,ij->i", normals, a) / np.linalg.norm(normals, axis=1)
    return directions / (heights.min() * (1.0 - 1e-12))


class Meshes:
    """Files that were read: each once, and scaled once for each scale."""

    def __init__(self) -> None:
        self._read: dict[tuple[Path, tuple[float, ...]], Mesh] = {}

    def at(self, file: Path, scale: Values, what: str) -> Mesh:
        """Return a mesh at a scale, one factor or three; `what` names the element that asks for it."""
        factors = tuple(np.broadcast_to(scale, 3).tolist())
        if 0.0 in factors:
            raise TocsinError(f"{what}: a scale of zero leaves nothing of {file.name!r}.")
        one = (1.0, 1.0, 1.0)
        try:
            if (file, one) not in self._read:
                self._read[file, one] = Mesh.load(file)
            if (file, factors) not in self._read:
                self._read[file, factors] = self._read[file, one].scaled(factors)
        except TocsinError as error:
            raise TocsinError(f"{what}: {error}") from error
        return self._read[file, factors]
