"""Lanes do what floats do, four at a time."""

import math

import numpy as np
import pytest

from tocsin.compiler.jit import kernel
from tocsin.simd.lanes import bits, lane, load, load_singles, root, select


@kernel
def mixed(x, y):
    """A little of everything, on floats or lanes."""
    s = select((x > y) & (x < 2.0 * y) | (y >= 3.0), x - y, y / (x * x + 1.0))
    return root(abs(s)) + 0.5 * x


@kernel
def in_lanes(table, i, out):
    """Write `mixed` of rows 0 and 1 of table[i] into out; return which of row 0 exceed row 1."""
    x = load(table, i, 0)
    y = load(table, i, 1)
    z = mixed(x, y)
    for k in range(4):
        out[k] = lane(z, k)
    return bits(x > y)


@kernel
def one_by_one(x, y):
    """`mixed` on floats."""
    return mixed(x, y)


@pytest.mark.pure
def test_a_lane_has_the_bits_of_the_same_code_on_floats():
    rng = np.random.default_rng(3)
    table = (rng.normal(size=(50, 2, 4)) * 2.0 ** rng.integers(-20, 20, size=(50, 2, 4))).astype(np.float32)
    out = np.zeros(4)
    for i in range(50):
        above = in_lanes(table, i, out)
        x, y = table[i].astype(float)
        assert above == sum(1 << k for k in range(4) if x[k] > y[k])
        assert [one_by_one(x[k], y[k]) for k in range(4)] == out.tolist()


@pytest.mark.pure
def test_nan_is_never_chosen():
    table = np.full((1, 2, 4), math.nan, np.float32)
    assert in_lanes(table, 0, np.zeros(4)) == 0


@kernel
def eight_between(table, x, y):
    v = load_singles(table, 1, 2)
    return bits((v > x) & (y - v > np.float32(0.0))), lane(abs(v) * v, 5)


@pytest.mark.pure
def test_eight_singles_are_compared_at_once():
    table = np.zeros((2, 3, 8), np.float32)
    table[1, 2] = [0.5, -1, 3, 2, 1.5, -2.5, 0, 9]
    mask, square = eight_between(table, np.float32(0.25), np.float32(2.5))
    assert mask == sum(1 << k for k, v in enumerate(table[1, 2]) if 0.25 < v < 2.5)
    assert square == -6.25


@kernel
def wide_sum(table):
    return lane(load(table, 0, 0) + load(table, 0, 1), 3)


@pytest.mark.pure
def test_lanes_are_loaded_in_full_precision_too():
    assert wide_sum(np.array([[[1, 2, 3, 1 / 3], [0, 0, 0, 2e-17]]])) == 1 / 3 + 2e-17
