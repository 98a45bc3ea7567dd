"""Columns of eight hold what they are gathered from, in kernels as on arrays."""

import numpy as np
import pytest

from tocsin.compiler.jit import kernel
from tocsin.deform.advance import ENDED
from tocsin.simd.gathers import corner, entry, listed_corner, make_places
from tocsin.simd.lanes import SINGLES, lane
from tocsin.simd.signs import negatives


@kernel
def collected(table, points, queue, first, ended, tolerance, out):
    """Write the columns of x, y, z, of the times and of the tolerances into out."""
    (x, y, z), (u, v, w) = corner(table, points, queue, first, 2)
    t = entry(ended, queue, first, 1)
    each = entry(tolerance, queue, first, 1)
    same = entry(tolerance, queue, first, 0)
    for k in range(8):
        out[0, k] = lane(x, k)
        out[1, k] = lane(y, k)
        out[2, k] = lane(z, k)
        out[3, k] = lane(t, k)
        out[4, k] = lane(each, k)
        out[5, k] = lane(same, k)
        out[6, k] = lane(u, k)
        out[7, k] = lane(v, k)
        out[8, k] = lane(w, k)


@pytest.mark.pure
def test_columns_are_collected_by_number():
    rng = np.random.default_rng(2)
    table = make_places(40)
    ends = rng.normal(size=(2, 40, 3))
    table[:, :3], table[:, 3:6] = ends
    assert table.ctypes.data % 64 == 0
    points = rng.integers(0, 40, size=(30, 6)).astype(np.int32)
    queue = rng.integers(0, 30, size=24).astype(np.int32)
    ended = np.zeros(30, ENDED)
    ended["time"] = rng.random(30)
    tolerance = rng.random(30)
    out = np.zeros((9, 8))
    collected(table, points, queue, 16, ended, tolerance, out)
    some = queue[16:24]
    assert (out[:3] == ends[0][points[some, 2]].T).all()
    assert (out[6:] == ends[1][points[some, 2]].T).all()
    assert (out[3] == ended["time"][some]).all()
    assert (out[4] == tolerance[some]).all()
    assert (out[5] == tolerance[0]).all()


@kernel
def signs_of(table, corners, pairs, p, side, c):
    columns = listed_corner(table, corners, pairs, p, side, c)
    return negatives(columns[0]), negatives(columns[3]), negatives(columns[7])


@pytest.mark.pure
@pytest.mark.parametrize("seed", range(5))
def test_the_columns_are_those_of_the_corners_of_the_listed_elements(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(50, 8)).astype(np.float32)
    corners = rng.integers(0, 50, (30, 3)).astype(np.int32)
    pairs = rng.integers(0, 30, (40, 2)).astype(np.int32)
    for p in (0, 5, 32):
        for side in (0, 1):
            for c in range(3):
                chosen = [table[corners[pairs[p + k, side], c]] for k in range(SINGLES)]
                truth = tuple(sum(1 << k for k, row in enumerate(chosen) if row[j] < 0) for j in (0, 3, 7))
                assert tuple(signs_of(table, corners, pairs, p, side, c)) == truth
