"""A convex proxy of a shape: a few points and a radius whose hull contains it, cheap enough to bound many pairs.

The exact hull of a curved link has hundreds of vertices; the support points along a few dozen directions and a small
radius do as well at a fraction of the cost. Containment: every hull vertex left out is within the radius of the
hull of those kept, by a witness (a point of that hull at that distance, found by GJK and measured), and the radius
is inflated for the rounding of the measurement; a convex set that contains the vertices contains their hull.

Where pairs come near, the hull itself is used instead, if it is small: the points that are kept, and all others.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin._types import Vectors
from tocsin.compiler.jit import kernel
from tocsin.compiler.threads import on_cores
from tocsin.geometry.convex import convex_distance
from tocsin.geometry.hull import ROUNDING, convex_hull, excess_over, inside, weights
from tocsin.geometry.scaling import binary_scale, largest_coordinate, middle_of_box, scale_up

DIRECTIONS = 40

CORNERS = 512
"""A hull of at most so many corners is kept as it is, beside the proxy: it takes twice the time to look at, and the
links of arms, which are 7 to 15 mm smaller than their proxies, go on as hulls until they are about to touch."""

NO_POINTS = np.zeros((0, 3))

MANY = 20_000
"""Points of which no convex hull is made: 100,000 on a ball take 2.6 s, where what is left out is measured in 0.02."""

SHARE = 1 << 16
"""Points that are measured in one go, by one thread."""


class Proxy(NamedTuple):
    """Convex sets that contain a shape."""

    kept: Vectors
    """(k, 3): the hull of these, inflated by `radius`, contains all points."""
    radius: float
    others: Vectors
    """(m, 3): the hull of those that are kept and of these, inflated by `slack`, does so too; there may be none."""
    slack: float
    tight: bool
    """Is that hull the one of the points, and not of a few of them? Nothing that is proven rests on it."""


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
            kept, (0, kept.shape[0], 0.0, 0.0), probe, (0, 1, 0.0, 0.0), pose, guess, simplex, (0.0, 0.0, 1.0)
        )
        worst = max(worst, found[1])
    return worst


@kernel
def farthest_points(points, directions):
    """Return which point is farthest along each direction, the first of equals."""
    found = np.zeros(directions.shape[0], np.int64)
    for k in range(directions.shape[0]):
        d = vec.load3(directions, k)
        best = -math.inf
        for i in range(points.shape[0]):
            s = vec.dot(d, vec.load3(points, i))
            if s > best:
                best = s
                found[k] = i
    return found


@kernel
def outward_planes(vertices, faces, o):
    """Return for each face n / (n . (a - o)): along it, the face is at 1 as seen from o; 0 for one that is too thin."""
    planes = np.zeros((faces.shape[0], 3))
    for f in range(faces.shape[0]):
        a = vec.load3(vertices, faces[f, 0])
        n = vec.cross(vec.sub(vec.load3(vertices, faces[f, 1]), a), vec.sub(vec.load3(vertices, faces[f, 2]), a))
        height = vec.dot(n, vec.sub(a, o))
        if height > 0.0:
            planes[f, 0], planes[f, 1], planes[f, 2] = vec.scale(n, 1.0 / height)
    return planes


@kernel
def excess_of_many(points, vertices, faces, planes, o):
    """Return a number that no point's distance from the hull of the vertices exceeds; all at unit size.

    For each point the face that it lies behind, as seen from o, gives a witness: a point of the hull between o and the
    face, whose distance `hull.excess_over` proves. Which face it is matters for quality only. Where that distance is
    the largest so far, the closest point of the hull may be nearer, and is a witness as well.
    """
    simplex = np.zeros((4, 9))
    pose = (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
    worst = 2.0 * ROUNDING
    for i in range(points.shape[0]):
        p = vec.load3(points, i)
        r = vec.sub(p, o)
        best = -math.inf
        face = 0
        for f in range(planes.shape[0]):
            s = vec.dot(vec.load3(planes, f), r)
            if s > best:
                best = s
                face = f
        a = vec.load3(vertices, faces[face, 0])
        b = vec.load3(vertices, faces[face, 1])
        c = vec.load3(vertices, faces[face, 2])
        la, lb, lc = weights(p, o, vertices, faces, face)
        excess = excess_over(p, o, a, b, c, la, lb, lc)
        if excess > worst:
            whole = (0, vertices.shape[0], 0.0, 0.0)
            found = convex_distance(
                vertices, whole, points, (i, 1, 0.0, 0.0), pose, vec.sub(p, a), simplex, (0.0, 0.0, 1.0)
            )
            worst = max(worst, min(excess, found[1] + 2.0**-44))
    return worst


def _proxy_of_many(points: Vectors) -> Proxy | None:
    """Return the proxy of points without their hull; None if those that are kept do not enclose a volume."""
    kept = points[np.unique(farthest_points(points, sphere_directions(DIRECTIONS)))]
    middle = np.array(middle_of_box(points))
    q = points - middle
    down, up = binary_scale(largest_coordinate(q))
    q *= down
    hull = convex_hull((kept - middle) * down)
    if hull.dimension < 3:
        return None
    o = inside(hull.vertices)
    planes = outward_planes(hull.vertices, hull.faces, o)
    parts = [q[k : k + SHARE] for k in range(0, len(q), SHARE)]
    excess = max(on_cores(lambda part: excess_of_many(part, hull.vertices, hull.faces, planes, o), parts))
    radius = scale_up(excess, up) * (1.0 + 2.0**-40)
    return Proxy(kept, radius, NO_POINTS, radius, False)


def convex_proxy(points: Vectors) -> Proxy:
    """Return the proxy of points."""
    found = _proxy_of_many(points) if len(points) > MANY else None
    if found is not None:
        return found
    hull = convex_hull(points)
    vertices = hull.vertices
    largest = float(np.abs(points).max())
    slack = hull.slack * (1.0 + 2.0**-40)
    if len(vertices) <= DIRECTIONS:
        return Proxy(np.ascontiguousarray(vertices), slack, NO_POINTS, slack, True)
    chosen = np.unique(np.argmax(vertices @ sphere_directions(DIRECTIONS).T, axis=0))
    kept = np.ascontiguousarray(vertices[chosen])
    excess = largest_excess(vertices, kept)
    radius = (excess + hull.slack + 2.0**-45 * largest) * (1.0 + 2.0**-40)
    if len(vertices) > CORNERS:
        return Proxy(kept, radius, NO_POINTS, radius, False)
    others = np.ones(len(vertices), bool)
    others[chosen] = False
    return Proxy(kept, radius, np.ascontiguousarray(vertices[others]), slack, True)
