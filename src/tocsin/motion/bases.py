"""Piecewise polynomials in other bases, and made of each other, as coefficients in powers of time.

Floats are whole numbers times powers of two. So what Bernstein and B-spline coefficients say is computed in whole
numbers or in rationals, and every coefficient is rounded once, at last.

In powers of time a polynomial of a high degree is a sum of large terms that cancel: those of a Bezier curve of degree n
with control points of at most 1 add up to 3^n, and as many units does rounding them cost. In a piece as long as 2 / n
of it they add up to (1 + 4 / n)^n < 55 at most. So curves of more than WHOLE degrees are cut.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np

from tocsin.errors import TocsinError

Pieces = tuple[np.ndarray, np.ndarray]
"""Knots (k,), and coefficients (k - 1, powers, n) in powers of the time since the piece began."""

WHOLE = 7
"""The degree up to which Bernstein coefficients become one piece: 3^7 units are 5e-13 of the largest."""

MOST_TERMS = 64
"""Coefficients of a polynomial that are read: of a higher degree nothing is left of its digits."""


def from_bernstein(x: np.ndarray, coefficients: np.ndarray) -> Pieces:
    """Return pieces with knots x and Bernstein coefficients (powers, pieces, n).

    With h the length of a piece, the coefficient of t^k is comb(n, k) (D^k b)_0 / h^k, D the differences of neighbours.
    """
    n = len(coefficients) - 1
    if n >= MOST_TERMS:
        raise TocsinError(f"a curve of Bernstein coefficients has degree {n}; at most {MOST_TERMS - 1} are read.")
    whole, unit = _whole_numbers(coefficients)
    terms = []
    for k in range(n + 1):
        terms.append(whole[0] * math.comb(n, k))
        whole = np.diff(whole, axis=0)
    knots, found = [float(x[0])], []
    for i, (a, b) in enumerate(pairwise(x.tolist())):
        if not b > a:  # is refused later, in a sentence about times
            knots.append(b)
            found.append(np.zeros((n + 1, coefficients.shape[2])))
            continue
        cuts = [a]
        if n > WHOLE:
            even = np.linspace(a, b, 1 << (n - 1).bit_length() - 1, endpoint=False)
            cuts = np.unique(even[even < b]).tolist()
        powers = np.array([term[i] for term in terms])
        found += [_shares_to_times(powers, unit, Fraction(b) - Fraction(a), Fraction(c) - Fraction(a)) for c in cuts]
        knots += [*cuts[1:], b]
    return np.array(knots), np.stack(found)


def _whole_numbers(values: np.ndarray) -> tuple[np.ndarray, Fraction]:
    """Return (whole, unit): finite floats as Python's whole numbers times one power of two."""
    digits, powers = np.frexp(values)
    least = int(powers[digits != 0].min(initial=0))
    wide = np.ldexp(digits, 53).astype(np.int64).astype(object)
    return wide << np.maximum(powers - least, 0).astype(object), Fraction(2) ** (least - 53)


def _shares_to_times(powers: np.ndarray, unit: Fraction, lasts: Fraction, begin: Fraction) -> np.ndarray:
    """Return the coefficients (powers, n) of sum_k unit powers[k] (t / lasts)^k in powers of t - begin, rounded."""
    n = len(powers) - 1
    scale = math.lcm(lasts.denominator, begin.denominator)
    h, by = int(lasts * scale), int(begin * scale)
    c = np.array([row * h ** (n - k) for k, row in enumerate(powers)])  # of (scale t)^k, times h^n
    if by:
        for i in range(n):
            for k in range(n - 1, i - 1, -1):
                c[k] += by * c[k + 1]
    c *= np.array([[unit.numerator * scale**k] for k in range(n + 1)], object)
    below = unit.denominator * h**n
    try:
        rounded = [[x / below for x in row] for row in c.tolist()]  # of whole numbers: to the nearest float
    except OverflowError:
        raise TocsinError("a curve of Bernstein coefficients has pieces too short for its values.") from None
    return np.array(rounded, np.float64)


