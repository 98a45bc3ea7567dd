"""The search for every stretch of a trajectory that is not proven free.

A trajectory is a list of waypoints with straight joint motion, or polynomials of time, in between; piece k leads from
waypoint k to k + 1. A place on it is a waypoint and a fraction of the piece that follows. What is not inside a reported
stretch is proven to stay farther than the margin from everything, at every moment and not only at samples. The proof,
for one piece:

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
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from tocsin.model.base import Motion
from tocsin.model.robot import Robot
from tocsin.motion.links import BASE_WIDTH, FIXED, FLOATING, PLANAR, PRISMATIC
from tocsin.queries.audit.courses import ROUNDING, Course
from tocsin.queries.audit.records import Moment, Pair, Stretch
from tocsin.queries.context import Context
from tocsin.queries.engines.advancement import ENGINE
from tocsin.queries.first_contact import first_contact, is_free
from tocsin.results import Contact, FirstContact, Status

RESOLUTION = 1e-3
"""Default: gaps between contacts in which no joint moves by more than this, radians or metres, are not reported."""

CHUNK = 64
"""Pieces in one question: many, so that a free trajectory costs few calls; few enough that a progress bar moves."""

LOOKS_INSIDE = 16
"""Configurations inside a stretch, evenly spaced, at which touching pairs are listed, and the number of stretches
in which the smallest distance is looked for."""


class Part(NamedTuple):
    """A closed interval of one piece that is not proven free, and the answers at its two ends."""

    piece: int
    lo: float
    hi: float
    at_lo: FirstContact
    at_hi: FirstContact


class Search:
    """One audit under way."""

    def __init__(
        self, context: Context, course: Course, times: np.ndarray | None, margin: float,
        tolerance: float | None, resolution: float, max_steps: int, progress: Callable[[int, int], None],
    ) -> None:  # fmt: skip
        self.context, self.robot, self.course, self.times = context, course.robot, course, times
        self.margin, self.tolerance, self.resolution, self.max_steps = margin, tolerance, resolution, max_steps
        self.progress = progress
        self.pieces = course.pieces
        self.steps = course.steps
        self.way = np.concatenate([[0.0], np.cumsum(self.steps)])
        """How far the joint that moves most has gone, at each waypoint."""
        self.slack = deviation(course.robot, course.sizes)
        self.wider = context if not context.rules.margins else context.copy(margins=self.slack)
        self.queries = 0

    # ---- places ------------------------------------------------------------------------------------------------------

    def row(self, piece: int, fraction: float) -> np.ndarray:
        """Return the configuration row, base in front, at a place."""
        return self.course.row(piece, fraction)

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

    def ask(self, motion: Motion, *, rounded: bool = False) -> FirstContact:
        """Ask for the first contact on a part of the motion; on `rounded` ones with a wider margin."""
        self.queries += 1
        context, margin = (self.wider, self.margin + self.slack) if rounded else (self.context, self.margin)
        return first_contact(context, (motion,), margin, self.tolerance, self.max_steps, ENGINE)

    def blocked(self, first: int, last: int) -> Iterator[int]:
        """Yield the pieces from waypoint `first` to `last` that are not proven free, by halving what is not."""
        self.queries += 1
        motion = self.course.chunk(first, last)
        if is_free(self.context, (motion,), self.margin, self.tolerance, self.max_steps, ENGINE):
            return
        if last - first == 1:
            yield first
            return
        middle = (first + last) // 2
        yield from self.blocked(first, middle)
        yield from self.blocked(middle, last)

    def parts(self, piece: int) -> Iterator[Part]:
        """Yield what is not proven free of one piece, in order; the proof is in the docstring of this file."""
        course = self.course
        ahead, back = (
            self.ask(course.part(piece, 0.0, 1.0)),
            self.ask(course.part(piece, 1.0, 0.0), rounded=course.curved),
        )
        if Status.FREE in (ahead.status, back.status):
            return
        lo, at_lo = ahead.time, ahead
        last = min(1.0, math.nextafter(1.0 - back.time, 2.0))
        step = self.resolution / self.steps[piece] if self.steps[piece] > 0.0 else math.inf
        s = lo + step
        while s < last:
            if self.ask(course.at(piece, s), rounded=True).status is Status.FREE:
                before = self.ask(course.part(piece, s, 0.0), rounded=True)
                after = self.ask(course.part(piece, s, 1.0), rounded=True)
                if before.status is not Status.FREE:
                    # Three roundings of numbers of at most 1: the gap is made smaller by more than they are.
                    hi = min(s, s - s * before.time + 2.0**-50)
                    if lo <= hi:
                        yield Part(piece, lo, hi, at_lo, before)
                if after.status is Status.FREE:
                    return
                lo, at_lo = max(s, s + (1.0 - s) * after.time - 2.0**-50), after
                s = lo
            s = max(s + step, math.nextafter(s, 2.0))
        if lo <= last:
            yield Part(piece, lo, last, at_lo, back)

    # ---- stretches ---------------------------------------------------------------------------------------------------

    def stretches(self) -> tuple[Stretch, ...]:
        """Return all stretches, in order; parts closer together than the resolution are one."""
        groups: list[list[Part]] = []
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

    def stretch(self, parts: Sequence[Part]) -> Stretch:
        """Put neighbouring parts into one record, with the pairs that touch at its ends and inside."""
        first, last = parts[0], parts[-1]
        enter, leave = self.moment(first.piece, first.lo), self.moment(last.piece, last.hi)
        begin, end = self.gone(first.piece, first.lo), self.gone(last.piece, last.hi)
        statuses = {s for part in parts for s in (part.at_lo.status, part.at_hi.status)}
        pairs = dict.fromkeys(map(pair_of, first.at_lo.contacts))
        for gone in np.linspace(begin, end, LOOKS_INSIDE + 2)[1:-1] if end > begin else ():
            inside = self.ask(self.course.at(*self.place(gone)))
            statuses.add(inside.status)
            pairs.update(dict.fromkeys(map(pair_of, inside.contacts)))
        pairs.update(dict.fromkeys(map(pair_of, last.at_hi.contacts)))
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


def pair_of(contact: Contact) -> Pair:
    """Return the links of a contact."""
    return Pair(contact.model_a, contact.link_a, contact.model_b, contact.link_b)


def deviation(robot: Robot, rows: np.ndarray) -> float:
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
