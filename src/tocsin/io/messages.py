"""MoveIt's trajectory messages, as YAML or JSON makes lists and mappings of them.

A RobotTrajectory has a `joint_trajectory` with `joint_names` and `points`; it may also stand in a list, or as the
`trajectory` of a DisplayTrajectory, in pieces. Pieces must name the same joints, and each start where the last ended.

What a controller drives between two points depends on what they carry: straight lines of the joints where they are
positions alone, cubics where they have velocities, quintics where they have accelerations too. The proofs cover
straight lines. Where every velocity and acceleration is zero the polynomials run along the straight lines (each joint
covers the same part s(t) of its way, which goes from 0 to 1 without turning back): these are read, and all others
refused, unless the caller says that the controller drives straight lines (`interpolation="linear"`). `effort` changes
nothing of where joints are told to be, nor do stamps change the path: they are used for saying when.

A DisplayTrajectory's `trajectory_start` places the joints that the trajectory does not name.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tocsin._types import Matrix, Values
from tocsin.errors import TocsinError
from tocsin.io.yamlfile import Structure, is_listing, is_mapping, listing, mapping, number, word

RATES = ("velocities", "accelerations")
"""What points may carry beside positions, and bends the path if it is not zero."""

POINT = ("positions", *RATES, "effort", "time_from_start")
"""What a point of a trajectory has."""

JOINED = 1e-6
"""How far apart (radians, metres) the end of a piece and the start of the next may be recorded."""


def joint_trajectory(found: object, *, linear: bool = False) -> tuple[tuple[str, ...], Matrix, Values | None]:
    """Return joint names, (k, n) positions and (k,) seconds (or None) of a trajectory message.

    `linear`: joints move straight from point to point, whatever velocities and accelerations are given.
    """
    pieces = [_piece(message, what, linear) for message, what in _messages(found)]
    names, positions, times = pieces[0]
    for k, (other, more, clock) in enumerate(pieces[1:], 1):
        if set(other) != set(names) or (clock is None) != (times is None):
            raise TocsinError(f"piece {k} does not have the joints or times of piece 0: {', '.join(other)}.")
        more = more[:, [other.index(name) for name in names]]
        if np.abs(more[0] - positions[-1]).max() > JOINED:
            raise TocsinError(f"piece {k} does not start where piece {k - 1} ends.")
        positions = np.vstack((positions, more[1:]))
        if times is not None and clock is not None:
            times = np.concatenate((times, times[-1] + clock[1:] - clock[0]))
    return names, positions, times


def start_of(found: object) -> dict[str, float]:
    """Return the joint values of a DisplayTrajectory's `trajectory_start`; none of other messages."""
    state = mapping(found.get("trajectory_start"), "trajectory_start") if is_mapping(found) else {}
    if not state:
        return {}
    from tocsin.io.planning import robot_state

    if state.get("attached_collision_objects"):
        raise TocsinError("its trajectory_start has attached_collision_objects, which move along: not read.")
    joints, root = robot_state(state, "trajectory_start")
    if root is not None and not np.array_equal(root, np.eye(4)):
        raise TocsinError("its trajectory_start moves the robot's root: not read; place the robot there instead.")
    return joints


def straight(rates: ArrayLike, what: str, where: str) -> None:
    """Refuse velocities or accelerations that bend the path between points; `what` they are, and `where` they stand."""
    if np.any(rates):
        raise TocsinError(
            f"{where} has {what} that are not zero: a controller drives cubics or quintics through such points, and "
            "what is proven here are straight lines of the joints from point to point. Sample the curve densely and "
            f"leave the {what} out; or, if the controller drives straight lines, say interpolation='linear'."
        )


def _messages(found: object) -> list[tuple[Structure, str]]:
    """Return the RobotTrajectory or JointTrajectory messages in what was read, with a name for each."""
    if is_mapping(found):
        for key in ("trajectory", "planned_trajectory", "robot_trajectory"):
            if key in found:
                found = found[key]
                break
    if not is_listing(found):
        return [(mapping(found, "a trajectory"), "the trajectory")]
    if not found:
        raise TocsinError("it has no trajectory.")
    return [(mapping(piece, f"piece {k}"), f"piece {k}") for k, piece in enumerate(found)]


def _piece(message: Structure, what: str, linear: bool) -> tuple[tuple[str, ...], Matrix, Values | None]:
    free = mapping(message.get("multi_dof_joint_trajectory"), f"the multi_dof_joint_trajectory of {what}")
    if free.get("points"):
        raise TocsinError(f"{what} moves joints of several degrees of freedom (multi_dof_joint_trajectory): not read.")
    found = mapping(message.get("joint_trajectory", message), f"the joint_trajectory of {what}")
    if "joint_names" not in found or "points" not in found:
        keys = ", ".join(repr(str(key)) for key in list(found)[:10]) or "nothing"
        raise TocsinError(f"{what} needs a joint_trajectory with joint_names and points; it has: {keys}.")
    names = tuple(word(name, f"a joint name of {what}") for name in listing(found["joint_names"], "joint_names"))
    points = listing(found["points"], f"the points of {what}")
    if not names or not points:
        raise TocsinError(f"{what} has {len(names)} joint names and {len(points)} points; it needs both.")
    positions = np.zeros((len(points), len(names)))
    clocks: list[float | None] = []
    for row, point in enumerate(points):
        point = mapping(point, f"point {row} of {what}")
        odd = [str(key) for key in point if key not in POINT]
        if odd:
            raise TocsinError(f"point {row} has {odd[0]!r}, which is not known; a point has: {', '.join(POINT)}.")
        for rates in RATES if not linear else ():
            values = listing(point.get(rates), f"the {rates} of point {row}")
            straight([number(value, f"one of the {rates} of point {row}") for value in values], rates, f"point {row}")
        values = listing(point.get("positions"), f"the positions of point {row}")
        if len(values) != len(names):
            raise TocsinError(f"point {row} has {len(values)} positions for {len(names)} joints.")
        for column, value in enumerate(values):
            positions[row, column] = number(value, f"point {row}, joint {names[column]!r}")
        clocks.append(_seconds(point.get("time_from_start"), row))
    times = [clock for clock in clocks if clock is not None]
    if times and len(times) < len(points):
        raise TocsinError(f"point {clocks.index(None)} has no time_from_start, but others have.")
    return names, positions, np.array(times) if times else None


def _seconds(value: object, row: int) -> float | None:
    """Return a duration in seconds: a number, or seconds and nanoseconds as either ROS spells them."""
    if value is None:
        return None
    what = f"the time_from_start of point {row}"
    if not is_mapping(value):
        return number(value, what)
    for whole, small in (("secs", "nsecs"), ("sec", "nanosec")):
        if whole in value or small in value:
            return number(value.get(whole, 0), what) + 1e-9 * number(value.get(small, 0), what)
    raise TocsinError(f"{what} must be seconds, or have secs and nsecs; got a mapping of {', '.join(map(str, value))}.")
