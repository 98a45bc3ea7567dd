"""For planners: a small planner of our own, and adapters for others.

    plan = tocsin.planning.plan(scene, robot, start, goal)       # every edge proven; plan.path
    checker = tocsin.planning.CollisionChecker(scene, robot)     # names that Drake's users know

    # OMPL 2 (pip install ompl)
    space = tocsin.planning.state_space(robot)
    information = ompl.base.SpaceInformation(space)
    information.setMotionValidator(tocsin.planning.MotionValidator(information, scene, robot))
    information.setStateValidityChecker(tocsin.planning.StateValidityChecker(information, scene, robot))
"""

from typing import TYPE_CHECKING

from tocsin.planning.checker import CollisionChecker, EdgeMeasure
from tocsin.planning.rrt_connect import Plan, plan

if TYPE_CHECKING:
    from tocsin.planning.ompl_adapter import (
        MotionValidator,
        StateValidityChecker,
        state_space,  # pyright: ignore[reportUnknownVariableType]
    )

_OF_OMPL = ("MotionValidator", "StateValidityChecker", "state_space")


def __getattr__(name: str) -> object:
    """Load what needs OMPL when it is first asked for."""
    if name not in _OF_OMPL:
        raise AttributeError(f"module 'tocsin.planning' has no attribute {name!r}")
    from tocsin.planning import ompl_adapter

    return getattr(ompl_adapter, name)


__all__ = ["CollisionChecker", "EdgeMeasure", "MotionValidator", "Plan", "StateValidityChecker", "plan", "state_space"]
