"""The page users read: a scene, and the questions one can ask of it."""

from __future__ import annotations

import threading
import time as clock_module
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from tocsin import _cast, query
from tocsin.advancement import engine, work
from tocsin.advancement.surveying import LOOK, Surveyor, turning_limits
from tocsin.answer import Answer, Asked
from tocsin.errors import TocsinError
from tocsin.model.base import Model, Motion
from tocsin.model.deformable import Deformable
from tocsin.model.screw_body import ScrewBody, ScrewMotion
from tocsin.model.world import World, assemble
from tocsin.motion.knots import ONE_STRETCH, WHOLE, exact_time, first_after, last_before, stretches_of
from tocsin.options import BACKENDS, MAX_STEPS, METHODS, RELATIVE_TOLERANCE, STAGES
from tocsin.results import ContactIntervals, Distance, FirstContact, Status, TimedContacts
from tocsin.rules import Margins, Rules, distinct_names
from tocsin.stage import PIECES, Prepared, prepare, with_motions

if TYPE_CHECKING:
    from tocsin.soft_results import FeatureContacts, TriangleTimes

EVERY = ("contact", "pair", "triangle")
"""What `Scene.contacts` can list."""

MOST_BUFFERS = 64
"""Query buffers that a thread keeps of one scene: one for each set of moving models, and margin with charts of its
own."""

LAST = "last"
"""Where a thread keeps the buffers of its last question, beside those."""


