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

**A box** is all joint values within w_k of its middle. The straight way from there to any of its values, in unit time,
has joint velocities of at most w_k; a point is then, along n, within sum_k |n.T_k p| + A / 2 of where it is in the
middle, T_k the derivative for joint k alone at velocity w_k, and A a bound of its acceleration along n: X_2, or this
one. Let the spin of a joint that turns be its axis times w_k, and nothing if it slides. For a joint j at k or above it,
the second derivative by both is spin_j x T_k p, at any place in the box, and along n its size is that of
(n x spin_j).T_k p. The length of T_k p is how far p is from the axis of k, times w_k, or w_k if k slides: only joints
below k change it, and take p no farther than the sum S of their own bounds. A spin is turned by the joints above it:
seen from the axis of i, by those between only. So, from the link up,

    a_k = |T_k p| + |spin_k| S_k,    S_k = sum of a_j over the joints j below k,
    K_ik = |spin_i x spin_k| + |spin_i| sum of K_lk over the joints l between i and k,    at most |spin_i||spin_k|,
    N_k = |n x spin_k| + sum of K_ik over the joints i above k,    at most |spin_k|,
    A <= sum_k N_k (a_k + 2 S_k),

where lengths and products are those in the middle. Axes that are parallel, one below the other, tilt nothing.

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

NOT_ASKED, AT_ONCE, MOST_AT_ONCE = np.inf, 500, 2**21
"""The margin of a pair that is not asked about; leaves that are checked together, and corners of all of them."""
SHARE, UP, TINY, ONE = 2.0**-46, 1.0 + 1e-12, 2.0**-100, 1 << 140
"""The share of rounding; more than all roundings of a few dozen sums and products of numbers that are not negative;
more than whole numbers times 2^-140 leave out of a polynomial of at most 16 coefficients; and what these count."""
EYE, EYE4 = np.eye(3), np.eye(4)
FALLING = np.array([[math.perm(k, j) for j in range(4)] for k in range(16)], float)
"""k!/(k - j)!, which s^k has before its j-th derivative."""

Cell = tuple[tuple[float, float], ...]
"""From where to where the share of a stretch that is done goes, or each entry of a configuration."""


def norms(vectors: np.ndarray) -> np.ndarray:
    """Return the lengths of vectors."""
    return np.sqrt((vectors**2).sum(axis=-1))


def unit(vectors: Any) -> np.ndarray:
    """Return vectors at length one."""
    lengths = norms(v := np.array(vectors, dtype=float))[..., None]
    need(lengths.min() > 1e-100 and lengths.max() < 1e100, "a vector or quaternion has no length.")
    return v / lengths


def numbered(items: Any) -> tuple[list[Any], list[int]]:
    """Return the different ones of items, and of each item which it is."""
    numbers = {item: k for k, item in enumerate(dict.fromkeys(items))}
    return list(numbers), [numbers[item] for item in items]


def twist(axis: np.ndarray, turns: bool) -> np.ndarray:
    """Return the 4x4 matrix K of a turn about a unit vector u, which has [u], x to u x x; or of a slide along it."""
    (x, y, z), out = axis, np.zeros((4, 4))
    out[:3, :3], out[:3, 3] = (((0, -z, y), (z, 0, -x), (-y, x, 0)), 0.0) if turns else (0.0, axis)
    return out


def rigid(turn: Any, at: Any) -> np.ndarray:
    """Return the placement that turns by a quaternion, (v, w) of any length: at length one, by 1 + 2 (w [v] + [v]^2);
    and then slides to a place."""
    *v, w = unit(turn)
    k = twist(v, True)
    out = EYE4 + 2.0 * (w * k + k @ k)
    out[:3, 3] = at
    return out


