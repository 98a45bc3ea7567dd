"""The check itself: every pair of shapes, at every moment of every stretch, is apart; or two points are together.

A leaf of the proof is a direction, two parts and a slab of time, or a box of joint values: `cells` has the gap that is
left. If that is more than the margin, no two points of the parts come within the margin. The tree above the leaves
halves the time, the box or a part, so what is true of both halves is true of the whole.
"""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from flint import arb_mat, fmpq

from tocsin_checker.cells import Scene, Slab, Stretch
from tocsin_checker.kinematics import UP, exact, norm, rounded
from tocsin_checker.models import read_model
from tocsin_checker.proof import Refused, need, shown

DEEPEST, MOST_SHAPES = 200, 3_000
TOO_DEEP = f"the proof halves more than {DEEPEST} times."
"""Halvings from the whole to a leaf; shapes that a proof may be about."""
AXES = np.concatenate((np.eye(3), -np.eye(3)))
Margins = dict[tuple[int, int], float]


@dataclass
class Verdict:
    """What was checked, and the pairs of shapes that were not asked about, by reason."""

    claim: str
    pairs: int = 0
    directions: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    about: list[str] = field(default_factory=list)
    """The margin, the models and where their shapes are from, what touches what."""

    def __str__(self) -> str:
        not_asked = ", ".join(f"{n} {reason}" for reason, n in sorted(self.skipped.items())) or "none"
        head = f"{self.claim}; pairs of shapes: {self.pairs}; not asked about: {not_asked}"
        return shown("; ".join([head, *self.about]))


