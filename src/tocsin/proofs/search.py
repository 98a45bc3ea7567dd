"""The search that is its own proof: pairs of parts, stretches of time and directions, from large to small.

A pair of shapes during a slab of time is tried as a whole, from the middle of the slab, along one direction: the test
of `apart_along`, which is the checker's own with hulls for parts, so whatever passes here passes there. What fails is
halved: the time where the parts are well apart in the middle, the larger part where they are not. The halvings and
directions are written down as they are made, and are the proof. So it costs what a search costs, and holds nothing but
what it says: a mistake here makes a proof that is refused.

Directions are triples of whole numbers, so that a file holds them exactly, small ones where they will do.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance, support_value
from tocsin.motion.chain import chain_pose, chain_state, common_ancestor
from tocsin.motion.curved_joints import set_joint
from tocsin.motion.joints import UP
from tocsin.motion.links import PRISMATIC

HALF_TIME, SLAB, END, HALF_A, HALF_B, ALONG, PAIR_OF, HALF_BOX, TOGETHER, SEEN = range(1, 11)
"""Words of a proof: / . ; < > then a direction, the two shapes of a pair, the entry along which a box is halved, = of a
box in which two points stay together, and a direction in the frame of another link, with its number in the chains."""

PROVEN, OPEN, FULL = range(3)
"""What a search ends with: it has left a proof; a pair stays open; the table of words is full."""

WHOLE_NUMBERS = (60.0, 4000.0, 1e6, 1e9)
"""The largest entry of a direction: the smallest that will do."""

NEAR = 0.04
"""Parts closer in the middle of the slab than this share of the larger one are halved rather than the time."""

DEEPEST, MOST_WAITING = 40, 256

SLACK = 2.0**-36
"""Of the lengths that enter a test: far more than all roundings of it, here and in the checker."""

MORE = 1.0 + 2.0**-20
"""Times a remainder: the checker's is a little larger, where it bounds a placement by how far it is from a rotation."""

MOST_LEVEL = 12
"""Slabs of a stretch, as a power of two, before anything is looked at."""

LARGEST_REST = 0.1
"""Share of its size by which what a parabola leaves out may make the swept box of a shape larger."""


@kernel
def about(joint, row, t):
    """Write one of a joint's four polynomials in powers of the time from t on, into the same row of its scratch."""
    c = joint["curve"]
    b = joint["controls"]
    n = joint["degree"]
    start = t - joint["begin"]
    for k in range(n + 1):
        b[row, k] = c[row, k]
    for i in range(n):
        for k in range(n - 1, i - 1, -1):
            b[row, k] += start * b[row, k + 1]


@kernel
def peaks(joint, link, t, tau):
    """Return (r1, r2, r3, c0, c1, c2, c3): bounds during [t - tau, t + tau] of the derivatives of a joint's rotation,
    and of its place and its derivatives, as the checker computes them.

    With sum_k a_k s^k the angle, or the place, about t, derivative j is at most w_j = sum_k k!/(k - j)! |a_k|
    tau^(k - j); and r1 = w1, r2 = w1^2 + w2, r3 = w1^3 + 3 w1 w2 + w3, as Rot' = angle' [u]x Rot shows. The place is
    where the joint stands in its parent, and the way that it slides from there: the two lengths are added, and what is
    added to the value of a slide that follows another joint.
    """
    f = (link["translation"][0], link["translation"][1], link["translation"][2])
    stands = vec.norm(f) + (abs(link["offset"]) if link["kind"] == PRISMATIC else 0.0)
    if joint["degree"] == 0:
        w = joint["turn"]
        start = t - joint["begin"]
        origin, velocity = joint["origin"], joint["velocity"]
        slid = vec.norm((
            origin[0] + start * velocity[0] - f[0], origin[1] + start * velocity[1] - f[1],
            origin[2] + start * velocity[2] - f[2],
        ))  # fmt: skip
        far = stands + slid + tau * joint["speed"]
        return w, w * w * UP, w * w * w * UP, far * UP, joint["speed"], 0.0, 0.0
    for row in range(4):
        about(joint, row, t)
    b = joint["controls"]
    for c in range(3):
        b[1 + c, 0] -= f[c]
    w0 = w1 = w2 = w3 = c0 = c1 = c2 = c3 = 0.0
    for k in range(joint["degree"], -1, -1):
        # Horner's rule for a polynomial of sizes and three derivatives: each takes in the one before.
        w3 = w3 * tau + 3.0 * w2
        w2 = w2 * tau + 2.0 * w1
        w1 = w1 * tau + w0
        w0 = w0 * tau + abs(b[0, k])
        c3 = c3 * tau + 3.0 * c2
        c2 = c2 * tau + 2.0 * c1
        c1 = c1 * tau + c0
        c0 = c0 * tau + math.sqrt(b[1, k] * b[1, k] + b[2, k] * b[2, k] + b[3, k] * b[3, k])
    r2, r3 = w1 * w1 + w2, w1 * (w1 * w1 + 3.0 * w2) + w3
    return w1 * UP, r2 * UP, r3 * UP, (stands + c0) * UP, c1 * UP, c2 * UP, c3 * UP


