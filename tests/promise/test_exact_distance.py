"""Static distances against exact rationals: small integers make every degenerate, flush and coplanar case likely."""

from fractions import Fraction

import numpy as np
import pytest

import tocsin
from oracles import distance as tri
from tocsin import Status


def measured(a, b):
    """Return the library's answers about two triangles where they are."""
    scene = tocsin.Scene(tocsin.Body((a, [[0, 1, 2]]), name="a"), tocsin.Body((b, [[0, 1, 2]]), name="b"))
    return scene.distance(), scene.first_contact(tolerance=1e-6)


def check(a, b):
    """Compare them with the exact distance."""
    squared = tri.exact_triangle_triangle(a, b)
    exact = float(squared) ** 0.5
    found, hit = measured(a, b)
    assert found.distance == pytest.approx(exact, abs=1e-12), (a.tolist(), b.tolist())
    assert Fraction(found.lower) ** 2 <= squared or found.lower <= 0
    assert np.linalg.norm(found.point_a - found.point_b) == pytest.approx(found.distance, abs=1e-12)
    assert hit.status is (Status.INITIAL_CONTACT if exact <= 1e-6 else Status.FREE)


def test_a_triangle_inside_a_coplanar_one_touches_it():
    check(np.array([[1, 1, 0], [2, 1, 0], [2, 2, 0.0]]), np.array([[0, 0, 0], [10, 0, 0], [0, 10, 0.0]]))


@pytest.mark.parametrize("seed", range(4))
def test_integer_triangles(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        a, b = rng.integers(-3, 4, (2, 3, 3)).astype(float)
        check(a, b)


@pytest.mark.parametrize("seed", range(2))
def test_coplanar_integer_triangles(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        a, b = rng.integers(-2, 3, (3, 3)).astype(float), rng.integers(-6, 7, (3, 3)).astype(float)
        axis = rng.integers(3)
        a[:, axis] = b[:, axis] = rng.integers(-3, 4)
        check(a, b)


@pytest.mark.parametrize("seed", range(2))
def test_parallel_integer_triangles(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        a, b = rng.integers(-2, 3, (3, 3)).astype(float), rng.integers(-6, 7, (3, 3)).astype(float)
        axis = rng.integers(3)
        a[:, axis], b[:, axis] = rng.integers(-3, 4, 2)
        check(a, b)
