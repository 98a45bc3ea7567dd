"""The table of links: every kind of joint has a name and a width, and a model's records are those of its joints."""

import numpy as np
import pytest

import tocsin
from tocsin.motion.links import BASE_WIDTH, FIXED, IDENTITY_BASE, JOINT_KINDS, LINK, WIDTH

pytestmark = pytest.mark.pure


def test_every_kind_has_a_width_and_a_base_is_a_floating_joint():
    assert set(JOINT_KINDS.values()) == set(WIDTH)
    assert WIDTH[JOINT_KINDS["floating"]] == BASE_WIDTH == len(IDENTITY_BASE)
    assert WIDTH[FIXED] == 0
    assert JOINT_KINDS["continuous"] == JOINT_KINDS["revolute"]


@pytest.mark.parametrize("kind", sorted(JOINT_KINDS))
def test_a_joint_takes_its_width_of_the_configuration(kind):
    builder = tocsin.RobotBuilder("r").link("base", tocsin.Sphere(0.1))
    axis = {} if kind in ("fixed", "ball", "floating") else {"axis": (0, 0, 1)}
    builder = builder.link("tip", tocsin.Sphere(0.1), parent="base", joint=kind, **axis)
    robot = builder.build()
    assert robot.width == BASE_WIDTH + WIDTH[JOINT_KINDS[kind]]
    assert robot.links.dtype == LINK
    base, tip = robot.links
    assert (base["parent"], tip["parent"]) == (-1, 0)
    assert (base["depth"], tip["depth"]) == (1, 2) or tip["depth"] == base["depth"] + 1
    assert tip["kind"] == JOINT_KINDS[kind]
    assert tip["config"] == BASE_WIDTH or WIDTH[JOINT_KINDS[kind]] == 0
    assert (tip["multiplier"], tip["offset"]) == (1.0, 0.0)


def test_a_follower_says_whose_value_it_takes():
    b = tocsin.RobotBuilder("r").link("base", tocsin.Sphere(0.1))
    b = b.link("a", tocsin.Sphere(0.1), parent="base", joint="revolute", axis=(0, 0, 1))
    b = b.link("b", tocsin.Sphere(0.1), parent="a", joint="revolute", axis=(0, 2, 0), mimic=("a_joint", -2.0, 0.25))
    links = b.build().links
    assert links[2]["config"] == links[1]["config"]
    assert (links[2]["multiplier"], links[2]["offset"]) == (-2.0, 0.25)
    assert np.linalg.norm(links[2]["axis"]) == 1.0
