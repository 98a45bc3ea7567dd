"""Octets against octets: every pair of boxes that comes near during [0, T] is told, by brute force over time."""

import numpy as np
import pytest

from plain import PLAIN
from tocsin.deform.hierarchy import AXES, ENDS, HI_T0, HI_T1, LO_T0, LO_T1, ROWS
from tocsin.deform.overlap import Reach, diagonal, joined, make_ready, near, ready

pytestmark = PLAIN

single = np.float32


def octets(rng, spread):
    """One octet: for each axis the sides of eight intervals at 0 and at 1."""
    table = np.zeros((1, ROWS, 8), np.float32)
    for axis in range(AXES):
        low = rng.normal(size=(2, 8)) * spread
        high = low + rng.uniform(0.1, 1.0, (2, 8))
        rows = table[0, axis * ENDS : (axis + 1) * ENDS]
        rows[LO_T0], rows[LO_T1], rows[HI_T0], rows[HI_T1] = low[0], low[1], high[0], high[1]
    return table


def sides(table, axis, lane, t):
    rows = table[0, axis * ENDS : (axis + 1) * ENDS, lane].astype(float)
    return (1 - t) * rows[LO_T0] + t * rows[LO_T1], (1 - t) * rows[HI_T0] + t * rows[HI_T1]


def comes_near(a, i, b, k, axes, times, margins):
    for t in times:
        gaps = []
        for axis in axes:
            (a_low, a_high), (b_low, b_high) = sides(a, axis, i, t), sides(b, axis, k, t)
            gaps.append(max(a_low - b_high, b_low - a_high) - margins[0 if axis < 3 else 1])
        if max(gaps) < -1e-5:
            return True
    return False


@pytest.mark.parametrize("still", [False, True])
def test_no_pair_that_comes_near_is_left_out(still):
    rng = np.random.default_rng(1)
    left = told = 0
    for _ in range(4):
        a, b = octets(rng, 0.5), octets(rng, 0.5)
        limit, margin = float(single(0.75)), float(single(0.125))
        wide = float(single(diagonal(margin)))
        reach = Reach(single(1 - limit), single(limit), single(margin), single(wide), single(0), still)
        made = make_ready()
        ready(a, 0, reach, made)
        bits = int(near(made, b, 0, reach, 0, AXES)) % 2**64
        times = [0.0] if still else np.linspace(0.0, limit, 13)
        for i in range(8):
            for k in range(8):
                said = bool(bits >> (8 * i + k) & 1)
                told += said
                left += not said
                if comes_near(a, i, b, k, range(AXES), times, (margin, wide)):
                    assert said
    assert left > 0
    assert told > 0


def test_signs_of_eight_rows_are_one_number():
    rows = np.full((8, 8), 1.0, np.float32)
    rows[0, 0] = rows[3, 5] = rows[7, 7] = -1.0
    assert int(joined(*rows)) % 2**64 == 1 | 1 << (8 * 3 + 5) | 1 << 63


def test_a_margin_along_a_diagonal_is_larger_by_the_root_of_two():
    assert diagonal(1.0) == pytest.approx(np.sqrt(2.0))
    assert diagonal(1.0) >= np.sqrt(2.0)
