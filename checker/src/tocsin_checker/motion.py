"""Where links are, how they move, and how far that can be from what is computed: in floats, with every error counted.

A joint places its child, in the frame of its parent, by M = F J G: F and G fixed, J a turn about a unit vector u by the
angle theta, or a slide along u by theta, and theta a polynomial of one variable s, |s| <= 1: of the time in a slab, or
of how far a configuration is from the middle of a box. If theta(s) = sum_k a_k s^k, its j-th derivative is at most
w_j = sum_k k!/(k - j)! |a_k|. Since Rot' = theta' [u] Rot, and |[u]| = 1, the derivatives of a turn are at most

    r_1 = w_1,    r_2 = w_1^2 + w_2,    r_3 = w_1^3 + 3 w_1 w_2 + w_3.

If |x^(k)| <= X_k for a point, then Leibniz' rule gives, for y = J x, in a turn, and in a slide,

    |y^(k)| <= sum_j binomial(k, j) r_j X_(k - j),    |y^(k)| <= X_k + w_k,

and F, placed f from its parent's origin, adds |f| for k = 0. So four numbers, carried from a link to a frame, bound a
point's place and three derivatives there (`bounds`, a matrix for each joint). Seen from the child, the parent is at
G^-1 J^-1 F^-1, for which the same holds, F first: a frame may be that of any link.

In a tube a joint may be off by e: J~ is a turn or slide by other angles or lengths. As it is rigid, it takes a point
x~, which is off x, no farther off: |J~ x~ - J x| <= |x~ - x| + |J~ x - J x|, and the last is at most e X_0 or e.

**A slab** is a time m + s tau of a stretch, |s| <= 1. By Taylor's theorem the places of a point p of a part, along n,
are within X_3 / 6 of a parabola, whose three Bernstein coefficients b_i(p) are linear in p: with T, T', T''/2 the
placement and its derivatives for s = 0,

    n.(T - T' + T''/2)p,    n.(T - T''/2)p,    n.(T + T' + T''/2)p.

Bernstein polynomials are not negative and add up to one, so the gap between the parts along n is at no moment less
than the least over i of (min over q of b_i(q)) - (max over p of b_i(p)), less both remainders. A linear function on a
triangle is largest at a corner.

**Rounding.** The derivative k of a point's place, written out, is a sum of products, a factor for each joint, and X_k
bounds the sum of the products' sizes, because each step adds up sizes. A computed factor is off by a share: F and G are
products of at most three rotations from sines and cosines, J one of an angle that is off by 2^-53 of its size, and
their products; float arithmetic is off by 2^-53 an operation, sines and cosines by 2^-50 (libraries promise 2^-52). All
that is less than SHARE (1 + |theta|) of the factor, in any order of summation. So what is computed is off by less than
eta X_k, where eta is the sum of SHARE (1 + w_0) over the joints, and one for where a shape is in its link: there its
points are off by a share of `spread`, which is more than all lengths that enter. Polynomials of time are kept as whole
numbers times 2^-120, so that their coefficients about any moment are known to a few bits of a float.
"""

import functools
import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tocsin_checker.proof import need
from tocsin_checker.shapes import Part

SHARE = 2.0**-46
UP = 1.0 + 1e-12
"""More than all roundings of a few dozen sums and products of numbers that are not negative."""
TINY = 2.0**-100
"""More than whole numbers times 2^-120 leave out of a polynomial of at most 16 coefficients."""
ONE = 1 << 120
EYE = np.eye(3)
CROSS = np.array([[0, 0, 0, 0, 0, -1, 0, 1, 0], [0, 0, 1, 0, 0, 0, -1, 0, 0], [0, -1, 0, 1, 0, 0, 0, 0, 0]], float)
FALLING = np.array([[math.perm(k, j) for j in range(4)] for k in range(16)], float)
"""k!/(k - j)!, which s^k has before its j-th derivative."""

Poly = list[int]
Cell = tuple[tuple[float, float], ...]
"""From where to where the share of a stretch that is done goes, or each entry of a configuration."""


def unit(vector: Any) -> np.ndarray:
    """Return a vector at length one."""
    v = np.array(vector, dtype=float)
    length = math.sqrt(float(v @ v))
    need(1e-100 < length < 1e100, "a vector or quaternion has no length.")
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


def turn_between(p: Any, q: Any) -> tuple[np.ndarray, float]:
    """Return (axis, angle) of q p^-1 as it stands, or (z, 0): about its vector part v, by 2 atan2(|v|, w)."""
    ring = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    v = np.array([float(q[i] * p[3] - q[3] * p[i] + q[k] * p[j] - q[j] * p[k]) for i, j, k in ring])
    w = float(sum(a * b for a, b in zip(p, q, strict=True)))
    return (unit(v), 2.0 * math.atan2(math.sqrt(float(v @ v)), w)) if v.any() else (EYE[2], 0.0)


