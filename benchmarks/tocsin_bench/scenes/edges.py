"""Edges as planners ask about them: from a configuration to one not far from it."""

from __future__ import annotations

import numpy as np

from tocsin.model.robot import Robot

STEP = 1.0
"""Radians by which a planner's edge moves a joint at most; 0.25 m of a slide."""

TRIES = 100
"""Random edges for each that is wanted, at most: most may start in contact."""


def far_from(robot: Robot, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A configuration within the limits, up to `STEP` from q in each joint."""
    joints = [joint for joint in robot.joints if joint.width]
    lower, upper = np.array([joint.limits or (-np.inf, np.inf) for joint in joints]).T
    step = np.where([joint.kind == "prismatic" for joint in joints], 0.25 * STEP, STEP)
    return np.clip(q + rng.uniform(-step, step), lower, upper)
