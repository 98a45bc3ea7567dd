"""The auditor of a whole trajectory: every stretch of it that is not proven free, and the smallest clearance.

A trajectory is a list of waypoints with straight joint motion in between; piece k leads from waypoint k to k + 1. A
place on it is a waypoint and a fraction of the piece that follows. What is not inside a reported stretch is proven to
stay farther than the margin from everything, at every moment and not only at samples. The proof, for one piece:

    Let `first_contact` of the piece answer `enter`, and of the reversed piece `back`. By the promise of
    `first_contact` nothing is within the margin during [0, enter), nor, backwards, during (1 - back, 1]. So all contact
    lies in [enter, 1 - back]; if that is empty, or either answer is FREE, the piece is free.
    Let s be inside, and the robot standing at s free. `first_contact` from s to the end, and from s back to the start,
    answer `after` and `before` in fractions of these parts: nothing touches during (s - s before, s + (1 - s) after).
    That gap is taken out, and the rest searched again from its far side. CAPPED answers also prove freedom until their
    time, so the same holds; a stretch in which nothing but CAPPED answers is found is called undecided, never free.

The configuration at s is rounded, so the parts that start there do not lie exactly on the piece. If every entry of
it is off by at most eps, then, the motion being linear, so is the whole part, and every point of the robot by at most
w eps R: w the sum of how much entries move joints, R the farthest that a point can be from a joint. These parts are
asked with a margin that is wider by twice that (two links may deviate): some 1e-13 m for an arm.

Gaps between contacts are looked for at samples that are `resolution` apart (radians or metres of the entry that moves
most): every gap at least that long is found. Shorter ones are not reported, so that two stretches are always at least
`resolution` apart.
"""

from __future__ import annotations

import math
import sys
import time as clock_module
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from tocsin import _cast
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.model.robot import Robot
from tocsin.motion.links import BASE_WIDTH, FIXED, FLOATING, PLANAR, PRISMATIC
from tocsin.options import MAX_STEPS
from tocsin.results import Contact, Distance, FirstContact, Status
from tocsin.scene import Scene

RESOLUTION = 1e-3
"""Default: gaps between contacts in which no joint moves by more than this, radians or metres, are not reported."""

CLEARANCE_GAP = 0.02
"""The proven lower bound of the smallest clearance is at most this fraction below the attained one."""

CHUNK = 64
"""Pieces in one question: many, so that a free trajectory costs few calls; few enough that a progress bar moves."""

LOOKS_INSIDE = 16
"""Configurations inside a stretch, evenly spaced, at which touching pairs are listed; and the number of stretches in
which the smallest distance is looked for."""

ROUNDING = 2.0**-48
"""Bounds the rounding of an interpolated entry, relative to the largest entry (or 1): sixteen units of it."""

SMALLEST_CLEARANCE = 1e-9
"""Metres; nothing smaller than this is proven to be a clearance."""


@dataclass(frozen=True)
class Moment:
    """A place on a trajectory."""

    waypoint: int
    """The waypoint at or before it."""
    fraction: float
    """Of the piece from that waypoint to the next: 0 up to, but not, 1."""
    time: float | None
    """Seconds of the trajectory's own clock; None if it has none."""
    configuration: np.ndarray
    """Joint values there, in the order of `robot.joint_names`."""

    @property
    def position(self) -> float:
        """Waypoint and fraction as one number: 3.25 is a quarter of the way from waypoint 3 to waypoint 4."""
        return self.waypoint + self.fraction


class Pair(NamedTuple):
    """Two links that touch."""

    model_a: str
    link_a: str
    model_b: str
    link_b: str

    def __str__(self) -> str:
        return f"{self.link_a} and {self.link_b}"


@dataclass(frozen=True)
class Stretch:
    """A closed stretch of the trajectory that is not proven free: contact, or undecided, at both of its ends."""

    status: Status
    """CONTACT; INITIAL_CONTACT if the trajectory starts in it; CAPPED if it is undecided."""
    enter: Moment
    """Proven free just before."""
    exit: Moment
    """Proven free just after."""
    pairs: tuple[Pair, ...]
    """Links that touch at the ends or at one of `LOOKS_INSIDE` places in between, in the order of appearance."""
    contacts: tuple[Contact, ...]
    """Touching features at `enter`, the closest first."""
    exit_contacts: tuple[Contact, ...]
    """Touching features at `exit`, the closest first."""
    time_step: float | None
    """Seconds it lasts: samples farther apart than this can step over it. None if the trajectory has no times."""
    joint_step: float
    """How far the joint that moves most goes during it (radians or metres): steps larger than this can miss it."""

    @property
    def is_contact(self) -> bool:
        """False if undecided."""
        return self.status is not Status.CAPPED


