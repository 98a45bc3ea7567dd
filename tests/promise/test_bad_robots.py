"""Robots that are not one tree, joints that make no sense, configurations that do not fit: each gets a sentence."""

import math

import numpy as np
import pytest

import tocsin
from promise.scenes import arm, at, box_mesh, says
from tocsin.model.joint import Joint

BOX = box_mesh()
NAN, INF = math.nan, math.inf


def builder():
    b = tocsin.RobotBuilder("arm")
    b.link("base", BOX)
    return b


def test_a_second_root():
    with pytest.raises(ValueError, match=says("hand", "parent")):
        builder().link("hand", BOX).build()


def test_an_unknown_parent_is_answered_with_the_links_that_exist():
    with pytest.raises(ValueError, match=says("'hnad'", "base")):
        builder().link("hand", BOX, parent="hnad", joint="revolute").build()


def test_links_that_form_a_cycle():
    b = builder()
    with pytest.raises(ValueError, match=says("cycle|no link|itself")):
        b.link("a", BOX, parent="b", joint="revolute").link("b", BOX, parent="a", joint="revolute").build()
    with pytest.raises(ValueError, match=says("cycle|no link|itself")):
        builder().link("a", BOX, parent="a", joint="revolute").build()


def test_a_robot_without_links():
    with pytest.raises(ValueError, match=says("no link")):
        tocsin.RobotBuilder("arm").build()


def test_two_links_or_joints_of_one_name():
    with pytest.raises(ValueError, match=says("two links", "base")):
        builder().link("base", BOX, parent="base").build()
    b = builder().link("a", BOX, parent="base", joint="revolute", joint_name="j")
    with pytest.raises(ValueError, match=says("two joints", "'j'")):
        b.link("b", BOX, parent="base", joint="revolute", joint_name="j").build()


def test_an_unknown_kind_of_joint_is_answered_with_the_kinds_that_exist():
    with pytest.raises(ValueError, match=says("hinge|revolute")) as caught:
        builder().link("a", BOX, parent="base", joint="hinge").build()
    assert "prismatic" in str(caught.value)


@pytest.mark.parametrize("axis", [(0, 0, 0), (NAN, 0, 1), (1, 0), "z", (INF, 0, 0)])
def test_an_axis_that_is_no_direction(axis):
    for kind in ("revolute", "prismatic", "continuous", "planar"):
        with pytest.raises(ValueError, match=says("axis")):
            builder().link("a", BOX, parent="base", joint=kind, axis=axis).build()


@pytest.mark.parametrize("limits", [(1, -1), (NAN, 1), (0,), "wide", (0, 1, 2)])
def test_limits_that_make_no_sense(limits):
    with pytest.raises(ValueError, match=says("limits")):
        builder().link("a", BOX, parent="base", joint="revolute", limits=limits).build()


@pytest.mark.parametrize("origin", [np.diag([2.0, 1, 1, 1]), (0, 0), (0, NAN, 0), np.eye(3), "up"])
def test_an_origin_that_is_no_place(origin):
    with pytest.raises(ValueError, match=says("origin")):
        builder().link("a", BOX, parent="base", joint="revolute", origin=origin).build()


def test_mimics_that_cannot_be_followed():
    def built(**options):
        b = builder().link("a", BOX, parent="base", joint="revolute", joint_name="ja")
        b.link("s", BOX, parent="base", joint="ball", joint_name="js")
        return b.link("b", BOX, parent="a", joint="revolute", joint_name="jb", **options).build()

    with pytest.raises(ValueError, match=says("'jx'", "ja")):
        built(mimic=("jx", 1.0, 0.0))
    with pytest.raises(ValueError, match=says("itself")):
        built(mimic=("jb", 1.0, 0.0))
    with pytest.raises(ValueError, match=says("js", "ball")):
        built(mimic=("js", 1.0, 0.0))
    for multiplier, offset in ((NAN, 0.0), (1.0, INF), ("x", 0.0)):
        with pytest.raises(ValueError, match=says("number|finite")):
            built(mimic=("ja", multiplier, offset))
    with pytest.raises(ValueError, match=says("mimic")):
        built(mimic="ja")


