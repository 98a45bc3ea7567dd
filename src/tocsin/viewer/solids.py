"""Shapes as they are shown: triangles in the frame of their link, with a normal at every corner and a colour.

Primitives are tessellated for display only; the answers are about the exact shapes. Corners are smooth where the
surface bends gently and sharp where it has an edge, whatever vertices the file shares.
"""

# What kernels return has the types that Numba finds.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tocsin.compiler.jit import kernel

if TYPE_CHECKING:
    from tocsin._types import FloatArray, Values, Vectors
    from tocsin.geometry.shape import Shape
    from tocsin.model.base import Model

Colour = tuple[float, float, float]

MACHINE: tuple[Colour, ...] = ((0.86, 0.86, 0.85), (0.66, 0.69, 0.73))
"""Links of robots, in turn, so that neighbours can be told apart."""

THINGS: tuple[Colour, ...] = ((0.70, 0.66, 0.59), (0.58, 0.64, 0.62), (0.66, 0.61, 0.66), (0.60, 0.63, 0.69))
"""Bodies, in turn."""

FABRICS: tuple[Colour, ...] = ((0.47, 0.62, 0.74), (0.70, 0.60, 0.72), (0.52, 0.68, 0.60), (0.76, 0.66, 0.52))
"""Deformable models, in turn."""

TOUCHING: tuple[Colour, Colour] = ((0.20, 0.43, 0.86), (0.96, 0.62, 0.14))
"""The two links of the first contact: blue meets amber."""

START, END, CONTACT = (0.24, 0.55, 0.80), (0.53, 0.40, 0.80), (0.90, 0.07, 0.25)
"""The ghost at t = 0, the ghost at t = 1, and everything that says where things touch."""

CREASE = 0.85
"""Cosine of the angle between two triangles beyond which the edge between them is shown as an edge."""

SEGMENTS = 48
"""Sides of a circle in a tessellated primitive."""

MANY_SEGMENTS, MANY = 10, 100
"""Sides where a link has more primitives than this, as point clouds do: each is small."""


@dataclass(frozen=True, eq=False)
class Solid:
    """One shape of a link, ready to be drawn; everything in the link's frame. Solid i is shape i of the scene."""

    link: int
    """Of all links in the scene."""
    label: str
    vertices: np.ndarray
    faces: np.ndarray
    corners: np.ndarray
    """The same faces by position: vertices at one place have one number."""
    colour: Colour
    center: np.ndarray
    axes: np.ndarray
    """Rows are the axes of its oriented box."""
    half: np.ndarray

    @cached_property
    def normals(self) -> np.ndarray:
        """(m, 3, 3): the unit normal at each corner of each triangle."""
        return corner_normals(self.vertices, self.faces, self.corners)

    @property
    def box(self) -> np.ndarray:
        """(8, 3): the corners of its oriented box."""
        return self.center + (CUBE * self.half) @ self.axes


CUBE = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
"""The corners of a cube, x slowest."""

CUBE_EDGES = np.array([(i, i | bit) for bit in (4, 2, 1) for i in range(8) if not i & bit])
"""Its twelve edges, as pairs of corners."""


def bytes_of(colour: Colour) -> tuple[int, int, int]:
    """Return a colour in 0 to 255."""
    return tuple(round(255 * c) for c in colour)  # type: ignore[return-value]


def solid_of(shape: Shape, link: int, label: str, colour: Colour, segments: int = SEGMENTS) -> Solid:
    """Make a shape ready to be drawn."""
    mesh = shape.mesh(segments)
    place = shape.placement
    vertices = shape.points if shape.is_mesh else mesh.vertices @ place[:3, :3].T + place[:3, 3]
    return Solid(link, label, vertices, mesh.faces, mesh.welded[0], colour, shape.center, shape.axes, shape.half)


def colour_of(model: Model, m: int, link: int) -> Colour:
    """Return the colour of a link that does not take part in the contact: the m-th model of its scene."""
    return MACHINE[link % len(MACHINE)] if len(model.link_names) > 1 else THINGS[m % len(THINGS)]


def corner_normals(vertices: np.ndarray, faces: np.ndarray, corners: np.ndarray | None = None) -> np.ndarray:
    """Return (m, 3, 3): unit normals at the corners of triangles, smooth except across edges sharper than `CREASE`.

    `corners` are the faces by position, where vertices are repeated. A triangle without area has the normal z.
    """
    if len(faces) == 0:
        return np.zeros((0, 3, 3))
    corners = faces if corners is None else corners
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    area = np.linalg.norm(across, axis=1)
    flat = np.where((area > 0.0)[:, None], across / np.where(area > 0.0, area, 1.0)[:, None], (0.0, 0.0, 1.0))
    order = np.argsort(corners, axis=None, kind="stable")
    start = np.searchsorted(corners.ravel()[order], np.arange(int(corners.max()) + 2))
    out = np.zeros((len(faces), 3, 3))
    _blend(out, flat, area, order, start)
    return out


@kernel
def _blend(out: FloatArray, flat: Vectors, area: Values, order: np.ndarray, start: np.ndarray) -> None:
    """Write at each corner the mean, by area, of the normals around its vertex that lean little from its own."""
    for v in range(start.shape[0] - 1):
        for i in range(start[v], start[v + 1]):
            own = order[i] // 3
            x = y = z = 0.0
            for k in range(start[v], start[v + 1]):
                other = order[k] // 3
                lean = flat[own, 0] * flat[other, 0] + flat[own, 1] * flat[other, 1] + flat[own, 2] * flat[other, 2]
                if lean > CREASE:
                    x += area[other] * flat[other, 0]
                    y += area[other] * flat[other, 1]
                    z += area[other] * flat[other, 2]
            length = (x * x + y * y + z * z) ** 0.5
            for c in range(3):
                out[own, order[i] % 3, c] = (x, y, z)[c] / length if length > 0.0 else flat[own, c]
