"""Where links are, how they move, and how far that can be from what is computed: in floats, with every error counted.

A joint places its child, in the frame of its parent, by M(x) = [ F Rot(u, theta(x)) G | f + F c(x) ]: F, G and f fixed,
u a unit vector, theta and c polynomials of the time x of a stretch, 0 to 1. Their coefficients are kept as whole
numbers times 2^-120, so that theta(m + s) = sum_k a_k s^k is known to a few bits of a float for any m. For |s| <= tau
the j-th derivative of theta is at most w_j = sum_k k!/(k - j)! |a_k| tau^(k - j), and so for c, with the lengths of its
vectors. Since Rot' = theta' [u] Rot, and |[u]| = 1, the derivatives of Rot are at most

    r_1 = w_1,    r_2 = w_1^2 + w_2,    r_3 = w_1^3 + 3 w_1 w_2 + w_3.

If |x^(k)| <= X_k for a point, and y = f + F (Rot G x + c), then Leibniz' rule gives

    |y^(k)| <= sum_j binomial(k, j) r_j X_(k - j) + |c^(k)|,    r_0 = 1, with |f| added for k = 0.

So four numbers, carried from a link up to a frame, bound a point's place and three derivatives there (`bounds`, a
matrix for each joint). In a tube a joint may be off by e radians and s metres: a point, which is then no farther from
the child's origin than X_0 and the sum S of s over the joints below, is off by e (X_0 + S) + s more than in the child's
frame. That sum and S are carried along too.

**A slab** is a time [m - tau, m + tau] of a stretch. By Taylor's theorem the places of a point p of a part, along n,
are within X_3 tau^3 / 6 of a parabola, whose three Bernstein coefficients b_i(p) are linear in p:

    n.(T - tau T' + tau^2/2 T'')p,    n.(T - tau^2/2 T'')p,    n.(T + tau T' + tau^2/2 T'')p.

Bernstein polynomials are not negative and add up to one, so the gap between the parts along n is at no moment less
than the least over i of (min over q of b_i(q)) - (max over p of b_i(p)), less both remainders. A linear function on a
triangle is largest at a corner.

**Rounding.** The derivative k of a point's place, written out, is a sum of products, a factor for each joint, and X_k
bounds the sum of the products' sizes, because each step adds up sizes. A computed factor is off by a share:
F and G are products of at most three rotations from sines and cosines, Rot one of an angle that is off by 2^-53 of its
size, and their products; float arithmetic is off by 2^-53 an operation, sines and cosines by 2^-50 (libraries promise
2^-52). All that is less than SHARE (1 + |theta|) of the factor, in any order of summation. So what is computed is off
by less than eta X_k, where eta is the sum of SHARE (1 + w_0) over the joints, and one for where a shape is in its link:
there its points are off by a share of `spread`, which is more than all lengths that enter.
"""

import functools
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tocsin_checker.shapes import Part

SHARE = 2.0**-46
UP = 1.0 + 1e-12
"""More than all roundings of a few dozen sums and products of numbers that are not negative."""
TINY = 2.0**-100
"""More than whole numbers times 2^-120 leave out of a polynomial of at most 16 coefficients."""
ONE = 1 << 120
EYE = np.eye(3)
CROSS = np.array([[0, 0, 0, 0, 0, -1, 0, 1, 0], [0, 0, 1, 0, 0, 0, -1, 0, 0], [0, -1, 0, 1, 0, 0, 0, 0, 0]], float)

Poly = list[int]
Slab = tuple[float, float]
"""Its middle and tau: parts of the whole by powers of two, hence exact."""


def unit(vector: Any) -> np.ndarray:
    """Return a vector at length one."""
    v = np.array(vector, dtype=float)
    length = math.sqrt(float(v @ v))
    if not 1e-100 < length < 1e100:
        raise ValueError("a vector or quaternion has no length")
    return v / length


def norms(vectors: np.ndarray) -> np.ndarray:
    """Return the lengths of vectors."""
    return np.sqrt((vectors**2).sum(axis=-1))


