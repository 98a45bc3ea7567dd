"""Meshes made in code, so that every benchmark scene can be re-made anywhere and nothing has to be downloaded.

A mesh here is a pair `(vertices, faces)`: an (n, 3) float64 array in metres and an (m, 3) int64 array, faces
counter-clockwise seen from outside. Every generator is a function of its arguments alone; noise takes a seed.
"""

from collections.abc import Callable

import numpy as np

Triangles = tuple[np.ndarray, np.ndarray]


def torus(n_triangles: int, major: float = 1.0, minor: float = 0.35) -> Triangles:
    """A torus about z of about `n_triangles` triangles (2 x rings x sides, with twice as many rings as sides)."""
    sides = max(3, round(np.sqrt(n_triangles / 4.0)))
    rings = max(3, round(n_triangles / (2.0 * sides)))
    u = np.arange(rings)[:, None] * (2.0 * np.pi / rings)
    v = np.arange(sides)[None, :] * (2.0 * np.pi / sides)
    radius = major + minor * np.cos(v)
    vertices = np.stack(
        [radius * np.cos(u), radius * np.sin(u), np.broadcast_to(minor * np.sin(v), (rings, sides))], -1
    )
    i, j = np.meshgrid(np.arange(rings), np.arange(sides), indexing="ij")
    next_i, next_j = (i + 1) % rings, (j + 1) % sides
    return vertices.reshape(-1, 3), _quads(
        i * sides + j, next_i * sides + j, next_i * sides + next_j, i * sides + next_j
    )


def icosphere(subdivisions: int, radius: float = 1.0) -> Triangles:
    """A sphere of 20 x 4^subdivisions nearly equal triangles."""
    g = (1.0 + np.sqrt(5.0)) / 2.0
    vertices = np.array(
        [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g)]
        + [(0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)],
        dtype=np.float64,
    )
    vertices /= np.linalg.norm(vertices, axis=1, keepdims=True)
    faces = np.array(
        [
            (0, 11, 5),
            (0, 5, 1),
            (0, 1, 7),
            (0, 7, 10),
            (0, 10, 11),
            (1, 5, 9),
            (5, 11, 4),
            (11, 10, 2),
            (10, 7, 6),
            (7, 1, 8),
        ]
        + [
            (3, 9, 4),
            (3, 4, 2),
            (3, 2, 6),
            (3, 6, 8),
            (3, 8, 9),
            (4, 9, 5),
            (2, 4, 11),
            (6, 2, 10),
            (8, 6, 7),
            (9, 8, 1),
        ],
        dtype=np.int64,
    )
    for _ in range(subdivisions):
        edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        unique, inverse = np.unique(edges, axis=0, return_inverse=True)
        middle = vertices[unique].sum(axis=1)
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        ab, bc, ca = (inverse.reshape(3, -1) + len(vertices)).astype(np.int64)
        a, b, c = faces.T
        vertices = np.concatenate([vertices, middle])
        faces = np.concatenate([np.stack(t, -1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return radius * vertices, faces


def blob(subdivisions: int, radius: float = 1.0, bumps: float = 0.25, seed: int = 0) -> Triangles:
    """A sphere with smooth random bumps and dents of up to about `bumps` of its radius: closed and non-convex."""
    rng = np.random.default_rng(seed)
    vertices, faces = icosphere(subdivisions)
    waves = rng.normal(size=(12, 3)) * 3.0
    height = np.sin(vertices @ waves.T + rng.uniform(0.0, 2.0 * np.pi, 12)) @ (rng.uniform(0.5, 1.0, 12) / 6.0)
    return radius * (1.0 + bumps * height)[:, None] * vertices, faces


def lathe(
    profile: np.ndarray,
    rings: int,
    segments: int,
    carve: Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]] | None = None,
) -> Triangles:
    """Turn the polyline `profile` of (r, z) about z; its ends lie on the axis. Makes 2 x rings x segments triangles.

    The polyline runs from the bottom pole to the top pole and is cut into `rings` circles evenly spaced along it.
    `carve(angle, r, z)` returns changed (r, z) of every vertex, to cut battlements or slots.
    """
    profile = np.asarray(profile, dtype=np.float64)
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(profile, axis=0), axis=1))])
    at = np.linspace(0.0, length[-1], rings + 2)[1:-1]
    r = np.broadcast_to(np.interp(at, length, profile[:, 0])[:, None], (rings, segments))
    z = np.broadcast_to(np.interp(at, length, profile[:, 1])[:, None], (rings, segments))
    angle = np.broadcast_to(np.arange(segments) * (2.0 * np.pi / segments), (rings, segments))
    if carve is not None:
        r, z = carve(angle, r, z)
    wall = np.stack([r * np.cos(angle), r * np.sin(angle), z], -1).reshape(-1, 3)
    vertices = np.concatenate([wall, [[0.0, 0.0, profile[0, 1]], [0.0, 0.0, profile[-1, 1]]]])
    i, j = np.meshgrid(np.arange(rings - 1), np.arange(segments), indexing="ij")
    k = (j + 1) % segments
    sides = _quads(i * segments + j, i * segments + k, (i + 1) * segments + k, (i + 1) * segments + j)
    j, k = np.arange(segments), (np.arange(segments) + 1) % segments
    last = (rings - 1) * segments
    bottom = np.stack([np.full(segments, rings * segments), k, j], -1)
    top = np.stack([np.full(segments, rings * segments + 1), last + j, last + k], -1)
    return vertices, np.concatenate([sides, bottom, top])