class Check(Scene):
    """One proof under examination."""

    def __init__(self, proof: dict[str, Any], files: dict[str, Path]) -> None:
        self.proof, self.verdict = proof, Verdict(proof["claim"])
        super().__init__([read_model(given, files) for given in proof["models"]], [])
        moving = [model.knots for model in self.models if model.knots] or [[fmpq(0), fmpq(1)]]
        together = len({(str(knots[0]), str(knots[-1])) for knots in moving}) == 1
        need(together, "some of the motions begin before or end after others.")
        need(any(m.asked for m in self.models), "the proof asks about nothing.")
        self.stretches = list(itertools.pairwise(sorted(set().union(*moving))))
        listed = [
            ((m.name if len(m.links) == 1 else f"{m.name}/{link.name}", s), (k, i, part, place, rounded([place])[0][0]))
            for k, m in enumerate(self.models)
            for i, link in enumerate(m.links)
            for s, (part, place) in enumerate(link.shapes)
        ]
        self.names = [(str(name), int(number)) for name, number in proof["shapes"]]
        same = sorted(self.names) == sorted(name for name, _ in listed) and len(dict(listed)) == len(listed)
        need(same, "the shapes that the proof numbers are not those of its models, each once.")
        need(len(listed) <= MOST_SHAPES, f"the proof is about more than {MOST_SHAPES:,} shapes.")
        self.shapes = [dict(listed)[name] for name in self.names]
        self.margins = dict(self._margins())
        self.verdict.pairs, least = len(self.margins), min([proof["margin"], *self.margins.values()])
        own = f" ({least:.6g} m for some pairs)" if least < proof["margin"] else ""
        off = [" in a tube of what it may be off" if any(m.off) else "" for m in self.models]
        models = [f"{m.name}: {m.about}{tube}" for m, tube in zip(self.models, off)]
        self.verdict.about = [f"margin {proof['margin']:.6g} m{own}", *models]

    def name(self, shape: int) -> str:
        """Return the name of a shape's link."""
        return self.names[shape][0]

    def _margins(self) -> Iterator[tuple[tuple[int, int], float]]:
        """Return the margin of every pair of shapes that has to be apart."""
        skipped = {frozenset(map(str, entry[:2])): entry[2] for entry in self.proof["skipped"]}
        margins = {frozenset(map(str, entry[:2])): float(entry[2]) for entry in self.proof["margins"]}
        lengths = all(0.0 <= m < 1e9 for m in [self.proof["margin"], *margins.values()])
        need(lengths, "a margin is a length, and not negative.")
        known = {"adjacent", "ignored"} >= set(skipped.values()) and len(margins) == len(self.proof["margins"])
        need(known, "pairs are skipped because they are 'adjacent' or 'ignored', and have one margin each.")
        for a, b in itertools.combinations(range(len(self.shapes)), 2):
            (ka, i, *_), (kb, k, *_) = self.shapes[a], self.shapes[b]
            if (ka, i) == (kb, k) or not (self.models[ka].asked or self.models[kb].asked):
                continue
            pair = frozenset((self.name(a), self.name(b)))
            reason = skipped.get(pair)
            if reason is None:
                yield (a, b), margins.get(pair, self.proof["margin"])
            else:
                joined = reason == "ignored" or (ka == kb and self._adjacent(ka, i, k))
                need(joined, f"{' and '.join(sorted(pair))} are skipped as adjacent, but no joint joins them.")
                self.verdict.skipped[reason] += 1

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

    def free(self) -> None:
        """Check that nothing comes within the margin."""
        given, wanted = len(self.proof["free"]), len(self.stretches)
        need(given == wanted, f"the motion has {wanted} stretches; {given} are proven.")
        for number, (said, ends) in enumerate(zip(self.proof["free"], self.stretches)):
            stretch = Stretch(self, *ends)
            margins = {pair: self._grown(stretch, pair) for pair in self.margins}
            with Words(said, f"stretch {number}") as words:
                self._slab(words, Slab(stretch, fmpq(0), fmpq(1)), margins, 0)

    def _grown(self, stretch: Stretch, pair: tuple[int, int]) -> float:
        """Return the margin of a pair, and how far the two can be off their motions."""
        if not any(any(self.models[self.shapes[s][0]].off) for s in pair):
            return self.margins[pair]
        return (self.margins[pair] + sum(stretch.off(s, stretch.frame(*pair)) for s in pair)) * UP

    def _slab(self, words: Iterator[str], slab: Slab, margins: Margins, depth: int) -> None:
        """Check all pairs during a slab: those that are listed by their trees, all others by boxes."""
        word = next(words)
        need(word in ("/", "."), f"expected / or . where a slab begins; got {word[:20]!r}.")
        need(depth <= DEEPEST, TOO_DEEP)
        if word == "/":
            for half in slab.halves(words):
                self._slab(words, half, margins, depth + 1)
            return
        left = dict(margins)
        while (word := next(words)) != ";":
            a, b = int(word), int(next(words))
            need((a, b) in left, f"there is no pair of shapes {a} and {b} to be asked about, or it is listed twice.")
            self.tree(words, slab, (a, self.shapes[a][2]), (b, self.shapes[b][2]), left.pop((a, b)), depth)
        self._boxes(slab, left)

    def tree(self, words: Iterator[str], cell: Any, a: Any, b: Any, margin: float, depth: int) -> None:
        """Check one pair of parts, each with the number of its shape, during a slab or in a box."""
        word = next(words)
        need(depth <= DEEPEST, TOO_DEEP)
        if word == "/":
            for half in cell.halves(words):
                self.tree(words, half, a, b, margin, depth + 1)
        elif word in ("<", ">"):
            for half in (a if word == "<" else b)[1].split():
                ends = ((a[0], half), b) if word == "<" else (a, (b[0], half))
                self.tree(words, cell, *ends, margin, depth + 1)
        else:
            n = np.array([[int(word), int(next(words)), int(next(words))]], dtype=float)
            frame = self.frame(a[0], b[0])
            gap = -float((cell.high(*a, frame, n) + cell.high(*b, frame, -n)).max())
            if not gap > margin * math.sqrt(float((n * n).sum())) * UP:
                pair = f"{self.name(a[0])} and {self.name(b[0])}"
                raise Refused(f"{pair} are not apart along {n[0].astype(int).tolist()} {cell}.")
            self.verdict.directions += 1

    def _boxes(self, slab: Slab, pairs: Margins) -> None:
        """Check that pairs are apart along an axis of the world, during all of a slab."""
        if not pairs:
            return
        high = np.full((len(self.shapes), 6), math.inf)
        for s in {s for pair in pairs for s in pair}:
            high[s] = slab.high(s, self.shapes[s][2], -1, AXES).max(axis=1)
        a, b = np.array(list(pairs)).T
        gaps = np.maximum(-high[b, 3:] - high[a, :3], -high[a, 3:] - high[b, :3]).max(axis=1)
        wrong = np.flatnonzero(~(gaps > np.array(list(pairs.values())) * UP))
        if len(wrong):
            p, q = list(pairs)[wrong[0]]
            pair = f"{self.name(p)} and {self.name(q)}"
            raise Refused(f"nothing is said about {pair} {slab}, and the boxes around them overlap.")

    def contact(self) -> None:
        """Check that two points of two shapes are within margin + tolerance at the stated moment."""
        said = self.proof["contact"]
        number = int(said["stretch"])
        within = 0 <= number < len(self.stretches) and 0.0 <= said["time"] <= 1.0
        need(within, "the contact is at no moment of the motion.")
        self.together(Stretch(self, *self.stretches[number]), said, f"in stretch {number}")

    def together(self, stretch: Stretch, said: dict[str, Any], where: str) -> None:
        """Check that two points of two shapes are within margin + tolerance at a moment of a stretch."""
        a, b = map(int, said["shapes"])
        need((a, b) in self.margins, "the contact is of no pair that was asked about.")
        ends = []
        for shape, point in zip((a, b), said["points"], strict=True):
            model, link, part, place, _ = self.shapes[shape]
            local = arb_mat([[v] for v in (*part.point(point), 1)])
            at = stretch.jet(model, link, -1, exact(said["time"]))[0] * place * local
            ends.append([at[i, 0] for i in range(3)])
        between, allowed = norm([p - q for p, q in zip(*ends)]), self._grown(stretch, (a, b)) + float(said["tolerance"])
        far = f"the two points are {between:.6g} m apart, more than margin and tolerance, {allowed:.6g} m."
        need(between <= allowed < 1e9, far)
        pair = f"{self.name(a)} and {self.name(b)}"
        self.verdict.about.append(f"{pair} within {allowed:.3g} m {where} at {said['time']:.6g}")


class Words:
    """The words of a text, one after the other, of which none may be left; what goes wrong is said with its place."""

    def __init__(self, text: str, where: str) -> None:
        self.words, self.where = iter([*text.split(), "the end"]), where

    def __enter__(self) -> Iterator[str]:
        return self.words

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None and next(self.words) != "the end":
            raise Refused(f"{self.where}: the proof goes on behind its end.")
        if kind is Refused:
            raise Refused(f"{self.where}: {error}") from None
        if kind in (StopIteration, ValueError):
            raise Refused(f"{self.where}: the proof breaks off, or is not understood: {error}.") from None


def check(proof: dict[str, Any], files: dict[str, Path]) -> Verdict:
    """Return what a proof proves, or raise `Refused`; `files`: where the URDF of each robot is."""
    from tocsin_checker.matrix import matrix

    try:
        examined = Check(proof, files)
        {"free": examined.free, "contact": examined.contact, "matrix": lambda: matrix(examined)}[proof["claim"]]()
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, ElementTree.ParseError) as error:
        raise Refused(f"proof or file not understood: {type(error).__name__}: {error}.") from None
    return examined.verdict
