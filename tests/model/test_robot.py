"""Robots: the order of their configurations, mimics, neighbours, motions."""

import numpy as np
import pytest

import tocsin
from promise.scenes import at
from tocsin_bench.oracles import kinematics

CUBE = tocsin.Box((0.1, 0.1, 0.1))


def every_kind():
    builder = tocsin.RobotBuilder("zoo", base="free")
    builder.link("root", CUBE)
    for kind in ("revolute", "continuous", "prismatic", "planar", "ball", "floating", "fixed"):
        builder.link(kind, CUBE, parent="root", joint=kind, joint_name=f"j_{kind}")
    return builder.build()


@pytest.mark.pure
def test_the_configuration_follows_the_order_in_which_joints_were_added():
    robot = every_kind()
    assert robot.n_config == 1 + 1 + 1 + 3 + 4 + 7
    assert robot.joint_names == ("j_revolute", "j_continuous", "j_prismatic", "j_planar", "j_ball", "j_floating")
    assert robot.link_names[0] == "root"
    where = dict(zip(robot.link_names, robot.links["config"]))
    assert [int(where[k]) - 7 for k in ("revolute", "prismatic", "planar", "ball", "floating")] == [0, 2, 3, 6, 10]
    assert robot.quaternions.tolist() == [3, 7 + 6, 7 + 13]


def test_neighbours_are_not_checked_nor_links_joined_by_bare_frames():
    builder = tocsin.RobotBuilder("arm")
    builder.link("root", CUBE)
    builder.link("frame", parent="root", joint="revolute")
    builder.link("upper", CUBE, parent="frame", joint="revolute")
    builder.link("lower", CUBE, parent="upper", joint="revolute")
    robot = builder.build()
    named = {tuple(sorted((robot.link_names[i], robot.link_names[k]))) for i, k in robot.ignored}
    assert ("root", "upper") in named
    assert ("lower", "upper") in named
    assert ("lower", "root") not in named


def test_link_poses_are_those_of_the_definitions():
    rng = np.random.default_rng(1)
    robot = every_kind()
    kinds = ("revolute", "continuous", "prismatic", "planar", "ball", "floating", "fixed")
    tree = kinematics.Tree((kinematics.Joint(), *[kinematics.Joint(kind, 0) for kind in kinds]))
    q = rng.normal(size=robot.n_config)
    for k in (6, 13):
        q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    base = at(1, 2, 3, (10, 20, 30))
    truth = kinematics.poses(tree, q, q, [0.0], base=(base, base))[0]
    order = [robot.link_index(name) for name in ("root", *kinds)]
    assert np.allclose(robot.link_poses(q, base=base)[order], truth, atol=1e-13)


def test_a_planar_joint_slides_across_its_axis():
    builder = tocsin.RobotBuilder("cart")
    builder.link("base").link("cart", parent="base", joint="planar", axis=(1, 2, 2))
    robot = builder.build()
    pose = robot.link_poses([0.3, -0.4, 0.7])[1]
    assert pose[:3, 3] @ np.array([1, 2, 2]) == pytest.approx(0.0, abs=1e-15)
    assert np.linalg.norm(pose[:3, 3]) == pytest.approx(0.5)
    assert np.allclose(pose[:3, :3] @ [1, 2, 2], [1, 2, 2])


def test_a_path_has_one_piece_fewer_than_configurations():
    builder = tocsin.RobotBuilder("arm")
    builder.link("base").link("tip", CUBE, parent="base", joint="revolute")
    robot = builder.build()
    path = robot.follow([[0.0], [1.0], [0.0]])
    assert path.pieces == 2
    assert path.row_at(0.25)[7] == pytest.approx(0.5)
    assert path.row_at(0.75)[7] == pytest.approx(0.5)
    assert robot.at([0.3]).pieces == 0


def test_ignoring_and_placing_are_noticed():
    robot = every_kind()
    before = robot.version
    robot.ignore("ball", "planar")
    robot.place(at(1))
    robot.stand_at(robot.rest[7:])
    assert robot.version == before + 3
    assert "zoo" in repr(robot)


def named_arm():
    builder = tocsin.RobotBuilder("arm")
    builder.link("base", CUBE)
    for name, parent in (("a", "base"), ("b", "a"), ("c", "b")):
        builder.link(name, CUBE, parent=parent, joint="revolute", joint_name=name)
    builder.link("twin", CUBE, parent="c", joint="revolute", joint_name="twin", mimic=("c", 2.0, 0.0))
    robot = builder.build()
    robot.groups["hand"] = ("c", "twin", "a")
    robot.stand_at([0.1, 0.2, 0.3])
    return robot


