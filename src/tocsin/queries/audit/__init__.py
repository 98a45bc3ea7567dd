"""Audits a whole trajectory: every stretch of it that is not proven free, and its smallest clearance."""

from __future__ import annotations

import time as clock_module
from collections.abc import Callable
from typing import Any, overload

from numpy.typing import ArrayLike

from tocsin import _cast, _given
from tocsin.errors import TocsinError
from tocsin.limits import MAX_STEPS
from tocsin.model.base import Motion
from tocsin.model.following import Errors
from tocsin.model.program import Program
from tocsin.model.robot import Robot
from tocsin.queries.audit.clearance import Lowest
from tocsin.queries.audit.courses import Course
from tocsin.queries.audit.program_records import Conflict, Kept, ProgramAudit
from tocsin.queries.audit.records import Audit, Clearance, Moment, Pair, Stretch
from tocsin.queries.audit.search import RESOLUTION, Search
from tocsin.queries.context import Context
from tocsin.results import AskedScene

__all__ = ["Audit", "Clearance", "Conflict", "Kept", "Moment", "Pair", "ProgramAudit", "Stretch", "audit"]


@overload
def audit(scene: AskedScene, robot: Program, trajectory: None = None, **options: object) -> ProgramAudit: ...
@overload
def audit(scene: AskedScene, robot: Robot, trajectory: object, **options: object) -> Audit: ...
def audit(  # pyright: ignore[reportInconsistentOverload]
    scene: AskedScene,
    robot: Robot | Program,
    trajectory: object = None,
    *,
    margin: float = 0.0,
    tolerance: float | None = None,
    resolution: float = RESOLUTION,
    times: ArrayLike | None = None,
    error: Errors = None,
    max_steps: int = MAX_STEPS,
    progress: Callable[[int, int], None] | None = None,
) -> Audit | ProgramAudit:
    """Return every stretch of a trajectory, or a `Program`, that is not proven to keep `margin`, and its clearance.

    `trajectory`: configurations, one a row; a `Trajectory`, followed as the controller drives it, curves between its
    points included; or a motion from `robot.follow`. `times`: seconds at the waypoints, increasing; by default the
    trajectory's own. `error`: how far joints may be off, as in `Robot.follow`. `margin` and `tolerance`: as in
    `Scene.first_contact`. `max_steps` caps each question to the engine. A part that the cap leaves open is halved and
    asked again; what stays open counts as not proven free. `resolution`: two contacts are told as one if no joint moves
    by this much (radians or metres) between them, or if the links stay within the tolerance. `progress(done, total)` is
    called now and then. The `clearance`, and the features that touch, are computed when you read them.

    Other models of the scene stand where they are; pairs that the scene ignores are left out.

    A program is audited by `audit(scene, program, margin=...)`: all that its models do on one clock, phase by phase.
    The answer is a `ProgramAudit`. Its motions have their own times and errors, and its pairs the scene's margins.
    Where the scene has deformable models, `resolution` is in seconds.

    Many arguments because all but the first three are options with defaults, each of which users name alone.
    """
    started = clock_module.perf_counter()
    progress = _given.function(progress, "progress")
    context = getattr(scene, "context", None)
    if isinstance(robot, Program) and isinstance(context, Context):
        given = (trajectory, times, error)
        return _of_program(context, robot, given, margin, tolerance, resolution, max_steps, progress)
    if not isinstance(context, Context) or not isinstance(robot, Robot):
        raise TocsinError(
            f"audit takes a Scene and a Robot, or a Program; got {type(scene).__name__} and {type(robot).__name__}."
        )
    context.links_only("audit", "ask first_contact for it")
    course = Course(robot, _motion(robot, trajectory, error))
    if times is None:
        times = course.times
    else:
        times = _cast.times(times, "a trajectory", course.pieces + 1)
    search = Search(
        context,
        course,
        times,
        _cast.margin(margin),
        tolerance,
        _cast.scalar(resolution, "resolution", above=0.0),
        max_steps,
        progress or (lambda done, total: None),
    )
    stretches = search.stretches()
    return Audit(
        stretches=stretches,
        margin=search.margin,
        resolution=search.resolution,
        waypoints=course.pieces + 1,
        duration=None if times is None else float(times[-1] - times[0]),
        length=float(search.way[-1]),
        queries=search.queries,
        seconds=clock_module.perf_counter() - started,
        look=lambda: Lowest(search).bounds(stretches),
    )


def _of_program(
    context: Context, program: Program, given: tuple[object, ...], margin: float, tolerance: float | None,
    resolution: float, max_steps: int, progress: Callable[[int, int], None] | None,
) -> ProgramAudit:  # fmt: skip
    """Audit a program, which has its own motions, times and errors."""
    if any(value is not None for value in given):
        raise TocsinError("a Program has its own motions, times and errors: leave trajectory, times and error out.")
    step = _cast.scalar(resolution, "resolution", above=0.0)
    _cast.count(max_steps, "max_steps")
    from tocsin.queries.audit.program import audit_program

    return audit_program(context, program, margin, tolerance, step, max_steps, progress)


def _motion(robot: Robot, trajectory: Any, error: Errors) -> Motion:
    """Return the motion that is meant, with what its joints may be off."""
    if isinstance(trajectory, Motion):
        if trajectory.model is not robot or trajectory.pieces == 0:
            raise TocsinError(f"the motion to audit must be one of {robot.name!r}, from move or follow.")
        if error is not None:
            raise TocsinError("the motion to audit has its own error: give it to robot.follow(..., error=...).")
        return trajectory
    return robot.follow(trajectory, error=error)
