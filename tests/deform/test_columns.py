"""Columns of eight hold what they are collected from, and pairs do not feel who goes beside them."""

import numpy as np
import pytest

from deform.test_advance import EE, VF, random_pairs, times
from tocsin.compiler.jit import kernel
from tocsin.deform.advance import ENDED
from tocsin.deform.columns import corner, entry, make_places
from tocsin.simd.lanes import lane


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


@pytest.mark.parametrize("kind", [VF, EE])
def test_a_pair_among_others_ends_as_it_does_alone(kind):
    t0, t1, scale = random_pairs(8, 301)
    together = times(kind, t0 / scale[:, None, None], t1 / scale[:, None, None], tolerance=1e-7)
    for k in range(len(t0)):
        alone = times(kind, t0[k : k + 1] / scale[k], t1[k : k + 1] / scale[k], tolerance=1e-7)
        assert alone[0] == together[k]
