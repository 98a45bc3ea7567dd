"""A convex proxy of a shape: a few points and a radius whose hull contains it, cheap enough to bound many pairs.

The exact hull of a curved link has hundreds of vertices; the support points along a few dozen directions and a small
radius do as well at a fraction of the cost. Containment: every hull vertex left out is within the radius of the
hull of those kept, by a witness (a point of that hull at that distance, found by GJK and measured), and the radius
is inflated for the rounding of the measurement; a convex set that contains the vertices contains their hull.
"""

import math

import numpy as np

from tocsin._types import Vectors
from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance
from tocsin.geometry.hull import convex_hull

DIRECTIONS = 40


def sphere_directions(n: int) -> Vectors:
    """Return n well-spread unit vectors (a golden spiral), the six axis directions first."""
    k = np.arange(n) + 0.5
    z = 1.0 - 2.0 * k / n
    phi = k * (math.pi * (3.0 - math.sqrt(5.0)))
    r = np.sqrt(1.0 - z * z)
    spiral = np.stack([r * np.cos(phi), r * np.sin(phi), z], axis=1)
    return np.concatenate([np.eye(3), -np.eye(3), spiral])


@kernel
def largest_excess(points, kept):
    """Return an upper bound, up to rounding, of the distance of any point to the hull of `kept`."""
    simplex = np.zeros((4, 9))
    probe = np.zeros((1, 3))
    pose = (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
    worst = 0.0
    for i in range(points.shape[0]):
        for k in range(3):
            probe[0, k] = points[i, k]
        guess = (probe[0, 0] - kept[0, 0], probe[0, 1] - kept[0, 1], probe[0, 2] - kept[0, 2])
        found = convex_distance(
            kept, (0, kept.shape[0], 0.0, 0.0), probe, (0, 1, 0.0, 0.0), pose, guess, simplex, 0.0, 0.0, 1.0
        )
        worst = max(worst, found[1])
    return worst


def convex_proxy(points: Vectors) -> tuple[Vectors, float]:
    """Return (kept, radius): the hull of `kept`, inflated by `radius`, contains all points."""
    hull = convex_hull(points)
    vertices = hull.vertices
    largest = float(np.abs(points).max())
    if len(vertices) <= DIRECTIONS:
        return np.ascontiguousarray(vertices), hull.slack * (1.0 + 2.0**-40)
    chosen = np.unique(np.argmax(vertices @ sphere_directions(DIRECTIONS).T, axis=0))
    kept = np.ascontiguousarray(vertices[chosen])
    excess = largest_excess(vertices, kept)
    return kept, (excess + hull.slack + 2.0**-45 * largest) * (1.0 + 2.0**-40)
