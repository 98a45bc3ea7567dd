"""Descends two hierarchies at one moment: decides which pairs of nodes are done, can wait, or are to be opened.

A pair of nodes is opened four boxes at a time. A pair that is proven apart until the end is
dropped. One that is proven apart for a while goes back into the heap, to be looked at again at that later time. The
rest are opened in turn, from a stack. Two leaves are advanced
at once (`leaves.leaf_advance`).
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin._types import Vec3
from tocsin.advancement.approach import DONE, OPEN, WAIT, hulls_advance
from tocsin.advancement.box_step import box_of, quad_step
from tocsin.advancement.heap import grown, push
from tocsin.advancement.leaves import convex_step, later, leaf_advance
from tocsin.advancement.relative import Seen, both_states, seen_from_a, seen_from_b
from tocsin.advancement.work import HULL_TESTS, NODE_TESTS, VISITED, spent
from tocsin.bounds.continuous_sat import apart_until
from tocsin.broad_phase.sweep import DEEP
from tocsin.compiler.jit import inlined, kernel
from tocsin.geometry.bvh4 import FIELDS, RADIUS
from tocsin.geometry.descent import quad_to_open
from tocsin.model.tables import PATCHED_FROM
from tocsin.outcome import CAPPED, FREE
from tocsin.simd.lanes import WIDTH, bits, lane, load, select
from tocsin.simd.prefetch import LINE, prefetch

NEAR_BOXES = 0.03
"""Boxes closer than this many times their size are opened instead of advanced (measured on tori and robots)."""

FINE, COARSE = 4, 1
"""Binary digits of a step that its end keeps; fewer on chains of more than DEEP joints, where a pose that no other item
shares costs more than a few more steps."""

ALL = 2**WIDTH - 1
"""Every lane."""

QUAD_LINES = -(-4 * FIELDS * WIDTH // LINE)
"""Lines of the processor's cache that four boxes take."""

ZERO = (0.0, 0.0, 0.0)
NO_TURN = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Moment(NamedTuple):
    """How the two links of a pair lie and move at time t."""

    t: float
    by_hulls: bool
    """Are the hulls of all nodes there?"""
    seen: Seen
    motion_b: tuple[Vec3, ...]
    """As b sees it."""
    states: tuple
    """Of both, see `both_states`."""


@inlined
def nothing_yet():
    """Return a moment of no pair."""
    motion = (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)
    states = (NO_TURN, ZERO, ZERO, ZERO, NO_TURN, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)
    return Moment(0.0, False, Seen(0.0, (NO_TURN, ZERO), motion), motion, states)


@inlined
def moment_of(tables, pair, t):
    """Return the moment t of a pair."""
    world = tables.world
    states = both_states(pair, tables.sweeps, tables.joints, world.links, t)
    pose, motion = seen_from_a(states)
    patched = world.spans.shape[0] > 0
    large = min(world.geoms[pair["a"]]["faces"], world.geoms[pair["b"]]["faces"]) >= PATCHED_FROM
    return Moment(t, patched and large, Seen(t, pose, motion), seen_from_b(pose, motion), states)


@kernel
def mark_visited(pair, counts):
    """Count once a pair of shapes that its first lower bound did not settle (the pairs left in [CATCH table 2])."""
    if pair["visited"] == 0:
        pair["visited"] = 1
        counts[VISITED] += 1


@kernel
def is_deep(world, pair):
    """Are the poses of a pair those of a long chain, from the world on?"""
    links = world.links
    return pair["stop"] < 0 and max(links[pair["link_a"]]["depth"], links[pair["link_b"]]["depth"]) > DEEP


@kernel
def rounded(t, h, deep):
    """Return a time in (t, t + h] with few digits: a multiple of the power of two from h / 2^digits to twice that.

    Items then share the pose of a moment, at every scale of steps. Multiples of a power of two are exact; one that
    comes out no later than t (a step near the last digit) is not used.
    """
    time = later(t, h)
    grid = math.ldexp(1.0, math.frexp(h)[1] - (COARSE if deep else FINE))
    whole = math.floor(time / grid) * grid
    return whole if whole > t else time


