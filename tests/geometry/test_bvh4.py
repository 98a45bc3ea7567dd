"""The wide tree has the boxes of the binary one, and every leaf of it, once."""

import numpy as np
import pytest
import trimesh

from tocsin.geometry.bvh4 import AXES, CENTER, HALF, RADIUS, REACH, make_bvh4
from tocsin.geometry.tree_building import build_triangles


def leaves(tree, quad=0):
    """Return the nodes of all leaves under a quad, and check the boxes on the way."""
    found = []
    for k, kid in enumerate(tree.kids[quad]):
        if kid < 0:
            continue
        node = tree.nodes[kid >> 1]
        lane = tree.quads[quad, :, k]
        assert lane[CENTER : CENTER + 3].tolist() == node["center"].tolist()
        assert lane[AXES : AXES + 6].tolist() == node["axes"].ravel().tolist()
        assert lane[HALF : HALF + 3].tolist() == node["half"].tolist()
        assert (lane[REACH], lane[RADIUS]) == (node["reach"], node["radius"])
        assert (node["count"] > 0) == bool(kid & 1)
        found += [int(kid) >> 1] if kid & 1 else leaves(tree, -1 - int(node["count"]))
    return found


@pytest.mark.pure
@pytest.mark.parametrize("triangles", [2, 3, 4, 5, 12])
def test_every_triangle_is_a_lane_of_one_quad(triangles):
    rng = np.random.default_rng(triangles)
    points = rng.normal(size=(3 * triangles, 3))
    tree = make_bvh4([build_triangles(points, np.arange(3 * triangles, dtype=np.int32).reshape(-1, 3))])
    assert sorted(tree.nodes[leaves(tree)]["first"].tolist()) == list(range(triangles))


def test_the_tree_of_a_large_mesh_is_complete_and_nearly_full():
    mesh = trimesh.creation.torus(1.0, 0.3, major_sections=60, minor_sections=40)
    tree = make_bvh4([build_triangles(np.array(mesh.vertices), np.array(mesh.faces, dtype=np.int32))])
    assert sorted(tree.nodes[leaves(tree)]["first"].tolist()) == list(range(len(mesh.faces)))
    assert (tree.kids >= 0).mean() > 0.75


@pytest.mark.pure
def test_one_triangle_has_no_quads():
    points = np.eye(3)
    tree = make_bvh4([build_triangles(points, np.array([[0, 1, 2]], np.int32))])
    assert len(tree.quads) == 0
    assert tree.nodes[0]["count"] == 1


def test_a_tree_in_a_larger_table_points_to_its_own_rows():
    points = np.random.default_rng(0).normal(size=(30, 3))
    nodes = build_triangles(points, np.arange(30, dtype=np.int32).reshape(-1, 3))
    other = build_triangles(points, np.arange(27, dtype=np.int32).reshape(-1, 3))
    tree, both = make_bvh4([nodes]), make_bvh4([other, nodes], [5, 1000])
    behind, quads = len(other), len(make_bvh4([other]).quads)
    assert both.nodes[0]["count"] == -1
    assert both.nodes[behind]["count"] == -1 - quads
    assert sorted(both.nodes[leaves(both)]["first"].tolist()) == list(range(5, 14))
    assert sorted(both.nodes[leaves(both, quads)]["first"].tolist()) == list(range(1000, 1010))
    used = tree.kids >= 0
    assert (both.kids[quads:][used] == tree.kids[used] + 2 * behind).all()
    assert (both.kids[quads:][~used] == -1).all()
    assert np.array_equal(both.quads[quads:], tree.quads)


def test_nodes_lie_in_one_line_of_the_cache_each():
    nodes = build_triangles(np.eye(3), np.array([[0, 1, 2]] * 9, np.int32))
    assert make_bvh4([nodes]).nodes.ctypes.data % nodes.itemsize == 0
