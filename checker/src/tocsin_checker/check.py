"""The check itself: every pair of shapes, at every moment of every stretch, is apart; or two points are together.

A leaf of the proof is a direction, two parts and a slab of time, or a box of joint values: `cells` has the gap that is
left. If that is more than the margin, no two points of the parts come within the margin. The tree above the leaves
halves the time, the box or a part, so what is true of both halves is true of the whole.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tocsin_checker.cells import Cells, Scene, Slabs
from tocsin_checker.kinematics import UP, Joint, Moment
from tocsin_checker.models import read_model
from tocsin_checker.proof import Refused, need, shown
from tocsin_checker.shapes import Part

DEEPEST, SHORTEST, MOST_SHAPES, AT_ONCE = 200, 50, 3_000, 2_000
"""Halvings from the whole to a leaf; halvings of a stretch; shapes of a proof; leaves that are checked together."""
TOO_DEEP = f"the proof halves more than {DEEPEST} times, or the time more than {SHORTEST} times."
AXES = np.concatenate((np.eye(3), -np.eye(3)))
NOT_ASKED = math.inf


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


class Leaf(NamedTuple):
    """A direction from a part of shape a to a part of shape b, in a slab or a box."""

    cell: Any
    a: int
    part_a: Part
    b: int
    part_b: Part
    n: list[int]


def halves(moment: Moment) -> list[Moment]:
    """Return the halves of a slab: it is all within 2^-d of i / 2^d."""
    i, d = moment
    need(d <= SHORTEST, TOO_DEEP)
    return [(2 * i - 1, d + 1), (2 * i + 1, d + 1)]


def between(moment: Moment) -> str:
    """Return a slab in words."""
    return f"between {(moment[0] - 1) / 2.0 ** moment[1]:.9g} and {(moment[0] + 1) / 2.0 ** moment[1]:.9g}"


class Check(Scene):
    """One proof under examination."""

    def __init__(self, proof: dict[str, Any], files: dict[str, Any]) -> None:
        self.proof, self.verdict = proof, Verdict(proof["claim"])
        super().__init__([read_model(given, files) for given in proof["models"]], [])
        moving = [model.knots for model in self.models if model.knots] or [[Fraction(0), Fraction(1)]]
        need(len({(k[0], k[-1]) for k in moving}) == 1, "some of the motions begin before or end after others.")
        need(any(m.asked for m in self.models), "the proof asks about nothing.")
        self.stretches = list(itertools.pairwise(sorted(set().union(*moving))))
        listed = [
            ((m.name if len(m.links) == 1 else f"{m.name}/{link.name}", s), (k, i, part, place))
            for k, m in enumerate(self.models)
            for i, link in enumerate(m.links)
            for s, (part, place) in enumerate(link.shapes)
        ]
        self.names, own = [(str(name), int(number)) for name, number in proof["shapes"]], dict(listed)
        same = sorted(self.names) == sorted(name for name, _ in listed) and len(own) == len(listed)
        need(same, "the shapes that the proof numbers are not those of its models, each once.")
        need(len(listed) <= MOST_SHAPES, f"the proof is about more than {MOST_SHAPES:,} shapes.")
        self.shapes = [own[name] for name in self.names]
        self.margins = self._margins()
        asked = self.margins[self.margins < NOT_ASKED]
        self.verdict.pairs, least = len(asked), min([proof["margin"], *asked.tolist()])
        own_margins = f" ({least:.6g} m for some pairs)" if least < proof["margin"] else ""
        off = [" in a tube of what it may be off" if any(m.off) else "" for m in self.models]
        models = [f"{m.name}: {m.about}{tube}" for m, tube in zip(self.models, off)]
        self.verdict.about = [f"margin {proof['margin']:.6g} m{own_margins}", *models]

    def pair(self, a: int, b: int) -> str:
        """Return the names of two shapes' links."""
        return f"{self.names[a][0]} and {self.names[b][0]}"

    def _margins(self) -> np.ndarray:
        """Return the margin of every pair of shapes a < b that has to be apart, NOT_ASKED where none has to."""
        given, skipped, margins = self.proof["margin"], self.proof["skipped"], self.proof["margins"]
        lengths = all(0.0 <= m < 1e9 for m in [given, *(m for _, _, m in margins)])
        need(lengths, "a margin is a length, and not negative.")
        names = list(dict.fromkeys(name for name, _ in self.names))
        number, first = {name: k for k, name in enumerate(names)}, {}
        link = np.array([number[name] for name, _ in self.names], dtype=int)
        for shape, k in enumerate(link.tolist()):
            first.setdefault(k, shape)
        asked = np.array([self.models[self.shapes[first[k]][0]].asked for k in range(len(names))], dtype=bool)
        out = np.where(asked[:, None] | asked, float(given), NOT_ASKED)
        np.fill_diagonal(out, NOT_ASKED)
        for entries, other in ((margins, False), (skipped, True)):
            once = len({frozenset(entry[:2]) for entry in entries}) == len(entries)
            need(once, "a pair has two margins, or is skipped twice.")
            for a, b, said in entries:
                if a not in number or b not in number or out[number[a], number[b]] == NOT_ASKED:
                    continue
                i, k = number[a], number[b]
                need(not other or said in ("adjacent", "ignored"), "pairs are skipped as 'adjacent' or 'ignored'.")
                joined = said != "adjacent" or self._adjacent(first[i], first[k])
                need(joined, f"{a} and {b} are skipped as adjacent, but no joint joins them.")
                out[i, k] = out[k, i] = NOT_ASKED if other else said
                if other:
                    self.verdict.skipped[said] += int((link == i).sum() * (link == k).sum())
        return np.where(np.triu(np.ones((len(link), len(link))), 1) > 0, out[link][:, link], NOT_ASKED)

    def _adjacent(self, a: int, b: int) -> bool:
        """Are the links of two shapes joined, by one joint or by several with nothing but frames between?"""
        (ka, i, *_), (kb, k, *_) = self.shapes[a], self.shapes[b]
        links = self.models[ka].links
        for child, other in ((i, k), (k, i)) if ka == kb else ():
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
            joints = [model.joints(*ends) for model in self.models]
            margins, boxes = self._grown(joints), []
            with words_of(said, f"stretch {number}") as words:
                self.apart(self._slabs(words, boxes), functools.partial(Slabs, self, joints), margins, between)
                self._boxes(Slabs(self, joints, [moment for moment, _ in boxes]), boxes, margins)

    def _grown(self, joints: list[list[Joint]]) -> np.ndarray:
        """Return the margins, and how far the shapes can be off their motions in a stretch."""
        out, whole = self.margins.copy(), Slabs(self, joints, [(1, 1)])
        for a, b in np.argwhere(out < NOT_ASKED).tolist() if any(any(m.off) for m in self.models) else ():
            out[a, b] = (out[a, b] + sum(whole.off(s, self.frame(a, b)) for s in (a, b))) * UP
        return out

    def _slabs(self, words: Iterator[str], boxes: list[tuple[Moment, set[Any]]]) -> Iterator[Leaf]:
        """Return the leaves of all slabs, in their order; the pairs that a slab lists are left in `boxes`."""
        waiting = [(1, 1)]
        while waiting:
            moment, word = waiting.pop(), next(words)
            need(word in ("/", "."), f"expected / or . where a slab begins; got {word[:20]!r}.")
            if word == "/":
                waiting += halves(moment)[::-1]
                continue
            boxes.append((moment, set()))
            while (word := next(words)) != ";":
                pair = int(word), int(next(words))
                asked = 0 <= pair[0] < pair[1] < len(self.shapes) and self.margins[pair] < NOT_ASKED
                new = asked and pair not in boxes[-1][1]
                need(new, f"no pair of shapes {pair} is asked about, or it is listed twice.")
                boxes[-1][1].add(pair)
                yield from self.tree(words, moment, *pair, lambda moment, _: halves(moment))

    def tree(self, words: Iterator[str], cell: Any, a: int, b: int, halved: Any) -> Iterator[Leaf]:
        """Return the leaves of the proof of a pair of shapes in a cell; `halved(cell, words)` halves one."""
        waiting = [(cell, self.shapes[a][2], self.shapes[b][2], 0)]
        while waiting:
            cell, part_a, part_b, depth = waiting.pop()
            word = next(words)
            need(depth <= DEEPEST, TOO_DEEP)
            if word == "/":
                waiting += [(half, part_a, part_b, depth + 1) for half in halved(cell, words)[::-1]]
            elif word == "<":
                waiting += [(cell, half, part_b, depth + 1) for half in part_a.split()[::-1]]
            elif word == ">":
                waiting += [(cell, part_a, half, depth + 1) for half in part_b.split()[::-1]]
            else:
                yield Leaf(cell, a, part_a, b, part_b, [int(word), int(next(words)), int(next(words))])

    def apart(self, leaves: Iterator[Leaf], cells_of: Any, margins: np.ndarray, in_words: Any) -> None:
        """Check that the parts of each leaf are apart along its direction, everywhere in its cell."""
        while chunk := list(itertools.islice(leaves, AT_ONCE)):
            cells = {leaf.cell: None for leaf in chunk}
            numbers, same = {cell: k for k, cell in enumerate(cells)}, {}
            for leaf in chunk:
                same.setdefault((leaf.a, leaf.b), []).append(leaf)
            cells = cells_of(list(cells))
            for (a, b), own in same.items():
                n, at = np.array([leaf.n for leaf in own], dtype=float), np.array([numbers[leaf.cell] for leaf in own])
                high = cells.high(a, [leaf.part_a for leaf in own], self.frame(a, b), at, n)
                gaps = -(high + cells.high(b, [leaf.part_b for leaf in own], self.frame(a, b), at, -n)).max(axis=1)
                wrong = np.flatnonzero(~(gaps > margins[a, b] * np.sqrt((n * n).sum(axis=1)) * UP))
                if len(wrong):
                    leaf = own[wrong[0]]
                    raise Refused(f"{self.pair(a, b)} are not apart along {leaf.n} {in_words(leaf.cell)}.")
            self.verdict.directions += len(chunk)

    def _boxes(self, slabs: Cells, boxes: list[tuple[Moment, set[Any]]], margins: np.ndarray) -> None:
        """Check that the pairs of which a slab lists nothing are apart along an axis of the world, all through it."""
        at, n = np.repeat(np.arange(len(boxes)), 6), np.tile(AXES, (len(boxes), 1))
        high = np.full((len(self.shapes), len(boxes), 6), math.inf)
        for s in np.flatnonzero(((margins < NOT_ASKED) | (margins < NOT_ASKED).T).any(axis=0)).tolist():
            high[s] = slabs.high(s, [self.shapes[s][2]] * len(at), -1, at, n).max(axis=1).reshape(-1, 6)
        for k, (moment, listed) in enumerate(boxes):
            up, down = high[:, k, :3], high[:, k, 3:]
            gaps = np.maximum(-down[None] - up[:, None], -down[:, None] - up[None]).max(axis=2)
            wrong = (margins < NOT_ASKED) & ~(gaps > margins * UP)
            for a, b in np.argwhere(wrong).tolist():
                said = f"nothing is said about {self.pair(a, b)} {between(moment)}, and the boxes around them overlap."
                need((a, b) in listed, said)

    def contact(self) -> None:
        """Check that two points of two shapes are within margin + tolerance at the stated moment."""
        said = self.proof["contact"]
        number = int(said["stretch"])
        need(0 <= number < len(self.stretches), "the contact is at no moment of the motion.")
        joints = [model.joints(*self.stretches[number]) for model in self.models]
        self.together(joints, said, f"in stretch {number}")

    def together(self, joints: list[list[Joint]], said: dict[str, Any], where: str) -> None:
        """Check that two points of two shapes are within margin + tolerance at a moment of a stretch."""
        (a, b), time = map(int, said["shapes"]), float(said["time"])
        need(0.0 <= time <= 1.0, "the contact is at no moment of the motion.")
        asked = 0 <= a < b < len(self.shapes) and self.margins[a, b] < NOT_ASKED
        need(asked, "the contact is of no pair that was asked about.")
        ends, rounded, (i, whole) = [], 0.0, time.as_integer_ratio()
        moment = Slabs(self, joints, [(i, whole.bit_length() - 1)], np.zeros(1))
        for shape, point in zip((a, b), said["points"], strict=True):
            model, link, part, place = self.shapes[shape]
            ends.append((moment.placed(model, link, -1)[0][0, 0] @ place @ [*part.point(point), 1.0])[:3])
            rounded += float(moment.allowed(shape, -1, part.reach(place), part.size, [0])[1][0])
        between = math.sqrt(float(((ends[0] - ends[1]) ** 2).sum())) * UP + rounded
        allowed = float(self._grown(joints)[a, b]) + float(said["tolerance"])
        far = f"the two points are {between:.6g} m apart, more than margin and tolerance, {allowed:.6g} m."
        need(between <= allowed < 1e9, far)
        self.verdict.about.append(f"{self.pair(a, b)} within {allowed:.3g} m {where} at {time:.6g}")


@contextlib.contextmanager
def words_of(text: str, where: str) -> Iterator[Iterator[str]]:
    """Give the words of a text, of which none may be left in the end; what goes wrong is said with its place."""
    words = iter(text.split())
    try:
        yield words
        need(next(words, None) is None, "the proof goes on behind its end.")
    except Refused as error:
        raise Refused(f"{where}: {error}") from None
    except (StopIteration, RuntimeError, ValueError, OverflowError) as error:
        raise Refused(f"{where}: the proof breaks off, or is not understood: {error}.") from None


def check(proof: dict[str, Any], files: dict[str, Any]) -> Verdict:
    """Return what a proof proves, or raise `Refused`; `files`: where the URDF of each robot is, or a `Robot`."""
    from tocsin_checker.matrix import matrix

    try:
        with np.errstate(all="ignore"):
            examined = Check(proof, files)
            {"free": examined.free, "contact": examined.contact, "matrix": lambda: matrix(examined)}[proof["claim"]]()
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, ElementTree.ParseError) as error:
        raise Refused(f"proof or file not understood: {type(error).__name__}: {error}.") from None
    return examined.verdict
