"""The page users read: a scene, and the questions one can ask of it."""

from __future__ import annotations

import math
import threading
import time as clock_module
from collections.abc import Iterator, MutableMapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tocsin import _cast, query
from tocsin.advancement import engine
from tocsin.advancement.room import Room, make_room
from tocsin.contacts.manifold import KINDS
from tocsin.culling.sweep import SWEEP
from tocsin.errors import TocsinError, unknown_name
from tocsin.model.base import Model, Motion
from tocsin.model.body import _UNNAMED
from tocsin.model.carried import Carried, ScrewMotion
from tocsin.model.deformable import Deformable, Deforming
from tocsin.model.world import World, assemble
from tocsin.motion.joints import JOINT
from tocsin.options import BACKENDS, LONG_CHAIN, MAX_STEPS, METHODS, RELATIVE_TOLERANCE, STAGES
from tocsin.results import (
    Contact,
    ContactIntervals,
    Distance,
    FirstContact,
    Stats,
    Status,
)

if TYPE_CHECKING:
    from tocsin.deform.question import Question

ONE_PIECE = np.array([0.0, 1.0])


class _Stage(NamedTuple):
    """Workspace of one thread for one set of active models: tables that a query writes, and what stands."""

    room: Room
    joints: np.ndarray
    sweeps: np.ndarray
    taylor: np.ndarray
    boxes: np.ndarray
    active: np.ndarray
    static_boxes: np.ndarray
    static_child: np.ndarray
    static_geom: np.ndarray
    pairs_total: int
    largest_margin: float
    """Of any pair's own: swept boxes are grown by it."""
    kept: dict[str, Any]
    """What other engines keep beside it."""


