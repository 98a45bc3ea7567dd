"""Taylor matrices enclose their motions, rounding included; the boxes made from them hold every corner."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tocsin.bounds import cubic as harmonics
from tocsin.bounds import taylor

from .exact_motion import (
    escape,
    frame,
    mp,
    mpf,
    pose,
    product,
    random_joint,
    random_rotation,
    random_s,
    random_times,
)


def model_of(joint, t0, t1):
    out = np.full((3, 4, 5), np.nan)
    taylor.joint_taylor(out, joint, t0, t1)
    return out


def attack_joints(seed, cases):
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        joint = random_joint(rng)
        t0, t1 = random_times(rng)
        s = random_s(rng)
        t = frame(t0, t1, s, *taylor.time_frame(t0, t1))
        assert escape(model_of(joint, t0, t1), pose(joint, t), s) <= 0, (joint, t0, t1, s)


def attack_chains(seed, cases, depth):
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        t0, t1 = random_times(rng)
        s = random_s(rng)
        t = frame(t0, t1, s, *taylor.time_frame(t0, t1))
        joint = random_joint(rng)
        model, truth = model_of(joint, t0, t1), pose(joint, t)
        for _ in range(rng.integers(1, depth)):
            joint = random_joint(rng)
            taylor.compose(model, model, model_of(joint, t0, t1))
            truth = product(truth, pose(joint, t))
        assert escape(model, truth, s) <= 0, (t0, t1, s)


def attack_boxes(seed, cases):
    rng = np.random.default_rng(seed)
    for _ in range(cases):
        t0, t1 = random_times(rng)
        t = frame(t0, t1, random_s(rng), *taylor.time_frame(t0, t1))
        first, second = random_joint(rng), random_joint(rng)
        model = model_of(first, t0, t1)
        taylor.compose(model, model, model_of(second, t0, t1))
        truth = product(pose(first, t), pose(second, t))
        center, axes = rng.normal(size=3), random_rotation(rng)
        half = np.abs(rng.normal(size=3)) * rng.integers(0, 2, size=3)
        lo, hi = taylor.swept_box(model, center, axes, half)
        signs = rng.choice([-1, 1], size=3)
        corner = [
            mpf(center[k]) + sum(int(signs[e]) * mpf(half[e]) * mpf(axes[e, k]) for e in range(3)) for k in range(3)
        ]
        for i in range(3):
            x = sum(truth[i][k] * corner[k] for k in range(3)) + truth[i][3]
            assert lo[i] <= x <= hi[i]


def test_joint_motions_are_enclosed():
    attack_joints(1, 6_000)


def test_chains_are_enclosed():
    attack_chains(2, 2_500, 4)


def test_long_chains_are_enclosed():
    attack_chains(3, 600, 20)


def test_swept_boxes_hold_every_corner_at_every_time():
    attack_boxes(4, 2_500)


@pytest.mark.pure
def test_the_same_kernels_hold_as_plain_python():
    attack_joints(5, 60)
    attack_chains(6, 40, 4)
    attack_boxes(7, 40)


@settings(max_examples=300, deadline=None)
@given(
    st.floats(0, 3.7499, allow_subnormal=True),
    st.floats(-1, 1),
)
def test_harmonics_enclose_cosine_and_sine(x, s):
    c0, c2, s1, s3, ec, es = harmonics.harmonics(x)
    rounding = 24.0 * 2.0**-53 * 1.2 * (2.0 + 3.0 * x * x)
    s = mpf(s)
    assert abs(mp.cos(mpf(x) * s) - (c0 + c2 * s * s)) <= ec + rounding
    assert abs(mp.sin(mpf(x) * s) - (s1 * s + s3 * s**3)) <= es + rounding


def test_the_remainder_of_a_joint_is_the_least_possible():
    # A best cubic cannot beat x^4 / 192 (1 - x^2 / 20) by much; the model's radius is within 1 % of the sampled error.
    for x in (0.1, 0.5, 1.0, 1.5):
        c0, c2, s1, s3, ec, es = harmonics.harmonics(x)
        s = np.linspace(-1, 1, 4001)
        assert np.abs(np.cos(x * s) - c0 - c2 * s**2).max() > 0.99 * ec
        assert np.abs(np.sin(x * s) - s1 * s - s3 * s**3).max() > 0.99 * es


@pytest.mark.parametrize(("power", "bound"), [(4, taylor.FOURTH), (5, taylor.FIFTH), (6, taylor.SIXTH)])
def test_powers_above_three_are_economised(power, bound):
    replaced = {4: (-0.125, 0, 1, 0), 5: (0, -0.3125, 0, 1.25), 6: (-taylor.SIXTH, 0, 1, 0)}[power]
    s = np.linspace(-1, 1, 100_001)
    error = np.abs(s**power - sum(c * s**k for k, c in enumerate(replaced)))
    assert error.max() <= bound * (1 + 1e-15)
    assert error.max() >= bound * (1 - 1e-6)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_time_frame_reaches_both_ends(a, b):
    t0, t1 = min(a, b), max(a, b)
    mid, half = taylor.time_frame(t0, t1)
    assert Fraction(mid) - Fraction(half) <= Fraction(t0)
    assert Fraction(t1) <= Fraction(mid) + Fraction(half)


@pytest.mark.pure
def test_scaling_lengths_by_a_power_of_two_changes_no_bit():
    rng = np.random.default_rng(8)
    for _ in range(50):
        joints = [random_joint(rng) for _ in range(4)]
        center, axes, half = rng.normal(size=3), random_rotation(rng), np.abs(rng.normal(size=3))
        boxes = []
        for k in (0, 40):
            model = None
            for joint in joints:
                scaled = joint.copy()
                scaled["origin"] *= 2.0**k
                scaled["velocity"] *= 2.0**k
                step = model_of(scaled, 0.2, 0.9)
                if model is None:
                    model = step
                else:
                    taylor.compose(model, model, step)
            boxes.append(np.array(taylor.swept_box(model, center * 2.0**k, axes, half * 2.0**k)))
        np.testing.assert_array_equal(boxes[0] * 2.0**40, boxes[1])


@pytest.mark.pure
def test_a_joint_that_does_not_move_is_exact():
    joint = random_joint(np.random.default_rng(9)).copy()
    joint["k0"], joint["k1"], joint["k2"] = np.eye(3), 0.0, 0.0
    joint["rate"] = 0.0
    joint["velocity"] = 0.0
    model = model_of(joint, 0.0, 1.0)
    np.testing.assert_array_equal(model[:, :3, 0], np.eye(3))
    np.testing.assert_array_equal(model[:, 3, 0], joint["origin"])
    assert not model[:, :, 1:].any()


@pytest.mark.pure
def test_many_turns_are_enclosed_by_a_radius_that_does_not_grow():
    rng = np.random.default_rng(10)
    model = None
    for _ in range(12):
        joint = random_joint(rng).copy()
        joint["rate"] = 40.0
        step = model_of(joint, 0.0, 1.0)
        if model is None:
            model = step
        else:
            taylor.compose(model, model, step)
    assert (model[:, :3, 4] <= taylor.NORM).all()


@pytest.mark.pure
def test_a_radius_does_not_grow_through_links_that_only_turn_the_frame():
    # Entrywise radii would grow by up to sqrt(3) a link, a factor of 59,049 in this test.
    rng = np.random.default_rng(11)
    joint = random_joint(rng).copy()
    joint["rate"] = 1.0
    model = model_of(joint, 0.0, 1.0)
    fresh = model[:, 0, 4].copy()
    for _ in range(20):
        still = random_joint(rng).copy()
        still["rate"] = still["velocity"] = 0.0
        taylor.compose(model, model, model_of(still, 0.0, 1.0))
    assert (model[:, 0, 4] <= 1.05 * fresh + 1e-12).all()
