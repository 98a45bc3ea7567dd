"""Tables of the exact search: every corner and sharp edge has one triangle that answers for it, under one number."""

import numpy as np
import pytest

import tocsin
from tocsin.screen.exact_tables import _numbered_from, exact_tables
from tocsin.screen.tables import lay_out


def tables(*shapes):
    scene = tocsin.Scene(*[tocsin.Body(shape, (3.0 * k, 0, 0), name=f"b{k}") for k, shape in enumerate(shapes)])
    surfaces = lay_out(scene.models, scene.context.tables())
    flat = [s for model in scene.models for link in model.shapes for s in link]
    return exact_tables(flat, surfaces), surfaces


@pytest.mark.parametrize("shape", [tocsin.Box((1, 2, 3)), tocsin.Box((1, 2, 3)).tessellate()], ids=["solid", "mesh"])
def test_a_cube_has_eight_corners_twelve_edges_and_six_faces_each_answered_for_once(shape):
    found, _ = tables(shape)
    corners, edges = found.corner[found.corner >= 0], found.edge[found.edge >= 0]
    assert sorted(corners.tolist()) == list(range(8))
    assert len(edges) == len(set(edges.tolist())) == 12
    assert len(set(found.flat.tolist())) == 6


def test_a_triangle_that_answers_for_a_corner_has_it():
    found, surfaces = tables(tocsin.ConvexHull(np.random.default_rng(1).normal(size=(12, 3))))
    for face, corners in zip(found.faces, found.corner):
        for point, corner in zip(face, corners):
            if corner >= 0:
                at = surfaces.vectors[surfaces.corners[corner]["point"]]
                assert found.points[point] == pytest.approx(at)


def test_shapes_that_are_one_are_stored_once_and_others_are_numbered_on():
    mesh = tocsin.Box((1, 1, 1)).tessellate()
    found, surfaces = tables(mesh, mesh, tocsin.Box((2, 2, 2)))
    assert found.shapes[0]["root"] == found.shapes[1]["root"]
    assert found.shapes[2]["face"] == 12
    assert found.faces[12:].min() == found.shapes[2]["point"]
    assert found.corner[12:][found.corner[12:] >= 0].min() == surfaces.table[2]["corner"]
    leaf = found.nodes["count"] > 0
    assert sorted(found.nodes["first"][leaf].tolist()) == list(range(24)), "each triangle is in one leaf"


def test_round_solids_are_refused_by_name():
    with pytest.raises(tocsin.TocsinError, match="Sphere is round"):
        tables(tocsin.Sphere(1.0))


def test_numbers_go_on_and_none_stays_none():
    assert _numbered_from(np.int32(5), np.array([0, -1, 2])).tolist() == [5, -1, 7]