def from_bspline(t: np.ndarray, c: np.ndarray, degree: int) -> Pieces:
    """Return the pieces of a B-spline with knots t and control points c (m, n), in exact arithmetic.

    A derivative of a B-spline is one of a lower degree with control points k (c_{i+1} - c_i) / (t_{i+k+1} - t_{i+1});
    where a piece begins, its value by de Boor's recursion. Both in rationals; the coefficients are rounded at last.
    """
    c = c[:, None] if c.ndim == 1 else c
    if c.ndim != 2:
        raise TocsinError(f"a B-spline with control points of shape {c.shape} has no row of joint values.")
    m = len(t) - degree - 1
    knots = np.unique(t[degree : m + 1])
    starts = knots[:-1].tolist()
    floats = t.tolist()
    times = [Fraction(x) for x in floats]
    out = np.zeros((len(starts), degree + 1, c.shape[1]))
    control = np.array([[Fraction(x) for x in row] for row in c[:m].tolist()], object).reshape(m, -1)
    scale = Fraction(1)
    for order in range(degree + 1):
        k = degree - order
        for i, x in enumerate(starts):
            before = bisect_right(floats, x, k, len(floats) - k - 1) - 1
            try:
                out[i, order] = _de_boor(times, control, k, before, Fraction(x)) * scale
            except OverflowError:
                raise TocsinError("a B-spline has pieces too short for its values.") from None
        scale = scale / (order + 1)
        if k:
            spans = [times[i + k + 1] - times[i + 1] for i in range(len(control) - 1)]
            shares = np.array([k / span if span else Fraction(0) for span in spans], object)
            control = np.diff(control, axis=0) * shares[:, None]
            times, floats = times[1:-1], floats[1:-1]
    return knots, out


def _de_boor(t: Sequence[Fraction], c: np.ndarray, k: int, i: int, x: Fraction) -> np.ndarray:
    """Return the values (n,) of a B-spline of degree k at x, in the span that begins at t[i]."""
    d = c[i - k : i + 1].copy()
    for r in range(1, k + 1):
        for j in range(k, r - 1, -1):
            a, b = t[j + i - k], t[j + 1 + i - r]
            share = (x - a) / (b - a) if b != a else Fraction(0)
            if share != 1:
                d[j] = d[j - 1] + share * (d[j] - d[j - 1]) if share else d[j - 1]
    return d[k]


def composed(outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Return the coefficients of outer(inner(t)): (powers, n) of (powers, n) and (powers,)."""
    found = np.zeros((1, outer.shape[1]), np.longdouble)
    for c in outer[::-1]:
        product = np.zeros((len(found) + len(inner) - 1, outer.shape[1]), np.longdouble)
        for k, x in enumerate(inner):
            product[k : k + len(found)] += x * found
        product[0] += c
        found = product
    return found[: (len(outer) - 1) * (len(inner) - 1) + 1].astype(np.float64)


def stacked(pieces: Sequence[np.ndarray]) -> np.ndarray:
    """Return coefficients (powers, n) of several pieces as one table (pieces, powers, n)."""
    width = max(len(piece) for piece in pieces)
    return np.stack([np.pad(piece, ((0, width - len(piece)), (0, 0))) for piece in pieces])


def joined(joints: Sequence[Pieces]) -> Pieces:
    """Return curves with knots of their own as one, with the knots of all; they begin and end together."""
    knots = np.unique(np.concatenate([times for times, _ in joints]))
    width = max(c.shape[1] for _, c in joints)
    found = []
    for times, c in joints:
        piece = np.clip(np.searchsorted(times, knots[:-1], side="right") - 1, 0, len(c) - 1)
        moved = shifted(c[piece], knots[:-1] - times[piece])
        found.append(np.pad(moved, ((0, 0), (0, width - c.shape[1]), (0, 0))))
    return knots, np.concatenate(found, axis=2)


def shifted(coefficients: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Return the coefficients in powers of t - by, one number a piece."""
    c = coefficients.astype(np.longdouble)
    n = c.shape[1] - 1
    for i in range(n):
        for k in range(n - 1, i - 1, -1):
            c[:, k] += by[:, None] * c[:, k + 1]
    return c.astype(np.float64)
