"""Shapes as they are shown: normals that bend gently, edges that stay sharp, boxes and colours of the right link."""

import numpy as np
import pytest

import tocsin
from tocsin.viewer.solids import CUBE, CUBE_EDGES, MACHINE, THINGS, bytes_of, colour_of, corner_normals, solid_of


def test_the_edges_of_a_cube_are_twelve_and_of_one_length():
    assert len({tuple(edge) for edge in CUBE_EDGES.tolist()}) == 12
    assert np.abs(CUBE[CUBE_EDGES[:, 0]] - CUBE[CUBE_EDGES[:, 1]]).sum(axis=1).tolist() == [2.0] * 12


def test_a_cube_keeps_flat_faces_and_a_ball_bends():
    box = tocsin.Box((2, 2, 2)).tessellate()
    normals = corner_normals(np.asarray(box.vertices), np.asarray(box.faces))
    assert np.sort(np.abs(normals), axis=2) == pytest.approx(np.broadcast_to([0, 0, 1], normals.shape))
    ball = tocsin.Sphere(2.0).tessellate(32)
    vertices, faces = np.asarray(ball.vertices), np.asarray(ball.faces)
    outward = vertices[faces] / 2.0
    assert np.einsum("ijk,ijk->ij", corner_normals(vertices, faces), outward).min() > 0.99


def test_normals_are_unit_whatever_the_triangles():
    rng = np.random.default_rng(1)
    vertices = rng.normal(size=(30, 3))
    faces = rng.integers(0, 30, size=(60, 3))
    normals = corner_normals(vertices, faces)
    assert np.linalg.norm(normals, axis=2) == pytest.approx(np.ones((60, 3)))
    flat = corner_normals(np.zeros((3, 3)), np.array([[0, 1, 2]]))
    assert flat.tolist() == [[[0, 0, 1]] * 3], "a triangle without area looks up"
    assert corner_normals(vertices, np.zeros((0, 3), int)).shape == (0, 3, 3)


def test_a_solid_stands_in_its_links_frame_inside_its_box():
    place = np.eye(4)
    place[:3, 3] = 1.0, 2.0, 3.0
    body = tocsin.Body([(tocsin.Box((2, 4, 6)), place), (tocsin.Sphere(1.0), (0, 0, 9))], name="two")
    for shape in body.shapes[0]:
        solid = solid_of(shape, 4, "two", (1.0, 0.5, 0.0))
        assert solid.link == 4
        inside = (solid.vertices - solid.center) @ solid.axes.T
        assert (np.abs(inside) <= solid.half * (1.0 + 1e-6)).all()
        assert np.abs((solid.box - solid.center) @ solid.axes.T) == pytest.approx(np.broadcast_to(solid.half, (8, 3)))
    first = solid_of(body.shapes[0][0], 0, "two", (0, 0, 0))
    assert first.vertices.mean(axis=0) == pytest.approx([1, 2, 3])


def test_neighbours_have_other_colours():
    builder = tocsin.RobotBuilder("arm").link("a", tocsin.Sphere(1)).link("b", tocsin.Sphere(1), parent="a")
    robot, body = builder.build(), tocsin.Body(tocsin.Sphere(1))
    assert {colour_of(robot, 0, 0), colour_of(robot, 0, 1)} == set(MACHINE)
    assert colour_of(body, 1, 0) == THINGS[1]
    assert bytes_of((0.0, 0.5, 1.0)) == (0, 128, 255)
