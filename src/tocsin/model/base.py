"""What a body and a robot have in common: links in a tree, shapes on them, a configuration, and where they rest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, cast
from weakref import WeakValueDictionary

import numpy as np

from tocsin import _cast, _given
from tocsin._cast import clock
from tocsin._types import Indices, LinkTable, Matrices4, PoseLike, Row, Rows, Stretch, Values
from tocsin.errors import TocsinError, unknown_name
from tocsin.geometry.shape import Shape
from tocsin.motion.arcs import decided
from tocsin.motion.clocks import share_on
from tocsin.motion.knots import share_at, shares_in
from tocsin.motion.links import BASE_WIDTH, IDENTITY_BASE, PLANAR, PRISMATIC, REVOLUTE
from tocsin.motion.poses import between, link_poses
from tocsin.results import FirstContact, LazyContact, Status
from tocsin.row_checks import check_row


def counted(n: int, what: str) -> str:
    """Return "1 link", "2 links"."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def repeated(stations: np.ndarray, before: int, after: int) -> np.ndarray:
    """Return stations with the first and the last so many times more."""
    counts = np.ones(len(stations), np.int64)
    counts[0] += before
    counts[-1] += after
    return np.repeat(stations, counts, axis=0)


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """A model moving over [0, 1] through the rows of `rows`, at constant velocities in between, equal times each.

    Made by `move`, `follow` and `at` of a model, and handed to the questions of a scene. Rows are configurations with
    the base (x y z, quaternion x y z w) in front; the row of a standing model is one. The signs of quaternions are
    chosen so that they tell along which arcs they are followed (`motion.arcs`): any part of `rows`, in either order,
    is a part of the same motion to `Motion.of`.
    """

    model: Model
    rows: Rows
    """Nobody can write them: what was proven of a motion stays true of it."""
    configs: Values = field(init=False, repr=False)
    """The same numbers in a row, as kernels take them; made from the rows."""

    times: ClassVar[Values | None] = None
    """Of a motion on a clock (`timed`): seconds at its knots, one more than pieces."""
    seconds: ClassVar[bool] = False
    """Are the times those of a clock?"""
    error: ClassVar[Row | None] = None
    """(width,) how far its entries may be off, see `bounds.tubes`; None if they are not."""
    degree: ClassVar[int] = 0
    """Of polynomials of time; 0 where velocities are constant between rows."""

    def __post_init__(self) -> None:
        """Check what was given: rows that kernels could not follow must not reach them."""
        if not _cast.instance(self.model, Model):
            raise TocsinError(f"a motion is of a body, robot or deformable model; got {self.model!r}.")
        rows = _cast.array(self.rows, f"the rows of a motion of {self.model.name!r}", (None, self.model.width))
        if not len(rows):
            raise TocsinError(f"a motion of {self.model.name!r} needs at least one row.")
        for k, row in enumerate(rows):
            self.model.checked(row, f"row {k} of a motion of {self.model.name!r}")
        self._keep(decided(rows.copy(), self.model.kernel_quaternions))

    def __repr__(self) -> str:
        how = counted(self.pieces, "piece") if self.pieces else "standing"
        how += f" of degree {self.degree}" if self.degree else ""
        if self.times is not None and self.seconds:
            how += f", {clock(self.times[0])} to {clock(self.times[-1])} s"
        tube = "" if self.error is None else f", off by up to {self.error.max():.3g} rad or m"
        return f"<Motion of {self.model.name!r}: {how}{tube}>"

    def _keep(self, rows: Rows) -> None:
        """Keep rows that are ours, and `configs`: the same numbers in a row, as kernels take them.

        Kernels are compiled for arrays that can be written, and others take longer to be handed over; so `configs` is a
        view from before the rows were frozen. Rows that are frozen already belong to another motion, and are copied.
        """
        configs = rows.reshape(-1)
        if not configs.flags.writeable:
            rows = rows.copy()
            configs = rows.reshape(-1)
        rows.setflags(False)  # pyright: ignore[reportCallIssue]  # by keyword it takes longer
        kept = self.__dict__
        kept["rows"], kept["configs"] = rows, configs

    def __getstate__(self) -> dict[str, object]:
        """Leave the model behind: it may be of a hundred megabytes, and whoever asks about the motion has it."""
        state = {name: value for name, value in self.__dict__.items() if name not in ("configs", "timeline")}
        if _cast.instance(self.model, Model):
            state["model"] = SentModel(self.model.uid, self.model.name)
        return state

    def through(self, rows: Rows, **others: object) -> Motion:
        """Return the same motion through other rows, which are ours; `others` are other values of its fields."""
        made = object.__new__(type(self))
        made.__dict__.update({name: value for name, value in self.__dict__.items() if name != "timeline"}, **others)
        made._keep(rows)
        return made

    def __copy__(self) -> Motion:
        return self.through(self.rows)

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._keep(self.rows)

    @staticmethod
    def of(model: Model, rows: Rows) -> Motion:
        """Return a motion through rows that were checked before, and whose arcs were decided (`motion.arcs`)."""
        motion = object.__new__(Motion)
        motion.__dict__["model"] = model
        motion._keep(rows)
        return motion

    @staticmethod
    def fresh(model: Model, configs: Values, rows: Rows) -> Motion:
        """As `of`, a quarter faster: of rows that are ours, and all of `configs`, which holds nothing else."""
        motion = object.__new__(Motion)
        kept = motion.__dict__
        kept["model"], kept["configs"], kept["rows"] = model, configs, rows
        rows.setflags(False)  # pyright: ignore[reportCallIssue]  # by keyword it takes longer
        return motion

    @property
    def ends(self) -> Rows:
        """The first and the last row."""
        return self.rows[[0, -1]]

    @property
    def pieces(self) -> int:
        """How many stretches of constant velocity it has; 0 if it stands."""
        return len(self.rows) - 1

    def row_at(self, t: float) -> Row:
        """Return the configuration row, base in front, at time t in [0, 1]."""
        t = _given.moment(t)
        if self.pieces == 0:
            return self.rows[0].copy()
        if self.times is not None:
            return self.row_of(*share_on(self.times, t))
        return self.row_of(*share_at(t, self.pieces))

    def standing(self, t: float) -> Motion:
        """Return the model standing where this motion has it at time t in [0, 1]."""
        return Motion.of(self.model, self.row_at(t)[None])

    @property
    def width(self) -> int:
        """Entries of a row."""
        return self.rows.shape[1]

    def lasting(self, before: int, after: int) -> Motion:
        """Return the same motion with so many pieces in which it stands before and after."""
        return self.through(repeated(self.rows, before, after))

    def row_of(self, piece: int, share: float) -> Row:
        """Return the row when so much of a piece is done."""
        rows = self.configs.reshape(self.rows.shape)
        return between(rows[piece], rows[piece + 1], self.model.kernel_quaternions, share)

    def rows_in(self, stretch: Stretch) -> tuple[Row, Row]:
        """Return the rows at both ends of a stretch (`motion.knots`)."""
        if self.pieces == 0:
            return self.rows[0], self.rows[0]
        k, begin, end = shares_in(stretch, self.pieces)
        return self.row_of(k, begin), self.row_of(k, end)

    def link_poses(self, t: float = 0.0) -> Matrices4:
        """Return (n_links, 4, 4): where the links are in the world at time t."""
        return link_poses(self.model.kernel_links, self.row_at(t))


