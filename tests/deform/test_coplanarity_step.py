"""A leap to the moment at which two features are in one plane: never late, and right about what it settles."""

import math
from typing import Any

import numpy as np
import pytest

from deform.test_advance import EE, VF, random_pairs
from tocsin import vec
from tocsin.deform.certificate import largest
from tocsin.deform.coplanarity_step import coplanarity_step
from tocsin_bench.oracles import feature_gaps, feature_pairs


def ask(kind, p, q, begun, near, margin=0.0):
    """Leap with one pair, (4, 3) at time 0 and at time 1."""
    ends = []
    for corners in (p, q):
        a, b, c, d = (tuple(map(float, corner)) for corner in corners)
        both = (vec.sub(c, a), vec.sub(b, a), vec.sub(d, c)) if kind == EE else (
            vec.sub(b, a), vec.sub(b, c), vec.sub(d, b))  # fmt: skip
        ends.append(both)
    sizes = tuple(largest(x, y) for x, y in zip(*ends))
    given: Any = (*ends, sizes, near, margin)
    return coplanarity_step(kind == EE, begun > 0.0, begun, *given)


@pytest.mark.parametrize("kind", [VF, EE])
def test_what_a_leap_says_is_true(kind):
    t0, t1, scale = random_pairs(21, 1500)
    settled = 0
    for p, q, size in zip(t0, t1, scale.tolist()):
        truth = feature_pairs.first_contact(kind, p, q)
        first = 2.0 if truth is None else float(truth.hi)
        for begun in {0.0, min(0.5 * first, 0.5)}:
            t, contact, free = ask(kind, p, q, begun, 1e-7 * size)
            assert begun <= t <= 1.0
            assert not (free and truth is not None)
            assert free or t <= first * (1 + 1e-15)
            if contact:
                gap = math.sqrt(feature_gaps.exact_squared_distance(kind, p, q, float(t)))
                assert gap <= 1e-7 * size * (1 + 1e-12)
            settled += bool(free or contact)
    assert settled > 1000


@pytest.mark.parametrize("kind", [VF, EE])
def test_a_leap_keeps_the_margin(kind):
    rng = np.random.default_rng(4)
    settled = 0
    for _ in range(300):
        p = rng.normal(size=(4, 3))
        q = p + rng.normal(size=(4, 3))
        t, _, free = ask(kind, p, q, 0.0, 0.06, 0.05)
        settled += bool(free)
        if free or t > 0.0:
            spots = np.linspace(0.0, 1.0 if free else t, 25)[: None if free else -1]
        else:
            spots = []
        for s in spots:
            assert math.sqrt(feature_gaps.exact_squared_distance(kind, p, q, float(s))) > 0.05
    assert settled > 50
