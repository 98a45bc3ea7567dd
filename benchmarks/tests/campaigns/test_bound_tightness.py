"""The measured comparison stands on bounds that hold: nothing sampled ever exceeds them."""

import numpy as np
import pytest

from tocsin_bench.campaigns import bound_chains, bound_tightness, bounds
from tocsin_bench.campaigns.paper_bound import paper_bound


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="long double is no wider than double here")
def test_extended_precision_finds_no_escape():
    escapes, _, share = bounds.attack(20_000, 11)
    assert escapes == 0
    assert share <= 1.0


def test_both_motion_bounds_hold_against_samples():
    rng = np.random.default_rng(1)
    for links in (1, 2, 4, 9):
        joints = bound_chains.arms(rng, 200, links, 2.0)
        for h in (1.0, 0.1):
            out = np.zeros((200, 3))
            directions = bound_chains.unit_vectors(rng, 200)
            chain = bound_chains.serial(links)
            bound_tightness._displacements(
                joints, chain, bound_tightness.CENTER, bound_tightness.HALF, directions, h, 65, out
            )
            assert (out[:, 2] <= out[:, 0]).all()
            assert (out[:, 2] <= out[:, 1]).all()


@pytest.mark.pure
def test_equation_10_counts_the_joint_of_the_link_itself():
    # Taken as printed, with sums that end at i - 1, this chain would not move at all.
    rng = np.random.default_rng(2)
    joints = bound_chains.arms(rng, 1, 2, 1.0)[0].copy()
    joints["rate"] = (0.0, 0.5)
    assert paper_bound(joints, (1.0, 0.0, 0.0), 0.3, 0.0, 1.0) >= 0.15


def test_taylor_boxes_stay_tight_where_intervals_explode():
    study = bound_tightness.study(3, longest=6, cases=40)
    assert (study.taylor >= 1.0 - 1e-9).all()
    assert (study.taylor < 1.05).all()
    assert (study.interval[:, -1] > 3.0).all()
