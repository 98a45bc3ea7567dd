"""Items of the interval engine: convex gaps are proven by supports, features are within reach where they say so."""

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.interval.leaves import EDGE_EDGE, FACE_VERTEX, KINDS, VERTEX_FACE, convex_set, corner, gap_at, has_solid
from tocsin.model.world import assemble
from tocsin_bench.oracles import kinematics

pytestmark = PLAIN


def laid_out():
    corners = np.vstack([np.zeros(3), np.eye(3)])
    mesh = tocsin.Body((corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]))
    ball = tocsin.Body(tocsin.Sphere(0.5), (3, 0, 0))
    return assemble([mesh, ball], {})


def test_every_pair_of_features_of_two_triangles_is_one_kind():
    assert FACE_VERTEX - VERTEX_FACE == 3
    assert EDGE_EDGE - FACE_VERTEX == 3
    assert KINDS - EDGE_EDGE == 9


def test_corners_go_around():
    world = laid_out()
    for f in range(4):
        found = [corner(world, f, k) for k in range(4)]
        assert found[3] == found[0]
        assert np.array(found[:3]) == pytest.approx(world.points[world.faces[f]])


def test_a_triangle_is_its_corners_and_a_solid_its_proxy():
    world = laid_out()
    scratch = np.zeros((3, 3))
    leaf = next(node for node in world.nodes if node["count"] > 0)
    table, (first, count, radius, disk) = convex_set(world, world.geoms[0], leaf, scratch)
    assert table is scratch
    assert (first, count, radius, disk) == (0, 3, 0.0, 0.0)
    assert scratch == pytest.approx(world.points[world.faces[leaf["first"]]])
    table, (first, count, radius, _) = convex_set(world, world.geoms[1], leaf, scratch)
    assert table is world.points
    assert radius == 0.5
    assert count == 1
    assert table[first].tolist() == [0, 0, 0]


def test_a_pair_has_a_solid_if_either_is_one():
    world = laid_out()
    for a, b, solid in ((0, 0, False), (0, 1, True), (1, 0, True), (1, 1, True)):
        assert has_solid(world, {"a": a, "b": b}) is np.bool_(solid) or has_solid(world, {"a": a, "b": b}) == solid


def test_a_gap_along_any_direction_is_what_brute_force_over_points_says():
    rng = np.random.default_rng(1)
    for _ in range(100):
        table_a, table_b = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
        a, b = (1, 5, 0.25, 0.0), (0, 3, 0.125, 0.0)
        rotation, place = kinematics.exp(rng.normal(size=3)), rng.normal(size=3) * 3.0
        n = rng.normal(size=3)
        truth = (table_b[:3] @ rotation.T @ n).min() + place @ n - (table_a[1:6] @ n).max()
        truth -= 0.375 * np.linalg.norm(n)
        found = gap_at(table_a, a, table_b, b, (tuple(map(tuple, rotation)), tuple(place)), tuple(n))
        assert found == pytest.approx(truth, abs=1e-12)
