"""Which pairs of a question about deformable models there are, with their margins and tolerances.

Deformable models meet themselves, each other, and the shapes of bodies and robots.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from tocsin.deform.mesh_state import MeshState
from tocsin.deform.starting import Parts, parts_of
from tocsin.geometry.shape import Shape
from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.model.base import Model
from tocsin.model.deformable import Deformable


class Part(NamedTuple):
    """One side of a pair: a deformable model, or one shape of a link."""

    model: int
    link: int
    """Of all links of the scene."""
    shape: int = -1
    """Of the link's shapes; -1 for a deformable model."""


class PartPair(NamedTuple):
    """Two parts that are checked against each other; the first is deformable."""

    a: Part
    b: Part
    margin: float
    tolerance: float


Kept: TypeAlias = "dict[tuple[object, ...], Pairing]"
"""The pairings of one scene that does not change, by what was asked."""


def first_links(models: Sequence[Model]) -> list[int]:
    """Return the number of every model's first link among all links of the scene, and how many there are."""
    return [0, *accumulate(len(model.links) for model in models)]


MOST_KEPT = 8
"""Pairings that a scene keeps: one for each set of models that are asked about, margin and tolerance."""


class Pairing:
    """The pairs of a scene, of which at least one side is asked about."""

    def __init__(
        self, models: Sequence[Model], asked: Sequence[bool], rules: dict[tuple[int, int], float], margin: float,
        tolerance: float | None,
    ) -> None:  # fmt: skip
        self.models = models
        self.pairs: list[PartPair] = []
        self.tolerances: dict[Part, float] = {}
        """Of shapes of links: the smallest of all their pairs."""
        self._rules, self._margin, self._tolerance = rules, margin, tolerance
        self._first = first = first_links(models)
        self._softs = {k: m for k, m in enumerate(models) if isinstance(m, Deformable) and not soft_of(m).is_empty}
        for k, soft in self._softs.items():
            a = Part(k, first[k])
            if soft.self_contact and asked[k]:
                self._add(a, a)
            for o, other in enumerate(models):
                if o == k or not (asked[k] or asked[o]):
                    continue
                if not isinstance(other, Deformable):
                    self._meet(a, o, other)
                elif o > k and o in self._softs:  # each two of them once
                    self._add(a, Part(o, first[o]))
        self.both_soft: list[int] = [p for p, pair in enumerate(self.pairs) if pair.b.shape < 0]
        """Which of the pairs are of two deformable models."""

    def _meet(self, a: Part, o: int, other: Model) -> None:
        """Add a deformable model and all shapes of another's links."""
        first = self._first[o]
        for i, shapes in enumerate(other.shapes):
            for s, shape in enumerate(shapes):
                if not shape.is_empty:
                    self._add(a, Part(o, first + i, s))

    def _add(self, a: Part, b: Part) -> None:
        margin = self._rules.get((min(a.link, b.link), max(a.link, b.link)), self._margin)
        if margin < 0.0:
            return
        tolerance = self._tolerance
        if tolerance is None:
            size: float = self._softs[a.model].mean_edge
            other = self.shape(b).diagonal if b.shape >= 0 else self._softs[b.model].mean_edge
            if 0.0 < other < size:  # a single point has no size
                size = other
            tolerance = RELATIVE_TOLERANCE * size
        if b.shape >= 0:
            self.tolerances[b] = min(tolerance, self.tolerances.get(b, math.inf))
        self.pairs.append(PartPair(a, b, margin, tolerance))

    def link_of(self, part: Part) -> int:
        """Return which of its model's links a part is."""
        return part.link - self._first[part.model]

    def shape(self, part: Part) -> Shape:
        """Return the shape of a link that a part is."""
        return self.models[part.model].shapes[self.link_of(part)][part.shape]


def pairing_of(
    kept: Kept, models: Sequence[Model], asked: Sequence[bool], rules: dict[tuple[int, int], float], margin: float,
    tolerance: float | None,
) -> Pairing:  # fmt: skip
    """Return the pairs of a scene, from `kept` where they are there: four soft bodies have ten, a tenth of a step."""
    themselves = [isinstance(model, Deformable) and model.self_contact for model in models]
    key = *asked, *themselves, frozenset(rules.items()), margin, tolerance
    found = kept.get(key)
    if found is None:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        found = kept[key] = Pairing(models, asked, rules, margin, tolerance)
    return found


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
