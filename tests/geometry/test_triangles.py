"""Closest points of triangles: always points of the triangles, however thin these are."""

import numpy as np
import pytest

from tocsin.geometry.triangles import closest_on_triangle, triangle_pair
from tocsin_bench.oracles import distance as tri


def needle(rng, thin):
    """Return a triangle whose third corner is about `thin` away from a point of the line through the others."""
    a, b = rng.uniform(-1, 1, (2, 3))
    c = a + rng.uniform(-0.1, 1.1) * (b - a) + thin * rng.normal(size=3)
    return np.array([a, b, c])[rng.permutation(3)]


def hovering(rng, a):
    """Return a triangle right over, or beside, another one, along its normal as computed; half of them wholly above."""
    b = needle(rng, 10.0 ** -rng.uniform(0, 17)) if rng.random() < 0.5 else rng.uniform(-1, 1, (3, 3))
    over = rng.dirichlet([1, 1, 1]) if rng.random() < 0.6 else np.array([1.3, -0.3, 0.0])
    n = np.cross(a[1] - a[0], a[2] - a[1])
    n /= max(np.linalg.norm(n), 1e-300)
    b = b - (b[0] if rng.random() < 0.6 else rng.dirichlet([1, 1, 1]) @ b) + over @ a
    b += n * 10.0 ** rng.uniform(-9, 0)
    if rng.random() < 0.5:
        height = (b - over @ a) @ n
        b -= np.outer(np.minimum(height - height[np.argmin(np.abs(height))], 0.0) * 2, n)
    return b


@pytest.mark.parametrize("seed", range(3))
def test_the_distance_is_never_below_the_exact_one_and_close_to_it(seed):
    rng = np.random.default_rng([5, seed])
    for _ in range(150):
        a = needle(rng, 10.0 ** -rng.uniform(0, 17))
        b = hovering(rng, a)
        d, x, y = triangle_pair(*(tuple(map(float, p)) for p in (*a, *b)))
        exact = float(tri.exact_triangle_triangle(a, b)) ** 0.5
        assert exact - 1e-14 <= d <= exact + 1e-6, (a.tolist(), b.tolist())
        for point, triangle in ((x, a), (y, b)):
            assert float(tri.exact_triangle_triangle([point] * 3, triangle)) ** 0.5 < 1e-14


def test_the_closest_point_of_a_needle_lies_on_it():
    rng = np.random.default_rng(7)
    for _ in range(400):
        a = needle(rng, 10.0 ** -rng.uniform(0, 17))
        n = np.cross(a[1] - a[0], a[2] - a[1])
        p = a[0] + rng.uniform(-1, 2) * (a[1] - a[0]) + n / max(np.linalg.norm(n), 1e-300) * 10.0 ** rng.uniform(-4, 0)
        x = closest_on_triangle(*(tuple(map(float, q)) for q in (p, *a)))
        assert float(tri.exact_triangle_triangle([x] * 3, a)) ** 0.5 < 1e-14, (p.tolist(), a.tolist())
