"""Arrays that reach a kernel as addresses are the arrays themselves."""

import numpy as np
import pytest

from tocsin.compiler.addresses import array_at, table_of
from tocsin.compiler.jit import kernel

RECORD = np.dtype([("a", "i4"), ("b", "f8", 3)], align=True)
F4, F8 = np.dtype("f4"), np.dtype("f8")


@kernel
def look(table):
    """Read three arrays of different kinds, and write into one."""
    plane = array_at(table, 0, F8, 2)
    records = array_at(table, 1, RECORD, 1)
    block = array_at(table, 2, F4, 3)
    records[1]["b"][2] = plane[1, 2]
    return plane.shape, records.shape, block.shape, block[1, 2, 3], plane[:, 1].sum()


@pytest.mark.pure
def test_arrays_of_every_kind_are_read_and_written_in_place():
    plane, records = np.arange(6.0).reshape(2, 3), np.zeros(2, RECORD)
    block = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert look(table_of([plane, records, block])) == ((2, 3), (2,), (2, 3, 4), 23.0, 5.0)
    assert records["b"][1, 2] == 5.0


def test_arrays_with_gaps_are_refused():
    with pytest.raises(AssertionError):
        table_of([np.zeros((4, 4))[:, ::2]])
