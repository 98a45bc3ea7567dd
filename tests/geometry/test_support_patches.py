"""The farthest corner below a node, against all of its corners."""

import numpy as np
import pytest
import trimesh

from tocsin.geometry.support_building import build_support_patches
from tocsin.geometry.support_patches import (
    CELL,
    COUNT,
    FEW,
    GRID,
    PLACE,
    WHICH,
    corner_at,
    farthest,
    joined,
    list_of,
    no_patches,
)
from tocsin.geometry.support_table import ROW, cell_of
from tocsin.geometry.tree_building import build_triangles


def soup(triangles, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(3 * triangles, 3)) * (3.0, 1.0, 0.1), np.arange(3 * triangles).reshape(-1, 3)


def sphere(level):
    mesh = trimesh.creation.icosphere(level)
    return np.array(mesh.vertices), np.array(mesh.faces)


def few_corners(triangles):
    """Many triangles on nine corners: a patch of any size."""
    rng = np.random.default_rng(5)
    return rng.normal(size=(9, 3)), rng.integers(0, 9, (triangles, 3))


class Laid:
    """A mesh, its tree and its patches."""

    def __init__(self, mesh, scale=1.0):
        self.points, faces = np.ascontiguousarray(mesh[0] * scale), mesh[1].astype(np.int32)
        self.nodes = build_triangles(self.points, faces)
        self.patches = build_support_patches(self.nodes, self.points, faces)
        self.center = self.nodes[0]["center"].astype(np.float64)
        self.below = [None] * len(self.nodes)
        for i in range(len(self.nodes) - 1, -1, -1):
            first = int(self.nodes[i]["first"])
            leaf = self.nodes[i]["count"] > 0
            self.below[i] = set(faces[first]) if leaf else self.below[first] | self.below[first + 1]

    def reach(self, node, d):
        return ((self.points[sorted(self.below[node])] - self.center) @ d).max()


def check(laid, nodes, seed, patches=None, directions=None):
    rng = np.random.default_rng(seed)
    tables = tuple(patches or laid.patches)
    noise = 8.0 * 2.0**-24 * float(laid.nodes[0]["radius"])
    for node in nodes:
        for d in rng.normal(size=(2, 3)) if directions is None else directions:
            d = d / np.linalg.norm(d)
            reach, group, k = farthest(tables, node, tuple(d), list_of(tables, node, tuple(d)))
            assert abs(reach - laid.reach(node, d)) <= noise
            corner = np.array(corner_at(tables[1], group, k))
            own = laid.points[sorted(laid.below[node])] - laid.center
            assert np.abs(own - corner).max(axis=1).min() <= noise
            assert abs(corner @ d - reach) <= noise


@pytest.mark.pure
def test_the_farthest_corner_of_a_small_soup_is_found():
    laid = Laid(soup(40, 0))
    check(laid, [0, 3, len(laid.nodes) - 1], 0)


@pytest.mark.parametrize("mesh", [soup(1, 1), soup(300, 2), soup(3000, 3), sphere(3), sphere(4), few_corners(400)])
@pytest.mark.parametrize("scale", [1.0, 2.0**-40, 2.0**40])
def test_the_farthest_corner_of_every_node_is_found(mesh, scale):
    laid = Laid(mesh, scale)
    rng = np.random.default_rng(1)
    check(laid, range(min(40, len(laid.nodes))), 2)
    check(laid, rng.integers(0, len(laid.nodes), 100), 3)


def test_patches_are_numbered_from_where_they_lie_in_a_larger_table():
    one, two = Laid(soup(500, 4)), Laid(sphere(3))
    both = joined([one.patches, no_patches(7), two.patches])
    first = len(one.patches.spans) + 7
    check(one, range(30), 5, both._replace(spans=both.spans[: len(one.patches.spans)]))
    check(two, range(30), 5, both._replace(spans=both.spans[first:]))
    assert not both.spans[len(one.patches.spans) : first].any()


def test_the_patches_of_one_large_mesh_among_small_ones_are_not_copied():
    one = Laid(soup(500, 4)).patches
    before = one.spans.copy()
    alone = joined([no_patches(3), one, no_patches(2)])
    assert alone.corners is one.corners
    assert alone.cells is one.cells
    assert np.array_equal(alone.spans[3:-2], before)
    assert alone.spans is not one.spans
    assert joined([]).spans.shape == no_patches(0).spans.shape


