"""Many questions in one call: each motion's numbers go to their places, and the first that is wrong is named."""

import math

import numpy as np

from plain import PLAIN
from tocsin.queries.kernels.batch import Batch, arcs_open, first_wrong, turned, within, write_poses, write_rows

pytestmark = PLAIN


def batch(numbers, places, quaternions=()):
    """Two points of one model with a row of seven: a place, and a quaternion."""
    row = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    return Batch(
        np.array(row * 2), np.array(places, np.int64), np.array(numbers, float), 2,
        np.array([[0, 7, 0, len(quaternions)]], np.int64), np.array(quaternions, np.int32), np.full(14, 10.0),
        np.zeros((1, 4), np.int64),
    )  # fmt: skip


def test_numbers_go_to_their_places_and_the_rest_is_the_template():
    given = batch([[1.0, 2.0], [3.0, 4.0]], [0, 7])
    configs = np.full(14, 99.0)
    write_rows(configs, given, 1)
    assert configs.tolist() == [3.0, 0, 0, 0, 0, 0, 1, 4.0, 0, 0, 0, 0, 0, 1]


def test_the_first_motion_that_cannot_be_followed_is_named():
    numbers = [[0.0, 1.0], [2.0, 3.0], [math.nan, 0.0], [99.0, 0.0]]
    given = batch(numbers, [0, 7])
    assert [within(given, i) for i in range(4)] == [True, True, False, False]
    assert first_wrong(given, given.template.copy()) == (2, 0, 0)
    assert first_wrong(batch(numbers[:2], [0, 7]), given.template.copy()) == (-1, -1, -1)
    assert first_wrong(batch([[0.0, 0.0], [0.0, 99.0]], [0, 7]), given.template.copy()) == (1, 0, 1)


def test_quaternions_among_the_numbers_are_looked_at_in_every_motion():
    plain, turning = batch([[0.0]], [0], [3]), batch([[1.0], [0.5]], [6], [3])
    assert not turned(plain)
    assert turned(turning)
    assert first_wrong(turning, turning.template.copy()) == (1, 0, 0), "not a unit quaternion"


def test_half_a_turn_that_rounding_leaves_open_is_left_to_a_single_question():
    given = batch([[0.0]], [0], [3])
    assert not arcs_open(given.template.copy(), given)


def test_poses_are_written_until_one_is_none():
    poses = np.stack([np.eye(4)] * 3)
    rows = np.zeros((3, 7))
    assert write_poses(poses, rows) == -1
    assert rows[:, 6].tolist() == [1.0] * 3
    poses[1, 0, 0] = 2.0
    assert write_poses(poses, rows) == 1
