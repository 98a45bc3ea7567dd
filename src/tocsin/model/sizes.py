"""Remarks on sizes: what is a hundred times as large as the robot beside it is probably in millimetres.

Not so what is thinner than the robot is long: floors and walls are that large.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tocsin.errors import UnitWarning, remark
from tocsin.model.base import Model
from tocsin.model.robot import Robot

LARGE = 100.0
"""Something this many times as large as a robot is probably in other units."""


def reach_of(robot: Robot) -> float:
    """Return how far from its base a robot can be at most with all turning joints stretched, metres; 0 without shapes.

    Each link's origin is no farther from its parent's than its joint's frame is; slides, which add their travel, are
    left out: this is for comparing sizes.
    """
    lengths = np.zeros(len(robot.links))
    for k, link in enumerate(robot.links):
        above = lengths[int(link["parent"])] if link["parent"] >= 0 else 0.0
        lengths[k] = above + float(np.linalg.norm(link["translation"]))
    return max((lengths[k] + s.reach for k, shapes in enumerate(robot.shapes) for s in shapes), default=0.0)


def remark_on_sizes(models: Sequence[Model]) -> None:
    """Say so if something is so large, beside the smallest robot, that it is probably in millimetres."""
    reaches = [reach for model in models if isinstance(model, Robot) and (reach := reach_of(model)) > 0.0]
    if not reaches:
        return
    for model in models:
        thick = [s for shapes in model.shapes for s in shapes if 2.0 * float(s.half.min()) > min(reaches)]
        largest = max((shape.diagonal for shape in thick), default=0.0)
        if largest > LARGE * min(reaches) and not isinstance(model, Robot):
            remark(
                f"{model.name!r} is {largest:.4g} m across, and a robot beside it reaches {min(reaches):.3g} m. "
                'Millimetres? Then say units="mm" (on the command line --scale 0.001).',
                UnitWarning,
            )
