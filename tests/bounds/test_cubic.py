"""The range of a cubic holds every value, and is no wider than a few units of rounding."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tocsin.bounds.cubic import cubic_bound, cubic_range

from .exact_motion import mp, mpf


def true_range(c):
    """Return the least and the greatest value of the cubic over [-1, 1], in 50 digits."""
    c0, c1, c2, c3 = map(mpf, c)
    points = [mp.mpf(-1), mp.mpf(1)]
    disc = c2 * c2 - 3 * c1 * c3
    if disc >= 0:
        q = -(c2 + mp.sqrt(disc)) if c2 >= 0 else mp.sqrt(disc) - c2  # q / (3 c3) and c1 / q do not cancel
        points += [q / (3 * c3)] if c3 != 0 else []
        points += [c1 / q] if q != 0 else []
    values = [c0 + s * (c1 + s * (c2 + s * c3)) for s in points if -1 <= s <= 1]
    return min(values), max(values)


def check(c):
    lo, hi = cubic_range(*c)
    low, high = true_range(c)
    assert lo <= low <= high <= hi, c
    size = sum(map(abs, c))
    assert low - lo <= 66 * 2.0**-53 * size + 2.0**-499
    assert hi - high <= 66 * 2.0**-53 * size + 2.0**-499
    assert cubic_bound(*c) >= high - 4 * 2.0**-53 * size


def random_cubic(rng):
    kind = rng.integers(6)
    c = rng.normal(size=4) * 2.0 ** rng.integers(-3, 3, size=4)
    if kind == 1:  # two extremes close together: the discriminant cancels
        a, b = rng.uniform(-1, 1), 2.0 ** -float(rng.integers(1, 60))
        c[1], c[2], c[3] = 3 * a * (a + b), -1.5 * (2 * a + b), 1.0
        c[1:] *= rng.normal()
    elif kind == 2:  # a leading coefficient that all but vanishes
        c[3] *= 2.0 ** -float(rng.integers(20, 200))
    elif kind == 3:  # an extreme near an end
        s = 1.0 - 2.0 ** -float(rng.integers(1, 53))
        c[1] = -(2 * c[2] * s + 3 * c[3] * s * s)
    elif kind == 4:
        c *= rng.integers(0, 2, size=4)
    elif kind == 5:  # the Chebyshev cubic and its neighbours
        c = np.array([0.0, -3.0, 0.0, 4.0]) * (1 + 2.0**-50 * rng.integers(-4, 5, size=4))
    return c * 2.0 ** float(rng.choice([0, 0, 0, 300, -300]))


def test_ranges_of_random_cubics():
    rng = np.random.default_rng(1)
    for _ in range(20_000):
        check([float(x) for x in random_cubic(rng)])


@pytest.mark.pure
def test_ranges_of_a_few_cubics_as_plain_python():
    rng = np.random.default_rng(2)
    for _ in range(200):
        check([float(x) for x in random_cubic(rng)])


@settings(max_examples=500)
@given(st.lists(st.floats(-1e100, 1e100, allow_subnormal=True), min_size=4, max_size=4))
def test_ranges_of_any_cubic(c):
    check(c)
