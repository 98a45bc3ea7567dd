"""The sieve drops no feature pair that touches, and lists each once: against exact arithmetic, near and far."""

from itertools import product

import numpy as np
import pytest

from tocsin.deform.feature_filter import OF_A, OF_B, filter_features, make_cards
from tocsin.deform.mesh_arrays import MeshArrays, MeshPair
from tocsin.deform.narrow import make_workspace
from tocsin.deform.topology import FACE
from tocsin_bench.oracles import feature_gaps, feature_pairs

from .courses import courses

VF, EE = feature_pairs.VERTEX_FACE, feature_pairs.EDGE_EDGE
SIDES = ((0, 1), (1, 2), (2, 0))


def elements(t0, t1, owned=None):
    """Triangles (n, 3, 3) as a side; what the sieve does not need is empty.

    Each has all of its corners and edges and itself, or of these seven what is `owned`, (n, 7).
    """
    n = len(t0)
    owned = np.ones((n, 7), bool) if owned is None else owned
    corners = np.arange(3 * n, dtype=np.int32).reshape(n, 3)
    table = np.zeros((3 * n, 8), np.float32)
    table[:, :3], table[:, 3:6] = t0.reshape(-1, 3), t1.reshape(-1, 3)
    known = {
        "cards": make_cards(
            corners, np.where(owned[:, 3:6], corners, -1), owned[:, [0, 1, 2, 6]] @ np.array([1, 2, 4, FACE], np.uint8)
        ),
        "table": table,
        "same": np.arange(3 * n, dtype=np.int32),
        "measures": np.array([max(abs(t0).max(), abs(t1).max())] + [0.0] * 8),
    }
    return MeshArrays(**{field: known.get(field, np.zeros(0)) for field in MeshArrays._fields})


def kept(t0, t1, limit=1.0, margin=0.0, itself=False, owned=(None, None)):
    """The feature pairs of n pairs of triangles (n, 6, 3) that the sieve leaves, by kind: (pair, of a, of b)."""
    a, b = elements(t0[:, :3], t1[:, :3], owned[0]), elements(t0[:, 3:], t1[:, 3:], owned[1])
    workspace = make_workspace()
    workspace.pairs[: len(t0), :2] = np.arange(len(t0))[:, None]
    pair = MeshPair(a, b, itself, margin, 0.0, False)
    faced, facing, edged, total = filter_features(pair, workspace, len(t0), limit, margin)
    assert itself or owned[0] is not None or total == 15 * len(t0)
    rows = workspace.faced[:faced], workspace.facing[:facing], workspace.edged[:edged]
    ours = [{(r[OF_B], r[OF_A] % 3, 0) for r in rows[0]}, {(r[OF_A], r[OF_B] % 3, 0) for r in rows[1]},
            {(r[OF_A] // 3, r[OF_A] % 3, r[OF_B] % 3) for r in rows[2]}]  # fmt: skip
    assert [len(part) for part in ours] == [faced, facing, edged]
    return [{tuple(map(int, row)) for row in part} for part in ours]


def dropped(t0, t1, **options):
    """Yield (kind, four points at both ends) of every feature pair that is not left."""
    faced, facing, edged = kept(t0, t1, **options)
    for p, k in product(range(len(t0)), range(3)):
        if (p, k, 0) not in faced:
            yield VF, [t[p][[k, 3, 4, 5]] for t in (t0, t1)]
        if (p, k, 0) not in facing:
            yield VF, [t[p][[3 + k, 0, 1, 2]] for t in (t0, t1)]
        for m in range(3):
            if (p, k, m) not in edged:
                rows = [*SIDES[k], 3 + SIDES[m][0], 3 + SIDES[m][1]]
                yield EE, [t[p][rows] for t in (t0, t1)]


def triangles(seed, n, away):
    """Pairs of triangles `away` from the origin, on courses that often meet, as often just miss."""
    rng = np.random.default_rng(seed)
    t0, t1 = courses(rng, n, 6)
    apart = rng.normal(size=(n, 1, 3)) * rng.uniform(0.0, 2.0, size=(n, 1, 1))
    t0[:, 3:] += apart
    t1[:, 3:] += apart
    shift = away * rng.normal(size=(n, 1, 3))
    return t0 + shift, t1 + shift


@pytest.mark.parametrize("away", [0.0, 1e2, 1e5])
def test_no_feature_pair_that_touches_is_dropped(away):
    t0, t1 = triangles(3, 200, away)
    left_out = list(dropped(t0, t1))
    assert away > 1e3 or len(left_out) > 500
    for kind, (p, q) in left_out:
        assert feature_pairs.first_contact(kind, p, q) is None


def test_a_margin_is_kept_until_the_limit():
    t0, t1 = triangles(7, 300, 1.0)
    limit, margin = 0.3, 0.07
    left_out = list(dropped(t0, t1, limit=limit, margin=margin))
    assert len(left_out) > 500
    for kind in (VF, EE):
        p, q = (np.array([ends[k] for what, ends in left_out if what == kind]) for k in (0, 1))
        for s in np.linspace(0.0, limit, 20):
            assert feature_gaps.distances(kind, (1.0 - s) * p + s * q).min() > margin


@pytest.mark.parametrize("size", [1e-30, 1e-12, 1e12])
def test_tiny_and_huge_features_that_touch_are_kept(size):
    t0, t1 = triangles(9, 60, 0.0)
    for kind, (p, q) in dropped(t0 * size, t1 * size):
        assert feature_pairs.first_contact(kind, p / size, q / size) is None


def test_features_with_a_common_vertex_are_no_pairs():
    t0, t1 = triangles(2, 20, 0.0)
    assert not any(kept(t0, t1, itself=True))  # both sides have the same numbers: all corners in common


def test_elements_that_represent_nothing_leave_the_others_as_they_are():
    """More than fit into a block, most of which represent nothing: what is left is what is left of all, of its own."""
    t0, t1 = triangles(4, 700, 0.0)
    rng = np.random.default_rng(6)
    a, b = (rng.random((700, 7)) < rng.choice([0.0, 0.3, 1.0], (700, 1), p=[0.5, 0.3, 0.2]) for _ in range(2))
    faced, facing, edged = kept(t0, t1)
    own = [
        {(p, k, z) for p, k, z in faced if a[p, k] and b[p, 6]},
        {(p, k, z) for p, k, z in facing if b[p, k] and a[p, 6]},
        {(p, k, m) for p, k, m in edged if a[p, 3 + k] and b[p, 3 + m]},
    ]
    assert min(map(len, own)) > 5
    assert kept(t0, t1, owned=(a, b)) == own
