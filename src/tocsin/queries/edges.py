"""Many motions of one model at once: `Scene.check_edges` and its like. Arrays in, arrays out.

Every answer is, bit by bit, that of the single question, whatever the number of threads and the order: the same kernels
find it, and no answer depends on what was asked before.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tocsin import _cast
from tocsin.broad_phase.moving import PIECES
from tocsin.errors import TocsinError
from tocsin.model.base import Model, Motion
from tocsin.model.body import Body
from tocsin.model.robot import Robot
from tocsin.motion.arcs import decided
from tocsin.motion.knots import exact_time, last_before, stretches_of
from tocsin.motion.links import BASE_WIDTH
from tocsin.outcome import CONTACT, FREE, INITIAL_CONTACT, UNCHARTED
from tocsin.queries.context import Context
from tocsin.queries.engines.advancement import ENGINE
from tocsin.queries.first_contact import first_contact, outcome_of
from tocsin.queries.kernels.batch import OUTCOME, Batch, ask_chunk, first_wrong, write_poses
from tocsin.queries.kernels.first_contact import Terms
from tocsin.queries.threads import BatchInterrupted, deal, shown
from tocsin.results import STATUSES, FirstContact

UNASKED = -2
"""The status of what was not reached before an interruption."""


class Points:
    """Motions of one model, checked and copied: each through as many configurations, or poses."""

    def __init__(self, context: Context, model: Any, given: dict[str, Any], group: Any = None) -> None:
        check_model(context, model)
        self.context, self.model, self.names = context, model, tuple(given)
        if isinstance(model, Robot):
            front, columns = model.rest[:BASE_WIDTH].copy(), [configurations(model, *a, group) for a in given.items()]
        else:
            if group is not None:
                raise TocsinError(f"group= is for robots, and {model.name!r} is a body.")
            front, columns = np.zeros(0), [poses(*a) for a in given.items()]
        for name, column in zip(self.names, columns):
            if len(column) != len(columns[0]):
                first = self.names[0]
                raise TocsinError(
                    f"{first} and {name} must have as many rows; got {len(columns[0])} and {len(column)}."
                )
        self.batch = Batch(
            front, np.stack(columns, axis=1), model.quaternions.copy(), stretches_of([len(columns) - 1])
        )  # fmt: skip
        self.check()

    def __len__(self) -> int:
        return len(self.batch.points)

    def rows(self) -> np.ndarray:
        """Return configuration rows to be written, one thread's."""
        front, points = self.batch.front, self.batch.points
        return np.zeros((points.shape[1], len(front) + points.shape[2]))

    def check(self) -> None:
        """Refuse what cannot be followed, by its row."""
        i, k = first_wrong(self.batch, self.model.most, self.rows())
        if i < 0:
            return
        what, values = self.what(i, k), self.batch.points[i, k]
        unreal = np.flatnonzero(~np.isfinite(values))
        if len(unreal):
            entry = int(unreal[0])
            where = entry_name(self.model, entry)
            raise TocsinError(f"{what} has {values[entry]:g} in {where}; numbers must be finite.")
        self.model.checked(np.concatenate([self.batch.front, values]), what)

    def what(self, i: int, k: int) -> str:
        """Name point k of motion i as its user knows it."""
        return f"row {i} of {self.names[k]}"

    def motion(self, i: int) -> Motion:
        """Return one of them."""
        batch = self.batch
        rows = np.concatenate([np.tile(batch.front, (batch.points.shape[1], 1)), batch.points[i]], axis=1)
        return Motion.of(self.model, decided(rows, batch.quaternions))

    def standing(self) -> Motion:
        """Return the model at rest: whatever it is asked, its buffers are those of all these motions."""
        return Motion.of(self.model, self.model.rest[None].copy())


class Paths(Points):
    """Those of a list of paths that have as many rows; `numbers` are their places in it."""

    def __init__(self, context: Context, model: Any, paths: list[np.ndarray], numbers: list[int], group: Any) -> None:
        self.numbers = numbers
        stacked = np.stack([paths[i] for i in numbers], axis=1)
        super().__init__(context, model, {f"row {k} of the paths": rows for k, rows in enumerate(stacked)}, group)

    def what(self, i: int, k: int) -> str:
        """Name point k of motion i as its user knows it."""
        return f"row {k} of path {self.numbers[i]}"


