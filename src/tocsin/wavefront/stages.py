"""The stages of a wavefront, each a function of one small piece of work that no other piece of its stage waits for.

    start      an edge                 its rows, the motion of its joints, and its slabs of time
    chart      an edge and a chart     is the pair settled for all of the edge?
    sweep      a slab and a shape      the box that the shape sweeps
    meet       a slab and a couple     an item, if their boxes overlap
    settle     an item                 nothing, a contact, two items of half its time, or items of nodes below its own

An item is (edge, couple, level, index, a, b): two nodes of the couple's trees during the time from index to index + 1
of 2^level equal parts of [0, 1], whose middle and half length are floats, exactly. Whoever settles one looks at BUDGET
pairs of nodes at most, and what is not reached are items of the next round: threads that run in step wait for the
slowest of them. Edges have a status: FREE until something else is found, CONTACT where two leaves touch at a moment,
CAPPED where the wavefront does not know, and somebody else is to say. Whatever does not fit into a queue makes its edge
CAPPED, so a queue can be of any size.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.bounds.motion_bound import UNIT, chain_bound
from tocsin.broad_phase.charts import line_is_free, value_at
from tocsin.compiler.jit import kernel
from tocsin.geometry.descent import opens_a
from tocsin.motion.arcs import decide_arcs
from tocsin.motion.chain import chain_state
from tocsin.motion.joints import UP, joint_motion
from tocsin.outcome import CAPPED, CONTACT, FREE
from tocsin.wavefront.apart import BETWEEN, box_clearance, leaves_apart, look_at

MOST_LEVEL = 6
"""Of a slab: no edge is cut into more than 2^6 of them before its items are."""

DEEPEST = 20
"""Level of an item at which the wavefront gives up."""

BUDGET = 48
"""Pairs of nodes that are looked at in an item."""

COARSE = 0.5
"""Of the larger node's radius: where the motion during an item takes more, its time is cut first, then its boxes."""

STACK = 56
"""Pairs of nodes that can wait, leaves among them: one more for every two of BUDGET, and twice that."""

JOBS, TESTS, LEAVES, ITEMS = range(4)
"""Where counters are: of jobs, of tests of nodes and of leaves; of the items of round r at ITEMS + r."""

MOST_ITEMS = 2000
"""Of an edge that leave others, before the wavefront gives up: where shapes run close beside each other."""

ROUNDS = DEEPEST + 6
"""Rounds after which the wavefront gives up what is left."""

OPEN = -2
"""No end of a search: there are pairs of nodes that it has not reached."""


class Batch(NamedTuple):
    """Edges, and what the stages write about them."""

    template: np.ndarray
    """(2 width,): two rows, with what is the same in all edges."""
    places: np.ndarray
    """(m,): where in it the numbers of an edge go."""
    numbers: np.ndarray
    """(n, m): those numbers."""
    rows: np.ndarray
    """(n, 2, width)"""
    configs: np.ndarray
    """(n, 2 width): the same memory."""
    joints: np.ndarray
    """(n, links) of JOINT."""
    settled: np.ndarray
    """(n, charts): is the pair of a chart settled?"""
    status: np.ndarray
    """(n,): see `outcome`."""
    cuts: np.ndarray
    """(n,): how many of its items have left others."""
    order: np.ndarray
    """(couples,): the order in which couples are met; those of which many touch first end the most edges."""
    touched: np.ndarray
    """(couples,): in how many edges each was found to touch."""
    jobs: np.ndarray
    """(m, 3): edge, level and index of each slab."""
    boxes: np.ndarray
    """(m, shapes, 6): what is swept during it."""
    counters: np.ndarray


@kernel
def reserve(counters, k, n):
    """Add n to a counter; return what it was. On a GPU in one step."""
    before = counters[k]
    counters[k] = before + n
    return before


@kernel
def start(field, batch, e):
    """Write the rows of edge e and the motion of its joints, and put its slabs into the list of jobs."""
    rows = batch.rows[e]
    configs = batch.configs[e]
    for c in range(batch.template.shape[0]):
        configs[c] = batch.template[c]
    for c in range(batch.places.shape[0]):
        configs[batch.places[c]] = batch.numbers[e, c]
    batch.status[e] = FREE
    batch.cuts[e] = 0
    if decide_arcs(rows, field.quaternions, 0) >= 0:
        batch.status[e] = CAPPED
        return
    joints = batch.joints[e]
    for i in range(field.links.shape[0]):
        joint_motion(joints[i], field.links[i], configs, 0, rows.shape[1], 0.0, 1.0)
    fastest = 0.0
    for k in range(field.moving.shape[0]):
        geom = field.geoms[field.moving[k]]
        bound = chain_bound(joints, field.links, geom["link"], -1)
        fastest = max(fastest, bound[0] + bound[1] * geom["reach"])
    level = 0
    while level < MOST_LEVEL and fastest > field.stride[0]:
        fastest *= 0.5
        level += 1
    count = 1 << level
    first = reserve(batch.counters, JOBS, count)
    if first + count > batch.jobs.shape[0]:
        batch.status[e] = CAPPED
        count = batch.jobs.shape[0] - first
    for k in range(count):
        batch.jobs[first + k, 0] = e
        batch.jobs[first + k, 1] = level
        batch.jobs[first + k, 2] = k


