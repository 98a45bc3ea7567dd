"""Two nodes are advanced by their hulls, as far as a direction between them goes: see `advancement.hulls`."""

import math

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin.advancement.hulls import (
    BRIDGE,
    NEAR_BRIDGE,
    NEAR_ENOUGH,
    ROUGHLY,
    WITHIN_REACH,
    between,
    centred,
    extent_of,
    gap_along,
    nearest_leaf,
    node_center,
    patches_of,
    safe_part,
    stride,
)
from tocsin.advancement.leaf_pair import FREE, HULL_TESTS, later, leaf_advance
from tocsin.advancement.relative import both_states, seen_from_a
from tocsin.geometry.patches import singles_noise
from tocsin.motion.joints import UP

DONE, WAIT, OPEN, OVERLAP = 0, 1, 3, 4
"""What a look at the hulls of two nodes says: free until the end, free for a while, look at their children, in vain."""


@kernel
def triangle_size(geom):
    """Return about how long the edges of a mesh are: of as many equal triangles on a surface as large as its box."""
    return geom["diagonal"] / math.sqrt(geom["faces"])


@kernel
def hulls_advance(world, sweeps, joints, pair, a, b, states, t, end, n, size, room, counts):
    """Return (said, time, n, size, touch, end): what the hulls of the nodes a, b, which are not both leaves, say at t.

    DONE: they are farther apart than the margin until `end`; WAIT: until `time`, later than t; OPEN: nothing;
    OVERLAP: they touch, or nearly so. n is the direction between them, to start from next time, and `size` how many
    vertices of the simplex may be started from. If `touch` is not FREE, two triangles were found on the way that
    touch, at the new `end` (CONTACT), or that come too close to say (CAPPED), see `leaf_advance`. Proof: by the
    chord, with the bounds of `motion_bound` for both nodes, and before it by the speed, where the gap is larger than
    anything that can be gone in the time that is left.
    """
    counts[HULL_TESTS] += 1
    geom_a = world.geoms[pair["a"]]
    geom_b = world.geoms[pair["b"]]
    root_a = world.nodes[geom_a["root"]]
    root_b = world.nodes[geom_b["root"]]
    node_a = world.nodes[a]
    node_b = world.nodes[b]
    reach_a = np.float64(node_a["reach"])
    reach_b = np.float64(node_b["reach"])
    speed = (pair["speed"] + pair["turn_a"] * reach_a + pair["turn_b"] * reach_b) * UP
    acceleration = (pair["bend"] + pair["twist_a"] * reach_a + pair["twist_b"] * reach_b) * UP
    # A point is placed in two parts, the root's centre and a corner from there, together up to three times as long.
    clear = pair["margin"] + 4.0 * pair["noise"] + singles_noise(root_a, root_b)
    center_a = node_center(root_a)
    center_b = node_center(root_b)
    patches = patches_of(world)
    placed = centred(states, center_a, center_b)
    larger = max(np.float64(node_a["radius"]), np.float64(node_b["radius"]))
    if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0:
        # Nothing is known: between the centres of the boxes.
        from_a = vec.matvec(placed[0], vec.sub(node_center(node_a), center_a))
        n = vec.add(placed[2], vec.matvec(placed[1], vec.sub(node_center(node_b), center_b)))
        n = vec.sub(n, from_a)
    need = (end - t) * UP
    tolerance = pair["tolerance"]
    lower, upper, n, x, y, size = between(
        patches,
        a,
        b,
        placed,
        n,
        size,
        clear,
        clear + speed * need,
        NEAR_ENOUGH,
        ROUGHLY * larger,
        room.corner_simplex,
        room.ladder,
    )
    gap = lower - clear
    touch = FREE
    if gap > speed * need:
        return DONE, end, n, size, touch, end
    extent = extent_of(room.corner_simplex, size)
    # Features much longer than triangles are bridges, over which the surfaces are farther apart than their hulls.
    bridged = extent > BRIDGE * max(triangle_size(geom_a), triangle_size(geom_b))
    if size > 0 and gap > 0.0 and not bridged and gap < max(WITHIN_REACH * extent, 4.0 * tolerance):
        at_a = vec.add(vec.tmatvec(placed[0], x), center_a)
        at_b = vec.add(vec.tmatvec(placed[1], vec.sub(y, placed[2])), center_b)
        leaf_a = nearest_leaf(world, a, at_a, 0.5 * tolerance, room.spare)
        leaf_b = nearest_leaf(world, b, at_b, 0.5 * tolerance, room.spare) if leaf_a >= 0 else -1
        if leaf_b >= 0:
            pose, motion = seen_from_a(states)
            touch, end = leaf_advance(
                world, sweeps, joints, pair, geom_a, geom_b, world.nodes[leaf_a], world.nodes[leaf_b], pose, motion, t,
                end, room, counts,
            )  # fmt: skip
            if not t < end:
                return DONE, end, n, size, touch, end
    if not gap > 0.0:
        return (OVERLAP if upper <= clear else OPEN), t, n, size, touch, end
    then = end
    if touch == FREE:
        if gap <= max((NEAR_BRIDGE if bridged else NEAR_ENOUGH) * extent, 2.0 * tolerance):
            return OPEN, t, n, size, touch, end
        then = min(t + stride(gap, n, placed, x, y, acceleration, speed), end)
    h = then - t
    placed_then = centred(both_states(pair, sweeps, joints, world.links, then), center_a, center_b)
    if touch == FREE:
        gap_then, _, _, _, _, _, _ = gap_along(patches, a, b, placed_then, n, ROUGHLY * gap, room.ladder)
    else:
        # A direction of the moment at which they are closest; at t there is room enough along it.
        gap_then, _, n, _, _, size = between(
            patches, a, b, placed_then, n, size, clear, clear, 0.0, 0.0, room.corner_simplex, room.ladder
        )
        gap, _, _, _, _, _, _ = gap_along(patches, a, b, placed, n, 0.0, room.ladder)
        gap -= clear
        if not gap > 0.0:
            return OPEN, t, n, size, touch, end
    part = safe_part(gap, gap_then - clear, 0.5 * acceleration * h * h)
    if part == 1.0:
        return (DONE if then >= end else WAIT), then, n, size, touch, end
    until = later(t, max(part * h, gap / speed * (1.0 - 2.0**-40) if speed > 0.0 else math.inf))
    if until >= end:
        return DONE, end, n, size, touch, end
    if until > t and (touch == FREE or gap > max(NEAR_ENOUGH * extent, 2.0 * tolerance)):
        return WAIT, until, n, size, touch, end
    return OPEN, t, n, size, touch, end
