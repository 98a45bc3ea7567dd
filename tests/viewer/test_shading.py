"""What is seen in a pixel: the nearest triangle, the ground where nothing is nearer, shadow where something is."""

import math

import numpy as np
import pytest

from tocsin.viewer import shading

pytestmark = pytest.mark.pure


def drawn(*triangles, size=8):
    """The image of triangles given as (x, y, 1/w) of their corners."""
    pixels = shading.Pixels(
        np.zeros((size, size)), np.full((size, size), -1, np.int32), np.zeros((size, size, 2))
    )  # fmt: skip
    shading.draw(np.array(triangles, float), *pixels)
    return pixels


def test_the_nearest_triangle_owns_a_pixel_whatever_the_order():
    far = [(0, 0, 1), (8, 0, 1), (0, 8, 1)]
    near = [(0, 0, 2), (4, 0, 2), (0, 4, 2)]
    for triangles, nearest in (((far, near), 1), ((near, far), 0)):
        pixels = drawn(*triangles)
        assert pixels.owner[0, 0] == nearest
        assert pixels.depth[0, 0] == 2.0
        assert pixels.owner[4, 1] == 1 - nearest
        assert pixels.owner[7, 7] == -1
        assert pixels.depth[7, 7] == 0.0


def test_weights_are_those_of_the_place_in_the_world_and_not_on_the_screen():
    """Of a triangle that goes away from the eye, the middle of the screen is nearer to the corner in front."""
    pixels = drawn([(0, 0, 1), (8, 0, 4), (0, 8, 1)])
    a, b = pixels.weights[2, 2]
    on_screen = [1 - 2.5 / 8 - 2.5 / 8, 2.5 / 8, 2.5 / 8]
    w = np.array(on_screen) * (1, 4, 1)
    assert (a, b) == pytest.approx(tuple((w / w.sum())[:2]))


def test_what_is_behind_the_eye_or_seen_from_its_edge_is_not_drawn():
    assert (drawn([(0, 0, -1), (8, 0, 1), (0, 8, 1)]).owner == -1).all()
    assert (drawn([(0, 0, 1), (4, 4, 1), (8, 8, 1)]).owner == -1).all()


def test_the_ground_is_laid_where_nothing_is_nearer():
    pixels = drawn([(0, 0, 9), (8, 0, 9), (0, 8, 9)])
    eye, frame = np.array([0.0, 0.0, 2.0]), np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])  # looks straight down
    numbers = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 4.0])
    shading.lay_ground(pixels.depth, pixels.owner, eye, frame, numbers)
    assert pixels.owner[0, 0] == 0
    assert pixels.owner[7, 7] == -2
    assert pixels.depth[7, 7] == 0.5  # two metres below


def test_a_point_below_a_roof_is_in_shadow_and_one_beside_it_is_not():
    n = 64
    shade = np.zeros((n, n))
    shade[:, : n // 2] = 3.0  # something near to the sun over the left half
    sun = shading.Sun(np.array([0.0, 0.0, 1.0]), shade, np.eye(3), np.zeros(3), 16.0)
    assert shading.sunlight(-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, sun) == 0.0
    assert shading.sunlight(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, sun) == pytest.approx(1.0)
    assert 0.0 < shading.sunlight(0.0, 0.0, 0.0, 0.0, 0.0, 1.0, sun) < 1.0


def test_a_line_of_the_grid_fades_where_it_is_finer_than_a_pixel():
    assert shading.line(3.0, 0.01) == pytest.approx(1.0)
    assert shading.line(3.5, 0.01) == 0.0
    assert shading.line(3.0, 1.0) == 0.0
    assert math.isfinite(shading.line(0.0, 0.0))
