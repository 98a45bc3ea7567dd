"""Conservative advancement of all surviving pairs at once, the earliest first [CATCH 7, alg. 1].

An item is a pair of nodes (of the hierarchies of a pair of shapes) with the time until which it is proven free. The
item with the earliest time is taken up: at that time the two nodes are bounded; a bound that reaches the end drops it;
a bound that is good for a while puts it back at its later time; otherwise it is replaced by its children *at the same
time*, which need no new pose (`descent`). So every pair of nodes advances at its own pace, far parts in one stride and
near parts in small ones. Two leaves are advanced at once until they touch or are past the end. A touch becomes the new
end: whatever is proven free until then is dropped (temporal culling [CATCH 7.1]), and when nothing is left, it was the
first.

A pair of shapes starts as the pair of their hulls [CATCH 7.2], which is taken apart into the hierarchies only where the
hulls come close.

Termination: every item, every opened node and every step of two leaves is charged to an account (`work`) that ends the
query when it is used up. Where it is not: a leaf that is farther apart than margin + tolerance goes on by at least
(tolerance - noise) / (speed bound), or, where its direction does not show it, ends the query as CAPPED.

What a search knows is one record (`workspace.SEARCH`); its parts are compiled into `advance` as if they stood there.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.advancement.approach import OPEN
from tocsin.advancement.box_step import box_step, center_of
from tocsin.advancement.descent import (
    ZERO,
    descend,
    is_deep,
    mark_visited,
    moment_of,
    nothing_yet,
    put_back,
    rounded,
    wait,
)
from tocsin.advancement.heap import drop_first, grown, push
from tocsin.advancement.leaves import convex_step, hull_of, later, proxy_of
from tocsin.advancement.static_witness import UNSEEN, has_static_witness, static_witness_during
from tocsin.advancement.work import HULL_TESTS, NODE_TESTS, may_step, settle, tests
from tocsin.compiler.jit import borrowed, inlined, kernel
from tocsin.model.tables import CONVEX
from tocsin.outcome import CAPPED, CONTACT, FREE

HULLS = -1
"""In place of a node: the pair is still at its hulls."""

NEAR_HULLS = 0.005
"""Hulls closer than this fraction of the smaller diagonal are opened. Opened, they cost a few dozen leaves a step: 0.1
made the slowest edges of an arm, over tables and shelves, twice as slow."""

TOUCHING = 0.5
"""Part of the tolerance within which hulls that are tight are opened: most links touch where their hulls do, which is
seen at once then. Four arms took four times as many steps when they were opened like others."""

FEW_STEPS = 3.0
"""Steps of hulls that may be left on long chains with Taylor models: these see farther there, box by box."""


@kernel
def advance(tables, pairs, n_pairs, slab, any_contact, max_steps, counts, resume):
    """Return (status, time, pair): the first contact of the pairs during the slab (begin, end) [CATCH alg. 1].

    Each pair from its `start` to its `until`. `resume`: go on where the cap ended the same search, if it is `paused`
    and nothing was found by then.

    FREE: none. CONTACT: at `time` two leaves of that pair are within margin + tolerance, and nothing is within the
    margin before; with `any_contact` a later contact may be returned, whichever is found first. CAPPED: nothing is
    within the margin before `time`; the cap, or the resolution of floating point at that pair, was reached. A pair that
    lacks a chart ends the search at once then, see `work`.
    """
    tables = borrowed(tables)
    search = tables.workspace.search[0]
    heap = tables.workspace.heap
    if resume:
        search["status"], search["end"], search["found"] = FREE, search["slab_end"], -1
    else:
        heap = begun(search, heap, pairs, n_pairs, slab, any_contact)
    search["paused"] = 0
    moment = nothing_yet()
    last, began = -1, 0
    while search["size"] > 0:
        t = heap[0]["time"]
        if t >= search["end"] and search["status"] != FREE:
            break
        p, a, b = heap[0]["pair"], heap[0]["a"], heap[0]["b"]
        way, fresh = heap[0]["warm_start"], heap[0]["opened"] == 0
        n = (np.float64(way[0]), np.float64(way[1]), np.float64(way[2]))
        if last >= 0:
            settle(pairs[last], began, counts)
        began = tests(counts)
        pair = pairs[p]
        if not may_step(pair, max_steps, counts):
            search["paused"] = may_go_on(heap, tables)
            return CAPPED, t, p
        search["size"] = drop_first(heap, search["size"])
        search["until"] = min(search["end"], pair["until"])
        if any_contact and pair["steps"] == UNSEEN and pair["own"] > 0:
            # Nothing of it is charged, so nobody else would look. A pair that a chart would settle is not seen.
            time = static_witness_during(
                tables.world, tables.sweeps, tables.joints, tables.workspace, pair, pair["start"], search["until"]
            )
            if time < math.inf:
                mark_visited(pair, counts)
                return CONTACT, time, p
        if p != last or t != moment.t:
            moment = moment_of(tables, pair, t)
        last = p
        search["pair"] = p
        if a == HULLS:
            h, decided = hulls_step(tables, pair, moment.seen, moment.by_hulls, search["until"] - t, counts)
            decided = of_hulls(heap, search, pair, t, h, decided, is_deep(tables.world, pair), counts)
            if decided == FREE:
                continue
            if decided == OPEN and touches_now(tables, pair, t):
                mark_visited(pair, counts)
                decided = CONTACT
            if decided != OPEN:
                return decided, t, p
            a, b = tables.world.geoms[pair["a"]]["root"], tables.world.geoms[pair["b"]]["root"]
            n = vec.matvec(moment.states[0], (pair["direction"][0], pair["direction"][1], pair["direction"][2]))
        heap, over = descend(tables, heap, search, pair, moment, (a, b, n, fresh), counts)
        if over:
            if search["paused"] != 0:
                heap = put_back(heap, search, t, tables.workspace)
                search["paused"] = may_go_on(heap, tables)
            return search["status"], search["end"], search["found"]
    if last >= 0:
        settle(pairs[last], began, counts)
    return search["status"], search["end"] if search["status"] != FREE else math.inf, search["found"]


@inlined
def may_go_on(heap, tables):
    """Return 1 if a search can be resumed from the workspace's heap, because it has not outgrown it."""
    return 1 if heap.shape[0] == tables.workspace.heap.shape[0] else 0


