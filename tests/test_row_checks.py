"""What rows are poses and configurations: every way to be wrong has its number, and what is right is kept."""

import math

import numpy as np
import pytest

from plain import PLAIN
from tocsin.row_checks import (
    LARGEST,
    ORTHONORMAL,
    RIGID,
    check_row,
    copy_checked,
    deviation,
    nearest_rotation,
    write_pose,
)

pytestmark = PLAIN

NONE = np.zeros(0, np.int32)


def turned(angle):
    c, s = math.cos(angle), math.sin(angle)
    pose = np.eye(4)
    pose[:2, :2] = ((c, -s), (s, c))
    pose[:3, 3] = 1.0, 2.0, 3.0
    return pose


def tuples(matrix):
    return tuple(tuple(map(float, row)) for row in matrix)


@pytest.mark.parametrize("angle", [0.0, 0.5, math.pi / 2, -3.0])
def test_a_pose_is_written_as_place_and_quaternion(angle):
    row = np.zeros(7)
    assert write_pose(turned(angle), row) == 0
    assert row[:3].tolist() == [1.0, 2.0, 3.0]
    assert np.abs(row[3:]) == pytest.approx(np.abs([0.0, 0.0, math.sin(angle / 2), math.cos(angle / 2)]), abs=1e-15)


def spoilt(i, k, value):
    pose = turned(0.5)
    pose[i, k] = value
    return pose


@pytest.mark.parametrize(
    ("pose", "wrong"),
    [
        (spoilt(0, 3, math.nan), 1),
        (spoilt(1, 1, math.inf), 1),
        (spoilt(0, 0, 0.5), 2),
        (spoilt(3, 3, 2.0), 2),
        (spoilt(3, 0, 1e-9), 2),
        (np.diag([1.0, 1.0, -1.0, 1.0]), 3),
        (spoilt(2, 3, 2.0 * LARGEST), 4),
    ],
)
def test_what_is_no_pose_has_a_number_that_says_why(pose, wrong):
    assert write_pose(pose, np.zeros(7)) == wrong


def test_a_rotation_of_few_digits_becomes_the_nearest_one():
    rng = np.random.default_rng(1)
    for _ in range(50):
        exact, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        exact *= np.sign(np.linalg.det(exact))
        given = exact + rng.uniform(-1, 1, size=(3, 3)) * RIGID / 8
        found = np.array(nearest_rotation(tuples(given)))
        u, _, v = np.linalg.svd(given)  # the nearest rotation, by definition
        assert np.abs(found - u @ v).max() < 1e-14
        assert deviation(tuples(found)) < 1e-14


def test_a_rotation_that_is_exact_is_left_as_it_is():
    quarter = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert deviation(quarter) <= ORTHONORMAL
    assert nearest_rotation(quarter) == quarter


def test_the_first_entry_that_is_wrong_is_named():
    most = np.full(9, 10.0)
    row = np.array([0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0])
    quaternion = np.array([3], np.int32)
    assert check_row(row, quaternion, most) == 0
    assert check_row(row, quaternion, np.array([10.0] * 8 + [2.5])) == -1 - 8
    row[6] = 1.1
    assert check_row(row, quaternion, most) == 2 + 3
    assert check_row(row, NONE, most) == 0
    row[1] = math.nan
    assert check_row(row, quaternion, most) == 1


def test_coordinates_are_copied_and_looked_at_in_one_pass():
    given = np.arange(12.0).reshape(4, 3)
    out = np.zeros_like(given)
    assert copy_checked(given, out)
    assert (out == given).all()
    for bad in (math.nan, -math.inf, 2.0 * LARGEST):
        given[2, 1] = bad
        assert not copy_checked(given, out)
