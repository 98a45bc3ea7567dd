"""How far two shapes are apart, slowly: meshes, boxes, hulls, spheres, capsules and cylinders.

Every shape but the cylinder is a set of core triangles grown by a radius: a sphere is a point (a triangle with one
corner three times) and its radius, a capsule a segment and its radius, a box and a hull are closed triangle meshes
that are filled. So `distance = max(0, distance of the cores - radii)`, and 0 when a filled core holds a point of the
other core.

The cylinder is the convex set {x^2 + y^2 <= r^2, |z| <= h}, whose distance function has a closed form and is convex;
its minimum over a triangle, or over another cylinder, is found by nested searches of one variable (the partial minimum
of a convex function is convex). All values are measured between points of the two shapes, so an unfinished search errs
upwards, here by less than 1e-8 of the sizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import ConvexHull

from tocsin_bench.oracles import distance as tri


@dataclass(frozen=True)
class Shape:
    """A shape in its own frame. `core` is (n, 3, 3); for a cylinder it is empty and `half` is half of its height."""

    core: np.ndarray
    radius: float = 0.0
    filled: bool = False
    half: float = 0.0

    @property
    def is_cylinder(self) -> bool:
        """Return whether this is the one shape without a core."""
        return self.half > 0

    @cached_property
    def corners(self) -> np.ndarray:
        """Return the corners of the core's triangles (3 n, 3); for a cylinder its centre."""
        return self.core.reshape(-1, 3) if len(self.core) else np.zeros((1, 3))

    @cached_property
    def diagonal(self) -> float:
        """Return the diagonal of the axis-aligned box in the shape's own frame."""
        if self.is_cylinder:
            return float(2 * np.sqrt(2 * self.radius**2 + self.half**2))
        if not len(self.core):
            return 0.0
        return float(np.linalg.norm(np.ptp(self.corners, axis=0) + 2 * self.radius))

    @cached_property
    def reach(self) -> float:
        """Return the largest distance of a point of the shape from the origin of its frame."""
        if self.is_cylinder:
            return float(np.hypot(self.radius, self.half))
        return float(np.sqrt((self.corners**2).sum(1).max())) + self.radius if len(self.core) else 0.0

    @cached_property
    def ball(self) -> tuple[np.ndarray, float]:
        """Return centre and radius of a ball around the shape, the radius rather too large than too small."""
        centre = (self.corners.min(0) + self.corners.max(0)) / 2
        if self.is_cylinder:
            return centre, self.reach * (1 + 1e-12)
        return centre, float(np.sqrt(((self.corners - centre) ** 2).sum(1).max()) + self.radius) * (1 + 1e-12)


def apart(a: Shape, pose_a, b: Shape, pose_b) -> float:
    """Return a cheap lower bound of the distance: that of the balls around the shapes."""
    (ca, ra), (cb, rb) = a.ball, b.ball
    return float(np.linalg.norm(pose_a[:3, :3] @ ca - pose_b[:3, :3] @ cb + pose_a[:3, 3] - pose_b[:3, 3])) - ra - rb


def mesh(vertices, faces, solid: bool = False) -> Shape:
    """Return a triangle soup; `solid` fills a closed one."""
    return Shape(np.asarray(vertices, float)[np.asarray(faces, int).reshape(-1, 3)], filled=solid)


def sphere(radius: float) -> Shape:
    """Return a ball about the origin."""
    return Shape(np.zeros((1, 3, 3)), radius=radius)


def capsule(radius: float, length: float) -> Shape:
    """Return a capsule along z; `length` is that of the segment between the centres of its caps."""
    a, b = [0, 0, -length / 2], [0, 0, length / 2]
    return Shape(np.array([[a, b, b]], float), radius=radius)


def cylinder(radius: float, length: float) -> Shape:
    """Return a solid cylinder along z."""
    return Shape(np.zeros((0, 3, 3)), radius=radius, half=length / 2)


def hull(points) -> Shape:
    """Return the filled convex hull of points, its faces turned outward."""
    points = np.asarray(points, float)
    found = ConvexHull(points)
    core = points[found.simplices]
    turned = (
        np.einsum("ij,ij->i", np.cross(core[:, 1] - core[:, 0], core[:, 2] - core[:, 0]), found.equations[:, :3]) < 0
    )
    core[turned] = core[turned][:, ::-1]
    return Shape(core, filled=True)