def ring(corners):
    """A flat ring: along its axis all of it is equally far, and cells there have long lists."""
    angle = np.arange(corners) * (2.0 * np.pi / corners)
    inner = np.stack([np.cos(angle), np.sin(angle), np.zeros(corners)], 1)
    k, after = np.arange(corners), (np.arange(corners) + 1) % corners
    faces = np.concatenate([np.stack([k, after, k + corners], 1), np.stack([after, after + corners, k + corners], 1)])
    return np.concatenate([inner, 1.5 * inner]), faces


@pytest.mark.parametrize("mesh", [soup(2000, 6), sphere(4), ring(700)])
def test_the_farthest_corner_is_found_on_the_edges_of_cells_and_right_beside_them(mesh):
    laid = Laid(mesh)
    spans = laid.patches.spans
    large = np.flatnonzero(spans[:, GRID] > 0)
    assert len(large) > 3
    rng = np.random.default_rng(8)
    for node in large[:8]:
        grid = int(spans[node, GRID])
        directions = []
        for _ in range(60):
            d = np.ones(3)
            face = rng.integers(0, 3)
            d[(face + 1) % 3], d[(face + 2) % 3] = rng.integers(0, grid + 1, 2) * (2.0 / grid) - 1.0
            directions += [d * rng.choice([-1.0, 1.0], 3), d + rng.normal(size=3) * 2.0 ** rng.integers(-30, -10)]
        check(laid, [node], 9, directions=directions)


def test_cells_have_short_lists_and_long_ones_where_they_need_them():
    flat = Laid(ring(700)).patches
    root = flat.spans[0]
    sizes = flat.cells[root[CELL] : root[CELL] + 6 * root[GRID] ** 2, 0]
    assert sizes.min() >= 1
    assert sizes.min() < ROW <= sizes.max()
    ball = Laid(sphere(4)).patches
    assert np.median(ball.cells[: 6 * ball.spans[0, GRID] ** 2, 0]) <= 4
    axis = cell_of(0.01, 0.02, 1.0, int(root[GRID]))
    assert sizes[axis] >= ROW


def test_a_list_that_is_cut_short_is_noticed():
    laid = Laid(sphere(4))
    cut = laid.patches.cells.copy()
    cut[:, 0] = np.minimum(cut[:, 0], 1)
    with pytest.raises(AssertionError):
        check(laid, [0] * 200, 10, laid.patches._replace(cells=cut))


def test_every_node_is_a_stretch_of_patches_or_some_of_one():
    laid = Laid(sphere(3))
    spans = laid.patches.spans
    assert (spans[:, WHICH] > 0).all()
    assert spans[0, PLACE] == 0
    assert 2 * spans[0, COUNT] == len(laid.patches.corners)
    leaves = laid.nodes["count"] > 0
    assert (spans[leaves, COUNT] == 1).all()
    assert all(int(which).bit_count() == 3 for which in spans[leaves, WHICH])
    assert ((spans[:, GRID] > 0) == (spans[:, COUNT] > FEW)).all()


def stacked(triangles):
    """The same triangle again and again, each with corners of its own."""
    return np.tile(np.eye(3), (triangles, 1)), np.arange(3 * triangles).reshape(-1, 3)


def in_a_row(triangles):
    """Narrow triangles along a line: across it, no corner is farther than another."""
    x = np.linspace(0.0, 1.0, 3 * triangles)
    return np.column_stack([x, np.zeros(len(x)), np.zeros(len(x))]), np.arange(3 * triangles).reshape(-1, 3)


@pytest.mark.pure
def test_corners_in_one_place_are_one_corner():
    """Of thousands, all that were equally far used to be listed, by work as the square: it did not end in minutes."""
    laid = Laid(stacked(200))
    assert len(laid.patches.corners) == 2, "one patch"
    check(laid, [0, 1, len(laid.nodes) - 1], 0)


def test_the_farthest_of_thousands_of_corners_in_a_row_is_found():
    laid = Laid(in_a_row(2000))
    check(laid, [0, 1, 2], 0)
    check(laid, [0, 1, 2], 0, directions=np.eye(3))
