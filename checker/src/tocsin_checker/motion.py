"""Where links are, how they move, and how far that can be from what is computed: in floats, with every error counted.

A joint places its child, in the frame of its parent, by M = F J: F fixed, J a turn about a unit vector u by the angle
theta, or a slide along u by theta, and theta a polynomial of one variable s, |s| <= 1: of the time in a slab, or of how
far a configuration is from the middle of a box. If theta(s) = sum_k a_k s^k, its j-th derivative is at most
w_j = sum_k k!/(k - j)! |a_k|. Since Rot' = theta' [u] Rot, and |[u]| = 1, the derivatives of a turn are at most

    r_1 = w_1,    r_2 = w_1^2 + w_2,    r_3 = w_1^3 + 3 w_1 w_2 + w_3.

If |x^(k)| <= X_k for a point, then Leibniz' rule gives, for y = J x, in a turn, and in a slide,

    |y^(k)| <= sum_j binomial(k, j) r_j X_(k - j),    |y^(k)| <= X_k + w_k,

and F, placed f from its parent's origin, adds |f| for k = 0. So four numbers, carried from a link to a frame, bound a
point's place and three derivatives there (`bounds`, a matrix for each joint). Seen from the child, the parent is at
J^-1 F^-1, for which the same holds, F first: a frame may be that of any link.

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
bounds the sum of the products' sizes, because each step adds up sizes. A computed factor is off by a share: F is a
product of at most three rotations from sines and cosines, J one of an angle that is off by 2^-53 of its size, and
their products; float arithmetic is off by 2^-53 an operation, sines and cosines by 2^-50 (libraries promise 2^-52). All
that is less than SHARE (1 + |theta|) of the factor, in any order of summation. So what is computed is off by less than
eta X_k, where eta is the sum of SHARE (1 + w_0) over the joints, and one for where a shape is in its link: there its
points are off by a share of `spread`, which is more than all lengths that enter. Polynomials of time are kept as whole
numbers times 2^-140, so that their coefficients about any moment are known to a few bits of a float: a shift takes at
most 16 coefficients, adds 16 last places to each at most, and takes what they were off by 2^16 times at most, so that
two of them, to the stretch's time and to a cell's, leave less than 2^37 last places, which is less than `TINY`.
"""

import functools
import math
from typing import Any

import numpy as np

from tocsin_checker.proof import need

NOT_ASKED, AT_ONCE = np.inf, 500
"""The margin of a pair that is not asked about; leaves that are checked together."""
SHARE = 2.0**-46
UP = 1.0 + 1e-12
"""More than all roundings of a few dozen sums and products of numbers that are not negative."""
TINY = 2.0**-100
"""More than whole numbers times 2^-140 leave out of a polynomial of at most 16 coefficients."""
ONE = 1 << 140
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


def twist(axis: np.ndarray, turns: bool) -> np.ndarray:
    """Return the 4x4 matrix K of a turn about a unit vector u, which has [u], x to u x x; or of a slide along it."""
    out = np.zeros((4, 4))
    out[:3, :3], out[:3, 3] = ((axis @ CROSS).reshape(3, 3), 0.0) if turns else (0.0, axis)
    return out


def moved(k: np.ndarray, turns: Any, theta: Any) -> np.ndarray:
    """Return the placements exp(theta K) by angles or lengths; K^2 is nothing of a slide."""
    a = np.asarray(theta)[..., None, None]
    return np.eye(4) + np.where(turns, np.sin(a), a) * k + (1.0 - np.cos(a)) * (k @ k)


def turn_between(p: Any, q: Any) -> tuple[np.ndarray, float]:
    """Return (axis, angle) of p^-1 q as it stands, or (z, 0): about its vector part v, by 2 atan2(|v|, w)."""
    ring = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    v = np.array([float(q[i] * p[3] - q[3] * p[i] - q[k] * p[j] + q[j] * p[k]) for i, j, k in ring])
    w = float(sum(a * b for a, b in zip(p, q, strict=True)))
    return (unit(v), 2.0 * math.atan2(math.sqrt(float(v @ v)), w)) if v.any() else (EYE[2], 0.0)