def test_a_configuration_by_name_keeps_the_joints_that_it_does_not_name_as_they_were():
    robot = named_arm()
    assert robot.configuration({"b": 1.0}).tolist() == [0.1, 1.0, 0.3]
    move = robot.move({"a": -1.0}, {"c": np.float32(0.5)})
    assert move.rows[:, 7:].tolist() == [[-1.0, 0.2, 0.3], [-1.0, 0.2, 0.5]]
    assert robot.follow([{"a": 1}, {"b": 2}, [0, 0, 0], {}]).rows[:, 7:].tolist() == [
        [1, 0.2, 0.3], [1, 2, 0.3], [0, 0, 0], [0, 0, 0],
    ]  # fmt: skip
    assert robot.configuration({"b": 1.0}, like=[7, 8, 9]).tolist() == [7, 1, 9]


def test_a_group_takes_values_in_its_own_order_without_joints_that_follow_others():
    robot = named_arm()
    assert robot.configuration([7.0, 5.0], group="hand").tolist() == [5.0, 0.2, 7.0]
    assert robot.at({"c": 4.0}, group="hand").rows[0, 7:].tolist() == [0.1, 0.2, 4.0]


@pytest.mark.parametrize(
    ("values", "group", "says"),
    [
        ({"d": 1.0}, None, "no joint 'd'; joints are: 'a', 'b', 'c'"),
        ({"twin": 1.0}, None, "joint 'twin' follows 'c'"),
        ({"a": [1.0, 2.0]}, None, "the value of joint 'a'"),
        ({"a": np.nan}, None, "the value of joint 'a' must be finite"),
        ([1.0], "hand", "over group 'hand' \\(c, a\\)"),
        ([1.0, 2.0], "leg", "no group 'leg'"),
        ({"b": 1.0}, "hand", "no joint 'b' in group 'hand'; joints are"),
    ],
)
def test_a_configuration_by_name_that_means_nothing_is_refused(values, group, says):
    with pytest.raises(tocsin.TocsinError, match=says):
        named_arm().configuration(values, group=group)


@pytest.mark.pure
def test_a_state_is_a_configuration():
    robot = scara()
    robot.states["up"] = {"lift": 0.3}
    assert np.array_equal(robot.configuration("up"), robot.configuration({"lift": 0.3}))
    with pytest.raises(tocsin.UnknownNameError, match="no state 'down'; states are: 'up'"):
        robot.move("up", "down")


@pytest.mark.pure
def test_limits_are_those_of_the_joint_and_of_the_joints_that_follow_it():
    robot = scara()
    assert np.array_equal(robot.limits, [(0.0, 0.2), (-np.inf, np.inf)])
    for value in robot.limits[0]:
        assert robot.within_limits({"lift": value})
    assert not robot.within_limits({"lift": 0.25})


def scara():
    b = tocsin.RobotBuilder("scara").link("base", CUBE)
    b.link("column", CUBE, parent="base", joint="prismatic", limits=(0, 0.4), joint_name="lift")
    b.link("cable", CUBE, parent="base", joint="prismatic", limits=(-0.4, 1), mimic=("lift", -2, 0), joint_name="pay")
    b.link("arm", CUBE, parent="column", joint="continuous", joint_name="swing")
    return b.build()


def test_a_free_base_is_told_where_it_is_at_the_contact():
    builder = tocsin.RobotBuilder("drone", base="free")
    drone = builder.link("hull", tocsin.Sphere(0.1)).build()
    wall = tocsin.Body(tocsin.Box((0.2, 2, 2)), (2, 0, 0), name="wall")
    hit = tocsin.Scene(drone, wall).first_contact(drone.move([], [], base=(at(0, 0, 1), at(4, 0, 1))))
    assert hit.time == pytest.approx(1.8 / 4, abs=1e-4)
    assert np.allclose(drone.base_at_contact(hit), at(4 * hit.time, 0, 1))


def test_a_group_stands_where_it_is_told_and_the_others_stay():
    builder = tocsin.RobotBuilder("arms", base="free").link("root", CUBE)
    for side in ("left", "right"):
        builder.link(side, CUBE, parent="root", joint="revolute", joint_name=side)
    robot = builder.build()
    robot.groups["one"] = ("right",)
    robot.stand_at({"left": 0.5})
    robot.stand_at([0.25], group="one", base=at(1, 2, 3))
    assert robot.rest[7:].tolist() == [0.5, 0.25]
    assert robot.rest[:3].tolist() == [1, 2, 3]
