"""Collision objects from mappings: shapes as large as said, cones and planes that contain what they stand for."""

import math

import numpy as np
import pytest

import tocsin
from tocsin import TocsinError
from tocsin.io.collision_objects import (
    MOST_OBJECTS,
    check_count,
    cone,
    object_body,
    plane,
    pose_of,
    refuse_doubles,
    shapes_of,
)  # fmt: skip
from tocsin.io.uris import Places

HALF = math.sqrt(0.5)


def made(entry, folder):
    return shapes_of(entry, "thing", Places(folder / "scene.yaml", ()))


@pytest.mark.parametrize(
    ("kind", "size", "shape"),
    [
        ("box", [1, 2, 3], tocsin.Box((1, 2, 3))),
        (1, [1, 2, 3], tocsin.Box((1, 2, 3))),
        ("sphere", [0.5], tocsin.Sphere(0.5)),
        ("CYLINDER", [2, 0.5], tocsin.Cylinder(0.5, 2)),
        (3, [2, 0.5], tocsin.Cylinder(0.5, 2)),
    ],
)
def test_primitives_by_word_and_by_number_height_before_radius(tmp_path, kind, size, shape):
    pose, [(found, place)] = made({"primitives": [{"type": kind, "dimensions": size}]}, tmp_path)
    assert found == shape
    assert (pose == np.eye(4)).all()
    assert (place == np.eye(4)).all()


def test_a_cone_is_inside_the_pyramid_that_stands_for_it():
    radius, height = 0.7, 2.0
    points = np.asarray(cone(radius, height).points)
    angles = np.linspace(0.0, 2.0 * math.pi, 1001)
    for a in angles:
        out = np.array([math.cos(a), math.sin(a)])
        assert (points[:, :2] @ out).max() >= radius
        assert (points[:, :2] @ out).max() <= 1.0014 * radius
    assert points[:, 2].min() == -1.0
    assert points[:, 2].max() == 1.0


def test_a_plane_is_a_square_every_point_of_which_is_on_it():
    rng = np.random.default_rng(1)
    for a, b, c, d in [(0, 0, 1, 0), (0, 0, -2, 4), *rng.normal(size=(20, 4))]:
        mesh = plane((a, b, c, d))
        corners = np.asarray(mesh.vertices)
        assert corners @ [a, b, c] + d == pytest.approx(np.zeros(4), abs=1e-9)
        first = corners[1] - corners[0]
        assert np.linalg.norm(first) == pytest.approx(2000.0)
    with pytest.raises(TocsinError):
        plane((0, 0, 0, 1))


def test_poses_are_lists_or_letters():
    by_letter = {"position": {"x": 1, "y": 2, "z": 3}, "orientation": {"x": 0, "y": 0, "z": HALF, "w": HALF}}
    by_list = {"position": [1, 2, 3], "orientation": [0, 0, HALF, HALF]}
    found = pose_of(by_letter, "it")
    assert (found == pose_of(by_list, "it")).all()
    assert found == pytest.approx(np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], float), abs=1e-12)
    with pytest.raises(TocsinError, match="'w' is missing"):
        pose_of(by_letter | {"orientation": {"x": 0, "y": 0, "z": 1}}, "it")
    with pytest.raises(TocsinError, match="no 'position'"):
        pose_of({}, "it")


def test_a_mesh_is_written_out_or_refused(tmp_path):
    triangle = {
        "vertices": [[0, 0, 0], [1, 0, 0], {"x": 0, "y": 1, "z": 0}],
        "triangles": [{"vertex_indices": [0, 1, 2]}],
    }
    _, [(mesh, _)] = made({"meshes": [triangle]}, tmp_path)
    assert np.asarray(mesh.vertices).tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    with pytest.raises(TocsinError, match="vertices and triangles"):
        made({"meshes": [{"vertices": []}]}, tmp_path)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"primitives": [{"type": "box", "dimensions": [1, 2]}]}, r"primitives\[0\] of object 'thing'"),
        ({"primitives": [{"type": "torus", "dimensions": [1]}]}, "kind of primitive"),
        ({"primitives": [{"type": "sphere", "dimensions": [1]}], "primitive_poses": [1, 2]}, "1 primitives, but 2"),
        ({"primitives": [{"type": "sphere", "dimensions": [1]}] * 2}, "2 primitives, but 0"),
    ],
)  # fmt: skip
def test_a_broken_object_is_refused_by_name(tmp_path, entry, says):
    with pytest.raises(TocsinError, match=says):
        made(entry, tmp_path)


def test_a_single_shape_takes_the_frame_of_its_object():
    up, over = np.eye(4), np.eye(4)
    up[2, 3], over[0, 3] = 1.0, 2.0
    one = object_body("one", up, [(tocsin.Sphere(1), over)])
    assert one.rest[:3].tolist() == [2, 0, 1]
    two = object_body("two", up, [(tocsin.Sphere(1), over), (tocsin.Sphere(1), up)])
    assert two.rest[:3].tolist() == [0, 0, 1]


def test_counts_and_names_are_checked_before_anything_is_made():
    check_count(MOST_OBJECTS)
    with pytest.raises(TocsinError, match="at most"):
        check_count(MOST_OBJECTS + 1)
    refuse_doubles(["a", "b"])
    with pytest.raises(TocsinError, match="'a'"):
        refuse_doubles(["a", "b", "a"])
