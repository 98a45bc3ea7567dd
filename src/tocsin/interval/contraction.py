"""The one inference of this engine: along a fixed direction, when can two moving convex sets be close?

Claim. Let A be fixed and B(t) = {X(t) p}, X(t) = X0 + s X1 + E(s) as in `frames`. For a direction n let

    G(s) = min over B of n . (X0 + s X1) p  -  max over A of n . q.

If the distance of A and B(t) is at most m, then G(s) <= (m + rho |p| + tau) |n|: the right side is `need`.
Proof. The closest points p, q have n . (X p - q) <= m |n|, and |n . E p| <= (rho |p| + tau) |n|.

Claim. G is concave, so above the line between its values at two ends. Proof: a minimum of linear functions of s.

So from the two values alone follows where contact is possible: nowhere, if both are above `need`; else not where the
line is above it. That is an interval Newton step [ARTICULATE eq. 18] whose slope is the line's, with the range of the
derivative inside the remainder; it keeps its meaning where the slope vanishes. Ranges of several directions intersect:
parts of the interval may be excluded by different ones.
"""

from tocsin.compiler.jit import kernel

SLACK = 2.0**-40
"""Ranges of s are widened by this, more than all roundings of the step (a handful of units of numbers below 2)."""


@kernel
def contract(at_lo, at_hi, need, s0, s1, lo, hi):
    """Return (lo, hi) without the part that a direction excludes [ARTICULATE eq. 18]; empty where lo > hi.

    `at_lo`, `at_hi`: the values of G at s0 and s1, which hold [lo, hi].
    """
    if at_lo > need:
        if at_hi > need:
            return 2.0, -2.0
        return max(lo, s0 + (s1 - s0) * ((at_lo - need) / (at_lo - at_hi)) - SLACK), hi
    if at_hi > need:
        return lo, min(hi, s1 - (s1 - s0) * ((at_hi - need) / (at_hi - at_lo)) + SLACK)
    return lo, hi


@kernel
def placed(x0, x1, s, p):
    """Return (x0 + s x1) p for a point."""
    return (
        (x0[0, 0] + s * x1[0, 0]) * p[0] + (x0[0, 1] + s * x1[0, 1]) * p[1] + (x0[0, 2] + s * x1[0, 2]) * p[2]
        + (x0[0, 3] + s * x1[0, 3]),
        (x0[1, 0] + s * x1[1, 0]) * p[0] + (x0[1, 1] + s * x1[1, 1]) * p[1] + (x0[1, 2] + s * x1[1, 2]) * p[2]
        + (x0[1, 3] + s * x1[1, 3]),
        (x0[2, 0] + s * x1[2, 0]) * p[0] + (x0[2, 1] + s * x1[2, 1]) * p[1] + (x0[2, 2] + s * x1[2, 2]) * p[2]
        + (x0[2, 3] + s * x1[2, 3]),
    )  # fmt: skip


@kernel
def linear_pose(x0, x1, s):
    """Return (L, T) with (x0 + s x1) p = L p + T; L is nearly a rotation, and need not be one."""
    return (
        (
            (x0[0, 0] + s * x1[0, 0], x0[0, 1] + s * x1[0, 1], x0[0, 2] + s * x1[0, 2]),
            (x0[1, 0] + s * x1[1, 0], x0[1, 1] + s * x1[1, 1], x0[1, 2] + s * x1[1, 2]),
            (x0[2, 0] + s * x1[2, 0], x0[2, 1] + s * x1[2, 1], x0[2, 2] + s * x1[2, 2]),
        ),
        (x0[0, 3] + s * x1[0, 3], x0[1, 3] + s * x1[1, 3], x0[2, 3] + s * x1[2, 3]),
    )