@inlined
def begun(search, heap, pairs, n_pairs, slab, any_contact):
    """Begin a search: every pair at its hulls, at the time until which it is known to be free. Return the heap."""
    search["begin"], search["slab_end"] = slab
    search["end"] = slab[1]
    search["status"], search["found"] = FREE, -1
    search["anything"] = 1 if any_contact else 0
    size = 0
    for p in range(n_pairs):
        if size == heap.shape[0]:
            heap = grown(heap)
        size = push(heap, size, pairs[p]["start"], p, HULLS, HULLS, ZERO, 0)
    search["size"] = size
    return heap


@inlined
def of_hulls(heap, search, pair, t, h, decided, deep, counts):
    """Return what a pair's hulls decide: OPEN; FREE, put back if not done; CONTACT or CAPPED, which end the search.

    Only convex solids can touch by their hulls. Everything else is proven free until then, so that is the answer.
    """
    if decided == CONTACT or (decided != OPEN and not later(t, h) > t):
        mark_visited(pair, counts)
        return CONTACT if decided == CONTACT else CAPPED
    if later(t, h) >= search["until"]:
        return FREE
    if decided == FREE:
        wait(heap, search, pair, rounded(t, h, deep), (HULLS, HULLS, ZERO), 0, 0, counts)
    return decided


@kernel
def wait_from(tables, pairs, n_pairs):
    """Write the time until which each pair of a paused search is proven free, as its start; infinity if always."""
    for p in range(n_pairs):
        pairs[p]["start"] = math.inf
    for k in range(tables.workspace.search[0]["size"]):
        item = tables.workspace.heap[k]
        pairs[item["pair"]]["start"] = min(pairs[item["pair"]]["start"], item["time"])


@kernel
def hulls_step(tables, pair, seen, by_hulls, need, counts):
    """Return (h, decided) for the pair's hulls at one time: FREE (for h), OPEN, or CONTACT [CATCH 7.2].

    Convex solids are their own hulls, so CONTACT can only come from a pair of those. With `by_hulls` the hulls of all
    nodes are looked at, those of the roots first, instead of the proxies. Hulls closer than the tolerance are opened,
    however small they are, and so are hulls whose step floating point cannot resolve: only leaves can touch.
    """
    world, pose, motion = tables.world, seen.pose, seen.motion
    geom_a, geom_b = world.geoms[pair["a"]], world.geoms[pair["b"]]
    node_a, node_b = world.nodes[geom_a["root"]], world.nodes[geom_b["root"]]
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
    tight = geom_a["tight"] != 0 and geom_b["tight"] != 0
    upper = math.inf
    larger = geom_a["hull_count"] > geom_a["proxy_count"] or geom_b["hull_count"] > geom_b["proxy_count"]
    # Most pairs are settled by the proxies at once. Those that are not come near.
    for k in range(0 if larger and pair["steps"] == 1 else 1, 2):
        set_a, set_b = (hull_of(geom_a), hull_of(geom_b)) if k == 1 else (proxy_of(geom_a), proxy_of(geom_b))
        side_a = world.points, set_a, geom_a["reach"]
        side_b = world.points, set_b, geom_b["reach"]
        goal = touch, 0.9 if tight and k == 1 else 0.5, need
        h2, gap, upper, n, _, _ = convex_step(side_a, side_b, pose, motion, pair, n, tables.workspace.simplex, goal)
        h = max(h, h2)
        if h >= need:
            break
    for i in range(3):
        pair["direction"][i] = n[i]
    if exact:
        return (0.0, CONTACT) if upper <= touch else (h, FREE)
    few = pair["taylor"] < 0.0 or FEW_STEPS * h > need or not is_deep(world, pair)
    near = TOUCHING * near if tight else max(near, NEAR_HULLS * min(geom_a["diagonal"], geom_b["diagonal"]))
    return h, FREE if h >= need or (few and gap > near and later(seen.t, h) > seen.t) else OPEN


@kernel
def touches_now(tables, pair, t):
    """Are two shapes whose tight hulls have come near seen to touch?"""
    world = tables.world
    if world.geoms[pair["a"]]["tight"] == 0 or world.geoms[pair["b"]]["tight"] == 0:
        return False
    return has_static_witness(world, tables.sweeps, tables.joints, tables.workspace, pair, t)