@kernel
def chart(field, batch, e, c):
    """Write whether chart c settles its pair for all of edge e (`broad_phase.charts.settled`)."""
    free = False
    if batch.status[e] == FREE:
        grid = field.charts[c]
        width = batch.rows.shape[2]
        configs = batch.configs[e]
        link = field.links[grid["joint_x"]]
        x0 = value_at(link, configs, 0, width, 0.0, 1.0, 0.0)
        x1 = value_at(link, configs, 0, width, 0.0, 1.0, 1.0)
        y0 = y1 = 0.0
        if grid["joint_y"] >= 0:
            link = field.links[grid["joint_y"]]
            y0 = value_at(link, configs, 0, width, 0.0, 1.0, 0.0)
            y1 = value_at(link, configs, 0, width, 0.0, 1.0, 1.0)
        free = line_is_free(grid, x0, y0, x1, y1)
    batch.settled[e, c] = 1 if free else 0


@kernel
def sweep(field, batch, j, k):
    """Write the box that moving shape k sweeps during job j.

    Claim: no point of the shape leaves it. Proof: as `sweep.quick_box`, of the corners of the shape's oriented box,
    which contains it. A coordinate of a point is within the spread of the box around that of its centre, and so is the
    velocity along it, which is linear in the point; each is added up on its own.
    """
    e = batch.jobs[j, 0]
    if batch.status[e] != FREE:
        return
    tau = 0.5 / (1 << batch.jobs[j, 1])
    t = (2 * batch.jobs[j, 2] + 1) * tau
    joints = batch.joints[e]
    geom = field.geoms[field.moving[k]]
    link = geom["link"]
    speed, turn, accel, per_reach, _, _, length, noise = chain_bound(joints, field.links, link, -1)
    r, p, w, v, _, _ = chain_state(joints, field.links, link, -1, t)
    reach = geom["reach"]
    far = length + reach
    bent = min(0.5 * (accel + per_reach * reach) * tau, speed + turn * reach) * tau
    error = (noise + 64.0 * UNIT) * (far + 4.0 * tau * (speed + turn * far))
    arm = vec.matvec(r, (geom["center"][0], geom["center"][1], geom["center"][2]))
    gone = vec.add(v, vec.cross(w, arm))
    x = vec.matvec(r, vec.load3(geom["axes"], 0))
    y = vec.matvec(r, vec.load3(geom["axes"], 1))
    z = vec.matvec(r, vec.load3(geom["axes"], 2))
    wx = vec.cross(w, x)
    wy = vec.cross(w, y)
    wz = vec.cross(w, z)
    half = geom["half"]
    for c in range(3):
        wide = half[0] * abs(x[c]) + half[1] * abs(y[c]) + half[2] * abs(z[c])
        fast = abs(gone[c]) + half[0] * abs(wx[c]) + half[1] * abs(wy[c]) + half[2] * abs(wz[c])
        grow = (wide + fast * tau + bent + error) * UP
        batch.boxes[j, k, c] = p[c] + arm[c] - grow
        batch.boxes[j, k, 3 + c] = p[c] + arm[c] + grow


@kernel
def overlap(lo, hi, other_lo, other_hi, margin):
    """Do two intervals come within the margin of each other? What is no number does."""
    return not (lo - margin > other_hi or other_lo - margin > hi)


@kernel
def meet(field, batch, items, j, c):
    """Put couple c, by its place in the order, into the first round, if what it sweeps during job j overlaps.

    Items of one couple stand side by side if jobs come one after the other: threads in step walk the same trees.
    """
    k = batch.order[c]
    e = batch.jobs[j, 0]
    if batch.status[e] != FREE:
        return
    couple = field.couples[k]
    if couple["chart"] >= 0 and batch.settled[e, couple["chart"]] != 0:
        return
    box = batch.boxes[j, field.place[couple["a"]]]
    other = field.still[couple["b"]] if couple["stands"] != 0 else batch.boxes[j, field.place[couple["b"]]]
    margin = couple["margin"] * UP
    if (
        overlap(box[0], box[3], other[0], other[3], margin)
        and overlap(box[1], box[4], other[1], other[4], margin)
        and overlap(box[2], box[5], other[2], other[5], margin)
    ):
        place = reserve(batch.counters, ITEMS, 1)
        nodes = field.geoms[couple["a"]]["root"], field.geoms[couple["b"]]["root"]
        put_item(batch, items, place, (e, k, batch.jobs[j, 1], batch.jobs[j, 2]), nodes)


