"""`Program`: what several robots and bodies do on one clock: motions, and what is gripped and let go.

A program is written step by step. A step begins where its model's last one has ended, or `at` a second of the clock;
between steps a model stands. Nothing is asked here: `queries.phases` cuts a program into questions.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast, _given
from tocsin._cast import clock
from tocsin._types import PathLike, PoseLike
from tocsin.errors import TocsinError
from tocsin.model.base import Model, Motion
from tocsin.model.body import Body
from tocsin.model.deformable import Deformable
from tocsin.model.following import Errors, errors_said, spelled
from tocsin.model.grasp import linked, twin
from tocsin.model.robot import Robot
from tocsin.model.timed import stamped
from tocsin.model.tracks import Track
from tocsin.model.trajectory import Trajectory
from tocsin.motion.links import BASE_WIDTH
from tocsin.motion.poses import base_matrix

SUFFIXES = (".json", ".yaml", ".yml")

SAME_MOMENT = 2.0**-48
"""Of a second of the clock: nearer than this, 16 units, two of them differ by rounding alone."""


@dataclass(frozen=True, eq=False)
class Event:
    """A body is gripped or let go."""

    at: float
    """Seconds."""
    robot: Robot
    body: Body
    grips: bool
    """True where the body is gripped, False where it is let go."""
    link: str = ""
    pose: np.ndarray | None = None
    """4x4: the body's frame in the link's frame; None where the body stays as it lies in the hand then."""
    touching: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.grips:
            return f"{self.robot.name} grips {self.body.name} by {self.link}"
        return f"{self.robot.name} lets go of {self.body.name}"


Step: TypeAlias = dict[str, Any]
"""A step as files have it: what JSON can say, by name; long lists of numbers as arrays."""


def listed(numbers: np.ndarray) -> list[object]:
    """Return what JSON says of an array."""
    return numbers.tolist()


class Program:
    """Motions and events of several robots and bodies on one clock, in seconds.

        program = tocsin.Program("pick and place")
        program.follow(arm, approach)                            # a Trajectory; starts when the arm's last step ended
        program.attach(arm, part, "hand", touching=["finger"])   # then and there
        program.move(arm, above, seconds=2.0)
        program.detach(arm, part)
        program.wait(arm, 0.5)
        program.follow(cart, [(0, 0, 0), (1, 0, 0)], times=[0, 4], at=1.0)
        tocsin.audit(scene, program, margin=0.01)

    `at`: seconds at which a step begins, by default when its model's last step has ended, 0 for the first. A model
    stands between its steps, and before and after them; one without steps stands where it is. A step has to start where
    its model is then. Files: `tocsin.load_program`, `program.save`.
    """

    def __init__(self, name: str = "program") -> None:
        self.name: str = _cast.name(name, "the name of a program")
        self.tracks: dict[int, Track] = {}
        """By the id of the model."""
        self.events: list[Event] = []
        self.steps: list[Step] = []
        """Its steps, as files have them."""
        self.waits: list[tuple[float, Model]] = []
        """Since when models wait."""
        self._until: dict[int, float] = {}

    def __repr__(self) -> str:
        names = ", ".join(track.model.name for track in self.tracks.values())
        return f"<Program {self.name!r}: {len(self.steps)} steps of {names or 'nobody'}, {self.end - self.begin:g} s>"

    @property
    def models(self) -> tuple[Model, ...]:
        """The models that have steps, in the order of their first steps."""
        found = {id(t.model): t.model for t in self.tracks.values()}
        for model in (m for e in self.events for m in (e.robot, e.body)):
            found.setdefault(id(model), model)
        for _, model in self.waits:
            found.setdefault(id(model), model)
        return tuple(found.values())

    @property
    def begin(self) -> float:
        """Seconds at which its first step begins."""
        begins = [t.begin for t in self.tracks.values()] + [e.at for e in self.events] + [at for at, _ in self.waits]
        return min(begins, default=0.0)

    @property
    def end(self) -> float:
        """Seconds at which its last step ends."""
        return max([*self._until.values(), *[e.at for e in self.events]], default=0.0)

    @property
    def duration(self) -> float:
        """Seconds from its first step to its end."""
        return self.end - self.begin

    def time_of(self, model: Model) -> float:
        """Return the second at which a model's last step has ended."""
        _check_model(model)
        return self._until.get(id(model), 0.0)

    # ---- steps -------------------------------------------------------------------------------------------------------

    def follow(
        self, model: Model, path: Any, *, at: float | None = None, times: ArrayLike | None = None,
        error: Errors = None, group: str | None = None,
    ) -> Program:  # fmt: skip
        """Add a motion: a `Trajectory` of a robot, or configurations, poses or frames at `times`, seconds.

        Times are counted from `at`: the first of them, whatever it is, is then. `error` and `group` as in the `follow`
        of a model.
        """
        if isinstance(path, Motion):
            raise TocsinError("a program takes trajectories and paths; give a motion that has times to add().")
        if isinstance(model, Robot):
            if not isinstance(path, Trajectory) and times is None:
                raise TocsinError(f"a step of {model.name!r} needs times=[...], or a Trajectory that has some.")
            motion = _standing_at(model, self.row(model)).follow(path, times=times, error=error, group=group)
            motion = _of(motion, model)
        elif isinstance(model, (Body, Deformable)):
            if times is None:
                raise TocsinError(f"a step of {model.name!r} needs times=[...].")
            if group is not None or (error is not None and isinstance(model, Deformable)):
                raise TocsinError(f"{model.name!r} is not a robot: it has no groups, and error= is for rigid models.")
            off = {} if error is None else {"error": _cast.error(error)}
            motion = model.follow(path, times=times, **off)
        else:
            raise TocsinError(f"a step is for a robot, body or deformable model; got {_cast.said(model)}.")
        if not motion.seconds:
            raise TocsinError(f"the trajectory of {model.name!r} has no times: a program is on a clock.")
        return self.add(motion, at=at, _step=_follow_step(path, motion, group, error))

    def add(self, motion: Motion, *, at: float | None = None, _step: Step | None = None) -> Program:
        """Add a motion that has times, from the `follow` or `drive` of a model.

        As all steps it begins when the last has ended, or `at` a second, whatever its own first second is.
        """
        if not _cast.instance(motion, Motion) or motion.times is None or not motion.seconds:
            raise TocsinError("a program takes motions with times, from follow(..., times=[...]) or a Trajectory.")
        model = motion.model
        begin = self._begin(model, at)
        step = _step or _rows_step(motion)
        track = self.tracks.get(id(model)) or Track(model)
        track.add(begun(motion, begin))
        self.tracks[id(model)] = track
        self._until[id(model)] = track.end
        self._told(begin, step)
        return self

    def move(
        self, model: Model, to: Any, *, seconds: float, at: float | None = None, group: str | None = None,
        error: Errors = None,
    ) -> Program:  # fmt: skip
        """Add a straight motion from where a robot or body is then to a configuration or pose, in so many seconds."""
        _check_model(model)
        lasts = _cast.scalar(seconds, "seconds", above=0.0)
        here = self.row(model)
        if isinstance(model, Robot):
            q = here[BASE_WIDTH:]
            goal = model.configuration(to, group=group, like=q)
            return self.follow(model, [q, goal], times=[0.0, lasts], at=at, error=error)
        if isinstance(model, Body):
            if group is not None:
                raise TocsinError(f"{model.name!r} is not a robot: it has no groups.")
            return self.follow(model, [base_matrix(here), to], times=[0.0, lasts], at=at, error=error)
        raise TocsinError(f"move is for robots and bodies; follow(frames, times=[...]) moves {_cast.said(model)}.")

    def wait(self, model: Model, seconds: float) -> Program:
        """Have a model stand for so many seconds."""
        if not _cast.instance(model, Model):
            raise TocsinError(f"only a robot, body or deformable model can wait; got {_cast.said(model)}.")
        lasts = _cast.scalar(seconds, "seconds", above=0.0)
        begin = self.time_of(model)
        if not begin < begin + lasts < math.inf:
            raise TocsinError(
                f"{model.name!r} cannot wait for {lasts:g} s at {clock(begin)} s: rounding hides one of them."
            )
        self._until[id(model)] = begin + lasts
        self.waits.append((begin, model))
        self._told(begin, {"wait": model.name, "seconds": lasts})
        return self

    def attach(
        self, robot: Robot, body: Body, link: str, *, at: float | None = None, pose: PoseLike | None = None,
        touching: Iterable[str] = (),
    ) -> Program:  # fmt: skip
        """Have a robot carry a body from then on; `pose`, `touching` as in `Robot.attach`."""
        self._check_pair(robot, body)
        robot.link_index(link)
        names = linked(robot, touching)
        place = None if pose is None else _cast.placement(pose, f"the pose of {body.name!r} on link {link!r}")
        event = Event(self._begin(robot, at), robot, body, True, link, place, names)
        told: Step = {"attach": body.name, "robot": robot.name, "link": link, "touching": list(names)}
        if place is not None:
            told["pose"] = place.tolist()
        return self._happens(event, told)

    def detach(self, robot: Robot, body: Body, *, at: float | None = None) -> Program:
        """Have a robot let go of a body, which stays where it is then."""
        self._check_pair(robot, body)
        event = Event(self._begin(robot, at), robot, body, False)
        return self._happens(event, {"detach": body.name, "robot": robot.name})

    def delayed(self, model: Model, seconds: float) -> Program:
        """Return the same program with all steps of one model so much later."""
        _check_model(model)
        later = _cast.scalar(seconds, "seconds", least=0.0)
        made = Program(self.name)
        made.steps = [dict(step) for step in self.steps]
        made.events = list(self.events)
        made.waits = [(at + later if waiting is model else at, waiting) for at, waiting in self.waits]
        made._until, made.tracks = dict(self._until), dict(self.tracks)
        if id(model) in self.tracks:
            track = made.tracks[id(model)] = Track(model)
            for segment in self.tracks[id(model)].segments:
                begin = segment.begin + later
                track.add(begun(segment.motion, track.end if is_same_moment(begin, track.end) else begin))
        if id(model) in self._until:
            until = self._until[id(model)] + later
            ended = made.tracks[id(model)].end if id(model) in self.tracks else until
            made._until[id(model)] = ended if is_same_moment(until, ended) else until
        if any(e.robot is model or e.body is model for e in self.events):
            raise TocsinError(f"{model.name!r} grips or is gripped in this program: its steps cannot be moved alone.")
        for step in made.steps:
            if model.name in (step.get("follow"), step.get("wait")):
                step["at"] += later
        return made

    def save(self, path: PathLike) -> Path:
        """Write the program to a .json or .yaml file (JSON is YAML), from which `tocsin.load_program` reads it."""
        file = _given.path(path, "cannot write a program")
        if file.suffix.lower() not in SUFFIXES:
            raise TocsinError(f"a program is written to a {', '.join(SUFFIXES)} file; got {str(path)!r}.")
        lines = ",\n  ".join(json.dumps(step, allow_nan=False, default=listed) for step in self.steps)
        text = f'{{"program": {json.dumps(self.name)}, "steps": [\n  {lines}\n]}}\n'
        return _given.write(file, text.encode(), "a program")

    # ---- where things are --------------------------------------------------------------------------------------------

    def row(self, model: Model, t: float | None = None) -> np.ndarray:
        """Return where a model is at a second by its own steps, by default when its last has ended: a row, base first.

        A body that is carried, or was let go, is where `queries.phases` says.
        """
        _check_model(model)
        seconds = None if t is None else _cast.scalar(t, "t")
        track = self.tracks.get(id(model))
        if track is None:
            return model.rest.copy()
        return track.row(self.time_of(model) if seconds is None else seconds)

    def _begin(self, model: Model, at: float | None) -> float:
        """Return when a step begins; at the end of the step before, where only rounding is between them."""
        _check_model(model)
        ended = self.time_of(model)
        if at is None:
            return ended
        given = _cast.scalar(at, "at")
        return ended if is_same_moment(given, ended) else given

    def _check_pair(self, robot: Robot, body: Body) -> None:
        if not (_cast.instance(robot, Robot) and _cast.instance(body, Body)):
            raise TocsinError(
                f"a robot carries a body, attach(robot, body, link); got {_cast.said(robot)} and {_cast.said(body)}."
            )

    def _happens(self, event: Event, told: Step) -> Program:
        self.events.append(event)
        self._until[id(event.robot)] = max(self.time_of(event.robot), event.at)
        self._told(event.at, told)
        return self

    def _told(self, at: float, step: Step) -> None:
        self.steps.append({"at": at} | step)


