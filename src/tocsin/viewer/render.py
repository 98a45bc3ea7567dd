"""A small software renderer: pictures of scenes without a screen or a graphics card.

Triangles are drawn into a depth buffer, once from the sun for its shadow and once from the camera, then every pixel is
lit: sun, sky, shadow, and a little darkening of creases. Ghosts are drawn over it as if made of glass, and marks as if
painted on. Pictures are drawn at twice their size and averaged.
"""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tocsin.compiler.jit import kernel
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
    corners, normals, colours = render_scene.arrays()
    double = (2 * size[0], 2 * size[1])
    buffers = _buffers(camera.on_screen(corners, double), double)
    shade, shade_frame, centre, scale = _shadow(corners, toward)
    focal = double[1] / 2 / camera.tangent
    colour = np.array([look.top, look.bottom, look.paper, look.ink, look.shadow])
    numbers = np.array([look.sky, look.ground, look.cell, *look.middle, look.reach, focal, scale])
    image = np.zeros((double[1], double[0], 3))
    _lay_ground(buffers[0], buffers[1], camera.eye, camera.frame, numbers)
    creases = np.ones_like(buffers[0])
    _darken(creases, buffers[0])
    _light(image, *buffers, creases, corners, normals, colours, camera.eye, camera.frame, toward, shade, shade_frame,
           centre, colour, numbers)  # fmt: skip
    for layer, glass in [*[(ghost, True) for ghost in ghosts], *([(marks, False)] if marks else [])]:
        own_corners, own_normals, own_colours = layer.arrays()
        own = _buffers(camera.on_screen(own_corners, double), double)
        _overlay(image, buffers[0], *own, own_corners, own_normals, own_colours, camera.eye, glass)
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