def cross(v: np.ndarray) -> np.ndarray:
    """Return the matrices [v] that take x to v x x."""
    return (v @ CROSS).reshape(*v.shape, 3)


def turned(axis: np.ndarray, angle: Any) -> np.ndarray:
    """Return the rotations about unit vectors by angles."""
    k, angle = cross(axis), np.asarray(angle)[..., None, None]
    return EYE + np.sin(angle) * k + (1.0 - np.cos(angle)) * (k @ k)


def of_quaternion(q: Any) -> np.ndarray:
    """Return the rotation of a quaternion (v, w) of any length but zero: 1 + 2 (w [v] + [v]^2) for one of length 1."""
    x, y, z, w = unit(q)
    k = cross(np.array([x, y, z]))
    return EYE + 2.0 * (w * k + k @ k)


def of_rpy(rpy: Any) -> np.ndarray:
    """Return the rotation of URDF's roll, pitch and yaw: Rz(yaw) Ry(pitch) Rx(roll)."""
    return turned(EYE[2], rpy[2]) @ turned(EYE[1], rpy[1]) @ turned(EYE[0], rpy[0])


def rigid(turn: np.ndarray, at: Any) -> np.ndarray:
    """Return the 4x4 matrix of a rotation and a place."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = turn, at
    return out


def placed(matrices: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return points, one in a row, by each of the matrices of their rows, (rows, n, 3, 4)."""
    return (matrices[..., :3] @ points[:, None, :, None])[..., 0] + matrices[..., 3]


def whole(value: float) -> int:
    """Return a number as a whole number times 2^-120, rounded down."""
    top, bottom = value.as_integer_ratio()
    return top * ONE // bottom


def about(p: Poly, at: Fraction, lasts: Fraction) -> list[float]:
    """Return the coefficients of a polynomial in powers of x, where its own time is at + lasts x; both at most 1."""
    b, (top, bottom), by = list(p), at.as_integer_ratio(), float(lasts)
    for low in range(len(b) - 1):
        for k in range(len(b) - 2, low - 1, -1):
            b[k] += b[k + 1] * top // bottom
    return [v / ONE * by**k for k, v in enumerate(b)]


class Joint(NamedTuple):
    """How a link moves in its parent's frame, see above; F and f stand with the link, G is `then`."""

    axis: np.ndarray
    then: np.ndarray
    turns: list[tuple[int, float, float]]
    """The angle: an entry of the configuration, by which it is multiplied, and what is added."""
    slides: list[tuple[int, float, float]]
    """And so for what `along` is multiplied by."""
    along: list[np.ndarray]
    """c is the sum of these vectors of length one, times entries."""
    off: tuple[float, float]
    """How far the joint may be off all that, by an angle and by a length."""


