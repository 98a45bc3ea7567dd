"""`Trajectory`: joint values as piecewise polynomials of a clock, by joint name.

A trajectory is its polynomials: piece i holds from times[i] to times[i + 1], and joint j is there at

    sum_k coefficients[i, k, j] (t - times[i])^k,        t and times in seconds,

exactly; that is what is proven. What it is made of is turned into these numbers with an error of a few units of
rounding at most: points with velocities and accelerations as ros2_control's joint_trajectory_controller joins them,
straight lines, cubics where both ends have velocities, quintics where they have accelerations too; piecewise
polynomials and splines of other libraries as they are (`motion.splines`).
"""

# What some of NumPy's functions return has no type.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast, _given
from tocsin._cast import clock
from tocsin._types import Flags, FloatArray, Indices, LongIndices, Matrix, Values
from tocsin.errors import TocsinError
from tocsin.motion.arcs import decided
from tocsin.motion.bases import MOST_TERMS, shifted
from tocsin.motion.poses import between
from tocsin.motion.splines import pieces_of

if TYPE_CHECKING:
    from scipy.interpolate import PPoly  # pyright: ignore[reportMissingTypeStubs]

    from tocsin.model.robot import Robot

JOINED = 1e-6
"""How far apart (radians, metres) two pieces may be at their knot; what they are is added to the joint's error."""

SAME = 2.0**-44
"""Of the sizes of all terms: knots that meet up to rounding."""

SAME_LINE = 2.0**-50
"""The same of straight lines: those are followed from knot to knot, and that is all that kernels allow for."""

ROUGH = 1e-9
"""Radians, metres: where rounding may be more than this, ends are computed in rationals."""