class Margins(MutableMapping[tuple[str, str], float]):
    """Margins of single pairs, in metres: `scene.margins["hand", "table"] = 0.02`. Names as in `Scene.ignore`."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._given: dict[tuple[str, str], float] = {}

    def __getitem__(self, pair: tuple[str, str]) -> float:
        return self._given[self._scene._pair(pair)]

    def __setitem__(self, pair: tuple[str, str], margin: float) -> None:
        a, b = self._scene._pair(pair)
        value = _cast.scalar(margin, f"the margin of {a!r} and {b!r}", least=0.0)
        self._given[a, b] = value
        self._scene._changed()

    def __delitem__(self, pair: tuple[str, str]) -> None:
        del self._given[self._scene._pair(pair)]
        self._scene._changed()

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)


class Scene:
    """Models that may touch each other: bodies, robots and deformable models, moving or standing.

    A model for which no motion is given stands where it is. Asked about motions, a scene checks every pair of shapes
    of which at least one belongs to a model that was given a motion; asked about nothing, it checks all of them.

    `backend`: how meshes are taken apart, "triangles" (a tree of boxes, the default) or "hulls" (a tree of convex
    hulls over convex pieces, bounded by GJK, as in the 2007 paper). `python -m tocsin.bench backends` compares them.
    `threads`: on how many processors questions about deformable models run, by default all; answers are the same.
    """

    def __init__(self, *models: Model, backend: str = "triangles", threads: int | None = None) -> None:
        self._hulls = _cast.choice(backend, "backend", BACKENDS) == "hulls"
        for model in models:
            if not isinstance(model, Model):
                raise TocsinError(f"a scene holds bodies, robots and deformable models; got {type(model).__name__}.")
        if not models:
            raise TocsinError("a scene needs at least one body, robot or deformable model.")
        if len({id(m) for m in models}) < len(models):
            raise TocsinError("a model is in the scene twice; make a second one instead.")
        self.threads = None if threads is None else _cast.count(threads, "threads")
        self.models: tuple[Model, ...] = models
        self.names: tuple[str, ...] = _distinct_names(models)
        self._soft = any(isinstance(m, Deformable) for m in models)
        self.margins = Margins(self)
        self._ignored: set[tuple[str, str]] = set()
        self._version = 0
        self._seen: tuple[int, ...] = ()
        self._world: World | None = None
        self._largest_margin = 0.0
        self._local = threading.local()
        self._lock = threading.Lock()
        self._index = {id(m): k for k, m in enumerate(models)}
        self._twins: dict[tuple[int, ...], tuple[int, Scene]] = {}

    def __repr__(self) -> str:
        return f"<Scene of {len(self.models)} models: {', '.join(self.names)}>"

    # ---- names and rules -------------------------------------------------------------------------------------------

    @cached_property
    def _links(self) -> dict[str, tuple[int, ...]]:
        """Name -> global link indices: 'model', 'model/link', and 'link' where only one model has it."""
        found: dict[str, tuple[int, ...]] = {}
        single: dict[str, list[int]] = {}
        n = 0
        for name, model in zip(self.names, self.models):
            found[name] = tuple(range(n, n + len(model.links)))
            for i, link in enumerate(model.link_names):
                if len(model.link_names) > 1:
                    found[f"{name}/{link}"] = (n + i,)
                single.setdefault(link, []).append(n + i)
            n += len(model.links)
        for link, where in single.items():
            if len(where) == 1:
                found.setdefault(link, (where[0],))
        return found

    def _find(self, name: Any) -> tuple[int, ...]:
        if name not in self._links:
            raise unknown_name("name", name, self._links)
        return self._links[name]

    def _pair(self, pair: Any) -> tuple[str, str]:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TocsinError(f"a pair is two names of models or links; got {pair!r}.")
        for name in pair:
            self._find(name)
        a, b = sorted(pair)
        if a == b and len(self._find(a)) == 1 and not self._is_soft(a):
            raise TocsinError(f"{a!r} and {b!r} are one link: there is no such pair.")
        return a, b

    def _is_soft(self, name: str) -> bool:
        return name in self.names and isinstance(self.models[self.names.index(name)], Deformable)

    def ignore(self, a: str, b: str) -> None:
        """Do not check a against b: names of models, of links, or 'model/link' where two models share a name.

        The name of a deformable model, twice, means its contact with itself.
        """
        self._ignored.add(self._pair((a, b)))
        self._changed()

    def links_only(self, what: str, instead: str) -> None:
        """Refuse a question that deformable models do not answer."""
        for name, model in zip(self.names, self.models):
            if isinstance(model, Deformable):
                raise TocsinError(f"{what} is about bodies and robots, and {name!r} is deformable: {instead}.")

    def _changed(self) -> None:
        self._version += 1

    def _tables(self) -> World:
        """Return the scene's tables, laid out again if a model or a rule has changed."""
        seen = (self._version, *[m.version for m in self.models])
        if self._world is None or seen != self._seen:
            with self._lock:
                rules = {pair: margin for pair, margin in self._rules().items() if pair[0] != pair[1]}
                self._world = assemble(self.models, rules, hulls=self._hulls)
                self._largest_margin = max([0.0, *self.margins.values()])
                self._local = threading.local()
                self._seen = seen
        return self._world

    def _rules(self) -> dict[tuple[int, int], float]:
        """Return the margins of single pairs of links, -inf where they are ignored."""
        rules: dict[tuple[int, int], float] = {}
        for (a, b), margin in self.margins.items():
            self._add_rule(rules, a, b, margin)
        for a, b in self._ignored:
            self._add_rule(rules, a, b, -math.inf)
        n = 0
        for model in self.models:
            for i, k in model.ignored:
                rules[n + i, n + k] = -math.inf
            n += len(model.links)
        return rules

    def _add_rule(self, rules: dict[tuple[int, int], float], a: str, b: str, margin: float) -> None:
        for i in self._find(a):
            for k in self._find(b):
                if i != k or self._is_soft(a):
                    rules[min(i, k), max(i, k)] = margin

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
        two that is faster on the robots at hand.
        """
        return self._ask(motions, margin, tolerance, max_steps, method, False)

    def is_free(
        self,
        *motions: Motion,
        margin: float = 0.0,
        tolerance: float | None = None,
        max_steps: int = MAX_STEPS,
        method: str = "advancement",
    ) -> bool:
        """Return True only if it is proven that nothing comes within the margin at any time in [0, 1]."""
        return self._ask(motions, margin, tolerance, max_steps, method, True).status is Status.FREE

    def safe_step(self, *motions: Motion, margin: float = 0.0, tolerance: float | None = None) -> float:
        """Return the largest fraction of the motions, up to 1, that a simulator may take: free until then, proven.

        At that fraction everything keeps more than the margin still, unless it is 0. The step stops short of a contact
        by no more than the tolerance (metres), as in `first_contact`.
        """
        return min(self.first_contact(*motions, margin=margin, tolerance=tolerance).time, 1.0)

    def contacts(
        self,
        *motions: Motion,
        exact: bool = False,
        resolution: str | float = "medium",
        time_resolution: float | None = None,
        properness: float | None = None,
        every: str = "pair",
        margin: float = 0.0,
        tolerance: float | None = None,
    ) -> Any:
        """Return every contact during the motions, not only the first, sorted by time.

        Of rigid bodies: where corners and edges enter each other's faces while each pair moves on its relative screw,
        with how properly the surfaces face each other there. `resolution` of the collision screen: "low", "medium",
        "high" or metres; `time_resolution` in parts of the motion; contacts less proper than `properness` are left out
        (-0.1 by default; -1 for all). `exact`: without a screen, complete by proof; of all properness by default.
        Returns `TimedContacts`.

        Of deformable models: `every` "pair" for each touching pair of features with its own first time, "triangle" for
        the first time of each triangle, by model. `margin` and `tolerance`, for these, as in `first_contact`. Returns
        `FeatureContacts`, or a dictionary of arrays.
        """
        _cast.choice(every, "every", ("pair", "triangle"))
        question = self._soft_question(motions, margin, tolerance)
        if question is None:
            from tocsin.screen import ask

            return ask.find(self, motions, resolution, time_resolution, properness, exact)
        from tocsin.deform import answer

        if every == "pair":
            return answer.all_contacts(question, self.names)
        return answer.triangle_times(question, self.names)

    def contact_intervals(
        self,
        *motions: Motion,
        margin: float = 0.0,
        tolerance: float | None = None,
        max_steps: int = MAX_STEPS,
    ) -> ContactIntervals:
        """Return for each pair of links all intervals [enter, exit] of [0, 1] during which they are in contact.

        Proven: every time at which two links are within the margin lies in one of their intervals, and at every time of
        an interval they are within margin + tolerance. `margin`, `tolerance` and `max_steps` as in `first_contact`.
        """
        from tocsin import contact_intervals as module

        return module.contact_intervals(self, motions, _breaks(motions), margin, tolerance, max_steps)

    def distance(self, *placements: Motion) -> Distance:
        """Return the smallest distance of the given models to everything else, where they stand.

        `placements`: from `robot.at(q)` and `body.at(pose)`; models not named stand where they are; none given means
        the smallest distance of all pairs. Margins do not count; ignored pairs are left out.
        """
        self.links_only("distance", "is_free(cloth.at(V), margin=...) says whether anything is that close")
        world = self._tables()
        stage, configs, pieces = self._stage(world, placements)
        if pieces > 0:
            raise TocsinError(
                "distance is a question about one moment: give robot.at(q) or body.at(pose), not a motion."
            )
        found: Any = query.nearest(
            world, stage.room, stage.joints, stage.sweeps, stage.active, stage.static_geom, configs, 0.0
        )
        upper, lower, a, b, x, y = found
        if a < 0:
            return Distance(math.inf, math.inf)
        model_a, link_a = self._name_of(world, a)
        model_b, link_b = self._name_of(world, b)
        gap = np.array(y) - np.array(x)
        length = float(np.linalg.norm(gap))
        normal = gap / length if length > 0.0 and upper > 0.0 else np.zeros(3)
        return Distance(upper, lower, link_a, link_b, np.array(x), np.array(y), normal, model_a, model_b)

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
        if version != self._version:
            models = [Carried(m, self.names[k]) if k in key else m for k, m in enumerate(self.models)]
            twin = Scene(*models, backend=BACKENDS[self._hulls], threads=self.threads)
            twin.names = self.names
            twin._index = self._index
            twin._ignored = self._ignored
            twin.margins._given = self.margins._given
            self._twins[key] = (self._version, twin)
        return twin

    def _soft_question(self, motions: tuple[Motion, ...], margin: Any, tolerance: Any) -> Question | None:
        """Return a question about the deformable models and all that they may touch; None if there are none."""
        if not self._soft:
            return None
        from tocsin.deform.question import Question

        self._check_motions(motions)
        margin = _cast.scalar(margin, "margin", least=0.0)
        tolerance = None if tolerance is None else _cast.scalar(tolerance, "tolerance", above=0.0)
        models = self._carrying(motions).models
        moving = {self._index[id(m.model)]: m for m in motions}
        if len(moving) < len(motions):
            raise self._moved_twice([self._index[id(m.model)] for m in motions])
        return Question(models, moving, self._rules(), margin, tolerance, self.threads)

    def _ask(
        self, motions: tuple[Motion, ...], margin: float, tolerance: float | None, max_steps: int, method: str,
        any_contact: bool, stages: tuple[int | str, ...] = STAGES,
    ) -> FirstContact:  # fmt: skip
        """Ask about everything: links first, then deformable models, up to the links' first contact."""
        question = self._soft_question(motions, margin, tolerance) if self._soft else None
        if question is None:
            return self._ask_links(motions, margin, tolerance, max_steps, method, any_contact, stages)
        from tocsin.deform import answer
        from tocsin.deform.advance import UNDECIDED

        rigid = tuple(m for m in motions if not isinstance(m, Deforming))
        found = None
        if rigid or not motions:
            found = self._ask_links(rigid, margin, tolerance, max_steps, method, any_contact, stages)
            found.__dict__["motions"] = motions
            if found.collides and (any_contact or found.time == 0.0):
                return found
        started = clock_module.perf_counter()
        state, time, pairing, hit = question.first(found.time if found else math.inf, anything=any_contact)
        elapsed = clock_module.perf_counter() - started
        if found is not None and found.time <= time:
            return found
        if state == 0:
            outcome = Status.FREE
        elif state == UNDECIDED:
            outcome = Status.CAPPED
        else:
            outcome = Status.CONTACT if time > 0.0 else Status.INITIAL_CONTACT
        return answer.SoftAnswer(outcome, time, question, pairing, hit, motions, self.names, elapsed)

    def _ask_links(
        self, motions: tuple[Motion, ...], margin: float, tolerance: float | None, max_steps: int, method: str,
        any_contact: bool, stages: tuple[int | str, ...],
    ) -> FirstContact:  # fmt: skip
        if margin.__class__ is not float or not 0.0 <= margin <= _cast.LARGEST:
            margin = _cast.scalar(margin, "margin", least=0.0)
        tolerance = -1.0 if tolerance is None else _cast.scalar(tolerance, "tolerance", above=0.0)
        if method not in METHODS:
            _cast.choice(method, "method", METHODS)
        if method == "auto":
            models = [m.model for m in motions] or list(self.models)
            deepest = max(int(model.links["depth"].max()) for model in models)
            method = "interval" if deepest >= LONG_CHAIN else "advancement"
        if max_steps is not MAX_STEPS:
            _cast.count(max_steps, "max_steps")
        scene = self._carrying(motions)
        world = scene._tables()
        stage, configs, pieces = scene._stage(world, motions)
        breaks = ONE_PIECE if pieces <= 1 else _breaks(motions)
        engine_of: Any = query
        last: Any = any_contact
        if method == "interval":
            from tocsin.interval import engine as engine_of

            last = engine_of.switches(stages, world, stage)
        counts = np.zeros(engine_of.COUNTS, np.int64)
        clock = np.zeros(engine_of.STAGES, np.int64)
        started = clock_module.perf_counter()
        found: Any = engine_of.solve(
            world,
            stage.room,
            stage.joints,
            stage.sweeps,
            stage.taylor,
            stage.boxes,
            stage.active,
            stage.static_boxes,
            stage.static_child,
            stage.static_geom,
            configs,
            breaks,
            margin,
            max(margin, stage.largest_margin),
            tolerance,
            RELATIVE_TOLERANCE,
            max_steps,
            last,
            counts,
            clock,
        )
        status, time, a, b, used = found[:5]
        elapsed = clock_module.perf_counter() - started
        if status == engine.FREE:
            outcome = Status.FREE
        elif status == engine.CAPPED:
            outcome = Status.CAPPED
        else:
            outcome = Status.CONTACT if time > 0.0 else Status.INITIAL_CONTACT
        asked = _Asked(scene, world, stage, configs, margin, tolerance, (a, b), counts, clock, elapsed, *found[5:])
        return Answer(outcome, time, used, motions, asked)

    def _check_motions(self, motions: tuple[Motion, ...]) -> None:
        """Refuse what is not a motion of a model in this scene."""
        for motion in motions:
            if not isinstance(motion, Motion):
                raise TocsinError(
                    f"a question takes motions, from robot.move(q0, q1), body.move(T0, T1), cloth.move(V0, V1), follow "
                    f"or at; got {type(motion).__name__}."
                )
            if id(motion.model) not in self._index:
                names = ", ".join(self.names)
                raise TocsinError(f"{motion.model!r} is not in this scene; its models are: {names}.")

    def _moved_twice(self, key: Sequence[int]) -> TocsinError:
        twice = next(k for k in key if list(key).count(k) > 1)
        return TocsinError(f"{self.names[twice]!r} is given two motions; a model moves in one way at a time.")

    def _stage(self, world: World, motions: tuple[Motion, ...]) -> tuple[_Stage, np.ndarray, int]:
        """Return this thread's workspace for the given motions, their configurations in one array, and most pieces."""
        self._check_motions(motions)
        key = tuple([self._index[id(m.model)] for m in motions])
        stages = getattr(self._local, "stages", None)
        if stages is None:
            stages = self._local.stages = {}
        stage = stages.get(key)
        if stage is None:
            stage = stages[key] = self._new_stage(world, key)
        if len(motions) == 1:
            rows = motions[0].rows
            stage.active[0, query.PIECES] = len(rows) - 1
            return stage, rows.reshape(-1), len(rows) - 1
        if not motions:
            return stage, np.concatenate([m.stand for m in self.models]), 0
        stage.active[:] = _with_motions(stage.active, motions)
        return stage, np.concatenate([m.rows.reshape(-1) for m in motions]), max(m.pieces for m in motions)

    def _new_stage(self, world: World, key: tuple[int, ...]) -> _Stage:
        """Lay out the workspace for a set of active models, and place everything that stands."""
        if len(set(key)) < len(key):
            raise self._moved_twice(key)
        given = key or tuple(range(len(self.models)))
        active = np.zeros((len(given), 5), np.int32)
        first = 0
        offset = 0
        for k, m in enumerate(given):
            room = 1
            while room < world.models[m]["geoms"]:
                room *= 2
            active[k] = (m, 0, offset, first, room)
            first += 2 * room
            offset += self.models[m].width if not key else 0
        joints = np.zeros(len(world.links), JOINT)
        sweeps = np.zeros(len(world.links), SWEEP)
        taylor = np.zeros((len(world.links), 3, 4, 5))
        boxes = np.zeros((first, 6))
        query.lay_trees(boxes, active, world)
        is_active = np.zeros(len(self.models), np.bool_)
        is_active[list(given)] = True
        standing = np.concatenate([m.stand for m in self.models])
        tree = query.stand(world, joints, sweeps, taylor, standing, is_active)
        return _Stage(
            make_room(),
            joints,
            sweeps,
            taylor,
            boxes,
            active,
            *tree,
            self._count_pairs(world, is_active),
            self._largest_margin,
            {},
        )

    def _count_pairs(self, world: World, is_active: np.ndarray) -> int:
        """Count the pairs of shapes that a query looks at, before any culling."""
        link = world.geoms["link"]
        active = is_active[world.geoms["model"]]
        per_link = np.bincount(link, minlength=len(world.links)).astype(np.int64)
        moving = np.bincount(link[active], minlength=len(world.links)).astype(np.int64)
        n, m = int(per_link.sum()), int(moving.sum())
        total = m * (m - 1) // 2 + m * (n - m) - int((moving * (moving - 1) // 2).sum())
        for i in range(len(world.links)):
            for k in range(world.rule_start[i], world.rule_start[i + 1]):
                o = world.rule_link[k]
                if o > i and world.rule_margin[k] == -math.inf and (moving[i] or moving[o]):
                    total -= int(per_link[i] * per_link[o])
        return total

    def _name_of(self, world: World, geom: int) -> tuple[str, str]:
        """Return (model, link) names of a shape."""
        m = int(world.geoms[geom]["model"])
        link = int(world.geoms[geom]["link"]) - int(world.models[m]["link"])
        model = self.models[m]
        return self.names[m], self.names[m] if len(model.link_names) == 1 else model.link_names[link]