@kernel
def third_bound(joints, links, link, stop, t, tau):
    """Return (base, slope): the third derivative of the place of a point, during [t - tau, t + tau], is at most
    base + slope times its distance from the origin of its link.

    Bounds X_0 to X_3 of a point and its three derivatives are carried up by Leibniz' rule: with y = T + R x, Y_k is the
    sum of binomial(k, j) r_j X_(k - j), and |T^(k)|. They are affine in X_0: y for 0, z for what a unit of it adds.
    """
    y0 = y1 = y2 = y3 = 0.0
    z0, z1, z2, z3 = 1.0, 0.0, 0.0, 0.0
    i = link
    while i != stop:
        r1, r2, r3, c0, c1, c2, c3 = peaks(joints[i], links[i], t, tau)
        y3 = (y3 + 3.0 * (r1 * y2 + r2 * y1) + r3 * y0 + c3) * UP
        y2 = (y2 + 2.0 * r1 * y1 + r2 * y0 + c2) * UP
        y1 = (y1 + r1 * y0 + c1) * UP
        y0 = (y0 + c0) * UP
        z3 = (z3 + 3.0 * (r1 * z2 + r2 * z1) + r3 * z0) * UP
        z2 = (z2 + 2.0 * r1 * z1 + r2 * z0) * UP
        z1 = (z1 + r1 * z0) * UP
        i = links[i]["parent"]
    return y3, z3


@kernel
def farthest(part, points, d):
    """Return the largest d.p over a part's hull."""
    value = support_value(points, part["point"], part["points"], part["disk"], d)
    return value + part["radius"] * vec.norm(d) if part["radius"] > 0.0 else value


@kernel
def extent(part, points, state, n, tau):
    """Return how far a part goes along n: the largest of its three Bernstein coefficients, each, as a triple.

    The place of p along n is n.(P + R p) + s n.(v + omega x R p) + s^2/2 n.(a + alpha x R p + omega x (omega x R p)).
    On [-tau, tau] the coefficients of q0 + q1 s + q2 s^2 are q(-tau), q0 - q2 tau^2, q(tau).
    """
    rotation, place, omega, v, alpha, a = state
    d1 = vec.cross(n, omega)
    d2 = vec.axpy(vec.cross(n, alpha), vec.dot(omega, n), omega)
    d2 = vec.scale(vec.axpy(d2, -vec.dot(omega, omega), n), 0.5 * tau * tau)
    d1 = vec.scale(d1, tau)
    c0, c1, c2 = vec.dot(n, place), tau * vec.dot(n, v), 0.5 * tau * tau * vec.dot(n, a)
    before = vec.tmatvec(rotation, vec.add(vec.sub(n, d1), d2))
    middle = vec.tmatvec(rotation, vec.sub(n, d2))
    after = vec.tmatvec(rotation, vec.add(vec.add(n, d1), d2))
    return (
        farthest(part, points, before) + c0 - c1 + c2,
        farthest(part, points, middle) + c0 - c2,
        farthest(part, points, after) + c0 + c1 + c2,
    )


@kernel
def middle_of(part, state):
    """Return about where the middle of a part is."""
    center = (part["center"][0], part["center"][1], part["center"][2])
    return vec.add(state[1], vec.matvec(state[0], center))


