"""A grid of cells over an environment, each listing the shapes in it: the raster that stage two was measured against.

The conservative counterpart of the occlusion queries of [ARTICULATE 4.2.3]: the environment is drawn into cells once, a
swept volume's pieces are drawn into the same cells, and shapes whose cells no piece reaches are dropped. Both are drawn
outward: a triangle is in every cell that its box and its plane touch, a piece in every cell that is not provably
farther from it than its radius.
"""

from typing import NamedTuple

import numpy as np

from tocsin.compiler.jit import kernel
from tocsin.interval.swept_cull import misses_box


class Grid(NamedTuple):
    """Cells of one size, in x y z order; `shapes[start[c] : start[c + 1]]` are the shapes in cell c."""

    low: np.ndarray
    size: float
    counts: np.ndarray
    start: np.ndarray
    shapes: np.ndarray


@kernel
def _draw(triangles, owner, low, size, counts, entries):
    """Write (cell, shape) of every triangle and cell that may meet; return how many. `entries` may be empty: count."""
    n = 0
    for k in range(triangles.shape[0]):
        a = triangles[k, 0]
        u = triangles[k, 1] - a
        v = triangles[k, 2] - a
        normal = np.array([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]])
        thick = 0.5 * size * (abs(normal[0]) + abs(normal[1]) + abs(normal[2])) * (1.0 + 1e-9)
        first = np.zeros(3, np.int64)
        last = np.zeros(3, np.int64)
        for c in range(3):
            lo = min(a[c], min(triangles[k, 1, c], triangles[k, 2, c]))
            hi = max(a[c], max(triangles[k, 1, c], triangles[k, 2, c]))
            first[c] = max(0, int((lo - low[c]) / size - 1e-9))
            last[c] = min(counts[c] - 1, int((hi - low[c]) / size + 1e-9))
        for i in range(first[0], last[0] + 1):
            for j in range(first[1], last[1] + 1):
                for m in range(first[2], last[2] + 1):
                    away = (
                        normal[0] * (low[0] + (i + 0.5) * size - a[0])
                        + normal[1] * (low[1] + (j + 0.5) * size - a[1])
                        + normal[2] * (low[2] + (m + 0.5) * size - a[2])
                    )
                    if abs(away) <= thick:
                        if n < entries.shape[0]:
                            entries[n, 0] = (i * counts[1] + j) * counts[2] + m
                            entries[n, 1] = owner[k]
                        n += 1
    return n


def build(world, standing: np.ndarray, size: float) -> Grid:
    """Draw the standing meshes of a world, given in the world's frame already, into cells of this size (metres)."""
    faces = [world.faces[world.geoms[g]["face"] : world.geoms[g]["face"] + world.geoms[g]["faces"]] for g in standing]
    triangles = world.points[np.concatenate(faces)]
    owner = np.repeat(standing, [len(f) for f in faces])
    low = triangles.min(axis=(0, 1)) - size
    counts = np.ceil((triangles.max(axis=(0, 1)) + size - low) / size).astype(np.int64)
    n = _draw(triangles, owner, low, size, counts, np.zeros((0, 2), np.int64))
    entries = np.zeros((n, 2), np.int64)
    _draw(triangles, owner, low, size, counts, entries)
    entries = np.unique(entries, axis=0)
    start = np.searchsorted(entries[:, 0], np.arange(counts.prod() + 1))
    return Grid(low, size, counts, start.astype(np.int32), entries[:, 1].astype(np.int32))


@kernel
def near_shapes(grid, pieces, n, corners, found):
    """Set found[g] for every shape that one of n pieces may reach; `corners` (4, 3) is working memory."""
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    half = (0.5 * grid.size, 0.5 * grid.size, 0.5 * grid.size)
    for k in range(n):
        piece = pieces[k]
        corners[:] = piece["corner"]
        i0 = max(0, int((piece["lo"][0] - grid.low[0]) / grid.size - 1e-9))
        j0 = max(0, int((piece["lo"][1] - grid.low[1]) / grid.size - 1e-9))
        m0 = max(0, int((piece["lo"][2] - grid.low[2]) / grid.size - 1e-9))
        i1 = min(grid.counts[0] - 1, int((piece["hi"][0] - grid.low[0]) / grid.size + 1e-9))
        j1 = min(grid.counts[1] - 1, int((piece["hi"][1] - grid.low[1]) / grid.size + 1e-9))
        m1 = min(grid.counts[2] - 1, int((piece["hi"][2] - grid.low[2]) / grid.size + 1e-9))
        for i in range(i0, i1 + 1):
            for j in range(j0, j1 + 1):
                for m in range(m0, m1 + 1):
                    cell = (i * grid.counts[1] + j) * grid.counts[2] + m
                    if grid.start[cell] == grid.start[cell + 1]:
                        continue
                    center = (
                        grid.low[0] + (i + 0.5) * grid.size,
                        grid.low[1] + (j + 0.5) * grid.size,
                        grid.low[2] + (m + 0.5) * grid.size,
                    )
                    if not misses_box(corners, 0, center, axes, half, piece["radius"]):
                        for e in range(grid.start[cell], grid.start[cell + 1]):
                            found[grid.shapes[e]] = True
