"""Tables cut out of one block of numbers: where they say, and no copies."""

import numpy as np
import pytest

from tocsin.compiler.jit import kernel
from tocsin.screen.drawing import table

pytestmark = pytest.mark.pure


@kernel
def write(block, at, rows, columns):
    cut = table(block, at, rows, columns)
    for i in range(rows):
        for k in range(columns):
            cut[i, k] = 10.0 * i + k
    return cut.shape[0] * cut.shape[1]


def test_a_table_is_rows_of_a_block_and_what_is_written_into_it_is_in_the_block():
    block = np.full(20, -1.0)
    assert write(block, 3, 4, 2) == 8
    np.testing.assert_array_equal(block[3:11], [0, 1, 10, 11, 20, 21, 30, 31])
    assert (block[:3] == -1.0).all()
    assert (block[11:] == -1.0).all()
