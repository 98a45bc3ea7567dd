"""What every question about a scene works with: its models and rules, their tables, charts, and each thread's buffers.

A scene has one `Context`, `scene.context`, and the questions are functions of it. Nothing here is for users.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from tocsin import _cast
from tocsin.broad_phase.moving import PIECES
from tocsin.compiler.pages import usual_pages
from tocsin.errors import TocsinError
from tocsin.geometry.mesh import is_path
from tocsin.model import grasp
from tocsin.model.base import Model, Motion, SentModel, is_timed
from tocsin.model.deformable import Deformable
from tocsin.model.screw_body import ScrewBody, ScrewMotion
from tocsin.model.tables import World
from tocsin.model.timed import on_clock
from tocsin.model.world import assemble
from tocsin.options import BACKENDS
from tocsin.queries.buffers import Prepared, prepare, with_motions
from tocsin.queries.charts import Charts
from tocsin.queries.deadlines import first_look
from tocsin.queries.rules import Rules, distinct_names

MOST_BUFFERS = 64
"""Buffers that a thread keeps of one scene: a set for each set of moving models, and margin with its charts."""

LAST = "last"
"""Where a thread keeps the buffers of its last question, beside those."""

NAMED = "link names"
"""Under which buffers keep the names of links: an answer may be looked at when these have changed."""

Ready = tuple["Context", World, Prepared, np.ndarray, int]
"""Whose tables are used, the tables, this thread's buffers, configurations in one array, and the most pieces."""

LinkNames = tuple[tuple[str, ...], ...]
"""The names of the links of each model."""

T = TypeVar("T")


