"""A few points and a radius that hold all of a shape."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from tocsin.geometry.proxy import CORNERS, DIRECTIONS, MANY, convex_proxy, sphere_directions


def test_directions_are_unit_vectors_that_leave_no_large_gap():
    directions = sphere_directions(DIRECTIONS)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0, atol=1e-15)
    rng = np.random.default_rng(1)
    anywhere = rng.normal(size=(500, 3))
    anywhere /= np.linalg.norm(anywhere, axis=1)[:, None]
    assert (anywhere @ directions.T).max(axis=1).min() > np.cos(np.radians(25))


def test_a_shape_of_few_corners_is_kept_as_it_is():
    cube = np.array([[x, y, z] for x in (0.0, 1) for y in (0.0, 1) for z in (0.0, 1)])
    kept, radius, others, slack, tight = convex_proxy(np.concatenate([cube, [[0.5, 0.5, 0.5]]]))
    assert sorted(map(tuple, kept)) == sorted(map(tuple, cube))
    assert radius < 1e-12
    assert len(others) == 0
    assert slack == radius
    assert tight


@pytest.mark.parametrize("seed", range(3))
def test_no_point_is_beyond_the_support_of_the_proxy_in_any_direction(seed):
    """Containment, attacked by directions that the proxy was not made from: a set within the hull inflated by the
    radius has no larger support anywhere."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(800, 3))
    points *= (0.3 + rng.random((800, 1))) / np.linalg.norm(points, axis=1)[:, None]
    kept, radius, others, hull_radius, tight = convex_proxy(points)
    assert len(kept) <= DIRECTIONS + 6
    directions = rng.normal(size=(20_000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    slack = 1e-14
    reach = (points @ directions.T).max(axis=0)
    assert (reach <= (kept @ directions.T).max(axis=0) + radius + slack).all()
    assert radius < 0.5
    corners = np.concatenate([kept, others])
    assert tight
    assert len(kept) < len(corners) <= CORNERS
    assert (reach <= (corners @ directions.T).max(axis=0) + hull_radius + slack).all()
    assert hull_radius < 1e-12
    assert {tuple(p) for p in corners} <= {tuple(p) for p in points}


def on_a_ball(rng):
    points = rng.normal(size=(MANY + 1, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def on_a_grid(rng):
    return rng.integers(-4, 5, (MANY + 1, 3)) * (1.0, 0.25, 2.0) + 1000.0


def flat(rng):
    return np.column_stack([rng.normal(size=(MANY + 1, 2)), np.zeros(MANY + 1)])


def nearly_flat(rng):
    return flat(rng) + 1e-13 * rng.normal(size=(MANY + 1, 3))


@pytest.mark.parametrize("scale", [1.0, 2.0**-60])
@pytest.mark.parametrize("make", [on_a_ball, on_a_grid, flat, nearly_flat])
def test_a_proxy_of_so_many_points_that_no_hull_is_made_of_them_holds_them_all(make, scale):
    """The oracle is Qhull's hull of all points, which the proxy is made without: its corners are those that matter."""
    points = np.ascontiguousarray(make(np.random.default_rng(4)) * scale)
    kept, radius, *_ = convex_proxy(points)
    assert len(kept) <= DIRECTIONS + 6
    corners = points if make in (flat, nearly_flat) else points[ConvexHull(points / scale).vertices]
    directions = sphere_directions(2000)
    reach = (corners @ directions.T).max(axis=0) - (kept @ directions.T).max(axis=0)
    size = float(np.ptp(points, axis=0).max())
    assert (reach <= radius + 2.0**-48 * float(np.abs(points).max())).all()
    assert radius <= 0.2 * size


def test_a_hull_of_too_many_corners_is_left_to_the_proxy():
    points = np.random.default_rng(5).normal(size=(2 * CORNERS, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    kept, radius, others, slack, tight = convex_proxy(points)
    assert len(kept) <= DIRECTIONS + 6
    assert len(others) == 0
    assert slack == radius > 0.0
    assert not tight
