"""The heap gives back the earliest first, and everything that was put in."""

import numpy as np
import pytest

from tocsin.advancement.heap import ITEM, drop_first, grown, push


def drained(heap, size):
    out = []
    while size > 0:
        first = heap[0]
        out.append(tuple(first[k].item() for k in ("time", "pair", "a", "b")))
        assert first["opened"] == first["a"]
        size = drop_first(heap, size)
    return out


@pytest.mark.pure
@pytest.mark.parametrize("n", [1, 2, 3, 40])
def test_items_come_out_by_time_then_by_pair_then_by_nodes(n):
    rng = np.random.default_rng(n)
    heap, size, given = np.zeros(n, ITEM), 0, []
    for k in range(n):
        item = (float(rng.integers(5)) / 4.0, int(rng.integers(4)), k, -k)
        size = push(heap, size, *item, (0.5, float(k), -1.0), k)
        given.append(item)
    assert drained(heap, size) == sorted(given)


@pytest.mark.pure
def test_the_order_does_not_depend_on_what_else_was_in_the_heap():
    """Items of one time and pair come out in one order, whatever has come and gone between them."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        mine = [(0.5, 7, int(a), int(b)) for a, b in rng.permutation(30).reshape(15, 2)]
        others = [(float(rng.random()), int(rng.integers(7)), -1, k) for k in range(40)]
        orders = []
        for extra in ((), others):
            items = [*mine, *extra]
            heap, size = np.zeros(64, ITEM), 0
            for k in rng.permutation(len(items)):
                size = push(heap, size, *items[k], (0.0, 0.0, 0.0), items[k][2])
            orders.append([item for item in drained(heap, size) if item[1] == 7])
        assert orders[0] == orders[1] == sorted(mine)


def test_pushes_between_drops_keep_the_order():
    rng = np.random.default_rng(7)
    heap, size, waiting = np.zeros(512, ITEM), 0, []
    for _ in range(2000):
        if waiting and (rng.random() < 0.5 or size == 512):
            assert heap[0]["time"] == min(waiting)
            waiting.remove(heap[0]["time"])
            size = drop_first(heap, size)
        else:
            time = float(rng.random())
            size = push(heap, size, time, 0, 0, 0, (0.0, 0.0, 0.0), 0)
            waiting.append(time)


def test_a_heap_that_grows_keeps_its_items():
    heap, size = np.zeros(4, ITEM), 0
    for k in range(4):
        size = push(heap, size, 1.0 - k / 4.0, k, k, k, (float(k), 0.0, 0.0), k)
    bigger = grown(heap)
    assert len(bigger) == 8
    assert drained(bigger, size) == drained(heap, 4)
