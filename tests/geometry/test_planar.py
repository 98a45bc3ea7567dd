"""Convex polygons and smallest rectangles in the plane."""

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from tocsin.geometry.planar import convex_polygon, smallest_rectangle

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("seed", range(10))
def test_the_corners_are_those_of_the_hull_counter_clockwise(seed):
    points = np.random.default_rng(seed).normal(size=(40, 2))
    found = convex_polygon(points[:, 0].copy(), points[:, 1].copy()).tolist()
    assert set(found) == set(ConvexHull(points).vertices.tolist())
    x, y = points[found].T
    assert np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) > 0.0


def test_points_on_sides_are_left_out_and_degenerate_sets_have_one_corner_or_two():
    grid = np.array([[i, j] for i in range(4) for j in range(4)], float)
    corners = convex_polygon(grid[:, 0].copy(), grid[:, 1].copy())
    assert sorted(map(tuple, grid[corners])) == [(0, 0), (0, 3), (3, 0), (3, 3)]
    assert len(convex_polygon(np.zeros(5), np.ones(5))) == 1
    line = np.array([3.0, 1.0, 2.0, 0.0])
    assert sorted(line[convex_polygon(line, 2.0 * line)]) == [0.0, 3.0]


@pytest.mark.parametrize("seed", range(10))
def test_no_turned_rectangle_has_a_smaller_area(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, 30)) * [[1.0], [rng.uniform(0.2, 1.0)]]
    ux, uy, area = smallest_rectangle(x, y, 0.0)
    assert math.hypot(ux, uy) == pytest.approx(1.0)
    assert np.ptp(x * ux + y * uy) * np.ptp(y * ux - x * uy) == pytest.approx(area)
    for angle in np.linspace(0.0, np.pi / 2, 1000):
        c, s = math.cos(angle), math.sin(angle)
        assert np.ptp(x * c + y * s) * np.ptp(y * c - x * s) >= area * (1 - 1e-9)


def test_a_turned_rectangle_is_found_although_rounding_doubles_its_corners():
    angle = 0.3
    c, s = math.cos(angle), math.sin(angle)
    corners = np.array([[i, j] for i in (0.0, 3.0) for j in (0.0, 1.0)])
    turned = np.concatenate([corners, corners * (1 + 1e-16)]) @ np.array([[c, s], [-s, c]])
    assert smallest_rectangle(turned[:, 0].copy(), turned[:, 1].copy(), 0.0)[2] == pytest.approx(3.0)
