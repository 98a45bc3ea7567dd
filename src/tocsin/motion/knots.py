"""Where motions change their velocities: knots of time, and the stretches between them, as exact fractions.

A motion of n pieces has its knots at k / n. Rounded, two motions of 100,003 and 100,129 pieces would be seen off each
other by as far as they go in a unit of rounding, the knots 1 / 3 and 2 / 6 would be two, and a piece near time 1 would
have lost as many digits of its length as there are pieces. So a stretch is four whole numbers (a, n, b, m): from a / n
to b / m, neighbours among the knots of all motions, during which every motion is in one piece. And in a stretch the
time is the stretch's own, from 0 to 1.

Claim. In a stretch's time the piece of a motion of p pieces lasts from

    begin = (k n - a p) m / (p (b n - a m))  to  end = ((k + 1) n - a p) m / (p (b n - a m)),      k = floor(a p / n),

and what is computed of them places a link with an error of at most 3 units of its travel during the piece: no power of
the number of pieces is in it. Proof: (k / p - a / n) over (b / m - a / n); the parentheses are whole numbers, so three
roundings each. begin <= 0 and end >= 1, so with d = end - begin the share (t - begin) / d of the piece that is done is
off by at most 3 units of (|begin| (end - t) + end (t - begin)) / d^2 <= 1. The noise of a chain holds that.

Times leave a stretch by `time_before`, no later than the true time, and `time_after`, no earlier.

On a clock (`clocks`) knots are seconds, whatever they are. A stretch is then (a, 0, b, m): from a / FINE to b / FINE of
the question, both rounded down, so that times between them are no later than the true ones and by no more than 1 / FINE
earlier; and m says where the pieces of the motions are listed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from tocsin._types import Stretch, Stretches, Values
from tocsin.compiler.jit import kernel

WHOLE = (0, 1, 1, 1)
"""The one stretch of a motion of one piece."""

FINE = 2**62
"""Parts of a question in which knots on a clock are told."""

ONE_STRETCH = np.array([WHOLE], dtype=np.int64)


def stretches_of(pieces: Iterable[int]) -> Stretches:
    """Return (s, 4) whole numbers: the stretches, in order, of motions of so many pieces each; of none for standing."""
    counts = sorted({max(int(n), 1) for n in pieces} | {1})
    if counts == [1]:
        return ONE_STRETCH.copy()
    whole = math.lcm(*counts)
    kind = np.int64 if whole < 2**62 else object
    places = np.concatenate([np.arange(n + 1, dtype=kind) * (whole // n) for n in counts])
    of = np.concatenate([np.stack([np.arange(n + 1), np.full(n + 1, n)], axis=1) for n in counts])
    _, first = np.unique(places, return_index=True)
    knots = of[first]
    return np.concatenate([knots[:-1], knots[1:]], axis=1)


CUTS = 2**30
"""Parts of a question at which a stretch may be cut."""


def stretches_after(stretches: Stretches, time: float) -> Stretches:
    """Return what comes after a time of the whole motion: the stretch that it is in, cut no later, and the rest.

    A part of a stretch is one: every motion is in one piece, and what is claimed above of (a, n, b, m) asks no more.
    """
    found = int(np.searchsorted(stretches[:, 0] / stretches[:, 1], time, side="right")) - 1
    while found > 0 and Fraction(*stretches[found, :2].tolist()) > Fraction(time):
        found -= 1
    left = stretches[found:].copy()
    a, n = left[0, :2].tolist()
    cut = int(Fraction(time) * CUTS)
    if Fraction(cut, CUTS) > Fraction(a, n) and int(left.max()) < CUTS:
        left[0, :2] = cut, CUTS
    return left


@kernel
def stretch_at(stretches, i):
    """Return one stretch."""
    return stretches[i, 0], stretches[i, 1], stretches[i, 2], stretches[i, 3]


@kernel
def piece_in(stretch, pieces):
    """Return (k, begin, end): the piece of a motion in a stretch, and when it begins and ends in the stretch's time."""
    a, n, b, m = stretch
    k = a * pieces // n
    lasts = float(pieces) * float(b * n - a * m)
    return k, float(k * n - a * pieces) * float(m) / lasts, float((k + 1) * n - a * pieces) * float(m) / lasts


@kernel
def time_before(stretch, t):
    """Return a time of the whole motion no later than t of a stretch, by at most 16 units of rounding."""
    a, n, b, m = stretch
    if n == 1 and m == 1:
        return t
    if n == 0:
        return (a / FINE + t * (float(b - a) / FINE)) * (1.0 - 2.0**-50)
    return (a / n + t * (float(b * n - a * m) / (float(n) * float(m)))) * (1.0 - 2.0**-50)


@kernel
def time_after(stretch, t):
    """Return a time of the whole motion no earlier than t of a stretch, by at most 16 units of rounding."""
    a, n, b, m = stretch
    if n == 1 and m == 1:
        return t
    if n == 0:
        return min((a / FINE + t * (float(b - a) / FINE)) * (1.0 + 2.0**-50) + 1.0 / FINE, 1.0)
    return min((a / n + t * (float(b * n - a * m) / (float(n) * float(m)))) * (1.0 + 2.0**-50), 1.0)


def times_before(stretch: Stretch, times: Values) -> Values:
    """Return `time_before` of many."""
    a, n, b, m = map(int, stretch)
    if n == 0:
        n, m = FINE, FINE
    return times if n == m == 1 else (a / n + times * ((b * n - a * m) / (n * m))) * (1.0 - 2.0**-50)


def exact_time(stretch: Stretch, t: float) -> Fraction:
    """Return t of a stretch as a time of the whole motion; on a clock no later, by at most 1 / FINE."""
    a, n, b, m = map(int, stretch)
    if n == 0:
        n, m = FINE, FINE
    return Fraction(a, n) + Fraction(t) * Fraction(b * n - a * m, n * m)


def share_of(stretch: Stretch, time: float) -> float:
    """Return the stretch's own time at a time of the whole motion, no earlier; below 0 and above 1 outside of it."""
    if tuple(stretch) == WHOLE or math.isinf(time):
        return time
    a, n, b, m = map(int, stretch)
    if n == 0:
        gone = Fraction(time) * FINE - a
        return first_after(gone / max(b - a - 1, 1)) if gone > 0 else first_after(gone / (b - a + 1))
    return first_after((Fraction(time) - Fraction(a, n)) / Fraction(b * n - a * m, n * m))


def last_before(time: Fraction) -> float:
    """Return the greatest float that is not later than a time."""
    rounded = float(time)
    return rounded if Fraction(rounded) <= time else math.nextafter(rounded, -math.inf)


def first_after(time: Fraction) -> float:
    """Return the least float that is not earlier than a time."""
    return -last_before(-time)


def shares_in(stretch: Stretch, pieces: int) -> tuple[int, float, float]:
    """Return (k, x, y): the piece of a motion in a stretch, of which the stretch is from the share x to the share y."""
    if pieces == 1 and tuple(stretch) == WHOLE:
        return 0, 0.0, 1.0
    a, n, b, m = map(int, stretch)
    k = a * pieces // n
    return k, (a * pieces - k * n) / n, (b * pieces - k * m) / m


def share_at(t: float, pieces: int) -> tuple[int, float]:
    """Return (k, x): the piece at time t in [0, 1] of the whole motion, and the share of it that is done by then."""
    t = min(max(float(t), 0.0), 1.0)
    if pieces == 1:
        return 0, t
    done = Fraction(t) * pieces
    k = min(int(done), pieces - 1)
    return k, float(done - k)
