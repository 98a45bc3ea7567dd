"""Columns of trajectories by joint name, and errors by joint."""

import pytest

import tocsin
from gripping import arm
from tocsin import RobotBuilder, Trajectory
from tocsin.model.following import column_names, columns_of, errors_of

pytestmark = pytest.mark.pure


def cart():
    builder = RobotBuilder("cart")
    builder.link("base")
    builder.link("body", parent="base", joint="planar", joint_name="drive")
    builder.link("arm", parent="body", joint="revolute", axis=(0, 0, 1), joint_name="turn")
    return builder.build()


def test_joints_of_several_values_have_a_column_each():
    assert column_names(cart().joints) == ("drive.x", "drive.y", "drive.angle", "turn")


def test_columns_go_where_their_names_say():
    plan = Trajectory([0, 1], [[1.0, 2.0], [3.0, 4.0]], joint_names=["turn", "drive.x"])
    assert columns_of(plan, cart()).rows(plan.positions).tolist() == [[2.0, 0.0, 0.0, 1.0], [4.0, 0.0, 0.0, 3.0]]


def test_an_error_of_a_planar_joint_is_one_of_its_place_and_one_of_its_angle():
    assert errors_of(cart(), {"drive": 0.1, "turn": 0.2})[7:].tolist() == [0.1, 0.0, 0.1, 0.2]
    with pytest.raises(tocsin.TocsinError, match="no joint 'wheel'"):
        errors_of(cart(), {"wheel": 0.1})
    with pytest.raises(tocsin.TocsinError, match="error"):
        errors_of(cart(), -1.0)


def test_a_path_is_no_file_and_its_sentence_says_how_to_read_one():
    with pytest.raises(tocsin.TocsinError, match=r"is no file: give tocsin.load_trajectory\('plan.csv'\)"):
        arm().follow("plan.csv")


@pytest.mark.parametrize("error", [5.0, {"j0": 5.0}])
def test_an_error_of_a_radian_or_a_metre_is_remarked_on(error):
    with pytest.warns(tocsin.UnitWarning, match=r"error.* is 5\. Degrees, or millimetres\?"):
        arm().follow([[0, 0], [1, 1]], error=error)
    with pytest.warns(tocsin.UnitWarning, match=r"error is 5\. Degrees, or millimetres\?"):
        tocsin.Body(tocsin.Sphere(0.1)).follow([(0, 0, 0), (1, 0, 0)], error=5.0)
