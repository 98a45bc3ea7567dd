"""Piecewise polynomials of other libraries, as knots and coefficients; none of them is imported.

| library | |
|---|---|
| scipy | `PPoly` and its kin (`CubicSpline`, `PchipInterpolator`, `Akima1DInterpolator`, ...); `BPoly`; `BSpline` |
| toppra | `SplineInterpolator`, `ParametrizeSpline`, `SimplePath`, `PolynomialPath`; `ParametrizeConstAccel` over one |
| Ruckig | `Trajectory`: cubics, every joint with its own knots |
| Drake | `PiecewisePolynomial`; `BsplineTrajectory`; `BezierCurve`; a `CompositeTrajectory` of these; |
| | `PathParameterizedTrajectory` |

They are known by what they have, not by their names; some of toppra's have private names only. Coefficients of scipy's
`PPoly` are taken as they are; what has to be computed (other bases, knots of other joints) is, in exact or in extended
precision, and rounded once (`bases`).
"""

# pyright: reportPrivateUsage=false
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from tocsin import _cast
from tocsin.errors import TocsinError
from tocsin.motion.bases import Pieces, composed, from_bernstein, from_bspline, joined, shifted, stacked

KNOWN = (
    "scipy's PPoly, BPoly and BSpline, toppra's splines, Ruckig's Trajectory, Drake's PiecewisePolynomial, "
    "BsplineTrajectory, BezierCurve, PathParameterizedTrajectory and CompositeTrajectory"
)

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


class Polys(Protocol):
    """toppra's `SimplePath`: a `BPoly` of every joint."""

    _polys: Sequence[Powers]


class Coefficients(Protocol):
    """toppra's `PolynomialPath`: of every joint the coefficients in powers of s, from one s to another."""

    coeff: Sequence[object]
    s_start: float
    s_end: float


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


class DrakeParameterized(Protocol):
    """Drake's `PathParameterizedTrajectory`."""

    def path(self) -> object:
        """Return the curve q(s)."""
        ...

    def time_scaling(self) -> object:
        """Return s(t)."""
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
    if isinstance(curve, (tuple, list)) and len(curve) in (2, 3):
        raise TocsinError(
            f"a {name} is not a curve. From the (t, c, k) of scipy's splrep and splprep, make one: "
            "BSpline(t, numpy.transpose(c), k)."
        )
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
        _finite(curve.x, "the knots"), columns(_finite(curve.c, "the coefficients"), type(curve).__name__)
    )


def of_bspline(curve: Basis) -> Pieces:
    """scipy.interpolate.BSpline."""
    degree = _cast.whole(curve.k)
    if degree is None:
        raise TocsinError(f"{type(curve).__name__} has several degrees: a trajectory is a curve of time alone.")
    return from_bspline(_finite(curve.t, "the knots"), _finite(curve.c, "the coefficients"), degree)


def of_toppra_spline(curve: Inside) -> Pieces:
    """toppra's SplineInterpolator and ParametrizeSpline: a CubicSpline inside."""
    inside = curve.cspl
    if not hasattr(inside, "c"):
        raise TocsinError(f"{type(curve).__name__} has one waypoint only: there is no motion in it.")
    return of_ppoly(inside)


def of_toppra_simple(curve: Polys) -> Pieces:
    """toppra's SimplePath."""
    return joined([of_bpoly(poly) for poly in curve._polys])


def of_toppra_polynomials(curve: Coefficients) -> Pieces:
    """toppra's PolynomialPath."""
    rows = [_numbers(row, "the coefficients").reshape(-1) for row in curve.coeff]
    ends = np.array([float(curve.s_start), float(curve.s_end)])
    width = max(len(row) for row in rows)
    return ends, shifted(np.stack([np.pad(row, (0, width - len(row))) for row in rows], axis=1)[None], ends[:1])


def of_toppra_retimed(curve: Retimed) -> Pieces:
    """toppra's ParametrizeConstAccel: a path q(s), and s(t) piecewise quadratic. Composed, piece by piece.

    Between two grid points s = s0 + v t + u t^2 / 2; where a knot of the path lies between them, the time at which s is
    there is another knot.
    """
    knots, c = pieces_of(curve._path)
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
            found.append(composed(c[k], inner))
            times.append(end)
    return np.array(times), stacked(found)


def _reached(s: float, v: float, u: float) -> float:
    """Return when v t + u t^2 / 2 is s."""
    square = math.sqrt(max(v * v + 2.0 * u * s, 0.0))
    return 0.0 if s <= 0.0 else 2.0 * s / (v + square)


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
    points = np.array([_finite(p, "the control points").reshape(-1) for p in curve.control_points()])
    return from_bspline(_finite(basis.knots(), "the knots"), points, int(basis.order()) - 1)


