"""Inside or outside of a closed mesh, by its winding number."""

import math

import numpy as np
import pytest

import tocsin
from tocsin.contacts.inside import is_inside, solid_angle

pytestmark = pytest.mark.pure


def box(size=1.0, inward=False):
    mesh = tocsin.Box((size, size, size)).tessellate()
    return mesh.vertices, mesh.faces[:, ::-1] if inward else mesh.faces


def test_an_octant_is_an_eighth_of_the_sphere_and_turned_around_it_is_negative():
    x, y, z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    assert solid_angle(x, y, z) == pytest.approx(math.pi / 2)
    assert solid_angle(y, x, z) == pytest.approx(-math.pi / 2)


def test_in_the_plane_of_a_triangle_and_outside_of_it_nothing_is_seen():
    assert solid_angle((1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (1.0, 1.0, 0.0)) == 0.0


@pytest.mark.parametrize("inward", [False, True])
def test_points_of_a_lattice_are_inside_a_box_where_they_are(inward):
    vertices, faces = box(2.0, inward)
    for x in np.arange(-1.75, 2.0, 0.5):
        for y in (-1.25, 0.25, 0.75):
            point = (float(x), float(y), 0.25)
            assert is_inside(vertices, faces, 0, len(faces), point) == (max(map(abs, point)) < 1.0)


def test_of_two_boxes_apart_either_counts_and_the_cavity_of_one_in_another_is_outside():
    big, faces = box(4.0)
    small, inward = box(2.0, inward=True)
    points = np.concatenate([big, small])
    both = np.concatenate([faces, inward + len(big)])
    assert not is_inside(points, both, 0, len(both), (0.1, 0.2, 0.3))
    assert is_inside(points, both, 0, len(both), (1.5, 0.2, 0.3))
    beside = np.concatenate([big, small + (9.0, 0.0, 0.0)])
    apart = np.concatenate([faces, inward[:, ::-1] + len(big)])
    assert is_inside(beside, apart, 0, len(apart), (0.1, 0.2, 0.3))
    assert is_inside(beside, apart, 0, len(apart), (9.1, 0.2, 0.3))
    assert not is_inside(beside, apart, 0, len(apart), (5.0, 0.2, 0.3))
