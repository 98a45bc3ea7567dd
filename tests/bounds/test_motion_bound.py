"""Points keep to the speeds and accelerations said of them, and no step is longer than it may be."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import tocsin
from tocsin.bounds.motion_bound import chain_bound, safe_step, sharper_step
from tocsin.motion.chain import chain_pose
from tocsin.motion.joints import JOINT, joint_motion
from tocsin_bench.campaigns.motion_attack import attack_motion


def test_twenty_thousand_motions_keep_their_bounds():
    found = attack_motion(20_000, 5)
    assert found["evaluations"] == 20_000
    assert found["violations"] == 0, found
    assert 1.0 <= found["speed ratio"] < 10.0


@pytest.mark.pure
def test_a_few_motions_keep_their_bounds():
    assert attack_motion(12, 6)["violations"] == 0


@pytest.mark.pure
@pytest.mark.parametrize("gap", [0.0, -1.0, -math.inf, math.nan])
def test_without_a_gap_there_is_no_step(gap):
    assert safe_step(gap, -1.0, 0.0, 1.0, 1.0) == 0.0


@pytest.mark.pure
def test_what_stands_or_departs_without_acceleration_is_safe_for_ever():
    assert safe_step(1.0, 0.0, 0.0, 0.0, 1e300) == math.inf
    assert safe_step(1.0, -1.0, 0.0, 1.0, 1e300) == math.inf


def test_a_step_longer_than_needed_is_infinite_and_one_shorter_is_not():
    assert safe_step(1.0, 1.0, 0.0, 1.0, 0.99) == math.inf
    assert safe_step(1.0, 1.0, 0.0, 1.0, 1.0) == pytest.approx(1.0)
    assert safe_step(1.0, 0.0, 2.0, 10.0, 2.0) == pytest.approx(1.0)


def test_a_departing_pair_uses_the_larger_root():
    assert safe_step(1.0, -3.0, 2.0, 1e3, 10.0) == pytest.approx((3.0 + math.sqrt(13.0)) / 2.0)


def test_the_speed_bound_is_used_where_it_sees_farther():
    assert safe_step(1.0, 1.0, 1e6, 1.0, 10.0) == pytest.approx(1.0)


def test_steps_are_safe_in_exact_arithmetic():
    rng = np.random.default_rng(1)
    for _ in range(20_000):
        gap, speed, acceleration = (float(x) for x in rng.random(3) * 2.0 ** rng.integers(-40, 40, size=3))
        v = speed * float(rng.uniform(-1.0, 1.0))
        acceleration *= float(rng.integers(0, 2))
        need = float(rng.random())
        h = Fraction(min(safe_step(gap, v, acceleration, speed, need), need))
        left = Fraction(gap) - Fraction(v) * h - Fraction(acceleration) * h * h / 2
        assert left > 0 or Fraction(gap) - Fraction(speed) * h > 0, (gap, v, acceleration, speed, need)


def test_sharper_steps_are_safe_in_exact_arithmetic():
    rng = np.random.default_rng(2)
    longer = 0
    for _ in range(20_000):
        gap, speed, most, jerk = (float(x) for x in rng.random(4) * 2.0 ** rng.integers(-30, 30, size=4))
        v = speed * float(rng.uniform(-1.0, 1.0))
        now = most * float(rng.uniform(-1.0, 1.0)) * float(rng.integers(0, 2))
        need = float(rng.random())
        h = safe_step(gap, v, most, speed, need)
        if h >= need:
            continue
        further = sharper_step(h, gap, v, now, most, jerk, need)
        assert further >= h
        if further > h:
            longer += 1
            for part in (Fraction(1), Fraction(1, 2), Fraction(1, 7)):
                s = Fraction(min(further, need)) * part
                now_exact = Fraction(min(max(now, 0.0), most))
                left = Fraction(gap) - Fraction(v) * s - now_exact * s * s / 2 - Fraction(jerk) * s * s * s / 6
                assert left > 0, (gap, v, now, most, jerk, speed, need)
    assert longer > 1_000


def test_a_sharper_step_goes_as_far_as_the_acceleration_now_allows():
    # 1 = 8 s^2 / 2 at 0.5; but at first there is no acceleration, and it grows by 8 a unit of time: 1 = 8 s^3 / 6.
    h = safe_step(1.0, 0.0, 8.0, 1e3, 10.0)
    assert h == pytest.approx(0.5)
    assert 0.75 < sharper_step(h, 1.0, 0.0, 0.0, 8.0, 8.0, 10.0) < 0.75 ** (1 / 3)
    assert sharper_step(h, 1.0, 0.0, 0.0, 8.0, 8.0, 0.9) == math.inf
    assert sharper_step(h, 1.0, 0.0, 8.0, 8.0, 8.0, 10.0) == h
    assert sharper_step(0.0, -1.0, 0.0, 0.0, 8.0, 8.0, 10.0) == 0.0


def test_noise_covers_an_origin_that_cancels_the_joint_value():
    builder = tocsin.RobotBuilder("slide")
    builder.link("base")
    builder.link("tip", parent="base", joint="prismatic", axis=(1, 2, 3), origin=-1e3 * np.array([1, 2, 3]) / 14**0.5)
    links = builder.build().links
    configs = np.array([0, 0, 0, 0, 0, 0, 1.0, 1e3, 0, 0, 0, 0, 0, 0, 1.0, 1e3 + 1e-3])
    joints = np.zeros(2, JOINT)
    for i in range(2):
        joint_motion(joints[i], links[i], configs, 0, 8, 0.0, 1.0)
    *_, length, noise = chain_bound(joints, links, 1, -1)
    _, place = chain_pose(joints, links, 1, -1, 0.5)
    with mpmath.workdps(40):
        value = (mpmath.mpf(float(configs[7])) + mpmath.mpf(float(configs[15]))) / 2
        exact = [value * k / mpmath.sqrt(14) + float(links[1]["translation"][k - 1]) for k in (1, 2, 3)]
        error = mpmath.sqrt(sum((place[k] - exact[k]) ** 2 for k in range(3)))
    assert error <= noise * length


@pytest.mark.pure
def test_the_bounds_of_a_long_chain_are_rounded_up():
    """Two thousand joints, each of which adds a little less than half a unit: every sum rounds down."""
    n = 2001
    joints, links = np.zeros(n, JOINT), np.zeros(n, [("parent", "i4")])
    links["parent"] = np.arange(n) + 1
    little = 0.49 * 2.0**-52
    for name in ("turn", "speed", "length", "size"):
        joints[name] = little
        joints[name][0] = 1.0
    speed, turn, *_, length, _ = chain_bound(joints, links, 0, n)
    total = 1 + (n - 1) * Fraction(little)
    assert Fraction(turn) >= total
    assert Fraction(length) >= total
    assert Fraction(speed) >= total