class Cells:
    """Slabs of time, or boxes of joint values, one in each row of every array: where links are in the middle, and what
    that leaves out.

    Given are the joints of all links, which of these are looked at, and the coefficients of every entry of the
    configuration about the middle of each cell, (entries, cells, powers); and `tau`: how far a cell goes from there.
    Slabs and boxes differ in the `ORDERS` of a joint's derivatives that are used, in what a child has of its parent's
    (`below`), in which linear functions are maximised (`combined`) and how they add up (`summed`), and in what the
    derivatives leave out (`beyond`).
    """

    ORDERS = 3

    def __init__(self, scene: Any, joints: list[Joint], links: Any, values: np.ndarray, tau: np.ndarray) -> None:
        self.scene, self.row, self.tau = scene, {i: k for k, i in enumerate(links)}, tau
        own = [joints[i] for i in links]
        self.angle = np.zeros((len(own), *values.shape[1:]))
        place, sizes, slid = np.zeros((*self.angle.shape, 3)), np.zeros_like(self.angle), np.zeros_like(self.angle)
        for k, joint in enumerate(own):
            for entry, factor, offset in joint.turns:
                self.angle[k], sizes[k] = factor * values[entry], np.abs(factor * values[entry])
                self.angle[k, :, 0], sizes[k, :, 0] = self.angle[k, :, 0] + offset, sizes[k, :, 0] + abs(offset)
            for vector, (entry, factor, offset) in zip(joint.along, joint.slides, strict=True):
                place[k] += factor * values[entry][..., None] * vector
                place[k, :, 0] += offset * vector
                slid[k, :, 0] += abs(offset)  # with what the sum may have lost
        origins = np.array([scene.links[i].origin for i in links])[:, None]
        axes, then = (np.array(v)[:, None] for v in zip(*[(j.axis, j.then) for j in own]))
        turn, k, rates = turned(axes, self.angle[:, :, 0]) @ then, cross(axes), self.angle[..., None, None]
        jets = np.zeros((*self.angle.shape[:2], 3, 4, 4))
        jets[:, :, 0, :3, :3], jets[:, :, 1, :3, :3] = turn, rates[:, :, 1] * (k @ turn)
        jets[:, :, 2, :3, :3] = (rates[:, :, 2] * k + 0.5 * rates[:, :, 1] ** 2 * (k @ k)) @ turn
        jets[:, :, :, :3, 3], jets[:, :, 0, 3, 3] = place[:, :, :3], 1.0
        self.jets = (origins[:, None] @ jets)[:, :, : self.ORDERS]
        far, off = norms(origins[..., :3, 3]), np.array([j.off for j in own])
        self.bounds = bounds(peaks(sizes, tau), peaks(norms(place) + slid, tau), far, off.T[..., None])
        self.placed = functools.cache(self.placed)

    def placed(self, link: int, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the placements of a link in the frame of one above it with their derivatives, (cells, n, 4, 4); and
        its bounds, (cells, 8, 8)."""
        if link == frame:
            still = np.zeros(self.jets.shape[1:])
            still[:, 0] = np.eye(4)
            return still, np.tile(np.eye(8), (len(self.tau), 1, 1))
        parent, own = self.scene.parent[link], (self.jets[self.row[link]], self.bounds[self.row[link]])
        if parent == frame:
            return own
        placed, above = self.placed(parent, frame)
        return self.below(placed, own[0]), above @ own[1] * UP

    def left(self, link: int, frame: int, at: Any, n: Any, sizes: np.ndarray) -> np.ndarray:
        """Return how far points of a link may be, in cells, from what their derivatives say: along unit vectors n, or
        any way if there are none. `sizes` in rows: `reach`, `spread`, `girth` and `center` of parts."""
        bounds, tau, (reach, spread) = self.placed(link, frame)[1][at], self.tau[at], sizes.T[:2, :, None]
        still, more = bounds[:, :4, 4], bounds[:, :4, 0]
        x, off = (still + more * reach).T, (still + more * spread).T * (bounds[:, 5, 4] + SHARE)
        rounded = off[0] + off[1] * tau + off[2] * tau * tau
        return (self.beyond(link, frame, at, n, x, off[1], sizes[:, 2:]) + rounded) * UP

    def off(self, link: int, frame: int, at: Any, reach: Any) -> np.ndarray:
        """Return how far points of a link may be off the motion."""
        return self.placed(link, frame)[1][at, 6, 4] + self.placed(link, frame)[1][at, 6, 0] * reach

    def high(self, shape: int, parts: list[Part], frame: int, at: Any, n: np.ndarray) -> np.ndarray:
        """Return how far parts of a shape go along unit vectors n in cells, one of each in a row; coefficients in
        columns, rounded outward."""
        link, same = self.scene.shapes[shape][0], {}
        rows = (n[:, None, None] @ self.placed(link, frame)[0][at, :, :3])[:, :, 0]
        rows = self.combined(rows, self.tau[at, None])
        for k, part in enumerate(parts):
            same.setdefault(part, []).append(k)
        most, sizes = np.zeros(rows.shape[:2]), np.zeros((len(parts), 6))
        for part, own in same.items():
            most[own] = part.largest(rows[own].reshape(-1, 4)).reshape(len(own), -1)
            sizes[own] = part.sizes
        left = self.left(link, frame, at, n, sizes) + self.off(link, frame, at, sizes[:, 0])
        return self.summed(most) + left[:, None] * UP

    def stays(self, link: int, frame: int, at: Any, points: np.ndarray, spread: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return where points of a link are in the middle of cells, and how far they may be from there."""
        places = placed(self.placed(link, frame)[0][at, :, :3], points)
        far = norms(places[:, 1:]) * self.tau[at, None] ** range(1, places.shape[1])
        sizes = np.column_stack((norms(points), spread, np.zeros(len(points)), points))
        return places[:, 0], far.sum(axis=1) * UP + self.left(link, frame, at, None, sizes)


class Slabs(Cells):
    """Slabs of a stretch, in which some of the links are looked at. Every entry is a polynomial then: `entries` has, of
    each model, these, and where the stretch begins and how long it lasts in their own time."""

    def __init__(self, scene: Any, joints: list[Joint], entries: list[Any], links: Any, slabs: list[Slab]) -> None:
        rows = []
        for polynomials, begin, lasts in entries:
            moves = any(len(p) > 1 for p in polynomials)
            times = [begin + lasts * Fraction(m) for m, _ in slabs] if moves else []
            rows += [[about(p, t, lasts) for t in times] if len(p) > 1 else [[p[0] / ONE]] for p in polynomials]
        values = np.zeros((len(rows), len(slabs), max(3, *(len(row[0]) for row in rows))))
        for k, row in enumerate(rows):
            values[k, :, : len(row[0])] = row
        super().__init__(scene, joints, links, values, np.array([tau for _, tau in slabs]))

    def below(self, above: np.ndarray, joint: np.ndarray) -> np.ndarray:
        """Return what a child has, by the product rule."""
        (p, p1, p2), (q, q1, q2) = above.swapaxes(0, 1), joint.swapaxes(0, 1)
        return np.stack((p @ q, p1 @ q + p @ q1, p2 @ q + p1 @ q1 + p @ q2), axis=1)

    def combined(self, rows: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return what is maximised over a part: the Bernstein coefficients."""
        t, t1, t2 = rows[:, 0], rows[:, 1] * tau, rows[:, 2] * tau * tau
        return np.stack((t - t1 + t2, t - t2, t + t1 + t2), axis=1)

    def summed(self, most: np.ndarray) -> np.ndarray:
        """Return how far it goes, by each of them."""
        return most

    def beyond(self, link: int, frame: int, at: Any, n: Any, x: Any, off: Any, ball: Any) -> np.ndarray:
        """Return what lies beyond the derivatives."""
        return x[3] * self.tau[at] ** 3 / 6.0


def bounds(w: list[np.ndarray], c: list[np.ndarray], far: np.ndarray, off: np.ndarray) -> np.ndarray:
    """Return matrices that take (X_0, X_1, X_2, X_3, 1, eta, how far it is off, S) of a point from the frame of a
    child, which is placed `far` from that of its parent, to the latter."""
    r2, r3, out = w[1] * w[1] + w[2], w[1] ** 3 + 3 * w[1] * w[2] + w[3], np.zeros((8, 8, *w[0].shape))
    out[range(8), range(8)] = 1.0
    out[1, 0], out[2, 0], out[2, 1], out[3, 0], out[3, 1], out[3, 2] = w[1], r2, 2 * w[1], r3, 3 * r2, 3 * w[1]
    out[:4, 4], out[5, 4] = c, SHARE * (1.0 + w[0])
    out[0, 4] += far
    out[6, 0] = out[6, 7] = off[0]
    out[6, 4] = out[7, 4] = off[1]
    return out.transpose(2, 3, 0, 1) * UP


def peaks(sizes: np.ndarray, tau: np.ndarray) -> list[np.ndarray]:
    """Return what a polynomial about m, and its three derivatives, do not exceed within tau of m."""
    out = [np.full(sizes.shape[:2], TINY) for _ in range(4)]
    for k in range(sizes.shape[2]):
        for j in range(min(k, 3) + 1):
            out[j] += math.perm(k, j) * sizes[:, :, k] * tau ** (k - j)
    return out