def rigid(turn: np.ndarray, at: Any) -> np.ndarray:
    """Return the 4x4 matrix of a rotation and a place."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = turn, at
    return out


def inverse(matrix: np.ndarray) -> np.ndarray:
    """Return the inverse of the 4x4 matrix of a rotation and a place."""
    return rigid(matrix[:3, :3].T, -matrix[:3, :3].T @ matrix[:3, 3])


def placed(matrices: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return points, one in a row, by each of the matrices of their rows, (rows, n, 3, 4)."""
    return (matrices[..., :3] @ points[:, None, :, None])[..., 0] + matrices[..., 3]


def whole(value: float) -> int:
    """Return a number as a whole number times 2^-120, rounded down."""
    top, bottom = value.as_integer_ratio()
    return top * ONE // bottom


def about(p: Poly, at: Fraction, by: float) -> list[float]:
    """Return the coefficients of a polynomial in powers of s, where its own time is at + by s; both at most 1."""
    b, (top, bottom) = list(p), at.as_integer_ratio()
    for low in range(len(b) - 1):
        for k in range(len(b) - 2, low - 1, -1):
            b[k] += b[k + 1] * top // bottom
    return [v / ONE * by**k for k, v in enumerate(b)]


class Joint(NamedTuple):
    """How a link moves in its parent's frame, see above."""

    origin: np.ndarray
    """F."""
    turns: bool
    """About the axis; or it slides along it."""
    axis: np.ndarray
    entry: int
    """Of the configuration: its theta is that times `factor`, plus `offset`."""
    factor: float
    offset: float
    off: float = 0.0
    """How far theta may be off."""
    then: np.ndarray = np.eye(4)
    """G."""


