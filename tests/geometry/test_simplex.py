"""The point of a simplex closest to the origin: against a dense search over its points, and on degenerate ones."""

from itertools import combinations

import numpy as np
import pytest

from tocsin.geometry.simplex import segment_weights, tetrahedron_weights, triangle_weights

pytestmark = pytest.mark.pure


def closest(corners):
    """Return the least distance of a simplex to the origin: over all faces, where the closest point of their planes is
    inside them."""
    best = min(np.linalg.norm(c) for c in corners)
    for size in range(2, len(corners) + 1):
        for face in combinations(corners, size):
            base, sides = face[0], np.array(face[1:]) - face[0]
            w, *_ = np.linalg.lstsq(sides.T, -base, rcond=None)
            if (w >= 0).all() and w.sum() <= 1.0:
                best = min(best, np.linalg.norm(base + w @ sides))
    return best


def weights_of(corners):
    points = [tuple(map(float, c)) for c in corners]
    if len(points) == 4:
        return tetrahedron_weights(*points)[1]
    return (segment_weights if len(points) == 2 else triangle_weights)(*points)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_weights_lead_to_the_closest_point(size):
    rng = np.random.default_rng(size)
    for k in range(300):
        corners = rng.normal(size=(size, 3)) + (rng.normal(size=3) if k % 2 else 0.0)
        w = np.array(weights_of(corners))
        assert (w >= 0.0).all()
        assert w.sum() == pytest.approx(1.0, abs=1e-14)
        assert np.linalg.norm(w @ corners) == pytest.approx(closest(corners), abs=1e-9)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_on_round_numbers_too(size):
    rng = np.random.default_rng(10 + size)
    for _ in range(300):
        corners = rng.integers(-1, 2, size=(size, 3)).astype(float)
        if len(np.unique(corners, axis=0)) < 2:
            continue
        w = np.array(weights_of(corners))
        assert np.linalg.norm(w @ corners) == pytest.approx(closest(corners), abs=1e-9)


def test_the_origin_is_inside_a_tetrahedron_around_it_and_outside_one_beside_it():
    around = [(1.0, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1.0)]
    inside, w = tetrahedron_weights(*around)
    assert inside
    assert w == (0.25, 0.25, 0.25, 0.25)
    assert not tetrahedron_weights(*((x + 4.0, y, z) for x, y, z in around))[0]


def test_a_flat_tetrahedron_is_its_faces():
    flat = [(1.0, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1.0)]
    inside, w = tetrahedron_weights(*flat)
    assert not inside
    np.testing.assert_allclose(np.array(w) @ np.array(flat), (0, 0, 1), atol=1e-15)


def test_a_segment_of_no_length_is_its_first_end():
    assert segment_weights((1.0, 2.0, 3.0), (1.0, 2.0, 3.0)) == (1.0, 0.0)
