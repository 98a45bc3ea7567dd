"""Trees of any soup, however it is spaced, are so shallow that every stack that walks down them is long enough."""

import numpy as np
import pytest

from tocsin.advancement.workspace import make_workspace
from tocsin.geometry.bvh4 import make_bvh4
from tocsin.geometry.hull_tree import build_hull_tree
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.tree import DEPTH, MAX_DEPTH
from tocsin.geometry.tree_building import build_triangles


def depth_of(nodes: np.ndarray) -> int:
    """Return how far the farthest leaf is from the root, by a walk that has no stack of fixed length."""
    depth, level = 0, np.array([0])
    while True:
        inner = level[nodes["count"][level] <= 0]
        if len(inner) == 0:
            return depth
        level = np.concatenate([nodes["first"][inner], nodes["first"][inner] + 1])
        depth += 1


def soup(places: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return (points, faces): one triangle at each place."""
    shape = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    points = (places[:, None] + size * shape).reshape(-1, 3)
    return points, np.arange(len(points), dtype=np.int32).reshape(-1, 3)


def along_x(x: np.ndarray) -> np.ndarray:
    return np.column_stack([x, np.zeros(len(x)), np.zeros(len(x))])


def lopsided(count: int) -> np.ndarray:
    """Return places of which every split at the mean has seven eighths on one side, but for a few."""
    groups, left, x = [], count, 1.0
    while left > 16:
        part = left // 8 + 2
        groups.append(np.full(part, x))
        left -= part
        x *= 0.03
    return np.concatenate([*groups, np.full(left, 0.0)])


SOUPS = {
    "identical": np.zeros(3000),
    "exponential": 2.0 ** np.linspace(-900.0, 20.0, 3000),
    "lopsided": lopsided(60_000),
    "squares": np.arange(2000.0) ** 8,
}


@pytest.mark.parametrize("name", SOUPS)
def test_no_tree_is_deeper_than_its_stacks_are_long(name):
    x = SOUPS[name]
    points, faces = soup(along_x(x), 1e-3 * (float(np.ptp(x)) or 1.0) / len(x))
    nodes = build_triangles(points, faces)
    assert depth_of(nodes) <= DEPTH
    assert (nodes["count"] > 0).sum() == len(faces)
    assert len(make_bvh4([nodes]).nodes) == len(nodes)
    if len(faces) <= 5000:
        assert depth_of(build_hull_tree(Mesh(points, faces), points).nodes) <= MAX_DEPTH


def test_a_lopsided_soup_would_be_deeper_if_nothing_bounded_it():
    x = lopsided(3_000_000)
    depth, n = 0, len(x)
    while n > 1:  # the larger part of each split at the mean, as far as that is allowed
        part = (x[len(x) - n :] >= x[len(x) - n :].mean()).sum()
        n = max(part, n - part) if min(part, n - part) >= n // 8 + 1 else n - n // 2
        depth += 1
    assert depth > DEPTH


def test_stacks_hold_what_two_trees_of_the_greatest_depth_put_there():
    """(w - 1) d + 1 wait on the way down a tree that is w wide, and two trees add up."""
    workspace = make_workspace()
    four_wide = 2 * 3 * MAX_DEPTH + 1
    assert min(len(workspace.stack), len(workspace.spare), len(workspace.warm_starts)) >= four_wide
