"""Arrays that reach a kernel as addresses are the arrays themselves."""

from typing import NamedTuple

import numpy as np
import pytest

from tocsin.compiler.addresses import Layout, table_of
from tocsin.compiler.jit import kernel

RECORD = np.dtype([("a", "i4"), ("b", "f8", 3)], align=True)
F4, F8 = np.dtype("f4"), np.dtype("f8")


class Inner(NamedTuple):
    plane: np.ndarray
    records: np.ndarray


class Outer(NamedTuple):
    first: np.ndarray
    inner: Inner
    block: np.ndarray


LAYOUT = Layout(Outer, block=(F4, 3), first=(F8, 1), inner=Layout(Inner, plane=(F8, 2), records=(RECORD, 1)))
read = LAYOUT.reader()


@kernel
def look(table):
    """Read arrays of different kinds, and write into one."""
    _, (plane, records), block = read(table)
    records[1]["b"][2] = plane[1, 2]
    return plane.shape, records.shape, block.shape, block[1, 2, 3], plane[:, 1].sum()


def record():
    block = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    return Outer(np.zeros(7), Inner(np.arange(6.0).reshape(2, 3), np.zeros(2, RECORD)), block)


@pytest.mark.pure
def test_arrays_of_every_kind_are_read_and_written_in_place():
    made = record()
    assert look(table_of(LAYOUT.arrays(made))) == ((2, 3), (2,), (2, 3, 4), 23.0, 5.0)
    assert made.inner.records["b"][1, 2] == 5.0


@pytest.mark.pure
def test_an_array_that_is_not_what_its_layout_says_is_refused():
    made = record()
    for wrong in (made._replace(first=np.zeros(7, np.float32)), made._replace(block=made.inner.plane)):
        with pytest.raises(AssertionError, match="of Outer is"):
            LAYOUT.checked(wrong)


@pytest.mark.pure
def test_rows_are_those_of_the_arrays_of_a_field():
    made = record()
    for name in Outer._fields:
        part = getattr(made, name)
        held = [LAYOUT.arrays(made)[k] for k in LAYOUT.rows(name)]
        assert all(a is b for a, b in zip(held, part if name == "inner" else [part], strict=True))


@pytest.mark.pure
def test_a_layout_names_every_field():
    with pytest.raises(AssertionError, match="has the fields plane, records"):
        Layout(Inner, plane=(F8, 2))


def test_arrays_with_gaps_are_refused():
    with pytest.raises(AssertionError):
        table_of([np.zeros((4, 4))[:, ::2]])
