"""A screw motion in words: axis, angle, pitch, and what the assumption of one costs."""

import math

import numpy as np
import pytest

from promise.scenes import at
from tocsin.motion.screw_axis import Screw

from .test_screw import turned


def test_axis_and_pitch_are_those_it_was_made_of():
    rng = np.random.default_rng(7)
    for angle in (1e-3, 0.2, 1.0, 3.0, math.pi):
        axis, point, pitch = rng.normal(size=3), rng.normal(size=3), rng.normal()
        axis /= np.linalg.norm(axis)
        start = at(*rng.normal(size=3), rng.uniform(-180, 180, size=3))
        stop = start.copy()
        stop[:3, :3] = turned(axis, angle) @ start[:3, :3]
        stop[:3, 3] = point + turned(axis, angle) @ (start[:3, 3] - point) + pitch * axis
        screw = Screw.between(start, stop)
        sign = 1.0 if screw.axis @ axis > 0.0 else -1.0  # at half a turn both are right
        assert np.allclose(sign * screw.axis, axis, atol=1e-11)
        assert sign * screw.pitch == pytest.approx(pitch, abs=1e-11)
        assert np.linalg.norm(np.cross(axis, screw.point - point)) < 1e-10
        assert screw.radius(point) == pytest.approx(0.0, abs=1e-10)


def test_a_pure_translation_has_no_turn_and_slides_all_the_way():
    screw = Screw.between(at(1, 2, 3), at(1, 2, 8))
    assert screw.angle == 0.0
    assert np.array_equal(screw.axis, (0, 0, 1))
    assert screw.pitch == 5.0
    assert screw.relative_error == 0.0 == screw.error((0, 0, 0))
    assert math.isinf(screw.radius((0, 0, 0)))


def test_nothing_moves_at_all():
    screw = Screw.between(at(1, 2, 3, (40, 0, 0)), at(1, 2, 3, (40, 0, 0)))
    assert screw.angle == 0.0 == screw.pitch
    assert np.array_equal(screw.at(0.5), np.eye(4))


@pytest.mark.parametrize(
    ("degrees", "error"), [(60, 0.128), (45, 0.097), (30, 0.065), (20, 0.044), (10, 0.022), (5, 0.011)]
)
def test_the_estimate_is_the_papers_table(degrees, error):
    """Equation 5. (For 60 degrees the paper prints 0.173; its own formula gives 0.128.)"""
    screw = Screw.between(at(1), at(2, 1, 0, (0, 0, degrees)))
    assert screw.relative_error == pytest.approx(error, abs=6e-4)


def test_the_estimate_is_how_far_the_arc_of_the_origin_bulges():
    start, stop = at(2), at(2 * math.cos(1.0), 2 * math.sin(1.0), 0, (0, 0, math.degrees(1.0)))
    screw = Screw.between(start, stop)
    arc = (screw.at(0.5) @ start)[:3, 3]
    chord = 0.5 * (start + stop)[:3, 3]
    assert screw.error(start[:3, 3]) == pytest.approx(np.linalg.norm(arc - chord))
