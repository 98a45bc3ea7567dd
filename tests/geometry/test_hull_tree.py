"""Hulls contain what their nodes hold, by a slow solver of another kind; the tree holds every triangle once."""

import numpy as np
import pytest
from scipy.optimize import nnls

from tocsin.geometry.decomposition import surface_pieces
from tocsin.geometry.hull_tree import MAX_POINTS, build_hull_tree
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.primitives import Sphere
from tocsin.geometry.tree_building import build_triangles

from .test_decomposition import MESHES, soup


def distance_to_hull(p, points):
    """Distance of p to the convex hull of points: least |sum w (k - p)|^2 + (sum w - 1)^2, w >= 0, scaled to sum 1.

    The least of s^2 |x|^2 + (s - 1)^2 over x in the hull of the k - p and s >= 0 has the same x for every s.
    """
    arms = (points - p).T
    size = np.abs(arms).max()
    if size == 0.0:
        return 0.0
    arms = arms / size
    w, _ = nnls(np.vstack((arms, np.ones(len(points)))), np.array([0.0, 0.0, 0.0, 1.0]), maxiter=1000)
    return size * float(np.linalg.norm(arms @ (w / w.sum())))


def fan():
    """Five triangles around one edge."""
    angle = np.arange(5) * 1.1
    around = np.stack((np.cos(angle), np.sin(angle), 0.5 + 0.0 * angle), -1)
    return Mesh(np.vstack(([[0, 0, 0], [0, 0, 1.0]], around)), [(0, 1, 2 + k) for k in range(5)])


def degenerate():
    """A box with triangles that are segments and points among its own, and a vertex far away that nothing uses."""
    box = MESHES["box"]
    extra = [[0, 1, 1], [2, 2, 2], [0, 7, 0], [0, 1, 0]]
    return Mesh(np.vstack((box.vertices, [[1e9, 0, 0]])), np.vstack((extra, box.faces, box.faces[:3])))


def turned(mesh):
    turn = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))[0]
    return mesh.vertices @ turn.T + (0.3, -2.0, 0.7)


CASES = {
    **MESHES,
    "soup": soup(MESHES["torus"]),
    "fan": fan(),
    "degenerate": degenerate(),
    "fine sphere": Sphere(1.0).tessellate(48),
    "all on one line": Mesh(np.arange(12.0)[:, None] * (1.0, 2.0, -1.0), np.arange(12).reshape(4, 3)),
    "all at one point": Mesh(np.full((3, 3), 0.1), [(0, 1, 2)] * 5),
    "at the origin": Mesh(np.zeros((3, 3)), [(0, 1, 2)] * 3),
    "two triangles": Mesh(np.random.default_rng(2).normal(size=(6, 3)), [(0, 1, 2), (3, 4, 5)]),
    "mixed scales": Mesh(
        np.random.default_rng(3).normal(size=(60, 3)) * np.repeat([1.0, 1e-9, 1e-200], 20)[:, None],
        np.random.default_rng(3).integers(0, 60, size=(90, 3)),
    ),
}


def content(tree):
    """The triangles of every node, from the leaves up."""
    held = [[] for _ in tree.nodes]
    for i in reversed(range(len(tree.nodes))):
        node = tree.nodes[i]
        held[i] = [int(node["first"])] if node["count"] else held[node["first"]] + held[node["first"] + 1]
    return held


def assert_contained(tree, points, faces, seed=0, per_node=12):
    rng = np.random.default_rng(seed)
    rounding = 1e-13 * np.abs(points[faces]).max()
    held = content(tree)
    for i in np.flatnonzero(tree.hull_count):
        kept = tree.hull_points[tree.hull_first[i] :][: tree.hull_count[i]]
        some = faces[rng.choice(held[i], size=per_node)]
        weights = rng.dirichlet((0.3, 0.3, 0.3), size=per_node)
        inside = np.einsum("kc,kcj->kj", weights, points[some])
        for p in np.vstack((points[some].reshape(-1, 3), inside)):
            assert distance_to_hull(p, kept) <= tree.hull_radius[i] + rounding


@pytest.mark.parametrize("name", CASES)
def test_hulls_contain_their_triangles(name):
    mesh = CASES[name]
    assert_contained(build_hull_tree(mesh, mesh.vertices), mesh.vertices, mesh.faces)


@pytest.mark.parametrize("name", ["torus", "soup", "random"])
def test_hulls_are_where_the_points_are_placed(name):
    mesh = CASES[name]
    for points in (turned(mesh), mesh.vertices + 1e6):
        assert_contained(build_hull_tree(mesh, points), points, mesh.faces, per_node=4)


@pytest.mark.pure
@pytest.mark.parametrize("name", ["box", "fan"])
def test_small_meshes_are_contained_in_plain_python_too(name):
    mesh = CASES[name]
    assert_contained(build_hull_tree(mesh, mesh.vertices), mesh.vertices, mesh.faces)


