"""A screw motion in words: its axis, angle and pitch, where it takes things, and what it costs against straight travel.

[SCREW 4.1] and the error estimate [SCREW 4.3], over the twists of `screw`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast
from tocsin._types import Matrix4, PoseLike, Vector
from tocsin.motion.arcs import decided
from tocsin.motion.joints import axis_angle
from tocsin.motion.screw import HALF_TURN, Twist, relative_twist, row_twist, screw_point, screw_velocity

OF_A_POSE = np.array([3], dtype=np.int32)
"""Where the quaternion of a pose row starts."""


@dataclass(frozen=True, eq=False)
class Screw:
    """A screw motion over t in [0, 1]: `twist` in words, and where it takes things."""

    twist: Twist

    @classmethod
    def between(cls, pose_t0: PoseLike, pose_t1: PoseLike) -> Screw:
        """Return the screw motion from one 4x4 pose to another, by the shorter arc."""
        rows = np.stack([_cast.pose(pose_t0, "the start pose"), _cast.pose(pose_t1, "the end pose")])
        return cls(Twist(*row_twist(*decided(rows, OF_A_POSE))))

    @classmethod
    def relative(cls, a_t0: PoseLike, a_t1: PoseLike, b_t0: PoseLike, b_t1: PoseLike) -> Screw:
        """Return the motion of b as seen from a, in a's frame [SCREW eq. 1], from the end poses of both in the world.

        At half a turn it is that of the arcs of a and b; where these make more than half a turn together, the rest of
        a whole one, the other way round.
        """
        whats = ("the start pose of a", "the end pose of a", "the start pose of b", "the end pose of b")
        rows = np.stack([_cast.pose(pose, what) for pose, what in zip((a_t0, a_t1, b_t0, b_t1), whats)])
        rows = np.concatenate([decided(rows[:2], OF_A_POSE), decided(rows[2:], OF_A_POSE)])
        if relative_twist(*rows).angle > HALF_TURN:
            rows[3, 3:] *= -1.0
        return cls(Twist(*relative_twist(*rows)))

    @property
    def angle(self) -> float:
        """The turn theta, in [0, pi]."""
        return self.twist.angle

    @cached_property
    def axis(self) -> Vector:
        """Unit vector v along the axis; along the travel of a pure translation; (0, 0, 1) where nothing moves."""
        for vector in (self.twist.omega, self.twist.w):
            length = math.hypot(*vector)
            if length > 0.0:
                return np.array(vector) / length
        return np.array([0.0, 0.0, 1.0])

    @cached_property
    def pitch(self) -> float:
        """The slide g along the axis over the whole motion, metres; negative against it."""
        return float(self.axis @ np.array(self.twist.w))

    @cached_property
    def point(self) -> Vector:
        """The point u of the axis that is nearest to the reference point; that point itself in a pure translation."""
        omega, w, center = (np.array(v) for v in self.twist[:3])
        if self.angle == 0.0:
            return center
        return center + np.cross(omega / self.angle, w / self.angle)

    def at(self, t: float) -> Matrix4:
        """Return the 4x4 displacement from t = 0 to t."""
        out = np.eye(4)
        out[:3, :3] = np.array(axis_angle(tuple(self.axis), self.angle * t))
        out[:3, 3] = screw_point(self.twist, (0.0, 0.0, 0.0), float(t))
        return out

    def radius(self, point: ArrayLike) -> float:
        """Return the distance of a point from the axis; inf in a pure translation."""
        if self.angle == 0.0:
            return math.inf
        x, y, z = _cast.array(point, "a point", (3,)).tolist()
        velocity = np.array(screw_velocity(self.twist, (x, y, z)))
        return float(np.linalg.norm(np.cross(self.axis, velocity))) / self.angle

    @property
    def relative_error(self) -> float:
        """What the screw costs against straight travel, as a fraction of the travel: (1 - cos(theta/2)) / theta
        [SCREW eq. 5]."""
        return 0.0 if self.angle == 0.0 else 2.0 * math.sin(0.25 * self.angle) ** 2 / self.angle

    def error(self, point: ArrayLike) -> float:
        """Return the same in metres for a body with this centre: how far the arc of the centre bulges from its
        chord."""
        if self.angle == 0.0:
            return 0.0
        return 2.0 * math.sin(0.25 * self.angle) ** 2 * self.radius(point)
