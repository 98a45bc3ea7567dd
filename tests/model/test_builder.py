"""Robots made link by link: what is built, and what is refused in a sentence."""

import numpy as np
import pytest

from tocsin import Box, RobotBuilder, TocsinError, UnitWarning

pytestmark = pytest.mark.pure


def arm(**options):
    return RobotBuilder("arm").link("base", Box((1, 1, 1))).link("upper", Box((1, 1, 1)), parent="base", **options)


def test_a_joint_is_named_after_its_link_unless_it_is_given_a_name():
    assert arm(joint="revolute").build().joint_names == ("upper_joint",)
    assert arm(joint="revolute", joint_name="shoulder").build().joint_names == ("shoulder",)


def test_a_chain_of_calls_and_a_list_of_calls_build_the_same():
    b = RobotBuilder("arm")
    assert b.link("base", Box((1, 1, 1))) is b
    b.link("upper", Box((1, 1, 1)), parent="base")
    assert repr(b) == "<RobotBuilder 'arm': base, upper>"
    assert repr(RobotBuilder()) == "<RobotBuilder 'robot': no links yet>"
    assert b.build().link_names == arm().build().link_names


def test_a_builder_can_build_twice_and_go_on_in_between():
    b = arm()
    first = b.build()
    b.link("hand", parent="upper")
    assert first.link_names == ("base", "upper")
    assert b.build().link_names == ("base", "upper", "hand")


@pytest.mark.parametrize(
    ("kind", "width"),
    [("fixed", 0), ("revolute", 1), ("continuous", 1), ("prismatic", 1), ("planar", 3), ("ball", 4), ("floating", 7)],
)
def test_every_kind_of_joint_has_its_width(kind, width):
    assert arm(joint=kind).build().n_config == width


def test_the_axis_is_made_a_unit_vector_and_a_later_change_of_the_array_changes_nothing():
    axis, origin = np.array([0.0, 3.0, 4.0]), np.eye(4)
    robot = arm(joint="revolute", axis=axis, origin=origin).build()
    axis[:] = 1.0
    origin[0, 3] = 9.0
    np.testing.assert_allclose(robot.joints[0].axis, (0.0, 0.6, 0.8))
    np.testing.assert_array_equal(robot.joints[0].origin, np.eye(4))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"joint": "hinge"}, "revolute"),
        ({"joint": "revolute", "axis": (0, 0, 0)}, "axis"),
        ({"joint": "continuous", "limits": (0, 1)}, "only revolute and prismatic"),
        ({"joint": "revolute", "limits": (1, 0)}, "wrong way round"),
        ({"joint": "ball", "mimic": ("x", 1, 0)}, "can mimic"),
        ({"joint": "revolute", "mimic": "x"}, "multiplier"),
        ({"joint": "revolute", "mimic": ("x", float("nan"), 0)}, "multiplier"),
    ],
)
def test_a_joint_that_cannot_be_is_refused_when_its_link_is_added(options, words):
    with pytest.raises(TocsinError, match=words):
        arm(**options)


def test_a_second_root_a_second_name_and_a_root_with_a_joint_are_refused():
    with pytest.raises(TocsinError, match="needs a parent"):
        RobotBuilder().link("a").link("b")
    with pytest.raises(TocsinError, match="two links named 'a'"):
        RobotBuilder().link("a").link("a", parent="a")
    with pytest.raises(TocsinError, match="it has no joint"):
        RobotBuilder().link("a", joint="revolute")
    with pytest.raises(TocsinError, match="no links"):
        RobotBuilder().build()
    with pytest.raises(TocsinError, match="no link 'x'"):
        RobotBuilder().link("a").link("b", parent="x").build()


def test_a_mimic_has_no_entry_of_its_own():
    b = arm(joint="revolute").link("hand", parent="upper", joint="prismatic", mimic=("upper_joint", 2.0, 0.5))
    robot = b.build()
    assert robot.joint_names == ("upper_joint",)
    np.testing.assert_allclose(robot.link_poses([0.25])[2][2, 3], 1.0)


def test_limits_in_degrees_are_remarked_on():
    b = RobotBuilder("r").link("a")
    with pytest.warns(UnitWarning, match=r"limits of joint 'b_joint' are -180 to 180 rad. Degrees\?"):
        b.link("b", parent="a", joint="revolute", limits=(-180, 180))
