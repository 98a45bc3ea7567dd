"""Two nodes are advanced by their hulls, as far as a direction between them goes: see `advancement.hulls`."""

import math

import numpy as np

from tocsin import vec
from tocsin.advancement.hulls import (
    BRIDGE,
    EARLY,
    NEAR_BRIDGE,
    NEAR_ENOUGH,
    SMALL,
    WITHIN_REACH,
    as_a_sees,
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
from tocsin.advancement.leaf_pair import later, leaf_advance
from tocsin.advancement.relative import Seen, both_states, seen_from_a
from tocsin.advancement.work import HULL_TESTS
from tocsin.compiler.jit import inlined, kernel
from tocsin.geometry.support_patches import COUNT, singles_noise
from tocsin.motion.joints import UP
from tocsin.outcome import FREE

DONE, WAIT, OPEN, OVERLAP = 0, 1, 3, 4
"""What a look at the hulls of two nodes says: free until the end, free for a while, look at their children, in vain."""


@kernel
def triangle_size(geom):
    """Return about how long the edges of a mesh are: of as many equal triangles on a surface as large as its box."""
    return geom["diagonal"] / math.sqrt(geom["faces"])


@inlined
def hulls_advance(tables, pair, nodes, t, states, search, counts):
    """Return (said, time, n, touch, end): what the hulls of `nodes` a, b, not both leaves, say at t, from direction n.

    DONE: they are farther apart than the margin until `end`; WAIT: until `time`, later than t; OPEN: nothing;
    OVERLAP: they touch, or nearly so. n is the direction between them, to start from next time, as are the vertices
    of the pair's simplex. If `touch` is not FREE, two triangles were found on the way that
    touch, at the new `end` (CONTACT), or that come too close to say (CAPPED), see `leaf_advance`. Proof: by the
    chord, with the bounds of `motion_bound` for both nodes, and before it by the speed, where the gap is larger than
    anything that can be gone in the time that is left.

    Where a touch is known, at the search's end, steps beyond it are of no use. As long as there is none, small nodes
    that may meet sooner than all before them at this moment, by `soonest`, show two triangles: whatever the others do
    later than these touch need not be followed.
    """
    counts[HULL_TESTS] += 1
    world, end = tables.world, search["until"]
    a, b, n = nodes
    known = search["status"] != FREE
    size = pair["vertices"]
    if a != pair["node_a"] or b != pair["node_b"]:
        pair["node_a"], pair["node_b"] = a, b
        size = 0
    geom_a = world.geoms[pair["a"]]
    geom_b = world.geoms[pair["b"]]
    root_a = world.nodes[geom_a["root"]]
    root_b = world.nodes[geom_b["root"]]
    node_a = world.nodes[a]
    node_b = world.nodes[b]
    reach_a = np.float64(node_a["reach"])
    reach_b = np.float64(node_b["reach"])
    speed = (pair["speed"] + pair["turn_a"] * reach_a + pair["turn_b"] * reach_b) * UP
    acceleration = (pair["accel"] + pair["accel_per_reach_a"] * reach_a + pair["accel_per_reach_b"] * reach_b) * UP
    # A point is placed in two parts, the root's centre and a corner from there, together up to three times as long.
    clear = pair["margin"] + 4.0 * pair["noise"] + singles_noise(root_a, root_b)
    center_a = node_center(root_a)
    center_b = node_center(root_b)
    patches = patches_of(world)
    placed = centred(states, center_a, center_b)
    view = as_a_sees(placed)
    if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0:
        # Nothing is known: between the centres of the boxes.
        warm_start = vec.add(view[1], vec.matvec(view[0], vec.sub(node_center(node_b), center_b)))
        warm_start = vec.sub(warm_start, vec.sub(node_center(node_a), center_a))
    else:
        warm_start = vec.tmatvec(placed[0], n)
    need = (end - t) * UP
    tolerance = pair["tolerance"]
    lower, upper, warm_start, x, v, size = between(
        patches, a, b, view, warm_start, size, clear, clear + speed * need, NEAR_ENOUGH, pair["simplex"]
    )
    pair["vertices"] = size
    n = vec.matvec(placed[0], warm_start)
    gap = lower - clear
    touch = FREE
    if gap > speed * need:
        return DONE, end, n, touch, end
    if not gap > 0.0:
        return (OVERLAP if upper <= clear else OPEN), t, n, touch, end
    extent = extent_of(pair["simplex"], size)
    # Features much longer than triangles are bridges, over which the surfaces are farther apart than their hulls.
    triangle = max(triangle_size(geom_a), triangle_size(geom_b))
    bridged = extent > BRIDGE * triangle
    few = max((NEAR_BRIDGE if bridged else NEAR_ENOUGH) * extent, 2.0 * tolerance)
    y = vec.add(x, v)
    then = t + stride(gap, n, placed, vec.matvec(placed[0], x), vec.matvec(placed[0], y), acceleration, speed)
    small = max(world.spans[a, COUNT], world.spans[b, COUNT]) <= SMALL
    eager = small and not known and then < search["soonest"] and pair["steps"] <= EARLY
    if size > 0 and ((not bridged and gap < max(WITHIN_REACH * extent, 4.0 * tolerance)) or eager):
        limit = max(0.5 * tolerance, 0.05 * triangle) if eager else 0.5 * tolerance
        leaf_a = nearest_leaf(world, a, vec.add(x, center_a), limit, tables.workspace.spare)
        at_b = vec.add(vec.tmatvec(view[0], vec.sub(y, view[1])), center_b)
        leaf_b = nearest_leaf(world, b, at_b, limit, tables.workspace.spare) if leaf_a >= 0 else -1
        if leaf_b >= 0:
            pose, motion = seen_from_a(states)
            touch, end = leaf_advance(tables, pair, leaf_a, leaf_b, Seen(t, pose, motion), end, counts)
            if not t < end:
                return DONE, end, n, touch, end
    if small:
        search["soonest"] = min(search["soonest"], then)
    known = known or touch != FREE
    if then >= end or touch != FREE:
        then = end
    elif gap <= few or not then > t:
        return OPEN, t, n, touch, end
    h = then - t
    bend = 0.5 * acceleration * h * h
    placed_then = centred(both_states(pair, tables.sweeps, tables.joints, world.links, then), center_a, center_b)
    view_then = as_a_sees(placed_then)
    warm_start_then = vec.tmatvec(placed_then[0], n)
    part = 0.0
    if touch == FREE:
        gap_then, _, _ = gap_along(patches, a, b, view_then, warm_start_then)
        part = safe_part(gap, gap_then - clear, bend)
    if part < 1.0 and known and then == end:
        # A direction of the moment at which they are closest, if at t there is room along it.
        gap_then, _, warm_start_then, _, _, size = between(
            patches, a, b, view_then, warm_start_then, size, clear, clear + bend, 0.0, pair["simplex"]
        )
        pair["vertices"] = size
        n_then = vec.matvec(placed_then[0], warm_start_then)
        gap_now, _, _ = gap_along(patches, a, b, view, vec.tmatvec(placed[0], n_then))
        if gap_now > clear:
            other = safe_part(gap_now - clear, gap_then - clear, bend)
            if other > part:
                part = other
                n = n_then
    if part == 1.0:
        return (DONE if then >= end else WAIT), then, n, touch, end
    until = later(t, max(part * h, gap / speed * (1.0 - 2.0**-40) if speed > 0.0 else math.inf))
    if until >= end:
        return DONE, end, n, touch, end
    if until > t and gap > few:
        return WAIT, until, n, touch, end
    return OPEN, t, n, touch, end