def is_same_moment(a: float, b: float) -> bool:
    """Do two seconds of the clock differ by rounding alone?"""
    return abs(a - b) <= SAME_MOMENT * max(abs(a), abs(b))


def begun(motion: Motion, begin: float) -> Motion:
    """Return a motion that has times with its first at a second of the clock, exactly."""
    assert motion.times is not None
    if motion.times[0] == begin:
        return motion
    times = begin + (motion.times - motion.times[0])
    if np.any(np.diff(times) <= 0.0):
        raise TocsinError(
            f"the times of a step of {motion.model.name!r} are too close to each other at {clock(begin)} s."
        )
    return stamped(motion, times, motion.error)


def _check_model(model: object) -> None:
    if not isinstance(model, Model):
        raise TocsinError(f"a step is for a robot, body or deformable model; got {_cast.said(model)}.")


def _standing_at(robot: Robot, row: np.ndarray) -> Robot:
    """Return the robot as it is elsewhere than in its scene: joints that a path does not name stay there."""
    there = twin(robot)
    there.rest = _cast.frozen(row)
    return there


def _of(motion: Motion, model: Model) -> Motion:
    """Return the same motion of the model itself, of which it was made for a copy."""
    made = copy.copy(motion)
    made.__dict__["model"] = model
    return made


