"""Contacts in order: by time, and by everything where times are the same."""

import numpy as np
import pytest

from tocsin.deform.narrow import HIT
from tocsin.deform.ranking import by_bits, in_order


@pytest.mark.parametrize("n", [1, 2, 3, 100, 3000])
def test_contacts_are_ordered_by_time_and_then_by_pair_kind_and_features(n):
    rng = np.random.default_rng(n)
    for times in (rng.random(n), rng.integers(0, 3, n) / 2, 0.5 + 1e-16 * rng.integers(0, 9, n), np.zeros(n)):
        hits = np.zeros(n, HIT)
        hits["time"], hits["kind"] = times, rng.integers(0, 3, n)
        hits["a"], hits["b"] = rng.integers(0, 9, (2, n))
        pair = rng.integers(0, 2, n)
        order = in_order(hits, pair)
        rows = [(hits["time"][k], pair[k], hits["kind"][k], hits["a"][k], hits["b"][k]) for k in range(n)]
        assert [rows[k] for k in order] == sorted(rows)
        assert sorted(order.tolist()) == list(range(n))


def test_nothing_is_read_of_no_keys():
    assert len(getattr(by_bits, "py_func", by_bits)(np.zeros(0, np.uint64))) == 0
