"""The record of a joint on a curve is where its polynomial says, in the whole of a piece and in parts of it."""

import numpy as np
import pytest

from tocsin import RobotBuilder
from tocsin.motion.chain import chain_pose
from tocsin.motion.curved_joints import allow, curved_motion, set_joint
from tocsin.motion.joints import JOINT, joint_motion
from tocsin.motion.links import JOINT_KINDS, WIDTH

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
@pytest.mark.parametrize(("x", "lasts"), [(0.0, 1.0), (0.25, 0.5), (0.9, 0.1)])
def test_a_joint_is_where_its_polynomial_says(kind, x, lasts):
    builder = RobotBuilder("one")
    builder.link("base")
    builder.link("tip", parent="base", joint=kind, axis=(0, 0, 1))
    robot = builder.build()
    c = np.random.default_rng(1).normal(size=(4, robot.width))
    c[:, :7] = 0.0
    c[:2, 6] = 1.0
    joints = np.zeros(2, JOINT)
    for k in range(2):
        curved_motion(joints[k], robot.links[k], c.reshape(-1), 0, robot.width, 3, x, lasts)
    for t in (0.0, 0.3, 1.0):
        share = x + t * lasts
        q = sum(c[k, 7] * share**k for k in range(4))
        r, p = chain_pose(joints, robot.links, 1, -1, t)
        if kind == "prismatic":
            assert p[2] == pytest.approx(q, abs=1e-14)
        else:
            assert (r[0][0], r[1][0]) == pytest.approx((np.cos(q), np.sin(q)), abs=1e-14)


def test_a_joint_that_follows_another_is_off_by_as_many_times_as_much():
    """And it starts where the joint that it follows has it, its offset included."""
    builder = RobotBuilder("hand")
    builder.link("base", None)
    builder.link("first", None, parent="base", joint="revolute", axis=(0, 0, 1), limits=(-3, 3), joint_name="first")
    builder.link("second", None, parent="first", joint="revolute", axis=(0, 0, 1), mimic=("first", -3.0, 0.25))
    hand = builder.build()
    link, joint = hand.links[2], np.zeros(1, JOINT)[0]
    rows = np.zeros((4, hand.width))
    rows[:3, link["config"]] = 0.5, 0.25, 0.125
    rows[3, link["config"]] = 0.01
    set_joint(joint, link, rows.reshape(-1), hand.width, (0, -2, 0.0, 1.0, 3 * hand.width))
    assert 0.03 <= joint["turn_error"] <= 0.03 * (1.0 + 1e-9)
    middle = 0.25 - 3.0 * (0.5 + 0.25 * 0.5 + 0.125 * 0.25)
    assert joint["first"] == pytest.approx(middle, rel=1e-15)


@pytest.mark.parametrize("kind", [kind for kind, code in JOINT_KINDS.items() if WIDTH[code]])
def test_no_kind_of_joint_is_left_out(kind):
    """One that was would stand still on a curve, and nothing in its way would be seen."""
    robot = RobotBuilder("arm").link("base").link("tip", parent="base", joint=kind).build()
    link, joint = robot.links[1], np.zeros(1, JOINT)[0]
    rows = np.zeros((3, robot.width))
    rows[1] = 0.5
    for k in robot.quaternions:
        rows[:, k : k + 4] = (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.6, 0.8), (0.0, 0.0, 0.0, 0.0)
    curved_motion(joint, link, rows.ravel(), 0, robot.width, 2, 0.0, 1.0)
    assert joint["turn"] + joint["speed"] > 0.4
    allow(joint, link, np.ones(robot.width), 0)
    assert joint["turn_error"] + joint["slide_error"] >= 1.0
    joint_motion(joint, link, rows.ravel(), 0, robot.width, 0.0, 1.0)
    assert joint["turn"] + joint["speed"] > 0.4
