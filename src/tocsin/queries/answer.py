"""What `Scene.first_contact` gives back about links: an answer that tells more when it is looked at.

Contacts are found by one more compiled call, and statistics put into words, only then: most questions of a planner are
never looked at so closely.
"""

# What kernels return has the types that Numba finds.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tocsin import _cast
from tocsin._provided import Provided
from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.model.base import Motion
from tocsin.model.screw_body import ScrewMotion
from tocsin.model.tables import MESH, World
from tocsin.motion.poses import between
from tocsin.queries.buffers import Prepared, again
from tocsin.queries.context import NAMED, Context
from tocsin.queries.distance import distance_from
from tocsin.queries.engines import Cost, Engine, Outcome
from tocsin.queries.kernels.at_moment import nearest_of_two, touching
from tocsin.queries.touches import contacts_of
from tocsin.results import AskedScene, Contact, LazyContact, Stats, Status

RESUMED: Provided[..., Any] = Provided("goes on where a capped answer ended", "tocsin.queries.first_contact")


class Asked(NamedTuple):
    """What an answer needs to tell more about itself later."""

    context: Context
    """That of the scene that was asked."""
    laid_out: Context
    """Whose tables were used: the same, unless bodies hang on carriers (`Context.carrying`)."""
    engine: Engine
    motions: tuple[Motion, ...]
    """Those of links; an answer's `motions` may be of deformable models as well."""
    prepared: Prepared
    configs: np.ndarray
    tolerance: float
    max_steps: int
    outcome: Outcome
    stretch: tuple[int, int, int, int]
    """In which the answer's time is, and `outcome.time` is its time there, which is not rounded."""
    tally: bytes
    """Counts and clocks of the question, a copy: as bytes it is made in half the time."""
    elapsed: float
    """Seconds."""


Kept: TypeAlias = tuple[
    Context, Context, Engine, tuple[Motion, ...], Prepared, np.ndarray, float, int, Outcome, tuple[int, int, int, int],
    bytes, float,
]  # fmt: skip
"""The same as a plain tuple, which is made in a third of the time: most answers are never looked at so closely."""


class Answer(LazyContact):
    """An answer about links."""

    kept: Kept | None = None
    """What it keeps to tell more; None for a plain record."""

    @cached_property
    def asked(self) -> Asked | None:
        """What it keeps, by name."""
        return None if self.kept is None else Asked._make(self.kept)

    def resume(self, *, deadline: float | None = None) -> Answer:
        """Go on where a capped answer ended, with as many steps more, and another deadline (seconds from now).

        An answer that is not capped is returned as it is. What comes back is about the whole motions, as this is: until
        `time` freedom is proven already. It goes on from a little before, 1e-9 of the motions at most, so a contact
        that is found right there may have a time that is earlier by that.
        """
        if deadline is not None:
            _cast.scalar(deadline, "deadline", above=0.0)
        return RESUMED(self, deadline) if self.status is Status.CAPPED else self

    @property
    def bracket(self) -> tuple[float, float]:
        """(proven free until, within margin + tolerance by); of the interval engine, its final interval."""
        asked = self.asked
        if asked is None or self.status is Status.FREE:
            return super().bracket
        return self.time, asked.engine.upper(asked.outcome, asked.stretch, self.time)

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:  # type: ignore[override]
        """Every pair of touching features at `time`, the closest first; none if free or capped.

        Found by one more compiled call when first looked at; `complete` says if it found all of them. A body inside a
        solid one touches nothing: then the pair is named without features. Where shapes are so large that rounding
        leaves no features within the tolerance, the closest points stand for them.
        """
        if self.status in (Status.FREE, Status.CAPPED):
            return ()
        asked = self.asked
        assert asked is not None
        buffers, table = again(asked.prepared, asked.motions)
        world = buffers.world
        reach = asked.tolerance if asked.tolerance > 0.0 else RELATIVE_TOLERANCE * world.geoms["diagonal"].max()
        touches, n, self.__dict__["complete"] = touching(
            table,
            asked.configs,
            asked.stretch,
            asked.outcome[1],
            self.margin,
            max(self.margin, asked.prepared.largest_margin) + reach,
            asked.tolerance,
            asked.max_steps,
        )
        if n == 0:
            return (self._featureless(asked, world),)
        # `take`: indexing by an array takes five times as long where the rows are records.
        rows = touches.take(touches["distance"][:n].argsort(kind="stable"))
        return contacts_of(asked.laid_out, asked.prepared, rows)

    def _featureless(self, asked: Asked, world: World) -> Contact:
        """Return the contact of an answer at whose time no features are found to touch."""
        a, b = asked.outcome[3:5]
        names = [asked.laid_out.name_of(world, g, asked.prepared.kept[NAMED]) for g in (a, b)]
        both = world.geoms[[a, b]]
        none = np.full(3, np.nan)
        if np.any((both["kind"] == MESH) & (both["solid"] != 0)):
            near, kind = distance_from(0.0, 0.0, none, none, *names), "inside"
        else:
            placed = self._placed(asked)
            configs = np.concatenate([m.configs for m in placed]) if placed else asked.configs
            upper, lower, x, y = nearest_of_two(again(asked.prepared, placed)[1], configs, a, b)
            near, kind = distance_from(upper, float(lower), np.array(x), np.array(y), *names), "surface"
        where = near.point_a, near.point_b, near.normal, near.distance, near.model_a, near.model_b
        return Contact(near.link_a, near.link_b, kind, ((), ()), *where)  # type: ignore[arg-type]

    def _placed(self, asked: Asked) -> list[Motion]:
        """Return where the models that were asked about are at the answer's time; those of the scene may differ."""
        placed: list[Motion] = []
        for motion in asked.motions:
            model, row = asked.laid_out.models[asked.laid_out.places[id(motion.model)]], motion.row_at(self.time)
            if isinstance(motion, ScrewMotion):  # its body hangs on a carrier there
                row = between(motion.rows[0], motion.rows[1], model.quaternions, self.time)
            placed.append(Motion.of(model, row[None]))
        return placed

    @cached_property
    def stats(self) -> Stats:  # type: ignore[override]
        """Counts and seconds of this query."""
        asked = self.asked
        assert asked is not None
        return asked.engine.stats(Cost.of(asked.prepared.pairs_total, asked.tally, asked.elapsed))


def answer_of(
    status: Status, time: float, tolerance: float, scene: AskedScene | None, margin: float, kept: Kept
) -> Answer:
    """Return an answer that keeps what it needs to tell more."""
    answer = object.__new__(Answer)
    fill = answer.__dict__
    fill["status"], fill["time"], fill["tolerance"], fill["motions"] = status, time, tolerance, kept[3]
    fill["scene"], fill["margin"], fill["kept"] = scene, margin, kept
    return answer