class Trajectory:
    """Joint values over time: `Trajectory(times, positions, velocities=..., accelerations=..., joint_names=[...])`.

    `times` (k,) seconds, increasing; `positions` (k, n), radians and metres; `velocities` and `accelerations` of the
    same shape, or left out. Between two stamps joints move as ros2_control's joint_trajectory_controller drives them:
    straight with positions alone, on cubics with velocities, on quintics with both. `joint_names` names the columns;
    without, they are the robot's whole configuration. Joints of several values have a column each: `base.x`, `base.qw`;
    four that are named as a quaternion go along the arc of their orientation, as a robot that follows them does.

    `Trajectory.of(curve, joint_names=[...])` takes piecewise polynomials of scipy, toppra, Ruckig and Drake. Without
    times (None) the points are passed in equal times, and answers know no seconds.

    >>> plan = Trajectory([0, 1, 3], [[0.0], [0.5], [0.4]], velocities=[[0], [0.2], [0]], joint_names=["elbow"])
    >>> plan.degree, plan.duration, plan(1.0).tolist()
    (3, 3.0, [0.5])
    """

    def __init__(
        self,
        times: ArrayLike | None,
        positions: ArrayLike,
        velocities: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
        *,
        joint_names: Iterable[str] = (),
        source: str = "",
        standing: Iterable[tuple[str, float]] = (),
    ) -> None:
        where, stamped = _where(source), times is not None
        table = _table(positions, "positions", where)
        names = _names(joint_names, table.shape[1], where) or tuple(_given.labels(positions))
        for what, given in (("positions", positions), ("velocities", velocities), ("accelerations", accelerations)):
            _given.check_labels(given, f"the {what} of {where}", names)
        _finite(table, names, "", where)
        stamps = np.arange(float(len(table))) if times is None else _cast.times(times, where, len(table))
        rates: list[Matrix | None] = []
        for what, given in (("velocities", velocities), ("accelerations", accelerations)):
            if given is None:
                rates.append(None)
                continue
            values = _table(given, what, where)
            if values.shape != table.shape:
                raise TocsinError(
                    f"{where}: {what} must have the shape of its positions, {table.shape}; got {values.shape}."
                )
            if times is None:
                raise TocsinError(f"{where} has {what} but no times: say when its points are passed, by times=.")
            # A row of which all is nan has none.
            some = ~np.isnan(values).all(axis=1)
            _finite(values[some], names, f"{what}: ", where)
            rates.append(values if some.any() else None)
        if rates[1] is not None and rates[0] is None:
            raise TocsinError(f"{where} has accelerations but no velocities; a quintic needs both.")
        coefficients = hermite(stamps, table, rates[0], rates[1])
        self._fill(names, stamps, coefficients, table, source, _standing(standing), stamped)

    @classmethod
    def of(cls, curve: object, *, joint_names: Iterable[str] = ()) -> Trajectory:
        """Make a trajectory of a piecewise polynomial curve of scipy, toppra, Ruckig or Drake (`motion.splines`)."""
        times, coefficients = pieces_of(curve)
        return cls.of_pieces(times, coefficients, joint_names=joint_names, source=type(curve).__name__)

    @classmethod
    def of_pieces(
        cls, times: ArrayLike, coefficients: ArrayLike, *, joint_names: Iterable[str] = (), source: str = ""
    ) -> Trajectory:
        """Make a trajectory of polynomials: `coefficients` (pieces, powers, joints), in powers of t - times[piece]."""
        where = _where(source)
        given = _cast.numbers(coefficients, f"the coefficients of {where}", "numbers (pieces, powers, joints)")
        if given.ndim != 3 or 0 in given.shape:
            raise TocsinError(f"the coefficients of {where} must be (pieces, powers, joints); got shape {given.shape}.")
        coefficients = np.array(given, np.float64)
        names = _names(joint_names, coefficients.shape[2], where)
        wrong = np.argwhere(~np.isfinite(coefficients))
        if len(wrong):
            piece, power, column = wrong[0].tolist()
            name = repr(names[column]) if names else f"column {column}"
            raise TocsinError(f"{where}: piece {piece}, {name}: the coefficient of power {power} is not finite.")
        coefficients = _trimmed(coefficients, source)
        stamps = _cast.times(times, where, len(coefficients) + 1)
        last = _values(coefficients[-1:], np.diff(stamps)[-1:])
        positions = np.concatenate([coefficients[:, 0], last])
        made = object.__new__(cls)
        made._fill(names, stamps, coefficients, positions, source, (), True)
        return made

    def _fill(
        self, names: tuple[str, ...], knots: Values, coefficients: FloatArray, positions: Matrix, source: str,
        standing: tuple[tuple[str, float], ...], stamped: bool,
    ) -> None:  # fmt: skip
        coefficients = _trimmed(coefficients, source)
        self.joint_names: tuple[str, ...] = names
        self.knots: Values = _cast.frozen(np.array(knots, np.float64))
        """(k,) seconds at which pieces meet; of a trajectory without times, 0, 1, 2, ..."""
        self.coefficients: FloatArray = _cast.frozen(np.ascontiguousarray(coefficients))
        """(k - 1, degree + 1, n): in powers of the seconds since the piece began."""
        self.positions: Matrix = _cast.frozen(np.array(positions, np.float64))
        """(k, n): where the joints are at the knots."""
        self.source: str = source
        self.standing: tuple[tuple[str, float], ...] = standing
        """Joints, and where they stand as far as the columns do not move them."""
        self.stamped: bool = stamped
        self.gaps: Values = _cast.frozen(np.zeros(coefficients.shape[2]))
        """(n,): how far pieces are apart at their knots, at most; 0 where it is no more than rounding."""
        finite = np.isfinite(coefficients).all(axis=(1, 2)) & np.isfinite(positions[1:]).all(axis=1)
        if not finite.all():
            piece = int(np.argmin(finite))
            raise TocsinError(f"{self.said}: piece {piece} overflows: its values or their derivatives are too large.")
        if len(coefficients):
            self._check_knots()

    @np.errstate(over="ignore", invalid="ignore")
    def _check_knots(self) -> None:
        """Refuse pieces that do not meet; keep how far they do not, which is more than rounding only by mistake."""
        lasts = np.diff(self.knots)
        ends = _values(self.coefficients, lasts)
        off = np.abs(ends - self.positions[1:])
        mass = _values(np.abs(self.coefficients), lasts)
        allowed = (SAME if self.degree > 1 else SAME_LINE) * (mass + np.abs(self.positions[1:]))
        off = np.where(off <= allowed, 0.0, off)
        for piece, column in np.argwhere(allowed > ROUGH).tolist():
            # Of large terms that cancel floats say too little.
            behind = Fraction(float(self.positions[piece + 1, column]))
            off[piece, column] = min(abs(self._exact_end(piece, column) - behind), 1)  # beyond that it is refused
        far = np.argwhere(off > JOINED)
        if len(far):
            piece, column = far[0].tolist()
            name = repr(self.joint_names[column]) if self.joint_names else f"column {column}"
            raise TocsinError(
                f"{self.said}: its pieces do not meet: {name} ends piece {piece}, at "
                f"{clock(float(self.knots[piece + 1]))} s, at {ends[piece, column]:g} and goes on from "
                f"{self.positions[piece + 1, column]:g}."
            )
        self.gaps = _cast.frozen(off.max(axis=0))

    def _exact_end(self, piece: int, column: int) -> Fraction:
        """Return where a joint is at the end of a piece."""
        lasts = Fraction(float(self.knots[piece + 1])) - Fraction(float(self.knots[piece]))
        value = Fraction(0)
        for c in self.coefficients[piece, ::-1, column].tolist():
            value = value * lasts + Fraction(c)
        return value

    @property
    def said(self) -> str:
        """Its name in a sentence."""
        return _where(self.source)

    def __repr__(self) -> str:
        rows, columns = self.positions.shape
        seconds = f", {self.duration:g} s" if self.stamped else ""
        kind = {1: "", 2: "quadratic ", 3: "cubic ", 5: "quintic "}.get(self.degree, f"degree {self.degree} ")
        return f"<Trajectory {self.source!r}: {rows} {kind}configurations of {columns} values{seconds}>"

    @property
    def times(self) -> Values | None:
        """(k,) seconds at the knots; None if it has no times."""
        return self.knots if self.stamped else None

    @property
    def degree(self) -> int:
        """The degree of its polynomials: 1 where joints move straight from point to point."""
        return self.coefficients.shape[1] - 1

    @property
    def duration(self) -> float:
        """Seconds from its first stamp to its last."""
        return float(self.knots[-1] - self.knots[0])

    def __call__(self, times: ArrayLike, *, derivative: int = 0) -> FloatArray:
        """Return the joint values (n,) at a time, or (k, n) at several; or a derivative of them.

        Before its first knot and after its last a trajectory stands: where it is then, with no rates.
        """
        given = _cast.numbers(times, "the times", "seconds")
        if given.ndim > 1:
            raise TocsinError(
                f"a trajectory is evaluated at a time or an array (n,) of times; got shape {given.shape}."
            )
        asked = np.atleast_1d(given).astype(np.float64)
        t = np.clip(asked, self.knots[0], self.knots[-1])
        if not np.isfinite(t).all():
            raise TocsinError("the times at which a trajectory is evaluated must be finite.")
        piece = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.coefficients) - 1)
        rates = derived(self.coefficients, derivative)
        found = _values(rates[piece], t - self.knots[piece])
        if rates is not self.coefficients:
            found[asked != t] = 0.0
        turned = self._orientations
        if turned.size:
            if rates is not self.coefficients:
                name = self.joint_names[turned[0, 0]]
                raise TocsinError(f"{self.said} moves an orientation, {name!r}: its entries have no derivatives.")
            found[:, turned.ravel()] = self._oriented(piece, t)
        return found[0] if given.ndim == 0 else found

    @cached_property
    def _orientations(self) -> Indices:
        """(m, 4): the columns that are named as the quaternions of orientations, x y z w."""
        place = {name: k for k, name in enumerate(self.joint_names)}
        stems = [name.removesuffix(".qx") for name in self.joint_names if name.endswith(".qx")]
        found = [[place.get(f"{of}.{part}", -1) for part in ("qx", "qy", "qz", "qw")] for of in stems]
        return np.array([columns for columns in found if min(columns) >= 0], np.int32).reshape(-1, 4)

    def _oriented(self, piece: LongIndices, t: Values) -> Matrix:
        """Return (k, 4 m): where the arcs of orientations have them; at knots the quaternions that were given."""
        firsts = np.arange(0, self._orientations.size, 4, dtype=np.int32)
        rows = decided(np.ascontiguousarray(self.positions[:, self._orientations.ravel()]), firsts)
        shares = (t - self.knots[piece]) / (self.knots[piece + 1] - self.knots[piece])
        found = [
            rows[k + int(x)] if x in (0.0, 1.0) else between(rows[k], rows[k + 1], firsts, x)
            for k, x in zip(piece.tolist(), shares.tolist())
        ]
        return np.stack(found)

    def peaks(self, derivative: int = 1) -> Values:
        """Return (n,) bounds of a derivative of each joint over the whole trajectory: by Bernstein coefficients."""
        return bernstein(derived(self.coefficients, derivative), np.diff(self.knots)).max(axis=0)

    def cut(self, begin: float, end: float) -> Trajectory:
        """Return the part between two times, with the same clock."""
        begin, end = _cast.scalar(begin, "begin"), _cast.scalar(end, "end")
        first, last = float(self.knots[0]), float(self.knots[-1])
        if not first <= begin < end <= last:
            raise TocsinError(
                f"a part must lie between {clock(first)} s and {clock(last)} s, and end after it begins; got "
                f"{clock(begin)} to {clock(end)}."
            )
        inner = self.knots[(self.knots > begin) & (self.knots < end)]
        knots = np.concatenate([[begin], inner, [end]])
        if not self.stamped and not np.isin(knots, self.knots).all():
            raise TocsinError(
                f"{self.said} has no times: a part of it begins and ends at one of its points, whose numbers go from "
                f"{first:g} to {last:g}; got {begin:g} to {end:g}."
            )
        return self.with_knots(knots)

    def with_knots(self, knots: Values) -> Trajectory:
        """Return the same motion in pieces between other knots, which hold all of its own between their ends."""
        knots = _cast.array(knots, f"the knots of {self.said}", (None,))
        if len(knots) < 2 or not (np.diff(knots) > 0.0).all():
            given = _cast.said(knots.tolist())
            raise TocsinError(f"the knots of {self.said} must be two or more times that increase; got {given}.")
        own = self.knots[(self.knots > knots[0]) & (self.knots < knots[-1])]
        if knots[0] < self.knots[0] or knots[-1] > self.knots[-1] or not np.isin(own, knots).all():
            raise TocsinError(
                f"new knots of {self.said} must lie between {clock(self.knots[0])} and {clock(self.knots[-1])} s, and "
                "include all of its own knots between their first and last."
            )
        piece = np.clip(np.searchsorted(self.knots, knots[:-1], side="right") - 1, 0, len(self.coefficients) - 1)
        moved = shifted(self.coefficients[piece], knots[:-1] - self.knots[piece])
        positions = np.concatenate([moved[:, 0], _values(moved[-1:], np.diff(knots)[-1:])])
        at = np.isin(knots, self.knots)
        positions[at] = self.positions[np.searchsorted(self.knots, knots[at])]
        turned = self._orientations.ravel()
        if turned.size:
            positions[:, turned] = self(knots)[:, turned]
            moved[:, :, turned] = 0.0
            moved[:, :2, turned] = hermite(knots, positions[:, turned], None, None)
        made = object.__new__(Trajectory)
        made._fill(self.joint_names, knots, moved, positions, self.source, self.standing, self.stamped)
        return made

    def delayed(self, seconds: float) -> Trajectory:
        """Return the same motion so much later on the clock."""
        shift = _cast.scalar(seconds, "seconds")
        knots = self.knots + shift
        if not self.stamped:
            raise TocsinError(f"{self.said} has no times, so it cannot be delayed: give it times.")
        if not (np.diff(knots) > 0.0).all():
            raise TocsinError(f"the times of {self.said} are too close to each other at {clock(knots[0])} s.")
        made = object.__new__(Trajectory)
        made._fill(self.joint_names, knots, self.coefficients, self.positions, self.source, self.standing, True)
        return made

    def with_columns(self, names: Iterable[str], standing: Mapping[str, float]) -> Trajectory:
        """Return the same with these names of its columns, and with a column for each joint that only stands."""
        c, p = self.coefficients, self.positions
        still = np.array(list(standing.values()), np.float64)
        behind = np.zeros((len(c), c.shape[1], len(still)))
        behind[:, :1] = still
        c, p = np.concatenate([c, behind], axis=2), np.concatenate([p, np.tile(still, (len(p), 1))], axis=1)
        made = object.__new__(Trajectory)
        made._fill((*names, *standing), self.knots, c, p, self.source, (), self.stamped)
        return made

    def resample(self, step: float) -> tuple[Trajectory, Values]:
        """Return straight lines between samples at most `step` seconds apart, and (n,) how far these are off at most.

        Proven: between two samples h apart a joint is off its line by at most h^2 / 8 times the largest of its second
        derivative, which Bernstein coefficients bound; h as the stamps have it, which are floats: those of 2026 in
        seconds since 1970 are 0.24 us apart. Samples are off by rounding, units of what a piece's terms add up to.
        """
        step = _cast.scalar(step, "step", above=0.0)
        parts = np.maximum(np.ceil(np.diff(self.knots) / step), 1.0).astype(np.int64)
        if parts.sum() > 1 << 24:
            raise TocsinError(f"that would be {parts.sum()} samples; at most {1 << 24} are made.")
        lines = [np.linspace(a, b, n) for a, b, n in zip(self.knots[:-1], self.knots[1:], (parts + 1).tolist())]
        times = np.unique(np.concatenate(lines))
        lasts = np.diff(self.knots)
        piece = np.clip(np.searchsorted(self.knots, times[:-1], side="right") - 1, 0, len(lasts) - 1)
        h = np.diff(times)[:, None]
        bend = bernstein(derived(self.coefficients, 2), lasts)[piece]
        mass = _values(np.abs(self.coefficients), lasts).max(axis=0)
        off = (bend * h * h).max(axis=0) / 8.0 * (1.0 + 2.0**-40) + SAME * mass
        stamps = times if self.stamped else None
        made = Trajectory(stamps, self(times), joint_names=self.joint_names, source=self.source, standing=self.standing)
        return made, off + self.gaps

    def to_ppoly(self) -> PPoly:
        """Return the same as scipy's `PPoly`, with as many columns."""
        if self._orientations.size:
            name = self.joint_names[self._orientations[0, 0]]
            raise TocsinError(f"{self.said} moves an orientation, {name!r}: its entries are not polynomials.")
        from scipy.interpolate import PPoly  # pyright: ignore[reportMissingTypeStubs]

        return PPoly(self.coefficients.transpose(1, 0, 2)[::-1].copy(), self.knots.copy())

    def path(self, robot: Robot, *, group: str | None = None) -> Matrix:
        """Return (k, n_config): the robot's configurations at the knots; joints not named stay as the robot stands.

        A trajectory without names must have the robot's whole configuration as columns, or those of a `group`. Joints
        that mimic others may be named too; their values must agree with what they mimic.
        """
        from tocsin.model.following import columns_of
        from tocsin.model.robot import Robot

        if not _cast.instance(robot, Robot):
            raise TocsinError(f"this is asked about a Robot; got {_cast.said(robot)}.")
        robot.columns(group)
        return columns_of(self, robot, group).rows(self.positions)


