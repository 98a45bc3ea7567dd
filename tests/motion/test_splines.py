"""Curves of other libraries as knots and coefficients: where scipy puts them, and refused by name where we cannot."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import interpolate

from tocsin import TocsinError
from tocsin.motion import splines

pytestmark = pytest.mark.pure


def value(pieces, t):
    """The value at t of knots and coefficients, in exact arithmetic."""
    knots, c = pieces
    k = min(int(np.searchsorted(knots, t, side="right")) - 1, len(c) - 1)
    tau = Fraction(float(t)) - Fraction(float(knots[k]))
    return [float(sum(Fraction(float(x)) * tau**n for n, x in enumerate(row))) for row in c[k].T]


def curves():
    rng = np.random.default_rng(3)
    x = np.array([0.0, 0.5, 1.25, 2.0, 4.0])
    y = rng.normal(size=(5, 2))
    yield "PPoly", interpolate.CubicSpline(x, y)
    yield "pchip", interpolate.PchipInterpolator(x, y)
    yield "BPoly", interpolate.BPoly.from_derivatives(x, [[row, rng.normal(size=2)] for row in y])
    yield "BSpline", interpolate.make_interp_spline(x, y, k=3)
    yield "quintic BSpline", interpolate.BSpline(np.r_[[0.0] * 5, 0.0, 1.0, 2.0, [2.0] * 5], rng.normal(size=(7, 2)), 5)


@pytest.mark.parametrize(("name", "curve"), list(curves()))
def test_pieces_have_the_values_of_the_curve(name, curve):
    pieces = splines.pieces_of(curve)
    knots, c = pieces
    assert (np.diff(knots) > 0).all()
    assert c.shape[0] == len(knots) - 1
    for t in np.linspace(knots[0], knots[-1], 37):
        assert value(pieces, t) == pytest.approx(list(curve(t)), rel=1e-12, abs=1e-12), name


def test_what_is_no_piecewise_polynomial_is_refused_by_name():
    with pytest.raises(TocsinError, match="Akima is not a piecewise polynomial"):
        splines.pieces_of(type("Akima", (), {})())
    with pytest.raises(TocsinError, match="one waypoint only"):
        splines.of_toppra_spline(SimpleNamespace(cspl=None))


def test_joints_with_knots_of_their_own_become_one_curve():
    """One joint goes 3 t, the other t^2 until 1 and then stays at 1: the knots of both."""
    line = np.array([0.0, 2.0]), np.array([[[0.0], [3.0]]])
    bent = np.array([0.0, 1.0, 2.0]), np.array([[[0.0], [0.0], [1.0]], [[1.0], [0.0], [0.0]]])
    pieces = splines.joined([line, bent])
    assert pieces[0].tolist() == [0.0, 1.0, 2.0]
    for t, expected in ((0.0, [0, 0]), (0.5, [1.5, 0.25]), (1.0, [3, 1]), (1.75, [5.25, 1])):
        assert value(pieces, t) == expected


def test_a_shift_changes_the_origin_and_not_the_curve():
    rng = np.random.default_rng(5)
    c, by = rng.normal(size=(4, 6, 3)), rng.normal(size=4)
    moved = splines.shifted(c, by)
    for k in range(4):
        for x in (-1.0, 0.0, 0.3):
            before = [np.polynomial.polynomial.polyval(x + by[k], c[k, :, j]) for j in range(3)]
            after = [np.polynomial.polynomial.polyval(x, moved[k, :, j]) for j in range(3)]
            assert after == pytest.approx(before, rel=1e-12, abs=1e-12)
