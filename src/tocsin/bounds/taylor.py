"""Third-order Taylor models of rigid motions [CATCH 5.1, eq. 5], rounding included.

Time runs as t = mid + s half, s in [-1, 1]; `time_frame` gives mid and half, and every model of one interval uses the
same. A *Taylor matrix* is an array (3, 4, 5): [i, j, 0..3] the coefficients of a cubic P_ij(s), [i, j, 4] a radius r.
Columns 0..2 are the rotation, column 3 the translation. What it promises, in exact arithmetic, for every s:

- translation: |T_i(t) - P_i3(s)| <= r_i3;
- rotation: row i of the error, E_i = R_i(t) - P_i(s), has Euclidean length <= r_i0 = r_i1 = r_i2. So each entry is
  within its radius, and more: E_i times a rotation is no longer than E_i. Radii therefore *add* along a chain, where
  entrywise radii, and plain intervals, multiply by up to sqrt(3) a link.

What it asks: the motion is rigid, in that the spectral norm of R(t) is at most NORM. A joint whose rotation is
orthogonal to 2^-20 (spectral norm <= 1 + 2^-20) keeps that for 2000 links in a row.

The polynomials are economised: whatever exceeds degree three is not dropped but replaced by its near-best cubic
(Chebyshev), which leaves an eighth of a dropped s^4 and a sixteenth of a dropped s^5. Coefficients are computed
plainly; the radius takes the roundings (number of roundings times unit roundoff u times the sum of the absolute terms).
"""

import math

from tocsin.bounds.cubic import FIFTH, FOURTH, SIXTH, WIDE, cubic_bound, cubic_peak, harmonics, time_frame
from tocsin.bounds.curve_taylor import curve_taylor
from tocsin.bounds.rounding import GUARD, UNDERFLOW, UNIT
from tocsin.compiler.jit import kernel

NORM = 1.0 + 2.0**-9
"""Greatest spectral norm that the rotation part of a motion may have at any time."""


@kernel
def joint_taylor(out, joint, t0, t1):
    """Write to `out` the Taylor matrix of one joint's motion during [t0, t1].

    R(t) = k0 + k1 cos(phi) + k2 sin(phi) with phi = rate (t - begin), and T(t) = origin + (t - begin) velocity.

    Proof. With phi = theta + x s, q = k1 cos theta + k2 sin theta and p = k2 cos theta - k1 sin theta, R = k0 + q cos(x
    s) + p sin(x s); `harmonics` puts the row E_i within ec |q_i| + es |p_i|. From half angle WIDE on, R = k0 +- |(q_i,
    p_i)| by Cauchy-Schwarz. Roundings, in units of m_i = the sum of |k0| + |k1| + |k2| in row i: theta and x are wrong
    by 2.1 u |theta| + 2.1 u x, which turns the row by no more than that times m_i; sin and cos of libm
    (interval.LIBM_ERROR) by 4 u, and q, p by three more roundings: 7 u; the coefficients of `harmonics`, of absolute
    sum below 1.2 (2 + 3 x^2), by 20 roundings; products and sums by two. In all (20 1.2 + 10 1.2 + 7 1.4) u (2 + 3 x^2)
    m_i, less than 64 u (2 + 3 x^2) m_i. Translation: three roundings of each term, one of the linear coefficient.
    """
    if joint["degree"] != 0:
        curve_taylor(out, joint, t0, t1)
        return
    mid, half = time_frame(t0, t1)
    elapsed = mid - joint["begin"]
    _slide(out, joint["origin"], joint["velocity"], elapsed, half)
    if joint["rate"] == 0.0:
        _keep(out, joint["k0"], joint["k1"])
    else:
        _turn(out, joint, elapsed, half)


@kernel
def _slide(out, origin, velocity, elapsed, half):
    """Write the translation of a joint: see `joint_taylor`."""
    for i in range(3):
        speed = velocity[i]
        if speed == 0.0:
            out[i, 3, 0] = origin[i]
            out[i, 3, 1] = 0.0
            out[i, 3, 4] = 0.0
        else:
            out[i, 3, 0] = origin[i] + elapsed * speed
            out[i, 3, 1] = half * speed
            out[i, 3, 4] = 4.0 * UNIT * (abs(origin[i]) + (abs(elapsed) + half) * abs(speed)) * GUARD + UNDERFLOW
        out[i, 3, 2] = 0.0
        out[i, 3, 3] = 0.0


