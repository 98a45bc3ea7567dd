"""Interval operations contain every exact result."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.exact_motion import frame, mp, mpf, pose, product, random_joint, random_rotation, random_s, random_times
from tocsin.bounds import taylor
from tocsin_bench.campaigns import interval_matrices as interval


def random_interval(rng):
    a = rng.normal() * 2.0 ** float(rng.integers(-60, 60))
    width = abs(a) * 2.0 ** -float(rng.integers(0, 54)) if rng.random() < 0.8 else 0.0
    return (a, max(a, a + width))


def inside(rng, a):
    """Return an exact rational in the interval."""
    share = Fraction(int(rng.integers(0, 9)), 8)
    return Fraction(a[0]) + share * (Fraction(a[1]) - Fraction(a[0]))


def holds(a, x):
    return Fraction(a[0]) <= x <= Fraction(a[1])


def attack_arithmetic(seed, cases):
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        a, b = random_interval(rng), random_interval(rng)
        x, y = inside(rng, a), inside(rng, b)
        factor = float(rng.normal())
        assert holds(interval.add(a, b), x + y)
        assert holds(interval.sub(a, b), x - y)
        assert holds(interval.mul(a, b), x * y)
        assert holds(interval.neg(a), -x)
        assert holds(interval.scale(a, factor), x * Fraction(factor))
        assert holds(interval.hull(a, b), x)
        assert holds(interval.hull(a, b), y)


def attack_trigonometry(seed, cases):
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        lo = float(rng.normal() * 2.0 ** float(rng.integers(-20, 20)))
        if rng.random() < 0.4:  # ends at, or a float or two beside, an extreme
            lo = float(rng.integers(-40, 40) * (math.pi / 2)) * (1 + 2.0**-52 * int(rng.integers(-2, 3)))
        hi = max(lo, lo + rng.random() * 2.0 ** -float(rng.choice([-3, -1, 0, 2, 10, 40, 52])))
        points = [mpf(lo), mpf(hi), (mpf(lo) + mpf(hi)) / 2]
        nearest = mp.nint(points[2] / (mp.pi / 2)) * (mp.pi / 2)
        if lo <= nearest <= hi:
            points.append(nearest)
        c, s = interval.cos((lo, hi)), interval.sin((lo, hi))
        assert -1.0 <= c[0] <= c[1] <= 1.0
        for x in points:
            assert c[0] <= mp.cos(x) <= c[1], (lo, hi)
            assert s[0] <= mp.sin(x) <= s[1], (lo, hi)


def attack_motions(seed, cases):
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        t0, t1 = random_times(rng)
        mid, half = taylor.time_frame(t0, t1)
        t = min(max(frame(t0, t1, random_s(rng), mid, half), mpf(t0)), mpf(t1))
        first, second = random_joint(rng), random_joint(rng)
        a, b = np.zeros((3, 4, 2)), np.zeros((3, 4, 2))
        interval.joint_interval(a, first, t0, t1)
        interval.joint_interval(b, second, t0, t1)
        interval.interval_compose(a, a, b)
        truth = product(pose(first, t), pose(second, t))
        for i in range(3):
            for j in range(4):
                assert a[i, j, 0] <= truth[i][j] <= a[i, j, 1]
        center, axes, size = rng.normal(size=3), random_rotation(rng), np.abs(rng.normal(size=3))
        lo, hi = interval.interval_swept_box(a, center, axes, size)
        signs = rng.choice([-1, 1], size=3)
        corner = [
            mpf(center[k]) + sum(int(signs[e]) * mpf(size[e]) * mpf(axes[e, k]) for e in range(3)) for k in range(3)
        ]
        for i in range(3):
            assert lo[i] <= sum(truth[i][k] * corner[k] for k in range(3)) + truth[i][3] <= hi[i]


def test_arithmetic_contains_the_exact_result():
    attack_arithmetic(1, 20_000)


def test_sine_and_cosine_contain_the_exact_result():
    attack_trigonometry(2, 20_000)


def test_interval_matrices_contain_the_motion():
    attack_motions(3, 4_000)


@pytest.mark.pure
def test_the_same_kernels_hold_as_plain_python():
    attack_arithmetic(4, 200)
    attack_trigonometry(5, 200)
    attack_motions(6, 20)


@given(st.floats(-1e6, 1e6), st.floats(0, 10), st.floats(0, 1), st.floats(0, 1))
def test_a_smaller_angle_interval_gives_a_smaller_enclosure(lo, width, p, q):
    hi = lo + width
    a, b = sorted((min(hi, lo + p * width), min(hi, lo + q * width)))
    outer, inner = interval.cos((lo, hi)), interval.cos((a, b))
    assert outer[0] <= inner[0] + 2.0**-49
    assert inner[1] <= outer[1] + 2.0**-49


@pytest.mark.pure
def test_a_whole_turn_reaches_both_extremes():
    assert interval.cos((0.3, 7.0)) == (-1.0, 1.0)
    assert interval.sin((-1e9, 1e9)) == (-1.0, 1.0)
