"""The collision screen's coordinates (r, h, t) of a point [SCREW 7, 8].

In the frame of the axis (y along it, the angle phi from z towards x) the flow takes a point at (r, phi, y) to (r, phi +
theta t, y + g t). All points of one flow line have one place (r, h) on the screen and differ in the time t at which
they are there:

    t = (g y + theta r^2 phi) / (g^2 + theta^2 r^2),        h = r (theta y - g phi) / sqrt(g^2 + theta^2 r^2)

([SCREW 7] writes phi for the arc r phi here), so that two points can meet only if their (r, h) are equal, and meet
after the difference of their t. On the axis r = 0, h = 0 and t = y / g. In a pure translation along y, r and h are x
and z, and t = y / g.

The angle phi jumps somewhere. The frame is turned so that the jump, at x = 0, z < 0, is as far as may be from both
bodies. If one of them is there anyway, its edges and faces are cut at x = 0 (`side`: +1 for phi in [0, pi], -1 for
[-pi, 0]), and what a has at phi <= theta - pi is drawn a second time at phi + 2 pi: doppeling.
"""

import math
from typing import NamedTuple

from tocsin import vec
from tocsin.compiler.jit import kernel

STRAIGHT = 1e-6
"""Radians: a relative motion that turns by less is drawn as a translation. Contacts are polished on the true motion."""


EIGHTH = math.sqrt(2.0) - 1.0
"""tan(pi / 8)."""


class Frame(NamedTuple):
    """The frame of the axis, and the motion in it."""

    rows: tuple
    """Its x, y and z directions."""
    origin: tuple
    angle: float
    """theta; 0 for a translation."""
    pitch: float
    """g."""


@kernel
def any_across(v):
    """Return a unit vector across the unit vector v."""
    if abs(v[0]) <= abs(v[1]) and abs(v[0]) <= abs(v[2]):
        u = (0.0, -v[2], v[1])
    elif abs(v[1]) <= abs(v[2]):
        u = (-v[2], 0.0, v[0])
    else:
        u = (-v[1], v[0], 0.0)
    return vec.scale(u, 1.0 / vec.norm(u))


@kernel
def screen_frame(twist, center_b):
    """Return the frame of a twist; phi = 0 is where the centre of b is in the middle of the motion."""
    if twist.angle < STRAIGHT:
        travel = vec.norm(twist.w)
        y = vec.scale(twist.w, 1.0 / travel) if travel > 0.0 else (0.0, 1.0, 0.0)
        z = any_across(y)
        return Frame((vec.cross(y, z), y, z), center_b, 0.0, travel)
    y = vec.scale(twist.omega, 1.0 / twist.angle)
    pitch = vec.dot(y, twist.w)
    s = 1.0 / twist.angle
    point = vec.add(twist.center, vec.cross(vec.scale(twist.omega, s), vec.scale(twist.w, s)))
    out = vec.sub(center_b, point)
    along = vec.dot(out, y)
    origin = vec.axpy(point, along + 0.5 * pitch, y)
    out = vec.axpy(out, -along, y)
    far = vec.norm(out)
    z = vec.scale(out, 1.0 / far) if far > 0.0 else any_across(y)
    half = 0.5 * twist.angle
    x = vec.cross(y, z)
    c = math.cos(half)
    s = math.sin(half)
    z = vec.add(vec.scale(z, c), vec.scale(x, s))
    return Frame((vec.cross(y, z), y, z), origin, twist.angle, pitch)


@kernel
def angle_of(x, z):
    """Return atan2(x, z) to 5e-16, with +pi for x = -0 and z < 0.

    Without branches or calls, so that loops over it are taken several at a time: a corner then takes 3 ns where the
    library's takes 40 (measured). The ratio of the lesser to the larger coordinate, or (lesser - larger) / (lesser +
    larger), which is 45 degrees less, is at most tan(pi / 8); there the odd polynomial is off by 4e-17 of its value.
    """
    across = abs(x)
    ahead = abs(z)
    lesser = min(across, ahead)
    larger = max(across, ahead)
    large = lesser > EIGHTH * larger
    below = lesser + larger if large else larger
    u = (lesser - larger if large else lesser) / (below if below > 0.0 else 1.0)
    s = u * u
    s2 = s * s
    s4 = s2 * s2
    low = (1.0 + -0.3333333333332844 * s) + s2 * (0.1999999999885511 + -0.14285714180976467 * s)
    middle = (0.11111106180455946 + -0.09090773074808413 * s) + s2 * (0.07689953496306848 + -0.0664023393042932 * s)
    high = (0.05688349226808552 + -0.04348052215715139 * s) + s2 * 0.021135373157677034
    phi = u * (low + s4 * (middle + s4 * high)) + (0.25 * math.pi if large else 0.0)
    phi = 0.5 * math.pi - phi if across > ahead else phi
    phi = math.pi - phi if z < 0.0 else phi
    return -phi if x < 0.0 else phi


@kernel
def project(frame, x, y, z, side, shift):
    """Return (r, h, t) of a point in the frame of the axis [SCREW 7]; `side`: on which side of the cut, 0: no cut."""
    g = frame.pitch
    theta = frame.angle
    if theta == 0.0:
        return x, z, y / g
    square = x * x + z * z
    r = math.sqrt(square)
    phi = (angle_of(x, z) if side == 0 else side * angle_of(abs(x), z)) + shift
    c = g * g + theta * theta * square
    if c == 0.0:
        return r, y, 0.0
    return r, r * (theta * y - g * phi) / math.sqrt(c), (g * y + theta * square * phi) / c
