"""Rigid and articulated partners of a deformable model: their true motion, as straight lines and a bound of the rest.

During a slab of time of length h a point of a link, whose acceleration is at most A, is never farther than A h^2 / 8
from the straight line between where it is at the two ends of the slab (the error of linear interpolation). So a link's
shape is treated like a deformable one whose vertices go straight, and the margin is grown by that bound: nothing is
missed, and slabs are made short where it matters (`slabs`).

Meshes, boxes and hulls are their triangles. A ball is a point, a capsule an edge, with its radius in the margin: both
exact. A cylinder is a prism with many sides, between the inscribed and the circumscribed one, and the margin is grown
by how far they are apart; a point of the prism that is reported is brought into the cylinder (`into_cylinder`).
"""

from __future__ import annotations

import math
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from tocsin import vec
from tocsin.bounds.motion_bound import chain_bound
from tocsin.bounds.tubes import chain_error
from tocsin.compiler.jit import kernel
from tocsin.deform.mesh_state import MeshState
from tocsin.errors import TocsinError
from tocsin.geometry.affine import moved
from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder, Sphere
from tocsin.geometry.projection import closest_of
from tocsin.geometry.shape import Shape
from tocsin.motion.chain import chain_pose
from tocsin.motion.curved_joints import set_joint
from tocsin.motion.joints import JOINT

SIDES = (256, 16384)
"""Least and most sides of the prism that stands for a cylinder: off by 3.8e-5 and 9.2e-9 of the radius."""

ROUNDING = 64.0 * 2.0**-53
"""Relative error of placing points by a computed pose, beside the noise of the pose itself."""


class RigidMesh(NamedTuple):
    """A shape of a link, in the link's frame."""

    soft: MeshState
    points: np.ndarray
    radius: float
    """Metres around it that belong to it."""
    blur: float
    """Metres by which it may be off."""
    closed: bool
    """Being inside counts as contact."""
    is_mesh: bool
    reach: float
    """How far its points are from the link's origin, metres."""
    diagonal: float


_rigid_meshes: WeakKeyDictionary[Shape, dict[int, RigidMesh]] = WeakKeyDictionary()


def rigid_mesh_of(shape: Shape, tolerance: float) -> RigidMesh:
    """Return a shape as a partner, fine enough for a tolerance (metres); kept as long as the shape."""
    sides = 0
    if isinstance(shape.source, Cylinder):
        sides = SIDES[0]
        while sides < SIDES[1] and _sagitta(shape.source.radius, sides) > tolerance / 16.0:
            sides *= 2
    kept = _rigid_meshes.setdefault(shape, {})
    if sides not in kept:
        kept[sides] = _make(shape, sides)
    return kept[sides]


def _sagitta(radius: float, sides: int) -> float:
    """Return half of how far the middle of a side is inside the circle through its ends, rounded up; metres."""
    return 0.51 * radius * 2.0 * math.sin(0.5 * math.pi / sides) ** 2


def _make(shape: Shape, sides: int) -> RigidMesh:
    none = np.zeros((0, 3), np.int32)
    edges = np.zeros((0, 2), np.int32)
    loose = np.zeros(0, np.int32)
    blur = 0.0
    source = shape.source
    if isinstance(source, Sphere):
        points, faces, loose = shape.proxy, none, np.zeros(1, np.int32)
    elif isinstance(source, Capsule):
        points, faces, edges = shape.proxy, none, np.array([[0, 1]], np.int32)
    elif isinstance(source, Cylinder):
        # Corners are as far outside the circle as the middles of sides are inside.
        blur = _sagitta(source.radius, sides)
        outside = 2.0 * source.radius / (1.0 + math.cos(math.pi / sides))
        mesh = Cylinder(outside, source.length).tessellate(sides)
        points, faces = moved(mesh.vertices, shape.placement), mesh.faces
    elif isinstance(source, (Box, ConvexHull)):
        mesh = source.tessellate()
        points, faces = moved(mesh.vertices, shape.placement), mesh.faces
        if isinstance(source, ConvexHull) and not len(faces):
            edges = np.array([[0, len(points) - 1]], np.int32)
    elif shape.is_mesh:
        points, faces = shape.points, shape.faces
    else:
        kind = type(source).__name__
        raise TocsinError(f"a {kind} cannot be asked about together with what deforms: it has no features there yet.")
    points = np.ascontiguousarray(points)
    soft = MeshState(len(points), faces, edges, loose, np.arange(len(points), dtype=np.int32), meets_itself=False)
    reach = float(np.linalg.norm(points, axis=1).max(initial=0.0)) * (1.0 + 1e-12)
    blur += ROUNDING * reach
    radius = 0.0 if shape.is_mesh else shape.radius  # that of a mesh belongs to its convex proxy
    return RigidMesh(soft, points, radius, blur, shape.solid, shape.is_mesh, reach, shape.diagonal)


