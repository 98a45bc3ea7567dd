"""Two boxes, or two leaves, are apart during all of a time around the moment at which they are looked at.

Claim. Let n be fixed in the frame of the links' common ancestor, |n| <= 1, g the gap between two sets along n at time
m, c a bound of the speed at which it changes at m, either way, and A, V bounds of acceleration and speed
(`motion_bound`, both sides). Then for |t - m| <= tau the gap is above g - min(c tau + A tau^2 / 2, V tau). Proof:
`motion_bound`, the step, from m on and, with time reversed, back from m: reversed, velocities are the opposite and the
bounds the same. The gap changes by n.(v_b - v_a), linear in the points of either set: over boxes it is within the
spread around its value at the centres, over leaves it is extreme at corners or support points.

Whose answer. An engine on threads may call a contact what comes within margin + tolerance, and does not have to. Here
freedom is proven with that much to spare, and a contact is within the margin, up to rounding. So where the wavefront
says free no engine says contact, and what is in between is left to them.

Rounding. What is computed of g and c is off by less than noise and noise_speed (`pairs.prepare`, whose formulas are
`bounds_between`), on any processor: those count roundings of single operations in the standard model, and sines and
cosines good to 4 units, 16 units more in a joint's matrix than is used of the 256 that are granted. A fused
multiply-add rounds once where two operations round twice, so it is within the model. GROW takes the handful of
roundings of the bound itself.
"""

from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.advancement.box_step import box_of, outward
from tocsin.advancement.leaves import convex_set, corner, placed_corner
from tocsin.bounds.motion_bound import UNIT, chain_bound
from tocsin.compiler.jit import kernel
from tocsin.geometry.box_gap import gap_between
from tocsin.geometry.convex import convex_distance, support_value
from tocsin.geometry.tree import spread
from tocsin.geometry.triangles import gap_along, sharper_direction, triangle_pair
from tocsin.model.tables import MESH
from tocsin.motion.chain import chain_state
from tocsin.motion.joints import UP
from tocsin.outcome import CAPPED, CONTACT, FREE

GROW = 1.0 + 2.0**-40

BETWEEN = -1
"""No end of a search: two leaves are farther apart than the margin, and nearer than margin + tolerance."""


class Look(NamedTuple):
    """How two shapes lie and move at a moment, and what bounds them around it."""

    pose: tuple
    """Of b in a's frame."""
    motion: tuple
    """(va, wa, vb, wb) in it, relative to the common ancestor."""
    bounds: tuple
    """See `bounds_between`."""
    tau: float
    """So long before and after the moment."""


@kernel
def bound_of(field, joints, couple):
    """Return (speed, turn, accel, accel_per_reach, length, noise) of both shapes of a couple, a's first."""
    va, va1, aa, aa1, _, _, length_a, noise_a = chain_bound(joints, field.links, couple["link_a"], couple["stop"])
    if couple["stands"] != 0:
        still = field.standing[couple["link_b"]]
        return (va, va1, aa, aa1, length_a, noise_a), (0.0, 0.0, 0.0, 0.0, still["length"], still["noise"])
    vb, vb1, ab, ab1, _, _, length_b, noise_b = chain_bound(joints, field.links, couple["link_b"], couple["stop"])
    return (va, va1, aa, aa1, length_a, noise_a), (vb, vb1, ab, ab1, length_b, noise_b)


@kernel
def bounds_between(field, joints, couple):
    """Return (clear, near, noise_speed, V, A): all rounded up; V and A as (constant, per reach of a, of b).

    `clear` is margin, tolerance and noise, `near` margin and noise: two leaves that are computed to be nearer touch.
    As `pairs.prepare` has them.
    """
    a, b = bound_of(field, joints, couple)
    margin = couple["margin"]
    far_a = a[4] + field.geoms[couple["a"]]["reach"]
    far_b = b[4] + field.geoms[couple["b"]]["reach"]
    noise = (a[5] * far_a + b[5] * far_b + 64.0 * UNIT * (far_a + far_b + margin)) * UP
    noise_speed = (4.0 * (a[5] + b[5]) + 64.0 * UNIT) * (a[0] + a[1] * far_a + b[0] + b[1] * far_b)
    tolerance = max(couple["tolerance"], couple["floor"] * noise)
    speed = ((a[0] + b[0]) * UP, a[1], b[1])
    accel = ((a[2] + b[2]) * UP, a[3], b[3])
    return (margin + tolerance + noise) * UP, margin + noise, noise_speed, speed, accel


@kernel
def states_between(field, joints, couple, t):
    """Return (pose, motion): b in a's frame at time t, and (va, wa, vb, wb) in it, relative to the common ancestor."""
    ra, pa, wa, va, _, _ = chain_state(joints, field.links, couple["link_a"], couple["stop"], t)
    if couple["stands"] != 0:
        still = field.standing[couple["link_b"]]
        r = still["rotation"]
        rb = (vec.load3(r, 0), vec.load3(r, 1), vec.load3(r, 2))
        pb = (still["place"][0], still["place"][1], still["place"][2])
        wb = vb = (0.0, 0.0, 0.0)
    else:
        rb, pb, wb, vb, _, _ = chain_state(joints, field.links, couple["link_b"], couple["stop"], t)
    pose = (vec.tmatmul(ra, rb), vec.tmatvec(ra, vec.sub(pb, pa)))
    return pose, (vec.tmatvec(ra, va), vec.tmatvec(ra, wa), vec.tmatvec(ra, vb), vec.tmatvec(ra, wb))


@kernel
def look_at(field, joints, couple, t, tau):
    """Return a `Look` at a couple at time t."""
    pose, motion = states_between(field, joints, couple, t)
    return Look(pose, motion, bounds_between(field, joints, couple), tau)


