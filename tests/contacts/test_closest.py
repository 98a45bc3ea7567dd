"""The nearest pair of nodes comes first; the closest points of standing shapes are theirs."""

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.contacts.closest import GAP, put_in_order
from tocsin_bench.oracles import distance as oracle

pytestmark = PLAIN


def test_the_nearest_is_on_top_and_what_waits_below_stays():
    rng = np.random.default_rng(1)
    for _ in range(20):
        stack, waiting = np.zeros((16, 2), np.int32), np.zeros((16, GAP + 1))
        stack[0] = 90, 91  # from before: nearer, yet not looked at
        gaps = rng.permutation(8).astype(float)
        for top, gap in enumerate(gaps, 1):
            put_in_order(stack, waiting, 1, top, gap, int(gap), -int(gap))
        assert waiting[1:9, GAP].tolist() == sorted(gaps, reverse=True)
        assert stack[1:9, 0].tolist() == sorted(map(int, gaps), reverse=True)
        assert stack[0].tolist() == [90, 91]


def test_the_distance_of_two_soups_is_that_of_all_pairs():
    rng = np.random.default_rng(2)
    for _ in range(3):
        soups = [rng.normal(size=(5, 3, 3)) * 0.3 + (2.0 * k, 0, 0) for k in range(2)]
        faces = np.arange(15).reshape(5, 3)
        bodies = [tocsin.Body((soup.reshape(-1, 3), faces), name=str(k)) for k, soup in enumerate(soups)]
        found = tocsin.Scene(*bodies).distance()
        assert found.distance == pytest.approx(oracle.mesh_mesh(*soups), rel=1e-12)
        assert found.lower <= found.distance