@dataclass(frozen=True)
class Clearance:
    """The smallest distance on the whole trajectory, whatever the margins: `lower` <= true <= `upper`, metres."""

    lower: float
    """Proven for every moment of the trajectory."""
    upper: float
    """Attained at `at`, between these links; `math.inf` if there is nothing to keep away from."""
    at: Moment
    nearest: Distance
    """Which links and points, at that moment."""


@dataclass(frozen=True)
class Audit:
    """What is known about a trajectory. What lies outside of `stretches` is proven free."""

    stretches: tuple[Stretch, ...]
    clearance: Clearance
    margin: float
    resolution: float
    waypoints: int
    duration: float | None
    """Seconds; None if the trajectory has no times."""
    length: float
    """The way of the joint that moves most, summed over the pieces: radians or metres."""
    queries: int
    """Questions asked of the engine."""
    seconds: float = field(compare=False)

    @property
    def is_free(self) -> bool:
        """True only if the whole trajectory is proven to keep the margin."""
        return not self.stretches

    @property
    def status(self) -> Status:
        """FREE, CONTACT, INITIAL_CONTACT, or CAPPED if it is undecided but nothing was found to touch."""
        found = [s.status for s in self.stretches if s.is_contact]
        if found:
            return found[0]
        return Status.CAPPED if self.stretches else Status.FREE

    @property
    def free(self) -> tuple[tuple[float, float], ...]:
        """The proven free parts between the stretches, as positions (waypoint + fraction); open where a stretch is."""
        ends = [0.0]
        for stretch in self.stretches:
            ends += [stretch.enter.position, stretch.exit.position]
        ends.append(float(self.waypoints - 1))
        return tuple((a, b) for a, b in zip(ends[::2], ends[1::2]) if a < b)


def audit(
    scene: Scene,
    robot: Robot,
    trajectory: Any,
    *,
    margin: float = 0.0,
    tolerance: float | None = None,
    resolution: float = RESOLUTION,
    times: Any = None,
    max_steps: int = MAX_STEPS,
    progress: Callable[[int, int], None] | None = None,
) -> Audit:
    """Return every stretch of a trajectory that is not proven to keep `margin`, and its smallest clearance.

    `trajectory`: configurations, one a row; a `Trajectory` from `load_trajectory`; or a motion from `robot.follow`.
    `times`: seconds at the waypoints, increasing; by default the trajectory's own. `margin`, `tolerance`, `max_steps`:
    as in `Scene.first_contact`, `max_steps` for each question. `resolution`: gaps between contacts during which no
    joint moves by this much (radians or metres) are not reported. `progress(done, total)` is called now and then.
    Models of the scene other than the robot stand where they are; pairs that the scene ignores are left out.
    """
    started = clock_module.perf_counter()
    if not isinstance(scene, Scene) or not isinstance(robot, Robot):
        raise TocsinError(f"audit takes a Scene and a Robot; got {type(scene).__name__} and {type(robot).__name__}.")
    if isinstance(trajectory, Motion):
        if trajectory.model is not robot or trajectory.pieces == 0:
            raise TocsinError(f"the motion to audit must be one of {robot.name!r}, from move or follow.")
        rows = trajectory.rows
    elif callable(getattr(trajectory, "path", None)):
        rows = robot.follow(trajectory.path(robot)).rows
        times = trajectory.times if times is None else times
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
    search = _Search(
        scene,
        robot,
        rows,
        times,
        _cast.scalar(margin, "margin", least=0.0),
        tolerance,
        _cast.scalar(resolution, "resolution", above=0.0),
        max_steps,
        progress or (lambda done, total: None),
    )
    stretches = search.stretches()
    clearance = _Lowest(search).bounds(stretches)
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


class _Part(NamedTuple):
    """A closed interval of one piece that is not proven free, and the answers at its two ends."""

    piece: int
    lo: float
    hi: float
    at_lo: FirstContact
    at_hi: FirstContact


