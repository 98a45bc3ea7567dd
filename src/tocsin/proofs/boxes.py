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

The search halves boxes and parts in one tree: two parts are looked at in the box in which their wholes could not be
told apart, and in no larger one, so that what is far away is done with in large boxes and never looked at again.
Halvings and directions are written down as they are made, and are the proof (docs/proofs.md).
"""

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance
from tocsin.motion.chain import chain_pose, common_ancestor
from tocsin.motion.joints import UP, joint_motion
from tocsin.motion.links import PRISMATIC, REVOLUTE
from tocsin.proofs.search import ALONG, HALF_A, HALF_B, HALF_BOX, NEAR, SLACK, farthest, whole, write

APART, TOUCHING, GIVEN_UP = range(3)
"""What a search ends with: proven apart; two parts are within the margin at the values that are left in the row, or
nearly; after too many boxes."""

WHOLE_NUMBERS = (60.0, 4000.0, 1e6)
"""The largest entry of a direction: the smallest that will do."""

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
        origin, f = joints[i]["origin"], links[i]["translation"]
        slid = vec.norm((origin[0] - f[0], origin[1] - f[1], origin[2] - f[2]))
        x0 = (x0 + vec.norm((f[0], f[1], f[2])) + slid + (goes - w)) * UP
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
def left_along(part_a, part_b, points, state, n, losses):
    """Return how much more than what is needed is left of the gap along the unit direction n everywhere in a box.

    `state`: the poses of both links, the rows of their joints, half of the greatest accelerations, and the need; what
    each entry took is left in `losses`.
    """
    pose_a, pose_b, rows_a, n_a, rows_b, n_b, bent, need = state
    for k in range(losses.shape[0]):
        losses[k] = 0.0
    back = (-n[0], -n[1], -n[2])
    gap = vec.dot(n, vec.sub(pose_b[1], pose_a[1])) - farthest(part_a, points, vec.tmatvec(pose_a[0], n))
    gap -= farthest(part_b, points, vec.tmatvec(pose_b[0], back))
    lost = loss_along(part_a, points, pose_a, rows_a, n_a, n, losses)
    lost += loss_along(part_b, points, pose_b, rows_b, n_b, n, losses)
    return gap - (lost + bent) * UP - need


@kernel
def settle(words, used, part_a, part_b, points, state, n, losses):
    """Return (used, is it settled): append a direction near n, in whole numbers, along which parts are apart."""
    for size in WHOLE_NUMBERS:
        w = whole(n, size)
        length = vec.norm(w)
        if length > 0.0 and left_along(part_a, part_b, points, state, vec.scale(w, 1.0 / length), losses) > 0.0:
            used = write(words, used, ALONG)
            for k in range(3):
                used = write(words, used, np.int64(w[k]))
            return used, True
    return used, False


@kernel
def set_at(links, joints, link, stop, row):
    """Write the joints from a link up to its ancestor, standing at a configuration row."""
    i = link
    while i != stop:
        joint_motion(joints[i], links[i], row, 0, 0, 0.0, 1.0)
        i = links[i]["parent"]


@kernel
def place(links, joints, ends, box, entries, row, work):
    """Set the joints of both chains at the middle of a box; return the poses and how many rows of joints they have."""
    n = entries.shape[0]
    half = work[6]
    stop = common_ancestor(links, ends[0], ends[1])
    for k in range(n):
        middle = 0.5 * (box[k] + box[n + k])
        row[entries[k]] = middle
        half[entries[k]] = max(box[n + k] - middle, middle - box[k]) * UP
    set_at(links, joints, ends[0], stop, row)
    set_at(links, joints, ends[1], stop, row)
    n_a = chain_rows(work[0], joints, links, ends[0], stop, half)
    n_b = chain_rows(work[1], joints, links, ends[1], stop, half)
    return chain_pose(joints, links, ends[0], stop, 0.0), chain_pose(joints, links, ends[1], stop, 0.0), n_a, n_b


@kernel
def same_box(cells, i, k, n):
    """Are two boxes on the stack the same?"""
    for c in range(2 * n):
        if cells[i, c] != cells[k, c]:
            return False
    return True


@kernel
def halve_box(cells, top, entries, losses, half):
    """Return which entry of a box is to be halved: that which takes most, else the widest; -1: it cannot be."""
    n = entries.shape[0]
    widest = -1
    for k in range(n):
        middle = 0.5 * (cells[top, k] + cells[top, n + k])
        if cells[top, k] < middle < cells[top, n + k]:
            more = 1.0 if widest < 0 else losses[entries[k]] - losses[entries[widest]]
            if more > 0.0 or (more == 0.0 and half[entries[k]] > half[entries[widest]]):
                widest = k
    return widest


@kernel
def between(part_a, part_b, seen):
    """Return the way from the middle of a part to that of another one, which is placed as `seen` from the first."""
    b = (part_b["center"][0], part_b["center"][1], part_b["center"][2])
    a = (part_a["center"][0], part_a["center"][1], part_a["center"][2])
    return vec.sub(vec.add(seen[1], vec.matvec(seen[0], b)), a)


@kernel
def push(stack, aims, cells, top, aim, n):
    """Copy the top of the stack, so that it is there twice, with a direction for both."""
    for c in range(2):
        stack[top + 1, c] = stack[top, c]
    for c in range(2 * n):
        cells[top + 1, c] = cells[top, c]
    for k in range(2):
        for c in range(3):
            aims[top + k, c] = aim[c]


@kernel
def survey(tables, links, joints, ends, margin, entries, row, cells, work, words, most):
    """Return (outcome, looked at, used): are two shapes apart at all joint values of the box cells[0]?

    `entries`: those of the configuration that matter, in whose order a row of `cells` has least and greatest values;
    `ends`: the links and the first parts of both shapes; `work`: rows of both chains, a stack, directions, a simplex,
    what entries took, half widths. The proof is appended to `words`, as far as there is room; of what touches, the two
    parts are left on the stack, and where they do, seen from the first link, and how near, in the directions.
    """
    parts, points = tables
    rows_a, rows_b, stack, aims, simplex, losses, half = work
    n = entries.shape[0]
    stop = common_ancestor(links, ends[0], ends[1])
    stack[0, 0] = ends[2]
    stack[0, 1] = ends[3]
    aims[0, 0] = aims[0, 1] = aims[0, 2] = 0.0
    spare = cells.shape[0] - 1  # the last row holds the box whose joints are set
    for c in range(2 * n):
        cells[spare, c] = cells[0, c]
    pose_a, pose_b, n_a, n_b = place(links, joints, ends, cells[0], entries, row, work)
    top, looked, used = 1, 0, 0
    while top > 0:
        if looked >= most or top + 2 >= spare or n_a < 0 or n_b < 0:
            return GIVEN_UP, looked, used
        looked += 1
        top -= 1
        if not same_box(cells, spare, top, n):
            for c in range(2 * n):
                cells[spare, c] = cells[top, c]
            pose_a, pose_b, n_a, n_b = place(links, joints, ends, cells[top], entries, row, work)
        part_a = parts[stack[top, 0]]
        part_b = parts[stack[top, 1]]
        bent = 0.5 * acceleration(joints, links, ends[0], stop, half, part_a["reach"])
        bent += 0.5 * acceleration(joints, links, ends[1], stop, half, part_b["reach"])
        far = part_a["reach"] + part_b["reach"] + vec.norm(pose_a[1]) + vec.norm(pose_b[1])
        need = margin + SLACK * (far + margin)
        state = pose_a, pose_b, rows_a, n_a, rows_b, n_b, bent, need
        aim = (aims[top, 0], aims[top, 1], aims[top, 2])
        if looked > 1:
            # What was best for the whole may do; GJK costs as much as several tries.
            used, done = settle(words, used, part_a, part_b, points, state, aim, losses)
            if done:
                continue
        seen = (vec.tmatmul(pose_a[0], pose_b[0]), vec.tmatvec(pose_a[0], vec.sub(pose_b[1], pose_a[1])))
        guess = vec.tmatvec(pose_a[0], aim) if looked > 1 else between(part_a, part_b, seen)
        gap, upper, local, x, y = convex_distance(
            points, (part_a["point"], part_a["points"], part_a["radius"], part_a["disk"]),
            points, (part_b["point"], part_b["points"], part_b["radius"], part_b["disk"]),
            seen, guess, simplex, margin, -1.0, 0.95,
        )  # fmt: skip
        aim = vec.matvec(pose_a[0], local)
        leaves = part_a["half"] < 0 and part_b["half"] < 0
        if leaves and upper <= margin * (1.0 + WITHIN) + 2.0 * SLACK * far:
            stack[0, 0], stack[0, 1] = stack[top, 0], stack[top, 1]
            for c in range(3):
                aims[0, c], aims[1, c], aims[2, c] = x[c], y[c], max(upper, 0.0)
            return TOUCHING, looked, used
        for k in range(losses.shape[0]):
            losses[k] = 0.0
        if gap > need:
            used, done = settle(words, used, part_a, part_b, points, state, aim, losses)
            if done:
                continue
            share(losses, rows_a, n_a, rows_b, n_b, bent)
        larger = part_b["half"] < 0 or (part_a["half"] >= 0 and part_a["size"] >= part_b["size"])
        if leaves or gap - margin > NEAR * max(part_a["size"], part_b["size"]):
            k = halve_box(cells, top, entries, losses, half)
            if k < 0:
                return GIVEN_UP, looked, used
            used = write(words, write(words, used, HALF_BOX), np.int64(entries[k]))
            push(stack, aims, cells, top, aim, n)
            middle = 0.5 * (cells[top, k] + cells[top, n + k])
            cells[top + 1, n + k] = middle
            cells[top, k] = middle
        else:
            used = write(words, used, HALF_A if larger else HALF_B)
            push(stack, aims, cells, top, aim, n)
            stack[top + 1, 0 if larger else 1] = part_a["half"] if larger else part_b["half"]
            stack[top, 0 if larger else 1] = stack[top + 1, 0 if larger else 1] + 1
        top += 2
    return APART, looked, used
