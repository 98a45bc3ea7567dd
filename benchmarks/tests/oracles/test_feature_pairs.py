"""The exact truth of moving feature pairs, against answers known by hand and truths that others computed."""

import math
from fractions import Fraction

import numpy as np
import pytest

from data import data_folder
from tocsin_bench.oracles import feature_gaps, feature_pairs
from tocsin_bench.oracles.feature_pairs import EDGE_EDGE, VERTEX_FACE
from tocsin_bench.scenes import recorded_pairs

FACE = [[0, 0, 0], [4, 0, 0], [0, 4, 0]]
UNIT = [[0, 0, 0], [1, 0, 0]]


HALF = Fraction(1, 2)


def shifted(points, by):
    return [[a + b for a, b in zip(p, by)] for p in points]


@pytest.mark.parametrize(
    ("kind", "t0", "t1", "time"),
    [
        (VERTEX_FACE, [[1, 1, 1], *FACE], [[1, 1, -3], *FACE], Fraction(1, 4)),
        (VERTEX_FACE, [[1, 1, 1], *FACE], [[1, 1, 0], *FACE], 1),  # exactly at the end
        (VERTEX_FACE, [[1, 1, 0], *FACE], [[1, 1, 5], *FACE], 0),  # touching at the start, then leaving
        (VERTEX_FACE, [[2, 2, 1], *FACE], [[2, 2, -1], *FACE], HALF),  # through the middle of an edge
        (VERTEX_FACE, [[4, 0, 1], *FACE], [[4, 0, -1], *FACE], HALF),  # through a corner
        (VERTEX_FACE, [[2, 3, 1], *FACE], [[2, 3, -1], *FACE], None),  # just outside of an edge
        (VERTEX_FACE, [[-1, 1, 0], *FACE], [[3, 1, 0], *FACE], Fraction(1, 4)),  # always coplanar: into the face
        (VERTEX_FACE, [[-1, 5, 0], *FACE], [[3, 5, 0], *FACE], None),  # always coplanar: past it
        (VERTEX_FACE, [[1, 1, 0], *FACE], [[1, 1, 0], *FACE], 0),  # nothing moves, inside
        (VERTEX_FACE, [[3, 3, 0], *FACE], [[3, 3, 0], *FACE], None),  # nothing moves, beside
        (VERTEX_FACE, [[0, 0, 1], *3 * [[0, 0, 0]]], [[0, 0, -1], *3 * [[0, 0, 0]]], HALF),  # a point
        (VERTEX_FACE, [[1, 0, 1], [0, 0, 0], [2, 0, 0], [2, 0, 0]], [[1, 0, -1], [0, 0, 0], [2, 0, 0], [2, 0, 0]],
         HALF),  # a segment
        (EDGE_EDGE, [*UNIT, [0.5, -1, 1], [0.5, 1, 1]], [*UNIT, [0.5, -1, -1], [0.5, 1, -1]], HALF),
        (EDGE_EDGE, [*UNIT, *shifted(UNIT, (0, 0, 1))], [*UNIT, *shifted(UNIT, (0, 0, -1))], HALF),  # parallel
        (EDGE_EDGE, [*UNIT, *shifted(UNIT, (3, 0, 0))], [*UNIT, *shifted(UNIT, (-1, 0, 0))], HALF),  # collinear
        (EDGE_EDGE, [*UNIT, *shifted(UNIT, (3, 1, 0))], [*UNIT, *shifted(UNIT, (-1, 1, 0))], None),  # coplanar, apart
        (EDGE_EDGE, [*UNIT, [1, 0, 1], [2, 0, 1]], [*UNIT, [1, 0, -1], [2, 0, -1]], HALF),  # end on end
        (EDGE_EDGE, [*UNIT, *2 * [[0.5, 0, 1]]], [*UNIT, *2 * [[0.5, 0, -3]]], Fraction(1, 4)),  # one is a point
    ],
)  # fmt: skip
def test_times_known_by_hand(kind, t0, t1, time):
    found = feature_pairs.first_contact(kind, t0, t1)
    assert (found is None) == (time is None)
    if found is not None:
        assert found.lo <= time <= found.hi


def test_an_irrational_time_is_known_to_forty_digits():
    # The vertex runs along x = 1 + t and falls, z = 1 - 2 t; the face rises around the y axis, z = x t, below it:
    # 1 - 2 t = (1 + t) t, so t = (sqrt(13) - 3) / 2.
    t0 = [[1, 0, 1], [0, -1, 0], [0, 1, 0], [2, 0, 0]]
    t1 = [[2, 0, -1], [0, -1, 0], [0, 1, 0], [2, 0, 2]]
    found = feature_pairs.first_contact(VERTEX_FACE, t0, t1)
    assert found.digits() == "0.3027756377319946465596106337352479731256"


@pytest.mark.parametrize("kind", [VERTEX_FACE, EDGE_EDGE])
def test_random_pairs_agree_with_their_distances(kind):
    rng = np.random.default_rng(7)
    t0, t1 = rng.integers(-8, 9, (2, 400, 4, 3)).astype(float)
    t1[:100] = t0[:100] + np.round(t1[:100] / 8)  # short motions, often degenerate
    t0[100:150, :, 2] = t1[100:150, :, 2] = 0.0  # always coplanar
    beyond = feature_gaps.stays_beyond(kind, t0, t1, 1e-9)
    n_contacts = 0
    for q0, q1, clear in zip(t0, t1, beyond):
        found = feature_pairs.first_contact(kind, q0, q1)
        # Integers this small come no nearer than 1e-9 without touching: a separation is a root of small integers.
        assert (found is None) == clear
        if found is not None:
            n_contacts += 1
            at = feature_gaps.distances(kind, (q0 + float(found) * (q1 - q0))[None])
            assert at[0] < 1e-12
            if found.lo > 0:  # and never before
                early = q0 + float(found) * (1 - 1e-3) * (q1 - q0)
                assert feature_gaps.stays_beyond(kind, q0[None], early[None], 0.0)[0]
    assert 30 < n_contacts < 370


def test_a_miss_by_less_than_any_double_could_say_is_seen():
    beside = [2 + Fraction(1, 2**1000), 2, 1]
    assert feature_pairs.first_contact(VERTEX_FACE, [[2, 2, 1], *FACE], [[2, 2, -1], *FACE]) is not None
    assert feature_pairs.first_contact(VERTEX_FACE, [beside, *FACE], [[*beside[:2], -1], *FACE]) is None


def test_all_given_truths_of_the_hand_made_queries_are_confirmed(sample_queries):
    for group in sample_queries:
        for k, given in enumerate(group.truth):
            found = feature_pairs.first_contact(group.kind, group.t0[k].tolist(), group.t1[k].tolist())
            assert (found is not None) == given, f"{group.name} query {k}"


def test_all_forty_digits_of_the_funnel_are_confirmed(derived_folder):
    mesh = recorded_pairs.derived(derived_folder, "cloth-funnel")
    first = math.inf
    for group in mesh.groups:
        for k, given in enumerate(group.truth):
            found = feature_pairs.first_contact(group.kind, group.t0[k].tolist(), group.t1[k].tolist())
            assert (found is not None) == given
            if found is not None:
                assert abs(Fraction(group.digits[k]) - found.lo) < Fraction(1, 10**38)
                first = min(first, float(found))
    assert first == 0.04523222037614761


@pytest.fixture(scope="module")
def sample_queries():
    return recorded_pairs.sample_queries(data_folder("sample-queries"))


@pytest.fixture(scope="module")
def derived_folder():
    return data_folder("scalable-ccd-derived")