class _Search:
    """One audit under way."""

    def __init__(
        self, scene: Scene, robot: Robot, rows: np.ndarray, times: np.ndarray | None, margin: float,
        tolerance: float | None, resolution: float, max_steps: int, progress: Callable[[int, int], None],
    ) -> None:  # fmt: skip
        self.scene, self.robot, self.rows, self.times = scene, robot, rows, times
        self.margin, self.tolerance, self.resolution, self.max_steps = margin, tolerance, resolution, max_steps
        self.progress = progress
        self.pieces = len(rows) - 1
        self.steps = _largest_steps(robot, rows)
        self.way = np.concatenate([[0.0], np.cumsum(self.steps)])
        """How far the joint that moves most has gone, at each waypoint."""
        self.slack = _deviation(robot, rows)
        self.wider = scene if not scene.margins else _copy(scene, self.slack)
        self.queries = 0

    # ---- places ------------------------------------------------------------------------------------------------------

    def row(self, piece: int, fraction: float) -> np.ndarray:
        """Return the configuration row, base in front, at a place."""
        if fraction in (0.0, 1.0):
            return self.rows[piece + int(fraction)]
        return Motion(self.robot, self.rows[piece : piece + 2]).row_at(fraction)

    def moment(self, piece: int, fraction: float) -> Moment:
        """Put a place into a record."""
        if fraction == 1.0:
            piece, fraction = piece + 1, 0.0
        time = None
        if self.times is not None:
            duration = 0.0 if fraction == 0.0 else self.times[piece + 1] - self.times[piece]
            time = float(self.times[piece] + fraction * duration)
        return Moment(piece, fraction, time, self.row(piece, fraction)[BASE_WIDTH:].copy())

    def gone(self, piece: int, fraction: float) -> float:
        """Return how far the joint that moves most has gone until a place."""
        return float(self.way[piece] + (0.0 if fraction == 0.0 else fraction * self.steps[piece]))

    def place(self, gone: float) -> tuple[int, float]:
        """Return the (piece, fraction) at which the joint that moves most has gone that far."""
        piece = int(np.clip(np.searchsorted(self.way, gone, side="right") - 1, 0, self.pieces - 1))
        step = self.steps[piece]
        return piece, float(np.clip((gone - self.way[piece]) / step, 0.0, 1.0)) if step > 0.0 else 0.0

    # ---- questions ---------------------------------------------------------------------------------------------------

    def ask(self, *rows: np.ndarray, rounded: bool = False) -> FirstContact:
        """Ask for the first contact on the way through these rows; of `rounded` ones with a wider margin."""
        self.queries += 1
        scene, margin = (self.wider, self.margin + self.slack) if rounded else (self.scene, self.margin)
        motion = Motion(self.robot, np.stack(rows))
        return scene.first_contact(motion, margin=margin, tolerance=self.tolerance, max_steps=self.max_steps)

    def blocked(self, first: int, last: int) -> Iterator[int]:
        """Yield the pieces from waypoint `first` to `last` that are not proven free, by halving what is not."""
        self.queries += 1
        motion = Motion(self.robot, self.rows[first : last + 1])
        if self.scene.is_free(motion, margin=self.margin, tolerance=self.tolerance, max_steps=self.max_steps):
            return
        if last - first == 1:
            yield first
            return
        middle = (first + last) // 2
        yield from self.blocked(first, middle)
        yield from self.blocked(middle, last)

    def parts(self, piece: int) -> Iterator[_Part]:
        """Yield what is not proven free of one piece, in order; the proof is in the docstring of this file."""
        start, end = self.rows[piece], self.rows[piece + 1]
        ahead, back = self.ask(start, end), self.ask(end, start)
        if Status.FREE in (ahead.status, back.status):
            return
        lo, at_lo = ahead.time, ahead
        last = min(1.0, math.nextafter(1.0 - back.time, 2.0))
        step = self.resolution / self.steps[piece] if self.steps[piece] > 0.0 else math.inf
        s = lo + step
        while s < last:
            here = self.row(piece, s)
            if self.ask(here, rounded=True).status is Status.FREE:
                before, after = self.ask(here, start, rounded=True), self.ask(here, end, rounded=True)
                if before.status is not Status.FREE:
                    # Three roundings of numbers of at most 1: the gap is made smaller by more than they are.
                    hi = min(s, s - s * before.time + 2.0**-50)
                    if lo <= hi:
                        yield _Part(piece, lo, hi, at_lo, before)
                if after.status is Status.FREE:
                    return
                lo, at_lo = max(s, s + (1.0 - s) * after.time - 2.0**-50), after
                s = lo
            s = max(s + step, math.nextafter(s, 2.0))
        if lo <= last:
            yield _Part(piece, lo, last, at_lo, back)

    # ---- stretches ---------------------------------------------------------------------------------------------------

    def stretches(self) -> tuple[Stretch, ...]:
        """Return all stretches, in order; parts closer together than the resolution are one."""
        groups: list[list[_Part]] = []
        for first in range(0, self.pieces, CHUNK):
            last = min(first + CHUNK, self.pieces)
            for piece in self.blocked(first, last):
                for part in self.parts(piece):
                    if groups:
                        behind = groups[-1][-1]
                        if self.gone(piece, part.lo) - self.gone(behind.piece, behind.hi) < self.resolution:
                            groups[-1].append(part)
                            continue
                    groups.append([part])
            self.progress(last, 2 * self.pieces)
        return tuple(self.stretch(group) for group in groups)

    def stretch(self, parts: Sequence[_Part]) -> Stretch:
        """Put neighbouring parts into one record, with the pairs that touch at its ends and inside."""
        first, last = parts[0], parts[-1]
        enter, leave = self.moment(first.piece, first.lo), self.moment(last.piece, last.hi)
        begin, end = self.gone(first.piece, first.lo), self.gone(last.piece, last.hi)
        statuses = {s for part in parts for s in (part.at_lo.status, part.at_hi.status)}
        pairs = dict.fromkeys(map(_pair, first.at_lo.contacts))
        for gone in np.linspace(begin, end, LOOKS_INSIDE + 2)[1:-1] if end > begin else ():
            inside = self.ask(self.row(*self.place(gone)))
            statuses.add(inside.status)
            pairs.update(dict.fromkeys(map(_pair, inside.contacts)))
        pairs.update(dict.fromkeys(map(_pair, last.at_hi.contacts)))
        status = Status.CAPPED
        if statuses & {Status.CONTACT, Status.INITIAL_CONTACT}:
            status = Status.INITIAL_CONTACT if enter.position == 0.0 else Status.CONTACT
        return Stretch(
            status=status,
            enter=enter,
            exit=leave,
            pairs=tuple(pairs),
            contacts=first.at_lo.contacts,
            exit_contacts=last.at_hi.contacts,
            time_step=None if enter.time is None or leave.time is None else leave.time - enter.time,
            joint_step=end - begin,
        )


