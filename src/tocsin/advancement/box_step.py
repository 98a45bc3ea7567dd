"""How long two boxes of two hierarchies stay apart: the step of the advancement, per pair of nodes.

A direction n and the gap between the two boxes along it give a lower bound of the distance (any direction does:
soundness never rests on finding the best one), the velocities along n a bound of the approach, and `safe_step` the
time. Which directions are tried: `geometry.box_gap`.

A box is (centre, axes, half extents). The code works on floats and on lanes alike: one box against one box, or the four
of a quad against one box, at the price of one (74 ns against 4 x 80 on the machine where this was measured).

`midpoint_test` asks for the whole of a slab from its middle. Both ways are half as long from there: what speed takes is
halved and what acceleration takes is a quarter of what a step from the slab's beginning has to allow for. In the
world's frame the poses of the middle are there already, and a pair takes 0.15 µs: a snake of 100 links makes 7 steps
instead of 45.
"""

import numpy as np

from tocsin import vec
from tocsin.advancement.relative import bending, relative_state
from tocsin.bounds.motion_bound import MOSTLY, SHRINK, safe_step, sharper_step
from tocsin.compiler.jit import inlined, kernel
from tocsin.geometry.box_gap import gap_between
from tocsin.geometry.bvh4 import AXES, CENTER, HALF, REACH
from tocsin.geometry.tree import node_axes, spread
from tocsin.simd import lanes
from tocsin.simd.lanes import bits


@kernel
def center_of(box):
    """Return the box's centre."""
    return (np.float64(box["center"][0]), np.float64(box["center"][1]), np.float64(box["center"][2]))


@kernel
def half_of(box):
    """Return the box's half extents."""
    return (np.float64(box["half"][0]), np.float64(box["half"][1]), np.float64(box["half"][2]))


@kernel
def box_of(node):
    """Return a node's box in its own frame."""
    return center_of(node), node_axes(node), half_of(node)


@kernel
def load3(quads, q, row):
    """Return three rows of a quad as a vector of lanes."""
    return (lanes.load(quads, q, row), lanes.load(quads, q, row + 1), lanes.load(quads, q, row + 2))


@kernel
def boxes_of(quads, q):
    """Return the four boxes of a quad, in lanes, in their own frame."""
    u = load3(quads, q, AXES)
    v = load3(quads, q, AXES + 3)
    return load3(quads, q, CENTER), (u, v, vec.cross(u, v)), load3(quads, q, HALF)


@kernel
def outward(rotation, place, node):
    """Return (box, arm): a node's box placed by x -> rotation x + place; its centre from the image of the origin."""
    u = node_axes(node)
    arm = vec.matvec(rotation, center_of(node))
    axes = (vec.matvec(rotation, u[0]), vec.matvec(rotation, u[1]), vec.matvec(rotation, u[2]))
    return (vec.add(arm, place), axes, half_of(node)), arm


@kernel
def inward(rotation, place, node):
    """Return (box, arm) as `outward` does, for the inverse x -> rotation^T (x - place)."""
    u = node_axes(node)
    c = center_of(node)
    axes = (vec.tmatvec(rotation, u[0]), vec.tmatvec(rotation, u[1]), vec.tmatvec(rotation, u[2]))
    return (vec.tmatvec(rotation, vec.sub(c, place)), axes, half_of(node)), vec.tmatvec(rotation, c)


@kernel
def fastest(n, velocity, turn, arm, axes, half):
    """Return the largest speed along n, up to rounding, of the points of a box on a link.

    The velocity of a point x from the link's origin is v.n + (n x w).x along n, linear in x, so its maximum over the
    box is that of a support function.
    """
    k = vec.cross(n, turn)
    return vec.dot(velocity, n) + vec.dot(k, arm) + spread(half, axes, k)


@kernel
def slowest(n, velocity, turn, arm, axes, half):
    """Return the smallest speed along n, up to rounding, of the points of a box on a link."""
    k = vec.cross(n, turn)
    return vec.dot(velocity, n) + vec.dot(k, arm) - spread(half, axes, k)


@kernel
def step(box, other, motion, speed, acceleration, clear, noise_speed, need):
    """Return (h, gap, n, closing): the boxes stay farther apart than the margin during [t, t + h].

    `box`, floats or lanes, in the frame of its own link; `other` (box, arm) placed there, its centre `arm` away from
    its own link's origin. `motion` = (v, w, v of other, w of other), in this frame. `clear` is margin and noise; `gap`
    the proven clearance at t beyond it, along n, and `closing` a bound of the speed at which it shrinks.
    """
    v, w, other_v, other_w = motion[:4]
    placed, arm = other
    gap, n = gap_between(box, placed)
    gap = gap - clear
    leaving = fastest(n, v, w, box[0], box[1], box[2])
    coming = slowest(n, other_v, other_w, arm, placed[1], placed[2])
    closing = leaving - coming + noise_speed
    return safe_step(gap, closing, acceleration, speed, need), gap, n, closing


