"""Two links apart at *all* joint values of a box, from its middle: what a proven self-collision matrix is made of.

The search halves boxes and parts in one tree: two parts are looked at in the box in which their wholes could not be
told apart, and in no larger one, so that what is far away is done with in large boxes and never looked at again.
`box_bounds` has what is left of a gap everywhere in a box. Directions are that of the shortest distance in the middle,
the axes of the joints, and the axes in the frames of the links between: along an axis, in a frame in which it stands,
whole turns of other joints take nothing. Halvings and directions are written down as they are made, and are the proof
(docs/proofs.md).
"""

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance
from tocsin.motion.chain import chain_pose, common_ancestor
from tocsin.motion.joints import UP, joint_motion
from tocsin.proofs.box_bounds import AXIS, LINK, acceleration, chain_rows, gap_along, left_along, left_seen, rough
from tocsin.proofs.search import ALONG, HALF_A, HALF_B, HALF_BOX, NEAR, SEEN, SLACK, middle_of, whole, write

APART, TOUCHING, GIVEN_UP = range(3)
"""What a search ends with: proven apart; two parts are within the margin at the values that are left in the row, or
nearly; after too many boxes."""

WHOLE_NUMBERS = (60.0, 4000.0, 1e6)
"""The largest entry of a direction: the smallest that will do."""

WITHIN = 0.1
"""Of the margin: what is this much farther apart counts as touching too. Between "apart" and "touching" there has to be
room, or boxes beside the place where the distance is the margin would be halved for ever."""


@kernel
def settle(words, used, part_a, part_b, state, n, losses):
    """Return (used, is it settled): append a direction near n, in whole numbers, along which parts are apart."""
    for size in WHOLE_NUMBERS:
        w = whole(n, size)
        length = vec.norm(w)
        if length > 0.0 and left_along(part_a, part_b, state, vec.scale(w, 1.0 / length), losses) > 0.0:
            used = write(words, used, ALONG)
            for k in range(3):
                used = write(words, used, np.int64(w[k]))
            return used, True
    return used, False


@kernel
def facing(row, way):
    """Return the axis of a joint, to the side to which `way` goes."""
    u = (row[AXIS], row[AXIS + 1], row[AXIS + 2])
    return u if vec.dot(u, way) > 0.0 else (-u[0], -u[1], -u[2])


@kernel
def merit(gap, hulls, left, by_share):
    """Return how good a direction is, by what is left along it or by its share; nothing rests on it but how long a
    search takes. `gap`: beyond the need in the middle; `hulls`: by how much hulls may be larger than their parts.

    What is left finds the axes along which whole turns take nothing. But of a wide joint its own axis loses nothing, so
    that most may be left along one that hardly separates anything, and the box is halved along the other joints until
    they are points. The share is about how much of the box, by lengths, a direction settles: all of it if more than the
    need is left, or would be if the parts were halved; else the gap over what is lost of it.
    """
    if not by_share:
        return left
    if left + hulls > 0.0:
        return 2.0 if left > 0.0 else 1.0
    return gap / (gap - left) if gap > 0.0 else 0.0


@kernel
def best_along(part_a, part_b, state, n, losses, by_share):
    """Return (direction, what is left along it, its `merit`): n or, if that is more there, one of the joints' axes.

    Along an axis its own joint, and those that are parallel to it, take nothing of a gap, in boxes of any size. What
    entries take along what is returned is left in `losses`.
    """
    points, pose_a, pose_b, rows_a, n_a, rows_b, n_b, _, _, need = state
    way = vec.sub(middle_of(part_b, pose_b), middle_of(part_a, pose_a))
    hulls = rough(part_a) + rough(part_b)
    left = left_along(part_a, part_b, state, n, losses)
    best = merit(gap_along(part_a, part_b, points, pose_a, pose_b, n) - need, hulls, left, by_share)
    found = n
    for k in range(n_a + n_b):
        u = facing(rows_a[k] if k < n_a else rows_b[k - n_a], way)
        gap = gap_along(part_a, part_b, points, pose_a, pose_b, u) - need
        if gap + hulls > 0.0:
            of_u = merit(gap, hulls, left_along(part_a, part_b, state, u, losses), by_share)
            if of_u > best:
                best = of_u
                found = u
    return found, left_along(part_a, part_b, state, found, losses), best