class LinkMotion(NamedTuple):
    """How a link moves during a stretch [begin, end] of constant joint velocities."""

    links: np.ndarray
    joints: np.ndarray
    link: int
    accel: float
    """An acceleration, in metres per unit of time squared, of the link's origin; `accel_per_reach` adds to it with the
    reach."""
    accel_per_reach: float
    length: float
    noise: float
    error: float = 0.0
    """How far it may be off its motion, metres; `error_per_reach` adds to it with the reach (`bounds.tubes`)."""
    error_per_reach: float = 0.0

    def tube(self, rigid: RigidMesh) -> float:
        """Return how far points may be off their motion; metres."""
        return (self.error + self.error_per_reach * rigid.reach) * (1.0 + 1e-12)

    @property
    def length_of_chain(self) -> int:
        """How many links it hangs on, itself included."""
        count, link = 0, self.link
        while link >= 0:
            count, link = count + 1, int(self.links[link]["parent"])
        return count

    def deviation(self, rigid: RigidMesh, duration: float) -> float:
        """Return how far points may be off straight lines during a slab, rounding of poses included; metres."""
        acceleration = self.accel + self.accel_per_reach * rigid.reach
        off = (self.noise + ROUNDING) * (self.length + rigid.reach)
        return (acceleration * duration * duration / 8.0 + off + rigid.blur) * (1.0 + 1e-12)

    def longest(self, rigid: RigidMesh, most: float) -> float:
        """Return how long a slab may be for a deviation of `most` metres; 0 if rounding alone is more."""
        left = most - self.deviation(rigid, 0.0)
        acceleration = self.accel + self.accel_per_reach * rigid.reach
        if left <= 0.0:
            return 0.0
        return math.sqrt(8.0 * left / acceleration) * (1.0 - 1e-9) if acceleration > 0.0 else math.inf

    def place(self, rigid: RigidMesh, t: float) -> np.ndarray:
        """Return where the partner's points are at time t."""
        out = np.zeros_like(rigid.points)
        place_points(self.joints, self.links, self.link, t, rigid.points, out)
        return out


@kernel
def place_points(joints, links, link, t, points, out):
    """Write where points of a link are in the world at time t."""
    rotation, place = chain_pose(joints, links, link, -1, t)
    for k in range(points.shape[0]):
        p = vec.add(place, vec.matvec(rotation, vec.load3(points, k)))
        out[k, 0] = p[0]
        out[k, 1] = p[1]
        out[k, 2] = p[2]


@kernel
def into_cylinder(joints, links, link, t, table, radius, p):
    """Return the point closest to p, in the world, of a link's cylinder at time t: p itself if it is a point of it.

    `table`: both ends of the axis and its unit direction, in the link's frame.
    """
    rotation, place = chain_pose(joints, links, link, -1, t)
    seen = vec.tmatvec(rotation, vec.sub(p, place))
    return vec.add(place, vec.matvec(rotation, closest_of(table, (0, 2, 0.0, radius), seen, seen)))


@kernel
def set_joints(joints, links, configs, width, piece):
    """Write the joints of a model in a stretch, as `motion.clocks` lists it."""
    for i in range(links.shape[0]):
        set_joint(joints[i], links[i], configs, width, piece)


def link_motions(
    links: np.ndarray, configs: np.ndarray, width: int, piece: tuple[int, int, float, float, int]
) -> list[LinkMotion]:
    """Return the path of every link of a model in a stretch, as `motion.clocks` lists it."""
    joints = np.zeros(len(links), JOINT)
    set_joints(joints, links, configs, width, piece)
    found = []
    for i in range(len(links)):
        bounds: tuple[float, ...] = chain_bound(joints, links, i, -1)
        _, _, accel, accel_per_reach, _, _, length, noise = bounds
        off: tuple[float, float] = chain_error(joints, links, i, -1)
        found.append(LinkMotion(links, joints, i, accel, accel_per_reach, length, noise, *off))
    return found