def test_two_joints_that_mimic_each_other():
    b = builder().link("a", BOX, parent="base", joint="revolute", joint_name="ja", mimic=("jb", 1.0, 0.0))
    with pytest.raises(ValueError, match=says("mimic", "itself|each other")):
        b.link("b", BOX, parent="a", joint="revolute", joint_name="jb", mimic=("ja", 1.0, 0.0)).build()


def test_an_unknown_base():
    with pytest.raises(ValueError, match=says("fixed", "free")):
        tocsin.RobotBuilder("arm", base="flying")


@pytest.mark.parametrize("q", [[], [0, 0], 0.0, [[0.0]], "ab", None])
def test_configurations_of_a_wrong_length(q):
    robot = arm()
    for use in (
        lambda: robot.at(q),
        lambda: robot.move([0], q),
        lambda: robot.move(q, [0]),
        lambda: robot.link_poses(q),
        lambda: robot.follow([[0], q]),
    ):
        with pytest.raises(ValueError, match=says("1|shape|values|configuration|states are")):
            use()


@pytest.mark.parametrize("value", [NAN, INF])
def test_configurations_that_are_not_finite(value):
    robot = arm()
    for use in (lambda: robot.at([value]), lambda: robot.move([0], [value]), lambda: robot.follow([[0], [value]])):
        with pytest.raises(ValueError, match=says("finite")):
            use()


@pytest.mark.parametrize("q", [[0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0.5]])
def test_quaternions_that_are_no_orientation(q):
    with pytest.raises(ValueError, match=says("unit quaternion")):
        arm("ball").move([0, 0, 0, 1], q)
    with pytest.raises(ValueError, match=says("unit quaternion")):
        arm("floating").at([0, 0, 0, *q])


def test_a_base_pose_for_a_fixed_base():
    robot = arm()
    with pytest.raises(ValueError, match=says("fixed", "free")):
        robot.move([0], [1], base=(at(), at(1)))
    with pytest.raises(ValueError, match=says("fixed", "free")):
        robot.at([0], base=at(1))


def test_a_base_that_is_not_two_poses():
    robot = tocsin.RobotBuilder("rover", base="free").link("body", BOX).build()
    for base in (at(), (at(),), (at(), np.eye(3)), (at(), np.diag([2.0, 1, 1, 1])), 7):
        with pytest.raises(ValueError, match=says("base")):
            robot.move([], [], base=base)


def test_unknown_links_are_answered_with_the_links_that_exist():
    robot = arm()
    for use in (lambda: robot.ignore("tip", "tap"), lambda: robot.ignore("tap", "tip")):
        with pytest.raises(ValueError, match=says("'tap'", "base", "tip")):
            use()


@pytest.mark.parametrize(("kind", "value"), [("continuous", 1e20), ("continuous", -2e9), ("prismatic", 1e31)])
def test_turns_and_lengths_that_rounding_swallows_are_refused(kind, value):
    # A turn of 1e20 rad was once answered "free" while the link drove through an obstacle.
    builder = tocsin.RobotBuilder("r")
    builder.link("a", tocsin.Sphere(0.1))
    builder.link("b", tocsin.Sphere(0.1), parent="a", joint=kind, origin=(1, 0, 0), joint_name="j")
    builder.link("c", tocsin.Sphere(0.1), parent="a", joint=kind, origin=(2, 0, 0), mimic=("j", 10.0, 0.0))
    robot = builder.build()
    for use in (lambda: robot.move([0], [value]), lambda: robot.at({"j": value}), lambda: robot.follow([[0], [value]])):
        with pytest.raises(tocsin.TocsinError, match="can be followed"):
            use()
    with pytest.raises(tocsin.TocsinError, match="can be followed"):
        robot.move([0], [2e8 if kind == "continuous" else 2e29])
    robot.move([0], [0.9e8])


def test_a_joint_whose_origin_is_no_transform_is_refused():
    joint = Joint("j", "fixed", "a", "b", np.full((4, 4), np.inf), np.array([0.0, 0.0, 1.0]))
    with pytest.raises(tocsin.TocsinError, match="the origin of joint 'j'"):
        tocsin.Robot("r", ["a", "b"], [joint], {})