def check_model(context: Context, model: Any) -> None:
    """Refuse what is not a body or robot of the scene."""
    context.links_only("a batch", "ask about one motion at a time")
    if not isinstance(model, (Robot, Body)):
        raise TocsinError(f"a batch is about one robot or body; got {type(model).__name__}.")
    if id(model) not in context.places:
        raise TocsinError(f"{model!r} is not in this scene; its models are: {', '.join(context.names)}.")


def configurations(robot: Robot, name: str, given: Any, group: Any) -> np.ndarray:
    """Return (n, n_config): a copy of configurations, of all joints or those of a group; the others stand."""
    columns = robot.columns(group)
    values = _cast.numbers(given, name, f"numbers in an array of shape (n, {len(columns)})")
    if values.ndim != 2 or values.shape[1] != len(columns):
        joints = ", ".join(robot.joint_names if group is None else robot.groups[group]) or "none"
        raise TocsinError(
            f"{name} must have shape (n, {len(columns)}), one configuration a row (joints: {joints}); got shape "
            f"{values.shape}."
        )
    if group is None:
        return values.copy()
    rows = np.tile(robot.rest[BASE_WIDTH:], (len(values), 1))
    rows[:, columns] = values
    return rows


def poses(name: str, given: Any) -> np.ndarray:
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


def entry_name(model: Model, entry: int) -> str:
    """Return what an entry of a configuration is called."""
    if isinstance(model, Robot):
        return model.entry_name(entry)
    return f"entry {entry} of the pose"


# ---- asking ----------------------------------------------------------------------------------------------------------


class Asking:
    """The terms on which a batch is asked, checked."""

    def __init__(self, margin: Any, tolerance: Any, max_steps: Any, threads: Any, progress: Any) -> None:
        self.margin: float = _cast.margin(margin)
        self.tolerance: float = -1.0 if tolerance is None else _cast.tolerance(tolerance)
        self.given_tolerance: Any = tolerance
        self.max_steps: int = _cast.count(max_steps, "max_steps")
        self.threads: int | None = None if threads is None else _cast.count(threads, "threads")
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise TocsinError(f"progress is a function of (done, total), or True for a bar; got {progress!r}.")
        self.progress = progress

    def after(self, done: int, total: int) -> Asking:
        """Return the same for a part of a batch of which so much is done."""
        part = copy.copy(self)
        if callable(self.progress):
            part.progress = lambda more, _: self.progress(done + more, total)
        return part

    def outcomes(self, points: Points, anything: bool) -> np.ndarray:
        """Return the outcome of every motion; `BatchInterrupted` has those that were found until Ctrl-C."""
        found = np.zeros(len(points), OUTCOME)
        found["status"] = UNASKED
        context, standing, pieces = points.context, (points.standing(),), points.batch.points.shape[1] - 1

        def work(first: int, last: int) -> None:
            _, world, prepared, _, _ = context.ready(standing, self.margin, self.tolerance)
            buffers = prepared.buffers
            buffers.active[0, PIECES] = pieces
            rows = prepared.kept.get(f"rows {pieces}")
            if rows is None:
                rows = prepared.kept[f"rows {pieces}"] = points.rows()
            grow = max(self.margin, prepared.largest_margin)
            terms = Terms(self.margin, grow, self.tolerance, self.max_steps, anything)
            steps = ask_chunk(prepared.table, points.batch, terms, first, last, rows, found)
            if context.charts.wanted:
                context.charts.count(steps, world, buffers.workspace.pairs, self.margin, self.tolerance)
            for i in np.flatnonzero(found["status"][first:last] == UNCHARTED):
                self.ask_alone(points, first + int(i), anything, found)

        try:
            with shown(self.progress, f"{len(points):,} motions of {points.model.name!r}") as progress:
                deal(len(points), work, self.threads or context.threads, progress)
        except KeyboardInterrupt as stopped:
            raise BatchInterrupted(found, found["status"] != UNASKED) from stopped
        return found

    def ask_alone(self, points: Points, i: int, anything: bool, found: np.ndarray) -> None:
        """Ask about one motion for which a chart is to be made first, or whose arc is decided by rationals."""
        motion = (points.motion(i),)
        outcome = outcome_of(
            points.context, motion, self.margin, self.given_tolerance, self.max_steps, ENGINE, anything
        )  # fmt: skip
        status, time, upper, a, b, tolerance, stretch = outcome
        found[i] = time, upper, tolerance, a, b, stretch, status

    def first_contact(self, points: Points, i: int, scene: Any) -> FirstContact:
        """Ask about one motion, in full."""
        motion = (points.motion(i),)
        return first_contact(
            points.context, motion, self.margin, self.given_tolerance, self.max_steps, ENGINE, scene=scene
        )  # fmt: skip