@kernel
def _keep(out, k0, k1):
    """Write the rotation of a joint that does not turn: k0 + k1, one rounding where neither is 0."""
    for i in range(3):
        radius = 0.0
        for j in range(3):
            entry = k0[i, j] + k1[i, j]
            out[i, j, 0] = entry
            out[i, j, 1] = 0.0
            out[i, j, 2] = 0.0
            out[i, j, 3] = 0.0
            if k1[i, j] != 0.0 and k0[i, j] != 0.0:
                radius += UNIT * abs(entry)
        radius *= GUARD
        out[i, 0, 4] = radius
        out[i, 1, 4] = radius
        out[i, 2, 4] = radius


@kernel
def _turn(out, joint, elapsed, half):
    """Write the rotation of a joint that turns: see `joint_taylor`, whose proof is about these lines."""
    k0 = joint["k0"]
    k1 = joint["k1"]
    k2 = joint["k2"]
    rate = joint["rate"]
    theta = rate * elapsed
    x = abs(rate) * half
    c = math.cos(theta)
    s = math.sin(theta)
    if x < WIDE:
        c0, c2, s1, s3, ec, es = harmonics(x)
        if rate < 0.0:
            s1 = -s1
            s3 = -s3
        rounding = 64.0 * UNIT * (2.0 + 3.0 * x * x) + 4.0 * UNIT * (abs(theta) + x)
    else:
        c0 = c2 = s1 = s3 = ec = es = 0.0
        rounding = 16.0 * UNIT
    for i in range(3):
        mass = 0.0
        qq = 0.0
        pp = 0.0
        for j in range(3):
            a = k0[i, j]
            b = k1[i, j]
            d = k2[i, j]
            q = b * c + d * s
            p = d * c - b * s
            mass += abs(a) + abs(b) + abs(d)
            qq += q * q
            pp += p * p
            out[i, j, 0] = a + c0 * q
            out[i, j, 1] = s1 * p
            out[i, j, 2] = c2 * q
            out[i, j, 3] = s3 * p
        if x < WIDE:
            radius = ec * math.sqrt(qq) + es * math.sqrt(pp)
        else:
            radius = math.sqrt(qq + pp)
        radius = (radius + rounding * mass) * GUARD + UNDERFLOW
        out[i, 0, 4] = radius
        out[i, 1, 4] = radius
        out[i, 2, 4] = radius


@kernel
def _size(m, i, j):
    """Return the sum of the absolute coefficients of entry (i, j)."""
    return abs(m[i, j, 0]) + abs(m[i, j, 1]) + abs(m[i, j, 2]) + abs(m[i, j, 3])


@kernel
def _reach(m, i, j):
    """Return the greatest |P_ij(s)|, or more: with z = s^2, P = (c0 + c2 z) + s (c1 + c3 z)."""
    even = max(abs(m[i, j, 0]), abs(m[i, j, 0] + m[i, j, 2]))
    return even + max(abs(m[i, j, 1]), abs(m[i, j, 1] + m[i, j, 3]))


