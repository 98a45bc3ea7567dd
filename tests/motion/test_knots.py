"""Knots of time are exact: for any number of pieces, whatever their times round to."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import tocsin
from tocsin.motion import knots

COUNTS = [(1,), (7,), (3, 6), (3, 6, 4), (100, 99), (1023, 1021), (49, 98, 147), (2**20, 2**20 + 1), (10**5, 3)]


@pytest.mark.pure
@pytest.mark.parametrize("counts", COUNTS[:-2])
def test_stretches_lie_between_neighbouring_knots(counts):
    truth = sorted({Fraction(k, n) for n in counts for k in range(n + 1)})
    found = [(Fraction(a, n), Fraction(b, m)) for a, n, b, m in knots.stretches_of(counts).tolist()]
    assert found == list(pairwise(truth))


def test_stretches_of_many_motions_need_numbers_of_any_size():
    counts = [2**13 - 1, 2**13 + 1, 2**13 + 3, 2**13 + 9, 2**13 + 17]
    found = knots.stretches_of(counts)
    assert math.lcm(*counts) > 2**63
    assert np.array_equal(found[1:, :2], found[:-1, 2:])
    assert all(Fraction(a, n) < Fraction(b, m) for a, n, b, m in found.tolist())


@pytest.mark.pure
@pytest.mark.parametrize("counts", COUNTS)
def test_a_piece_begins_and_ends_when_it_does_to_three_units(counts):
    stretches = knots.stretches_of(counts)
    rng = np.random.default_rng(1)
    for a, n, b, m in stretches[rng.integers(len(stretches), size=200)].tolist():
        start, lasts = Fraction(a, n), Fraction(b, m) - Fraction(a, n)
        for pieces in counts:
            k, begin, end = knots.piece_in((a, n, b, m), pieces)
            assert Fraction(k, pieces) <= start
            assert Fraction(k + 1, pieces) >= start + lasts
            for found, knot in ((begin, k), (end, k + 1)):
                exact = (Fraction(knot, pieces) - start) / lasts
                assert abs(Fraction(found) - exact) <= 3 * abs(exact) / 2**53
            which, x, y = knots.shares_in((a, n, b, m), pieces)
            assert (which, x, y) == (k, float(start * pieces - k), float((start + lasts) * pieces - k))


@pytest.mark.pure
@pytest.mark.parametrize("counts", COUNTS)
def test_times_leave_a_stretch_on_the_safe_side(counts):
    stretches = knots.stretches_of(counts)
    rng = np.random.default_rng(2)
    for stretch in map(tuple, stretches[rng.integers(len(stretches), size=200)].tolist()):
        for t in (0.0, 1.0, float(rng.random()), 1e-17):
            exact = knots.exact_time(stretch, t)
            near = exact / 2**49
            assert exact - near <= Fraction(knots.time_before(stretch, t)) <= exact
            assert min(exact, 1) <= Fraction(knots.time_after(stretch, t)) <= min(exact + near, 1)
            before, after = knots.last_before(exact), knots.first_after(exact)
            assert Fraction(before) <= exact <= Fraction(after)
            assert Fraction(math.nextafter(before, 2.0)) > exact
            assert knots.times_before(stretch, np.array([t]))[0] == knots.time_before(stretch, t)


@pytest.mark.pure
def test_the_row_at_a_time_is_that_of_the_time_as_given():
    """Near time 1 of 100,003 pieces the product of both is off by as much as n units of a piece."""
    n = 100_003
    body = tocsin.Body(tocsin.Sphere(0.1))
    rows = np.zeros((n + 1, 7))
    rows[:, 6] = 1.0
    rows[:, 0] = np.arange(n + 1) % 2
    motion = tocsin.Motion.of(body, rows)
    for t in np.random.default_rng(3).random(300).tolist():
        done = Fraction(t) * n
        k = int(done)
        exact = done - k if k % 2 == 0 else 1 - (done - k)
        assert abs(Fraction(float(motion.row_at(t)[0])) - exact) < Fraction(1, 2**51)