class _Asked(NamedTuple):
    """What an answer needs to tell more about itself later."""

    scene: Scene
    world: World
    stage: _Stage
    configs: np.ndarray
    margin: float
    tolerance: float
    geoms: tuple[int, int]
    counts: np.ndarray
    clock: np.ndarray
    elapsed: float
    upper: float | None = None
    """Where the final interval ends; only of the interval engine."""


class Answer(FirstContact):
    """A `FirstContact` that finds its contacts, and puts its statistics into words, when they are looked at."""

    def __init__(
        self, status: Status, time: float, tolerance: float, motions: tuple[Motion, ...], asked: _Asked
    ) -> None:
        fill = self.__dict__
        fill["status"], fill["time"], fill["tolerance"], fill["motions"] = status, time, tolerance, motions
        fill["_asked"] = asked

    def __repr__(self) -> str:
        return f"FirstContact(status={self.status}, time={self.time!r}, tolerance={self.tolerance!r})"

    @property
    def bracket(self) -> tuple[float, float]:
        """(proven free until, within margin + tolerance by); of the interval engine, its final interval."""
        upper = self._asked.upper  # type: ignore[attr-defined]
        return super().bracket if upper is None or self.status is Status.FREE else (self.time, upper)

    @cached_property
    def contacts(self) -> tuple[Contact, ...]:  # type: ignore[override]
        """Every pair of touching features at `time`, the closest first; none if free or capped.

        Found by one more compiled call when first looked at. A body inside a solid one touches nothing: then the pair
        is named without features.
        """
        if self.status in (Status.FREE, Status.CAPPED):
            return ()
        asked = self._asked  # type: ignore[attr-defined]
        stage = asked.stage
        reach = asked.tolerance if asked.tolerance > 0.0 else RELATIVE_TOLERANCE * asked.world.geoms["diagonal"].max()
        # Tables that a query writes are copied: another thread may be using them by now.
        touches, n = query.touching(
            asked.world,
            make_room(),
            stage.joints.copy(),
            stage.sweeps.copy(),
            stage.taylor.copy(),
            stage.boxes.copy(),
            _with_motions(stage.active, self.motions),
            stage.static_boxes,
            stage.static_child,
            stage.static_geom,
            asked.configs,
            self.time,
            asked.margin,
            max(asked.margin, stage.largest_margin) + reach,
            asked.tolerance,
            RELATIVE_TOLERANCE,
        )
        rows = touches[:n][np.argsort(touches[:n]["distance"], kind="stable")]
        if n == 0:
            (model_a, link_a), (model_b, link_b) = (asked.scene._name_of(asked.world, g) for g in asked.geoms)
            none = np.full(3, np.nan)
            return (Contact(link_a, link_b, "inside", ((), ()), none, none, np.zeros(3), 0.0, model_a, model_b),)
        return _contacts(asked.scene, asked.world, rows)

    @cached_property
    def stats(self) -> Stats:  # type: ignore[override]
        """Counts and seconds of this query."""
        asked = self._asked  # type: ignore[attr-defined]
        counts = asked.counts
        if asked.upper is not None:
            from tocsin.interval import report

            return report.stats(asked.stage.pairs_total, counts, asked.clock, asked.elapsed)
        ticks = max(int(asked.clock.sum()), 1)
        stages = (("motion", query.MOTION), ("culling", query.CULLING), ("advancement", query.ADVANCEMENT))
        return Stats(
            pairs_total=asked.stage.pairs_total * max(int(counts[query.SLABS]), 1),
            pairs_spatial=int(counts[query.SPATIAL]),
            pairs_temporal=int(counts[engine.VISITED]),
            steps=int(counts[engine.STEPS]),
            node_tests=int(counts[engine.NODE_TESTS]),
            hull_tests=int(counts[engine.HULL_TESTS]),
            leaf_tests=int(counts[engine.LEAF_TESTS]),
            slabs=int(counts[query.SLABS]),
            seconds={name: asked.elapsed * int(asked.clock[k]) / ticks for name, k in stages},
        )


