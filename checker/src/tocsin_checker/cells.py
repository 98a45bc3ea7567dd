"""How far parts go along a direction during a slab of time.

A slab is a time [m - tau, m + tau] of a stretch. The places of a point p of a part, along n, are within
|n| X_3 tau^3 / 6 of a parabola, whose three Bernstein coefficients b_i(p) are linear in p:

    n.(T - tau T' + tau^2/2 T'')p,    n.(T - tau^2/2 T'')p,    n.(T + tau T' + tau^2/2 T'')p.

Bernstein polynomials are not negative and add up to one, so the gap between the parts along n is at no moment less
than the least over i of (min over q of b_i(q)) - (max over p of b_i(p)), less both remainders. A linear function on a
triangle is largest at a corner.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from flint import fmpq

from tocsin_checker.kinematics import EYE, UP, ZERO, Jet, above, as_float, product, rounded
from tocsin_checker.models import Model
from tocsin_checker.shapes import Part

Shape = tuple[int, int, Part, Any, np.ndarray]
"""Its model and link, its points, and where the link has it: as balls, and rounded."""


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

    def chain(self, shape: int, frame: int) -> list[int]:
        """Return the links from a shape's own up to a frame above it."""
        (model, link, *_), found = self.shapes[shape], []
        while link != frame:
            found.append(link)
            link = self.models[model].links[link].parent
        return found


def bound(order: int, peaks: list[Any]) -> tuple[float, float]:
    """Return (base, slope): a derivative of a point's place is at most base + slope times its reach in its link."""
    ends = [functools.reduce(above, peaks, (reach, 0.0, 0.0, 0.0))[order] for reach in (0.0, 1.0)]
    return ends[0] * (1.0 + 1e-9), ends[1] - ends[0] + 1e-9 * ends[1]


def largest(part: Part, n: np.ndarray, matrices: np.ndarray, size: float, off: float) -> np.ndarray:
    """Return the largest n.(M p) over a part, for directions in rows and (c, 3, 4) matrices, rounded up.

    Entries of the matrices are off by `off` and a few roundings of `size`; sums of twenty products of them by a few
    more of each.
    """
    slack = np.abs(n).sum(axis=1) * (4.0 * off + 2.0**-46 * size) * (part.sum + 1.0)
    rows = np.einsum("dk,ckj->dcj", n, matrices).reshape(-1, 4)
    return part.largest(rows).reshape(len(n), -1) + slack[:, None]


class Stretch(Scene):
    """All models between two knots of time, during which each is in one piece of its motion."""

    def __init__(self, scene: Scene, begin: fmpq, end: fmpq) -> None:
        super().__init__(scene.models, scene.shapes)
        self.joints = [model.joints(begin, end) for model in self.models]
        self.jet, self.placed, self.third = map(functools.cache, (self.jet, self.placed, self.third))
        self.peaks = functools.cache(lambda model, link, m, tau: self.joints[model][link].peaks(m, tau))

    def jet(self, model: int, link: int, frame: int, m: fmpq) -> Jet:
        """Return the jet of a link in the frame of one above it."""
        if link == frame:
            return EYE, ZERO, ZERO
        parent = self.models[model].links[link].parent
        return product(self.jet(model, parent, frame, m), self.joints[model][link].jet(m))

    def placed(self, shape: int, frame: int, m: fmpq) -> tuple[np.ndarray, np.ndarray]:
        """Return the jet of a shape in a frame, and by how much its entries are off."""
        model, link, _, place, _ = self.shapes[shape]
        return rounded([matrix * place for matrix in self.jet(model, link, frame, m)])

    def third(self, shape: int, frame: int, m: fmpq, tau: float) -> tuple[float, float]:
        """Return the bound of the third derivative of a point's place within tau of m."""
        return bound(3, [self.peaks(self.shapes[shape][0], link, m, tau) for link in self.chain(shape, frame)])

    def off(self, shape: int, frame: int) -> float:
        """Return how far a shape's points can be off the motion, seen from a frame: docs/proofs.md, tubes."""
        model, _, part, _, place = self.shapes[shape]
        reach, off = part.reach(place), 0.0
        for link in self.chain(shape, frame):
            turn, slide = self.joints[model][link].off
            off = (off + turn * reach + slide) * UP
            reach = (reach + self.peaks(model, link, fmpq(1, 2), 0.5)[1][0] + slide) * UP
        return off


class Slab:
    """A stretch from t0 to t1 of its own time."""

    def __init__(self, stretch: Stretch, t0: fmpq, t1: fmpq) -> None:
        self.scene, self.t0, self.t1, self.middle, self.tau = stretch, t0, t1, (t0 + t1) / 2, as_float(t1 - t0) / 2

    def __str__(self) -> str:
        return f"between {as_float(self.t0):.9g} and {as_float(self.t1):.9g}"

    def halves(self, _: Any) -> list[Slab]:
        """Return its halves."""
        return [Slab(self.scene, self.t0, self.middle), Slab(self.scene, self.middle, self.t1)]

    def high(self, shape: int, part: Part, frame: int, n: np.ndarray) -> np.ndarray:
        """Return how far a part goes along directions n, one in each row: three coefficients each, rounded outward."""
        (t, t1, t2), off = self.scene.placed(shape, frame, self.middle)
        bend, tau = t2 * (0.5 * self.tau * self.tau), self.tau
        controls = np.array((t - t1 * tau + bend, t - bend, t + t1 * tau + bend))
        size = float((np.abs(t) + np.abs(t1) * tau + np.abs(bend)).max())
        base, slope = self.scene.third(shape, frame, self.middle, tau)
        rest = (base + slope * part.reach(self.scene.shapes[shape][4])) * tau**3 / 6.0 * (1.0 + 1e-9)
        most = largest(part, n, controls, size, float(off[0] + off[1] * tau + off[2] * tau * tau))
        return most + (np.sqrt((n * n).sum(axis=1)) * rest)[:, None]
