"""Curves of other libraries as knots and coefficients: where scipy puts them, and refused by name where we cannot."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import interpolate

from tocsin import TocsinError
from tocsin.motion import splines

from .test_bases import value

pytestmark = pytest.mark.pure


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
    with pytest.raises(TocsinError, match=r"a tuple is not a curve.*make one: BSpline\(t, numpy.transpose\(c\), k\)"):
        splines.pieces_of(interpolate.splrep([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 0.0, 1.0]))
    with pytest.raises(TocsinError, match="NdBSpline has several degrees: a trajectory is a curve of time alone"):
        splines.pieces_of(interpolate.NdBSpline((np.array([0, 0, 1, 1.0]),) * 2, np.ones((2, 2)), (1, 1)))
    with pytest.raises(TocsinError, match="one waypoint only"):
        splines.of_toppra_spline(SimpleNamespace(cspl=None))


def test_paths_of_toppra_are_read():
    rng = np.random.default_rng(8)
    x, y, yd = np.array([0.0, 0.5, 2.0]), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    polys = [interpolate.BPoly.from_derivatives(x, np.stack([y[:, j], yd[:, j]], axis=1)) for j in range(2)]
    simple = splines.pieces_of(SimpleNamespace(_polys=polys, path_interval=x[[0, -1]]))
    for t in np.linspace(0.0, 2.0, 17):
        assert value(simple, t) == pytest.approx([float(p(t)) for p in polys], abs=1e-13)
    path = SimpleNamespace(coeff=[np.array([1, 2, 3]), np.array([-2.0, -3, 4, 5])], s_start=0.5, s_end=1.5)
    pieces = splines.pieces_of(path)
    assert pieces[0].tolist() == [0.5, 1.5]
    for s in (0.5, 0.8, 1.5):
        assert value(pieces, s) == pytest.approx([1 + 2 * s + 3 * s**2, -2 - 3 * s + 4 * s**2 + 5 * s**3], abs=1e-13)


class Parameterized:
    """Drake's PathParameterizedTrajectory, as far as it is read."""

    def __init__(self, path, scaling):
        self._path_given, self._scaling = path, scaling

    def path(self):
        return self._path_given

    def time_scaling(self):
        return self._scaling


@pytest.mark.parametrize(
    "scaling",
    [
        interpolate.CubicHermiteSpline([0.0, 1.0, 3.0], [0.0, 0.7, 2.0], [0.0, 1.0, 0.0]),
        interpolate.PPoly(np.array([[2.0], [0.0]]), [5.0, 6.0]),
        interpolate.PPoly(np.array([[-8.0], [8.0], [0.0]]), [0.0, 1.0]),  # there, touching the end, and back
        interpolate.PPoly(np.array([[-4.0], [4.0], [0.0]]), [0.0, 1.0]),  # the same, touching a knot
        interpolate.PPoly(np.array([[0.0], [1.0]]), [0.0, 1.0]),  # stands at a knot
    ],
)
def test_a_path_with_its_times_is_composed(scaling):
    rng = np.random.default_rng(9)
    path = interpolate.CubicSpline([0.0, 0.6, 1.0, 2.0], rng.normal(size=(4, 2)))
    pieces = splines.pieces_of(Parameterized(path, scaling))
    assert (np.diff(pieces[0]) > 0.0).all()
    assert pieces[0][[0, -1]].tolist() == [scaling.x[0], scaling.x[-1]]
    for t in np.linspace(scaling.x[0], scaling.x[-1], 201):
        assert value(pieces, t) == pytest.approx(path(scaling(t)).tolist(), abs=1e-13)


def test_times_that_leave_their_path_are_refused():
    path = interpolate.CubicSpline([0.0, 1.0], [[0.0], [1.0]])
    with pytest.raises(TocsinError, match=r"leads to 1\.0[0-9]*, and its path goes from 0 to 1"):
        splines.pieces_of(Parameterized(path, interpolate.PPoly(np.array([[1.1], [0.0]]), [0.0, 1.0])))
    with pytest.raises(TocsinError, match="has one value"):
        splines.pieces_of(Parameterized(path, interpolate.CubicSpline([0.0, 1.0], [[0.0, 1.0], [1.0, 1.0]])))


def test_a_spline_that_is_not_finite_is_refused():
    with pytest.raises(TocsinError, match="the coefficients of a spline must be finite"):
        splines.pieces_of(interpolate.BPoly(np.array([[[np.nan]], [[0.0]]]), [0.0, 1.0]))
    with pytest.raises(TocsinError, match="the knots of a spline must be finite"):
        splines.pieces_of(SimpleNamespace(t=[0.0, 0.0, 1.0, np.inf], c=[0.0, 1.0], k=1))
