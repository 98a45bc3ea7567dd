"""The check itself: every pair of shapes, at every moment of every stretch, is apart; or two points are together.

A leaf of the proof is a direction n, two parts and a time [m - tau, m + tau]. The places of a point p of a part, along
n, are within |n| X_3 tau^3 / 6 of a parabola, whose three Bernstein coefficients b_i(p) are linear in p:

    n.(T - tau T' + tau^2/2 T'')p,    n.(T - tau^2/2 T'')p,    n.(T + tau T' + tau^2/2 T'')p.

Bernstein polynomials are not negative and add up to one, so the gap between the parts along n is at no moment less
than the least over i of (min over q of b_i(q)) - (max over p of b_i(p)), less both remainders. A linear function on a
triangle is largest at a corner. If that is more than |n| margin, no two points of the parts come within the margin.
The tree above the leaves halves the time or a part, so what is true of both halves is true of the whole.
"""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq

from tocsin_checker.kinematics import EYE, Jet, as_float, exact, norm, product, rounded
from tocsin_checker.models import Model, read_model
from tocsin_checker.proof import Refused
from tocsin_checker.shapes import Part

DEEPEST = 200
"""Halvings from the whole to a leaf."""

AXES = np.concatenate((np.eye(3), -np.eye(3)))


@dataclass
class Verdict:
    """What was checked, and the pairs of shapes that were not asked about, by reason."""

    claim: str
    pairs: int = 0
    directions: int = 0
    boxes: int = 0
    skipped: dict[str, int] = field(default_factory=dict)


class Stretch:
    """All models between two knots of time, during which each moves at constant velocities."""

    def __init__(self, models: list[Model], shapes: list[Any], begin: fmpq, end: fmpq) -> None:
        self.models, self.shapes = models, shapes
        self.joints = [model.joints(begin, end) for model in models]
        self.jets: dict[Any, Jet] = {}
        self.placed: dict[Any, Any] = {}
        self.thirds: dict[Any, tuple[float, float, np.ndarray]] = {}

    def frame(self, a: int, b: int) -> int:
        """Return the lowest link that carries both shapes, -1 for the world. Parents have smaller numbers."""
        (ka, i, *_), (kb, k, *_) = self.shapes[a], self.shapes[b]
        links = self.models[ka].links
        while ka == kb and i != k:
            i, k = (links[i].parent, k) if i > k else (i, links[k].parent)
        return i if ka == kb else -1

    def jet(self, model: int, link: int, frame: int, m: fmpq) -> Jet:
        """Return the jet of a link in the frame of one above it."""
        if link == frame:
            return EYE, None, None
        key = model, link, frame, m.p, m.q
        if key not in self.jets:
            above = self.jet(model, self.models[model].links[link].parent, frame, m)
            self.jets[key] = product(above, self.joints[model][link].jet(m))
        return self.jets[key]

    def third(self, shape: int, frame: int, part: Part) -> float:
        """Return a bound of the third derivative of the place of a part's points: affine in how far they reach."""
        model, link, _, place = self.shapes[shape]
        if (shape, frame) not in self.thirds:
            ends = []
            for x in ((0.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)):
                i = link
                while i != frame:
                    x, i = self.joints[model][i].third(x), self.models[model].links[i].parent
                ends.append(x[3])
            base, slope = ends[0] * (1.0 + 1e-9), ends[1] - ends[0] + 1e-9 * ends[1]
            self.thirds[shape, frame] = base, slope, rounded((place, None, None))[0][0]
        base, slope, matrix = self.thirds[shape, frame]
        return base + slope * part.reach(matrix)

    def extent(self, shape: int, part: Part, frame: int, n: np.ndarray, m: fmpq, tau: float) -> np.ndarray:
        """Return how far a part goes along directions n, one in each row: three coefficients each, rounded outward."""
        key = shape, frame, m.p, m.q
        if key not in self.placed:
            model, link, _, place = self.shapes[shape]
            self.placed[key] = rounded(product(self.jet(model, link, frame, m), (place, None, None)))
        (t, t1, t2), error = self.placed[key]
        bend = t2 * (0.5 * tau * tau)
        controls = np.array((t - t1 * tau + bend, t - bend, t + t1 * tau + bend))
        # Entries are off by the error and a few roundings; sums of twenty products of them by a few more of each.
        error = 4.0 * error * (1.0 + tau + tau * tau) + 2.0**-46 * float((abs(t) + abs(t1) + abs(t2)).max())
        slack = np.abs(n).sum(axis=1) * error * (part.sum + 1.0)
        rest = np.sqrt((n * n).sum(axis=1)) * (self.third(shape, frame, part) * tau**3 / 6.0 * (1.0 + 1e-9))
        rows = np.einsum("dk,ckj->dcj", n, controls).reshape(-1, 4)
        return part.largest(rows).reshape(len(n), 3) + (slack + rest)[:, None]


