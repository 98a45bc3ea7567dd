"""Is a pair apart for all of a slab of time, as seen from its middle?

From the middle both ways are half as long: what speed takes is halved and what acceleration takes is a quarter of what
a step from the slab's beginning has to allow for. In the world's frame the poses of the middle are there already, and a
pair takes 0.15 µs: a snake of 100 links makes 7 steps instead of 45.
"""

import numpy as np

from tocsin import vec
from tocsin.advancement.box_step import box_of, outward
from tocsin.advancement.relative import bending, relative_state
from tocsin.bounds.motion_bound import SHRINK
from tocsin.compiler.jit import kernel
from tocsin.geometry.box_gap import gap_between
from tocsin.geometry.tree import spread


@kernel
def midpoint_test(world, sweeps, joints, pair, middle, half):
    """Are the boxes of two shapes proven farther apart than the margin whenever |t - middle| <= half?

    Claim. Let g be the gap along a fixed n at the middle, less margin and noise, c the greatest difference, either
    way, of the speeds along n of a point of each box, a the greatest acceleration along n of a point of the one less
    that of a point of the other; V, A, J as in `motion_bound`. Then at a distance s from the middle, before or after,
    the gap is at least g - V s, g - c s - A s^2 / 2 and g - c s - max(a, 0) s^2 / 2 - J s^3 / 6. Proof: the claim of
    `motion_bound` for the motion and for the same run backwards, whose velocities are negated and whose accelerations
    are the same. With x -> v.n + k.x the speed along n of a point of a box, its values lie within `spread` of that of
    the centre, so the difference is at most that of the centres plus both. All terms are non-negative, so all three
    decrease with s: positive at `half` is positive throughout. The few roundings of such sums are less than what
    SHRINK takes of g.
    """
    node_a = world.nodes[world.geoms[pair["a"]]["root"]]
    node_b = world.nodes[world.geoms[pair["b"]]["root"]]
    pose, (v, w, other_v, other_w, a, c, other_a, other_c) = relative_state(pair, sweeps, joints, world.links, middle)
    other, arm = outward(pose[0], pose[1], node_b)
    box = box_of(node_a)
    gap, n = gap_between(box, other)
    gap = (gap - (pair["margin"] + pair["noise"])) * SHRINK
    if not gap > 0.0:
        return False
    reach_a = np.float64(node_a["reach"])
    reach_b = np.float64(node_b["reach"])
    if (pair["speed"] + pair["turn_a"] * reach_a + pair["turn_b"] * reach_b) * half < gap:
        return True
    k = vec.cross(n, w)
    other_k = vec.cross(n, other_w)
    between = vec.dot(v, n) + vec.dot(k, box[0]) - vec.dot(other_v, n) - vec.dot(other_k, arm)
    closing = abs(between) + spread(box[2], box[1], k) + spread(other[2], other[1], other_k) + pair["noise_speed"]
    left = gap - closing * half
    if not left > 0.0:
        return False
    most = pair["accel"] + pair["accel_per_reach_a"] * reach_a + pair["accel_per_reach_b"] * reach_b
    if (closing + 0.5 * most * half) * half < gap:
        return True
    jerk = pair["jerk"] + pair["jerk_per_reach_a"] * reach_a + pair["jerk_per_reach_b"] * reach_b
    if not (closing + jerk * half * half * (1.0 / 6.0)) * half < gap:
        return False
    k = bending(n, w, c)
    other_k = bending(n, other_w, other_c)
    now = vec.dot(a, n) + vec.dot(k, box[0]) + spread(box[2], box[1], k)
    now = now - (vec.dot(other_a, n) + vec.dot(other_k, arm) - spread(other[2], other[1], other_k))
    now = max(now + pair["noise_accel"], 0.0)
    return (closing + (0.5 * now + jerk * half * (1.0 / 6.0)) * half) * half < gap