@pytest.mark.parametrize("name", CASES)
def test_boxes_contain_their_triangles(name):
    mesh = CASES[name]
    tree = build_hull_tree(mesh, mesh.vertices)
    for node, held in zip(tree.nodes, content(tree)):
        u, v = node["axes"].astype(float)
        axes = np.array((u, v, np.cross(u, v)))
        corners = mesh.vertices[mesh.faces[held]].reshape(-1, 3)
        x = np.linalg.solve(axes.T, (corners - node["center"]).T).T
        assert np.all(np.abs(x) <= node["half"])
        assert np.linalg.norm(corners, axis=1).max() <= node["reach"]


@pytest.mark.parametrize("name", CASES)
def test_every_triangle_is_in_one_leaf_and_pieces_stay_whole(name):
    mesh = CASES[name]
    tree = build_hull_tree(mesh, mesh.vertices)
    nodes, m = tree.nodes, len(mesh.faces)
    assert len(nodes) == 2 * m - 1
    assert sorted(nodes["first"][nodes["count"] == 1]) == list(range(m))
    children = nodes["first"][nodes["count"] == 0]
    assert sorted(np.concatenate((children, children + 1))) == list(range(1, 2 * m - 1))
    labels = surface_pieces(mesh)
    sizes = np.bincount(labels)
    whole = set()
    for i, held in enumerate(content(tree)):
        pieces = np.unique(labels[held])
        covers = sizes[pieces].sum() == len(held)
        assert covers or len(pieces) == 1
        assert (tree.hull_count[i] > 0) == (covers and len(held) > 1)
        if covers and len(pieces) == 1:
            whole.add(int(pieces[0]))
    assert len(whole) == len(sizes)


@pytest.mark.parametrize("name", CASES)
def test_hull_points_are_corners_of_the_nodes_own_triangles(name):
    mesh = CASES[name]
    tree = build_hull_tree(mesh, mesh.vertices)
    assert tree.hull_count.max(initial=0) <= MAX_POINTS
    assert tree.hull_count.sum() == len(tree.hull_points)
    held = content(tree)
    for i in np.flatnonzero(tree.hull_count):
        kept = tree.hull_points[tree.hull_first[i] :][: tree.hull_count[i]]
        own = {tuple(p) for p in mesh.vertices[mesh.faces[held[i]]].reshape(-1, 3)}
        assert {tuple(p) for p in kept} <= own
        assert len({tuple(p) for p in kept}) == len(kept)


def test_hulls_are_tight():
    """A ball cannot be had from 24 of its points with less than a tenth of its radius; small parts are nearly flat."""
    tree = build_hull_tree(CASES["fine sphere"], CASES["fine sphere"].vertices)
    assert 0.05 < tree.hull_radius[0] < 0.2
    has = tree.hull_count > 0
    assert np.mean(tree.hull_radius[has] / tree.nodes["radius"][has]) < 0.05
    box = build_hull_tree(CASES["box"], CASES["box"].vertices)
    assert box.hull_count[0] == 8
    assert box.hull_radius[0] == 0.0


@pytest.mark.parametrize("name", ["torus", "bumps", "random", "fan"])
def test_scaling_by_a_power_of_two_gives_the_same_bits(name):
    mesh = CASES[name]
    tree = build_hull_tree(mesh, mesh.vertices)
    for factor in (2.0**-40, 2.0**50):
        other = mesh.scaled(factor)
        scaled = build_hull_tree(other, other.vertices)
        for field in ("axes", "first", "count"):
            assert np.array_equal(scaled.nodes[field], tree.nodes[field])
        for field in ("center", "half", "reach", "radius"):
            assert np.array_equal(scaled.nodes[field], tree.nodes[field] * np.float32(factor))
        assert np.array_equal(scaled.hull_first, tree.hull_first)
        assert np.array_equal(scaled.hull_count, tree.hull_count)
        assert np.array_equal(scaled.hull_radius, tree.hull_radius * factor)
        assert np.array_equal(scaled.hull_points, tree.hull_points * factor)


@pytest.mark.parametrize("factor", [1e-300, 1e-170, 1e29])
def test_hulls_of_extreme_sizes_contain_their_triangles(factor):
    mesh = MESHES["torus"]
    tree = build_hull_tree(mesh.scaled(factor), mesh.vertices * factor)
    unit = tree._replace(hull_points=tree.hull_points / factor, hull_radius=tree.hull_radius / factor)
    assert_contained(unit, mesh.vertices, mesh.faces, per_node=4)


def test_one_triangle_and_none():
    one = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]], [[0, 1, 2]])
    tree = build_hull_tree(one, one.vertices)
    assert np.array_equal(tree.nodes, build_triangles(one.vertices, one.faces))
    assert tree.hull_count.tolist() == [0]
    assert tree.hull_points.shape == (0, 3)
    none = build_hull_tree(Mesh([], []), np.zeros((0, 3)))
    assert len(none.nodes) == len(none.hull_count) == len(none.hull_radius) == len(none.hull_points) == 0
