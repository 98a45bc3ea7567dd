"""How fast, and with what acceleration, a point of a link can move in the frame of an ancestor.

Notation: the joints between link i and its ancestor are numbered outward; joint j has rate w_j, speed u_j and its
frame's origin is never farther than L_j from the parent's origin (upper bounds over the stretch of time at hand). A
point q of the link is at q_j(t) in frame j: q_i is constant and q_{j-1} = T_j + R_j q_j.

Claim. With X_j >= |q_j|, V_j >= |dq_j/dt|, A_j >= |d2q_j/dt2| (X_i = reach of the point, V_i = A_i = 0),

    X_{j-1} = L_j + X_j
    V_{j-1} = u_j + w_j X_j + V_j
    A_{j-1} = w_j^2 X_j + 2 w_j V_j + A_j
    J_{j-1} = w_j^3 X_j + 3 w_j^2 V_j + 3 w_j A_j + J_j

are bounds of place, velocity, acceleration and its rate of change in frame j-1. Proof: differentiate q_{j-1} = T_j +
R_j q_j three times; R_j' = [w_j]x R_j with a constant vector w_j, T_j'' = 0, so q_{j-1}' = T_j' + w_j x R_j q_j +
R_j q_j' and q_{j-1}'' = w_j x (w_j x R_j q_j) + 2 w_j x R_j q_j' + R_j q_j'', and so on with binomial coefficients;
take norms. ([CATCH eq. 7, eq. 8, eq. 9, eq. 10] with further derivatives, in any ancestor's frame.)

All are affine in the reach X_i, with non-negative coefficients: V = speed + turn X, A = accel + accel_per_reach X, J =
jerk + jerk_per_reach X. So they are kept as six numbers per link and ancestor, and evaluated per node of a hierarchy
with the node's own reach.

Claim (curves). Where rates vary, with w_j, b_j, c_j bounds of the norms of the first three derivatives of R_j, and u_j,
s_j, r_j of the lengths of those of T_j (`motion.curves.narrow`), X and V are as above, and

    A_{j-1} = s_j + b_j X_j + 2 w_j V_j + A_j
    J_{j-1} = r_j + c_j X_j + 3 b_j V_j + 3 w_j A_j + J_j.

Proof: the product rule for T_j + R_j q_j, with its binomial coefficients; take norms. Constant rates are the case
b = w^2, c = w^3, s = r = 0.

Claim (the step). Let n be fixed in the ancestor's frame, |n| <= 1, g the gap between the two shapes along n at time
t and v >= (the fastest of a along n) - (the slowest of b along n) at time t. Then during [t, t + h] the gap stays
above g - v h - A h^2 / 2, and above g - V h, with A and V the sums of both sides. With a >= (the greatest acceleration
of a along n) - (the least of b along n) at time t it stays above g - v h - a h^2 / 2 - J h^3 / 6 too. Proof: Taylor's
formula with the Lagrange remainder for n.q(t) of every point; the gap is a minimum over points of differences of
those, and no less than the sum of the least of each term.

The third is worth its price where links come close and hardly approach: A adds up all joints as if they conspired, the
acceleration now is a tenth of it along most directions, and steps become two to three times as long.
"""

import math

from tocsin.compiler.jit import kernel
from tocsin.motion.joints import UP
from tocsin.simd.lanes import root, select

UNIT = 2.0**-53

SHRINK = 1.0 - 2.0**-40
"""Factor that makes a step computed in floating point a lower bound of the exact one."""


