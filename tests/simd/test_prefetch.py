"""What is asked for ahead of time changes nothing, wherever it lies."""

import numpy as np
import pytest

from tocsin.compiler.jit import kernel
from tocsin.simd.prefetch import LINE, prefetch


@kernel
def first_of_rows(table, ahead):
    """Add up the first numbers of all rows, asking for a row that is `ahead` of each."""
    total = 0.0
    for i in range(table.shape[0]):
        prefetch(table, i + ahead)
        prefetch(table, i + ahead, LINE)
        total += table[i, 0]
    return total


@pytest.mark.pure
@pytest.mark.parametrize("ahead", [0, 1, -1, 10**12, -(10**12)])
def test_rows_that_are_asked_for_need_not_be_there(ahead):
    table = np.arange(60.0).reshape(10, 6)
    before = table.copy()
    assert first_of_rows(table, ahead) == table[:, 0].sum()
    assert (table == before).all()
    assert first_of_rows(table[:0], ahead) == 0.0
