"""One record per pair of shapes that survives spatial culling: what the advancement needs to know about it."""

import numpy as np

from tocsin.bounds.motion_bound import UNIT, chain_bound
from tocsin.compiler.jit import kernel
from tocsin.motion.chain import common_ancestor
from tocsin.motion.joints import UP

PAIR = np.dtype(
    [
        ("a", "i4"),  # shapes
        ("b", "i4"),
        ("link_a", "i4"),
        ("link_b", "i4"),
        ("stop", "i4"),  # lowest common ancestor of the two links: joints above it cost nothing
        ("patience", "i4"),  # how many more times the Taylor models may be asked in vain
        ("visited", "i4"),  # did the advancement need more than a first lower bound?
        ("uncharted", "i4"),  # could it have a chart that is not there? See `advancement.work`
        ("own", "i8"),  # tests left on its own account
        ("steps", "i8"),  # taken in this slab, or window of it
        ("start", "f8"),  # the advancement starts here: free until then
        ("until", "f8"),  # and ends here: what comes later is no matter of this record
        ("taylor", "f8"),  # clearance to ask of the Taylor models of both links; -1: they are not there
        ("margin", "f8"),
        ("tolerance", "f8"),
        ("speed", "f8"),  # bounds of motion_bound, both sides: V = speed + turn_a X_a + turn_b X_b
        ("turn_a", "f8"),
        ("turn_b", "f8"),
        ("accel", "f8"),  # A = accel + accel_per_reach_a X_a + accel_per_reach_b X_b
        ("accel_per_reach_a", "f8"),
        ("accel_per_reach_b", "f8"),
        ("jerk", "f8"),  # J = jerk + jerk_per_reach_a X_a + jerk_per_reach_b X_b
        ("jerk_per_reach_a", "f8"),
        ("jerk_per_reach_b", "f8"),
        ("noise", "f8"),  # error of any computed distance between points of the two shapes, metres
        ("noise_speed", "f8"),  # error of any computed speed of a point of either shape
        ("noise_accel", "f8"),  # and of any computed acceleration
        ("direction", "f8", 3),  # the last separating direction of the hulls, in a's frame: GJK starts here
        ("node_a", "i4"),  # the nodes whose hulls were looked at last, and what is left of their simplex
        ("node_b", "i4"),
        ("vertices", "i4"),
        ("simplex", "f8", (4, 9)),  # see `advancement.hulls`
    ],
    align=True,
)

BETWEEN = 8
"""Joints between two links from which on they may be seen from the world, where poses are shared."""

PATIENCE = 4
"""Answers of the Taylor models that may bring nothing, net of those that do (on tori none does, on long arms most)."""


@kernel
def world_bound(s):
    """Return (speed, turn, accel, accel_per_reach, jerk, jerk_per_reach) of a link in the world during the slab at
    hand."""
    return (
        s["slab_speed"],
        s["slab_turn"],
        s["slab_accel"],
        s["slab_accel_per_reach"],
        s["slab_jerk"],
        s["slab_jerk_per_reach"],
    )


@kernel
def set_noise(pair, noise_a, far_a, noise_b, far_b):
    """Write the error of a distance between points of two shapes, from that of their poses: see `prepare`."""
    pair["noise"] = (noise_a * far_a + noise_b * far_b + 64.0 * UNIT * (far_a + far_b + pair["margin"])) * UP


@kernel
def set_tolerance(pair, geom_a, geom_b, tolerance, relative_tolerance):
    """Write the tolerance of a pair whose noise is known: see `prepare`."""
    if tolerance < 0.0:
        smaller = min(geom_a["diagonal"], geom_b["diagonal"])
        if smaller == 0.0:
            smaller = max(geom_a["diagonal"], geom_b["diagonal"])
        tolerance = max(relative_tolerance * smaller, 16.0 * pair["noise"])
    pair["tolerance"] = tolerance


@kernel
def prepare_look(pair, geoms, sweeps, tolerance, relative_tolerance):
    """Fill in what a look at a moment needs of the pair (pair["a"], pair["b"]), whose margin is set: in the world's
    frame, where the poses of the moment are there."""
    geom_a, geom_b = geoms[pair["a"]], geoms[pair["b"]]
    s_a, s_b = sweeps[geom_a["link"]], sweeps[geom_b["link"]]
    pair["link_a"] = geom_a["link"]
    pair["link_b"] = geom_b["link"]
    pair["stop"] = -1
    for i in range(3):
        pair["direction"][i] = 0.0
    set_noise(pair, s_a["noise"], s_a["length"] + geom_a["reach"], s_b["noise"], s_b["length"] + geom_b["reach"])
    set_tolerance(pair, geom_a, geom_b, tolerance, relative_tolerance)


