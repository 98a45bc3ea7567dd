"""The check itself: every pair of shapes, at every moment of every stretch, is apart; or two points are together.

A leaf of the proof is a direction, two parts and a cell: a slab of time, or a box of joint values. `motion` has the gap
that is left. If that is more than the margin, no two points of the parts come within the margin. The tree above the
leaves halves the cell or a part, so what is true of both halves is true of the whole.
"""

import functools
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from tocsin_checker.models import Model, read_model
from tocsin_checker.motion import UP, Cell, Cells, Joint, Slabs, norms, unit
from tocsin_checker.proof import Refused, need, shown
from tocsin_checker.shapes import Part

MOST_SHAPES, AT_ONCE = 3_000, 500
"""Shapes of a proof; leaves that are checked together."""
AXES = {sign + name: -v if sign else v for name, v in zip("xyz", np.eye(3)) for sign in ("", "-")}
NOT_ASKED = np.inf


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
        return [] if link == frame else [link, *self.chain(self.parent[link], frame)]

    def between(self, i: int, k: int) -> list[int]:
        """Return the links from two others up to the lowest that carries both."""
        return [*self.chain(i, self.common(i, k)), *self.chain(k, self.common(i, k))]

    def stretch(self, begin: Fraction, end: Fraction) -> tuple[list[Joint], list[Any]]:
        """Return the joints of all links in a stretch, and the entries of all configurations."""
        joints, entries, first = [], [], 0
        for model in self.models:
            own, *moves = model.during(begin, end, first)
            joints, entries, first = joints + own, [*entries, moves], first + len(moves[0])
        return joints, entries


