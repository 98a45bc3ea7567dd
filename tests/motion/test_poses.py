"""Poses of links at a configuration, against the definition of every joint; rows between two rows."""

import numpy as np
import pytest

from tocsin.motion.poses import base_matrix, between, link_poses
from tocsin_bench.campaigns import planted_articulated as articulated
from tocsin_bench.oracles import kinematics

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("seed", range(6))
def test_links_are_where_the_definition_of_their_joints_puts_them(seed):
    rng = np.random.default_rng(seed)
    arm = articulated.random_arm(rng, 1.0, None)
    robot = articulated.build(list(arm.tree.joints), arm.parts, False)
    q, _ = articulated.random_configurations(rng, arm)
    row = np.concatenate([robot.rest[:7], q])
    truth = kinematics.poses(arm.tree, q, q, [0.0])[0]
    for name, pose in zip(robot.link_names, link_poses(robot.links, row)):
        assert np.allclose(pose, truth[int(name.removeprefix("link"))], rtol=0, atol=1e-12)


def test_entries_go_straight_and_orientations_along_their_arc():
    turned = np.array([0.0, 0.0, np.sin(0.4), np.cos(0.4)])
    a = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 5.0])
    b = np.array([2.0, 1.0, *turned, -3.0])
    half = between(a, b, np.array([2], np.int32), 0.5)
    assert np.allclose(half, [1.0, 1.0, 0.0, 0.0, np.sin(0.2), np.cos(0.2), 1.0], rtol=0, atol=1e-15)
    assert np.array_equal(between(a, b, np.array([2], np.int32), 0.0), a)


def test_a_base_is_a_matrix_whatever_the_length_of_its_quaternion():
    row = np.array([1.0, 2.0, 3.0, 0.0, 0.0, 7.0, 7.0])
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.allclose(base_matrix(row)[:3, :3], turn, rtol=0, atol=1e-15)
    assert base_matrix(row)[:3, 3].tolist() == [1.0, 2.0, 3.0]