def box(size) -> Shape:
    """Return a solid box about the origin."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    return hull(signs * np.asarray(size, float) / 2)


def cylinder_distance(points, radius: float, half: float):
    """Return the distances of points (..., 3) to a solid cylinder along z."""
    rho = np.hypot(points[..., 0], points[..., 1])
    return np.hypot(np.maximum(rho - radius, 0.0), np.maximum(np.abs(points[..., 2]) - half, 0.0))


def _least(function, lo, hi, rounds: int):
    """Return the least values met of convex functions of one variable on [lo, hi], one for each entry of lo.

    Every round samples 16 cells and keeps the two about the best sample, which hold the minimum: `function` maps
    (..., 17) arguments to values.
    """
    steps, best = np.linspace(0, 1, 17), np.full(np.shape(lo), np.inf)
    for _ in range(rounds):
        x = lo[..., None] + (hi - lo)[..., None] * steps
        values = function(x)
        k = values.argmin(-1)[..., None]
        best = np.minimum(best, values.min(-1))
        lo, hi = (np.take_along_axis(x, np.clip(k + d, 0, 16), -1)[..., 0] for d in (-1, 1))
    return best


def cylinder_triangles(radius: float, half: float, triangles, rounds: int = 10):
    """Return the distances (n,) of a cylinder about the origin to n triangles."""
    a, u, v = (t[:, None, None] for t in (triangles[:, 0], *(triangles[:, 1:] - triangles[:, :1]).swapaxes(0, 1)))

    def over_rows(y):
        def at(x):
            return cylinder_distance(a + x[..., None] * u + y[..., None, None] * v, radius, half)

        return _least(at, np.zeros_like(y), 1 - y, rounds)

    return _least(over_rows, np.zeros(len(triangles)), np.ones(len(triangles)), rounds)


def _cylinder_mesh(one: Shape, triangles, enough: float) -> float:
    centres, radii = tri.bounding_spheres(triangles)
    at_centre = cylinder_distance(centres, one.radius, one.half)
    best = float(min(at_centre.min(), cylinder_distance(triangles, one.radius, one.half).min()))
    for rounds in (3, 10):  # a coarse search first: often it is enough
        near = np.nonzero(at_centre - radii <= best)[0]
        if best > enough and len(near):
            best = min(best, float(cylinder_triangles(one.radius, one.half, triangles[near], rounds).min()))
    return best


def _cylinder_cylinder(a: Shape, b: Shape, rotation, shift, rounds: int) -> float:
    """Return the least distance to b of the points (x, y, z) of a: over z, for each z over y, for each y over x."""

    def over_heights(z):
        def over_lines(y):
            width = np.sqrt(np.maximum(a.radius**2 - y * y, 0.0))

            def at(x):
                points = np.stack(np.broadcast_arrays(x, y[..., None], z[..., None, None]), -1)
                return cylinder_distance((points - shift) @ rotation, b.radius, b.half)

            return _least(at, -width, width, rounds)

        return _least(over_lines, np.full_like(z, -a.radius), np.full_like(z, a.radius), rounds)

    return float(_least(over_heights, np.array(-a.half), np.array(a.half), rounds))


def distance(a: Shape, pose_a, b: Shape, pose_b, enough: float = -1.0) -> float:
    """Return the distance of two placed shapes; the search may stop once it is `<= enough`."""
    if b.is_cylinder and not a.is_cylinder:
        a, pose_a, b, pose_b = b, pose_b, a, pose_a
    pose_a, pose_b = np.asarray(pose_a, float), np.asarray(pose_b, float)
    rotation, shift = pose_a[:3, :3].T @ pose_b[:3, :3], pose_a[:3, :3].T @ (pose_b[:3, 3] - pose_a[:3, 3])
    if a.is_cylinder and b.is_cylinder:
        coarse = _cylinder_cylinder(a, b, rotation, shift, rounds=5)  # often enough, in an eighth of the time
        return coarse if coarse <= enough else _cylinder_cylinder(a, b, rotation, shift, rounds=10)
    if not len(b.core) or not (a.is_cylinder or len(a.core)):
        return float("inf")
    core_b = b.core @ rotation.T + shift
    if a.is_cylinder:
        found = max(0.0, _cylinder_mesh(a, core_b, enough + b.radius) - b.radius)
    else:
        radii = a.radius + b.radius
        found = max(0.0, tri.mesh_mesh(a.core, core_b, enough + radii) - radii)
    if found > max(enough, 0.0):
        corners_b, corners_a = core_b.reshape(-1, 3), a.corners
        if a.filled and (np.abs(tri.winding_number(corners_b, a.core)) > 0.5).any():
            return 0.0
        if b.filled and (np.abs(tri.winding_number(corners_a, core_b)) > 0.5).any():
            return 0.0
    return found
