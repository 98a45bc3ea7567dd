"""Organic shapes: smooth unions of round cones, meshed by surface nets.

A field is a function of (n, 3) points that is negative inside. `mesh_of` samples it on a grid, puts one vertex into
each cell that the surface crosses and one quad across each grid edge that it crosses (Gibson 1998), then pulls the
vertices onto the surface by Newton steps. The triangles are even in size, and the surface has no boundary.
"""

from collections.abc import Callable, Sequence

import numpy as np

from tocsin_bench.scenes.shapes import Triangles

Field = Callable[[np.ndarray], np.ndarray]
Stroke = tuple[Sequence[float], Sequence[float], float, float]
"""A round cone: end a, end b, radius at a, radius at b."""


def round_cones(strokes: Sequence[Stroke], blend: float) -> Field:
    """The smooth union of `strokes`, fillets about `blend` metres wide where they meet."""

    def field(points: np.ndarray) -> np.ndarray:
        total = np.zeros(len(points))
        smallest = np.full(len(points), np.inf)
        distances = []
        for a, b, radius_a, radius_b in strokes:
            a, axis = np.asarray(a, dtype=np.float64), np.subtract(b, a)
            along = np.clip((points - a) @ axis / max(float(axis @ axis), 1e-12), 0.0, 1.0)
            gap = np.linalg.norm(points - a - along[:, None] * axis, axis=1) - (
                radius_a + along * (radius_b - radius_a)
            )
            distances.append(gap)
            smallest = np.minimum(smallest, gap)
        for gap in distances:
            total += np.exp((smallest - gap) / (0.25 * blend))
        return smallest - 0.25 * blend * np.log(total)

    return field


def ellipsoid(centre: Sequence[float], radii: Sequence[float]) -> Field:
    """An ellipsoid; the value is a distance only near its surface, which is where it is used."""
    middle, scale = np.asarray(centre, dtype=np.float64), np.asarray(radii, dtype=np.float64)

    def field(points: np.ndarray) -> np.ndarray:
        k = np.linalg.norm((points - middle) / scale, axis=1)
        slope = np.linalg.norm((points - middle) / scale**2, axis=1)
        return k * (k - 1.0) / np.maximum(slope, 1e-9)

    return field


def union(*fields: Field, blend: float) -> Field:
    """The smooth union of several fields."""

    def field(points: np.ndarray) -> np.ndarray:
        values = np.stack([f(points) for f in fields])
        smallest = values.min(axis=0)
        return smallest - 0.25 * blend * np.log(np.exp((smallest - values) / (0.25 * blend)).sum(axis=0))

    return field


def carved(body: Field, tool: Field, blend: float) -> Field:
    """`body` without `tool`, the edges rounded by about `blend`."""
    rest = union(lambda points: -body(points), tool, blend=blend)
    return lambda points: -rest(points)


def mesh_of(field: Field, lo: Sequence[float], hi: Sequence[float], n_triangles: int) -> Triangles:
    """Mesh the surface of `field` inside the box lo..hi with about `n_triangles` triangles (within a few percent)."""
    low, high = np.asarray(lo, dtype=np.float64), np.asarray(hi, dtype=np.float64)
    spacing = float(np.max(high - low)) / 16.0
    vertices, faces = _surface_nets(field, low, high, spacing)
    for _ in range(3):
        # The number of triangles goes with the inverse square of the spacing.
        spacing *= np.sqrt(len(faces) / n_triangles)
        vertices, faces = _surface_nets(field, low, high, spacing)
    return vertices, faces


def _surface_nets(field: Field, lo: np.ndarray, hi: np.ndarray, spacing: float) -> Triangles:
    shape = np.ceil((hi - lo) / spacing).astype(np.int64) + 3
    axes = [lo[k] + spacing * (np.arange(shape[k]) - 1) for k in range(3)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1)
    value = field(points.reshape(-1, 3)).reshape(shape)
    inside = value < 0.0
    sums = np.zeros((*shape, 3))
    counts = np.zeros(shape)
    crossings = []
    for k in range(3):
        start = tuple(slice(None, -1) if axis == k else slice(1, -1) for axis in range(3))
        end = tuple(slice(1, None) if axis == k else slice(1, -1) for axis in range(3))
        offset = np.array([0 if axis == k else 1 for axis in range(3)])
        index = np.argwhere(inside[start] != inside[end]) + offset
        step = np.eye(3, dtype=np.int64)[k]
        at_start, at_end = value[tuple(index.T)], value[tuple((index + step).T)]
        crossing = points[tuple(index.T)] + (at_start / (at_start - at_end))[:, None] * step * spacing
        u, v = np.eye(3, dtype=np.int64)[(k + 1) % 3], np.eye(3, dtype=np.int64)[(k + 2) % 3]
        cells = [index - u - v, index - v, index, index - u]
        for cell in cells:
            np.add.at(sums, tuple(cell.T), crossing)
            np.add.at(counts, tuple(cell.T), 1.0)
        crossings.append((cells, at_start < 0.0))
    number = np.full(shape, -1, dtype=np.int64)
    used = counts > 0
    number[used] = np.arange(np.count_nonzero(used))
    vertices = _pull(field, sums[used] / counts[used][:, None], spacing)
    quads = []
    for cells, outward in crossings:
        quad = np.stack([number[tuple(cell.T)] for cell in cells], -1)
        quads.append(np.where(outward[:, None], quad, quad[:, ::-1]))
    quad = np.concatenate(quads)
    across = np.linalg.norm(vertices[quad[:, 0]] - vertices[quad[:, 2]], axis=1)
    other = np.linalg.norm(vertices[quad[:, 1]] - vertices[quad[:, 3]], axis=1)
    quad = np.where((across <= other)[:, None], quad, np.roll(quad, -1, axis=1))
    return vertices, np.concatenate([quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]])


def _pull(field: Field, vertices: np.ndarray, spacing: float) -> np.ndarray:
    """Three Newton steps towards the surface, each no longer than a quarter of a cell."""
    h = 1e-3 * spacing
    for _ in range(3):
        value = field(vertices)
        slope = np.stack([(field(vertices + h * e) - field(vertices - h * e)) / (2.0 * h) for e in np.eye(3)], -1)
        step = -value[:, None] * slope / np.maximum((slope**2).sum(axis=1), 0.04)[:, None]
        size = np.linalg.norm(step, axis=1, keepdims=True)
        vertices = vertices + step * np.minimum(1.0, 0.25 * spacing / np.maximum(size, 1e-300))
    return vertices
