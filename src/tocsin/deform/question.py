"""A question about a scene with deformable models: which pairs there are, stretch by stretch, and what comes first.

Deformable models meet themselves, each other, and the shapes of bodies and robots. Times between two changes of
velocity are one stretch, with its own time from 0 to 1 (`motion.knots`); within it vertices go straight, and links
follow their true motion (`slabs`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from tocsin.deform.mesh_arrays import FittedMesh, MeshPair
from tocsin.deform.mesh_state import MeshState, widen
from tocsin.deform.narrow import ANY, COUNTS, EDGE_FACE, EVERY, FIRST, HIT, INSIDE
from tocsin.deform.ranking import in_order
from tocsin.deform.rigid_mesh import LinkMotion, RigidMesh, into_cylinder, link_motions, rigid_mesh_of
from tocsin.deform.run import UNLIMITED, Budget, FoundContacts, ended, find
from tocsin.deform.slabs import Slabs, SoftRigidPair, every_contact, first_contact
from tocsin.deform.starting import Parts, inside_at_start, is_confirmed, parts_of
from tocsin.deform.topology import Elements
from tocsin.geometry.primitives import Cylinder
from tocsin.geometry.shape import Shape
from tocsin.model.base import Model, Motion
from tocsin.model.deformable import Deformable, Deforming
from tocsin.model.timed import is_timed, on_clock
from tocsin.motion.clocks import Timeline
from tocsin.motion.knots import WHOLE, piece_in, share_of, shares_in, stretches_of, time_before, times_before
from tocsin.options import RELATIVE_TOLERANCE
from tocsin.outcome import CONTACT

Stretch = tuple[int, ...]
"""See `motion.knots`."""

PAIRING = 2
"""Steps that two models are counted as in every stretch, however far apart they are."""

INTERPOLATED = 8.0 * 2.0**-53
"""Error of positions between two frames, relative to these: the share x of the piece that is done comes from one that
is off by half a unit, two roundings more and a product; (1 - x) p + x q adds three. Below 7 units of the larger one."""


class Frames(NamedTuple):
    """A deformable model during a stretch."""

    start: np.ndarray
    end: np.ndarray
    off: float
    """How far its ends may be off, metres."""


class Part(NamedTuple):
    """One side of a pair: a deformable model, or one shape of a link."""

    model: int
    link: int
    """Of all links of the scene."""
    shape: int = -1
    """Of the link's shapes; -1 for a deformable model."""


