"""The kinematic truths against answers that can be checked by hand, and against each other."""

import numpy as np
import pytest

from tocsin_bench.oracles import kinematics as kin
from tocsin_bench.oracles.kinematics import Joint, Tree


def as_floats(pose):
    rotation, shift = pose
    return np.array([[float(c) for c in row] for row in rotation]), np.array([float(c) for c in shift])


def lifted(x, y, z):
    out = np.eye(4)
    out[:3, 3] = x, y, z
    return out


def test_a_revolute_joint_from_0_to_4_pi_turns_twice():
    tree = Tree((Joint(), Joint("revolute", 0, lifted(1, 0, 0), (0, 0, 2.0))))
    tip = [kin.poses(tree, [0.0], [4 * np.pi], [t])[0, 1] @ [1, 0, 0, 1] for t in (0, 0.125, 0.25, 0.375, 0.5, 0.625)]
    expected = [[2, 0], [1, 1], [0, 0], [1, -1], [2, 0], [1, 1]]
    assert np.allclose(np.array(tip)[:, :2], expected, atol=1e-14)


def test_a_two_link_arm_at_right_angles():
    tree = Tree((Joint(), Joint("revolute", 0), Joint("revolute", 1, lifted(1, 0, 0))))
    pose = kin.poses(tree, [0, 0], [np.pi / 2, np.pi / 2], [1.0])[0, 2]
    assert np.allclose(pose @ [1, 0, 0, 1], [-1, 1, 0, 1], atol=1e-15)


def test_prismatic_planar_floating_and_mimic_values_are_linear():
    tree = Tree(
        (
            Joint(),
            Joint("prismatic", 0, np.eye(4), (0, 3.0, 0)),
            Joint("planar", 1),
            Joint("floating", 2),
            Joint("prismatic", 3, np.eye(4), (1.0, 0, 0), mimic=(1, -2.0, 0.5)),
        )
    )
    assert tree.n_config == 1 + 3 + 7
    q0 = np.array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1.0])
    q1 = np.array([2, 4, 6, 0, 1, 1, 1, 0, 0, 0, -1.0])
    half = kin.poses(tree, q0, q1, [0.5])[0]
    assert np.allclose(half[1][:3, 3], [0, 1, 0])
    assert np.allclose(half[2][:3, 3], [2, 4, 0])
    assert np.allclose(half[3][:3, 3], [2.5, 4.5, 0.5])
    assert np.allclose(half[4][:3, 3], [1, 4.5, 0.5])  # -2 * 1 + 0.5 along x
    assert np.allclose(half[:, :3, :3], np.eye(3))  # q and -q are one orientation


def test_a_ball_joint_takes_the_shorter_arc():
    tree = Tree((Joint(), Joint("ball", 0)))
    angle = np.radians(200)
    q1 = [0, 0, np.sin(angle / 2), np.cos(angle / 2)]
    half = kin.poses(tree, [0, 0, 0, 1], q1, [0.5])[0, 1]
    assert np.allclose(half[:3, :3], kin.exp([0, 0, np.radians(-80)]))


def test_planar_motion_turns_after_it_shifts():
    tree = Tree((Joint(), Joint("planar", 0)))
    pose = kin.poses(tree, [0, 0, 0], [1, 2, np.pi / 2], [1.0])[0, 1]
    assert np.allclose(pose @ [1, 0, 0, 1], [1, 3, 0, 1])


@pytest.mark.parametrize("seed", range(6))
def test_float64_agrees_with_50_digits_on_random_trees(seed):
    rng = np.random.default_rng(seed)
    kinds = ["fixed", "revolute", "continuous", "prismatic", "planar", "ball", "floating"]
    joints = [Joint()]
    for link in range(1, 12):
        kind = kinds[rng.integers(7)]
        origin = kin.frame(kin.exp(rng.normal(size=3)), rng.normal(size=3))
        joints.append(Joint(kind, int(rng.integers(link)), origin, tuple(rng.normal(size=3))))
    single = [k for k, j in enumerate(joints) if j.kind in ("revolute", "prismatic")]
    if single:
        joints.append(Joint("continuous", 3, np.eye(4), (0, 1, 1), (single[0], 0.7, -0.2)))
    tree = Tree(tuple(joints))
    q0, q1 = rng.normal(size=(2, tree.n_config)) * 4
    base = [kin.frame(kin.exp(rng.normal(size=3)), rng.normal(size=3)) for _ in range(2)]
    times = rng.random(3)
    fast = kin.poses(tree, q0, q1, times, base)
    for t, row in zip(times, fast):
        for link, pose in kin.poses_mp(tree, q0, q1, t, base).items():
            rotation, shift = as_floats(pose)
            assert np.allclose(row[link, :3, :3], rotation, atol=1e-13)
            assert np.allclose(row[link, :3, 3], shift, atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-5, 1.0, 3.0, np.pi - 1e-9])
def test_log_undoes_exp(angle):
    axis = np.array([2.0, -3.0, 6.0]) / 7
    assert np.allclose(kin.log(kin.exp(angle * axis)), angle * axis, rtol=1e-9, atol=1e-16)
    exact = kin.log_mp(kin.exp_mp([kin.mp.mpf(float(angle * c)) for c in axis]))
    assert np.allclose([float(c) for c in exact], angle * axis, rtol=1e-15, atol=0)


def test_a_rigid_motion_meets_its_ends_and_its_middle():
    t0, t1 = lifted(0, 0, 0), kin.frame(kin.exp([0, 0, np.pi / 2]), [2.0, 0, 0])
    poses = kin.body_poses(t0, t1, [0.0, 0.5, 1.0])
    assert np.allclose(poses[0], t0)
    assert np.allclose(poses[2], t1)
    assert np.allclose(poses[1], kin.frame(kin.exp([0, 0, np.pi / 4]), [1.0, 0, 0]))
    rotation, shift = as_floats(kin.body_pose_mp(t0, t1, 0.5))
    assert np.allclose(kin.frame(rotation, shift), poses[1], atol=1e-15)
