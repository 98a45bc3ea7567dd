"""Windows of slabs: where they lie depends on the motion alone, and together they are the slab."""

from itertools import pairwise

import numpy as np
import pytest

from tocsin.broad_phase.pairs import PAIR
from tocsin.queries.kernels.candidates import MOST_WINDOWS, WINDOW, append_window, joints_between, window_of

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_windows_lie_end_to_end_and_fill_the_slab(count):
    rng = np.random.default_rng(count)
    for _ in range(300):
        slabs = int(rng.integers(1, 65))
        k = int(rng.integers(slabs))
        slab = (k / slabs, (k + 1) / slabs)
        windows = [window_of(slab, count, w) for w in range(count)]
        assert windows[0][0] == slab[0]
        assert windows[-1][1] == slab[1]
        assert all(before[1] == after[0] for before, after in pairwise(windows))
        assert all(begin < end for begin, end in windows)


def test_a_window_is_a_copy_of_its_pair_with_a_begin_and_an_end():
    pairs = np.zeros(2, PAIR)
    pairs["a"], pairs["margin"], pairs["start"], pairs["until"] = (3, 5), (0.1, 0.2), 0.0, 1.0
    grown, n = append_window(pairs, 2, 1, 0.25, 0.5)
    assert n == 3
    assert len(grown) > 2
    assert (grown[2]["a"], grown[2]["margin"], grown[2]["start"], grown[2]["until"]) == (5, 0.2, 0.25, 0.5)
    assert (grown[1]["start"], grown[1]["until"]) == (0.0, 1.0)


def test_a_chart_of_eight_windows_sees_a_slab_of_a_long_turn_in_parts():
    assert MOST_WINDOWS * WINDOW >= 3.0  # CHAIN_TURN: what all joints of a chain turn by in one slab


def test_joints_between_two_links_are_those_of_both_ways_to_their_ancestor():
    links, pair = np.zeros(6, [("depth", "i4")]), np.zeros(1, PAIR)
    links["depth"] = (1, 2, 3, 4, 3, 4)  # two ways of two joints, from link 1
    pair["link_a"], pair["link_b"], pair["stop"] = 3, 5, 1
    assert joints_between(links, pair[0]) == 4
    pair["link_a"] = 1
    assert joints_between(links, pair[0]) == 2
