"""Many questions at once: `Scene.check_edges` and its like. Arrays in, arrays out.

Every answer is, bit by bit, that of the single question, whatever the number of threads and the order: the same kernels
find it, and no answer depends on what was asked before.
"""

# What kernels return has the types that Numba finds.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeAlias, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tocsin import _cast, _given
from tocsin._types import Row
from tocsin.broad_phase.moving import OFFSET, PIECES
from tocsin.compiler.helpers import helped_by
from tocsin.errors import TocsinError
from tocsin.model.base import Motion, counted
from tocsin.model.body import Body
from tocsin.model.following import column_names, said_joints
from tocsin.model.robot import Robot
from tocsin.motion.arcs import decided
from tocsin.motion.knots import ONE_STRETCH, exact_time, last_before, stretches_of
from tocsin.motion.links import BASE_WIDTH
from tocsin.options import DEVICES
from tocsin.outcome import CAPPED, CONTACT, FREE, INITIAL_CONTACT
from tocsin.queries.buffers import Prepared
from tocsin.queries.context import Context
from tocsin.queries.deadlines import ticks_at
from tocsin.queries.devices import by_wavefront, wavefront
from tocsin.queries.engines.advancement import ENGINE, Limited
from tocsin.queries.first_contact import first_contact, outcome_of
from tocsin.queries.kernels.batch import (
    CHUNK,
    OUTCOME,
    PART_FIRST,
    PART_WIDTH,
    Batch,
    Taken,
    ask_edges,
    first_wrong,
    write_poses,
)
from tocsin.queries.kernels.first_contact import Terms
from tocsin.queries.threads import UNASKED, BatchInterrupted, Progress, Watch, deal, shown
from tocsin.results import STATUSES, AskedScene, FirstContact

Movers: TypeAlias = Robot | Body | Sequence[Robot | Body]
"""What moves in a batch: one model, or several at once."""

Groups: TypeAlias = str | Sequence[str | None] | None
"""Which joints of a robot, or of each of several."""


class Points:
    """Motions of one model, or of several at once, checked and copied: each through as many configurations or poses."""

    def __init__(self, context: Context, models: Movers, given: dict[str, object], group: Groups = None) -> None:
        self.context, self.names = context, tuple(given)
        self.several = isinstance(models, (tuple, list))
        several = cast(Sequence[Robot | Body], models if self.several else (models,))
        self.models: tuple[Robot | Body, ...] = checked_models(context, tuple(several))
        every = (None,) * len(self.models)
        groups = every if group is None else cast(Sequence[str | None], self.shared("group", group))
        columns: list[np.ndarray] = []
        entries: list[np.ndarray] = []
        for name, values in given.items():
            for m, of_model in enumerate(self.shared(name, values)):
                moved, rows = entries_of(self.models[m], self.said(name, m), of_model, groups[m])
                entries.append(moved)
                columns.append(rows)
                if len(rows) != len(columns[0]):
                    what = self.said(self.names[0], 0), self.said(name, m)
                    raise TocsinError(
                        f"{what[0]} and {what[1]} must have as many rows; got {len(columns[0])} and {len(rows)}."
                    )
        self.batch: Batch = laid_out(self.models, entries, columns)
        self.check()

    def __len__(self) -> int:
        return len(self.batch.numbers)

    def shared(self, name: str, values: object) -> Sequence[object]:
        """Return what is given for each model: of several, as many as there are models."""
        if not self.several:
            return (values,)
        if not isinstance(values, (tuple, list)) or len(values) != len(self.models):
            raise TocsinError(
                f"{name} must be a list of {len(self.models)}, one for each model that moves; got {_cast.said(values)}."
            )
        return cast(Sequence[object], values)

    def said(self, name: str, m: int) -> str:
        """Name an array as its user knows it."""
        return f"{name} of {self.models[m].name!r}" if self.several else name

    def check(self) -> None:
        """Refuse what cannot be followed, by its row."""
        configs = self.batch.template.copy()
        i, m, k = first_wrong(self.batch, configs)
        if i < 0:
            return
        model, (first, width) = self.models[m], self.batch.parts[m, :2].tolist()
        row = configs[first + k * width : first + (k + 1) * width]
        what = self.what(i, m, k)
        unreal = np.flatnonzero(~np.isfinite(row))
        if len(unreal):
            entry = int(unreal[0])
            where = model.entry_name(entry - BASE_WIDTH) if isinstance(model, Robot) else f"entry {entry} of the pose"
            raise TocsinError(f"{what} has {row[entry]:g} in {where}; numbers must be finite.")
        model.checked(row, what)

    def what(self, i: int, m: int, k: int) -> str:
        """Name point k of model m in motion i as its user knows it."""
        return f"row {i} of {self.said(self.names[k], m)}"

    @property
    def title(self) -> str:
        """What moves."""
        return " and ".join(repr(model.name) for model in self.models)

    @property
    def task(self) -> str:
        """What is asked, for a bar."""
        return f"{len(self):,} motions of {self.title}"

    def motions(self, i: int) -> tuple[Motion, ...]:
        """Return those of one question."""
        batch = self.batch
        configs = batch.template.copy()
        configs[batch.places] = batch.numbers[i]
        found: list[Motion] = []
        for model, (first, width) in zip(self.models, batch.parts[:, :2].tolist()):
            rows = configs[first : first + batch.points * width].reshape(batch.points, width).copy()
            found.append(Motion.of(model, decided(rows, model.kernel_quaternions)))
        return tuple(found)

    def standing(self) -> tuple[Motion, ...]:
        """Return the models at rest: whatever they are asked, their buffers are those of all these motions."""
        return tuple([Motion.of(model, model.rest[None].copy()) for model in self.models])

    def configs(self, prepared: Prepared) -> np.ndarray:
        """Return one thread's configuration rows, to be written; and tell its buffers where those of each model are."""
        batch, active = self.batch, prepared.buffers.active
        active[:, PIECES] = batch.points - 1
        active[:, OFFSET] = batch.parts[:, PART_FIRST]
        rows = prepared.kept.get("rows")
        if rows is None or len(rows) != len(batch.template):
            rows = prepared.kept["rows"] = batch.template.copy()
        return rows

    def picked(self, which: np.ndarray) -> Points:
        """Return some of them."""
        some = copy.copy(self)
        some.batch = self.batch._replace(numbers=self.batch.numbers[which])
        return some


