"""Piecewise polynomials of other libraries, as knots and coefficients; none of them is imported.

| library | |
|---|---|
| scipy | `PPoly` and its kin (`CubicSpline`, `PchipInterpolator`, `Akima1DInterpolator`, ...); `BPoly`; `BSpline` |
| toppra | `SplineInterpolator`, `ParametrizeSpline`; `ParametrizeConstAccel` over one of these or a `PolynomialPath` |
| Ruckig | `Trajectory`: cubics, every joint with its own knots |
| Drake | `PiecewisePolynomial`; `BsplineTrajectory`; `BezierCurve`; a `CompositeTrajectory` of these |

They are known by what they have, not by their names. Coefficients of scipy's `PPoly` are taken as they are; what has to
be computed (other bases, knots of other joints) is, in exact or in extended precision, and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from tocsin import _cast
from tocsin.errors import TocsinError

KNOWN = (
    "scipy's PPoly, BPoly and BSpline, toppra's splines, Ruckig's Trajectory, Drake's PiecewisePolynomial, "
    "BsplineTrajectory, BezierCurve and CompositeTrajectory"
)

Pieces = tuple[np.ndarray, np.ndarray]
"""Knots (k,), and coefficients (k - 1, powers, n) in powers of the time since the piece began."""


# ---- what is read of the curves of other libraries, before any of it is checked -------------------------------------


class Powers(Protocol):
    """scipy's `PPoly` and `BPoly`: coefficients and knots."""

    c: object
    x: object


class Basis(Protocol):
    """scipy's `BSpline`: knots, control points, degree."""

    t: object
    c: object
    k: int


class Inside(Protocol):
    """toppra's splines: scipy's `CubicSpline`, or a function where there is one waypoint only."""

    cspl: Powers


class Retimed(Protocol):
    """toppra's `ParametrizeConstAccel`: a path, and of every grid point its parameter, time, velocity, acceleration."""

    _path: Any
    _ss: object
    _ts: object
    _velocities: object
    _us: object


class Phases(Protocol):
    """Of one of Ruckig's joints: phases of constant jerk, how long each lasts, and where it begins."""

    duration: float
    t: Sequence[float]
    p: Sequence[float]
    v: Sequence[float]
    a: Sequence[float]
    j: Sequence[float]


class Profile(Phases, Protocol):
    """The same with those that brake before it."""

    brake: Phases


class Profiles(Protocol):
    """Ruckig's `Trajectory`: section by section, joint by joint."""

    profiles: Sequence[Sequence[Profile]]
    duration: float


class DrakePolynomials(Protocol):
    """Drake's `PiecewisePolynomial`."""

    def get_segment_times(self) -> object:
        """Return the knots."""
        ...

    def getPolynomialMatrix(self, segment: int, /) -> object:
        """Return the polynomials of a segment."""
        ...


class DrakeBasis(Protocol):
    """Drake's `BsplineBasis`."""

    def knots(self) -> object:
        """Return the knots."""
        ...

    def order(self) -> int:
        """Return the degree, and one."""
        ...


class DrakeBspline(Protocol):
    """Drake's `BsplineTrajectory`."""

    def basis(self) -> DrakeBasis:
        """Return its knots and order."""
        ...

    def control_points(self) -> Sequence[object]:
        """Return its control points."""
        ...


class DrakeBezier(Protocol):
    """Drake's `BezierCurve`."""

    def start_time(self) -> float:
        """Return when it begins, and `end_time` when it ends."""
        ...

    def end_time(self) -> float: ...  # noqa: D102

    def control_points(self) -> object:
        """Return (n, degree + 1), a column each."""
        ...


class DrakeComposite(Protocol):
    """Drake's `CompositeTrajectory`, as its planners of convex sets return it."""

    def get_number_of_segments(self) -> int:
        """Return how many curves follow each other."""
        ...

    def segment(self, i: int, /) -> object:
        """Return one of them."""
        ...


# ---------------------------------------------------------------------------------------------------------------------


def pieces_of(curve: object) -> Pieces:
    """Return the knots and coefficients of a curve; what is not a piecewise polynomial is refused by name."""
    for known, read in READERS:
        if all(hasattr(curve, name) for name in known):
            return read(curve)
    name = type(curve).__name__
    raise TocsinError(
        f"{name} is not a piecewise polynomial that can be followed: {KNOWN} are; or give coefficients to of_pieces."
    )