@kernel
def compose(out, a, b):
    """Write to `out` the Taylor matrix of the motion a o b [CATCH 5.2]; `out` may be a itself, but not b.

    Proof. With A = P + E and B = Q + F, A B - P Q = A F + E Q, and E Q = E B - E F. Row i is therefore no longer than
    NORM f + r_i NORM + r_i f, f the Frobenius norm of the radii of B, plus the length of the row of what P Q loses in
    degrees 4, 5, 6 (FOURTH, FIFTH, SIXTH). Translation: A T' + T loses A dT' + E P_T', at most NORM |dT'| + r_i |P_T'|.
    Roundings: a product of degree 3 passes 14 roundings at most; one of degree 4, 5, 6 enters two coefficients and the
    radius with weights of sum 1.25, 1.63, 1.39 after 14, 9, 8: all below 32 u times the product of absolute sums.
    A row with a radius above NORM says less than |R_i| <= NORM, and is replaced by 0 +- NORM.
    """
    mass0 = _size(b, 0, 0) + _size(b, 0, 1) + _size(b, 0, 2)
    mass1 = _size(b, 1, 0) + _size(b, 1, 1) + _size(b, 1, 2)
    mass2 = _size(b, 2, 0) + _size(b, 2, 1) + _size(b, 2, 2)
    shift0 = _size(b, 0, 3)
    shift1 = _size(b, 1, 3)
    shift2 = _size(b, 2, 3)
    f = math.sqrt(b[0, 0, 4] * b[0, 0, 4] + b[1, 0, 4] * b[1, 0, 4] + b[2, 0, 4] * b[2, 0, 4])
    g = math.sqrt(b[0, 3, 4] * b[0, 3, 4] + b[1, 3, 4] * b[1, 3, 4] + b[2, 3, 4] * b[2, 3, 4])
    x = _reach(b, 0, 3)
    y = _reach(b, 1, 3)
    z = _reach(b, 2, 3)
    reach = math.sqrt(x * x + y * y + z * z)
    for i in range(3):
        x0, x1, x2, x3 = a[i, 0, 0], a[i, 0, 1], a[i, 0, 2], a[i, 0, 3]
        y0, y1, y2, y3 = a[i, 1, 0], a[i, 1, 1], a[i, 1, 2], a[i, 1, 3]
        z0, z1, z2, z3 = a[i, 2, 0], a[i, 2, 1], a[i, 2, 2], a[i, 2, 3]
        r = a[i, 0, 4]
        st = _size(a, i, 3)
        sx = abs(x0) + abs(x1) + abs(x2) + abs(x3)
        sy = abs(y0) + abs(y1) + abs(y2) + abs(y3)
        sz = abs(z0) + abs(z1) + abs(z2) + abs(z3)
        lost = 0.0
        cut = 0.0
        for j in range(4):
            u0, u1, u2, u3 = b[0, j, 0], b[0, j, 1], b[0, j, 2], b[0, j, 3]
            v0, v1, v2, v3 = b[1, j, 0], b[1, j, 1], b[1, j, 2], b[1, j, 3]
            w0, w1, w2, w3 = b[2, j, 0], b[2, j, 1], b[2, j, 2], b[2, j, 3]
            c0 = x0 * u0 + y0 * v0 + z0 * w0
            c1 = (x0 * u1 + y0 * v1 + z0 * w1) + (x1 * u0 + y1 * v0 + z1 * w0)
            c2 = (x0 * u2 + y0 * v2 + z0 * w2) + (x1 * u1 + y1 * v1 + z1 * w1) + (x2 * u0 + y2 * v0 + z2 * w0)
            c3 = (
                (x0 * u3 + y0 * v3 + z0 * w3)
                + (x1 * u2 + y1 * v2 + z1 * w2)
                + (x2 * u1 + y2 * v1 + z2 * w1)
                + (x3 * u0 + y3 * v0 + z3 * w0)
            )
            c4 = (x1 * u3 + y1 * v3 + z1 * w3) + (x2 * u2 + y2 * v2 + z2 * w2) + (x3 * u1 + y3 * v1 + z3 * w1)
            c5 = (x2 * u3 + y2 * v3 + z2 * w3) + (x3 * u2 + y3 * v2 + z3 * w2)
            c6 = x3 * u3 + y3 * v3 + z3 * w3
            if j == 3:
                c0 += a[i, 3, 0]
                c1 += a[i, 3, 1]
                c2 += a[i, 3, 2]
                c3 += a[i, 3, 3]
            out[i, j, 0] = c0 - (FOURTH * c4 + SIXTH * c6)
            out[i, j, 1] = c1 - 5.0 * FIFTH * c5
            out[i, j, 2] = c2 + (c4 + c6)
            out[i, j, 3] = c3 + 1.25 * c5
            cut = FOURTH * abs(c4) + FIFTH * abs(c5) + SIXTH * abs(c6)
            if j < 3:
                lost += cut * cut
        rounding = 32.0 * UNIT * (sx * shift0 + sy * shift1 + sz * shift2 + st)
        out[i, 3, 4] = (a[i, 3, 4] + NORM * g + r * reach + cut + rounding) * GUARD + UNDERFLOW
        rounding = 32.0 * UNIT * (sx * mass0 + sy * mass1 + sz * mass2)
        radius = (NORM * (f + r) + r * f + math.sqrt(lost) + rounding) * GUARD + UNDERFLOW
        if radius > NORM:
            radius = NORM
            for j in range(3):
                out[i, j, 0] = out[i, j, 1] = out[i, j, 2] = out[i, j, 3] = 0.0
        out[i, 0, 4] = radius
        out[i, 1, 4] = radius
        out[i, 2, 4] = radius


@kernel
def _edge(m, i, x, y, z):
    """Return the cubic of row i of the rotation times (x, y, z), negated if need be, and whether it keeps its sign."""
    c0 = m[i, 0, 0] * x + m[i, 1, 0] * y + m[i, 2, 0] * z
    c1 = m[i, 0, 1] * x + m[i, 1, 1] * y + m[i, 2, 1] * z
    c2 = m[i, 0, 2] * x + m[i, 1, 2] * y + m[i, 2, 2] * z
    c3 = m[i, 0, 3] * x + m[i, 1, 3] * y + m[i, 2, 3] * z
    if c0 < 0.0:
        c0, c1, c2, c3 = -c0, -c1, -c2, -c3
    return c0, c1, c2, c3, c0 + min(0.0, c2) >= max(abs(c1), abs(c1 + c3))


