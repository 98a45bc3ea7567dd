"""Along which direction two parts are apart during a slab of time: the test of a proof, and how one is found.

The test is the checker's own, with hulls for parts, so whatever passes here passes there: `gap_along` is what is left
between two parabolas, and `around` what lies beyond them. Directions are triples of whole numbers, so that a file holds
them exactly, small ones where they will do.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance, support_value
from tocsin.motion.chain import chain_pose, chain_state, common_ancestor
from tocsin.motion.curved_joints import set_joint
from tocsin.motion.joints import UP
from tocsin.motion.links import FLOATING, PLANAR, PRISMATIC

HALF_TIME, SLAB, HALF_A, HALF_B, ALONG, HALF_BOX, TOGETHER, SEEN, AXIS = 1, 2, 4, 5, 6, 8, 9, 10, 11
"""Words of a proof: / . < > then a direction, the entry along which a box is halved, = of a box in which two points
stay together, a direction in the frame of another link, with its number in the chains; and the first of six axes of
the world, x -x y -y z -z."""

WHOLE_NUMBERS = (1000.0, 1e6, 1e9)
"""The largest entry of a direction: the smallest that will do."""

NEAR = 0.04
"""Parts closer in the middle of the slab than this share of the larger one are halved rather than the time."""

SLACK = 2.0**-36
"""Of the lengths that enter a test: far more than all roundings of it, here and in the checker."""

MORE = 1.0 + 2.0**-20
"""Times a remainder: the checker's is a little larger, where it bounds a placement by how far it is from a rotation."""

STATE, BOUNDS = 24, 7
"""Columns of a link's state: rotation, place, turning, velocity, and the accelerations of both; and of its bounds."""

WIDE = math.sqrt(3.0) * (1.0 + 2.0**-50)
"""A joint that slides several ways is so many joints in a proof, whose lengths are added there."""


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
    wide = WIDE if link["kind"] == FLOATING or link["kind"] == PLANAR else 1.0
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
        speed = wide * joint["speed"]
        far = stands + wide * slid + tau * speed
        return w, w * w * UP, w * w * w * UP, far * UP, speed, 0.0, 0.0
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
        c0 = c0 * tau + wide * math.sqrt(b[1, k] * b[1, k] + b[2, k] * b[2, k] + b[3, k] * b[3, k])
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
def composed(outer, inner):
    """Return the state of a link in the frame of which another link has the state `outer`, from that in the frame of
    the other: the formulas of `motion.chain`, from the top down."""
    rotation, place, omega, v, alpha, a = outer
    arm = vec.matvec(rotation, inner[1])
    spin = vec.matvec(rotation, inner[2])
    slide = vec.matvec(rotation, inner[3])
    across = vec.cross(omega, arm)
    bent = vec.cross(omega, vec.add(across, vec.add(slide, slide)))
    return (
        vec.matmul(rotation, inner[0]),
        vec.add(place, arm),
        vec.add(omega, spin),
        vec.add(v, vec.add(across, slide)),
        vec.add(alpha, vec.add(vec.cross(omega, spin), vec.matvec(rotation, inner[4]))),
        vec.add(vec.add(a, vec.cross(alpha, arm)), vec.add(bent, vec.matvec(rotation, inner[5]))),
    )


@kernel
def state_of(states, link):
    """Return the state of a link, as `chain_state` has it, from a row of the table."""
    row = states[link]
    rotation = (row[0], row[1], row[2]), (row[3], row[4], row[5]), (row[6], row[7], row[8])
    place, omega, v = (row[9], row[10], row[11]), (row[12], row[13], row[14]), (row[15], row[16], row[17])
    return rotation, place, omega, v, (row[18], row[19], row[20]), (row[21], row[22], row[23])


