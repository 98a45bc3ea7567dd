"""From a candidate on the screen to a contact in space: Newton's method on the true screw motion [SCREW 9 end].

Roughly first, in the frame of the axis, where the flow is one sine and one cosine; most candidates end here. Then, for
what is left, in a's frame on the twist itself, to full precision: the axis may be far away, and coordinates from there
have lost digits.
"""

import math

from tocsin import vec
from tocsin.compiler.jit import inlined, kernel
from tocsin.motion.screw import screw_direction, screw_point, screw_velocity

ROUGH = 1e-7
"""Roots found in the frame of the axis are good to this part of the motion."""

SETTLED = 1e-10
"""A step of Newton's method that is shorter, in parts of the motion or of an edge, is the last: what it leaves is of
the order of its square."""

STEPS = 8
"""Newton's steps before a candidate is given up: from a pixel away two to four are enough."""


@inlined
def height(frame, x, face, tau):
    """Return (f, f'): how far a point is above a face's plane after flowing for tau, and how fast."""
    c = math.cos(frame.angle * tau)
    s = math.sin(frame.angle * tau)
    u = c * x[0] + s * x[2]
    w = c * x[2] - s * x[0]
    f = face[0] * u + face[1] * (x[1] + frame.pitch * tau) + face[2] * w - face[3]
    return f, frame.angle * (face[0] * w - face[2] * u) + frame.pitch * face[1]


@kernel
def turning_times(frame, x, face, lo, hi, way):
    """Return (count, first, second): when in (lo, hi) a point that flows turns from nearing a plane to leaving it.

    With alpha = theta way tau its height is P cos alpha + Q sin alpha + n_y (y + g way tau) - d, P = n_x x + n_z z, Q =
    n_x z - n_z x, and the derivative vanishes where R cos(alpha + psi) = -n_y g / theta, (R, psi) the polar coordinates
    of (Q, P): twice a turn at most, and so at most twice while alpha goes through half a turn.
    """
    p = face[0] * x[0] + face[2] * x[2]
    q = face[0] * x[2] - face[2] * x[0]
    size = frame.angle * math.sqrt(p * p + q * q)
    level = -face[1] * frame.pitch
    if frame.angle == 0.0 or not abs(level) < size:
        return 0, 0.0, 0.0
    half = math.acos(level / size)
    psi = math.atan2(p, q)
    count = 0
    first = second = 0.0
    for k in range(-1, 2):
        for sign in range(-1, 2, 2):
            tau = way * (sign * half - psi + 2.0 * math.pi * k) / frame.angle
            if lo < tau < hi and count < 2:
                if count == 0:
                    first = tau
                else:
                    second = tau
                count += 1
    return count, min(first, second) if count == 2 else first, max(first, second)


@kernel
def when_in_plane(frame, x, face, lo, hi, way):
    """Return (found, tau): when a point meets the plane of a face, tau in [lo, hi], in which it does not turn around;
    way is 1 or -1 for points that flow back.

    So the height is monotone and a bracket finds the root; Newton's step is taken where it stays inside.
    """
    f, slope = height(frame, x, face, way * lo)
    f_hi, slope_hi = height(frame, x, face, way * hi)
    if f * f_hi > 0.0:
        # The root may be at an end itself.
        if abs(f) <= 4.0 * ROUGH * abs(slope):
            return True, lo
        return abs(f_hi) <= 4.0 * ROUGH * abs(slope_hi), hi
    rising = f_hi > f
    tau = lo + (hi - lo) * f / (f - f_hi) if f != f_hi else 0.5 * (lo + hi)
    for _ in range(8 * STEPS):
        f, slope = height(frame, x, face, way * tau)
        slope *= way
        if (f > 0.0) == rising:
            hi = tau
        else:
            lo = tau
        step = -f / slope if slope != 0.0 else math.inf
        if abs(step) < ROUGH:
            return True, tau + step
        if not lo < tau + step < hi:
            step = 0.5 * (lo + hi) - tau
        tau += step
        if hi - lo < ROUGH:
            break
    return True, tau


