"""Can a candidate be a contact that is proper enough? Seen from directions alone, before anything is solved [SCREW 5].

Most candidates are not: where two drawings overlap most of what overlaps does not face. The normal of a candidate is
known as well as its time is, so its properness is too.
"""

import math

from tocsin import vec
from tocsin.compiler.jit import inlined
from tocsin.contacts.properness import edge_side, face_normal

ABOUT = 0.02
"""What is less proper than wanted by this much, at roughly the right time, is not looked at further."""

MOMENTS = 17
"""Times at which turns are prepared for the first look."""


@inlined
def fill_turns(turns, angle):
    """Write the cosine and the sine of the turn about the axis at MOMENTS times into the first two columns."""
    step = angle / (MOMENTS - 1.0)
    c = math.cos(step)
    s = math.sin(step)
    x = 1.0
    y = 0.0
    for m in range(MOMENTS):
        turns[m, 0] = x
        turns[m, 1] = y
        x, y = x * c - y * s, x * s + y * c


@inlined
def turn_at(turns, tau):
    """Return (cosine, sine) of the nearest of the turns to a time in [0, 1]."""
    m = int(tau * (MOMENTS - 1.0) + 0.5)
    return turns[m, 0], turns[m, 1]


@inlined
def turned(c, s, v):
    """Return v turned about the axis, from z towards x."""
    return c * v[0] + s * v[2], v[1], c * v[2] - s * v[0]


@inlined
def when(tau, doubt):
    """Return (the middle, half the length) of the times in [0, 1] that are no farther than `doubt` from tau."""
    lo = min(max(tau - doubt, 0.0), 1.0)
    hi = min(max(tau + doubt, 0.0), 1.0)
    return 0.5 * (lo + hi), 0.5 * (hi - lo)


@inlined
def edges_may_be_proper(sides, meeting, edges, along, tau, doubt):
    """Can two edges (a, b) that cross on the screen, at about tau, be a contact that is proper enough?

    `along`: both in the frame of the axis. A turn that is off by an angle d turns their normal by at most d / sine, the
    sine of the angle between them, to first order; twice that is allowed for.
    """
    edge_a, edge_b = edges
    along_a, along_b = along
    middle, half = when(tau, doubt)
    c, s = turn_at(meeting.turns, middle)
    doubt = meeting.frame.angle * (half + 0.5 / (MOMENTS - 1.0))
    normal = vec.cross(along_a, turned(c, s, along_b))
    square = vec.dot(normal, normal)
    lengths = vec.dot(along_a, along_a) * vec.dot(along_b, along_b)
    if not square > 4.0 * doubt * doubt * lengths:
        return True
    inverse = 1.0 / math.sqrt(square)
    normal = vec.scale(normal, inverse)
    wanted = meeting.least - ABOUT - 2.0 * doubt * math.sqrt(lengths) * inverse
    on_a = vec.tmatvec(meeting.frame.rows, normal)
    below = edge_side(sides, edge_a["side"], edge_a["sides"], on_a)
    above = edge_side(sides, edge_a["side"], edge_a["sides"], (-on_a[0], -on_a[1], -on_a[2]))
    if max(below, above) < wanted:
        return False
    on_b = vec.tmatvec(meeting.turn_b, turned(c, -s, normal))
    above = min(above, edge_side(sides, edge_b["side"], edge_b["sides"], on_b))
    below = min(below, edge_side(sides, edge_b["side"], edge_b["sides"], (-on_b[0], -on_b[1], -on_b[2])))
    return max(below, above) >= wanted


@inlined
def corner_may_be_proper(vectors, meeting, corner, normal, turn, way, moment, closed):
    """Can a corner in a face of the other body, at a moment (about tau, doubt), be a contact that is proper enough?

    `normal`: the face's, in the frame of the axis; `turn`: from the frame of the corner's body to that; `way`: 1 if the
    face is b's, which flows, -1 if the corner is.
    """
    middle, half = when(moment[0], moment[1])
    c, s = turn_at(meeting.turns, middle)
    normal = vec.tmatvec(turn, turned(c, way * s, normal))
    proper, _ = face_normal(vectors, corner, normal, closed)
    return proper >= meeting.least - ABOUT - meeting.frame.angle * (half + 0.5 / (MOMENTS - 1.0))
