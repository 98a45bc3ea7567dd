"""Working memory is large enough for the deepest trees, and nobody else's."""

import numpy as np
import pytest

from tocsin.advancement.workspace import make_workspace
from tocsin.geometry.tree import MAX_DEPTH

pytestmark = pytest.mark.pure


def test_the_stacks_hold_what_two_trees_of_the_greatest_depth_need():
    memory = make_workspace()
    for stack in (memory.stack, memory.spare, memory.warm_starts):
        assert len(stack) >= 6 * MAX_DEPTH + 4


def test_lists_begin_with_the_room_that_was_asked_for():
    memory = make_workspace(items=7, pairs=3)
    assert (len(memory.heap), len(memory.pairs)) == (7, 3)


def test_two_threads_share_nothing():
    one, other = make_workspace(8, 2), make_workspace(8, 2)
    assert not any(np.shares_memory(a, b) for a in one for b in other)
    assert not np.shares_memory(one.stack, one.spare), "a search within a look has a stack of its own"
