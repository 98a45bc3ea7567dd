"""MoveIt's trajectory messages, as YAML or JSON makes lists and mappings of them.

A RobotTrajectory has a `joint_trajectory` with `joint_names` and `points`; it may also stand in a list, or as the
`trajectory` of a DisplayTrajectory, in pieces. Pieces must name the same joints, and each start where the last ended.

What a controller drives between two points depends on what both carry: straight lines of the joints where they are
positions alone, cubics where they have velocities, quintics where they have accelerations too; points may differ in
that. `effort` changes nothing of where joints are told to be.

A DisplayTrajectory's `trajectory_start` places the joints that the trajectory does not name.
"""

from __future__ import annotations

import numpy as np

from tocsin._types import Matrix, Values
from tocsin.errors import TocsinError
from tocsin.io.yamlfile import Structure, is_listing, is_mapping, listing, mapping, number, word

RATES = ("velocities", "accelerations")
"""What points may carry beside positions, and bends the path between them."""

POINT = ("positions", *RATES, "effort", "time_from_start")
"""What a point of a trajectory has."""

MESSAGE = ("header", "joint_names", "points")
"""What a JointTrajectory has."""

AROUND = ("joint_trajectory", "multi_dof_joint_trajectory", "trajectory_start")
"""What may stand beside these where a message is not inside another."""

JOINED = 1e-6
"""How far apart (radians, metres) the end of a piece and the start of the next may be recorded."""


Points = tuple[tuple[str, ...], Matrix, Values | None, Matrix, Matrix]
"""Joint names, (k, n) positions, (k,) seconds or None, and velocities and accelerations: nan in rows that have none."""


def joint_trajectory(found: object) -> Points:
    """Return the points of a trajectory message."""
    pieces = [_piece(message, what) for message, what in _messages(found)]
    names, positions, times, *rates = pieces[0]
    for k, (other, more, clock, *further) in enumerate(pieces[1:], 1):
        if set(other) != set(names) or (clock is None) != (times is None):
            raise TocsinError(f"piece {k} does not have the joints or times of piece 0: {', '.join(other)}.")
        order = [other.index(name) for name in names]
        more = more[:, order]
        if np.abs(more[0] - positions[-1]).max() > JOINED:
            raise TocsinError(f"piece {k} does not start where piece {k - 1} ends.")
        for rate, added, what in zip(rates, further, RATES):
            if not np.array_equal(rate[-1], added[0][order], equal_nan=True):
                raise TocsinError(f"piece {k} does not start with the {what} with which piece {k - 1} ends.")
        positions = np.vstack((positions, more[1:]))
        rates = [np.vstack((rate, added[1:, order])) for rate, added in zip(rates, further)]
        if times is not None and clock is not None:
            times = np.concatenate((times, times[-1] + clock[1:] - clock[0]))
    return names, positions, times, rates[0], rates[1]


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


def _piece(message: Structure, what: str) -> Points:
    free = mapping(message.get("multi_dof_joint_trajectory"), f"the multi_dof_joint_trajectory of {what}")
    if free.get("points"):
        raise TocsinError(f"{what} moves joints of several degrees of freedom (multi_dof_joint_trajectory): not read.")
    found = mapping(message.get("joint_trajectory", message), f"the joint_trajectory of {what}")
    if "joint_names" not in found or "points" not in found:
        keys = ", ".join(repr(str(key)) for key in list(found)[:10]) or "nothing"
        raise TocsinError(f"{what} needs a joint_trajectory with joint_names and points; it has: {keys}.")
    inner = () if found is message else found
    for key in (*message, *inner):
        if key not in MESSAGE and not (key in message and key in AROUND):
            raise TocsinError(f"{what} has {str(key)[:80]!r}, which is not known; it has: {', '.join(MESSAGE)}.")
    names = tuple(word(name, f"a joint name of {what}") for name in listing(found["joint_names"], "joint_names"))
    points = listing(found["points"], f"the points of {what}")
    if not names or not points:
        raise TocsinError(f"{what} has {len(names)} joint names and {len(points)} points; it needs both.")
    positions = np.zeros((len(points), len(names)))
    rates = {kind: np.full_like(positions, np.nan) for kind in RATES}
    clocks: list[float | None] = []
    for row, point in enumerate(points):
        point = mapping(point, f"point {row} of {what}")
        odd = [str(key) for key in point if key not in POINT]
        if odd:
            raise TocsinError(f"point {row} has {odd[0]!r}, which is not known; a point has: {', '.join(POINT)}.")
        for kind in RATES:
            values = listing(point.get(kind), f"the {kind} of point {row}")
            if values and len(values) != len(names):
                raise TocsinError(f"point {row} has {len(values)} {kind} for {len(names)} joints.")
            for column, value in enumerate(values):
                rates[kind][row, column] = number(value, f"one of the {kind} of point {row}")
        values = listing(point.get("positions"), f"the positions of point {row}")
        if len(values) != len(names):
            raise TocsinError(f"point {row} has {len(values)} positions for {len(names)} joints.")
        for column, value in enumerate(values):
            positions[row, column] = number(value, f"point {row}, joint {names[column]!r}")
        clocks.append(_seconds(point.get("time_from_start"), row))
    times = [clock for clock in clocks if clock is not None]
    if times and len(times) < len(points):
        raise TocsinError(f"point {clocks.index(None)} has no time_from_start, but others have.")
    return names, positions, np.array(times) if times else None, rates["velocities"], rates["accelerations"]


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