def columns(values: np.ndarray, name: str) -> np.ndarray:
    """Return coefficients (powers, pieces, n) of a curve of one value, or of a row of them."""
    if values.ndim == 2:
        return values[:, :, None]
    if values.ndim != 3:
        raise TocsinError(f"{name} has values of shape {values.shape[2:]}; a trajectory has a row of joint values.")
    return values


def of_ppoly(curve: Powers) -> Pieces:
    """scipy.interpolate.PPoly: powers of x - x[i], the highest first."""
    c = columns(_numbers(curve.c, "the coefficients"), type(curve).__name__)
    return _numbers(curve.x, "the knots"), np.ascontiguousarray(c[::-1].transpose(1, 0, 2))


def of_bpoly(curve: Powers) -> Pieces:
    """scipy.interpolate.BPoly: Bernstein coefficients; in powers of the share of a piece, then of time."""
    return from_bernstein(
        _numbers(curve.x, "the knots"), columns(_numbers(curve.c, "the coefficients"), type(curve).__name__)
    )


def from_bernstein(x: np.ndarray, coefficients: np.ndarray) -> Pieces:
    """Return pieces with knots x and Bernstein coefficients (powers, pieces, n)."""
    b = coefficients.astype(np.longdouble)
    n = len(b) - 1
    h = np.diff(x.astype(np.longdouble))[:, None]
    powers = []
    for k in range(n + 1):
        sign = [(-1) ** (k - i) * math.comb(n, k) * math.comb(k, i) for i in range(k + 1)]
        powers.append(sum(s * b[i] for i, s in enumerate(sign)) / h**k)
    return x, np.stack(powers, axis=1).astype(np.float64)


def of_bspline(curve: Basis) -> Pieces:
    """scipy.interpolate.BSpline."""
    return from_bspline(_numbers(curve.t, "the knots"), _numbers(curve.c, "the coefficients"), int(curve.k))


def from_bspline(t: np.ndarray, c: np.ndarray, degree: int) -> Pieces:
    """Return the pieces of a B-spline with knots t and control points c (m, n), in exact arithmetic.

    A derivative of a B-spline is one of a lower degree with control points k (c_{i+1} - c_i) / (t_{i+k+1} - t_{i+1});
    where a piece begins, its value by de Boor's recursion. Both in rationals; the coefficients are rounded at last.
    """
    c = c[:, None] if c.ndim == 1 else c
    if c.ndim != 2:
        raise TocsinError(f"a B-spline with control points of shape {c.shape} has no row of joint values.")
    m = len(t) - degree - 1
    knots = np.unique(t[degree : m + 1])
    exact = [Fraction(float(x)) for x in t]
    out = np.zeros((len(knots) - 1, degree + 1, c.shape[1]))
    for j in range(c.shape[1]):
        control = [Fraction(float(x)) for x in c[:m, j]]
        times = exact
        scale = Fraction(1)
        for order in range(degree + 1):
            k = degree - order
            for i, x in enumerate(knots[:-1].tolist()):
                out[i, order, j] = float(_de_boor(times, control, k, Fraction(x)) * scale)
            scale = scale / (order + 1)
            if k:
                control = [
                    k * (b - a) / span if (span := times[i + k + 1] - times[i + 1]) else Fraction(0)
                    for i, (a, b) in enumerate(pairwise(control))
                ]
                times = times[1:-1]
    return knots, out


def _de_boor(t: Sequence[Fraction], c: Sequence[Fraction], k: int, x: Fraction) -> Fraction:
    """Return the value of a B-spline of degree k at x, from the right."""
    i = max(n for n in range(k, len(t) - k - 1) if t[n] <= x)
    d = list(c[i - k : i + 1])
    for r in range(1, k + 1):
        for j in range(k, r - 1, -1):
            a, b = t[j + i - k], t[j + 1 + i - r]
            share = (x - a) / (b - a) if b != a else Fraction(0)
            d[j] = (1 - share) * d[j - 1] + share * d[j]
    return d[k]


def of_toppra_spline(curve: Inside) -> Pieces:
    """toppra's SplineInterpolator and ParametrizeSpline: a CubicSpline inside."""
    inside = curve.cspl
    if not hasattr(inside, "c"):
        raise TocsinError(f"{type(curve).__name__} has one waypoint only: there is no motion in it.")
    return of_ppoly(inside)