@inlined
def descend(tables, heap, search, pair, moment, item, counts):
    """Go down from an item (a, b, n, fresh) at one moment; return (heap, over): is the search at its end?

    Of two nodes the larger is opened, or the one that can be: four of its descendants against the other, at once.
    `fresh`: the item's hulls are to be looked at, where there are some.
    """
    world, t, stack, warm_starts = tables.world, moment.t, tables.workspace.stack, tables.workspace.warm_starts
    a, b, n, fresh = item
    by_hulls, deep = moment.by_hulls, is_deep(world, pair)
    search["top"] = 0
    search["soonest"] = math.inf
    put(stack, warm_starts, search, 0, (a, b), 0.0, n)
    while search["top"] > 0:
        if spent(counts):
            interrupt(search, t)
            return heap, True
        search["top"] -= 1
        top = search["top"]
        a, b = stack[top, 0], stack[top, 1]
        node_a, node_b = world.nodes[a], world.nodes[b]
        if node_a["count"] > 0 and node_b["count"] > 0:
            touch, end = leaf_advance(tables, pair, a, b, moment.seen, search["until"], counts)
            if touch != FREE and touched(search, pair, t, touch, end, counts):
                return heap, True
            continue
        if search["size"] + WIDTH > heap.shape[0]:
            heap = grown(heap)
        n = (warm_starts[top, 0], warm_starts[top, 1], warm_starts[top, 2])
        open_a, q = quad_to_open(node_a, node_b)
        ask_for_boxes(world, q)
        if by_hulls and fresh:
            said, time, n, touch, end = hulls_advance(tables, pair, (a, b, n), t, moment.states, search, counts)
            if touch != FREE and touched(search, pair, t, touch, end, counts):
                return heap, True
            if said == WAIT:
                roots = a == world.geoms[pair["a"]]["root"] and b == world.geoms[pair["b"]]["root"]
                wait(heap, search, pair, time, (a, b, n), 0, 0 if roots else 1, counts)
            if said in (DONE, WAIT):
                continue
            # Hulls that overlap have children whose hulls do: at this moment by their boxes alone.
            by_hulls = said == OPEN
        fresh = True
        other = node_b if open_a else node_a
        seen = moment.seen.motion if open_a else moment.motion_b
        steps, gaps = quad_step(world.quads, q, other, moment.seen.pose, seen, pair, open_a, search["until"] - t)
        counts[NODE_TESTS] += 1
        # Lanes that are not done before the end; and those of them that are far enough apart to wait.
        left = ALL ^ bits(later(t, steps) >= search["until"])
        if left == 0:
            continue
        radii = load(world.quads, q, RADIUS)
        far = bits(gaps > NEAR_BOXES * select(radii > other["radius"], radii, np.float64(other["radius"])))
        turning = pair["taylor"] >= 0.0 and pair["patience"] > 0
        if left & far == left and left & (left - 1) and not turning:
            # Several, and all can wait: together, as their parents.
            h = least_of(steps, left)
            if later(t, h) > t:
                wait(heap, search, pair, rounded(t, h, deep), (a, b, n), 1, 1, counts)
                continue
        bottom = search["top"]
        for k in range(WIDTH):
            kid = world.kids[q, k]
            if not left >> k & 1 or kid < 0:
                continue
            below = (kid >> 1, b) if open_a else (a, kid >> 1)
            prefetch(world.nodes, kid >> 1)
            if by_hulls:
                prefetch(world.spans, kid >> 1)
            h, gap = lane(steps, k), lane(gaps, k)
            if turning or world.hull_count.shape[0] > 0:
                h, gap = looked_closer(tables, search, pair, moment.seen, below, (h, gap, turning), counts)
                if later(t, h) >= search["until"]:
                    continue
            leaves = kid & 1 != 0 and other["count"] > 0
            if not leaves and gap > NEAR_BOXES * max(lane(radii, k), np.float64(other["radius"])) and later(t, h) > t:
                wait(heap, search, pair, rounded(t, h, deep), (below[0], below[1], n), 0, 1, counts)
            else:
                put(stack, warm_starts, search, bottom if by_hulls else search["top"], below, gap, n)
    return heap, False


@inlined
def ask_for_boxes(world, q):
    """Ask for four boxes that may be opened, while their parent's hulls are looked at."""
    for line in range(QUAD_LINES):
        prefetch(world.quads, q, LINE * line)
    prefetch(world.kids, q)


@inlined
def interrupt(search, t):
    """Note that a search was interrupted within an item; the rest of the item is on the stack (`put_back`)."""
    search["status"], search["end"], search["found"] = CAPPED, t, search["pair"]
    search["paused"] = 1


@inlined
def put_back(heap, search, t, workspace):
    """Move the rest of an interrupted item from the stack into the heap, at the same time; return the heap.

    `is_free` may pause within an item, which can take hundreds of tests: none of them is made twice.
    """
    stack, warm_starts = workspace.stack, workspace.warm_starts
    for k in range(search["top"]):
        if search["size"] == heap.shape[0]:
            heap = grown(heap)
        n = (warm_starts[k, 0], warm_starts[k, 1], warm_starts[k, 2])
        search["size"] = push(heap, search["size"], t, search["pair"], stack[k, 0], stack[k, 1], n, 0)
    return heap


