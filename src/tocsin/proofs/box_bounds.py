"""What the joints between two links can take of a gap between them, anywhere in a box of joint values.

Claim. Let q be within h of c, entry by entry, n a unit direction and g the gap along n between two parts at c. Then at
q the gap is at least

    g - sum over joints k of w_k max over points x of |n.d_k(x)| - (A_a + A_b) / 2,

where w_k is how far joint k goes at most (h of its entry, times its factor if it follows another), d_k(x) the velocity
of x at c per unit of joint k, and A bounds the acceleration of a link's points on any way from c to q in unit time:
the lesser of two bounds, by the lengths of the links (`acceleration`) and by where the part is (`bend`).
Proof: go straight from c to q in unit time. The velocities of the joints are constant and at most w_k, so by Taylor's
theorem a point's place along n changes by at most its speed along n at c plus half of its greatest acceleration, and
its speed is the sum of w_k |n.d_k(x)| at most. For a revolute joint n.d_k(x) = (n x u).(x - o), for a prismatic one
n.u: linear in x, so its extremes over a part are those of a support function.
"""

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.motion.chain import chain_pose
from tocsin.motion.joints import UP
from tocsin.motion.links import PRISMATIC, REVOLUTE
from tocsin.proofs.search import MORE, SLACK, farthest

REVOLVE, AXIS, ORIGIN, FAR, ENTRY, TILT, LINK, JOINT_ROW = 0, 1, 4, 7, 8, 9, 10, 11
"""Where a row of a chain has: is it revolute; axis and origin in the common frame; how far it goes; its entry; how far
its axis, times that, can be tilted by the joints above it; the link that it moves."""


@kernel
def spin(rows, k):
    """Return the axis of a joint that turns, times how far it turns; nothing for one that slides."""
    w = rows[k, FAR] if rows[k, REVOLVE] > 0.0 else 0.0
    return (w * rows[k, AXIS], w * rows[k, AXIS + 1], w * rows[k, AXIS + 2])


@kernel
def tilts(rows, n_rows):
    """Write how far the spin of each joint, its axis u_j times w_j, can be tilted in the box: t_j = sum of K_ij over
    the joints i above j.

    Claim. |spin_i x spin_j| <= K_ij = min(w_i w_j, |spin_i x spin_j| at the middle + w_i sum of K_lj, l between i and
    j), and spin_j goes no farther than t_j from where it is at the middle. Proof, from j up: seen from the axis of i,
    u_j is turned by the joints between only, each by w_l |u_l x u_j| at most; and the joints above j turn it by
    w_i |u_i x u_j| each. So axes that are parallel, one below the other, tilt nothing.
    """
    for j in range(n_rows):
        below = spin(rows, j)
        w = vec.norm(below)
        total = 0.0
        for i in range(j + 1, n_rows):
            above = spin(rows, i)
            size = vec.norm(above)
            total += min(size * w, vec.norm(vec.cross(above, below)) + SLACK * size * w + size * total) * UP
        rows[j, TILT] = total


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
            rows[n, LINK] = i
            n += 1
        elif kind != 0:
            return -1
        i = parent
    tilts(rows, n)
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
        slid += abs(links[i]["offset"]) if kind == PRISMATIC else 0.0
        x0 = (x0 + vec.norm((f[0], f[1], f[2])) + slid + (goes - w)) * UP
        i = links[i]["parent"]
    return x2


