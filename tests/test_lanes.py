"""Lanes do what floats do, four at a time."""

import math

import numpy as np
import pytest

from tocsin._jit import kernel
from tocsin._lanes import bits, lane, load, root, select


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