@kernel
def put_item(batch, items, place, item, nodes):
    """Write an item to a place of a list; one for which there is no room gives its edge up."""
    if place >= items.shape[0]:
        batch.status[item[0]] = CAPPED
        return
    items[place, 0] = item[0]
    items[place, 1] = item[1]
    items[place, 2] = item[2]
    items[place, 3] = item[3]
    items[place, 4] = nodes[0]
    items[place, 5] = nodes[1]


@kernel
def settle(field, batch, items, left, i, n, stack, workspace):
    """Settle item i of round n: its edge is in contact, or given up, or what is left of it goes into round n + 1."""
    row = items[i]
    e = row[0]
    if batch.status[e] != FREE:
        return
    said, top = search(field, batch, row, stack, workspace)
    if said == FREE:
        return
    if said == CONTACT:
        batch.status[e] = CONTACT
        reserve(batch.touched, row[1], 1)
        return
    cut = said == CAPPED
    if not (cut or said == OPEN) or (cut and row[2] >= DEEPEST) or n + 1 >= ROUNDS:
        batch.status[e] = CAPPED
        return
    if reserve(batch.cuts, e, 1) >= MOST_ITEMS:
        batch.status[e] = CAPPED
        return
    if cut:
        place = reserve(batch.counters, ITEMS + n + 1, 2)
        for half in range(2):
            put_item(batch, left, place + half, (e, row[1], row[2] + 1, 2 * row[3] + half), (row[4], row[5]))
        return
    place = reserve(batch.counters, ITEMS + n + 1, top)
    for k in range(top):
        put_item(batch, left, place + k, (e, row[1], row[2], row[3]), (stack[k, 0], stack[k, 1]))


@kernel
def search(field, batch, item, stack, workspace):
    """Return (said, top): how two nodes are, and how many pairs below them are on the stack, not looked into.

    CONTACT in the middle of the item; FREE during it; CAPPED: its time is to be cut; OPEN: what is on the stack is left
    to do; BETWEEN: for others to say. Nodes that are apart are done. Others are opened, unless the motion takes more
    than the boxes are large: then the time is to be cut first, and what is left to do is to see if something touches in
    the middle. Leaves wait at the far end of the stack, so that threads in step come to them together. In a solid mesh
    another shape could be at the first of times, and no surface would tell: such a pair must have its boxes apart.
    """
    couple = field.couples[item[1]]
    tau = 0.5 / (1 << item[2])
    look = look_at(field, batch.joints[item[0]], couple, (2 * item[3] + 1) * tau, tau)
    gap, lost = box_clearance(field.nodes[item[4]], field.nodes[item[5]], look)
    if gap > lost:
        return FREE, 0
    if item[3] == 0 and couple["solid"] != 0:
        return BETWEEN, 0
    leaf = stack.shape[0]
    if leaf < 2:
        return BETWEEN, 0
    said, top, leaf, tests = descend(field, item, look, stack)
    reserve(batch.counters, TESTS, tests)
    reserve(batch.counters, LEAVES, stack.shape[0] - leaf)
    for k in range(leaf, stack.shape[0]):
        found = leaves_apart(field, couple, field.nodes[stack[k, 0]], field.nodes[stack[k, 1]], look, workspace)
        if found == CONTACT:
            return CONTACT, 0
        if found != FREE and said != BETWEEN:
            said = found
    if said == FREE and top > 0:
        return OPEN, top
    return said, top


@kernel
def descend(field, item, look, stack):
    """Return (said, top, leaf, tests): FREE or CAPPED, what of the stack is left from below, and leaves from above."""
    stack[0, 0] = item[4]
    stack[0, 1] = item[5]
    top = 1
    leaf = stack.shape[0]
    tests = 1
    said = FREE
    while top > 0 and tests < BUDGET and top + 2 < leaf:
        top -= 1
        a = stack[top, 0]
        b = stack[top, 1]
        node_a = field.nodes[a]
        node_b = field.nodes[b]
        if node_a["count"] > 0 and node_b["count"] > 0:
            leaf -= 1
            stack[leaf, 0] = a
            stack[leaf, 1] = b
            continue
        open_a = opens_a(node_a, node_b)
        kid = node_a["first"] if open_a else node_b["first"]
        last = -math.inf
        for _ in range(2):
            if open_a:
                a = kid
            else:
                b = kid
            kid += 1
            gap, lost = box_clearance(field.nodes[a], field.nodes[b], look)
            tests += 1
            if gap > lost:
                continue
            if gap > 0.0:
                size = max(np.float64(field.nodes[a]["radius"]), np.float64(field.nodes[b]["radius"]))
                if said != FREE or lost > COARSE * size:
                    said = CAPPED
                    continue
            push(stack, top, a, b, gap > last and last > -math.inf)
            top += 1
            last = gap
    return said, top, leaf, tests


@kernel
def push(stack, top, a, b, below):
    """Put a pair of nodes on a stack, or below the one on top: the closer one is to be looked into first."""
    if below:
        stack[top, 0] = stack[top - 1, 0]
        stack[top, 1] = stack[top - 1, 1]
        top -= 1
    stack[top, 0] = a
    stack[top, 1] = b