def of_toppra_retimed(curve: Retimed) -> Pieces:
    """toppra's ParametrizeConstAccel: a path q(s), and s(t) piecewise quadratic. Composed, piece by piece.

    Between two grid points s = s0 + v t + u t^2 / 2; where a knot of the path lies between them, the time at which s is
    there is another knot.
    """
    path = curve._path
    if hasattr(path, "cspl"):
        knots, c = of_toppra_spline(path)
    elif hasattr(path, "coeff"):  # PolynomialPath
        c = np.atleast_2d(_numbers(path.coeff, "the coefficients")).T[None]
        knots = np.array([0.0, math.inf])
    else:
        raise TocsinError(
            f"a toppra path of kind {type(path).__name__} is not a piecewise polynomial that can be followed."
        )
    grid, stamps = _numbers(curve._ss, "the grid"), _numbers(curve._ts, "the times")
    speeds, accelerations = _numbers(curve._velocities, "the velocities"), _numbers(curve._us, "the accelerations")
    times, found = [float(stamps[0])], []
    for i in range(len(grid) - 1):
        u, v = float(accelerations[i]), float(speeds[i])
        cuts = [float(grid[i]), *[float(s) for s in knots if grid[i] < s < grid[i + 1]], float(grid[i + 1])]
        for a, b in pairwise(cuts):
            begin, end = (_reached(s - grid[i], v, u) for s in (a, b))
            end = float(stamps[i + 1]) if b == cuts[-1] else float(stamps[i]) + end
            if not end > times[-1]:
                continue
            k = int(np.clip(np.searchsorted(knots, a, side="right") - 1, 0, len(c) - 1))
            inner = np.array([a - knots[k], v + u * begin, 0.5 * u], np.longdouble)
            found.append(_composed(c[k], inner))
            times.append(end)
    width = max(len(piece) for piece in found)
    return np.array(times), np.stack([np.pad(p, ((0, width - len(p)), (0, 0))) for p in found])


def _reached(s: float, v: float, u: float) -> float:
    """Return when v t + u t^2 / 2 is s."""
    square = math.sqrt(max(v * v + 2.0 * u * s, 0.0))
    return 0.0 if s <= 0.0 else 2.0 * s / (v + square)


