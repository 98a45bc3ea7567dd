"""Four points of a table at a time, in kernels as on arrays."""

import numpy as np
import pytest

from tocsin.compiler.jit import kernel
from tocsin.simd.lanes import WIDTH, lane
from tocsin.simd.points import farthest_point, load_points

pytestmark = pytest.mark.pure


@kernel
def read(points, k, out):
    x, y, z = load_points(points, k)
    for i in range(WIDTH):
        out[i, 0] = lane(x, i)
        out[i, 1] = lane(y, i)
        out[i, 2] = lane(z, i)


def test_four_points_are_those_from_a_row_on():
    points = np.random.default_rng(1).normal(size=(20, 3))
    for k in (0, 1, 7, 20 - WIDTH):
        out = np.zeros((WIDTH, 3))
        read(points, k, out)
        np.testing.assert_array_equal(out, points[k : k + WIDTH])


def first_of_the_farthest(points, n):
    """One after the other, as floats."""
    reach = [float(p[0]) * n[0] + float(p[1]) * n[1] + float(p[2]) * n[2] for p in points]
    return reach.index(max(reach))


@pytest.mark.parametrize("count", [1, 3, 7, 8, 9, 11, 12, 40, 41, 152])
def test_the_farthest_point_is_the_first_of_those_that_are(count):
    """On round numbers, most directions have several."""
    rng = np.random.default_rng(count)
    for round_numbers in (False, True):
        for _ in range(20):
            points = rng.integers(-2, 3, (count + 5, 3)) * 0.5 if round_numbers else rng.normal(size=(count + 5, 3))
            n = rng.integers(-1, 2, 3) * 1.0 if round_numbers else rng.normal(size=3)
            direction = (float(n[0]), float(n[1]), float(n[2]))
            found = farthest_point(np.ascontiguousarray(points), 3, count, direction)
            assert found == 3 + first_of_the_farthest(points[3 : 3 + count], direction)


@pytest.mark.parametrize("reach", [1e300, np.inf])
def test_points_whose_products_overflow_are_some_point_of_the_set(reach):
    points = np.full((20, 3), reach) * np.random.default_rng(1).choice([-1.0, 1.0], (20, 3))
    with np.errstate(all="ignore"):
        assert 2 <= farthest_point(points, 2, 12, (1e10, -1e10, 1e10)) < 14
