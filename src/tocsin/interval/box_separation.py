"""The continuous separating-axis test of two oriented boxes during an interval [ARTICULATE 5.1, 5.1.1].

Both members of [ARTICULATE eq. 12] are bounded over the interval in mean-value form (`frames`, `contraction`): the
fifteen axes are those of the middle of the interval, kept fixed in a's frame, and each excludes a part of the interval.
The boxes are apart if nothing is left, even where no single axis does it.

Refinement. [ARTICULATE 5.1.1] cuts the interval into 2^r equal parts for each link. Here every pair of boxes has a
level of its own: as long as it moves, during the interval, by more than a fraction of its size (`travel`), the interval
is halved before the boxes are opened, the earlier half first.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.bounds.rounding import UNIT
from tocsin.compiler.jit import kernel
from tocsin.geometry.tree import node_axes
from tocsin.interval.contraction import contract, placed
from tocsin.motion.joints import UP

SKEW = 2.0**-19
"""Axes of a node are orthonormal to 2^-20 (`tree.write_box`); twice that, for all three at once."""

EDGES = 1e-5
"""Cross products of axes shorter than this are left out: the two are parallel, and their faces' normals do."""


@kernel
def clearance(pair, relative, side, reach):
    """Return what a gap must exceed: margin, noise, and the remainder for points within `reach` of the origin.

    `side` 0: points of b in a's frame (X); 1: points of a in b's (Y). pair["noise"] holds what the joint records are
    off and 64 units of all lengths for the arithmetic of a test; the line's own slope, which lengths do not bound, is
    given 64 units here.
    """
    x1 = relative["x1"] if side == 0 else relative["y1"]
    shift = abs(x1[0, 3]) + abs(x1[1, 3]) + abs(x1[2, 3])
    turn = 0.0
    for i in range(3):
        turn += abs(x1[i, 0]) + abs(x1[i, 1]) + abs(x1[i, 2])
    remainder = relative["rho"][side] * reach + relative["tau"][side]
    return (pair["margin"] + pair["noise"] + remainder + 64.0 * UNIT * (shift + turn * reach)) * UP


@kernel
def travel(relative, center, radius):
    """Return about how far a ball of b, seen from a, moves in half the interval [ARTICULATE 5.1.1]."""
    x1 = relative["x1"]
    v0 = x1[0, 3] + x1[0, 0] * center[0] + x1[0, 1] * center[1] + x1[0, 2] * center[2]
    v1 = x1[1, 3] + x1[1, 0] * center[0] + x1[1, 1] * center[1] + x1[1, 2] * center[2]
    v2 = x1[2, 3] + x1[2, 0] * center[0] + x1[2, 1] * center[1] + x1[2, 2] * center[2]
    turn = 0.0
    for i in range(3):
        turn += x1[i, 0] * x1[i, 0] + x1[i, 1] * x1[i, 1] + x1[i, 2] * x1[i, 2]
    far = vec.norm(center) + radius
    moved = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2) + math.sqrt(turn) * radius
    return moved + relative["rho"][0] * far + relative["tau"][0]


@kernel
def write_frames(work, relative, a, b, lo, hi):
    """Write b's box as seen from a's, each (center, axes): rows 0..2 its axes at lo, 3..5 at hi, 6 and 7 its center."""
    x0 = relative["x0"]
    x1 = relative["x1"]
    ca, axes_a = a
    cb, axes_b = b
    for end in range(2):
        s = lo if end == 0 else hi
        r0 = (x0[0, 0] + s * x1[0, 0], x0[0, 1] + s * x1[0, 1], x0[0, 2] + s * x1[0, 2])
        r1 = (x0[1, 0] + s * x1[1, 0], x0[1, 1] + s * x1[1, 1], x0[1, 2] + s * x1[1, 2])
        r2 = (x0[2, 0] + s * x1[2, 0], x0[2, 1] + s * x1[2, 1], x0[2, 2] + s * x1[2, 2])
        d = (
            x0[0, 3] + s * x1[0, 3] + vec.dot(r0, cb) - ca[0],
            x0[1, 3] + s * x1[1, 3] + vec.dot(r1, cb) - ca[1],
            x0[2, 3] + s * x1[2, 3] + vec.dot(r2, cb) - ca[2],
        )
        for i in range(3):
            work[6 + end, i] = vec.dot(axes_a[i], d)
        for k in range(3):
            e = axes_b[k]
            v = (vec.dot(r0, e), vec.dot(r1, e), vec.dot(r2, e))
            for i in range(3):
                work[3 * end + k, i] = vec.dot(axes_a[i], v)