@kernel
def best_view(part_a, part_b, state, near, far, losses, by_share):
    """Return (side, joint, direction, what is left along it, its `merit`): of all links between the two, and the axis
    of the joint right below each, which stands in its frame, those that are best. What entries take is left in
    `losses`."""
    points, pose_a, pose_b, rows_a, n_a, rows_b, n_b, _, _, need = state
    way = vec.sub(middle_of(part_b, pose_b), middle_of(part_a, pose_a))
    hulls = rough(part_a) + rough(part_b)
    best, found, side, joint = -np.inf, way, 0, -1
    for i in range(n_a + n_b):
        at = 0 if i < n_a else 1
        k = i + 1 if i < n_a else i + 1 - n_a
        if k < (n_a if i < n_a else n_b):
            u = facing(rows_a[i] if i < n_a else rows_b[i - n_a], way)
            gap = gap_along(part_a, part_b, points, pose_a, pose_b, u) - need
            if gap + hulls > 0.0:
                left = left_seen(part_a, part_b, state, (at, k, pose_a[0], near, far), u, losses)
                of_u = merit(gap, hulls, left, by_share)
                if of_u > best:
                    best, found, side, joint = of_u, u, at, k
    left = -np.inf
    if joint >= 0:
        left = left_seen(part_a, part_b, state, (side, joint, pose_a[0], near, far), found, losses)
    return side, joint, found, left, best


@kernel
def settle_seen(part_a, part_b, state, view, n, losses):
    """Return (direction, is it settled): one near n in the frame of a link, in whole numbers."""
    turn = view[2]
    for size in WHOLE_NUMBERS:
        w = whole(vec.tmatvec(turn, n), size)
        length = vec.norm(w)
        if length > 0.0:
            along = vec.scale(vec.matvec(turn, w), 1.0 / length)
            if left_seen(part_a, part_b, state, view, along, losses) > 0.0:
                return w, True
    return n, False


@kernel
def number_of(links, ends, stop, side, link):
    """Return which of the links of two chains one is: from the first end up to below the common link, then from the
    second."""
    number = 0
    i = ends[0]
    while i != (link if side == 0 else stop):
        i = links[i]["parent"]
        number += 1
    i = ends[1]
    while side == 1 and i != link:
        i = links[i]["parent"]
        number += 1
    return number


@kernel
def settle_any(words, used, part_a, part_b, state, where, aim, losses):
    """Return (used, is it settled, direction, what is left along it): append a direction along which parts are apart,
    in their own frame or, if none is found, in that of a link between them.

    `where`: joints and links, the ends and the common link of both chains, room for the rows of two; and is the best
    direction that with the largest share, or that along which most is left?
    """
    joints, links, ends, stop, near, far, by_share = where
    aim, left, of_aim = best_along(part_a, part_b, state, aim, losses, by_share)
    if left > 0.0:
        used, done = settle(words, used, part_a, part_b, state, aim, losses)
        if done:
            return used, True, aim, left
    side, joint, other, more, of_other = best_view(part_a, part_b, state, near, far, losses, by_share)
    if more > 0.0:
        link = int(state[3][joint, LINK] if side == 0 else state[5][joint, LINK])
        view = side, joint, chain_pose(joints, links, link, stop, 0.0)[0], near, far
        w, done = settle_seen(part_a, part_b, state, view, other, losses)
        if done:
            used = write(words, write(words, used, SEEN), number_of(links, ends, stop, side, link))
            for k in range(3):
                used = write(words, used, np.int64(w[k]))
            return used, True, aim, more
    if of_other > of_aim:
        return used, False, aim, more
    return used, False, aim, left_along(part_a, part_b, state, aim, losses)


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
def copy_box(cells, i, k):
    """Write a row of boxes once more."""
    for c in range(cells.shape[1]):
        cells[k, c] = cells[i, c]


@kernel
def note(stack, aims, top, x, y, far):
    """Leave two parts that touch on the stack, and where and how near they do in the directions."""
    stack[0, 0], stack[0, 1] = stack[top, 0], stack[top, 1]
    for c in range(3):
        aims[0, c], aims[1, c], aims[2, c] = x[c], y[c], far


@kernel
def push(stack, aims, cells, top, aim):
    """Copy the top of the stack, so that it is there twice, with a direction for both."""
    for c in range(2):
        stack[top + 1, c] = stack[top, c]
    copy_box(cells, top, top + 1)
    for k in range(2):
        for c in range(3):
            aims[top + k, c] = aim[c]


