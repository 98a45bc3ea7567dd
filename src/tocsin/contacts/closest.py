"""The static question: the closest two points of a standing scene, with a proven lower bound."""

import math

from tocsin import vec
from tocsin._jit import kernel
from tocsin.advancement.boxes import box_gap
from tocsin.advancement.leaves import leaf_distance
from tocsin.advancement.relative import relative_state
from tocsin.contacts.inside import one_inside_other
from tocsin.motion.chain import chain_pose


@kernel
def closest(world, sweeps, joints, room, pairs, n_pairs, t):
    """Return (upper, lower, pair, x, y): the least distance of all pairs at time t, its points in the world's frame.

    `upper` is the distance between x and y, plus nothing; `lower` is proven: it is the least over leaves of the gap
    along the direction of their closest points, over the opened boxes of their gaps, noise subtracted.
    Boxes farther apart than the best distance so far are not opened.
    """
    best = math.inf
    lower = math.inf
    found = -1
    best_x = (0.0, 0.0, 0.0)
    best_y = (0.0, 0.0, 0.0)
    stack = room.stack
    for p in range(n_pairs):
        pair = pairs[p]
        geom_a = world.geoms[pair["a"]]
        geom_b = world.geoms[pair["b"]]
        pose, _ = relative_state(pair, sweeps, joints, world.links, t)
        noise = pair["noise"]
        if one_inside_other(world, pair, sweeps, joints, t):
            best = 0.0
            lower = 0.0
            found = p
            best_x = vec.load3(world.points, geom_a["sample"])
            best_y = best_x
            break
        stack[0, 0] = geom_a["root"]
        stack[0, 1] = geom_b["root"]
        top = 1
        while top > 0:
            top -= 1
            a = stack[top, 0]
            b = stack[top, 1]
            node_a = world.nodes[a]
            node_b = world.nodes[b]
            gap, _ = box_gap(node_a, node_b, pose)
            if gap - noise >= best:
                lower = min(lower, gap - noise)
                continue
            leaf_a = node_a["count"] > 0
            leaf_b = node_b["count"] > 0
            if not (leaf_a and leaf_b):
                open_a = leaf_b or (not leaf_a and node_a["radius"] >= node_b["radius"])
                x0, y0, x1, y1 = a, b, a, b
                if open_a:
                    x0 = node_a["first"]
                    x1 = x0 + 1
                else:
                    y0 = node_b["first"]
                    y1 = y0 + 1
                g0, _ = box_gap(world.nodes[x0], world.nodes[y0], pose)
                g1, _ = box_gap(world.nodes[x1], world.nodes[y1], pose)
                # The nearer one is looked at first: it lowers the bound for the other.
                if g0 < g1:
                    x0, y0, x1, y1 = x1, y1, x0, y0
                stack[top, 0] = x0
                stack[top, 1] = y0
                stack[top + 1, 0] = x1
                stack[top + 1, 1] = y1
                top += 2
                continue
            d, low, x, y = leaf_distance(world, geom_a, geom_b, node_a, node_b, pose, room)
            lower = min(lower, low - noise)
            if d <= noise:
                # Nothing separates them but rounding.
                d = 0.0
            if d < best:
                best = d
                found = p
                best_x = x
                best_y = y
        if best == 0.0:
            break
    if found >= 0:
        rotation, place = chain_pose(joints, world.links, pairs[found]["link_a"], -1, t)
        best_x = vec.add(place, vec.matvec(rotation, best_x))
        best_y = vec.add(place, vec.matvec(rotation, best_y))
    return best, max(lower, 0.0), found, best_x, best_y
