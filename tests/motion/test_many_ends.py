"""Motions of many bodies are those of single ones, bit by bit."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import tocsin
from tocsin.errors import TocsinError
from tocsin.motion.arcs import write_all_ends

BALLS = [tocsin.Body(tocsin.Sphere(0.1), name=f"ball{k}") for k in range(12)]


def poses(seed):
    found = np.tile(np.eye(4), (12, 1, 1))
    found[:, :3, :3] = Rotation.random(12, random_state=seed).as_matrix()
    found[:, :3, 3] = np.random.default_rng(seed).normal(size=(12, 3))
    return found


@pytest.mark.pure
def test_motions_of_many_are_those_of_each():
    starts, ends = poses(1), poses(2)
    ends[3] = starts[3]
    ends[4, :3, :3] = starts[4, :3, :3] @ np.diag([1.0, -1.0, -1.0])  # half a turn: arcs that only rationals decide
    starts[5, :3, :3], ends[5, :3, :3] = np.eye(3), np.diag([-1.0, -1.0, 1.0])
    together = tocsin.Body.move_all(BALLS, starts, ends)
    for body, motion, start, end in zip(BALLS, together, starts, ends):
        alone = body.move(start, end)
        assert motion.model is body
        assert motion.rows.tobytes() == alone.rows.tobytes() == motion.configs.tobytes()
        assert not motion.rows.flags.writeable
    before = together[0].rows.copy()
    starts[:] = 7.0
    assert np.array_equal(together[0].rows, before), "what is handed in is copied"


@pytest.mark.pure
def test_places_and_lists_will_do():
    starts = np.arange(36.0).reshape(12, 3)
    for given in (starts, starts.tolist(), starts.astype(np.float32)):
        motions = tocsin.Body.move_all(BALLS, given, np.zeros((12, 3)))
        assert [m.rows[0, :3].tolist() for m in motions] == starts.tolist()
    assert tocsin.Body.move_all([], np.zeros((0, 3)), np.zeros((0, 4, 4))) == ()


@pytest.mark.pure
def test_what_is_wrong_is_said():
    good = poses(1)
    for bad, said in (
        (good[:5], "poses_t1 must have shape"),
        (np.zeros((12, 2)), "poses_t1 must have shape"),
        (np.full((12, 3), np.nan), "finite"),
        (good * np.where(np.arange(12) == 7, 2.0, 1.0)[:, None, None], "'ball7'"),
        ("nowhere", "poses_t1"),
    ):
        with pytest.raises(TocsinError, match=said):
            tocsin.Body.move_all(BALLS, good, bad)
    with pytest.raises(TocsinError, match="must be a sequence of bodies; one of them is 1"):
        tocsin.Body.move_all([1], np.zeros((1, 3)), np.zeros((1, 3)))


@pytest.mark.pure
def test_those_that_need_a_closer_look_are_marked():
    starts, ends = poses(1), poses(2)
    ends[2] *= 3.0
    rows, plain = np.zeros((12, 2, 7)), np.ones(12, np.bool_)
    write_all_ends(starts, ends, rows, plain)
    assert plain.tolist() == [k != 2 for k in range(12)]
