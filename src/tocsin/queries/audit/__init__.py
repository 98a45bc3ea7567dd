"""The auditor of a whole trajectory: every stretch of it that is not proven free, and the smallest clearance."""

from __future__ import annotations

import os
import time as clock_module
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.model.robot import Robot
from tocsin.options import MAX_STEPS
from tocsin.queries.audit.clearance import Lowest
from tocsin.queries.audit.records import Audit, Clearance, Moment, Pair, Stretch
from tocsin.queries.audit.search import RESOLUTION, Search
from tocsin.queries.context import Context
from tocsin.results import AskedScene

__all__ = ["Audit", "Clearance", "Moment", "Pair", "Stretch", "audit"]


def audit(
    scene: AskedScene,
    robot: Robot,
    trajectory: Any,
    *,
    margin: float = 0.0,
    tolerance: float | None = None,
    resolution: float = RESOLUTION,
    times: ArrayLike | None = None,
    max_steps: int = MAX_STEPS,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Return every stretch of a trajectory that is not proven to keep `margin`, and its smallest clearance.

    `trajectory`: configurations, one a row; a `Trajectory` from `load_trajectory`; or a motion from `robot.follow`.
    `times`: seconds at the waypoints, increasing; by default the trajectory's own. `margin`, `tolerance`: as in
    `Scene.first_contact`. `max_steps` caps each question that is asked, not their number: what is not proven free is
    halved, so there are more of them the more stretches are in contact and the finer the `resolution`; a question that
    ends capped counts as not proven free. `resolution`: gaps between contacts during which no joint moves by this much
    (radians or metres) are not reported. `progress(done, total)` is called now and then.
    Models of the scene other than the robot stand where they are; pairs that the scene ignores are left out.
    """
    started = clock_module.perf_counter()
    context = getattr(scene, "context", None)
    if not isinstance(context, Context) or not isinstance(robot, Robot):
        raise TocsinError(f"audit takes a Scene and a Robot; got {type(scene).__name__} and {type(robot).__name__}.")
    context.links_only("audit", "ask first_contact for it")
    if isinstance(trajectory, Motion):
        if trajectory.model is not robot or trajectory.pieces == 0:
            raise TocsinError(f"the motion to audit must be one of {robot.name!r}, from move or follow.")
        rows = trajectory.rows
    elif callable(getattr(trajectory, "path", None)):
        rows = robot.follow(trajectory.path(robot)).rows
        times = trajectory.times if times is None else times
    elif isinstance(trajectory, (str, os.PathLike)):
        raise TocsinError(f"audit takes a trajectory, not its file: tocsin.load_trajectory({str(trajectory)!r}).")
    else:
        rows = robot.follow(trajectory).rows
    if times is not None:
        times = _cast.array(times, "the times of a trajectory", (len(rows),))
        if (np.diff(times) <= 0.0).any():
            k = int(np.argmax(np.diff(times) <= 0.0))
            raise TocsinError(
                f"the times of a trajectory must increase; waypoint {k} is at {times[k]:g} s and waypoint {k + 1} at "
                f"{times[k + 1]:g} s."
            )
    search = Search(
        context,
        robot,
        rows,
        times,
        _cast.margin(margin),
        tolerance,
        _cast.scalar(resolution, "resolution", above=0.0),
        max_steps,
        progress or (lambda done, total: None),
    )
    stretches = search.stretches()
    clearance = Lowest(search).bounds(stretches)
    return Audit(
        stretches=stretches,
        clearance=clearance,
        margin=search.margin,
        resolution=search.resolution,
        waypoints=len(rows),
        duration=None if times is None else float(times[-1] - times[0]),
        length=float(search.way[-1]),
        queries=search.queries,
        seconds=clock_module.perf_counter() - started,
    )