@kernel
def gap_along(part_a, points_a, state_a, part_b, points_b, state_b, n, tau):
    """Return a gap along n that two parts keep during [-tau, tau] around the moment of the states, remainders apart."""
    a = extent(part_a, points_a, state_a, n, tau)
    b = extent(part_b, points_b, state_b, (-n[0], -n[1], -n[2]), tau)
    return -max(a[0] + b[0], max(a[1] + b[1], a[2] + b[2]))


@kernel
def whole(n, size):
    """Return a direction in whole numbers, the largest of which is `size`."""
    scale = size / max(abs(n[0]), max(abs(n[1]), abs(n[2])))
    return (np.rint(n[0] * scale), np.rint(n[1] * scale), np.rint(n[2] * scale))


@kernel
def write(words, used, word):
    """Append a word; return how many there are. Beyond the end nothing is written."""
    if used < words.shape[0]:
        words[used] = word
    return used + 1


@kernel
def along(words, used, part_a, points_a, state_a, part_b, points_b, state_b, n, tau, need):
    """Append a direction near n, in whole numbers, along which the parts are more than `need` apart; or nothing."""
    for size in WHOLE_NUMBERS:
        w = whole(n, size)
        length = vec.norm(w)
        gap = gap_along(part_a, points_a, state_a, part_b, points_b, state_b, w, tau) if length > 0.0 else -math.inf
        if gap > need * length:
            used = write(words, used, ALONG)
            for k in range(3):
                used = write(words, used, np.int64(w[k]))
            return used
        if gap < (need - 2.0 / size * (part_a["size"] + part_b["size"])) * length:
            return used  # other roundings of n are not that much better
    return used


@kernel
def prove_pair(
    tables, links, joints, link_a, link_b, a, b, margin, level, index, words, used, stack, aims, simplex, most
):
    """Append the proof that shape a keeps more than the margin from shape b during a slab; return (outcome, used).

    `tables`: parts, where the parts of each shape begin, points. The slab is the `index`-th of 2^`level`.
    """
    parts, points = tables
    stop = common_ancestor(links, link_a, link_b)
    stack[0, 0] = a
    stack[0, 1] = b
    stack[0, 2] = level
    stack[0, 3] = index
    for i in range(3):
        aims[0, i] = 0.0
    top = 1
    moment = around = base = slope_a = slope_b = quick = -1.0
    state_a = chain_state(joints, links, link_a, stop, 0.5)
    state_b = chain_state(joints, links, link_b, stop, 0.5)
    while top > 0:
        if used >= words.shape[0] or most <= 0:
            return FULL, used
        most -= 1
        top -= 1
        part_a = parts[stack[top, 0]]
        part_b = parts[stack[top, 1]]
        depth = stack[top, 2]
        place = stack[top, 3]
        tau = math.ldexp(0.5, int(-depth))
        t = (2 * place + 1) * tau
        if t != moment:
            state_a = chain_state(joints, links, link_a, stop, t)
            state_b = chain_state(joints, links, link_b, stop, t)
        if t != moment or tau != around:
            base_a, slope_a = third_bound(joints, links, link_a, stop, t, tau)
            base_b, slope_b = third_bound(joints, links, link_b, stop, t, tau)
            base = base_a + base_b
            quick = vec.norm(state_a[3]) + vec.norm(state_b[3])
            quick += tau * (vec.norm(state_a[5]) + vec.norm(state_b[5]))
            moment = t
            around = tau
        n = (aims[top, 0], aims[top, 1], aims[top, 2])
        rest = base + slope_a * part_a["reach"] + slope_b * part_b["reach"]
        far = part_a["reach"] + part_b["reach"] + vec.norm(state_a[1]) + vec.norm(state_b[1])
        slack = SLACK * (far + margin + tau * quick)
        need = (margin + rest * (tau * tau * tau * MORE / 6.0)) * UP + slack
        if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0:
            n = vec.sub(middle_of(part_b, state_b), middle_of(part_a, state_a))
        before = used
        if n[0] != 0.0 or n[1] != 0.0 or n[2] != 0.0:
            # Between the middles, or what was best for the whole, may do; GJK costs as much as ten tries.
            used = along(words, used, part_a, points, state_a, part_b, points, state_b, n, tau, need)
            if used > before:
                continue
        ra = state_a[0]
        pose = (vec.tmatmul(ra, state_b[0]), vec.tmatvec(ra, vec.sub(state_b[1], state_a[1])))
        guess = vec.tmatvec(ra, n)
        gap, _, aim, _, _ = convex_distance(
            points, (part_a["point"], part_a["points"], part_a["radius"], part_a["disk"]),
            points, (part_b["point"], part_b["points"], part_b["radius"], part_b["disk"]),
            pose, guess, simplex, (margin, -1.0, 0.9),
        )  # fmt: skip
        n = vec.matvec(ra, aim)
        apart = gap > margin + slack
        if apart:
            used = along(words, used, part_a, points, state_a, part_b, points, state_b, n, tau, need)
            if used > before:
                continue
        larger_a = part_b["half"] < 0 or (part_a["half"] >= 0 and part_a["size"] >= part_b["size"])
        size = max(part_a["size"], part_b["size"])
        can_halve = part_a["half"] >= 0 or part_b["half"] >= 0
        if top + 2 > stack.shape[0]:
            return OPEN, used
        if can_halve and (not apart or gap - margin < NEAR * size):
            used = write(words, used, HALF_A if larger_a else HALF_B)
            side = 0 if larger_a else 1
            first = part_a["half"] if larger_a else part_b["half"]
            for k in range(2):
                for c in range(4):
                    stack[top + 1 - k, c] = stack[top, c]
                stack[top + 1 - k, side] = first + k
        else:
            if depth >= DEEPEST or not apart:
                return OPEN, used
            used = write(words, used, HALF_TIME)
            for k in range(2):
                for c in range(2):
                    stack[top + 1 - k, c] = stack[top, c]
                stack[top + 1 - k, 2] = depth + 1
                stack[top + 1 - k, 3] = 2 * place + k
        for k in range(2):
            for i in range(3):
                aims[top + k, i] = n[i]
        top += 2
    return PROVEN, used


