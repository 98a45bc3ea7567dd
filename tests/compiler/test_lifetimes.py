"""Nothing borrowed is used after its table: kernels that could do that are refused by the compiler.

The first three are the uses that read freed memory in the interval engine, as they were written there.
"""

import gc
import weakref
from typing import NamedTuple

import numpy as np
import pytest

from tocsin.compiler.addresses import Layout, table_of
from tocsin.compiler.jit import KNOWN, PURE_PYTHON, borrowed, kernel
from tocsin.compiler.lifetimes import UsedAfterItsTable

pytestmark = pytest.mark.skipif(PURE_PYTHON or not KNOWN, reason="kernels are compiled another way here")

ITEM = np.dtype([("pair", "i4"), ("lo", "f8"), ("hi", "f8"), ("center", "f8", 3)], align=True)
F8 = np.dtype("f8")


@kernel
def put(items, n, p):
    """Append, to a longer copy if there is no room."""
    if n == items.shape[0]:
        bigger = np.zeros(2 * n, dtype=ITEM)
        for k in range(n):
            bigger[k] = items[k]
        items = bigger
    item = items[n]
    item["pair"] = p
    return items, n + 1


@kernel
def field_of_the_last_use(n):
    items = np.zeros(4, dtype=ITEM)
    for k in range(n):
        items, _ = put(items, 0, k)
        if k > 2:
            return items[k]["pair"]
    return 0


@kernel
def record_kept_across_a_return(n):
    items = np.zeros(4, dtype=ITEM)
    for k in range(n):
        item = items[k]
        if item["lo"] == 0.0:
            p = item["pair"]
            if p == 0:
                return item["hi"]
    return 0.0


@kernel
def field_after_a_search(n):
    items = np.zeros(4, dtype=ITEM)
    earliest = 0
    for k in range(n):
        if items[k]["lo"] < 0.0:
            earliest = k
    return items[earliest]["pair"]


@kernel
def record_kept_across_growth(n):
    items = np.zeros(4, dtype=ITEM)
    item = items[0]
    total = 0
    m = 0
    for k in range(n):
        items, m = put(items, m, k)
        total += item["pair"]
    return total + items[0]["pair"] + items.shape[0]


@kernel
def record_of_the_last_round(n):
    items = np.zeros(4, dtype=ITEM)
    item = items[0]
    m = 0
    for k in range(n):
        items, m = put(items, m, item["pair"])
        item = items[0]
        items, m = put(items, m, k)
    return items.shape[0]


@kernel
def array_in_a_record(n):
    items = np.zeros(4, dtype=ITEM)
    center = items[n]["center"]
    return center[0]


@kernel
def array_without_an_owner(n):
    own = np.zeros(4)
    lent = borrowed(own)
    return lent[n]


@kernel
def lent_by_a_kernel(array):
    return borrowed(array), 1


@kernel
def array_lent_by_a_kernel(n):
    own = np.zeros(4)
    lent, _ = lent_by_a_kernel(own)
    return lent[n]


@kernel
def array_lent_and_handed_through(n):
    own = np.zeros(4, dtype=ITEM)
    lent = borrowed(own)
    m = 0
    lent, m = put(lent, m, n)
    lent, m = put(lent, m, n)
    return lent


@kernel
def record_of_its_own_table(n):
    own = np.zeros(4, dtype=ITEM)
    return own[n]


@kernel
def asks_for_a_record(n):
    return record_of_its_own_table(n)["pair"]


@kernel
def record_in_a_loop_over_a_table(n):
    items = np.zeros(4, dtype=ITEM)
    found = items[0]
    for item in items:
        found = item
    return found["pair"]


REFUSED = (
    field_of_the_last_use, record_kept_across_a_return, field_after_a_search, record_kept_across_growth,
    record_of_the_last_round, array_in_a_record, array_without_an_owner, array_lent_by_a_kernel,
    array_lent_and_handed_through, asks_for_a_record, record_in_a_loop_over_a_table,
)  # fmt: skip


@pytest.mark.parametrize("asked", REFUSED, ids=lambda asked: asked.__name__)
def test_what_is_used_after_its_table_does_not_compile(asked):
    with pytest.raises(UsedAfterItsTable, match="read its fields while the table is in use"):
        asked(3)


@kernel
def reads_in_a_kernel_of_its_own(items, k):
    item = items[k]
    return item["pair"], item["hi"]


@kernel
def grows_and_reads(n):
    items = np.zeros(4, dtype=ITEM)
    m = 0
    for k in range(n):
        items, m = put(items, m, k)
    total = 0
    for k in range(m):
        p, _ = reads_in_a_kernel_of_its_own(items, k)
        total += p + items[k]["pair"]
    return total, reads_in_a_kernel_of_its_own(items, 1)[0]


@kernel
def grows_what_it_was_given(items, n):
    items = borrowed(items)
    m = 0
    total = 0
    for k in range(n):
        items, m = put(items, m, k)
        item = items[m - 1]
        total += item["pair"]
        if total > 1000:
            return total
    return total + items.shape[0]


@kernel
def holds_the_owner_to_the_end(n):
    own = np.zeros(4)
    lent = borrowed(own)
    lent[n] = 3.0
    total = 0.0
    for k in range(4):
        total += lent[k]
    if own.shape[0] < 0:  # a last use, so that it lives until here
        total = 0.0
    return total


@kernel
def reads_what_it_was_given(items, k):
    item = items[k]
    lent = borrowed(items)
    center = lent[k]["center"]
    return item["pair"] + center[2] + lent[k]["hi"]


def test_what_is_used_while_its_table_is_held_compiles():
    assert grows_and_reads(10) == (90, 1)
    assert grows_what_it_was_given(np.zeros(2, ITEM), 10) == 45 + 16
    assert holds_the_owner_to_the_end(2) == 3.0
    assert reads_what_it_was_given(np.ones(2, ITEM), 1) == 3.0


class One(NamedTuple):
    array: np.ndarray


read_one = Layout(One, array=(F8, 1)).reader()


@kernel
def first_of(table):
    return read_one(table).array[0]


def test_a_table_of_addresses_keeps_its_arrays():
    array = np.full(1000, 7.0)
    gone = weakref.ref(array)
    table = table_of([array])
    del array
    gc.collect()
    view = table[:]
    del table
    assert first_of(view) == 7.0
    del view
    gc.collect()
    assert gone() is None
