"""How one link moves in its parent's frame over a stretch of time [CATCH eq. 2], for every kind of joint.

    R(t) = k0 + k1 cos(rate (t - begin)) + k2 sin(rate (t - begin)),    T(t) = origin + (t - begin) velocity

with constant `rate` about a constant `axis` and constant `velocity`, all in the parent's frame. For a rotation by
angle a about the unit vector u after R0: k0 = u u^T R0, k1 = (I - u u^T) R0, k2 = [u]x R0 (Rodrigues), so a pose costs
one sine, one cosine and 18 multiplications. Linear interpolation of joint values is this motion exactly; orientations
follow the arc that was decided when the motion was made, the shorter one (`arcs`).

Joints whose values are polynomials of time have the same record: the angle rate (t - begin) and the place T are then
polynomials of t (`curves`, `curved_joints`), the axis is constant as before.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.motion.curves import ROWS, TERMS, value
from tocsin.motion.links import BALL, FLOATING, PLANAR, PRISMATIC, REVOLUTE

JOINT = np.dtype(
    [
        ("k0", "f8", (3, 3)),
        ("k1", "f8", (3, 3)),
        ("k2", "f8", (3, 3)),
        ("origin", "f8", 3),
        ("velocity", "f8", 3),
        ("axis", "f8", 3),  # unit vector in the parent's frame
        ("rate", "f8"),  # radians per unit of time, not negative
        ("begin", "f8"),
        ("turn", "f8"),  # upper bound of rate
        ("speed", "f8"),  # upper bound of |velocity|
        ("length", "f8"),  # upper bound of |T(t)| during the stretch
        ("size", "f8"),  # at least length, and the sum of all lengths that were added up to it: scales its rounding
        ("angle", "f8"),  # sum of all angles that were added up to those whose sine was taken: scales their rounding
        ("degree", "i4"),  # 0: rate and velocity are constant; otherwise of the polynomials below, see `curves`
        ("slides", "i4"),  # on a curve: does its place move?
        ("turn_error", "f8"),  # by how much its angle and its place may be off, see `tubes`
        ("slide_error", "f8"),
        ("turn_accel", "f8"),  # on a curve: upper bounds of the second and third derivatives of the rotation,
        ("turn_jerk", "f8"),
        ("slide_accel", "f8"),  # and of the place
        ("slide_jerk", "f8"),
        ("first", "f8"),  # on a curve: the joint's value in the middle of the stretch
        ("curve", "f8", (ROWS, TERMS)),
        ("controls", "f8", (ROWS, TERMS)),  # scratch
    ],
    align=True,
)

UP = 1.0 + 2.0**-45
"""Factor that makes a sum of a few products of non-negative numbers an upper bound, whatever its rounding."""


@kernel
def rotation_of(q):
    """Return the matrix of a quaternion (x, y, z, w) of any length but zero."""
    x, y, z, w = q
    s = 2.0 / (x * x + y * y + z * z + w * w)
    return (
        (1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)),
        (s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)),
        (s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)),
    )


@kernel
def relative_turn(p, q):
    """Return (axis, angle) of the rotation that takes orientation p to q along their arc, in the outer frame.

    That of the quaternion q p^-1 as it stands: which arc is meant was decided before, and is in the signs of p and q
    (`arcs`). The angle is at most half a turn, up to rounding; angle 0 has axis (0, 0, 1). Swapped, p and q give the
    opposite axis and the same angle, to the bit: products commute, and sums are of the same two pairs.
    """
    px, py, pz, pw = p
    qx, qy, qz, qw = q
    x = (qx * pw - qw * px) + (qz * py - qy * pz)
    y = (qy * pw - qw * py) + (qx * pz - qz * px)
    z = (qz * pw - qw * pz) + (qy * px - qx * py)
    w = qw * pw + qx * px + qy * py + qz * pz
    s = vec.norm((x, y, z))
    if s == 0.0:
        return (0.0, 0.0, 1.0), 0.0
    return (x / s, y / s, z / s), 2.0 * math.atan2(s, w)


@kernel
def write_rotation(joint, start, axis, rate):
    """Write k0, k1, k2 for a rotation at `rate` about the unit vector `axis`, after `start` [ARTICULATE eq. 4]."""
    u = vec.tmatvec(start, axis)
    for i in range(3):
        a = axis[i]
        b = axis[(i + 1) % 3]
        c = axis[(i + 2) % 3]
        for j in range(3):
            joint["k0"][i, j] = a * u[j]
            joint["k1"][i, j] = start[i][j] - a * u[j]
            joint["k2"][i, j] = b * start[(i + 2) % 3][j] - c * start[(i + 1) % 3][j]
        joint["axis"][i] = a
    joint["rate"] = rate


@kernel
def joint_motion(joint, link, configs, row0, row1, begin, end):
    """Write the motion of one link in its parent's frame during [begin, end], between two rows of configurations.

    `row0` and `row1` are where the two rows, base first, start in the flat array `configs`.
    """
    rotation = (vec.load3(link["rotation"], 0), vec.load3(link["rotation"], 1), vec.load3(link["rotation"], 2))
    translation = (link["translation"][0], link["translation"][1], link["translation"][2])
    local_axis = (link["axis"][0], link["axis"][1], link["axis"][2])
    kind = link["kind"]
    i = row0 + link["config"]
    k = row1 + link["config"]
    duration = end - begin
    start = rotation
    axis = (0.0, 0.0, 1.0)
    turn = 0.0
    angle = 0.0
    size = vec.norm(translation)
    origin = translation
    travel = (0.0, 0.0, 0.0)
    if kind == REVOLUTE:
        v0 = link["multiplier"] * configs[i] + link["offset"]
        v1 = link["multiplier"] * configs[k] + link["offset"]
        axis = vec.matvec(rotation, local_axis)
        start = vec.matmul(rotation, axis_angle(local_axis, v0))
        turn = v1 - v0
        angle = abs(link["multiplier"]) * (abs(configs[i]) + abs(configs[k])) + 2.0 * abs(link["offset"])
    elif kind == PRISMATIC:
        v0 = link["multiplier"] * configs[i] + link["offset"]
        v1 = link["multiplier"] * configs[k] + link["offset"]
        direction = vec.matvec(rotation, local_axis)
        origin = vec.axpy(translation, v0, direction)
        travel = vec.scale(direction, v1 - v0)
        size += abs(link["multiplier"]) * (abs(configs[i]) + abs(configs[k])) + 2.0 * abs(link["offset"])
    elif kind == PLANAR:
        ex = vec.matvec(rotation, vec.load3(link["across"], 0))
        ey = vec.matvec(rotation, vec.load3(link["across"], 1))
        origin = vec.axpy(vec.axpy(translation, configs[i], ex), configs[i + 1], ey)
        travel = vec.add(vec.scale(ex, configs[k] - configs[i]), vec.scale(ey, configs[k + 1] - configs[i + 1]))
        size += abs(configs[i]) + abs(configs[i + 1]) + abs(configs[k]) + abs(configs[k + 1])
        axis = vec.matvec(rotation, local_axis)
        start = vec.matmul(rotation, axis_angle(local_axis, configs[i + 2]))
        turn = configs[k + 2] - configs[i + 2]
        angle = abs(configs[i + 2]) + abs(configs[k + 2])
    elif kind in (BALL, FLOATING):
        if kind == FLOATING:
            p0 = (configs[i], configs[i + 1], configs[i + 2])
            p1 = (configs[k], configs[k + 1], configs[k + 2])
            origin = vec.add(translation, vec.matvec(rotation, p0))
            travel = vec.matvec(rotation, vec.sub(p1, p0))
            size += vec.norm(p0) + vec.norm(p1)
            i += 3
            k += 3
        q0 = (configs[i], configs[i + 1], configs[i + 2], configs[i + 3])
        q1 = (configs[k], configs[k + 1], configs[k + 2], configs[k + 3])
        start = vec.matmul(rotation, rotation_of(q0))
        local, turn = relative_turn(q0, q1)
        axis = vec.matvec(rotation, local)
        angle = turn
    if turn < 0.0:
        axis = (-axis[0], -axis[1], -axis[2])
        turn = -turn
    write_rotation(joint, start, axis, turn / duration)
    for c in range(3):
        joint["origin"][c] = origin[c]
        joint["velocity"][c] = travel[c] / duration
    joint["begin"] = begin
    joint["degree"] = 0
    joint["turn_error"] = 0.0
    joint["slide_error"] = 0.0
    joint["turn"] = joint["rate"] * UP
    joint["speed"] = vec.norm(travel) / duration * UP
    joint["angle"] = angle
    # |T| is convex along the segment, so it is largest at one of its ends.
    joint["length"] = max(vec.norm(origin), vec.norm(vec.add(origin, travel))) * UP
    joint["size"] = max(joint["length"], size * UP)


@kernel
def axis_angle(u, angle):
    """Return the matrix of a rotation by `angle` about the unit vector u."""
    c = math.cos(angle)
    s = math.sin(angle)
    d = 1.0 - c
    return (
        (c + u[0] * u[0] * d, u[0] * u[1] * d - u[2] * s, u[0] * u[2] * d + u[1] * s),
        (u[1] * u[0] * d + u[2] * s, c + u[1] * u[1] * d, u[1] * u[2] * d - u[0] * s),
        (u[2] * u[0] * d - u[1] * s, u[2] * u[1] * d + u[0] * s, c + u[2] * u[2] * d),
    )


@kernel
def turned(joint, angle):
    """Return the rotation of the link in its parent's frame when it has turned by an angle."""
    k0 = joint["k0"]
    k1 = joint["k1"]
    k2 = joint["k2"]
    c = math.cos(angle)
    s = math.sin(angle)
    return (
        (
            k0[0, 0] + (k1[0, 0] * c + k2[0, 0] * s),
            k0[0, 1] + (k1[0, 1] * c + k2[0, 1] * s),
            k0[0, 2] + (k1[0, 2] * c + k2[0, 2] * s),
        ),
        (
            k0[1, 0] + (k1[1, 0] * c + k2[1, 0] * s),
            k0[1, 1] + (k1[1, 1] * c + k2[1, 1] * s),
            k0[1, 2] + (k1[1, 2] * c + k2[1, 2] * s),
        ),
        (
            k0[2, 0] + (k1[2, 0] * c + k2[2, 0] * s),
            k0[2, 1] + (k1[2, 1] * c + k2[2, 1] * s),
            k0[2, 2] + (k1[2, 2] * c + k2[2, 2] * s),
        ),
    )


@kernel
def joint_pose(joint, t):
    """Return (R, T) of the link in its parent's frame at time t [CATCH eq. 2]."""
    tau = t - joint["begin"]
    k0 = joint["k0"]
    k1 = joint["k1"]
    origin = joint["origin"]
    velocity = joint["velocity"]
    place = (
        origin[0] + tau * velocity[0],
        origin[1] + tau * velocity[1],
        origin[2] + tau * velocity[2],
    )
    rate = joint["rate"]
    if joint["degree"] != 0:
        if joint["slides"] != 0:
            place = (value(joint, 1, tau), value(joint, 2, tau), value(joint, 3, tau))
        if joint["turn"] != 0.0:
            return turned(joint, value(joint, 0, tau)), place
    if rate == 0.0:
        return (
            (k0[0, 0] + k1[0, 0], k0[0, 1] + k1[0, 1], k0[0, 2] + k1[0, 2]),
            (k0[1, 0] + k1[1, 0], k0[1, 1] + k1[1, 1], k0[1, 2] + k1[1, 2]),
            (k0[2, 0] + k1[2, 0], k0[2, 1] + k1[2, 1], k0[2, 2] + k1[2, 2]),
        ), place
    return turned(joint, rate * tau), place
