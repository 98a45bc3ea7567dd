"""Edges on the collision screen [SCREW 9 step 2, 9 step 3].

An edge projects to a curve over (r, h), with a time t at each of its points. It is halved until its chords are within a
pixel, and within the resolution in time, of the curve. [SCREW 6] names what is done with them as the faster way that it
leaves open: not rounded to pixels, the chords themselves are what is looked for crossings, each with what it may be off
the curve, so that two curves that cross have chords that cross or nearly do, whatever the resolution. A finer one makes
more chords where edges are curved, and none more where they are straight.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import inlined
from tocsin.screen.frame import Frame, project
from tocsin.screen.placing import WHAT

R0, H0, T0, R1, H1, T1, S0, S1, OFF, LATE, CHORD_WIDTH = range(WHAT + 1, WHAT + 12)
"""Columns of the table of chords, after a box and the number of the edge: from, to, which part of the edge, and how far
the curve may be from the chord: metres in r and in h, and in time."""

HALVINGS = 24
"""An edge is not halved more often than this: near the axis its curve may have a corner."""

MOST_CHORDS = 64
"""A line has no more than these; the last ones are as far off as they are."""

LEAST_OFF = 0.015625
"""Of what chords may be off: what the best of them are taken to be off, so that rounding hides nothing."""


class Grid(NamedTuple):
    """The screen: how fine, and of which r."""

    size: float
    """Of a pixel, metres."""
    time: float
    """Resolution in time."""
    least: float
    """Only what has r in between is drawn: where both bodies are."""
    most: float


class Sheet(NamedTuple):
    """What the lines of a body are drawn on."""

    chords: np.ndarray
    stack: np.ndarray
    """Ends of stretches that are still to be drawn, the nearest on top: parameter in [0, 1], r, h, t."""
    frame: Frame
    grid: Grid
    lasts: float
    """How much longer the boxes of its chords last."""


class Line(NamedTuple):
    """A straight line: part of an edge, or virtual."""

    p: tuple
    """From p to q, in the frame of the axis; at a and b on the screen, (r, h, t) each."""
    q: tuple
    a: tuple
    b: tuple
    s0: float
    """Which part of its edge it is."""
    s1: float


@inlined
def write_chord(sheet, n, edge, a, b, part, error):
    """Write chord n, from a to b, and the box that its curve stays in, which lasts a while longer.

    `part`: of its edge; `error`: how far off the curve may be, metres, and in time.
    """
    chords = sheet.chords
    off, late = error
    chords[n, 0] = min(a[0], b[0]) - off
    chords[n, 1] = max(a[0], b[0]) + off
    chords[n, 2] = min(a[1], b[1]) - off
    chords[n, 3] = max(a[1], b[1]) + off
    chords[n, 4] = min(a[2], b[2]) - late
    chords[n, 5] = max(a[2], b[2]) + late + sheet.lasts
    chords[n, WHAT] = edge
    chords[n, R0] = a[0]
    chords[n, H0] = a[1]
    chords[n, T0] = a[2]
    chords[n, R1] = b[0]
    chords[n, H1] = b[1]
    chords[n, T1] = b[2]
    chords[n, S0] = part[0]
    chords[n, S1] = part[1]
    chords[n, OFF] = off
    chords[n, LATE] = late


@inlined
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
    inverse = 1.0 / nearest
    k = (abs(a[1]) + abs(b[1])) * inverse
    e = (across * across * (2.0 + 6.0 * k) + 2.0 * across * along) * 0.125 * inverse
    speed = math.sqrt(frame.pitch * frame.pitch + frame.angle * frame.angle * nearest * nearest)
    return e, e / speed


@inlined
def lowest_of(line):
    """Return (r, where): the least r of a line, and where it is in ]0, 1[; -1 if at an end."""
    p, q = line.p, line.q
    dx = q[0] - p[0]
    dz = q[2] - p[2]
    square = dx * dx + dz * dz
    nearest = -(p[0] * dx + p[2] * dz)
    if not 0.0 < nearest < square:
        return min(line.a[0], line.b[0]), -1.0
    nearest = nearest / square
    x = p[0] + nearest * dx
    z = p[2] + nearest * dz
    return math.sqrt(x * x + z * z), nearest


@inlined
def seen_error(a, b, m, bent, bound):
    """Return (error, error of each half, off in the middle): of a stretch from a to b whose middle is m.

    `bound` is what `chord_error` says. What the chord is off in the middle is taken for all of it, and half as much
    again. Were the curve a parabola, that would be too much; where it has an inflection near the middle it would be too
    little, by less than a fifth of l / r of the bound: a cubic with the third derivative 3 / r of the second that
    vanishes in the middle. Halves are off by a quarter, and bent half as much.
    """
    most, most_late = bound
    mid = max(abs(m[0] - 0.5 * (a[0] + b[0])), abs(m[1] - 0.5 * (a[1] + b[1])))
    mid_late = abs(m[2] - 0.5 * (a[2] + b[2]))
    off = min(1.5 * mid + bent * most, most)
    late = min(1.5 * mid_late + bent * most_late, most_late)
    off_half = 0.25 * min(1.5 * mid + 0.5 * bent * most, most)
    late_half = 0.25 * min(1.5 * mid_late + 0.5 * bent * most_late, most_late)
    return (off, late), (off_half, late_half), (mid, mid_late)


@inlined
def within(grid, error):
    """Is a chord as close to its curve as the screen is fine?"""
    return not (error[0] > grid.size or error[1] > grid.time)


@inlined
def at_least(grid, error):
    """Return an error that hides no rounding."""
    return max(error[0], LEAST_OFF * grid.size), max(error[1], LEAST_OFF * grid.time)


@inlined
def draw_line(sheet, n, edge, line, side, shift):
    """Write the chords of a straight line; return how many chords there are now. There is room for MOST_CHORDS.

    A stretch is a chord if `chord_error` allows it. That is a bound, and generous: so otherwise its middle is projected
    too, and `seen_error` tells what it is off.
    """
    p, q, a, b, s0, s1 = line
    frame, grid, stack = sheet.frame, sheet.grid, sheet.stack
    if frame.angle == 0.0:
        if max(a[0], b[0]) >= grid.least and min(a[0], b[0]) <= grid.most:
            write_chord(sheet, n, edge, a, b, (s0, s1), at_least(grid, (0.0, 0.0)))
            n += 1
        return n
    if max(a[0], b[0]) < grid.least:
        return n
    lowest, nearest = lowest_of(line)
    if lowest > grid.most:
        return n
    d = vec.sub(q, p)
    across = math.sqrt(d[0] * d[0] + d[2] * d[2])
    limit = n + MOST_CHORDS
    top = 0
    u = 0.0
    v = 1.0
    step = s1 - s0
    while True:
        part = v - u
        below = lowest if u < nearest < v else min(a[0], b[0])
        # Beyond the r of the screen no detail is needed.
        if max(a[0], b[0]) >= grid.least and below <= grid.most:
            error = chord_error(frame, a, b, part * across, part * abs(d[1]), below)
            if not within(grid, error):
                w = 0.5 * (u + v)
                m = project(frame, p[0] + w * d[0], p[1] + w * d[1], p[2] + w * d[2], side, shift)
                bent = min(0.2 * part * across / below, 1.0) if below > 0.0 else 1.0
                error, half, mid = seen_error(a, b, m, bent, error)
                # Beside the axis nothing bounds it, until it is short; its angle may turn by half a turn.
                short = part * across <= grid.size and abs(b[2] - a[2]) <= grid.time
                last = short or top >= HALVINGS or n + top + 2 >= limit
                if not within(grid, error) and not last:
                    if not within(grid, half):
                        stack[top, 0] = v
                        stack[top, 1] = b[0]
                        stack[top, 2] = b[1]
                        stack[top, 3] = b[2]
                        top += 1
                        v = w
                        b = m
                        continue
                    error = at_least(grid, half)
                    write_chord(sheet, n, edge, a, m, (s0 + u * step, s0 + w * step), error)
                    a = m
                    u = w
                    n += 1
                if last:
                    off = min(error[0], max(2.0 * grid.size, 1.5 * mid[0]))
                    error = (off, min(error[1], max(grid.time, 1.5 * mid[1])))
            write_chord(sheet, n, edge, a, b, (s0 + u * step, s0 + v * step), at_least(grid, error))
            n += 1
        if top == 0:
            return n
        top -= 1
        a = b
        u = v
        v = stack[top, 0]
        b = (stack[top, 1], stack[top, 2], stack[top, 3])


@inlined
def crossing(chords_a, i, chords_b, k):
    """Return (may they cross, s, u, tau, doubt): where the curves of chords i and k cross, and after which time
    [SCREW 9 step 6].

    s and u are parts of the chords; tau is right up to `doubt`. Claim: with P + s p and Q + u q the chords over (r, h)
    and e what both together may be off, curves that cross do so where P + s p - Q - u q = d for a d whose two
    components are at most e. Taken times p, crosswise: (Q - P) x p + u q x p is at most e (|p_r| + |p_h|); as this is
    linear in u, both ends of b on one side of a's line and farther off cannot be. The same for a's ends. And s is off
    the crossing of the lines by at most e (|q_r| + |q_h|) / |p x q|, u likewise, and neither by more than 1; the times
    at s and u are off by that much of the chords' times, and by what the chords are late.
    """
    pr = chords_a[i, R1] - chords_a[i, R0]
    ph = chords_a[i, H1] - chords_a[i, H0]
    qr = chords_b[k, R1] - chords_b[k, R0]
    qh = chords_b[k, H1] - chords_b[k, H0]
    dr = chords_b[k, R0] - chords_a[i, R0]
    dh = chords_b[k, H0] - chords_a[i, H0]
    off = chords_a[i, OFF] + chords_b[k, OFF]
    turn = pr * qh - ph * qr
    at_p = dr * ph - dh * pr
    at_q = dr * qh - dh * qr
    far_p = off * (abs(pr) + abs(ph))
    far_q = off * (abs(qr) + abs(qh))
    apart = (min(at_p, at_p - turn) > far_p) | (max(at_p, at_p - turn) < -far_p)
    apart |= (min(at_q, at_q - turn) > far_q) | (max(at_q, at_q - turn) < -far_q)
    if apart:
        return False, 0.0, 0.0, 0.0, 0.0
    s = u = 0.5
    doubt_s = doubt_u = 1.0
    if turn != 0.0:
        inverse = 1.0 / turn
        s = min(max(at_q * inverse, 0.0), 1.0)
        u = min(max(at_p * inverse, 0.0), 1.0)
        doubt_s = min(abs(far_q * inverse), 1.0)
        doubt_u = min(abs(far_p * inverse), 1.0)
    ta = chords_a[i, T1] - chords_a[i, T0]
    tb = chords_b[k, T1] - chords_b[k, T0]
    tau = chords_a[i, T0] + s * ta - chords_b[k, T0] - u * tb
    doubt = chords_a[i, LATE] + chords_b[k, LATE] + abs(ta) * doubt_s + abs(tb) * doubt_u
    return (tau + doubt >= 0.0) & (tau - doubt <= 1.0), s, u, tau, doubt
