"""Powers of two that bring points to unit size: exact, and never out of range."""

import math

import numpy as np
import pytest

from tocsin.geometry.scaling import binary_scale, largest_coordinate, middle_of_box, representable, scale_up

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("largest", [1.0, 0.5, 0.75, 3.0, 1e-300, 1e300, 2.0**999, 2.0**-1000, math.pi])
def test_the_scaled_size_is_between_a_half_and_one_and_scales_back_to_the_bit(largest):
    down, up = binary_scale(largest)
    assert down * up == 1.0
    assert 0.5 <= largest * down < 1.0
    assert (largest * down) * up == largest


@pytest.mark.parametrize("largest", [2.0**1023, 5e-324, 2.0**-1060])
def test_beyond_the_exponents_both_factors_are_still_normal_numbers(largest):
    down, up = binary_scale(largest)
    assert min(down, up) >= 2.0**-1022
    assert 2.0**-75 <= largest * down <= 2.0**24


def test_nothing_has_no_size():
    assert binary_scale(0.0) == (1.0, 1.0)
    assert largest_coordinate(np.zeros((0, 3))) == 0.0


def test_the_largest_coordinate_is_that_of_any_sign():
    assert largest_coordinate(np.array([[1.0, -5.0, 2.0], [0.0, 4.0, 3.0]])) == 5.0


def test_a_bound_scaled_up_is_never_below():
    rng = np.random.default_rng(1)
    for _ in range(200):
        bound, up = float(rng.random()), 2.0 ** int(rng.integers(-1070, 1000))
        assert scale_up(bound, up) >= bound * up
        down = 1.0 / up if up >= 2.0**-1020 else None
        if down is not None and math.isfinite(down):
            assert scale_up(bound, up) * down >= bound or scale_up(bound, up) == 0.0
    assert scale_up(0.0, 2.0) == 0.0


def test_what_is_representable_scales_back_and_forth():
    down, up = binary_scale(2.0**-1060)
    value = representable(0.3, down, up)
    assert (value * up) * down == value


def test_the_middle_of_a_box_cannot_overflow():
    assert middle_of_box(np.array([[1.7e308, 0.0, -1.0], [1.7e308, 1.0, 1.0]])) == (1.7e308, 0.5, 0.0)
