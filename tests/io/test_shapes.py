"""Shapes of robot descriptions: those without extent are their own hulls, half-spaces contain what is below them."""

import numpy as np
import pytest

import tocsin
from tocsin import TocsinError
from tocsin.errors import MeshWarning
from tocsin.io.shapes import Meshes, half_space, primitive, round_polytope


@pytest.mark.parametrize(
    ("tag", "sizes", "shape"),
    [
        ("box", [1.0, 2.0, 3.0], tocsin.Box((1, 2, 3))),
        ("sphere", [0.5], tocsin.Sphere(0.5)),
        ("cylinder", [0.5, 2.0], tocsin.Cylinder(0.5, 2.0)),
        ("capsule", [0.5, 2.0], tocsin.Capsule(0.5, 2.0)),
    ],
)
def test_primitives_are_exact(tag, sizes, shape):
    assert primitive(tag, sizes) == shape


def test_a_box_without_thickness_is_a_plate_and_a_sphere_without_radius_a_point():
    plate = np.asarray(primitive("box", [2.0, 4.0, 0.0]).points)
    assert plate.min(axis=0).tolist() == [-1, -2, 0]
    assert plate.max(axis=0).tolist() == [1, 2, 0]
    assert np.asarray(primitive("sphere", [0.0]).points).tolist() == [[0, 0, 0]]
    with pytest.raises(TocsinError):
        primitive("box", [-1.0, 0.0, 1.0])


def test_a_half_space_has_its_top_through_the_origin_and_says_so():
    rng = np.random.default_rng(1)
    for normal in [(0, 0, 1), (0, 0, -3), *rng.normal(size=(5, 3))]:
        with pytest.warns(MeshWarning, match="endless"):
            points = np.asarray(half_space(np.array(normal, float), "ground", 7, "endless").points)
        height = points @ np.array(normal) / np.linalg.norm(normal)
        assert height.max() == pytest.approx(0.0, abs=1e-9)
        assert height.min() == pytest.approx(-1000.0)


def test_the_round_polytope_contains_the_unit_ball_and_is_close_to_it():
    points = round_polytope()
    rng = np.random.default_rng(2)
    n = rng.normal(size=(2000, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    assert ((n @ points.T).max(axis=1) >= 1.0).all()
    assert np.linalg.norm(points, axis=1).max() <= 1.0075


def test_a_file_is_read_once_and_scaled_once_for_each_scale(tmp_path):
    file = tmp_path / "a.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    meshes = Meshes()
    one = meshes.at(file, np.array([1.0]), "a link")
    large = meshes.at(file, np.array([2.0, 3.0, 4.0]), "a link")
    assert meshes.at(file, np.array([1.0, 1.0, 1.0]), "another") is one
    assert meshes.at(file, np.array([2.0, 3.0, 4.0]), "another") is large
    assert np.asarray(large.vertices).max(axis=0).tolist() == [2, 3, 0]
    with pytest.raises(TocsinError, match="a link: a scale of zero"):
        meshes.at(file, np.array([1.0, 0.0, 1.0]), "a link")
    with pytest.raises(TocsinError, match="a link: "):
        meshes.at(tmp_path / "none.obj", np.array([1.0]), "a link")
