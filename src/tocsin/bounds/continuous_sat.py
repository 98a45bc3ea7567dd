"""A continuous separating-axis test: two boxes carried by two links stay apart during an interval, by Taylor models.

The advancement's bound on acceleration adds up the rates of all joints between two links, so on long chains and large
turns its steps become short. A Taylor model knows how the turns cancel: along a fixed direction n, the place of any
point carried by a link is a cubic in time plus a small remainder, whose range over any interval is exact. So are the
half-widths of a carried box.
"""

import math

from tocsin import vec
from tocsin.bounds.cubic import cubic_range
from tocsin.bounds.taylor import time_frame
from tocsin.compiler.jit import kernel
from tocsin.geometry.box_gap import gap_between
from tocsin.motion.joints import UP


@kernel
def cubic_at(c, s):
    """Return the value of a cubic."""
    return c[0] + s * (c[1] + s * (c[2] + s * c[3]))


@kernel
def placed(m, s):
    """Return (R, T), roughly, of a Taylor matrix at s: only for choosing a direction."""
    r = (
        (entry(m, 0, 0, s), entry(m, 0, 1, s), entry(m, 0, 2, s)),
        (entry(m, 1, 0, s), entry(m, 1, 1, s), entry(m, 1, 2, s)),
        (entry(m, 2, 0, s), entry(m, 2, 1, s), entry(m, 2, 2, s)),
    )
    return r, (entry(m, 0, 3, s), entry(m, 1, 3, s), entry(m, 2, 3, s))


@kernel
def entry(m, i, j, s):
    """Return entry (i, j) of a Taylor matrix at s, without its remainder."""
    return m[i, j, 0] + s * (m[i, j, 1] + s * (m[i, j, 2] + s * m[i, j, 3]))


@kernel
def along(m, n, j):
    """Return column j of n^T M(s) as the coefficients of a cubic."""
    return (
        n[0] * m[0, j, 0] + n[1] * m[1, j, 0] + n[2] * m[2, j, 0],
        n[0] * m[0, j, 1] + n[1] * m[1, j, 1] + n[2] * m[2, j, 1],
        n[0] * m[0, j, 2] + n[1] * m[1, j, 2] + n[2] * m[2, j, 2],
        n[0] * m[0, j, 3] + n[1] * m[1, j, 3] + n[2] * m[2, j, 3],
    )


@kernel
def combined(x, y, z, p):
    """Return p0 x + p1 y + p2 z of three cubics."""
    return (
        x[0] * p[0] + y[0] * p[1] + z[0] * p[2],
        x[1] * p[0] + y[1] * p[1] + z[1] * p[2],
        x[2] * p[0] + y[2] * p[1] + z[2] * p[2],
        x[3] * p[0] + y[3] * p[1] + z[3] * p[2],
    )


@kernel
def range_on(c, s0, s1):
    """Return (lo, hi) of a cubic over s in [s0, s1].

    The interval is put on [-1, 1] by s = m + w u, which turns the coefficients into Taylor's at m; then `cubic_range`.
    The change of coefficients rounds by less than 16 units of their sum, which the caller adds.
    """
    m = 0.5 * (s0 + s1)
    w = 0.5 * (s1 - s0)
    return cubic_range(
        cubic_at(c, m),
        w * (c[1] + m * (2.0 * c[2] + m * 3.0 * c[3])),
        w * w * (c[2] + 3.0 * m * c[3]),
        w * w * w * c[3],
    )


@kernel
def carried(m, n, box, s0, s1):
    """Return (center, spread): n . (centre of a box carried by m) as a cubic, and a bound of its half-width along n.

    The half-width at s is sum_k half_k |n . R(s) axes_k|, and each term is at most its largest value over [s0, s1].
    """
    x = along(m, n, 0)
    y = along(m, n, 1)
    z = along(m, n, 2)
    t = along(m, n, 3)
    center, axes, half = box
    c = combined(x, y, z, center)
    width = 0.0
    for k in range(3):
        lo, hi = range_on(combined(x, y, z, axes[k]), s0, s1)
        width += half[k] * max(abs(lo), abs(hi))
    return (c[0] + t[0], c[1] + t[1], c[2] + t[2], c[3] + t[3]), width


@kernel
def turned_box(box, pose):
    """Return a box placed by a pose."""
    rotation, place = pose
    center, (u, v, w), half = box
    axes = (vec.matvec(rotation, u), vec.matvec(rotation, v), vec.matvec(rotation, w))
    return vec.add(place, vec.matvec(rotation, center)), axes, half


@kernel
def best_direction(taylor_a, taylor_b, box_a, box_b, s):
    """Return a unit direction along which the two boxes are far apart at s, see `box_gap`; zero if there is none.

    Their axes are roughly of unit length there, which is good enough to choose by.
    """
    _, n = gap_between(turned_box(box_a, placed(taylor_a, s)), turned_box(box_b, placed(taylor_b, s)))
    length = vec.norm(n)
    return (n[0] / length, n[1] / length, n[2] / length) if length > 0.0 else (0.0, 0.0, 0.0)


@kernel
def apart_until(side_a, side_b, clear, slab, span, least, tries):
    """Return a time in the span [begin, end] until which the carried boxes are proven apart; inf for all of it.

    Farther apart than `clear`. A side is (m, box, reach): the Taylor matrix of its link in the slab [t0, t1], which
    holds the span; a box (centre, axes, half extents); and how far its points are from the link's origin. Intervals
    shorter than `least` are not tried, nor more than `tries`.

    Claim: on an interval where n . (center_b - center_a) - spread_a - spread_b > clear + remainders, |n| <= 1, the two
    boxes are farther apart than `clear`, in terms of the joint records that the Taylor matrices enclose. The
    remainder along n is the sum over coordinates of |n_i| times the radius of a point at `reach`. `clear` has to
    include the noise of the joint records and 512 units of all lengths for the arithmetic here, the direction's length
    included: a coefficient passes 25 roundings on its way into a cubic of the centre or of a half-width, and those of
    one point add up, in absolute value, to at most 3 |n| sum |c| <= 7.5 times its distance where a joint turns by less
    than a radian; where it turns by more, the remainder is 10^9 times larger than all of this. Times map to s by
    `time_frame`; an interval in s is widened by 2^-40 so that the rounding of that map is inside.
    """
    ma, box_a, reach_a = side_a
    mb, box_b, reach_b = side_b
    begin, end = span
    mid, half = time_frame(slab[0], slab[1])
    free = begin
    width = end - begin
    whole = True
    for _ in range(tries):
        if width < least:
            break
        stop = end if whole or free + width > end else free + width
        s0 = (free - mid) / half - 2.0**-40
        s1 = (stop - mid) / half + 2.0**-40
        n = best_direction(ma, mb, box_a, box_b, 0.5 * (s0 + s1))
        ca, spread_a = carried(ma, n, box_a, s0, s1)
        cb, spread_b = carried(mb, n, box_b, s0, s1)
        gap, _ = range_on((cb[0] - ca[0], cb[1] - ca[1], cb[2] - ca[2], cb[3] - ca[3]), s0, s1)
        remainder = 0.0
        for c in range(3):
            remainder += abs(n[c]) * (ma[c, 3, 4] + ma[c, 0, 4] * reach_a + mb[c, 3, 4] + mb[c, 0, 4] * reach_b)
        if gap > (spread_a + spread_b + clear + remainder) * UP:
            if stop == end:
                return math.inf
            free = stop
        else:
            whole = False
            width = 0.5 * width
    return free
