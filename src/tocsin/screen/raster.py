"""Edges on the collision screen: steps two and three of section 9.

The screen is cut into rows of equal r. An edge projects to a curve; halving it until its chords are within a quarter of
a pixel (and within the time resolution), and walking each chord from row to row, gives one record for each row that it
passes: the stretch of h and of t that it has there. Stretches are grown by what the chord may be off, so the curve
itself is inside: two curves that cross share a row in which their stretches overlap, whatever the resolution. (With
rounded pixels, as in the paper, two diagonals may cross between pixels.)
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin._jit import kernel
from tocsin.screen.frame import project

RECORD = np.dtype(
    [
        ("hlo", "f8"),
        ("hhi", "f8"),
        ("tlo", "f8"),
        ("thi", "f8"),
        ("s", "f8"),  # where on the edge, roughly
        (
            "r0",
            "f8",
        ),  # the chord in this row: from r0 to r1, h = h0 + slope (r - r0); slope NaN where there are several
        ("r1", "f8"),
        ("h0", "f8"),
        ("slope", "f8"),
        ("piece", "i4"),  # -1 - piece if that is virtual
        ("row", "i4"),
        ("next", "i4"),  # of the same row
        ("spare", "i4"),
    ],
    align=True,
)

PIECE = np.dtype(
    [
        ("lo", "f8"),  # the part of the edge
        ("hi", "f8"),
        ("edge", "i4"),  # -1: a virtual edge, which only bounds `face`
        ("mask", "i4"),  # which faces at the edge face the other body here
        ("copy", "i4"),  # 0; where the screen is cut, 0, 1 and 2 are phi in [0, pi], [-pi, 0] and [pi, 2 pi]
        ("face", "i4"),
    ],
    align=True,
)

HALVINGS = 24
"""An edge is not halved more often than this: near the axis its curve may have a corner."""

QUARTER = 0.25
"""Chords may be off by this part of a pixel."""


class Grid(NamedTuple):
    """Rows of the screen."""

    start: float
    """r of the first row's lower border."""
    size: float
    """Of a pixel, metres."""
    rows: int
    time: float
    """Resolution in time."""


@kernel
def walk(recs, n, heads, bounds, grid, piece, qa, qb, sa, sb):
    """Write the records of one chord from qa to qb, (r, h, t) each, row by row; return how many records there are now.

    A row that the chord before it ended in is extended: successive pixels of one row are one record (also where it
    wavers between two rows). So a line has at most two records for each row, one on its way to the axis and one back.
    """
    slack = QUARTER * grid.size
    up = qb[0] >= qa[0]
    low = qa if up else qb
    high = qb if up else qa
    scale = 1.0 / grid.size
    first = int(max((low[0] - slack - grid.start) * scale, 0.0))
    end = (high[0] + slack - grid.start) * scale
    if end < 0.0 or first >= grid.rows:
        return n
    last = int(min(end, grid.rows - 1.0))
    span = high[0] - low[0]
    inverse = 1.0 / span if span > 0.0 else 0.0
    dh = (high[1] - low[1]) * inverse
    dt = (high[2] - low[2]) * inverse
    middle = 0.5 * (sa + sb)
    for k in range(last - first + 1):
        row = first + k if up else last - k
        border = grid.start + row * grid.size
        u = min(max(border - low[0], 0.0), span)
        v = min(max(border + grid.size - low[0], 0.0), span)
        if span == 0.0 or first == last:
            h0, h1, t0, t1 = low[1], high[1], low[2], high[2]
        else:
            h0 = low[1] + u * dh
            h1 = low[1] + v * dh
            t0 = low[2] + u * dt
            t1 = low[2] + v * dt
        if h1 < h0:
            h0, h1 = h1, h0
        if t1 < t0:
            t0, t1 = t1, t0
        h0 -= slack
        h1 += slack
        t0 -= grid.time
        t1 += grid.time
        if piece >= 0:
            bound = bounds[row]
            bound[0] = min(bound[0], h0)
            bound[1] = max(bound[1], h1)
            bound[2] = min(bound[2], t0)
            bound[3] = max(bound[3], t1)
        same = n
        if n > 0 and recs[n - 1]["row"] == row and recs[n - 1]["piece"] == piece:
            same = n - 1
        elif n > 1 and recs[n - 2]["row"] == row and recs[n - 2]["piece"] == piece:
            same = n - 2
        rec = recs[same]
        if same < n:
            rec["hlo"] = min(rec["hlo"], h0)
            rec["hhi"] = max(rec["hhi"], h1)
            rec["tlo"] = min(rec["tlo"], t0)
            rec["thi"] = max(rec["thi"], t1)
            rec["slope"] = math.nan
        else:
            rec["hlo"] = h0
            rec["hhi"] = h1
            rec["tlo"] = t0
            rec["thi"] = t1
            rec["piece"] = piece
            rec["row"] = row
            rec["next"] = heads[row]
            rec["r0"] = low[0] + u
            rec["r1"] = low[0] + v
            rec["h0"] = low[1] + u * dh
            rec["slope"] = dh if inverse > 0.0 else math.nan
            part = 0.5 * (u + v) * inverse
            rec["s"] = (sa + part * (sb - sa) if up else sb + part * (sa - sb)) if inverse > 0.0 else middle
            heads[row] = n
            n += 1
    return n


