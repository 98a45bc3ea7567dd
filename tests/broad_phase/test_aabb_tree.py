"""Trees of boxes hold what they are built over."""

import math

import numpy as np
import pytest

from tocsin.broad_phase.aabb_tree import apart, build_static, clear_leaves, join_up, leaf_slots


def random_boxes(rng, n, size=0.3):
    center = rng.normal(size=(n, 3))
    half = rng.random((n, 3)) * size
    return np.concatenate([center - half, center + half], axis=1)


@pytest.mark.pure
def test_boxes_that_touch_are_not_apart():
    boxes = np.array([[0, 0, 0, 1, 1, 1], [1, 0, 0, 2, 1, 1], [1.5, 1.5, 1.5, 2, 2, 2], [0, 0, 0, 3, 3, 3.0]])
    assert not apart(boxes, 0, boxes, 1)
    assert apart(boxes, 0, boxes, 2)
    assert not apart(boxes, 3, boxes, 2)


@pytest.mark.pure
@pytest.mark.parametrize(("n", "slots"), [(0, 1), (1, 1), (2, 2), (3, 4), (4, 4), (5, 8)])
def test_the_number_of_slots_for_leaves_is_the_next_power_of_two(n, slots):
    assert leaf_slots(n) == slots


def test_the_dynamic_tree_holds_its_leaves():
    rng = np.random.default_rng(1)
    for n in (1, 2, 3, 7, 8):
        slots, first = leaf_slots(n), 3
        boxes = np.zeros((first + 2 * slots, 6))
        boxes[first + slots : first + slots + n] = random_boxes(rng, n)
        clear_leaves(boxes, first, slots, n)
        join_up(boxes, first, slots)
        for leaf in range(slots, slots + n):
            k = leaf
            while k > 1:
                k //= 2
                assert (boxes[first + k, :3] <= boxes[first + leaf, :3]).all()
                assert (boxes[first + k, 3:] >= boxes[first + leaf, 3:]).all()
        for empty in range(slots + n, 2 * slots):
            assert apart(boxes, first + empty, boxes, first + 1)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 100])
def test_the_static_tree_holds_every_box_once(n):
    leaves = random_boxes(np.random.default_rng(n), n)
    boxes, child = build_static(leaves)
    found, pending = [], [(0, [])]
    while pending:
        node, above = pending.pop()
        above = [*above, node]
        if child[node] < 0:
            leaf = ~int(child[node])
            found.append(leaf)
            assert (boxes[above, :3] <= leaves[leaf, :3]).all()
            assert (boxes[above, 3:] >= leaves[leaf, 3:]).all()
            assert len(above) <= 2 + math.log2(n)
        else:
            pending += [(int(child[node]), above), (int(child[node]) + 1, above)]
    assert sorted(found) == list(range(n))


def test_a_tree_over_nothing_overlaps_nothing():
    boxes, _ = build_static(np.zeros((0, 6)))
    everything = np.array([[-math.inf] * 3 + [math.inf] * 3])
    assert apart(boxes, 0, np.array([[-1e9] * 3 + [1e9] * 3]), 0)
    assert not apart(everything, 0, everything, 0)


def test_boxes_in_one_place_are_all_kept():
    _, child = build_static(np.tile([[0.0, 0, 0, 1, 1, 1]], (9, 1)))
    assert sorted(~c for c in child.tolist() if c < 0) == list(range(9))
