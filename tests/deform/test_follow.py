"""Slabs within slabs: the next one begins no later than freedom is proven, and ends where the stretch does."""

import math

import numpy as np
import pytest

from plain import PLAIN
from tocsin.deform.follow import child_of, later_of, make_trail, put_rigid, put_soft, time_of

pytestmark = PLAIN


def test_the_next_slab_begins_no_later_than_what_is_free():
    rng = np.random.default_rng(1)
    for _ in range(500):
        begin = float(rng.uniform(0, 0.5))
        end = begin + float(rng.uniform(1e-6, 0.5))
        depth = int(rng.integers(1, 12))
        level = int(rng.integers(0, depth + 1))
        k, x = int(rng.integers(0, 1 << level)), float(rng.choice([0.0, 1.0, rng.random()]))
        below, j = child_of(begin, end, depth, level, k, x)
        assert level <= below <= depth
        parts = 1 << (below - level)
        assert k * parts <= j < (k + 1) * parts, "within the slab"
        s, e = (time_of(begin, end, math.ldexp(float(n), -level)) for n in (k, k + 1))
        free = later_of(s, e, x)
        assert time_of(begin, end, math.ldexp(float(j), -below)) <= max(free, s)


def test_times_end_where_the_stretch_does():
    assert time_of(0.1, 0.7, 1.0) == 0.7
    assert time_of(0.1, 0.7, 0.0) == 0.1
    assert later_of(0.1, 0.7, 0.0) == 0.1
    for x in np.linspace(0.0, 1.0, 50):
        assert 0.1 <= later_of(0.1, 0.7, float(x)) <= 0.1 + float(x) * 0.6 + 1e-16


def test_points_are_written_at_both_ends_of_a_slab():
    trail = make_trail(1e-3, 100)
    p0, p1 = np.zeros((1, 3)), np.full((1, 3), 4.0)
    put_soft(p0, p1, 0, 0.25, 0.75, trail.first, 1)
    assert trail.first[1, :6].tolist() == [1.0] * 3 + [3.0] * 3
    eye = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    quarter = ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    put_rigid((eye, (1.0, 0.0, 0.0)), (quarter, (0.0, 0.0, 5.0)), np.array([[2.0, 0.0, 0.0]]), 0, trail.second, 2)
    assert trail.second[2, :6] == pytest.approx([3.0, 0.0, 0.0, 0.0, 2.0, 5.0])
    assert trail.steps.tolist() == [0, 100]
