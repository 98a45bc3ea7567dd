"""How fast a link of a long chain can move in the world during one slab of time, from how it moves at its middle.

`motion_bound` adds up the joints of a chain as if they conspired; links of a long chain mostly turn against each other,
and its sums are a thousand times what is there. But at the middle m of a slab every link's velocity and acceleration
are computed anyway, and within half a slab they change by no more than the next derivative allows.

Notation: omega, alpha, beta and gamma are a link's angular velocity and its first three derivatives in the world, v,
a, j, k the velocity of its origin and its first three derivatives; capitals bound their lengths during the slab. Its
joint turns it in the parent's frame by w, constant there, and moves its origin in it at p with velocity s, constant
there too; |w| <= w, |p| <= L, |s| <= u. R is the parent's rotation; what has no mark is the parent's.

Claim. For |t - m| <= tau, with

    R1 = Omega,  R2 = Alpha + Omega^2,  R3 = Beta + 3 Alpha Omega + Omega^3,
    R4 = Gamma + 4 Beta Omega + 3 Alpha^2 + 6 Alpha Omega^2 + Omega^4,

    Gamma' = Gamma + R3 w                      K' = K + R4 L + 4 R3 u
    Beta'  = min(Beta + R2 w, |beta'(m)| + tau Gamma')       J' = min(J + R3 L + 3 R2 u, |j'(m)| + tau K')
    Alpha' = min(Alpha + R1 w, |alpha'(m)| + tau Beta')      A' = min(A + R2 L + 2 R1 u, |a'(m)| + tau J')
    Omega' = min(Omega + w, |omega'(m)| + tau Alpha')        V' = min(V + R1 L + u, |v'(m)| + tau A').

Proof. R' = [omega]x R; differentiating on, R'' = ([alpha]x + [omega]x^2) R, R''' is [beta]x, three products of alpha
and omega and [omega]x^3 times R, and R'''' is [gamma]x, four products of beta and omega, three of alpha and alpha, six
of alpha, omega, omega, and [omega]x^4 times R: R1 to R4 bound their norms. The left ones: omega' = omega + R w and the
new origin P + R p, differentiated with p' = s, p'' = 0 (binomial coefficients); take lengths. The right ones: the mean
value theorem for vectors, |f(t)| <= |f(m)| + |t - m| sup |f'|.

So a point at distance X from the link's origin has V = speed + turn X, A = accel + accel_per_reach X, J = jerk +
jerk_per_reach X, with speed = V', accel = A', jerk = J', and turn, accel_per_reach, jerk_per_reach the link's own R1,
R2, R3. `motion_bound`'s numbers bound the same lengths and norms over a longer time; the smaller of both is taken, one
by one.

A snake of 200 links that slides along a winding track, each joint turning by 0.02 rad: the acceleration of the last is
bounded by 403 m by the sums, 0.3 m here; it is 0.23 m.
"""

from tocsin import vec
from tocsin.bounds.motion_bound import UNIT
from tocsin.compiler.jit import kernel
from tocsin.motion.joints import UP, joint_pose


@kernel
def row3(row):
    """Return a row of three as a tuple."""
    return row[0], row[1], row[2]


@kernel
def further(p, joint, t):
    """Return (beta, j) of a link at time t, whose parent's are in p with its velocities and accelerations at t."""
    _, place = joint_pose(joint, t)
    rotation = p["rotation"]
    base = (vec.load3(rotation, 0), vec.load3(rotation, 1), vec.load3(rotation, 2))
    omega = row3(p["omega"])
    alpha = row3(p["alpha"])
    beta = row3(p["beta"])
    rate = joint["rate"]
    axis = joint["axis"]
    w = vec.matvec(base, (rate * axis[0], rate * axis[1], rate * axis[2]))
    s = vec.matvec(base, row3(joint["velocity"]))
    arm = vec.matvec(base, place)
    moved = vec.cross(omega, arm)
    turned = vec.add(vec.cross(alpha, arm), vec.cross(omega, moved))  # R'' p
    slid = vec.add(vec.cross(alpha, s), vec.cross(omega, vec.cross(omega, s)))  # R'' s
    # R''' p = beta x p + 2 alpha x (omega x p) + omega x (R'' p)
    jerk_vector = vec.add(vec.cross(beta, arm), vec.cross(omega, turned))
    jerk_vector = vec.add(jerk_vector, vec.axpy(vec.cross(alpha, vec.add(moved, moved)), 3.0, slid))
    beta = vec.add(beta, vec.add(vec.cross(alpha, w), vec.cross(omega, vec.cross(omega, w))))
    return beta, vec.add(row3(p["jerk_vector"]), jerk_vector)


