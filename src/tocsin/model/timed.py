"""Motions on a clock: with time stamps, on curves, and in tubes of what joints may be off.

A motion that carries times has knots at seconds of its own, and stands before the first and after the last. In a
question all are put on one clock, from the first stamp of any to the last: what is shorter stands for the rest, and a
motion of one piece that has no times lasts as long as the clock. `time` in answers is a fraction of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from tocsin import _cast
from tocsin.errors import TocsinError
from tocsin.model.base import Motion, repeated
from tocsin.motion.clocks import Timeline, timeline_of
from tocsin.motion.curves import MOST_DEGREE
from tocsin.motion.knots import last_before
from tocsin.motion.links import BASE_WIDTH
from tocsin.motion.poses import between

PRECISE = 2.0**-40
"""Of a polynomial's size: what may be left of it beyond MOST_DEGREE; it is added to the joint's error."""

MOST_HALVINGS = 12
"""Of a piece of a high degree."""


@dataclass(frozen=True, eq=False, repr=False)
class SplineMotion(Motion):
    """A model whose joint values are polynomials of time, piece by piece; orientations go along their arcs."""

    coefficients: np.ndarray = field(repr=False)
    """(pieces, degree + 1, width), in powers of the share of the piece that is done; of quaternions both ends."""

    def __post_init__(self) -> None:
        """Take the coefficients as they are: whoever made the motion has checked them."""
        self._keep(self.rows)

    def _keep(self, rows: np.ndarray) -> None:
        table = np.array(self.coefficients)
        self.__dict__["configs"] = table.reshape(-1)
        table.setflags(write=False)
        rows = rows.copy()
        rows.setflags(write=False)
        self.__dict__["rows"], self.__dict__["coefficients"] = rows, table

    @property
    def degree(self) -> int:  # type: ignore[override]
        """Of its polynomials."""
        return self.coefficients.shape[1] - 1

    def row_of(self, piece: int, share: float) -> np.ndarray:
        """Return the row when so much of a piece is done."""
        c = self.configs.reshape(self.coefficients.shape)[piece]
        row = c[-1].copy()
        for k in range(len(c) - 2, -1, -1):
            row = row * share + c[k]
        arcs = between(c[0], c[1], self.model.kernel_quaternions, share)
        for k in self.model.quaternions:
            row[k : k + 4] = arcs[k : k + 4]
        return row

    def turns(self) -> list[tuple[int, float]]:
        """Return (piece, share): where a joint turns around within a piece, up to rounding; what it reaches there is
        farther than at the ends."""
        found: list[tuple[int, float]] = []
        for piece, c in enumerate(self.coefficients[:, 1:, BASE_WIDTH:]):
            for rates in (c * np.arange(1, len(c) + 1)[:, None]).T:
                shares = np.polynomial.polynomial.polyroots(np.trim_zeros(rates, "b")) if rates.any() else np.zeros(0)
                found += [(piece, float(x.real)) for x in shares if abs(x.imag) < 1e-6 and 0.0 < x.real < 1.0]
        return found

    def lasting(self, before: int, after: int) -> Motion:
        """Return the same motion with so many pieces in which it stands before and after."""
        still = np.zeros((2, *self.coefficients.shape[1:]))
        still[:, 0] = self.rows[[0, -1]]
        for k in self.model.quaternions:
            still[:, 1, k : k + 4] = still[:, 0, k : k + 4]
        parts = [still[:1]] * before + [self.coefficients] + [still[1:]] * after
        return self.through(repeated(self.rows, before, after), coefficients=np.concatenate(parts))


def stamped(motion: Motion, times: object, error: np.ndarray | None, *, seconds: bool = True) -> Motion:
    """Return a motion with times, one for each of its rows, and with what its entries may be off."""
    off = None if error is None or not error.any() else _cast.frozen(error)
    return motion.through(motion.rows, times=_cast.frozen(np.array(times, np.float64)), error=off, seconds=seconds)


def with_entries(motion: Motion, error: np.ndarray) -> Motion:
    """Return a motion with further entries behind its own, which are 0 and may be off so much."""
    own, behind = motion.error, (0, len(error))
    others: dict[str, np.ndarray] = {}
    if isinstance(motion, SplineMotion):
        others["coefficients"] = np.pad(motion.coefficients, ((0, 0), (0, 0), behind))
    made = motion.through(np.pad(motion.rows, ((0, 0), behind)), **others)
    whole = np.concatenate([np.zeros(motion.width) if own is None else own, error])
    return stamped(made, motion.times, whole, seconds=motion.seconds)


def with_times(motion: Motion, times: object, what: str, error: np.ndarray | None = None) -> Motion:
    """Return a motion through its rows at these seconds; as it is where there are neither times nor errors."""
    if times is None:
        if error is None or not error.any():
            return motion
        return stamped(motion, np.arange(motion.pieces + 1.0), error, seconds=False)
    return stamped(motion, _cast.times(times, what, motion.pieces + 1), error)


def reduced(coefficients: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (coefficients, times, error): pieces of degree MOST_DEGREE at most that are within `error` of the given.

    `coefficients` (pieces, powers, n) in the share of each piece; `times` are the shares at which the new pieces begin,
    counted through all pieces. A piece is halved until what is beyond the degree, about its middle, is at most PRECISE
    of it. Proof of the error: with y in [-1, 1] from the middle, |sum_k>d b_k y^k| <= sum |b_k|.

    The terms of a high degree may be far larger than their sum, M. The given coefficients were rounded, to a unit of M.
    About the middle they are sums of 2 n roundings of terms that add up to M, for x + lasts <= 1; from there to the
    start of a new piece, of 2 d roundings of terms that add up to 3^d sum |b_k|. Both in the precision of `longdouble`,
    which is that of floats on some machines. Of what stands nothing is rounded.
    """
    found: list[np.ndarray] = []
    times: list[float] = []
    unit = float(np.finfo(np.longdouble).eps)
    begun = np.abs(coefficients).sum(axis=1) * (2.0**-52 + 4.0 * coefficients.shape[1] * unit)
    moves: np.ndarray = np.any(coefficients[:, 1:] != 0.0, axis=1)
    back = 4.0 * MOST_DEGREE * 3.0**MOST_DEGREE * unit
    error = np.zeros(coefficients.shape[2])
    for i, piece in enumerate(coefficients.astype(np.longdouble)):
        waiting = [(0.0, 1.0, 0)]
        while waiting:
            x, lasts, level = waiting.pop()
            half = 0.5 * lasts
            c = _scaled(_moved(piece, x + half), half)
            left = np.abs(c[MOST_DEGREE + 1 :]).sum(axis=0)
            if (left > PRECISE * np.abs(c).sum(axis=0)).any() and level < MOST_HALVINGS:
                waiting += [(x + half, half, level + 1), (x, half, level + 1)]
                continue
            left = left + moves[i] * (begun[i] + back * np.abs(c[: MOST_DEGREE + 1]).sum(axis=0))
            error = np.maximum(error, (left * (1.0 + 1e-9)).astype(np.float64))
            found.append(_scaled(_moved(c[: MOST_DEGREE + 1], -1.0), 2.0).astype(np.float64))
            times.append(i + x)
    return np.stack(found), np.array([*times, len(coefficients)]), error