@kernel
def swept_box(m, center, axes, half):
    """Return (lo, hi), two 3-tuples: a box around m(t) applied to the box center +- half[i] axes[i] (rows), for all t.

    Proof. A linear function of the box is greatest at a corner, so coordinate i is at most the maximum over s of
    P_c + |P_u| + |P_v| + |P_w| (the cubics of the centre and of the half edges), plus r_i3 + r_i0 |corner|. Half edges
    that provably keep their sign need one sign only; for the others both are tried, and each resulting cubic is
    maximised exactly (`cubic_peak`) unless a quick bound shows that it cannot win. The minimum is the mirror image: the
    same signs, negated. Roundings: corner cubics pass 8 roundings, `cubic_peak` adds 27 u, the last sum one, and a
    quick bound or a sign test that errs by its own rounding 8 u: 64 u times the sum of all absolute terms is enough.
    """
    ux, uy, uz = half[0] * axes[0, 0], half[0] * axes[0, 1], half[0] * axes[0, 2]
    vx, vy, vz = half[1] * axes[1, 0], half[1] * axes[1, 1], half[1] * axes[1, 2]
    wx, wy, wz = half[2] * axes[2, 0], half[2] * axes[2, 1], half[2] * axes[2, 2]
    cx, cy, cz = center[0], center[1], center[2]
    far = 0.0
    for k in range(4):
        p = 1.0 if k & 1 else -1.0
        q = 1.0 if k & 2 else -1.0
        x = ux + p * vx + q * wx
        y = uy + p * vy + q * wy
        z = uz + p * vz + q * wz
        far = max(far, x * x + y * y + z * z)
    far = math.sqrt(far) + math.sqrt(cx * cx + cy * cy + cz * cz)
    mx = abs(cx) + abs(ux) + abs(vx) + abs(wx)
    my = abs(cy) + abs(uy) + abs(vy) + abs(wy)
    mz = abs(cz) + abs(uz) + abs(vz) + abs(wz)
    box = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    for i in range(3):
        c0 = m[i, 3, 0] + (m[i, 0, 0] * cx + m[i, 1, 0] * cy + m[i, 2, 0] * cz)
        c1 = m[i, 3, 1] + (m[i, 0, 1] * cx + m[i, 1, 1] * cy + m[i, 2, 1] * cz)
        c2 = m[i, 3, 2] + (m[i, 0, 2] * cx + m[i, 1, 2] * cy + m[i, 2, 2] * cz)
        c3 = m[i, 3, 3] + (m[i, 0, 3] * cx + m[i, 1, 3] * cy + m[i, 2, 3] * cz)
        u0, u1, u2, u3, u_keeps = _edge(m, i, ux, uy, uz)
        v0, v1, v2, v3, v_keeps = _edge(m, i, vx, vy, vz)
        w0, w1, w2, w3, w_keeps = _edge(m, i, wx, wy, wz)
        lo = math.inf
        hi = -math.inf
        for k in range(8):
            if (k & 1 and u_keeps) or (k & 2 and v_keeps) or (k & 4 and w_keeps):
                continue
            p = -1.0 if k & 1 else 1.0
            q = -1.0 if k & 2 else 1.0
            r = -1.0 if k & 4 else 1.0
            e0 = p * u0 + q * v0 + r * w0
            e1 = p * u1 + q * v1 + r * w1
            e2 = p * u2 + q * v2 + r * w2
            e3 = p * u3 + q * v3 + r * w3
            if cubic_bound(c0 + e0, c1 + e1, c2 + e2, c3 + e3) > hi:
                hi = max(hi, cubic_peak(c0 + e0, c1 + e1, c2 + e2, c3 + e3))
            if -cubic_bound(e0 - c0, e1 - c1, e2 - c2, e3 - c3) < lo:
                lo = min(lo, -cubic_peak(e0 - c0, e1 - c1, e2 - c2, e3 - c3))
        mass = _size(m, i, 0) * mx + _size(m, i, 1) * my + _size(m, i, 2) * mz + _size(m, i, 3)
        error = (m[i, 3, 4] + m[i, 0, 4] * far + 64.0 * UNIT * mass) * GUARD + UNDERFLOW
        box = (box[1], box[2], (lo - error, hi + error))
    return (box[0][0], box[1][0], box[2][0]), (box[0][1], box[1][1], box[2][1])