class Check:
    """One proof under examination."""

    def __init__(self, proof: dict[str, Any], files: dict[str, Path]) -> None:
        self.proof, self.verdict = proof, Verdict(proof["claim"])
        self.models = [read_model(given, files) for given in proof["models"]]
        counts = {max(len(m.rows) - 1, 1) for m in self.models}
        if sum(counts) > 1_000_000:
            raise Refused("the motion has more than a million stretches.")
        knots = sorted({fmpq(k, n) for n in counts for k in range(n + 1)})
        self.stretches = list(itertools.pairwise(knots))
        listed = [
            ((m.name if len(m.links) == 1 else f"{m.name}/{link.name}", s), (k, i, part, place))
            for k, m in enumerate(self.models)
            for i, link in enumerate(m.links)
            for s, (part, place) in enumerate(link.shapes)
        ]
        self.names = [tuple(name) for name in proof["shapes"]]
        if sorted(self.names) != sorted(name for name, _ in listed) or len(dict(listed)) < len(listed):
            raise Refused("the shapes that the proof numbers are not those of its models, each once.")
        self.shapes = [dict(listed)[name] for name in self.names]
        self.margins = dict(self._margins())
        self.verdict.pairs = len(self.margins)

    def name(self, shape: int) -> str:
        """Return the name of a shape's link."""
        return self.names[shape][0]

    def _margins(self) -> Iterator[tuple[tuple[int, int], float]]:
        """Return the margin of every pair of shapes that has to be apart."""
        skipped = {frozenset(entry[:2]): str(entry[2]) for entry in self.proof["skipped"]}
        margins = {frozenset(entry[:2]): float(entry[2]) for entry in self.proof["margins"]}
        if not all(0.0 <= m < 1e9 for m in [self.proof["margin"], *margins.values()]):
            raise Refused("a margin is a length, and not negative.")
        for a, (ka, i, *_) in enumerate(self.shapes):
            for b in range(a + 1, len(self.shapes)):
                kb, k, *_ = self.shapes[b]
                if (ka, i) == (kb, k) or not (self.models[ka].asked or self.models[kb].asked):
                    continue
                pair = frozenset((self.name(a), self.name(b)))
                reason = skipped.get(pair)
                if reason is None:
                    yield (a, b), margins.get(pair, self.proof["margin"])
                elif reason == "adjacent" and not (ka == kb and self._adjacent(ka, i, k)):
                    raise Refused(f"{' and '.join(sorted(pair))} are skipped as adjacent, but no joint joins them.")
                else:
                    self.verdict.skipped[reason] = self.verdict.skipped.get(reason, 0) + 1

    def _adjacent(self, model: int, i: int, k: int) -> bool:
        """Are two links joined, by one joint or by several with nothing but frames between?"""
        links = self.models[model].links
        for child, other in ((i, k), (k, i)):
            above = links[child].parent
            while above >= 0 and above != other and not links[above].shapes:
                above = links[above].parent
            if above == other:
                return True
        return False

    def free(self) -> Verdict:
        """Check that nothing comes within the margin."""
        if len(self.proof["free"]) != len(self.stretches):
            raise Refused(f"the motion has {len(self.stretches)} stretches; {len(self.proof['free'])} are proven.")
        for number, (said, (begin, end)) in enumerate(zip(self.proof["free"], self.stretches)):
            words = iter([*said.split(), "the end"])
            try:
                self._slab(Stretch(self.models, self.shapes, begin, end), words, fmpq(0), fmpq(1), 0)
                if next(words) != "the end":
                    raise Refused("the proof goes on behind its end.")
            except (StopIteration, ValueError) as error:
                raise Refused(f"stretch {number}: the proof breaks off, or is not understood: {error}.") from None
            except Refused as error:
                raise Refused(f"stretch {number}: {error}") from None
        return self.verdict

    def _slab(self, stretch: Stretch, words: Iterator[str], t0: fmpq, t1: fmpq, depth: int) -> None:
        """Check all pairs during [t0, t1]: those that are listed by their trees, all others by boxes."""
        word, middle = next(words), (t0 + t1) / 2
        if depth > DEEPEST or word not in ("/", "."):
            raise Refused(f"expected / or . where a slab begins, at most {DEEPEST} deep; got {word[:20]!r}.")
        if word == "/":
            self._slab(stretch, words, t0, middle, depth + 1)
            self._slab(stretch, words, middle, t1, depth + 1)
            return
        left = dict(self.margins)
        while (word := next(words)) != ";":
            a, b = int(word), int(next(words))
            if left.pop((a, b), None) is None:
                raise Refused(f"there is no pair of shapes {a} and {b} to be asked about, or it is listed twice.")
            self._tree(stretch, words, (a, self.shapes[a][2]), (b, self.shapes[b][2]), t0, t1, depth)
        self._boxes(stretch, left, middle, as_float(t1 - t0) / 2)

    def _tree(self, stretch: Stretch, words: Iterator[str], a: Any, b: Any, t0: fmpq, t1: fmpq, depth: int) -> None:
        """Check one pair of parts during [t0, t1]."""
        word, middle = next(words), (t0 + t1) / 2
        if depth > DEEPEST:
            raise Refused(f"the proof halves more than {DEEPEST} times.")
        if word == "/":
            self._tree(stretch, words, a, b, t0, middle, depth + 1)
            self._tree(stretch, words, a, b, middle, t1, depth + 1)
        elif word == "<":
            for half in a[1].split():
                self._tree(stretch, words, (a[0], half), b, t0, t1, depth + 1)
        elif word == ">":
            for half in b[1].split():
                self._tree(stretch, words, a, (b[0], half), t0, t1, depth + 1)
        else:
            n = np.array([[int(word), int(next(words)), int(next(words))]], dtype=float)
            frame, tau = stretch.frame(a[0], b[0]), as_float(t1 - t0) / 2
            sums = stretch.extent(*a, frame, n, middle, tau) + stretch.extent(*b, frame, -n, middle, tau)
            length = math.sqrt(float((n * n).sum()))
            if not -float(sums.max()) > self.margins[a[0], b[0]] * length * (1.0 + 1e-12):
                raise Refused(
                    f"{self.name(a[0])} and {self.name(b[0])} are not apart along {n[0].astype(int).tolist()} between "
                    f"{as_float(t0):.9g} and {as_float(t1):.9g}."
                )
            self.verdict.directions += 1

    def _boxes(self, stretch: Stretch, pairs: dict[tuple[int, int], float], m: fmpq, tau: float) -> None:
        """Check that pairs are apart along an axis of the world, during all of [m - tau, m + tau]."""
        if not pairs:
            return
        high = np.full((len(self.shapes), 6), math.inf)
        for s in {s for pair in pairs for s in pair}:
            high[s] = stretch.extent(s, self.shapes[s][2], -1, AXES, m, tau).max(axis=1)
        a, b = np.array(list(pairs)).T
        gaps = np.maximum(-high[b, 3:] - high[a, :3], -high[a, 3:] - high[b, :3]).max(axis=1)
        wrong = np.flatnonzero(~(gaps > np.array(list(pairs.values())) * (1.0 + 1e-12)))
        if len(wrong):
            p, q = list(pairs)[wrong[0]]
            raise Refused(
                f"nothing is said about {self.name(p)} and {self.name(q)} around {as_float(m):.9g}, "
                "and the boxes around them overlap."
            )
        self.verdict.boxes += len(pairs)

    def contact(self) -> Verdict:
        """Check that two points of two shapes are within margin + tolerance at the stated moment."""
        said = self.proof["contact"]
        number, time, (a, b) = int(said["stretch"]), float(said["time"]), map(int, said["shapes"])
        if (a, b) not in self.margins or not 0 <= number < len(self.stretches) or not 0.0 <= time <= 1.0:
            raise Refused("the contact is of no pair that was asked about, or at no moment of the motion.")
        stretch = Stretch(self.models, self.shapes, *self.stretches[number])
        ends = []
        for shape, point in zip((a, b), said["points"], strict=True):
            model, link, part, place = self.shapes[shape]
            local = arb_mat([[v] for v in (*_point(part, point), 1)])
            at = stretch.jet(model, link, -1, exact(time))[0] * place * local
            ends.append([at[i, 0] for i in range(3)])
        between, allowed = norm([p - q for p, q in zip(*ends)]), self.margins[a, b] + float(said["tolerance"])
        if not between <= allowed:
            raise Refused(f"the two points are {between:.6g} m apart, more than margin and tolerance, {allowed:.6g} m.")
        return self.verdict


