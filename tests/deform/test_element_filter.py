"""Directions that keep elements apart: no pair of triangles that comes near is settled, by the oracle's distance."""

import numpy as np
import pytest

from plain import PLAIN
from tocsin.deform.element_filter import ALL, moving_free, noise_of, single_up, still_free
from tocsin_bench.oracles import distance

pytestmark = PLAIN


def eight(rng, spread):
    """Return corners of eight triangles as the filter has them, (corner)(coordinate) of eight, and as an array."""
    table = (rng.normal(size=(8, 3, 3)) + rng.normal(size=(8, 1, 3)) * spread).astype(np.float32)
    return tuple(tuple(table[:, c, i] for i in range(3)) for c in range(3)), table.astype(float)


def apart(a, b):
    return distance.triangle_triangle(a, b)


def settled(free, truth, keep):
    """Return how many of eight pairs are settled, each of which must be that far apart."""
    chosen = [k for k in range(8) if free >> k & 1]
    assert (truth[chosen] > keep).all()
    return len(chosen)


def test_what_is_settled_at_time_0_is_farther_apart_than_asked():
    rng = np.random.default_rng(1)
    count = 0
    for _ in range(40):
        (a, at), (b, bt) = eight(rng, 1.5), eight(rng, 1.5)
        count += settled(int(still_free(a, b, np.float32(0.1))), apart(at, bt), 0.1)
    assert count > 50


def test_what_is_settled_while_moving_stays_apart_all_the_time():
    rng = np.random.default_rng(2)
    count = 0
    for _ in range(25):
        (a, a0), (b, b0) = eight(rng, 2.0), eight(rng, 2.0)
        (at, a1), (bt, b1) = eight(rng, 2.0), eight(rng, 2.0)
        free = int(moving_free(a, b, at, bt, np.float32(0.05)))
        for t in np.linspace(0.0, 1.0, 7):
            count += settled(free, apart((1 - t) * a0 + t * a1, (1 - t) * b0 + t * b1), 0.05)
    assert count > 20


def test_far_away_all_are_settled_and_on_top_of_each_other_none():
    rng = np.random.default_rng(3)
    (a, _), (b, _) = eight(rng, 0.0), eight(rng, 0.0)
    far = tuple((x + np.float32(100.0), y, z) for x, y, z in b)
    assert int(still_free(a, far, np.float32(0.0))) == ALL
    assert int(still_free(a, a, np.float32(0.0))) == 0


@pytest.mark.parametrize(
    "x", [0.0, 5e-324, 1e-300, 2.0**-149, 1.5 * 2.0**-149, 1e-40, 2.0**-126, 0.1, 1.0, 1.0 + 2.0**-50, 3.3e7, 3e38]
)
def test_rounding_up_to_single_precision_never_goes_below(x):
    found = single_up(x)
    assert found.dtype == np.float32
    assert float(found) >= x
    assert float(found) <= max(x * (1.0 + 2.0**-22), 2.0**-126 if x else 0.0)
    assert single_up(0.0) == 0.0


def test_beyond_the_largest_coordinate_nothing_is_settled():
    assert noise_of(1.0, 10.0) == pytest.approx(24.0 * 2.0**-24)
    assert noise_of(10.0, 10.0) == np.inf
