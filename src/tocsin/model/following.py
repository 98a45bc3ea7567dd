"""How a robot follows a `Trajectory`: its columns by joint name, its polynomials as pieces of the robot's motion."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tocsin import _cast
from tocsin.errors import TocsinError, UnknownNameError, unknown_name
from tocsin.model.base import Motion
from tocsin.model.timed import SplineMotion, reduced, stamped
from tocsin.model.trajectory import Trajectory, bernstein, derived
from tocsin.motion.arcs import decided
from tocsin.motion.curves import MOST_DEGREE
from tocsin.motion.links import BASE_WIDTH

if TYPE_CHECKING:
    from tocsin.model.joint import Joint
    from tocsin.model.robot import Robot

PARTS = {
    "planar": ("x", "y", "angle"),
    "ball": ("qx", "qy", "qz", "qw"),
    "floating": ("x", "y", "z", "qx", "qy", "qz", "qw"),
}
"""Columns of joints with several values, after the joint's name and a dot."""

AGREE = 1e-6
"""How far (radians, metres) a recorded mimic joint may be from what it mimics; files carry few digits."""

MILLIMETRES = 1000.0

DEGREES = 180.0 / math.pi

Errors = float | Mapping[str, float] | None
"""How far joints may be off: one number for all, or by joint."""


@dataclass(frozen=True)
class Columns:
    """Where the columns of a trajectory are in a robot's configuration."""

    robot: Robot
    trajectory: Trajectory
    places: tuple[int, ...]
    """Of each column in the configuration; -1 for joints that mimic others."""
    like: np.ndarray
    """(n_config,) where the other joints stand."""

    def rows(self, positions: np.ndarray) -> np.ndarray:
        """Return configurations (k, n_config) of rows of the trajectory."""
        path = np.tile(self.like, (len(positions), 1))
        self.fill(path, positions)
        return path

    def fill(self, table: np.ndarray, values: np.ndarray) -> None:
        """Write columns to their places, along the last axis."""
        for k, place in enumerate(self.places):
            if place >= 0:
                table[..., place] = values[..., k]


def column_names(joints: Iterable[Joint]) -> tuple[str, ...]:
    """Return the name of every value that joints have in a configuration."""
    names: list[str] = []
    for joint in joints:
        if joint.width == 1:
            names.append(joint.name)
        elif joint.width:
            names += [f"{joint.name}.{part}" for part in PARTS[joint.kind]]
    return tuple(names)


def said_joints(robot: Robot, group: str | None = None) -> str:
    """Return the names of the joints that configurations are of, with the parts of those that have several values."""
    names = robot.joint_names if group is None else robot.groups[group]
    parts = {joint.name: f"{joint.name} ({', '.join(PARTS[joint.kind])})" for joint in robot.joints if joint.width > 1}
    return ", ".join(parts.get(name, name) for name in names) or "none"


def columns_of(trajectory: Trajectory, robot: Robot, group: str | None = None) -> Columns:
    """Return where the columns of a trajectory belong; what does not fit is refused."""
    allowed = _names_of(robot, group)
    names = trajectory.joint_names or _implied(trajectory, robot, allowed)
    places = {name: k for k, name in enumerate(column_names(robot.joints))}
    followers = {joint.name: joint for joint in robot.joints if joint.mimic is not None}
    for name in names:
        if name not in places and name not in followers:
            raise _unknown(name, places)
        if name in places and name not in allowed:
            raise unknown_name("joint", name, allowed, f" in group {group!r}")
    standing = {name: value for name, value in trajectory.standing if name not in followers and name not in names}
    like = robot.configuration(standing)
    found = Columns(robot, trajectory, tuple(places.get(name, -1) for name in names), like)
    for k, name in enumerate(names):
        if name in followers:
            _check_follower(found, followers[name].child, name, k)
    return found


def _unknown(name: str, places: Iterable[str]) -> TocsinError:
    """Return the refusal of a column; of one that seems to hold rates with how these are called."""
    error = unknown_name("joint", name, places)
    for joint in sorted(places, key=len, reverse=True):
        rest = name.removeprefix(joint)
        kind = next((kind for kind in ("velocity", "acceleration") if kind[:3] in rest.lower()), "")
        if rest != name and kind:
            return UnknownNameError(f"{error}. If that column holds the {kind} of a joint, call it '{joint}.{kind}'.")
    return error


def spelled(trajectory: Trajectory, robot: Robot, group: str | None) -> Trajectory:
    """Return the same trajectory with names, and with a column for each joint that it says stands somewhere."""
    names = trajectory.joint_names or _implied(trajectory, robot, _names_of(robot, group))
    standing = {n: v for n, v in trajectory.standing if n not in names and n in robot.joint_names}
    return trajectory.with_columns(names, standing)


def _names_of(robot: Robot, group: str | None) -> tuple[str, ...]:
    """Return the columns of all joints, or of those of a group."""
    if group is None:
        return column_names(robot.joints)
    if group not in robot.groups:
        raise unknown_name("group", group, robot.groups)
    by_name = {joint.name: joint for joint in robot.joints}
    return column_names(by_name[name] for name in robot.groups[group])


