"""Crowds are free where they are said to be, and some meet where they may; others' broad phases see what overlaps."""

import importlib.util

import numpy as np
import pytest

from tocsin_bench.peers import broad_phases
from tocsin_bench.scenes import crowds


@pytest.mark.parametrize("kind", crowds.KINDS)
def test_crowds_that_drift_are_free_and_those_that_rush_meet(kind):
    free = crowds.crowd(kind, 40, 2)
    assert all(free.scene.is_free(*question) for question in free.questions)
    meet = crowds.crowd(kind, 300, 3, contact=True)
    hits = [meet.scene.first_contact(*question) for question in meet.questions]
    assert any(hit.collides for hit in hits)
    assert all(hit.time > 0.0 for hit in hits)


@pytest.mark.skipif(importlib.util.find_spec("fcl") is None, reason="needs python-fcl")
def test_fcl_sees_the_pairs_whose_boxes_overlap():
    """Its own boxes are those of the balls around turned ones, and larger."""
    case = crowds.crowd("boxes", 120, 1, contact=True)
    frames = crowds.poses(120, 1, crowds.RUSH)
    peer = broad_phases.FclTree(list(case.scene.models))
    peer.place(frames[1])
    half = 0.5 * crowds.SIZE * np.abs(frames[1][:, :3, :3]).sum(axis=2)
    low, high = frames[1][:, :3, 3] - half, frames[1][:, :3, 3] + half
    meet = np.all((low[:, None] <= high[None]) & (low[None] <= high[:, None]), axis=2)
    assert peer.ask() >= np.triu(meet, 1).sum() > 0
