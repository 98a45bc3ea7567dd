"""Cosine and sine as cubics, and what powers beyond the third cost: what the Taylor matrices of joints are made of."""

from tocsin.bounds.rounding import above
from tocsin.compiler.jit import kernel

WIDE = 3.75
"""Half angle (rad) from which a joint's rotation is enclosed by its centre and radius alone."""

FOURTH = 0.125
"""s^4 is within FOURTH of s^2 - FOURTH: z^2 - z lies in [-1/4, 0] for z = s^2 in [0, 1]."""

FIFTH = 0.0625
"""s^5 is within FIFTH of 5/4 s^3 - 5/16 s: the difference is T5(s) / 16."""

SIXTH = 0.19245008972987526
"""s^6 is within SIXTH (1 + u) of s^2 - SIXTH: z^3 - z lies in [-2 / (3 sqrt 3), 0]."""


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
