"""Candidates become contacts: roots of heights and of crossings, against flows that are computed otherwise."""

import math

import numpy as np
import pytest

from plain import PLAIN
from tocsin.motion.screw import Twist, screw_point, screw_velocity
from tocsin.screen.frame import Frame
from tocsin.screen.polish import (
    ROUGH,
    newton_step,
    polish_corner,
    polish_edges,
    turning_times,
    weights,
    when_in_plane,
    where_edges_cross,
)

pytestmark = PLAIN

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def flowed(frame, x, tau):
    """Where a point is, in the frame of the axis: turned about y from z towards x, and lifted."""
    c, s = math.cos(frame.angle * tau), math.sin(frame.angle * tau)
    return np.array([c * x[0] + s * x[2], x[1] + frame.pitch * tau, c * x[2] - s * x[0]])


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_point_turns_where_its_height_has_no_slope(way):
    rng = np.random.default_rng(1)
    seen = 0
    for _ in range(40):
        frame = Frame(AXES, (0.0, 0.0, 0.0), float(rng.uniform(0.5, 3.1)), float(rng.normal()))
        x, n = rng.normal(size=(2, 3))
        face = (*n, 0.3)
        count, first, second = turning_times(frame, tuple(x), face, 0.0, 1.0, way)
        heights = [float(n @ flowed(frame, x, way * t)) for t in np.linspace(0.0, 1.0, 801)]
        turns = np.flatnonzero(np.diff(np.sign(np.diff(heights)))) / 800
        assert count == len(turns)
        assert sorted((first, second)[:count]) == pytest.approx(turns, abs=4e-3)
        seen += count
    assert seen > 10


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_point_is_in_the_plane_when_it_is_said_to_be(way):
    rng = np.random.default_rng(2)
    for _ in range(60):
        frame = Frame(AXES, (0.0, 0.0, 0.0), float(rng.uniform(0.0, 1.0)), float(rng.normal()))
        x, n = rng.normal(size=(2, 3))
        t = float(rng.uniform(0.1, 0.9))
        face = (*n, float(n @ flowed(frame, x, way * t)))
        if turning_times(frame, tuple(x), face, 0.0, 1.0, way)[0]:
            continue
        found, tau = when_in_plane(frame, tuple(x), face, 0.0, 1.0, way)
        assert found
        assert tau == pytest.approx(t, abs=2 * ROUGH)
    away = (0.0, 1.0, 0.0, 50.0)
    assert not when_in_plane(Frame(AXES, (0.0, 0.0, 0.0), 0.5, 1.0), (1.0, 0.0, 0.0), away, 0.0, 1.0, 1.0)[0]


def test_edges_cross_where_a_planted_crossing_is():
    rng = np.random.default_rng(3)
    for _ in range(40):
        frame = Frame(AXES, (0.0, 0.0, 0.0), float(rng.uniform(0.0, 2.0)), float(rng.normal()))
        s, u, tau = rng.uniform(0.2, 0.8, size=3)
        p, dp, dq = rng.normal(size=(3, 3))
        met = flowed(frame, p + s * dp, -tau)  # so that the point of b flows to it
        q = met - u * dq
        guess = [float(z + rng.uniform(-0.01, 0.01)) for z in (s, u, tau)]
        ok, *found = where_edges_cross(frame, *(tuple(map(float, z)) for z in (p, dp, q, dq)), *guess)
        if ok:
            on_b = flowed(frame, q + found[1] * dq, found[2])
            assert on_b == pytest.approx(p + found[0] * dp, abs=1e-6)


def test_parallel_edges_have_no_crossing():
    assert newton_step((1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)) == (False, 0.0, 0.0, 0.0)


def test_weights_name_the_point_of_the_plane():
    rng = np.random.default_rng(4)
    for _ in range(20):
        p, q, r = rng.normal(size=(3, 3))
        v, w = rng.uniform(-1, 2, size=2)
        normal = np.cross(q - p, r - p)
        y = p + v * (q - p) + w * (r - p) + rng.normal() * normal
        assert weights(tuple(y), tuple(p), tuple(q), tuple(r)) == pytest.approx((v, w), rel=1e-9, abs=1e-9)


def test_polished_contacts_lie_on_the_true_screw():
    rng = np.random.default_rng(5)
    for _ in range(20):
        omega = rng.normal(size=3) * 0.5
        twist = Twist(tuple(omega), tuple(rng.normal(size=3)), tuple(rng.normal(size=3)), float(np.linalg.norm(omega)))
        x, e, f = rng.normal(size=(3, 3))
        met = np.array(screw_point(twist, tuple(x), 0.5))
        p = met - 0.25 * e - 0.5 * f
        if abs(np.dot(np.cross(e, f), screw_velocity(twist, tuple(met)))) < 0.3:
            continue  # it slides along the face: the root is a double one, nearly
        found = polish_corner(twist, *(tuple(z) for z in (x, p, p + e, p + f)), 0.5 + 1e-3, 1.0)
        tau, place, normal, v, w = found
        assert (tau, v, w) == pytest.approx((0.5, 0.25, 0.5), abs=1e-9)
        assert np.array(place) == pytest.approx(met, abs=1e-9)
        assert abs(np.dot(normal, e)) + abs(np.dot(normal, f)) < 1e-12
    s, u, tau, place, _ = polish_edges(
        Twist((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 0.0),
        (0.0, 0.0, 0.5), (1.0, 0.0, 0.5), (0.5, -1.0, 0.0), (0.5, 1.0, 0.0), 0.4, 0.4, 0.3,
    )  # fmt: skip
    assert (s, u, tau) == pytest.approx((0.5, 0.5, 0.5), abs=1e-12)
    assert place == pytest.approx((0.5, 0.0, 0.5))
