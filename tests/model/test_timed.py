"""Motions on a clock: what stands before and after, stamps that go back, polynomials that are taken apart."""

from fractions import Fraction

import numpy as np
import pytest

from tocsin import Body, Sphere
from tocsin.model.timed import on_clock, reduced

pytestmark = pytest.mark.pure


def test_a_motion_stands_before_its_first_stamp_and_after_its_last():
    a, b = Body(Sphere(1.0), name="a"), Body(Sphere(1.0), name="b")
    line = on_clock([a.follow([(0, 0, 0), (1, 0, 0)], times=[1, 2]), b.follow([(0, 0, 0), (1, 0, 0)], times=[0, 4])])
    assert line.knots.tolist() == [0.0, 1.0, 2.0, 4.0]
    assert line.motions[0].rows[:, 0].tolist() == [0.0, 0.0, 1.0, 1.0]


def test_a_polynomial_of_a_high_degree_is_within_its_error():
    rng = np.random.default_rng(3)
    given = rng.normal(size=(2, 12, 1))
    pieces, times, error = reduced(given)
    assert pieces.shape[1] <= 8
    for i in range(2):
        for x in np.linspace(0.0, 1.0, 23):
            k = min(int(np.searchsorted(times, i + x, side="right")) - 1, len(pieces) - 1)
            share = (i + x - times[k]) / (times[k + 1] - times[k])
            value = sum(pieces[k, p, 0] * share**p for p in range(pieces.shape[1]))
            exact = sum(given[i, p, 0] * x**p for p in range(12))
            if int(times[k]) == i:
                assert abs(value - exact) <= error[0] + 1e-13


@pytest.mark.parametrize("degree", [20, 30, 40])
def test_large_terms_that_cancel_are_within_the_error(degree):
    """A Chebyshev polynomial's terms are 1e7 and 1e15 times its values: what rounding takes of them counts too."""
    power = np.polynomial.chebyshev.cheb2poly([0.0] * degree + [1.0])
    given = sum(c * np.polynomial.Polynomial([-1.0, 2.0]) ** k for k, c in enumerate(power)).coef[None, :, None]
    pieces, times, error = reduced(given)
    worst = 0.0
    for x in np.linspace(0.0, 1.0, 101):
        k = min(int(np.searchsorted(times, x, side="right")) - 1, len(pieces) - 1)
        share = (Fraction(float(x)) - Fraction(times[k])) / (Fraction(times[k + 1]) - Fraction(times[k]))
        value = sum(Fraction(float(c)) * share**p for p, c in enumerate(pieces[k, :, 0]))
        exact = sum(Fraction(float(c)) * Fraction(float(x)) ** p for p, c in enumerate(given[0, :, 0]))
        worst = max(worst, float(abs(value - exact)))
    assert worst <= error[0] + 2.0**-46 * np.abs(pieces).sum(axis=1).max()
    assert error[0] >= 2.0**-52 * np.abs(given).sum()  # by how much the given ones were rounded


def test_what_stands_beside_a_polynomial_of_a_high_degree_is_not_off():
    given = np.zeros((1, 21, 2))
    given[0, :, 0] = 1.0
    given[0, 0, 1] = 3.7
    pieces, _, error = reduced(given)
    assert error[0] > 0.0
    assert error[1] == 0.0
    assert (pieces[:, 0, 1] == 3.7).all()
    assert not pieces[:, 1:, 1].any()
