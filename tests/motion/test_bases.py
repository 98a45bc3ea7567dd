"""Bernstein and B-spline coefficients as powers of time: the same curve to the last digit, of any degree."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import interpolate

from tocsin import TocsinError
from tocsin.motion import bases

pytestmark = pytest.mark.pure


def value(pieces, t):
    """The value at t of knots and coefficients, in exact arithmetic."""
    knots, c = pieces
    k = min(int(np.searchsorted(knots, t, side="right")) - 1, len(c) - 1)
    tau = Fraction(float(t)) - Fraction(float(knots[k]))
    return [float(sum(Fraction(float(x)) * tau**n for n, x in enumerate(row))) for row in c[k].T]


def casteljau(control, share):
    """The value of a Bezier curve, in rationals."""
    points = [Fraction(float(x)) for x in control]
    while len(points) > 1:
        points = [a + share * (b - a) for a, b in pairwise(points)]
    return float(points[0])


@pytest.mark.parametrize("degree", [1, 2, 5, 7, 8, 9, 20, 30, 45, 63])
def test_curves_of_bezier_of_any_degree_keep_their_digits(degree):
    """In one piece, and in floats, one of degree 30 was off by 1e-3, and one of degree 40 by 51."""
    rng = np.random.default_rng(degree)
    x = np.array([-0.3, 1.1])
    b = np.stack([rng.uniform(-1.0, 1.0, degree + 1), np.linspace(0.0, 1.0, degree + 1)], axis=1)[:, None]
    pieces = bases.from_bernstein(x, b)
    assert pieces[0][[0, -1]].tolist() == x.tolist()
    for t in np.linspace(*x, 41):
        share = (Fraction(float(t)) - Fraction(-0.3)) / (Fraction(1.1) - Fraction(-0.3))
        exact = [casteljau(b[:, 0, j], share) for j in range(2)]
        assert value(pieces, t) == pytest.approx(exact, rel=0.0, abs=2.0**-53 * min(3.0**degree, 220.0))


def test_terms_of_every_piece_add_up_to_little():
    for degree in (8, 16, 17, 33, 63):
        b = np.where(np.arange(degree + 1) % 2, 1.0, -1.0)[:, None, None]
        knots, c = bases.from_bernstein(np.array([0.0, 4.0]), b)
        mass = np.abs(c[:, :, 0] * np.diff(knots)[:, None] ** np.arange(degree + 1)).sum(axis=1)
        assert mass.max() < 55.0


def test_pieces_of_nearly_no_length_are_not_cut_below_the_floats():
    x = np.array([1.0, np.nextafter(1.0, 2.0), 2.0])
    knots, c = bases.from_bernstein(x, np.ones((13, 2, 1)))
    assert (np.diff(knots) > 0.0).all()
    assert (c[:, 0] == 1.0).all()
    assert not c[:, 1:].any()


def test_values_of_very_different_sizes_are_exact():
    b = np.array([1e300, 1e-300, 0.0, 3.0])[:, None, None]
    _, c = bases.from_bernstein(np.array([0.0, 1.0]), b)
    assert c[0, :, 0].tolist() == [1e300, -3e300, 3e300, -1e300]
    with pytest.raises(TocsinError, match="too short for its values"):
        bases.from_bernstein(np.array([0.0, 1e-200]), b)


def test_degrees_beyond_all_digits_are_refused():
    with pytest.raises(TocsinError, match="has degree 64; at most 63"):
        bases.from_bernstein(np.array([0.0, 1.0]), np.zeros((65, 1, 1)))


@pytest.mark.parametrize("degree", [1, 3, 5])
def test_splines_of_any_knots_have_the_values_of_scipy(degree):
    """Knots that are the same as others, at the ends and inside, and control points that are not used."""
    rng = np.random.default_rng(degree)
    inner = np.sort(np.r_[rng.uniform(0.0, 4.0, 6), [2.5] * degree])
    t = np.r_[[0.0] * (degree + 1), inner, [4.0] * (degree + 1)]
    curve = interpolate.BSpline(t, rng.normal(size=(len(t) - degree - 1, 3)), degree)
    unclamped = interpolate.BSpline(np.arange(12.0), rng.normal(size=(12 - degree - 1, 3)), degree)
    for given in (curve, unclamped):
        pieces = bases.from_bspline(given.t, given.c, degree)
        for x in np.linspace(pieces[0][0], pieces[0][-1], 101)[:-1]:
            assert value(pieces, x) == pytest.approx(given(x).tolist(), abs=1e-10)


def test_a_composition_is_the_curve_at_the_inner_curve():
    outer, inner = np.array([[1.0, 0.0], [2.0, -1.0], [0.5, 3.0]]), np.array([0.25, -1.0, 2.0])
    found = bases.composed(outer, inner)
    for t in (0.0, 0.5, 1.5):
        s = np.polynomial.polynomial.polyval(t, inner)
        assert np.polynomial.polynomial.polyval(t, found) == pytest.approx(np.polynomial.polynomial.polyval(s, outer))


def test_pieces_of_several_degrees_become_one_table():
    table = bases.stacked([np.ones((2, 1)), np.full((3, 1), 2.0)])
    assert table[:, :, 0].tolist() == [[1, 1, 0], [2, 2, 2]]


def test_joints_with_knots_of_their_own_become_one_curve():
    """One joint goes 3 t, the other t^2 until 1 and then stays at 1: the knots of both."""
    line = np.array([0.0, 2.0]), np.array([[[0.0], [3.0]]])
    bent = np.array([0.0, 1.0, 2.0]), np.array([[[0.0], [0.0], [1.0]], [[1.0], [0.0], [0.0]]])
    pieces = bases.joined([line, bent])
    assert pieces[0].tolist() == [0.0, 1.0, 2.0]
    for t, expected in ((0.0, [0, 0]), (0.5, [1.5, 0.25]), (1.0, [3, 1]), (1.75, [5.25, 1])):
        assert value(pieces, t) == expected


def test_a_shift_changes_the_origin_and_not_the_curve():
    rng = np.random.default_rng(5)
    c, by = rng.normal(size=(4, 6, 3)), rng.normal(size=4)
    moved = bases.shifted(c, by)
    for k in range(4):
        for x in (-1.0, 0.0, 0.3):
            before = [np.polynomial.polynomial.polyval(x + by[k], c[k, :, j]) for j in range(3)]
            after = [np.polynomial.polynomial.polyval(x, moved[k, :, j]) for j in range(3)]
            assert after == pytest.approx(before, rel=1e-12, abs=1e-12)


@pytest.mark.pure
@pytest.mark.parametrize(
    ("knots", "control"),
    [([0.0, 0, 0, 1e-200, 1e-200, 1e-200], [0.0, 1e200, 0]), ([0.0, 0, 1, 1], [-1e308, 1e308])],
)
def test_a_b_spline_beyond_all_numbers_is_refused_in_a_sentence(knots, control):
    degree = len(knots) - len(control) - 1
    with pytest.raises(TocsinError, match="too short for its values"):
        bases.from_bspline(np.array(knots), np.array(control), degree)
