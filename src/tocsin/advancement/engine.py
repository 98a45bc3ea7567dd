"""Conservative advancement of all surviving pairs at once, the earliest first [CATCH 7, alg. 1].

An item is a pair of nodes (of the hierarchies of a pair of shapes) with the time until which it is proven free. The
item with the earliest time is taken up: at that time the two nodes are bounded; a bound that reaches the end drops it;
a bound that is good for a while puts it back at its later time; otherwise it is replaced by its children *at the same
time*, which need no new pose. So every pair of nodes advances at its own pace, far parts in one stride and near parts
in small ones. Two leaves are advanced at once until they touch or are past the end. A touch becomes the new end:
whatever is proven free until then is dropped (temporal culling [CATCH 7.1]), and when nothing is left, it was the
first.

A pair of shapes starts as the pair of their hulls [CATCH 7.2], which is taken apart into the hierarchies only where the
hulls come close.

Termination: every item, every opened node and every step of two leaves is charged to an account (`work`) that ends the
query when it is used up. Where it is not: a leaf that is farther apart than margin + tolerance goes on by at least
(tolerance - noise) / (speed bound), or, where its direction does not show it, ends the query as CAPPED.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.advancement.approach import DONE, OPEN, WAIT, hulls_advance
from tocsin.advancement.box_step import box_of, box_step, center_of, quad_step
from tocsin.advancement.heap import drop_first, grown, push
from tocsin.advancement.leaf_pair import later, leaf_advance
from tocsin.advancement.leaves import convex_step
from tocsin.advancement.relative import both_states, seen_from_a, seen_from_b
from tocsin.advancement.static_witness import UNSEEN, static_witness_during
from tocsin.advancement.work import HULL_TESTS, NODE_TESTS, VISITED, may_step, settle, spent, tests
from tocsin.bounds.continuous_sat import apart_until
from tocsin.broad_phase.sweep import DEEP
from tocsin.compiler.jit import kernel
from tocsin.geometry.bvh4 import RADIUS
from tocsin.model.world import CONVEX, PATCHED_FROM
from tocsin.outcome import CAPPED, CONTACT, FREE
from tocsin.simd.lanes import WIDTH, bits, lane, load, select

HULLS = -1
"""In place of a node: the pair is still at its hulls."""

NEAR_BOXES = 0.03
"""Boxes closer than this many times their size are opened instead of advanced (measured on tori and robots)."""

FINE, COARSE = 4, 1
"""Binary digits of a step that its end keeps; fewer on chains of more than DEEP joints, where a pose that no other item
shares costs more than a few more steps."""

ALL = 2**WIDTH - 1
"""Every lane."""

NEAR_HULLS = 0.005
"""Hulls closer than this fraction of the smaller diagonal are opened. Opened, they cost a few dozen leaves a step: 0.1
made the slowest edges of an arm, over tables and shelves, twice as slow."""

FEW_STEPS = 3.0
"""Steps of hulls that may be left on long chains with Taylor models: these see farther there, box by box."""


NO_POSE = (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))
NO_AIM = (0.0, 0.0, 0.0)
NO_MOTION = (NO_AIM, NO_AIM, NO_AIM, NO_AIM, NO_AIM, NO_AIM, NO_AIM, NO_AIM)
NO_STATES = (
    NO_POSE[0], NO_AIM, NO_AIM, NO_AIM, NO_POSE[0], NO_AIM, NO_AIM, NO_AIM, NO_AIM, NO_AIM, NO_AIM, NO_AIM,
)  # fmt: skip


@kernel
def mark_visited(pair, counts):
    """Count a pair of shapes, once, that its first lower bound did not settle (what [CATCH table 2] has left)."""
    if pair["visited"] == 0:
        pair["visited"] = 1
        counts[VISITED] += 1


@kernel
def is_deep(world, pair):
    """Are the poses of a pair those of a long chain, from the world on?"""
    links = world.links
    return pair["stop"] < 0 and max(links[pair["link_a"]]["depth"], links[pair["link_b"]]["depth"]) > DEEP


@kernel
def rounded(t, h, digits):
    """Return a time in (t, t + h] with few digits: a multiple of the power of two from h / 2^digits to twice that.

    Items then share the pose of a moment, at every scale of steps. Multiples of a power of two are exact; one that
    comes out no later than t (a step near the last digit) is not used.
    """
    time = later(t, h)
    grid = math.ldexp(1.0, math.frexp(h)[1] - digits)
    whole = math.floor(time / grid) * grid
    return whole if whole > t else time


@kernel
def advance(world, sweeps, joints, taylor, workspace, pairs, n_pairs, begin, end, any_contact, max_steps, counts):
    """Return (status, time, pair): the first contact of the pairs during [begin, end] [CATCH alg. 1].

    FREE: none. CONTACT: at `time` two leaves of that pair are within margin + tolerance, and nothing is within the
    margin before; with `any_contact` a later contact may be returned, whichever is found first. CAPPED: nothing is
    within the margin before `time`; the cap, or the resolution of floating point at that pair, was reached. A pair that
    lacks a chart ends the search at once then, see `work`.
    """
    heap = workspace.heap
    size = 0
    stack = workspace.stack
    simplex = workspace.simplex
    status = FREE
    found = -1
    slab_end = end
    hulls = world.hull_count.shape[0] > 0
    patched = world.spans.shape[0] > 0
    pose, motion, motion_b = NO_POSE, NO_MOTION, NO_MOTION
    states = NO_STATES
    warm_starts = workspace.warm_starts
    pose_pair = -1
    pose_time = 0.0
    last_pair = -1
    began = 0
    for p in range(n_pairs):
        if size == heap.shape[0]:
            heap = grown(heap)
        size = push(heap, size, pairs[p]["start"], p, HULLS, HULLS, NO_AIM, 0)
    while size > 0:
        t = heap[0]["time"]
        if t >= end and status != FREE:
            break
        p = heap[0]["pair"]
        a = heap[0]["a"]
        b = heap[0]["b"]
        last = heap[0]["warm_start"]
        n = (np.float64(last[0]), np.float64(last[1]), np.float64(last[2]))
        search = heap[0]["opened"] == 0
        size = drop_first(heap, size)
        if last_pair >= 0:
            settle(pairs[last_pair], began, counts)
        last_pair = p
        began = tests(counts)
        pair = pairs[p]
        if not may_step(pair, max_steps, counts):
            return CAPPED, t, p
        if any_contact and pair["steps"] == UNSEEN and pair["own"] > 0:
            # Nothing of it is charged, so nobody else would look. A pair that a chart would settle is not seen.
            time = static_witness_during(world, sweeps, joints, workspace, pair, begin, end)
            if time < math.inf:
                mark_visited(pair, counts)
                return CONTACT, time, p
        geom_a = world.geoms[pair["a"]]
        geom_b = world.geoms[pair["b"]]
        digits = COARSE if is_deep(world, pair) else FINE
        if p != pose_pair or t != pose_time:
            states = both_states(pair, sweeps, joints, world.links, t)
            pose, motion = seen_from_a(states)
            motion_b = seen_from_b(pose, motion)
            pose_pair = p
            pose_time = t
        by_hulls = patched and geom_a["faces"] >= PATCHED_FROM and geom_b["faces"] >= PATCHED_FROM
        if a == HULLS:
            h, decided = hulls_step(world, geom_a, geom_b, pose, motion, pair, simplex, end - t, by_hulls, counts)
            if decided == CONTACT or (decided != OPEN and not later(t, h) > t):
                # Convex solids only: everything else is proven free until t, so this is the answer.
                mark_visited(pair, counts)
                return CONTACT if decided == CONTACT else CAPPED, t, p
            if later(t, h) >= end:
                continue
            if decided == FREE:
                size = push(heap, size, rounded(t, h, digits), p, HULLS, HULLS, NO_AIM, 0)
                continue
            a = geom_a["root"]
            b = geom_b["root"]
            warm_start = pair["direction"]
            n = vec.matvec(states[0], (warm_start[0], warm_start[1], warm_start[2]))
        stack[0, 0] = a
        stack[0, 1] = b
        for i in range(3):
            warm_starts[0, i] = n[i]
        top = 1
        soonest = math.inf
        while top > 0:
            if spent(counts):
                return CAPPED, t, p
            top -= 1
            a = stack[top, 0]
            b = stack[top, 1]
            node_a = world.nodes[a]
            node_b = world.nodes[b]
            leaf_a = node_a["count"] > 0
            leaf_b = node_b["count"] > 0
            if leaf_a and leaf_b:
                decided, time = leaf_advance(
                    world, sweeps, joints, pair, geom_a, geom_b, node_a, node_b, pose, motion, t, end, workspace,
                    counts,
                )  # fmt: skip
                if decided != FREE:
                    if decided == CAPPED and (spent(counts) or pair["uncharted"] != 0):
                        return CAPPED, t, p
                    mark_visited(pair, counts)
                    status, end, found = decided, time, p
                    if any_contact or not t < end:
                        return status, end, found
                continue
            n = (warm_starts[top, 0], warm_starts[top, 1], warm_starts[top, 2])
            if by_hulls and search:
                if a != pair["node_a"] or b != pair["node_b"]:
                    pair["node_a"] = a
                    pair["node_b"] = b
                    pair["vertices"] = 0
                said, time, n, vertices, touch, end, soonest = hulls_advance(
                    world,
                    sweeps,
                    joints,
                    pair,
                    a,
                    b,
                    states,
                    t,
                    end,
                    status != FREE,
                    soonest,
                    n,
                    pair["vertices"],
                    workspace,
                    counts,
                )
                pair["vertices"] = vertices
                if touch != FREE:
                    if touch == CAPPED and (spent(counts) or pair["uncharted"] != 0):
                        return CAPPED, t, p
                    mark_visited(pair, counts)
                    status, found = touch, p
                    if any_contact or not t < end:
                        return status, end, found
                if said == DONE:
                    continue
                if said == WAIT:
                    if size == heap.shape[0]:
                        heap = grown(heap)
                    if a != geom_a["root"] or b != geom_b["root"]:
                        mark_visited(pair, counts)
                    size = push(heap, size, time, p, a, b, n, 0)
                    continue
                # Hulls that overlap have children whose hulls do: at this moment by their boxes alone.
                by_hulls = said == OPEN
            search = True
            # Open the larger box, or the one that can be opened: four of its descendants against the other, at once.
            open_a = leaf_b or (not leaf_a and node_a["radius"] >= node_b["radius"])
            q = -1 - (node_a["count"] if open_a else node_b["count"])
            other = node_b if open_a else node_a
            other_radius = np.float64(other["radius"])
            seen = motion if open_a else motion_b
            steps, gaps = quad_step(world.quads, q, other, pose, seen, pair, open_a, end - t)
            counts[NODE_TESTS] += 1
            # Lanes that are not done before the end; and those of them that are far enough apart to wait.
            left = ALL ^ bits(later(t, steps) >= end)
            if left == 0:
                continue
            radii = load(world.quads, q, RADIUS)
            far = bits(gaps > NEAR_BOXES * select(radii > other_radius, radii, other_radius))
            turning = pair["taylor"] >= 0.0 and pair["patience"] > 0
            if left & far == left and left & (left - 1) and not turning:
                # Several, and all can wait: together, as their parents.
                h = math.inf
                for k in range(WIDTH):
                    if left >> k & 1:
                        h = min(h, lane(steps, k))
                if later(t, h) > t:
                    if size == heap.shape[0]:
                        heap = grown(heap)
                    mark_visited(pair, counts)
                    size = push(heap, size, rounded(t, h, digits), p, a, b, n, 1)
                    continue
            bottom = top
            for k in range(WIDTH):
                kid = world.kids[q, k]
                if not left >> k & 1 or kid < 0:
                    continue
                h = lane(steps, k)
                if later(t, h) >= end:
                    continue
                gap = lane(gaps, k)
                if open_a:
                    a = kid >> 1
                else:
                    b = kid >> 1
                if hulls and world.hull_count[a] > 0 and world.hull_count[b] > 0:
                    counts[HULL_TESTS] += 1
                    h2, gap2 = node_hulls_step(world, a, b, pose, motion, pair, simplex, end - t)
                    h = max(h, h2)
                    gap = max(gap, gap2)
                    if later(t, h) >= end:
                        continue
                if turning and gap > 0.0:
                    # A long turn, and the bound on acceleration eats half the gap: the Taylor models may see farther.
                    node_a = world.nodes[a]
                    node_b = world.nodes[b]
                    if gap < h * h * acceleration_of(pair, node_a, node_b):
                        time = taylor_step(node_a, node_b, pair, taylor, begin, slab_end, t, end, h)
                        pair["patience"] += 1 if time > later(t, h) else -1
                        if time >= end:
                            continue
                        h = max(h, time - t)
                leaves = kid & 1 != 0 and other["count"] > 0
                if gap > NEAR_BOXES * max(lane(radii, k), other_radius) and later(t, h) > t and not leaves:
                    if size == heap.shape[0]:
                        heap = grown(heap)
                    mark_visited(pair, counts)
                    size = push(heap, size, rounded(t, h, digits), p, a, b, n, 0)
                else:
                    place = top
                    if by_hulls:
                        # The closest on top: it may show when they touch, and the others need not go beyond.
                        while place > bottom and warm_starts[place - 1, 3] < gap:
                            stack[place, 0] = stack[place - 1, 0]
                            stack[place, 1] = stack[place - 1, 1]
                            warm_starts[place, 3] = warm_starts[place - 1, 3]
                            place -= 1
                    stack[place, 0] = a
                    stack[place, 1] = b
                    warm_starts[place, 3] = gap
                    for i in range(3):
                        warm_starts[top, i] = n[i]
                    top += 1
    if last_pair >= 0:
        settle(pairs[last_pair], began, counts)
    return status, end if status != FREE else math.inf, found


@kernel
def acceleration_of(pair, node_a, node_b):
    """Return the bound on the relative acceleration of two nodes."""
    return (
        pair["accel"]
        + pair["accel_per_reach_a"] * np.float64(node_a["reach"])
        + pair["accel_per_reach_b"] * np.float64(node_b["reach"])
    )


@kernel
def node_hulls_step(world, a, b, pose, motion, pair, simplex, need):
    """Return (h, gap) of the convex hulls of two nodes; GJK starts from the pair's last direction, and leaves one."""
    n = (pair["direction"][0], pair["direction"][1], pair["direction"][2])
    h, gap, _, n, _, _ = convex_step(
        world.points,
        (world.hull_first[a], world.hull_count[a], world.hull_radius[a], 0.0),
        world.points,
        (world.hull_first[b], world.hull_count[b], world.hull_radius[b], 0.0),
        pose,
        motion,
        pair,
        np.float64(world.nodes[a]["reach"]),
        np.float64(world.nodes[b]["reach"]),
        n,
        simplex,
        -1.0,
        0.5,
        need,
    )
    for i in range(3):
        pair["direction"][i] = n[i]
    return h, gap