def _moved(c: np.ndarray, by: float) -> np.ndarray:
    c = c.copy()
    n = len(c) - 1
    for i in range(n):
        for k in range(n - 1, i - 1, -1):
            c[k] += by * c[k + 1]
    return c


def _scaled(c: np.ndarray, by: float) -> np.ndarray:
    return c * (np.longdouble(by) ** np.arange(len(c)))[:, None]


def on_clock(motions: Sequence[Motion], after: float = 0.0) -> Timeline:
    """Return the stretches of motions of which some carry times, all on one clock.

    With `after`, a time in [0, 1], there is a knot no later than then, and no more than rounding earlier.
    """
    if after > 0.0:
        whole = on_clock(motions)
        first, last = (Fraction(t) for t in whole.knots[[0, -1]].tolist())
        return timeline_of(whole.motions, [last_before(first + Fraction(after) * (last - first))])
    if len(motions) == 1:
        kept = motions[0].__dict__.get("timeline")
        if kept is None:
            kept = motions[0].__dict__["timeline"] = timeline_of(motions)
        return kept
    stamps = [m.times for m in motions if m.times is not None]
    if len({m.seconds for m in motions if m.times is not None}) > 1:
        raise TocsinError(
            "some of these motions have times and others, in tubes, have none: give times to all of them."
        )
    first, last = min(float(t[0]) for t in stamps), max(float(t[-1]) for t in stamps)
    return timeline_of([_lasting(m, first, last) for m in motions])


def _lasting(motion: Motion, first: float, last: float) -> Motion:
    """Return a motion that lasts from `first` to `last`: it stands before and after its own times."""
    if motion.times is None:
        if motion.pieces > 1:
            raise TocsinError(
                f"the motion of {motion.model.name!r} has {motion.pieces} pieces and no times, and others have some: "
                "give it times=[...] too."
            )
        return stamped(motion.lasting(1 - motion.pieces, 0), [first, last], None)
    before, after = int(first < motion.times[0]), int(last > motion.times[-1])
    if not before and not after:
        return motion
    times = np.concatenate([[first] * before, motion.times, [last] * after])
    return stamped(motion.lasting(before, after), times, motion.error, seconds=motion.seconds)
