"""The point of a shape that is nearest to a place, written so that a checker sees that it is one of the shape."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from tocsin._types import Json
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder, Sphere
from tocsin.geometry.shape import Geometry, Shape

INWARD = 1.0 - 2.0**-40
"""Times a radius: rounding does not take the point out again."""


def nearest_of(
    shapes: Iterable[Shape], pose: np.ndarray, point: np.ndarray, feature: tuple[int, ...], first: int
) -> tuple[int, list[Json]]:
    """Return which of a link's shapes is nearest to a place in the world, and its point; `first`: their first number.

    `pose`: where the link is.
    """
    found = []
    for k, shape in enumerate(s for s in shapes if not s.is_empty):
        place = pose @ shape.placement
        local = (point - place[:3, 3]) @ place[:3, :3]
        far, said = nearest(shape.source, local, feature)
        found.append((far, first + k, said))
    _, number, said = min(found, key=lambda item: item[0])
    return number, said


def corners_of(box: Box) -> np.ndarray:
    """Return the corners of a box, as the checker lists them."""
    return np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * np.array(box.size, float)


def nearest(source: Geometry, at: np.ndarray, feature: tuple[int, ...]) -> tuple[float, list[Json]]:
    """Return (distance, point): [triangle, its corners' three weights, nothing beside them] of a mesh, else [corners,
    their weights, how far beside them the point is]. Weights need not add up to 1. `feature`: the corners that touch,
    of a mesh."""
    if isinstance(source, Mesh):
        has = (source.faces[:, :, None] == np.array(feature)).any(axis=2).sum(axis=1)
        return _on_triangles(source, np.flatnonzero(has == has.max()), at)
    if isinstance(source, Box):
        return _in_box(source, at)
    if isinstance(source, ConvexHull):
        return _in_hull(source.points, at)
    assert isinstance(source, (Sphere, Capsule, Cylinder))
    half = 0.0 if isinstance(source, Sphere) else 0.5 * source.length
    height = float(np.clip(at[2], -half, half))
    beside = at - [0.0, 0.0, height]
    beside[2] *= not isinstance(source, Cylinder)
    length = float(np.linalg.norm(beside))
    beside *= min(1.0, source.radius * INWARD / length) if length > 0.0 else 1.0
    far = float(np.linalg.norm(at - [0.0, 0.0, height] - beside))
    if isinstance(source, Sphere):
        return far, [[0], [1.0], beside.tolist()]
    return far, [[0, 1], [half - height, half + height] if half > 0.0 else [1.0, 0.0], beside.tolist()]


def _in_box(box: Box, at: np.ndarray) -> tuple[float, list[Json]]:
    """Return the nearest point of a box, by the weights of its corners: a product of one for each axis."""
    size = np.array(box.size, float)
    inside = np.clip(at, -0.5 * size, 0.5 * size)
    shares = np.clip(inside / np.where(size > 0.0, size, 1.0) + 0.5, 0.0, 1.0)
    weights = np.array([np.prod(ends) for ends in itertools.product(*np.stack((1.0 - shares, shares), axis=1))])
    used = np.flatnonzero(weights)
    return float(np.linalg.norm(inside - at)), [used.tolist(), weights[used].tolist(), [0.0, 0.0, 0.0]]


def _in_hull(points: np.ndarray, at: np.ndarray) -> tuple[float, list[Json]]:
    """Return the nearest point of a hull, by the weights of its corners."""
    from scipy.optimize import nnls

    size = max(float(np.abs(points).max()), 1e-300)
    weights, far = nnls(np.vstack((points.T, np.full(len(points), 64.0 * size))), np.append(at, 64.0 * size))
    used = np.flatnonzero(weights)
    return far, [used.tolist(), weights[used].tolist(), [0.0, 0.0, 0.0]]


def _on_triangles(mesh: Mesh, faces: np.ndarray, at: np.ndarray) -> tuple[float, list[Json]]:
    """Return the nearest point of some triangles, by its weights."""
    best: tuple[float, list[Json]] = (np.inf, [])
    for f in faces:
        a, b, c = mesh.vertices[mesh.faces[f]]
        for u, v in _weights(a, b, c, at):
            far = float(np.linalg.norm(a + u * (b - a) + v * (c - a) - at))
            if far < best[0]:
                best = far, [int(f), [max(1.0 - u - v, 0.0), u, v], [0.0, 0.0, 0.0]]
    return best


def _weights(a: np.ndarray, b: np.ndarray, c: np.ndarray, at: np.ndarray) -> list[tuple[float, float]]:
    """Return candidates of the nearest point's weights: on the plane, and on the edges, corners included."""
    found, p, q, r = [], b - a, c - a, at - a
    pp, pq, qq, pr, qr = float(p @ p), float(p @ q), float(q @ q), float(p @ r), float(q @ r)
    square = pp * qq - pq * pq
    u, v = ((qq * pr - pq * qr) / square, (pp * qr - pq * pr) / square) if square > 0.0 else (-1.0, -1.0)
    if u >= 0.0 and v >= 0.0 and u + v <= 1.0:
        found.append((u, v))
    for p, q, weights in ((a, b, lambda s: (s, 0.0)), (a, c, lambda s: (0.0, s)), (b, c, lambda s: (1.0 - s, s))):
        square = float((q - p) @ (q - p))
        s = min(max(float((at - p) @ (q - p)) / square, 0.0), 1.0) if square > 0.0 else 0.0
        found.append(weights(s))
    return found