def turn_between(p: list[int], q: list[int]) -> tuple[np.ndarray, float]:
    """Return (axis, angle) of p^-1 q as it stands, or (z, 0): about its vector part v, by 2 atan2(|v|, w). Both are at
    length one, so that where entries hardly jump, nor does the turn."""
    a, b = np.array([p, q], dtype=object)  # of whole numbers of any size
    need(all(abs(r @ r / ONE**2 - 1.0) < 1e-6 for r in (a, b)), "a quaternion of a motion is not at length one.")
    v = (a[3] * b[:3] - b[3] * a[:3] + np.cross(b[:3], a[:3])).astype(float)
    return (unit(v), 2.0 * math.atan2(float(norms(v)), float(a @ b))) if v.any() else (EYE[2], 0.0)


def about(p: list[int], at: Any, by: Any) -> list[int]:
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
    chain has of its two parts' (`chained`), in which linear functions are maximised (`combined`) and how they add up
    (`summed`), and in what the derivatives leave out (`beyond`).
    """

    ORDERS = 3

    def __init__(self, scene: Any, links: Any, entries: list[list[int]], looked_at: Any, cells: list[Cell]) -> None:
        self.scene, self.row, self.count = scene, {i: k for k, i in enumerate(looked_at)}, len(cells)
        low, high = np.array(cells, dtype=float).reshape(len(cells), -1, 2).T
        own, middle = [links[i] for i in self.row], 0.5 * (low + high)
        values = self.powers(entries, middle, np.maximum(high - middle, middle - low) * UP)
        given = [(k.origin, k.twist, k.entry, k.off, k.mimic, [k.kind == "revolute"]) for k in own]
        self.origin, self.twist, entry, off, mimic, self.turns = map(np.array, zip(*given))
        self.theta = mimic[:, :1, None] * values[entry]
        self.theta[:, :, 0] += mimic[:, 1:]
        sizes = np.abs(self.theta)
        sizes[:, :, 0] += np.abs(mimic[:, 1:])  # with what the sum may have lost
        self.fixed = np.tile(np.eye(7), (len(own), 1, 1, 1))
        self.fixed[:, 0, 0, 4] = norms(self.origin[:, :3, 3])
        self.joint = bounds(sizes @ FALLING[: sizes.shape[2]] + TINY, self.turns, off[:, None])
        self.jets = self.origin[:, None, None] @ self.jet(slice(None), 1.0)
        self.placed = functools.cache(self.placed)

    def powers(self, entries: list[list[int]], middle: np.ndarray, half: np.ndarray) -> np.ndarray:
        """Return the coefficients of every entry in powers of s, (entries, cells, powers)."""
        times = list(zip(middle[0].tolist(), half[0].tolist()))
        out = np.zeros((len(entries), len(times), max(3, *map(len, entries))))
        for k, p in enumerate(entries):  # what stands, in all of them at once
            out[k, :, : len(p)] = [[v / ONE for v in about(p, *time)] for time in times[: None if len(p) > 1 else 1]]
        return out

    def jet(self, rows: Any, sign: float) -> np.ndarray:
        """Return J and its derivatives, by powers of s, of joints in cells; or, for the sign -1, of its inverse: since
        J' = theta' K J, they are J, theta_1 K J and (theta_2 K + theta_1^2 / 2 K^2) J; and J = 1 + sin(theta_0) K +
        (1 - cos(theta_0)) K^2, or 1 + theta_0 K of a slide, whose K^2 is nothing."""
        k, square = self.twist[rows, None], self.twist[rows, None] @ self.twist[rows, None]
        a, b, c = np.moveaxis(sign * self.theta[rows, :, :3, None, None], 2, 0)
        first = EYE4 + np.where(self.turns[rows, :, None, None], np.sin(a), a) * k + (1.0 - np.cos(a)) * square
        return np.stack((first, b * k @ first, (c * k + 0.5 * b**2 * square) @ first), axis=2)[:, :, : self.ORDERS]

    def placed(self, link: int, frame: int) -> tuple[np.ndarray, ...]:
        """Return the placements of a link in the frame of another with their derivatives, by powers of s, (cells, n, 4,
        4); and what takes the bounds of a point from the one to the other, (cells, 7, 7)."""
        if link == frame:
            return np.tile(EYE4, (self.count, 1, 1, 1)), np.tile(np.eye(7), (self.count, 1, 1))
        back = self.scene.common(link, frame) != frame
        i = frame if back else link
        k, above = self.row[i], self.scene.links[i].parent
        own = self.jets[k], self.fixed[k] @ self.joint[k]
        if back:
            turn = self.origin[k, :3, :3].T
            inverse = np.block([[turn, -turn @ self.origin[k, :3, 3:]], [EYE4[3:]]])
            own = self.jet([k], -1.0)[0] @ inverse, self.joint[k] @ self.fixed[k]
        if above == (link if back else frame):
            return own
        first, then = (own, self.placed(link, above)) if back else (self.placed(above, frame), own)
        return self.chained(first[0], then[0]), first[1] @ then[1] * UP

    def rows(self, links: Any, frames: Any, at: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the placements and bounds of links in frames in cells, one of each in a row; derivatives that a chain
        has not are nothing."""
        keys, which = numbered([*zip(links, frames)])
        found, bounds = zip(*(self.placed(*key) for key in keys))
        jets = np.zeros((len(keys), self.count, max(self.ORDERS, *(p.shape[1] for p in found)), 3, 4))
        for own, p in zip(jets, found):
            own[:, : p.shape[1]] = p[:, :, :3]
        return jets[which, at], np.array(bounds)[which, at]

    def left(self, jets: np.ndarray, bounds: np.ndarray, n: Any, sizes: np.ndarray) -> np.ndarray:
        """Return how far points may be, in cells, from what their derivatives say: along unit vectors n, or any way if
        there are none. `sizes`: those of parts, in rows."""
        (reach, spread), eta = sizes.T[:2], bounds[:, 5, 4] + SHARE
        x, off = (bounds[:, :4, 4].T + bounds[:, :4, 0].T * size for size in (reach, spread))
        return (self.beyond(jets, eta, n, x, off[1] * eta, sizes[:, 3:]) + off[:3].sum(axis=0) * eta) * UP + TINY

    def high(self, links: Any, parts: Any, frames: Any, at: Any, n: np.ndarray) -> np.ndarray:
        """Return how far parts of links go along unit vectors n in frames in cells, one of each in a row; coefficients
        in columns, rounded outward."""
        (jets, bounds), (different, which) = self.rows(links, frames, at), numbered(parts)
        rows = self.combined(np.einsum("ri,rkij->rkj", n, jets))
        sizes, order = np.array([part.sizes for part in different])[which], np.argsort(which, kind="stable")
        most = rows[..., 3] + sizes[:, 2:3] * norms(rows[..., :3])
        for part, own in zip(different, np.split(order, np.cumsum(np.bincount(which))[:-1])):
            most[own] += part.largest(rows[own, :, :3])
        left = self.left(jets, bounds, n, sizes) + bounds[:, 6, 4] + bounds[:, 6, 0] * sizes[:, 0]
        return self.summed(most) + left[:, None] * UP

    def stays(self, links: Any, frame: int, cell: int, points: Any, parts: Any) -> tuple[np.ndarray, ...]:
        """Return where points of parts of links are in a frame in the middle of a cell, how far each may be from there,
        and how far it may be off the motion."""
        jets, bounds = self.rows(links, [frame] * len(links), [cell] * len(links))
        sizes = np.array([[norms(point), part.sizes[1], 0.0, 0.0, *point] for part, point in zip(parts, points)])
        places = np.einsum("rkij,rj->rki", jets[..., :3], sizes[:, 4:]) + jets[..., 3]
        goes = norms(places[:, 1:]).sum(axis=1) * UP + self.left(jets, bounds, None, sizes)
        return places[:, 0], goes, bounds[:, 6, 4] + bounds[:, 6, 0] * [part.sizes[0] for part in parts]

    def chained(self, above: np.ndarray, joint: np.ndarray) -> np.ndarray:
        """Return what a chain has, by the product rule."""
        p = above[:, :, None] @ joint[:, None]
        return np.stack((p[:, 0, 0], p[:, 0, 1] + p[:, 1, 0], p[:, 0, 2] + p[:, 1, 1] + p[:, 2, 0]), axis=1)

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


