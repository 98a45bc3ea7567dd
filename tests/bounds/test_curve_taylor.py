"""Taylor matrices of joints on curves: the cubics that stand for higher powers, and the motion itself in 50 digits."""

from fractions import Fraction

import numpy as np
import pytest

from tocsin.bounds import curve_taylor, taylor

from .exact_motion import JOINT, escape, mp, mpf, random_rotation, random_s, random_times

pytestmark = pytest.mark.pure

ROUND = [Fraction(n, 4) for n in range(-4, 5)]


def joint_on_a_curve(rng, degree, size):
    """A joint that turns about an axis and slides, both by polynomials of t - 1/2."""
    joint = np.zeros((), JOINT)
    axis = np.eye(3)[rng.integers(3)] if rng.random() < 0.3 else rng.normal(size=3)
    axis = axis / np.linalg.norm(axis)
    start = random_rotation(rng)
    skew = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    joint["k0"] = np.outer(axis, axis) @ start
    joint["k1"], joint["k2"] = start - joint["k0"], skew @ start
    joint["begin"], joint["degree"], joint["slides"], joint["turn"] = 0.5, degree, 1, 1.0
    joint["curve"][:, : degree + 1] = size * rng.normal(size=(4, degree + 1))
    return joint[()]


def pose(joint, t):
    """The 3x4 motion from its definition: a rotation by the first polynomial, a place by the other three."""
    tau = t - mpf(joint["begin"])
    angle, *place = (sum(mpf(c) * tau**k for k, c in enumerate(row)) for row in joint["curve"])
    c, s = mp.cos_sin(angle)
    rows = zip(joint["k0"].tolist(), joint["k1"].tolist(), joint["k2"].tolist(), place)
    return [[mpf(a) + mpf(b) * c + mpf(d) * s for a, b, d in zip(k0, k1, k2)] + [x] for k0, k1, k2, x in rows]


def test_a_cubic_is_within_its_distance_of_the_polynomial_in_exact_arithmetic():
    rng = np.random.default_rng(1)
    for _ in range(120):
        c = rng.choice([0.0, 1.0, -1.0, 0.5], size=8) if rng.random() < 0.4 else rng.normal(size=8)
        *cubic, r = curve_taylor.economise(*c)
        for s in [*ROUND, *(Fraction(float(x)) for x in rng.uniform(-1, 1, 6))]:
            truth = sum(Fraction(float(x)) * s**k for k, x in enumerate(c))
            near = sum(Fraction(float(x)) * s**k for k, x in enumerate(cubic))
            assert abs(truth - near) <= Fraction(float(r)) + Fraction(2.0**-46)


@pytest.mark.parametrize("power", range(4, 8))
def test_the_distance_of_a_single_power_is_reached(power):
    """A remainder that is larger than it has to be would cost every question about curves."""
    c = np.zeros(8)
    c[power] = 1.0
    *cubic, r = curve_taylor.economise(*c)
    s = np.linspace(-1, 1, 4001)
    far = np.abs(s**power - np.polynomial.polynomial.polyval(s, cubic)).max()
    assert 0.95 * r <= far <= r * (1 + 1e-12)


@pytest.mark.parametrize("size", [1e-3, 0.3, 3.0])
def test_motions_on_curves_are_enclosed(size):
    rng = np.random.default_rng(2)
    for _ in range(60):
        joint = joint_on_a_curve(rng, int(rng.integers(1, 6)), size)
        t0, t1 = random_times(rng)
        out = np.full((3, 4, 5), np.nan)
        curve_taylor.curve_taylor(out, joint, t0, t1)
        mid, half = taylor.time_frame(t0, t1)
        for s in (random_s(rng), -1.0, 0.0, 1.0):
            assert escape(out, pose(joint, mpf(mid) + mpf(s) * mpf(half)), s) <= 0
