"""How long two boxes of two hierarchies stay apart: the step of the advancement, per pair of nodes.

Everything is in the frame of link a at time t. A direction n and the gap between the two boxes along it give a lower
bound of the distance (any direction does: soundness never rests on finding the best one), the velocities along n a
bound of the approach, and `safe_step` the time. The nine edge-edge axes of the classic test cost more than they cull.
"""

import math

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin.bounds.motion_bound import safe_step
from tocsin.geometry.tree import UNIT_DOWN, node_axes, spread
from tocsin.motion.joints import UP

FAR = 1.5
"""Boxes whose centres are farther apart than this many times the sum of their radii are measured along that line."""


@kernel
def center_of(box):
    """Return the box's centre."""
    return (np.float64(box["center"][0]), np.float64(box["center"][1]), np.float64(box["center"][2]))


@kernel
def half_of(box):
    """Return the box's half extents."""
    return (np.float64(box["half"][0]), np.float64(box["half"][1]), np.float64(box["half"][2]))


@kernel
def approach(n, motion, ca, ha, axes_a, cb, hb, axes_b):
    """Return an upper bound, up to rounding, of the speed at which the boxes close in along n at this instant.

    The velocity of a point x of link a along n is va.n + (n x wa).x, linear in x, so its maximum over a box is that
    of a support function; likewise the minimum over b, whose offset cb is counted from b's own origin.
    """
    va, wa, vb, wb = motion
    ka = vec.cross(n, wa)
    fastest = vec.dot(va, n) + vec.dot(ka, ca) + spread(ha, axes_a, ka)
    slowest = vec.dot(vb, n)
    if wb[0] != 0.0 or wb[1] != 0.0 or wb[2] != 0.0:
        kb = vec.cross(n, wb)
        slowest += vec.dot(kb, cb) - spread(hb, axes_b, kb)
    return fastest - slowest


@kernel
def box_gap(box_a, box_b, pose):
    """Return (gap, n, d, a, b): the widest gap between two boxes along their face normals, and from a to b along it.

    `d` is the vector between the centres; `a` and `b` are (centre, half extents, axes) in a's frame, b's centre
    counted from the pose's origin. A gap that is not positive proves nothing.
    """
    rotation, place = pose
    ca = center_of(box_a)
    ha = half_of(box_a)
    axes_a = node_axes(box_a)
    hb = half_of(box_b)
    u = node_axes(box_b)
    axes_b = (vec.matvec(rotation, u[0]), vec.matvec(rotation, u[1]), vec.matvec(rotation, u[2]))
    cb = vec.matvec(rotation, center_of(box_b))
    d = vec.sub(vec.add(cb, place), ca)

    m00 = abs(vec.dot(axes_a[0], axes_b[0]))
    m01 = abs(vec.dot(axes_a[0], axes_b[1]))
    m02 = abs(vec.dot(axes_a[0], axes_b[2]))
    m10 = abs(vec.dot(axes_a[1], axes_b[0]))
    m11 = abs(vec.dot(axes_a[1], axes_b[1]))
    m12 = abs(vec.dot(axes_a[1], axes_b[2]))
    m20 = abs(vec.dot(axes_a[2], axes_b[0]))
    m21 = abs(vec.dot(axes_a[2], axes_b[1]))
    m22 = abs(vec.dot(axes_a[2], axes_b[2]))

    s = vec.dot(axes_a[0], d)
    side = s
    gap = abs(s) - ha[0] - (hb[0] * m00 + hb[1] * m01 + hb[2] * m02)
    n = axes_a[0]
    s = vec.dot(axes_a[1], d)
    g = abs(s) - ha[1] - (hb[0] * m10 + hb[1] * m11 + hb[2] * m12)
    if g > gap:
        gap = g
        side = s
        n = axes_a[1]
    s = vec.dot(axes_a[2], d)
    g = abs(s) - ha[2] - (hb[0] * m20 + hb[1] * m21 + hb[2] * m22)
    if g > gap:
        gap = g
        side = s
        n = axes_a[2]
    s = vec.dot(axes_b[0], d)
    g = abs(s) - hb[0] - (ha[0] * m00 + ha[1] * m10 + ha[2] * m20)
    if g > gap:
        gap = g
        side = s
        n = axes_b[0]
    s = vec.dot(axes_b[1], d)
    g = abs(s) - hb[1] - (ha[0] * m01 + ha[1] * m11 + ha[2] * m21)
    if g > gap:
        gap = g
        side = s
        n = axes_b[1]
    s = vec.dot(axes_b[2], d)
    g = abs(s) - hb[2] - (ha[0] * m02 + ha[1] * m12 + ha[2] * m22)
    if g > gap:
        gap = g
        side = s
        n = axes_b[2]
    # The axes are unit to 2^-22 only: made a little shorter, they are no longer than 1.
    n = vec.scale(n, -UNIT_DOWN if side < 0.0 else UNIT_DOWN)
    return gap * UNIT_DOWN, n, d, (ca, ha, axes_a), (cb, hb, axes_b)


@kernel
def box_step(box_a, box_b, pose, motion, pair, margin, need):
    """Return (h, gap): the boxes stay farther apart than the margin during [t, t + h].

    `pose` = (R, T) of b in a; `motion` = (va, wa, vb, wb), velocities of both origins and angular velocities in a's
    frame relative to their common ancestor; `pair` the record with the motion bounds and the noise. `gap` is the
    proven clearance at t along the direction tried, margin subtracted. Boxes that are far apart for their size are
    measured along the line between their centres, near ones along their face normals: one direction is enough, and
    trying both costs more than it saves (measured).
    """
    rotation, place = pose
    ca = center_of(box_a)
    cb = vec.matvec(rotation, center_of(box_b))
    d = vec.sub(vec.add(cb, place), ca)
    d2 = vec.dot(d, d)
    radii = np.float64(box_a["radius"]) + np.float64(box_b["radius"])
    clear = margin + pair["noise"]
    reach_a = np.float64(box_a["reach"])
    reach_b = np.float64(box_b["reach"])
    speed = pair["speed"] + pair["turn_a"] * reach_a + pair["turn_b"] * reach_b
    far = (radii + clear + need * speed) * UP
    if d2 > far * far:
        return math.inf, math.inf
    acceleration = pair["bend"] + pair["twist_a"] * reach_a + pair["twist_b"] * reach_b
    if d2 > FAR * FAR * radii * radii:
        length = math.sqrt(d2)
        n = (d[0] / length, d[1] / length, d[2] / length)
        ha = half_of(box_a)
        axes_a = node_axes(box_a)
        hb = half_of(box_b)
        u = node_axes(box_b)
        axes_b = (vec.matvec(rotation, u[0]), vec.matvec(rotation, u[1]), vec.matvec(rotation, u[2]))
        gap = length - spread(ha, axes_a, n) - spread(hb, axes_b, n)
    else:
        gap, n, d, a, b = box_gap(box_a, box_b, pose)
        ca, ha, axes_a = a
        cb, hb, axes_b = b
    gap = gap - clear
    if not gap > 0.0:
        return 0.0, gap
    v = approach(n, motion, ca, ha, axes_a, cb, hb, axes_b) + pair["noise_speed"]
    return safe_step(gap, v, acceleration, speed, need), gap
