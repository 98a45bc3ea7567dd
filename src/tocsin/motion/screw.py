"""Screw motions: the relative motion of two bodies as one turn about an axis and one slide along it.

The motion of [SCREW 4, 4.1]; `screw_axis` has its error estimate. Any rigid displacement is a turn by an angle theta
about an axis (a point u, a unit vector v) and a slide by g along it; both at constant rates make the flow

    x' = omega x (x - c) + w,        omega = theta v,        w the velocity of the reference point c at t = 0.

Kept as the twist (omega, w) at a reference point near the bodies and not as the axis: the axis runs away as theta goes
to 0 (|u - c| = |w| / theta), the twist does not. With alpha = theta t the flow is solved by

    x(t) = x + t xi + t^2 B omega x xi + t^3 C omega x (omega x xi),        xi = omega x (x - c) + w,
    B = (1 - cos alpha) / alpha^2,        C = (alpha - sin alpha) / alpha^3,

as differentiating shows (omega x (omega x (omega x xi)) = -theta^2 omega x xi), and B and C are smooth at 0: a pure
translation is theta = 0 and no case of its own. Given the displacement d = x(1) - x(0) of c, w is

    w = d - (1/2) omega x d + E omega x (omega x d),        E = (1 - (theta/2) cot(theta/2)) / theta^2,

finite for all theta up to 180 degrees, where cot is 0, and beyond. The turn is that of the rows' arcs (`arcs`): the
shorter one of a body, and of two bodies what both arcs make together.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin._types import Place, Quat, Vec3
from tocsin.compiler.jit import kernel
from tocsin.motion.joints import relative_turn

SERIES = 0.5
"""Below this angle B, C and E are taken from their series, whose first left-out term is then below 2^-53 of them."""

HALF_TURN = math.pi * (1.0 + 2.0**-40)
"""More than rounding makes of half a turn."""

SURELY_LESS = math.pi * (1.0 - 2.0**-20)
"""Turns that add up to less than this make less than half a turn against each other: angles of quaternions, as points
of a sphere, keep the triangle inequality."""


class Twist(NamedTuple):
    """A screw motion over t in [0, 1], for kernels: vectors are tuples, in the frame in which it is seen."""

    omega: tuple[float, float, float]
    """Turn over the whole motion, a vector along the axis, radians."""
    w: tuple[float, float, float]
    """Velocity of the reference point at t = 0, metres per unit of time."""
    center: tuple[float, float, float]
    """The reference point."""
    angle: float
    """|omega|."""


@kernel
def turned_coefficients(alpha):
    """Return (B, C) of the module's formula."""
    s = alpha * alpha
    if alpha < SERIES:
        b = 1.0 - s / 56.0 * (1.0 - s / 90.0 * (1.0 - s / 132.0 * (1.0 - s / 182.0)))
        c = 1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0 * (1.0 - s / 210.0)))
        return 0.5 - s / 24.0 * (1.0 - s / 30.0 * b), 1.0 / 6.0 - s / 120.0 * (1.0 - s / 42.0 * c)
    half = math.sin(0.5 * alpha) / alpha
    return 2.0 * half * half, (alpha - math.sin(alpha)) / (s * alpha)


@kernel
def twist_between(p_t0: Vec3, q_t0: Quat, p_t1: Vec3, q_t1: Quat) -> Twist:
    """Return the twist of the screw motion from pose (p, quaternion q) to another along their arc, about p_t0."""
    axis, angle = relative_turn(q_t0, q_t1)
    omega = vec.scale(axis, angle)
    d = vec.sub(p_t1, p_t0)
    s = angle * angle
    if angle < SERIES:
        e = 1.0 / 47900160.0 + s * (691.0 / 1307674368000.0 + s * (1.0 / 74724249600.0 + s / 2950130727918.1643))
        e = 1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s * (1.0 / 1209600.0 + s * e)))
    else:
        half = 0.5 * angle
        e = (1.0 - half * math.cos(half) / math.sin(half)) / s
    across = vec.cross(omega, d)
    w = vec.axpy(vec.axpy(d, -0.5, across), e, vec.cross(omega, across))
    return Twist(omega, w, p_t0, angle)


