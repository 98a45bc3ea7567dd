"""The static question: the closest two points of a standing scene, with a proven lower bound."""

import math

import numpy as np

from tocsin import vec
from tocsin.advancement.box_step import box_gap, quad_gaps
from tocsin.advancement.leaves import leaf_distance
from tocsin.advancement.relative import relative_state
from tocsin.compiler.arrays import stable_order
from tocsin.compiler.jit import kernel
from tocsin.contacts.inside import one_inside_other
from tocsin.geometry.descent import quad_to_open
from tocsin.motion.chain import chain_pose
from tocsin.simd.lanes import WIDTH, lane

GAP = 3
"""The column of `Workspace.warm_starts` for the gap between the boxes of two nodes on the stack."""

MOST_TESTS = 1 << 22
"""Pairs of nodes that are looked at for one distance: seconds. Then `lower` holds what was not opened."""


@kernel
def root_gaps(world, sweeps, joints, pairs, n_pairs, t):
    """Return a proven lower bound, perhaps negative, of the distance of each pair: the gap of its outermost boxes."""
    gaps = np.zeros(n_pairs)
    for p in range(n_pairs):
        pair = pairs[p]
        node_a = world.nodes[world.geoms[pair["a"]]["root"]]
        node_b = world.nodes[world.geoms[pair["b"]]["root"]]
        pose, _ = relative_state(pair, sweeps, joints, world.links, t)
        gap, _ = box_gap(node_a, node_b, pose)
        gaps[p] = gap - pair["noise"]
    return gaps


@kernel
def put_in_order(stack, waiting, bottom, top, gap, a, b):
    """Put a pair of nodes on the stack, below those above `bottom` that are nearer: the nearest is on top.

    `waiting`: the gaps of those on the stack, in the last column, as in `Workspace.warm_starts`.
    """
    place = top
    while place > bottom and waiting[place - 1, GAP] < gap:
        waiting[place, GAP] = waiting[place - 1, GAP]
        stack[place, 0] = stack[place - 1, 0]
        stack[place, 1] = stack[place - 1, 1]
        place -= 1
    waiting[place, GAP] = gap
    stack[place, 0] = a
    stack[place, 1] = b


@kernel
def closest(world, sweeps, joints, workspace, pairs, n_pairs, t):
    """Return (upper, lower, pair, x, y): the least distance of all pairs at time t, its points in the world's frame.

    `upper` is the distance between x and y, plus nothing; `lower` is proven: it is the least over leaves of the gap
    along the direction of their closest points, and over boxes that were not opened of their gaps, noise subtracted.
    Pairs of shapes, and of boxes, are looked at the nearest first; those farther than the best so far are not opened,
    and after MOST_TESTS none is: the bounds are then farther apart, where many triangles are equally near.
    """
    left = MOST_TESTS
    best = lower = math.inf
    found = -1
    best_x = best_y = (0.0, 0.0, 0.0)
    stack = workspace.stack
    waiting = workspace.warm_starts
    apart = root_gaps(world, sweeps, joints, pairs, n_pairs, t)
    order = stable_order(apart)
    for i in range(n_pairs):
        p = order[i]
        if apart[p] >= best or left < 0:
            lower = min(lower, apart[p])
            break
        pair = pairs[p]
        geom_a = world.geoms[pair["a"]]
        geom_b = world.geoms[pair["b"]]
        noise = pair["noise"]
        if apart[p] <= 0.0 and one_inside_other(world, pair, sweeps, joints, t):
            best = 0.0
            lower = 0.0
            found = p
            best_x = vec.load3(world.points, geom_a["sample"])
            best_y = best_x
            break
        pose, _ = relative_state(pair, sweeps, joints, world.links, t)
        stack[0, 0] = geom_a["root"]
        stack[0, 1] = geom_b["root"]
        waiting[0, GAP] = apart[p]
        top = 1
        while top > 0:
            top -= 1
            left -= 1
            if waiting[top, GAP] >= best or left < 0:
                lower = min(lower, waiting[top, GAP])
                continue
            a = stack[top, 0]
            b = stack[top, 1]
            node_a = world.nodes[a]
            node_b = world.nodes[b]
            if node_a["count"] > 0 and node_b["count"] > 0:
                d, low, x, y = leaf_distance(world, geom_a, geom_b, node_a, node_b, pose, workspace)
                lower = min(lower, low - noise)
                if d <= noise:
                    # Nothing separates them but rounding.
                    d = 0.0
                if d < best:
                    best = d
                    found = p
                    best_x = x
                    best_y = y
                continue
            open_a, q = quad_to_open(node_a, node_b)
            gaps = quad_gaps(world.quads, q, node_b if open_a else node_a, pose, open_a)
            bottom = top
            for k in range(WIDTH):
                kid = world.kids[q, k]
                if kid < 0:
                    break
                # The nearest first: it lowers the bound for the others.
                gap = lane(gaps, k) - noise
                put_in_order(stack, waiting, bottom, top, gap, kid >> 1 if open_a else a, b if open_a else kid >> 1)
                top += 1
        if best == 0.0:
            break
    if found >= 0:
        rotation, origin = chain_pose(joints, world.links, pairs[found]["link_a"], -1, t)
        best_x = vec.add(origin, vec.matvec(rotation, best_x))
        best_y = vec.add(origin, vec.matvec(rotation, best_y))
    return best, max(lower, 0.0), found, best_x, best_y
