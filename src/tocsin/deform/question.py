"""A question about a scene with deformable models: which pairs there are, stretch by stretch, and what comes first.

Deformable models meet themselves, each other, and the shapes of bodies and robots. Times between two changes of
velocity are one stretch; within it vertices go straight, and links follow their true motion (`slabs`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from tocsin.deform.advance import CONTACT
from tocsin.deform.narrow import ANY, COUNTS, EDGE_FACE, EVERY, FIRST, HIT, INSIDE
from tocsin.deform.partners import Partner, Path, partner_of, paths_of
from tocsin.deform.ranking import in_order
from tocsin.deform.run import UNLIMITED, Budget, Found, Pair, find
from tocsin.deform.sides import Side
from tocsin.deform.slabs import Mixed, Slabs, every_contact, first_contact
from tocsin.deform.soft import Soft, widen
from tocsin.deform.starting import Parts, inside_at_start, is_confirmed, parts_of
from tocsin.deform.topology import Elements
from tocsin.geometry.primitives import Cylinder
from tocsin.geometry.shape import Shape
from tocsin.model.base import Model, Motion
from tocsin.model.deformable import Deformable, Deforming
from tocsin.options import RELATIVE_TOLERANCE

INTERPOLATED = 8.0 * 2.0**-53
"""Relative error of positions between two frames."""


class Actor(NamedTuple):
    """One side of a pair: a deformable model, or one shape of a link."""

    model: int
    link: int
    """Of all links of the scene."""
    shape: int = -1
    """Of the link's shapes; -1 for a deformable model."""


class Pairing(NamedTuple):
    """Two actors that are checked against each other; the first is deformable."""

    a: Actor
    b: Actor
    margin: float
    tolerance: float