def _with_motions(active: np.ndarray, motions: tuple[Motion, ...]) -> np.ndarray:
    """Return the table of active models, filled in again for these motions: a later question may have changed it."""
    table = active.copy()
    offset = 0
    for k, motion in enumerate(motions):
        table[k, query.PIECES] = motion.pieces
        table[k, query.OFFSET] = offset
        offset += motion.rows.size
    return table


def _contacts(scene: Scene, world: World, rows: np.ndarray) -> tuple[Contact, ...]:
    """Put touches into words; vertex indices are those of the shape's own mesh.

    Column by column: reading records one by one takes ten times as long.
    """
    geoms = {int(g) for side in ("geom_a", "geom_b") for g in np.unique(rows[side])}
    names = {g: scene._name_of(world, g) for g in geoms}
    first = {g: int(world.geoms[g]["proxy"]) - int(world.geoms[g]["points"]) for g in geoms}
    columns = [rows[name].tolist() for name in ("kind", "geom_a", "geom_b", "a", "b", "distance")]
    points = [np.ascontiguousarray(rows[name]) for name in ("point_a", "point_b", "normal")]
    found = []
    for kind, geom_a, geom_b, a, b, distance, point_a, point_b, normal in zip(*columns, *points):
        (model_a, link_a), (model_b, link_b) = names[geom_a], names[geom_b]
        on_a = tuple([i - first[geom_a] for i in a if i >= 0])
        on_b = tuple([i - first[geom_b] for i in b if i >= 0])
        found.append(
            Contact(link_a, link_b, KINDS[kind], (on_a, on_b), point_a, point_b, normal, distance, model_a, model_b)
        )
    return tuple(found)


def _breaks(motions: tuple[Motion, ...]) -> np.ndarray:
    """Return the times at which any motion changes its velocities, 0 and 1 included."""
    return np.unique(np.concatenate([np.arange(m.pieces + 1) / max(m.pieces, 1) for m in motions] + [ONE_PIECE]))


def _distinct_names(models: tuple[Model, ...]) -> tuple[str, ...]:
    """Return the models' names; bodies that were given none are numbered."""
    taken = [m.name for m in models]
    names: list[str] = []
    for model in models:
        name = model.name
        if taken.count(name) > 1:
            if name != _UNNAMED:
                raise TocsinError(f"two models are named {name!r}; names in a scene must differ.")
            k = 1
            while f"{_UNNAMED}-{k}" in taken or f"{_UNNAMED}-{k}" in names:
                k += 1
            name = f"{_UNNAMED}-{k}"
        names.append(name)
    return tuple(names)
