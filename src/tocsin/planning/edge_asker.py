"""What the adapters for other planners share: they plan for a group of joints while the others stay at rest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tocsin import _cast
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.model.robot import Robot
from tocsin.motion.links import BASE_WIDTH
from tocsin.scene import Scene


class EdgeAsker:
    """A robot of a scene, the joints that a planner plans for, and the margin that it keeps."""

    def __init__(self, scene: Scene, robot: Robot, group: str | None = None, margin: float = 0.0) -> None:
        if not (_cast.instance(scene, Scene) and _cast.instance(robot, Robot)):
            raise TocsinError(
                f"planning takes a Scene and a Robot of it; got {type(scene).__name__} and {type(robot).__name__}."
            )
        if all(model is not robot for model in scene.models):
            raise TocsinError(f"{robot!r} is not in this scene; its models are: {', '.join(scene.names)}.")
        self.scene: Scene = scene
        self.robot: Robot = robot
        self.group: str | None = group
        self.margin: float = _cast.margin(margin)
        self.columns: list[int] = robot.columns(group)
        self._all = self.columns == list(range(robot.n_config))

    def __len__(self) -> int:
        return len(self.columns)

    def whole(self, values: Sequence[float] | ArrayLike) -> NDArray[np.float64]:
        """Return the configuration with these values of the group's joints; the others stand."""
        if self._all:
            return np.array(values, np.float64)
        q = self.robot.rest[BASE_WIDTH:].copy()
        q[self.columns] = values
        return q

    def motion(self, a: ArrayLike, b: ArrayLike) -> Motion:
        """Return the motion from one to the other."""
        return self.robot.move(self.whole(a), self.whole(b))

    def is_free(self, a: ArrayLike, b: ArrayLike) -> bool:
        """Is the whole edge proven free?"""
        return self.scene.is_free(self.motion(a, b), margin=self.margin)

    def stands_free(self, q: ArrayLike) -> bool:
        """Is a configuration proven free?"""
        return self.scene.is_free(self.robot.at(self.whole(q)), margin=self.margin)

    def measure(self, a: ArrayLike, b: ArrayLike) -> float:
        """Return how much of the edge, up to 1, is proven free."""
        return self.scene.safe_step(self.motion(a, b), margin=self.margin)

    def limits(self) -> NDArray[np.float64]:
        """Return (n, 2): the limits of the group's joints; those that have none are drawn from a turn."""
        limits = self.robot.limits[self.columns].copy()
        limits[:, 0] = np.where(np.isfinite(limits[:, 0]), limits[:, 0], -np.pi)
        limits[:, 1] = np.where(np.isfinite(limits[:, 1]), limits[:, 1], np.pi)
        return limits
