"""The check itself: every pair of shapes, at every moment of every stretch, is apart; or two points are together.

A leaf of the proof is a direction, two parts and a slab of time, or a box of joint values: `motion` has the gap that is
left. If that is more than the margin, no two points of the parts come within the margin. The tree above the leaves
halves the time, the box or a part, so what is true of both halves is true of the whole.
"""

import functools
import itertools
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from tocsin_checker.models import Model, read_model
from tocsin_checker.motion import UP, Cells, Joint, Slab, Slabs, norms, unit
from tocsin_checker.proof import Refused, need, shown
from tocsin_checker.shapes import Part

SHORTEST, MOST_SHAPES, AT_ONCE, LARGEST = 2.0**-51, 3_000, 500, 20_000
"""The shortest slab; shapes of a proof; leaves that are checked together; links times slabs that are."""
AXES = np.concatenate((np.eye(3), -np.eye(3)))
NOT_ASKED = np.inf
NOT_UNDERSTOOD = LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError, StopIteration


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


class Scene:
    """Models: their links in one list, parents by their numbers in it, and shapes, (link, part), as a proof numbers
    them."""

    def __init__(self, models: list[Model], shapes: list[tuple[int, Part]]) -> None:
        self.models, self.shapes, self.links, self.parent, self.of = models, shapes, [], [], []
        for model in models:
            first = len(self.links)
            self.links += model.links
            self.parent += [link.parent + first if link.parent >= 0 else -1 for link in model.links]
            self.of += [model] * len(model.links)

    def common(self, i: int, k: int) -> int:
        """Return the lowest link that carries two others, -1 for the world. Parents have smaller numbers."""
        while i != k:
            i, k = (self.parent[i], k) if i > k else (i, self.parent[k])
        return i

    def frame(self, a: int, b: int) -> int:
        """Return the lowest link that carries both shapes."""
        return self.common(self.shapes[a][0], self.shapes[b][0])

    def chain(self, link: int, frame: int) -> list[int]:
        """Return the links from one up to a frame above it."""
        found = []
        while link != frame:
            found.append(link)
            link = self.parent[link]
        return found

    def stretch(self, begin: Fraction, end: Fraction) -> tuple[list[Joint], list[Any]]:
        """Return the joints of all links in a stretch, and the entries of all configurations."""
        joints, entries, first = [], [], 0
        for model in self.models:
            own, *moves = model.during(begin, end, first)
            joints, entries, first = joints + own, [*entries, moves], first + len(moves[0])
        return joints, entries

    def between(self, a: int, b: int) -> list[int]:
        """Return the links whose joints move one of two shapes against the other."""
        return [i for s in (a, b) for i in self.chain(self.shapes[s][0], self.frame(a, b))]


def halves(slab: Slab, _: Any) -> list[Slab]:
    """Return the halves of a slab."""
    middle, tau = slab[0], 0.5 * slab[1]
    need(tau >= SHORTEST, "the proof halves the time more than 50 times.")
    return [(middle - tau, tau), (middle + tau, tau)]


def between(slab: Slab) -> str:
    """Return a slab in words."""
    return f"between {slab[0] - slab[1]:.9g} and {slab[0] + slab[1]:.9g}"


