"""One clock: motions with time stamps, each with its own knots, cut into the stretches between all of them.

Stamps are seconds, as floats; nothing is rounded when knots are compared. In a stretch every motion is in one piece,
and the time is the stretch's own, from 0 to 1. What each motion does is listed behind the configurations that kernels
get, five numbers a motion and stretch:

    straight    row0, row1, begin, end, errors    the two rows, and when they are passed in the stretch's time
    a curve     row, -degree, x, lasts, errors    the piece's coefficients, and which of its shares the stretch is
    errors: where the row of how far its joints may be off starts; -1: they are not

Claim. begin, end, x and lasts are off by at most 3 units: (knot - knot) / (knot - knot) is two differences of floats,
one rounding each, and a division. That is what `knots` allows for.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tocsin.compiler.jit import kernel
from tocsin.motion.knots import FINE, last_before

LISTED = 5
"""Numbers for a motion in a stretch."""


@kernel
def piece_on_clock(configs, stretch, k):
    """Return (row0, row1, begin, end, errors) of active model k in a stretch on a clock."""
    at = stretch[3] + LISTED * k
    return int(configs[at]), int(configs[at + 1]), configs[at + 2], configs[at + 3], int(configs[at + 4])


class Timeline(NamedTuple):
    """The stretches of several motions on one clock."""

    knots: np.ndarray
    """(s + 1,) seconds."""
    stretches: np.ndarray
    """(s, 4) see `knots`."""
    configs: np.ndarray
    """What kernels get: the motions' numbers, their errors, and the list of pieces."""
    pieces: tuple[np.ndarray, ...]
    """Of each motion, (s,): its piece in each stretch."""
    motions: tuple[Any, ...]

    def piece(self, motion: int, stretch: Sequence[int]) -> tuple[int, float, float]:
        """Return (index, first, last): the piece of a motion in a stretch, and which of its shares that is."""
        i = self._number(stretch)
        k = int(self.pieces[motion][i])
        times = self.motions[motion].times
        lasts = times[k + 1] - times[k]
        first = (self.knots[i] - times[k]) / lasts
        return (
            k,
            float(first),
            1.0 if self.knots[i + 1] == times[k + 1] else float((self.knots[i + 1] - times[k]) / lasts),
        )

    def listed(self, motion: int, stretch: Sequence[int]) -> tuple[float, ...]:
        """Return the five numbers of a motion in a stretch."""
        at = int(stretch[3]) + LISTED * motion
        return tuple(self.configs[at : at + LISTED].tolist())

    def before(self, after: float) -> int:
        """Return how many stretches are over at a time in [0, 1] of the question."""
        if after <= 0.0:
            return 0
        first, last = Fraction(float(self.knots[0])), Fraction(float(self.knots[-1]))
        now = last_before(first + Fraction(after) * (last - first))
        return int(np.searchsorted(self.knots, now, side="right")) - 1

    def _number(self, stretch: Sequence[int]) -> int:
        return (int(stretch[3]) - int(self.stretches[0, 3])) // (LISTED * len(self.motions))


def timeline_of(motions: Sequence[Any], also: Sequence[float] = ()) -> Timeline:
    """Return the stretches of motions that all have times, from the same first to the same last.

    `also`: further knots, in seconds, between these.
    """
    knots = np.unique(np.concatenate([*[m.times for m in motions], also]))
    offsets = np.cumsum([0] + [m.configs.size for m in motions])
    errors: list[np.ndarray] = []
    listed = np.zeros((len(knots) - 1, len(motions), LISTED))
    at = int(offsets[-1])
    pieces = []
    for k, motion in enumerate(motions):
        which = np.searchsorted(motion.times, knots[:-1], side="right") - 1
        begin, end = motion.times[which], motion.times[which + 1]
        x, y = knots[:-1], knots[1:]
        if motion.degree:
            listed[:, k, 0] = offsets[k] + which * (motion.degree + 1) * motion.width
            listed[:, k, 1] = -motion.degree
            listed[:, k, 2] = (x - begin) / (end - begin)
            listed[:, k, 3] = (y - x) / (end - begin)
        else:
            listed[:, k, 0] = offsets[k] + which * motion.width
            listed[:, k, 1] = listed[:, k, 0] + motion.width
            listed[:, k, 2] = (begin - x) / (y - x)
            listed[:, k, 3] = (end - x) / (y - x)
        listed[:, k, 4] = -1.0
        if motion.error is not None:
            listed[:, k, 4] = at
            errors.append(motion.error)
            at += motion.width
        pieces.append(which)
    stretches = np.zeros((len(knots) - 1, 4), np.int64)
    stretches[:, 0], stretches[:, 2] = _parts(knots)
    stretches[:, 3] = at + LISTED * len(motions) * np.arange(len(stretches))
    configs = np.concatenate([*[m.configs for m in motions], *errors, listed.reshape(-1)])
    return Timeline(knots, stretches, configs, tuple(pieces), tuple(motions))


def _parts(knots: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where stretches begin and end, in parts of the question, rounded down: whole numbers, nothing is rounded
    before.

    A float is a whole number of 53 digits times a power of two; as multiples of the smallest power all are whole.
    """
    digits, powers = np.frexp(knots)
    digits = np.ldexp(digits, 53).astype(np.int64)
    least = powers[digits != 0].min(initial=powers.max())
    whole = [d << p for d, p in zip(digits.tolist(), np.maximum(powers - least, 0).tolist())]
    first, lasts = whole[0], whole[-1] - whole[0]
    parts = np.array([(t - first) * FINE // lasts for t in whole], np.int64)
    return parts[:-1], parts[1:]


def share_on(times: np.ndarray, t: float) -> tuple[int, float]:
    """Return (k, x): the piece at a fraction t of a motion with times, and the share of it that is done by then."""
    first, last = Fraction(float(times[0])), Fraction(float(times[-1]))
    at = first + Fraction(min(max(float(t), 0.0), 1.0)) * (last - first)
    k = int(np.clip(np.searchsorted(times, float(at), side="right") - 1, 0, len(times) - 2))
    while k > 0 and Fraction(float(times[k])) > at:
        k -= 1
    begin, end = Fraction(float(times[k])), Fraction(float(times[k + 1]))
    return k, float((at - begin) / (end - begin))
