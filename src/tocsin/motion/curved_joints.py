"""The record of a joint whose values are polynomials of time, or that may be off: see `curves` and `tubes`.

What a motion hands over of a piece is rows of coefficients: number k is that of x^k, x the share of the piece that is
done, from 0 to 1. Entries that are quaternions go along their arc at a constant rate, as between two rows of a straight
motion (`arcs`): the first two rows hold both ends.

Claim (noise). A value of the record is off by at most 128 units of m = sum |c_k|, the sizes of all that was added up to
it. Proof: in the time of a stretch from the share x on that lasts l <= 1 - x, its coefficients, from the middle on, are
sums of terms whose sizes add up to sum |c_k| (x + l)^k <= m, of fewer than 3 k operations each, and x and l are off by
3 units (`clocks`):
below 21 + 21 units. A value by Horner's rule adds 14, what was rounded before (powers of a piece's length, another
joint's knots, `trajectory`) 60. So `angle`, of which the noise takes 16 units, is 8 m, and `size` counts 4 m.
"""

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.motion.curves import MIDDLE, TERMS, narrow
from tocsin.motion.joints import UP, axis_angle, joint_motion, relative_turn, rotation_of, write_rotation
from tocsin.motion.links import BALL, FLOATING, PLANAR, PRISMATIC, REVOLUTE


@kernel
def shift(joint, row, configs, at, width, degree, x, lasts):
    """Write an entry's polynomial, from the share x on, in the time of a stretch that lasts so much; return m.

    In powers of the time from the middle of the stretch, into a row of joint["controls"]; `at`: where its first
    coefficient is.
    """
    x = x + MIDDLE * lasts
    b = joint["controls"]
    mass = 0.0
    for k in range(degree + 1):
        b[row, k] = configs[at + k * width]
        mass += abs(b[row, k])
    for i in range(degree):
        for k in range(degree - 1, i - 1, -1):
            b[row, k] += x * b[row, k + 1]
    scale = 1.0
    for k in range(1, degree + 1):
        scale *= lasts
        b[row, k] *= scale
    return mass


@kernel
def add_along(joint, row, factor, direction):
    """Add a polynomial, times a factor, along a direction to that of the place."""
    b = joint["controls"]
    for c in range(3):
        for k in range(TERMS):
            joint["curve"][1 + c, k] += direction[c] * (factor * b[row, k])


@kernel
def turn_by(joint, row, factor):
    """Take a polynomial, times a factor, as that of the angle; return where it is in the middle."""
    b = joint["controls"]
    for k in range(1, TERMS):
        joint["curve"][0, k] = factor * b[row, k]
    return factor * b[row, 0]