class Cells:
    """Slabs of time, or boxes of joint values, one in each row of every array: where links are in the middle, and what
    that leaves out.

    Given are the joints of all links, which of these are looked at, and the coefficients of every entry of the
    configuration in powers of s, (entries, cells, powers). Slabs and boxes differ in the `ORDERS` of a joint's
    derivatives that are used, in what a chain has of its two parts' (`below`), in which linear functions are maximised
    (`combined`) and how they add up (`summed`), and in what the derivatives leave out (`beyond`).
    """

    ORDERS = 3

    def __init__(self, scene: Any, joints: list[Joint], links: Any, values: np.ndarray) -> None:
        self.scene, self.joints, self.row = scene, joints, {i: k for k, i in enumerate(links)}
        origins, turns, axes, entry, factor, offset, off, then = map(np.array, zip(*[joints[i] for i in links]))
        self.theta = factor[:, None, None] * values[entry]
        self.theta[:, :, 0] += offset[:, None]
        sizes = np.abs(self.theta)
        sizes[:, :, 0] += np.abs(offset)[:, None]  # with what the sum may have lost
        self.jets = origins[:, None, None] @ self.moved(axes, turns, self.theta) @ then[:, None, None]
        self.bounds = bounds(sizes @ FALLING[: sizes.shape[2]] + TINY, turns[:, None], off[:, None])
        self.placed = functools.cache(self.placed)

    def moved(self, axes: np.ndarray, turns: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """Return J and its derivatives, by powers of s, of joints in cells."""
        out, a = np.zeros((*theta.shape[:2], 3, 4, 4)), np.where(turns[:, None, None], theta, 0.0)
        k, rates = cross(axes)[:, None], a[..., None, None]
        turn = turned(axes[:, None], a[:, :, 0])
        out[:, :, 0, :3, :3], out[:, :, 1, :3, :3] = turn, rates[:, :, 1] * (k @ turn)
        out[:, :, 2, :3, :3] = (rates[:, :, 2] * k + 0.5 * rates[:, :, 1] ** 2 * (k @ k)) @ turn
        out[:, :, :, :3, 3] = (theta - a)[:, :, :3, None] * axes[:, None, None]
        out[:, :, 0, 3, 3] = 1.0
        return out[:, :, : self.ORDERS]

    def step(self, link: int, back: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return where a link is in the frame of its parent, or the parent in that of the link, with derivatives, by
        powers of s; and what takes the bounds of a point from the one to the other."""
        joint, row, fixed = self.joints[link], self.row[link], np.eye(7)
        fixed[0, 4] = float(norms(joint.origin[:3, 3]))
        if not back:
            return self.jets[row], fixed @ self.bounds[row]
        turn = self.moved(joint.axis[None], np.array([joint.turns]), -self.theta[row, None])[0]
        return inverse(joint.then) @ turn @ inverse(joint.origin), self.bounds[row] @ fixed

    def placed(self, link: int, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the placements of a link in the frame of another with their derivatives, (cells, n, 4, 4); and its
        bounds, (cells, 7, 7)."""
        parent = self.scene.parent
        if link == frame:
            first = np.zeros((self.theta.shape[1], self.ORDERS, 4, 4))
            first[:, 0] = np.eye(4)
            return first, np.tile(np.eye(7), (len(first), 1, 1))
        below = self.scene.common(link, frame) == frame
        if below and parent[link] == frame:
            return self.step(link, back=False)
        chain = self.placed(parent[link], frame) if below else self.step(frame, back=True)
        rest = self.step(link, back=False) if below else self.placed(link, parent[frame])
        return self.below(chain[0], rest[0]), chain[1] @ rest[1] * UP

    def left(self, link: int, frame: int, at: Any, n: Any, sizes: np.ndarray) -> np.ndarray:
        """Return how far points of a link may be, in cells, from what their derivatives say: along unit vectors n, or
        any way if there are none. `sizes` in rows: `reach`, `spread`, `girth` and `center` of parts."""
        bounds, (reach, spread) = self.placed(link, frame)[1][at], sizes.T[:2, :, None]
        still, more = bounds[:, :4, 4], bounds[:, :4, 0]
        x, off = (still + more * reach).T, (still + more * spread).T * (bounds[:, 5, 4] + SHARE)
        return (self.beyond(link, frame, at, n, x, off[1], sizes[:, 2:]) + off[:3].sum(axis=0)) * UP

    def off(self, link: int, frame: int, at: Any, reach: Any) -> np.ndarray:
        """Return how far points of a link may be off the motion."""
        return self.placed(link, frame)[1][at, 6, 4] + self.placed(link, frame)[1][at, 6, 0] * reach

    def high(self, shape: int, parts: list[Part], frame: int, at: Any, n: np.ndarray) -> np.ndarray:
        """Return how far parts of a shape go along unit vectors n in cells, one of each in a row; coefficients in
        columns, rounded outward."""
        link, same = self.scene.shapes[shape][0], {}
        rows = self.combined((n[:, None, None] @ self.placed(link, frame)[0][at, :, :3])[:, :, 0])
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
        sizes = np.column_stack((norms(points), spread, np.zeros(len(points)), points))
        return places[:, 0], norms(places[:, 1:]).sum(axis=1) * UP + self.left(link, frame, at, None, sizes)


def halfway(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the middles of cells, (cells, entries, 2), and how far they go from there."""
    low, high = cells[..., 0], cells[..., 1]
    middle = 0.5 * (low + high)
    return middle, np.maximum(high - middle, middle - low) * UP


class Slabs(Cells):
    """Slabs of a stretch, in which some of the links are looked at. Every entry is a polynomial then: `entries` has, of
    each model, these, and where the stretch begins and how long it lasts in their own time."""

    def __init__(self, scene: Any, joints: list[Joint], entries: list[Any], links: Any, slabs: list[Cell]) -> None:
        rows, (middle, tau) = [], (v[:, 0].tolist() for v in halfway(np.array(slabs)))
        for polynomials, begin, lasts in entries:
            moves = any(len(p) > 1 for p in polynomials)
            times = [(begin + lasts * Fraction(m), float(lasts) * t) for m, t in zip(middle, tau)] if moves else []
            rows += [[about(p, *t) for t in times] if len(p) > 1 else [[p[0] / ONE]] for p in polynomials]
        values = np.zeros((len(rows), len(slabs), max(3, *(len(row[0]) for row in rows))))
        for k, row in enumerate(rows):
            values[k, :, : len(row[0])] = row
        super().__init__(scene, joints, links, values)

    def below(self, above: np.ndarray, joint: np.ndarray) -> np.ndarray:
        """Return what a chain has, by the product rule."""
        (p, p1, p2), (q, q1, q2) = above.swapaxes(0, 1), joint.swapaxes(0, 1)
        return np.stack((p @ q, p1 @ q + p @ q1, p2 @ q + p1 @ q1 + p @ q2), axis=1)

    def combined(self, rows: np.ndarray) -> np.ndarray:
        """Return what is maximised over a part: the Bernstein coefficients."""
        t, t1, t2 = rows.swapaxes(0, 1)
        return np.stack((t - t1 + t2, t - t2, t + t1 + t2), axis=1)

    def summed(self, most: np.ndarray) -> np.ndarray:
        """Return how far it goes, by each of them."""
        return most

    def beyond(self, link: int, frame: int, at: Any, n: Any, x: Any, off: Any, ball: Any) -> np.ndarray:
        """Return what lies beyond the derivatives."""
        return x[3] / 6.0


def bounds(w: np.ndarray, turns: np.ndarray, off: np.ndarray) -> np.ndarray:
    """Return matrices that take (X_0, X_1, X_2, X_3, 1, eta, how far it is off) of a point through joints."""
    out, (w0, w1, w2, w3), off = np.zeros((*w.shape[:2], 7, 7)), np.moveaxis(w, 2, 0), off + 0.0 * w[:, :, 0]
    out[..., range(7), range(7)], out[..., 5, 4] = 1.0, SHARE * (1.0 + w0)
    r1, r2, r3 = (np.where(turns, r, 0.0) for r in (w1, w1 * w1 + w2, w1**3 + 3 * w1 * w2 + w3))
    for (k, j), r in {(1, 0): r1, (2, 0): r2, (2, 1): 2 * r1, (3, 0): r3, (3, 1): 3 * r2, (3, 2): 3 * r1}.items():
        out[..., k, j] = r
    out[..., :4, 4], out[..., 6, 0] = np.where(turns[..., None], 0.0, w), np.where(turns, off, 0.0)
    out[..., 6, 4] = np.where(turns, 0.0, off)
    return out * UP
