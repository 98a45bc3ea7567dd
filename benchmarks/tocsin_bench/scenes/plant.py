"""What stands in a plant: pipes with bends and flanges, tanks, valves, beams, cabinets; made in code, in metres.

Two environments at the sizes of those of [ARTICULATE 6]: `pipes`, dense runs of pipe around an arm (38K triangles), and
`machine_room` (1,180 objects, 187K triangles). Both leave a column around the z axis free, where the arm stands.
"""

import itertools
from functools import cache

import numpy as np
from scipy.spatial.transform import Rotation

from tocsin_bench.scenes import shapes
from tocsin_bench.scenes.shapes import Triangles

CLEAR = 0.34
"""Radius of the column around z that stays empty, up to the height of the arm."""


def tube(path: np.ndarray, radius: float, segments: int) -> Triangles:
    """A closed tube around a polyline of m points: 2 segments (m - 1) triangles and two caps of segments - 2."""
    tangent = np.gradient(path, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    across = np.cross(tangent[0], np.eye(3)[np.abs(tangent[0]).argmin()])
    angle = np.arange(segments) * (2.0 * np.pi / segments)
    rings = []
    for point, along in zip(path, tangent):
        across = across - along * (across @ along)  # carried along without turning about the path
        across /= np.linalg.norm(across)
        rings.append(
            point + radius * (np.cos(angle)[:, None] * across + np.sin(angle)[:, None] * np.cross(along, across))
        )
    i, j = np.meshgrid(np.arange(len(path) - 1), np.arange(segments), indexing="ij")
    i, j, k = i.ravel(), j.ravel(), (j.ravel() + 1) % segments
    a, b, c, d = i * segments + j, i * segments + k, (i + 1) * segments + k, (i + 1) * segments + j
    fan = np.arange(1, segments - 1)
    start = np.stack([np.zeros_like(fan), fan + 1, fan], -1)
    last = (len(path) - 1) * segments + np.stack([np.zeros_like(fan), fan, fan + 1], -1)
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1), start, last])
    return np.concatenate(rings), faces.astype(np.int64)


def route(corners: np.ndarray, bend: float, steps: int) -> np.ndarray:
    """The polyline through `corners` with each corner rounded by an arc of radius `bend` in `steps` steps."""
    points = [corners[0]]
    for before, corner, after in zip(corners, corners[1:], corners[2:]):
        u = (before - corner) / np.linalg.norm(before - corner)
        v = (after - corner) / np.linalg.norm(after - corner)
        turn = np.linspace(0.0, 0.5 * np.pi, steps + 1)[:, None]
        points.extend(corner + bend * (u * (1.0 - np.sin(turn)) + v * (1.0 - np.cos(turn))))
    points.append(corners[-1])
    return np.array(points)


def _runs(rng: np.random.Generator, low: np.ndarray, high: np.ndarray, legs: int, least: float) -> np.ndarray:
    """Corners of a run of pipe: legs along the axes, each at least `least` long, inside a box, clear of the column."""
    while True:
        corners = [rng.uniform(low, high)]
        axis = int(rng.integers(3))
        for _ in range(legs):
            point = corners[-1].copy()
            point[axis] = rng.uniform(low[axis], high[axis])
            if abs(point[axis] - corners[-1][axis]) < least:
                break
            corners.append(point)
            axis = (axis + int(rng.integers(1, 3))) % 3
        if len(corners) == legs + 1 and not _in_column(np.array(corners)):
            return np.array(corners)


def _in_column(corners: np.ndarray) -> bool:
    t = np.linspace(0.0, 1.0, 40)[:, None, None]
    points = (corners[:-1] + t * (corners[1:] - corners[:-1])).reshape(-1, 3)
    return bool((np.hypot(points[:, 0], points[:, 1]) < CLEAR).any())


def flange(radius: float, segments: int) -> Triangles:
    """A ring around a pipe of this radius, its axis along z: 2 x 5 x segments triangles."""
    profile = np.array([(0.0, -0.02), (1.5, -0.02), (1.5, 0.02), (0.0, 0.02)]) * [radius, 1.0]
    return shapes.lathe(profile, 5, segments)


def _placed(mesh: Triangles, turn: np.ndarray, place: np.ndarray) -> Triangles:
    return mesh[0] @ turn.T + place, mesh[1]


def _along(axis: np.ndarray) -> np.ndarray:
    """A rotation that takes z to the direction of `axis`."""
    return Rotation.align_vectors([axis / np.linalg.norm(axis)], [[0.0, 0.0, 1.0]])[0].as_matrix()


def _pipe(
    rng: np.random.Generator, low: np.ndarray, high: np.ndarray, legs: int, radius: float, rings: int
) -> Triangles:
    """A run of pipe with rounded bends, `rings` cross-sections in each straight leg and a flange on the first."""
    corners = _runs(rng, low, high, legs, 6.0 * radius)
    path = route(corners, 2.0 * radius, 6)
    steps = []
    for start, stop in itertools.pairwise(path):
        n = rings if np.linalg.norm(stop - start) > radius else 1
        steps.append(start + np.linspace(0.0, 1.0, n, endpoint=False)[:, None] * (stop - start))
    smooth = np.concatenate([*steps, path[-1:]])
    ring = _placed(flange(radius, 12), _along(corners[1] - corners[0]), 0.5 * (corners[0] + corners[1]))
    return shapes.join(tube(smooth, radius, 12), ring)


