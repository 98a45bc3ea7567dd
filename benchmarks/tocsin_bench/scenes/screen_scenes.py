"""Rectangles [SCREW fig. 1, fig. 2], cubes, cars [SCREW fig. 12] and tori [SCREW fig. 13], as bodies and motions."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import tocsin
from tocsin.geometry.shape import ShapeLike

PAPER = {"cubes": (56.0, 63.0, 77.0), "cars": (109.0, 128.0, 170.0), "tori": (2040.0, 2560.0, 3480.0)}
"""[SCREW 9.1]: microseconds at low, medium and high resolution, on a 2.4 GHz Pentium IV."""


class Example(NamedTuple):
    """A standing body a, a body b and its motion."""

    scene: tocsin.Scene
    motion: tocsin.Motion


def pose(
    x: float = 0.0, y: float = 0.0, z: float = 0.0, turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> np.ndarray:
    """Return a 4x4 pose: a translation, and turns about x, y and z in degrees, in this order."""
    out = np.eye(4)
    for k, degrees in enumerate(turn):
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        i, j = (k + 1) % 3, (k + 2) % 3
        step = np.eye(3)
        step[i, i], step[i, j], step[j, i], step[j, j] = c, -s, s, c
        out[:3, :3] = step @ out[:3, :3]
    out[:3, 3] = x, y, z
    return out


def polygons(vertices: list[tuple[float, float, float]], faces: list[tuple[int, ...]]) -> tocsin.Mesh:
    """Return convex polygons as fans of triangles."""
    fans = [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)]
    return tocsin.Mesh(np.array(vertices, float), np.array(fans))


def car() -> tocsin.Mesh:
    """Return a car of 16 vertices, 26 edges and 12 flat faces, as in [SCREW fig. 12]: a prism, narrower at the roof."""
    side = [(-2.0, 0.2), (-1.9, 0.8), (-1.0, 0.9), (-0.6, 1.4), (0.6, 1.4), (1.1, 0.9), (2.0, 0.8), (2.1, 0.2)]
    narrow = {3: 0.75, 4: 0.75}
    vertices = [(x, sign * narrow.get(k, 0.9), z) for sign in (-1.0, 1.0) for k, (x, z) in enumerate(side)]
    # Sides: a lower hexagon, and the window above it; that makes 8 around, and 2 on each side.
    right = [(0, 7, 6, 5, 2, 1), (2, 5, 4, 3)]
    left = [tuple(8 + k for k in reversed(f)) for f in right]
    around = [(k, (k + 1) % 8, 8 + (k + 1) % 8, 8 + k) for k in range(8)]
    return polygons(vertices, right + left + around)


def torus(around: int = 20, across: int = 15, radius: float = 1.0, thickness: float = 0.35) -> tocsin.Mesh:
    """Return a torus of around x across flat quadrilaterals, about z."""
    vertices = []
    for i in range(around):
        phi = 2.0 * math.pi * i / around
        for k in range(across):
            psi = 2.0 * math.pi * k / across
            r = radius + thickness * math.cos(psi)
            vertices.append((r * math.cos(phi), r * math.sin(phi), thickness * math.sin(psi)))
    faces = []
    for i in range(around):
        for k in range(across):
            n, m = (i + 1) % around, (k + 1) % across
            faces.append((i * across + k, n * across + k, n * across + m, i * across + m))
    return polygons(vertices, faces)


def example(
    shape_a: ShapeLike, shape_b: ShapeLike, start: np.ndarray, stop: np.ndarray, kind: str = "screw"
) -> Example:
    """Return b moving from one pose to another past a."""
    a, b = tocsin.Body(shape_a, name="a"), tocsin.Body(shape_b, name="b")
    return Example(tocsin.Scene(a, b), b.move(start, stop, kind=kind))


def cubes() -> Example:
    """Two unit cubes; b turns by 30 degrees and moves through a corner of a."""
    return example(
        tocsin.Box((1, 1, 1)),
        tocsin.Box((1, 1, 1)),
        pose(1.6, 0.4, 0.3, (10, 20, 15)),
        pose(0.2, 0.2, 0.1, (10, 25, 45)),
    )


def cars() -> Example:
    """Two cars; b comes around a bend and hits a in the side."""
    return example(car(), car(), pose(4.5, 3.0, 0.0, (0, 0, 215)), pose(0.8, 1.0, 0.0, (0, 0, 240)))


def tori() -> Example:
    """Two tori of 300 faces; b goes up and away through a, and touches it properly three times [SCREW fig. 13]."""
    return example(torus(), torus(), pose(0.5, -0.7, -2.0, (75, -5, 15)), pose(-0.1, 1.4, 1.9, (70, -10, 40)))


EXAMPLES = {"cubes": cubes, "cars": cars, "tori": tori}
