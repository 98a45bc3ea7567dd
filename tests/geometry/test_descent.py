"""Down two hierarchies at once: every pair of leaves is met once, and the larger node is opened first."""

from itertools import product

import numpy as np
import pytest

from tocsin.geometry.descent import open_larger, opens_a, quad_to_open

pytestmark = pytest.mark.pure

NODE = np.dtype([("count", "i4"), ("first", "i4"), ("radius", "f8")])


def tree(rng, depth):
    """Return nodes of a hierarchy, children after parents, and which of them are leaves."""
    rows = [(0, 0, 1.0)]
    waiting = [(0, 0)]
    while waiting:
        at, level = waiting.pop(int(rng.integers(len(waiting))))
        if level == depth or (level and rng.random() < 0.3):
            rows[at] = (1, 0, rows[at][2])
            continue
        rows[at] = (0, len(rows), rows[at][2])
        for _ in range(2):
            rows.append((0, 0, rows[at][2] * rng.uniform(0.3, 1.0)))
            waiting.append((len(rows) - 1, level + 1))
    nodes = np.array(rows, NODE)
    return nodes, np.flatnonzero(nodes["count"] > 0).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_every_pair_of_leaves_is_met_once(seed):
    rng = np.random.default_rng(seed)
    (a, leaves_a), (b, leaves_b) = tree(rng, seed % 5), tree(rng, 4)
    stack, top, met = np.zeros((64, 2), np.int32), 1, []
    while top > 0:
        top -= 1
        i, k = (int(x) for x in stack[top])
        if a[i]["count"] > 0 and b[k]["count"] > 0:
            met.append((i, k))
            continue
        top = open_larger(stack, top, a[i], b[k])
    assert sorted(met) == sorted(product(leaves_a, leaves_b))


@pytest.mark.parametrize(
    ("a", "b", "opened"),
    [
        ((0, 5, 2.0), (0, 7, 1.0), [(5, 3), (6, 3)]),
        ((0, 5, 1.0), (0, 7, 2.0), [(2, 7), (2, 8)]),
        ((0, 5, 1.0), (0, 7, 1.0), [(5, 3), (6, 3)]),
        ((1, 5, 9.0), (0, 7, 1.0), [(2, 7), (2, 8)]),
        ((0, 5, 1.0), (1, 7, 9.0), [(5, 3), (6, 3)]),
    ],
)
def test_the_larger_is_opened_unless_it_is_a_leaf(a, b, opened):
    stack = np.zeros((4, 2), np.int32)
    stack[1] = 2, 3
    nodes = np.array([a, b], NODE)
    assert open_larger(stack, 1, nodes[0], nodes[1]) == 3
    assert [tuple(row) for row in stack[1:3].tolist()] == opened
    assert stack[[0, 3]].tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize(
    ("a", "b", "opened"),
    [
        ((-4, 5, 2.0), (-9, 7, 1.0), (True, 3)),
        ((-4, 5, 1.0), (-9, 7, 2.0), (False, 8)),
        ((-4, 5, 1.0), (-9, 7, 1.0), (True, 3)),
        ((1, 5, 9.0), (-9, 7, 1.0), (False, 8)),
        ((-4, 5, 1.0), (1, 7, 9.0), (True, 3)),
    ],
)
def test_four_wide_the_same_node_is_opened_into_its_quad(a, b, opened):
    nodes = np.array([a, b], NODE)
    assert quad_to_open(nodes[0], nodes[1]) == opened
    assert opens_a(nodes[0], nodes[1]) == opened[0]