def of_drake_bezier(curve: DrakeBezier) -> Pieces:
    """Drake's BezierCurve."""
    points = np.atleast_2d(_finite(curve.control_points(), "the control points"))
    return from_bernstein(np.array([float(curve.start_time()), float(curve.end_time())]), points.T[:, None])


def of_drake_composite(curve: DrakeComposite) -> Pieces:
    """Drake's CompositeTrajectory: curves one after another, each on the clock of all."""
    segments = [pieces_of(curve.segment(i)) for i in range(curve.get_number_of_segments())]
    width = max(c.shape[1] for _, c in segments)
    if len({c.shape[2] for _, c in segments}) != 1:
        raise TocsinError("a CompositeTrajectory has segments of different numbers of joints.")
    knots = np.concatenate([*[times[:-1] for times, _ in segments], segments[-1][0][-1:]])
    return knots, np.concatenate([np.pad(c, ((0, 0), (0, width - c.shape[1]), (0, 0))) for _, c in segments])


def of_drake_parameterized(curve: DrakeParameterized) -> Pieces:
    """Drake's PathParameterizedTrajectory: a path q(s) composed with s(t), both piecewise polynomials.

    Where s passes a knot of the path is another knot. These times are rounded, so that a piece of the path may be
    followed by that much beyond its end; more knots than needed do no harm.
    """
    knots, c = pieces_of(curve.path())
    stamps, scaling = pieces_of(curve.time_scaling())
    if scaling.shape[2] != 1:
        raise TocsinError("the time scaling of a PathParameterizedTrajectory has one value, the parameter of its path.")
    times, found = [], []
    for begin, end, s in zip(stamps[:-1].tolist(), stamps[1:].tolist(), scaling[:, :, 0]):
        cuts = [0.0, *_passes(s, knots, end - begin), end - begin]
        for a, b in pairwise(cuts):
            middle = float(np.polynomial.polynomial.polyval(0.5 * (a + b), s))
            if not knots[0] - OUTSIDE * np.ptp(knots) <= middle <= knots[-1] + OUTSIDE * np.ptp(knots):
                raise TocsinError(
                    f"the time scaling of a PathParameterizedTrajectory leads to {middle:g}, and its path goes from "
                    f"{knots[0]:g} to {knots[-1]:g}."
                )
            k = int(np.clip(np.searchsorted(knots, middle, side="right") - 1, 0, len(c) - 1))
            inner = shifted(s[None, :, None], np.array([a]))[0, :, 0].astype(np.longdouble)
            inner[0] -= knots[k]
            times.append(begin + a)
            found.append(composed(c[k], inner))
    return np.array([*times, stamps[-1]]), stacked(found)


OUTSIDE = 1e-9
"""Of the length of a path: how far rounding may lead beyond it."""


def _passes(s: np.ndarray, knots: np.ndarray, lasts: float) -> list[float]:
    """Return the times between 0 and `lasts` at which a polynomial is at one of these knots, or all but touches it."""
    found: set[float] = set()
    top = int(np.flatnonzero(s).max(initial=0))
    for knot in knots if top else ():
        roots = np.polynomial.polynomial.polyroots(np.array([s[0] - knot, *s[1 : top + 1]]))
        found |= {float(r.real) for r in roots if abs(r.imag) <= 1e-4 * lasts}
    least = 2.0**-40 * lasts
    times = [0.0]
    for t in sorted(t for t in found if t < lasts - least):
        if t > times[-1] + least:
            times.append(t)
    return times[1:]


READERS: tuple[tuple[tuple[str, ...], Callable[[Any], Pieces]], ...] = (
    (("_path", "_ss", "_us", "_ts"), of_toppra_retimed),
    (("cspl",), of_toppra_spline),
    (("_polys", "path_interval"), of_toppra_simple),
    (("coeff", "s_start", "s_end"), of_toppra_polynomials),
    (("profiles", "duration"), of_ruckig),
    (("get_segment_times", "getPolynomialMatrix"), of_drake_polynomials),
    (("basis", "control_points"), of_drake_bspline),
    (("BernsteinBasis", "control_points"), of_drake_bezier),
    (("get_number_of_segments", "segment"), of_drake_composite),
    (("path", "time_scaling"), of_drake_parameterized),
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


def _finite(given: object, what: str) -> np.ndarray:
    values = _numbers(given, what)
    if not np.isfinite(values).all():
        raise TocsinError(f"{what} of a spline must be finite; got nan or inf.")
    return values