class Check(Scene):
    """One proof under examination."""

    def __init__(self, proof: dict[str, Any]) -> None:
        self.proof, self.verdict, self.where = proof, Verdict(str(proof.get("claim"))), ""

    def read(self, files: dict[str, Any]) -> None:
        """Read the models, the pairs of shapes that are asked about, and the stretches of time."""
        proof = self.proof
        super().__init__([read_model(given, files) for given in proof["models"]], [])
        moving = [model.knots for model in self.models if model.knots] or [[Fraction(0), Fraction(1)]]
        need(len({(k[0], k[-1]) for k in moving}) == 1, "some of the motions begin before or end after others.")
        self.stretches = list(itertools.pairwise(sorted(set().union(*moving))))
        self.names = [m.name if len(m.links) == 1 else f"{m.name}/{k.name}" for m, k in zip(self.of, self.links)]
        listed = [((self.names[i], s), (i, part)) for i, k in enumerate(self.links) for s, part in enumerate(k.shapes)]
        numbered, own = [(str(name), int(number)) for name, number in proof["shapes"]], dict(listed)
        same = sorted(numbered) == sorted(name for name, _ in listed) and len(own) == len(listed)
        need(same, "the shapes that the proof numbers are not those of its models, each once.")
        need(len(listed) <= MOST_SHAPES, f"the proof is about more than {MOST_SHAPES:,} shapes.")
        self.shapes = [own[name] for name in numbered]
        self.margins = self._margins(proof["margin"], proof["margins"], proof["skipped"])
        asked = self.margins[self.margins < NOT_ASKED]
        need(any(m.asked for m in self.models), "the proof asks about nothing.")
        self.verdict.pairs, least = len(asked), min([proof["margin"], *asked.tolist()])
        own_margins = f" ({least:.6g} m for some pairs)" if least < proof["margin"] else ""
        tubes = [" in a tube of what it may be off" if any(m.off) else "" for m in self.models]
        models = [f"{m.name}: {m.about}{tube}" for m, tube in zip(self.models, tubes)]
        self.verdict.about = [f"margin {proof['margin']:.6g} m{own_margins}", *models]

    def pair(self, a: int, b: int) -> str:
        """Return the names of two shapes' links."""
        return f"{self.names[self.shapes[a][0]]} and {self.names[self.shapes[b][0]]}"

    def _margins(self, given: float, margins: list[Any], skipped: list[Any]) -> np.ndarray:
        """Return the margin of every pair of shapes a < b that has to be apart, NOT_ASKED where none has to."""
        need(all(0.0 <= m < 1e9 for m in [given, *(m for _, _, m in margins)]), "a margin is a length, not negative.")
        link, of = np.array([i for i, _ in self.shapes]), {}
        asked, order = np.array([self.of[i].asked for i in link]), np.arange(len(link))
        wanted = (asked[:, None] | asked) & (link[:, None] != link) & (order[:, None] < order)
        out = np.where(wanted, float(given), NOT_ASKED)
        for shape, i in enumerate(link):
            of.setdefault(self.names[i], []).append(shape)
        for entries, skips in ((margins, False), (skipped, True)):
            once = len({frozenset(entry[:2]) for entry in entries}) == len(entries)
            need(once, "a pair has two margins, or is skipped twice.")
            for a, b, said in entries:
                both = [(min(pair), max(pair)) for pair in itertools.product(of.get(a, ()), of.get(b, ()))]
                for pair in (pair for pair in both if out[pair] < NOT_ASKED):
                    fits = not skips or said == "ignored" or (said == "adjacent" and self._adjacent(*link[[*pair]]))
                    need(fits, f"{a} and {b} are skipped, but not as 'ignored', nor 'adjacent' with a joint between.")
                    out[pair] = NOT_ASKED if skips else said
                    self.verdict.skipped.update([said] if skips else [])
        return out

    def _adjacent(self, *links: int) -> bool:
        """Is one of two links the next one with shapes above the other?"""
        above = [next((k for k in self.chain(i, -1)[1:] if self.links[k].shapes), -1) for i in links]
        return links[0] == above[1] or links[1] == above[0]

    def free(self) -> None:
        """Check that nothing comes within the margin."""
        given, wanted = len(self.proof["free"]), len(self.stretches)
        need(given == wanted, f"the motion has {wanted} stretches; {given} are proven.")
        for number, (said, ends) in enumerate(zip(self.proof["free"], self.stretches)):
            self.where, (words, listed) = f"stretch {number}: ", (iter(said.split()), {})
            slabs = functools.partial(Slabs, self, *self.stretch(*ends))
            self.apart(self._slabs(words, listed), slabs, between)
            need(next(words, None) is None, "the proof goes on behind its end.")
            self._boxes(slabs, listed)

    def _slabs(self, words: Iterator[str], listed: dict[Slab, set[Any]]) -> Iterator[Any]:
        """Return the leaves of all slabs, in their order; the pairs that a slab lists are left in `listed`."""
        waiting = [(0.5, 0.5)]
        while waiting:
            slab, word = waiting.pop(), next(words)
            if word == "/":
                waiting += halves(slab, words)[::-1]
                continue
            need(word == ".", f"expected / or . where a slab begins; got {word[:20]!r}.")
            listed[slab] = set()
            while (word := next(words)) != ";":
                pair = int(word), int(next(words))
                listed[slab].add(pair)
                yield from self.tree(words, slab, *pair, halves)

    def tree(self, words: Iterator[str], cell: Any, a: int, b: int, halved: Any) -> Iterator[Any]:
        """Return the leaves of the proof of a pair of shapes in a cell; `halved(cell, words)` halves one."""
        waiting = [(cell, self.shapes[a][1], self.shapes[b][1])]
        while waiting:
            (cell, part_a, part_b), word, frame = waiting.pop(), next(words), self.frame(a, b)
            if word == "/":
                waiting += [(half, part_a, part_b) for half in halved(cell, words)[::-1]]
            elif word == "<":
                waiting += [(cell, half, part_b) for half in part_a.halves[::-1]]
            elif word == ">":
                waiting += [(cell, part_a, half) for half in part_b.halves[::-1]]
            else:
                if word == "@":
                    need(halved is not halves, "directions of a motion are in the frame of the pair.")
                    frame, word = self.between(a, b)[int(next(words))], next(words)
                yield cell, a, part_a, b, part_b, unit([int(word), int(next(words)), int(next(words))]), frame

    def apart(self, leaves: Iterator[Any], cells_of: Any, in_words: Any) -> None:
        """Check that the parts of each leaf are apart along its direction, everywhere in its cell."""
        while chunk := list(itertools.islice(leaves, AT_ONCE)):
            numbers, sides = {cell: k for k, cell in enumerate(dict.fromkeys(leaf[0] for leaf in chunk))}, {}
            for k, (cell, a, part_a, b, part_b, n, frame) in enumerate(chunk):
                for shape, part, along in ((a, part_a, n), (b, part_b, -n)):
                    sides.setdefault((shape, frame), []).append((k, part, numbers[cell], along))
            pairs = np.array([leaf[1:4:2] for leaf in chunk])
            links = {i for a, b in {*map(tuple, pairs.tolist())} for i in self.between(a, b)}
            cells, high = cells_of(links, list(numbers)), np.zeros((len(chunk), 3))
            for (shape, frame), own in sides.items():
                k, parts, at, along = zip(*own)
                high[[*k]] += cells.high(shape, parts, frame, [*at], np.array(along))
            for k in np.flatnonzero(~(-high.max(axis=1) > self.margins[*pairs.T] * UP)):
                cell, a, _, b, _, n, _ = chunk[k]
                raise Refused(f"{self.pair(a, b)} are not apart along {n.tolist()} {in_words(cell)}.")
            self.verdict.directions += len(chunk)

    def _boxes(self, slabs_of: Any, listed: dict[Slab, set[Any]]) -> None:
        """Check that the pairs of which a slab lists nothing are apart along an axis of the world, all through it."""
        asked = self.margins < NOT_ASKED
        shapes, slabs = np.flatnonzero(asked.any(axis=0) | asked.any(axis=1)).tolist(), iter(listed.items())
        links = {i for s in shapes for i in self.chain(self.shapes[s][0], -1)}
        while chunk := list(itertools.islice(slabs, 1 + LARGEST // (1 + len(links)))):
            cells, high = slabs_of(links, [slab for slab, _ in chunk]), np.full((len(asked), len(chunk), 6), np.inf)
            at, n = np.repeat(np.arange(len(chunk)), 6), np.tile(AXES, (len(chunk), 1))
            for s in shapes:
                high[s] = cells.high(s, [self.shapes[s][1]] * len(at), -1, at, n).max(axis=1).reshape(-1, 6)
            for k, (slab, told) in enumerate(chunk):
                up, down = high[:, k, :3], high[:, k, 3:]
                gaps = np.maximum(-down[None] - up[:, None], -down[:, None] - up[None]).max(axis=2)
                for a, b in np.argwhere(asked & ~(gaps > self.margins * UP)).tolist():
                    silent = f"nothing is said about {self.pair(a, b)} {between(slab)}"
                    need((a, b) in told, f"{silent}, and the boxes around them overlap.")

    def contact(self) -> None:
        """Check that two points of two shapes are within margin + tolerance at the stated moment."""
        said = self.proof["contact"]
        number, time = int(said["stretch"]), float(said["time"])
        need(0 <= number < len(self.stretches) and 0.0 <= time <= 1.0, "the contact is at no moment of the motion.")
        cells = Slabs(self, *self.stretch(*self.stretches[number]), range(len(self.links)), [(time, 0.0)])
        within = self.together(cells, [said], float(said["tolerance"]))
        self.verdict.about.append(f"{within} in stretch {number} at {time:.6g}")

    def together(self, cells: Cells, contacts: list[Any], tolerance: float) -> str:
        """Check that two points are within margin + tolerance everywhere in a cell, of each contact in its own; return
        the last one in words."""
        within = ""
        for k, said in enumerate(contacts):
            (a, b), ends, far = map(int, said["shapes"]), [], 0.0
            asked = 0 <= a < b < len(self.shapes) and self.margins[a, b] < NOT_ASKED
            need(asked, "the contact is of no pair that was asked about.")
            allowed, frame = float(self.margins[a, b]) + tolerance, self.frame(a, b)
            for shape, point in zip((a, b), said["points"], strict=True):
                link, part = self.shapes[shape]
                at, goes = cells.stays(link, frame, [k], part.point(point)[None], part.sizes[1])
                allowed += float(cells.off(link, frame, k, part.sizes[0]))
                ends, far = [*ends, at], far + float(goes[0])
            far += float(norms(ends[0] - ends[1])[0])
            near = f"the two points are {far:.6g} m apart, more than margin and tolerance, {allowed:.6g} m."
            need(far * UP <= allowed < 1e9, near)
            within = f"{self.pair(a, b)} within {allowed:.3g} m"
        return within


def check(proof: dict[str, Any], files: dict[str, Any]) -> Verdict:
    """Return what a proof proves, or raise `Refused`; `files`: where the URDF of each robot is, or a `Robot`."""
    from tocsin_checker.matrix import matrix

    examined = Check(proof)
    try:
        with np.errstate(all="ignore"):
            examined.read(files)
            {"free": Check.free, "contact": Check.contact, "matrix": matrix}[proof["claim"]](examined)
    except Refused as error:
        raise Refused(f"{examined.where}{error}") from None
    except (*NOT_UNDERSTOOD, ElementTree.ParseError) as error:
        raise Refused(f"{examined.where}proof or file not understood: {type(error).__name__}: {error}.") from None
    return examined.verdict
