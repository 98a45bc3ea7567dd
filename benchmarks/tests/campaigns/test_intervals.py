"""Contact intervals of real robots on paths through clutter, held against python-fcl: a small part of the campaign."""

import numpy as np
import pytest

from data import robot_file

pytest.importorskip("fcl")
from tocsin_bench.campaigns import intervals


@pytest.mark.parametrize("name", intervals.ROBOTS)
def test_no_contact_of_a_path_is_missed_and_no_interval_goes_beyond_the_tolerance(name):
    cell, tally = intervals.Cell(robot_file(name), 1), intervals.Tally()
    for k in range(2):
        intervals.check(cell, cell.path(np.random.default_rng([1, k]), 6), 1e-4, 40, tally)
    assert tally.failures == []
    assert tally.touching > 0
    assert tally.intervals > 0
    assert (tally.unproven, tally.capped) == (0, 0)
