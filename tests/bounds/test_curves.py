"""Joints on polynomials of time keep to their bounds, whatever the degree, the stretch and the slab."""

import numpy as np
import pytest

from tocsin_bench.campaigns.curves import attack, random_case


@pytest.mark.pure
def test_a_few_curves_keep_their_bounds():
    rng = np.random.default_rng(7)
    for _ in range(10):
        found = attack(random_case(rng), rng)
        assert max(found.values()) <= 1.0, found


def test_hundreds_of_curves_keep_their_bounds():
    rng = np.random.default_rng(8)
    for _ in range(300):
        found = attack(random_case(rng, links=int(rng.integers(1, 7))), rng)
        assert max(found.values()) <= 1.0, found