class Context:
    """Models, rules and tables of one scene.

    `hulls`: meshes are taken apart into convex hulls; `threads`: on how many questions about deformable models run.
    """

    def __init__(
        self, models: Sequence[Model], rules: Rules, *, hulls: bool = False, threads: int | None = None,
        charts: bool = True,
    ) -> None:  # fmt: skip
        self.models: tuple[Model, ...] = tuple(models)
        self.names: tuple[str, ...] = rules.names
        self.rules: Rules = rules
        self.hulls: bool = hulls
        self.threads: int | None = threads
        self.soft: bool = any(isinstance(m, Deformable) for m in models)
        self.places: dict[int, int] = {id(m): k for k, m in enumerate(models)}
        """Of the models that motions name, by their ids."""
        self._lock = threading.Lock()
        self.charts: Charts = Charts(self.models, charts, self._lock)
        self._kept: dict[str, tuple[World, object]] = {}
        self._seen: tuple[int, ...] = ()
        self._looked = -1
        self._world: World | None = None
        self.link_names: LinkNames = ()
        """As they were when the tables were laid out: what a robot grips or lets go of changes its links."""
        self._local = threading.local()
        self._carriers: dict[tuple[int, ...], tuple[int, Context]] = {}

    # ---- tables ----------------------------------------------------------------------------------------------------

    def tables(self) -> World:
        """Return the scene's tables, laid out again if a model or a rule has changed."""
        changes = Model.changes
        if self._looked != changes or self._world is None:
            seen = self.state
            with self._lock:
                if self._world is None or seen != self._seen:
                    self._check_carried()
                    rules = {pair: margin for pair, margin in self.rules.of_links().items() if pair[0] != pair[1]}
                    with usual_pages():
                        self._world = assemble(self.models, rules, hulls=self.hulls)
                    self.link_names = tuple([model.link_names for model in self.models])
                    self.charts.begin(self._world)
                    self._local = threading.local()  # buffers on the tables that were
                    self._seen = seen
                self._looked = changes
        return self._world

    @property
    def state(self) -> tuple[int, ...]:
        """The versions of rules and models, which count their changes."""
        return self.rules.version, *[m.version for m in self.models]

    def kept(self, what: str, world: World, make: Callable[[], T]) -> T:
        """Return what an engine keeps beside these tables, made by `make()` if it is not there."""
        kept = self._kept.get(what)
        if kept is None or kept[0] is not world:
            kept = self._kept[what] = (world, make())
        return cast(T, kept[1])

    def copy(self, *, margins: float | None = 0.0) -> Context:
        """Return the same scene with the pairs' own margins wider by this, or without them if None."""
        rules = Rules(self.names, self.models)
        rules.ignored |= self.rules.ignored
        if margins is not None:
            for pair, margin in self.rules.margins.items():
                rules.margins.given[pair] = margin + margins
        twin = Context(self.models, rules, hulls=self.hulls, threads=self.threads, charts=self.charts.wanted)
        twin.places = self.places
        return twin

    def on(self, models: Sequence[Model]) -> Context:
        """Return the same scene on other models of the same names, which motions of its own models move."""
        twin = Context(
            models, self.rules.on(models), hulls=self.hulls, threads=self.threads, charts=self.charts.wanted
        )  # fmt: skip
        twin.places = self.places
        return twin

    def as_it_is(self) -> Context:
        """Return the same scene on copies of its models: nothing that is done to models or rules later changes it."""
        world = self.tables()
        twin = self.on(grasp.copies(self.models))
        if not any(model.carried for model in self.models):
            twin._world, twin._seen, twin.link_names = world, twin.state, self.link_names
            twin.charts.begin(world)
        return twin

    def carrying(self, motions: tuple[Motion, ...]) -> Context:
        """Return this; or its twin in which the bodies that move on screws hang on carriers, see `model.screw_body`."""
        for motion in motions:
            if isinstance(motion, ScrewMotion):
                break
        else:
            return self
        key = tuple([self.places.get(id(m.model), -1) for m in motions if isinstance(m, ScrewMotion)])
        if -1 in key:
            return self
        version, twin = self._carriers.get(key, (-1, self))
        if version != self.rules.version:
            models = [ScrewBody(m, self.names[k]) if k in key else m for k, m in enumerate(self.models)]
            twin = self.on(models)
            self._carriers[key] = (self.rules.version, twin)
        return twin

    # ---- from motions to buffers -----------------------------------------------------------------------------------

    def ready(self, motions: tuple[Motion, ...], margin: float, tolerance: float) -> Ready:
        """Return all that a question about these motions needs, with the charts that there are."""
        world = self._world if self._looked == Model.changes else None  # as `tables` does, without a call
        if world is None:
            world = self.tables()
        if self.charts.charted:
            world = self.charts.charted.get((margin, tolerance), world)
        last = self._local.__dict__.get(LAST)
        motion: Any = motions[0] if len(motions) == 1 else None
        if last is not None and motion.__class__ is last[0] and motion.model is last[1] and world is last[2]:
            # As the question before: the same model, and nothing to be checked or laid out again.
            prepared = last[3]
            pieces = len(motion.rows) - 1
            prepared.buffers.active[0, PIECES] = pieces
            return self, world, prepared, motion.configs, pieces
        self.bind(motions)
        context = self.carrying(motions)
        if context is not self:
            world = context.tables()
            world = context.charts.charted.get((margin, tolerance), world)
        prepared, configs, pieces = context.prepared(world, motions)
        if context is self and motion is not None:
            self._local.__dict__[LAST] = motion.__class__, motion.model, world, prepared
        return context, world, prepared, configs, pieces

    def prepared(self, world: World, motions: tuple[Motion, ...]) -> tuple[Prepared, np.ndarray, int]:
        """Return this thread's buffers for the given motions, their configurations in one array, and most pieces."""
        self.check_motions(motions)
        key = tuple([self.places[id(m.model)] for m in motions])
        local: dict[Any, Any] = self._local.__dict__  # of this thread
        prepared = local.get((id(world), key))
        if prepared is None or prepared.buffers.world is not world:
            if len(set(key)) < len(key):
                raise self.moved_twice(key)
            if len(local) >= MOST_BUFFERS:
                local.clear()
            largest = max([0.0, *self.rules.margins.values()])
            prepared = local[id(world), key] = prepare(self.models, key, world, largest)
            prepared.kept[NAMED] = self.link_names
        if len(motions) == 1:
            pieces = len(motions[0].rows) - 1
            prepared.buffers.active[0, PIECES] = pieces
            return prepared, motions[0].configs, pieces
        if not motions:
            return prepared, np.concatenate([m.rest for m in self.models]), 0
        prepared.buffers.active[:] = with_motions(prepared.buffers.active, motions)
        return prepared, np.concatenate([m.configs for m in motions]), max(m.pieces for m in motions)

    def _check_carried(self) -> None:
        """Refuse a scene that holds a robot and not what it carries, or a body that a robot elsewhere carries."""
        held = {id(model) for model in self.models}
        for name, model in zip(self.names, self.models):
            for carried in model.carried:
                if id(carried.body) not in held:
                    raise TocsinError(
                        f"{name!r} carries {carried.body.name!r}, which is not in this scene; its models are: "
                        f"{', '.join(self.names)}."
                    )
            if model.carrier is not None and id(model.carrier) not in held:
                raise TocsinError(f"{name!r} is carried by {model.carrier.name!r}, which is not in this scene.")

    # ---- names and refusals ----------------------------------------------------------------------------------------

    def name_of(self, world: World, geom: int, link_names: LinkNames | None = None) -> tuple[str, str]:
        """Return (model, link) names of a shape; of tables that were before, by the names of links then."""
        return self.name_of_link(world, int(world.geoms[geom]["link"]), link_names)

    def name_of_link(self, world: World, link: int, link_names: LinkNames | None = None) -> tuple[str, str]:
        """Return (model, link) names of a link by its number in the scene."""
        m = int(world.links[link]["model"])
        names = (self.link_names if link_names is None else link_names)[m]
        return self.names[m], self.names[m] if len(names) == 1 else names[link - int(world.models[m]["link"])]

    def bind(self, motions: Sequence[Motion]) -> None:
        """Give motions that were sent from elsewhere, without their models, those of this scene."""
        for motion in motions:
            model = getattr(motion, "model", None)
            if isinstance(model, SentModel):
                found = [m for m in self.models if m.uid == model.uid]
                if len(found) > 1:
                    raise TocsinError(
                        f"this motion is of {model.name!r}, of which the scene has {len(found)} copies: make it anew, "
                        "of one of them."
                    )
                if found:
                    motion.__dict__["model"] = found[0]

    def check_motions(self, motions: tuple[Motion, ...]) -> None:
        """Refuse what is not a motion of a model in this scene."""
        self.bind(motions)
        for motion in motions:
            if not _cast.instance(motion, Motion):
                many, given = "", cast(object, motion)
                if isinstance(given, (list, tuple)):
                    members = list(cast(Sequence[object], given))
                    numbers = bool(members) and not isinstance(members[0], Motion)
                    many = ": where a model stands is robot.at(q), body.at(T)" if numbers else ": put a star before it"
                raise TocsinError(
                    f"a question takes motions, from robot.move(q0, q1), body.move(T0, T1), cloth.move(V0, V1), follow "
                    f"or at; got {type(motion).__name__}{many}."
                )
            if id(motion.model) not in self.places:
                names = ", ".join(self.names)
                raise TocsinError(f"{motion.model!r} is not in this scene; its models are: {names}.")
            model = self.models[self.places[id(motion.model)]]
            if model.carrier is not None:
                raise TocsinError(
                    f"{model.name!r} is carried by {model.carrier.name!r} and moves with it; detach it first."
                )

    def on_clock(self, motions: tuple[Motion, ...]) -> tuple[Motion, ...]:
        """Return motions that all last as long as the clock, if any carries times (`model.timed`)."""
        if not is_timed(motions):
            return motions
        self.check_motions(motions)
        return on_clock(motions).motions

    def moved_twice(self, key: Sequence[int]) -> TocsinError:
        """Return the error of a model with two motions; `key` are the places of the models that move."""
        twice = next(k for k in key if list(key).count(k) > 1)
        return TocsinError(f"{self.names[twice]!r} is given two motions; a model moves in one way at a time.")

    def links_only(self, what: str, instead: str) -> None:
        """Refuse a question that deformable models do not answer."""
        for name, model in zip(self.names, self.models):
            if isinstance(model, Deformable):
                raise TocsinError(f"{what} is about bodies and robots, and {name!r} is deformable: {instead}.")


def context_of(models: tuple[Model, ...], backend: str, threads: int | None, charts: bool) -> Context:
    """Return the context of a new scene, after checking what its user has given; see `Scene`."""
    hulls = _cast.choice(backend, "backend", BACKENDS) == "hulls"
    for model in models:
        if not _cast.instance(model, Model):
            many = ": put a star before it, Scene(*models)" if _cast.instance(model, (list, tuple)) else ""
            file = ": files are read by Robot.from_urdf, Body.from_mesh and the like" if is_path(model) else ""
            given = f"{type(model).__name__}{many or file}"
            raise TocsinError(f"a scene holds bodies, robots and deformable models; got {given}.")
    if not models:
        raise TocsinError("a scene needs at least one body, robot or deformable model.")
    if len({id(m) for m in models}) < len(models):
        raise TocsinError("a model is in the scene twice; make a second one instead.")
    threads = None if threads is None else _cast.count(threads, "threads")
    first_look()
    rules = Rules(distinct_names(models), models)
    return Context(models, rules, hulls=hulls, threads=threads, charts=_cast.flag(charts, "charts"))