def are_free(points: Points, asking: Asking) -> NDArray[np.bool_]:
    """Return which motions are proven free."""
    try:
        return asking.outcomes(points, True)["status"] == FREE
    except BatchInterrupted as stopped:
        stopped.answers = stopped.answers["status"] == FREE
        raise


def are_free_paths(context: Context, model: Any, paths: Any, group: Any, asking: Asking) -> NDArray[np.bool_]:
    """Return which paths are proven free: those of one length after the other."""
    check_model(context, model)
    wanted = "arrays of configurations or poses, one a row"
    arrays = [_cast.numbers(path, f"path {i}", wanted) for i, path in enumerate(paths)]
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


def first_contacts(points: Points, asking: Asking, scene: Any) -> FirstContacts:
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

    def __init__(self, found: np.ndarray, points: Points, asking: Asking, scene: Any) -> None:
        codes = found["status"].astype(np.int8)
        time = found["time"].copy()
        if len(points.batch.stretches) > 1:
            stretches = [tuple(s) for s in points.batch.stretches.tolist()]
            for i in np.flatnonzero(codes != FREE):
                time[i] = last_before(exact_time(stretches[found["stretch"][i]], time[i]))
        codes[(codes == CONTACT) & (time == 0.0)] = INITIAL_CONTACT
        self.codes: NDArray[np.int8] = _cast.frozen(codes)
        """How each ended, as numbers: 0 free, 1 contact, 2 capped, 3 initial contact; -2 what Ctrl-C left unasked."""
        self.time: NDArray[np.float64] = _cast.frozen(time)
        """No later than the first contact; inf where proven free; where capped, freedom is proven until then."""
        self.tolerance: NDArray[np.float64] = _cast.frozen(found["tolerance"].copy())
        """Of the pair that touched, metres."""
        self._shapes = np.stack([found["a"], found["b"]], axis=1)
        self._points, self._asking, self._scene = points, asking, scene
        self._world = points.context.tables()

    def __len__(self) -> int:
        return len(self.codes)

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

    def _named(self, which: int) -> NDArray[np.object_]:
        context = self._points.context
        names = [context.name_of(self._world, g)[which] for g in range(len(self._world.geoms))]
        touching = (self.codes == CONTACT) | (self.codes == INITIAL_CONTACT)
        shapes = np.where(touching[:, None], self._shapes, len(names))
        return np.array([*names, ""], dtype=object)[shapes]

    @overload
    def __getitem__(self, index: int) -> FirstContact: ...
    @overload
    def __getitem__(self, index: slice) -> list[FirstContact]: ...
    def __getitem__(self, index: int | slice) -> FirstContact | list[FirstContact]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        if self._points.context.tables() is not self._world:
            raise TocsinError("a model or a rule of the scene has changed since these contacts were found; ask again.")
        return self._asking.first_contact(self._points, i, self._scene)

    def __iter__(self) -> Iterator[FirstContact]:
        return (self[i] for i in range(len(self)))


def proven_free(points: Points, asking: Asking, scene: Any) -> NDArray[np.float64]:
    """Return how much of each motion, up to 1, is proven free."""
    try:
        return np.minimum(first_contacts(points, asking, scene).time, 1.0)
    except BatchInterrupted as stopped:
        stopped.answers = np.minimum(stopped.answers.time, 1.0)
        raise
