"""Filters in single precision drop no pair that touches: against exact arithmetic, near the origin and far from it."""

import numpy as np
import pytest
from tests.oracles import feature_gaps, feature_pairs

from tocsin._jit import kernel
from tocsin._lanes import bits
from tocsin.deform.apart import ROUNDING
from tocsin.deform.filters import edge_edge_free, vertex_face_free
from tocsin.deform.overlap import single_up

VF, EE = feature_pairs.VERTEX_FACE, feature_pairs.EDGE_EDGE


@kernel
def ask(edges, table, seats, done, limit, noise, margin, out):
    """Write which pairs of each octet are proven free, as bits."""
    for q in range(seats.shape[0]):
        if edges:
            out[q] = bits(edge_edge_free(table, table, seats, q, done, limit, noise, margin))
        else:
            out[q] = bits(vertex_face_free(table, table, seats, q, done, limit, noise, margin))


def proven_free(kind, t0, t1, limit=1.0, margin=0.0):
    """Which of (n, 4, 3) pairs, n a multiple of eight, the filters prove to be free until `limit`."""
    n = len(t0)
    table = np.zeros((4 * n, 8), np.float32)
    table[:, :3], table[:, 3:6] = t0.reshape(-1, 3), t1.reshape(-1, 3)
    seats = np.arange(4 * n, dtype=np.int32).reshape(n // 8, 8, 4).transpose(0, 2, 1).copy()
    reach = max(abs(t0).max(), abs(t1).max())
    upto = min(np.float32(single_up(limit)), np.float32(1.0))
    out = np.zeros(n // 8, np.int64)
    noise, keep = (np.float32(single_up(x)) for x in (24.0 * ROUNDING * reach, margin * (1.0 + 2.0**-20)))
    ask(kind == EE, table, seats, np.float32(1.0) - upto, upto, noise, keep, out)
    return ((out[:, None] >> np.arange(8)) & 1).astype(bool).reshape(-1)


def pairs(seed, n, away):
    """Small features `away` from the origin, on courses that often meet, as often just miss."""
    rng = np.random.default_rng(seed)
    t0 = rng.normal(size=(n, 4, 3))
    t1 = t0 + rng.normal(size=(n, 4, 3)) * 10.0 ** rng.uniform(-2, 1, size=(n, 1, 1))
    flat = rng.random(n) < 0.3
    t0[flat, :, 2] *= 1e-4
    t1[flat, :, 2] *= 1e-4
    shift = away * rng.normal(size=(n, 1, 3))
    return t0 + shift, t1 + shift


@pytest.mark.parametrize("kind", [VF, EE])
@pytest.mark.parametrize("away", [0.0, 1e2, 1e5])
def test_no_pair_that_touches_is_dropped(kind, away):
    t0, t1 = pairs(3, 1600, away)
    free = proven_free(kind, t0, t1)
    touches = np.array([feature_pairs.first_contact(kind, a, b) is not None for a, b in zip(t0, t1)])
    assert touches.sum() > 50
    assert not (free & touches).any()
    assert away > 1e3 or free.sum() > 400


@pytest.mark.parametrize("kind", [VF, EE])
def test_a_margin_is_kept_until_the_limit(kind):
    t0, t1 = pairs(7, 1600, 1.0)
    limit, margin = 0.3, 0.07
    free = proven_free(kind, t0, t1, limit, margin)
    assert free.sum() > 200
    for s in np.linspace(0.0, limit, 40):
        gaps = feature_gaps.distances(kind, (1.0 - s) * t0 + s * t1)
        assert gaps[free].min() > margin


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1e12])
def test_tiny_and_huge_pairs_that_touch_are_kept(size):
    t0, t1 = pairs(9, 400, 0.0)
    touches = np.array([feature_pairs.first_contact(VF, a, b) is not None for a, b in zip(t0, t1)])
    assert touches.any()
    assert not (proven_free(VF, t0 * size, t1 * size) & touches).any()
