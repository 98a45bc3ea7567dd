"""Columns of trajectories by joint name, and errors by joint."""

import numpy as np
import pytest

import tocsin
from gripping import arm
from tocsin import RobotBuilder, Trajectory
from tocsin.errors import TocsinError
from tocsin.model.following import column_names, columns_of, errors_of, errors_said

pytestmark = pytest.mark.pure


def cart():
    builder = RobotBuilder("cart")
    builder.link("base")
    builder.link("body", parent="base", joint="planar", joint_name="drive")
    builder.link("arm", parent="body", joint="revolute", axis=(0, 0, 1), joint_name="turn")
    return builder.build()


def test_joints_of_several_values_have_a_column_each():
    assert column_names(cart().joints) == ("drive.x", "drive.y", "drive.angle", "turn")


def test_a_configuration_of_the_wrong_length_is_refused_with_the_parts_of_joints_that_have_several_values():
    """A quadruped of 13 joints was said to need 19 values, and which joint has seven of them was not."""
    said = r"must have 4 values \(joints: drive \(x, y, angle\), turn\); got shape \(2,\)"
    robot = cart()
    with pytest.raises(TocsinError, match=said):
        robot.move([0.0, 0.0], [1.0, 0.0])
    with pytest.raises(TocsinError, match=r"drive \(x, y, angle\), turn"):
        tocsin.Scene(robot).check_edges(robot, [[0.0, 0.0]], [[1.0, 0.0]])


def test_columns_go_where_their_names_say():
    plan = Trajectory([0, 1], [[1.0, 2.0], [3.0, 4.0]], joint_names=["turn", "drive.x"])
    assert columns_of(plan, cart()).rows(plan.positions).tolist() == [[2.0, 0.0, 0.0, 1.0], [4.0, 0.0, 0.0, 3.0]]


def test_a_column_that_seems_to_hold_rates_is_refused_with_what_to_call_it():
    for name, said in (("turn_velocity", "turn.velocity"), ("drive.x/acc", "drive.x.acceleration")):
        with pytest.raises(tocsin.UnknownNameError, match=rf"no joint '{name}'.*call it '{said}'\.$"):
            columns_of(Trajectory([0, 1], [[1.0], [3.0]], joint_names=[name]), cart())
    with pytest.raises(tocsin.UnknownNameError, match=r"'turn'$"):
        columns_of(Trajectory([0, 1], [[1.0], [3.0]], joint_names=["turner"]), cart())


def test_an_error_of_a_planar_joint_is_one_of_its_place_and_one_of_its_angle():
    assert errors_of(cart(), {"drive": 0.1, "turn": 0.2})[7:].tolist() == [0.1, 0.0, 0.1, 0.2]
    with pytest.raises(tocsin.TocsinError, match="no joint 'wheel'"):
        errors_of(cart(), {"wheel": 0.1})
    with pytest.raises(tocsin.TocsinError, match="error"):
        errors_of(cart(), -1.0)


def test_a_path_is_no_file_and_its_sentence_says_how_to_read_one():
    with pytest.raises(tocsin.TocsinError, match=r"is not a file: give tocsin.load_trajectory\('plan.csv'\)"):
        arm().follow("plan.csv")


@pytest.mark.parametrize("error", [5.0, {"j0": 5.0}])
def test_an_error_of_a_radian_or_a_metre_is_remarked_on(error):
    with pytest.warns(tocsin.UnitWarning, match=r"error.* is 5\. Degrees, or millimetres\?"):
        arm().follow([[0, 0], [1, 1]], error=error)
    with pytest.warns(tocsin.UnitWarning, match=r"error is 5\. Degrees, or millimetres\?"):
        tocsin.Body(tocsin.Sphere(0.1)).follow([(0, 0, 0), (1, 0, 0)], error=5.0)


def floating():
    return tocsin.RobotBuilder("f").link("a").link("b", tocsin.Box((1, 1, 1)), parent="a", joint="floating").build()


def test_an_error_of_an_orientation_is_an_angle_and_no_part_of_its_quaternion():
    """An error of `qy` was written where nothing reads it: the tube was none."""
    robot = floating()
    assert errors_of(robot, {"b_joint": 0.1})[7:].tolist() == [0.1, 0, 0, 0.1, 0, 0, 0]
    row = errors_of(robot, {"b_joint.y": 0.1, "b_joint.angle": 0.2})
    assert row[7:].tolist() == [0, 0.1, 0, 0.2, 0, 0, 0]
    assert np.array_equal(errors_of(robot, errors_said(robot, row)), row)
    for part in ("qx", "qy", "qz", "qw"):
        with pytest.raises(tocsin.TocsinError, match=rf"no joint 'b_joint.{part}'.*'b_joint.angle'"):
            errors_of(robot, {f"b_joint.{part}": 0.1})


def test_pieces_of_an_orientation_that_do_not_quite_meet_are_in_a_tube_of_the_angle():
    robot = floating()
    c = np.zeros((2, 2, 7))
    c[:, 0, 6] = 1.0
    c[1, 0, 5] = 5e-7
    plan = tocsin.Trajectory.of_pieces([0, 1, 2], c, joint_names=column_names(robot.joints))
    error = robot.follow(plan).error[7:]
    assert error[3] >= 1e-6  # twice the quaternion's
    assert not error[[0, 1, 2, 4, 5, 6]].any()
