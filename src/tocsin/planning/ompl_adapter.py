"""OMPL 2 (PyPI `ompl`): its planners ask tocsin whether states are valid and motions free, proven as a whole.

OMPL's planners that keep the free part of a motion (KPIECE1 and its kin) ask `checkMotion(s1, s2, lastValid)`. The
bindings on PyPI (2.0.1) hand no `lastValid` to Python: there these planners get yes or no, and keep whole motions only.
Where a binding, or a planner in Python, hands in a list [state, fraction], it is written; `check_motion` returns the
pair.
"""

# OMPL has no types.
# pyright: reportUntypedBaseClass=false, reportUnknownParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from tocsin.errors import TocsinError
from tocsin.model.robot import Robot
from tocsin.planning.edge_asker import EdgeAsker
from tocsin.scene import Scene

try:
    from ompl import base  # pyright: ignore[reportMissingImports]
except ImportError:
    raise TocsinError("planning with OMPL needs it: pip install 'tocsin[ompl]'.") from None


class State(Protocol):
    """A state of a `state_space`, whose values are read by their numbers."""

    def __getitem__(self, numbers: slice, /) -> Sequence[float]:
        """Return some of them."""
        ...


def state_space(robot: Robot, group: str | None = None) -> base.RealVectorStateSpace:
    """Return a RealVectorStateSpace of the group's joints within their limits; without limits, within a turn."""
    columns = robot.columns(group)
    limits = EdgeAsker(Scene(robot, *(held.body for held in robot.carried)), robot, group).limits()
    space = base.RealVectorStateSpace(len(columns))
    bounds = base.RealVectorBounds(len(columns))
    for k, (low, high) in enumerate(limits.tolist()):
        bounds.setLow(k, low)
        bounds.setHigh(k, high)
    space.setBounds(bounds)
    return space


class MotionValidator(base.MotionValidator):
    """`MotionValidator(information, scene, robot, group=None, margin=0.0)`: a motion is valid if proven free.

    States are those of a `state_space` of the same robot and group.
    """

    def __init__(
        self, information: base.SpaceInformation, scene: Scene, robot: Robot, group: str | None = None,
        margin: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(information)
        self._space: Any = information.getStateSpace()
        self.asker = EdgeAsker(scene, robot, group, margin)
        self._n = len(self.asker)

    def checkMotion(self, s1: State, s2: State, lastValid: list[object] | None = None) -> bool:
        """Is the whole motion proven free? If not, write into `lastValid`, a list [state or None, fraction]."""
        n = self._n
        if lastValid is None:
            return self.asker.is_free(s1[0:n], s2[0:n])
        valid, fraction = self.check_motion(s1, s2)
        if not valid:
            lastValid[1] = fraction
            if lastValid[0] is not None:
                self._space.interpolate(s1, s2, fraction, lastValid[0])
        return valid

    def check_motion(self, s1: State, s2: State) -> tuple[bool, float]:
        """Return whether the whole motion is proven free, and how much of it, up to 1, is."""
        fraction = self.asker.measure(s1[0 : self._n], s2[0 : self._n])
        return fraction == 1.0, fraction


class StateValidityChecker(base.StateValidityChecker):
    """`StateValidityChecker(information, scene, robot, group=None, margin=0.0)`: a state is valid if proven free."""

    def __init__(
        self, information: base.SpaceInformation, scene: Scene, robot: Robot, group: str | None = None,
        margin: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(information)
        self.asker = EdgeAsker(scene, robot, group, margin)
        self._n = len(self.asker)

    def isValid(self, state: State) -> bool:
        """Is the state proven free?"""
        return self.asker.stands_free(state[0 : self._n])

    def clearance(self, state: State) -> float:
        """Return the distance to everything else, metres; 0 in contact."""
        asker = self.asker
        return asker.scene.distance(asker.robot.at(asker.whole(state[0 : self._n]))).distance