class Paths(Points):
    """Those of a list of paths that have as many rows; `numbers` are their places in it."""

    def __init__(
        self, context: Context, model: Movers, paths: list[np.ndarray], numbers: list[int], group: Groups
    ) -> None:
        self.numbers = numbers
        stacked = np.stack([paths[i] for i in numbers], axis=1)
        super().__init__(context, model, {f"row {k} of the paths": rows for k, rows in enumerate(stacked)}, group)

    def what(self, i: int, m: int, k: int) -> str:
        """Name point k of motion i as its user knows it."""
        return f"row {k} of path {self.numbers[i]}"


def laid_out(models: Sequence[Robot | Body], entries: list[np.ndarray], columns: list[np.ndarray]) -> Batch:
    """Return motions as kernels take them; `entries` of a row that `columns` give, point by point, model by model."""
    count = len(models)
    points = len(columns) // count
    parts = np.zeros((count, 4), np.int64)
    template: list[Row] = []
    most: list[Row] = []
    places: list[np.ndarray] = []
    quaternions = np.concatenate([model.quaternions for model in models])
    first = turns = 0
    for m, model in enumerate(models):
        parts[m] = first, model.width, turns, turns + len(model.quaternions)
        template += [model.rest] * points
        most += [model.most] * points
        first, turns = first + points * model.width, turns + len(model.quaternions)
    for j, moved in enumerate(entries):
        m, k = j % count, j // count
        places.append(parts[m, PART_FIRST] + k * parts[m, PART_WIDTH] + moved)
    numbers = np.concatenate(columns, axis=1)  # a copy, whoever they belong to
    stretches = ONE_STRETCH if points <= 2 else stretches_of([points - 1])
    where = np.concatenate(places).astype(np.int64)
    return Batch(
        np.concatenate(template), where, numbers, points, parts, quaternions, np.concatenate(most), stretches
    )  # fmt: skip


def checked_models(context: Context, models: tuple[Robot | Body, ...]) -> tuple[Robot | Body, ...]:
    """Return bodies and robots of the scene, each once; refuse what is none."""
    context.links_only("a batch", "ask about one motion at a time")
    if not models:
        raise TocsinError("a batch is about a robot or body, or a list of some; got an empty list.")
    for model in models:
        if not _cast.instance(model, (Robot, Body)):
            raise TocsinError(f"a batch is about one robot or body, or a list of some; got {type(model).__name__}.")
        if id(model) not in context.places:
            raise TocsinError(f"{model!r} is not in this scene; its models are: {', '.join(context.names)}.")
    places = [context.places[id(model)] for model in models]
    if len(set(places)) < len(places):
        raise context.moved_twice(places)
    return models


