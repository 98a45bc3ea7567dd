"""What one model does on a program's clock: segments one after another, and standing in between.

A part of a track, from one second to another, is an ordinary motion with times: straight pieces, or polynomials where
any of its segments has some. Where a piece is cut, or a straight one is written as a polynomial, its numbers are
rounded: every entry by at most 64 units of the sum of its terms' sizes, orientations by as many units of a radian. That
is added to the tube of the part: what is proven of it holds for the exact motion. A whole segment is taken as it is.
The terms are those of the piece that is cut: a part near 0 of a piece from -1000 to 1000 is off by units of 1000.

A model that stands is as far off as the segment behind it says, until the next begins: a controller that ends a motion
somewhere in its tube stays there.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from tocsin import _cast
from tocsin._cast import clock
from tocsin._types import Row
from tocsin.errors import TocsinError
from tocsin.model.base import Model, Motion
from tocsin.model.deformable import Deformable, Deforming
from tocsin.model.robot import Robot
from tocsin.model.timed import SplineMotion, stamped
from tocsin.motion.bases import shifted
from tocsin.motion.links import BASE_WIDTH

MEETS = 1e-6
"""How far (radians, metres) a segment may start from where its model is then; that is added to its tube."""

ROUNDED = 2.0**-46
"""Of the sizes of an entry's terms: 64 units and some."""


@dataclass(frozen=True, eq=False)
class Segment:
    """A motion with times, on the program's clock."""

    motion: Motion
    gap: Row | None = None
    """(width,) how far it starts from where the model was; None: not at all."""
    signs: Row | float = 1.0
    """Of its rows' entries: its quaternions continue those of the segment before (`motion.arcs`)."""

    def row(self, piece: int, share: float) -> Row:
        """Return the row when so much of a piece is done."""
        if share in (0.0, 1.0):
            return self.motion.rows[piece + int(share)] * self.signs
        return self.motion.row_of(piece, share) * self.signs

    @property
    def is_as_given(self) -> bool:
        """Does it start where the model is, and do its rows continue those before it?"""
        return self.gap is None and bool(np.all(self.signs == 1.0))

    @property
    def begin(self) -> float:
        """Seconds."""
        return float(self.times[0])

    @property
    def end(self) -> float:
        """Seconds."""
        return float(self.times[-1])

    @property
    def times(self) -> np.ndarray:
        """Seconds at its knots."""
        if self.motion.times is None:
            raise TocsinError("a segment has times.")
        return self.motion.times

    def sizes(self, piece: int) -> Row:
        """Return (width,) the sums of the sizes of the terms that the entries of a piece are made of."""
        if isinstance(self.motion, SplineMotion):
            return np.abs(self.motion.coefficients[piece]).sum(axis=0)
        return np.abs(self.motion.rows[piece : piece + 2]).sum(axis=0)

    @property
    def error(self) -> Row:
        """(width,) how far it may be off, the jump to its start included."""
        error = np.zeros(self.motion.width) if self.motion.error is None else self.motion.error.copy()
        return error if self.gap is None else error + self.gap