@np.errstate(over="ignore", invalid="ignore")
def hermite(times: Values, p: Matrix, v: Matrix | None, a: Matrix | None) -> FloatArray:
    """Return the coefficients (k - 1, powers, n) between points: straight, cubic or quintic by what both ends have.

    With h the seconds between, in powers of the share x of the piece: p0 + (h v0) x + ..., each solved from the values
    at both ends; in extended precision where there is some, so that each is rounded once. What is beyond all numbers is
    refused by the trajectory that is made of it.
    """
    if v is None:
        return np.stack([p[:-1], np.diff(p, axis=0) / np.diff(times)[:, None]], axis=1)
    wide = np.longdouble
    h = np.diff(times.astype(wide))[:, None]
    p0, p1 = p[:-1].astype(wide), p[1:].astype(wide)
    d = p1 - p0
    zero = np.zeros_like(d)
    found = [p0, d, zero, zero, zero, zero]
    has = both_have(v)
    v0, v1 = h * v[:-1], h * v[1:]
    cubic = [p0, v0, 3 * d - 2 * v0 - v1, v0 + v1 - 2 * d, zero, zero]
    found = [np.where(has, c, f) for c, f in zip(cubic, found)]
    if a is not None:
        has = has & both_have(a)
        a0, a1 = h * h * a[:-1], h * h * a[1:]
        quintic = [
            p0,
            v0,
            a0 / 2,
            10 * d - 6 * v0 - 4 * v1 - (3 * a0 - a1) / 2,
            -15 * d + 8 * v0 + 7 * v1 + (3 * a0 - 2 * a1) / 2,
            6 * d - 3 * (v0 + v1) - (a0 - a1) / 2,
        ]
        found = [np.where(has, c, f) for c, f in zip(quintic, found)]
    return np.stack([f / h**k for k, f in enumerate(found)], axis=1).astype(np.float64)


