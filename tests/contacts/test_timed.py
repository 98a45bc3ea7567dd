"""Rows of contacts: room for more of them, and their order."""

import numpy as np
import pytest

from tocsin.contacts.timed import TIMED, TIMED_KINDS, ascending, with_room

pytestmark = pytest.mark.pure


def in_order(values):
    """The order of values, written where there is room for more."""
    order = np.full(len(values) + 3, -1)
    ascending(values, order)
    assert (order[len(values) :] == -1).all()
    return order[: len(values)].tolist()


@pytest.mark.parametrize("n", [0, 1, 2, 5, 40, 300])
def test_the_order_is_ascending_and_equal_ones_stay_as_they_come(n):
    values = np.random.default_rng(n).integers(0, max(n // 3, 1), n).astype(float)
    assert in_order(values) == sorted(range(n), key=lambda k: values[k])


def test_infinite_times_come_last():
    assert in_order(np.array([np.inf, 0.5, -0.0, np.inf, 0.0])) == [2, 4, 1, 0, 3]


def test_a_table_with_room_is_the_same_one_and_a_larger_keeps_what_was_used():
    rows = np.zeros(4, TIMED)
    rows["time"] = 1.0, 2.0, 3.0, 4.0
    assert with_room(rows, 4, 4) is rows or np.shares_memory(with_room(rows, 4, 4), rows)
    larger = with_room(rows, 3, 9)
    assert len(larger) >= 9
    assert larger["time"][:5].tolist() == [1.0, 2.0, 3.0, 0.0, 0.0]


def test_kinds_are_numbered_as_they_are_named():
    from tocsin.contacts import timed

    assert [TIMED_KINDS[k] for k in (timed.VERTEX_FACE, timed.FACE_VERTEX, timed.EDGE_EDGE)] == list(TIMED_KINDS)
