"""Fills a chart: proves two shapes apart for all values, in a cell, of the joints between them.

Let x, y be the values of the one or two joints that move between two links, and a cell all (x, y) with |x - x0| <= h,
|y - y0| <= k. Any of these is reached from the centre by the motion that turns the joints at constant rates, at most h
and k, for one unit of time; so what holds for motions holds for cells.

Claim. Let n be fixed in the frame of the links' common ancestor, |n| <= 1, g the gap between two parts along n at the
centre, and X, Y the greatest speed along n, either way, that any point of either part has at the centre while joint x
turns at h, or joint y at k, alone. With V and A the bounds of `motion_bound` for rates h and k, the gap is above

    g - X - Y - A / 2        and above        g - V

in the whole cell. Proof: velocities are linear in the rates, and a joint between the links and their ancestor moves one
side only, so at rates of at most h and k the parts close in at no more than X + Y at the centre; V and A are monotone
in the rates; then the claim of the step in `motion_bound`, for one unit of time.
"""

from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.advancement.box_step import box_of, boxes_of, center_of, deepest_on_top, facing, outward
from tocsin.advancement.leaves import convex_set, placed_triangle, proven_gap, triangle
from tocsin.advancement.relative import relative_state, seen_from_b
from tocsin.bounds.motion_bound import SHRINK
from tocsin.broad_phase.pairs import prepare
from tocsin.compiler.jit import kernel
from tocsin.geometry.box_gap import gap_between
from tocsin.geometry.bvh4 import REACH
from tocsin.geometry.convex import convex_distance, support_value
from tocsin.geometry.descent import quad_to_open
from tocsin.geometry.tree import spread
from tocsin.geometry.triangles import triangle_pair
from tocsin.model.tables import MESH
from tocsin.motion.joints import joint_motion
from tocsin.simd.lanes import bits, load, select

NONE = (0.0, 0.0, 0.0)
STILL = (NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE)
"""Of a joint that is not there, see `relative_state`."""

MOST_TESTS = 4096
"""Box tests after which a cell is given up: two shapes whose surfaces run close to each other everywhere."""


@kernel
def box_speed(n, velocity, turn, arm, axes, half):
    """Return the greatest speed along n, either way, of the points of a box on a link; see `box_step.fastest`."""
    k = vec.cross(n, turn)
    return abs(vec.dot(velocity, n) + vec.dot(k, arm)) + spread(half, axes, k)


@kernel
def both_speeds(n, motion, box, other, arm):
    """Return the sum over both sides of `box_speed`: one of the two stands, in the ancestor's frame."""
    v, w, other_v, other_w = motion[:4]
    return box_speed(n, v, w, box[0], box[1], box[2]) + box_speed(n, other_v, other_w, arm, other[1], other[2])


@kernel
def bounds_of(pair, reach_a, reach_b):
    """Return (V, A) of a pair of parts with these reaches."""
    return (
        pair["speed"] + pair["turn_a"] * reach_a + pair["turn_b"] * reach_b,
        pair["accel"] + pair["accel_per_reach_a"] * reach_a + pair["accel_per_reach_b"] * reach_b,
    )


class Cell(NamedTuple):
    """How a pair moves in a cell, around its centre, and what is to be proven."""

    pose: tuple
    motion_x: tuple
    """While one joint alone moves."""
    motion_y: tuple
    clear: float
    """How far apart they shall be, noise included."""
    noise_speed: float


@kernel
def left_over(gap, first, bounds, cell):
    """Return by how much a gap exceeds `clear` in the whole cell, rounded down; if not positive, nothing is proven.

    `first` is X + Y as computed, each off by `noise_speed` at most; `bounds` (V, A).
    """
    speed, acceleration = bounds
    clear, noise_speed = cell.clear, cell.noise_speed
    loss = first + 2.0 * noise_speed + 0.5 * acceleration
    loss = select(speed < loss, speed, loss)
    return gap * SHRINK - (loss + clear) * (1.0 + 2.0**-40)


