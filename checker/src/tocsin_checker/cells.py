"""Gaps along a direction that two parts keep: during a slab of time, or at all joint values of a box.

A slab is a time [m - tau, m + tau] of a stretch. The places of a point p of a part, along n, are within |n| X_3 tau^3 / 6
of a parabola, whose three Bernstein coefficients b_i(p) are linear in p:

    n.(T - tau T' + tau^2/2 T'')p,    n.(T - tau^2/2 T'')p,    n.(T + tau T' + tau^2/2 T'')p.

Bernstein polynomials are not negative and add up to one, so the gap between the parts along n is at no moment less
than the least over i of (min over q of b_i(q)) - (max over p of b_i(p)), less both remainders. A linear function on a
triangle is largest at a corner.

A box is all joint values within w_k of its middle. The straight way from there to any of its values, in unit time, has
joint velocities of at most w_k; a point is then, along n, within sum_k |n.T_k p| + |n| X_2 / 2 of where it is in the
middle, T_k the derivative for joint k alone at velocity w_k, and X_2 a bound of its acceleration.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import fmpq, fmpq_poly

from tocsin_checker.kinematics import EYE, UP, ZERO, Jet, Joint, above, as_float, product, rounded
from tocsin_checker.models import MIMICS, Link, Model
from tocsin_checker.proof import Refused
from tocsin_checker.shapes import Part

Shape = tuple[int, int, Part, Any, np.ndarray]
"""Its model and link, its points, and where the link has it: as balls, and rounded."""


class Cell:
    """Chains of joints, from a shape's link up to a frame."""

    models: list[Model]
    shapes: list[Shape]

    def frame(self, a: int, b: int) -> int:
        """Return the lowest link that carries both shapes, -1 for the world. Parents have smaller numbers."""
        (ka, i, *_), (kb, k, *_) = self.shapes[a], self.shapes[b]
        links = self.models[ka].links
        while ka == kb and i != k:
            i, k = (links[i].parent, k) if i > k else (i, links[k].parent)
        return i if ka == kb else -1

    def chain(self, shape: int, frame: int) -> list[int]:
        """Return the links from a shape's own up to a frame above it."""
        model, link, *_ = self.shapes[shape]
        found = []
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


class Stretch(Cell):
    """All models between two knots of time, during which each is in one piece of its motion."""

    def __init__(self, models: list[Model], shapes: list[Shape], begin: fmpq, end: fmpq) -> None:
        self.models, self.shapes, self.joints = models, shapes, [model.joints(begin, end) for model in models]
        self.jet, self.placed, self.third = map(functools.cache, (self.jet, self.placed, self.third))
        self.peaks = functools.cache(lambda model, link, m, tau: self.joints[model][link].peaks(m, tau))

    def jet(self, model: int, link: int, frame: int, m: fmpq) -> Jet:
        """Return the jet of a link in the frame of one above it."""
        if link == frame:
            return EYE, ZERO, ZERO
        return product(self.jet(model, self.models[model].links[link].parent, frame, m), self.joints[model][link].jet(m))

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

    def extent(self, shape: int, part: Part, frame: int, n: np.ndarray, m: fmpq, tau: float) -> np.ndarray:
        """Return how far a part goes along directions n, one in each row: three coefficients each, rounded outward."""
        (t, t1, t2), off = self.placed(shape, frame, m)
        bend = t2 * (0.5 * tau * tau)
        controls = np.array((t - t1 * tau + bend, t - bend, t + t1 * tau + bend))
        size = float((np.abs(t) + np.abs(t1) * tau + np.abs(bend)).max())
        base, slope = self.third(shape, frame, m, tau)
        rest = (base + slope * part.reach(self.shapes[shape][4])) * tau**3 / 6.0 * (1.0 + 1e-9)
        most = largest(part, n, controls, size, float(off[0] + off[1] * tau + off[2] * tau * tau))
        return most + (np.sqrt((n * n).sum(axis=1)) * rest)[:, None]