@kernel
def shift(closing, look, reach_a, reach_b):
    """Return how much a gap can shrink within tau, if it closes at this speed at the moment, either way."""
    _, _, noise_speed, v, a = look.bounds
    tau = look.tau
    accel = a[0] + a[1] * reach_a + a[2] * reach_b
    speed = v[0] + v[1] * reach_a + v[2] * reach_b
    return min((closing + noise_speed + 0.5 * accel * tau) * tau, speed * tau) * GROW


@kernel
def box_clearance(node_a, node_b, look):
    """Return (gap, shift): what two nodes are apart beyond margin and noise, and how much of it tau can take."""
    box = box_of(node_a)
    other, arm = outward(look.pose[0], look.pose[1], node_b)
    gap, n = gap_between(box, other)
    va, wa, vb, wb = look.motion
    ka = vec.cross(n, wa)
    kb = vec.cross(n, wb)
    middle = vec.dot(n, vec.sub(va, vb)) + vec.dot(ka, box[0]) - vec.dot(kb, arm)
    closing = abs(middle) + spread(box[2], box[1], ka) + spread(other[2], other[1], kb)
    lost = shift(closing, look, np.float64(node_a["reach"]), np.float64(node_b["reach"]))
    return gap - look.bounds[0], lost


@kernel
def triangles_apart(points, faces, fa, fb, look, reach_a, reach_b):
    """Return how two triangles are: CONTACT in the middle, FREE during all of the time, or CAPPED: not known.

    BETWEEN: they touch in the middle, or not, as one sees it.
    """
    pose, bounds = look.pose, look.bounds
    a0 = corner(points, faces, fa, 0)
    a1 = corner(points, faces, fa, 1)
    a2 = corner(points, faces, fa, 2)
    b0, r0 = placed_corner(points, faces, fb, 0, pose)
    b1, r1 = placed_corner(points, faces, fb, 1, pose)
    b2, r2 = placed_corner(points, faces, fb, 2, pose)
    d, x, y = triangle_pair(a0, a1, a2, b0, b1, b2)
    if d <= bounds[1]:
        return CONTACT
    if not d > bounds[0]:
        return BETWEEN
    n = ((y[0] - x[0]) / d, (y[1] - x[1]) / d, (y[2] - x[2]) / d)
    gap = gap_along(n, a0, a1, a2, b0, b1, b2)
    if gap < 0.5 * d:
        n, gap = sharper_direction(n, gap, a0, a1, a2, b0, b1, b2)
    va, wa, vb, wb = look.motion
    ka = vec.cross(n, wa)
    kb = vec.cross(n, wb)
    s0, s1, s2 = vec.dot(ka, a0), vec.dot(ka, a1), vec.dot(ka, a2)
    t0, t1, t2 = vec.dot(kb, r0), vec.dot(kb, r1), vec.dot(kb, r2)
    both = vec.dot(n, vec.sub(va, vb))
    most = both + max(s0, max(s1, s2)) - min(t0, min(t1, t2))
    least = both + min(s0, min(s1, s2)) - max(t0, max(t1, t2))
    return FREE if gap - bounds[0] > shift(max(most, -least), look, reach_a, reach_b) else CAPPED


@kernel
def widest(table, core, k):
    """Return the largest k.p over a convex set, radius included."""
    return support_value(table, core[0], core[1], core[3], k) + core[2] * vec.norm(k)


@kernel
def sets_apart(table_a, a, table_b, b, look, reach_a, reach_b, simplex):
    """Return how two convex sets are, as `triangles_apart` does."""
    pose, bounds = look.pose, look.bounds
    guess = vec.add(pose[1], vec.matvec(pose[0], vec.load3(table_b, b[0])))
    guess = vec.sub(guess, vec.load3(table_a, a[0]))
    lower, upper, n, _, _ = convex_distance(
        table_a, a, table_b, b, pose, guess, simplex, (bounds[0], bounds[1], 0.75)
    )  # fmt: skip
    if upper <= bounds[1]:
        return CONTACT
    if not upper > bounds[0]:
        return BETWEEN
    gap = lower - bounds[0]
    if not gap > 0.0:
        return CAPPED
    va, wa, vb, wb = look.motion
    ka = vec.cross(n, wa)
    kb = vec.tmatvec(pose[0], vec.cross(n, wb))
    both = vec.dot(n, vec.sub(va, vb))
    back_a = (-ka[0], -ka[1], -ka[2])
    back_b = (-kb[0], -kb[1], -kb[2])
    most = both + widest(table_a, a, ka) + widest(table_b, b, back_b)
    least = both - widest(table_a, a, back_a) - widest(table_b, b, kb)
    return FREE if gap > shift(max(most, -least), look, reach_a, reach_b) else CAPPED


@kernel
def leaves_apart(field, couple, node_a, node_b, look, workspace):
    """Return how two leaves are, as `triangles_apart` does; `room` is (corners of a, of b, a simplex) to work in."""
    geom_a = field.geoms[couple["a"]]
    geom_b = field.geoms[couple["b"]]
    reach_a = np.float64(node_a["reach"])
    reach_b = np.float64(node_b["reach"])
    if geom_a["kind"] == MESH and geom_b["kind"] == MESH:
        return triangles_apart(field.points, field.faces, node_a["first"], node_b["first"], look, reach_a, reach_b)
    table_a, a = convex_set(geom_a, node_a, field.points, field.faces, workspace[0])
    table_b, b = convex_set(geom_b, node_b, field.points, field.faces, workspace[1])
    return sets_apart(table_a, a, table_b, b, look, reach_a, reach_b, workspace[2])
