"""A deformable model: a mesh whose vertices move, each along its own straight line."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast, _given
from tocsin._types import Faces, Frames, Indices, LongFaces, LongIndices, Pairs, PoseLike, Row, Vectors
from tocsin.errors import MeshWarning, TocsinError, remark
from tocsin.geometry.grouping import weld as weld_positions
from tocsin.geometry.mesh import Mesh, MeshLike
from tocsin.model.base import Model, Motion, repeated
from tocsin.model.body import default_name, lone_link, path_of
from tocsin.model.timed import with_times
from tocsin.motion.clocks import share_on
from tocsin.motion.knots import share_at
from tocsin.motion.links import FIXED, IDENTITY_BASE
from tocsin.results import FirstContact
from tocsin.row_checks import copy_checked

MOST_VERTICES = 2**22
"""Larger models would need numbers of vertices that single precision does not tell apart."""


def is_copied(given: ArrayLike, out: Vectors) -> bool:
    """Copy positions into `out` if they are just what kernels take; False: `_cast` says what they are."""
    if type(given) is not np.ndarray or given.dtype is not _cast.FLOAT64 or not given.flags.c_contiguous:
        return False
    return given.shape == out.shape and copy_checked(given, out)


def _numbered(first: Indices | Faces, second: Indices | Faces, count: int) -> LongIndices:
    """Return one number for each edge of `count` vertices, whichever end comes first; they sort as its two ends do."""
    return np.minimum(first, second).astype(np.int64) * count + np.maximum(first, second)


@dataclass(frozen=True, eq=False, repr=False)
class Deforming(Motion):
    """A deformable model over [0, 1]: its vertices go through `frames` (k, n, 3), in equal times."""

    frames: Frames

    def __post_init__(self) -> None:
        """Take the frames as they are: `Deformable` has checked them."""
        self._keep(self.rows)

    @property
    def pieces(self) -> int:
        """How many stretches of constant velocities it has; 0 if it stands."""
        return len(self.frames) - 1

    def lasting(self, before: int, after: int) -> Motion:
        """Return the same motion with so many pieces in which it stands before and after."""
        made = copy.copy(self)
        made.__dict__["frames"] = _cast.frozen(repeated(self.frames, before, after))
        return made

    def row_at(self, t: float) -> Row:
        """Return the row of its one link, which never moves."""
        _given.moment(t)
        return self.rows[0].copy()

    def vertices_at(self, t: float) -> Vectors:
        """Return (n, 3): where the vertices are at time t in [0, 1]."""
        t = _given.moment(t)
        if self.pieces == 0:
            return self.frames[0].copy()
        k, share = share_at(t, self.pieces) if self.times is None else share_on(self.times, t)
        return (1.0 - share) * self.frames[k] + share * self.frames[k + 1]

    def standing(self, t: float) -> Deforming:
        """Return the model standing where its vertices are at time t in [0, 1]."""
        return Deforming(self.model, self.rows, self.vertices_at(t)[None])


class Deformable(Model):
    """A mesh that deforms: cloth, soft bodies, hair, particles; any soup, self-contact included.

    `vertices` (n, 3) are where it stands, metres; `faces` (m, 3), and beside them loose `edges` (k, 2) and loose
    `points` (j,), by the numbers of their vertices. Features that share a vertex never touch each other. Vertices at
    the same place are different vertices, and so touch: with `weld=True` those that coincide in `vertices` count as
    one. With `self_contact=False` the model is checked against others only. Surfaces that go through each other at time
    0 are in contact from the start; with `ignore_overlaps=True` that is overlooked, and only what newly touches counts:
    for meshes that cross themselves already, as cloth often does.

    >>> cloth = Deformable([[0, 0, 1], [1, 0, 1], [0, 1, 1]], [[0, 1, 2]], name="cloth")
    >>> fall = cloth.move(cloth.vertices, cloth.vertices - (0, 0, 2))
    >>> Scene(cloth, Body(Box((4, 4, 0.2)))).safe_step(fall) < 0.45
    True
    """

    def __init__(
        self,
        vertices: ArrayLike,
        faces: ArrayLike | None = None,
        *,
        edges: ArrayLike | None = None,
        points: ArrayLike | None = None,
        name: str | None = None,
        weld: bool = False,
        self_contact: bool = True,
        ignore_overlaps: bool = False,
    ) -> None:
        self.unnamed: bool = name is None
        name = "deformable" if name is None else _cast.name(name, "the name of a deformable model")
        rest = _cast.frozen(_cast.coordinates(vertices, f"the vertices of {name!r}", (None, 3)).copy())
        if len(rest) > MOST_VERTICES:
            raise TocsinError(f"{name!r} has {len(rest)} vertices; at most {MOST_VERTICES} are supported.")
        if faces is None and edges is None and points is None:
            raise TocsinError(f"{name!r} needs faces, edges or points: vertices alone touch nothing.")
        self.faces: Faces = _cast.indices(faces, f"the faces of {name!r}", 3, len(rest))
        self.loose_edges: Pairs = _cast.indices(edges, f"the edges of {name!r}", 2, len(rest))
        loose = _cast.indices(points, f"the points of {name!r}", 1, len(rest))
        self.loose_points: Indices = loose.reshape(-1)
        self.vertices: Vectors = rest
        self.self_contact: bool = _cast.flag(self_contact, "self_contact")
        self.ignore_overlaps: bool = _cast.flag(ignore_overlaps, "ignore_overlaps")
        self.same: Indices = np.arange(len(rest), dtype=np.int32)
        self.kept: dict[str, Any] = {}
        """What engines keep from one question to the next."""
        if not len(self.faces) + len(self.loose_edges) + len(self.loose_points):
            remark(f"{name!r} is empty: it never touches anything.", MeshWarning)
        if len(rest):
            labels, first = weld_positions(rest)
            if _cast.flag(weld, "weld"):
                self.same = first[labels].astype(np.int32)
            elif len(first) < len(rest) and self.self_contact:
                remark(
                    f"{len(rest) - len(first)} vertices of {name!r} are where others are, and so touch them from the "
                    "start; with weld=True they count as one.",
                    MeshWarning,
                )
        super().__init__(
            name=name,
            link_names=(name,),
            links=lone_link(FIXED),
            shapes=((),),
            n_config=0,
            quaternions=np.array([3], dtype=np.int32),
        )

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "kept": {}}  # tables of engines are made again

    def __repr__(self) -> str:
        loose = [(len(self.loose_edges), "loose edges"), (len(self.loose_points), "loose points")]
        more = "".join(f", {n} {what}" for n, what in loose if n)
        return f"<Deformable {self.name!r}: {len(self.vertices)} vertices, {len(self.faces)} triangles{more}>"

    @classmethod
    def from_mesh(
        cls, mesh: MeshLike, *, name: str | None = None, scale: ArrayLike | None = None, units: str | None = None,
        **options: bool,
    ) -> Deformable:  # fmt: skip
        """Make a deformable model of a mesh: a file path, a `trimesh.Trimesh`, `(vertices, faces)` or a `Mesh`.

        `scale` and `units` as in `Body.from_mesh`. `options`: `weld`, `self_contact` and `ignore_overlaps`, as above.
        """
        found = Mesh.from_any(mesh, scale=scale, units=units)
        label = _given.name(name, "the name of a deformable model", default_name(mesh, "deformable"))
        soft = cls(found.vertices, found.faces, name=label, **options)
        soft.unnamed = name is None
        return soft

    @cached_property
    def edges(self) -> Pairs:
        """(k, 2): all edges, of faces and loose, each once; loose points are edges from a vertex to itself."""
        first = np.concatenate([*self.faces.T, self.loose_edges[:, 0], self.loose_points])
        second = np.concatenate([*np.roll(self.faces, -1, axis=1).T, self.loose_edges[:, 1], self.loose_points])
        count = max(len(self.vertices), 1)
        numbers = np.sort(_numbered(first, second, count))  # a tenth of the time of np.unique, which hashes first
        numbers = numbers[np.diff(numbers, prepend=-1) > 0]
        return _cast.frozen(np.stack(np.divmod(numbers, count), axis=1).astype(np.int32))

    @cached_property
    def face_edges(self) -> LongFaces:
        """(m, 3): which of the edges are the sides of each face."""
        count = len(self.vertices)
        sides = _numbered(self.faces, np.roll(self.faces, -1, axis=1), count)
        return _cast.frozen(np.searchsorted(_numbered(self.edges[:, 0], self.edges[:, 1], count), sides))

    @cached_property
    def mean_edge(self) -> float:
        """The mean length of the edges at rest, metres; the diagonal where no edge has a length."""
        ends = self.vertices[self.edges]
        length = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1) if len(ends) else np.zeros(0)
        length = length[length > 0.0]
        if len(length):
            return float(length.mean())
        span = np.ptp(self.vertices, axis=0) if len(self.vertices) else np.zeros(3)
        return float(np.linalg.norm(span)) or 1.0

    def _positions(self, given: ArrayLike, what: str) -> Vectors:
        positions = _cast.coordinates(given, f"{what} of {self.name!r}", (None, 3))
        if positions.shape != self.vertices.shape:
            raise TocsinError(
                f"{what} of {self.name!r} must be those of its {len(self.vertices)} vertices; got {len(positions)}."
            )
        return positions

    def _moving(self, frames: Frames) -> Deforming:
        return Deforming(self, IDENTITY_BASE.reshape(1, -1).copy(), _cast.frozen(frames))

    def move(self, vertices_t0: ArrayLike, vertices_t1: ArrayLike) -> Deforming:
        """Return the motion in which every vertex goes straight from one place to another over t in [0, 1]."""
        frames = np.empty((2, *self.vertices.shape))
        for k, (given, what) in enumerate(((vertices_t0, "start"), (vertices_t1, "end"))):
            if not is_copied(given, frames[k]):
                frames[k] = self._positions(given, f"the {what} positions")
        return self._moving(frames)

    def follow(self, frames: Iterable[ArrayLike], *, times: ArrayLike | None = None) -> Motion:
        """Return the motion through several sets of positions (k, n, 3), in equal times or at `times`, seconds."""
        stations = path_of(frames, f"a path of {self.name!r}", "sets of positions")
        motion = self._moving(np.stack([self._positions(frame, f"frame {k}") for k, frame in enumerate(stations)]))
        return with_times(motion, times, f"a path of {self.name!r}")

    def at(self, vertices: ArrayLike) -> Deforming:
        """Return the model standing with its vertices at these places, for a question about that moment."""
        return self._moving(self._positions(vertices, "the positions")[None].copy())

    def stand_at(self, vertices: ArrayLike) -> None:
        """Stand with the vertices at these places from now on."""
        self.vertices = _cast.frozen(self._positions(vertices, "the positions").copy())
        self.changed()

    def place(self, pose: PoseLike) -> None:
        """Refuse: a deformable model has no pose."""
        raise TocsinError(f"{self.name!r} is deformable and has no pose; give its vertices to stand_at instead.")

    def at_contact(self, hit: FirstContact) -> Vectors:
        """Return (n, 3): where the vertices are at the time of a `FirstContact`."""
        motion = self.motion_to_contact(hit)
        return motion.vertices_at(hit.time) if isinstance(motion, Deforming) else self.vertices.copy()
