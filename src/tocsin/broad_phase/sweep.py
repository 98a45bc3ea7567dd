"""The box that a link sweeps during a slab of time [CATCH 5.1, 5.2].

Two enclosures, the second only where it pays:

quick   the box of the convex proxy around the middle of the slab, grown by how far its points can move in half of
        it: first order exact, second order bounded; a few nanoseconds a point;
Taylor  the Taylor matrix of the link's motion, applied to the corners of its oriented box: what long motions need.

Both enclose the motion of the computed joint records; `noise` (see `motion_bound`) is added for what those are off.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.bounds.motion_bound import UNIT
from tocsin.bounds.slab_bound import slab_bound, whole_bound
from tocsin.bounds.taylor import compose, joint_taylor, swept_box
from tocsin.compiler.jit import kernel
from tocsin.motion.curves import sliding, turning
from tocsin.motion.joints import UP, joint_pose
from tocsin.simd.lanes import WIDTH, lane, select
from tocsin.simd.points import load_points

SWEEP = np.dtype(
    [
        ("rotation", "f8", (3, 3)),  # pose in the world at the time `at`: while boxes are made, the middle of the slab
        ("place", "f8", 3),
        ("omega", "f8", 3),  # velocities and accelerations at that time, see `chain_state`
        ("velocity", "f8", 3),
        ("alpha", "f8", 3),
        ("acceleration", "f8", 3),
        ("at", "f8"),  # NaN: no pose is there
        ("speed", "f8"),  # bounds of motion_bound in the world's frame, over the whole piece
        ("turn", "f8"),
        ("accel", "f8"),
        ("accel_per_reach", "f8"),
        ("jerk", "f8"),
        ("jerk_per_reach", "f8"),
        ("slab_speed", "f8"),  # the same during the slab at hand, see `slab_bound`
        ("slab_turn", "f8"),
        ("slab_accel", "f8"),
        ("slab_accel_per_reach", "f8"),
        ("slab_jerk", "f8"),
        ("slab_jerk_per_reach", "f8"),
        ("slab_whirl", "f8"),  # of the angular acceleration, and of its derivatives
        ("slab_surge", "f8"),
        ("slab_rush", "f8"),
        ("slab_snap", "f8"),  # of the fourth derivative of the place
        ("middle_accel", "f8"),  # of the acceleration at the middle of the slab
        ("middle_accel_per_reach", "f8"),
        ("beta", "f8", 3),  # the derivatives of alpha and of the acceleration there
        ("jerk_vector", "f8", 3),
        ("length", "f8"),  # sum of the joints' sizes
        ("noise", "f8"),  # relative; times (length + reach) it is metres
        ("error", "f8"),  # how far its points may be off the motion, metres: error + error_per_reach X, see `tubes`
        ("error_per_reach", "f8"),
        ("slab", "i4"),  # are the bounds those of a slab?
        ("taylor", "i4"),  # is the Taylor matrix of this slab there?
        ("outward", "i4"),  # on the way from an ancestor to a link: the next one
    ],
    align=True,
)

QUICK = 0.1
"""The quick box will do if it grows by at most this fraction of its own size."""


LONG, TURNING = 16, 0.2
"""Joints of a chain and radians that they turn, added up, in half a slab, beyond which the bounds of its model are made
for the slab: they cost 50 ns a link, and gain nothing on arms of seven joints or where a mannequin walks."""

DEEP = 24
"""Joints of a chain beyond which its poses and Taylor matrices are what costs most."""


@kernel
def link_bounds(sweeps, joints, links, i):
    """Write the motion bounds of link i in the world's frame, from its parent's, which are there already.

    Poses of another motion are forgotten.

    The same numbers as `motion_bound.chain_bound`, outermost joint first: with a point at q in the link's frame, at
    p = T + R q in the parent's, |p| <= L + X, |p'| <= u + w X, |p''| <= w^2 X, |p'''| <= w^3 X, and in the world
    V = V_parent(p) + |p'|, A = A_parent(p) + 2 turn_parent |p'| + |p''|, J = J_parent(p) + 3 twist_parent |p'| + 3
    turn_parent |p''| + |p'''|; collect the terms with and without X.
    On a curve the second and third derivatives of p are bounded by the joint's own. How far the link may be off
    (`tubes`) is added up like its speed.
    """
    s = sweeps[i]
    joint = joints[i]
    u = joint["speed"]
    w = joint["turn"]
    length = joint["length"]
    size = joint["size"]
    noise = (256.0 + 16.0 * joint["angle"]) * UNIT * UP
    s["at"] = math.nan
    parent = links[i]["parent"]
    if parent < 0:
        s["speed"] = u
        s["turn"] = w
        s["accel"] = 0.0
        s["accel_per_reach"] = w * w * UP
        s["jerk"] = 0.0
        s["jerk_per_reach"] = w * w * w * UP
        if joint["degree"] != 0:
            s["accel"] = joint["slide_accel"]
            s["accel_per_reach"] = joint["turn_accel"]
            s["jerk"] = joint["slide_jerk"]
            s["jerk_per_reach"] = joint["turn_jerk"]
        s["length"] = size
        s["noise"] = noise + 64.0 * UNIT
        s["error"] = joint["slide_error"]
        s["error_per_reach"] = joint["turn_error"]
        whole_bound(s)
        return
    p = sweeps[parent]
    s["error"] = (p["error"] + p["error_per_reach"] * length + joint["slide_error"]) * UP
    s["error_per_reach"] = (p["error_per_reach"] + joint["turn_error"]) * UP
    s["speed"] = (p["speed"] + p["turn"] * length + u) * UP
    s["turn"] = (p["turn"] + w) * UP
    s["accel"] = (p["accel"] + p["accel_per_reach"] * length + 2.0 * p["turn"] * u) * UP
    s["accel_per_reach"] = (p["accel_per_reach"] + 2.0 * p["turn"] * w + w * w) * UP
    s["jerk"] = (p["jerk"] + p["jerk_per_reach"] * length + 3.0 * p["accel_per_reach"] * u) * UP
    s["jerk_per_reach"] = (p["jerk_per_reach"] + w * (3.0 * p["accel_per_reach"] + w * (3.0 * p["turn"] + w))) * UP
    if joint["degree"] != 0:
        r2 = joint["turn_accel"]
        t2 = joint["slide_accel"]
        s["accel"] = (p["accel"] + p["accel_per_reach"] * length + 2.0 * p["turn"] * u + t2) * UP
        s["accel_per_reach"] = (p["accel_per_reach"] + 2.0 * p["turn"] * w + r2) * UP
        s["jerk"] = (
            p["jerk"]
            + p["jerk_per_reach"] * length
            + 3.0 * p["accel_per_reach"] * u
            + 3.0 * p["turn"] * t2
            + joint["slide_jerk"]
        ) * UP
        s["jerk_per_reach"] = (
            p["jerk_per_reach"] + 3.0 * p["accel_per_reach"] * w + 3.0 * p["turn"] * r2 + joint["turn_jerk"]
        ) * UP
    s["length"] = (p["length"] + size) * UP
    s["noise"] = (p["noise"] + noise) * UP
    whole_bound(s)


@kernel
def link_at(sweeps, joints, links, i, t):
    """Write the pose, velocities and accelerations of link i in the world at time t; its parent's are there already.

    With p and w the place and rate of its joint in the parent's frame, s its speed, all turned into the world's, and
    omega, alpha, a of the parent: a' = a + alpha x p + omega x (omega x p) + 2 omega x s, alpha' = alpha + omega x w;
    on a curve the joint's own accelerations are added.
    Off by no more than what `chain_bound` says of a pose from the joints one by one: the same products, in an order in
    which the links of a chain share them.
    """
    s = sweeps[i]
    joint = joints[i]
    r, p = joint_pose(joint, t)
    rate = joint["rate"]
    w = (rate * joint["axis"][0], rate * joint["axis"][1], rate * joint["axis"][2])
    v = (joint["velocity"][0], joint["velocity"][1], joint["velocity"][2])
    alpha = (0.0, 0.0, 0.0)
    acceleration = (0.0, 0.0, 0.0)
    curved = joint["degree"] != 0
    dw = (0.0, 0.0, 0.0)
    dv = (0.0, 0.0, 0.0)
    if curved:
        rate, faster = turning(joint, t)
        w = (rate * joint["axis"][0], rate * joint["axis"][1], rate * joint["axis"][2])
        dw = (faster * joint["axis"][0], faster * joint["axis"][1], faster * joint["axis"][2])
        if joint["slides"] != 0:
            v, dv = sliding(joint, t)
    parent = links[i]["parent"]
    if parent >= 0:
        up = sweeps[parent]
        base = (vec.load3(up["rotation"], 0), vec.load3(up["rotation"], 1), vec.load3(up["rotation"], 2))
        omega = (up["omega"][0], up["omega"][1], up["omega"][2])
        alpha = (up["alpha"][0], up["alpha"][1], up["alpha"][2])
        arm = vec.matvec(base, p)
        across = vec.cross(omega, arm)
        v = vec.matvec(base, v)
        w = vec.matvec(base, w)
        acceleration = vec.add(
            vec.add((up["acceleration"][0], up["acceleration"][1], up["acceleration"][2]), vec.cross(alpha, arm)),
            vec.cross(omega, vec.add(across, vec.add(v, v))),
        )
        alpha = vec.add(alpha, vec.cross(omega, w))
        v = vec.add(vec.add((up["velocity"][0], up["velocity"][1], up["velocity"][2]), across), v)
        w = vec.add(omega, w)
        p = vec.add((up["place"][0], up["place"][1], up["place"][2]), arm)
        r = vec.matmul(base, r)
        if curved:
            dw = vec.matvec(base, dw)
            dv = vec.matvec(base, dv)
    if curved:
        alpha = vec.add(alpha, dw)
        acceleration = vec.add(acceleration, dv)
    for a in range(3):
        for b in range(3):
            s["rotation"][a, b] = r[a][b]
        s["place"][a] = p[a]
        s["omega"][a] = w[a]
        s["velocity"][a] = v[a]
        s["alpha"][a] = alpha[a]
        s["acceleration"][a] = acceleration[a]
    s["at"] = t


@kernel
def half_of(t0, t1):
    """Return how far a time of the slab [t0, t1] can be from its middle, as rounded."""
    return 0.5 * (t1 - t0) * UP + 2.0**-52 if t1 > t0 else 0.0


@kernel
def link_middle(sweeps, joints, links, i, t, half_time):
    """Write the pose and velocities of link i at the middle of a slab, and its bounds during `half_time` around it.

    Its parent's are there already; Taylor matrices are still to be made. With half_time = 0 the bounds are those of the
    whole piece.
    """
    link_at(sweeps, joints, links, i, t)
    sweeps[i]["taylor"] = 0
    if half_time > 0.0:
        parent = links[i]["parent"]
        slab_bound(sweeps[i], sweeps[max(parent, 0)], joints[i], parent >= 0, t, half_time)
    elif sweeps[i]["slab"] != 0:
        whole_bound(sweeps[i])


@kernel
def place_link(sweeps, joints, links, link, t):
    """Make sure that the pose of a link at time t, and of its ancestors, is there."""
    i = link
    parent = links[i]["parent"]
    while parent >= 0 and sweeps[parent]["at"] != t:
        sweeps[parent]["outward"] = i
        i = parent
        parent = links[i]["parent"]
    link_at(sweeps, joints, links, i, t)
    while i != link:
        i = sweeps[i]["outward"]
        link_at(sweeps, joints, links, i, t)


class Chains(NamedTuple):
    """How links move, chain by chain: what the boxes and Taylor models of a slab of time are made of."""

    sweeps: np.ndarray
    taylor: np.ndarray
    """(links, 3, 4, 5) Taylor matrices, of links whose `taylor` is set."""
    scratch: np.ndarray
    """(3, 4, 5) room for one more."""
    joints: np.ndarray
    links: np.ndarray


@kernel
def link_taylor(chains, link, t0, t1):
    """Make sure that the Taylor matrix of a link during [t0, t1], and of its ancestors, is there."""
    sweeps, taylor, scratch, joints, links = chains
    # Climb to the last ancestor that has one, then come down again.
    i = link
    parent = links[i]["parent"]
    while parent >= 0 and sweeps[parent]["taylor"] == 0:
        sweeps[parent]["outward"] = i
        i = parent
        parent = links[i]["parent"]
    while True:
        parent = links[i]["parent"]
        if parent < 0:
            joint_taylor(taylor[i], joints[i], t0, t1)
        else:
            joint_taylor(scratch, joints[i], t0, t1)
            compose(taylor[i], taylor[parent], scratch)
        sweeps[i]["taylor"] = 1
        if i == link:
            return
        i = sweeps[i]["outward"]


@kernel
def smaller(a, b):
    """Return the smaller one of each coordinate, in every lane."""
    return (select(b[0] < a[0], b[0], a[0]), select(b[1] < a[1], b[1], a[1]), select(b[2] < a[2], b[2], a[2]))


@kernel
def larger(a, b):
    """Return the larger one of each coordinate, in every lane."""
    return (select(b[0] > a[0], b[0], a[0]), select(b[1] > a[1], b[1], a[1]), select(b[2] > a[2], b[2], a[2]))


@kernel
def moved_range(s, p, half_time):
    """Return (lo, hi): a point of a link from the link's place, and how far its velocity takes it in half of a slab.

    Floats, or lanes of several points.
    """
    r = (vec.load3(s["rotation"], 0), vec.load3(s["rotation"], 1), vec.load3(s["rotation"], 2))
    x = vec.matvec(r, p)
    w = vec.add(
        vec.cross((s["omega"][0], s["omega"][1], s["omega"][2]), x),
        (s["velocity"][0], s["velocity"][1], s["velocity"][2]),
    )
    gone = (abs(w[0]) * half_time, abs(w[1]) * half_time, abs(w[2]) * half_time)
    return vec.sub(x, gone), vec.add(x, gone)


@kernel
def quick_box(s, geom, points, half_time):
    """Return (lo, hi, growth): the box of the shape's convex proxy around the middle of the slab, grown by its motion.

    Claim: during the slab no point of the shape leaves it. Proof: a point p of the proxy, at x with velocity v at the
    middle, moves along a coordinate by at most |v_c| tau + A tau^2 / 2 and |v_c| tau + |a| tau^2 / 2 + J tau^3 / 6
    (Taylor), a its acceleration at the middle, and at most V tau; tau is half the slab. Points of the hull are fixed
    convex combinations of those, so at any time they are in the box of their places; the radius adds a ball around
    each. What is computed of x and v is off by the noise as `pairs.prepare` says. `growth` is the part that long turns
    inflate, relative to the size.
    """
    first = geom["proxy"]
    count = geom["proxy_count"]
    (lx, ly, lz), (hx, hy, hz) = moved_range(s, vec.load3(points, first), half_time)
    if count < WIDTH:
        for k in range(first + 1, first + count):
            lo, hi = moved_range(s, vec.load3(points, k), half_time)
            lx, ly, lz = min(lx, lo[0]), min(ly, lo[1]), min(lz, lo[2])
            hx, hy, hz = max(hx, hi[0]), max(hy, hi[1]), max(hz, hi[2])
    else:
        # Four at a time, a sixth of the time; the last four may be among them twice.
        low, high = moved_range(s, load_points(points, first + count - WIDTH), half_time)
        for k in range(first, first + count - WIDTH, WIDTH):
            lo, hi = moved_range(s, load_points(points, k), half_time)
            low = smaller(low, lo)
            high = larger(high, hi)
        for k in range(WIDTH):
            lx, ly, lz = min(lx, lane(low[0], k)), min(ly, lane(low[1], k)), min(lz, lane(low[2], k))
            hx, hy, hz = max(hx, lane(high[0], k)), max(hy, lane(high[1], k)), max(hz, lane(high[2], k))
    reach = geom["reach"]
    accel = s["slab_accel"] + s["slab_accel_per_reach"] * reach
    if s["slab"] != 0:
        jerk = (s["slab_jerk"] + s["slab_jerk_per_reach"] * reach) * half_time * (1.0 / 3.0)
        accel = min(accel, s["middle_accel"] + s["middle_accel_per_reach"] * reach + jerk)
    accel = min(0.5 * accel * half_time * half_time, (s["slab_speed"] + s["slab_turn"] * reach) * half_time)
    far = s["length"] + reach
    error = (s["noise"] + 64.0 * UNIT) * (far + 4.0 * half_time * (s["speed"] + s["turn"] * far)) * UP
    grow = geom["proxy_radius"] + geom["proxy_disk"] + accel * UP + error
    place = s["place"]
    radius = max(hx - lx, max(hy - ly, hz - lz))
    return (
        (place[0] + lx - grow, place[1] + ly - grow, place[2] + lz - grow),
        (place[0] + hx + grow, place[1] + hy + grow, place[2] + hz + grow),
        accel / radius if radius > 0.0 else 0.0,
    )


@kernel
def geom_box(boxes, row, chains, points, geom, t0, t1, margin):
    """Write the box that a shape sweeps during [t0, t1], grown by the margin, into a row of `boxes`."""
    i = geom["link"]
    s = chains.sweeps[i]
    lo, hi, growth = quick_box(s, geom, points, half_of(t0, t1))
    if growth > QUICK:
        if s["taylor"] == 0:
            link_taylor(chains, i, t0, t1)
        low, high = swept_box(chains.taylor[i], geom["center"], geom["axes"], geom["half"])
        error = s["noise"] * (s["length"] + geom["reach"])
        # Both boxes hold, so their intersection does.
        lo = (max(lo[0], low[0] - error), max(lo[1], low[1] - error), max(lo[2], low[2] - error))
        hi = (min(hi[0], high[0] + error), min(hi[1], high[1] + error), min(hi[2], high[2] + error))
    margin += s["error"] + s["error_per_reach"] * geom["reach"]
    for c in range(3):
        boxes[row, c] = lo[c] - margin * UP
        boxes[row, 3 + c] = hi[c] + margin * UP
