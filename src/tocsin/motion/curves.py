"""Joint values that are polynomials of time: their values, derivatives, and bounds of these during a slab of time.

A joint on a curve turns by phi(t) about its axis and its frame's origin is at T(t), both polynomials of the stretch's
time t in [0, 1], of degree MOST_DEGREE at most. Their coefficients are rows of joint["curve"], in powers of tau = t -
MIDDLE, where they are smallest: row 0 is phi (0 in the middle: where it is then is in the joint's matrices), rows 1 to
3 are T. On a quintic from rest to rest the terms of the rate are four times as large as the rate; in powers of t, 64.

Claim (`peak`). Let f be a derivative of phi, or the vector of the same derivatives of T, e_k its coefficients and
M = sum |e_k| 2^-k (of a vector: the length of the three sums). For t0 <= t <= t1 in [0, 1], |f(t)| is at most the
result, and what is computed of f(t) by Horner's rule is off by less than 2^-43 of the result.
Proof. With t = t0 + (t1 - t0) x, f is a convex combination of its Bernstein coefficients over x in [0, 1], so no longer
than the longest of them. They are computed by fewer than 6 n operations, n <= 7, that never add up more than
sum |e_k| (|t0 - MIDDLE| + t1 - t0)^k <= 3^7 M, so each is off by less than 48 3^7 units of M. The result is at least
M / 32, and is multiplied by 1 + 2^-28: that takes 48 3^7 32 units. Horner's rule, |tau| <= 1/2, is off by 2 n units of
M, 14 32 units of the result.
"""

import math

from tocsin.compiler.jit import kernel

MOST_DEGREE = 7
"""Of the polynomials of a record; those of a higher degree are taken apart and followed with an error (`reduce`)."""

ROWS, TERMS = 4, MOST_DEGREE + 1
"""Shape of joint["curve"]."""

GRAIN = 1.0 / 32.0
"""Of the sum of all coefficients' sizes: a bound is no less, so that it covers the rounding of what it bounds."""

GROWN = 1.0 + 2.0**-28

MIDDLE = 0.5
"""The time from which the polynomials of a record are counted, its `begin`."""


@kernel
def value(joint, row, tau):
    """Return one of the four polynomials."""
    degree = joint["degree"]
    c = joint["curve"]
    f = c[row, degree]
    for k in range(degree - 1, -1, -1):
        f = f * tau + c[row, k]
    return f


@kernel
def rates(joint, row, tau):
    """Return (first, second): the derivatives of one of the four polynomials."""
    degree = joint["degree"]
    c = joint["curve"]
    first = degree * c[row, degree]
    second = degree * (degree - 1.0) * c[row, degree]
    for k in range(degree - 1, 1, -1):
        first = first * tau + k * c[row, k]
        second = second * tau + k * (k - 1.0) * c[row, k]
    if degree > 1:
        first = first * tau + c[row, 1]
    return first, second


@kernel
def turning(joint, t):
    """Return (rate, acceleration) of the joint's angle at time t."""
    return rates(joint, 0, t - joint["begin"])


@kernel
def sliding(joint, t):
    """Return (velocity, acceleration) of the joint's place at time t."""
    tau = t - joint["begin"]
    vx, ax = rates(joint, 1, tau)
    vy, ay = rates(joint, 2, tau)
    vz, az = rates(joint, 3, tau)
    return (vx, vy, vz), (ax, ay, az)


@kernel
def controls(joint, row, order, t0, lasts):
    """Write the Bernstein coefficients of a derivative during [t0, t0 + lasts]; return the sum of its terms' sizes."""
    c = joint["curve"]
    b = joint["controls"]
    n = joint["degree"] - order
    mass = 0.0
    half = 1.0
    for k in range(n + 1):
        e = c[row, k + order]
        for j in range(order):
            e *= k + order - j
        b[row, k] = e
        mass += abs(e) * half
        half *= 0.5
    # In powers of t - t0, then of its share of the slab, then as Bernstein coefficients: sums of binomials.
    start = t0 - joint["begin"]
    for i in range(n):
        for k in range(n - 1, i - 1, -1):
            b[row, k] += start * b[row, k + 1]
    scale = 1.0
    choose = 1.0
    for k in range(1, n + 1):
        scale *= lasts
        choose = choose * (n - k + 1) / k
        b[row, k] = b[row, k] * scale / choose
    for i in range(1, n + 1):
        for k in range(n, i - 1, -1):
            b[row, k] += b[row, k - 1]
    return mass


@kernel
def turn_peak(joint, order, t0, lasts):
    """Return a bound of a derivative of the angle during [t0, t0 + lasts]; see `peak` in the module's text."""
    n = joint["degree"] - order
    if n < 0:
        return 0.0
    most = GRAIN * controls(joint, 0, order, t0, lasts)
    b = joint["controls"]
    for k in range(n + 1):
        most = max(most, abs(b[0, k]))
    return most * GROWN


@kernel
def slide_peak(joint, order, t0, lasts):
    """Return a bound of the length of a derivative of the place during [t0, t0 + lasts]; of order 0: of the place."""
    n = joint["degree"] - order
    if n < 0:
        return 0.0
    x = controls(joint, 1, order, t0, lasts)
    y = controls(joint, 2, order, t0, lasts)
    z = controls(joint, 3, order, t0, lasts)
    b = joint["controls"]
    most = GRAIN * math.sqrt(x * x + y * y + z * z)
    for k in range(n + 1):
        most = max(most, math.sqrt(b[1, k] * b[1, k] + b[2, k] * b[2, k] + b[3, k] * b[3, k]))
    return most * GROWN


@kernel
def narrow(joint, t0, t1):
    """Write the bounds of a joint on a curve during [t0, t1]: of its place and the derivatives of place and rotation.

    With |phi'| <= w, |phi''| <= b, |phi'''| <= c the derivatives of the rotation R about a fixed axis u have norms of
    at most w, w^2 + b and w^3 + 3 w b + c: R' = phi' [u]x R, differentiated on, and |[u]x| = 1.
    """
    lasts = t1 - t0
    w = turn_peak(joint, 1, t0, lasts)
    b = turn_peak(joint, 2, t0, lasts)
    c = turn_peak(joint, 3, t0, lasts)
    joint["turn"] = w
    joint["turn_accel"] = (w * w + b) * GROWN
    joint["turn_jerk"] = (w * (w * w + 3.0 * b) + c) * GROWN
    if joint["slides"] != 0:
        joint["speed"] = slide_peak(joint, 1, t0, lasts)
        joint["slide_accel"] = slide_peak(joint, 2, t0, lasts)
        joint["slide_jerk"] = slide_peak(joint, 3, t0, lasts)
        joint["length"] = slide_peak(joint, 0, t0, lasts) + joint["slide_error"]