@kernel
def set_joints(links, joints, models, configs, pieces):
    """Write the joints of all links during a stretch; `pieces`: what each model does in it, as `clocks` lists it."""
    for m in range(models.shape[0]):
        piece = int(pieces[m, 0]), int(pieces[m, 1]), pieces[m, 2], pieces[m, 3], int(pieces[m, 4])
        for i in range(models[m]["link"], models[m]["link"] + models[m]["links"]):
            set_joint(joints[i], links[i], configs, models[m]["width"], piece)


@kernel
def pose_of(joints, links, link, t):
    """Return where a link is at a moment of the stretch whose joints are set."""
    return chain_pose(joints, links, link, -1, t)


@kernel
def off_by(joints, links, link, stop, reach):
    """Return how far a point that is `reach` away from its link's origin may be off the motion, seen from an ancestor.

    The claim and proof are those of `bounds.tubes`, with the lengths that the checker has.
    """
    off = 0.0
    i = link
    while i != stop:
        joint = joints[i]
        far = peaks(joint, links[i], 0.5, 0.5)[3]
        off = (off + joint["turn_error"] * reach + joint["slide_error"]) * UP
        reach = (reach + far + joint["slide_error"]) * UP
        i = links[i]["parent"]
    return off


@kernel
def grow(margins, pairs, links, joints, shapes, roots, parts, grown):
    """Write each pair's margin with how far its shapes may be off their motions added."""
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        stop = common_ancestor(links, shapes[a], shapes[b])
        off = off_by(joints, links, shapes[a], stop, parts[roots[a]]["reach"])
        off += off_by(joints, links, shapes[b], stop, parts[roots[b]]["reach"])
        grown[p] = (margins[p] + off * MORE) * UP if off > 0.0 else margins[p]


@kernel
def moves(joints, links, link):
    """Does a link move in the world?"""
    i = link
    while i >= 0:
        if joints[i]["turn"] > 0.0 or joints[i]["speed"] > 0.0:
            return True
        i = links[i]["parent"]
    return False