class _Lowest:
    """The smallest distance on the trajectory of a search, from both sides.

    Distances are bounded by questions about motions with a margin, which cost less than distances at samples: free
    with the margin m proves that all distances are more than m; contact is a place at which one is at most m + room.
    """

    def __init__(self, search: _Search) -> None:
        self.search = search
        self.scene = search.scene if not search.scene.margins else _copy(search.scene, None)
        self.place = (0, 0.0)
        self.nearest = self.look(*self.place)
        self.upper = self.nearest.distance
        """A distance that is attained, or not reached, at `place`."""

    def look(self, piece: int, fraction: float) -> Distance:
        """Return the distance at a place."""
        self.search.queries += 1
        return self.scene.distance(Motion(self.search.robot, self.search.row(piece, fraction)[None]))

    def bounds(self, stretches: Sequence[Stretch]) -> Clearance:
        """Return bounds of the smallest distance on the trajectory, chunk by chunk.

        A chunk that is proven to keep a margin keeps it whatever the later ones do, so the least margin that was
        proven is a lower bound for all; `upper` only shrinks.
        """
        search = self.search
        for stretch in stretches[:LOOKS_INSIDE]:
            if self.upper > 0.0:
                begin = search.gone(stretch.enter.waypoint, stretch.enter.fraction)
                self.measure(*search.place(begin + 0.5 * stretch.joint_step))
                self.measure(stretch.enter.waypoint, stretch.enter.fraction)
        touches = bool(stretches) and search.margin == 0.0 and not search.scene.margins
        lower = 0.0 if touches else self.upper
        for first in range(0, search.pieces, CHUNK):
            last = min(first + CHUNK, search.pieces)
            if 0.0 < lower < math.inf:
                lower = min(lower, self.proven(first, last))
            search.progress(search.pieces + last, 2 * search.pieces)
        self.measure(*self.place)
        upper = self.nearest.distance
        return Clearance(min(lower, upper), upper, search.moment(*self.place), self.nearest)

    def measure(self, piece: int, fraction: float) -> None:
        """Look at the distance at a place, and remember it if it is the smallest known."""
        found = self.look(piece, fraction)
        if found.distance <= self.upper or (piece, fraction) == self.place:
            self.nearest, self.upper, self.place = found, found.distance, (piece, fraction)

    def proven(self, first: int, last: int) -> float:
        """Return a margin that is proven to be kept from waypoint `first` to `last`; `upper` may shrink.

        It is at least (1 - CLEARANCE_GAP) upper, unless questions are undecided: the margin `m` is halved until it is
        kept, then bisected between the largest that is kept and the smallest that is not, `top`. With g the gap, it
        ends at m >= (1 - 0.7 g) top, where upper <= (1 + 0.25 g) top, and (1 - 0.7 g) / (1 + 0.25 g) >= 1 - g.
        """
        search = self.search
        motion = Motion(search.robot, search.rows[first : last + 1])
        enough = 1.0 - 0.7 * CLEARANCE_GAP
        kept, top, undecided = 0.0, self.upper, 0
        goal = enough * top
        while top > SMALLEST_CLEARANCE and undecided < 3:
            room = 0.25 * CLEARANCE_GAP * goal
            search.queries += 1
            hit = self.scene.first_contact(motion, margin=goal, tolerance=room, max_steps=search.max_steps)
            if hit.status is Status.FREE:
                kept = goal
            else:
                top = goal
                undecided += hit.status is Status.CAPPED
                if hit.status is not Status.CAPPED and goal + room < self.upper:
                    t = hit.time * (last - first)
                    piece = min(int(t), last - first - 1)
                    self.upper, self.place = goal + room, (first + piece, min(t - piece, 1.0))
            if kept >= enough * top:
                break
            goal = math.sqrt(kept * top) if kept > 0.0 else 0.5 * top
        return kept


