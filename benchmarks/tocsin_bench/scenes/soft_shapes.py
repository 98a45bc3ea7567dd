"""Soft things made in code: sheets, a bar, and shapes like organs, each a function of its arguments alone.

Meshes are pairs (vertices, faces) as in `shapes`. Organs are spheres of latitude and longitude, warped: a point of the
unit sphere goes in, a point of the organ comes out, in metres, about life size.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tocsin_bench.scenes import shapes
from tocsin_bench.scenes.shapes import Triangles

Warp = Callable[[np.ndarray], np.ndarray]


def sheet(n_triangles: int) -> Triangles:
    """A flat square sheet over [-1, 1]^2 of about `n_triangles`, with diagonals that alternate like those of cloth."""
    cells = max(1, round(np.sqrt(n_triangles / 2.0)))
    line = np.linspace(-1.0, 1.0, cells + 1)
    x, y = np.meshgrid(line, line, indexing="ij")
    i, j = (part.ravel() for part in np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij"))
    a, b = i * (cells + 1) + j, (i + 1) * (cells + 1) + j
    c, d = b + 1, a + 1
    odd = (i + j) % 2 == 1
    first = np.where(odd[:, None], np.stack([a, b, d], -1), np.stack([a, b, c], -1))
    second = np.where(odd[:, None], np.stack([b, c, d], -1), np.stack([a, c, d], -1))
    vertices = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], -1)
    return vertices, np.concatenate([first, second]).astype(np.int64)


def ball(rings: int, segments: int) -> Triangles:
    """The unit sphere by latitude and longitude: 2 x rings x segments triangles."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 181)
    profile = np.stack([np.cos(angle), np.sin(angle)], -1)
    profile[[0, -1], 0] = 0.0
    vertices, faces = shapes.lathe(profile, rings, segments)
    return vertices / np.linalg.norm(vertices, axis=1, keepdims=True), faces


def bar(cells: int) -> Triangles:
    """A square bar along x from -1 to 1 with sides from -1 to 1 in y and z: 8 x cells + 4 triangles."""
    corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
    x = np.linspace(-1.0, 1.0, cells + 1)
    vertices = np.column_stack([np.repeat(x, 4), np.tile(corners, (cells + 1, 1))])
    faces = [(0, 3, 2), (0, 2, 1)]
    for k in range(cells):
        for side in range(4):
            a, b = 4 * k + side, 4 * k + (side + 1) % 4
            faces += [(a, b, b + 4), (a, b + 4, a + 4)]
    last = 4 * cells
    faces += [(last, last + 1, last + 2), (last, last + 2, last + 3)]
    return vertices, np.array(faces, np.int64)


def bend(vertices: np.ndarray, length: float, width: float, angle: float, swing: float = 0.0) -> np.ndarray:
    """A bar of this length and half width bent in the plane of x and z by `angle` in all, `swing` of it as an S."""
    s = vertices[:, 0]
    fine = np.linspace(-1.0, 1.0, 401)
    heading = 0.5 * angle * fine + swing * np.cos(np.pi * fine)
    heading -= np.interp(0.0, fine, heading)
    step = 0.5 * length * (fine[1] - fine[0])
    x = np.concatenate([[0.0], np.cumsum(step * np.cos(0.5 * (heading[1:] + heading[:-1])))])
    z = np.concatenate([[0.0], np.cumsum(step * np.sin(0.5 * (heading[1:] + heading[:-1])))])
    x, z = x - np.interp(0.0, fine, x), z - np.interp(0.0, fine, z)
    turn = np.interp(s, fine, heading)
    out = np.stack([np.interp(s, fine, x), width * vertices[:, 1], np.interp(s, fine, z)], -1)
    out[:, 0] -= width * vertices[:, 2] * np.sin(turn)
    out[:, 2] += width * vertices[:, 2] * np.cos(turn)
    return out


# --- organs: x to the left side of the body, y to the back, z upwards, metres -----------------------------------------


def heart(p: np.ndarray, beat: float = 0.0) -> np.ndarray:
    """A heart: a cone, tip below, two lobes with a groove and a stump of an artery above; `beat` narrows it."""
    x, y, z = p.T
    wide = 0.040 * (1.0 + 0.30 * z - 0.10 * z**2) * (1.0 - 0.10 * beat)
    lobes = 0.012 * np.clip(z, 0.0, None) * (np.abs(x) - 0.35 * np.exp(-12.0 * x**2))
    stump = 0.028 * np.exp(-18.0 * ((x + 0.25) ** 2 + (y - 0.1) ** 2)) * (z > 0.0)
    tip = np.clip(-z, 0.0, None) ** 2
    out = np.stack([wide * x * (1.0 - 0.35 * tip), 0.85 * wide * y * (1.0 - 0.35 * tip), 0.055 * z + lobes + stump], -1)
    out[:, 0] += 0.014 * tip  # the tip points to the left
    return out


def lung(side: float) -> Warp:
    """A lung of one side, 1 or -1: a tall half of an egg, hollow towards the middle where the heart lies."""

    def warp(p: np.ndarray) -> np.ndarray:
        x, y, z = p.T
        taper = 1.0 - 0.28 * z - 0.12 * z**2
        outward = np.where(x * side > 0.0, 0.075, 0.030)
        hollow = 0.030 * np.exp(-3.0 * ((z + 0.25) ** 2 + (y + 0.25) ** 2)) * np.clip(-x * side, 0.0, None)
        out = np.stack([outward * x * taper + side * hollow, 0.085 * y * taper, 0.135 * z], -1)
        out[:, 2] += 0.03 * np.clip(-z, 0.0, None) * (1.0 - p[:, 0] ** 2)  # a hollow base over the diaphragm
        return out

    return warp


def liver(p: np.ndarray) -> np.ndarray:
    """A wedge: thick on the right side, thin towards the left, its top a dome."""
    x, y, z = p.T
    thick = 0.055 * (1.0 - 0.62 * np.clip(0.5 * (x + 1.0), 0.0, 1.0))
    bottom = np.where(z < 0.0, 0.55, 1.0)
    return np.stack([0.115 * x, 0.070 * y * (1.0 - 0.25 * x), thick * bottom * z + 0.008 * x], -1)


def vertebra(p: np.ndarray) -> np.ndarray:
    """A disc with a spine to the back and two wings."""
    x, y, z = p.T
    flat = np.sign(z) * np.abs(z) ** 0.5
    spine = 0.030 * np.exp(-14.0 * x**2) * np.clip(y, 0.0, None) ** 3
    wings = 0.014 * np.exp(-14.0 * (y - 0.45) ** 2) * np.sign(x) * np.abs(x) ** 3
    thin = 1.0 - 0.55 * np.clip(np.hypot(1.4 * spine / 0.030, wings / 0.014), 0.0, 1.0)
    return np.stack([0.021 * x + wings, 0.017 * y + spine, 0.0165 * flat * thin], -1)