@kernel
def sweep(tables, roots, links, joints, shapes, t, tau, still, boxes):
    """Write the box along the world's axes in which each shape stays during [t - tau, t + tau].

    Of those that stand, with `still`, else of those that move.
    """
    parts, points = tables
    last = -1
    state = chain_state(joints, links, shapes[0], -1, t)
    wanted = False
    base = slope = 0.0
    for s in range(shapes.shape[0]):
        if shapes[s] != last:
            last = shapes[s]
            wanted = moves(joints, links, last) != still
            if wanted:
                state = chain_state(joints, links, last, -1, t)
                base, slope = third_bound(joints, links, last, -1, t, tau)
        if not wanted:
            continue
        part = parts[roots[s]]
        rest = (base + slope * part["reach"]) * (tau * tau * tau * MORE / 6.0)
        rest += SLACK * (part["reach"] + vec.norm(state[1]) + tau * (vec.norm(state[3]) + tau * vec.norm(state[5])))
        for c in range(3):
            n = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
            back = (-n[0], -n[1], -n[2])
            if still:
                at = state[1][c]
                boxes[s, c] = at - farthest(part, points, vec.tmatvec(state[0], back)) - rest
                boxes[s, 3 + c] = at + farthest(part, points, vec.tmatvec(state[0], n)) + rest
            else:
                high = extent(part, points, state, n, tau)
                low = extent(part, points, state, back, tau)
                boxes[s, c] = -max(low[0], max(low[1], low[2])) - rest
                boxes[s, 3 + c] = max(high[0], max(high[1], high[2])) + rest


@kernel
def slabs_for(tables, roots, links, joints, shapes):
    """Return k: in 2^k slabs what a parabola leaves out is small beside the shapes."""
    parts, _ = tables
    level = 0
    for s in range(shapes.shape[0]):
        part = parts[roots[s]]
        while level < MOST_LEVEL:
            tau = math.ldexp(0.5, -level)
            base, slope = third_bound(joints, links, shapes[s], -1, 0.5, tau)
            if (base + slope * part["reach"]) * tau * tau * tau / 6.0 <= LARGEST_REST * part["size"]:
                break
            level += 1
    return level


@kernel
def prove(tables, roots, links, joints, shapes, pairs, margins, boxes, words, work, most):
    """Append the proof of a stretch whose joints are set; return (outcome, used, pair).

    `roots` and `shapes`: the first part and the link of each shape; `pairs`: shapes that may touch, a < b; `work`: the
    stack and its directions, and the simplex of GJK. `most`: how many parts may be looked at.
    """
    stack, aims, simplex = work
    level = slabs_for(tables, roots, links, joints, shapes)
    used = 0
    sweep(tables, roots, links, joints, shapes, 0.5, 0.0, True, boxes)
    for slab in range(1 << level):
        rank = level if slab == 0 else 0
        while slab > 0 and slab >> rank & 1 == 0:
            rank += 1
        for _ in range(rank):
            used = write(words, used, HALF_TIME)
        used = write(words, used, SLAB)
        tau = math.ldexp(0.5, int(-level))
        sweep(tables, roots, links, joints, shapes, (2 * slab + 1) * tau, tau, False, boxes)
        for p in range(pairs.shape[0]):
            a = pairs[p, 0]
            b = pairs[p, 1]
            if boxes_apart(boxes, a, b, margins[p]):
                continue
            used = write(words, used, PAIR_OF)
            used = write(words, used, a)
            used = write(words, used, b)
            outcome, used = prove_pair(
                tables, links, joints, shapes[a], shapes[b], roots[a], roots[b], margins[p], level, slab, words, used,
                stack, aims, simplex, most,
            )  # fmt: skip
            if outcome != PROVEN:
                return outcome, used, p
        used = write(words, used, END)
    return (PROVEN if used <= words.shape[0] else FULL), used, -1


@kernel
def boxes_apart(boxes, a, b, margin):
    """Are two boxes more than the margin apart along an axis?"""
    for c in range(3):
        clear = margin * UP
        if boxes[b, c] - boxes[a, 3 + c] > clear or boxes[a, c] - boxes[b, 3 + c] > clear:
            return True
    return False
