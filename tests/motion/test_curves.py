"""Derivatives of polynomials never leave the bounds of their Bernstein coefficients, and come near them."""

from fractions import Fraction

import numpy as np
import pytest

from tocsin.motion.curves import MIDDLE, slide_peak, turn_peak, value
from tocsin.motion.joints import JOINT

pytestmark = pytest.mark.pure


def derivative(coefficients, order, tau):
    """Return a derivative of a polynomial in rationals."""
    c = [Fraction(x) for x in coefficients]
    for _ in range(order):
        c = [k * x for k, x in enumerate(c)][1:]
    return sum(x * tau**k for k, x in enumerate(c))


def random_joint(rng, degree):
    joint = np.zeros(1, JOINT)
    joint["degree"], joint["begin"] = degree, MIDDLE
    joint["curve"][0, :, : degree + 1] = rng.normal(size=(4, degree + 1)) * 2.0 ** rng.integers(-9, 3, size=(4, 1))
    return joint[0]


def test_no_derivative_leaves_its_bound():
    rng = np.random.default_rng(1)
    for _ in range(150):
        joint = random_joint(rng, int(rng.integers(1, 8)))
        t0, t1 = sorted(rng.uniform(0.0, 1.0, size=2).tolist())
        t = t0 + (t1 - t0) * float(rng.choice([0.0, 1.0, rng.random()]))
        tau = Fraction(t) - Fraction(MIDDLE)
        for order in (1, 2, 3):
            turn = derivative(joint["curve"][0].tolist(), order, tau)
            assert abs(turn) <= Fraction(float(turn_peak(joint, order, t0, t1 - t0)))
            slide = [derivative(joint["curve"][row].tolist(), order, tau) for row in (1, 2, 3)]
            assert sum(x * x for x in slide) <= Fraction(float(slide_peak(joint, order, t0, t1 - t0))) ** 2
        assert (
            abs(Fraction(float(value(joint, 0, t - MIDDLE))) - derivative(joint["curve"][0].tolist(), 0, tau)) < 1e-13
        )


def test_a_constant_rate_is_bounded_by_itself():
    joint = np.zeros(1, JOINT)[0]
    joint["degree"], joint["begin"] = 1, MIDDLE
    joint["curve"][0, 1] = 3.0
    assert turn_peak(joint, 1, 0.0, 1.0) == pytest.approx(3.0, rel=1e-8)
    assert turn_peak(joint, 2, 0.0, 1.0) == 0.0