def _point(part: Part, point: list[Any]) -> list[arb]:
    """Return a point of a shape: of a mesh by triangle and weights, of a hull by points and weights, else as it is."""
    numbers = [exact(v) for v in point]
    if part.mesh is not None or not (part.radius or part.ring or part.is_box):
        mesh = part.mesh
        corners = mesh[0][mesh[1][int(point[0])]] if mesh is not None else part.points[[int(i) for i in point[::2]]]
        weights = numbers[1:] if mesh is not None else numbers[1::2]
        if len(weights) != len(corners) or min(weights) < 0 or not any(weights):
            raise Refused("a point of the contact is not between corners of its shape.")
        whole = sum(weights, fmpq(0))
        return [arb(sum((w * exact(c[i]) for w, c in zip(weights, corners)), fmpq(0)) / whole) for i in range(3)]
    x, y, z = numbers
    top = [exact(v) for v in part.points.max(axis=0)]
    beyond = max(abs(z) - top[2], fmpq(0))
    size = exact(part.radius or part.ring)
    if part.is_box:
        inside = abs(x) <= top[0] and abs(y) <= top[1] and beyond == 0
    else:
        inside = x * x + y * y + beyond * beyond <= size * size and (beyond == 0 or not part.ring)
    if not inside:
        raise Refused("a point of the contact is not in its solid.")
    return [arb(v) for v in numbers]


def check(proof: dict[str, Any], files: dict[str, Path]) -> Verdict:
    """Return what a proof proves, or raise `Refused`; `files`: where the URDF of each robot is."""
    try:
        examined = Check(proof, files)
        return examined.free() if proof["claim"] == "free" else examined.contact()
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, ElementTree.ParseError) as error:
        raise Refused(f"proof or file not understood: {type(error).__name__}: {error}.") from None
