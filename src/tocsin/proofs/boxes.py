"""Two links apart at *all* joint values of a box, from its middle: what a proven self-collision matrix is made of.

Claim. Let q be within h of c, entry by entry, n a unit direction and g the gap along n between two parts at c. Then at
q the gap is at least

    g - sum over joints k of w_k max over points x of |n.d_k(x)| - (A_a + A_b) / 2,

where w_k is how far joint k goes at most (h of its entry, times its factor if it follows another), d_k(x) the velocity
of x at c per unit of joint k, and A bounds the acceleration of a link's points on any way from c to q in unit time.
Proof: go straight from c to q in unit time. The velocities of the joints are constant and at most w_k, so by Taylor's
theorem a point's place along n changes by at most its speed along n at c plus half of its greatest acceleration, and
its speed is the sum of w_k |n.d_k(x)| at most. For a revolute joint n.d_k(x) = (n x u).(x - o), for a prismatic one
n.u: linear in x, so its extremes over a part are those of a support function.
"""

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance
from tocsin.motion.chain import chain_pose, common_ancestor
from tocsin.motion.joints import UP, joint_motion
from tocsin.motion.links import PRISMATIC, REVOLUTE
from tocsin.proofs.search import NEAR, SLACK, farthest

APART, TOUCHING, SMALLER, GIVEN_UP = range(4)
"""Of a box: proven apart; its middle is within the margin, or nearly; to be halved. Of all boxes: too many of them."""

WITHIN = 0.1
"""Of the margin: what is this much farther apart counts as touching too. Between "apart" and "touching" there has to be
room, or boxes beside the place where the distance is the margin would be halved for ever."""

REVOLVE, AXIS, ORIGIN, FAR, ENTRY, JOINT_ROW = 0, 1, 4, 7, 8, 9
"""Where a row of a chain has: is it revolute; axis and origin in the common frame; how far it goes; its entry."""


@kernel
def chain_rows(rows, joints, links, link, stop, half):
    """Write one row for each joint that moves, from a link up to its ancestor; return how many, -1: a kind unknown."""
    n = 0
    i = link
    while i != stop:
        kind = links[i]["kind"]
        parent = links[i]["parent"]
        if kind in (REVOLUTE, PRISMATIC):
            r, p = chain_pose(joints, links, parent, stop, 0.0)
            turn = (
                vec.load3(links[i]["rotation"], 0),
                vec.load3(links[i]["rotation"], 1),
                vec.load3(links[i]["rotation"], 2),
            )
            axis = links[i]["axis"]
            u = vec.matvec(r, vec.matvec(turn, (axis[0], axis[1], axis[2])))
            place = joints[i]["origin"]
            o = vec.add(p, vec.matvec(r, (place[0], place[1], place[2])))
            rows[n, REVOLVE] = 1.0 if kind == REVOLUTE else 0.0
            for c in range(3):
                rows[n, AXIS + c] = u[c]
                rows[n, ORIGIN + c] = o[c]
            rows[n, FAR] = abs(links[i]["multiplier"]) * half[links[i]["config"]] * UP
            rows[n, ENTRY] = links[i]["config"]
            n += 1
        elif kind != 0:
            return -1
        i = parent
    return n


@kernel
def acceleration(joints, links, link, stop, half, reach):
    """Return a bound of the acceleration of a point on any straight way from the middle of a box, in unit time."""
    x0, x1, x2 = reach, 0.0, 0.0
    i = link
    while i != stop:
        kind = links[i]["kind"]
        goes = abs(links[i]["multiplier"]) * half[links[i]["config"]] * UP if kind in (REVOLUTE, PRISMATIC) else 0.0
        w = goes if kind == REVOLUTE else 0.0
        x2 = (x2 + w * (2.0 * x1 + w * x0)) * UP
        x1 = (x1 + w * x0 + (goes - w)) * UP
        x0 = (x0 + joints[i]["length"] + (goes - w)) * UP
        i = links[i]["parent"]
    return x2