@kernel
def screw_velocity(twist, x):
    """Return the velocity of the flow at x: the same at all times [SCREW eq. 3]."""
    return vec.add(vec.cross(twist.omega, vec.sub(x, twist.center)), twist.w)


@kernel
def screw_point(twist, x, t):
    """Return where the flow takes x in time t (of either sign)."""
    xi = screw_velocity(twist, x)
    b, c = turned_coefficients(abs(twist.angle * t))
    across = vec.cross(twist.omega, xi)
    again = vec.cross(twist.omega, across)
    x = vec.axpy(x, t, xi)
    return vec.axpy(vec.axpy(x, t * t * b, across), t * t * t * c, again)


@kernel
def screw_direction(twist, n, t):
    """Return where the flow turns the direction n in time t."""
    alpha = twist.angle * t
    b, c = turned_coefficients(abs(alpha))
    across = vec.cross(twist.omega, n)
    again = vec.cross(twist.omega, across)
    sine_over = t * (1.0 - alpha * alpha * c)
    return vec.axpy(vec.axpy(n, sine_over, across), t * t * b, again)


@kernel
def row_twist(row_t0: Place, row_t1: Place) -> Twist:
    """Return the twist between two poses given as rows (x y z, quaternion x y z w)."""
    return twist_between(
        (row_t0[0], row_t0[1], row_t0[2]),
        (row_t0[3], row_t0[4], row_t0[5], row_t0[6]),
        (row_t1[0], row_t1[1], row_t1[2]),
        (row_t1[3], row_t1[4], row_t1[5], row_t1[6]),
    )


@kernel
def seen_from(pose, other):
    """Return (position, quaternion) of the pose row `other` in the frame of the pose row `pose`."""
    px, py, pz, pw = pose[3], pose[4], pose[5], pose[6]
    qx, qy, qz, qw = other[3], other[4], other[5], other[6]
    q = (
        pw * qx - px * qw - py * qz + pz * qy,
        pw * qy - py * qw - pz * qx + px * qz,
        pw * qz - pz * qw - px * qy + py * qx,
        pw * qw + px * qx + py * qy + pz * qz,
    )
    d = (other[0] - pose[0], other[1] - pose[1], other[2] - pose[2])
    inverse = (-px, -py, -pz)
    # The inverse rotation of a unit quaternion: d + 2 (w u x d + u x (u x d)).
    across = vec.cross(inverse, d)
    p = vec.axpy(vec.axpy(d, 2.0 * pw, across), 2.0, vec.cross(inverse, across))
    return p, q


@kernel
def relative_twist(a_t0, a_t1, b_t0, b_t1):
    """Return the twist of b as seen from a [SCREW eq. 1], in a's frame, from pose rows, about b's origin."""
    p_t0, q_t0 = seen_from(a_t0, b_t0)
    p_t1, q_t1 = seen_from(a_t1, b_t1)
    return twist_between(p_t0, q_t0, p_t1, q_t1)


@kernel
def turn_too_far(poses, links):
    """Do any two of these links, by their pose rows at both ends, make more than half a turn against each other?

    No more than both turn together: only those are compared of which that may be more.
    """
    turns = np.zeros(links.shape[0])
    most = 0.0
    for i in range(links.shape[0]):
        turns[i] = turned(poses[links[i]])
        most = max(most, turns[i])
    for i in range(links.shape[0]):
        if turns[i] + most < SURELY_LESS:
            continue
        for k in range(links.shape[0]):
            a = poses[links[max(i, k)]]
            b = poses[links[min(i, k)]]
            if i != k and relative_twist(a[0], a[1], b[0], b[1]).angle > HALF_TURN:
                return True
    return False


@kernel
def turned(rows):
    """Return the angle of a link's turn between its two pose rows, along their arc."""
    start = (rows[0, 3], rows[0, 4], rows[0, 5], rows[0, 6])
    _, angle = relative_turn(start, (rows[1, 3], rows[1, 4], rows[1, 5], rows[1, 6]))
    return angle
