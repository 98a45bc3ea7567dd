"""Where a link is, how it moves, how far that can be from what is computed: in floats, with every error counted.

A joint places its child, in the frame of its parent, by M(x) = [ F Rot(u, theta(x)) G | f + F c(x) ]: F, G and f fixed,
u a unit vector, theta and c polynomials of the time x of a stretch, 0 to 1. Their coefficients are kept as whole
numbers times 2^-120, so that theta(m + s) = sum_k a_k s^k is known to the last bit of a float for any m. For |s| <= tau
the j-th derivative of theta is at most w_j = sum_k k!/(k - j)! |a_k| tau^(k - j), and so for c, with the lengths of its
vectors. Since Rot' = theta' [u] Rot, and |[u]| = 1, the derivatives of Rot are at most

    r_1 = w_1,    r_2 = w_1^2 + w_2,    r_3 = w_1^3 + 3 w_1 w_2 + w_3.

If |x^(k)| <= X_k for a point, and y = f + F (Rot G x + c), then Leibniz' rule gives

    |y^(k)| <= sum_j binomial(k, j) r_j X_(k - j) + |c^(k)|,    r_0 = 1, with |f| added for k = 0.

So four numbers, carried from a link up to a frame, bound a point's place and three derivatives there (`bounds`, a
matrix for each joint).

**Rounding.** The derivative k of a point's place, written out, is a sum of products, a factor for each joint, and X_k
bounds the sum of the products' sizes, because each step adds up sizes. A computed factor is off by a share:
F and G are products of at most three rotations from sines and cosines, Rot one of an angle that is off by 2^-53 of its
size, and their products; float arithmetic is off by 2^-53 an operation, sines and cosines by 2^-50 (libraries promise
2^-52). All that is less than SHARE (1 + |theta|) of the factor, in any order of summation. So what is computed is off
by less than eta X_k, where eta is the sum of SHARE (1 + w_0) over the joints, and one for where a shape is in its link.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

SHARE = 2.0**-46
UP = 1.0 + 1e-12
"""More than all roundings of a few dozen sums and products of numbers that are not negative."""
TINY = 2.0**-100
"""More than whole numbers times 2^-120 leave out of a polynomial of at most 16 coefficients."""
ONE = 1 << 120
EYE = np.eye(3)

Poly = list[int]
Moment = tuple[int, int]
"""(i, d): the moment i / 2^d."""


def unit(vector: Any) -> np.ndarray:
    """Return a vector at length one."""
    v = np.array(vector, dtype=float)
    length = math.sqrt(float(v @ v))
    if not 1e-100 < length < 1e100:
        raise ValueError("a vector or quaternion has no length")
    return v / length


def cross(v: Any) -> np.ndarray:
    """Return the matrix [v] that takes x to v x x."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def turned(axis: Any, angle: Any) -> np.ndarray:
    """Return the rotations about a unit vector by angles."""
    k, angle = cross(axis), np.asarray(angle)[..., None, None]
    return EYE + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)


def of_quaternion(q: Any) -> np.ndarray:
    """Return the rotation of a quaternion (v, w) of any length but zero: 1 + 2 (w [v] + [v]^2) for one of length 1."""
    v = unit(q)
    return EYE + 2.0 * (v[3] * cross(v) + cross(v) @ cross(v))


def of_rpy(rpy: Any) -> np.ndarray:
    """Return the rotation of URDF's roll, pitch and yaw: Rz(yaw) Ry(pitch) Rx(roll)."""
    return turned(EYE[2], rpy[2]) @ turned(EYE[1], rpy[1]) @ turned(EYE[0], rpy[0])


