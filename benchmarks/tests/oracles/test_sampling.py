"""The sampled brackets against motions whose first contact is known."""

import numpy as np
import pytest

from tocsin_bench.oracles import kinematics, sampling
from tocsin_bench.oracles.kinematics import Joint, Tree, exp, frame


def test_a_falling_point_is_bracketed():
    free_until, contact_by = sampling.bracket(lambda t: abs(1 - 3 * t) if t < 1 / 3 else 0.0, 3.0, resolution=1e-7)
    assert free_until <= 1 / 3 <= contact_by
    assert contact_by - free_until < 1e-6


def test_a_motion_that_never_touches_is_proven_free():
    assert sampling.bracket(lambda t: 0.1 + (t - 0.5) ** 2, 2.0, resolution=1e-6) == (1.0, np.inf)


def test_contact_at_the_very_end_is_not_called_free():
    free_until, contact_by = sampling.bracket(lambda t: 1 - t, 1.0, resolution=1e-6)
    assert free_until <= 1
    assert contact_by == 1.0


def test_speed_bounds_hold_on_sampled_motions():
    rng = np.random.default_rng(3)
    kinds = ["revolute", "prismatic", "planar", "ball", "floating", "fixed"]
    for _ in range(20):
        joints = [Joint()]
        for link in range(1, 6):
            origin = frame(exp(rng.normal(size=3)), rng.normal(size=3))
            joints.append(Joint(kinds[rng.integers(6)], link - 1, origin, tuple(rng.normal(size=3))))
        tree = Tree(tuple(joints))
        q0, q1 = rng.normal(size=(2, tree.n_config)) * 2
        base = [frame(exp(rng.normal(size=3)), rng.normal(size=3)) for _ in range(2)]
        times = np.linspace(0, 1, 400)
        point = rng.normal(size=3)
        path = kinematics.poses(tree, q0, q1, times, base)[:, -1] @ [*point, 1]
        fastest = np.linalg.norm(np.diff(path, axis=0), axis=1).max() * 399
        assert fastest <= sampling.link_speed(tree, q0, q1, 5, float(np.linalg.norm(point)), base)


def test_a_turning_body_is_as_fast_as_its_farthest_point():
    pose = frame(exp([0, 0, 1.0]), [0, 0, 0.0])
    assert sampling.body_speed(np.eye(4), pose, 2.0) == pytest.approx(2.0)
