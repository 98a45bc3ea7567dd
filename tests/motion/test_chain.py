"""Chains of joints: poses, velocities and common ancestors, against the oracle's trees."""

import numpy as np
import pytest

from tocsin.motion.chain import chain_pose, chain_state, common_ancestor
from tocsin.motion.joints import JOINT, joint_motion
from tocsin_bench.oracles import kinematics
from tocsin_bench.scenes.trees import configuration, origin, random_robot


def ancestors(links, i):
    up = [i]
    while up[-1] >= 0:
        up.append(int(links[up[-1]]["parent"]))
    return up


def joints_of(robot, motion):
    joints = np.zeros(len(robot.kernel_links), JOINT)
    for i in range(len(joints)):
        joint_motion(joints[i], robot.kernel_links[i], motion.rows.reshape(-1), 0, robot.width, 0.0, 1.0)
    return joints


def check(seed, n):
    rng = np.random.default_rng(seed)
    robot, tree, order = random_robot(rng, n)
    q0, q1 = configuration(rng, tree), configuration(rng, tree)
    base = (origin(rng), origin(rng))
    motion = robot.move(q0, q1, base=base)
    joints = joints_of(robot, motion)
    t, step = 0.37, 1e-6
    poses = kinematics.poses(tree, q0, q1, [t - step, t, t + step], base=base)
    link = int(rng.integers(n + 1))
    i = order[link]
    stop = int(rng.choice(ancestors(robot.kernel_links, i)))
    frame = np.broadcast_to(np.eye(4), (3, 4, 4)) if stop < 0 else np.linalg.inv(poses[:, order.index(stop)])
    before, now, after = frame @ poses[:, link]
    rotation, place = chain_pose(joints, robot.kernel_links, i, stop, t)
    assert np.allclose(rotation, now[:3, :3], atol=1e-12)
    assert np.allclose(place, now[:3, 3], atol=1e-12 * n)
    rotation, place, omega, v, alpha, a = chain_state(joints, robot.kernel_links, i, stop, t)
    assert np.allclose(rotation, now[:3, :3], atol=1e-12)
    assert np.allclose(place, now[:3, 3], atol=1e-12 * n)
    point = rng.normal(size=3)
    sampled = (after[:3, :3] @ point + after[:3, 3] - before[:3, :3] @ point - before[:3, 3]) / (2 * step)
    told = np.array(v) + np.cross(omega, now[:3, :3] @ point)
    assert np.allclose(told, sampled, atol=1e-6 * n * (1 + np.abs(sampled).max()))
    _, _, omega_later, v_later, _, _ = chain_state(joints, robot.kernel_links, i, stop, t + step)
    assert np.allclose(alpha, np.subtract(omega_later, omega) / step, atol=1e-4 * n * (1 + np.abs(alpha).max()))
    assert np.allclose(a, np.subtract(v_later, v) / step, atol=1e-3 * n * (1 + np.abs(a).max()))
    assert np.allclose(motion.link_poses(t)[order], poses[1], atol=1e-12 * n)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_poses_and_velocities_are_those_of_the_definitions(n):
    for seed in range(25):
        check(seed, n)


@pytest.mark.pure
def test_poses_and_velocities_of_one_chain_are_those_of_the_definitions():
    check(77, 3)


def test_the_common_ancestor_is_the_lowest_link_above_both():
    rng = np.random.default_rng(8)
    for _ in range(30):
        robot, _, _ = random_robot(rng, 10)
        for _ in range(20):
            a, b = (int(i) for i in rng.integers(11, size=2))
            assert common_ancestor(robot.kernel_links, a, b) == next(
                i for i in ancestors(robot.kernel_links, a) if i in ancestors(robot.kernel_links, b)
            )


def test_links_of_different_trees_meet_in_the_world():
    robot, _, _ = random_robot(np.random.default_rng(9), 3)
    two = np.concatenate([robot.kernel_links, robot.kernel_links])
    two["parent"][4:] = np.where(two["parent"][4:] < 0, -1, two["parent"][4:] + 4)
    assert common_ancestor(two, 1, 6) == -1