def _composed(outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Return the coefficients of outer(inner(t)): (powers, n) of (powers, n) and (powers,)."""
    found = np.zeros((1, outer.shape[1]), np.longdouble)
    for c in outer[::-1]:
        product = np.zeros((len(found) + len(inner) - 1, outer.shape[1]), np.longdouble)
        for k, x in enumerate(inner):
            product[k : k + len(found)] += x * found
        product[0] += c
        found = product
    return found[: (len(outer) - 1) * (len(inner) - 1) + 1].astype(np.float64)


def of_ruckig(curve: Profiles) -> Pieces:
    """Ruckig's Trajectory: of each joint up to two brake phases and seven phases of constant jerk, section by section.

    After a joint's last phase it keeps its velocity and acceleration until the section ends.
    """
    joints: list[Pieces] = []
    sections = list(curve.profiles)
    ends = [float(t) for t in getattr(curve, "intermediate_durations", [])] or [float(curve.duration)]
    if len(ends) != len(sections):
        ends = [float(curve.duration)]
    for j in range(len(sections[0])):
        times, found = [0.0], []
        begin = 0.0
        for section, end in zip(sections, ends):
            profile = section[j]
            phases: list[tuple[float, ...]] = []
            if section is sections[0] and profile.brake.duration > 0.0:
                brake = profile.brake
                phases += list(zip(brake.t, brake.p, brake.v, brake.a, brake.j))
            phases += list(zip(profile.t, profile.p, profile.v, profile.a, profile.j))
            phases.append((math.inf, profile.p[-1], profile.v[-1], profile.a[-1], 0.0))
            at = begin
            for lasts, p, v, a, jerk in phases:
                until = min(at + float(lasts), end)
                if until > times[-1]:
                    found.append([p, v, 0.5 * a, jerk / 6.0])
                    times.append(until)
                at += float(lasts)
            begin = end
        joints.append((np.array(times), np.array(found)[:, :, None]))
    return joined(joints)


def joined(joints: Sequence[Pieces]) -> Pieces:
    """Return curves with knots of their own as one, with the knots of all; they begin and end together."""
    knots = np.unique(np.concatenate([times for times, _ in joints]))
    width = max(c.shape[1] for _, c in joints)
    found = []
    for times, c in joints:
        piece = np.clip(np.searchsorted(times, knots[:-1], side="right") - 1, 0, len(c) - 1)
        moved = shifted(c[piece], knots[:-1] - times[piece])
        found.append(np.pad(moved, ((0, 0), (0, width - c.shape[1]), (0, 0))))
    return knots, np.concatenate(found, axis=2)


def shifted(coefficients: np.ndarray, by: np.ndarray) -> np.ndarray:
    """Return the coefficients in powers of t - by, one number a piece."""
    c = coefficients.astype(np.longdouble)
    n = c.shape[1] - 1
    for i in range(n):
        for k in range(n - 1, i - 1, -1):
            c[:, k] += by[:, None] * c[:, k + 1]
    return c.astype(np.float64)


def of_drake_polynomials(curve: DrakePolynomials) -> Pieces:
    """Drake's PiecewisePolynomial, whose values are a column: powers of t since the segment began."""
    times = _numbers(curve.get_segment_times(), "the segment times")
    found = []
    for i in range(len(times) - 1):
        matrix = np.asarray(curve.getPolynomialMatrix(i), dtype=object)
        found.append([np.atleast_1d(_numbers(p.GetCoefficients(), "the coefficients")) for p in matrix.reshape(-1)])
        if min(matrix.shape) > 1 and matrix.ndim > 1:
            raise TocsinError(f"a PiecewisePolynomial of shape {matrix.shape} has no row of joint values.")
    width = max(len(c) for piece in found for c in piece)
    table = [[np.pad(c, (0, width - len(c))) for c in piece] for piece in found]
    return times, np.array(table).transpose(0, 2, 1)


def of_drake_bspline(curve: DrakeBspline) -> Pieces:
    """Drake's BsplineTrajectory."""
    basis = curve.basis()
    points = np.array([_numbers(p, "the control points").reshape(-1) for p in curve.control_points()])
    return from_bspline(_numbers(basis.knots(), "the knots"), points, int(basis.order()) - 1)


def of_drake_bezier(curve: DrakeBezier) -> Pieces:
    """Drake's BezierCurve."""
    points = np.atleast_2d(_numbers(curve.control_points(), "the control points"))
    return from_bernstein(np.array([float(curve.start_time()), float(curve.end_time())]), points.T[:, None])


def of_drake_composite(curve: DrakeComposite) -> Pieces:
    """Drake's CompositeTrajectory: curves one after another, each on the clock of all."""
    segments = [pieces_of(curve.segment(i)) for i in range(curve.get_number_of_segments())]
    width = max(c.shape[1] for _, c in segments)
    if len({c.shape[2] for _, c in segments}) != 1:
        raise TocsinError("a CompositeTrajectory has segments of different numbers of joints.")
    knots = np.concatenate([*[times[:-1] for times, _ in segments], segments[-1][0][-1:]])
    return knots, np.concatenate([np.pad(c, ((0, 0), (0, width - c.shape[1]), (0, 0))) for _, c in segments])


READERS: tuple[tuple[tuple[str, ...], Callable[[Any], Pieces]], ...] = (
    (("_path", "_ss", "_us", "_ts"), of_toppra_retimed),
    (("cspl",), of_toppra_spline),
    (("profiles", "duration"), of_ruckig),
    (("get_segment_times", "getPolynomialMatrix"), of_drake_polynomials),
    (("basis", "control_points"), of_drake_bspline),
    (("BernsteinBasis", "control_points"), of_drake_bezier),
    (("get_number_of_segments", "segment"), of_drake_composite),
    (("t", "c", "k"), of_bspline),
    (("c", "x", "from_derivatives"), of_bpoly),
    (("c", "x", "extrapolate"), of_ppoly),
)
"""What a curve has, and how it is read; the first that fits."""


def _numbers(given: object, what: str) -> np.ndarray:
    values = _cast.numbers(given, what, "numbers")
    if values.dtype.kind == "c":
        raise TocsinError(f"{what} are complex; a trajectory is real.")
    return values.astype(np.float64)
