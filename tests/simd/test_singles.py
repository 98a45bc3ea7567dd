"""Eight singles in a register do what arrays do."""

import numpy as np
import pytest

from tocsin.compiler.jit import kernel
from tocsin.simd.gathers import gathered, picked
from tocsin.simd.lanes import bits
from tocsin.simd.singles import (
    both_ends,
    greater,
    highest,
    highest_of_eight,
    lane_at,
    lesser,
    lowest,
    lowest_of_eight,
    put_four,
    put_sixteen,
    row_of,
    seated,
    single_at,
    spread_single,
    store_singles,
    summed,
    until,
)


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


@kernel
def woven(table, points, numbers, out, list_four, list_sixteen):
    """Write what rows of places become into out, and rows of numbers into the lists; return one number of the table."""
    a = row_of(table, 3)
    b = row_of(table, 7)
    x, y, z = both_ends(a, b)
    u, v, w = seated((summed(x), y, z), b)
    store_singles(out, 0, 0, x)
    store_singles(out, 0, 1, y)
    store_singles(out, 0, 2, z)
    store_singles(out, 0, 3, u)
    store_singles(out, 0, 4, v)
    store_singles(out, 0, 5, w)
    store_singles(out, 0, 6, until(a, np.float32(0.75), np.float32(0.25)))
    columns = picked(table, points, 2, 1)
    for k in range(8):
        store_singles(out, 1, k, columns[k])
    put_four(numbers[:, :4].copy(), 2, 100, list_four, 3)
    put_sixteen(numbers, 1, 1000, list_sixteen, 2)
    return single_at(table, 7, 4)


@pytest.mark.pure
def test_places_of_two_vertices_are_woven_and_numbers_put():
    rng = np.random.default_rng(5)
    table = rng.integers(-8, 8, size=(20, 8)).astype(np.float32)
    points = rng.integers(0, 20, size=(12, 8)).astype(np.int32)
    numbers = rng.integers(0, 9, size=(4, 16)).astype(np.int32)
    out = np.zeros((2, 8, 8), np.float32)
    four, sixteen = np.zeros(9, np.int32), np.zeros(20, np.int32)
    assert woven(table, points, numbers, out, four, sixteen) == table[7, 4]
    a, b = table[3], table[7]
    ends = np.stack([[a[k], a[k + 3], a[k], a[k + 3], b[k], b[k + 3], b[k], b[k + 3]] for k in range(3)])
    assert np.array_equal(out[0, :3], ends)
    ends[0, 2], ends[0, 6] = a[0] + a[3], b[0] + b[3]
    ends[:, 3], ends[:, 7] = b[:3], b[3:6]
    assert np.array_equal(out[0, 3:6], ends)
    assert np.array_equal(out[0, 6], [*a[:3], *(0.75 * a[:3] + 0.25 * a[3:6]), *a[6:]])
    assert np.array_equal(out[1], table[points[2:10, 1]].T)
    assert np.array_equal(four[3:7], numbers[2, :4] + 100)
    assert np.array_equal(sixteen[2:18], numbers[1] + 1000)


@kernel
def extremes(table, i, out):
    for row in range(table.shape[1]):
        store_singles(out, 0, row, lowest_of_eight(table, i, row))
        store_singles(out, 1, row, highest_of_eight(table, i, row))


@pytest.mark.pure
def test_the_extremes_of_eight_tables_are_told_by_their_order():
    rng = np.random.default_rng(3)
    table = rng.normal(size=(19, 5, 8)).astype(np.float32)
    table[rng.random(table.shape) < 0.1] = 0.0
    out = np.zeros((2, 5, 8), np.float32)
    for i in (0, 3, 11):
        extremes(table, i, out)
        assert (out[0] == table[i : i + 8].min(axis=2).T).all()
        assert (out[1] == table[i : i + 8].max(axis=2).T).all()