class Slab:
    """A stretch from t0 to t1 of its own time."""

    def __init__(self, stretch: Stretch, t0: fmpq, t1: fmpq) -> None:
        self.stretch, self.t0, self.t1, self.middle = stretch, t0, t1, (t0 + t1) / 2
        self.tau = as_float(t1 - t0) / 2

    def __str__(self) -> str:
        return f"between {as_float(self.t0):.9g} and {as_float(self.t1):.9g}"

    def halves(self, _: Iterator[str]) -> list[Slab]:
        """Return its halves."""
        return [Slab(self.stretch, self.t0, self.middle), Slab(self.stretch, self.middle, self.t1)]

    def high(self, shape: int, part: Part, frame: int, n: np.ndarray) -> np.ndarray:
        """Return how far a part goes along directions, three coefficients each."""
        return self.stretch.extent(shape, part, frame, n, self.middle, self.tau)

    def gap(self, a: tuple[int, Part], b: tuple[int, Part], n: np.ndarray) -> float:
        """Return a gap along n, times its length, that two parts keep all the time."""
        frame = self.stretch.frame(a[0], b[0])
        return -float((self.high(*a, frame, n) + self.high(*b, frame, -n)).max())


class Box(Cell):
    """One robot at all joint values of a box: entry k of its configuration is from ends[k][0] to ends[k][1]."""

    def __init__(self, model: Model, shapes: list[Shape], ends: dict[int, tuple[fmpq, fmpq]]) -> None:
        self.models, self.shapes, self.ends = [model], shapes, ends
        self.placed = functools.cache(self.placed)

    def joint(self, link: Link) -> Joint:
        """Return a joint at the middle, with the velocity that takes it to the end of the box in unit time."""
        if link.kind not in ("fixed", *MIMICS) or (link.kind != "fixed" and link.entry not in self.ends):
            raise Refused(f"the joint above {link.name} is neither revolute nor prismatic.")
        low, high = self.ends.get(link.entry, (fmpq(0), fmpq(0)))
        return link.joint(lambda _: fmpq_poly([(low + high) / 2, (high - low) / 2]), None, None, self.models[0].off)

    def __str__(self) -> str:
        return "in " + ", ".join(f"{k}: {as_float(lo):.6g} to {as_float(hi):.6g}" for k, (lo, hi) in self.ends.items())

    def halves(self, words: Iterator[str]) -> list[Box]:
        """Return its halves along the entry that is the next word."""
        k = int(next(words))
        low, high = self.ends[k]
        parts = (low, (low + high) / 2), ((low + high) / 2, high)
        return [Box(self.models[0], self.shapes, {**self.ends, k: part}) for part in parts]

    def placed(self, shape: int, frame: int) -> tuple[np.ndarray, float, float, float]:
        """Return a shape's placement in the middle, its derivatives, how much these are off, and the bound X_2."""
        joints = [self.joint(self.models[0].links[link]) for link in self.chain(shape, frame)]
        jets = [joint.jet(fmpq(0)) for joint in joints]
        still = [jet[0] for jet in jets]
        found = [still, *([*still[:k], jet[1], *still[k + 1 :]] for k, jet in enumerate(jets))]
        chains = [functools.reduce(lambda p, m: m * p, mats, self.shapes[shape][3]) for mats in found]
        matrices, off = rounded(chains)
        return matrices, float(off.max()), *bound(2, [joint.peaks(fmpq(0), 1.0) for joint in joints])

    def high(self, shape: int, part: Part, frame: int, n: np.ndarray) -> float:
        """Return how far a part goes along n at most."""
        matrices, off, base, slope = self.placed(shape, frame)
        most = largest(part, np.concatenate((n, -n)), matrices, float(np.abs(matrices).max()), off)
        bent = 0.5 * (base + slope * part.reach(self.shapes[shape][4])) * float(np.sqrt((n * n).sum())) * UP
        return float(most[0, 0] + most[:, 1:].max(axis=0).sum()) + bent

    def gap(self, a: tuple[int, Part], b: tuple[int, Part], n: np.ndarray) -> float:
        """Return a gap along n, times its length, that two parts keep at all values."""
        frame = self.frame(a[0], b[0])
        return -(self.high(*a, frame, n) + self.high(*b, frame, -n))
