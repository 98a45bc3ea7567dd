"""A small software renderer: pictures of scenes without a screen or a graphics card.

Triangles are drawn into a depth buffer, once from the sun for its shadow and once from the camera, then every pixel is
lit: sun, sky, shadow, and a little darkening of creases. Ghosts are drawn over it as if made of glass, and marks as if
painted on. Pictures are drawn at twice their size and averaged.
"""

# What kernels return has the types that Numba finds.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tocsin.viewer.shading import Eye, Pixels, Sun, Surface, darken, draw, lay_ground, light, overlay
from tocsin.viewer.solids import Colour, corner_normals

Triangles = tuple[np.ndarray, np.ndarray]

SHADOW = 2048
"""Texels along a side of the shadow's image."""


@dataclass
class RenderScene:
    """What is to be drawn: triangles in the world, each corner with a normal and a colour."""

    corners: list[np.ndarray] = field(default_factory=list)
    normals: list[np.ndarray] = field(default_factory=list)
    colours: list[np.ndarray] = field(default_factory=list)

    def add(
        self, mesh: Triangles, colour: Colour | np.ndarray, pose: np.ndarray | None = None,
        normals: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        """Add a mesh at `pose` (4x4), with normals at the corners of its triangles or, by default, smooth ones.

        `colour` is one for all, or (n, 3), one for each triangle.
        """
        vertices, faces = mesh
        normals = corner_normals(vertices, faces) if normals is None else normals
        if pose is not None:
            vertices, normals = vertices @ pose[:3, :3].T + pose[:3, 3], normals @ pose[:3, :3].T
        self.corners.append(vertices[faces])
        self.normals.append(normals)
        self.colours.append(np.broadcast_to(np.asarray(colour, dtype=np.float64), (len(faces), 3)))

    def add_board(self, square: float, count: int, light: Colour, dark: Colour) -> None:
        """Add a chequered floor of count x count squares, centred at the origin, with its top at z = 0."""
        half = 0.5 * count * square
        for i in range(count):
            for j in range(count):
                x, y = i * square - half, j * square - half
                vertices = np.array([(x, y, 0), (x + square, y, 0), (x + square, y + square, 0), (x, y + square, 0)])
                self.add((vertices, np.array([(0, 1, 2), (0, 2, 3)])), light if (i + j) % 2 else dark)
        rim = 0.06 * square
        frame = np.array(
            [(-half - rim, -half - rim), (half + rim, -half - rim), (half + rim, half + rim), (-half - rim, half + rim)]
        )
        floor = np.column_stack([frame, np.full(4, -1e-3)])
        self.add((floor, np.array([(0, 1, 2), (0, 2, 3)])), (0.25, 0.17, 0.12))

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return corners (n, 3, 3), normals (n, 3, 3) and colours (n, 3) of all triangles."""
        none = np.zeros((0, 3, 3))
        return (
            np.concatenate([none, *self.corners]),
            np.concatenate([none, *self.normals]),
            np.concatenate([np.zeros((0, 3)), *self.colours]),
        )


@dataclass(frozen=True)
class Camera:
    """An eye, the rows right, up, back of its frame, and the tangent of half its angle of view, upwards."""

    eye: np.ndarray
    frame: np.ndarray
    tangent: float

    def on_screen(self, points: np.ndarray, size: tuple[int, int]) -> np.ndarray:
        """Return (..., 3): x and y in pixels of a picture of this size, and 1 / distance; negative behind the eye."""
        camera = (points - self.eye) @ self.frame.T
        away = -camera[..., 2]
        inverse = 1.0 / np.where(np.abs(away) > 1e-12, away, -1.0)
        focal = 0.5 * size[1] / self.tangent
        x = 0.5 * size[0] + focal * camera[..., 0] * inverse
        y = 0.5 * size[1] - focal * camera[..., 1] * inverse
        return np.stack([x, y, inverse], -1)


@dataclass(frozen=True)
class Look:
    """Colours of what surrounds the solids, and the ground."""

    top: Colour = (0.985, 0.985, 1.0)
    bottom: Colour = (0.86, 0.86, 0.88)
    paper: Colour = (0.925, 0.938, 0.955)
    ink: Colour = (0.60, 0.65, 0.72)
    shadow: Colour = (0.36, 0.41, 0.50)
    sky: float = 0.86
    ground: float = -math.inf
    """Height of the ground; -inf: there is none."""
    cell: float = 1.0
    middle: tuple[float, float] = (0.0, 0.0)
    reach: float = 1.0
    """The ground fades out this far from its middle."""


def render(
    render_scene: RenderScene,
    path: str | Path,
    *,
    eye: tuple[float, float, float],
    at: tuple[float, float, float],
    size: tuple[int, int] = (1280, 800),
    zoom: float = 1.6,
) -> None:
    """Draw the scene as seen from `eye` towards `at` and write it to `path` as a PNG file."""
    back = np.array(eye) - np.array(at)
    right = np.cross((0.0, 0.0, 1.0), back)
    frame = np.stack([right, np.cross(back, right), back])
    camera = Camera(np.array(eye, dtype=np.float64), frame / np.linalg.norm(frame, axis=1)[:, None], 1.0 / zoom)
    write_png(path, paint(render_scene, camera, size))


def paint(
    render_scene: RenderScene,
    camera: Camera,
    size: tuple[int, int],
    *,
    look: Look | None = None,
    ghosts: tuple[RenderScene, ...] = (),
    marks: RenderScene | None = None,
    sun: tuple[float, float, float] = (0.42, -0.5, 0.9),
) -> np.ndarray:
    """Return (height, width, 3) in [0, 1]: the scene, its ghosts as glass, and marks painted onto it."""
    look = look or Look()
    toward = np.array(sun) / np.linalg.norm(sun)
    surface, place = Surface(*render_scene.arrays()), Eye(camera.eye, camera.frame)
    double = (2 * size[0], 2 * size[1])
    pixels = _pixels(camera.on_screen(surface.corners, double), double)
    shining = _shadow(surface.corners, toward)
    focal = double[1] / 2 / camera.tangent
    colour = np.array([look.top, look.bottom, look.paper, look.ink, look.shadow])
    numbers = np.array([look.sky, look.ground, look.cell, *look.middle, look.reach, focal])
    image = np.zeros((double[1], double[0], 3))
    lay_ground(pixels.depth, pixels.owner, camera.eye, camera.frame, numbers)
    creases = np.ones_like(pixels.depth)
    darken(creases, pixels.depth)
    light(image, pixels, creases, surface, place, shining, colour, numbers)
    for layer, glass in [*[(ghost, True) for ghost in ghosts], *([(marks, False)] if marks else [])]:
        own = Surface(*layer.arrays())
        overlay(image, pixels.depth, _pixels(camera.on_screen(own.corners, double), double), own, camera.eye, glass)
    return image.reshape(size[1], 2, size[0], 2, 3).mean(axis=(1, 3))


def write_png(path: str | Path, image: np.ndarray) -> None:
    """Write (height, width, 3) in [0, 1] as a PNG file."""
    pixels = np.round(255.0 * np.clip(image, 0.0, 1.0)).astype(np.uint8)
    height, width = pixels.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, 3 * width)], axis=1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 7)) + chunk(b"IEND", b"")
    Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + parts)


def _pixels(screen: np.ndarray, size: tuple[int, int]) -> Pixels:
    """Return what is seen of triangles on the screen."""
    width, height = size
    depth, owner = np.zeros((height, width)), np.full((height, width), -1, np.int32)
    weights = np.zeros((height, width, 2))
    draw(screen, depth, owner, weights)
    return Pixels(depth, owner, weights)


def _shadow(corners: np.ndarray, sun: np.ndarray) -> Sun:
    """Return what the sun sees of triangles."""
    points = corners.reshape(-1, 3) if len(corners) else np.zeros((1, 3))
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    right = np.cross((0.0, 0.0, 1.0), sun)
    right /= np.linalg.norm(right)
    frame = np.stack([right, np.cross(sun, right), sun])
    radius = float(np.linalg.norm(points - centre, axis=1).max()) or 1.0
    scale = 0.5 * SHADOW / radius
    p = (corners - centre) @ frame.T
    screen = np.stack([SHADOW / 2 + scale * p[..., 0], SHADOW / 2 - scale * p[..., 1], 2.0 + p[..., 2] / radius], -1)
    return Sun(sun, _pixels(screen, (SHADOW, SHADOW)).depth, frame, centre, scale)
