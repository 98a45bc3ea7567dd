"""A pair that is said to be apart for all of a slab never comes within the margin in it."""

import numpy as np
import pytest

import tocsin
from tocsin.advancement.box_step import midpoint_test
from tocsin.broad_phase.sweep import half_of
from tocsin_bench.oracles import shapes

from .moving_pair import moving_pair, pair_between

SIDES = (0.4, 0.6, 0.9), (1.0, 0.2, 0.5)


def check(seed, cases, samples):
    """Return how many pairs were said to be apart, and how many of the others were."""
    rng = np.random.default_rng(seed)
    oracle = [shapes.box(side) for side in SIDES]
    said = missed = 0
    for _ in range(cases):
        margin = float(rng.choice([0.0, 0.2]))
        moving = moving_pair(rng, tocsin.Box(SIDES[0]), tocsin.Box(SIDES[1]), margin, float(rng.choice([0.3, 1.0])))
        t0 = float(rng.uniform(0.0, 0.9))
        t1 = t0 + (1.0 - t0) * float(rng.random())
        apart = midpoint_test(
            moving.world, moving.sweeps, moving.joints, moving.pair, 0.5 * (t0 + t1), half_of(t0, t1)
        )  # fmt: skip
        least = np.inf
        for t in np.linspace(t0, t1, samples):
            pose_a, pose_b = moving.poses(t)
            least = min(least, shapes.distance(oracle[0], pose_a, oracle[1], pose_b))
        assert least > margin or not apart
        said += apart
        missed += least > margin and not apart
    return said, missed


def test_pairs_said_to_be_apart_are():
    said, missed = check(1, 90, 7)
    assert said > 30
    assert missed < said


@pytest.mark.pure
@pytest.mark.parametrize("gap", [0.08, 0.1, 0.12])
def test_what_swings_down_on_both_sides_of_the_middle_is_not_called_apart(gap):
    """A small box on an arm of 1 m, upright at the middle, over a plate: there it only bends, by all that it does."""
    side, half = 0.02, 0.5
    turned = [np.eye(4), np.eye(4)]
    for pose, angle in zip(turned, (-half, half)):
        pose[:3, :3] = [
            [np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)],
        ]  # fmt: skip
    plate = np.eye(4)
    plate[2, 3] = 1.0 - side - gap
    ends = turned, (plate, plate)
    arm = tocsin.Box((side, side, side)), (0.0, 0.0, 1.0)
    moving = pair_between(ends, arm, tocsin.Box((4.0, 4.0, side)))
    asked = moving.world, moving.sweeps, moving.joints, moving.pair, 0.5
    lowest = np.cos(half) * (1.0 - 0.5 * side) - np.sin(half) * 0.5 * side  # the far corner, at both ends
    assert lowest < plate[2, 3] + 0.5 * side
    assert not midpoint_test(*asked, 0.5)
    assert midpoint_test(*asked, 0.2)


@pytest.mark.pure
def test_a_pair_said_to_be_apart_is():
    check(2, 2, 3)
