"""The exact range of a cubic over s in [-1, 1], with its rounding inside.

p(s) = c0 + c1 s + c2 s^2 + c3 s^3. The greatest value is at an end or at a root of p'(s) = c1 + 2 c2 s + 3 c3 s^2.
Below, u is the unit roundoff and S = |c0| + |c1| + |c2| + |c3|.
"""

import math

from tocsin.bounds.rounding import UNDERFLOW
from tocsin.compiler.jit import kernel

CUBIC_ERROR = 2.0**-48
"""`cubic_peak` is at most 2^-48 S + 2^-535 below the maximum (32 u; the proof needs 27 u)."""


@kernel
def cubic_bound(c0, c1, c2, c3):
    """Return a quick upper bound of p over [-1, 1], up to 4 u S: with z = s^2, p = (c0 + c2 z) + s (c1 + c3 z)."""
    return c0 + max(0.0, c2) + max(abs(c1), abs(c1 + c3))


@kernel
def cubic_stationary(c1, c2, c3):
    """Return two points of [-1, 1] that stand for the roots of p'; 1.0 stands for a root that is not needed.

    Claim: together with the ends -1 and 1 they are within 6 u, relative, of the critical points in [-1, 1] of a cubic
    whose coefficients c1, c2, c3 differ from the given ones by at most u, relative, each.
    Proof. With a = fl(3 c3), b = c2, the computed discriminant is fl(b b - a c1) = (b'^2 - a c1')(1 + d) for some b' =
    b (1 + d/2) and c1' = c1 (1 + d), |d| <= u, so its sign is that of the cubic with b', c1'. If negative, that cubic
    is monotone and needs no point. Else q = -(b +- sqrt) adds numbers of one sign, and each operation on the way to the
    roots q / a and c1 / q costs one relative error, 6 in all. A point computed at or outside the ends stands for a root
    within 6 u of an end, if for any in [-1, 1] at all: the end does as well. A product that underflows moves a
    coefficient by at most 2^-537 (squares) or 2^-536 (a c1), absolute.
    """
    a = 3.0 * c3
    disc = c2 * c2 - a * c1
    if disc < 0.0:
        return 1.0, 1.0
    root = math.sqrt(disc)
    q = -(c2 + root) if c2 >= 0.0 else root - c2
    first = 1.0 if abs(q) >= abs(a) else q / a
    second = 1.0 if abs(c1) >= abs(q) else c1 / q
    return first, second


@kernel
def cubic_peak(c0, c1, c2, c3):
    """Return a value of p, rounded, that is at most CUBIC_ERROR S + 2^-535 below the maximum over [-1, 1].

    Proof. If |c1| >= 2 |c2| + 3 |c3|, p' has one sign and the maximum is at an end; the test's own rounding admits
    |p'| <= 10 u S at most of the wrong sign, so an end misses the maximum by 20 u S at most. Otherwise let p~ be the
    nearby cubic of `cubic_stationary`, |p - p~| <= u S (1 + u): max p <= max p~ + u S <= p(s~) + 2 u S for one of its
    critical points or ends s~, and the point returned for s~ changes p by at most 6 u |s p'| <= 18 u S. Horner's rule
    passes each term through at most 6 roundings: 6 u S. Together 26 u S, and second-order terms stay below 1 u S.
    """
    even = c0 + c2
    odd = c1 + c3
    peak = even + abs(odd)
    if abs(c1) >= 2.0 * abs(c2) + 3.0 * abs(c3):
        return peak
    s, t = cubic_stationary(c1, c2, c3)
    return max(peak, max(c0 + s * (c1 + s * (c2 + s * c3)), c0 + t * (c1 + t * (c2 + t * c3))))


@kernel
def cubic_range(c0, c1, c2, c3):
    """Return (lo, hi) with lo <= p(s) <= hi for all s in [-1, 1], exact but for 33 u S.

    Proof: `cubic_peak` of p and of -p, moved outward by its error; the final sum rounds by u (S + 32 u S), which the
    four spare units of CUBIC_ERROR hold.
    """
    error = CUBIC_ERROR * (abs(c0) + abs(c1) + abs(c2) + abs(c3)) + UNDERFLOW
    return -cubic_peak(-c0, -c1, -c2, -c3) - error, cubic_peak(c0, c1, c2, c3) + error
