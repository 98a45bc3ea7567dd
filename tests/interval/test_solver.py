"""The pieces of the simultaneous solver: items are kept, ranges rounded outward, halves lose nothing."""

import math
from fractions import Fraction

import numpy as np
import pytest

from plain import PLAIN
from tocsin.bounds.taylor import time_frame
from tocsin.interval import solver
from tocsin.interval.solver import ITEM, narrowed, parts_of, put, put_part, read, share_of

pytestmark = PLAIN


def items(*rows):
    table, n = np.zeros(1, ITEM), 0
    for row in rows:
        table, n = put(table, n, *row)
    return table, n


def test_what_is_put_is_read_and_a_full_table_grows():
    rows = [(k, k % 17, 10 + k, 20 + k, 0.1 * k, 0.2 * k) for k in range(9)]
    table, n = items(*rows)
    assert n == 9
    assert len(table) == 16
    assert [read(table, k) for k in range(n)] == rows


def test_a_range_of_s_is_rounded_outward_and_stays_within_its_times():
    rng = np.random.default_rng(1)
    for _ in range(300):
        t0, t1 = np.sort(rng.random(2)).tolist()
        lo, hi = np.sort(rng.uniform(-1, 1, 2)).tolist()
        mid, half = time_frame(t0, t1)
        first, last = narrowed(lo, hi, mid, half, 0.0, 1.0)
        exact = [Fraction(mid) + Fraction(s) * Fraction(half) for s in (lo, hi)]
        assert Fraction(first) <= max(exact[0], 0)
        assert Fraction(last) >= min(exact[1], 1)
        assert narrowed(-1.0, 1.0, mid, half, t0, t1) == (t0, t1)


def test_the_shares_of_times_hold_the_times():
    rng = np.random.default_rng(2)
    for _ in range(300):
        t0, lo, hi, t1 = np.sort(rng.random(4)).tolist()
        mid, half = time_frame(t0, t1)
        s_lo, s_hi = share_of(lo, hi, t0, t1)
        assert -1.0 <= s_lo <= s_hi <= 1.0
        assert s_lo == -1.0 or Fraction(mid) + Fraction(s_lo) * Fraction(half) <= Fraction(lo)
        assert s_hi == 1.0 or Fraction(mid) + Fraction(s_hi) * Fraction(half) >= Fraction(hi)
    assert share_of(0.5, 0.5, 0.5, 0.5) == (0.0, 0.0)


def test_the_parts_begin_with_the_earliest_and_end_with_the_last():
    table, n = items((3, 0, 0, 0, 0.5, 0.6), (4, 0, 0, 0, 0.2, 0.9), (5, 0, 0, 0, 0.2, 0.3))
    assert parts_of(table, n) == (0.2, 0.9, 1, 4)
    assert parts_of(table, 0)[:2] == (math.inf, -math.inf)


def test_halves_together_have_every_item_and_a_touch_of_the_cut_is_in_one_of_them():
    rng = np.random.default_rng(3)
    middle = 0.5
    rows = [(k, 0, k, k, *np.sort(rng.choice([0.1, 0.3, 0.5, 0.7, 0.9], 2)).tolist()) for k in range(60)]
    table, n = items(*rows)
    found = {}
    for side in (0, 1, 2):
        out, top = put_part(table, n, np.zeros(1, ITEM), 0, middle, side)
        found[side] = [read(out, k) for k in range(top)]
    assert found[2] == rows
    for row in rows:
        lo, hi = row[4:]
        assert (row in found[1]) == (lo < middle)
        assert (row in found[0]) == (hi > middle or lo >= middle)
        assert row in found[0] or row in found[1]


def test_boxes_that_move_far_wait_and_large_ones_do_not():
    relative = {"x1": np.zeros((3, 4)), "rho": (0.0, 0.0), "tau": (0.0, 0.0)}
    relative["x1"][0, 3] = 1.0
    node = {"center": np.zeros(3), "radius": 1.0, "count": 0}
    pair = {"tolerance": 1e-6}
    assert solver.waits(pair, relative, node, node)
    large = node | {"radius": 10.0}
    assert not solver.waits(pair, relative, large, node)
    assert not solver.waits({"tolerance": 10.0}, relative, node, node)


def test_a_step_beyond_the_cap_is_one_too_many():
    class Workspace:
        counts = np.zeros(8, np.int64)

    assert [solver.is_spent(Workspace, (0, 1, 0, 2)) for _ in range(3)] == [False, False, True]


@pytest.mark.parametrize("kind", [solver.BOXES])
def test_no_item_of_boxes_is_a_witness(kind):
    table, n = items((0, kind, 0, 0, 0.25, 0.5))
    assert solver.touching_at(None, None, None, table, 0, n, 0.25) == (-1, 0.0)
