"""Pairs with recorded truths: nothing missed, nothing late, nothing beyond the tolerance without saying so."""

import argparse
import math

import numpy as np
import pytest

from data import data_folder
from tocsin_bench.campaigns import truth
from tocsin_bench.scenes import recorded_pairs


@pytest.fixture(scope="module")
def hand_made():
    return recorded_pairs.sample_queries(data_folder("sample-queries"))


@pytest.mark.parametrize("name", truth.TOLERANCES)
def test_no_hand_made_query_is_missed(hand_made, name):
    assert sum(len(group) for group in hand_made) == 5029
    for group in hand_made:
        times = truth.ask(group, truth.TOLERANCES[name])
        assert np.isfinite(times[group.truth]).all(), group.name


def test_every_hundredth_listed_pair_is_found_and_never_late():
    folder = data_folder("scalable-ccd-derived")
    tally = truth.Tally()
    for name in recorded_pairs.DERIVED:
        for group in recorded_pairs.derived(folder, name).groups:
            part = group.part(np.arange(0, len(group), 100 if len(group) > 1000 else 1))
            tally.add(part, truth.ask(part, 1e-6), truth.exact_times(part), np.full(len(part), 1e-6))
    assert tally.pairs > 1500
    assert tally.missed == tally.late == tally.beyond == 0


def test_the_funnels_first_times_are_met_within_the_tolerance():
    folder = data_folder("scalable-ccd-derived")
    first = math.inf
    for group in recorded_pairs.derived(folder, "cloth-funnel").groups:
        times = truth.ask(group, 1e-12)
        first = min(first, times[group.truth].min())
        for k, digits in group.digits.items():
            assert times[k] <= float(digits)
    assert first == pytest.approx(0.0452322203761476, abs=1e-6)


def test_the_funnel_as_a_whole_has_exactly_the_recorded_pairs():
    found = truth.whole(recorded_pairs.derived(data_folder("scalable-ccd-derived"), "cloth-funnel"))
    assert (found.recorded, found.missed, found.more) == (134, 0, 0)
    assert 0.0452322203761476 - 1e-9 <= found.first <= 0.0452322203761477


def test_unlisted_pairs_overlap_share_no_corner_and_are_not_listed():
    rng = np.random.default_rng(3)
    start = rng.uniform(0.0, 1.0, (60, 3))
    end = start + rng.normal(0.0, 0.1, start.shape)
    faces = rng.permutation(60).reshape(20, 3)
    edges = np.sort(np.concatenate([faces[:, :2], faces[:, 1:], faces[:, [0, 2]]]), axis=1)
    listed = {"vertex-face": np.array([[v, f] for v in range(30) for f in range(20)]), "edge-edge": np.array([[0, 1]])}
    mesh = recorded_pairs.Recorded("made", start, end, faces, edges, listed, ())
    for group, least in zip(recorded_pairs.unlisted(mesh, 40, 1), (20, 40)):
        assert least <= len(group) <= 40
        sides = (1, 3) if group.kind == "vertex-face" else (2, 2)
        for points in np.concatenate([group.t0, group.t1], axis=2).reshape(len(group), 4, 2, 3):
            a, b = points[: sides[0]].reshape(-1, 3), points[sides[0] :].reshape(-1, 3)
            assert (a.min(axis=0) <= b.max(axis=0)).all()
            assert (b.min(axis=0) <= a.max(axis=0)).all()
            assert len(np.unique(points[:, 0], axis=0)) == 4
        if group.kind == "vertex-face":  # those of the first thirty vertices are listed
            assert not any((point == start[:30]).all(axis=1).any() for point in group.t0[:, 0])


def test_a_number_that_is_no_double_is_refused(tmp_path):
    folder = tmp_path / "made" / "vertex-face"
    folder.mkdir(parents=True)
    rows = ["0,1,0,1,1,1,0"] * 8
    (folder / "data_0_0.csv").write_text("\n".join(rows))
    assert len(recorded_pairs.sample_queries(tmp_path)[0]) == 1
    rows[3] = "1,3,0,1,1,1,0"
    (folder / "data_0_0.csv").write_text("\n".join(rows))
    with pytest.raises(ValueError, match="not a double"):
        recorded_pairs.sample_queries(tmp_path)


def test_the_tally_sees_what_is_wrong():
    """A judge that cannot object proves nothing: answers made wrong on purpose are counted."""
    falling = np.array([[[1.0, 1.0, 1.0], [0, 0, 0], [4, 0, 0], [0, 4, 0]]])
    fallen = falling + np.array([[0.0, 0.0, -2.0], [0, 0, 0], [0, 0, 0], [0, 0, 0]])
    group = recorded_pairs.Group("made", "vertex-face", falling, fallen, np.array([True]), {})
    exact, tolerance = truth.exact_times(group), np.array([1e-3])
    for answer, wrong in ((math.inf, "missed"), (0.5 + 1e-15, "late"), (0.4, "beyond"), (0.49999, None)):
        tally = truth.Tally()
        tally.add(group, np.array([answer]), exact, tolerance)
        assert {name: getattr(tally, name) for name in ("missed", "late", "beyond")} == {
            name: int(name == wrong) for name in ("missed", "late", "beyond")
        }
    with pytest.raises(RuntimeError, match="contradicts"):
        truth.exact_times(recorded_pairs.Group("made", "vertex-face", falling, fallen, np.array([False]), {}))


def test_the_command_takes_a_part():
    data_folder("sample-queries")
    args = argparse.Namespace(count=3, unlisted=0, seed=1, no_ipctk=True)
    parts = dict(truth.groups(args))
    assert parts.keys() == {"sample-queries", *recorded_pairs.DERIVED}
    assert all(len(group) <= 3 for group in parts.values())
