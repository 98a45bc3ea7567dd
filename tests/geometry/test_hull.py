"""Convex hulls: their vertices are input points, their slack is a true bound, their faces close and face outward."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.spatial
from scipy.optimize import nnls

from tocsin.geometry.hull import convex_hull
from tocsin.geometry.planar import convex_polygon, smallest_rectangle

from .point_sets import NAMES, SCALES, SETS, exact


def assert_closed(faces):
    edges = [(int(a), int(b)) for f in faces for a, b in zip(f, np.roll(f, -1))]
    assert len(set(edges)) == len(edges)
    assert all((b, a) in set(edges) for a, b in edges)


def distance_to_hull(p, vertices):
    """An independent estimate: nearest convex combination by non-negative least squares."""
    size = np.abs(vertices - p).max() or 1.0
    a = np.vstack(((vertices - p).T / size, 1e3 * np.ones(len(vertices))))
    weights, _ = nnls(a, np.array([0, 0, 0, 1e3]))
    return float(np.linalg.norm((weights / weights.sum()) @ (vertices - p)))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("name", "points"), SETS, ids=NAMES)
def test_vertices_are_input_points_and_the_slack_is_small(name, points, scale):
    points = points * scale
    hull = convex_hull(points)
    rows = {tuple(p) for p in points}
    assert all(tuple(v) in rows for v in hull.vertices)
    assert len({tuple(v) for v in hull.vertices}) == len(hull.vertices)
    assert hull.slack <= 1e-12 * np.ptp(points, axis=0).max()
    assert_closed(hull.faces)
    dropped = rows - {tuple(v) for v in hull.vertices}
    if not dropped:
        assert hull.slack == 0.0


@pytest.mark.parametrize(("name", "points"), SETS, ids=NAMES)
def test_no_point_is_farther_out_than_the_slack_in_exact_arithmetic(name, points):
    """The largest signed distance over the face planes bounds the distance from below, so slack must be above it."""
    hull = convex_hull(points)
    if hull.dimension < 3:
        return
    vertices = exact(hull.vertices)
    slack = Fraction(hull.slack)
    for p in exact(points):
        for f in hull.faces:
            a, b, c = (vertices[i] for i in f)
            u, v, w = ([x - y for x, y in zip(q, a)] for q in (b, c, p))
            n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
            height = sum(x * y for x, y in zip(n, w))
            length = sum(x * x for x in n)
            inner = [sum(x * (y - z) for x, y, z in zip(n, q, a)) for q in vertices]
            if max(inner) <= 0 and height > 0:  # a true supporting plane of the returned vertices
                assert height * height <= slack * slack * length


@pytest.mark.parametrize(("name", "points"), SETS, ids=NAMES)
def test_an_independent_solver_finds_every_point_within_the_hull(name, points):
    hull = convex_hull(points)
    size = np.ptp(points, axis=0).max() + 1e-300
    for p in points:
        assert distance_to_hull(p, hull.vertices) <= hull.slack + 1e-9 * size


def test_the_slack_sees_what_was_left_out(monkeypatch):
    """A hull that drops a corner must say how far that corner sticks out."""
    cube = np.stack(np.meshgrid([-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0]), -1).reshape(-1, 3)
    points = np.vstack((cube, [[0.0, 0.0, 1.25]], [[0.2, 0.1, 0.0]]))
    honest = scipy.spatial.ConvexHull

    class Careless:
        def __init__(self, q):
            inner = np.flatnonzero(np.abs(q[:, :2]).max(axis=1) > 0.3)
            found = honest(q[inner])
            self.simplices, self.neighbors = inner[found.simplices].astype(np.int32), found.neighbors

    monkeypatch.setattr(scipy.spatial, "ConvexHull", Careless)
    hull = convex_hull(points)
    assert len(hull.vertices) == 8
    assert 0.25 <= hull.slack <= 0.26


def test_a_hull_that_qhull_refuses_is_joggled(monkeypatch):
    honest = scipy.spatial.ConvexHull

    def fussy(q, qhull_options=None):
        if qhull_options is None:
            raise scipy.spatial.QhullError("initial simplex is flat")
        return honest(q, qhull_options=qhull_options)

    monkeypatch.setattr(scipy.spatial, "ConvexHull", fussy)
    hull = convex_hull(np.random.default_rng(0).normal(size=(50, 3)))
    assert_closed(hull.faces)
    assert hull.slack < 1e-9


@pytest.mark.pure
@pytest.mark.parametrize(
    ("points", "dimension", "vertices", "faces"),
    [
        ([[1, 2, 3]] * 5, 0, 1, 0),
        ([[0, 0, 0], [1, 1, 1], [3, 3, 3], [2, 2, 2]], 1, 2, 0),
        ([[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], [0.5, 0.5, 1], [0.5, 0, 1]], 2, 4, 4),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], 2, 3, 2),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]], 3, 4, 4),
    ],
)
def test_dimension_and_size_of_simple_hulls(points, dimension, vertices, faces):
    hull = convex_hull(np.array(points, dtype=float))
    assert (hull.dimension, len(hull.vertices), len(hull.faces)) == (dimension, vertices, faces)
    assert_closed(hull.faces)
    assert hull.start[-1] == len(hull.index)


def test_faces_point_outward():
    hull = convex_hull(np.random.default_rng(1).normal(size=(200, 3)))
    a, b, c = (hull.vertices[hull.faces[:, k]] for k in range(3))
    heights = np.einsum("fj,vfj->vf", np.cross(b - a, c - a), hull.vertices[:, None] - a[None])
    assert heights.max() <= 1e-12


@pytest.mark.parametrize(("name", "points"), SETS, ids=NAMES)
def test_hill_climbing_over_the_neighbours_reaches_the_top(name, points):
    hull = convex_hull(points)
    rng = np.random.default_rng(0)
    for direction in rng.normal(size=(50, 3)):
        height = (hull.vertices - hull.vertices[0]) @ direction
        here = 0
        while True:
            near = hull.index[hull.start[here] : hull.start[here + 1]]
            if len(near) == 0 or height[near].max() <= height[here]:
                break
            here = near[np.argmax(height[near])]
        size = np.abs(hull.vertices - hull.vertices[0]).max() + 1e-300
        assert height[here] >= height.max() - 1e-9 * size


def test_scaling_by_a_power_of_two_gives_the_same_hull():
    for _, points in SETS:
        hull, scaled = convex_hull(points), convex_hull(points * 2.0**60)
        assert np.array_equal(hull.vertices * 2.0**60, scaled.vertices)
        assert np.array_equal(hull.faces, scaled.faces)
        assert hull.slack * 2.0**60 == scaled.slack


def test_polygons_and_their_smallest_rectangles():
    rng = np.random.default_rng(4)
    for _ in range(20):
        x, y = rng.normal(size=(2, 40)) * rng.uniform(0.1, 3, size=(2, 1))
        polygon = convex_polygon(x, y)
        assert set(polygon) == set(scipy.spatial.ConvexHull(np.c_[x, y]).vertices)
        _, _, area = smallest_rectangle(x, y, 0.0)
        turns = np.arctan2(np.roll(y[polygon], -1) - y[polygon], np.roll(x[polygon], -1) - x[polygon])
        areas = [np.ptp(x * np.cos(t) + y * np.sin(t)) * np.ptp(y * np.cos(t) - x * np.sin(t)) for t in turns]
        assert area == pytest.approx(min(areas), rel=1e-9)
    grid = np.stack(np.meshgrid(range(5), range(4)), -1).reshape(-1, 2).astype(float)
    assert len(convex_polygon(grid[:, 0], grid[:, 1])) == 4
    assert len(convex_polygon(np.zeros(4), np.zeros(4))) == 1
    assert len(convex_polygon(np.zeros(4), np.arange(4.0))) == 2


@pytest.mark.parametrize("noise", [1e-17, 1e-16, 1e-14])
def test_corners_that_only_rounding_tells_apart_do_not_mislead_the_smallest_rectangle(noise):
    rng = np.random.default_rng(9)
    for _ in range(200):
        turn = rng.uniform(0, 7)
        c, s = np.cos(turn), np.sin(turn)
        width, height = rng.uniform(0.1, 3, size=2)
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]]) @ [[c, s], [-s, c]] + rng.normal(size=2)
        x, y = (np.repeat(corners, 3, axis=0) + noise * rng.normal(size=(12, 2))).T.copy()
        assert smallest_rectangle(x, y, 0.0)[2] == pytest.approx(width * height, rel=1e-9)


def test_wrong_shapes_are_refused():
    for wrong in (np.zeros((0, 3)), np.zeros((4, 2)), np.zeros(3)):
        with pytest.raises(ValueError, match="n >= 1"):
            convex_hull(wrong)
