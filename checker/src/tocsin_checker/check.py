"""The check itself: every pair of shapes, at every moment of every stretch, is apart; or two points are together.

A leaf of the proof is a direction, two parts and a cell: a slab of time, or a box of joint values. `motion` has the gap
that is left. If that is more than the margin, no two points of the parts come within the margin. The tree above the
leaves halves the cell or a part, so what is true of both halves is true of the whole. Of a matrix, links never touch if
they are apart in all boxes of joint values within the limits; they always do if two points are together in all of them;
sometimes, if they are in a box that holds nothing but a witness.
"""

import functools
import itertools
import re
from bisect import bisect_right
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np

from tocsin_checker.models import Model, read_model
from tocsin_checker.motion import AT_ONCE, MOST_AT_ONCE, NOT_ASKED, UP, Boxes, Cell, Slabs, about, norms, numbered, unit
from tocsin_checker.proof import Refused, need, shown

AXES = {"x": (1, 0, 0), "-x": (-1, 0, 0), "y": (0, 1, 0), "-y": (0, -1, 0), "z": (0, 0, 1), "-z": (0, 0, -1)}
TURN = 3.1416
"""A joint without limits is looked at from minus this, in radians, to this; one with limits that are farther apart
from the lower one on as far: more than a turn."""


def limits(model: Model, entry: int) -> tuple[float, float]:
    """Return from where to where an entry of a configuration goes: its joint's limits, at most more than a turn if
    whatever follows the entry comes around in one; if there are none and not all come around, from nowhere to nowhere,
    so that nothing is proven of it."""
    driven = [link for link in model.links if link.kind in ("revolute", "prismatic") and link.entry == entry]
    around = all(link.kind == "revolute" and float(link.mimic[0]).is_integer() for link in driven)
    low, high = next((k.limits for k in driven if k.limits), (-TURN, TURN) if driven and around else (np.nan, np.nan))
    return low, min(high, low + 2.0 * TURN) if around else high


