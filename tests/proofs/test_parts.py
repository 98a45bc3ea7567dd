"""Parts of shapes in a proof: the whole first, each halved into two, hulls that contain their triangles."""

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.proofs.parts import corners_of, halve, parts_of
from tocsin_bench.oracles import kinematics

pytestmark = PLAIN


def test_a_convex_solid_is_one_part():
    for shape in (tocsin.Sphere(0.5), tocsin.Cylinder(0.3, 1.0), tocsin.Box((1, 2, 3))):
        body = tocsin.Body(shape)
        assert len(parts_of(body.shapes[0][0]).parts) == 1


def test_the_hull_of_the_whole_contains_every_vertex():
    rng = np.random.default_rng(1)
    mesh = tocsin.Sphere(1.0).tessellate(12)
    vertices = np.asarray(mesh.vertices) @ kinematics.exp(rng.normal(size=3)).T * [1.0, 2.0, 0.5]
    found = parts_of(tocsin.Body((vertices, mesh.faces)).shapes[0][0])
    whole = found.parts[0]
    points = found.points[whole["point"] : whole["point"] + whole["points"]]
    for n in rng.normal(size=(200, 3)):
        n /= np.linalg.norm(n)
        assert (points @ n).max() + whole["radius"] >= (vertices @ n).max() - 1e-12


def test_halves_have_every_triangle_once_and_are_of_one_size():
    rng = np.random.default_rng(2)
    vertices, faces = rng.normal(size=(30, 3)), rng.integers(0, 30, (17, 3))
    order = np.arange(17)
    middle = halve(vertices, faces, corners_of(faces, order, 0, 17), order, 0, 17)
    assert sorted(order.tolist()) == list(range(17))
    assert abs(2 * middle - 17) <= 1


def test_corners_are_listed_once():
    faces = np.array([[3, 1, 2], [2, 1, 0], [5, 5, 5]])
    assert corners_of(faces, np.array([0, 1, 2]), 0, 2).tolist() == [0, 1, 2, 3]
    assert corners_of(faces, np.array([0, 1, 2]), 2, 3).tolist() == [5]


def test_every_triangle_is_the_only_one_of_some_part():
    mesh = tocsin.Box((1, 1, 1)).tessellate()
    found = parts_of(tocsin.Body(mesh).shapes[0][0])
    assert len(found.parts) == 2 * len(mesh.faces) - 1, "a tree with a leaf for each"
    assert np.isfinite(found.points).all()
    assert found.parts["radius"] == pytest.approx(np.zeros(len(found.parts)), abs=1e-9)
