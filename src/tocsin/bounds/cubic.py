"""Cubics over s in [-1, 1]: their exact range, rounding included, and cosine and sine as cubics.

p(s) = c0 + c1 s + c2 s^2 + c3 s^3. The greatest value is at an end or at a root of p'(s) = c1 + 2 c2 s + 3 c3 s^2.
Below, u is the unit roundoff and S = |c0| + |c1| + |c2| + |c3|. What powers beyond the third cost, and how a stretch of
time becomes [-1, 1], is here too: of these the Taylor matrices of joints are made.
"""

import math

from tocsin.bounds.rounding import UNDERFLOW, above
from tocsin.compiler.jit import kernel

CUBIC_ERROR = 2.0**-48
"""`cubic_peak` is at most 2^-48 S + 2^-535 below the maximum (32 u; the proof needs 27 u)."""

WIDE = 3.75
"""Half angle (rad) from which a joint's rotation is enclosed by its centre and radius alone."""

FOURTH = 0.125
"""s^4 is within FOURTH of s^2 - FOURTH: z^2 - z lies in [-1/4, 0] for z = s^2 in [0, 1]."""

FIFTH = 0.0625
"""s^5 is within FIFTH of 5/4 s^3 - 5/16 s: the difference is T5(s) / 16."""

SIXTH = 0.19245008972987526
"""s^6 is within SIXTH (1 + u) of s^2 - SIXTH: z^3 - z lies in [-2 / (3 sqrt 3), 0]."""


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


@kernel
def time_frame(t0, t1):
    """Return (mid, half) such that every t in [t0, t1] is mid + s half for exactly one s in [-1, 1].

    The differences t1 - mid and mid - t0 are rounded up, so mid +- half reach the ends.
    """
    mid = 0.5 * (t0 + t1)
    return mid, above(max(t1 - mid, mid - t0)) if t1 > t0 else 0.0


@kernel
def harmonics(x):
    """Return (C0, C2, S1, S3, ec, es): cos(x s) = C0 + C2 s^2 +- ec, sin(x s) = S1 s + S3 s^3 +- es, 0 <= x <= WIDE.

    Proof. Interpolate cos(x s) at the four roots of T4, sin(x s) at the five of T5; by symmetry the interpolants have
    the stated form. In z = s^2, with e1, e2 the sum and the product of the two squared nodes, z^k minus its interpolant
    m z + b is (z - z1)(z - z2) h_(k-2)(z, z1, z2), m = h_(k-1)(z1, z2), b = -e2 h_(k-2)(z1, z2), h the complete
    symmetric polynomials. T4: e1 = 1, e2 = 1/8; T5: e1 = 5/4, e2 = 5/16. Summing the series of cos and sin up to k = 5
    gives the coefficients; interpolants of z^k and s z^k are at most 1, so the rest is at most that of the series, 1.1
    x^12/12! and 1.1 x^13/13!. The error is T4(s)/8 x^4/4! (1 - y/30 (z + e1) + y^2/1680 (z^2 + z + 7/8) - ...), for sin
    T5(s)/16 x^5/5! (1 - y/42 (z + e1) + y^2/3024 (z^2 + 5/4 z + 5/4) - ...), y = x^2. The terms alternate and decrease
    for y < 15, the first two leave a positive sum, so three bound it; these are convex in z, and greater at z = 0 than
    at 1. The roundings are not in ec, es: `joint_taylor` has them.
    """
    y = x * x
    c0 = 1.0 + y * y * (-1.0 / 192.0 + y * (1.0 / 5760.0 + y * (-7.0 / 2580480.0 + y * (3.0 / 116121600.0))))
    c2 = y * (-0.5 + y * (1.0 / 24.0 + y * (-7.0 / 5760.0 + y * (3.0 / 161280.0 - y * (0.640625 / 3628800.0)))))
    s1 = -1.0 / 384.0 + y * (0.390625 / 5040.0 + y * (-0.390625 / 362880.0 + y * (0.3662109375 / 39916800.0)))
    s3 = 1.0 / 96.0 + y * (-1.25 / 5040.0 + y * (1.171875 / 362880.0 - y * (1.07421875 / 39916800.0)))
    rest = 1.1 * y * y * y * y * y * y / 479001600.0
    ec = y * y / 192.0 * (1.0 - y * (1.0 / 30.0) + y * y * (1.0 / 1920.0)) + rest
    es = x * (y * y / 1920.0 * (1.0 - y * (1.25 / 42.0) + y * y * (1.25 / 3024.0)) + rest / 13.0)
    return c0, c2, x * (1.0 + y * y * s1), x * (y * (y * s3 - 1.0 / 6.0)), ec, es
