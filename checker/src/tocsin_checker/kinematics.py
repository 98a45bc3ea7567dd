"""Where a link is, how it moves, and how far its motion can be from a parabola: in ball arithmetic.

A joint places its child, in the frame of its parent, by M(x) = F [ Rot(u, theta(x)) G | c(x) ]: F and G fixed, u a unit
vector, theta and c of degree one in the time x of a stretch, 0 to 1. The *jet* of a chain of joints at x = m is
(T, T', T''), its placement and two derivatives, by the product rule. What a jet leaves out is bounded by `third`: if
|x^(k)| <= X_k for a point, and y = f + F (Rot G x + c), then, since |Rot^(j)| = |theta'|^j, Leibniz' rule gives

    |y^(k)| <= sum_j binomial(k, j) |theta'|^j X_(k - j) + |c^(k)|.

So four numbers, carried from the link up to a frame, end in a bound of the third derivative there, and by Taylor's
theorem the point is within X_3 |x - m|^3 / 6 of the parabola of the jet.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

ctx.prec = 80
UP = 1.0 + 1e-12
"""More than all roundings of a dozen sums and products of numbers that are not negative."""

EYE = arb_mat([[int(i == k) for k in range(4)] for i in range(4)])
Jet = tuple[arb_mat, arb_mat | None, arb_mat | None]
Bounds = tuple[float, float, float, float]


def exact(value: float) -> fmpq:
    """Return a float as the fraction that it is."""
    return fmpq(*float(value).as_integer_ratio())


def as_float(value: fmpq) -> float:
    """Return the float nearest to a fraction; halves of halves, as times are, exactly."""
    return int(value.p) / int(value.q)


def norm(vector: Any) -> float:
    """Return a float that the length of a vector of balls does not exceed."""
    return float((vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]).sqrt().upper()) * UP


def placed(rotation: list[list[arb]], place: Any = (0, 0, 0)) -> arb_mat:
    """Return the 4x4 matrix of a rotation and a place."""
    return arb_mat([[*row, p] for row, p in zip(rotation, place)] + [[0, 0, 0, 1]])


def shift(vector: Any) -> arb_mat:
    """Return a 4x4 matrix that is zero but for a vector in its last column."""
    return arb_mat([[0, 0, 0, v] for v in vector] + [[0, 0, 0, 0]])


def of_quaternion(q: list[float]) -> list[list[arb]]:
    """Return the rotation of a quaternion (x, y, z, w) of any length but zero."""
    x, y, z, w = map(arb, q)
    s = 2 / (x * x + y * y + z * z + w * w)
    return [
        [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
        [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
        [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)],
    ]


def of_rpy(rpy: list[float]) -> list[list[arb]]:
    """Return the rotation of URDF's roll, pitch and yaw: Rz(yaw) Ry(pitch) Rx(roll)."""
    (sr, cr), (sp, cp), (sy, cy) = (arb(v).sin_cos() for v in rpy)
    return [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]


class Joint:
    """One link in its parent's frame during a stretch, see above; `theta` and `c` as (value at 0, slope)."""

    def __init__(self, fixed: arb_mat, axis: Any = None, theta: Any = None, c: Any = None, then: Any = None) -> None:
        self.fixed, self.theta, self.c, self.then = fixed, theta, c, then
        self.turn = float(abs(theta[1]).upper()) * UP if axis is not None else 0.0
        self.speed = norm(c[1]) if c is not None else 0.0
        ends = [fixed] if c is None else [fixed * (EYE + shift(c[0])), fixed * (EYE + shift(c[0]) + shift(c[1]))]
        # The length of f + F c is convex along a segment: largest at an end.
        self.far = max(norm([end[i, 3] for i in range(3)]) for end in ends)
        if axis is not None:
            u, v, w = axis
            self.k = arb_mat([[0, -w, v, 0], [w, 0, -u, 0], [-v, u, 0, 0], [0, 0, 0, 0]])
            self.kk = self.k * self.k

    def jet(self, m: fmpq) -> Jet:
        """Return (M, M', M'') at m; None for what is zero."""
        turned, first, second = EYE, None, None
        if self.theta is not None:
            rate = self.theta[1]
            s, c = (self.theta[0] + rate * arb(m)).sin_cos()
            turned = turned + self.k * s + self.kk * (1 - c)
        if self.then is not None:
            turned = turned * self.then
        if self.turn > 0.0:
            first = self.fixed * (self.k * turned * rate)
            second = self.fixed * (self.kk * turned * (rate * rate))
        if self.c is not None:
            turned = turned + shift([a + b * arb(m) for a, b in zip(*self.c)])
            if self.speed > 0.0:
                moved = self.fixed * shift(self.c[1])
                first = moved if first is None else first + moved
        return self.fixed * turned, first, second

    def third(self, x: Bounds) -> Bounds:
        """Return bounds of a point and three derivatives in the parent's frame, from those in the child's."""
        x0, x1, x2, x3 = x
        w = self.turn
        y2, y3 = x2 + 2 * w * x1 + w * w * x0, x3 + 3 * w * x2 + 3 * w * w * x1 + w**3 * x0
        return (self.far + x0) * UP, (x1 + w * x0 + self.speed) * UP, y2 * UP, y3 * UP


def _sum(*terms: arb_mat | None) -> arb_mat | None:
    there = [term for term in terms if term is not None]
    return sum(there[1:], there[0]) if there else None


def _times(p: arb_mat | None, q: arb_mat | None) -> arb_mat | None:
    return None if p is None or q is None else p * q


def product(p: Jet, q: Jet) -> Jet:
    """Return the jet of the product of two placements."""
    twice = _times(p[1], q[1])
    second = _sum(_times(p[2], q[0]), None if twice is None else twice * 2, _times(p[0], q[2]))
    return p[0] * q[0], _sum(_times(p[1], q[0]), _times(p[0], q[1])), second


def rounded(jet: Jet) -> tuple[np.ndarray, float]:
    """Return ((3, 3, 4) floats, error): T, T', T'' without their last row; no entry is off by more than the error."""
    out, error = np.zeros((3, 3, 4)), 0.0
    for k, matrix in enumerate(jet):
        if matrix is not None:
            entries = matrix.entries()[:12]
            out[k] = np.array([float(e.mid()) for e in entries]).reshape(3, 4)
            error = max(error, *(float(e.rad()) for e in entries))
    largest = float(np.abs(out).max())
    if not largest + error < 1e12:
        raise ValueError("a placement is not finite, or farther than 1e12 m away")
    return out, error * UP + largest * 2.0**-51
