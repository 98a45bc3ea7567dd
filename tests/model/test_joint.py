"""Joints, and the tree that they make of links."""

import numpy as np
import pytest

import tocsin
from tocsin.errors import TocsinError, UnknownNameError
from tocsin.model.joint import Joint, driven, sorted_tree


def joint(name: str, parent: str, child: str, mimic: tuple[str, float, float] | None = None) -> Joint:
    return Joint(name, "revolute", parent, child, np.eye(4), np.array([0.0, 0.0, 1.0]), mimic=mimic)


def test_links_are_listed_parents_first_whatever_the_branches():
    builder = tocsin.RobotBuilder("tree")
    builder.link("root")
    for name, parent in (("a", "root"), ("b", "root"), ("a1", "a"), ("b1", "b"), ("a2", "a1")):
        builder.link(name, parent=parent, joint="revolute")
    robot = builder.build()
    parents = robot.links["parent"]
    assert (parents[1:] < np.arange(1, 6)).all()
    assert robot.joint_names == ("a_joint", "b_joint", "a1_joint", "b1_joint", "a2_joint")


def test_a_mimic_of_a_mimic_follows_the_joint_that_is_driven():
    builder = tocsin.RobotBuilder("hand")
    builder.link("palm")
    builder.link("x", parent="palm", joint="prismatic", axis=(1, 0, 0))
    builder.link("y", parent="palm", joint="prismatic", axis=(1, 0, 0), mimic=("x_joint", 2.0, 1.0))
    builder.link("z", parent="palm", joint="prismatic", axis=(1, 0, 0), mimic=("y_joint", -1.0, 0.5))
    robot = builder.build()
    assert robot.n_config == 1
    assert robot.link_poses([3.0])[1:, 0, 3] == pytest.approx([3.0, 7.0, -6.5])


@pytest.mark.pure
@pytest.mark.parametrize(
    ("links", "joints", "says"),
    [
        ((), (), "has no links"),
        (("a", "a"), (), "two links named 'a'"),
        (("a", "b", "c"), (joint("j", "a", "b"), joint("j", "a", "c")), "two joints named 'j'"),
        (("a", "b", "c"), (joint("j", "a", "c"), joint("k", "b", "c")), "two parents, 'a' and 'b'"),
        (("a", "b"), (joint("j", "a", "b"), joint("k", "b", "a")), "has no root"),
        (("a", "b"), (), "2 roots: 'a', 'b'"),
        (("a", "b", "c"), (joint("j", "b", "c"), joint("k", "c", "b")), "a cycle through: 'b', 'c'"),
    ],
)
def test_what_is_not_one_tree_is_refused(links, joints, says):
    with pytest.raises(TocsinError, match=says):
        sorted_tree("thing", links, joints)


@pytest.mark.pure
def test_a_joint_follows_one_that_is_driven():
    a, b, c = joint("a", "x", "y"), joint("b", "x", "z", ("a", 2.0, 1.0)), joint("c", "x", "w", ("b", -1.0, 0.5))
    assert driven(c, {"a": a, "b": b, "c": c}) == ("a", -2.0, -0.5)
    with pytest.raises(UnknownNameError, match="joint 'a'"):
        driven(b, {"b": b})
    with pytest.raises(TocsinError, match="a -> b -> a"):
        driven(joint("a", "x", "y", ("b", 1.0, 0.0)), {"a": joint("a", "x", "y", ("b", 1.0, 0.0)), "b": b})
    with pytest.raises(TocsinError, match="at most"):
        driven(joint("b", "x", "z", ("a", 1e300, 0.0)), {"a": a})
