"""What is not looked at further: turns prepared at a few moments, and stretches of time around a guess."""

import math

import numpy as np
import pytest

from tocsin.screen.properness_filter import MOMENTS, fill_turns, turn_at, turned, when

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("angle", [0.0, 0.3, 2.0, 6.0])
def test_turns_are_those_of_their_moments_and_the_nearest_is_taken(angle):
    turns = np.zeros((MOMENTS, 2))
    fill_turns(turns, angle)
    for tau in np.linspace(0.0, 1.0, 101):
        c, s = turn_at(turns, float(tau))
        moment = math.atan2(s, c) % (2.0 * math.pi)
        away = (moment - angle * tau + math.pi) % (2.0 * math.pi) - math.pi
        assert abs(away) <= 0.5 * angle / (MOMENTS - 1) + 1e-12
        assert c * c + s * s == pytest.approx(1.0, abs=1e-13)


def test_a_turn_goes_from_z_towards_x():
    assert turned(0.0, 1.0, (0.0, 5.0, 1.0)) == (1.0, 5.0, 0.0)
    assert turned(math.cos(0.3), math.sin(0.3), (0.0, 0.0, 1.0)) == pytest.approx((math.sin(0.3), 0.0, math.cos(0.3)))


@pytest.mark.parametrize(
    ("tau", "doubt", "middle", "half"),
    [(0.5, 0.25, 0.5, 0.25), (0.0, 0.5, 0.25, 0.25), (1.0, 0.5, 0.75, 0.25), (0.5, 9.0, 0.5, 0.5), (2.0, 0.5, 1.0, 0)],
)
def test_times_around_a_guess_are_cut_at_the_ends_of_the_motion(tau, doubt, middle, half):
    assert when(tau, doubt) == (middle, half)
