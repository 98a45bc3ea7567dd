"""The direction between the closest points of two features: against the oracle, and its rate against differences."""

import numpy as np
import pytest

from tocsin.deform.closest import still_edge, still_face, toward_edge, toward_face
from tocsin_bench.oracles import distance as oracle

pytestmark = pytest.mark.pure


def tuples(rows):
    return tuple(tuple(map(float, row)) for row in rows)


def to_face(q):
    """Return how far the origin is from a triangle."""
    origin, (a, b, c) = np.zeros((1, 3)), q[:, None]
    sides = [oracle.point_segment(origin, x, y)[0] for x, y in ((a, b), (b, c), (c, a))]
    return float(np.sqrt(min(oracle.point_triangle(origin, a, b, c)[0], *sides)))


def corners(rng, n, round_numbers):
    return rng.integers(-2, 3, (n, 3)).astype(float) if round_numbers else rng.normal(size=(n, 3))


@pytest.mark.parametrize("round_numbers", [False, True])
def test_a_face_is_as_far_from_the_origin_as_the_oracle_says_and_the_direction_ends_on_it(round_numbers):
    rng = np.random.default_rng(1)
    for _ in range(300):
        q = corners(rng, 3, round_numbers)
        d, n, s, r = still_face(*tuples(q))
        truth = to_face(q)
        assert d == pytest.approx(truth, abs=1e-9)
        point = q[0] - s * (q[0] - q[1]) + r * (q[2] - q[0])
        assert np.linalg.norm(point) == pytest.approx(truth, abs=1e-9)
        if truth > 1e-6:
            unit = np.array(n) / np.linalg.norm(n)
            assert (q @ unit).min() == pytest.approx(truth, abs=1e-9)


@pytest.mark.parametrize("round_numbers", [False, True])
def test_edges_are_as_far_apart_as_the_oracle_says_and_the_direction_joins_them(round_numbers):
    rng = np.random.default_rng(2)
    for _ in range(300):
        a, b = corners(rng, 2, round_numbers), corners(rng, 2, round_numbers)
        d, n, s, r = still_edge(*tuples([b[0] - a[0], b[1] - a[0], b[0] - a[1], a[1] - a[0], b[1] - b[0]]))
        truth = float(np.sqrt(oracle.segment_segment(*a[:, None], *b[:, None])[0]))
        assert d == pytest.approx(truth, abs=1e-9)
        assert np.linalg.norm(b[0] + r * (b[1] - b[0]) - a[0] - s * (a[1] - a[0])) == pytest.approx(truth, abs=1e-9)
        if truth > 1e-6:
            unit = np.array(n) / np.linalg.norm(n)
            assert min((y - x) @ unit for x in a for y in b) == pytest.approx(truth, abs=1e-9)


def test_the_rate_of_the_direction_is_that_of_its_differences():
    rng = np.random.default_rng(3)
    checked = 0
    for _ in range(60):
        q, rate = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))

        def direction(t, q=q, rate=rate):
            p0, p1, p2 = q + t * rate
            v0, v1, v2 = rate
            found = toward_face(tuples([p0, p1, p2, p0 - p1, p2 - p0]), tuples([v0, v1, v0 - v1, v2 - v0]))
            return np.array(found[1]), np.array(found[2]), found[3:]

        h = 1e-6
        (before, _, _), (_, now, where), (after, _, _) = direction(-h), direction(0.0), direction(h)
        if min(min(where), 1.0 - sum(where)) < 1e-3 and max(where) > 1e-3:  # beside a side the feature changes
            continue
        np.testing.assert_allclose(now, (after - before) / (2 * h), atol=1e-5 * (1.0 + np.abs(now).max()))
        checked += 1
    assert checked > 20


def test_parallel_edges_and_points_have_a_direction_all_the_same():
    d, n, *_ = still_edge((0.0, 1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    assert d == 1.0
    assert n[1] > 0.0
    assert (n[0], n[2]) == (0.0, 0.0)
    d, n, *_ = still_face((0.0, 0.0, 2.0), (0.0, 0.0, 2.0), (0.0, 0.0, 2.0))
    assert d == 2.0
    d, *_ = toward_edge(tuples([(3.0, 0, 0)] * 3 + [(0.0, 0, 0)] * 2), tuples([(0.0, 0, 0)] * 5))[:1]
    assert d == 3.0
