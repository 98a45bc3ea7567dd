"""A program as questions: the stretches of its clock during which nobody grips or lets go, each an ordinary question.

    for phase in phases(scene.context, program):
        first_contact(phase.context, phase.motions, ...)

In a phase every robot carries what it carries: as in `model.grasp`, on copies of the models, so that a program changes
nobody's models. A body that was let go stands where it was left: that pose is computed from the robot's, and rounded,
so it stands in a tube. What is gripped or let go at the very end is asked about as it is then: that phase takes no
time, and all stand in it. What a robot in a tube grips may lie in its hand otherwise than it should, and what it lets
go may lie elsewhere: by so much they are in tubes too (`queries.play`). How it lies in the hand is known where the grip
says it (`pose`). Every model that ever moves, waits, grips or is gripped in the program has a motion in every phase, so
that all its pairs are asked about at every moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tocsin._cast import clock
from tocsin.errors import TocsinError
from tocsin.geometry.shape import Shape
from tocsin.model import grasp
from tocsin.model.base import Model, Motion
from tocsin.model.body import Body
from tocsin.model.deformable import Deformable, Deforming
from tocsin.model.program import Event, Program
from tocsin.model.robot import Robot
from tocsin.model.timed import stamped, with_entries
from tocsin.motion.poses import link_poses
from tocsin.queries.context import Context
from tocsin.queries.play import EXACT, Play, play_of, rounding_of
from tocsin.results import seconds_at


@dataclass(frozen=True, eq=False)
class Grasp:
    """What a robot carries during a phase."""

    robot: Robot
    body: Body
    link: str
    pose: np.ndarray
    """4x4: the body's frame in the link's."""
    touching: tuple[str, ...]
    shapes: tuple[tuple[Shape, ...], ...] | None = None
    """The body's own, where it is carried before the program begins."""
    play: Play = EXACT
    """How far it may lie from there."""

    @property
    def key(self) -> tuple[object, ...]:
        """What makes two of them the same, but for how large their play is."""
        return id(self.robot), id(self.body), self.link, self.pose.tobytes(), self.touching, any(self.play)


@dataclass(frozen=True, eq=False)
class Left:
    """A body that was let go."""

    row: np.ndarray
    rounding: Play
    """By how much the row is off."""
    play: Play


@dataclass(frozen=True, eq=False)
class Phase:
    """A part of a program in which nobody grips or lets go: a question by itself."""

    begin: float
    """Seconds."""
    end: float
    context: Context
    motions: tuple[Motion, ...]
    """All on the clock from `begin` to `end`; where these are one moment, standing on a clock that goes on."""
    grasps: tuple[Grasp, ...]

    def seconds(self, t: float) -> float:
        """Return the second of the clock at a fraction of the phase: the greatest float that is not later."""
        return seconds_at((self.begin, self.end), t)

    def seconds_after(self, t: float) -> float:
        """Return the same: the least float that is not earlier."""
        return -seconds_at((-self.begin, -self.end), t)

    def fraction(self, seconds: float) -> float:
        """Return the fraction of the phase at a second of the clock."""
        if self.begin == self.end:
            return 0.0
        return min(max((seconds - self.begin) / (self.end - self.begin), 0.0), 1.0)


