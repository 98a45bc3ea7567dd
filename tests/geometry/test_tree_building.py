"""How trees are split, and what passes for one."""

import numpy as np
import pytest

from tocsin.geometry.tree_building import build_triangles, halvings, is_tree, split

from .test_tree import along_x, soup


@pytest.mark.pure
def test_halves_need_as_many_levels_as_they_are_said_to():
    assert [halvings(n) for n in (1, 2, 3, 4, 5, 8, 9, 1024, 1025, 2**31)] == [0, 1, 2, 2, 3, 3, 4, 10, 11, 31]
    for n in range(2, 500):
        assert halvings(n - n // 2) == halvings(n) - 1


@pytest.mark.pure
def test_a_split_leaves_no_part_that_the_levels_below_cannot_hold():
    x = np.array([0.0] * 12 + [1.0] * 4)
    points, faces = soup(along_x(x), 1e-3)
    for levels, larger in ((4, 12), (3, 8)):
        order = np.arange(16).astype(np.int32)
        middle = split(points, faces, order, np.zeros(16), 0, 16, (1.0, 0.0, 0.0), levels)
        assert max(middle, 16 - middle) == larger
        assert sorted(order) == list(range(16))


@pytest.mark.pure
def test_what_is_no_tree_does_not_pass_for_one():
    points, faces = soup(along_x(np.arange(300.0)), 0.1)
    nodes = build_triangles(points, faces)
    assert is_tree(nodes)
    assert not is_tree(nodes[:-1])
    leaf, inner = int(np.flatnonzero(nodes["count"] == 1)[0]), 0
    other = int(np.flatnonzero(nodes["count"] == 1)[1])
    for node, field, value in [
        (leaf, "first", -1), (leaf, "first", 300), (leaf, "first", nodes[other]["first"]), (leaf, "count", 0),
        (leaf, "count", 2), (inner, "count", 1), (inner, "count", -1), (inner, "first", 0), (inner, "first", 2),
        (inner, "first", len(nodes)), (1, "first", nodes[0]["first"]), (1, "first", nodes[2]["first"]),
    ]:  # fmt: skip
        changed = nodes.copy()
        changed[node][field] = value
        assert not is_tree(changed), (node, field, value)
