"""The farthest corner below a node, against all of its corners."""

import numpy as np
import pytest
import trimesh

from tocsin._jit import kernel
from tocsin._lanes import lane
from tocsin.geometry.patches import (
    LEVEL,
    MOST_LEVELS,
    NO_CORNER,
    PLACE,
    WHICH,
    Patches,
    bounds_along,
    build_patches,
    corner_along,
    dots,
    farthest,
    largest,
    shifted,
)
from tocsin.geometry.tree import build_triangles


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
        self.patches = Patches(*build_patches(self.nodes, self.points, faces))
        self.center = self.nodes[0]["center"].astype(np.float64)
        self.below = [None] * len(self.nodes)
        for i in range(len(self.nodes) - 1, -1, -1):
            first = int(self.nodes[i]["first"])
            leaf = self.nodes[i]["count"] > 0
            self.below[i] = set(faces[first]) if leaf else self.below[first] | self.below[first + 1]

    def reach(self, node, d):
        return ((self.points[sorted(self.below[node])] - self.center) @ d).max()


def check(laid, nodes, seed, patches=None):
    rng = np.random.default_rng(seed)
    ladder = np.zeros((MOST_LEVELS + 1, 2), np.int64)
    tables = (patches or laid.patches)[:4]
    radius = float(laid.nodes[0]["radius"])
    noise = 8.0 * 2.0**-24 * radius
    for node in nodes:
        for slack in (0.0, 0.03 * radius):
            d = rng.normal(size=3)
            d /= np.linalg.norm(d)
            reach, patch = farthest(tables, node, tuple(d), slack, ladder)
            truth = laid.reach(node, d)
            assert reach - noise <= truth <= reach + slack + noise
            corner = np.array(corner_along(tables, node, patch, tuple(d), reach))
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
    moved = shifted(two.patches, len(one.patches.corners) // 2, len(one.patches.first))
    joined = Patches(
        moved.spans,
        np.concatenate([one.patches.corners, moved.corners]),
        np.concatenate([one.patches.disks, moved.disks]),
        np.concatenate([one.patches.first, moved.first]),
        0,
    )
    check(two, range(30), 5, joined)


@kernel
def bound_and_reach(patches, row, k, below, d):
    """Return what a lane's disk is computed to reach at most along d, and the largest product of a patch below it."""
    x, y, z = np.float32(d[0]), np.float32(d[1]), np.float32(d[2])
    corners, disks = patches[1], patches[2]
    bound = lane(bounds_along(disks, row, x, y, z), k)
    return bound, max(largest(dots(corners, 2 * below, x, y, z)), largest(dots(corners, 2 * below + 1, x, y, z)))


def lowest_patches(patches, row):
    """Return the lanes of a row and the patches below each."""
    used = [k for k in range(8) if patches.disks[row, 7, k] > NO_CORNER]
    if row < patches.lowest:
        return [(k, [int(patches.first[row]) + k]) for k in used]
    below = [lowest_patches(patches, int(patches.first[row]) + k) for k in used]
    return [(k, [p for _, some in rows for p in some]) for k, rows in zip(used, below)]


@pytest.mark.parametrize("mesh", [soup(700, 6), sphere(4), few_corners(400)])
def test_no_corner_is_computed_to_reach_beyond_its_disk(mesh):
    laid = Laid(mesh)
    rng = np.random.default_rng(7)
    tested = 0
    for row in range(len(laid.patches.first)):
        for k, below in lowest_patches(laid.patches, row):
            normal = laid.patches.disks[row, 3:6, k].astype(np.float64)
            for d in (rng.normal(size=3), normal, normal + 1e-4 * rng.normal(size=3)):
                d = d / np.linalg.norm(d)
                for patch in below:
                    bound, reach = bound_and_reach(laid.patches[:4], row, k, patch, tuple(d))
                    assert reach <= bound
                    tested += 1
    assert tested > 50 or not len(laid.patches.first)


def test_every_node_is_some_of_one_row_or_of_one_patch():
    laid = Laid(sphere(3))
    spans = laid.patches.spans
    assert (spans[:, WHICH] > 0).all()
    assert spans[0, LEVEL] == spans[:, LEVEL].max()
    leaves = laid.nodes["count"] > 0
    assert (spans[leaves, LEVEL] == 0).all()
    assert all(int(which).bit_count() == 3 for which in spans[leaves, WHICH])
    assert (spans[:, PLACE] >= 0).all()