@kernel
def survey(asked, margin, words, most, by_share):
    """Return (outcome, looked at, used): are two shapes apart at all joint values of the box cells[0]?

    `asked`: tables of parts and their points; links; joints; `ends`, the links and the first parts of both shapes;
    `entries`, those of the configuration that matter, in whose order a row of `cells` has least and greatest values;
    the configuration; `cells`; `work`: rows of both chains, a stack, directions, a simplex, what entries took, half
    widths, rows of two more chains. The proof is appended to `words`, as far as there is room; of what touches, the two
    parts are left on the stack, where and how near, seen from the first link, in the directions; `by_share`: `merit`.
    """
    (parts, points), links, joints, ends, entries, row, cells, work = asked
    rows_a, rows_b, stack, aims, simplex, losses, half, near, far_rows = work
    n = entries.shape[0]
    stop = common_ancestor(links, ends[0], ends[1])
    stack[0, 0], stack[0, 1] = ends[2], ends[3]
    aims[0, 0] = aims[0, 1] = aims[0, 2] = 0.0
    spare = cells.shape[0] - 1  # the last row holds the box whose joints are set
    copy_box(cells, 0, spare)
    pose_a, pose_b, n_a, n_b = place(links, joints, ends, cells[0], entries, row, work)
    top, looked, used = 1, 0, 0
    while top > 0:
        if looked >= most or top + 2 >= spare or n_a < 0 or n_b < 0:
            return GIVEN_UP, looked, used
        looked += 1
        top -= 1
        if not same_box(cells, spare, top, n):
            copy_box(cells, top, spare)
            pose_a, pose_b, n_a, n_b = place(links, joints, ends, cells[top], entries, row, work)
        part_a = parts[stack[top, 0]]
        part_b = parts[stack[top, 1]]
        bound_a = acceleration(joints, links, ends[0], stop, half, part_a["reach"])
        bound_b = acceleration(joints, links, ends[1], stop, half, part_b["reach"])
        far = part_a["reach"] + part_b["reach"] + vec.norm(pose_a[1]) + vec.norm(pose_b[1])
        need = margin + SLACK * (far + margin)
        state = points, pose_a, pose_b, rows_a, n_a, rows_b, n_b, bound_a, bound_b, need
        aim = (aims[top, 0], aims[top, 1], aims[top, 2])
        if looked > 1:
            # What was best for the whole may do; GJK costs as much as several tries.
            used, done = settle(words, used, part_a, part_b, state, aim, losses)
            if done:
                continue
        seen = (vec.tmatmul(pose_a[0], pose_b[0]), vec.tmatvec(pose_a[0], vec.sub(pose_b[1], pose_a[1])))
        guess = vec.tmatvec(pose_a[0], aim) if looked > 1 else between(part_a, part_b, seen)
        gap, upper, local, x, y = convex_distance(
            points, (part_a["point"], part_a["points"], part_a["radius"], part_a["disk"]),
            points, (part_b["point"], part_b["points"], part_b["radius"], part_b["disk"]),
            seen, guess, simplex, (margin, -1.0, 0.95),
        )  # fmt: skip
        aim = vec.matvec(pose_a[0], local)
        leaves = part_a["half"] < 0 and part_b["half"] < 0
        if leaves and upper <= margin * (1.0 + WITHIN) + 2.0 * SLACK * far:
            note(stack, aims, top, x, y, max(upper, 0.0))
            return TOUCHING, looked, used
        losses[:] = 0.0
        finer = False
        if gap > need:
            where = joints, links, ends, stop, near, far_rows, by_share
            used, done, aim, left = settle_any(words, used, part_a, part_b, state, where, aim, losses)
            if done:
                continue
            hulls = rough(part_a) + rough(part_b)
            finer = hulls > 0.0 and left + hulls > 0.0
        larger = part_b["half"] < 0 or (part_a["half"] >= 0 and part_a["size"] >= part_b["size"])
        if finer:
            larger = rough(part_a) > rough(part_b)
        if leaves or (not finer and gap - margin > NEAR * max(part_a["size"], part_b["size"])):
            k = halve_box(cells, top, entries, losses, half)
            if k < 0:
                return GIVEN_UP, looked, used
            used = write(words, write(words, used, HALF_BOX), np.int64(entries[k]))
            push(stack, aims, cells, top, aim)
            middle = 0.5 * (cells[top, k] + cells[top, n + k])
            cells[top + 1, n + k] = middle
            cells[top, k] = middle
        else:
            used = write(words, used, HALF_A if larger else HALF_B)
            push(stack, aims, cells, top, aim)
            stack[top + 1, 0 if larger else 1] = part_a["half"] if larger else part_b["half"]
            stack[top, 0 if larger else 1] = stack[top + 1, 0 if larger else 1] + 1
        top += 2
    return APART, looked, used
