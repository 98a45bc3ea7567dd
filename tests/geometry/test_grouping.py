"""Equal rows have one number, those of their first; nothing is welded by nearness."""

import numpy as np
import pytest

from tocsin.geometry import grouping
from tocsin.geometry.grouping import group_rows, weld

pytestmark = pytest.mark.pure


def by_hand(rows):
    """Return labels in the order of first rows, one by one."""
    seen = {}
    labels = [seen.setdefault(tuple(row), len(seen)) for row in rows.tolist()]
    return labels, [rows.tolist().index(list(row)) for row in seen]


@pytest.mark.parametrize("seed", range(10))
def test_rows_are_grouped_as_by_hand(seed):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-2, 3, (int(rng.integers(1, 80)), 3))
    labels, first = group_rows(rows)
    assert (labels.tolist(), first.tolist()) == by_hand(rows)


def test_rows_that_share_a_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(grouping, "_MULTIPLIERS", np.zeros(3, np.uint64))
    rows = np.random.default_rng(1).integers(-2, 3, (60, 3))
    labels, first = group_rows(rows)
    assert (labels.tolist(), first.tolist()) == by_hand(rows)


def test_nothing_has_no_groups():
    labels, first = group_rows(np.zeros((0, 3), np.int64))
    assert (len(labels), len(first)) == (0, 0)


def test_positions_are_welded_bit_by_bit_but_both_zeros_are_one():
    points = np.array([[0.0, 1, 2], [-0.0, 1, 2], [5e-324, 1, 2], [0, 1, np.nextafter(2.0, 3.0)], [0, 1, 2]])
    labels, first = weld(points)
    assert labels.tolist() == [0, 0, 1, 2, 0]
    assert first.tolist() == [0, 2, 3]