@kernel
def boxes_left(box, other, arm, bounds, cell):
    """Return (left, gap) of two boxes, floats or lanes: see `left_over`."""
    gap, n = gap_between(box, other)
    first = both_speeds(n, cell.motion_x, box, other, arm) + both_speeds(n, cell.motion_y, box, other, arm)
    return left_over(gap, first, bounds, cell), gap


@kernel
def corner_speed(n, velocity, turn, p, q, r):
    """Return the greatest speed along n, either way, of the points of a triangle on a link."""
    k = vec.cross(n, turn)
    s = vec.dot(velocity, n)
    return max(abs(s + vec.dot(k, p)), max(abs(s + vec.dot(k, q)), abs(s + vec.dot(k, r))))


@kernel
def triangles_left(world, fa, fb, bounds, cell):
    """Return what is left between two triangles: see `left_over`."""
    pose, motion_x, motion_y = cell.pose, cell.motion_x, cell.motion_y
    a0, a1, a2 = triangle(world.points, world.faces, fa)
    (b0, b1, b2), (r0, r1, r2) = placed_triangle(world.points, world.faces, fb, pose)
    d, x, y = triangle_pair(a0, a1, a2, b0, b1, b2)
    if not d > cell.clear:
        return -1.0
    n, gap = proven_gap((a0, a1, a2), (b0, b1, b2), (d, x, y))
    first = corner_speed(n, motion_x[0], motion_x[1], a0, a1, a2) + corner_speed(
        n, motion_y[0], motion_y[1], a0, a1, a2
    )
    first += corner_speed(n, motion_x[2], motion_x[3], r0, r1, r2)
    first += corner_speed(n, motion_y[2], motion_y[3], r0, r1, r2)
    return left_over(gap, first, bounds, cell)


@kernel
def set_speed(n, velocity, turn, table, part):
    """Return the greatest speed along n, either way, of a convex set; all in its link's frame."""
    k = vec.cross(n, turn)
    back = (-k[0], -k[1], -k[2])
    s = vec.dot(velocity, n)
    most = max(
        s + support_value(table, part[0], part[1], part[3], k),
        support_value(table, part[0], part[1], part[3], back) - s,
    )
    return max(most, 0.0) + part[2] * vec.norm(k)


@kernel
def convex_left(world, pair, node_a, node_b, bounds, cell, workspace):
    """Return what is left between two leaves of which one is a convex solid: see `left_over`."""
    pose, motion_x, motion_y, clear, _ = cell
    geom_a = world.geoms[pair["a"]]
    geom_b = world.geoms[pair["b"]]
    table_a, set_a = convex_set(geom_a, node_a, world.points, world.faces, workspace.corners_a)
    table_b, set_b = convex_set(geom_b, node_b, world.points, world.faces, workspace.corners_b)
    guess = vec.add(pose[1], vec.matvec(pose[0], center_of(node_b)))
    guess = vec.sub(guess, center_of(node_a))
    lower, _, n, _, _ = convex_distance(
        table_a, set_a, table_b, set_b, pose, guess, workspace.simplex, (clear, clear, 0.9)
    )
    back = vec.tmatvec(pose[0], n)
    of_b_x = seen_from_b(pose, motion_x)
    of_b_y = seen_from_b(pose, motion_y)
    first = set_speed(n, motion_x[0], motion_x[1], table_a, set_a) + set_speed(
        n, motion_y[0], motion_y[1], table_a, set_a
    )
    first += set_speed(back, of_b_x[0], of_b_x[1], table_b, set_b) + set_speed(
        back, of_b_y[0], of_b_y[1], table_b, set_b
    )
    return left_over(lower, first, bounds, cell)


@kernel
def one_turning(pair, sweeps, joints, links, joint, other):
    """Return (pose, motion) at the centre of a cell while `joint` alone moves; -1 for a joint that is not there."""
    rate = 0.0
    velocity = (0.0, 0.0, 0.0)
    if other >= 0:
        record = joints[other]
        rate = record["rate"]
        velocity = (record["velocity"][0], record["velocity"][1], record["velocity"][2])
        record["rate"] = 0.0
        for i in range(3):
            record["velocity"][i] = 0.0
    pose, motion = relative_state(pair, sweeps, joints, links, 0.0)
    if other >= 0:
        record = joints[other]
        record["rate"] = rate
        for i in range(3):
            record["velocity"][i] = velocity[i]
    if joint < 0:
        motion = STILL
    return pose, motion


