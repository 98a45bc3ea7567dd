"""A small software renderer: pictures of the scenes without a graphics card.

Triangles are drawn into a depth buffer, once from the light for its shadow and once from the camera, with a normal and
a colour per pixel; light, shadow and a little darkening of creases are then added over the whole image.
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tocsin._jit import kernel
Triangles = tuple[np.ndarray, np.ndarray]

Colour = tuple[float, float, float]


@dataclass
class Stage:
    """What is to be drawn: triangles in the world, each corner with a normal and a colour."""

    corners: list[np.ndarray] = field(default_factory=list)
    normals: list[np.ndarray] = field(default_factory=list)
    colours: list[np.ndarray] = field(default_factory=list)

    def add(self, mesh: Triangles, colour: Colour, pose: np.ndarray | None = None) -> None:
        """Add a mesh at `pose` (4x4) with smooth normals."""
        vertices, faces = mesh
        if pose is not None:
            vertices = vertices @ pose[:3, :3].T + pose[:3, 3]
        flat = np.cross(vertices[faces[:, 1]] - vertices[faces[:, 0]], vertices[faces[:, 2]] - vertices[faces[:, 0]])
        smooth = np.zeros_like(vertices)
        for k in range(3):
            np.add.at(smooth, faces[:, k], flat)
        corner = smooth[faces]
        # A corner whose smooth normal leans far from its face belongs to a crease: keep the crease sharp.
        flat /= np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-300)
        corner /= np.maximum(np.linalg.norm(corner, axis=2, keepdims=True), 1e-300)
        crease = np.einsum("ikj,ij->ik", corner, flat) < 0.6
        corner = np.where(crease[:, :, None], flat[:, None, :], corner)
        self.corners.append(vertices[faces])
        self.normals.append(corner)
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
        left, right = max(0, int(np.floor(min(x0, x1, x2)))), min(width - 1, int(np.ceil(max(x0, x1, x2))))
        bottom, top = max(0, int(np.floor(min(y0, y1, y2)))), min(height - 1, int(np.ceil(max(y0, y1, y2))))
        for py in range(bottom, top + 1):
            for px in range(left, right + 1):
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


def _look(eye: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Rows right, up, back of a camera at `eye` that looks at `at`."""
    back = (eye - at) / np.linalg.norm(eye - at)
    right = np.cross((0.0, 0.0, 1.0), back)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(back, right), back])


def render(
    stage: Stage,
    path: str | Path,
    *,
    eye: tuple[float, float, float],
    at: tuple[float, float, float],
    size: tuple[int, int] = (1280, 800),
    zoom: float = 1.6,
    sun: tuple[float, float, float] = (0.45, -0.35, 0.82),
) -> None:
    """Draw the stage as seen from `eye` towards `at` and write it to `path` as a PNG file; needs matplotlib."""
    from matplotlib import image as matplotlib_image

    corners, normals, colours = (
        np.concatenate(stage.corners),
        np.concatenate(stage.normals),
        np.concatenate(stage.colours),
    )
    eye_, at_, sun_ = np.array(eye), np.array(at), np.array(sun) / np.linalg.norm(sun)
    width, height = 2 * size[0], 2 * size[1]

    camera = (corners - eye_) @ _look(eye_, at_).T
    inverse = 1.0 / np.where(camera[..., 2] < -1e-3, -camera[..., 2], -1.0)
    focal = zoom * height / 2.0
    screen = np.stack(
        [width / 2 + focal * camera[..., 0] * inverse, height / 2 - focal * camera[..., 1] * inverse, inverse], -1
    )
    depth, owner, weights = np.zeros((height, width)), np.full((height, width), -1), np.zeros((height, width, 2))
    _draw(screen, depth, owner, weights)

    seen = owner >= 0
    k, b = owner[seen], weights[seen]
    bary = np.column_stack([b, 1.0 - b.sum(axis=1)])
    point = np.einsum("ij,ijk->ik", bary, corners[k])
    normal = np.einsum("ij,ijk->ik", bary, normals[k])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    view = (eye_ - point) / np.linalg.norm(eye_ - point, axis=1, keepdims=True)
    normal = np.where(((normal * view).sum(axis=1) < 0.0)[:, None], -normal, normal)

    lit = _sunlight(corners, point, normal, sun_)
    half = view + sun_
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    diffuse = np.maximum(normal @ sun_, 0.0) * lit
    shine = np.maximum((normal * half).sum(axis=1), 0.0) ** 40 * lit
    sky = 0.36 + 0.2 * normal[:, 2] + 0.08 * normal[:, 1]
    crease = _creases(depth)[seen]
    colour = colours[k] * ((sky * crease + 0.75 * diffuse)[:, None]) + 0.16 * shine[:, None]

    backdrop = np.linspace(0.98, 0.86, height)[:, None, None] * np.array([1.0, 1.0, 1.02])
    image = np.broadcast_to(backdrop, (height, width, 3)).copy()
    image[seen] = colour
    image = np.clip(image, 0.0, 1.0) ** (1.0 / 1.25)
    image = image.reshape(size[1], 2, size[0], 2, 3).mean(axis=(1, 3))
    matplotlib_image.imsave(path, image)


def _sunlight(corners: np.ndarray, point: np.ndarray, normal: np.ndarray, sun: np.ndarray) -> np.ndarray:
    """How much of the sun each point sees, from a shadow map with soft edges."""
    centre = 0.5 * (corners.reshape(-1, 3).min(axis=0) + corners.reshape(-1, 3).max(axis=0))
    frame = _look(centre + sun, centre)
    radius = float(np.max(np.linalg.norm(corners.reshape(-1, 3) - centre, axis=1)))
    n = 2048
    scale = 0.5 * n / radius

    def project(points: np.ndarray) -> np.ndarray:
        p = (points - centre) @ frame.T
        return np.stack([n / 2 + scale * p[..., 0], n / 2 - scale * p[..., 1], 2.0 + p[..., 2] / radius], -1)

    depth, owner, weights = np.zeros((n, n)), np.full((n, n), -1), np.zeros((n, n, 2))
    _draw(project(corners), depth, owner, weights)
    # Lift the point off its own surface by about two texels, or the surface would shade itself.
    p = project(point + normal * (2.0 / scale) + sun * (1.0 / scale))
    lit = np.zeros(len(point))
    offsets = [(dx, dy) for dx in (-1.5, -0.5, 0.5, 1.5) for dy in (-1.5, -0.5, 0.5, 1.5)]
    for dx, dy in offsets:
        x = np.clip((p[:, 0] + dx).astype(np.int64), 0, n - 1)
        y = np.clip((p[:, 1] + dy).astype(np.int64), 0, n - 1)
        lit += (p[:, 2] >= depth[y, x] - 1.0 / n) / len(offsets)
    return lit


def _creases(depth: np.ndarray) -> np.ndarray:
    """A factor below one where neighbouring pixels are nearer to the eye: corners, gaps, contacts."""
    hidden = np.zeros_like(depth)
    rings = [(r, a) for r in (3, 6, 12, 20) for a in np.arange(8) * (np.pi / 4.0)]
    for radius, angle in rings:
        shift = (round(radius * np.sin(angle)), round(radius * np.cos(angle)))
        nearer = np.roll(depth, shift, axis=(0, 1)) / np.maximum(depth, 1e-9) - 1.0
        hidden += np.clip(nearer / 0.012, 0.0, 1.0) * (nearer < 0.12)
    return 1.0 - 0.6 * np.clip(hidden / (0.55 * len(rings)), 0.0, 1.0)