def both_have(rates: Matrix) -> Flags:
    """Return (k - 1, 1): of which pieces both ends have rates."""
    missing = np.logical_or.reduce(np.isnan(rates), axis=1, keepdims=True)
    return np.logical_not(np.logical_or(missing[:-1], missing[1:]))


def derived(coefficients: FloatArray, order: int) -> FloatArray:
    """Return the coefficients of a derivative."""
    times = _cast.whole(order)
    if times is None or times < 0:
        raise TocsinError(f"a derivative is a whole number of at least 0; got {_cast.said(order)}.")
    for _ in range(min(times, coefficients.shape[1])):
        if coefficients.shape[1] == 1:
            return np.zeros_like(coefficients)
        coefficients = coefficients[:, 1:] * np.arange(1, coefficients.shape[1])[:, None]
    return coefficients


def bernstein(coefficients: FloatArray, lasts: Values) -> Matrix:
    """Return (pieces, n): bounds of |polynomial| over pieces that last so long, rounded up."""
    n = coefficients.shape[1] - 1
    b: FloatArray = coefficients * (lasts[:, None] ** np.arange(n + 1))[:, :, None]
    mass = np.abs(b).sum(axis=1)
    b = b / np.array([math.comb(n, k) for k in range(n + 1)])[:, None]
    for i in range(1, n + 1):
        for k in range(n, i - 1, -1):
            b[:, k] += b[:, k - 1]
    return np.abs(b).max(axis=1) + mass * 2.0**-40