@dataclass(eq=False)
class Track:
    """The segments of one model, in order."""

    model: Model
    segments: list[Segment] = field(default_factory=list[Segment])

    @property
    def begin(self) -> float:
        """When its first segment begins."""
        return self.segments[0].begin

    @property
    def end(self) -> float:
        """When its last segment ends, seconds."""
        return self.segments[-1].end if self.segments else 0.0

    def add(self, motion: Motion) -> None:
        """Append a motion with times, which starts where the model is then."""
        segment = Segment(motion)
        if not self.segments:
            self.segments.append(segment)
            return
        last = self.segments[-1]
        if segment.begin < last.end:
            raise TocsinError(
                f"{self.model.name!r} is told to move at {clock(segment.begin)} s, and moves until {clock(last.end)} s "
                "already."
            )
        if isinstance(motion, Deforming) or isinstance(last.motion, Deforming):
            off = float(np.abs(vertices_of(last, last.end) - vertices_of(segment, segment.begin)).max(initial=0.0))
            if off > 0.0:
                raise self._jump(segment, off, "a vertex")
            self.segments.append(segment)
            return
        behind, ahead = last.row(last.motion.pieces - 1, 1.0), motion.rows[0]
        gap, signs = np.abs(ahead - behind), np.ones(self.model.width)
        for k in self.model.quaternions:
            gap[k : k + 4] = 0.0
            p, q = behind[k : k + 4], ahead[k : k + 4]
            signs[k : k + 4] = 1.0 if p @ q >= 0.0 else -1.0
            # By the chord: of a cosine near 1 nothing is left of a turn of less than 3e-8 rad.
            gap[k] = 4.0 * math.asin(min(0.5 * float(np.linalg.norm(q - signs[k] * p)), 1.0)) * (1.0 + 2.0**-40)
        if gap.max() > MEETS:
            entry = int(np.argmax(gap))
            raise self._jump(segment, float(gap[entry]), self._entry(entry))
        self.segments.append(Segment(motion, gap if gap.any() else None, signs))

    def _entry(self, entry: int) -> str:
        if entry >= BASE_WIDTH and isinstance(self.model, Robot):
            return f"joint {self.model.entry_name(entry - BASE_WIDTH)}"
        return "its base" if isinstance(self.model, Robot) else "its pose"

    def _jump(self, segment: Segment, off: float, what: str) -> TocsinError:
        return TocsinError(
            f"{self.model.name!r} would jump at {clock(segment.begin)} s: {what} is {off:.3g} from where the step "
            "starts."
        )

    # ---- where it is -------------------------------------------------------------------------------------------------

    def at(self, t: float) -> tuple[Segment, int, float]:
        """Return (segment, piece, share) at a time: before the first segment its start, in a gap the end before it."""
        found = self.segments[self._number(t)]
        times = found.times
        piece = min(max(int(np.searchsorted(times, t, side="right")) - 1, 0), len(times) - 2)
        share = (t - times[piece]) / (times[piece + 1] - times[piece])
        return found, piece, min(max(float(share), 0.0), 1.0)

    def row(self, t: float) -> Row:
        """Return the configuration row at a time."""
        segment, piece, share = self.at(t)
        return segment.row(piece, share)

    def sizes(self, t: float) -> Row:
        """Return (width,) the sizes of the terms of which the row at a time is made."""
        segment, piece, _ = self.at(t)
        return segment.sizes(piece)

    def knots(self, begin: float, end: float) -> np.ndarray:
        """Return the ends of a part of the clock, and the knots between."""
        inner = np.concatenate([s.times for s in self.segments])
        return np.concatenate([[begin], np.unique(inner[(inner > begin) & (inner < end)]), [end]])

    def changes(self) -> list[float]:
        """Return the times at which what the model may be off changes, or a segment starts a little off the last.

        A part holds no such time but at its ends: a piece of it that ends where the next segment starts, and not where
        its own does, would need a tube of its own.
        """
        return [
            b.begin for a, b in pairwise(self.segments) if b.gap is not None or not np.array_equal(a.error, b.error)
        ]

    def error(self, t: float) -> Row:
        """Return (width,) how far the model may be off at a time; where a segment begins, the larger of its tube and of
        that in which the model stands until then, however long ago the segment before has ended."""
        last = self._number(t)
        before = [s.error for s in self.segments[max(last - 1, 0) : last] if self.segments[last].begin == t]
        return np.maximum.reduce([self.segments[last].error, *before])

    def _number(self, t: float) -> int:
        """Return the number of the last segment that has begun at a time, or of the first."""
        return max(bisect_right(self.segments, t, key=lambda segment: segment.begin) - 1, 0)

    # ---- parts -------------------------------------------------------------------------------------------------------

    def part(self, begin: float, end: float) -> Motion:
        """Return the motion from one time to another."""
        knots = self.knots(begin, end)
        if isinstance(self.model, Deformable):
            frames = np.stack([vertices_of(self.at(t)[0], t) for t in knots.tolist()])
            still = Deforming(self.model, self.segments[0].motion.rows.copy(), _cast.frozen(frames))
            return stamped(still, knots, None)
        for segment in self.segments:
            if (segment.begin, segment.end) == (begin, end) and segment.is_as_given:
                return segment.motion
        places = [self.at(t) for t in knots[:-1].tolist()]
        error = np.maximum.reduce([segment.error for segment, _, _ in places])
        if any(segment.motion.degree and t < segment.end for (segment, _, _), t in zip(places, knots.tolist())):
            table = self._table(knots, places)
            rows = np.concatenate([table[:, 0], self._last(places[-1], end)[None]])
            return stamped(SplineMotion(self.model, rows, table), knots, error + self._rounding(places))
        rows = [*[self.row(t) for t in knots[:-1].tolist()], self._last(places[-1], end)]
        if any(0.0 < self.at(t)[2] < 1.0 for t in (begin, end)):
            error = error + self._rounding(places)
        return stamped(Motion.of(self.model, np.stack(rows)), knots, error)

    def _last(self, place: tuple[Segment, int, float], end: float) -> Row:
        """Return where a part ends whose last piece begins at this place: where its own segment has it then, and not
        the next, whose tube holds the gap between the two from its start on."""
        segment, piece, share = place
        return segment.row(piece, share) if end <= segment.begin or share == 1.0 else _end(segment, piece, end)

    def _rounding(self, places: list[tuple[Segment, int, float]]) -> Row:
        """Return what the entries of rounded pieces are off."""
        most = np.max([segment.sizes(piece) for segment, piece, _ in places], axis=0)
        for k in self.model.quaternions:
            most[k : k + 4] = 1.0, 0.0, 0.0, 0.0
        return ROUNDED * most

    def _table(self, knots: np.ndarray, places: list[tuple[Segment, int, float]]) -> np.ndarray:
        """Return (pieces, degree + 1, width): polynomials of the shares of the pieces between knots."""
        degree = max(1, *[segment.motion.degree for segment, _, _ in places])
        table = np.zeros((len(places), degree + 1, self.model.width))
        for n, (segment, piece, share) in enumerate(places):
            t, until = float(knots[n]), float(knots[n + 1])
            here = self.row(t)
            there = self._last(places[n], until)
            if isinstance(segment.motion, SplineMotion) and segment.begin < until and t < segment.end:
                lasts = (until - t) / (segment.times[piece + 1] - segment.times[piece])
                c = segment.motion.coefficients[piece]
                if share > 0.0:
                    c = shifted(c[None], np.array([share]))[0]
                table[n, : len(c)] = c * (lasts ** np.arange(len(c)))[:, None]
            else:
                table[n, 0], table[n, 1] = here, there - here
            for k in self.model.quaternions:
                table[n, :, k : k + 4] = 0.0
                table[n, 0, k : k + 4], table[n, 1, k : k + 4] = here[k : k + 4], there[k : k + 4]
        return table


def _end(segment: Segment, piece: int, until: float) -> Row:
    """Return the row at the end of a part of a piece."""
    times = segment.times
    share = (until - times[piece]) / (times[piece + 1] - times[piece])
    return segment.row(piece, float(min(share, 1.0)))


def vertices_of(segment: Segment, t: float) -> np.ndarray:
    """Return where the vertices of a deformable model are at a time: at a knot the frame that was given.

    By the share of the piece: that of all of a long motion, rounded, is off by as much as vertices go in that time.
    """
    motion = segment.motion
    if not isinstance(motion, Deforming):
        raise TocsinError("a deformable model moves by its vertices.")
    times = segment.times
    k = min(max(int(np.searchsorted(times, t, side="right")) - 1, 0), len(times) - 2)
    share = min(max(float((t - times[k]) / (times[k + 1] - times[k])), 0.0), 1.0)
    return (1.0 - share) * motion.frames[k] + share * motion.frames[k + 1]
