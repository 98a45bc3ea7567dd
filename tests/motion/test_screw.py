"""Screw motions: parameters, flow, and the estimate of what the assumption costs, against matrix exponentials in 50
digits."""

import math

import mpmath
import numpy as np
import pytest

from promise.scenes import at
from tocsin.motion.screw import screw_direction, screw_point, screw_velocity
from tocsin.motion.screw_axis import Screw

ANGLES = [0.0, 1e-300, 1e-15, 1e-9, 1e-4, 0.1, 0.4999999, 0.5000001, 1.0, 2.5, 3.1, math.pi - 1e-7, math.pi]


def turned(axis, angle):
    axis = np.array(axis) / np.linalg.norm(axis)
    x, y, z = axis
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * across + 2.0 * math.sin(0.5 * angle) ** 2 * across @ across


def ends(rng, angle):
    start = at(*rng.normal(size=3), rng.uniform(-180, 180, size=3))
    stop = start.copy()
    stop[:3, :3] = turned(rng.normal(size=3), angle) @ start[:3, :3]
    stop[:3, 3] = rng.normal(size=3)
    return start, stop


def exponential(screw, t):
    """The displacement at t as the exponential of the twist's 4x4 matrix: the definition of the flow."""
    (a, b, c), w, center = screw.twist[:3]
    with mpmath.workdps(50):
        omega = mpmath.matrix([[0, -c, b], [c, 0, -a], [-b, a, 0]])
        shift = mpmath.matrix(w) - omega * mpmath.matrix(center)
        generator = mpmath.zeros(4)
        generator[:3, :3] = omega
        generator[:3, 3] = shift
        return np.array(mpmath.expm(t * generator).tolist(), dtype=float)


@pytest.mark.parametrize("angle", ANGLES)
def test_the_screw_goes_from_one_pose_to_the_other(angle):
    rng = np.random.default_rng(5)
    for _ in range(20):
        start, stop = ends(rng, angle)
        screw = Screw.between(start, stop)
        assert screw.angle == pytest.approx(angle, abs=1e-15)
        assert np.abs(screw.at(1.0) @ start - stop).max() < 1e-14


@pytest.mark.parametrize("angle", ANGLES)
def test_the_flow_is_the_exponential_of_its_twist(angle):
    rng = np.random.default_rng(6)
    screw = Screw.between(*ends(rng, angle))
    for t in (-0.7, 0.0, 0.3, 1.0):
        pose = exponential(screw, t)
        assert np.abs(screw.at(t) - pose).max() < 1e-14
        x = rng.normal(size=3)
        assert np.abs(screw_point(screw.twist, tuple(x), t) - (pose[:3, :3] @ x + pose[:3, 3])).max() < 1e-14
        assert np.abs(screw_direction(screw.twist, tuple(x), t) - pose[:3, :3] @ x).max() < 1e-14


def test_speeds_along_normals_do_not_change_with_time():
    """Section 4.2: what is forward facing stays so."""
    rng = np.random.default_rng(8)
    screw = Screw.between(*ends(rng, 1.3))
    x, n = rng.normal(size=3), rng.normal(size=3)
    speeds = []
    for t in (0.0, 0.4, 1.0):
        place = screw_point(screw.twist, tuple(x), t)
        speeds.append(np.dot(screw_velocity(screw.twist, place), screw_direction(screw.twist, tuple(n), t)))
    assert np.ptp(speeds) < 1e-13


def test_the_relative_motion_is_that_of_equation_1():
    rng = np.random.default_rng(9)
    a_t0, a_t1 = ends(rng, 0.7)
    b_t0, b_t1 = ends(rng, 1.1)
    screw = Screw.relative(a_t0, a_t1, b_t0, b_t1)
    omega = np.linalg.inv(a_t1) @ b_t1 @ np.linalg.inv(b_t0) @ a_t0
    assert np.abs(screw.at(1.0) - omega).max() < 1e-14