@kernel
def loss_along(part, points, pose, rows, n_rows, n, losses):
    """Return how much the joints of a chain can take of a gap along n, at first order; add to each entry's share."""
    rotation, place = pose
    total = 0.0
    for k in range(n_rows):
        u = (rows[k, AXIS], rows[k, AXIS + 1], rows[k, AXIS + 2])
        if rows[k, REVOLVE] > 0.0:
            d = vec.cross(n, u)
            local = vec.tmatvec(rotation, d)
            base = vec.dot(d, vec.sub(place, (rows[k, ORIGIN], rows[k, ORIGIN + 1], rows[k, ORIGIN + 2])))
            most = max(
                abs(base + farthest(part, points, local)),
                abs(base - farthest(part, points, (-local[0], -local[1], -local[2]))),
            )
        else:
            most = abs(vec.dot(n, u))
        losses[int(rows[k, ENTRY])] += rows[k, FAR] * most
        total += rows[k, FAR] * most
    return total * UP


@kernel
def share(losses, rows_a, n_a, rows_b, n_b, bent):
    """Add what is lost at second order to the entries, by how far their joints go: for the choice of one to halve."""
    whole = 0.0
    for k in range(n_a):
        whole += rows_a[k, FAR]
    for k in range(n_b):
        whole += rows_b[k, FAR]
    if whole > 0.0:
        for k in range(n_a):
            losses[int(rows_a[k, ENTRY])] += bent * rows_a[k, FAR] / whole
        for k in range(n_b):
            losses[int(rows_b[k, ENTRY])] += bent * rows_b[k, FAR] / whole


@kernel
def box_apart(tables, links, joints, ends, margin, half, work):
    """Return APART, TOUCHING or SMALLER of two shapes in the box around the joints' values; see the head of this file.

    `ends`: the links and the first parts of both shapes. `work`: rows of both chains, a stack, directions, a simplex,
    and what each entry of the configuration took of the gap that failed.
    """
    parts, points = tables
    link_a, link_b, root_a, root_b = ends
    rows_a, rows_b, stack, aims, simplex, losses = work
    stop = common_ancestor(links, link_a, link_b)
    n_a = chain_rows(rows_a, joints, links, link_a, stop, half)
    n_b = chain_rows(rows_b, joints, links, link_b, stop, half)
    pose_a = chain_pose(joints, links, link_a, stop, 0.0)
    pose_b = chain_pose(joints, links, link_b, stop, 0.0)
    seen = (vec.tmatmul(pose_a[0], pose_b[0]), vec.tmatvec(pose_a[0], vec.sub(pose_b[1], pose_a[1])))
    stack[0, 0] = root_a
    stack[0, 1] = root_b
    aims[0, 0] = aims[0, 1] = aims[0, 2] = 0.0
    top = 1
    while top > 0:
        top -= 1
        part_a = parts[stack[top, 0]]
        part_b = parts[stack[top, 1]]
        guess = (aims[top, 0], aims[top, 1], aims[top, 2])
        if guess[0] == 0.0 and guess[1] == 0.0 and guess[2] == 0.0:
            b = (part_b["center"][0], part_b["center"][1], part_b["center"][2])
            a = (part_a["center"][0], part_a["center"][1], part_a["center"][2])
            guess = vec.sub(vec.add(seen[1], vec.matvec(seen[0], b)), a)
        gap, upper, aim, _, _ = convex_distance(
            points, (part_a["point"], part_a["points"], part_a["radius"], part_a["disk"]),
            points, (part_b["point"], part_b["points"], part_b["radius"], part_b["disk"]),
            seen, guess, simplex, margin, -1.0, 0.95,
        )  # fmt: skip
        far = part_a["reach"] + part_b["reach"] + vec.norm(pose_a[1]) + vec.norm(pose_b[1])
        need = margin + SLACK * (far + margin)
        near = margin * (1.0 + WITHIN) + 2.0 * SLACK * far
        leaves = part_a["half"] < 0 and part_b["half"] < 0
        if leaves and upper <= near:
            return TOUCHING
        if gap > need:
            for k in range(losses.shape[0]):
                losses[k] = 0.0
            n = vec.matvec(pose_a[0], aim)
            lost = loss_along(part_a, points, pose_a, rows_a, n_a, n, losses)
            lost += loss_along(part_b, points, pose_b, rows_b, n_b, n, losses)
            bent = 0.5 * acceleration(joints, links, link_a, stop, half, part_a["reach"])
            bent += 0.5 * acceleration(joints, links, link_b, stop, half, part_b["reach"])
            lost += bent
            share(losses, rows_a, n_a, rows_b, n_b, bent)
            if gap > need + lost * UP:
                continue
            if leaves or gap - margin > NEAR * max(part_a["size"], part_b["size"]):
                # The box is too large for these parts; but smaller ones may be in contact in its very middle.
                return SMALLER
        elif leaves:
            for k in range(losses.shape[0]):
                losses[k] = 0.0
            return SMALLER
        if top + 2 > stack.shape[0]:
            return SMALLER
        open_a = part_b["half"] < 0 or (part_a["half"] >= 0 and part_a["size"] >= part_b["size"])
        first = part_a["half"] if open_a else part_b["half"]
        for k in range(1, -1, -1):
            if k == 1:
                stack[top + 1, 0] = stack[top, 0]
                stack[top + 1, 1] = stack[top, 1]
            stack[top + k, 0 if open_a else 1] = first + k
            for c in range(3):
                aims[top + k, c] = aim[c]
        top += 2
    return APART