class Laying:
    """A program under way: who carries what, and where what was left stands."""

    def __init__(self, context: Context, program: Program) -> None:
        self.context, self.program = context, program
        self.grasps: dict[int, Grasp] = {}
        """By the id of the body."""
        self.left: dict[int, Left] = {}
        """By the id of the body."""
        self._contexts: dict[tuple[object, ...], Context] = {}
        for model in context.models:
            for held in model.carried:
                if isinstance(model, Robot):
                    self.grasps[id(held.body)] = Grasp(
                        model, held.body, held.link, held.pose, held.touching, held.shapes
                    )  # fmt: skip
                    self._check_still(held.body, model, program.begin)
        self.touched = {id(model) for model in program.models}
        """By the id: who has a motion in every phase."""
        self._check()

    def _check(self) -> None:
        """Refuse a program of models that are not in the scene."""
        for model in self.program.models:
            if id(model) not in self.context.places:
                raise TocsinError(
                    f"the program {self.program.name!r} is about {model.name!r}, which is not in this scene; its "
                    f"models are: {', '.join(self.context.names)}."
                )

    def _check_still(self, body: Body, robot: Robot, t: float) -> None:
        """Refuse a body that is gripped at a second and moves by itself later."""
        track = self.program.tracks.get(id(body))
        if track is not None and track.end > t:
            raise TocsinError(
                f"{body.name!r} is gripped by {robot.name!r} at {clock(t)} s and told to move by itself until "
                f"{clock(track.end)} s; what was gripped goes where robots take it."
            )

    # ---- events ------------------------------------------------------------------------------------------------------

    def happen(self, event: Event) -> None:
        """Have a robot grip or let go."""
        body, robot = event.body, event.robot
        held = self.grasps.get(id(body))
        if event.grips:
            if held is not None:
                raise TocsinError(
                    f"at {clock(event.at)} s {robot.name!r} is to grip {body.name!r}, which {held.robot.name!r} "
                    "carries."
                )
            self._check_still(body, robot, event.at)
            pose, play = event.pose, EXACT
            if pose is None:
                pose = np.linalg.inv(self.link_pose(robot, event.link, event.at)) @ self.pose(body, event.at)
                play = self.play(event, event.link, self.play_of(body, event.at), pose)
            self.grasps[id(body)] = Grasp(robot, body, event.link, pose, event.touching, play=play)
            self.left.pop(id(body), None)
            return
        if held is None or held.robot is not robot:
            raise TocsinError(f"at {clock(event.at)} s {robot.name!r} is to let go of {body.name!r}, which it has not.")
        row = np.zeros(7)
        row[:] = body.at(self.pose(body, event.at)).rows[0]
        track, own = self.program.tracks.get(id(robot)), grasp.bare(robot)
        sizes = np.abs(robot.rest) if track is None else track.sizes(event.at)
        rounding = rounding_of(own.links, sizes, own.link_index(held.link), float(np.linalg.norm(held.pose[:3, 3])))
        self.left[id(body)] = Left(row, rounding, self.play(event, held.link, held.play, held.pose))
        del self.grasps[id(body)]

    def play_of(self, body: Body, t: float) -> Play:
        """Return how far a body that nobody carries may be off at a second."""
        if id(body) in self.left:
            return self.left[id(body)].play
        track = self.program.tracks.get(id(body))
        return EXACT if track is None else play_of(track.error(t))

    def play(self, event: Event, link: str, before: Play, pose: np.ndarray) -> Play:
        """Return how far a body may be off once it is gripped or let go, `pose` its frame in that of the link."""
        robot = event.robot
        track = self.program.tracks.get(id(robot))
        if track is None or not (error := track.error(event.at)).any():
            return before
        own = grasp.bare(robot)
        row = self.program.row(robot, event.at)
        return before.moved(own.kernel_links, row, error, own.link_index(link), float(np.linalg.norm(pose[:3, 3])))

    def link_pose(self, robot: Robot, link: str, t: float) -> np.ndarray:
        """Return the 4x4 pose of a robot's link at a second."""
        own = grasp.bare(robot)
        return link_poses(own.kernel_links, self.program.row(robot, t))[own.link_index(link)]

    def pose(self, body: Body, t: float) -> np.ndarray:
        """Return the 4x4 pose of a body at a second."""
        held = self.grasps.get(id(body))
        if held is not None:
            return self.link_pose(held.robot, held.link, t) @ held.pose
        row = self.left[id(body)].row if id(body) in self.left else self.program.row(body, t)
        return Motion.of(body, row[None].copy()).link_poses()[0]

    # ---- phases ------------------------------------------------------------------------------------------------------

    def phase(self, begin: float, end: float) -> Phase:
        """Return the question about a part of the clock, with what is carried now; it may be the moment of its end."""
        motions: list[Motion] = []
        until = end if end > begin else begin + max(1.0, abs(begin))
        for model in self.context.models:
            key = id(model)
            if key in self.grasps:
                continue
            if key in self.left:
                left = self.left[key]
                error = np.zeros(7)
                error[0], error[3] = (a + b for a, b in zip(left.rounding, left.play))
                motions.append(stamped(Motion.of(model, np.stack([left.row, left.row])), [begin, until], error))
            elif key in self.program.tracks:
                motions.append(self.program.tracks[key].part(begin, until))
            elif key in self.touched or model.carried:
                soft = isinstance(model, Deformable)
                stands = model.at(model.vertices) if soft else Motion.of(model, model.rest[None].copy())
                motions.append(stamped(stands.lasting(1, 0), [begin, until], None))
        grasps = tuple(self.grasps.values())
        return Phase(begin, end, self._laden(grasps), tuple(with_play(m, grasps) for m in motions), grasps)

    def _laden(self, grasps: tuple[Grasp, ...]) -> Context:
        """Return the context in which these are carried: the scene's own, where that is what its models carry."""
        if not grasps and not any(model.carried for model in self.context.models):
            return self.context
        key = tuple(g.key for g in grasps)
        if key not in self._contexts:
            places = self.context.places
            models: list[Model] = [grasp.bare(model) for model in self.context.models]
            for held in grasps:
                robot, body = models[places[id(held.robot)]], models[places[id(held.body)]]
                grasp.attach(robot, body, held.link, held.pose, held.touching)  # type: ignore[arg-type]
                if any(held.play):
                    grasp.loosen(robot)  # type: ignore[arg-type]
            self._contexts[key] = self.context.on(models)
        return self._contexts[key]