@kernel
def curved_motion(joint, link, configs, at, width, degree, x, lasts):
    """Write the motion of one link in its parent's frame during a stretch, from the coefficients of its piece.

    `at`: where these start in `configs`, a row for each power, base first; the stretch is the piece's shares from x to
    x + lasts.
    """
    rotation = (vec.load3(link["rotation"], 0), vec.load3(link["rotation"], 1), vec.load3(link["rotation"], 2))
    translation = (link["translation"][0], link["translation"][1], link["translation"][2])
    local_axis = (link["axis"][0], link["axis"][1], link["axis"][2])
    kind = link["kind"]
    entry = at + link["config"]
    start = rotation
    axis = (0.0, 0.0, 1.0)
    angle = 0.0
    size = vec.norm(translation)
    slides = 0
    first = 0.0
    for row in range(4):
        for k in range(TERMS):
            joint["curve"][row, k] = 0.0
            joint["controls"][row, k] = 0.0
    for c in range(3):
        joint["curve"][1 + c, 0] = translation[c]
    if kind in (REVOLUTE, PRISMATIC):
        mass = shift(joint, 0, configs, entry, width, degree, x, lasts)
        factor = link["multiplier"]
        mass = abs(factor) * mass + abs(link["offset"])
        if kind == REVOLUTE:
            axis = vec.matvec(rotation, local_axis)
            first = turn_by(joint, 0, factor) + link["offset"]
            start = vec.matmul(rotation, axis_angle(local_axis, first))
            angle = 8.0 * mass
        else:
            slides = 1
            direction = vec.matvec(rotation, local_axis)
            add_along(joint, 0, factor, direction)
            for c in range(3):
                joint["curve"][1 + c, 0] += link["offset"] * direction[c]
            size += 4.0 * mass
    elif kind == PLANAR:
        slides = 1
        for c in range(2):
            size += 4.0 * shift(joint, c, configs, entry + c, width, degree, x, lasts)
            add_along(joint, c, 1.0, vec.matvec(rotation, vec.load3(link["across"], c)))
        angle = 8.0 * shift(joint, 2, configs, entry + 2, width, degree, x, lasts)
        axis = vec.matvec(rotation, local_axis)
        first = turn_by(joint, 2, 1.0)
        start = vec.matmul(rotation, axis_angle(local_axis, first))
    elif kind in (BALL, FLOATING):
        if kind == FLOATING:
            slides = 1
            for c in range(3):
                size += 4.0 * shift(joint, c, configs, entry + c, width, degree, x, lasts)
                add_along(joint, c, 1.0, (rotation[0][c], rotation[1][c], rotation[2][c]))
            entry += 3
        q0 = (configs[entry], configs[entry + 1], configs[entry + 2], configs[entry + 3])
        entry += width
        q1 = (configs[entry], configs[entry + 1], configs[entry + 2], configs[entry + 3])
        local, turn = relative_turn(q0, q1)
        axis = vec.matvec(rotation, local)
        start = vec.matmul(rotation, vec.matmul(axis_angle(local, (x + MIDDLE * lasts) * turn), rotation_of(q0)))
        joint["curve"][0, 1] = turn * lasts
        angle = 8.0 * turn
    write_rotation(joint, start, axis, 0.0)
    for c in range(3):
        joint["origin"][c] = joint["curve"][1 + c, 0]
        joint["velocity"][c] = 0.0
    joint["begin"] = MIDDLE
    joint["first"] = first
    joint["degree"] = degree
    joint["slides"] = slides
    joint["turn_error"] = 0.0
    joint["slide_error"] = 0.0
    joint["angle"] = angle
    joint["speed"] = 0.0
    joint["slide_accel"] = 0.0
    joint["slide_jerk"] = 0.0
    joint["length"] = vec.norm(translation) * UP
    narrow(joint, 0.0, 1.0)
    joint["size"] = max(joint["length"], size * UP)


@kernel
def allow(joint, link, configs, errors):
    """Let a joint be off by the errors of its entries, a row of `configs` from `errors` on; rotations by an angle.

    Of an orientation the first entry of the quaternion holds the angle, of a position the x entry how far it may be.
    """
    kind = link["kind"]
    at = errors + link["config"]
    turn = 0.0
    slide = 0.0
    if kind == REVOLUTE:
        turn = abs(link["multiplier"]) * configs[at]
    elif kind == PRISMATIC:
        slide = abs(link["multiplier"]) * configs[at]
    elif kind == PLANAR:
        slide = configs[at] + configs[at + 1]
        turn = configs[at + 2]
    elif kind == BALL:
        turn = configs[at]
    elif kind == FLOATING:
        slide = configs[at] + configs[at + 1] + configs[at + 2]
        turn = configs[at + 3]
    joint["turn_error"] = turn * UP
    joint["slide_error"] = slide * UP
    joint["length"] = (joint["length"] + joint["slide_error"]) * UP


@kernel
def set_joint(joint, link, configs, width, piece):
    """Write the motion of a link's joint in a stretch, straight or on a curve, as `clocks` lists it."""
    row0, row1, begin, end, errors = piece
    if row1 < 0:
        curved_motion(joint, link, configs, row0, width, -row1, begin, end)
    else:
        joint_motion(joint, link, configs, row0, row1, begin, end)
    if errors >= 0:
        allow(joint, link, configs, errors)
