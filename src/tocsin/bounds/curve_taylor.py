"""Taylor matrices of joints whose values are polynomials of time: the counterpart of `taylor.joint_taylor`.

With t = mid + half s, s in [-1, 1], a polynomial is a cubic in s and a remainder: what exceeds degree three is
replaced by its near-best cubic (`economise`). For the angle let that be f0 + f1 s + d(s) +- r with d = f2 s^2 + f3 s^3,
|d| <= e.

Claim. On the unit circle u(x) = (cos x, sin x): u(f0 + f1 s + d + rho) is within r + e^2 / 2 of u(f0 + f1 s) + d u'(f0
+ f1 s), |rho| <= r. Proof: Taylor's formula, |u'| = |u''| = 1. Sine and cosine of f1 s are those of `harmonics`, cubic
polynomials with errors es, ec; times d they have degree six at most, and are economised; their errors are multiplied by
e at most. A row k0 + k1 c + k2 s of the rotation changes with an error (dc, ds) of the circle's point by no more than
|(dc, ds)| |(k1, k2)| (Cauchy-Schwarz), and as rows q, p at the angle f0, rotated on the circle, likewise.
"""

import math

from tocsin.bounds.cubic import FIFTH, FOURTH, SIXTH, WIDE, harmonics, time_frame
from tocsin.bounds.rounding import GUARD, UNDERFLOW, UNIT
from tocsin.compiler.jit import kernel

SEVENTH = 0.125
"""s^7 is within SEVENTH of 21/16 s^3 - 7/16 s: by T7 / 64 of a quintic whose s^5 is within FIFTH of its own cubic."""


@kernel
def economise(c0, c1, c2, c3, c4, c5, c6, c7):
    """Return (a0, a1, a2, a3, r): a cubic within r of the polynomial for all s in [-1, 1], but for rounding."""
    return (
        c0 - (FOURTH * c4 + SIXTH * c6),
        c1 - 5.0 * FIFTH * c5 - 0.4375 * c7,
        c2 + (c4 + c6),
        c3 + 1.25 * c5 + 1.3125 * c7,
        FOURTH * abs(c4) + FIFTH * abs(c5) + SIXTH * (1.0 + UNIT) * abs(c6) + SEVENTH * abs(c7),
    )


@kernel
def centred(joint, row, mid, half):
    """Return (a0, a1, a2, a3, r, mass): one of the joint's polynomials in s, as `economise` has it; r with rounding.

    `mass` is the sum of the sizes of its terms for t in [0, 1], which are within 1/2 of `begin`: the shift to the
    middle of the slab takes fewer than 4 n operations on sums below it, and the cubic's 6, so 64 units of it hold all
    of them.
    """
    c = joint["curve"]
    b = joint["controls"]
    n = joint["degree"]
    mass = 0.0
    scale = 1.0
    for k in range(b.shape[1]):
        b[row, k] = c[row, k] if k <= n else 0.0
        mass += abs(b[row, k]) * scale
        scale *= 0.5
    mid = mid - joint["begin"]
    for i in range(n):
        for k in range(n - 1, i - 1, -1):
            b[row, k] += mid * b[row, k + 1]
    scale = 1.0
    for k in range(1, n + 1):
        scale *= half
        b[row, k] *= scale
    a0, a1, a2, a3, r = economise(
        b[row, 0], b[row, 1], b[row, 2], b[row, 3], b[row, 4], b[row, 5], b[row, 6], b[row, 7]
    )
    return a0, a1, a2, a3, (r + 64.0 * UNIT * mass) * GUARD + UNDERFLOW, mass


@kernel
def curve_taylor(out, joint, t0, t1):
    """Write to `out` the Taylor matrix of the motion of a joint on a curve during [t0, t1].

    Roundings, in units of m_i = the sum of |k0| + |k1| + |k2| in row i: as in `joint_taylor`, with products by d of
    which |d| <= e: 128 units of (2 + 3 x^2) (1 + e). Those of the angle are in r.
    """
    k0 = joint["k0"]
    k1 = joint["k1"]
    k2 = joint["k2"]
    mid, half = time_frame(t0, t1)
    for i in range(3):
        if joint["slides"] != 0:
            a0, a1, a2, a3, r, _ = centred(joint, 1 + i, mid, half)
        else:
            a0, a1, a2, a3, r = joint["curve"][1 + i, 0], 0.0, 0.0, 0.0, 0.0
        out[i, 3, 0] = a0
        out[i, 3, 1] = a1
        out[i, 3, 2] = a2
        out[i, 3, 3] = a3
        out[i, 3, 4] = r
    c = 1.0
    s = 0.0
    x = e = r = 0.0
    # cos and sin of the angle from f0 on, as cubics in s, and how far these are off.
    c0, c1, c2, c3, ec = 1.0, 0.0, 0.0, 0.0, 0.0
    s0, s1, s2, s3, es = 0.0, 0.0, 0.0, 0.0, 0.0
    if joint["turn"] != 0.0:
        f0, f1, f2, f3, r, _ = centred(joint, 0, mid, half)
        c = math.cos(f0)
        s = math.sin(f0)
        x = abs(f1)
        e = abs(f2) + abs(f3)
        if x < WIDE and e < 1.0:
            a0, a2, b1, b3, ea, eb = harmonics(x)
            if f1 < 0.0:
                b1 = -b1
                b3 = -b3
            # cos - d sin and sin + d cos.
            c0, c1, c2, c3, lost = economise(a0, 0.0, a2, -f2 * b1, -f3 * b1, -f2 * b3, -f3 * b3, 0.0)
            ec = ea + e * eb + lost
            s0, s1, s2, s3, lost = economise(0.0, b1, f2 * a0, b3 + f3 * a0, f2 * a2, f3 * a2, 0.0, 0.0)
            es = eb + e * ea + lost
            r = r + 0.5 * e * e
    wide = not (x < WIDE and e < 1.0)
    if wide:
        c0 = 0.0
    rounding = 16.0 * UNIT if wide else 128.0 * UNIT * (2.0 + 3.0 * x * x) * (1.0 + e)
    for i in range(3):
        mass = 0.0
        qq = 0.0
        pp = 0.0
        for j in range(3):
            q = k1[i, j] * c + k2[i, j] * s
            p = k2[i, j] * c - k1[i, j] * s
            mass += abs(k0[i, j]) + abs(k1[i, j]) + abs(k2[i, j])
            qq += q * q
            pp += p * p
            out[i, j, 0] = k0[i, j] + (q * c0 + p * s0)
            out[i, j, 1] = q * c1 + p * s1
            out[i, j, 2] = q * c2 + p * s2
            out[i, j, 3] = q * c3 + p * s3
        both = math.sqrt(qq + pp)
        radius = both if wide else ec * math.sqrt(qq) + es * math.sqrt(pp) + r * both
        radius = (radius + rounding * mass) * GUARD + UNDERFLOW
        out[i, 0, 4] = radius
        out[i, 1, 4] = radius
        out[i, 2, 4] = radius