def with_play(motion: Motion, grasps: Iterable[Grasp]) -> Motion:
    """Return the motion of a robot with how far what it carries may be off (`grasp.loosen`)."""
    loose = [g.play for g in grasps if g.robot is motion.model and any(g.play)]
    if not loose:
        return motion
    return with_entries(motion, np.concatenate([[play.metres, 0.0, play.radians] for play in loose]))


def phases(context: Context, program: Program) -> Iterator[Phase]:
    """Yield the phases of a program, in order."""
    laying = Laying(context, program)
    events = sorted(program.events, key=lambda event: event.at)
    ends = {program.begin, program.end, *[e.at for e in events]}
    for track in program.tracks.values():
        ends |= set(track.changes())
    times = sorted(ends)
    if len(times) < 2:
        raise TocsinError(f"the program {program.name!r} takes no time: it has no motions.")
    for begin, end in pairwise(times):
        while events and events[0].at <= begin:
            laying.happen(events.pop(0))
        yield laying.phase(begin, end)
    for event in events:  # at the very end
        laying.happen(event)
    if events:
        yield laying.phase(times[-1], times[-1])


def part_of(program: Program, phase: Phase, begin: float, end: float) -> tuple[Motion, ...]:
    """Return the motions of a part of a phase; what stands in it stands in the part."""
    if phase.begin == phase.end:
        return phase.motions
    found: list[Motion] = []
    for motion in phase.motions:
        track = program.tracks.get(id(motion.model))
        if track is None or _stands(motion):
            found.append(stamped(motion, [begin, end], motion.error))
        else:
            found.append(with_play(track.part(begin, end), phase.grasps))
    return tuple(found)


def _stands(motion: Motion) -> bool:
    """Is this a link model that stands?"""
    soft = isinstance(motion, Deforming)
    return not soft and motion.degree == 0 and motion.pieces == 1 and np.array_equal(motion.rows[0], motion.rows[1])


def link_poses_at(
    context: Context, phase: Phase, seconds: float, models: Iterable[int] | None = None
) -> dict[int, np.ndarray]:
    """Return, by the place of models in a scene, (links, 4, 4) at a second of a phase: as they are in it."""
    moving = {context.places[id(m.model)]: m for m in phase.motions}
    found: dict[int, np.ndarray] = {}
    for k in range(len(phase.context.models)) if models is None else models:
        model = phase.context.models[k]
        row = moving[k].row_at(phase.fraction(seconds)) if k in moving else model.rest.copy()
        found[k] = link_poses(model.kernel_links, row)
    return found
