"""A robot made link by link, in Python."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast, _given
from tocsin._types import PoseLike
from tocsin.errors import TocsinError, UnitWarning, remark
from tocsin.geometry.shape import Shape, ShapeLike, placed_shapes
from tocsin.model.joint import Joint
from tocsin.model.robot import BASES, Robot
from tocsin.motion.links import BALL, FIXED, FLOATING, JOINT_KINDS, PLANAR, PRISMATIC, REVOLUTE

TURNS = 12.0
"""Radians: limits beyond are probably in degrees; joints of more than a turn to either side are continuous."""


class RobotBuilder:
    """Makes a robot link by link. `base` "free": its root can be moved too, `robot.move(q0, q1, base=(T0, T1))`.

    >>> b = RobotBuilder("arm")
    >>> b = b.link("base", Box((0.2, 0.2, 0.1)))
    >>> b = b.link("upper", Capsule(0.05, 0.4), parent="base", joint="revolute", axis=(0, 1, 0), origin=(0, 0, 0.3))
    >>> b.build()
    <Robot 'arm': 2 links, 2 shapes>
    """

    def __init__(self, name: str = "robot", *, base: str = "fixed") -> None:
        self.name: str = _cast.name(name, "the name of a robot")
        self.base: str = _cast.choice(base, "the base", BASES)
        self._links: list[str] = []
        self._joints: list[Joint] = []
        self._shapes: dict[str, tuple[Shape, ...]] = {}

    def link(
        self,
        name: str,
        shape: ShapeLike | None = None,
        *,
        parent: str | None = None,
        joint: str = "fixed",
        axis: ArrayLike = (0.0, 0.0, 1.0),
        origin: PoseLike | None = None,
        limits: tuple[float, float] | None = None,
        mimic: tuple[str, float, float] | None = None,
        joint_name: str | None = None,
        solid: bool = False,
    ) -> RobotBuilder:
        """Add a link; the first is the root, every other one names its parent.

        `shape`: None, a shape, (shape, placement), or a list of such. `joint`: fixed, revolute, continuous, prismatic,
        planar, ball or floating. `axis` in the joint's frame. `origin`: (x, y, z) or 4x4, the joint's frame in the
        parent's. `limits` (lower, upper) in radians or metres. `mimic` (joint, multiplier, offset): the value is that
        joint's times the multiplier plus the offset. `joint_name`: by default the link's name and "_joint". `solid`: as
        of a `Body`. Returns the builder. Many arguments because a link and its joint are described in one call.
        """
        name = _cast.name(name, "the name of a link")
        if name in self._links:
            raise TocsinError(f"robot {self.name!r} has two links named {name!r}; names must differ.")
        if parent is None and self._links:
            raise TocsinError(f"link {name!r} needs a parent: {self._links[0]!r} is the root already.")
        if parent is None and (joint != "fixed" or origin is not None or mimic is not None or limits is not None):
            raise TocsinError(f"link {name!r} is the root: it has no joint; give it a parent, or leave joint= out.")
        shapes = placed_shapes(shape, f"link {name!r}", solid=_cast.flag(solid, "solid"))
        if parent is not None:
            parent = _cast.name(parent, f"the parent of link {name!r}")
            own = _given.name(joint_name, "the name of a joint", f"{name}_joint")
            self._joints.append(_joint(own, joint, parent, name, axis, origin, limits, mimic))
        self._links.append(name)
        self._shapes[name] = shapes
        return self

    def __repr__(self) -> str:
        return f"<RobotBuilder {self.name!r}: {', '.join(self._links) or 'no links yet'}>"

    def build(self) -> Robot:
        """Return the robot; what is not one tree is refused."""
        return Robot(self.name, self._links, self._joints, self._shapes, self.base)


def _joint(
    name: str, kind: str, parent: str, child: str, axis: ArrayLike, origin: PoseLike | None,
    limits: Sequence[float] | None, mimic: tuple[str, float, float] | None,
) -> Joint:  # fmt: skip
    """Check and return a joint."""
    what = f"joint {name!r}"
    _cast.choice(kind, f"the kind of {what}", JOINT_KINDS)
    code = JOINT_KINDS[kind]
    needs_axis = code in (REVOLUTE, PRISMATIC, PLANAR)
    unit_axis = _cast.unit(axis, f"the axis of {what}") if needs_axis else np.array([0.0, 0.0, 1.0])
    place = np.eye(4) if origin is None else _cast.placement(origin, f"the origin of {what}")
    ends: tuple[float, float] | None = None
    if limits is not None:
        if code not in (REVOLUTE, PRISMATIC) or kind == "continuous":
            raise TocsinError(f"{what} is {kind}: only revolute and prismatic joints have limits.")
        lower, upper = _cast.array(limits, f"the limits of {what}", (2,)).tolist()
        if lower > upper:
            raise TocsinError(f"the limits of {what} are the wrong way round: lower {lower:g} > upper {upper:g}.")
        if code == REVOLUTE and max(-lower, upper) > TURNS:
            remark(f"the limits of {what} are {lower:g} to {upper:g} rad. Degrees? Angles are radians.", UnitWarning)
        ends = (lower, upper)
    if mimic is not None:
        if code in (FIXED, PLANAR, BALL, FLOATING):
            raise TocsinError(f"{what} is {kind}: only revolute, continuous and prismatic joints can mimic another.")
        if not _cast.instance(mimic, (tuple, list)) or len(mimic) != 3:
            raise TocsinError(f"the mimic of {what} must be (joint, multiplier, offset); got {_cast.said(mimic)}.")
        mimic = (
            _cast.name(mimic[0], f"the joint that {what} mimics"),
            _cast.scalar(mimic[1], f"the multiplier of {what}"),
            _cast.scalar(mimic[2], f"the offset of {what}"),
        )
    return Joint(_cast.name(name, "the name of a joint"), kind, parent, child, place, unit_axis, ends, mimic)
