"""The demonstration's scene: an arm swings a sheet of metal past a thin plate, and sampling does not see them meet.

The arm has six joints; links are primitives and meshes. The sheet is 0.5 mm thick and the plate 0.2 mm: they overlap
for about a thousandth of the motion.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tocsin.geometry.mesh import Mesh
from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder
from tocsin.model.base import Motion
from tocsin.model.body import Body
from tocsin.model.builder import RobotBuilder
from tocsin.model.robot import Robot
from tocsin.scene import Scene

START = (-0.8, 0.55, 1.15, 0.0, 1.35, 0.0)
END = (1.1, 0.75, 1.05, 0.0, 1.40, 0.0)
TOLERANCE = 1e-6
"""Metres: finer than by default, to tell the two sides of a sheet apart."""


class Demo(NamedTuple):
    """A scene, the robot in it, and a motion of that robot from configuration `q0` to `q1`."""

    scene: Scene
    robot: Robot
    q0: np.ndarray
    q1: np.ndarray

    @property
    def motion(self) -> Motion:
        """The whole swing."""
        return self.robot.move(self.q0, self.q1)

    def at(self, t: float) -> np.ndarray:
        """Return the configuration at time t in [0, 1]."""
        return self.q0 + t * (self.q1 - self.q0)


def build() -> Demo:
    """Make the scene."""
    robot = _arm()
    plate = Body(Box((0.3, 0.0002, 0.3)).tessellate(), _placed(0.61, 0.17, 0.18, 0.27), name="plate")
    foot = Body(Box((0.34, 0.05, 0.03)), _placed(0.61, 0.17, 0.015, 0.27), name="foot")
    post = Body(Capsule(0.04, 0.5), _placed(0.1, 0.85, 0.29), name="post")
    ring = Body(_ring(0.12, 0.035), _placed(0.45, -0.45, 0.035), name="ring")
    crate = Body(Box((0.3, 0.3, 0.22)), _placed(-0.5, 0.35, 0.11), name="crate")
    return Demo(Scene(robot, plate, foot, post, ring, crate), robot, np.array(START), np.array(END))


def _arm() -> Robot:
    """A 6-joint arm that holds a sheet of metal, 0.5 mm thick, in a clamp."""
    turret = _turned((0, 0), (0.11, 0), (0.11, 0.06), (0.08, 0.12), (0.08, 0.28), (0.05, 0.31), (0, 0.31))
    wrist = _turned((0, 0.02), (0.05, 0.02), (0.032, 0.1), (0.032, 0.18), (0, 0.18))
    corners = [(x, y, z) for z, r in ((0.03, 0.03), (0.09, 0.015)) for x in (-3 * r, 3 * r) for y in (-r, r)]
    sheet = Box((0.42, 0.0005, 0.26)).tessellate()
    b = RobotBuilder("arm")
    b.link("base", (Cylinder(0.13, 0.06), _placed(z=0.03)))
    b.link("turret", turret, parent="base", joint="revolute", axis=(0, 0, 1), origin=(0, 0, 0.07), limits=(-3, 3))
    b.link("upper", (Capsule(0.06, 0.42), _placed(z=0.23)), parent="turret", joint="revolute",
           axis=(0, 1, 0), origin=(0, 0, 0.3), limits=(-2, 2))  # fmt: skip
    b.link("elbow", (Capsule(0.05, 0.12), _placed(z=0.1)), parent="upper", joint="revolute",
           axis=(0, 1, 0), origin=(0, 0, 0.46), limits=(-2.6, 2.6))  # fmt: skip
    b.link("forearm", wrist, parent="elbow", joint="revolute", axis=(0, 0, 1), origin=(0, 0, 0.18))
    b.link("hand", (Capsule(0.035, 0.05), _placed(z=0.04)), parent="forearm", joint="revolute",
           axis=(0, 1, 0), origin=(0, 0, 0.2), limits=(-2.2, 2.2))  # fmt: skip
    b.link("clamp", ConvexHull(np.array(corners)), parent="hand", joint="continuous", origin=(0, 0, 0.08))
    b.link("sheet", sheet, parent="clamp", origin=(0, 0, 0.21))
    return b.build()


def _placed(x: float = 0.0, y: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> np.ndarray:
    """A 4x4 pose: turned about z by `yaw`, then moved."""
    pose = np.eye(4)
    pose[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
    pose[:3, 3] = x, y, z
    return pose


def _turned(*profile: tuple[float, float], sections: int = 48) -> Mesh:
    """A closed mesh turned on a lathe: the profile is (radius, z), from bottom to top, on the axis at both ends."""
    around = 2.0 * math.pi * np.arange(sections) / sections
    rings = [(r * np.cos(around), r * np.sin(around), np.full(sections, z)) for r, z in profile[1:-1]]
    ends = [(0.0, 0.0, profile[0][1]), (0.0, 0.0, profile[-1][1])]
    vertices = np.concatenate([np.stack(ring, axis=1) for ring in rings] + [np.array(ends)])
    here = np.arange(sections)
    ahead = (here + 1) % sections
    bottom, top = len(vertices) - 2, len(vertices) - 1
    last = (len(rings) - 1) * sections
    faces = [np.stack([np.full(sections, bottom), ahead, here], axis=1)]
    faces += _bands(here, ahead, [(k * sections, (k + 1) * sections) for k in range(len(rings) - 1)])
    faces.append(np.stack([np.full(sections, top), last + here, last + ahead], axis=1))
    return Mesh(vertices, np.concatenate(faces))


def _ring(major: float, minor: float, around: int = 32) -> Mesh:
    """A torus about z."""
    u = 2.0 * math.pi * np.arange(around) / around
    far = major + minor * np.cos(u)
    rings = [np.stack([far * math.cos(a), far * math.sin(a), minor * np.sin(u)], axis=1) for a in u]
    here = np.arange(around)
    joined = [(k * around, (k + 1) % around * around) for k in range(around)]
    # Rings are passed counter-clockwise about z and each goes up on its outside: the other way round than on a lathe.
    return Mesh(np.concatenate(rings), np.concatenate(_bands((here + 1) % around, here, joined)))


def _bands(here: np.ndarray, ahead: np.ndarray, joined: list[tuple[int, int]]) -> list[np.ndarray]:
    """Triangles between rings of vertices, given by the first vertex of each of the two."""
    return [
        np.stack([corner, other, third], axis=1)
        for a, b in joined
        for corner, other, third in ((a + here, a + ahead, b + here), (a + ahead, b + ahead, b + here))
    ]