class Boxes(Slabs):
    """Boxes of joint values: every entry goes from the middle on at its own speed, but the share, which is none."""

    ORDERS = 2

    def powers(self, entries: list[list[int]], middle: np.ndarray, half: np.ndarray) -> np.ndarray:
        """Return the coefficients of every entry in powers of s."""
        return np.pad(np.stack((middle, half, 0.0 * half), axis=2), ((0, 1), (0, 0), (0, 0)))

    def chained(self, above: np.ndarray, joint: np.ndarray) -> np.ndarray:
        """Return what a chain has: the derivatives by the joints of its two parts."""
        return np.concatenate((above @ joint[:, :1], above[:, :1] @ joint[:, 1:]), axis=1)

    def combined(self, rows: np.ndarray) -> np.ndarray:
        """Return what is maximised over a part: its place, and what each joint does either way."""
        return np.concatenate((rows, -rows[:, 1:]), axis=1)

    def summed(self, most: np.ndarray) -> np.ndarray:
        """Return how far it goes."""
        up, down = np.split(most[:, 1:], 2, axis=1)
        return most[:, :1] + np.maximum(up, down).sum(axis=1, keepdims=True)

    def beyond(self, jets: Any, eta: Any, n: Any, x: Any, off: Any, ball: Any) -> np.ndarray:
        """Return half of the greatest acceleration: a_k, S, K, N and A as above, of points within girth of a center.

        What is computed of T_k p is off by `off` at most, and of spins by a share eta.
        """
        center = np.column_stack((ball[:, 1:], np.ones(len(ball))))[:, None, :, None]
        skew = (jets[:, 1:, :, :3] @ jets[:, :1, :, :3].swapaxes(2, 3)).swapaxes(0, 1)
        spins = np.stack((skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]), axis=2)
        w, far, below, bent = norms(spins), norms((jets[:, 1:] @ center)[..., 0]).T + off, 0.0, 0.0
        for k in reversed(range(len(w))):  # from the link up
            tilt = np.zeros(len(eta))
            for i in reversed(range(k)):
                tilt += np.minimum(w[i] * w[k], norms(np.cross(spins[i], spins[k])) + w[i] * (eta * w[k] + tilt))
            aside = w[k] if n is None else np.minimum(w[k], norms(np.cross(n, spins[k])) + eta * w[k] + tilt)
            own = far[k] + w[k] * (ball[:, 0] + below)
            below, bent = below + own, bent + aside * (own + 2.0 * below)
        return 0.5 * np.minimum(bent, x[2])


def bounds(w: np.ndarray, turns: np.ndarray, off: np.ndarray) -> np.ndarray:
    """Return matrices that take (X_0, X_1, X_2, X_3, 1, eta, how far it is off) of a point through joints."""
    out, (w0, w1, w2, w3) = np.zeros((*w.shape[:2], 7, 7)), np.moveaxis(w, 2, 0)
    out[..., range(7), range(7)], out[..., 5, 4] = 1.0, SHARE * (1.0 + w0)
    r1, r2, r3 = (np.where(turns, r, 0.0) for r in (w1, w1 * w1 + w2, w1**3 + 3 * w1 * w2 + w3))
    for (k, j), r in {(1, 0): r1, (2, 0): r2, (2, 1): 2 * r1, (3, 0): r3, (3, 1): 3 * r2, (3, 2): 3 * r1}.items():
        out[..., k, j] = r
    out[..., :4, 4], out[..., 6, 0] = np.where(turns[..., None], 0.0, w), np.where(turns, off, 0.0)
    out[..., 6, 4] = np.where(turns, 0.0, off)
    return out * UP
