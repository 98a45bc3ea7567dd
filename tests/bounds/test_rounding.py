"""Outward rounding goes outward, at every size of number."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tocsin.bounds.rounding import UNIT, above, below

finite = st.floats(-1e300, 1e300, allow_subnormal=True)
EDGES = [0.0, -0.0, 5e-324, -5e-324, 2.0**-1022, -(2.0**-1022), 2.0**-970, 1.0, -1.0, 1.0 - UNIT, 2.0**512, -(2.0**900)]


@pytest.mark.pure
@pytest.mark.parametrize("x", EDGES + [math.nextafter(x, math.inf) for x in EDGES])
def test_neighbours_at_the_edges_of_the_format(x):
    assert math.nextafter(x, math.inf) <= above(x)
    assert math.nextafter(x, -math.inf) >= below(x)


@given(finite)
def test_what_is_moved_is_outside_the_neighbours_and_close(x):
    assert below(x) <= math.nextafter(x, -math.inf) < x < math.nextafter(x, math.inf) <= above(x)
    slack = 2 * Fraction(2) ** -52 * abs(Fraction(x)) + Fraction(2) ** -1021
    assert Fraction(above(x)) - Fraction(x) <= slack
    assert Fraction(x) - Fraction(below(x)) <= slack


@given(finite, finite)
def test_a_rounded_sum_and_product_moved_outward_bound_the_exact_one(x, y):
    assert below(x + y) <= Fraction(x) + Fraction(y) <= above(x + y)
    if abs(Fraction(x) * Fraction(y)) < Fraction(2) ** 1000:
        assert below(x * y) <= Fraction(x) * Fraction(y) <= above(x * y)
