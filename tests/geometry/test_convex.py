"""Convex sets by their support points: bounds from both sides, whatever the shapes."""

import math

import numpy as np
import pytest

from tocsin.geometry.convex import across, convex_distance, gap_of_sets, support, support_value
from tocsin_bench.oracles import shapes as oracle

pytestmark = pytest.mark.pure

STILL = (((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0))


def asked(points_a, a, points_b, b, pose, guess=(0.0, 0.0, 0.0)):
    return convex_distance(points_a, a, points_b, b, pose, guess, np.zeros((4, 9)), (0.0, 0.0, 1.0))


def hull_of(rng, n):
    return np.ascontiguousarray(rng.normal(size=(n, 3)))


@pytest.mark.parametrize("seed", range(40))
def test_lower_and_upper_hold_the_distance_of_hulls(seed):
    rng = np.random.default_rng(seed)
    a, b = hull_of(rng, 8), hull_of(rng, 6)
    shift = tuple((rng.normal(size=3) * rng.choice([0.5, 3.0])).tolist())
    lower, upper, _, x, y = asked(a, (0, 8, 0.0, 0.0), b, (0, 6, 0.0, 0.0), (STILL[0], shift))
    truth = oracle.distance(oracle.hull(a), np.eye(4), oracle.hull(b + shift), np.eye(4))
    assert lower - 1e-12 <= truth <= upper + 1e-12
    assert upper - max(lower, 0.0) <= 1e-9 * (1.0 + upper)
    assert math.dist(x, y) == pytest.approx(upper, abs=1e-12)


@pytest.mark.parametrize("guess", [(0.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (1.0, 1e-9, 0.0), (0.0, 5.0, 0.0)])
def test_any_first_guess_leads_to_the_same_distance(guess):
    point = np.array([[0.0, 0.0, 0.0]])
    box = np.array([[x, y, z] for x in (2.0, 3) for y in (-1.0, 1) for z in (-1.0, 1)])
    lower, upper, n, _, _ = asked(point, (0, 1, 0.0, 0.0), box, (0, 8, 0.0, 0.0), STILL, guess)
    assert (lower, upper) == (2.0, 2.0)
    assert n == (1.0, 0.0, 0.0)


def test_radii_are_taken_off_and_witnesses_are_on_the_surfaces():
    a, b = np.array([[0.0, 0.0, 0.0]]), np.array([[4.0, 0.0, 0.0], [4.0, 5.0, 0.0]])
    lower, upper, _, x, y = asked(a, (0, 1, 1.0, 0.0), b, (0, 2, 0.5, 0.0), STILL)
    assert (lower, upper) == (2.5, 2.5)
    assert x == (1.0, 0.0, 0.0)
    assert y == (3.5, 0.0, 0.0)


def test_sets_that_overlap_have_no_distance():
    rng = np.random.default_rng(3)
    a = hull_of(rng, 20)
    lower, upper, *_ = asked(a, (0, 20, 0.0, 0.0), a, (0, 20, 0.0, 0.0), STILL)
    assert upper == 0.0
    assert lower <= 0.0


@pytest.mark.parametrize("seed", range(20))
def test_a_cylinders_support_is_the_farthest_of_its_rim(seed):
    """Two points, a disk, and the unit axis in the row after the points."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    ends = np.array([-axis, axis])
    points = np.concatenate([ends, [axis]])
    n = tuple((rng.normal(size=3) if seed else axis).tolist())
    u, v = (np.array(side) for side in across(tuple(axis.tolist())))
    angle = np.linspace(0.0, 2.0 * np.pi, 20_001)
    rim = 0.3 * (np.cos(angle)[:, None] * u + np.sin(angle)[:, None] * v)
    truth = max(float(((end + rim) @ n).max()) for end in ends)
    found = support_value(points, 0, 2, 0.3, n)
    assert found == pytest.approx(truth, abs=1e-7)
    assert found >= truth - 1e-12
    assert np.linalg.norm(np.cross(np.array(support(points, 0, 2, 0.3, n)), axis)) <= 0.3 + 1e-12


def test_two_directions_across_an_axis_are_orthogonal_units():
    rng = np.random.default_rng(1)
    for axis in [*rng.normal(size=(50, 3)), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, -1)]:
        axis = np.array(axis, float) / np.linalg.norm(axis)
        frame = np.array([axis, *across(tuple(axis.tolist()))])
        np.testing.assert_allclose(frame @ frame.T, np.eye(3), atol=1e-15)


def test_the_gap_along_any_direction_is_no_more_than_the_distance():
    rng = np.random.default_rng(5)
    a, b = hull_of(rng, 8), hull_of(rng, 8) + (4.0, 0.0, 0.0)
    _, upper, *_ = asked(a, (0, 8, 0.0, 0.0), b, (0, 8, 0.0, 0.0), STILL)
    for n in rng.normal(size=(200, 3)):
        unit = tuple((n / np.linalg.norm(n)).tolist())
        assert gap_of_sets(a, (0, 8, 0.0, 0.0), b, (0, 8, 0.0, 0.0), STILL, unit) <= upper + 1e-12