@kernel
def prepare(pair, geoms, joints, links, sweeps, tolerance, relative_tolerance):
    """Fill the record of the pair (pair["a"], pair["b"]), whose margin is set, for the slab of time of `sweeps`.

    Two links of one model are seen from their lowest common ancestor; on long chains, where that costs more than it
    saves, from the world.

    noise: both poses are off by chain_bound's noise, and a distance is computed from their points by fewer than 64
    roundings of numbers below the lengths that enter (differences, products with directions unit to 16 units), the
    margin included. noise_speed: a velocity is a sum along the same chains of joint velocities and of rates times
    arms, where an arm is off by the noise times the lengths that entered it (cancelled ones included) and rotations by
    the noise; four times the noise of (speed + turn (length + reach)) covers these and the rounding of directions.
    noise_accel: an acceleration is a sum of products of two such rates, or of a rate and a velocity, with a rotation or
    two more; eight times the noise of (accel + accel_per_reach (length + reach)), since no product is more than that.
    Speed, turn, accel and accel_per_reach are here what `chain_bound` adds up, cancelled terms included, whatever is
    known of their sum.

    tolerance < 0 asks for the default: a fraction of the smaller diagonal (of the larger, where the smaller shape is
    a point), never below what the noise lets one resolve.
    """
    geom_a = geoms[pair["a"]]
    geom_b = geoms[pair["b"]]
    a = geom_a["link"]
    b = geom_b["link"]
    s_a = sweeps[a]
    s_b = sweeps[b]
    reach_a = geom_a["reach"]
    reach_b = geom_b["reach"]
    stop = common_ancestor(links, a, b) if geom_a["model"] == geom_b["model"] else -1
    # In the world's frame the bounds of every link are there already, those of all joints and those of the slab.
    speed_a, turn_a, accel_a, accel_per_reach_a, jerk_a, jerk_per_reach_a = world_bound(s_a)
    speed_b, turn_b, accel_b, accel_per_reach_b, jerk_b, jerk_per_reach_b = world_bound(s_b)
    length_a, noise_a = s_a["length"], s_a["noise"]
    length_b, noise_b = s_b["length"], s_b["noise"]
    sum_a = (s_a["speed"], s_a["turn"], s_a["accel"], s_a["accel_per_reach"])
    sum_b = (s_b["speed"], s_b["turn"], s_b["accel"], s_b["accel_per_reach"])
    if stop >= 0:
        chain_a = chain_bound(joints, links, a, stop)
        chain_b = chain_bound(joints, links, b, stop)
        bent = chain_a[2] + chain_a[3] * reach_a + chain_b[2] + chain_b[3] * reach_b
        between = links[a]["depth"] + links[b]["depth"] - 2 * links[stop]["depth"]
        if between > BETWEEN and accel_a + accel_per_reach_a * reach_a + accel_b + accel_per_reach_b * reach_b < bent:
            stop = -1
        else:
            speed_a, turn_a, accel_a, accel_per_reach_a, jerk_a, jerk_per_reach_a, length_a, noise_a = chain_a
            speed_b, turn_b, accel_b, accel_per_reach_b, jerk_b, jerk_per_reach_b, length_b, noise_b = chain_b
            sum_a = (speed_a, turn_a, accel_a, accel_per_reach_a)
            sum_b = (speed_b, turn_b, accel_b, accel_per_reach_b)
    far_a = length_a + reach_a
    far_b = length_b + reach_b
    pair["link_a"] = a
    pair["link_b"] = b
    pair["stop"] = stop
    pair["visited"] = 0
    pair["patience"] = PATIENCE
    pair["uncharted"] = 0
    pair["own"] = 0
    pair["steps"] = 0
    pair["node_a"] = -1
    pair["node_b"] = -1
    pair["vertices"] = 0
    pair["speed"] = (speed_a + speed_b) * UP
    pair["turn_a"] = turn_a
    pair["turn_b"] = turn_b
    pair["accel"] = (accel_a + accel_b) * UP
    pair["accel_per_reach_a"] = accel_per_reach_a
    pair["accel_per_reach_b"] = accel_per_reach_b
    pair["jerk"] = (jerk_a + jerk_b) * UP
    pair["jerk_per_reach_a"] = jerk_per_reach_a
    pair["jerk_per_reach_b"] = jerk_per_reach_b
    set_noise(pair, noise_a, far_a, noise_b, far_b)
    pair["noise_speed"] = (4.0 * (noise_a + noise_b) + 64.0 * UNIT) * (
        sum_a[0] + sum_a[1] * far_a + sum_b[0] + sum_b[1] * far_b
    )
    pair["noise_accel"] = (8.0 * (noise_a + noise_b) + 128.0 * UNIT) * (
        sum_a[2] + sum_a[3] * far_a + sum_b[2] + sum_b[3] * far_b
    )
    set_tolerance(pair, geom_a, geom_b, tolerance, relative_tolerance)
    for i in range(3):
        pair["direction"][i] = 0.0
