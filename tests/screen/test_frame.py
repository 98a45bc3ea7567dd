"""The coordinates of the collision screen: what one flow line takes along, and when."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from tocsin.screen.frame import Frame, angle_of, any_across, project, screen_frame

pytestmark = pytest.mark.pure

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Twist(NamedTuple):
    omega: tuple
    w: tuple
    center: tuple
    angle: float


def flow(point, angle, pitch, t):
    """Return where a point in the frame of the axis is after t: turned from z towards x, and slid along y."""
    x, y, z = point
    c, s = math.cos(angle * t), math.sin(angle * t)
    return c * x + s * z, y + pitch * t, c * z - s * x


def test_the_angle_is_that_of_the_library_to_a_few_units():
    rng = np.random.default_rng(1)
    for x, z in [*rng.normal(size=(4000, 2)), (0, 1), (1, 0), (-1, 0), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1)]:
        assert angle_of(float(x), float(z)) == pytest.approx(math.atan2(x, z), abs=5e-16)
    assert angle_of(0.0, 0.0) == 0.0
    assert angle_of(-0.0, -1.0) == math.pi


@pytest.mark.parametrize("pitch", [0.0, 0.4, -1.3])
def test_points_of_one_flow_line_share_their_place_and_differ_by_the_time_between_them(pitch):
    """Over less than half a turn, so that the angle does not jump."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        angle = float(rng.uniform(0.1, 3.0))
        frame = Frame(AXES, (0.0, 0.0, 0.0), angle, pitch)
        phi, r = rng.uniform(-math.pi, 0.0), rng.uniform(0.1, 2.0)
        start = (r * math.sin(phi), float(rng.normal()), r * math.cos(phi))
        t = float(rng.uniform(0.0, min(1.0, math.pi / angle)))
        before, after = project(frame, *start, 0, 0.0), project(frame, *flow(start, angle, pitch, t), 0, 0.0)
        assert after[0] == pytest.approx(before[0], abs=1e-12)
        assert after[1] == pytest.approx(before[1], abs=1e-11)
        assert after[2] - before[2] == pytest.approx(t, abs=1e-11)


def test_a_translation_is_drawn_straight_and_a_point_on_the_axis_of_a_turn_stays():
    assert project(Frame(AXES, (0.0, 0.0, 0.0), 0.0, 2.0), 3.0, 5.0, 7.0, 0, 0.0) == (3.0, 7.0, 2.5)
    assert project(Frame(AXES, (0.0, 0.0, 0.0), 1.0, 0.0), 0.0, 5.0, 0.0, 0, 0.0) == (0.0, 5.0, 0.0)


def test_doppeling_draws_a_point_one_turn_later():
    frame = Frame(AXES, (0.0, 0.0, 0.0), 2.0, 0.0)
    once, again = project(frame, -0.1, 0.0, -1.0, -1, 0.0), project(frame, -0.1, 0.0, -1.0, -1, 2.0 * math.pi)
    assert again[2] - once[2] == pytest.approx(math.pi)
    assert again[:2] == pytest.approx(once[:2])


@pytest.mark.parametrize("seed", range(30))
def test_the_frame_of_a_twist_has_its_axis_and_the_other_bodys_centre_ahead_in_the_middle(seed):
    rng = np.random.default_rng(seed)
    omega = rng.normal(size=3)
    angle = float(np.linalg.norm(omega))
    twist = Twist(tuple(omega), tuple(rng.normal(size=3)), tuple(rng.normal(size=3)), angle)
    center = rng.normal(size=3)
    frame = screen_frame(twist, tuple(center))
    rows = np.array(frame.rows)
    np.testing.assert_allclose(rows @ rows.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(rows) == pytest.approx(1.0)
    np.testing.assert_allclose(rows[1], omega / angle, atol=1e-14)
    assert frame.pitch == pytest.approx(rows[1] @ np.array(twist.w))
    x, y, z = flow(tuple(rows @ (center - np.array(frame.origin))), frame.angle, frame.pitch, 0.5)
    assert x == pytest.approx(0.0, abs=1e-12)
    assert y == pytest.approx(0.0, abs=1e-12)
    assert z >= 0.0


def test_what_hardly_turns_is_a_translation_and_what_does_not_move_has_a_frame_too():
    slow = screen_frame(Twist((0.0, 0.0, 1e-9), (0.0, 3.0, 4.0), (0.0, 0.0, 0.0), 1e-9), (1.0, 2.0, 3.0))
    assert (slow.angle, slow.pitch) == (0.0, 5.0)
    assert slow.rows[1] == pytest.approx((0.0, 0.6, 0.8))
    still = screen_frame(Twist((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0), (0.0, 0.0, 0.0))
    assert (still.angle, still.pitch) == (0.0, 0.0)


def test_a_vector_across_any_other():
    for v in ((1.0, 0, 0), (0, 1.0, 0), (0, 0, -1.0), (0.6, 0.8, 0.0), (0.48, 0.6, 0.64)):
        u = np.array(any_across(v))
        assert np.linalg.norm(u) == pytest.approx(1.0)
        assert u @ v == pytest.approx(0.0, abs=1e-16)