def limb(length: float, radius: float, rings: int = 12, segments: int = 10, bumps: float = 0.15) -> Triangles:
    """A capsule along z from 0 to `length` with `bumps` (relative to its radius) of ripples: a non-convex limb."""
    angle = np.linspace(-np.pi / 2.0, 0.0, 9)
    cap = np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1)
    cap[0, 0] = 0.0
    profile = np.concatenate([cap, [0.0, length] + cap[::-1] * [1.0, -1.0]])

    def ripple(around: np.ndarray, r: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return r * (1.0 + bumps * np.cos(3.0 * around) * np.sin(4.0 * np.pi * z / length)), z

    return lathe(profile, rings, segments, ripple)


def box(size: tuple[float, float, float], centre: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Triangles:
    """An axis-aligned box of twelve triangles."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    return corners * size + centre, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int64)


def terrain(levels: int, size: float = 10.0, height: float = 1.5, roughness: float = 0.5, seed: int = 0) -> Triangles:
    """Fractal ground by midpoint displacement: an open sheet of 2 x 4^levels triangles over `size` x `size` metres."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(2, 2)) * height
    amplitude = height
    for _ in range(levels):
        n = len(z)
        finer = np.zeros((2 * n - 1, 2 * n - 1))
        finer[::2, ::2] = z
        finer[1::2, ::2] = 0.5 * (z[1:] + z[:-1])
        finer[:, 1::2] = 0.5 * (finer[:, 2::2] + finer[:, :-2:2])
        amplitude *= roughness
        bump = amplitude * rng.normal(size=finer.shape)
        bump[::2, ::2] = 0.0
        z = finer + bump
    n = len(z)
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, n) * size, np.linspace(-0.5, 0.5, n) * size, indexing="ij")
    i, j = np.meshgrid(np.arange(n - 1), np.arange(n - 1), indexing="ij")
    faces = _quads(i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1)
    return np.stack([x, y, z], -1).reshape(-1, 3), faces


def join(*parts: Triangles) -> Triangles:
    """Several meshes as one, as they stand; overlapping parts stay overlapping."""
    starts = np.cumsum([0] + [len(vertices) for vertices, _ in parts])
    return (
        np.concatenate([vertices for vertices, _ in parts]),
        np.concatenate([faces + start for (_, faces), start in zip(parts, starts)]),
    )


def _quads(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Split each quad a-b-c-d into two triangles."""
    a, b, c, d = a.ravel(), b.ravel(), c.ravel(), d.ravel()
    return np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).astype(np.int64)
