"""A search that is interrupted, between items or in the midst of one, and goes on ends as if it had not been."""

import numpy as np
import pytest

import tocsin
from advancement.moving_pair import moving_pair
from tocsin.advancement import work
from tocsin.advancement.engine import advance
from tocsin.advancement.workspace import Tables, make_workspace
from tocsin.compiler.jit import PURE_PYTHON
from tocsin.outcome import CAPPED, CONTACT, FREE
from tocsin.queries.buffers import COUNTS

pytestmark = [
    pytest.mark.pure,
    pytest.mark.skipif(not PURE_PYTHON, reason="compiled, a search is a part of its questions"),
]


def searched(moving, every):
    """Return how a search for any contact ends, and how often it was interrupted: after so many tests, then twice as
    many."""
    tables = Tables(moving.world, moving.sweeps, moving.joints, np.zeros((2, 3, 4, 5)), make_workspace())
    pairs = np.array([moving.pair])
    pairs[0]["start"], pairs[0]["until"], pairs[0]["taylor"] = 0.0, 1.0, -1.0
    counts = np.zeros(COUNTS, np.int64)
    times = [0.0]
    while True:
        counts[work.PAUSE] = work.charged(counts) + every
        status, time, _ = advance(tables, pairs, 1, (0.0, 1.0), True, 10**6, counts, len(times) > 1)
        if status != CAPPED:
            assert times == sorted(times)  # of what is proven free nothing is lost
            return status, len(times) - 1
        assert tables.workspace.search[0]["paused"] == 1
        times.append(time)
        every *= 2


@pytest.mark.parametrize("seed", range(8))
def test_a_search_that_is_interrupted_ends_as_it_would_have(seed):
    rng = np.random.default_rng(seed)
    mesh = tocsin.Box((1.0, 0.6, 0.3)).tessellate()
    moving = moving_pair(rng, mesh, mesh, spread=0.35 if seed % 2 else 0.5)
    status, pauses = searched(moving, 10**6)
    assert status in (FREE, CONTACT)
    assert pauses == 0
    for every in (1, 2, 3):
        again, pauses = searched(moving, every)
        assert again == status
        assert pauses > 0 or seed == 2  # whose boxes are settled by one test


@pytest.mark.parametrize("seed", [9, 12, 39, 43, 45, 52])
def test_two_triangles_that_are_interrupted_on_their_way_touch_all_the_same(seed):
    triangle = tocsin.Mesh([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]])
    moving = moving_pair(np.random.default_rng(seed), triangle, triangle, spread=0.4)
    for every in (10**6, 1, 2, 3):
        assert searched(moving, every)[0] == CONTACT