def _implied(trajectory: Trajectory, robot: Robot, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns of a trajectory without names."""
    if len(names) != trajectory.positions.shape[1]:
        raise TocsinError(
            f"{trajectory.said} names no joints and has {trajectory.positions.shape[1]} columns, but {robot.name!r} "
            f"has {len(names)} values ({', '.join(names)}); name its columns by Trajectory's joint_names=[...], or by "
            "load_trajectory's joints=[...]."
        )
    return names


def _check_follower(found: Columns, child: str, name: str, column: int) -> None:
    """Refuse a joint that does not move as what it mimics does, at knots or, on curves, anywhere between them."""
    robot, trajectory = found.robot, found.trajectory
    link = robot.links[robot.link_index(child)]
    place = int(link["config"]) - (robot.width - robot.n_config)
    path = found.rows(trajectory.positions)
    given = trajectory.positions[:, column]
    expected = link["multiplier"] * path[:, place] + link["offset"]
    far = np.abs(expected - given) > AGREE
    if far.any():
        row = int(np.argmax(far))
        raise TocsinError(
            f"{called(trajectory)}, row {row}: joint {name!r} mimics another and would be at "
            f"{expected[row]:g}, but is at {given[row]:g}."
        )
    if trajectory.degree > 1:
        lasts = np.diff(trajectory.knots)[:, None] ** np.arange(trajectory.degree + 1)
        master = np.zeros_like(trajectory.coefficients[:, :, 0])
        if place in found.places:
            master = trajectory.coefficients[:, :, found.places.index(place)]
        off = (link["multiplier"] * master - trajectory.coefficients[:, :, column])[:, 1:] * lasts[:, 1:]
        if (np.abs(off).sum(axis=1) > AGREE).any():
            raise TocsinError(
                f"{called(trajectory)}: joint {name!r} mimics another, but moves differently between "
                "its points; leave its column out."
            )


def error_entries(robot: Robot) -> dict[str, int]:
    """Return what of a robot may be off, by name, and the entry of a row that says by how much.

    A joint of one value by its own name; of several by parts: `base.x`, metres, and `base.angle` of an orientation.
    """
    found: dict[str, int] = {}
    entry = BASE_WIDTH
    for joint in robot.joints:
        if joint.width == 1:
            found[joint.name] = entry
        elif joint.width:
            for k, part in enumerate(PARTS[joint.kind]):
                if part not in ("qy", "qz", "qw"):
                    found[f"{joint.name}.{'angle' if part == 'qx' else part}"] = entry + k
        entry += joint.width
    return found


def error_names(robot: Robot) -> list[str]:
    """Return what errors may be given of: joints, and parts of those that have several values."""
    wide = [joint.name for joint in robot.joints if joint.width > 1]
    return [*error_entries(robot), *wide]


def errors_of(robot: Robot, error: Errors) -> np.ndarray | None:
    """Return (width,): how far each entry of a configuration may be off, from one number or a mapping by joint."""
    if error is None:
        return None
    row = np.zeros(robot.width)
    entries = error_entries(robot)
    wide = {joint.name: joint for joint in robot.joints if joint.width > 1}
    if isinstance(error, Mapping):
        given = {name: _cast.error(value, f"the error of joint {name!r}") for name, value in error.items()}
    else:
        given = dict.fromkeys(robot.joint_names, _cast.error(error))
    for name, off in given.items():
        if name in wide:
            _spread(row, entries, wide[name], off)
        elif name in entries:
            row[entries[name]] = max(row[entries[name]], off)
        else:
            raise unknown_name("joint", name, error_names(robot))
    return row


def _spread(row: np.ndarray, entries: Mapping[str, int], joint: Joint, off: float) -> None:
    """Write an error of a joint of several values: of its position as a whole, in metres, and of its angle."""
    for part in ("x", "angle"):
        if (entry := entries.get(f"{joint.name}.{part}")) is not None:
            row[entry] = max(row[entry], off)


def errors_said(robot: Robot, row: np.ndarray) -> dict[str, float]:
    """Return the mapping that `errors_of` reads as this row."""
    return {name: float(row[entry]) for name, entry in error_entries(robot).items() if row[entry] > 0.0}


def called(trajectory: Trajectory) -> str:
    """Return what a trajectory is called in a sentence."""
    return f"the trajectory {trajectory.source!r}" if trajectory.source else "the trajectory"


def check_units(robot: Robot, found: Columns) -> None:
    """Refuse joint values that only fit the joints' limits as degrees, or as millimetres."""
    said = called(found.trajectory)
    places = {place: k for k, place in enumerate(found.places) if place >= 0}
    for joint in robot.joints:
        if joint.kind not in ("revolute", "prismatic") or joint.limits is None or joint.mimic is not None:
            continue
        place = int(robot.links[robot.link_index(joint.child)]["config"]) - BASE_WIDTH
        if place not in places:
            continue
        most = float(np.abs(found.trajectory.positions[:, places[place]]).max())
        limit = max(abs(joint.limits[0]), abs(joint.limits[1]))
        least, other, ought = 2.0 * math.pi, DEGREES, "rad: it seems to be in degrees; angles are radians"
        if joint.kind == "prismatic":
            least, other, ought = 1.0, MILLIMETRES, "m: it seems to be in millimetres; lengths are metres"
        if most > 4.0 * limit and most > least and most / other <= 1.05 * limit:
            raise TocsinError(
                f"{said}: joint {joint.name!r} goes to {most:g}, and its limits are {joint.limits[0]:g} to "
                f"{joint.limits[1]:g} {ought}."
            )


def follow_trajectory(robot: Robot, trajectory: Trajectory, group: str | None, error: Errors) -> Motion:
    """Return the motion of a robot along a trajectory."""
    if len(trajectory.positions) < 2:
        raise TocsinError(f"a path of {robot.name!r} needs at least two configurations; got 1.")
    found = columns_of(trajectory, robot, group)
    check_units(robot, found)
    rows = np.zeros((len(trajectory.positions), robot.width))
    rows[:, :BASE_WIDTH] = robot.rest[:BASE_WIDTH]
    rows[:, BASE_WIDTH:] = found.rows(trajectory.positions)
    for k, row in enumerate(rows):
        robot.checked(row, f"row {k} of {called(trajectory)}")
    rows = decided(rows, robot.kernel_quaternions)
    off = np.zeros(robot.width)
    gaps = np.zeros(robot.n_config)
    found.fill(gaps, trajectory.gaps)
    off[BASE_WIDTH:] = gaps
    for k in robot.quaternions:
        # Unit quaternions d apart are at most 4 asin(d / 2), less than 2.2 d, of a turn apart.
        off[k : k + 4] = 2.2 * float(np.linalg.norm(off[k : k + 4])), 0.0, 0.0, 0.0
    own = errors_of(robot, error)
    if own is not None:
        off += own
    times = trajectory.knots
    if trajectory.degree == 1:
        motion = Motion.of(robot, rows)
        return stamped(motion, times, off, seconds=trajectory.stamped) if trajectory.stamped or off.any() else motion
    coefficients, times, lost = _pieces(robot, found, rows)
    off += lost
    ends = np.concatenate([coefficients[:, 0], rows[-1:]])
    return stamped(SplineMotion(robot, ends, coefficients), times, off)


def _pieces(robot: Robot, found: Columns, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (coefficients, times, error): pieces of the robot's motion in shares, of which each is off by `error`."""
    trajectory = found.trajectory
    lasts = np.diff(trajectory.knots)[:, None] ** np.arange(trajectory.degree + 1)
    own = trajectory.coefficients * lasts[:, :, None]
    table = np.zeros((len(own), own.shape[1], robot.width))
    table[:, 0] = rows[:-1]
    inner = table[:, :, BASE_WIDTH:]
    still = inner[:, 0].copy()
    found.fill(inner, own)
    moved = np.zeros(robot.n_config, bool)
    moved[[place for place in found.places if place >= 0]] = True
    inner[:, 0, ~moved] = still[:, ~moved]
    for k in robot.quaternions:
        if np.any(table[:, 2:, k : k + 4]):
            raise TocsinError(
                f"{called(trajectory)} moves an orientation (entries {k - 7} to {k - 4}) by "
                "polynomials of its quaternion, which do not stay orientations; leave its velocities out."
            )
    times = trajectory.knots
    error = np.zeros(robot.width)
    if trajectory.degree > MOST_DEGREE:
        if len(robot.quaternions) > 1:
            raise TocsinError(
                f"a trajectory that moves orientations is followed up to degree {MOST_DEGREE}; got {trajectory.degree}."
            )
        table, shares, error = reduced(table)
        k = np.minimum(shares.astype(np.int64), len(own) - 1)
        times = trajectory.knots[k] + (shares - k) * np.diff(trajectory.knots)[k]
        if (np.diff(times) <= 0.0).any():
            raise TocsinError(f"{called(trajectory)} has pieces too short for its clock: count from 0 s.")
        # A knot that is rounded is passed that much sooner or later.
        late = 2.0**-51 * np.abs(times).max() / np.diff(times)
        error += (bernstein(derived(table, 1), np.ones(len(table))) * late[:, None]).max(axis=0)
        rows = np.concatenate([table[:, 0], rows[-1:]])
    for k in robot.quaternions:
        table[:, :, k : k + 4] = 0.0
        table[:, 0, k : k + 4] = rows[:-1, k : k + 4]
        table[:, 1, k : k + 4] = rows[1:, k : k + 4]
    most = np.abs(table).sum(axis=1) > robot.most * (1.0 + 1e-9)
    if most.any():
        piece, entry = np.argwhere(most)[0].tolist()
        raise TocsinError(
            f"{called(trajectory)}, piece {piece}: entry {entry - BASE_WIDTH} goes too far; at most "
            f"{robot.most[entry]:g} can be followed."
        )
    return table, times, error
