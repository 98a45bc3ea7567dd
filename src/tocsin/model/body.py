"""A rigid body: one link, one or more shapes, a pose."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeGuard, TypeVar

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike

from tocsin import _cast, _given
from tocsin._cast import FLOAT64
from tocsin._provided import Provided
from tocsin._types import LinkTable, Matrices4, Matrix4, PathLike, PointsLike, PoseLike, Row, Vectors
from tocsin.errors import TocsinError
from tocsin.geometry.balls import covering_balls
from tocsin.geometry.height_field import height_field
from tocsin.geometry.mesh import Mesh, MeshLike, is_path
from tocsin.geometry.primitives import Box, Sphere
from tocsin.geometry.shape import ShapeLike, placed_shapes
from tocsin.model.base import Model, Motion
from tocsin.model.screw_body import screw_motion
from tocsin.model.timed import with_times
from tocsin.motion.arcs import decided, write_all_ends, write_ends
from tocsin.motion.links import FLOATING, LINK
from tocsin.motion.poses import base_matrix
from tocsin.results import FirstContact
from tocsin.row_checks import write_pose

POINTS_FILE: Provided[[Path], Vectors] = Provided("reads point clouds", "tocsin.io.pointfile")

OCTOMAP_FILE: Provided[[Path, float | None], tuple[Vectors, Vectors]] = Provided("reads octomaps", "tocsin.io.octomap")

MOST_BALLS = 20_000
"""Of one point cloud: each is a shape of its own."""

QUARTER = 0.5 * math.pi
"""Radians of a turntable in one piece."""

MOST_QUARTERS = 1 << 20

MOTION_KINDS = ("interpolating", "screw")

T = TypeVar("T")


def default_name(shape: object, otherwise: str) -> str:
    """Return the name of something that was given none: its file's, if it comes from one."""
    return (Path(shape).stem if is_path(shape) else "") or otherwise


def path_of(given: Iterable[T], what: str, of: str) -> list[T]:
    """Return the stations of a path, of which there are at least two."""
    try:
        stations = list(np.asarray(given) if isinstance(given, memoryview) else given)
    except Exception:  # whatever a stranger's object raises
        raise TocsinError(f"{what} is a sequence of {of}; got {_cast.said(given)}.") from None
    if len(stations) < 2:
        raise TocsinError(f"{what} needs at least two {of}; got {len(stations)}.")
    return stations


OWN_NAME = "the name of a body"
"""In sentences."""


def lone_link(kind: int) -> LinkTable:
    """Return the table of a model that is one link, on the world."""
    links = np.zeros(1, LINK)
    links["parent"] = -1
    links["kind"] = kind
    links["depth"] = 1
    links["multiplier"] = 1.0
    links["axis"] = (0.0, 0.0, 1.0)
    links["rotation"] = np.eye(3)
    return links


def _metres(error: float) -> Row | None:
    """Return the errors of a pose row: its points may be off by so many metres."""
    off = _cast.error(error)
    if off == 0.0:
        return None
    row = np.zeros(7)
    row[0] = off
    return row


def is_matrix(pose: object) -> TypeGuard[Matrix4]:
    """Is this a 4x4 array as kernels are compiled for?"""
    return type(pose) is ndarray and pose.shape == (4, 4) and pose.dtype is FLOAT64 and pose.flags.carray


def _matrices(poses: ArrayLike, n: int, what: str) -> Matrices4:
    """Return poses, (n, 4, 4) or (n, 3), as n matrices of ours."""
    given = _cast.numbers(poses, what, "poses, (n, 4, 4) or (n, 3)")
    if given.ndim == 2:
        places = _cast.coordinates(given, what, (n, 3))
        found = np.tile(np.eye(4), (n, 1, 1))
        found[:, :3, 3] = places
        return found
    return np.array(_cast.array(given, what, (n, 4, 4)))


