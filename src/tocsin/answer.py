"""What `Scene.first_contact` gives back about links: an answer that tells more when it is looked at.

Contacts are found by one more compiled call, and statistics put into words, only then: most questions of a planner are
never looked at so closely.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tocsin import query
from tocsin.advancement import work
from tocsin.contacts.manifold import KINDS
from tocsin.model.base import Motion
from tocsin.model.world import MESH, World
from tocsin.options import RELATIVE_TOLERANCE
from tocsin.results import Contact, LazyContact, Stats, Status
from tocsin.stage import Prepared, again


class Asked(NamedTuple):
    """What an answer needs to tell more about itself later."""

    laid_out: Any
    """The scene whose tables were used: that which was asked, unless bodies hang on carriers (`Scene._carrying`)."""
    motions: tuple[Motion, ...]
    """Those of links; an answer's `motions` may be of deformable models as well."""
    prepared: Prepared
    configs: np.ndarray
    tolerance: float
    geoms: tuple[int, int]
    counts: np.ndarray
    clock: np.ndarray
    elapsed: float
    max_steps: int
    place: tuple[tuple[int, int, int, int], float]
    """The stretch of the motion in which the answer's time is, and its time there, which is not rounded."""
    upper: float | None = None
    """Where the final interval ends; only of the interval engine."""


class Answer(LazyContact):
    """An answer about links."""

    _asked: Asked | None = None

    @classmethod
    def of(cls, status: Status, time: float, tolerance: float, scene: Any, margin: float, asked: Asked) -> Answer:
        """Return an answer that keeps what it needs to tell more."""
        answer = object.__new__(cls)
        fill = answer.__dict__
        fill["status"], fill["time"], fill["tolerance"], fill["motions"] = status, time, tolerance, asked.motions
        fill["scene"], fill["margin"], fill["_asked"] = scene, margin, asked
        return answer

    @property
    def bracket(self) -> tuple[float, float]:
        """(proven free until, within margin + tolerance by); of the interval engine, its final interval."""
        upper = None if self._asked is None else self._asked.upper
        return super().bracket if upper is None or self.status is Status.FREE else (self.time, upper)

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:  # type: ignore[override]
        """Every pair of touching features at `time`, the closest first; none if free or capped.

        Found by one more compiled call when first looked at; `complete` says if it found all of them. A body inside a
        solid one touches nothing: then the pair is named without features. Where shapes are so large that rounding
        leaves no features within the tolerance, the closest points stand for them.
        """
        if self.status in (Status.FREE, Status.CAPPED):
            return ()
        asked = self._asked
        assert asked is not None
        buffers, table = again(asked.prepared, asked.motions)
        world = buffers.world
        reach = asked.tolerance if asked.tolerance > 0.0 else RELATIVE_TOLERANCE * world.geoms["diagonal"].max()
        touches, n, self.__dict__["complete"] = query.touching(
            table,
            asked.configs,
            *asked.place,
            self.margin,
            max(self.margin, asked.prepared.largest_margin) + reach,
            asked.tolerance,
            RELATIVE_TOLERANCE,
            asked.max_steps,
        )
        rows = touches[:n][np.argsort(touches[:n]["distance"], kind="stable")]
        if n == 0:
            touching = world.geoms[list(asked.geoms)]
            if not np.any((touching["kind"] == MESH) & (touching["solid"] != 0)):
                # Of the scene itself: bodies on screws hang on carriers where the question was laid out.
                near = self.scene.distance(*[Motion(m.model, m.row_at(self.time)[None]) for m in asked.motions])
                where = near.point_a, near.point_b, near.normal, near.distance, near.model_a, near.model_b
                return (Contact(near.link_a, near.link_b, "surface", ((), ()), *where),)
            (model_a, link_a), (model_b, link_b) = (asked.laid_out._name_of(world, g) for g in asked.geoms)
            none = np.full(3, np.nan)
            return (Contact(link_a, link_b, "inside", ((), ()), none, none, np.zeros(3), 0.0, model_a, model_b),)
        return _contacts(asked.laid_out, world, rows)

    @cached_property
    def complete(self) -> bool:  # type: ignore[override]
        """Are these all contacts at `time`? False: `max_steps`, or more than 65,536 of them, ended the list."""
        _ = self.contacts  # which says it, unless there are none to find
        return self.__dict__.get("complete", True)

    @cached_property
    def stats(self) -> Stats:  # type: ignore[override]
        """Counts and seconds of this query."""
        asked = self._asked
        assert asked is not None
        counts = asked.counts
        if asked.upper is not None:
            from tocsin.interval import report

            return report.stats(asked.prepared.pairs_total, counts, asked.clock, asked.elapsed)
        ticks = max(int(asked.clock.sum()), 1)
        stages = (("motion", query.MOTION), ("culling", query.CULLING), ("advancement", query.ADVANCEMENT))
        return Stats(
            pairs_total=asked.prepared.pairs_total * max(int(counts[query.SLABS]), 1),
            pairs_spatial=int(counts[query.SPATIAL]),
            pairs_temporal=int(counts[work.VISITED]),
            steps=int(counts[work.STEPS]),
            node_tests=int(counts[work.NODE_TESTS]),
            hull_tests=int(counts[work.HULL_TESTS]),
            leaf_tests=int(counts[work.LEAF_TESTS]),
            slabs=int(counts[query.SLABS]),
            seconds={name: asked.elapsed * int(asked.clock[k]) / ticks for name, k in stages},
        )


def _contacts(scene: Any, world: World, rows: np.ndarray) -> tuple[Contact, ...]:
    """Put touches into words; vertex indices are those of the shape's own mesh.

    Column by column: reading records one by one takes ten times as long.
    """
    geoms = {int(g) for side in ("geom_a", "geom_b") for g in np.unique(rows[side])}
    names = {g: scene._name_of(world, g) for g in geoms}
    first = {g: int(world.geoms[g]["proxy"]) - int(world.geoms[g]["points"]) for g in geoms}
    columns = [rows[name].tolist() for name in ("kind", "geom_a", "geom_b", "a", "b", "distance")]
    points = [np.ascontiguousarray(rows[name]) for name in ("point_a", "point_b", "normal")]
    for each in points:
        each.setflags(write=False)  # an answer stays what it was
    found = []
    for kind, geom_a, geom_b, a, b, distance, point_a, point_b, normal in zip(*columns, *points):
        (model_a, link_a), (model_b, link_b) = names[geom_a], names[geom_b]
        on_a = tuple([i - first[geom_a] for i in a if i >= 0])
        on_b = tuple([i - first[geom_b] for i in b if i >= 0])
        found.append(
            Contact(link_a, link_b, KINDS[kind], (on_a, on_b), point_a, point_b, normal, distance, model_a, model_b)
        )
    return tuple(found)