@kernel
def chain_bound(joints, links, link, stop):
    """Return (speed, turn, accel, accel_per_reach, jerk, jerk_per_reach, length, noise) of a link in the frame of its
    ancestor `stop`.

    For a point at distance X from the link's origin, during the whole stretch of time of the joints: its velocity is
    at most speed + turn X [CATCH eq. 10], its acceleration at most accel + accel_per_reach X, the rate at which that
    changes at most jerk + jerk_per_reach X, its distance from the ancestor's origin at most length + X, and the pose
    computed by `chain_pose`, `chain_state` or `broad_phase.sweep.link_at` places it with an error of at most noise
    (length + X).

    All rounded up. Every term is non-negative, so no sum cancels, and a joint puts at most 9 roundings on top of those
    of the numbers that it starts from: after n joints a number is exact up to a factor (1 + u)^(9 n). It is multiplied
    by 1 + 256 n u, which is that and more, its own roundings included.

    Speeds and accelerations are those of the joint records as they stand, a motion in its own right; the motion that
    was asked for is within the noise of it at every time, so a gap of the record's motion that exceeds the noise is a
    gap of the true one.

    Noise. `length` adds up the joints' sizes, which count every length that entered a sum, even where they cancel
    (an origin of -1 km and a slider at +1 km). A joint's matrix k0 + k1 c + k2 s has entries built from at most 40
    roundings each of numbers below 4 (a quaternion's matrix, a product with the joint's origin, Rodrigues' terms,
    one pose), sines and cosines are good to 2 units, and the angle fed to them is off by at most 12 units of itself,
    of which 3 are the piece's begin and end (`motion.knots`) and 4 the rate, the time since and their product; so
    the matrix is off by less than (192 + 12 angle) units in norm. T_j carries at most 32 roundings of terms whose
    sum is below its size. Each product along the chain adds less than 16 units. A rotation that is off by r moves a
    point by r times its distance from the joint. Summing, the total is below sum_j (256 + 16 angle_j) units of
    (length + X).
    """
    # Affine in X: X_j = x + X, V_j = v + v1 X, A_j = a + a1 X, J_j = c + c1 X.
    x = 0.0
    v = 0.0
    v1 = 0.0
    a = 0.0
    a1 = 0.0
    c = 0.0
    c1 = 0.0
    size = 0.0
    noise = 64.0
    up = UP
    i = link
    while i != stop:
        joint = joints[i]
        up = up + (UP - 1.0)
        w = joint["turn"]
        if joint["degree"] != 0:
            r2 = joint["turn_accel"]
            r3 = joint["turn_jerk"]
            c = c + 3.0 * w * a + 3.0 * r2 * v + r3 * x + joint["slide_jerk"]
            c1 = c1 + 3.0 * w * a1 + 3.0 * r2 * v1 + r3
            a = a + 2.0 * w * v + r2 * x + joint["slide_accel"]
            a1 = a1 + 2.0 * w * v1 + r2
        else:
            c = c + w * (3.0 * a + w * (3.0 * v + w * x))
            c1 = c1 + w * (3.0 * a1 + w * (3.0 * v1 + w))
            a = a + 2.0 * w * v + w * w * x
            a1 = a1 + 2.0 * w * v1 + w * w
        v = v + w * x + joint["speed"]
        v1 = v1 + w
        x = x + joint["length"]
        size = size + joint["size"]
        noise = noise + 256.0 + 16.0 * joint["angle"]
        i = links[i]["parent"]
    return v * up, v1 * up, a * up, a1 * up, c * up, c1 * up, size * up, noise * UNIT * up


@kernel
def safe_step(gap, v, acceleration, speed, need):
    """Return h > 0 with gap - v s - acceleration s^2/2 > 0, or gap - speed s > 0 [CATCH eq. 4], for every s in [0, h].

    All arguments are already rounded to the safe side; floats, or lanes of them. `need` is the longest step of any use:
    if it is safe the result is inf (what gap - v s - acceleration s^2/2 leaves is concave in s and positive at 0, so
    positive at `need` is positive in between). gap <= 0 gives 0. Otherwise the larger root, in the form that does not
    cancel, or what the speed alone allows. Everything is shrunk by 2^-40, more than the handful of roundings in it (in
    the quick test the terms are below 2^11 gap, so their roundings are below 2^-41 gap). Where nothing moves, any
    step is safe, and gap / 1 is one.
    """
    apart = gap > 0.0
    left = select(apart, gap, 0.0)
    at_once = ((v + 0.5 * acceleration * need) * need < left * SHRINK) & (v * need > -1024.0 * left)
    closing = v > 0.0
    bends = acceleration > 0.0
    square = root(v * v + 2.0 * acceleration * left)
    h = select(closing, 2.0 * left, square - v) / select(closing, v + square, select(bends, acceleration, 1.0))
    h = select(closing | bends, h, math.inf)
    slow = left / select(speed > 0.0, speed, 1.0)
    h = select(slow > h, slow, h) * SHRINK
    return select(apart, select(at_once, math.inf, h), 0.0)


MOSTLY = 0.75
"""Where the closing speed alone uses up this much of a gap, nothing is gained by knowing the acceleration better."""


@kernel
def sharper_step(h, gap, v, now, acceleration, jerk, need):
    """Return a step at least as long as h, which `safe_step` gave for the same gap, v and acceleration; inf for `need`.

    `now` is a bound of the closing acceleration at the beginning, `jerk` of how fast it changes; floats or lanes.
    Claim: with m = now, but at least 0 and at most `acceleration`, f(s) = gap - v s - m s^2 / 2 - jerk s^3 / 6 is
    positive up to the result. Proof: f is concave for s >= 0, and positive at 0, so if it is positive at `need`, it is
    before. For s <= T it is at least gap - v s - (m + jerk T / 3) s^2 / 2, concave too, so up to the smaller of T and
    the root of that it is positive; T = 2.5 h is what is tried. Roundings as in `safe_step`.
    """
    apart = gap > 0.0
    left = select(apart, gap, 0.0)
    most = select(now > 0.0, now, 0.0)
    most = select(most < acceleration, most, acceleration)
    at_once = ((v + (0.5 * most + jerk * need * (1.0 / 6.0)) * need) * need < left * SHRINK) & (
        v * need > -1024.0 * left
    )
    trial = 2.5 * h
    trial = select(trial < need, trial, need)
    bending = most + jerk * trial * (1.0 / 3.0)
    square = root(v * v + 2.0 * bending * left)
    closing = v > 0.0
    bends = bending > 0.0
    longer = select(closing, 2.0 * left, square - v) / select(closing, v + square, select(bends, bending, 1.0))
    longer = select(closing | bends, longer, trial)
    longer = select(longer < trial, longer, trial) * SHRINK
    longer = select(apart & (longer > h), longer, h)
    return select(apart & at_once, math.inf, longer)