def is_timed(motions: Sequence[Motion]) -> bool:
    """Does any of these carry times?"""
    for motion in motions:
        if getattr(motion, "times", None) is not None:  # what is no motion is refused later
            return True
    return False


@dataclass(frozen=True)
class SentModel:
    """In place of the model of a motion that comes from elsewhere, until a scene that has the model is asked about it.

    Until then it answers as the model of that name in this process does, if there is one.
    """

    uid: str
    name: str

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        copies = _MODELS.get(self.uid)
        model = next(iter(copies.values()), None) if copies else None
        if model is None:
            raise TocsinError(
                f"this motion is of {self.name!r}, which is not in this process: motions travel without their models, "
                "so send the scene, or the model, as well."
            )
        return getattr(model, attribute)


@dataclass(eq=False)
class Model:
    """A tree of links. Not made directly: see `Body` and `RobotBuilder`."""

    name: str
    link_names: tuple[str, ...]
    links: LinkTable
    """The LINK table, parents before children, parents by index within the model."""
    shapes: tuple[tuple[Shape, ...], ...]
    """What each link carries."""
    n_config: int
    """Length of the configuration vector, without the base."""
    quaternions: Indices
    """Where quaternions start in a configuration row, the base's included."""
    rest: Row = field(default_factory=lambda: IDENTITY_BASE.copy())
    """The configuration row at which it stands when no motion is given."""
    ignored: frozenset[tuple[int, int]] = frozenset()
    """Pairs of links, smaller index first, that are not checked against each other."""
    version: int = 0
    """Counts changes of `rest`, `ignored` and the links, so that scenes know when to look again."""
    uid: str = field(default_factory=lambda: os.urandom(16).hex(), repr=False)
    """The same in every process that it is sent to: by it motions that are sent find it."""
    changes: ClassVar[int] = 0
    """Counts those of all models, and of scenes' rules: while it stands still, no scene has to look at any version."""
    carrier: Any = field(default=None, init=False, repr=False)
    """Of a body that a robot carries: that robot (`model.grasp`)."""
    carried: tuple[Any, ...] = field(default=(), init=False, repr=False)
    """Of a robot: what it carries."""

    def __post_init__(self) -> None:
        """Freeze what it was made of, and be found by motions that are sent here."""
        self._freeze()
        self._copies = _MODELS.setdefault(self.uid, WeakValueDictionary())
        self._copies[id(self)] = self

    def _freeze(self) -> None:
        """Freeze what scenes look at only once, or when told that it has changed.

        Kernels are compiled for arrays that can be written: they get copies, `kernel_links` and `kernel_quaternions`.
        """
        self.kernel_links, self.kernel_quaternions = self.links.copy(), self.quaternions.copy()
        for array in (self.links, self.quaternions, self.rest):
            array.setflags(write=False)

    def __getstate__(self) -> dict[str, object]:
        own = "kernel_links", "kernel_quaternions", "_copies"
        return {name: value for name, value in self.__dict__.items() if name not in own}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        Model.__post_init__(self)

    def __repr__(self) -> str:
        shapes = [shape for of_link in self.shapes for shape in of_link]
        triangles = sum(len(shape.faces) for shape in shapes)
        links = f"{counted(len(self.link_names), 'link')}, " if len(self.link_names) > 1 else ""
        mesh = f", {counted(triangles, 'triangle')}" if triangles else ""
        return f"<{type(self).__name__} {self.name!r}: {links}{counted(len(shapes), 'shape')}{mesh}>"

    def lay_out(
        self, names: tuple[str, ...], links: LinkTable, shapes: tuple[tuple[Shape, ...], ...],
        ignored: frozenset[tuple[int, int]],
    ) -> None:  # fmt: skip
        """Have other links from now on, which are driven by the same configurations."""
        self.link_names, self.links, self.shapes, self.ignored = names, links.copy(), shapes, ignored
        self._freeze()
        self.changed()

    def changed(self) -> None:
        """Tell scenes that `rest`, `ignored` or the links have changed."""
        self.version += 1
        Model.changes += 1  # after the version: whoever sees it counted sees the new version

    @property
    def width(self) -> int:
        """Length of a configuration row: base and joints."""
        return BASE_WIDTH + self.n_config

    @cached_property
    def most(self) -> Row:
        """How large the entries of a configuration row may be: turns and lengths of all joints that follow them."""
        most = np.full(self.width, _cast.LARGEST)
        for link in self.links:
            k, kind = int(link["config"]), int(link["kind"])
            if kind in (REVOLUTE, PRISMATIC):
                largest = _cast.LARGEST_TURN if kind == REVOLUTE else _cast.LARGEST
                most[k] = min(most[k], (largest - abs(link["offset"])) / max(abs(link["multiplier"]), _cast.SMALLEST))
            elif kind == PLANAR:
                most[k + 2] = min(most[k + 2], _cast.LARGEST_TURN)
        return most

    def checked(self, row: Row, what: str) -> Row:
        """Return a configuration row after checking that it is finite and its quaternions are unit."""
        wrong = check_row(row, self.kernel_quaternions, self.most)
        if wrong == 1:
            raise TocsinError(f"{what} must be finite; got nan or inf.")
        if wrong < 0:
            k = -1 - wrong
            where = "the base" if k < BASE_WIDTH else f"entry {k - BASE_WIDTH}"
            raise TocsinError(
                f"{what}: {where} is {row[k]:g}, but at most {self.most[k]:g} can be followed: turns go up to "
                f"{_cast.LARGEST_TURN:g} rad and lengths up to {_cast.LARGEST:g} m."
            )
        if wrong:
            k = wrong - 2
            q = row[k : k + 4]
            raise TocsinError(f"{what}: entries {k - 7} to {k - 4} must be a unit quaternion (x y z w); got {q}.")
        return row

    def link_index(self, name: str) -> int:
        """Return the index of a link; unknown names raise with the valid ones listed."""
        if not _cast.instance(name, str) or name not in self.link_names:
            raise unknown_name("link", name, self.link_names)
        return self.link_names.index(name)

    def row_at_contact(self, hit: FirstContact) -> Row:
        """Return this model's configuration row, base in front, at the time of a `FirstContact`."""
        motion = self.motion_to_contact(hit)
        return self.rest.copy() if motion is None else motion.row_at(hit.time)

    def motion_to_contact(self, hit: FirstContact) -> Motion | None:
        """Return this model's motion of a `FirstContact` that has a contact, or None if it stood."""
        if not _cast.instance(hit, FirstContact):
            raise TocsinError(f"this takes the answer of scene.first_contact; got {type(hit).__name__}.")
        if hit.status in (Status.FREE, Status.CAPPED):
            raise TocsinError(f"there is no contact in this answer: its status is {hit.status.value!r}.")
        for motion in hit.motions:
            if motion.model is self or (isinstance(motion.model, SentModel) and motion.model.uid == self.uid):
                return cast(Motion, motion)
        scene = hit.scene if isinstance(hit, LazyContact) else None
        if scene is not None and all(model is not self for model in scene.models):
            raise TocsinError(f"{self!r} is not in the scene of this answer; its models are: {', '.join(scene.names)}.")
        return None

    def place(self, pose: PoseLike) -> None:
        """Stand somewhere else from now on: `pose` is where the base is in the world, 4x4 or (x, y, z)."""
        rest = self.rest.copy()
        rest[:BASE_WIDTH] = _cast.pose(pose, f"the pose of {self.name!r}")
        self.rest = _cast.frozen(rest)
        self.changed()


_MODELS: WeakValueDictionary[str, WeakValueDictionary[int, Model]] = WeakValueDictionary()
"""Those of this process, by their `uid`: a model and its copies, the oldest first. Each keeps the table alive."""