def halves(cell: Cell, k: int) -> list[Cell]:
    """Return the halves of a cell along one of its entries."""
    need(0 <= k < len(cell), "the proof halves along an entry that there is not.")
    low, high = cell[k]
    middle = 0.5 * (low + high)
    need(low < middle < high, "the proof halves a time or a box that cannot be halved.")
    return [(*cell[:k], half, *cell[k + 1 :]) for half in ((low, middle), (middle, high))]


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
        self.names = [f"{m.name}/{k.name}".removesuffix("/") for m, k in zip(self.of, self.links)]
        listed = [((self.names[i], s), (i, part)) for i, k in enumerate(self.links) for s, part in enumerate(k.shapes)]
        numbered, own = [(str(name), int(number)) for name, number in proof["shapes"]], dict(listed)
        same = sorted(numbered) == sorted(name for name, _ in listed) and len(own) == len(listed)
        need(same, "the shapes that the proof numbers are not those of its models, each once.")
        need(len(listed) <= MOST_SHAPES, f"the proof is about more than {MOST_SHAPES:,} shapes.")
        self.shapes = [own[name] for name in numbered]
        need(any(m.asked for m in self.models), "the proof asks about nothing.")
        self.margins = self._margins(float(proof["margin"]), proof["pairs"])
        asked = self.margins[self.margins < NOT_ASKED]
        self.verdict.pairs, least = len(asked), min([proof["margin"], *asked.tolist()])
        some = f" ({least:.6g} m for some pairs)" if least < proof["margin"] else ""
        models = [f"{m.name}: {m.about}" for m in self.models]
        self.verdict.about = [f"margin {proof['margin']:.6g} m{some}", *models]

    def pair(self, a: int, b: int) -> str:
        """Return the names of two shapes' links."""
        return f"{self.names[self.shapes[a][0]]} and {self.names[self.shapes[b][0]]}"

    def _margins(self, margin: float, pairs: list[Any]) -> np.ndarray:
        """Return the margin of every pair of shapes a < b that has to be apart, NOT_ASKED where none has to; of some
        pairs of links the proof says another one, or why they are not asked about."""
        link, of = np.array([i for i, _ in self.shapes], dtype=int), {}
        asked, order = np.array([self.of[i].asked for i in link], dtype=bool), np.arange(len(link))
        wanted = (asked[:, None] | asked) & (link[:, None] != link) & (order[:, None] < order)
        out = np.where(wanted, margin, NOT_ASKED)
        for shape, i in enumerate(link):
            of.setdefault(self.names[i], []).append(shape)
        lengths = [margin, *(said for _, _, said in pairs if not isinstance(said, str))]
        need(all(0.0 <= m < 1e9 for m in lengths), "a margin is a length, not negative.")
        once = len({frozenset(entry[:2]) for entry in pairs}) == len(pairs)
        need(once, "something is said twice of a pair of links.")
        for a, b, said in pairs:
            both = [(min(pair), max(pair)) for pair in itertools.product(of.get(a, ()), of.get(b, ()))]
            for pair in (pair for pair in both if out[pair] < NOT_ASKED):
                skips = isinstance(said, str)
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
        pairs = np.argwhere(self.margins < NOT_ASKED)
        for number, (text, ends) in enumerate(zip(self.proof["free"], self.stretches)):
            self.where = f"stretch {number}: "
            self.apart(text, pairs, ((0.0, 1.0),), functools.partial(Slabs, self, *self.stretch(*ends)))

    def leaves(self, words: Iterator[str], whole: Cell, pairs: Any) -> Iterator[Any]:
        """Return the leaves of a proof that pairs of shapes are apart in a cell; of no pairs, the cells themselves."""
        waiting = [whole]
        while waiting:
            cell, word = waiting.pop(), next(words)
            if word[0] == "/":
                waiting += halves(cell, int(word[1:] or 0))[::-1]
                continue
            need(word == ("=" if pairs is None else "."), f"expected / or . where a cell begins; got {word[:20]!r}.")
            if pairs is None:
                yield cell
            for a, b in pairs if pairs is not None else ():
                yield from self._tree(words, cell, int(a), int(b))

    def _tree(self, words: Iterator[str], whole: Cell, a: int, b: int) -> Iterator[Any]:
        """Return the leaves of the proof of a pair of shapes in a cell."""
        waiting = [(whole, self.shapes[a][1], self.shapes[b][1])]
        while waiting:
            (cell, part_a, part_b), word = waiting.pop(), next(words)
            if word[0] == "/":
                waiting += [(half, part_a, part_b) for half in halves(cell, int(word[1:] or 0))[::-1]]
            elif word == "<":
                waiting += [(cell, half, part_b) for half in part_a.halves[::-1]]
            elif word == ">":
                waiting += [(cell, part_a, half) for half in part_b.halves[::-1]]
            elif word in AXES:
                yield cell, a, part_a, b, part_b, AXES[word], -1
            else:
                frame = self.frame(a, b)
                if word == "@":
                    frame, word = self.between(self.shapes[a][0], self.shapes[b][0])[int(next(words))], next(words)
                yield cell, a, part_a, b, part_b, unit([int(word), int(next(words)), int(next(words))]), frame

    def apart(self, text: str, pairs: Any, whole: Cell, cells_of: Any) -> None:
        """Check that pairs of shapes are apart everywhere in a cell, as a text proves: the parts of each of its leaves
        are along its direction."""
        words = iter(text.split())
        leaves = self.leaves(words, whole, pairs)
        while chunk := list(itertools.islice(leaves, AT_ONCE)):
            numbers, sides = {cell: k for k, cell in enumerate(dict.fromkeys(leaf[0] for leaf in chunk))}, {}
            for k, (cell, a, part_a, b, part_b, n, frame) in enumerate(chunk):
                for shape, part, along in ((a, part_a, n), (b, part_b, -n)):
                    sides.setdefault((shape, frame), []).append((k, part, numbers[cell], along))
            ends = np.array([leaf[1:4:2] for leaf in chunk])
            links = {i for shape, frame in sides for i in self.between(self.shapes[shape][0], frame)}
            cells, high = cells_of(links, list(numbers)), np.zeros((len(chunk), 3))
            for (shape, frame), own in sides.items():
                k, parts, at, along = zip(*own)
                high[[*k]] += cells.high(shape, parts, frame, [*at], np.array(along))
            for k in np.flatnonzero(~(-high.max(axis=1) > self.margins[*ends.T] * UP)):
                cell, a, _, b, _, n, _ = chunk[k]
                of = [f" of entry {e}" if len(cell) > 1 else "" for e in range(len(cell))]
                where = [f"between {low:.9g} and {high:.9g}{e}" for (low, high), e in zip(cell, of) if low < high]
                raise Refused(f"{self.pair(a, b)} are not apart along {n.tolist()} {', '.join(where)}.")
            self.verdict.directions += len(chunk)
        need(next(words, None) is None, "the proof goes on behind its end.")

    def contact(self) -> None:
        """Check that two points of two shapes are within margin + tolerance at the stated moment."""
        said = self.proof["contact"]
        number, time = int(said["stretch"]), float(said["time"])
        need(0 <= number < len(self.stretches) and 0.0 <= time <= 1.0, "the contact is at no moment of the motion.")
        cells = Slabs(self, *self.stretch(*self.stretches[number]), range(len(self.links)), [((time, time),)])
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
                at, goes = cells.stays(link, frame, [k], part.point(*point)[None], part.sizes[1])
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
    except Exception as error:
        raise Refused(f"{examined.where}proof or file not understood: {type(error).__name__}: {error}.") from None
    return examined.verdict
