"""Four points of a table at a time, in kernels as on arrays."""

import numpy as np
import pytest

from tocsin.compiler.jit import kernel
from tocsin.geometry.points import load_points
from tocsin.simd.lanes import WIDTH, lane

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
