"""What a query of the interval engine cost, in words."""

import numpy as np
import pytest

from tocsin.interval import pipeline, report, workspace

pytestmark = pytest.mark.pure


def test_seconds_are_shared_out_by_the_clocks_and_counts_keep_their_places():
    counts = np.arange(100, 132, dtype=np.int64)
    counts[pipeline.PIECES] = 2
    clock = np.zeros(8, np.int64)
    clock[[pipeline.MOTION, pipeline.BVH, pipeline.SWEPT, pipeline.EXACT]] = 10, 20, 30, 40
    found = report.stats(7, counts, clock, 0.5)
    assert found.seconds == pytest.approx({"motion": 0.05, "bvh": 0.1, "swept": 0.15, "exact": 0.2})
    assert found.pairs_total == 14, "pairs are asked about in every piece of the motion"
    assert found.steps == counts[workspace.STEPS]
    assert found.intervals == counts[workspace.INTERVALS]
    assert found.leaf_tests == counts[workspace.EQUATIONS] + counts[workspace.EQUATION_TESTS]


def test_a_clock_that_never_ran_divides_nothing():
    found = report.stats(0, np.zeros(32, np.int64), np.zeros(8, np.int64), 0.25)
    assert set(found.seconds.values()) == {0.0}
