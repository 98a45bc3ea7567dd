"""Rows of eight do what arrays do."""

import numpy as np
import pytest

from tocsin._jit import kernel
from tocsin._lanes import bits
from tocsin.deform.rows import gathered, greater, highest, lane_at, lesser, lowest, spread_single, store_singles


@kernel
def turned(table, seats, out):
    """Write the columns that seats[1, 2] names into out[1]; return what else there is to know."""
    columns = gathered(table, seats, 1, 2)
    for k in range(8):
        store_singles(out, 1, k, columns[k])
    a = columns[0]
    b = columns[1]
    store_singles(out, 0, 0, lesser(a, b))
    store_singles(out, 0, 1, greater(a, b))
    store_singles(out, 0, 2, spread_single(0.5))
    return bits(a == b), lowest(a), highest(a), lane_at(out, 1, 3, 5)


@pytest.mark.pure
def test_rows_are_gathered_as_columns_and_compared():
    rng = np.random.default_rng(1)
    table = rng.integers(0, 4, size=(50, 8)).astype(np.float32)
    seats = rng.integers(0, 50, size=(3, 4, 8)).astype(np.int32)
    out = np.zeros((2, 8, 8), np.float32)
    same, low, high, one = turned(table, seats, out)
    columns = table[seats[1, 2]].T
    assert np.array_equal(out[1], columns)
    assert np.array_equal(out[0, 0], np.minimum(columns[0], columns[1]))
    assert np.array_equal(out[0, 1], np.maximum(columns[0], columns[1]))
    assert (out[0, 2] == 0.5).all()
    assert same == sum(1 << k for k in range(8) if columns[0, k] == columns[1, k])
    assert (low, high, one) == (columns[0].min(), columns[0].max(), columns[3, 5])


@pytest.mark.pure
def test_nan_equals_nothing():
    table = np.full((1, 8), np.nan, np.float32)
    assert turned(table, np.zeros((2, 3, 8), np.int32), np.zeros((2, 8, 8), np.float32))[0] == 0