def _buffers(screen: np.ndarray, size: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the image of (nearest 1/distance, triangle, two barycentrics) of triangles on the screen."""
    width, height = size
    depth, owner = np.zeros((height, width)), np.full((height, width), -1, np.int32)
    weights = np.zeros((height, width, 2))
    _draw(screen, depth, owner, weights)
    return depth, owner, weights


def _shadow(corners: np.ndarray, sun: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Return (depth image from the sun, its frame, centre, texels a metre)."""
    points = corners.reshape(-1, 3) if len(corners) else np.zeros((1, 3))
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    right = np.cross((0.0, 0.0, 1.0), sun)
    right /= np.linalg.norm(right)
    frame = np.stack([right, np.cross(sun, right), sun])
    radius = float(np.linalg.norm(points - centre, axis=1).max()) or 1.0
    scale = 0.5 * SHADOW / radius
    p = (corners - centre) @ frame.T
    screen = np.stack([SHADOW / 2 + scale * p[..., 0], SHADOW / 2 - scale * p[..., 1], 2.0 + p[..., 2] / radius], -1)
    return _buffers(screen, (SHADOW, SHADOW))[0], frame, centre, scale


@kernel
def _draw(screen, depth, owner, weights):
    """Fill `depth` with the nearest 1/w of each pixel, `owner` with its triangle, `weights` with two barycentrics.

    `screen` is (n, 3, 3): x and y in pixels and 1/w of each corner; 1/w is linear on the screen.
    """
    height, width = depth.shape
    for k in range(screen.shape[0]):
        x0, y0, w0 = screen[k, 0, 0], screen[k, 0, 1], screen[k, 0, 2]
        x1, y1, w1 = screen[k, 1, 0], screen[k, 1, 1], screen[k, 1, 2]
        x2, y2, w2 = screen[k, 2, 0], screen[k, 2, 1], screen[k, 2, 2]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if area == 0.0 or min(w0, w1, w2) <= 0.0:
            continue
        left, right = max(0.0, math.floor(min(x0, x1, x2))), min(width - 1.0, math.ceil(max(x0, x1, x2)))
        bottom, top = max(0.0, math.floor(min(y0, y1, y2))), min(height - 1.0, math.ceil(max(y0, y1, y2)))
        for py in range(int(bottom), int(top) + 1):
            for px in range(int(left), int(right) + 1):
                x, y = px + 0.5, py + 0.5
                b0 = ((x1 - x) * (y2 - y) - (x2 - x) * (y1 - y)) / area
                b1 = ((x2 - x) * (y0 - y) - (x0 - x) * (y2 - y)) / area
                b2 = 1.0 - b0 - b1
                if b0 < 0.0 or b1 < 0.0 or b2 < 0.0:
                    continue
                w = b0 * w0 + b1 * w1 + b2 * w2
                if w > depth[py, px]:
                    depth[py, px] = w
                    owner[py, px] = k
                    weights[py, px, 0] = b0 * w0 / w
                    weights[py, px, 1] = b1 * w1 / w


@kernel
def _ray(frame, numbers, width, height, px, py):
    """Return the direction of the ray through a pixel; its part along the camera's axis is one."""
    focal = numbers[6]
    x, y = (px + 0.5 - 0.5 * width) / focal, (0.5 * height - py - 0.5) / focal
    return (
        x * frame[0, 0] + y * frame[1, 0] - frame[2, 0],
        x * frame[0, 1] + y * frame[1, 1] - frame[2, 1],
        x * frame[0, 2] + y * frame[1, 2] - frame[2, 2],
    )


@kernel
def _lay_ground(depth, owner, eye, frame, numbers):
    """Put the ground into the depth image where nothing is nearer; its owner is -2."""
    ground = numbers[1]
    height, width = depth.shape
    if ground == -math.inf or eye[2] <= ground:
        return
    for py in range(height):
        for px in range(width):
            d = _ray(frame, numbers, width, height, px, py)
            if d[2] < 0.0:
                w = d[2] / (ground - eye[2])
                if w > depth[py, px]:
                    depth[py, px] = w
                    owner[py, px] = -2


@kernel
def _darken(creases, depth):
    """Write a factor below one where neighbouring pixels are nearer to the eye: corners, gaps, contacts."""
    height, width = depth.shape
    steps = np.zeros((32, 2), dtype=np.int64)
    for i in range(32):
        radius, angle = (3.0, 6.0, 12.0, 20.0)[i // 8], (i % 8) * (math.pi / 4.0) + 0.3 * (i // 8)
        steps[i, 0] = round(radius * math.sin(angle))
        steps[i, 1] = round(radius * math.cos(angle))
    for py in range(height):
        for px in range(width):
            own = depth[py, px]
            if own <= 0.0:
                continue
            hidden = 0.0
            for i in range(32):
                y = min(max(py + steps[i, 0], 0), height - 1)
                x = min(max(px + steps[i, 1], 0), width - 1)
                nearer = depth[y, x] / own - 1.0
                if 0.0 < nearer < 0.12:
                    hidden += min(nearer / 0.012, 1.0)
            creases[py, px] = 1.0 - 0.6 * min(hidden / 17.6, 1.0)


@kernel
def _sunlight(x, y, z, nx, ny, nz, sun, shade, frame, centre, scale):
    """How much of the sun a point sees: a shadow image with soft edges."""
    n = shade.shape[0]
    # Lift the point off its own surface by about two texels, or the surface would shade itself.
    x += (2.5 * nx + sun[0]) / scale - centre[0]
    y += (2.5 * ny + sun[1]) / scale - centre[1]
    z += (2.5 * nz + sun[2]) / scale - centre[2]
    u = 0.5 * n + scale * (frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z)
    v = 0.5 * n - scale * (frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z)
    own = 2.0 + (frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z) * scale / (0.5 * n)
    lit = 0.0
    for i in range(6):
        for k in range(6):
            a, b = int(u + 0.8 * (i - 2.5)), int(v + 0.8 * (k - 2.5))
            if not (0 <= a < n and 0 <= b < n) or own >= shade[b, a] - 1.0 / n:
                lit += 1.0 / 36.0
    return lit


@kernel
def _line(x, blur):
    """How much of a pixel a grid line covers: x in cells, blur in cells a pixel."""
    away = abs(x - round(x)) / max(blur, 1e-9)
    return max(0.0, 1.0 - away / 1.8) * max(0.0, min(1.0, 1.5 - 3.0 * blur))


@kernel
def _light(image, depth, owner, weights, creases, corners, normals, colours, eye, frame, sun, shade, shade_frame,
           centre, look, numbers):  # fmt: skip
    """Write the colour of every pixel; `look` holds the colours top, bottom, paper, ink, shadow."""
    height, width = depth.shape
    sky_light, ground, cell, scale = numbers[0], numbers[1], numbers[2], numbers[7]
    middle_x, middle_y, reach = numbers[3], numbers[4], numbers[5]
    for py in range(height):
        up = 1.0 - py / height
        up = up * up * (3.0 - 2.0 * up)
        for px in range(width):
            for c in range(3):
                image[py, px, c] = look[1, c] + up * (look[0, c] - look[1, c])
            k = owner[py, px]
            if k == -1:
                continue
            crease = creases[py, px]
            if k == -2:
                d = _ray(frame, numbers, width, height, px, py)
                t = 1.0 / depth[py, px]
                x, y = eye[0] + t * d[0], eye[1] + t * d[1]
                fade = 1.0 - (math.hypot(x - middle_x, y - middle_y) / reach - 0.25) / 0.75
                fade = max(0.0, min(1.0, fade))
                fade = fade * fade * (3.0 - 2.0 * fade)
                blur_x = t / numbers[6] * (1.0 + abs(d[0] / d[2])) / cell
                blur_y = t / numbers[6] * (1.0 + abs(d[1] / d[2])) / cell
                fine = max(_line(x / cell, blur_x), _line(y / cell, blur_y))
                bold = max(_line(x / cell / 5.0, blur_x / 5.0), _line(y / cell / 5.0, blur_y / 5.0))
                grid = max(0.3 * fine, 0.62 * bold)
                lit = _sunlight(x, y, ground, 0.0, 0.0, 1.0, sun, shade, shade_frame, centre, scale)
                dim = min(0.75, (1.0 - lit) * 0.34 + (1.0 - crease) * 0.5)
                for c in range(3):
                    colour = look[2, c] + grid * (look[3, c] - look[2, c])
                    colour += dim * (look[4, c] - colour)
                    image[py, px, c] += fade * (colour - image[py, px, c])
                continue
            a, b = weights[py, px, 0], weights[py, px, 1]
            e = 1.0 - a - b
            x = a * corners[k, 0, 0] + b * corners[k, 1, 0] + e * corners[k, 2, 0]
            y = a * corners[k, 0, 1] + b * corners[k, 1, 1] + e * corners[k, 2, 1]
            z = a * corners[k, 0, 2] + b * corners[k, 1, 2] + e * corners[k, 2, 2]
            nx, ny, nz, vx, vy, vz = _facing(a, b, e, normals[k], x, y, z, eye)
            lit = _sunlight(x, y, z, nx, ny, nz, sun, shade, shade_frame, centre, scale)
            facing = max(nx * sun[0] + ny * sun[1] + nz * sun[2], 0.0) * lit
            hx, hy, hz = vx + sun[0], vy + sun[1], vz + sun[2]
            shine = max((nx * hx + ny * hy + nz * hz) / math.sqrt(hx * hx + hy * hy + hz * hz), 0.0) ** 46 * lit
            rim = (1.0 - max(nx * vx + ny * vy + nz * vz, 0.0)) ** 4
            for c in range(3):
                low, high, warm = (0.42, 0.41, 0.42)[c], (0.66, 0.70, 0.78)[c], (1.0, 0.96, 0.9)[c]
                sky = (low + (high - low) * (0.5 + 0.5 * nz)) * sky_light * crease
                colour = colours[k, c] ** 2 * (sky + 0.82 * warm * facing * (0.6 + 0.4 * crease))
                colour += 0.14 * shine + 0.07 * rim * sky
                image[py, px, c] = math.sqrt(min(max(colour, 0.0), 1.0))


@kernel
def _facing(a, b, e, normals, x, y, z, eye):
    """Return the normal of a point, turned towards the eye, and the direction to the eye."""
    nx = a * normals[0, 0] + b * normals[1, 0] + e * normals[2, 0]
    ny = a * normals[0, 1] + b * normals[1, 1] + e * normals[2, 1]
    nz = a * normals[0, 2] + b * normals[1, 2] + e * normals[2, 2]
    vx, vy, vz = eye[0] - x, eye[1] - y, eye[2] - z
    n = math.sqrt(nx * nx + ny * ny + nz * nz)
    v = math.sqrt(vx * vx + vy * vy + vz * vz)
    n = max(n, 1e-300)
    if nx * vx + ny * vy + nz * vz < 0.0:
        n = -n
    return nx / n, ny / n, nz / n, vx / v, vy / v, vz / v


@kernel
def _overlay(image, depth, own_depth, owner, weights, corners, normals, colours, eye, glass):
    """Blend a layer over the image where it is not hidden: as glass, denser at its rims, or as paint."""
    height, width = depth.shape
    for py in range(height):
        for px in range(width):
            k = owner[py, px]
            if k < 0 or own_depth[py, px] < depth[py, px] * (1.0 + (4e-3 if glass else -2e-3)):
                continue
            alpha = 0.45
            if glass:
                a, b = weights[py, px, 0], weights[py, px, 1]
                e = 1.0 - a - b
                x = a * corners[k, 0, 0] + b * corners[k, 1, 0] + e * corners[k, 2, 0]
                y = a * corners[k, 0, 1] + b * corners[k, 1, 1] + e * corners[k, 2, 1]
                z = a * corners[k, 0, 2] + b * corners[k, 1, 2] + e * corners[k, 2, 2]
                nx, ny, nz, vx, vy, vz = _facing(a, b, e, normals[k], x, y, z, eye)
                alpha = 0.16 + 0.62 * max(0.0, 1.0 - nx * vx - ny * vy - nz * vz) ** 1.8
            for c in range(3):
                image[py, px, c] += alpha * (colours[k, c] - image[py, px, c])