def _follow_step(path: object, motion: Motion, group: str | None, error: Errors) -> Step:
    """Return a step as files have it."""
    if not isinstance(path, Trajectory) or not isinstance(motion.model, Robot) or not motion.degree:
        return _rows_step(motion)
    off: Step = {}
    if error is not None:
        off = {"error": dict(error) if isinstance(error, Mapping) else float(error)}
    whole = spelled(path, motion.model, group)
    pieces = {
        "joint_names": list(whole.joint_names),
        "knots": whole.knots,
        "coefficients": whole.coefficients,
    }
    return {"follow": motion.model.name, "trajectory": pieces} | off


def _rows_step(motion: Motion) -> Step:
    """Return the step of a motion by its numbers."""
    from tocsin.model.deformable import Deforming

    times: list[float] = [] if motion.times is None else motion.times.tolist()
    step: Step = {"follow": motion.model.name, "times": times}
    if isinstance(motion, Deforming):
        step["frames"] = motion.frames
    elif motion.degree:
        raise TocsinError("give the Trajectory itself to follow(): a motion made from it has no joint names.")
    elif isinstance(motion.model, Robot):
        step["path"] = motion.rows[:, BASE_WIDTH:]
        if motion.error is not None:
            step["error"] = errors_said(motion.model, motion.error)
    else:
        step["poses"] = motion.rows
        if motion.error is not None:
            step["error"] = float(motion.error[0])
    return step