@kernel
def set_at(links, joints, link, stop, row):
    """Write the joints from a link up to its ancestor, standing at a configuration row."""
    i = link
    while i != stop:
        joint_motion(joints[i], links[i], row, 0, 0, 0.0, 1.0)
        i = links[i]["parent"]


@kernel
def survey(tables, links, joints, ends, margin, entries, row, low, high, cells, work, most):
    """Return (outcome, boxes): are two shapes apart at all joint values from `low` to `high`?

    APART: proven. TOUCHING: they are within the margin at the values that are left in `row`. GIVEN_UP: after `most`
    boxes. `entries`: those of the configuration that matter, in whose order `low` and `high` are; `cells`: a stack.
    """
    n = entries.shape[0]
    half = np.zeros(row.shape[0])
    losses = work[5]
    stop = common_ancestor(links, ends[0], ends[1])
    for k in range(n):
        cells[0, k] = low[k]
        cells[0, n + k] = high[k]
    top = 1
    boxes = 0
    while top > 0:
        if boxes >= most or top + 2 > cells.shape[0]:
            return GIVEN_UP, boxes
        boxes += 1
        top -= 1
        for k in range(n):
            middle = 0.5 * (cells[top, k] + cells[top, n + k])
            row[entries[k]] = middle
            half[entries[k]] = max(cells[top, n + k] - middle, middle - cells[top, k]) * UP
        set_at(links, joints, ends[0], stop, row)
        set_at(links, joints, ends[1], stop, row)
        for k in range(losses.shape[0]):
            losses[k] = 0.0
        outcome = box_apart(tables, links, joints, ends, margin, half, work)
        if outcome == TOUCHING:
            return TOUCHING, boxes
        if outcome == APART:
            continue
        widest = 0
        for k in range(1, n):
            if losses[entries[k]] > losses[entries[widest]]:
                widest = k
        if losses[entries[widest]] == 0.0:
            for k in range(n):
                if half[entries[k]] > half[entries[widest]]:
                    widest = k
        middle = row[entries[widest]]
        if not cells[top, widest] < middle < cells[top, n + widest]:
            return GIVEN_UP, boxes
        for k in range(2 * n):
            cells[top + 1, k] = cells[top, k]
        cells[top, n + widest] = middle
        cells[top + 1, widest] = middle
        top += 2
    return APART, boxes