class Body(Model):
    """A rigid body made of a mesh (path, `trimesh.Trimesh`, `(vertices, faces)`, `Mesh`) or of primitives.

    `shape` may also be a list of shapes, each alone or as (shape, placement). `pose` is where it stands in the world
    when no motion is given: a 4x4 rigid transform or a translation (x, y, z), as are all poses and placements.
    `solid=True` (closed meshes only): being inside counts as contact. Without a `name` it has that of its file, or is a
    "body"; scenes number bodies of one name that were given none.

    >>> table = Body(Box((1.2, 0.8, 0.05)), (0, 0, 0.7), name="table")
    >>> cup = Body([Cylinder(0.04, 0.1), (Sphere(0.04), (0, 0, 0.05))], name="cup")
    >>> Scene(table, cup).first_contact(cup.move((0, 0, 2), (0, 0, 0.5))).status
    <Status.CONTACT: 'contact'>
    """

    def __init__(
        self, shape: ShapeLike, pose: PoseLike | None = None, *, name: str | None = None, solid: bool = False
    ) -> None:
        self.unnamed: bool = name is None
        name = default_name(shape, "body") if name is None else _cast.name(name, OWN_NAME)
        if is_path(shape):
            shape = Mesh.load(shape)
        shapes = placed_shapes(shape, repr(name), solid=_cast.flag(solid, "solid"))
        if not shapes:
            raise TocsinError(f"body {name!r} needs a shape: a mesh, a primitive, or a list of such.")
        super().__init__(
            name=name,
            link_names=(name,),
            links=lone_link(FLOATING),
            shapes=(shapes,),
            n_config=0,
            quaternions=np.array([3], dtype=np.int32),
        )
        if pose is not None:
            self.place(pose)

    @classmethod
    def from_mesh(
        cls, mesh: MeshLike, pose: PoseLike | None = None, *, name: str | None = None, solid: bool = False,
        scale: ArrayLike | None = None, units: str | None = None,
    ) -> Body:  # fmt: skip
        """Make a body of a mesh: a file path, a `trimesh.Trimesh`, `(vertices, faces)` or a `Mesh`.

        `scale` (one factor, or one an axis) or `units` ("mm", "cm", "in", ...) make its lengths metres.
        """
        label = _given.name(name, OWN_NAME, default_name(mesh, "body"))
        return cls._made(Mesh.from_any(mesh, scale=scale, units=units), pose, name, label, solid)

    @classmethod
    def from_points(
        cls, points: PointsLike, radius: float, pose: PoseLike | None = None, *, name: str | None = None,
        spacing: float | None = None, scale: ArrayLike | None = None, units: str | None = None,
    ) -> Body:  # fmt: skip
        """Make a body of a point cloud: a ball of this radius about each point, solid.

        `points`: (n, 3), or a `.pcd`, `.ply` or `.xyz` file. With `spacing` (metres) the points in each cube of a grid
        share one ball that contains all of theirs, larger than `radius` by at most 0.87 of the spacing: what is proven
        free of the few is free of all. A body has at most 20,000 balls. `scale` and `units` as in `from_mesh`.
        """
        label = _given.name(name, OWN_NAME, default_name(points, "cloud"))
        positions = POINTS_FILE(Path(points)) if is_path(points) else points
        what = f"the points of {label!r}"
        cloud = _cast.coordinates(positions, what, (None, 3))
        factors = _cast.scale(scale, units)
        cloud = cloud if factors is None else _cast.coordinates(cloud * factors, what, (None, 3))
        size = _cast.scalar(radius, "the radius of points", above=0.0, most=_cast.LARGEST)
        step = None if spacing is None else _cast.scalar(spacing, "spacing", above=0.0, most=_cast.LARGEST)
        if not len(cloud):
            raise TocsinError(f"{what}: there are none.")
        centres, radii = covering_balls(cloud, size, step)
        if len(centres) > MOST_BALLS:
            raise TocsinError(
                f"{label!r} has {len(centres)} balls; at most {MOST_BALLS} are taken: give spacing= in metres, or more "
                "of it, and points close to each other share a ball."
            )
        return cls._made([(Sphere(r), c) for c, r in zip(centres, radii.tolist())], pose, name, label)

    @classmethod
    def from_octomap(
        cls, path: PathLike, pose: PoseLike | None = None, *, name: str | None = None, resolution: float | None = None
    ) -> Body:  # fmt: skip
        """Make a body of the occupied cells of an octomap, a `.bt` or `.ot` file; solid, of boxes with the same union.

        `resolution` (metres): coarser cells, each occupied if anything in it is: what is proven free of these is free
        of the file's. Cells of which nothing is known are not occupied. A body has at most 20,000 boxes.
        """
        file = _given.path(path, "cannot read an octomap")
        label = _given.name(name, OWN_NAME, default_name(file, "octomap"))
        centres, sizes = OCTOMAP_FILE(file, resolution)
        if not len(centres):
            raise TocsinError(f"the octomap {file.name!r} has no occupied cells.")
        if len(centres) > MOST_BALLS:
            raise TocsinError(
                f"{label!r} has {len(centres)} boxes; at most {MOST_BALLS} are taken: give resolution= in metres, or a "
                "coarser one."
            )
        return cls._made([(Box(size), centre) for centre, size in zip(centres, sizes.tolist())], pose, name, label)

    @classmethod
    def from_heights(
        cls, heights: ArrayLike, spacing: ArrayLike, pose: PoseLike | None = None, *, name: str | None = None,
        base: float | None = None,
    ) -> Body:  # fmt: skip
        """Make a body of a height field: solid ground below `heights` (n, m), metres, on a grid.

        Columns run along x and rows along y, both ascending, `spacing` apart (one number, or one for x and one for y);
        the middle of the grid is the body's origin. Cells are cut along their diagonals. It ends at `base`, by default
        one spacing below the lowest point.
        """
        label = _given.name(name, OWN_NAME, "ground")
        ground = _cast.coordinates(heights, f"the heights of {label!r}", (None, None))
        if min(ground.shape) < 2:
            raise TocsinError(f"the heights of {label!r} must be at least 2 x 2; got shape {ground.shape}.")
        step = _cast.numbers(spacing, "spacing", "one or two numbers")
        if step.shape not in ((), (2,)) or not (np.isfinite(step).all() and (step > 0.0).all()):
            raise TocsinError(f"spacing must be one or two numbers greater than 0; got {_cast.said(spacing)}.")
        lowest = float(ground.min())
        bottom = lowest - float(step.max()) if base is None else _cast.scalar(base, "base", most=_cast.LARGEST)
        if not bottom < lowest:
            raise TocsinError(f"base must be below the lowest height, {lowest:g} m; got {bottom:g}.")
        along_x, along_y = np.broadcast_to(step, 2)
        rows, columns = ground.shape
        x = float(along_x) * (np.arange(columns, dtype=np.float64) - 0.5 * (columns - 1))
        y = float(along_y) * (np.arange(rows, dtype=np.float64) - 0.5 * (rows - 1))
        return cls._made(height_field(x, y, ground, bottom, name=label), pose, name, label, solid=True)

    @classmethod
    def _made(
        cls, shape: ShapeLike, pose: PoseLike | None, name: str | None, label: str, solid: bool = False
    ) -> Body:  # fmt: skip
        """Return a body named `label`, which its scene may number where its user gave no name."""
        body = cls(shape, pose, name=label, solid=solid)
        body.unnamed = name is None
        return body

    def move(self, pose_t0: PoseLike, pose_t1: PoseLike, *, kind: str = "interpolating") -> Motion:
        """Return the motion from one pose to another, each 4x4 or (x, y, z), over t in [0, 1].

        `kind` "interpolating": the frame's origin moves along a straight line and the body turns about it at a constant
        rate, by the shorter arc. "screw": the body turns about one fixed axis of the world, by the shorter arc, and
        slides along it (`tocsin.motion.screw`); a turn of less than 1e-6 rad is taken as "interpolating".
        """
        rows = np.zeros((2, 7))
        configs = rows.ravel()  # the same memory
        if not (is_matrix(pose_t0) and is_matrix(pose_t1) and write_ends(pose_t0, pose_t1, rows)):
            _cast.pose(pose_t0, f"the start pose of {self.name!r}", rows[0])
            _cast.pose(pose_t1, f"the end pose of {self.name!r}", rows[1])
            decided(rows, self.kernel_quaternions)
        usual = kind.__class__ is str and kind == "interpolating"  # as most are: no list of words is made
        if usual or _cast.choice(kind, "the kind of a motion", MOTION_KINDS) == "interpolating":
            return Motion.fresh(self, configs, rows)
        return screw_motion(self, rows)

    @staticmethod
    def move_all(bodies: Sequence[Body], poses_t0: ArrayLike, poses_t1: ArrayLike) -> tuple[Motion, ...]:
        """Return the motions of many bodies, as `move` makes them one by one, in a third of the time.

        Poses are (n, 4, 4) or (n, 3), one for each body: `scene.first_contact(*Body.move_all(bodies, T0, T1))`.
        """
        bodies = _given.each(bodies, Body, "what move_all moves", "a sequence of bodies")
        starts, ends = _matrices(poses_t0, len(bodies), "poses_t0"), _matrices(poses_t1, len(bodies), "poses_t1")
        rows = np.zeros((len(bodies), 2, 7))
        plain = np.zeros(len(bodies), np.bool_)
        if bodies:
            write_all_ends(starts, ends, rows, plain)
        return tuple(
            [
                Motion.of(body, row) if well else body.move(start, end)
                for body, row, well, start, end in zip(bodies, rows, plain.tolist(), starts, ends)
            ]
        )

    def follow(self, poses: Iterable[PoseLike], *, times: ArrayLike | None = None, error: float = 0.0) -> Motion:
        """Return the motion through several poses, each 4x4 or (x, y, z), in equal times or at `times`, seconds.

        `error` (metres): what is proven holds for every motion none of whose points is farther than this from where it
        would be.
        """
        stations = path_of(poses, f"a path of {self.name!r}", "poses")
        rows = np.zeros((len(stations), 7))
        for k, pose in enumerate(stations):
            _cast.pose(pose, f"pose {k} of the path of {self.name!r}", rows[k])
        motion = Motion.of(self, decided(rows, self.kernel_quaternions))
        return with_times(motion, times, f"a path of {self.name!r}", _metres(error))

    def drive(
        self, velocity: ArrayLike = (0.0, 0.0, 0.0), spin: ArrayLike = (0.0, 0.0, 0.0), *, times: ArrayLike,
        pose: PoseLike | None = None,
        error: float = 0.0,
    ) -> Motion:  # fmt: skip
        """Return the motion at a constant velocity (metres a second) and spin (radians a second, about its origin).

        For conveyors and turntables: from `pose`, by default where the body stands, during `times` = (begin, end)
        seconds. The frame's origin goes straight and the body turns about it.
        """
        begin, end = _cast.times(times, f"a drive of {self.name!r}", 2)
        v = _cast.coordinates(velocity, "the velocity of a drive", (3,))
        turn = _cast.coordinates(spin, "the spin of a drive", (3,))
        start = self.rest.copy() if pose is None else _cast.pose(pose, f"the pose of {self.name!r}")
        rate = float(np.linalg.norm(turn))
        pieces = max(math.ceil(rate * (end - begin) / QUARTER), 1)
        if pieces > MOST_QUARTERS:
            raise TocsinError(
                f"a drive of {self.name!r} makes {pieces / 4:g} turns; at most {MOST_QUARTERS / 4:g} are followed."
            )
        stamps = np.linspace(begin, end, pieces + 1, dtype=np.float64)
        rows = np.tile(start, (len(stamps), 1))
        rows[:, :3] += (stamps - begin)[:, None] * v
        if rate > 0.0:
            half = 0.5 * rate * (stamps - begin)[:, None]
            w, u = np.cos(half), np.sin(half) * (turn / rate)
            p, s = start[3:6], start[6]
            rows[:, 3:6] = w * p + s * u + np.cross(u, p)
            rows[:, 6] = (w * s - (u @ p)[:, None])[:, 0]
        motion = Motion.of(self, decided(rows, self.kernel_quaternions))
        return with_times(motion, stamps, f"a drive of {self.name!r}", _metres(error))

    def at(self, pose: PoseLike) -> Motion:
        """Return the body standing at a pose, 4x4 or (x, y, z), for a question about that moment."""
        row = np.zeros(7)
        if not is_matrix(pose) or write_pose(pose, row) != 0:
            _cast.pose(pose, f"the pose of {self.name!r}", row)
        return Motion.fresh(self, row, row[None])

    def at_contact(self, hit: FirstContact) -> Matrix4:
        """Return the 4x4 pose of the body at the time of a `FirstContact`."""
        if self.carrier is not None:
            return self.carrier.carried_pose(self, self.carrier.row_at_contact(hit))
        return base_matrix(self.row_at_contact(hit))
