"""An articulated model: a tree of links, any joint between them, a fixed or free root."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TypeAlias, TypeGuard, cast

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast, _given
from tocsin._provided import Provided
from tocsin._types import (
    Configuration,
    ConfigurationLike,
    Indices,
    JointValue,
    Matrices4,
    Matrix,
    Matrix4,
    PathLike,
    PoseLike,
    Row,
    Rows,
    Values,
)
from tocsin.compiler.jit import question
from tocsin.errors import TocsinError, UnitWarning, remark, unknown_name
from tocsin.geometry.mesh import is_path
from tocsin.geometry.shape import ShapeLike, shapes_of_links
from tocsin.model import grasp
from tocsin.model.base import Model, Motion, counted
from tocsin.model.body import Body, path_of
from tocsin.model.following import Errors, errors_of, follow_trajectory, said_joints
from tocsin.model.joint import Joint, kept, link_table, sorted_tree
from tocsin.model.timed import with_times
from tocsin.model.trajectory import Trajectory
from tocsin.motion.arcs import decided, settle_ends
from tocsin.motion.links import BASE_WIDTH, IDENTITY_BASE
from tocsin.motion.poses import base_matrix
from tocsin.results import FirstContact, LinkPairs
from tocsin.row_checks import check_row

BASES = ("fixed", "free")

DEGREES = 7.0
"""An angle beyond this, outside of its limits, is probably in degrees."""

TURNS = 4.0 * math.pi
"""So is one beyond this of a joint without limits, if it is a whole number: radians of wheels and spindles are none."""

Packages: TypeAlias = Mapping[str, PathLike] | Iterable[PathLike] | PathLike
"""Folders, each a package or holding packages, or a mapping from names of packages to their folders."""


class Robot(Model):
    """An articulated model: read from a file (`from_urdf`, `from_mjcf`), or made with `RobotBuilder`.

    A configuration is an array of `n_config` values in the order of `joint_names`; or a mapping from joint names to
    values; or the name of one of its `states`; or, with `group=`, an array over the joints of that group. Joints that
    are not named keep their value: that of the configuration before in a motion, else the one at which the robot
    stands.

        panda = Robot.from_urdf("panda.urdf", srdf="panda.srdf")
        move = panda.move("ready", {"panda_joint4": -1.5})
    """

    _standing: tuple[Row | None, Values] = (None, np.zeros(0))
    """The row at which it stood when it was moved last, and twice that row, with which a motion begins."""

    def __init__(
        self,
        name: str,
        links: Sequence[str],
        joints: Sequence[Joint],
        shapes: Mapping[str, ShapeLike],
        base: str = "fixed",
    ) -> None:
        """Check the tree and lay out its tables; `links` and `joints` in any order, one joint per link but the root."""
        name, links = _cast.name(name, "the name of a robot"), _cast.names(links, "the links of a robot")
        if not _cast.instance(shapes, Mapping):
            raise TocsinError(f"the shapes of {name!r} are a mapping from links to shapes; got {_cast.said(shapes)}.")
        for link in shapes:
            if link not in links:
                raise unknown_name("link", link, links)
        given = _given.each(joints, Joint, "the joints of a robot", "a sequence of Joints")
        self.joints: tuple[Joint, ...] = tuple(kept(joint) for joint in given)
        self.source: tuple[Path, str, dict[str, Path]] | None = None
        """The URDF that it was read from, which of its geometry, and the files of its meshes: proofs name them."""
        self.groups: dict[str, tuple[str, ...]] = {}
        """Group name -> its joints, as an SRDF names them."""
        self.states: dict[str, dict[str, JointValue]] = {}
        """Name of a configuration -> joint values, as an SRDF or a keyframe names them."""
        self.base: str = _cast.choice(base, f"the base of {name!r}", BASES)
        order, joint_of = sorted_tree(name, links, self.joints)
        config: dict[str, int] = {}
        quaternions = [3]
        n = BASE_WIDTH
        for joint in self.joints:
            config[joint.name] = n
            if joint.width and joint.kind in ("ball", "floating"):
                quaternions.append(n + (3 if joint.kind == "floating" else 0))
            n += joint.width
        self._config = {j.name: (config[j.name] - BASE_WIDTH, j.width) for j in self.joints if j.width}
        rest = np.zeros(n)
        rest[:BASE_WIDTH] = IDENTITY_BASE
        for k in quaternions:
            rest[k + 3] = 1.0
        super().__init__(
            name=name,
            link_names=tuple(order),
            links=link_table(order, joint_of, config),
            shapes=shapes_of_links(shapes, order),
            n_config=n - BASE_WIDTH,
            quaternions=np.array(quaternions, dtype=np.int32),
            rest=rest,
        )
        self.ignored |= adjacent_pairs(self)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints that have entries in the configuration vector, in its order."""
        return tuple(j.name for j in self.joints if j.width)

    def columns(self, group: str | None = None) -> list[int]:
        """Return which entries of a configuration the joints of a group have, in its order; all without one."""
        if group is None:
            return list(range(self.n_config))
        if not _cast.instance(group, str) or group not in self.groups:
            raise unknown_name("group", group, self.groups)
        spans = [self._config[name] for name in self.groups[group] if name in self._config]
        return [k for start, width in spans for k in range(start, start + width)]

    def entry_name(self, entry: int) -> str:
        """Return the name of the joint to which an entry of a configuration belongs, in quotes."""
        place = _cast.whole(entry)
        if place is None or not 0 <= place < self.n_config:
            raise TocsinError(
                f"a configuration of {self.name!r} has the entries 0 to {self.n_config - 1}; got {_cast.said(entry)}."
            )
        return next(repr(name) for name, (start, width) in self._config.items() if start <= place < start + width)

    def ignore(self, link_a: str, link_b: str) -> None:
        """Do not check these two links against each other."""
        self.ignore_pairs([(link_a, link_b)])

    def ignore_pairs(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Do not check these pairs of links."""
        found: set[tuple[int, int]] = set()
        for pair in _given.sequence(pairs, "pairs of links", "a sequence of pairs of names"):
            a, b = _pair(pair)
            i, k = self.link_index(a), self.link_index(b)
            if i == k:
                raise TocsinError(f"{a!r} is one link: a pair needs two.")
            found.add((min(i, k), max(i, k)))
        self.ignored |= found
        self.changed()

    def attach(
        self, body: Body, link: str, *, pose: PoseLike | None = None, touching: Iterable[str] = ()
    ) -> None:  # fmt: skip
        """Carry a body from now on: it moves rigidly with a link.

        `pose`: the body's frame in the link's, 4x4 or (x, y, z); by default it stays where it is in the world, both as
        they stand. It collides with everything, the robot's other links too, but that link and those in `touching`. The
        scene of the robot has to hold the body; contacts of it name the robot as their model and the body as the link.
        """
        grasp.attach(self, body, link, pose, touching)

    def detach(self, body: Body | str) -> None:
        """Let go of a body that was attached, itself or its name: from now on it stands where the robot, as it stands,
        has it."""
        grasp.detach(self, body)

    def carried_pose(self, body: Body | str, row: Row | None = None) -> Matrix4:
        """Return the 4x4 pose in the world of a body that is carried, itself or its name, where the robot stands."""
        held = grasp.grasp_of(self, body)
        return grasp.carried_pose(self, held.body, self.rest if row is None else row)

    def prove_pairs(
        self, *, margin: float = 0.001, most: int = 100_000_000, threads: int | None = None,
        proof: PathLike | None = None, progress: Callable[[int, int], None] | None = None, seconds: float | None = None,
    ) -> LinkPairs:  # fmt: skip
        """Return of every pair of links whether it can come within the margin (metres), at any values of the joints.

        *never*: proven apart at all joint values within the limits. *always*, *sometimes*: within the margin, or a
        tenth of it more, at the configuration that is given. *adjacent*: joined, not asked about. *undecided*: `most`
        looks were not enough, or a joint has no limits. `pairs.disabled()` is for SRDF files, and for `ignore_pairs`:
        questions then skip what is proven. `proof`: a file that `tocsin verify` checks. `progress(done, total)` is
        called pair by pair. What was found is kept on disk, so that a survey that was ended goes on where it was; after
        so many `seconds` no further pair is begun, and what was not looked at is *undecided*.
        """
        return PROVEN_PAIRS(
            self, margin=margin, most=most, threads=threads, proof=proof, progress=progress, seconds=seconds
        )

    def ignore_overlapping_at(
        self, q: ConfigurationLike | None = None, *, base: PoseLike | None = None
    ) -> tuple[tuple[str, str], ...]:
        """Do not check pairs of links that touch or overlap at configuration q, or where it stands; return those pairs.

        For meshes that overlap by design: give a configuration in which nothing else touches.
        """
        pairs = TOUCHING_PAIRS(self.at({} if q is None else q, base=base))
        self.ignore_pairs(pairs)
        return pairs

    @classmethod
    def from_urdf(
        cls,
        path: PathLike,
        *,
        srdf: PathLike | None = None,
        packages: Packages = (),
        geometry: str = "collision",
        base: str = "fixed",
        ignore_overlapping: bool = False,
        xacro_arguments: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Robot:
        """Read a robot from a URDF (or xacro) file; see `tocsin.io.urdf.load_urdf` for what the arguments mean."""
        return URDF_FILE(
            path, srdf=srdf, packages=packages, geometry=geometry, base=base, ignore_overlapping=ignore_overlapping,
            xacro_arguments=xacro_arguments, name=name,
        )  # fmt: skip

    @classmethod
    def from_mjcf(
        cls, path: PathLike, *, name: str | None = None, meshes: str = "hulls", packages: Packages = ()
    ) -> Robot:
        """Read a robot from a MuJoCo XML file; see `tocsin.io.mjcf.load_mjcf` for what the arguments mean."""
        return MJCF_FILE(path, name=name, meshes=meshes, packages=packages)

    @classmethod
    def from_sdf(
        cls, path: PathLike, *, model: str | None = None, packages: Packages = (), geometry: str = "collision",
        base: str = "fixed", name: str | None = None,
    ) -> Robot:  # fmt: skip
        """Read a robot from an SDF file, Gazebo's; see `tocsin.io.sdf.load_sdf` for what the arguments mean."""
        return SDF_FILE(path, model=model, packages=packages, geometry=geometry, base=base, name=name)

    def configuration(
        self, values: ConfigurationLike, *, group: str | None = None, like: ConfigurationLike | None = None
    ) -> Configuration:
        """Return the whole configuration (n_config,) that an array, a mapping by joint name or a group's values mean.

        Joints that a mapping or a group does not name have the values of the configuration `like`, by default those at
        which the robot stands.
        """
        before = None if like is None else self._row(like, None, "the configuration", np.zeros(self.width))[BASE_WIDTH:]
        return self._row(values, None, "the configuration", np.zeros(self.width), group, before)[BASE_WIDTH:]

    def _named(self, values: ConfigurationLike, what: str, group: str | None, before: Values | None) -> ArrayLike:
        """Return the configuration meant by a mapping, a state's name, or an array over the joints of a group."""
        if isinstance(values, str):
            if values not in self.states:
                raise unknown_name("state", values, self.states)
            values, group = self.states[values], None
        named = values if _by_joint(values) else _of_series(values, what)
        if group is not None:
            if not _cast.instance(group, str) or group not in self.groups:
                raise unknown_name("group", group, self.groups)
            names = [name for name in self.groups[group] if name in self._config]
            if named is None:
                width = sum(self._config[name][1] for name in names)
                given = _cast.array(values, f"{what}, over group {group!r} ({', '.join(names)}),", (width,))
                starts = np.cumsum([0] + [self._config[name][1] for name in names])
                named = {name: given[i:k] for name, i, k in zip(names, starts, starts[1:])}
            for name in named:
                if name not in names:
                    raise unknown_name("joint", name, names, f" in group {group!r}")
        if named is None:
            return cast(ArrayLike, values)
        row = (self.rest[BASE_WIDTH:] if before is None else before).copy()
        for name, value in named.items():
            if name not in self._config:
                for joint in self.joints:
                    if joint.name == name and joint.mimic is not None:
                        raise TocsinError(f"joint {name!r} follows {joint.mimic[0]!r} and has no value of its own.")
                raise unknown_name("joint", name, self._config)
            k, width = self._config[name]
            row[k : k + width] = _joint_value(value, name, width)
        return row

    def _row(
        self, q: ConfigurationLike, base: PoseLike | None, what: str, row: Row, group: str | None = None,
        before: Values | None = None,
    ) -> Row:  # fmt: skip
        """Write and check a configuration row."""
        if base is not None:
            _cast.pose(base, f"the base pose of {what}", row)
        else:
            row[:BASE_WIDTH] = self.rest[:BASE_WIDTH]
        row[BASE_WIDTH:] = self._values(q, what, group, before)
        return self.checked(row, what)

    def _values(
        self, q: ConfigurationLike, what: str, group: str | None = None, before: Values | None = None
    ) -> Values:  # fmt: skip
        """Return the numbers of a configuration, yet to be checked, as kernels take them.

        An array that is so already, as a planner's are, is looked at once.
        """
        if group is None and is_plain(q, self.n_config):
            return q
        if group is not None or q.__class__ is not np.ndarray:
            q = self._named(q, what, group, before)
        values = _cast.numbers(q, what, "numbers, a mapping from joint names, or the name of a state")
        if values.shape != (self.n_config,):
            wanted = f"{counted(self.n_config, 'value')} (joints: {said_joints(self)})"
            raise TocsinError(f"{what} must have {wanted}; got shape {values.shape}.")
        return values if values.flags.carray else values.copy()

    def move(
        self, q_t0: ConfigurationLike, q_t1: ConfigurationLike, *, group: str | None = None,
        base: Sequence[PoseLike] | None = None,
    ) -> Motion:  # fmt: skip
        """Return the motion from configuration q_t0 to q_t1 over t in [0, 1], every joint at a constant rate.

        `base` = (T0, T1) moves the root too, each 4x4 or (x, y, z); only for a robot with a free base.
        """
        rest, twice = self._standing
        if rest is not self.rest:
            rest = self.rest
            twice = np.stack([rest, rest])
            self._standing = rest, twice
        rows = twice.copy()
        configs = rows.ravel()  # the same memory
        whats = ("the start configuration", "the end configuration")
        if base is not None:
            for pose, what, row in zip(self._bases(base), whats, rows):
                _cast.pose(pose, f"the base pose of {what}", row)
        begin, end, n = q_t0, q_t1, self.n_config
        if group is not None or not (is_plain(begin, n) and is_plain(end, n)):
            begin = self._values(q_t0, whats[0], group)
            end = self._values(q_t1, whats[1], group, begin)
        if not write_configurations(begin, end, self.kernel_quaternions, self._plausible, rows):
            for row, what in zip(rows, whats):
                self.checked(row, what)
            decided(rows, self.kernel_quaternions)
        return Motion.fresh(self, configs, rows)

    def _bases(self, base: Sequence[PoseLike]) -> tuple[PoseLike, PoseLike]:
        """Return both poses of a base that moves, after checking that it may."""
        if self.base != "free":
            raise TocsinError(f"{self.name!r} has a fixed base; build it with base='free' to move it, or use place().")
        if not _cast.instance(base, (tuple, list, np.ndarray)) or len(base) != 2:
            raise TocsinError("base must be a pair (T0, T1) of poses, where the root is at t = 0 and at t = 1.")
        return base[0], base[1]

    def follow(
        self, path: Iterable[ConfigurationLike] | Trajectory, *, group: str | None = None,
        base: Iterable[PoseLike] | None = None, times: ArrayLike | None = None, error: Errors = None,
    ) -> Motion:  # fmt: skip
        """Return the motion through the configurations of `path`, in equal times; `base`: as many poses.

        `path` may be a `Trajectory`: then it is followed as the controller drives it, on its own clock. `times`:
        seconds at the configurations. `error`: how far joints may be off while they are driven, in radians or metres,
        one number for all or a mapping by joint; what is proven then holds for every motion in that tube.
        """
        if isinstance(path, Trajectory):
            if base is not None or times is not None:
                raise TocsinError("a Trajectory has its own times and moves only joints: leave out times= and base=.")
            return follow_trajectory(self, path, group, error)
        if is_path(path):
            raise TocsinError(f"a path of {self.name!r} is not a file: give tocsin.load_trajectory({str(path)!r}).")
        if columns := _given.labels(path):
            table = _cast.array(path, f"a path of {self.name!r}", (None, len(columns)))
            path = [dict(zip(columns, row)) for row in table.tolist()]
        points = path_of(path, f"a path of {self.name!r}", "configurations")
        poses = None if base is None else path_of(base, "base", "poses")
        if poses is not None and (self.base != "free" or len(poses) != len(points)):
            raise TocsinError(f"base must have one pose for each row of the path ({len(points)}), on a free base.")
        rows = np.zeros((len(points), self.width))
        for k, q in enumerate(points):
            self._row(q, None if poses is None else poses[k], f"row {k} of the path", rows[k], group,
                      rows[k - 1, BASE_WIDTH:] if k else None)  # fmt: skip
        motion = Motion.of(self, decided(rows, self.kernel_quaternions))
        return with_times(motion, times, f"a path of {self.name!r}", errors_of(self, error))

    def at(self, q: ConfigurationLike, *, group: str | None = None, base: PoseLike | None = None) -> Motion:
        """Return the robot standing at configuration q, for a question about that moment."""
        if base is not None:
            self._bases((base, base))
        rows = np.zeros((1, self.width))
        self._row(q, base, "the configuration", rows[0], group)
        return Motion.of(self, rows)

    def at_contact(self, hit: FirstContact) -> Configuration:
        """Return the joint values at the time of a `FirstContact`; the base's pose is `base_at_contact`."""
        return self.row_at_contact(hit)[BASE_WIDTH:]

    def base_at_contact(self, hit: FirstContact) -> Matrix4:
        """Return the 4x4 pose of the base at the time of a `FirstContact`."""
        return base_matrix(self.row_at_contact(hit))

    def link_poses(self, q: ConfigurationLike, *, base: PoseLike | None = None) -> Matrices4:
        """Return (n_links, 4, 4): where the links are in the world at configuration q, in the order of `link_names`."""
        return self.at(q, base=base).link_poses()

    @cached_property
    def _plausible(self) -> Row:
        """How large the entries of a row are when they are what they should be; larger angles are looked at again."""
        plausible = self.most.copy()
        for joint in self.joints:
            if joint.kind in ("revolute", "continuous") and joint.mimic is None:
                most = TURNS if joint.limits is None else max(DEGREES, *map(abs, joint.limits))
                plausible[BASE_WIDTH + self._config[joint.name][0]] = most
        return plausible

    def checked(self, row: Row, what: str) -> Row:
        """Return a configuration row after the checks of a model, and a remark on angles that may be in degrees."""
        if check_row(row, self.kernel_quaternions, self._plausible) < 0:
            for joint in self.joints:
                k = BASE_WIDTH + self._config.get(joint.name, (0, 0))[0]
                turns = joint.kind in ("revolute", "continuous") and joint.mimic is None
                if not turns or abs(row[k]) <= self._plausible[k]:
                    continue
                if joint.limits is not None:
                    why = "outside of its limits {:.6g} to {:.6g}".format(*joint.limits)
                elif float(row[k]).is_integer():
                    why = f"{abs(row[k]) / (2.0 * math.pi):.0f} turns"
                else:
                    continue
                remark(
                    f"{what}: joint {joint.name!r} is at {row[k]:.6g} rad, {why}. Degrees? numpy.radians makes radians "
                    "of them.", UnitWarning,
                )  # fmt: skip
                break
        return super().checked(row, what)

    @property
    def limits(self) -> Matrix:
        """(n_config, 2): lower and upper limit of each entry of a configuration, -inf and inf where there is none.

        Of mimic joints too: an entry stays within its limits and theirs. For planners that draw configurations; motions
        do not enforce limits, see `within_limits`.
        """
        limits = np.tile([-np.inf, np.inf], (self.n_config, 1))
        for joint in self.joints:
            if joint.limits is not None:
                link = self.links[self.link_index(joint.child)]
                entry = limits[int(link["config"]) - BASE_WIDTH]
                if link["multiplier"] == 0.0:
                    continue
                ends = sorted((limit - link["offset"]) / link["multiplier"] for limit in joint.limits)
                entry[:] = max(entry[0], ends[0]), min(entry[1], ends[1])
        return limits

    def within_limits(self, q: ConfigurationLike) -> bool:
        """Are all joint values inside their limits?"""
        row = self.at(q).rows[0]
        for joint in self.joints:
            if joint.limits is not None:
                link = self.links[self.link_index(joint.child)]
                value = link["multiplier"] * row[link["config"]] + link["offset"]
                if not joint.limits[0] <= value <= joint.limits[1]:
                    return False
        return True

    def stand_at(self, q: ConfigurationLike, *, group: str | None = None, base: PoseLike | None = None) -> None:
        """Stand at configuration q from now on, when no motion is given; `base` as in `place`."""
        self.rest: Row = _cast.frozen(self._row(q, base, "the configuration", np.zeros(self.width), group))
        self.changed()


URDF_FILE: Provided[..., Robot] = Provided("reads URDF files", "tocsin.io.urdf")
MJCF_FILE: Provided[..., Robot] = Provided("reads MuJoCo models", "tocsin.io.mjcf")
SDF_FILE: Provided[..., Robot] = Provided("reads SDF models", "tocsin.io.sdf")
PROVEN_PAIRS: Provided[..., LinkPairs] = Provided("proves which links can touch", "tocsin.proofs")

TOUCHING_PAIRS: Provided[[Motion], tuple[tuple[str, str], ...]] = Provided(
    "finds the pairs of links that touch each other", "tocsin.queries.first_contact"
)


def adjacent_pairs(robot: Robot) -> frozenset[tuple[int, int]]:
    """Return the pairs of links that a joint connects, or between which there are only links without shapes.

    A link without shapes is only a frame (a shoulder made of three revolute joints has two), so the links on its two
    sides are neighbours.
    """
    parents = robot.links["parent"].tolist()
    found: set[tuple[int, int]] = set()
    for i, k in enumerate(parents):
        while k >= 0:
            found.add((min(i, k), max(i, k)))
            if robot.shapes[k]:
                break
            k = parents[k]
    return frozenset(found)


@question
def write_configurations(begin: Values, end: Values, quaternions: Indices, most: Row, rows: Rows) -> bool:
    """Write two configurations behind the bases of two rows, check both and decide their arcs; return whether all went
    well."""
    for k in range(begin.shape[0]):
        rows[0, BASE_WIDTH + k] = begin[k]
        rows[1, BASE_WIDTH + k] = end[k]
    return settle_ends(rows, quaternions, most)


def is_plain(q: object, n: int) -> TypeGuard[Values]:
    """Is this an array of n numbers as kernels are compiled for?"""
    return type(q) is np.ndarray and q.shape == (n,) and q.dtype is _cast.FLOAT64 and q.flags.carray


def _by_joint(values: object) -> TypeGuard[Mapping[str, ArrayLike]]:
    """Are these values by joint?"""
    return isinstance(values, Mapping)


def _of_series(values: object, what: str) -> dict[str, float] | None:
    """Return the values of a series that names its entries, by joint; None of anything else."""
    names = _given.labels(values)
    if not names:
        return None
    row = _cast.array(values, what, (len(names),))
    return dict(zip(names, row.tolist()))


def _joint_value(value: ArrayLike, name: str, width: int) -> Values:
    """Return the values of a joint: of one degree of freedom a number, or one in an array."""
    what = f"the value of joint {name!r}"
    return _cast.array(np.atleast_1d(_cast.numbers(value, what, f"{width} numbers")), what, (width,))


def _pair(given: object) -> tuple[str, str]:
    """Return a pair of names."""
    names = _cast.names(given, "a pair of links")
    if len(names) != 2:
        raise TocsinError(f"a pair of links is two names; got {_cast.said(given)}.")
    return names[0], names[1]
