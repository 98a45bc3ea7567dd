"""Static distances against exact rationals: small integers make every degenerate, flush and coplanar case likely."""

from fractions import Fraction

import numpy as np
import pytest

import tocsin
from tocsin import Status
from tocsin_bench.oracles import distance as tri


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


@pytest.mark.parametrize("method", ["advancement", "interval"])
def test_past_the_tip_of_a_needle_is_no_contact(method):
    """By the rounding of its normal a needle's face reaches past its tip: 2.8 mm here, and a tolerance of 0.1."""
    a = [[0.422136729742528, 0.6357982125907349, 0], [-0.5369552892826654, 0.26007301190469234, 0]]
    a = np.array([*a, [-0.32732656916059816, 0.34219526021354113, 0]])
    b = [[-0.5401137783966367, 0.2588356708230538, 2e-5], [0.3775505334245599, -0.0397071925474583, 0.9254081893370801]]
    b = np.array([*b, [-0.1889659561485646, 0.8668834312307339, 0.9765772712758123]])
    check(a, b)
    needle, face = tocsin.Body((a, [[0, 1, 2]]), name="a"), tocsin.Body((b, [[0, 1, 2]]), name="b")
    there = np.eye(4)
    there[2, 3] = 1.0
    hit = tocsin.Scene(needle, face).first_contact(needle.move(np.eye(4), there), method=method)
    reached = float(tri.exact_triangle_triangle(a + [0, 0, hit.time], b)) ** 0.5
    assert hit.status is Status.CONTACT
    assert reached <= hit.tolerance + 1e-14


@pytest.mark.parametrize("seed", range(4))
def test_integer_triangles(seed):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        a, b = rng.integers(-3, 4, (2, 3, 3)).astype(float)
        check(a, b)


@pytest.mark.parametrize("planes", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_integer_triangles_in_one_plane_and_in_two_that_are_parallel(seed, planes):
    rng = np.random.default_rng(seed)
    for _ in range(100):
        a, b = rng.integers(-2, 3, (3, 3)).astype(float), rng.integers(-6, 7, (3, 3)).astype(float)
        axis = rng.integers(3)
        a[:, axis], b[:, axis] = np.resize(rng.integers(-3, 4, planes), 2)
        check(a, b)