class PartPair(NamedTuple):
    """Two actors that are checked against each other; the first is deformable."""

    a: Part
    b: Part
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
        self._mean_edge = {k: m.mean_edge for k, m in softs}
        self._paths: tuple[Stretch, dict[int, list[LinkMotion]]] = (WHOLE, {})
        self.pairings: list[PartPair] = []
        self._tolerance: dict[Part, float] = {}
        for k, soft in softs:
            a = Part(k, first[k])
            if soft.self_contact and asked[k]:
                self._add(a, a)
            for o, other in enumerate(self.models):
                if o == k or not (asked[k] or asked[o]):
                    continue
                if isinstance(other, Deformable):
                    if o > k and not soft_of(other).is_empty:
                        self._add(a, Part(o, first[o]))
                    continue
                for i, shapes in enumerate(other.shapes):
                    for s, shape in enumerate(shapes):
                        if not shape.is_empty:
                            self._add(a, Part(o, first[o] + i, s))

    def _add(self, a: Part, b: Part) -> None:
        margin = self.rules.get((min(a.link, b.link), max(a.link, b.link)), self.margin)
        if margin < 0.0:
            return
        tolerance = self.tolerance
        if tolerance is None:
            size: float = self._mean_edge[a.model]
            other = self._shape(b).diagonal if b.shape >= 0 else self._mean_edge[b.model]
            if 0.0 < other < size:  # a single point has no size
                size = other
            tolerance = RELATIVE_TOLERANCE * size
        if b.shape >= 0:
            self._tolerance[b] = min(tolerance, self._tolerance.get(b, math.inf))
        self.pairings.append(PartPair(a, b, margin, tolerance))

    def _shape(self, part: Part) -> Shape:
        return self.models[part.model].shapes[self.link_of(part)][part.shape]

    def _rigid_mesh(self, part: Part) -> RigidMesh:
        return rigid_mesh_of(self._shape(part), self._tolerance[part])

    @cached_property
    def timeline(self) -> Timeline | None:
        """The clock of the motions, if they have times; in the order in which they are named."""
        motions = list(self.motions.values())
        return on_clock(motions) if is_timed(motions) else None

    def _shares(self, k: int, stretch: Stretch) -> tuple[int, float, float]:
        """Return the piece of model k in a stretch, and from which to which of its shares that is."""
        if self.timeline is None:
            return shares_in(stretch, self.motions[k].pieces)
        return self.timeline.piece(list(self.motions).index(k), stretch)

    @cached_property
    def stretches(self) -> list[Stretch]:
        """The stretches between changes of velocity, in order."""
        if self.timeline is not None:
            return [tuple(s) for s in self.timeline.stretches.tolist()]
        if all(m.pieces <= 1 for m in self.motions.values()):
            return [WHOLE]
        return [tuple(s) for s in stretches_of(m.pieces for m in self.motions.values()).tolist()]

    # ---- where things are ------------------------------------------------------------------------------------------

    def _frames(
        self, k: int, stretch: Stretch, rows: list[int] | None = None
    ) -> tuple[Callable[[float], np.ndarray], float]:
        """Return where vertices of model k, all or some, are in a stretch, and how far its ends may be off; metres."""
        model: Any = self.models[k]
        motion = self.motions.get(k)
        if not isinstance(motion, Deforming) or motion.pieces == 0:
            still = model.vertices if not isinstance(motion, Deforming) else motion.frames[0]
            still = still if rows is None else still[rows]
            return (lambda t: still), 0.0
        piece, first, last = self._shares(k, stretch)
        p, q = motion.frames[piece], motion.frames[piece + 1]
        if rows is not None:
            p, q = p[rows], q[rows]

        def at(t: float) -> np.ndarray:
            x = last if t == 1.0 else first + t * (last - first)
            if x in (0.0, 1.0):
                return q if x else p
            return (1.0 - x) * p + x * q

        if (first, last) == (0.0, 1.0):  # its ends are frames
            return at, 0.0
        return at, INTERPOLATED * max(float(np.abs(frame).max(initial=0.0)) for frame in (p, q))

    def _link_motion(self, part: Part, stretch: Stretch) -> LinkMotion:
        """Return how a link moves during a stretch; those of the last stretch are kept."""
        if self._paths[0] != stretch:
            self._paths = (stretch, {})
        kept = self._paths[1]
        if part.model not in kept:
            kept[part.model] = self._paths_of(part.model, stretch)
        return kept[part.model][self.link_of(part)]

    def _paths_of(self, k: int, stretch: Stretch) -> list[LinkMotion]:
        model, motion = self.models[k], self.motions.get(k)
        if motion is None or motion.pieces == 0:
            row = model.rest if motion is None else motion.rows[0]
            return link_motions(model._links, row.copy(), len(row), (0, 0, 0.0, 1.0, -1))
        width = motion.width
        if self.timeline is not None:
            row0, row1, begin, end, errors = self.timeline.listed(list(self.motions).index(k), stretch)
            listed = int(row0), int(row1), begin, end, int(errors)
            return link_motions(model._links, self.timeline.configs, width, listed)
        piece, begin, end = piece_in(stretch, motion.pieces)
        return link_motions(model._links, motion.configs, width, (piece * width, (piece + 1) * width, begin, end, -1))

    def link_of(self, part: Part) -> int:
        """Return which of its model's links an actor is."""
        return part.link - self._first[part.model]

    def elements(self, part: Part) -> Elements:
        """Return an actor's elements in the order given: edges and faces by number."""
        model = self.models[part.model]
        return (soft_of(model) if isinstance(model, Deformable) else self._rigid_mesh(part).soft).given

    def _share(self, t: float) -> tuple[Stretch, float]:
        """Return in which stretch a time is, and how much of it is done."""
        stretch = next(s for s in self.stretches if share_of(s, t) <= 1.0 or s == self.stretches[-1])
        return stretch, float(np.clip(share_of(stretch, t), 0.0, 1.0))

    def positions(self, part: Part, t: float, which: Sequence[int]) -> np.ndarray:
        """Return where some of an actor's vertices are at a time."""
        stretch, t = self._share(t)
        rows = list(which)
        if isinstance(self.models[part.model], Deformable):
            return self._frames(part.model, stretch, rows)[0](t)
        rigid = self._rigid_mesh(part)
        return self._link_motion(part, stretch).place(rigid._replace(points=rigid.points[rows]), t)

    def radius(self, part: Part) -> float:
        """Return how far an actor's surface is from its elements; metres."""
        return 0.0 if part.shape < 0 else self._shape(part).radius

    def onto(self, part: Part, t: float, point: np.ndarray) -> np.ndarray | None:
        """Return the point of a cylinder closest to one of its prism; None where an actor is what stands for it."""
        if part.shape < 0 or not isinstance(self._shape(part).source, Cylinder):
            return None
        shape = self._shape(part)
        stretch, t = self._share(t)
        path = self._link_motion(part, stretch)
        table = np.concatenate([shape.proxy, shape.axis])
        x, y, z = point.tolist()
        found: Any = into_cylinder(path.joints, path.links, path.link, t, table, shape.disk, (x, y, z))
        return np.array(found)

    def is_mesh(self, part: Part) -> bool:
        """Are an actor's vertices those that the user gave?"""
        return part.shape < 0 or self._shape(part).is_mesh

    # ---- asking ----------------------------------------------------------------------------------------------------

    def first(self, limit: float = math.inf, *, anything: bool = False) -> tuple[int, float, int, np.ndarray]:
        """Return (status, time, pairing, hit) of the first contact up to `limit`, or of any; status 0 if free."""
        self._budget = Budget(self.max_steps)
        for stretch in self.stretches:
            if stretch[0] and time_before(stretch, 0.0) > limit:
                break
            found = self._stretch(stretch, ANY if anything else FIRST, limit)
            if len(found.hits) and float(found.hits[0]["time"]) <= limit:
                hit = found.hits[0]
                return int(hit["status"]), float(hit["time"]), int(found.pair[0]), hit
        return 0, math.inf, -1, np.zeros(1, HIT)[0]

    def every(self, limit: float = 1.0) -> FoundContacts:
        """Return every feature pair that touches up to `limit`, with its first time; `pair` is the pairing."""
        self._budget = Budget(self.max_steps)
        parts = []
        complete = True
        for stretch in self.stretches:
            if stretch[0] and time_before(stretch, 0.0) > limit:
                break
            found = self._stretch(stretch, EVERY, limit)
            complete = complete and found.complete
            if limit < 1.0:
                keep = np.flatnonzero(found.hits["time"] <= limit)
                found = found._replace(hits=found.hits.take(keep), pair=found.pair[keep])
            parts.append((found.hits, found.pair))
            if not complete:
                break
        if len(parts) == 1:
            return FoundContacts(parts[0][0], parts[0][1], self.counts, complete)  # in order already
        hits = np.concatenate([p[0] for p in parts])
        pair = np.concatenate([p[1] for p in parts])
        order = np.lexsort((hits["time"], hits["b"], hits["a"], hits["kind"], pair))
        hits, pair = hits.take(order), pair[order]
        if len(hits):  # a pair may touch in several stretches: the first counts
            key = np.stack([pair, hits["kind"], hits["a"], hits["b"]], axis=1)
            new = np.concatenate([[True], (key[1:] != key[:-1]).any(axis=1)])
            hits, pair = hits[new], pair[new]
        order = in_order(hits, pair)
        return FoundContacts(hits.take(order), pair[order], self.counts, complete)

    def _stretch(self, stretch: Stretch, question: int, limit: float) -> FoundContacts:
        """Ask about one stretch up to `limit`; times that come back, and this one, are those of the whole motion."""
        meshes = {id(m): soft_of(m) for m in self.models if isinstance(m, Deformable)}.values()
        for mesh in sorted(meshes, key=lambda mesh: id(mesh.lock)):
            mesh.lock.acquire()
        try:
            found = self._locked(stretch, question, share_of(stretch, limit))
        finally:
            for mesh in meshes:
                mesh.forget()
                mesh.lock.release()
        if stretch != WHOLE:
            found.hits["time"] = times_before(stretch, found.hits["time"])
        return found

    def _locked(self, stretch: Stretch, question: int, limit: float) -> FoundContacts:
        """Ask about one stretch up to `limit`; times that come back, and this one, are the stretch's own."""
        frames: dict[int, Frames] = {}
        softs: dict[int, MeshState] = {}
        for k, model in enumerate(self.models):
            if isinstance(model, Deformable):
                at, off = self._frames(k, stretch)
                frames[k], softs[k] = Frames(at(0.0), at(1.0), off), soft_of(model)
        self._budget.fit(*softs.values())
        self._budget.spend(PAIRING * len(self.pairings))
        origin = middle_of(frames.values())
        best: list[tuple[np.ndarray, np.ndarray]] = []
        sides: dict[int, FittedMesh] = {}
        both_soft = [p for p, pairing in enumerate(self.pairings) if pairing.b.shape < 0]
        pairs = []
        for p in both_soft:
            pairing = self.pairings[p]
            for k in (pairing.a.model, pairing.b.model):
                if k not in sides:
                    sides[k] = softs[k].fit(frames[k].start, frames[k].end, origin)
            a, b = sides[pairing.a.model], sides[pairing.b.model]
            margin = pairing.margin + frames[pairing.a.model].off + frames[pairing.b.model].off
            pairs.append(MeshPair(a, b, a is b, margin, pairing.tolerance, self._overlaps(pairing, stretch)))
        complete = True
        if pairs:
            found = find(pairs, question, threads=self.threads, budget=self._budget)
            self.counts += found.counts
            complete = found.complete
            if question == EVERY:
                found = self._confirmed(found, both_soft)
            if len(found.hits):
                hits = found.hits
                best.append((hits, np.array(both_soft)[found.pair]))
                if question == ANY and hits[0]["status"] == CONTACT:
                    return FoundContacts(hits, best[0][1], found.counts)
                limit = min(limit, float(hits[0]["time"])) if question != EVERY else limit
        for p, pairing in enumerate(self.pairings):
            if pairing.b.shape < 0:
                continue
            if self._budget.left > 0:
                found = self._against(p, stretch, frames[pairing.a.model], origin, question, limit)
            else:
                found = ended(question)
            self.counts += found.counts
            complete = complete and found.complete
            if len(found.hits):
                best.append((found.hits, np.full(len(found.hits), p)))
                if question != EVERY:
                    limit = min(limit, float(found.hits[0]["time"]))
            if question == EVERY and not complete:
                break
        if not best:
            return FoundContacts(np.zeros(0, HIT), np.zeros(0, np.int64), self.counts, complete)
        if len(best) == 1:
            return FoundContacts(best[0][0], best[0][1], self.counts, complete)  # in order already
        hits = np.concatenate([b[0] for b in best])
        pair = np.concatenate([b[1] for b in best])
        order = in_order(hits, pair)
        return FoundContacts(hits.take(order), pair[order], self.counts, complete)

    def _confirmed(self, found: FoundContacts, pairings: Sequence[int] | np.ndarray) -> FoundContacts:
        """Return a list without edges that may go through faces where their own features touch (`is_confirmed`)."""
        keep = np.ones(len(found.hits), np.bool_)
        unclear = (found.hits["kind"] >= EDGE_FACE) & (found.hits["status"] != CONTACT)
        for k in np.unique(found.pair[unclear]).tolist():
            rows = np.flatnonzero(found.pair == k)
            a, b = (self.elements(part) for part in self.pairings[pairings[k]][:2])
            keep[rows] = is_confirmed(
                found.hits[rows], a, b, self.pairings[pairings[k]].a == self.pairings[pairings[k]].b
            )
        return found if keep.all() else found._replace(hits=found.hits[keep], pair=found.pair[keep])

    def _against(
        self, p: int, stretch: Stretch, frames: Frames, origin: np.ndarray, question: int, limit: float
    ) -> FoundContacts:
        """Ask about a deformable model and one shape of a link."""
        pairing = self.pairings[p]
        soft: Any = self.models[pairing.a.model]
        rigid = self._rigid_mesh(pairing.b)
        path = self._link_motion(pairing.b, stretch)
        ends = frames.start, frames.end
        # The ends, where they are between frames, and what is between the ends.
        noise = frames.off + INTERPOLATED * max(float(np.abs(x).max()) for x in ends)
        overlaps = self._overlaps(pairing, stretch)
        mixed = SoftRigidPair(
            soft_of(soft),
            ends,
            0.0,
            1.0,
            rigid,
            path,
            origin,
            pairing.margin + path.tube(rigid),
            pairing.tolerance,
            overlaps,
            noise,
        )
        slabs = Slabs(mixed, self._budget, self.threads)
        with rigid.soft.lock:
            if question == EVERY:
                found = self._confirmed(every_contact(slabs, limit), [p])
            else:
                found = first_contact(slabs, limit)
            rigid.soft.forget()
        if not overlaps or (question != EVERY and len(found.hits) and found.hits[0]["time"] == 0.0):
            return found
        placed = path.place(rigid, 0.0)
        inside, whole = inside_at_start(whole_of(soft), rigid, placed, ends[0], found.hits, self._budget)
        if not whole:
            hits = found.hits if question == EVERY else ended(question).hits
            found = found._replace(hits=hits, pair=np.zeros(len(hits), np.int64), complete=False)
        if not len(inside):
            return found
        hits = np.zeros(len(inside), HIT)
        hits["kind"], hits["a"], hits["b"], hits["status"] = INSIDE, inside, -1, CONTACT
        hits = np.concatenate([hits, found.hits]) if question == EVERY else hits[:1]
        pair = np.zeros(len(hits), np.int64)
        return found._replace(hits=hits[in_order(hits, pair)], pair=pair)

    def _overlaps(self, pairing: PartPair, stretch: Stretch) -> bool:
        """Is a surface that goes through the other at the start of this stretch a contact?"""
        both = (self.models[pairing.a.model], self.models[pairing.b.model])
        return stretch[0] == 0 and not any(isinstance(m, Deformable) and m.ignore_overlaps for m in both)


def middle_of(models: Iterable[Frames]) -> np.ndarray:
    """Return a point about in the middle of deformable models at the start, from which single precision measures.

    Any point would do: how far from it everything is, is measured when models are fitted.
    """
    box = np.array([[np.inf] * 3, [-np.inf] * 3])
    for frames in models:
        widen(box, frames.start)
    return 0.5 * (box[0] + box[1]) if box[0, 0] <= box[1, 0] else np.zeros(3)


def soft_of(model: Deformable) -> MeshState:
    """Return what is kept of a deformable model between questions."""
    found = model.kept.get("soft")
    if found is None:
        found = model.kept["soft"] = MeshState(
            len(model.vertices), model.faces, model.loose_edges, model.loose_points, model.same.copy()
        )
    return found


def whole_of(model: Deformable) -> Parts:
    """Return the connected parts of a model none of whose elements touches anything."""
    found = model.kept.get("parts")
    if found is None:
        found = model.kept["parts"] = parts_of(soft_of(model).given, None)
    return found
