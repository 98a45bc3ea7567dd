"""Finds every stretch of a trajectory that is not proven free.

A trajectory is a list of waypoints with straight joint motion, or polynomials of time, in between; piece k leads from
waypoint k to k + 1. A place on it is a waypoint and a fraction of the piece that follows. What is not inside a reported
stretch is proven to stay farther than the margin from everything, at every moment and not only at samples. The proof:

    Pieces are asked about many at once. If `is_free` says yes, all of them are free. If not, `contact_intervals` of the
    same motion lists, pair by pair, closed intervals that hold every time at which two links are within their margin;
    what lies outside of all of them is free. Where the cap ends that list, each half of the pieces is asked by itself,
    and of a single piece what comes after the end of the list is called undecided, never free.

    In these questions every piece takes the same time: the n pieces from waypoint k on are passed at t = i / n, and the
    time t is the place k + n t. That product is rounded once, and then moved by one unit, down where a stretch begins
    and up where it ends, so that nothing is lost by it.

Stretches that are less than `resolution` apart (radians or metres of the entry that moves most) are made one, so that
two are always at least that far from each other; except that what is undecided stays apart from what is in contact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from tocsin.motion.links import BASE_WIDTH
from tocsin.queries.audit.courses import Course
from tocsin.queries.audit.records import Moment, Pair, Stretch
from tocsin.queries.contact_intervals import contact_intervals
from tocsin.queries.context import Context
from tocsin.queries.engines.advancement import ENGINE
from tocsin.queries.first_contact import first_contact, is_free
from tocsin.results import Contact, ContactInterval, Status, seconds_at

RESOLUTION = 1e-3
"""Default: gaps between contacts in which no joint moves by more than this, radians or metres, are not reported."""

CHUNK = 256
"""Pieces in one question: many, so that a trajectory costs few calls; few enough that a progress bar moves."""

AROUND = 0.125
"""Of the tolerance: where a stretch ends two links are within the margin and the tolerance, so their features are
looked for a little farther away than that."""

Place = tuple[int, float]
"""A piece and a share of it."""


class Part(NamedTuple):
    """A closed part of the trajectory during which a pair is not proven to be free."""

    enter: Place
    exit: Place
    pair: Pair | None
    """None: the cap was reached before it was known who."""
    is_contact: bool
    tolerance: float
    """Within which it is in contact, beyond the margin; 0 where nobody is known to be."""


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
        self._asked = context.as_it_is(), context.state
        self.queries = 0

    @property
    def kept(self) -> Context:
        """The scene as it was when the audit was asked for: itself, with all that it has learnt, unless it changed."""
        copied, state = self._asked
        return self.context if self.context.state == state else copied

    # ---- places ------------------------------------------------------------------------------------------------------

    def row(self, piece: int, fraction: float) -> np.ndarray:
        """Return the configuration row, base in front, at a place."""
        return self.course.row(piece, fraction)

    def moment(self, piece: int, fraction: float, *, after: bool = False) -> Moment:
        """Put a place into a record; its seconds are no later, or with `after` no earlier."""
        if fraction == 1.0:
            piece, fraction = piece + 1, 0.0
        time = None
        if self.times is not None:
            ends = self.times[piece : piece + 2]
            time = -seconds_at(-ends, fraction) if after else seconds_at(ends, fraction)
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

    def parts(self, first: int, last: int) -> Iterator[Part]:
        """Yield what is not proven free from waypoint `first` to `last`, by when it begins; see the top."""
        motion = self.course.chunk(first, last)
        asked = self.margin, self.tolerance, self.max_steps
        self.queries += 1
        if is_free(self.context, (motion,), *asked, ENGINE):
            return
        self.queries += 1
        found = contact_intervals(self.context, (motion,), *asked)
        if found.until < 1.0 and last - first > 1:
            middle = (first + last) // 2
            yield from self.parts(first, middle)
            yield from self.parts(middle, last)
            return
        pieces = last - first
        until = found.until  # beyond it all is undecided but what is in the list
        for i in found:
            enter, leave = begun(first, pieces, i.enter), ended(first, pieces, i.exit)
            if i.enter > until:
                yield Part(begun(first, pieces, until), ended(first, pieces, i.enter), None, False, 0.0)
            yield Part(enter, leave, pair_of(i), i.proven, i.tolerance)
            until = max(until, i.exit)
        if until < 1.0:
            yield Part(begun(first, pieces, until), (last - 1, 1.0), None, False, 0.0)

    def touching(self, place: Place, tolerance: float) -> tuple[Contact, ...]:
        """Return what touches at the end of a stretch, as the scene was when it was audited."""
        if tolerance == 0.0:
            return ()
        more = (1.0 + AROUND) * tolerance
        context = self.kept if not self.kept.rules.margins else self.kept.copy(margins=more)
        asked = self.margin + more, AROUND * tolerance, self.max_steps
        return first_contact(context, (self.course.at(*place),), *asked, ENGINE).contacts

    # ---- stretches ---------------------------------------------------------------------------------------------------

    def stretches(self) -> tuple[Stretch, ...]:
        """Return all stretches, in order; parts closer together than the resolution are one, but what the cap left open
        is never one with a contact: where that ends, two links are near each other."""
        groups: list[list[Part]] = []
        until = -math.inf
        for first in range(0, self.pieces, CHUNK):
            last = min(first + CHUNK, self.pieces)
            for part in self.parts(first, last):
                near = self.gone(*part.enter) - until < self.resolution
                if near and (part.pair is None) == (groups[-1][-1].pair is None):
                    groups[-1].append(part)
                else:
                    groups.append([part])
                until = max(until, self.gone(*part.exit))
            self.progress(last, self.pieces)
        return tuple(self.stretch(group) for group in groups)

    def stretch(self, parts: Sequence[Part]) -> Stretch:
        """Put neighbouring parts into one record."""
        first, last = parts[0], max(parts, key=lambda part: part.exit)
        enter, leave = self.moment(*first.enter), self.moment(*last.exit, after=True)
        status = Status.CAPPED
        if any(part.is_contact for part in parts):
            status = Status.INITIAL_CONTACT if enter.position == 0.0 else Status.CONTACT
        return Stretch(
            status=status,
            enter=enter,
            exit=leave,
            pairs=tuple(dict.fromkeys(part.pair for part in parts if part.pair is not None)),
            time_step=None if enter.time is None or leave.time is None else leave.time - enter.time,
            joint_step=self.gone(*last.exit) - self.gone(*first.enter),
            looks=(
                partial(self.touching, first.enter, first.tolerance),
                partial(self.touching, last.exit, last.tolerance),
            ),
        )


def begun(first: int, pieces: int, t: float) -> Place:
    """Return the place of a time at which something may begin: that of the time, or before it."""
    at = max(math.nextafter(t * pieces, -math.inf), 0.0)
    piece = min(int(at), pieces - 1)
    return first + piece, at - piece


def ended(first: int, pieces: int, t: float) -> Place:
    """Return the place of a time by which something is over: that of the time, or after it."""
    at = min(math.nextafter(t * pieces, math.inf), float(pieces)) if t > 0.0 else 0.0
    piece = min(int(at), pieces - 1)
    return first + piece, at - piece


def pair_of(found: ContactInterval) -> Pair:
    """Return the links of an interval."""
    return Pair(found.model_a, found.link_a, found.model_b, found.link_b)
