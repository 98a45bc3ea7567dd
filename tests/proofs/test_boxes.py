"""Boxes of joint values: that which loses most is halved, and a box that floats cannot halve is given up."""

import numpy as np
import pytest

from plain import PLAIN
from tocsin.proofs.box_bounds import AXIS
from tocsin.proofs.boxes import between, copy_box, facing, halve_box, merit, same_box

pytestmark = PLAIN


def test_the_entry_that_takes_most_is_halved_and_of_equals_the_widest():
    cells = np.array([[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]])
    entries, half = np.array([4, 7, 9]), np.zeros(10)
    losses = np.zeros(10)
    losses[[4, 7, 9]] = 1.0, 3.0, 2.0
    assert halve_box(cells, 0, entries, losses, half) == 1
    losses[[4, 7, 9]] = 1.0
    half[[4, 7, 9]] = 0.1, 0.2, 0.3
    assert halve_box(cells, 0, entries, losses, half) == 2


def test_an_entry_that_has_no_middle_is_not_halved():
    after = np.nextafter(1.0, 2.0)
    cells = np.array([[1.0, 0.0, after, 1.0]])
    losses = np.array([9.0, 1.0])
    assert halve_box(cells, 0, np.array([0, 1]), losses, np.ones(2)) == 1
    assert halve_box(np.array([[1.0, 1.0]]), 0, np.array([0]), losses, np.ones(2)) == -1
    assert halve_box(np.array([[1.0, after]]), 0, np.array([0]), losses, np.ones(2)) == -1


def test_boxes_are_copied_and_compared_entry_by_entry():
    cells = np.arange(12.0).reshape(3, 4)
    assert not same_box(cells, 0, 1, 2)
    copy_box(cells, 0, 1)
    assert same_box(cells, 0, 1, 2)
    cells[1, 3] += 1e-9
    assert not same_box(cells, 0, 1, 2)


def test_an_axis_looks_to_the_side_to_which_it_is_asked():
    rng = np.random.default_rng(1)
    for _ in range(20):
        row = np.zeros(AXIS + 3)
        row[AXIS : AXIS + 3], way = rng.normal(size=(2, 3))
        u = np.array(facing(row, tuple(way)))
        assert u @ way >= 0.0
        assert np.abs(u) == pytest.approx(np.abs(row[AXIS : AXIS + 3]))


def test_the_way_between_parts_is_that_of_their_middles_as_the_first_sees_it():
    a, b = {"center": np.array([1.0, 0, 0])}, {"center": np.array([0.0, 1, 0])}
    quarter = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    assert between(a, b, (quarter, (5.0, 0.0, 0.0))) == pytest.approx((5.0 - 1.0 - 1.0, 0.0, 0.0))


def test_an_axis_that_hardly_separates_is_the_best_by_what_is_left_and_not_by_its_share():
    """Along the distance a wide joint takes 2 m of a gap of 0.15; along its own axis, with a gap of 2 mm, the other
    joints take 0.3, and would be halved seven times each before the wide one once."""
    along, axis = (0.15, 0.0, 0.15 - 2.0), (0.002, 0.0, 0.002 - 0.3)
    assert merit(*axis, False) > merit(*along, False)
    assert merit(*axis, True) < merit(*along, True)


def test_what_is_settled_or_would_be_by_halves_of_parts_is_better_than_all_else():
    settled, by_halves, half = merit(0.1, 0.0, 0.01, True), merit(-0.01, 0.03, -0.02, True), merit(0.1, 0.0, -0.1, True)
    assert settled > by_halves > half > merit(-0.1, 0.0, -0.2, True)
    assert half == pytest.approx(0.5)
