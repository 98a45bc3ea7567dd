"""Boxes, spheres and line-swept spheres contain their points exactly, and are tight."""

from fractions import Fraction

import numpy as np
import pytest

from tocsin.geometry.lss import fit_lss, swept_radius
from tocsin.geometry.obb import fit_obb, tight_box
from tocsin.geometry.sphere import bounding_sphere

from .point_sets import NAMES, SCALES, SETS, exact


def solve3(rows, right):
    """Exact solution of a 3x3 system by Cramer's rule."""

    def det(m):
        return (
            m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
            - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
        )

    whole = det(rows)
    swapped = [[[right[i] if j == k else rows[i][j] for j in range(3)] for i in range(3)] for k in range(3)]
    return [det(m) / whole for m in swapped]


def assert_in_box(points, center, axes, half):
    axes, (center,), (half,) = exact(axes), exact(center), exact(half)
    columns = [[axes[k][j] for k in range(3)] for j in range(3)]
    for p in exact(points):
        d = [a - b for a, b in zip(p, center)]
        for k in range(3):
            assert abs(sum(a * b for a, b in zip(axes[k], d))) <= half[k]
        for x, h in zip(solve3(columns, d), half):
            assert abs(x) <= h


def square(v):
    return sum(x * x for x in v)


def assert_in_swept_sphere(points, p0, p1, radius):
    (p0,), (p1,) = exact(p0), exact(p1)
    e = [b - a for a, b in zip(p0, p1)]
    for p in exact(points):
        d = [a - b for a, b in zip(p, p0)]
        s = sum(a * b for a, b in zip(d, e)) / square(e) if square(e) else Fraction(0)
        s = min(max(s, Fraction(0)), Fraction(1))
        assert square([a - s * b for a, b in zip(d, e)]) <= Fraction(radius) ** 2


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("name", "points"), SETS, ids=NAMES)
def test_every_point_is_contained_in_exact_arithmetic(name, points, scale):
    points = points * scale
    center, axes, half = fit_obb(points)
    assert_in_box(points, center, axes, half)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    middle, radius = bounding_sphere(points)
    assert_in_swept_sphere(points, middle, middle, radius)
    assert_in_swept_sphere(points, *fit_lss(points))


def test_containment_does_not_depend_on_good_axes_or_segments():
    rng = np.random.default_rng(3)
    for _ in range(30):
        points = rng.normal(size=(8, 3)) * 10.0 ** rng.integers(-3, 4, size=3) + rng.normal(size=3)
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0] + rng.normal(size=(3, 3)) * 1e-10
        center, half = tight_box(points, axes)
        assert_in_box(points, center, axes, half)
        p0, p1 = rng.normal(size=(2, 3))
        assert_in_swept_sphere(points, p0, p1, swept_radius(points, p0, p1))


def test_small_spheres_and_segments_leave_no_point_out():
    """Few points touch exactly, so that every rounding the wrong way shows."""
    rng = np.random.default_rng(9)
    for _ in range(300):
        points = rng.normal(size=(rng.integers(2, 6), 3))
        center, radius = bounding_sphere(points)
        assert_in_swept_sphere(points, center, center, radius)
        p0, p1 = points[:2]
        assert_in_swept_sphere(points, p0, p1, swept_radius(points, p0, p1))


@pytest.mark.parametrize("scale", [1e-320, 5e-324])
def test_subnormal_points_are_contained(scale):
    points = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [3, 1, 2.0]]) * scale
    center, half = tight_box(points, np.eye(3))
    assert_in_box(points, center, np.eye(3), half)
    middle, radius = bounding_sphere(points)
    assert_in_swept_sphere(points, middle, middle, radius)


@pytest.mark.parametrize(("name", "points"), SETS, ids=NAMES)
def test_scaling_by_a_power_of_two_gives_the_same_bits(name, points):
    for factor in (2.0**-37, 2.0**80):
        center, axes, half = fit_obb(points)
        center_s, axes_s, half_s = fit_obb(points * factor)
        assert np.array_equal(axes, axes_s)
        assert np.array_equal(center * factor, center_s)
        assert np.array_equal(half * factor, half_s)
        middle, radius = bounding_sphere(points)
        middle_s, radius_s = bounding_sphere(points * factor)
        assert np.array_equal(middle * factor, middle_s)
        assert radius * factor == radius_s
        for a, b in zip(fit_lss(points), fit_lss(points * factor)):
            assert np.array_equal(np.asarray(a) * factor, b)


def test_very_many_points_are_contained_and_the_box_stays_tight():
    rng = np.random.default_rng(8)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    direction = rng.normal(size=(20000, 3))
    ellipsoid = direction / np.linalg.norm(direction, axis=1)[:, None] * (3, 2, 1) @ turn
    center, axes, half = fit_obb(ellipsoid)
    assert np.all(np.abs((ellipsoid - center) @ axes.T) <= half * (1 + 1e-14))
    assert np.prod(half) < 6 * 1.02
    outermost = ellipsoid[np.argsort(np.abs((ellipsoid - center) @ axes.T).max(axis=1))[-100:]]
    assert_in_box(outermost, center, axes, half)
    p0, p1, radius = fit_lss(ellipsoid)
    assert radius < 2.05
    assert_in_swept_sphere(ellipsoid[::50], p0, p1, radius)


@pytest.mark.pure
def test_boxes_and_swept_spheres_run_as_plain_python():
    points = np.random.default_rng(0).normal(size=(6, 3))
    center, axes, half = fit_obb(points)
    assert_in_box(points, center, axes, half)
    assert_in_swept_sphere(points, *fit_lss(points))


def test_no_points_is_an_error():
    for fit in (fit_obb, fit_lss, bounding_sphere):
        with pytest.raises(ValueError, match=r"point|n >= 1"):
            fit(np.zeros((0, 3)))