@kernel
def set_states(joints, links, t, tau, states):
    """Write the state of every link in the world at a moment, and the bounds of `third_bound` during [t - tau, t +
    tau]; behind all links, the moment and tau.

    Bounds are carried down as they are carried up there: of a joint's rotation and the one above it, Leibniz' rule
    gives R_k = sum of binomial(k, j) R_(k - j) r_j, of the place Y_k = Y_k + sum of binomial(k, j) R_(k - j) c_j.
    """
    n = links.shape[0]
    states[n, 0], states[n, 1] = t, tau
    for i in range(n):
        above = links[i]["parent"]
        state = chain_state(joints, links, i, above, t)
        r1, r2, r3, c0, c1, c2, c3 = peaks(joints[i], links[i], t, tau)
        if above >= 0:
            state = composed(state_of(states, above), state)
            s1, s2, s3, y0, y1, y2, y3 = bounds_of(states, above)
            c3 = (y3 + s3 * c0 + 3.0 * (s2 * c1 + s1 * c2) + c3) * UP
            c2 = (y2 + s2 * c0 + 2.0 * s1 * c1 + c2) * UP
            c1 = (y1 + s1 * c0 + c1) * UP
            c0 = (y0 + c0) * UP
            r3 = (s3 + 3.0 * (s2 * r1 + s1 * r2) + r3) * UP
            r2 = (s2 + 2.0 * s1 * r1 + r2) * UP
            r1 = (s1 + r1) * UP
        rotation, place, omega, v, alpha, a = state
        for c in range(3):
            for k in range(3):
                states[i, 3 * c + k] = rotation[c][k]
            states[i, 9 + c], states[i, 12 + c], states[i, 15 + c] = place[c], omega[c], v[c]
            states[i, 18 + c], states[i, 21 + c] = alpha[c], a[c]
        bounds = r1, r2, r3, c0, c1, c2, c3
        for c in range(BOUNDS):
            states[i, STATE + c] = bounds[c]


@kernel
def bounds_of(states, link):
    """Return the bounds of a link in the world from a row of the table: r1, r2, r3, y0, y1, y2, y3."""
    row = states[link]
    return row[24], row[25], row[26], row[27], row[28], row[29], row[30]


@kernel
def farthest(part, points, d):
    """Return the largest d.p over a part's hull."""
    value = support_value(points, part["point"], part["points"], part["disk"], d)
    return value + part["radius"] * vec.norm(d) if part["radius"] > 0.0 else value