@cache
def pipes(seed: int = 4) -> tuple[Triangles, ...]:
    """40 runs of pipe around the column, 38K triangles, as in [ARTICULATE fig. 1]."""
    rng = np.random.default_rng(seed)
    low, high = np.array([-1.1, -1.1, 0.05]), np.array([1.1, 1.1, 1.5])
    return tuple(_pipe(rng, low, high, 4, float(rng.uniform(0.025, 0.055)), 4) for _ in range(40))


def _tank(rng: np.random.Generator) -> Triangles:
    r, h = rng.uniform(0.12, 0.25), rng.uniform(0.4, 0.9)
    profile = np.array([(0.0, 0.0), (0.8 * r, 0.03), (r, 0.1), (r, h - 0.1), (0.8 * r, h - 0.03), (0.0, h)])
    return shapes.lathe(profile, 12, 20)


def _valve(rng: np.random.Generator) -> Triangles:
    """A handwheel on a stem."""
    r = rng.uniform(0.05, 0.09)
    wheel = shapes.torus(144, r, 0.15 * r)
    stem = shapes.lathe(np.array([(0.0, -0.12), (0.2 * r, -0.12), (0.2 * r, 0.02), (0.0, 0.02)]), 3, 8)
    spokes = shapes.join(shapes.box((2.0 * r, 0.15 * r, 0.1 * r)), shapes.box((0.15 * r, 2.0 * r, 0.1 * r)))
    return shapes.join(wheel, stem, spokes)


def _pump(rng: np.random.Generator) -> Triangles:
    return shapes.join(
        shapes.blob(2, float(rng.uniform(0.1, 0.16)), 0.2, int(rng.integers(1000))),
        shapes.lathe(np.array([(0.0, 0.0), (0.07, 0.0), (0.07, 0.3), (0.0, 0.3)]), 5, 12),
    )


def _beam(rng: np.random.Generator) -> Triangles:
    """A beam with the profile of an I."""
    h, w, length = 0.12, 0.08, float(rng.uniform(0.5, 2.0))
    flanges = [shapes.box((w, 0.012, length), (0.0, y, 0.0)) for y in (-0.5 * h, 0.5 * h)]
    return shapes.join(*flanges, shapes.box((0.01, h, length)))


def _cabinet(rng: np.random.Generator) -> Triangles:
    size = rng.uniform((0.2, 0.15, 0.4), (0.5, 0.3, 1.0))
    handle = shapes.box((0.02, 0.02, 0.12), (0.4 * size[0], 0.5 * size[1] + 0.01, 0.0))
    return shapes.join(shapes.box((size[0], size[1], size[2])), handle)


def _bolt(rng: np.random.Generator) -> Triangles:
    r = float(rng.uniform(0.008, 0.02))
    return shapes.lathe(
        np.array([(0.0, 0.0), (2.0 * r, 0.0), (2.0 * r, r), (r, r), (r, 4.0 * r), (0.0, 4.0 * r)]), 6, 6
    )


@cache
def machine_room(seed: int = 5) -> tuple[Triangles, ...]:
    """1,180 objects, 187K triangles, in a room of 5 x 5 x 2.6 m around the column, the denser the nearer."""
    rng = np.random.default_rng(seed)
    low, high = np.array([-2.5, -2.5, 0.0]), np.array([2.5, 2.5, 2.6])
    near_low, near_high = np.array([-1.3, -1.3, 0.05]), np.array([1.3, 1.3, 1.7])
    made: list[Triangles] = []
    for k in range(65):
        inside = (near_low, near_high) if k % 2 else (low, high)
        made.append(_pipe(rng, *inside, 2 + k % 3, float(rng.uniform(0.02, 0.06)), 3))
    for make, count in ((_tank, 70), (_valve, 220), (_pump, 50), (_beam, 249), (_cabinet, 96), (_bolt, 430)):
        for _ in range(count):
            made.append(_somewhere(rng, make(rng), near_low, near_high, low, high, upright=make in (_tank, _cabinet)))
    return tuple(made)


def _somewhere(
    rng: np.random.Generator, mesh: Triangles, near_low: np.ndarray, near_high: np.ndarray, low: np.ndarray,
    high: np.ndarray, *, upright: bool,
) -> Triangles:  # fmt: skip
    """The mesh at a random place of the room, turned about an axis of the room, clear of the column."""
    while True:
        place = rng.uniform(near_low, near_high) if rng.random() < 0.3 else rng.uniform(low, high)
        turn = Rotation.from_euler("z", 90.0 * rng.integers(4), degrees=True)
        if upright:
            place[2] = 0.0 if mesh[0][:, 2].min() >= 0.0 else -mesh[0][:, 2].min()
        else:
            turn = turn * Rotation.from_euler("x", 90.0 * rng.integers(4), degrees=True)
        vertices, faces = _placed(mesh, turn.as_matrix(), place)
        lo, hi = vertices[:, :2].min(axis=0), vertices[:, :2].max(axis=0)
        if np.hypot(*np.clip(0.0, lo, hi)) > CLEAR:
            return vertices, faces
