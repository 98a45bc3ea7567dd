"""The flat tables of a scene point to the right rows."""

import math

import numpy as np
import pytest
import trimesh

import tocsin
from promise.scenes import box_mesh
from tocsin.model.tables import CONVEX, MESH
from tocsin.model.world import assemble


def bodies():
    mesh = tocsin.Body(box_mesh(1, 2, 3), name="mesh")
    ball = tocsin.Body(tocsin.Sphere(0.5), name="ball")
    builder = tocsin.RobotBuilder("pair")
    builder.link("x", box_mesh(2, 2, 2)).link("y", tocsin.Box((1, 1, 1)), parent="x", joint="revolute")
    return mesh, ball, builder.build()


def round_ones():
    """A mesh whose hull has more corners than its proxy, and a cylinder, whose axis is behind its points."""
    ball = trimesh.creation.icosphere(2, radius=0.5)
    return tocsin.Body((ball.vertices, ball.faces), name="ball"), tocsin.Body(tocsin.Cylinder(0.3, 1.0), name="can")


@pytest.mark.pure
def test_every_shape_finds_its_own_points_and_triangles():
    models = (*bodies(), *round_ones())
    world = assemble(models, {})
    shapes = [shape for model in models for per_link in model.shapes for shape in per_link]
    assert len(world.geoms) == len(shapes) == 6
    assert len(shapes[4].others) > 0
    for geom, shape in zip(world.geoms, shapes):
        assert geom["kind"] == (MESH if shape.is_mesh else CONVEX)
        corners = world.points[world.faces[geom["face"] : geom["face"] + geom["faces"]]]
        assert np.array_equal(corners, shape.points[shape.faces])
        assert np.array_equal(world.points[geom["proxy"] : geom["proxy"] + geom["proxy_count"]], shape.proxy)
        corners = np.concatenate([shape.proxy, shape.others])
        assert np.array_equal(world.points[geom["proxy"] : geom["proxy"] + geom["hull_count"]], corners)
        assert np.array_equal(world.points[geom["sample"] : geom["sample"] + geom["samples"]], shape.samples)
        assert world.nodes[geom["root"]]["radius"] == shape.nodes[0]["radius"]


def test_every_leaf_of_a_tree_is_one_triangle_of_its_shape():
    world = assemble(bodies(), {})
    for geom in world.geoms[world.geoms["kind"] == MESH]:
        pending, leaves = [int(geom["root"])], []
        while pending:
            node = world.nodes[pending.pop()]
            if node["count"] > 0:
                leaves.append(int(node["first"]))
            else:
                pending += [int(node["first"]), int(node["first"]) + 1]
        assert sorted(leaves) == list(range(geom["face"], geom["face"] + geom["faces"]))


def test_links_and_models_are_counted_through():
    world = assemble(bodies(), {})
    assert world.links["parent"].tolist() == [-1, -1, -1, 2]
    assert world.links["model"].tolist() == [0, 1, 2, 2]
    assert world.geoms["link"].tolist() == [0, 1, 2, 3]
    assert world.models["config"].tolist() == [0, 7, 14]
    assert world.models["width"].tolist() == [7, 7, 8]


def test_a_shape_that_is_shared_is_stored_once():
    vertices, faces = box_mesh()
    one = tocsin.Body((vertices, faces), name="one")
    two = tocsin.Body((vertices, faces), name="two")
    two.shapes = one.shapes
    assert len(assemble([one, two], {}).faces) == 12


def test_rules_are_found_from_both_sides_in_order():
    world = assemble(bodies(), {(0, 2): 0.1, (0, 1): -math.inf, (1, 3): 0.2})
    rows = [world.rule_link[world.rule_start[i] : world.rule_start[i + 1]].tolist() for i in range(4)]
    assert rows == [[1, 2], [0, 3], [0], [1]]
    assert world.rule_margin.tolist() == [-math.inf, 0.1, -math.inf, 0.2, 0.1, 0.2]


def test_nodes_do_not_straddle_lines_of_the_cache():
    world = assemble(bodies(), {})
    assert world.nodes.dtype.itemsize == 64
    assert world.nodes.ctypes.data % 64 == 0


def test_the_hulls_of_nodes_contain_their_triangles():
    world = assemble(bodies(), {}, hulls=True)
    assert len(world.hull_count) == len(world.nodes)
    for k in np.flatnonzero(world.hull_count):
        hull = world.points[world.hull_first[k] : world.hull_first[k] + world.hull_count[k]]
        node = world.nodes[k]
        if node["count"] > 0:
            corners = world.points[world.faces[node["first"]]]
            for n in np.random.default_rng(k).normal(size=(20, 3)):
                grown = (hull @ n).max() + world.hull_radius[k] * np.linalg.norm(n)
                assert (corners @ n).max() <= grown + 1e-12


@pytest.mark.pure
def test_a_scene_of_many_bodies_is_laid_out_once_and_not_once_for_each_body(monkeypatch):
    bodies = [tocsin.Body(tocsin.Box((1, 1, 1)), (3.0 * k, 0, 0)) for k in range(200)]
    calls = []
    concatenate = np.concatenate
    monkeypatch.setattr(np, "concatenate", lambda *a, **k: calls.append(1) or concatenate(*a, **k))
    world = assemble(bodies, {})
    assert len(calls) < 40
    assert world.geoms["link"].tolist() == list(range(200))