@kernel
def longer_step(box, other, motion, so_far, rates, noise_accel, need):
    """Return a step at least as long as the one `so_far`, what `step` returned: by accelerations too (`sharper_step`).

    Those are of the boxes' points at t. What `fastest` says of velocities holds of accelerations: they are linear in
    the point too (`relative.bending`).
    """
    _, w, _, other_w, a, c, other_a, other_c = motion
    placed, arm = other
    h, gap, n, closing = so_far
    acceleration, jerk = rates
    k = bending(n, w, c)
    other_k = bending(n, other_w, other_c)
    most = vec.dot(a, n) + vec.dot(k, box[0]) + spread(box[2], box[1], k)
    least = vec.dot(other_a, n) + vec.dot(other_k, arm) - spread(placed[2], placed[1], other_k)
    return sharper_step(h, gap, closing, most - least + noise_accel, acceleration, jerk, need)


@kernel
def box_gap(node_a, node_b, pose):
    """Return (gap, n) of two nodes, in a's frame; `pose` = (R, T) of b in a."""
    other, _ = outward(pose[0], pose[1], node_b)
    return gap_between(box_of(node_a), other)


@kernel
def box_step(node_a, node_b, pose, motion, pair, need):
    """Return (h, gap) of two nodes: see `step`. `motion` in a's frame; `pair` has the motion bounds and the noise."""
    other = outward(pose[0], pose[1], node_b)
    reach_a = np.float64(node_a["reach"])
    reach_b = np.float64(node_b["reach"])
    speed = pair["speed"] + pair["turn_a"] * reach_a + pair["turn_b"] * reach_b
    acceleration = pair["accel"] + pair["accel_per_reach_a"] * reach_a + pair["accel_per_reach_b"] * reach_b
    clear = pair["margin"] + pair["noise"]
    box = box_of(node_a)
    so_far = step(box, other, motion, speed, acceleration, clear, pair["noise_speed"], need)
    h, gap, _, closing = so_far
    if 0.0 < h < need and closing * h < MOSTLY * gap:
        jerk = pair["jerk"] + pair["jerk_per_reach_a"] * reach_a + pair["jerk_per_reach_b"] * reach_b
        h = longer_step(box, other, motion, so_far, (acceleration, jerk), pair["noise_accel"], need)
    return h, gap


@kernel
def facing(node, pose, of_a):
    """Return (box, arm): a node of b as a quad of a sees it, or a node of a as a quad of b does."""
    if of_a:
        return outward(pose[0], pose[1], node)
    return inward(pose[0], pose[1], node)


@kernel
def quad_step(quads, q, node, pose, motion, pair, of_a, need):
    """Return lanes (h, gap): the four boxes of a quad (of a, or of b) against a node of the other; see `step`.

    `motion` in the frame of the quad, its own velocities first.
    """
    other = facing(node, pose, of_a)
    turn, other_turn = (pair["turn_a"], pair["turn_b"]) if of_a else (pair["turn_b"], pair["turn_a"])
    accel_per_reach, other_accel_per_reach = (
        (pair["accel_per_reach_a"], pair["accel_per_reach_b"])
        if of_a
        else (pair["accel_per_reach_b"], pair["accel_per_reach_a"])
    )
    reach = np.float64(node["reach"])
    reaches = lanes.load(quads, q, REACH)
    speed = (pair["speed"] + other_turn * reach) + turn * reaches
    acceleration = (pair["accel"] + other_accel_per_reach * reach) + accel_per_reach * reaches
    clear = pair["margin"] + pair["noise"]
    boxes = boxes_of(quads, q)
    so_far = step(boxes, other, motion, speed, acceleration, clear, pair["noise_speed"], need)
    h, gap, _, closing = so_far
    if bits((h > 0.0) & (h < need) & (closing * h < MOSTLY * gap)):
        jerk_per_reach, other_jerk_per_reach = (
            (pair["jerk_per_reach_a"], pair["jerk_per_reach_b"])
            if of_a
            else (pair["jerk_per_reach_b"], pair["jerk_per_reach_a"])
        )
        jerk = (pair["jerk"] + other_jerk_per_reach * reach) + jerk_per_reach * reaches
        h = longer_step(boxes, other, motion, so_far, (acceleration, jerk), pair["noise_accel"], need)
    return h, gap


@kernel
def quad_gaps(quads, q, node, pose, of_a):
    """Return lanes: the gaps of the four boxes of a quad (of a, or of b) to a node of the other; see `gap_between`."""
    other, _ = facing(node, pose, of_a)
    gaps, _ = gap_between(boxes_of(quads, q), other)
    return gaps


@inlined
def deepest_on_top(stack, top, kids, q, nodes, open_a, gaps, done):
    """Put the pairs that two `nodes` are opened into on a stack, but for those that are `done`; return its height.

    Opened into quad q is the first of the two nodes (`open_a`) or the second; `gaps` are those of its four boxes to the
    other node, in lanes, `done` has a bit for each. The pair with the least gap is on top.
    """
    a, b = nodes
    deepest = np.inf
    for k in range(lanes.WIDTH):
        kid = kids[q, k]
        if kid < 0 or done >> k & 1:
            continue
        gap = lanes.lane(gaps, k)
        place = top
        if gap > deepest:
            place = top - 1
            stack[top, 0] = stack[place, 0]
            stack[top, 1] = stack[place, 1]
        else:
            deepest = gap
        stack[place, 0] = kid >> 1 if open_a else a
        stack[place, 1] = b if open_a else kid >> 1
        top += 1
    return top


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
