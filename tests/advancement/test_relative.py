"""Where b is as a sees it, and how both move: against the definitions, and differences of poses."""

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.advancement.relative import bending, seen_from_b

from .moving_pair import moving_pair

pytestmark = PLAIN


def test_the_pose_of_b_is_that_of_the_definition():
    rng = np.random.default_rng(1)
    for _ in range(5):
        moving = moving_pair(rng, tocsin.Sphere(0.2), tocsin.Box((1, 1, 1)))
        for t in (0.0, 0.3, 1.0):
            (rotation, place), _ = moving.state(t)
            a, b = moving.poses(t)
            seen = np.linalg.inv(a) @ b
            assert np.array(rotation) == pytest.approx(seen[:3, :3], abs=1e-12)
            assert np.array(place) == pytest.approx(seen[:3, 3], abs=1e-12)


def test_velocities_and_accelerations_are_derivatives():
    rng = np.random.default_rng(2)
    h = 1e-4
    for _ in range(5):
        moving = moving_pair(rng, tocsin.Sphere(0.2), tocsin.Sphere(0.2))
        t, r = 0.4, rng.normal(size=3)
        _, (va, wa, vb, wb, aa, ca, ab, cb) = moving.state(t)
        turn = moving.poses(t)[0][:3, :3]
        for k, (v, w, a, c) in enumerate(((va, wa, aa, ca), (vb, wb, ab, cb))):
            place = [(p := moving.poses(t + s)[k])[:3, :3] @ r + p[:3, 3] for s in (-h, 0.0, h)]
            arm = turn.T @ moving.poses(t)[k][:3, :3] @ r
            speed = np.array(v) + np.cross(w, arm)
            assert turn @ speed == pytest.approx((place[2] - place[0]) / (2 * h), abs=1e-5)
            bent = np.array(a) + np.cross(c, arm) + np.cross(w, np.cross(w, arm))
            assert turn @ bent == pytest.approx((place[2] - 2 * place[1] + place[0]) / h**2, abs=1e-4)


def test_the_motion_as_b_sees_it_is_the_same_turned_and_swapped():
    rng = np.random.default_rng(3)
    moving = moving_pair(rng, tocsin.Sphere(0.2), tocsin.Sphere(0.2))
    pose, motion = moving.state(0.7)
    rotation = np.array(pose[0])
    swapped = (motion[2], motion[3], motion[0], motion[1], motion[6], motion[7], motion[4], motion[5])
    for found, given in zip(seen_from_b(pose, motion), swapped, strict=True):
        assert np.array(found) == pytest.approx(rotation.T @ np.array(given), abs=1e-14)


def test_bending_is_linear_in_the_point():
    rng = np.random.default_rng(4)
    for _ in range(20):
        n, omega, alpha, r = (tuple(x) for x in rng.normal(size=(4, 3)))
        exact = np.dot(n, np.cross(alpha, r) + np.cross(omega, np.cross(omega, r)))
        assert np.dot(bending(n, omega, alpha), r) == pytest.approx(exact, rel=1e-12)