@kernel
def coefficients(state, n, tau):
    """Return (before, middle, after, a, b, c): a point p of a link is, along n, on a parabola with the Bernstein
    coefficients before.p + a, middle.p + b and after.p + c during [-tau, tau].

    Its place along n is n.(P + R p) + s n.(v + omega x R p) + s^2/2 n.(a + alpha x R p + omega x (omega x R p)), and
    the coefficients of q0 + q1 s + q2 s^2 are q(-tau), q0 - q2 tau^2, q(tau).
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
    return before, middle, after, c0 - c1 + c2, c0 - c2, c0 + c1 + c2


@kernel
def extent(part, points, state, n, tau):
    """Return how far a part goes along n: the largest of its three Bernstein coefficients, each, as a triple."""
    before, middle, after, a, b, c = coefficients(state, n, tau)
    return farthest(part, points, before) + a, farthest(part, points, middle) + b, farthest(part, points, after) + c


@kernel
def range_of(part, d):
    """Return from where to where a part goes along a vector of its link, by its box there."""
    center, span = part["center"], part["span"]
    at = vec.dot(d, (center[0], center[1], center[2]))
    far = abs(d[0]) * span[0] + abs(d[1]) * span[1] + abs(d[2]) * span[2]
    return at - far, at + far


@kernel
def middle_of(part, state):
    """Return about where the middle of a part is."""
    center = (part["center"][0], part["center"][1], part["center"][2])
    return vec.add(state[1], vec.matvec(state[0], center))


@kernel
def gap_along(part_a, part_b, points, state_a, state_b, n, tau):
    """Return a gap along n that two parts keep during [-tau, tau] around the moment of the states, remainders apart."""
    a = extent(part_a, points, state_a, n, tau)
    b = extent(part_b, points, state_b, (-n[0], -n[1], -n[2]), tau)
    return -max(a[0] + b[0], max(a[1] + b[1], a[2] + b[2]))


@kernel
def clears(part_a, part_b, points, state_a, state_b, n, tau, need):
    """Return whether `gap_along` is more than needed, and a number that it is not more than.

    The middle coefficients come first: where they leave too little, the others do not matter. Where they leave enough,
    how much farther any point of the parts' boxes goes by the others settles most directions: the largest of a sum is
    at most the sum of the largest.
    """
    a0, a1, a2, x0, x1, x2 = coefficients(state_a, n, tau)
    b0, b1, b2, y0, y1, y2 = coefficients(state_b, (-n[0], -n[1], -n[2]), tau)
    far = farthest(part_a, points, a1) + farthest(part_b, points, b1)
    gap = -(far + x1 + y1)
    if not gap > need:
        return False, gap
    first = range_of(part_a, vec.sub(a0, a1))[1] + range_of(part_b, vec.sub(b0, b1))[1] + x0 + y0
    last = range_of(part_a, vec.sub(a2, a1))[1] + range_of(part_b, vec.sub(b2, b1))[1] + x2 + y2
    if -(far + max(first, last)) > need:
        return True, gap
    gap = min(gap, -(farthest(part_a, points, a0) + farthest(part_b, points, b0) + x0 + y0))
    if gap > need:
        gap = min(gap, -(farthest(part_a, points, a2) + farthest(part_b, points, b2) + x2 + y2))
    return gap > need, gap


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
def write_direction(words, used, w):
    """Append a direction of whole numbers; return how many words there are."""
    used = write(words, used, ALONG)
    for k in range(3):
        used = write(words, used, np.int64(w[k]))
    return used


@kernel
def along(words, used, parts, points, states, n, tau, need):
    """Append a direction near n, in whole numbers, along which two parts are more than `need` apart; or nothing.

    `parts`, `states`: of both sides.
    """
    if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0:
        return used
    part_a, part_b = parts
    state_a, state_b = states
    for size in WHOLE_NUMBERS:
        w = whole(n, size)
        length = vec.norm(w)
        holds, gap = clears(part_a, part_b, points, state_a, state_b, w, tau, need * length)
        if holds:
            return write_direction(words, used, w)
        if gap < (need - 2.0 / size * (part_a["size"] + part_b["size"])) * length:
            return used  # other roundings of n are not that much better
    return used


@kernel
def around(chain, t, tau, margin):
    """Return what the tests of a pair need of its chains at a moment: the states of both links in the frame above them;
    what is needed of a gap at points that are at their origins, what a unit of reach adds on either side; and what
    roundings are a share of."""
    links, joints, link_a, link_b, stop, states = chain
    n = links.shape[0]
    if stop < 0 and states[n, 0] == t and states[n, 1] == tau:
        state_a, state_b = state_of(states, link_a), state_of(states, link_b)
        base_a, slope_a = states[link_a, STATE + 6], states[link_a, STATE + 2]
        base_b, slope_b = states[link_b, STATE + 6], states[link_b, STATE + 2]
    else:
        state_a = chain_state(joints, links, link_a, stop, t)
        state_b = chain_state(joints, links, link_b, stop, t)
        base_a, slope_a = third_bound(joints, links, link_a, stop, t, tau)
        base_b, slope_b = third_bound(joints, links, link_b, stop, t, tau)
    quick = vec.norm(state_a[3]) + vec.norm(state_b[3]) + tau * (vec.norm(state_a[5]) + vec.norm(state_b[5]))
    far = vec.norm(state_a[1]) + vec.norm(state_b[1]) + margin + tau * quick
    cube = tau * tau * tau * MORE / 6.0
    return state_a, state_b, (margin + cube * (base_a + base_b), cube * slope_a, cube * slope_b, far)


@kernel
def nearest(points, part_a, state_a, part_b, state_b, n, margin, simplex):
    """Return (gap, direction) of two parts in the middle of a slab, found from a direction n on."""
    ra = state_a[0]
    pose = (vec.tmatmul(ra, state_b[0]), vec.tmatvec(ra, vec.sub(state_b[1], state_a[1])))
    gap, _, aim, _, _ = convex_distance(
        points, (part_a["point"], part_a["points"], part_a["radius"], part_a["disk"]),
        points, (part_b["point"], part_b["points"], part_b["radius"], part_b["disk"]),
        pose, vec.tmatvec(ra, n), simplex, (margin, -1.0, 0.9),
    )  # fmt: skip
    return gap, vec.matvec(ra, aim)


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
def grow(margins, pairs, tables, shapes, moving, grown):
    """Write each pair's margin with how far its shapes may be off their motions added."""
    roots, link_of, _ = shapes
    links, joints = moving
    for p in range(pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        stop = common_ancestor(links, link_of[a], link_of[b])
        off = off_by(joints, links, link_of[a], stop, tables[0][roots[a]]["reach"])
        off += off_by(joints, links, link_of[b], stop, tables[0][roots[b]]["reach"])
        grown[p] = (margins[p] + off * MORE) * UP if off > 0.0 else margins[p]
