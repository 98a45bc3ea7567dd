"""What comes back from a question about deformable models, put into words when it is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TypeAlias, cast

import numpy as np

from tocsin import vec
from tocsin._types import Records
from tocsin.compiler.jit import kernel
from tocsin.deform.closest import still_edge, still_face
from tocsin.deform.narrow import (
    ADVANCED,
    EDGE_EDGE,
    EDGE_FACE,
    ELEMENTS,
    FACE_EDGE,
    FACE_VERTEX,
    FEATURES,
    INSIDE,
    NODES,
    STEPS,
    VERTEX_FACE,
)
from tocsin.deform.pairing import Part
from tocsin.deform.question import Question
from tocsin.model.base import Motion
from tocsin.model.deformable import Deformable
from tocsin.outcome import CONTACT
from tocsin.results import AskedScene, Contact, LazyContact, Stats, Status
from tocsin.soft_results import FeatureContact, FeatureContacts, TriangleTimes

KINDS = ("vertex-face", "face-vertex", "edge-edge", "edge-face", "face-edge", "inside")
"""Names of the kinds of feature pairs, by their numbers."""

Hit: TypeAlias = Records | np.void | Mapping[str, int]
"""What was found: a record of `narrow.HIT`, or what words need of one by its fields."""

MOST_LISTED = 4096
"""At most so many contacts of one moment are put into words; `complete` says if there are more."""


@kernel
def closest_points(vertex_first, a, b, c, d, out):
    """Write the two closest points: of a vertex a and a face b c d, or of the edges a b and c d."""
    if vertex_first:
        p = vec.sub(b, a)
        q = vec.sub(c, a)
        r = vec.sub(d, a)
        _, _, s, t = still_face(p, q, r)
        x = a
        y = vec.axpy(vec.axpy(b, s, vec.sub(c, b)), t, vec.sub(d, b))
    else:
        e = vec.sub(b, a)
        f = vec.sub(d, c)
        _, _, s, t = still_edge(vec.sub(c, a), vec.sub(d, a), vec.sub(c, b), e, f)
        x = vec.axpy(a, s, e)
        y = vec.axpy(c, t, f)
    for k in range(3):
        out[0, k] = x[k]
        out[1, k] = y[k]


class SoftAnswer(LazyContact):
    """An answer about deformable models."""

    @classmethod
    def of(
        cls, status: Status, time: float, scene: AskedScene | None, motions: tuple[Motion, ...], question: Question,
        pairing: int, hit: Hit, elapsed: float,
    ) -> SoftAnswer:  # fmt: skip
        """Return an answer that keeps what it needs to tell more."""
        answer = object.__new__(cls)
        fill = answer.__dict__
        fill["status"], fill["time"], fill["motions"] = status, time, motions
        fill["tolerance"] = question.pairings[pairing].tolerance if pairing >= 0 else 0.0
        fill["scene"], fill["margin"] = scene, question.margin
        fill["_question"], fill["_pairing"], fill["_hit"] = question, pairing, hit
        fill["_elapsed"], fill["_counts"] = elapsed, question.counts.copy()
        return answer

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:  # type: ignore[override]
        """Every pair of features that touches by `time`, the closest first; none if free or capped.

        `complete` says if these are all of them.
        """
        if self.status in (Status.FREE, Status.CAPPED):
            return ()
        question: Question = self._question  # type: ignore[attr-defined]
        words = Words(question, tuple(cast(AskedScene, self.scene).names))
        hit, pairing = self._hit, self._pairing  # type: ignore[attr-defined]
        if hit["kind"] == INSIDE:
            return (words.contact(pairing, hit, self.time),)
        found = question.every(self.time)
        same = found.pair == pairing
        for field in ("kind", "a", "b"):
            same &= found.hits[field] == hit[field]
        others = np.flatnonzero(~same)
        self.__dict__["complete"] = found.complete and len(others) < MOST_LISTED
        said = [words.contact(pairing, hit, self.time)]
        said += [words.contact(int(found.pair[k]), found.hits[k], self.time) for k in others[: MOST_LISTED - 1]]
        return tuple(sorted(said, key=lambda contact: contact.distance))

    @cached_property
    def stats(self) -> Stats:  # type: ignore[override]
        """Counts of this query: element pairs, feature pairs, and what was advanced."""
        counts = self._counts  # type: ignore[attr-defined]
        return Stats(
            pairs_total=int(counts[ELEMENTS]),
            pairs_spatial=int(counts[FEATURES]),
            pairs_temporal=int(counts[ADVANCED]),
            steps=int(counts[STEPS]),
            node_tests=int(counts[NODES]),
            leaf_tests=int(counts[ADVANCED]),
            seconds={"deformable": self._elapsed},  # type: ignore[attr-defined]
        )


class Words:
    """Names, features and places of hits."""

    def __init__(self, question: Question, names: tuple[str, ...]) -> None:
        self._question = question
        self._names = names

    def name(self, part: Part) -> tuple[str, str]:
        """Return (model, link)."""
        model = self._question.models[part.model]
        name = self._names[part.model]
        return name, name if len(model.link_names) == 1 else model.link_names[self._question.link_of(part)]

    def inside(self, pairing: int, vertex: int, time: float) -> Contact:
        """Return the contact of a vertex inside a solid: a point of both."""
        a, b = self._question.pairings[pairing][:2]
        point = self._question.placement.positions(a, time, (vertex,))[0]
        (model_a, link_a), (model_b, link_b) = self.name(a), self.name(b)
        return Contact(link_a, link_b, "inside", ((vertex,), ()), point, point, np.zeros(3), 0.0, model_a, model_b)

    def features(self, pairing: int, hit: Hit) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the vertices of the touching features on both sides."""
        a, b = (self._question.placement.elements(part) for part in self._question.pairings[pairing][:2])
        kind, i, j = int(hit["kind"]), int(hit["a"]), int(hit["b"])
        on_a: Iterable[int]
        on_b: Iterable[int]
        on_a = (i,) if kind == VERTEX_FACE else a.edges[i] if kind in (EDGE_EDGE, EDGE_FACE) else a.corners[i]
        on_b = (j,) if kind == FACE_VERTEX else b.edges[j] if kind in (EDGE_EDGE, FACE_EDGE) else b.corners[j]
        return tuple(int(v) for v in on_a), tuple(int(v) for v in on_b)

    def contact(self, pairing: int, hit: Hit, time: float) -> Contact:
        """Return a hit as a contact, its points at a time."""
        if hit["kind"] == INSIDE:
            return self.inside(pairing, int(hit["a"]), time)
        question = self._question
        a, b = question.pairings[pairing][:2]
        on_a, on_b = self.features(pairing, hit)
        p, q = question.placement.positions(a, time, on_a), question.placement.positions(b, time, on_b)
        kind = int(hit["kind"])
        out = np.zeros((2, 3))
        if kind in (VERTEX_FACE, FACE_VERTEX, EDGE_EDGE):
            rows = (*q, *p) if kind == FACE_VERTEX else (*p, *q)
            i, j, k, m = (tuple(map(float, row)) for row in rows)
            closest_points(kind != EDGE_EDGE, i, j, k, m, out)
            out = out[::-1] if kind == FACE_VERTEX else out
            on_cylinder = question.placement.onto(b, time, out[1])
            if on_cylinder is not None:
                out[:] = _closest_on(p, on_cylinder), on_cylinder
        else:
            out[:] = _crossing(p, q) if kind == EDGE_FACE else _crossing(q, p)
        gap = out[1] - out[0]
        length = float(np.linalg.norm(gap))
        normal = gap / length if length > 0.0 else np.zeros(3)
        radius = question.placement.radius(b)
        model_a, link_a = self.name(a)
        model_b, link_b = self.name(b)
        distance = max(length - radius, 0.0)
        point_b = out[1] - min(radius, length) * normal
        word = KINDS[kind]
        if not isinstance(question.models[b.model], Deformable) and not question.placement.is_mesh(b):
            word, on_b = "surface", ()
        return Contact(link_a, link_b, word, (on_a, on_b), out[0], point_b, normal, distance, model_a, model_b)

    def timed(self, pairing: int, kind: int, a: int, b: int, time: float) -> FeatureContact:
        """Return a hit as one of many, at the time at which it touches."""
        said = self.contact(pairing, {"kind": kind, "a": a, "b": b}, time)
        middle = 0.5 * (said.point_a + said.point_b)
        return FeatureContact(
            time, said.link_a, said.link_b, said.kind, said.features, middle, said.normal, said.distance,
            said.model_a, said.model_b,
        )  # fmt: skip