def entries_of(model: Robot | Body, name: str, given: object, group: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the entries of a configuration row that are given, and their values, (n, entries)."""
    if isinstance(model, Robot):
        columns = model.columns(group)
        return BASE_WIDTH + np.array(columns, np.int64), configurations(model, name, given, columns, group)
    if group is not None:
        raise TocsinError(f"group= is for robots, and {model.name!r} is a body.")
    return np.arange(BASE_WIDTH), poses(name, given)


def configurations(robot: Robot, name: str, given: object, columns: list[int], group: str | None) -> np.ndarray:
    """Return (n, columns): configurations of all joints or those of a group; the others stand."""
    names = column_names(robot.joints)
    _given.check_labels(given, name, [names[k] for k in columns])
    try:
        values = _cast.numbers(given, name, "numbers in an array, one configuration a row")
    except TocsinError:
        joints = said_joints(robot, group)
        for i, row in enumerate(given if isinstance(given, (list, tuple)) else ()):
            values = _cast.numbers(row, f"row {i} of {name}", f"{len(columns)} numbers (joints: {joints})")
            if values.shape != (len(columns),):
                wanted = f"{counted(len(columns), 'value')} (joints: {joints})"
                raise TocsinError(f"row {i} of {name} must have {wanted}; got shape {values.shape}.") from None
        raise
    if values.ndim != 2 or values.shape[1] != len(columns):
        raise TocsinError(
            f"{name} must have shape (n, {len(columns)}), one configuration a row (joints: "
            f"{said_joints(robot, group)}); got shape {values.shape}."
        )
    return values


def poses(name: str, given: object) -> np.ndarray:
    """Return (n, 7): poses, given as (n, 4, 4) rigid transforms or (n, 3) translations."""
    values = _cast.numbers(given, name, "an array of poses, of shape (n, 4, 4) or (n, 3)")
    if values.ndim == 2 and values.shape[1] == 3:
        rows = np.zeros((len(values), 7))
        rows[:, :3], rows[:, 6] = values, 1.0
        return rows
    if values.ndim != 3 or values.shape[1:] != (4, 4):
        raise TocsinError(f"{name} must be poses, of shape (n, 4, 4) or (n, 3); got shape {values.shape}.")
    rows = np.zeros((len(values), 7))
    wrong = write_poses(values, rows)
    if wrong >= 0:
        _cast.pose(values[wrong], f"row {wrong} of {name}")
    return rows


# ---- asking ----------------------------------------------------------------------------------------------------------


class Asking:
    """The terms on which a batch is asked, checked."""

    def __init__(
        self, margin: object, tolerance: float | None, max_steps: object, threads: object,
        progress: Progress | bool | None, deadline: object = None, device: object = "cpu",
    ) -> None:  # fmt: skip
        self.device: str = _cast.choice(device, "device", DEVICES)
        self.until: int = 0 if deadline is None else ticks_at(deadline)
        """When it ends, in ticks; 0: when it is done."""
        self.margin: float = _cast.margin(margin)
        self.tolerance: float = -1.0 if tolerance is None else _cast.tolerance(tolerance)
        self.given_tolerance: float | None = tolerance
        self.max_steps: int = _cast.count(max_steps, "max_steps")
        self.threads: int | None = None if threads is None else _cast.count(threads, "threads")
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            given = _cast.said(progress)
            raise TocsinError(f"progress is a function of (done, total), or True for a bar; got {given}.")
        self.progress: Progress | bool | None = progress

    def after(self, done: int, total: int) -> Asking:
        """Return the same for a part of a batch of which so much is done."""
        part = copy.copy(self)
        progress = self.progress
        if callable(progress):
            part.progress = lambda more, _: progress(done + more, total)
        return part

    def quietly(self) -> Asking:
        """Return the same without a word about progress."""
        part = copy.copy(self)
        part.progress = None
        return part

    def outcomes(self, points: Points, anything: bool) -> np.ndarray:
        """Return the outcome of every motion; `BatchInterrupted` has those that were found until Ctrl-C."""
        wave = wavefront(points, self) if self.device == "cuda" else None
        if wave is not None:
            return by_wavefront(wave, points, self, anything)
        return self.by_threads(points, anything)

    def by_threads(self, points: Points, anything: bool) -> np.ndarray:
        """Return the outcomes, all found by the kernels of single questions on this machine's processors."""
        found = np.zeros(len(points), OUTCOME)
        found["a"] = found["b"] = UNASKED
        found["status"] = unasked = CAPPED if self.until else UNASKED
        context, standing = points.context, points.standing()

        @helped_by("tocsin.queries.ahead")
        def work(dealt: NDArray[np.int64], left: int, watch: Watch) -> Taken:
            _, world, prepared, _, _ = context.ready(standing, self.margin, self.tolerance)
            buffers = prepared.buffers
            configs = points.configs(prepared)
            alone = np.empty(CHUNK, np.int64)
            grow = max(self.margin, prepared.largest_margin)
            terms = Terms(self.margin, grow, self.tolerance, self.max_steps, anything)
            with watch.over(buffers.counts):
                taken = ask_edges(prepared.table, points.batch, terms, dealt, left, configs, found, alone)
            if context.charts.wanted and not self.until:
                context.charts.count(taken.steps, world, buffers.workspace.pairs, self.margin, self.tolerance)
            for i in alone[: taken.alone].tolist():
                self.ask_alone(points, i, anything, found)
            return taken

        try:
            with shown(self.progress, points.task) as progress:
                deal(len(points), work, self.threads or context.threads, progress, self.until)
        except KeyboardInterrupt as stopped:
            done = found["a"] != UNASKED
            found["status"][~done] = unasked  # those that were to be asked alone, too
            raise BatchInterrupted(found, done) from stopped
        return found

    def ask_alone(self, points: Points, i: int, anything: bool, found: np.ndarray) -> None:
        """Ask about one motion for which a chart is to be made first, or whose arc is decided by rationals."""
        engine = Limited(self.until) if self.until else ENGINE
        outcome = outcome_of(
            points.context, points.motions(i), self.margin, self.given_tolerance, self.max_steps, engine, anything
        )  # fmt: skip
        status, time, upper, a, b, tolerance, stretch = outcome
        found[i] = time, upper, tolerance, a, b, stretch, status

    def first_contact(self, points: Points, i: int, scene: AskedScene) -> FirstContact:
        """Ask about one motion, in full."""
        return first_contact(
            points.context, points.motions(i), self.margin, self.given_tolerance, self.max_steps, ENGINE, scene=scene
        )  # fmt: skip


def are_free(points: Points, asking: Asking) -> NDArray[np.bool_]:
    """Return which motions are proven free."""
    try:
        return asking.outcomes(points, True)["status"] == FREE
    except BatchInterrupted as stopped:
        stopped.answers = stopped.answers["status"] == FREE
        raise


def are_free_paths(
    context: Context, model: Movers, paths: Sequence[ArrayLike] | ArrayLike, group: Groups, asking: Asking
) -> NDArray[np.bool_]:
    """Return which paths are proven free: those of one length after the other."""
    checked_models(context, (cast(Robot | Body, model),))
    wanted = "arrays of configurations or poses, one a row"
    given = _given.sequence(cast(Iterable[object], paths), "paths", f"a sequence of {wanted}")
    if isinstance(model, Robot):
        names = column_names(model.joints)
        for i, path in enumerate(given):
            _given.check_labels(path, f"path {i}", [names[k] for k in model.columns(cast(str | None, group))])
    arrays = [_cast.numbers(path, f"path {i}", wanted) for i, path in enumerate(given)]
    lengths: dict[tuple[int, ...], list[int]] = {}
    for i, path in enumerate(arrays):
        if path.ndim < 2 or len(path) < 2:
            raise TocsinError(f"path {i} needs at least two rows, {wanted}; got shape {path.shape}.")
        lengths.setdefault(path.shape, []).append(i)
    batches = [Paths(context, model, arrays, numbers, group) for numbers in lengths.values()]
    free, done = np.zeros(len(arrays), np.bool_), np.zeros(len(arrays), np.bool_)
    for points in batches:
        try:
            free[points.numbers] = are_free(points, asking.after(int(done.sum()), len(arrays)))
            done[points.numbers] = True
        except BatchInterrupted as stopped:
            free[points.numbers], done[points.numbers] = stopped.answers, stopped.done
            raise BatchInterrupted(free, done) from stopped
    return free


def first_contacts(points: Points, asking: Asking, scene: AskedScene) -> FirstContacts:
    """Return the first contacts of all motions."""
    try:
        return FirstContacts(asking.outcomes(points, False), points, asking, scene)
    except BatchInterrupted as stopped:
        stopped.answers = FirstContacts(stopped.answers, points, asking, scene)
        raise


class FirstContacts(Sequence[FirstContact]):
    """The answer to `Scene.first_contacts`: arrays over all motions; `[i]` is the answer about one, with all it tells.

    hits = scene.first_contacts(robot, Q0, Q1)
    hits.collides.mean(), hits.time.min(), hits.links[hits.collides]
    hits[7].contacts
    """

    def __init__(self, found: np.ndarray, points: Points, asking: Asking, scene: AskedScene) -> None:
        self._found, self._points, self._asking, self._scene = found, points, asking, scene
        self._world, self._link_names = points.context.tables(), points.context.link_names

    @cached_property
    def codes(self) -> NDArray[np.int8]:
        """How each ended, as numbers: 0 free, 1 contact, 2 capped, 3 initial contact; -2 what Ctrl-C left unasked."""
        codes = self._found["status"].astype(np.int8)
        codes[(codes == CONTACT) & (self.time == 0.0)] = INITIAL_CONTACT
        return _cast.frozen(codes)

    @cached_property
    def time(self) -> NDArray[np.float64]:
        """No later than the first contact; inf where proven free; where capped, freedom is proven until then."""
        time = self._found["time"].copy()
        if len(self._points.batch.stretches) > 1:
            stretches = [tuple(s) for s in self._points.batch.stretches.tolist()]
            for i in np.flatnonzero(self._found["status"] != FREE):
                time[i] = last_before(exact_time(stretches[self._found["stretch"][i]], time[i]))
        return _cast.frozen(time)

    @cached_property
    def tolerance(self) -> NDArray[np.float64]:
        """Of the pair that touched, metres."""
        return _cast.frozen(self._found["tolerance"].copy())

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<first contacts of {len(self):,} motions, {int(self.collides.sum()):,} of which collide>"

    @property
    def status(self) -> NDArray[np.object_]:
        """(n,) of `Status`."""
        return np.array([*STATUSES, None], dtype=object)[np.where(self.codes < 0, len(STATUSES), self.codes)]

    @property
    def collides(self) -> NDArray[np.bool_]:
        """(n,): False only where freedom is proven."""
        return self.codes != FREE

    @property
    def links(self) -> NDArray[np.object_]:
        """(n, 2): the names of the links that touch; '' where none do."""
        return self._named(1)

    @property
    def models(self) -> NDArray[np.object_]:
        """(n, 2): the names of their models."""
        return self._named(0)

    def resume(self, *, deadline: float | None = None) -> FirstContacts:
        """Ask again about those that are capped, each from its start, with another deadline (seconds from now)."""
        asking = copy.copy(self._asking)
        asking.until = 0 if deadline is None else ticks_at(deadline)
        which = np.flatnonzero(self.codes == CAPPED)
        self._check_scene()
        found = self._found.copy()
        found[which] = asking.outcomes(self._points.picked(which), False)
        return FirstContacts(found, self._points, asking, self._scene)

    def _check_scene(self) -> None:
        if self._points.context.tables() is not self._world:
            raise TocsinError("a model or a rule of the scene has changed since these contacts were found; ask again.")

    def _named(self, which: int) -> NDArray[np.object_]:
        context = self._points.context
        shapes = range(len(self._world.geoms))
        names = [context.name_of(self._world, g, self._link_names)[which] for g in shapes]
        touching = (self.codes == CONTACT) | (self.codes == INITIAL_CONTACT)
        pairs = np.stack([self._found["a"], self._found["b"]], axis=1)
        return np.array([*names, ""], dtype=object)[np.where(touching[:, None], pairs, len(names))]

    @overload
    def __getitem__(self, index: int) -> FirstContact: ...
    @overload
    def __getitem__(self, index: slice) -> list[FirstContact]: ...
    def __getitem__(self, index: int | slice) -> FirstContact | list[FirstContact]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        self._check_scene()
        return self._asking.first_contact(self._points, i, self._scene)

    def __iter__(self) -> Iterator[FirstContact]:
        return (self[i] for i in range(len(self)))


def proven_free(points: Points, asking: Asking, scene: AskedScene) -> NDArray[np.float64]:
    """Return how much of each motion, up to 1, is proven free."""
    try:
        return np.minimum(first_contacts(points, asking, scene).time, 1.0)
    except BatchInterrupted as stopped:
        stopped.answers = np.minimum(stopped.answers.time, 1.0)
        raise
