"""Every kind of joint moves as it is defined to, and its record bounds its motion."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.motion.arcs import decided
from tocsin.motion.joints import JOINT, joint_motion, joint_pose, relative_turn, rotation_of
from tocsin_bench.oracles import kinematics
from tocsin_bench.scenes.trees import KINDS, configuration, origin

TIMES = np.linspace(0.0, 1.0, 9)


def one_joint(rng, kind):
    """Return (robot, oracle tree) of one joint of that kind."""
    axis = (0.0, 0.0, 1.0) if kind == "planar" else tuple(rng.normal(size=3).tolist())
    place = origin(rng)
    builder = tocsin.RobotBuilder("robot")
    builder.link("base").link("tip", parent="base", joint=kind, axis=axis, origin=place)
    return builder.build(), kinematics.Tree((kinematics.Joint(), kinematics.Joint(kind, 0, place, axis)))


def record(robot, q0, q1, begin=0.0, end=1.0):
    rows = np.stack([np.concatenate([robot.rest[:7], q]) for q in (q0, q1)])
    joint = np.zeros(1, JOINT)
    configs = decided(rows, robot.kernel_quaternions).reshape(-1)
    joint_motion(joint[0], robot.kernel_links[1], configs, 0, robot.width, begin, end)
    return joint[0]


def check(kind, seed, turns=2.0):
    rng = np.random.default_rng(seed)
    robot, tree = one_joint(rng, kind)
    q0, q1 = configuration(rng, tree, turns), configuration(rng, tree, turns)
    truth = kinematics.poses(tree, q0, q1, TIMES)[:, 1]
    begin, end = [(0.0, 1.0), (0.25, 0.75)][seed % 2]
    joint = record(robot, q0, q1, begin, end)
    for t, pose in zip(TIMES, truth):
        rotation, place = joint_pose(joint, begin + (end - begin) * t)
        assert np.allclose(rotation, pose[:3, :3], atol=1e-13 * (1 + turns))
        assert np.allclose(place, pose[:3, 3], atol=1e-13)
        assert np.linalg.norm(pose[:3, 3]) <= joint["length"] * (1 + 1e-14)
    travel = np.linalg.norm(truth[-1, :3, 3] - truth[0, :3, 3]) / (end - begin)
    assert 0.0 <= joint["rate"] <= joint["turn"]
    assert travel <= joint["speed"] * (1 + 1e-13) + 1e-15


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_moves_as_defined(kind):
    for seed in range(40):
        check(kind, seed)


@pytest.mark.pure
@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_moves_as_defined_once(kind):
    check(kind, 1, turns=0.5)


@pytest.mark.pure
@pytest.mark.parametrize("kind", ["ball", "floating"])
def test_a_quaternion_and_its_negative_give_the_same_bits(kind):
    rng = np.random.default_rng(3)
    robot, tree = one_joint(rng, kind)
    q0, q1 = configuration(rng, tree), configuration(rng, tree)
    negative = np.concatenate([q1[:-4], -q1[-4:]])
    assert record(robot, q0, q1).tobytes() == record(robot, q0, negative).tobytes()
    assert record(robot, q0, q0)["rate"] == 0.0


def along_the_arc(p, q):
    """Return (axis, angle) of a motion that is made between two orientations."""
    p, q = decided(np.array([p, q]), np.array([0], np.int32))
    return relative_turn(tuple(p), tuple(q))


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0.6, -0.8, 0)])
def test_half_a_turn_has_one_axis_whichever_the_sign(axis):
    p, q = (0.0, 0.0, 0.0, 1.0), (*map(float, axis), 0.0)
    axis_q, angle_q = along_the_arc(p, q)
    assert along_the_arc(p, tuple(-x for x in q)) == (axis_q, angle_q)
    assert angle_q == math.pi
    assert np.allclose(np.abs(axis_q), np.abs(axis))
    assert next(c for c in axis_q if c != 0.0) > 0.0


def test_the_shorter_arc_is_taken():
    rng = np.random.default_rng(4)
    for _ in range(500):
        p, q = rng.normal(size=(2, 4)) / 2
        axis, angle = along_the_arc(p, q)
        assert 0.0 <= angle <= math.pi
        turned = kinematics.exp(np.array(axis) * angle) @ np.array(rotation_of(tuple(p)))
        assert np.allclose(turned, rotation_of(tuple(q)), atol=1e-14)


def test_two_rounds_are_two_rounds():
    robot, _ = one_joint(np.random.default_rng(5), "revolute")
    joint = record(robot, [0.0], [4 * math.pi])
    assert joint["rate"] == 4 * math.pi
    start, quarter, half = (np.array(joint_pose(joint, t)[0]) for t in (0.0, 0.25, 0.5))
    assert np.allclose(half, start, atol=1e-14)
    assert np.trace(start.T @ quarter) == pytest.approx(-1.0)
