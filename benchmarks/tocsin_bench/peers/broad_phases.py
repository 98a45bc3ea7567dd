"""Broad phases of others over a crowd at one moment: FCL's dynamic tree of boxes, and rapier's.

They are given where everything is at the end of a step, outside of the clock, and find the pairs whose boxes overlap
then. That is less than what tocsin finds, which is about all of the step; rapier's is timed with its narrow phase,
which Python cannot leave out. FCL takes the box of the ball around what is turned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import tocsin
from tocsin.geometry.shape import Shape


def half_sides(body: tocsin.Body) -> np.ndarray:
    """Half the sides of the box around a body's shape, in its own frame."""
    shape: Shape = body.shapes[0][0]
    return shape.half


class FclTree:
    """`DynamicAABBTreeCollisionManager` over a box for each body."""

    name = "fcl dynamic tree, update and pairs"

    def __init__(self, bodies: list[tocsin.Body]) -> None:
        import fcl  # pyright: ignore[reportMissingImports]

        self.fcl: Any = fcl
        self.objects = [fcl.CollisionObject(fcl.Box(*(2.0 * half_sides(body)))) for body in bodies]
        self.manager = fcl.DynamicAABBTreeCollisionManager()
        self.manager.registerObjects(self.objects)
        self.manager.setup()

    def place(self, poses: np.ndarray) -> None:
        """Put everything where it is at the end of a step."""
        for body, pose in zip(self.objects, poses):
            body.setTransform(self.fcl.Transform(pose[:3, :3], pose[:3, 3]))

    def ask(self) -> int:
        """Count the pairs whose boxes overlap."""
        count = [0]

        def note(a: Any, b: Any, data: Any) -> bool:
            count[0] += 1
            return False

        self.manager.update()
        self.manager.collide(None, note)
        return count[0]


class RapierWorld:
    """`detect_collisions` over a cuboid for each body: its broad and its narrow phase, in single precision."""

    name = "rapier, broad and narrow phase"

    def __init__(self, bodies: list[tocsin.Body]) -> None:
        import rapier3d  # pyright: ignore[reportMissingImports]

        self.rapier: Any = rapier3d
        self.world = rapier3d.PhysicsWorld()
        self.world.set_num_threads(1)
        self.handles = [
            self.world.add_body(rapier3d.RigidBody.dynamic(), [rapier3d.Collider.cuboid(*half_sides(body).tolist())])
            for body in bodies
        ]

    def place(self, poses: np.ndarray) -> None:
        """Put everything where it is at the end of a step."""
        r = self.rapier
        turns = Rotation.from_matrix(poses[:, :3, :3]).as_rotvec()
        for handle, pose, turn in zip(self.handles, poses, turns):
            angle = float(np.linalg.norm(turn))
            axis = turn / angle if angle else np.array([1.0, 0.0, 0.0])
            at = r.Isometry3(r.Vec3(*pose[:3, 3]), r.Rotation3.from_axis_angle(r.Vec3(*axis), angle))
            self.world.rigid_bodies[handle].position = at

    def ask(self) -> int:
        """Detect collisions; returns nothing that counts."""
        self.world.detect_collisions()
        return 0


def available(bodies: list[tocsin.Body]) -> tuple[list[Any], dict[str, str]]:
    """Those that are installed, and of the others why they take no part."""
    found: list[Any] = []
    missing: dict[str, str] = {}
    makers: tuple[Callable[[list[tocsin.Body]], Any], ...] = (FclTree, RapierWorld)
    for make in makers:
        try:
            found.append(make(bodies))
        except ImportError as error:
            missing[make.name] = str(error)  # pyright: ignore[reportFunctionMemberAccess]
    return found, missing
