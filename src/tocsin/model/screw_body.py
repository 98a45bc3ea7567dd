"""A body on a screw: the motion about a fixed axis as a chain of two joints, which is what all engines know how to
follow.

The pose of a body on a screw about the axis (u, v), with turn theta and slide g, is

    x  ->  u + g t v + R(theta t) (R0 x + p0 - u),

which is a link whose frame sits at u, travels straight at g v and turns at the constant rate theta (a floating joint),
and on it, standing still, the body at (R0, p0 - u). So nothing is approximated and every bound of the engines holds as
it is, rounding included: the lengths that enter it, |u| and |p0 - u|, are in the joints' sizes. Only the scene's table
of links differs, by one link without shapes in front of the body's own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tocsin._types import Place, Poses, Quaternion, Vector
from tocsin.model.base import Model, Motion
from tocsin.motion.links import BASE_WIDTH
from tocsin.motion.screw import Twist, row_twist
from tocsin.motion.screw_axis import Screw

if TYPE_CHECKING:
    from tocsin.model.body import Body

STRAIGHT = 1e-6
"""Radians. A body that turns by less follows its straight motion instead, which differs from the screw by less than
STRAIGHT / 8 of its travel: the axis would be more than a million times the travel away, and rounding there would cost
as much."""


@dataclass(frozen=True, eq=False, repr=False)
class ScrewMotion(Motion):
    """A body on a screw over [0, 1]. `rows` are those of the carrier and of the body on it, side by side."""

    screw: Screw
    poses: Poses
    """(2, 7): the body's pose rows at both ends."""

    def __post_init__(self) -> None:
        """Take the rows as they are: they are not those of the body, which has checked its own."""
        self._keep(self.rows)
        self.poses.setflags(write=False)

    @property
    def ends(self) -> Poses:
        """The body's pose rows at both ends."""
        return self.poses

    def row_of(self, piece: int, share: float) -> Place:
        """Return the body's pose row when so much of its one piece is done."""
        t = share
        if t in (0.0, 1.0):
            return self.poses[int(t)].copy()
        out = np.zeros(BASE_WIDTH)
        out[:3] = self.screw.point + t * self.screw.pitch * self.screw.axis
        turn = _quaternion(self.screw.axis, self.screw.angle * t)
        out[:3] += _turned(turn, self.poses[0, :3] - self.screw.point)
        out[3:] = _product(turn, self.poses[0, 3:])
        return out


class ScrewBody(Model):
    """The stand-in for a body that moves on a screw: a carrier without shapes, and the body on it."""

    def __init__(self, body: Model, name: str) -> None:
        links = np.concatenate([body.links, body.links])
        links["parent"] = (-1, 0)
        links["config"] = (0, BASE_WIDTH)
        links["depth"] = (1, 2)
        super().__init__(
            name=body.name,
            link_names=(f"the carrier of {name}", name),
            links=links,
            shapes=((), *body.shapes),
            n_config=BASE_WIDTH,
            quaternions=np.array([3, BASE_WIDTH + 3], dtype=np.int32),
            rest=np.concatenate([body.rest, body.rest]),
        )


def screw_motion(body: Body, ends: Poses) -> Motion:
    """Return the motion of a body on the screw between two pose rows; straight where it hardly turns."""
    screw = Screw(Twist(*row_twist(ends[0], ends[1])))
    if screw.angle < STRAIGHT:
        return Motion.of(body, ends)
    rows = np.zeros((2, 2 * BASE_WIDTH))
    rows[:, :3] = screw.point
    rows[1, :3] += screw.pitch * screw.axis
    rows[0, 6] = 1.0
    rows[1, 3:7] = _quaternion(screw.axis, screw.angle)
    rows[:, 7:10] = ends[0, :3] - screw.point
    rows[:, 10:] = ends[0, 3:]
    return ScrewMotion(body, rows, screw, ends)


def _quaternion(axis: Vector, angle: float) -> Quaternion:
    return np.append(math.sin(0.5 * angle) * axis, math.cos(0.5 * angle))


def _product(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return the quaternion of q followed by p."""
    return np.append(p[3] * q[:3] + q[3] * p[:3] + np.cross(p[:3], q[:3]), p[3] * q[3] - p[:3] @ q[:3])


def _turned(q: Quaternion, v: Vector) -> Vector:
    """Return v turned by the unit quaternion q."""
    return v + 2.0 * np.cross(q[:3], float(q[3]) * v + np.cross(q[:3], v))