class Scene:
    """Models that may touch each other: bodies, robots and deformable models, moving or standing.

    >>> ball, wall = Body(Sphere(0.1), name="ball"), Body(Box((0.01, 2, 2)), (1, 0, 0), name="wall")
    >>> scene = Scene(ball, wall)
    >>> scene.is_free(ball.move((0, 0, 0), (2, 0, 0))), scene.is_free(ball.move((0, 0, 0), (0, 2, 0)))
    (False, True)

    A model for which no motion is given stands where it is. Asked about motions, a scene checks every pair of shapes
    of which at least one belongs to a model that was given a motion; asked about nothing, it checks all of them.

    `backend`: how meshes are taken apart, "triangles" (a tree of boxes, the default) or "hulls" (a tree of convex
    hulls over convex pieces, bounded by GJK [CATCH 4]). `python -m tocsin_bench backends` compares them.
    `threads`: on how many processors questions about deformable models run, by default all; answers are the same.
    `charts`: whether links one to three joints apart get a chart of the joint values at which they are apart, once they
    have cost enough (a tenth of a second each, kept on disk); answers are the same. Questions with a lower cap than the
    default do without.
    """

    def __init__(
        self, *models: Model, backend: str = "triangles", threads: int | None = None, charts: bool = True
    ) -> None:
        self._hulls = _cast.choice(backend, "backend", BACKENDS) == "hulls"
        for model in models:
            if not isinstance(model, Model):
                many = ": put a star before it, Scene(*models)" if isinstance(model, (list, tuple)) else ""
                raise TocsinError(
                    f"a scene holds bodies, robots and deformable models; got {type(model).__name__}{many}."
                )
        if not models:
            raise TocsinError("a scene needs at least one body, robot or deformable model.")
        if len({id(m) for m in models}) < len(models):
            raise TocsinError("a model is in the scene twice; make a second one instead.")
        self.threads: int | None = None if threads is None else _cast.count(threads, "threads")
        self.models: tuple[Model, ...] = models
        self.names: tuple[str, ...] = distinct_names(models)
        self._soft = any(isinstance(m, Deformable) for m in models)
        self._rules = Rules(self.names, models)
        self._seen: tuple[int, ...] = ()
        self._looked = -1
        self._world: World | None = None
        self._local = threading.local()
        self._lock = threading.Lock()
        self._index = {id(m): k for k, m in enumerate(models)}
        self._twins: dict[tuple[int, ...], tuple[int, Scene]] = {}
        self.charts: bool = _cast.flag(charts, "charts")
        self._surveyors: dict[tuple[float, float], Surveyor] = {}
        self._charted: dict[tuple[float, float], World] = {}
        self._spent = 0
        self._look = LOOK

    @property
    def margins(self) -> Margins:
        """Margins of single pairs, in metres, beside a question's own: `scene.margins["hand", "table"] = 0.02`."""
        return self._rules.margins

    def __reduce__(self) -> tuple[Any, ...]:
        how = BACKENDS[self._hulls], self.threads, self.charts
        return _restored, (self.models, *how, self._rules.ignored, dict(self.margins))

    def __repr__(self) -> str:
        return f"<Scene of {len(self.models)} models: {', '.join(self.names)}>"

    # ---- rules -------------------------------------------------------------------------------------------------------

    def ignore(self, a: str, b: str) -> None:
        """Do not check a against b: names of models, of links, or 'model/link' where two models share a name.

        The name of a deformable model, twice, means its contact with itself.
        """
        self._rules.ignore(a, b)

    def links_only(self, what: str, instead: str) -> None:
        """Refuse a question that deformable models do not answer."""
        for name, model in zip(self.names, self.models):
            if isinstance(model, Deformable):
                raise TocsinError(f"{what} is about bodies and robots, and {name!r} is deformable: {instead}.")

    def _tables(self) -> World:
        """Return the scene's tables, laid out again if a model or a rule has changed."""
        changes = Model.changes
        if self._looked != changes or self._world is None:
            seen = (self._rules.version, *[m.version for m in self.models])
            with self._lock:
                if self._world is None or seen != self._seen:
                    rules = {pair: margin for pair, margin in self._rules.of_links().items() if pair[0] != pair[1]}
                    self._world = assemble(self.models, rules, hulls=self._hulls)
                    self._surveyors, self._charted, self._look = {}, {}, LOOK
                    self._local = threading.local()  # buffers on the tables that were
                    self._seen = seen
                self._looked = changes
        return self._world

    def _survey(self, world: World, pairs: np.ndarray, margin: float, tolerance: float) -> None:
        """Make or fetch charts for pairs that have cost many steps."""
        steps, self._spent = self._spent, 0
        self._look *= 2
        with self._lock:
            if not self._is_laid_out(world):
                return
            charted = self._surveyor(margin, tolerance).charted(world, pairs, steps)
            if charted is not None and world is self._charted.get((margin, tolerance), self._world):
                self._charted[margin, tolerance] = charted

    def _chart(self, world: World, a: int, b: int, margin: float, tolerance: float) -> World:
        """Return the tables with the chart of two shapes, without which a question cannot go on."""
        with self._lock:
            if not self._is_laid_out(world):
                # Its models or rules have changed since the question was asked: for this one alone.
                return Surveyor(margin, tolerance, RELATIVE_TOLERANCE, turning_limits(self.models)).charted_now(
                    world, a, b
                )
            charted = self._surveyor(margin, tolerance).charted_now(world, a, b)
            if world is self._charted.get((margin, tolerance), self._world):
                self._charted[margin, tolerance] = charted
        return charted

    def _is_laid_out(self, world: World) -> bool:
        """Are these the scene's tables, with charts or without, or those before a model or a rule was changed?"""
        return self._world is not None and world.nodes is self._world.nodes

    def _surveyor(self, margin: float, tolerance: float) -> Surveyor:
        key = (margin, tolerance)
        if key not in self._surveyors:
            self._surveyors[key] = Surveyor(margin, tolerance, RELATIVE_TOLERANCE, turning_limits(self.models))
        return self._surveyors[key]

    # ---- questions -------------------------------------------------------------------------------------------------

    def first_contact(
        self,
        *motions: Motion,
        margin: float = 0.0,
        tolerance: float | None = None,
        max_steps: int = MAX_STEPS,
        method: str = "advancement",
    ) -> FirstContact:
        """Return when, where and between which features anything first touches, over t in [0, 1].

        `margin` (metres): contact means a distance of at most this. `tolerance` (metres): how far beyond the margin a
        reported contact may be; by default 1e-4 of the diagonal of the smaller geometry of the pair. `max_steps` caps
        the work: a capped answer has status CAPPED and says until when freedom is proven. `method`: "advancement";
        "interval", a second engine that keeps the same promise by equations and intervals; or "auto", the one of the
        two that is the faster, which is the first on chains of any length.
        """
        return self._ask(motions, margin, tolerance, max_steps, method, False)

    def is_free(
        self, *motions: Motion, margin: float = 0.0, tolerance: float | None = None, max_steps: int = MAX_STEPS,
        method: str = "advancement",
    ) -> bool:  # fmt: skip
        """Return True only if it is proven that nothing comes within the margin at any time in [0, 1]."""
        if self._soft:
            return self._ask(motions, margin, tolerance, max_steps, method, True).status is Status.FREE
        return self._solve(motions, margin, tolerance, max_steps, method, True, STAGES)[0] == engine.FREE

    def safe_step(self, *motions: Motion, margin: float = 0.0, tolerance: float | None = None) -> float:
        """Return the largest fraction of the motions, up to 1, that a simulator may take: free until then, proven.

        At that fraction everything keeps more than the margin still, unless it is 0. The step stops short of a contact
        by no more than the tolerance (metres), as in `first_contact`.
        """
        return min(self.first_contact(*motions, margin=margin, tolerance=tolerance).time, 1.0)

    @overload
    def contacts(
        self, *motions: Motion, every: Literal["pair"], margin: float = 0.0, tolerance: float | None = None,
        max_steps: int = MAX_STEPS,
    ) -> FeatureContacts: ...  # fmt: skip
    @overload
    def contacts(
        self, *motions: Motion, every: Literal["triangle"], margin: float = 0.0, tolerance: float | None = None,
        max_steps: int = MAX_STEPS,
    ) -> TriangleTimes: ...  # fmt: skip
    @overload
    def contacts(
        self, *motions: Motion, every: Literal["contact"], exact: bool = False, resolution: str | float = "medium",
        time_resolution: float | None = None, properness: float | None = None,
    ) -> TimedContacts: ...  # fmt: skip
    @overload
    def contacts(
        self, *motions: Motion, every: None = None, exact: bool = False, resolution: str | float = "medium",
        time_resolution: float | None = None, properness: float | None = None, margin: float = 0.0,
        tolerance: float | None = None, max_steps: int = MAX_STEPS,
    ) -> TimedContacts | FeatureContacts: ...  # fmt: skip
    def contacts(
        self,
        *motions: Motion,
        every: Literal["contact", "pair", "triangle"] | None = None,
        exact: bool = False,
        resolution: str | float = "medium",
        time_resolution: float | None = None,
        properness: float | None = None,
        margin: float = 0.0,
        tolerance: float | None = None,
        max_steps: int = MAX_STEPS,
    ) -> TimedContacts | FeatureContacts | TriangleTimes:
        """Return every contact during the motions, not only the first, sorted by time.

        Of rigid bodies (`every="contact"`, the default where nothing is deformable): where corners and edges enter each
        other's faces while each pair moves on its relative screw, with how properly the surfaces face each other there.
        `resolution` of the collision screen: "low", "medium", "high" or metres; `time_resolution` in parts of the
        motion; contacts less proper than `properness` are left out (-0.1 by default; -1 for all). `exact`: without a
        screen, complete by proof; of all properness by default. Returns `TimedContacts`.

        Of deformable models: `every` "pair" (the default where there are some) for each touching pair of features with
        its own first time, as `FeatureContacts`; "triangle" for the first time of each triangle, as `TriangleTimes`.
        `margin` and `tolerance`, for these, as in `first_contact`, whose time is that of the first in the list.
        `max_steps` caps the work, and what is listed: a list that it ended has `complete=False`.
        """
        kind = ("pair" if self._soft else "contact") if every is None else _cast.choice(every, "every", EVERY)
        if kind != "contact":
            from tocsin import soft_ask

            shown = isinstance(resolution, str) and resolution == "medium"
            if exact is not False or properness is not None or time_resolution is not None or not shown:
                raise TocsinError(
                    "exact, resolution, time_resolution and properness are for contacts of rigid bodies; those of "
                    "deformable models are complete without: leave them out."
                )
            return soft_ask.contacts(self, motions, kind, margin, tolerance, max_steps)
        if self._soft:
            self.links_only('contacts(every="contact")', 'every="pair" and every="triangle" are for these')
        if _cast.margin(margin) != 0.0 or tolerance is not None or max_steps is not MAX_STEPS:
            raise TocsinError(
                "margin, tolerance and max_steps are for contacts of deformable models; bodies have none here."
            )
        from tocsin.screen import ask

        if exact.__class__ is not bool:
            _cast.flag(exact, "exact")
        return ask.find(self, motions, resolution, time_resolution, properness, exact)

    def contact_intervals(
        self, *motions: Motion, margin: float = 0.0, tolerance: float | None = None, max_steps: int = MAX_STEPS
    ) -> ContactIntervals:
        """Return for each pair of links all intervals [enter, exit] of [0, 1] during which they are in contact.

        Proven: every time at which two links are within the margin lies in one of their intervals, and at every time of
        an interval they are within margin + tolerance. `margin`, `tolerance` and `max_steps` as in `first_contact`.
        """
        from tocsin import contact_intervals as module

        return module.contact_intervals(self, motions, margin, tolerance, max_steps)

    def distance(self, *placements: Motion) -> Distance:
        """Return the smallest distance of the given models to everything else, where they stand.

        `placements`: from `robot.at(q)`, `body.at(pose)` and `cloth.at(V)`; models not named stand where they are; none
        given means the smallest distance of all pairs. Margins do not count; ignored pairs are left out. Deformable
        models count against themselves too, neighbouring features that share no vertex included. The work is bounded: a
        search that takes four million tests (of deformable models, a million steps a question) ends with what it has,
        a `lower` that holds and is farther from `distance`.
        """
        from tocsin import nearest

        return nearest.distance(self, placements)

    # ---- from a question to one compiled call ------------------------------------------------------------------------

    def _carrying(self, motions: tuple[Motion, ...]) -> Scene:
        """Return this scene; or its twin in which the bodies that move on screws hang on carriers, see `carried.py`."""
        for motion in motions:
            if isinstance(motion, ScrewMotion):
                break
        else:
            return self
        key = tuple([self._index.get(id(m.model), -1) for m in motions if isinstance(m, ScrewMotion)])
        if -1 in key:
            return self
        version, twin = self._twins.get(key, (-1, self))
        if version != self._rules.version:
            models = [ScrewBody(m, self.names[k]) if k in key else m for k, m in enumerate(self.models)]
            twin = Scene(*models, backend=BACKENDS[self._hulls], threads=self.threads, charts=self.charts)
            twin.names = self.names
            twin._index = self._index
            twin._rules = self._rules.on(models)
            self._twins[key] = (self._rules.version, twin)
        return twin

    def _ask(
        self, motions: tuple[Motion, ...], margin: float, tolerance: float | None, max_steps: int, method: str,
        any_contact: bool, stages: tuple[int | str, ...] = STAGES,
    ) -> FirstContact:  # fmt: skip
        """Ask about everything: links first, then deformable models, up to the links' first contact."""
        if not self._soft:
            return self._ask_links(motions, margin, tolerance, max_steps, method, any_contact, stages)
        from tocsin import soft_ask

        return soft_ask.first_contact(self, motions, margin, tolerance, max_steps, method, any_contact, stages)

    def _ask_links(
        self, motions: tuple[Motion, ...], margin: float, tolerance: float | None, max_steps: int, method: str,
        any_contact: bool, stages: tuple[int | str, ...],
    ) -> FirstContact:  # fmt: skip
        solved = self._solve(motions, margin, tolerance, max_steps, method, any_contact, stages)
        status, time, used, margin, asked = solved
        if status == engine.FREE:
            outcome = Status.FREE
        elif status == engine.CAPPED:
            outcome = Status.CAPPED
        else:
            outcome = Status.CONTACT if time > 0.0 else Status.INITIAL_CONTACT
        return Answer.of(outcome, time, used, self, margin, asked)

    def _solve(
        self, motions: tuple[Motion, ...], margin: float, tolerance: float | None, max_steps: int, method: str,
        any_contact: bool, stages: tuple[int | str, ...],
    ) -> tuple[int, float, float, float, Asked]:  # fmt: skip
        """Return an engine's status, time and tolerance, the margin, and what an answer keeps."""
        if margin.__class__ is not float or not 0.0 <= margin <= _cast.LARGEST:
            margin = _cast.margin(margin)
        tolerance = -1.0 if tolerance is None else _cast.tolerance(tolerance)
        if method.__class__ is not str or method not in METHODS:
            _cast.choice(method, "method", METHODS)
        if max_steps is not MAX_STEPS:
            _cast.count(max_steps, "max_steps")
        scene = self
        world = self._tables()
        if self._charted:
            world = self._charted.get((margin, tolerance), world)
        last = self._local.__dict__.get(LAST)
        motion: Any = motions[0] if len(motions) == 1 else None
        if last is not None and motion.__class__ is last[0] and motion.model is last[1] and world is last[2]:
            # As the question before: the same model, and nothing to be checked or laid out again.
            prepared, configs = last[3], motion.configs
            pieces = len(motion.rows) - 1
            prepared.buffers.active[0, PIECES] = pieces
        else:
            scene = self._carrying(motions)
            if scene is not self:
                world = scene._tables()
                world = scene._charted.get((margin, tolerance), world)
            prepared, configs, pieces = scene._prepared(world, motions)
            if scene is self and motion is not None:
                self._local.__dict__[LAST] = motion.__class__, motion.model, world, prepared
        stretches = ONE_STRETCH if pieces <= 1 else stretches_of(m.pieces for m in motions)
        engine_of: Any = query
        how: Any = any_contact
        if method == "interval":
            from tocsin.interval import pipeline as engine_of

            how = engine_of.switches(stages, prepared)
        clock = np.zeros(engine_of.STAGES, np.int64)
        started = clock_module.perf_counter()
        while True:
            counts = np.zeros(engine_of.COUNTS, np.int64)
            found: Any = engine_of.solve(
                prepared.table,
                configs,
                stretches,
                margin,
                max(margin, prepared.largest_margin),
                tolerance,
                RELATIVE_TOLERANCE,
                max_steps,
                how,
                counts,
                clock,
            )
            status, time, a, b, used, which = found[:6]
            if status != query.UNCHARTED or engine_of is not query:
                break
            world = scene._chart(world, a, b, margin, tolerance)
            prepared, configs, _ = scene._prepared(world, motions)
        elapsed = clock_module.perf_counter() - started
        if scene.charts and engine_of is query:
            scene._spent += int(counts[work.STEPS])
            if scene._spent >= scene._look:
                scene._survey(world, prepared.buffers.workspace.pairs, margin, tolerance)
        place, upper = (WHOLE, time), found[6] if len(found) > 6 else None
        if pieces > 1 and status != engine.FREE:
            stretch = tuple(stretches[which].tolist())
            place = stretch, time
            time = last_before(exact_time(stretch, time))
            upper = None if upper is None else first_after(exact_time(stretch, min(upper, 1.0)))
        asked = Asked(
            scene, motions, prepared, configs, tolerance, (a, b), counts, clock, elapsed, max_steps, place, upper
        )
        return status, time, used, margin, asked

    def check_motions(self, motions: tuple[Motion, ...]) -> None:
        """Refuse what is not a motion of a model in this scene."""
        for motion in motions:
            if not isinstance(motion, Motion):
                many = ": put a star before it" if isinstance(motion, (list, tuple)) else ""
                raise TocsinError(
                    f"a question takes motions, from robot.move(q0, q1), body.move(T0, T1), cloth.move(V0, V1), follow "
                    f"or at; got {type(motion).__name__}{many}."
                )
            if id(motion.model) not in self._index:
                names = ", ".join(self.names)
                raise TocsinError(f"{motion.model!r} is not in this scene; its models are: {names}.")

    def moved_twice(self, key: Sequence[int]) -> TocsinError:
        """Return the error of a model with two motions; `key` are the places of the models that move."""
        twice = next(k for k in key if list(key).count(k) > 1)
        return TocsinError(f"{self.names[twice]!r} is given two motions; a model moves in one way at a time.")

    def _prepared(self, world: World, motions: tuple[Motion, ...]) -> tuple[Prepared, np.ndarray, int]:
        """Return this thread's buffers for the given motions, their configurations in one array, and most pieces."""
        self.check_motions(motions)
        key = tuple([self._index[id(m.model)] for m in motions])
        local: dict[Any, Any] = self._local.__dict__  # of this thread
        prepared = local.get((id(world), key))
        if prepared is None or prepared.buffers.world is not world:
            if len(set(key)) < len(key):
                raise self.moved_twice(key)
            if len(local) >= MOST_BUFFERS:
                local.clear()
            largest = max([0.0, *self.margins.values()])
            prepared = local[id(world), key] = prepare(self.models, key, world, largest)
        if len(motions) == 1:
            pieces = len(motions[0].rows) - 1
            prepared.buffers.active[0, PIECES] = pieces
            return prepared, motions[0].configs, pieces
        if not motions:
            return prepared, np.concatenate([m.rest for m in self.models]), 0
        prepared.buffers.active[:] = with_motions(prepared.buffers.active, motions)
        return prepared, np.concatenate([m.configs for m in motions]), max(m.pieces for m in motions)

    def _name_of(self, world: World, geom: int) -> tuple[str, str]:
        """Return (model, link) names of a shape."""
        m = int(world.geoms[geom]["model"])
        link = int(world.geoms[geom]["link"]) - int(world.models[m]["link"])
        model = self.models[m]
        return self.names[m], self.names[m] if len(model.link_names) == 1 else model.link_names[link]


def _restored(models: Any, backend: str, threads: int | None, charts: bool, ignored: Any, margins: Any) -> Scene:
    """Return a scene that was sent from another process; its tables are made again."""
    scene = Scene(*models, backend=backend, threads=threads, charts=charts)
    scene._rules.ignored |= ignored
    scene.margins.update(margins)
    return scene