@kernel
def chord_error(frame, a, b, across, along, nearest):
    """Return (e, e_t): how far the curve of a straight line is from its chord, metres in r and h, and in time.

    `across` and `along`: its lengths across and along the axis; `nearest`: its least r. Claim: with c = g^2 + theta^2
    r^2 and k = |theta y - g phi| / sqrt(c), the second derivatives of r, h and sqrt(c) t along the line are at most

        (across^2 (2 + 6 k) + 2 across along) / r.

    Proof: |r''| <= across^2 / r, |r' phi'| <= across^2 / (2 r^2) r, |phi''| <= across^2 / r^2, y'' = 0, and the partial
    derivatives of h = r (theta y - g phi) / sqrt(c) and t = (g y + theta r^2 phi) / c by r, phi, y with |g| <= sqrt(c),
    theta r <= sqrt(c): |h_r| <= k, |h_rr| <= 3 k / r, |h_rphi| <= 1, |h_phi| <= r, |h_ry| <= 1 / r; times sqrt(c),
    |t_r| <= k, |t_rr| <= 5 k / r, |t_rphi| <= 1, |t_phi| <= r, |t_ry| <= 1 / r. An eighth of it bounds the distance
    from the chord. k is |h| / r; taken at both ends.
    """
    if nearest <= 0.0:
        return math.inf, math.inf
    k = (abs(a[1]) + abs(b[1])) / nearest
    e = (across * across * (2.0 + 6.0 * k) + 2.0 * across * along) / (8.0 * nearest)
    speed = math.sqrt(frame.pitch * frame.pitch + frame.angle * frame.angle * nearest * nearest)
    return e, e / speed


@kernel
def draw_line(recs, n, heads, bounds, stack, frame, grid, piece, p, q, a, b, s0, s1, side, shift):
    """Write the records of a straight line from p to q (axis frame), at a and b on the screen, at s0 and s1 of its
    edge.

    `recs` has room for all rows twice.
    """
    if frame.angle == 0.0:
        return walk(recs, n, heads, bounds, grid, piece, a, b, s0, s1)
    slack = QUARTER * grid.size
    least = grid.start - slack
    most = grid.start + grid.rows * grid.size + slack
    if max(a[0], b[0]) < least:
        return n
    dx = q[0] - p[0]
    dy = q[1] - p[1]
    dz = q[2] - p[2]
    length = dx * dx + dz * dz
    nearest = -(p[0] * dx + p[2] * dz)
    turns = 0.0 < nearest < length
    nearest = nearest / length if turns else 0.0
    lowest = min(a[0], b[0])
    if turns:
        x = p[0] + nearest * dx
        z = p[2] + nearest * dz
        lowest = math.sqrt(x * x + z * z)
    if lowest > most:
        return n
    across = math.sqrt(length)
    error, late = chord_error(frame, a, b, across, abs(dy), lowest)
    if error <= slack and late <= grid.time:
        return walk(recs, n, heads, bounds, grid, piece, a, b, s0, s1)
    # Pending ends, the nearest on top: parameter in [0, 1], r, h, t. The first cut is where r turns around.
    stack[0, 0] = 1.0
    stack[0, 1] = b[0]
    stack[0, 2] = b[1]
    stack[0, 3] = b[2]
    top = 0
    u = 0.0
    cut = nearest if turns else 0.5
    step = s1 - s0
    while top >= 0:
        v = stack[top, 0]
        b = (stack[top, 1], stack[top, 2], stack[top, 3])
        # Beyond the rows of the screen no detail is needed: r is convex along a line and changes by less than its
        # length.
        if max(a[0], b[0]) < least or min(a[0], b[0]) - (v - u) * across > most:
            top -= 1
            a = b
            u = v
            cut = 0.5
            continue
        w = u + cut * (v - u)
        m = project(frame, p[0] + w * dx, p[1] + w * dy, p[2] + w * dz, side, shift)
        off = max(
            abs(m[0] - (a[0] + cut * (b[0] - a[0]))),
            abs(m[1] - (a[1] + cut * (b[1] - a[1]))),
        )
        fine = off <= slack and abs(m[2] - (a[2] + cut * (b[2] - a[2]))) <= grid.time
        short = abs(b[0] - a[0]) <= slack and abs(b[1] - a[1]) <= slack and abs(b[2] - a[2]) <= grid.time
        cut = 0.5
        if fine or short or top >= HALVINGS:
            n = walk(recs, n, heads, bounds, grid, piece, a, b, s0 + u * step, s0 + v * step)
            top -= 1
            a = b
            u = v
        else:
            top += 1
            stack[top, 0] = w
            stack[top, 1] = m[0]
            stack[top, 2] = m[1]
            stack[top, 3] = m[2]
    return n
