"""Advances two nodes by their convex hulls, for as long as a direction separates these (see `advancement.hulls`)."""

import math

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
    first_direction,
    gap_along,
    hulls_of,
    nearest_leaf,
    safe_part,
    stride,
)
from tocsin.advancement.leaves import later, leaf_advance
from tocsin.advancement.relative import Seen, both_states, seen_from_a
from tocsin.advancement.work import HULL_TESTS
from tocsin.compiler.jit import inlined, kernel
from tocsin.geometry.support_patches import COUNT
from tocsin.motion.joints import UP
from tocsin.outcome import FREE

DONE, WAIT, OPEN, OVERLAP = 0, 1, 3, 4
"""What a look at the hulls of two nodes says: free until the end, free for a while, look at their children, in vain."""


@kernel
def triangle_size(geom):
    """Return a typical edge length of a mesh: that of as many equal triangles on a surface as large as its box."""
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

    Once a touch is known, steps beyond it are useless. As long as none is, small nodes that may meet sooner than all
    nodes before them at this moment (`soonest`) show two triangles: nothing that happens after these touch needs to be
    followed.
    """
    counts[HULL_TESTS] += 1
    world, end = tables.world, search["until"]
    a, b, n = nodes
    known = search["status"] != FREE
    if a != pair["node_a"] or b != pair["node_b"]:
        pair["node_a"], pair["node_b"] = a, b
        pair["vertices"] = 0
    hulls = hulls_of(world, pair, a, b)
    placed = centred(states, hulls.center_a, hulls.center_b)
    view = as_a_sees(placed)
    need = (end - t) * UP
    start = first_direction(world.nodes, hulls, placed, view, n)
    lower, upper, n, x, v, size = between(
        hulls, view, start, pair["vertices"], hulls.clear + hulls.speed * need, NEAR_ENOUGH, pair["simplex"]
    )
    pair["vertices"] = size
    n = vec.matvec(placed[0], n)
    gap = lower - hulls.clear
    if gap > hulls.speed * need:
        return DONE, end, n, FREE, end
    if not gap > 0.0:
        return (OVERLAP if upper <= hulls.clear else OPEN), t, n, FREE, end
    y = vec.add(x, v)
    far = stride(gap, n, placed, vec.matvec(placed[0], x), vec.matvec(placed[0], y), hulls.acceleration, hulls.speed)
    then = t + far
    small = max(world.spans[a, COUNT], world.spans[b, COUNT]) <= SMALL
    eager = small and not known and then < search["soonest"] and pair["steps"] <= EARLY
    few, limit = how_near(world.geoms, pair, gap, eager)
    touch = FREE
    if limit > 0.0:
        at_b = vec.add(vec.tmatvec(view[0], vec.sub(y, view[1])), hulls.center_b)
        points = vec.add(x, hulls.center_a), at_b
        touch, end = triangles_advance(tables, pair, (a, b), points, limit, states, (t, end), counts)
        if not t < end:
            return DONE, end, n, touch, end
    if small:
        search["soonest"] = min(search["soonest"], then)
    if then >= end or touch != FREE:
        then = end
    elif gap <= few or not then > t:
        return OPEN, t, n, touch, end
    again = (known or touch != FREE) and then == end
    part, n = chord(tables, pair, hulls, (placed, view, n, gap, t), then, touch != FREE, again)
    if part == 1.0:
        return (DONE if then >= end else WAIT), then, n, touch, end
    by_speed = gap / hulls.speed * (1.0 - 2.0**-40) if hulls.speed > 0.0 else math.inf
    until = later(t, max(part * (then - t), by_speed))
    if until >= end:
        return DONE, end, n, touch, end
    if until > t and gap > few:
        return WAIT, until, n, touch, end
    return OPEN, t, n, touch, end


@kernel
def how_near(geoms, pair, gap, eager):
    """Return (few, limit): a gap at which hulls are opened, and how near the triangles at their closest points have to
    be to be looked at; 0 if they are not."""
    size = pair["vertices"]
    tolerance = pair["tolerance"]
    extent = extent_of(pair["simplex"], size)
    # Features much longer than triangles are bridges, over which the surfaces are farther apart than their hulls.
    triangle = max(triangle_size(geoms[pair["a"]]), triangle_size(geoms[pair["b"]]))
    bridged = extent > BRIDGE * triangle
    few = max((NEAR_BRIDGE if bridged else NEAR_ENOUGH) * extent, 2.0 * tolerance)
    limit = 0.0
    if size > 0 and ((not bridged and gap < max(WITHIN_REACH * extent, 4.0 * tolerance)) or eager):
        limit = max(0.5 * tolerance, 0.05 * triangle) if eager else 0.5 * tolerance
    return few, limit


@kernel
def triangles_advance(tables, pair, nodes, points, limit, states, times, counts):
    """Return (touch, end) of `leaf_advance` for the triangles of two nodes that are nearest to two points of theirs,
    within a limit, from and up to `times`; FREE and the same end if there are none."""
    t, end = times
    spare = tables.workspace.spare
    leaf_a = nearest_leaf(tables.world, nodes[0], points[0], limit, spare)
    leaf_b = nearest_leaf(tables.world, nodes[1], points[1], limit, spare) if leaf_a >= 0 else -1
    if leaf_b < 0:
        return FREE, end
    pose, motion = seen_from_a(states)
    return leaf_advance(tables, pair, leaf_a, leaf_b, Seen(t, pose, motion), end, counts)


@kernel
def chord(tables, pair, hulls, now, then, touching, again):
    """Return (part, n): which part of the way to `then` is free by the chord (`hulls`), along the direction of now or,
    where that is not all and they may ask `again`, along one of the moment at which they are closest; 0 if they touch.
    """
    placed, view, n, gap, t = now
    h = then - t
    bend = 0.5 * hulls.acceleration * h * h
    states = both_states(pair, tables.sweeps, tables.joints, tables.world.links, then)
    placed_then = centred(states, hulls.center_a, hulls.center_b)
    view_then = as_a_sees(placed_then)
    start = vec.tmatvec(placed_then[0], n)
    part = 0.0
    if not touching:
        gap_then, _, _ = gap_along(hulls, view_then, start)
        part = safe_part(gap, gap_then - hulls.clear, bend)
    if part < 1.0 and again:
        gap_then, _, start, _, _, size = between(
            hulls, view_then, start, pair["vertices"], hulls.clear + bend, 0.0, pair["simplex"]
        )
        pair["vertices"] = size
        n_then = vec.matvec(placed_then[0], start)
        gap_now, _, _ = gap_along(hulls, view, vec.tmatvec(placed[0], n_then))
        if gap_now > hulls.clear:
            other = safe_part(gap_now - hulls.clear, gap_then - hulls.clear, bend)
            if other > part:
                return other, n_then
    return part, n