@kernel
def where_edges_cross(frame, p, dp, q, dq, s, u, tau):
    """Return (found, s, u, tau): p + s dp on a meets q + u dq on b, which has flowed for tau; from a guess."""
    theta = frame.angle
    g = frame.pitch
    for _ in range(STEPS):
        c = math.cos(theta * tau)
        k = math.sin(theta * tau)
        d = (c * dq[0] + k * dq[2], dq[1], c * dq[2] - k * dq[0])
        x = (c * q[0] + k * q[2] + u * d[0], q[1] + g * tau + u * d[1], c * q[2] - k * q[0] + u * d[2])
        v = (theta * x[2], g, -theta * x[0])
        gap = (p[0] + s * dp[0] - x[0], p[1] + s * dp[1] - x[1], p[2] + s * dp[2] - x[2])
        ok, ds, du, dtau = newton_step(dp, d, v, gap)
        if not ok:
            return False, s, u, tau
        s += ds
        u += du
        tau += dtau
        if abs(dtau) < ROUGH and abs(ds) < ROUGH and abs(du) < ROUGH:
            return True, s, u, tau
        if abs(s - 0.5) > 3.0 or abs(u - 0.5) > 3.0 or abs(tau - 0.5) > 3.0:
            return False, s, u, tau
    return False, s, u, tau


@kernel
def newton_step(dp, d, v, gap):
    """Return (solvable, ds, du, dtau) of ds dp - du d - dtau v = -gap, by Cramer's rule."""
    across = vec.cross(d, v)
    determinant = vec.dot(dp, across)
    if abs(determinant) <= 1e-14 * vec.norm(dp) * vec.norm(d) * vec.norm(v):
        return False, 0.0, 0.0, 0.0
    inverse = 1.0 / determinant
    side = vec.cross(gap, dp)
    return True, -vec.dot(gap, across) * inverse, vec.dot(side, v) * -inverse, vec.dot(side, d) * inverse


@kernel
def weights(y, p, q, r):
    """Return the barycentric weights of q and r for the point of a triangle that is nearest, in its plane, to y."""
    e = vec.sub(q, p)
    g = vec.sub(r, p)
    d = vec.sub(y, p)
    ee = vec.dot(e, e)
    eg = vec.dot(e, g)
    gg = vec.dot(g, g)
    de = vec.dot(d, e)
    dg = vec.dot(d, g)
    inverse = 1.0 / (ee * gg - eg * eg)
    return (gg * de - eg * dg) * inverse, (ee * dg - eg * de) * inverse


@kernel
def polish_corner(twist, x, p, q, r, tau, way):
    """Return (tau, place, normal, v, w): when and where x, flowing `way`, meets the plane of a triangle, precisely.

    v and w are its weights; the normal is a unit vector, along (q - p) x (r - p).
    """
    n = vec.cross(vec.sub(q, p), vec.sub(r, p))
    n = vec.scale(n, 1.0 / vec.norm(n))
    y = x
    for _ in range(STEPS):
        y = screw_point(twist, x, way * tau)
        slope = way * vec.dot(n, screw_velocity(twist, y))
        if slope == 0.0:
            break
        step = vec.dot(n, vec.sub(y, p)) / slope
        tau -= step
        if abs(step) < SETTLED:
            break
    y = screw_point(twist, x, way * tau)
    v, w = weights(y, p, q, r)
    return tau, y, n, v, w


@kernel
def polish_edges(twist, p, p1, q, q1, s, u, tau):
    """Return (s, u, tau, place, direction of b's edge then): where two edges cross, to full precision."""
    dp = vec.sub(p1, p)
    d0 = vec.sub(q1, q)
    x = p
    d = d0
    for _ in range(STEPS):
        d = screw_direction(twist, d0, tau)
        x = vec.axpy(screw_point(twist, q, tau), u, d)
        ok, ds, du, dtau = newton_step(dp, d, screw_velocity(twist, x), vec.sub(vec.axpy(p, s, dp), x))
        if not ok:
            break
        s += ds
        u += du
        tau += dtau
        if abs(ds) < SETTLED and abs(du) < SETTLED and abs(dtau) < SETTLED:
            break
    return s, u, tau, vec.axpy(p, s, dp), screw_direction(twist, d0, tau)
