"""How far parts go along a direction during slabs of time, or in boxes of joint values; many of them at once.

**A slab** is a time [m - tau, m + tau] of a stretch. By Taylor's theorem the places of a point p of a part, along n,
are within |n| X_3 tau^3 / 6 of a parabola, whose three Bernstein coefficients b_i(p) are linear in p:

    n.(T - tau T' + tau^2/2 T'')p,    n.(T - tau^2/2 T'')p,    n.(T + tau T' + tau^2/2 T'')p.

Bernstein polynomials are not negative and add up to one, so the gap between the parts along n is at no moment less
than the least over i of (min over q of b_i(q)) - (max over p of b_i(p)), less both remainders. A linear function on a
triangle is largest at a corner.

**A box** is all joint values within w_k of its middle. The straight way from there to any of its values, in unit time,
has joint velocities of at most w_k; a point is then, along n, within sum_k |n.T_k p| + |n| X_2 / 2 of where it is in
the middle, T_k the derivative for joint k alone at velocity w_k, and X_2 a bound of its acceleration.

What is computed is off by eta X_k in the derivative k (`kinematics`). A point is at most `reach` from the origin of its
link; in the sums its coordinates in its shape's frame stand beside where that is in the link, no farther than reach and
size together: hence `LOOSE` times the two, which also pays for the three products along n.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tocsin_checker.kinematics import EYE, SHARE, UP, Joint, Moment
from tocsin_checker.models import Model
from tocsin_checker.shapes import Part

LOOSE = 4.0
Shape = tuple[int, int, Part, np.ndarray]
"""Its model and link, its points, and where the link has it."""


class Scene:
    """Models, and their shapes by the numbers that a proof gives them."""

    def __init__(self, models: list[Model], shapes: list[Shape]) -> None:
        self.models, self.shapes = models, shapes

    def frame(self, a: int, b: int) -> int:
        """Return the lowest link that carries both shapes, -1 for the world. Parents have smaller numbers."""
        (ka, i, *_), (kb, k, *_) = self.shapes[a], self.shapes[b]
        links = self.models[ka].links
        while ka == kb and i != k:
            i, k = (links[i].parent, k) if i > k else (i, links[k].parent)
        return i if ka == kb else -1

    def chain(self, model: int, link: int, frame: int) -> list[int]:
        """Return the links from one up to a frame above it."""
        found = []
        while link != frame:
            found.append(link)
            link = self.models[model].links[link].parent
        return found


class Cells:
    """Slabs or boxes, one in each row of every array: where links are in the middle, and what that leaves out.

    The two differ in `joint`, a joint with the coefficients of its angle and place about the middles; `start` and
    `below`, the placements and derivatives of a link in its own frame, and those of a child from its parent's;
    `left_out`, what is left out beyond the derivatives and the sum of what is rounded, from the bounds X_k; and in what
    linear functions are maximised (`combined`) and how they add up (`summed`).
    """

    def __init__(self, scene: Scene, tau: np.ndarray) -> None:
        self.scene: Any = scene
        self.tau = tau
        self.moves, self.placed, self.start = map(functools.cache, (self.moves, self.placed, self.start))

    def moves(self, model: int, link: int) -> tuple[np.ndarray, np.ndarray]:
        """Return a joint's placement and derivatives, and its bounds."""
        joint, angle, place = self.joint(model, link)
        return joint.jet(angle, place), joint.bounds(angle, place, self.tau)

    def placed(self, model: int, link: int, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the placements of a link in the frame of one above it with their derivatives, (cells, n, 4, 4); and
        its bounds, (cells, 6, 6)."""
        if link == frame:
            return self.start(), np.repeat(np.eye(6)[None], len(self.tau), axis=0)
        placed, bounds = self.placed(model, self.scene.models[model].links[link].parent, frame)
        jet, own = self.moves(model, link)
        return self.below(placed, jet), bounds @ own * UP

    def allowed(self, shape: int, frame: int, reach: Any, size: Any, cells: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return how far points of parts of a shape may be from what their derivatives say, and what may be rounded."""
        model, link, *_ = self.scene.shapes[shape]
        bounds = self.placed(model, link, frame)[1][cells]
        still, more, tau = bounds[:, :4, 4].T, bounds[:, :4, 0].T, self.tau[cells]
        rest = self.left_out(still + more * reach, tau)[0]
        return rest * UP, self.left_out(still + more * LOOSE * (reach + size), tau)[1] * (bounds[:, 5, 4] + SHARE) * UP

    def high(self, shape: int, parts: list[Part], frame: int, cells: np.ndarray, n: np.ndarray) -> np.ndarray:
        """Return how far parts of a shape go along directions in cells, one of each in a row; coefficients in columns,
        rounded outward."""
        model, link, _, place = self.scene.shapes[shape]
        matrices = self.placed(model, link, frame)[0][cells, :, :3]
        rows = self.combined((n[:, None, None] @ matrices @ place)[:, :, 0], self.tau[cells, None])
        same: dict[int, list[int]] = {}
        for k, part in enumerate(parts):
            same.setdefault(id(part), []).append(k)
        most, reach, size = np.zeros(rows.shape[:2]), np.zeros(len(parts)), np.zeros(len(parts))
        for own in same.values():
            part = parts[own[0]]
            most[own] = part.largest(rows[own].reshape(-1, 4)).reshape(len(own), -1)
            reach[own], size[own] = part.reach(place), part.size
        left_out, rounded = self.allowed(shape, frame, reach, size, cells)
        return self.summed(most) + (np.sqrt((n * n).sum(axis=1)) * (left_out + rounded) * UP)[:, None]


class Slabs(Cells):
    """Slabs of a stretch: a moment (i, d) stands for that, and all within 2^-d of it."""

    def __init__(self, scene: Scene, joints: list[list[Joint]], moments: list[Moment], tau: Any = None) -> None:
        super().__init__(scene, np.array([2.0**-d for _, d in moments]) if tau is None else tau)
        self.joints, self.moments = joints, moments

    def joint(self, model: int, link: int) -> tuple[Joint, np.ndarray, np.ndarray]:
        """Return a joint, and the coefficients of its angle and place about the middles."""
        return self.joints[model][link], *self.joints[model][link].at(self.moments)

    def start(self) -> np.ndarray:
        """Return what a link has in its own frame."""
        return np.repeat(np.array([np.eye(4), np.zeros((4, 4)), np.zeros((4, 4))])[None], len(self.moments), axis=0)

    def below(self, above: np.ndarray, joint: np.ndarray) -> np.ndarray:
        """Return what a child has, by the product rule."""
        (p, p1, p2), (q, q1, q2) = above.swapaxes(0, 1), joint.swapaxes(0, 1)
        return np.stack((p @ q, p1 @ q + p @ q1, p2 @ q + p1 @ q1 + p @ q2), axis=1)

    def left_out(self, x: np.ndarray, tau: np.ndarray) -> tuple[Any, Any]:
        """Return what lies beyond the derivatives, and the sum of what is rounded."""
        return x[3] * tau**3 / 6.0, x[0] + x[1] * tau + x[2] * tau * tau

    def combined(self, rows: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return what is maximised over a part."""
        t, t1, t2 = rows[:, 0], rows[:, 1] * tau, rows[:, 2] * tau * tau
        return np.stack((t - t1 + t2, t - t2, t + t1 + t2), axis=1)

    def summed(self, most: np.ndarray) -> np.ndarray:
        """Return how far it goes."""
        return most

    def off(self, shape: int, frame: int) -> float:
        """Return how far a shape's points can be off the motion, seen from a frame: docs/proofs.md, tubes."""
        model, link, part, place = self.scene.shapes[shape]
        reach, off = part.reach(place), 0.0
        for i in self.scene.chain(model, link, frame):
            turn, slide = self.joints[model][i].off
            off = (off + turn * reach + slide) * UP
            reach = (reach + float(self.moves(model, i)[1][0, 0, 4]) + slide) * UP
        return off


class Boxes(Cells):
    """Boxes of joint values of one robot: entry k of its configuration from low[:, k] to high[:, k]."""

    def __init__(self, scene: Scene, low: np.ndarray, high: np.ndarray) -> None:
        super().__init__(scene, np.ones(len(low)))
        self.middle = 0.5 * (low + high)
        self.half = np.maximum(high - self.middle, self.middle - low) * UP

    def joint(self, model: int, link: int) -> tuple[Joint, np.ndarray, np.ndarray]:
        """Return a joint, and the coefficients of its angle and place about the middles."""
        own, k = self.scene.models[model].links[link], self.scene.models[model].links[link].entry
        turn, place = np.zeros((len(self.tau), 2)), np.zeros((len(self.tau), 2, 3))
        (factor, offset), middle = own.mimic, own.mimic[0] * self.middle[:, k]
        rounding = 2.0**-51 * (np.abs(middle) + abs(offset))  # a box that is so much wider holds what is meant
        goes = np.stack((middle + offset, abs(factor) * self.half[:, k] * UP + rounding), axis=1)
        if own.kind == "prismatic":
            place = goes[..., None] * own.axis
        elif own.kind != "fixed":
            turn = goes
        return Joint(own.origin, own.axis, [0], [], EYE, (0.0, 0.0)), turn, place

    def start(self) -> np.ndarray:
        """Return what a link has in its own frame."""
        return np.repeat(np.eye(4)[None, None], len(self.tau), axis=0)

    def below(self, above: np.ndarray, joint: np.ndarray) -> np.ndarray:
        """Return what a child has, by the product rule."""
        return np.concatenate((above @ joint[:, :1], above[:, :1] @ joint[:, 1:2]), axis=1)

    def left_out(self, x: np.ndarray, _: np.ndarray) -> tuple[Any, Any]:
        """Return what lies beyond the derivatives, and the sum of what is rounded."""
        return 0.5 * x[2], x[0] + x[1]

    def combined(self, rows: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Return what is maximised over a part."""
        return np.concatenate((rows, -rows[:, 1:]), axis=1)

    def summed(self, most: np.ndarray) -> np.ndarray:
        """Return how far it goes."""
        up, down = np.split(most[:, 1:], 2, axis=1)
        return most[:, :1] + np.maximum(up, down).sum(axis=1, keepdims=True)