def rigid(turn: np.ndarray, at: Any) -> np.ndarray:
    """Return the 4x4 matrix of a rotation and a place."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = turn, at
    return out


def whole(value: float) -> int:
    """Return a number as a whole number times 2^-120, rounded down."""
    top, bottom = value.as_integer_ratio()
    return top * ONE // bottom


def poly(coefficients: list[int], begin: Fraction, lasts: Fraction) -> Poly:
    """Return sum_k c_k s^k, s = begin + lasts x, as a polynomial of x; begin and lasts are at most 1."""
    out = [0]
    for c in reversed(coefficients):
        low = [v * begin.numerator // begin.denominator for v in out]
        high = [v * lasts.numerator // lasts.denominator for v in out]
        out = [a + b for a, b in zip([*low, 0], [c, *high])]
    while len(out) > 1 and not out[-1]:
        out.pop()
    return out


def about(p: Poly, moments: list[Moment]) -> np.ndarray:
    """Return, for each moment m in a row, the coefficients of a polynomial in powers of x - m."""
    rows = []
    for i, d in moments if len(p) > 1 else moments[:1]:
        b = list(p)
        for low in range(len(b) - 1):
            for k in range(len(b) - 2, low - 1, -1):
                b[k] += b[k + 1] * i >> d
        rows.append([v / ONE for v in b])
    return np.array(rows if len(p) > 1 else rows * len(moments))


class Joint(NamedTuple):
    """One link in its parent's frame, see above: `origin` (F, f), `axis` u, `then` G."""

    origin: np.ndarray
    axis: np.ndarray
    turn: Poly
    slides: list[tuple[np.ndarray, Poly]]
    """c is the sum of vectors of length one, at right angles, times polynomials."""
    then: np.ndarray
    off: tuple[float, float]
    """How far the joint may be off all that, by an angle and by a length."""

    def at(self, moments: list[Moment]) -> tuple[np.ndarray, np.ndarray]:
        """Return the coefficients of theta, (moments, powers), and of c, (moments, powers, 3), about moments."""
        place = np.zeros((len(moments), max([1, *(len(p) for _, p in self.slides)]), 3))
        for vector, p in self.slides:
            place[:, : len(p)] += about(p, moments)[..., None] * vector
        return about(self.turn, moments), place

    def jet(self, angle: np.ndarray, place: np.ndarray) -> np.ndarray:
        """Return (M, M', M'' / 2), (moments, 3, 4, 4), from the coefficients of theta and c."""
        a, c = (np.concatenate((v, np.zeros((len(v), 2, *v.shape[2:]))), axis=1)[:, :3] for v in (angle, place))
        k, out = cross(self.axis), np.zeros((len(a), 3, 4, 4))
        turn = turned(self.axis, a[:, 0]) @ self.then
        first, half = a[:, 1, None, None], a[:, 2, None, None] * k + 0.5 * a[:, 1, None, None] ** 2 * (k @ k)
        out[:, 0, :3, :3], out[:, 1, :3, :3], out[:, 2, :3, :3] = turn, first * (k @ turn), half @ turn
        out[:, :, :3, 3] = c
        out[:, 0, 3, 3] = 1.0
        return self.origin @ out

    def bounds(self, angle: np.ndarray, place: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return matrices that take (X_0, X_1, X_2, X_3, 1, eta) of a point from the child's frame to the parent's."""
        w0, w1, w2, w3 = _peaks(np.abs(angle), tau)
        r2, r3, out = w1 * w1 + w2, w1**3 + 3 * w1 * w2 + w3, np.zeros((len(angle), 6, 6))
        out[:, range(6), range(6)] = 1.0
        out[:, 1, 0], out[:, 2, 0], out[:, 2, 1], out[:, 3, 0] = w1, r2, 2 * w1, r3
        out[:, 3, 1], out[:, 3, 2], out[:, 5, 4] = 3 * r2, 3 * w1, SHARE * (1.0 + w0)
        out[:, :4, 4] = np.stack(_peaks(np.sqrt((place**2).sum(axis=2)), tau), axis=1)
        out[:, 0, 4] += math.sqrt(float((self.origin[:3, 3] ** 2).sum()))
        return out * UP


def _peaks(sizes: np.ndarray, tau: np.ndarray) -> list[np.ndarray]:
    """Return what a polynomial about m, and its three derivatives, do not exceed within tau of m."""
    out = [np.full(len(sizes), TINY) for _ in range(4)]
    for k, size in enumerate(sizes.T):
        for j in range(min(k, 3) + 1):
            out[j] += math.perm(k, j) * size * tau ** (k - j)
    return out
