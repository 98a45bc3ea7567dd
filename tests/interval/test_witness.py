"""Two triangles at one moment: what is called touching has two points that show it, what is apart a direction."""

import math

import numpy as np
import pytest

from plain import PLAIN
from tocsin.interval.witness import APART, TOUCHING, edge_gap, separates, through, triangles_at, vertex_gap
from tocsin_bench.oracles import distance as oracle

pytestmark = PLAIN


def tuples(rows):
    return tuple(tuple(map(np.float64, row)) for row in rows)  # which divide by 0 as compiled code does


def test_what_is_said_of_triangles_is_true():
    rng = np.random.default_rng(1)
    said = {}
    for case in range(150):
        a, b = rng.normal(size=(2, 3, 3))
        b += (0.0, 0.0, float(rng.uniform(-1, 2)))
        if case % 5 == 0:  # needles and points
            b[2] = b[1] if case % 2 else 0.5 * (b[0] + b[1])
        truth = float(oracle.triangle_triangle(a[None], b[None])[0])
        need = float(rng.choice([0.0, 0.1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = triangles_at(tuples(a), tuples(b), need, need + 1e-6)
        said[found] = said.get(found, 0) + 1
        if found == APART:
            assert truth > need - 1e-12
        elif found == TOUCHING:
            assert truth <= need + 1e-6 + 1e-12
    assert said[APART] > 30
    assert said[TOUCHING] > 20


def test_an_edge_goes_through_a_face_or_passes_beside_it():
    face = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    assert through((0.2, 0.2, -1.0), (0.2, 0.2, 3.0), *face) == 0.0
    assert through((2.0, 0.0, -1.0), (2.0, 0.0, 1.0), *face) == pytest.approx(1.0)
    assert through((0.2, 0.2, 1.0), (0.2, 0.2, 3.0), *face) == math.inf
    assert through((0.2, 0.2, 1.0), (0.9, 0.2, 1.0), *face) == math.inf, "it goes along the plane"


def test_gaps_go_from_a_to_b():
    assert vertex_gap((0.2, 0.2, 2.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) == (0.0, 0.0, 2.0)
    gap = edge_gap((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.5, -1.0, 3.0), (0.5, 1.0, 3.0))
    assert gap == pytest.approx((0.0, 0.0, 3.0))


def test_a_direction_separates_by_its_own_length():
    low = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    high = tuple((x, y, z + 1.0) for x, y, z in low)
    for scale in (1e-9, 1.0, 1e9):
        assert separates((0.0, 0.0, scale), *low, *high, 0.999)
        assert not separates((0.0, 0.0, scale), *low, *high, 1.001)
        assert not separates((0.0, 0.0, -scale), *low, *high, 0.0)