@kernel
def bend(part, pose, rows, n_rows, n, losses):
    """Return another bound of the acceleration along n, by where the part and the joints' axes are at the middle of the
    box; add each entry's share of half of it to what it takes.

    Claim. With a_k = w_k (rho_k + S_k), where rho_k is the farthest that a point is from the axis of joint k at the
    middle and S_k the sum of a_j over the joints j below k (a_k = w_k if k slides), the acceleration along n is at most
    sum_k a_k (N_k + 2 sum of N_j over the joints j above k); N_j = min(w_j, |n x spin_j| at the middle + t_j) if j
    turns, else 0. Proof: for j at k or above it, the second derivative of x by both joints, at velocities w, is
    spin_j x d_k, d_k = w_k u_k x (x - o_k), or w_k u_k if k slides; and 0 if j slides. Along n it is
    (n x spin_j).d_k. |d_k| is w_k times the distance from the axis of k; only joints below k change that, and take x
    no farther than the sum of their speeds, S_k. `tilts` has t_j.
    """
    center = (part["center"][0], part["center"][1], part["center"][2])
    x = vec.add(pose[1], vec.matvec(pose[0], center))
    below = bent = 0.0
    for k in range(n_rows):
        goes = rows[k, FAR]
        tilted = 0.0
        if rows[k, REVOLVE] > 0.0:
            u = (rows[k, AXIS], rows[k, AXIS + 1], rows[k, AXIS + 2])
            arm = vec.sub(x, (rows[k, ORIGIN], rows[k, ORIGIN + 1], rows[k, ORIGIN + 2]))
            goes *= vec.norm(vec.cross(u, arm)) + part["girth"] + below
            tilted = min(rows[k, FAR], vec.norm(vec.cross(n, spin(rows, k))) + rows[k, TILT] + SLACK * rows[k, FAR])
        # What this joint has with itself, and with all below it.
        own = tilted * (goes + 2.0 * below) * UP
        losses[int(rows[k, ENTRY])] += 0.5 * own
        bent += own
        below += goes * UP
    return bent


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
def gap_along(part_a, part_b, points, pose_a, pose_b, n):
    """Return the gap between two parts along n, at the middle of a box."""
    gap = vec.dot(n, vec.sub(pose_b[1], pose_a[1])) - farthest(part_a, points, vec.tmatvec(pose_a[0], n))
    return gap - farthest(part_b, points, vec.tmatvec(pose_b[0], (-n[0], -n[1], -n[2])))


@kernel
def left_along(part_a, part_b, state, n, losses):
    """Return how much more than what is needed is left of the gap along the unit direction n everywhere in a box.

    `state`: corners of all parts, the poses of both links, the rows of their joints, bounds of the accelerations by
    lengths, and the need; what each entry took is left in `losses`.
    """
    points, pose_a, pose_b, rows_a, n_a, rows_b, n_b, bound_a, bound_b, need = state
    for k in range(losses.shape[0]):
        losses[k] = 0.0
    gap = gap_along(part_a, part_b, points, pose_a, pose_b, n)
    lost = loss_along(part_a, points, pose_a, rows_a, n_a, n, losses)
    lost += loss_along(part_b, points, pose_b, rows_b, n_b, n, losses)
    bent = min(bound_a, bend(part_a, pose_a, rows_a, n_a, n, losses))
    bent += min(bound_b, bend(part_b, pose_b, rows_b, n_b, n, losses))
    return gap - (lost + 0.5 * MORE * bent) * UP - need


@kernel
def rough(part):
    """Return by how much the hull of a part may be larger than the part: nothing if it cannot be halved."""
    return part["radius"] if part["half"] >= 0 else 0.0


@kernel
def seen_from(rows_a, n_a, rows_b, n_b, k, near, far):
    """Write the rows of two chains as the link below joint k of the first one sees them; return how many `far` has.

    A gap between two parts is the same in every frame. Seen from that link, the joints of its chain below it move the
    one part, and all others the other part: those of the other chain, and above them, turned around, its own from the
    top down to joint k.
    """
    for i in range(k):
        for c in range(JOINT_ROW):
            near[i, c] = rows_a[i, c]
    for i in range(n_b + n_a - k):
        for c in range(JOINT_ROW):
            far[i, c] = rows_b[i, c] if i < n_b else rows_a[n_a - 1 - (i - n_b), c]
    tilts(near, k)
    tilts(far, n_b + n_a - k)
    return n_b + n_a - k


@kernel
def left_seen(part_a, part_b, state, view, n, losses):
    """Return what `left_along` does in the frame of another link. `view`: on which side it is, below which joint, its
    orientation, and room for the rows of both chains."""
    points, pose_a, pose_b, rows_a, n_a, rows_b, n_b, _, _, need = state
    side, k, _, near, far = view
    if side == 0:
        count = seen_from(rows_a, n_a, rows_b, n_b, k, near, far)
        seen = (points, pose_a, pose_b, near, k, far, count, np.inf, np.inf, need)
        return left_along(part_a, part_b, seen, n, losses)
    count = seen_from(rows_b, n_b, rows_a, n_a, k, near, far)
    turned = (points, pose_a, pose_b, far, count, near, k, np.inf, np.inf, need)
    return left_along(part_a, part_b, turned, n, losses)
