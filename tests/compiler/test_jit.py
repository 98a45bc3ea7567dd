"""The one alias of the compiler: its options, and kernels that compute the same compiled and as plain Python."""

from typing import NamedTuple

import numpy as np
import pytest

from tocsin.compiler import jit
from tocsin.compiler.jit import OPTIONS, PURE_PYTHON, borrowed, inlined, kernel, lending, question, ticks


def average(table, k):
    """A function with a name and a docstring."""
    return 0.5 * (table[k] + table[k + 1])


@pytest.mark.pure
@pytest.mark.parametrize("alias", [kernel, inlined, question])
def test_a_kernel_keeps_its_name_and_computes_what_it_says(alias):
    made = alias(average)
    table = np.array([1.0, 2.0, 4.0])
    assert made(table, 1) == 3.0
    if alias is not question:
        assert made.__name__ == "average"
        assert made.__doc__ == average.__doc__


@pytest.mark.pure
def test_no_option_lets_the_compiler_reorder_sums():
    assert not OPTIONS.get("fastmath")
    assert OPTIONS["error_model"] == "numpy"
    assert OPTIONS["nogil"]


@pytest.mark.pure
def test_as_plain_python_a_kernel_is_the_function_itself():
    assert (kernel(average) is average) == PURE_PYTHON


@pytest.mark.pure
def test_division_by_zero_is_an_infinity_and_not_a_word():
    @kernel
    def over(x):
        return 1.0 / x

    assert over(np.float64(0.0)) == np.inf


@pytest.mark.pure
def test_ticks_grow():
    first = ticks()
    assert ticks() >= first


@pytest.mark.pure
def test_a_borrowed_array_is_the_same_numbers():
    table = np.arange(5.0)
    assert np.array_equal(borrowed(table), table)


class Tables(NamedTuple):
    """As records of a question are: arrays of several kinds, numbers, and a record within."""

    rows: np.ndarray
    inner: "Inner"
    scale: float


class Inner(NamedTuple):
    """A record within."""

    numbers: np.ndarray
    more: np.ndarray


@kernel
def summed(tables):
    """Return the sum of all that a borrowed record holds."""
    mine = borrowed(tables)
    total = 0.0
    for k in range(mine.rows.shape[0]):
        total += mine.scale * mine.rows[k, 1] + mine.inner.numbers[k] + mine.inner.more[k]
    mine.rows[0, 0] = total
    return total


@pytest.mark.pure
def test_a_borrowed_record_has_the_same_arrays_whatever_is_in_it():
    tables = Tables(np.arange(6.0).reshape(3, 2), Inner(np.arange(3, dtype=np.int32), np.full(3, 0.5)), 10.0)
    assert summed(tables) == 10.0 * (1 + 3 + 5) + 3 + 1.5
    assert tables.rows[0, 0] == 94.5, "written into the very array"


def test_what_lends_is_marked_and_handed_back():
    def reader(table):
        return table

    assert lending(reader) is reader
    assert reader.lends


def test_a_numba_that_was_not_tested_with_compiles_its_own_way(monkeypatch):
    monkeypatch.setattr(jit.numba, "__version__", "0.99.0")
    assert not jit._known()
