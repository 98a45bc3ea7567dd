"""The proven curve is made of steps: between two edges, the largest margin at which no interval lies."""

import numpy as np
import pytest

from tocsin.queries.audit.curves import ladder, steps
from tocsin.queries.audit.program_records import Kept
from tocsin.results import Distance

pytestmark = pytest.mark.pure


def test_between_two_edges_stands_the_largest_margin_without_an_interval():
    levels = np.array([1.0, 2.0, 4.0])
    edges, lower = steps([[], [(2.0, 3.0)], [(1.0, 4.0)]], levels, 0.0, 5.0)
    assert edges.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert lower.tolist() == [4.0, 2.0, 1.0, 2.0, 4.0]


def test_where_every_margin_has_an_interval_nothing_is_proven():
    edges, lower = steps([[(1.0, 1.0)], [(0.5, 2.0)]], np.array([1.0, 2.0]), 0.0, 2.0)
    assert lower[edges[:-1] == 0.5].tolist() == [1.0]
    _, lower = steps([[(0.0, 2.0)], [(0.0, 2.0)]], np.array([1.0, 2.0]), 0.0, 2.0)
    assert lower.tolist() == [0.0]


def test_a_ladder_begins_at_the_clearance_and_goes_beyond_the_margin():
    kept = Kept(0.03, 0.031, 0.0, Distance(0.031, 0.031), None)
    found = ladder(kept, 0.1, 0.2)
    assert found[0] == pytest.approx(0.03)
    assert found[-1] == pytest.approx(0.5)
    assert ladder(Kept(0.0, 0.0, 0.0, Distance(0.0, 0.0), None), 0.0, 1.0)[0] > 0.0
