"""Where a link is, how it moves, and how far its motion can be from a parabola: in ball arithmetic.

A joint places its child, in the frame of its parent, by M(x) = F [ Rot(u, theta(x)) G | c(x) ]: F and G fixed, u a unit
vector, theta and c polynomials of the time x of a stretch, 0 to 1, with exact fractions. The *jet* of a chain of joints
at x = m is (T, T', T''), its placement and two derivatives, by the product rule. What a jet leaves out is bounded by
`above`: with theta(m + s) = sum_k a_k s^k, |theta^(j)| is for |s| <= tau at most w_j = sum_k k!/(k - j)! |a_k|
tau^(k - j), and so for the vectors of c. Since Rot' = theta' [u] Rot, and |[u]| = 1, the derivatives of Rot are at most

    r_1 = w_1,    r_2 = w_1^2 + w_2,    r_3 = w_1^3 + 3 w_1 w_2 + w_3.

If |x^(k)| <= X_k for a point, and y = f + F (Rot G x + c), then Leibniz' rule gives

    |y^(k)| <= sum_j binomial(k, j) r_j X_(k - j) + |c^(k)|,    r_0 = 1.

So four numbers, carried from the link up to a frame, end in a bound of the third derivative there, and by Taylor's
theorem the point is within X_3 |x - m|^3 / 6 of the parabola of the jet.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq, fmpq_poly

ctx.prec = 80
UP = 1.0 + 1e-12
"""More than all roundings of a dozen sums and products of numbers that are not negative."""

EYE = arb_mat([[int(i == k) for k in range(4)] for i in range(4)])
ZERO = EYE - EYE
Jet = tuple[arb_mat, arb_mat, arb_mat]
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


def shift(vector: Any) -> arb_mat:
    """Return a 4x4 matrix that is zero but for a vector in its last column."""
    return arb_mat([[0, 0, 0, v] for v in vector] + [[0, 0, 0, 0]])


def cross(v: Any) -> arb_mat:
    """Return the 4x4 matrix [v] that takes x to v x x."""
    return arb_mat([[0, -v[2], v[1], 0], [v[2], 0, -v[0], 0], [-v[1], v[0], 0, 0], [0, 0, 0, 0]])


def of_quaternion(q: list[float]) -> arb_mat:
    """Return the rotation of a quaternion (v, w) of any length but zero: 1 + 2 (w [v] + [v]^2) / (|v|^2 + w^2)."""
    x, y, z, w = map(arb, q)
    k = cross((x, y, z))
    return EYE + (k * w + k * k) * (2 / (x * x + y * y + z * z + w * w))


def of_rpy(rpy: list[float]) -> arb_mat:
    """Return the rotation of URDF's roll, pitch and yaw: Rz(yaw) Ry(pitch) Rx(roll)."""
    turned = EYE
    for k, angle in enumerate(rpy):
        (s, c), u = arb(angle).sin_cos(), cross([int(i == k) for i in range(3)])
        turned = (EYE + u * s + u * u * (1 - c)) * turned
    return turned


def _peaks(sizes: list[float], tau: float) -> list[float]:
    """Return what a polynomial about m, and its three derivatives, do not exceed within tau of m."""
    return [sum(math.perm(k, j) * v * tau ** (k - j) for k, v in enumerate(sizes) if k >= j) * UP for j in range(4)]


class Joint:
    """One link in its parent's frame during a stretch, see above.

    `theta`: None, or (a, p): the angle is a p(x), a ball times a polynomial; `slides`: (vector, p), ...: c is the sum
    of vector p(x); `off`: how far the joint may be off all that, by an angle and by a length.
    """

    def __init__(
        self, fixed: arb_mat, axis: Any = (0, 0, 1), theta: Any = None, slides: Any = (), then: arb_mat = EYE,
        off: tuple[float, float] = (0.0, 0.0),
    ) -> None:  # fmt: skip
        self.fixed, self.k, self.theta, self.slides, self.then, self.off = fixed, cross(axis), theta, slides, then, off

    def about(self, m: fmpq) -> tuple[list[arb], list[list[arb]]]:
        """Return the coefficients of the angle, and those of the place, in powers of x - m; three at least."""
        here = fmpq_poly([m, 1])
        angle = [] if self.theta is None else [self.theta[0] * arb(c) for c in self.theta[1](here).coeffs()]
        moved = [(vector, p(here)) for vector, p in self.slides]
        powers = range(max([3, *(len(p.coeffs()) for _, p in moved)]))
        place = [[sum((v[i] * arb(p[k]) for v, p in moved), arb(0)) for i in range(3)] for k in powers]
        return angle + [arb(0)] * (3 - len(angle)), place

    def jet(self, m: fmpq) -> Jet:
        """Return (M, M', M'') at m."""
        angle, place = self.about(m)
        turned, first, second = EYE, ZERO, ZERO
        if self.theta is not None:
            s, c = angle[0].sin_cos()
            twice = self.k * self.k
            turned = turned + self.k * s + twice * (1 - c)
            first, second = self.k * angle[1], twice * (angle[1] * angle[1]) + self.k * (2 * angle[2])
        turned = turned * self.then
        moved = [shift([factor * v for v in c]) for factor, c in zip((1, 1, 2), place)]
        first, second = first * turned + moved[1], second * turned + moved[2]
        return self.fixed * (turned + moved[0]), self.fixed * first, self.fixed * second

    def peaks(self, m: fmpq, tau: float) -> tuple[list[float], list[float]]:
        """Return bounds within tau of m: of the rotation's derivatives (1, r_1, r_2, r_3), of the place f + F c and
        its."""
        angle, place = self.about(m)
        _, w1, w2, w3 = _peaks([float(abs(a).upper()) * UP for a in angle], tau)
        start = self.fixed * (EYE + shift(place[0]))
        places = [norm([start[i, 3] for i in range(3)]), *map(norm, place[1:])]
        return [1.0, w1, w1 * w1 + w2, w1**3 + 3 * w1 * w2 + w3], _peaks(places, tau)


def above(x: Bounds, peaks: tuple[list[float], list[float]]) -> Bounds:
    """Return bounds of a point and three derivatives in the parent's frame, from those in the child's."""
    r, c = peaks
    y = [sum(math.comb(k, j) * r[j] * x[k - j] for j in range(k + 1)) + c[k] for k in range(4)]
    return y[0] * UP, y[1] * UP, y[2] * UP, y[3] * UP


def product(p: Jet, q: Jet) -> Jet:
    """Return the jet of the product of two placements."""
    return p[0] * q[0], p[1] * q[0] + p[0] * q[1], p[2] * q[0] + p[1] * q[1] * 2 + p[0] * q[2]


def rounded(jet: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return ((n, 3, 4) floats, (n,) errors): matrices without their last row; no entry is off by more than that."""
    out, error = np.zeros((len(jet), 3, 4)), np.zeros(len(jet))
    for k, matrix in enumerate(jet):
        entries = matrix.entries()[:12]
        out[k] = np.array([float(e.mid()) for e in entries]).reshape(3, 4)
        error[k] = float(np.max([float(e.rad()) for e in entries])) * UP + float(np.abs(out[k]).max()) * 2.0**-51
    if not float(np.abs(out).max() + error.max()) < 1e12:
        raise ValueError("a placement is not finite, or farther than 1e12 m away")
    return out, error