@kernel
def box_range(node_a, node_b, relative, need, lo, hi, work):
    """Return (lo, hi): the part of the range of s in which two boxes can be within `need`; empty where lo > hi.

    Claims of `contraction`, with the boxes' points in place of the sets'. A direction is n = sum nu_i a_i over the
    axes a_i of a's box: then n . v = nu . (a_i . v) for every v, |n| <= (1 + 2^-20) |nu|, and the half-width of a's box
    along n is at most sum_k half_k (|nu_k| + 2^-20 |nu|_1). `work` is scratch of shape (8, 3).
    """
    half_a = node_a["half"]
    half_b = node_b["half"]
    a0 = np.float64(half_a[0])
    a1 = np.float64(half_a[1])
    a2 = np.float64(half_a[2])
    b0 = np.float64(half_b[0])
    b1 = np.float64(half_b[1])
    b2 = np.float64(half_b[2])
    axes_a = node_axes(node_a)
    axes_b = node_axes(node_b)
    x0 = relative["x0"]
    x1 = relative["x1"]
    cb = (np.float64(node_b["center"][0]), np.float64(node_b["center"][1]), np.float64(node_b["center"][2]))
    ca = (np.float64(node_a["center"][0]), np.float64(node_a["center"][1]), np.float64(node_a["center"][2]))
    # Between the centres first, with balls around the boxes: 115 ns where that settles it, 260 where not (tori). A
    # vector of b is mapped by the line to one longer by at most rho of itself.
    at_lo = vec.sub(placed(x0, x1, lo, cb), ca)
    at_hi = vec.sub(placed(x0, x1, hi, cb), ca)
    n = vec.add(at_lo, at_hi)
    ball = np.float64(node_b["radius"]) * (1.0 + relative["rho"][0])
    balls = (np.float64(node_a["radius"]) + ball + need) * vec.norm(n) * UP_BOX
    lo, hi = contract(vec.dot(n, at_lo) - balls, vec.dot(n, at_hi) - balls, 0.0, lo, hi, lo, hi)
    if lo > hi:
        return lo, hi
    write_frames(work, relative, (ca, axes_a), (cb, axes_b), lo, hi)
    skew = SKEW * (a0 + a1 + a2)
    s0 = lo
    s1 = hi
    # The axes of a's box.
    for i in range(3):
        width = (a0 if i == 0 else (a1 if i == 1 else a2)) + skew + need
        wide_lo = width + (b0 * abs(work[0, i]) + b1 * abs(work[1, i]) + b2 * abs(work[2, i]))
        wide_hi = width + (b0 * abs(work[3, i]) + b1 * abs(work[4, i]) + b2 * abs(work[5, i]))
        lo, hi = exclude(work[6, i], work[7, i], wide_lo * UP_BOX, wide_hi * UP_BOX, s0, s1, lo, hi)
    if lo > hi:
        return lo, hi
    # Those of b's box at the middle, then the nine cross products.
    for j in range(12):
        k = j % 3
        u = (
            0.5 * (work[k, 0] + work[3 + k, 0]),
            0.5 * (work[k, 1] + work[3 + k, 1]),
            0.5 * (work[k, 2] + work[3 + k, 2]),
        )
        i = j // 3 - 1
        if i == 0:
            u = (0.0, -u[2], u[1])
        elif i == 1:
            u = (u[2], 0.0, -u[0])
        elif i == 2:
            u = (-u[1], u[0], 0.0)
        length = vec.norm(u)
        if length < EDGES:
            continue
        width = a0 * abs(u[0]) + a1 * abs(u[1]) + a2 * abs(u[2]) + (skew + skew + need) * length
        wide_lo = width + (b0 * reach_along(work, 0, u) + b1 * reach_along(work, 1, u) + b2 * reach_along(work, 2, u))
        wide_hi = width + (b0 * reach_along(work, 3, u) + b1 * reach_along(work, 4, u) + b2 * reach_along(work, 5, u))
        at_lo = work[6, 0] * u[0] + work[6, 1] * u[1] + work[6, 2] * u[2]
        at_hi = work[7, 0] * u[0] + work[7, 1] * u[1] + work[7, 2] * u[2]
        lo, hi = exclude(at_lo, at_hi, wide_lo * UP_BOX, wide_hi * UP_BOX, s0, s1, lo, hi)
        if lo > hi:
            return lo, hi
    return lo, hi


UP_BOX = 1.0 + 2.0**-18
"""Holds |n| <= (1 + 2^-20) |nu|, where `need` is multiplied by |nu| alone, and the roundings of the sums."""


@kernel
def reach_along(work, row, u):
    """Return |u . row|."""
    return abs(work[row, 0] * u[0] + work[row, 1] * u[1] + work[row, 2] * u[2])


@kernel
def exclude(at_lo, at_hi, wide_lo, wide_hi, s0, s1, lo, hi):
    """Contract [lo, hi] by one axis, in both senses: the centres' distance along it, and the widths, at s0 and s1."""
    if at_lo > wide_lo or at_hi > wide_hi:
        return contract(at_lo - wide_lo, at_hi - wide_hi, 0.0, s0, s1, lo, hi)
    if -at_lo > wide_lo or -at_hi > wide_hi:
        return contract(-at_lo - wide_lo, -at_hi - wide_hi, 0.0, s0, s1, lo, hi)
    return lo, hi