def _pair(contact: Contact) -> Pair:
    return Pair(contact.model_a, contact.link_a, contact.model_b, contact.link_b)


def _largest_steps(robot: Robot, rows: np.ndarray) -> np.ndarray:
    """Return (pieces,): by how much the entry that changes most changes in each piece; orientations by their angle."""
    change = np.abs(np.diff(rows, axis=0))
    for k in robot.quaternions:
        p, q = rows[:-1, k : k + 4], rows[1:, k : k + 4]
        change[:, k : k + 4] = 0.0
        cosine = np.abs((p * q).sum(axis=1)) / (np.linalg.norm(p, axis=1) * np.linalg.norm(q, axis=1))
        change[:, k] = np.where((p == q).all(axis=1), 0.0, 2.0 * np.arccos(np.minimum(cosine, 1.0)))
    return change.max(axis=1)


def _deviation(robot: Robot, rows: np.ndarray) -> float:
    """Bound, for two links together, how far the rounding of an interpolated row moves any point (see the top)."""
    links = robot.links
    largest = np.abs(rows).max(axis=0)
    reach = max((shape.reach for shapes in robot.shapes for shape in shapes), default=0.0)
    weight = 0.0
    for link in links:
        kind, k, multiplier = int(link["kind"]), int(link["config"]), abs(float(link["multiplier"]))
        reach += float(np.linalg.norm(link["translation"]))
        if kind == PRISMATIC:
            reach += multiplier * largest[k] + abs(float(link["offset"]))
        elif kind in (PLANAR, FLOATING) and link["parent"] >= 0:
            reach += float(largest[k : k + 3].sum())
        if kind != FIXED:
            weight += 7.0 * multiplier
    return 2.0 * weight * ROUNDING * max(1.0, float(largest.max())) * max(1.0, reach)


def _copy(scene: Scene, wider: float | None) -> Scene:
    """Return the same scene with the pairs' own margins wider by this, or without them if None."""
    copy = Scene(*scene.models, backend="hulls" if scene._hulls else "triangles")
    for a, b in scene._ignored:
        copy.ignore(a, b)
    if wider is not None:
        for pair, margin in scene.margins.items():
            copy.margins[pair] = margin + wider
    return copy


class _Callable(types.ModuleType):
    """This module, callable: `tocsin.audit(...)` is the function also where `tocsin.audit` was imported as a module."""

    def __call__(self, *arguments: Any, **keywords: Any) -> Audit:
        return audit(*arguments, **keywords)


sys.modules[__name__].__class__ = _Callable