def _closest_on(feature: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return the point of a vertex, an edge or a face, (1 to 3, 3), that is closest to a given one."""
    if len(feature) == 3:
        out = np.zeros((2, 3))
        p, a, b, c = (tuple(map(float, row)) for row in (point, *feature))
        closest_points(True, p, a, b, c, out)
        return out[1]
    along = feature[-1] - feature[0]
    square = float(along @ along)
    s = min(max(float((point - feature[0]) @ along) / square, 0.0), 1.0) if square > 0.0 else 0.0
    return feature[0] + s * along


def _crossing(edge: np.ndarray, face: np.ndarray) -> np.ndarray:
    """Return where an edge goes through a face."""
    normal = np.cross(face[1] - face[0], face[2] - face[0])
    h = (edge - face[0]) @ normal
    s = h[0] / (h[0] - h[1]) if h[0] != h[1] else 0.5
    return edge[0] + s * (edge[1] - edge[0])


def all_contacts(question: Question, names: tuple[str, ...], motions: tuple[Motion, ...]) -> FeatureContacts:
    """Return every feature pair that touches during the motion, with its own first time."""
    found = question.every()
    words = Words(question, names)
    pairs = tuple(tuple(words.name(part)[1] for part in pairing[:2]) for pairing in question.pairings)
    return FeatureContacts(
        found.hits["time"].copy(),
        found.hits["kind"].copy(),
        np.stack([found.hits["a"], found.hits["b"]], axis=1),
        found.pair.astype(np.int32),
        found.hits["status"] == CONTACT,
        pairs,
        KINDS,
        words.timed,
        motions,
        question.margin,
        question.tolerance,
        found.complete,
    )


def triangle_times(question: Question, names: tuple[str, ...], motions: tuple[Motion, ...]) -> TriangleTimes:
    """Return for every deformable model the first time of contact of each of its triangles, inf where there is none."""
    found = question.every()
    times = {}
    for k, model in enumerate(question.models):
        if not isinstance(model, Deformable):
            continue
        vertex = np.full(len(model.vertices), np.inf)
        edge = np.full(len(model.edges), np.inf)
        face = np.full(len(model.faces), np.inf)
        for p, pairing in enumerate(question.pairings):
            hits = found.hits.take(np.flatnonzero(found.pair == p)[::-1])  # latest first: the last one written stays
            for side, part in (("a", pairing.a), ("b", pairing.b)):
                if part.model != k:
                    continue
                single = VERTEX_FACE if side == "a" else FACE_VERTEX
                line = (EDGE_EDGE, EDGE_FACE if side == "a" else FACE_EDGE)
                is_vertex = (hits["kind"] == single) | ((hits["kind"] == INSIDE) & (side == "a"))
                is_edge = (hits["kind"] == line[0]) | (hits["kind"] == line[1])
                for chosen, table in ((is_vertex, vertex), (is_edge, edge), (~(is_vertex | is_edge), face)):
                    own = np.full(len(table), np.inf)
                    own[hits[side][chosen]] = hits["time"][chosen]
                    np.minimum(table, own, out=table)
        if len(model.faces):
            np.minimum(face, vertex[model.faces].min(axis=1), out=face)
            np.minimum(face, edge[model.face_edges].min(axis=1), out=face)
        times[names[k]] = face
    return TriangleTimes(times, motions, question.margin, question.tolerance, found.complete)
