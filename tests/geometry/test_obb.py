"""Oriented boxes are tight. That every point is contained: test_boxes_and_spheres."""

import math

import numpy as np
import pytest

from tocsin.geometry.obb import fit_obb


@pytest.mark.parametrize("seed", range(60))
def test_the_box_of_a_turned_box_is_that_box(seed):
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    size = rng.uniform(0.1, 3, size=3)
    inside = rng.uniform(-1, 1, size=(100, 3))
    corners = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), -1).reshape(-1, 3)
    _, _, half = fit_obb(np.vstack((corners, inside)) * size @ turn + rng.normal(size=3))
    assert np.sort(half) == pytest.approx(np.sort(size), rel=1e-9)


def test_a_box_along_the_axes_keeps_them():
    points = np.stack(np.meshgrid([0, 1], [0, 2], [0, 3]), -1).reshape(-1, 3).astype(float)
    center, axes, half = fit_obb(points)
    assert np.array_equal(axes, np.eye(3))
    assert center == pytest.approx([0.5, 1, 1.5])
    assert half == pytest.approx([0.5, 1, 1.5], rel=1e-14)


def test_the_box_is_never_worse_than_the_best_of_many_random_ones():
    rng = np.random.default_rng(5)
    for _ in range(4):
        points = rng.normal(size=(60, 3)) * rng.uniform(0.2, 2, size=3)
        _, _, half = fit_obb(points)
        best = math.inf
        for _ in range(2000):
            turned = points @ np.linalg.qr(rng.normal(size=(3, 3)))[0]
            best = min(best, np.prod(np.ptp(turned, axis=0)))
        assert 8 * np.prod(half) <= best