class Check:
    """One proof under examination: its models, their links in one list, parents by their numbers in it; and shapes,
    (link, part), as the proof numbers them. Written out, it is the verdict."""

    def __init__(self, proof: dict[str, Any]) -> None:
        self.proof, self.claim, self.where = proof, str(proof.get("claim")), ""
        self.pairs, self.directions, self.skipped = 0, 0, Counter()
        """Pairs of shapes that were asked about, directions that were checked, and pairs that were not asked about."""
        self.above, self.common, self.between = map(functools.cache, (self.above, self.common, self.between))

    def __str__(self) -> str:
        left = ", ".join(f"{n} {reason}" for reason, n in sorted(self.skipped.items()) if n) or "none"
        return shown("; ".join((f"{self.claim}; pairs of shapes: {self.pairs}; not asked about: {left}", *self.about)))

    def above(self, link: int) -> list[int]:
        """Return a link and those that carry it, up to the world, which is -1."""
        return [-1] if link < 0 else [link, *self.above(self.links[link].parent)]

    def common(self, i: int, k: int) -> int:
        """Return the lowest link that carries two others. Parents have smaller numbers."""
        return max({*self.above(i)} & {*self.above(k)})

    def between(self, i: int, k: int) -> list[int]:
        """Return the links from two others up to the lowest that carries both."""
        return [x for a, b in ((i, k), (k, i)) for x in self.above(a) if x not in self.above(b)]

    def stretch(self, begin: Fraction, end: Fraction) -> tuple[list[Any], list[Any]]:
        """Return all links with their joints in a stretch, and the entries of all configurations as polynomials of its
        time."""
        links, entries = [], []
        for model in self.models:
            k, at, by = bisect_right(model.knots, begin) - 1, 0, 1
            if k >= 0:  # what stands has no knots, and one piece
                lasts = model.knots[k + 1] - model.knots[k]
                at, by = (begin - model.knots[k]) / lasts, (end - begin) / lasts
            links += [link.during(model.pieces[k], model.off, len(entries)) for link in model.links]
            entries += [about(p, at, by) for p in model.pieces[k]]
        return links, entries

    def read(self, files: dict[str, Any]) -> None:
        """Read the models, the pairs of shapes that are asked about, and the stretches of time."""
        proof, margin = self.proof, float(self.proof["margin"])
        items = [one for model in proof["models"] for k in model["links"] for one in (k, *k.get("shapes", ()))]
        need(len(proof["shapes"]) <= 3_000 >= len(items) / 2, "there are more than 3,000 links or shapes.")
        self.models, self.of, self.links = [], [], []
        for given in proof["models"]:
            self.models.append(model := read_model(given, files, len(self.links)))
            self.of, self.links = self.of + [model] * len(model.links), self.links + model.links
        moving = [model.knots for model in self.models if model.knots] or [[Fraction(0), Fraction(1)]]
        need(len({(k[0], k[-1]) for k in moving}) == 1, "some of the motions begin before or end after others.")
        self.stretches = list(itertools.pairwise(sorted(set().union(*moving))))
        self.names = [f"{m.name}/{k.name}".removesuffix("/") for m, k in zip(self.of, self.links)]
        need(len({*self.names}) == len(self.names), "two links have the same name.")
        own = {(self.names[i], s): (i, part) for i, k in enumerate(self.links) for s, part in enumerate(k.shapes)}
        at = {tuple(said): k for k, said in enumerate(proof["shapes"])}
        each = at.keys() == own.keys() and len(at) == len(proof["shapes"])
        need(each, "the shapes that it numbers are not those of its models, each once.")
        self.shapes = [own[said] for said in at]
        self.at_once = max(1, min([AT_ONCE, *(MOST_AT_ONCE // len(part.points) for _, part in self.shapes)]))
        self.numbers = {name: [at[name, s] for s in range(len(k.shapes))] for name, k in zip(self.names, self.links)}
        self.margins = self._margins(margin, proof["pairs"])
        asked = self.margins[self.margins < NOT_ASKED].tolist()
        self.pairs, ends = len(asked), sorted({min(asked, default=margin), max(asked, default=margin)} - {margin})
        some = "".join(f" ({m:.6g} m for some pairs)" for m in ends)
        self.about = [f"margin {margin:.6g} m{some}", *(f"{m.name}: {m.about}" for m in self.models)]
        """The margin, the models and where their shapes are from, what touches what."""
        read = {m["name"] for m in proof["models"] if any("files" in item for item in m["links"])}
        self.about += [f"{name}: THE FILE THAT WAS GIVEN OF IT IS NOT READ" for name in sorted({*files} - read)]

    def pair(self, a: int, b: int) -> str:
        """Return the names of two shapes' links."""
        return f"{self.names[self.shapes[a][0]]} and {self.names[self.shapes[b][0]]}"

    def pairs_of(self, *names: str) -> list[tuple[int, int]]:
        """Return the pairs of shapes of two links, the smaller number first."""
        return sorted((min(pair), max(pair)) for pair in itertools.product(*(self.numbers[k] for k in names)))

    def _margins(self, margin: float, pairs: list[Any]) -> np.ndarray:
        """Return the margin of every pair of shapes a < b that has to be apart, NOT_ASKED where none has to; of some
        pairs of links the proof says another one, or why they are not asked about."""
        link, asked = np.array([(i, self.of[i].asked) for i, _ in self.shapes], dtype=int).reshape(-1, 2).T
        out = np.where(np.triu((asked[:, None] | asked) & (link[:, None] != link)), margin, NOT_ASKED)
        self.skipped["standing"] = int(np.triu((asked[:, None] | asked) < (link[:, None] != link)).sum())
        above = [next((k for k in self.above(i)[1:-1] if self.links[k].shapes), -1) for i in range(len(self.links))]
        need(all(isinstance(m, str) or 0.0 <= m < 1e9 for *_, m in (*pairs, (margin,))), "a margin is below zero.")
        need(len({frozenset(entry[:2]) for entry in pairs}) == len(pairs), "a pair of links is spoken of twice.")
        for a, b, said in pairs:
            for pair in (pair for pair in self.pairs_of(a, b) if out[pair] < NOT_ASKED):
                i, k = (self.shapes[s][0] for s in pair)
                skips = said == "ignored" or (said == "adjacent" and (above[i] == k or above[k] == i))
                need(skips or not isinstance(said, str), f"{a} and {b} are neither 'ignored' nor 'adjacent' links.")
                out[pair] = NOT_ASKED if skips else said
                self.skipped.update([said] if skips else [])
        return out

    def leaves(self, text: Any, whole: Cell, pairs: Any, both: Any = None) -> Any:
        """Return the leaves of a proof that pairs of shapes, (all a, all b), are apart in a cell; no word and no pair
        is read before the leaf that it is of. `both`: what is halved with the cell, two shapes and their parts, and the
        text is the words that are left; or nothing, and cells are the leaves."""
        words, waiting = text if both else map(re.Match.group, re.finditer(r"\S+", text)), [(whole, both)]
        while waiting:
            (cell, of), word = waiting.pop(), next(words)
            if word[0] == "/":
                k = int(word[1:] or 0)
                low, high = cell[k] if 0 <= k < len(cell) else (0.0, 0.0)
                middle = 0.5 * (low + high)
                need(low < middle < high, f"the proof halves entry {k} of a cell that cannot be halved there.")
                waiting += [((*cell[:k], half, *cell[k + 1 :]), of) for half in ((middle, high), (low, middle))]
            elif of is None:
                need(word == ".", f"expected / or . where a cell begins; got {word[:20]!r}.")
                for a, b in zip(*pairs):
                    yield from self.leaves(words, cell, (), ((a, *self.shapes[a]), (b, *self.shapes[b])))
            elif word == "=" and not of:
                yield cell
            elif word in ("<", ">", "(", ")"):
                shape, link, part = of[side := "<>()".index(word) % 2]
                joint, halved = self.links[link], word in ("<", ">")
                above, parts = (link, part.halves) if halved else (joint.parent, [part.around(joint)])
                waiting += [(cell, (*of[:side], (shape, above, one), *of[side + 1 :])) for one in parts[::-1]]
            elif word in AXES:
                yield cell, *of, AXES[word], -1
            else:
                ends = of[0][1], of[1][1]
                frame = self.between(*ends)[int(next(words))] if word == "@" else self.common(*ends)
                yield cell, *of, (int(next(words) if word == "@" else word), int(next(words)), int(next(words))), frame
        need(bool(both) or next(words, None) is None, "the proof goes on behind its end.")

    def apart(self, text: str, pairs: Any, whole: Cell, cells_of: Any) -> None:
        """Check that pairs of shapes are apart everywhere in a cell, as a text proves: the parts of each of its leaves
        are along its direction, the one ahead of the other."""
        leaves = self.leaves(text, whole, pairs)
        while chunk := list(itertools.islice(leaves, self.at_once)):
            of, first, second, n, frames = zip(*chunk)
            (cells, at), n, count = numbered(of), unit(n), len(chunk)
            shapes, ends, parts = zip(*first, *second)
            looked_at = {i for key in {*zip(ends, 2 * frames)} for i in self.between(*key)}
            high = cells_of(looked_at, cells).high(ends, parts, 2 * frames, 2 * at, np.concatenate((n, -n)))
            margins = self.margins[shapes[:count], shapes[count:]]
            for k in np.flatnonzero(~(-(high[:count] + high[count:]).max(axis=1) > margins * UP)):
                where = ", ".join(f"{low:.9g} to {high:.9g}" for low, high in of[k])
                raise Refused(f"{self.pair(shapes[k], shapes[count + k])} are not apart along {n[k]} from {where}.")
            self.directions += count

    def together(self, cells: Slabs, contacts: list[Any], tolerance: float) -> str:
        """Check that two points are within margin + tolerance everywhere in a cell, of each contact in its own; return
        the last one in words."""
        for k, said in enumerate(contacts):
            a, b = map(int, said["shapes"])
            need(0 <= a < b < len(self.shapes) and self.margins[a, b] < NOT_ASKED, "they were not asked about.")
            links, parts = zip(self.shapes[a], self.shapes[b])
            points = [part.point(*point) for part, point in zip(parts, said["points"], strict=True)]
            places, goes, off = cells.stays(links, self.common(*links), k, points, parts)
            far = (norms(places[0] - places[1]) + goes.sum()) * UP
            allowed = self.margins[a, b] + tolerance + off.sum()
            need(far <= allowed < 1e9, f"two points are {far:.6g} m apart, not within {allowed:.6g} m.")
            within = f"{self.pair(a, b)} within {allowed:.3g} m"
        return within

    def free(self) -> None:
        """Check that nothing comes within the margin."""
        need(len(self.proof["free"]) == len(self.stretches), f"of {len(self.stretches)} stretches not each is proven.")
        pairs = np.nonzero(self.margins < NOT_ASKED)
        for number, (text, ends) in enumerate(zip(self.proof["free"], self.stretches)):
            self.where = f"stretch {number}: "
            self.apart(text, pairs, ((0.0, 1.0),), functools.partial(Slabs, self, *self.stretch(*ends)))

    def contact(self) -> None:
        """Check that two points of two shapes are within margin + tolerance at the stated moment."""
        said = self.proof["contact"]
        number, time = int(said["stretch"]), float(said["time"])
        need(0 <= number < len(self.stretches) and 0.0 <= time <= 1.0, "the contact is at no moment of the motion.")
        cells = Slabs(self, *self.stretch(*self.stretches[number]), range(len(self.links)), [((time, time),)])
        self.about.append(f"{self.together(cells, [said], float(said['tolerance']))} in stretch {number} at {time:.6g}")

    def matrix(self) -> None:
        """Check what is said of the links of one robot at all joint values within their limits."""
        (model,), told, listed = self.models, Counter(), self.proof["links"]
        need(not model.knots and not any(model.off), "a matrix is of a robot that stands.")
        need(len({frozenset(said["links"]) for said in listed}) == len(listed), "a pair of links is spoken of twice.")
        whole = tuple(limits(model, entry) for entry in range(len(model.off)))
        boxes = functools.partial(Boxes, self, *self.stretch(*self.stretches[0]))
        for said in listed:
            (a, b), verdict = said["links"], said["verdict"]
            self.where, wanted = f"{a} and {b}: ", self.pairs_of(a, b)
            need({self.margins[k] < NOT_ASKED for k in wanted} == {True}, "links without shapes, or not asked about.")
            between = self.between(*(self.shapes[s][0] for s in wanted[0]))
            need(all(self.links[i].kind != "ball" for i in between), "a joint between them does not turn or slide.")
            if verdict == "never":
                self.apart(said["tree"], [*zip(*wanted)], whole, boxes)
            else:
                cells, contacts, tolerance = self.cells(said, whole), said["contacts"], float(said["tolerance"])
                own = len(cells) == len(contacts) and all(tuple(map(int, one["shapes"])) in wanted for one in contacts)
                need(own, "not every box has two points of these links.")
                for some in (slice(k, k + AT_ONCE) for k in range(0, len(cells), AT_ONCE)):
                    self.together(boxes(between, cells[some]), contacts[some], tolerance)
                verdict += f" (within margin and {tolerance:.6g} m)"
            told[verdict] += 1
        self.about.append(", ".join(f"{n} pairs of links {verdict}" for verdict, n in sorted(told.items())))

    def cells(self, said: dict[str, Any], whole: Cell) -> list[Cell]:
        """Return the boxes in which two links are said to touch: those of a tree, or a witness."""
        if said["verdict"] == "always":
            return list(self.leaves(said["tree"], whole, (), ()))
        need(said["verdict"] == "sometimes", "links are 'never', 'sometimes' or 'always' in contact.")
        witness = [float(v) for v in said["witness"]]
        outside = any(v < low or v > high or v - v for v, (low, high) in zip(witness, whole))
        need(len(witness) == len(whole) and not outside, "the witness is no configuration within the limits.")
        return [tuple((v, v) for v in witness)]


def check(proof: dict[str, Any], files: dict[str, Any]) -> Check:
    """Return what a proof proves, or raise `Refused`; `files`: where the URDF of each robot is, or a `Robot`."""
    examined = Check(proof)
    try:
        with np.errstate(all="ignore"):
            examined.read(files)
            {"free": Check.free, "contact": Check.contact, "matrix": Check.matrix}[proof["claim"]](examined)
    except Exception as error:
        strange = "" if isinstance(error, Refused) else f"proof or file not understood: {type(error).__name__}: "
        raise Refused(f"{examined.where}{strange}{error}" + "." * bool(strange)) from None
    return examined
