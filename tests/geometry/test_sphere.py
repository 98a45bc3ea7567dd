"""The smallest sphere around points. That every point is contained: test_boxes_and_spheres."""

import math

import numpy as np
import pytest

from tocsin.geometry.sphere import bounding_sphere


@pytest.mark.pure
def test_the_smallest_sphere_of_known_sets():
    root = math.sqrt(3.0)
    cube = np.stack(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0]), -1).reshape(-1, 3)
    for points, expected in (
        (cube, root),
        (np.array([[0, 0, 0], [2, 0, 0], [1, 0.1, 0], [0.5, 0, 0.2]]), 1.0),
        (np.array([[1, 0, 0], [-0.5, root / 2, 0], [-0.5, -root / 2, 0]]), 1.0),
        (np.array([[1.0, 2.0, 3.0]] * 4), 0.0),
    ):
        assert bounding_sphere(points)[1] == pytest.approx(expected, rel=1e-12)


def test_the_sphere_is_the_smallest():
    """On the sphere found, the touching points surround the center: no center with a smaller radius exists."""
    rng = np.random.default_rng(11)
    for n in (5, 30, 500):
        points = rng.normal(size=(n, 3)) * rng.uniform(0.3, 2, size=3)
        center, radius = bounding_sphere(points)
        for direction in rng.normal(size=(2000, 3)):
            step = center + 1e-4 * direction / np.linalg.norm(direction)
            assert np.linalg.norm(points - step, axis=1).max() > radius * (1 - 1e-12)
