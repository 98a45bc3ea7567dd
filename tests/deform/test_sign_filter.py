"""Volumes in single precision drop no pair that touches: against exact arithmetic, near the origin and far from it."""

import numpy as np
import pytest

from tocsin.deform.sign_filter import sign_filter
from tocsin_bench.oracles import feature_gaps, feature_pairs

from .courses import courses

VF, EE = feature_pairs.VERTEX_FACE, feature_pairs.EDGE_EDGE


def proven_free(kind, t0, t1, limit=1.0, margin=0.0):
    """Which of (n, 4, 3) pairs keep the sign of their volume until `limit`."""
    n = len(t0)
    table = np.zeros((4 * n, 8), np.float32)
    table[:, :3], table[:, 3:6] = t0.reshape(-1, 3), t1.reshape(-1, 3)
    rows = np.zeros((n + 8, 8), np.int32)
    rows[:n, :4] = np.arange(4 * n).reshape(n, 4)
    rows[:n, 4] = rows[:n, 5] = np.arange(n)
    reach = float(max(abs(t0).max(), abs(t1).max()))
    left = sign_filter(kind == EE, table, table, reach, rows, n, limit, margin)
    assert (np.diff(rows[:left, 4]) > 0).all()
    assert (rows[:left, 0] == 4 * rows[:left, 4]).all()
    free = np.ones(n, bool)
    free[rows[:left, 4]] = False
    return free


def pairs(seed, n, away):
    """Small features `away` from the origin, on courses that often meet, as often just miss."""
    rng = np.random.default_rng(seed)
    t0, t1 = courses(rng, n, 4)
    shift = away * rng.normal(size=(n, 1, 3))
    return t0 + shift, t1 + shift


@pytest.mark.parametrize("kind", [VF, EE])
@pytest.mark.parametrize("away", [0.0, 1e2, 1e5])
def test_no_pair_that_touches_is_dropped(kind, away):
    t0, t1 = (end[:1597] for end in pairs(3, 1600, away))
    free = proven_free(kind, t0, t1)
    touches = np.array([feature_pairs.first_contact(kind, a, b) is not None for a, b in zip(t0, t1)])
    assert touches.sum() > 50
    assert not (free & touches).any()
    assert away > 1e1 or free.sum() > 300


@pytest.mark.parametrize("kind", [VF, EE])
def test_a_margin_is_kept_until_the_limit(kind):
    t0, t1 = pairs(7, 1600, 1.0)
    limit, margin = 0.3, 0.07
    free = proven_free(kind, t0, t1, limit, margin)
    assert free.sum() > 100
    for s in np.linspace(0.0, limit, 40):
        gaps = feature_gaps.distances(kind, (1.0 - s) * t0 + s * t1)
        assert gaps[free].min() > margin


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1e12])
def test_tiny_and_huge_pairs_that_touch_are_kept(size):
    t0, t1 = pairs(9, 400, 0.0)
    touches = np.array([feature_pairs.first_contact(VF, a, b) is not None for a, b in zip(t0, t1)])
    assert touches.any()
    assert not (proven_free(VF, t0 * size, t1 * size) & touches).any()


def test_of_no_pairs_none_is_left():
    assert sign_filter(True, np.zeros((1, 8), np.float32), np.zeros((1, 8), np.float32), 1.0,
                         np.zeros((8, 8), np.int32), 0, 1.0, 0.0) == 0  # fmt: skip