@kernel
def taylor_step(node_a, node_b, pair, taylor, slab_begin, slab_end, t, end, h):
    """Return a time until which two boxes are proven apart by their links' Taylor models, if later than t + 2 h."""
    return apart_until(
        taylor[pair["link_a"]],
        taylor[pair["link_b"]],
        box_of(node_a),
        box_of(node_b),
        np.float64(node_a["reach"]),
        np.float64(node_b["reach"]),
        pair["taylor"],
        slab_begin,
        slab_end,
        t,
        end,
        2.0 * h,
        3,
    )


@kernel
def hulls_step(world, geom_a, geom_b, pose, motion, pair, simplex, need, by_hulls, counts):
    """Return (h, decided) for the pair's hulls at one time: FREE (for h), OPEN, or CONTACT [CATCH 7.2].

    Convex solids are their own hulls, so CONTACT can only come from a pair of those. With `by_hulls` the hulls of all
    nodes are looked at, those of the roots first, instead of the proxies. What is closer than the tolerance is opened,
    however small it is: only leaves can say that they touch.
    """
    node_a = world.nodes[geom_a["root"]]
    node_b = world.nodes[geom_b["root"]]
    margin = pair["margin"]
    counts[NODE_TESTS] += 1
    h, gap = box_step(node_a, node_b, pose, motion, pair, need)
    exact = geom_a["kind"] == CONVEX and geom_b["kind"] == CONVEX
    near = pair["tolerance"]
    if h >= need or (gap > max(near, max(node_a["radius"], node_b["radius"])) and not exact):
        return h, FREE
    if by_hulls:
        return h, OPEN
    counts[HULL_TESTS] += 1
    n = (pair["direction"][0], pair["direction"][1], pair["direction"][2])
    if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0:
        n = vec.sub(
            vec.add(pose[1], vec.matvec(pose[0], center_of(node_b))),
            center_of(node_a),
        )
    touch = margin + pair["tolerance"] - pair["noise"] if exact else -1.0
    set_a = (geom_a["proxy"], geom_a["proxy_count"], geom_a["proxy_radius"], geom_a["proxy_disk"])
    set_b = (geom_b["proxy"], geom_b["proxy_count"], geom_b["proxy_radius"], geom_b["proxy_disk"])
    h2, gap, upper, n, _, _ = convex_step(
        world.points,
        set_a,
        world.points,
        set_b,
        pose,
        motion,
        pair,
        geom_a["reach"],
        geom_b["reach"],
        n,
        simplex,
        touch,
        0.9 if exact else 0.5,
        need,
    )
    for i in range(3):
        pair["direction"][i] = n[i]
    h = max(h, h2)
    if exact:
        return (0.0, CONTACT) if upper <= touch else (h, FREE)
    few = pair["taylor"] < 0.0 or FEW_STEPS * h > need or not is_deep(world, pair)
    if h >= need or (few and gap > max(near, NEAR_HULLS * min(geom_a["diagonal"], geom_b["diagonal"]))):
        return h, FREE
    return h, OPEN