@dataclass(eq=False)
class Question:
    """What is asked of a scene's deformable models."""

    models: Sequence[Model]
    motions: dict[int, Motion]
    """How models move, by their place; those not named stand. None at all asks about everything that stands."""
    rules: dict[tuple[int, int], float]
    """Margins of single pairs of links; -inf where they are ignored."""
    margin: float
    tolerance: float | None
    threads: int | None
    max_steps: int = UNLIMITED
    """For each of `first` and `every`."""
    counts: np.ndarray = field(default_factory=lambda: np.zeros(COUNTS, np.int64))

    def __post_init__(self) -> None:
        """Find out who moves, and which pairs there are."""
        first = self._first = [0, *accumulate(len(m.links) for m in self.models)]
        asked = [not self.motions or k in self.motions for k in range(len(self.models))]
        softs = [(k, m) for k, m in enumerate(self.models) if isinstance(m, Deformable) and not soft_of(m).is_empty]
        self.pairings: list[Pairing] = []
        self._tolerance: dict[Actor, float] = {}
        for k, soft in softs:
            a = Actor(k, first[k])
            if soft.self_contact and asked[k]:
                self._add(a, a)
            for o, other in enumerate(self.models):
                if o == k or not (asked[k] or asked[o]):
                    continue
                if isinstance(other, Deformable):
                    if o > k and not soft_of(other).is_empty:
                        self._add(a, Actor(o, first[o]))
                    continue
                for i, shapes in enumerate(other.shapes):
                    for s, shape in enumerate(shapes):
                        if not shape.is_empty:
                            self._add(a, Actor(o, first[o] + i, s))

    def _add(self, a: Actor, b: Actor) -> None:
        margin = self.rules.get((min(a.link, b.link), max(a.link, b.link)), self.margin)
        if margin < 0.0:
            return
        tolerance = self.tolerance
        if tolerance is None:
            sizes = [m.mean_edge for m in (self.models[a.model], self.models[b.model]) if isinstance(m, Deformable)]
            if b.shape >= 0:
                sizes.append(self._shape(b).diagonal)
            # A single point has no size: then the other side's counts, and where none has one, that of a metre.
            tolerance = RELATIVE_TOLERANCE * min([size for size in sizes if size > 0.0], default=1.0)
        if b.shape >= 0:
            self._tolerance[b] = min(tolerance, self._tolerance.get(b, math.inf))
        self.pairings.append(Pairing(a, b, margin, tolerance))

    def _shape(self, actor: Actor) -> Shape:
        return self.models[actor.model].shapes[self.link_of(actor)][actor.shape]

    def _partner(self, actor: Actor) -> Partner:
        return partner_of(self._shape(actor), self._tolerance[actor])

    def stretches(self) -> Iterator[tuple[float, float]]:
        """Yield the times between changes of velocity."""
        counts = {max(m.pieces, 1) for m in self.motions.values()} | {1}
        breaks = sorted({k / n for n in counts for k in range(n + 1)})
        yield from pairwise(breaks)

    # ---- where things are ------------------------------------------------------------------------------------------

    def _frames(
        self, k: int, begin: float, end: float, rows: list[int] | None = None
    ) -> tuple[Callable[[float], np.ndarray], bool]:
        """Return where vertices of model k, all or some, are in a stretch, and whether its ends are frames as given."""
        model: Any = self.models[k]
        motion = self.motions.get(k)
        if not isinstance(motion, Deforming) or motion.pieces == 0:
            still = model.vertices if not isinstance(motion, Deforming) else motion.frames[0]
            still = still if rows is None else still[rows]
            return (lambda t: still), True
        n = motion.pieces
        piece = min(int(0.5 * (begin + end) * n), n - 1)
        p, q = motion.frames[piece], motion.frames[piece + 1]
        if rows is not None:
            p, q = p[rows], q[rows]

        def at(t: float) -> np.ndarray:
            if t == piece / n:
                return p
            if t == (piece + 1) / n:
                return q
            x = min(max(t * n - piece, 0.0), 1.0)
            return (1.0 - x) * p + x * q

        return at, begin == piece / n and end == (piece + 1) / n

    def _path(self, actor: Actor, begin: float, end: float) -> Path:
        """Return how a link moves during a stretch."""
        model = self.models[actor.model]
        link = self.link_of(actor)
        motion = self.motions.get(actor.model)
        rows = model.stand.reshape(1, -1) if motion is None else motion.rows
        n = len(rows) - 1
        if n == 0:
            return paths_of(model.links, rows[0], rows[0], 0.0, 1.0)[link]
        k = min(int(0.5 * (begin + end) * n), n - 1)
        return paths_of(model.links, rows[k], rows[k + 1], k / n, (k + 1) / n)[link]

    def link_of(self, actor: Actor) -> int:
        """Return which of its model's links an actor is."""
        return actor.link - self._first[actor.model]

    def elements(self, actor: Actor) -> Elements:
        """Return an actor's elements in the order given: edges and faces by number."""
        model = self.models[actor.model]
        return (soft_of(model) if isinstance(model, Deformable) else self._partner(actor).soft).given

    def positions(self, actor: Actor, t: float, which: Sequence[int]) -> np.ndarray:
        """Return where some of an actor's vertices are at a time."""
        begin, end = next((b, e) for b, e in self.stretches() if t <= e)
        rows = list(which)
        if isinstance(self.models[actor.model], Deformable):
            return self._frames(actor.model, begin, end, rows)[0](t)
        partner = self._partner(actor)
        return self._path(actor, begin, end).place(partner._replace(points=partner.points[rows]), t)

    def radius(self, actor: Actor) -> float:
        """Return how far an actor's surface is from its elements; metres."""
        return 0.0 if actor.shape < 0 else self._shape(actor).radius

    def blur(self, actor: Actor) -> float:
        """Return how far the triangles that stand for an actor may be off its surface; metres."""
        exact = actor.shape < 0 or not isinstance(self._shape(actor).source, Cylinder)
        return 0.0 if exact else self._partner(actor).blur

    def is_mesh(self, actor: Actor) -> bool:
        """Are an actor's vertices those that the user gave?"""
        return actor.shape < 0 or self._shape(actor).is_mesh

    # ---- asking ----------------------------------------------------------------------------------------------------

    def first(self, limit: float = math.inf, *, anything: bool = False) -> tuple[int, float, int, np.ndarray]:
        """Return (status, time, pairing, hit) of the first contact up to `limit`, or of any; status 0 if free."""
        self._budget = Budget(self.max_steps)
        for begin, end in self.stretches():
            if begin > limit:
                break
            found = self._stretch(begin, end, ANY if anything else FIRST, limit)
            if len(found.hits) and float(found.hits[0]["time"]) <= limit:
                hit = found.hits[0]
                return int(hit["status"]), float(hit["time"]), int(found.pair[0]), hit
        return 0, math.inf, -1, np.zeros(1, HIT)[0]

    def every(self, limit: float = 1.0) -> Found:
        """Return every feature pair that touches up to `limit`, with its first time; `pair` is the pairing."""
        self._budget = Budget(self.max_steps)
        parts = []
        complete = True
        for begin, end in self.stretches():
            if begin > limit:
                break
            found = self._stretch(begin, end, EVERY, limit)
            complete = complete and found.complete
            if limit < end:
                keep = np.flatnonzero(found.hits["time"] <= limit)
                found = found._replace(hits=found.hits.take(keep), pair=found.pair[keep])
            parts.append((found.hits, found.pair))
        if len(parts) == 1:
            return Found(parts[0][0], parts[0][1], self.counts, complete)  # in order already
        hits = np.concatenate([p[0] for p in parts])
        pair = np.concatenate([p[1] for p in parts])
        order = np.lexsort((hits["time"], hits["b"], hits["a"], hits["kind"], pair))
        hits, pair = hits.take(order), pair[order]
        if len(hits):  # a pair may touch in several stretches: the first counts
            key = np.stack([pair, hits["kind"], hits["a"], hits["b"]], axis=1)
            new = np.concatenate([[True], (key[1:] != key[:-1]).any(axis=1)])
            hits, pair = hits[new], pair[new]
        order = in_order(hits, pair)
        return Found(hits.take(order), pair[order], self.counts, complete)

    def _stretch(self, begin: float, end: float, question: int, limit: float) -> Found:
        """Ask about one stretch up to `limit`; times that come back are those of the whole motion."""
        locks = {soft_of(m).lock for m in self.models if isinstance(m, Deformable)}
        for lock in sorted(locks, key=id):
            lock.acquire()
        try:
            return self._locked(begin, end, question, limit)
        finally:
            for lock in locks:
                lock.release()

    def _locked(self, begin: float, end: float, question: int, limit: float) -> Found:
        origin = self._origin(begin, end)
        best: list[tuple[np.ndarray, np.ndarray]] = []
        sides: dict[int, tuple[Side, float]] = {}
        softs = [p for p, pairing in enumerate(self.pairings) if pairing.b.shape < 0]
        pairs = []
        for p in softs:
            pairing = self.pairings[p]
            for k in (pairing.a.model, pairing.b.model):
                if k not in sides:
                    sides[k] = self._side(k, begin, end, origin)
            (a, off_a), (b, off_b) = sides[pairing.a.model], sides[pairing.b.model]
            overlaps = self._overlaps(pairing, begin)
            pairs.append(Pair(a, b, a is b, pairing.margin + off_a + off_b, pairing.tolerance, overlaps))
        complete = True
        if pairs:
            found = find(pairs, question, threads=self.threads, budget=self._budget)
            self.counts += found.counts
            complete = found.complete
            if question == EVERY:
                found = self._confirmed(found, softs)
            if len(found.hits):
                hits = found.hits
                if (begin, end) != (0.0, 1.0):
                    hits["time"] = np.maximum(begin, (begin + hits["time"] * (end - begin)) * (1.0 - 2.0**-51))
                best.append((hits, np.array(softs)[found.pair]))
                if question == ANY and hits[0]["status"] == CONTACT:
                    return Found(hits, best[0][1], found.counts)
                limit = min(limit, float(hits[0]["time"])) if question != EVERY else limit
        for p, pairing in enumerate(self.pairings):
            if pairing.b.shape < 0:
                continue
            found = self._against(p, begin, end, origin, question, limit)
            self.counts += found.counts
            complete = complete and found.complete
            if len(found.hits):
                best.append((found.hits, np.full(len(found.hits), p)))
                if question != EVERY:
                    limit = min(limit, float(found.hits[0]["time"]))
        if not best:
            return Found(np.zeros(0, HIT), np.zeros(0, np.int64), self.counts, complete)
        if len(best) == 1:
            return Found(best[0][0], best[0][1], self.counts, complete)  # in order already
        hits = np.concatenate([b[0] for b in best])
        pair = np.concatenate([b[1] for b in best])
        order = in_order(hits, pair)
        return Found(hits.take(order), pair[order], self.counts, complete)

    def _confirmed(self, found: Found, pairings: Sequence[int] | np.ndarray) -> Found:
        """Return a list without edges that may go through faces where their own features touch (`is_confirmed`)."""
        keep = np.ones(len(found.hits), np.bool_)
        unclear = (found.hits["kind"] >= EDGE_FACE) & (found.hits["status"] != CONTACT)
        for k in np.unique(found.pair[unclear]).tolist():
            rows = np.flatnonzero(found.pair == k)
            a, b = (self.elements(actor) for actor in self.pairings[pairings[k]][:2])
            keep[rows] = is_confirmed(
                found.hits[rows], a, b, self.pairings[pairings[k]].a == self.pairings[pairings[k]].b
            )
        return found if keep.all() else found._replace(hits=found.hits[keep], pair=found.pair[keep])

    def _side(self, k: int, begin: float, end: float, origin: np.ndarray) -> tuple[Side, float]:
        """Return deformable model k as kernels see it during a stretch, and how far it may be off; metres."""
        model: Any = self.models[k]
        at, exact = self._frames(k, begin, end)
        side = soft_of(model).fit(at(begin), at(end), origin)
        return side, 0.0 if exact else INTERPOLATED * (side.reach + float(np.abs(origin).max()))

    def _against(self, p: int, begin: float, end: float, origin: np.ndarray, question: int, limit: float) -> Found:
        """Ask about a deformable model and one shape of a link."""
        pairing = self.pairings[p]
        soft: Any = self.models[pairing.a.model]
        partner = self._partner(pairing.b)
        path = self._path(pairing.b, begin, end)
        at, _ = self._frames(pairing.a.model, begin, end)
        ends = at(begin), at(end)
        # Twice: for the ends, where they are between frames, and for what is between the ends.
        noise = 2.0 * INTERPOLATED * max(float(np.abs(x).max()) for x in ends)
        overlaps = self._overlaps(pairing, begin)
        mixed = Mixed(
            soft_of(soft), ends, begin, end, partner, path, origin, pairing.margin, pairing.tolerance, overlaps, noise
        )
        slabs = Slabs(mixed, self._budget, self.threads)
        with partner.soft.lock:
            if question == EVERY:
                found = self._confirmed(every_contact(slabs, limit), [p])
            else:
                found = first_contact(slabs, limit)
        if not overlaps or (question != EVERY and len(found.hits) and found.hits[0]["time"] == 0.0):
            return found
        inside = inside_at_start(whole_of(soft), partner, path.place(partner, 0.0), ends[0], found.hits)
        if not len(inside):
            return found
        hits = np.zeros(len(inside), HIT)
        hits["kind"], hits["a"], hits["b"], hits["status"] = INSIDE, inside, -1, CONTACT
        hits = np.concatenate([hits, found.hits]) if question == EVERY else hits[:1]
        pair = np.zeros(len(hits), np.int64)
        return found._replace(hits=hits[in_order(hits, pair)], pair=pair)

    def _overlaps(self, pairing: Pairing, begin: float) -> bool:
        """Is a surface that goes through the other at the start of this stretch a contact?"""
        both = (self.models[pairing.a.model], self.models[pairing.b.model])
        return begin == 0.0 and not any(isinstance(m, Deformable) and m.ignore_overlaps for m in both)

    def _origin(self, begin: float, end: float) -> np.ndarray:
        """Return a point in the middle of the deformable models, from which single precision measures."""
        box = np.array([[np.inf] * 3, [-np.inf] * 3])
        for k, model in enumerate(self.models):
            if isinstance(model, Deformable):
                at, _ = self._frames(k, begin, end)
                widen(box, at(begin))
        return 0.5 * (box[0] + box[1]) if box[0, 0] <= box[1, 0] else np.zeros(3)


def soft_of(model: Deformable) -> Soft:
    """Return what is kept of a deformable model between questions."""
    found = model.kept.get("soft")
    if found is None:
        found = model.kept["soft"] = Soft(
            len(model.vertices), model.faces, model.loose_edges, model.loose_points, model.same.copy()
        )
    return found


def whole_of(model: Deformable) -> Parts:
    """Return the connected parts of a model none of whose elements touches anything."""
    found = model.kept.get("parts")
    if found is None:
        found = model.kept["parts"] = parts_of(soft_of(model).given, None)
    return found
