"""The tables of the interval engine: pairs of the same links share a motion, which is the links' own, and made once."""

import numpy as np
import pytest

import tocsin
from advancement.moving_pair import moving_pair
from plain import PLAIN
from tocsin.advancement.workspace import make_workspace
from tocsin.interval.workspace import MOTIONS, lay_out, ready, ready_back

pytestmark = PLAIN


def laid_out(seed):
    moving = moving_pair(np.random.default_rng(seed), tocsin.Sphere(0.5), tocsin.Sphere(0.5))
    pairs = np.array([moving.pair, moving.pair])
    counts = np.zeros(8, np.int64)
    return moving, lay_out(pairs, 2, moving.world, moving.joints, make_workspace(64, 64), 0, counts)


def test_pairs_of_the_same_links_share_a_motion():
    _, workspace = laid_out(1)
    assert workspace.relation.tolist() == [0, 0]
    assert workspace.relatives[0]["frame_a"] != workspace.relatives[0]["frame_b"]
    assert len(workspace.matrices) == 3, "two links, and the identity"


def test_the_motion_in_the_middle_of_an_interval_is_that_of_the_links():
    for seed in range(5):
        moving, workspace = laid_out(seed)
        relative = ready(workspace, moving.joints, 0, 0.25, 0.5, 1)
        back = ready_back(workspace, moving.joints, 0, 0.25, 0.5, 1)
        a, b = moving.poses(0.375)
        seen = np.linalg.inv(a) @ b
        for p in np.random.default_rng(seed).normal(size=(10, 3)):
            for line, side, truth in ((relative["x0"], 0, seen), (back["y0"], 1, np.linalg.inv(seen))):
                off = np.linalg.norm(line[:, :3] @ p + line[:, 3] - truth[:3, :3] @ p - truth[:3, 3])
                assert off <= relative["rho"][side] * np.linalg.norm(p) + relative["tau"][side] + 1e-12


def test_a_moment_has_no_remainder_worth_the_name():
    moving, workspace = laid_out(3)
    relative = ready(workspace, moving.joints, 0, 0.5, 0.5, 1)
    a, b = moving.poses(0.5)
    assert relative["x0"] == pytest.approx((np.linalg.inv(a) @ b)[:3], abs=1e-12)
    assert max(relative["rho"][0], relative["tau"][0]) < 1e-12


def test_what_is_there_is_not_made_again():
    moving, workspace = laid_out(4)
    for stamp, made in ((1, 1), (1, 1), (2, 2), (2, 2)):
        ready(workspace, moving.joints, 0, 0.0, 1.0, stamp)
        ready(workspace, moving.joints, 1, 0.0, 1.0, stamp)
        assert workspace.counts[MOTIONS] == made
