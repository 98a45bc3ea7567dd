"""A question about a scene with deformable models: what comes first, or everything, stretch by stretch.

`pairing` says which pairs there are, `placement` where everything is, `run` and `slabs` ask about one stretch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tocsin.deform.mesh_arrays import FittedMesh, MeshPair
from tocsin.deform.mesh_state import MeshState
from tocsin.deform.narrow import ANY, COUNTS, EDGE_FACE, EVERY, FIRST, HIT, INSIDE
from tocsin.deform.pairing import Kept, Part, PartPair, pairing_of, soft_of, whole_of
from tocsin.deform.placement import INTERPOLATED, Frames, Placement, Stretch, middle_of
from tocsin.deform.ranking import in_order
from tocsin.deform.run import UNLIMITED, Budget, FoundContacts, ended, find
from tocsin.deform.slabs import Slabs, SoftRigidPair, every_contact, first_contact
from tocsin.deform.starting import inside_at_start, is_confirmed
from tocsin.model.base import Model, Motion
from tocsin.model.deformable import Deformable
from tocsin.motion.knots import WHOLE, share_of, time_before, times_before
from tocsin.outcome import CONTACT

PAIRING = 2
"""Steps that two models are counted as in every stretch, however far apart they are."""


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
    kept: Kept = field(default_factory=dict)
    """Pairings of the same models, as they are."""
    counts: np.ndarray = field(default_factory=lambda: np.zeros(COUNTS, np.int64))

    def __post_init__(self) -> None:
        """Find out who moves, and which pairs there are."""
        asked = [not self.motions or k in self.motions for k in range(len(self.models))]
        self._pairing = pairing_of(self.kept, self.models, asked, self.rules, self.margin, self.tolerance)
        self.pairings: list[PartPair] = self._pairing.pairs
        self.placement = Placement(self._pairing, self.models, self.motions)

    def link_of(self, part: Part) -> int:
        """Return which of its model's links a part is."""
        return self._pairing.link_of(part)

    @property
    def stretches(self) -> list[Stretch]:
        """The stretches between changes of velocity, in order."""
        return self.placement.stretches

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
                frames[k], softs[k] = self.placement.ends(k, stretch), soft_of(model)
        self._budget.fit(*softs.values())
        self._budget.spend(PAIRING * len(self.pairings))
        origin = middle_of(frames.values())
        best: list[tuple[np.ndarray, np.ndarray]] = []
        sides: dict[int, FittedMesh] = {}
        both_soft = self._pairing.both_soft
        pairs = []
        crossing = self._crossing(stretch)
        for p in both_soft:
            pairing = self.pairings[p]
            for k in (pairing.a.model, pairing.b.model):
                if k not in sides:
                    sides[k] = softs[k].fit(frames[k].start, frames[k].end, origin)
            a, b = sides[pairing.a.model], sides[pairing.b.model]
            margin = pairing.margin + frames[pairing.a.model].off + frames[pairing.b.model].off
            overlaps = pairing.a.model in crossing and pairing.b.model in crossing
            pairs.append(MeshPair(a, b, a is b, margin, pairing.tolerance, overlaps))
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
            a, b = (self.placement.elements(part) for part in self.pairings[pairings[k]][:2])
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
        rigid = self.placement.rigid_mesh(pairing.b)
        path = self.placement.link_motion(pairing.b, stretch)
        ends = frames.start, frames.end
        # The ends, where they are between frames, and what is between the ends.
        noise = frames.off + INTERPOLATED * max(float(np.abs(x).max()) for x in ends)
        overlaps = {pairing.a.model, pairing.b.model} <= self._crossing(stretch)
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

    def _crossing(self, stretch: Stretch) -> set[int]:
        """Return the models of which any two are in contact if their surfaces cross at the start of this stretch."""
        if stretch[0] != 0:
            return set()
        return {k for k, m in enumerate(self.models) if not (isinstance(m, Deformable) and m.ignore_overlaps)}