@kernel
def leaves_left(world, pair, node_a, node_b, cell, workspace):
    """Return what is left between two leaves: see `left_over`."""
    bounds = bounds_of(pair, np.float64(node_a["reach"]), np.float64(node_b["reach"]))
    if world.geoms[pair["a"]]["kind"] == MESH and world.geoms[pair["b"]]["kind"] == MESH:
        return triangles_left(world, node_a["first"], node_b["first"], bounds, cell)
    return convex_left(world, pair, node_a, node_b, bounds, cell, workspace)


@kernel
def quads_left(world, q, node_a, node_b, pair, open_a, cell, cell_of_b):
    """Return (left, gap) of four children of one node beside the other: see `left_over`. `cell_of_b`: as b sees it."""
    other, arm = facing(node_b if open_a else node_a, cell.pose, open_a)
    reaches = load(world.quads, q, REACH)
    if open_a:
        bounds = bounds_of(pair, reaches, np.float64(node_b["reach"]))
        return boxes_left(boxes_of(world.quads, q), other, arm, bounds, cell)
    bounds = bounds_of(pair, np.float64(node_a["reach"]), reaches)
    return boxes_left(boxes_of(world.quads, q), other, arm, bounds, cell_of_b)


@kernel
def proven_apart(world, chain, workspace, pair, turning, ends, clear):
    """Return (apart, tests): is the pair proven farther apart than `clear` in the whole cell, and what it took.

    `chain`: links, a table in which the joints x and y, which are `turning`, take entries 0 and 1 of a configuration as
    their values; joints, where the records of those that do not move are written already; and sweeps. `ends`: x0, y0,
    x0 + h, y0 + k.
    """
    links, joints, sweeps = chain
    joint_x, joint_y = turning
    joint_motion(joints[joint_x], links[joint_x], ends, 0, 2, 0.0, 1.0)
    if joint_y >= 0:
        joint_motion(joints[joint_y], links[joint_y], ends, 0, 2, 0.0, 1.0)
    prepare(pair, world.geoms, joints, links, sweeps, 1.0, 0.0)
    pose, motion_x = one_turning(pair, sweeps, joints, links, joint_x, joint_y)
    _, motion_y = one_turning(pair, sweeps, joints, links, joint_y, joint_x)
    cell = Cell(pose, motion_x, motion_y, clear + pair["noise"], pair["noise_speed"])
    of_b_x, of_b_y = seen_from_b(pose, motion_x), seen_from_b(pose, motion_y)
    cell_of_b = Cell(pose, of_b_x, of_b_y, cell.clear, cell.noise_speed)
    stack = workspace.stack
    stack[0, 0] = world.geoms[pair["a"]]["root"]
    stack[0, 1] = world.geoms[pair["b"]]["root"]
    top = 1
    tests = 0
    while top > 0:
        top -= 1
        a = stack[top, 0]
        b = stack[top, 1]
        node_a = world.nodes[a]
        node_b = world.nodes[b]
        tests += 1
        if tests > MOST_TESTS:
            return False, tests
        if tests == 1:
            other, arm = outward(pose[0], pose[1], node_b)
            bounds = bounds_of(pair, np.float64(node_a["reach"]), np.float64(node_b["reach"]))
            left, _ = boxes_left(box_of(node_a), other, arm, bounds, cell)
            if left > 0.0:
                return True, tests
        if node_a["count"] > 0 and node_b["count"] > 0:
            if not leaves_left(world, pair, node_a, node_b, cell, workspace) > 0.0:
                return False, tests
            continue
        open_a, q = quad_to_open(node_a, node_b)
        lefts, gaps = quads_left(world, q, node_a, node_b, pair, open_a, cell, cell_of_b)
        # Where a cell fails, it fails soon.
        top = deepest_on_top(stack, top, world.kids, q, (a, b), open_a, gaps, bits(lefts > 0.0))
    return True, tests