def _trimmed(coefficients: FloatArray, source: str) -> FloatArray:
    """Return coefficients without the highest powers that no piece has; lines at least."""
    used = np.flatnonzero(coefficients.any(axis=(0, 2)))
    top = max(int(used.max(initial=0)) + 1, 2)
    if top > MOST_TERMS:
        raise TocsinError(f"{_where(source)} has polynomials of degree {top - 1}; at most {MOST_TERMS - 1} are read.")
    if coefficients.shape[1] == 1:
        return np.concatenate([coefficients, np.zeros_like(coefficients)], axis=1)
    return coefficients[:, :top]


@np.errstate(over="ignore", invalid="ignore")
def _values(coefficients: FloatArray, t: Values) -> Matrix:
    """Return (k, n): polynomials at one time each."""
    found = coefficients[:, -1]
    for k in range(coefficients.shape[1] - 2, -1, -1):
        found = found * t[:, None] + coefficients[:, k]
    return found.copy()


def _standing(given: Iterable[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Return joints and where they stand."""
    found: list[tuple[str, float]] = []
    for pair in _given.sequence(given, "standing", "pairs of a joint and its value"):
        both = _given.sequence(pair, "each of standing", "a joint and its value")
        if len(both) != 2:
            raise TocsinError(f"each of standing must be a joint and its value; got {_cast.said(pair)}.")
        name = _cast.name(both[0], "the name of a joint that stands")
        found.append((name, _cast.scalar(both[1], f"where joint {name!r} stands")))
    return tuple(found)


def _where(source: str) -> str:
    named = _given.text(source, "the source of a trajectory")
    return f"the trajectory {named!r}" if named else "the trajectory"


def _table(given: object, what: str, where: str) -> Matrix:
    """Return a table of numbers, a row for each stamp."""
    table = np.array(np.atleast_2d(_cast.numbers(given, f"the {what} of {where}", "a table of numbers")), np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise TocsinError(f"{where} must be a table of rows and columns; got shape {table.shape}.")
    return table


def _names(given: Iterable[str], columns: int, where: str) -> tuple[str, ...]:
    names = _cast.names(given, f"the joint names of {where}")
    if names and len(names) != columns:
        raise TocsinError(f"{where} has {columns} columns, but {len(names)} joint names.")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TocsinError(f"{where} has two columns for joint {name!r}.")
        seen.add(name)
    return names


def _finite(table: Matrix, names: Sequence[str], what: str, where: str) -> None:
    wrong = np.argwhere(~np.isfinite(table))
    if len(wrong):
        row, column = wrong[0].tolist()
        name = repr(names[column]) if names else str(column)
        raise TocsinError(f"{where}: {what}row {row}, column {name} is not a finite number.")
