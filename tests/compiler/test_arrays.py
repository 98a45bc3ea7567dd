"""Copies of rows, and orders of numbers."""

import numpy as np
import pytest

from tocsin.compiler.arrays import copy_rows, stable_order

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 15, 16, 17, 33, 64, 1000])
@pytest.mark.parametrize("different", [1, 3, 10**6])
def test_equal_numbers_stay_in_their_order(n, different):
    keys = np.random.default_rng(n).integers(0, different, n)
    for kind in (np.int64, np.float64):
        assert np.array_equal(stable_order(keys.astype(kind)), np.argsort(keys, kind="stable"))


def test_infinite_numbers_are_in_order_too():
    keys = np.array([np.inf, 1.0, -np.inf, np.inf, -0.0, 0.0] * 5)
    assert np.array_equal(stable_order(keys), np.argsort(keys, kind="stable"))


def test_only_the_first_rows_are_copied():
    out = np.zeros((4, 3))
    copy_rows(out, np.arange(12.0).reshape(4, 3), 2)
    assert out.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
