"""Trajectory messages as lists and mappings: pieces are joined, durations read, and what is not known refused."""

import numpy as np
import pytest

from tocsin import TocsinError
from tocsin.io.messages import joint_trajectory, start_of


def point(positions, **more):
    return {"positions": positions, **more}


def message(*points, names=("a", "b")):
    return {"joint_trajectory": {"joint_names": list(names), "points": list(points)}}


def test_a_message_is_names_rows_and_nothing_where_nothing_is_said():
    names, positions, times, velocities, accelerations = joint_trajectory(message(point([0, 1]), point([2, 3])))
    assert names == ("a", "b")
    assert positions.tolist() == [[0, 1], [2, 3]]
    assert times is None
    assert np.isnan(velocities).all()
    assert np.isnan(accelerations).all()


@pytest.mark.parametrize("spelled", [1.5, {"secs": 1, "nsecs": 500_000_000}, {"sec": 1, "nanosec": 500_000_000}])
def test_either_ros_spells_seconds(spelled):
    found = joint_trajectory(message(point([0, 0], time_from_start=0), point([1, 1], time_from_start=spelled)))
    assert found[2].tolist() == [0.0, 1.5]


def test_pieces_are_joined_where_they_meet_whatever_the_order_of_their_joints():
    first = message(point([0, 1], time_from_start=0), point([2, 3], time_from_start=1))
    second = message(point([3, 2], time_from_start=5), point([9, 8], time_from_start=7), names=("b", "a"))
    names, positions, times, _, _ = joint_trajectory({"trajectory": [first, second]})
    assert names == ("a", "b")
    assert positions.tolist() == [[0, 1], [2, 3], [8, 9]]
    assert times.tolist() == [0, 1, 3]


@pytest.mark.parametrize(
    ("found", "says"),
    [
        ([], "no trajectory"),
        ({"joint_trajectory": {"points": []}}, "joint_names and points"),
        (message(), "needs both"),
        (message(point([0])), "1 positions for 2 joints"),
        (message(point([0, 0], velocity=[1, 1])), "'velocity', which is not known"),
        ({"joint_trajectory": {**message(point([0, 0]))["joint_trajectory"], "units": "deg"}}, "'units', which is not"),
        ({**message(point([0, 0])), "units": "deg"}, "'units', which is not known"),
        (message(point([0, 0], velocities=[1])), "1 velocities for 2 joints"),
        (message(point([0, 0], time_from_start={"hours": 1})), "secs and nsecs"),
        (message(point([0, 0], time_from_start=0), point([1, 1])), "point 1 has no time_from_start"),
        ([message(point([0, 0])), message(point([1, 1]))], "piece 1 does not start where piece 0 ends"),
        ([message(point([0, 0])), message(point([0, 0]), names=("a", "c"))], "does not have the joints"),
        ([message(point([0, 0], velocities=[1, k])) for k in (1, 2)], "velocities with which"),
        ({**message(point([0, 0])), "multi_dof_joint_trajectory": {"points": [1]}}, "several degrees of freedom"),
    ],
)  # fmt: skip
def test_a_broken_message_is_refused_with_the_place(found, says):
    with pytest.raises(TocsinError, match=says):
        joint_trajectory(found)


def test_the_start_of_a_display_message_gives_the_other_joints():
    state = {"joint_state": {"name": ["c"], "position": [0.25]}}
    assert start_of({"trajectory_start": state}) == {"c": 0.25}
    assert start_of(message(point([0, 0]))) == {}
    with pytest.raises(TocsinError, match="attached_collision_objects"):
        start_of({"trajectory_start": state | {"attached_collision_objects": [{}]}})
