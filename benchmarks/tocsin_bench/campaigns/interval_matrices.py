"""Plain interval arithmetic: the enclosure that Taylor models are compared against [CATCH 5.1].

An interval is a tuple (lo, hi) of finite floats. Every operation returns an interval that contains the exact result for
all exact arguments inside its operands; ends are rounded outward by `below` and `above`. An interval matrix is an array
(3, 4, 2): columns 0..2 rotation, column 3 translation, last axis (lo, hi). It forgets that its entries move together,
which is why its boxes grow exponentially along a chain [CATCH fig. 5].
"""

import math

import numpy as np

from tocsin.bounds.rounding import above, below
from tocsin.compiler.jit import kernel

LIBM_ULPS = 2.0
"""sin and cos of the platform are taken to be within this many units in the last place (glibc: below 1; CUDA: 2)."""

LIBM_ERROR = LIBM_ULPS * 2.0**-52
"""Absolute error of sin and cos that follows: their values are at most 1, where a unit in the last place is <=
2^-52."""


@kernel
def add(a, b):
    """Return a + b."""
    return (below(a[0] + b[0]), above(a[1] + b[1]))


@kernel
def sub(a, b):
    """Return a - b."""
    return (below(a[0] - b[1]), above(a[1] - b[0]))


@kernel
def neg(a):
    """Return -a, exactly."""
    return (-a[1], -a[0])


@kernel
def mul(a, b):
    """Return a b: the extremes of a bilinear function are at the corners."""
    p = a[0] * b[0]
    q = a[0] * b[1]
    r = a[1] * b[0]
    s = a[1] * b[1]
    return (below(min(min(p, q), min(r, s))), above(max(max(p, q), max(r, s))))


@kernel
def scale(a, x):
    """Return a times the exact number x."""
    p = a[0] * x
    q = a[1] * x
    return (below(min(p, q)), above(max(p, q)))


@kernel
def hull(a, b):
    """Return the smallest interval that contains both."""
    return (min(a[0], b[0]), max(a[1], b[1]))


@kernel
def _reaches(lo, hi, phase):
    """Return False only if no number phase + 2 pi k, k an integer, lies in [lo, hi]; phase is a multiple of pi / 2.

    Proof. Turns are x / 2 pi - phase / 2 pi. The float 2 pi is within 2^-52 relative, the division and the subtraction
    add 2^-53 each, so the computed turns are within 2^-51 (|turns| + 1) of the exact ones, and the widened interval of
    turns contains the exact one. If it holds no integer, neither does the exact one.
    """
    shift = phase / (2.0 * math.pi)
    first = lo / (2.0 * math.pi) - shift
    last = hi / (2.0 * math.pi) - shift
    slack = 2.0**-50 * (max(abs(first), abs(last)) + 1.0)
    return np.floor(last + slack) >= np.ceil(first - slack)


@kernel
def cos(a):
    """Return an enclosure of {cos x : x in a}.

    Between maxima 2 pi k and minima pi + 2 pi k cosine is monotone, so without a maximum inside, the greatest value is
    at an end, and likewise the least; values of libm are widened by LIBM_ERROR.
    """
    p = math.cos(a[0])
    q = math.cos(a[1])
    lo = -1.0 if _reaches(a[0], a[1], math.pi) else max(-1.0, below(min(p, q) - LIBM_ERROR))
    hi = 1.0 if _reaches(a[0], a[1], 0.0) else min(1.0, above(max(p, q) + LIBM_ERROR))
    return (lo, hi)


@kernel
def sin(a):
    """Return an enclosure of {sin x : x in a}, by the argument of `cos`; extremes are at pi/2 + pi k."""
    p = math.sin(a[0])
    q = math.sin(a[1])
    lo = -1.0 if _reaches(a[0], a[1], -0.5 * math.pi) else max(-1.0, below(min(p, q) - LIBM_ERROR))
    hi = 1.0 if _reaches(a[0], a[1], 0.5 * math.pi) else min(1.0, above(max(p, q) + LIBM_ERROR))
    return (lo, hi)


@kernel
def joint_interval(out, joint, t0, t1):
    """Write to `out` (3, 4, 2) an enclosure of the joint's motion during [t0, t1].

    R(t) = k0 + k1 cos(rate (t - begin)) + k2 sin(rate (t - begin)) and T(t) = origin + (t - begin) velocity, each entry
    by interval operations from the intervals of the angle and of t - begin.
    """
    k0 = joint["k0"]
    k1 = joint["k1"]
    k2 = joint["k2"]
    origin = joint["origin"]
    velocity = joint["velocity"]
    elapsed = sub((t0, t1), (joint["begin"], joint["begin"]))
    angle = scale(elapsed, joint["rate"])
    c = cos(angle)
    s = sin(angle)
    for i in range(3):
        for j in range(3):
            entry = add((k0[i, j], k0[i, j]), add(scale(c, k1[i, j]), scale(s, k2[i, j])))
            out[i, j, 0] = entry[0]
            out[i, j, 1] = entry[1]
        moved = add((origin[i], origin[i]), scale(elapsed, velocity[i]))
        out[i, 3, 0] = moved[0]
        out[i, 3, 1] = moved[1]


@kernel
def interval_compose(out, a, b):
    """Write to `out` an enclosure of the motion a o b (all (3, 4, 2)); `out` may be a, not b."""
    for i in range(3):
        x = (a[i, 0, 0], a[i, 0, 1])
        y = (a[i, 1, 0], a[i, 1, 1])
        z = (a[i, 2, 0], a[i, 2, 1])
        t = (a[i, 3, 0], a[i, 3, 1])
        for j in range(4):
            entry = mul(x, (b[0, j, 0], b[0, j, 1]))
            entry = add(entry, mul(y, (b[1, j, 0], b[1, j, 1])))
            entry = add(entry, mul(z, (b[2, j, 0], b[2, j, 1])))
            if j == 3:
                entry = add(entry, t)
            out[i, j, 0] = entry[0]
            out[i, j, 1] = entry[1]


@kernel
def interval_swept_box(m, center, axes, half):
    """Return (lo, hi), two 3-tuples: a box around m(t) applied to the box center +- half[i] axes[i], for all t.

    In each coordinate the motion of the corners is the interval of the centre plus the three intervals of the half
    edges, each taken with both signs.
    """
    box = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    for i in range(3):
        x = (m[i, 0, 0], m[i, 0, 1])
        y = (m[i, 1, 0], m[i, 1, 1])
        z = (m[i, 2, 0], m[i, 2, 1])
        total = add(add(scale(x, center[0]), scale(y, center[1])), add(scale(z, center[2]), (m[i, 3, 0], m[i, 3, 1])))
        for e in range(3):
            edge = add(scale(x, axes[e, 0]), add(scale(y, axes[e, 1]), scale(z, axes[e, 2])))
            edge = scale(edge, half[e])
            total = add(total, hull(edge, neg(edge)))
        box = (box[1], box[2], total)
    return ((box[0][0], box[1][0], box[2][0]), (box[0][1], box[1][1], box[2][1]))
