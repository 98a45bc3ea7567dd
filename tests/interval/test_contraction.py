"""Along a fixed direction: what is cut away can hold no contact, in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest

from tocsin.interval.contraction import contract, linear_pose, placed

pytestmark = pytest.mark.pure


def test_nothing_is_cut_where_a_concave_function_is_below_what_contact_needs():
    """Minima of random linear functions, as G is: every s where the least is at most `need` stays inside."""
    rng = np.random.default_rng(2)
    kept = 0
    for _ in range(2000):
        rounded = np.round(rng.normal(size=(3, 2)), rng.integers(0, 9)).tolist()
        lines = [(Fraction(a), Fraction(b)) for a, b in rounded]
        need = float(np.round(rng.normal(), 1))
        s0, s1 = np.sort(np.round(rng.uniform(-1, 1, 2), rng.integers(0, 6)))
        s0, s1 = float(s0), float(s1)

        def g(s, lines=lines):
            return min(a + b * s for a, b in lines)

        at_lo, at_hi = float(g(Fraction(s0))), float(g(Fraction(s1)))
        lo, hi = contract(at_lo, at_hi, need, s0, s1, s0, s1)
        for s in np.linspace(s0, s1, 21):
            if g(Fraction(float(s))) <= Fraction(need) - Fraction(1, 2**48):
                kept += 1
                assert lo <= s <= hi
    assert kept > 1000


def test_what_is_above_at_both_ends_is_empty_and_below_at_both_is_left_alone():
    assert contract(1.0, 2.0, 0.5, -1.0, 1.0, -1.0, 1.0) == (2.0, -2.0)
    assert contract(0.1, 0.2, 0.5, -1.0, 1.0, -0.5, 0.5) == (-0.5, 0.5)


def test_a_line_is_cut_where_it_crosses():
    lo, hi = contract(1.0, -1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    assert lo == pytest.approx(0.5)
    assert lo <= 0.5
    assert hi == 1.0
    lo, hi = contract(-1.0, 3.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    assert hi == pytest.approx(0.25)
    assert hi >= 0.25


def test_an_affine_matrix_and_its_pose_agree():
    rng = np.random.default_rng(3)
    x0, x1 = rng.normal(size=(2, 3, 4))
    p = rng.normal(size=3)
    for s in (-1.0, 0.0, 0.3, 1.0):
        x = x0 + s * x1
        expected = x[:, :3] @ p + x[:, 3]
        assert placed(x0, x1, s, tuple(p)) == pytest.approx(tuple(expected))
        turn, shift = linear_pose(x0, x1, s)
        assert np.array(turn) @ p + shift == pytest.approx(expected)