@kernel
def slab_bound(s, p, joint, has_parent, t, tau):
    """Write the bounds of link `s` in the world during |time - t| <= tau; those of its parent p are there already.

    s["omega"], s["alpha"], s["velocity"] and s["acceleration"] are those at t, as computed: off by no more than
    `broad_phase.pairs.prepare` says of velocities and accelerations, four and eight times the noise of the plain sums.
    The next derivative is a sum of products of three such rates and an arm, or of two and a velocity: at most three
    times the plain sum in all (R3 against jerk_per_reach), each off by fewer than 20 times the noise. Each line below
    adds fewer than 20 products of non-negative numbers: UP, 1 + 2^-45, takes their roundings.
    """
    w = joint["turn"]
    u = joint["speed"]
    length = joint["length"]
    noise = s["noise"] + 64.0 * UNIT
    omega = vec.norm(row3(s["omega"])) * UP + 4.0 * noise * s["turn"]
    alpha = vec.norm(row3(s["alpha"])) * UP + 8.0 * noise * s["accel_per_reach"]
    v = vec.norm(row3(s["velocity"])) * UP + 4.0 * noise * (s["speed"] + s["turn"] * s["length"])
    a = vec.norm(row3(s["acceleration"])) * UP + 8.0 * noise * (s["accel"] + s["accel_per_reach"] * s["length"])
    turn, whirl, surge, rush = w, 0.0, 0.0, 0.0
    speed, accel, jerk, snap = u, 0.0, 0.0, 0.0
    beta, jerk_vector = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if has_parent:
        beta, jerk_vector = further(p, joint, t)
        r1, whirl, surge, rush = p["slab_turn"], p["slab_whirl"], p["slab_surge"], p["slab_rush"]
        r2 = whirl + r1 * r1
        r3 = surge + r1 * (3.0 * whirl + r1 * r1)
        r4 = rush + 4.0 * surge * r1 + 3.0 * whirl * whirl + r1 * r1 * (6.0 * whirl + r1 * r1)
        snap = (p["slab_snap"] + r4 * length + 4.0 * r3 * u) * UP
        jerk = (p["slab_jerk"] + r3 * length + 3.0 * r2 * u) * UP
        accel = (p["slab_accel"] + r2 * length + 2.0 * r1 * u) * UP
        speed = (p["slab_speed"] + r1 * length + u) * UP
        rush = (rush + r3 * w) * UP
        surge = (surge + r2 * w) * UP
        whirl = (whirl + r1 * w) * UP
        turn = (r1 + w) * UP
    surge = min(
        min(surge, s["jerk_per_reach"]), (vec.norm(beta) + 64.0 * noise * s["jerk_per_reach"] + tau * rush) * UP
    )
    whirl = min(min(whirl, s["accel_per_reach"]), (alpha + tau * surge) * UP)
    turn = min(turn, (omega + tau * whirl) * UP)
    jerk = min(
        jerk, (vec.norm(jerk_vector) + 64.0 * noise * (s["jerk"] + s["jerk_per_reach"] * s["length"]) + tau * snap) * UP
    )
    jerk = min(jerk, s["jerk"])
    accel = min(min(accel, s["accel"]), (a + tau * jerk) * UP)
    s["slab_rush"] = rush
    s["slab_surge"] = surge
    s["slab_whirl"] = whirl
    s["slab_turn"] = turn
    s["slab_snap"] = snap
    s["slab_jerk"] = jerk
    s["slab_accel"] = accel
    s["slab_speed"] = min(speed, (v + tau * accel) * UP)
    s["slab_accel_per_reach"] = min((whirl + turn * turn) * UP, s["accel_per_reach"])
    s["slab_jerk_per_reach"] = min((surge + turn * (3.0 * whirl + turn * turn)) * UP, s["jerk_per_reach"])
    s["slab"] = 1
    s["middle_accel"] = a
    s["middle_accel_per_reach"] = (alpha + omega * omega) * UP
    for i in range(3):
        s["beta"][i] = beta[i]
        s["jerk_vector"][i] = jerk_vector[i]


@kernel
def whole_bound(s):
    """Write the bounds of `motion_bound` in place of those of a slab: they hold at every time of the joints' piece."""
    s["slab"] = 0
    s["slab_speed"] = s["speed"]
    s["slab_turn"] = s["turn"]
    s["slab_accel"] = s["accel"]
    s["slab_accel_per_reach"] = s["accel_per_reach"]
    s["slab_jerk"] = s["jerk"]
    s["slab_jerk_per_reach"] = s["jerk_per_reach"]