def rigid(axis: np.ndarray, angle: float, at: Any = 0.0) -> np.ndarray:
    """Return the placement that turns about a unit vector by an angle, and then slides to a place."""
    out = moved(twist(axis, True), True, angle)
    out[:3, 3] = at
    return out


def inverse(matrix: np.ndarray) -> np.ndarray:
    """Return the inverse of a placement."""
    turn = matrix[:3, :3].T
    return np.block([[turn, -turn @ matrix[:3, 3:]], [np.eye(4)[3:]]])


def about(p: Poly, at: Any, by: Any) -> Poly:
    """Return a polynomial in powers of s, where its own time is at + by s; both at most 1, and of any exact kind."""
    b, (top, bottom), (scale, unit_of) = list(p), at.as_integer_ratio(), by.as_integer_ratio()
    for low in range(len(b) - 1):
        for k in range(len(b) - 2, low - 1, -1):
            b[k] += b[k + 1] * top // bottom
    return [v * scale**k // unit_of**k for k, v in enumerate(b)]


class Slabs:
    """Slabs of a stretch, one in each row of every array: where links are in the middle, and what that leaves out.

    Given are all links with their joints (`models.Link`), the entries of the configuration as polynomials, which of the
    links are looked at, and the slabs. `Boxes` differ in the `ORDERS` of a joint's derivatives that are used, in what a
    chain has of its two parts' (`below`), in which linear functions are maximised (`combined`) and how they add up
    (`summed`), and in what the derivatives leave out (`beyond`).
    """

    ORDERS = 3

    def __init__(self, scene: Any, links: Any, entries: list[Poly], looked_at: Any, cells: list[Cell]) -> None:
        self.scene, self.row = scene, {i: k for k, i in enumerate(looked_at)}
        low, high = np.array(cells, dtype=float).reshape(len(cells), -1, 2).T
        own, middle = [links[i] for i in self.row], 0.5 * (low + high)
        values = self.powers(entries, middle, np.maximum(high - middle, middle - low) * UP)
        given = [(k.origin, k.twist, k.entry, k.off, k.mimic, [k.kind == "revolute"]) for k in own]
        self.origin, self.twist, entry, off, mimic, self.turns = map(np.array, zip(*given))
        self.theta = mimic[:, :1, None] * values[entry]
        self.theta[:, :, 0] += mimic[:, 1:]
        sizes = np.abs(self.theta)
        sizes[:, :, 0] += np.abs(mimic[:, 1:])  # with what the sum may have lost
        self.jets = self.origin[:, None, None] @ self.jet(slice(None), 1.0)
        self.bounds = bounds(sizes @ FALLING[: sizes.shape[2]] + TINY, self.turns, off[:, None])
        self.placed = functools.cache(self.placed)

    def powers(self, entries: list[Poly], middle: np.ndarray, half: np.ndarray) -> np.ndarray:
        """Return the coefficients of every entry in powers of s, (entries, cells, powers)."""
        times = list(zip(middle[0].tolist(), half[0].tolist()))
        out = np.zeros((len(entries), len(times), max(3, *map(len, entries))))
        for k, p in enumerate(entries):
            own = times if len(p) > 1 else times[:1]  # what stands, in all of them
            out[k, :, : len(p)] = [[v / ONE for v in about(p, *time)] for time in own]
        return out

    def jet(self, rows: Any, sign: float) -> np.ndarray:
        """Return J and its derivatives, by powers of s, of joints in cells; or, for the sign -1, of its inverse: since
        J' = theta' K J, they are J, theta_1 K J and (theta_2 K + theta_1^2 / 2 K^2) J."""
        k, a = self.twist[rows, None], sign * self.theta[rows]
        first, rates = moved(k, self.turns[rows, :, None, None], a[:, :, 0]), a[..., None, None]
        second = (rates[:, :, 2] * k + 0.5 * rates[:, :, 1] ** 2 * (k @ k)) @ first
        return np.stack((first, rates[:, :, 1] * k @ first, second), axis=2)[:, :, : self.ORDERS]

    def step(self, link: int, back: bool) -> tuple[np.ndarray, np.ndarray]:
        """Return where a link is in the frame of its parent, or the parent in that of the link, with derivatives, by
        powers of s; and what takes the bounds of a point from the one to the other."""
        row, fixed = self.row[link], np.eye(7)
        fixed[0, 4] = float(norms(self.origin[row, :3, 3]))
        if not back:
            return self.jets[row], fixed @ self.bounds[row]
        return self.jet([row], -1.0)[0] @ inverse(self.origin[row]), self.bounds[row] @ fixed

    def placed(self, link: int, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the placements of a link in the frame of another with their derivatives, (cells, n, 4, 4); and its
        bounds, (cells, 7, 7)."""
        carries = self.scene.common(link, frame) == frame
        if link == frame:
            first = np.zeros((self.theta.shape[1], self.ORDERS, 4, 4))
            first[:, 0] = np.eye(4)
            return first, np.tile(np.eye(7), (len(first), 1, 1))
        if carries and self.scene.links[link].parent == frame:
            return self.step(link, back=False)
        chain = self.placed(self.scene.links[link].parent, frame) if carries else self.step(frame, back=True)
        rest = self.step(link, back=False) if carries else self.placed(link, self.scene.links[frame].parent)
        return self.below(chain[0], rest[0]), chain[1] @ rest[1] * UP

    def rows(self, links: Any, frames: Any, at: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the placements and bounds of links in frames in cells, one of each in a row; derivatives that a chain
        has not are nothing."""
        keys = {key: k for k, key in enumerate(dict.fromkeys(zip(links, frames)))}
        found, which = [self.placed(*key) for key in keys], [keys[key] for key in zip(links, frames)]
        jets = np.zeros((len(keys), self.theta.shape[1], max(p.shape[1] for p, _ in found), 3, 4))
        for own, (p, _) in zip(jets, found):
            own[:, : p.shape[1]] = p[:, :, :3]
        return jets[which, at], np.stack([bounds for _, bounds in found])[which, at]

    def left(self, jets: np.ndarray, bounds: np.ndarray, n: Any, sizes: np.ndarray) -> np.ndarray:
        """Return how far points may be, in cells, from what their derivatives say: along unit vectors n, or any way if
        there are none. `sizes` in rows: `reach`, `spread`, `girth` and `center` of parts."""
        (reach, spread), eta = sizes.T[:2], bounds[:, 5, 4] + SHARE
        x, off = (bounds[:, :4, 4].T + bounds[:, :4, 0].T * size for size in (reach, spread))
        return (self.beyond(jets, eta, n, x, off[1] * eta, sizes[:, 2:]) + off[:3].sum(axis=0) * eta) * UP + TINY

    def high(self, links: Any, parts: Any, frames: Any, at: Any, n: np.ndarray) -> np.ndarray:
        """Return how far parts of links go along unit vectors n in frames in cells, one of each in a row; coefficients
        in columns, rounded outward."""
        (jets, bounds), same = self.rows(links, frames, at), {}
        rows = self.combined((n[:, None, None] @ jets)[:, :, 0])
        for k, part in enumerate(parts):
            same.setdefault(part, []).append(k)
        most, sizes = np.zeros(rows.shape[:2]), np.zeros((len(parts), 6))
        for part, own in same.items():
            most[own], sizes[own] = part.largest(rows[own]), part.sizes
        left = self.left(jets, bounds, n, sizes) + bounds[:, 6, 4] + bounds[:, 6, 0] * sizes[:, 0]
        return self.summed(most) + left[:, None] * UP

    def stays(self, link: int, frame: int, at: int, point: np.ndarray, sizes: Any) -> tuple[np.ndarray, float, float]:
        """Return where a point of a part is in the middle of a cell, how far it may be from there, and how far the part
        may be off the motion."""
        (jet,), (bound,) = rows = [v[at : at + 1] for v in self.placed(link, frame)]
        places, own = jet[:, :3] @ [*point, 1.0], np.array([[float(norms(point)), sizes[1], 0.0, *point]])
        goes = norms(places[1:]).sum() * UP + self.left(rows[0][:, :, :3], rows[1], None, own)[0]
        return places[0], float(goes), float(bound[6, 4] + bound[6, 0] * sizes[0])

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

    def beyond(self, jets: Any, eta: Any, n: Any, x: Any, off: Any, ball: Any) -> np.ndarray:
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