@inlined
def touched(search, pair, t, touch, end, counts):
    """Note that two leaves touch, or come too close to tell, at the new end; return whether the search is over."""
    if touch == CAPPED and (spent(counts) or pair["uncharted"] != 0):
        search["top"] += 1  # they are not done
        interrupt(search, t)
        return True
    mark_visited(pair, counts)
    search["status"], search["end"], search["found"] = touch, end, search["pair"]
    search["until"] = end
    return search["anything"] != 0 or not t < end


@inlined
def wait(heap, search, pair, time, nodes, opened, visited, counts):
    """Put two nodes a, b with the direction n between them back into the heap, where there is room.

    `visited`: more than a first lower bound was needed for them.
    """
    if visited:
        mark_visited(pair, counts)
    a, b, n = nodes
    search["size"] = push(heap, search["size"], time, search["pair"], a, b, n, opened)


@inlined
def put(stack, warm_starts, search, bottom, nodes, gap, n):
    """Put two nodes on the stack, sorted above `bottom` so that the closest pair is on top.

    If these touch, the others need not be followed beyond that time.
    """
    place = search["top"]
    for i in range(3):
        warm_starts[place, i] = n[i]
    while place > bottom and warm_starts[place - 1, 3] < gap:
        stack[place, 0] = stack[place - 1, 0]
        stack[place, 1] = stack[place - 1, 1]
        warm_starts[place, 3] = warm_starts[place - 1, 3]
        place -= 1
    stack[place, 0], stack[place, 1] = nodes
    warm_starts[place, 3] = gap
    search["top"] += 1


@inlined
def least_of(steps, left):
    """Return the least of the lanes whose bits are set."""
    h = math.inf
    for k in range(WIDTH):
        if left >> k & 1:
            h = min(h, lane(steps, k))
    return h


@kernel
def looked_closer(tables, search, pair, seen, nodes, known, counts):
    """Improve (h, gap) of two nodes, known from their boxes, by their hulls and by Taylor models; return both.

    h is infinite where the nodes are proven apart until the end.
    """
    world, t = tables.world, seen.t
    a, b = nodes
    h, gap, turning = known
    end = search["until"]
    if world.hull_count.shape[0] > 0 and world.hull_count[a] > 0 and world.hull_count[b] > 0:
        counts[HULL_TESTS] += 1
        h2, gap2 = node_hulls_step(tables, a, b, seen, pair, end - t)
        h = max(h, h2)
        gap = max(gap, gap2)
        if later(t, h) >= end:
            return math.inf, gap
    if turning and gap > 0.0:
        # A long turn, and the bound on acceleration eats half the gap: the Taylor models may see farther.
        node_a, node_b = world.nodes[a], world.nodes[b]
        if gap < h * h * acceleration_of(pair, node_a, node_b):
            time = taylor_step(tables.taylor, pair, node_a, node_b, search, t, h)
            pair["patience"] += 1 if time > later(t, h) else -1
            h = math.inf if time >= end else max(h, time - t)
    return h, gap


@kernel
def acceleration_of(pair, node_a, node_b):
    """Return the bound on the relative acceleration of two nodes."""
    return (
        pair["accel"]
        + pair["accel_per_reach_a"] * np.float64(node_a["reach"])
        + pair["accel_per_reach_b"] * np.float64(node_b["reach"])
    )


@kernel
def node_hulls_step(tables, a, b, seen, pair, need):
    """Return (h, gap) of the convex hulls of two nodes; GJK starts from the pair's last direction, and leaves one."""
    world = tables.world
    n = (pair["direction"][0], pair["direction"][1], pair["direction"][2])
    hull_a = (world.hull_first[a], world.hull_count[a], world.hull_radius[a], 0.0)
    hull_b = (world.hull_first[b], world.hull_count[b], world.hull_radius[b], 0.0)
    side_a = world.points, hull_a, np.float64(world.nodes[a]["reach"])
    side_b = world.points, hull_b, np.float64(world.nodes[b]["reach"])
    goal = -1.0, 0.5, need
    h, gap, _, n, _, _ = convex_step(side_a, side_b, seen.pose, seen.motion, pair, n, tables.workspace.simplex, goal)
    for i in range(3):
        pair["direction"][i] = n[i]
    return h, gap


@kernel
def taylor_step(taylor, pair, node_a, node_b, search, t, h):
    """Return a time until which two boxes are proven apart by their links' Taylor models, if later than t + 2 h."""
    side_a = taylor[pair["link_a"]], box_of(node_a), np.float64(node_a["reach"])
    side_b = taylor[pair["link_b"]], box_of(node_b), np.float64(node_b["reach"])
    slab = search["begin"], search["slab_end"]
    return apart_until(side_a, side_b, pair["taylor"], slab, (t, search["until"]), 2.0 * h, 3)
