"""A trajectory is its polynomials, whatever it is made of; what is wrong with it is said in a sentence."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import interpolate

import tocsin
from tocsin import Box, RobotBuilder, Scene, Sphere, TocsinError, Trajectory, UnknownNameError

X = np.array([0.0, 0.5, 1.3, 2.0, 3.5, 4.0])
Y = np.random.default_rng(0).normal(size=(6, 3))
T = np.linspace(0.0, 4.0, 97)


def arm(base="fixed"):
    builder = RobotBuilder("arm", base=base)
    builder.link("base", Box((0.1, 0.1, 0.1)))
    builder.link("one", Box((0.1, 0.1, 0.4)), parent="base", joint="revolute", axis=(0, 1, 0), joint_name="a",
                 origin=(0, 0, 0.4), limits=(-2.0, 2.0))  # fmt: skip
    builder.link("two", Box((0.1, 0.1, 0.3)), parent="one", joint="prismatic", axis=(0, 0, 1), joint_name="b",
                 origin=(0, 0, 0.5))  # fmt: skip
    builder.link("three", parent="two", joint="revolute", joint_name="c", mimic=("a", -2.0, 0.5))
    return builder.build()


def curves():
    yield interpolate.CubicSpline(X, Y)
    yield interpolate.PchipInterpolator(X, Y)
    yield interpolate.Akima1DInterpolator(X, Y)
    yield interpolate.CubicHermiteSpline(X, Y, Y[::-1])
    yield interpolate.PPoly(interpolate.CubicSpline(X, Y).c, X)
    yield interpolate.BPoly.from_derivatives(X, [list(rows) for rows in zip(Y, Y[::-1], 0.5 * Y)])
    for degree in (1, 2, 3, 5):
        yield interpolate.make_interp_spline(X, Y, k=degree)


@pytest.mark.pure
@pytest.mark.parametrize("curve", list(curves()), ids=lambda c: f"{type(c).__name__}-{getattr(c, 'k', '')}")
def test_curves_of_scipy_are_followed_as_they_are(curve):
    found = Trajectory.of(curve, joint_names=["a", "b", "c"])
    scale = 1.0 + np.abs(found.coefficients).max() * 4.0**found.degree
    assert np.abs(found(T) - curve(T)).max() < 1e-15 * scale
    assert np.abs(found(T, derivative=1) - curve.derivative()(T)).max() < 1e-14 * scale
    assert not found.gaps.any()
    assert np.abs(found.to_ppoly()(T) - found(T)).max() < 1e-15 * scale


class Phase:
    """What Ruckig has of one joint."""

    def __init__(self, p, v, a, jerks, lasts, brake=()):
        self.t, self.j, self.p, self.v, self.a = list(lasts), list(jerks), [], [], []
        for t, j in zip(lasts, jerks):
            self.p.append(p)
            self.v.append(v)
            self.a.append(a)
            p, v, a = p + v * t + a * t**2 / 2 + j * t**3 / 6, v + a * t + j * t**2 / 2, a + j * t
        self.p.append(p)
        self.v.append(v)
        self.a.append(a)
        self.duration = sum(lasts)
        self.brake = brake or Phase(0, 0, 0, [], [], self) if brake != () or lasts else self

    def at(self, t):
        for k, lasts in enumerate(self.t):
            if t < lasts or k == len(self.t) - 1:
                return self.p[k] + self.v[k] * t + self.a[k] * t**2 / 2 + self.j[k] * t**3 / 6
            t -= lasts
        return self.p[-1]


@pytest.mark.pure
def test_profiles_of_ruckig_keep_every_joint_s_own_knots():
    none = type("Brake", (), {"duration": 0.0, "t": [], "p": [], "v": [], "a": [], "j": []})()
    first = Phase(0.0, 0.0, 0.0, [1, 0, -1, 0, -1, 0, 1], [0.5, 0.25, 0.5, 0.3, 0.5, 0.25, 0.5], none)
    second = Phase(1.0, 0.1, 0.0, [-2, 0, 2, 0, 2, 0, -2], [0.4, 0.0, 0.4, 1.2, 0.4, 0.0, 0.4], none)
    found = Trajectory.of(type("T", (), {"profiles": [[first, second]], "duration": 2.8})())
    t = np.linspace(0.0, 2.8, 57)
    assert found.degree == 3
    assert np.abs(found(t) - [[first.at(x), second.at(x)] for x in t]).max() < 1e-12


@pytest.mark.pure
def test_curves_of_toppra_are_composed_with_their_times():
    path = type("SplineInterpolator", (), {"cspl": interpolate.CubicSpline([0.0, 0.4, 1.0], Y[:3])})()
    grid, speeds = np.linspace(0.0, 1.0, 8), np.array([0.0, 0.5, 0.8, 0.9, 0.9, 0.7, 0.4, 0.0])
    u = 0.5 * np.diff(speeds**2) / np.diff(grid)
    times = np.concatenate([[0.0], np.cumsum(2.0 * np.diff(grid) / (speeds[1:] + speeds[:-1]))])
    curve = type(
        "ParametrizeConstAccel", (), {"_path": path, "_ss": grid, "_velocities": speeds, "_us": u, "_ts": times}
    )
    found = Trajectory.of(curve())
    assert found.degree == 6
    for t in np.linspace(0.0, times[-1], 41):
        i = min(int(np.searchsorted(times, t, side="right")) - 1, len(u) - 1)
        s = grid[i] + speeds[i] * (t - times[i]) + 0.5 * u[i] * (t - times[i]) ** 2
        assert np.abs(found(float(t)) - path.cspl(s)).max() < 1e-12


@pytest.mark.pure
def test_curves_of_drake_are_read():
    class Poly:
        def __init__(self, c):
            self.c = c

        def GetCoefficients(self):
            return self.c

    class Pieces:
        def get_segment_times(self):
            return [0.0, 1.0, 3.0]

        def getPolynomialMatrix(self, i):
            return np.array([[Poly([0.0, 1.0] if i == 0 else [1.0, 0.0, 0.5])], [Poly([2.0])]], dtype=object)

    assert Trajectory.of(Pieces())(2.0).tolist() == [1.5, 2.0]
    spline = interpolate.make_interp_spline(X, Y, k=3)
    basis = type("Basis", (), {"order": lambda self: 4, "knots": lambda self: spline.t.tolist()})()
    curve = type(
        "B", (), {"basis": lambda self: basis, "control_points": lambda self: [c[:, None] for c in spline.c]}
    )()
    assert np.abs(Trajectory.of(curve)(T) - spline(T)).max() < 1e-14


@pytest.mark.pure
def test_bezier_curves_of_drake_are_read_alone_and_one_after_another():
    class Bezier:
        def __init__(self, begin, end, points):
            self.begin, self.end, self.points = begin, end, points

        start_time, end_time = lambda self: self.begin, lambda self: self.end
        control_points, BernsteinBasis = lambda self: self.points, None

    rng = np.random.default_rng(4)
    first, second = rng.normal(size=(2, 5)), rng.normal(size=(2, 3))
    second[:, 0] = first[:, -1]
    curves = [Bezier(1.0, 1.5, first), Bezier(1.5, 4.0, second)]
    whole = type("Composite", (), {"get_number_of_segments": lambda s: 2, "segment": lambda s, i: curves[i]})()
    for curve, found in ((curves[0], Trajectory.of(curves[0])), (curves[1], Trajectory.of(whole))):
        exact = interpolate.BPoly(curve.points.T[:, None], [curve.begin, curve.end])
        t = np.linspace(curve.begin, curve.end, 33)
        assert np.abs(found(t) - exact(t)).max() < 1e-13
    assert found.knots.tolist() == [1.0, 1.5, 4.0]


@pytest.mark.pure
def test_points_are_joined_as_the_controller_joins_them():
    rng = np.random.default_rng(1)
    v, a = rng.normal(size=(2, 6, 3))
    assert Trajectory(X, Y).degree == 1
    cubic = Trajectory(X, Y, v)
    assert np.abs(cubic(X) - Y).max() < 1e-14
    assert np.abs(cubic(X, derivative=1) - v).max() < 1e-13
    quintic = Trajectory(X, Y, v, a)
    assert np.abs(quintic(X, derivative=1) - v).max() < 1e-13
    assert np.abs(quintic(X, derivative=2) - a).max() < 1e-12


@pytest.mark.pure
def test_parts_resampling_and_peaks_keep_what_they_say():
    plan = Trajectory.of(interpolate.CubicSpline(X, Y), joint_names=["a", "b", "c"])
    t = np.linspace(0.2, 3.1, 41)
    assert np.abs(plan.cut(0.2, 3.1)(t) - plan(t)).max() < 1e-13
    assert np.abs(plan.delayed(10.0)(t + 10.0) - plan(t)).max() < 1e-12
    lines, off = plan.resample(0.05)
    fine = np.linspace(0.0, 4.0, 5001)
    error = np.abs(lines(fine) - plan(fine)).max(axis=0)
    assert (error <= off).all()
    assert (off < 4.0 * error).all()
    for order in (0, 1, 2, 3):
        assert (np.abs(plan(fine, derivative=order)).max(axis=0) <= plan.peaks(order) * (1.0 + 1e-12)).all()


@pytest.mark.pure
@pytest.mark.parametrize("first", [0.0, 1.7e9, 2.0**33])
def test_lines_between_stamps_of_today_are_as_far_off_as_was_said(first):
    """Seconds since 1970 are floats 0.24 us apart: samples farther apart than was asked for were not looked at."""
    plan = Trajectory.of_pieces([first, first + 1.0], [[[0.0], [0.0], [1.0]]])
    lines, (off,) = plan.resample(1.0 / 700.0)
    stamps = [Fraction(t) - Fraction(first) for t in lines.knots.tolist()]
    rows = [Fraction(x) for x in lines.positions[:, 0].tolist()]
    worst = max(abs((a + b) ** 2 / 4 - (x + y) / 2) for a, b, x, y in zip(stamps, stamps[1:], rows, rows[1:]))
    assert worst <= Fraction(off) < 1.001 * worst
    assert not Trajectory(None, Y).resample(0.5)[0].stamped


@pytest.mark.parametrize("first", [0.0, 1.7e9])
def test_orientations_of_a_trajectory_go_along_their_arcs_whatever_is_made_of_it(first):
    """Entry by entry they went straight: parts and samples were no orientations, and were refused when followed."""
    builder = tocsin.RobotBuilder("ship").link("sea")
    builder.link("hull", Sphere(0.1), parent="sea", joint="floating", joint_name="f", origin=(0.1, 0.2, 0.3))
    robot = builder.link("gun", Sphere(0.1), parent="hull", joint="ball", joint_name="b", origin=(1, 0, 0)).build()
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(4, 11))
    for k in (3, 7):
        rows[:, k : k + 4] /= np.linalg.norm(rows[:, k : k + 4], axis=1, keepdims=True)
    names = [f"f.{part}" for part in ("x", "y", "z", "qx", "qy", "qz", "qw")] + [f"b.q{part}" for part in "xyzw"]
    order = rng.permutation(11)  # columns in any order
    plan = Trajectory(first + np.array([0.0, 0.5, 2.0, 3.0]), rows[:, order], joint_names=[names[k] for k in order])
    motion, part = robot.follow(plan), plan.cut(first + 0.25, first + 2.75)
    cut, lines = robot.follow(part), robot.follow(plan.resample(0.11)[0])
    for t in np.linspace(0.25, 2.75, 41):
        expected = motion.link_poses(t / 3.0)
        assert np.allclose(robot.link_poses(plan(first + t)[np.argsort(order)]), expected, atol=1e-6)
        assert np.allclose(cut.link_poses((t - 0.25) / 2.5), expected, atol=1e-6)
        assert np.allclose(lines.link_poses(t / 3.0), expected, atol=1e-6)
    assert np.array_equal(np.abs(part.positions[1:-1]), np.abs(rows[1:-1, order]))
    with pytest.raises(tocsin.TocsinError, match=r"moves an orientation, '[bf]\.qx': its entries have no derivatives"):
        plan(first + 1.0, derivative=1)
    with pytest.raises(tocsin.TocsinError, match=r"moves an orientation, '[bf]\.qx': its entries are not polynomials"):
        plan.to_ppoly()


@pytest.mark.pure
def test_a_trajectory_stands_before_its_first_knot_and_after_its_last():
    plan = Trajectory([1.0, 2.0], [[0.0], [1.0]])
    assert plan([0.0, 1.0, 2.0, 3.0])[:, 0].tolist() == [0.0, 0.0, 1.0, 1.0]
    assert plan([0.0, 1.0, 2.0, 3.0], derivative=1)[:, 0].tolist() == [0.0, 1.0, 1.0, 0.0]
    assert plan(5.0, derivative=1).tolist() == [0.0]


def slide():
    builder = tocsin.RobotBuilder("slide")
    builder.link("rail", Sphere(0.1))
    builder.link("cart", Sphere(0.1), parent="rail", joint="prismatic", limits=(0.0, 0.3))
    return builder.build()


def grouped():
    robot = arm()
    robot.groups["g"] = ("a",)
    return robot


def wrong():
    yield lambda: Trajectory([0, 1, 1], np.zeros((3, 1))), "must increase, but number 1 is 1 s and the next 1 s"
    yield lambda: Trajectory([0, 1], [[0.0], [np.nan]], joint_names=["a"]), "row 1, column 'a' is not a finite number"
    yield lambda: Trajectory([0, 1], np.zeros((2, 1)), [[0.0], [np.inf]]), "velocities: row 1, column 0 is not a finite"
    yield (
        lambda: Trajectory([0, 1], np.zeros((2, 1)), np.zeros((2, 2))),
        r"shape of its positions, \(2, 1\); got \(2, 2\)",
    )
    yield lambda: Trajectory([0, 1], np.zeros((2, 1)), None, np.zeros((2, 1))), "accelerations but no velocities"
    yield lambda: Trajectory(None, np.zeros((2, 1)), np.zeros((2, 1))), "velocities but no times"
    yield (
        lambda: Trajectory.of(interpolate.RBFInterpolator(Y[:, :2], Y)),
        "RBFInterpolator is not a piecewise polynomial",
    )
    yield lambda: Trajectory.of(3.0), "float is not a piecewise polynomial"
    yield (
        lambda: Trajectory.of_pieces([0, 1, 2], [[[0.0], [1.0]], [[2.0], [0.0]]]),
        "do not meet: column 0 ends piece 0, at 1 s",
    )
    yield lambda: Trajectory.of_pieces([0, 1], np.zeros((1, 99, 1)) + 1.0), "degree 98; at most 63"
    yield lambda: Trajectory(X, Y).cut(3.0, 5.0), "a part must lie between 0 s and 4 s"
    yield lambda: Trajectory(X, Y).cut(1.0, 2.0)(np.nan), "must be finite"
    yield lambda: Trajectory(X, Y)(np.zeros((2, 2))), r"at a time or an array \(n,\) of times; got shape \(2, 2\)"
    yield lambda: Trajectory(None, Y).delayed(1.0), "has no times, so it cannot be delayed"
    yield lambda: Trajectory(X, Y).delayed(1e17), r"too close to each other at 100000000000000000 s"
    yield lambda: Trajectory(None, Y).cut(0.5, 2.0), "a part of it begins and ends at one of its points"
    yield lambda: Trajectory(X, Y).with_knots([-1.0, *X]), "new knots of the trajectory must lie between 0 and 4 s"
    yield lambda: Trajectory(X, Y).with_knots(X[[0, -1]]), "include all of its own knots between their first and last"
    yield lambda: arm().follow(Trajectory([0, 1], np.zeros((2, 1)), joint_names=["elbow"])), "no joint 'elbow'"
    yield lambda: arm().follow(Trajectory([0, 1], np.zeros((2, 3)))), "3 columns, but 'arm' has 2 values"
    yield lambda: arm().follow(Trajectory([0, 1], [[0, 0], [90, 0]], joint_names=["a", "b"])), "seems to be in degrees"
    yield lambda: arm().follow(Trajectory([0, 1], [[0, 0], [90, 0]], joint_names=["a", "b"])), "the trajectory: joint"
    yield lambda: slide().follow(Trajectory([0, 1], [[0.0], [250.0]])), "limits are 0 to 0.3 m: it seems to be in milli"
    yield lambda: arm().follow(Trajectory([0, 1], [[0], [1]], joint_names=["a"]), times=[0, 1]), "has its own times"
    yield lambda: grouped().follow(Trajectory([0, 1], [[0], [1]], joint_names=["a"]), group="leg"), "no group 'leg'"
    yield lambda: grouped().follow(Trajectory([0, 1], [[0], [1]], joint_names=["b"]), group="g"), "'b' in group 'g'"
    yield lambda: arm().follow(np.zeros((3, 2)), times=[0, 1]), "times of a path of 'arm'"
    yield lambda: arm().follow(np.zeros((3, 2)), times=[0, 2, 1]), "must increase, but number 1 is 2 s"
    yield lambda: arm().follow(np.zeros((3, 2)), error=-1.0), "error must be at least 0"
    yield lambda: arm().follow(np.zeros((3, 2)), error={"elbow": 0.1}), "no joint 'elbow'"
    moved = Trajectory([0, 1], [[0, 0.5], [1, -1.5]], [[0, 1], [0, 0]], joint_names=["a", "c"])
    yield lambda: arm().follow(moved), "moves differently between its points"


@pytest.mark.pure
@pytest.mark.parametrize(("make", "says"), list(wrong()))
def test_what_is_wrong_is_said_in_a_sentence(make, says):
    with pytest.raises((TocsinError, UnknownNameError), match=says):
        make()


def test_a_spline_overshoots_into_what_its_straight_lines_avoid():
    robot = arm()
    wall = tocsin.Body(Sphere(0.05), (0.4124, 0, 0.6826), name="ball")
    scene = Scene(robot, wall)
    points = [[0.0, 0.0], [0.75, 0.0], [0.0, 0.0]]
    straight = Trajectory([0, 1, 2], points, joint_names=["a", "b"])
    bent = Trajectory([0, 1, 2], points, [[0, 0], [0.9, 0], [0, 0]], joint_names=["a", "b"])
    assert scene.is_free(robot.follow(straight))
    for method in ("advancement", "interval"):
        hit = scene.first_contact(robot.follow(bent), method=method)
        assert hit.collides
        assert 1.0 < hit.seconds < 1.5
        assert scene.distance(robot.at(bent(hit.seconds))).distance <= hit.tolerance
        assert robot.at_contact(hit)[:2] == pytest.approx(bent(hit.seconds), abs=1e-12)


@pytest.mark.parametrize("degree", [9, 15])
def test_polynomials_of_a_high_degree_are_taken_apart(degree):
    robot = arm()
    rng = np.random.default_rng(degree)
    c = rng.normal(size=(1, degree + 1, 2)) * np.array([1.0, 0.2])
    plan = Trajectory.of_pieces([0.0, 1.0], c, joint_names=["a", "b"])
    motion = robot.follow(plan)
    assert motion.degree <= 7
    for t in np.linspace(0.0, 1.0, 33):
        off = np.abs(motion.row_at(float(t))[7:] - plan(float(t)))
        assert (off <= motion.error[7:] + 1e-13).all()
        assert (motion.error < 1e-9).all()


def test_powers_that_no_piece_has_are_left_out_before_anything_is_computed():
    """A file of sixteen kilobytes had two millions of them, and took six seconds."""
    table = np.zeros((2, 2**20, 1))
    table[:, 1] = 1.0
    table[1, 0] = 1.0
    plan = Trajectory.of_pieces([0.0, 1.0, 2.0], table)
    assert (plan.degree, plan.coefficients.shape, plan.positions.ravel().tolist()) == (1, (2, 2, 1), [0.0, 1.0, 2.0])


def test_pieces_with_terms_that_cancel_have_to_meet_all_the_same():
    """Knots were taken as meeting within units of the terms, which of degree 30 are 1e14 times the value."""
    bezier = np.polynomial.Polynomial([1.0])
    for _ in range(30):
        bezier = bezier * np.polynomial.Polynomial([1.0, -2.0])  # (1 - 2 t)^30: from 1 to 1
    c = np.zeros((2, 31, 1))
    c[0, :, 0] = bezier.coef
    c[1, 0, 0] = 1.5
    with pytest.raises(tocsin.TocsinError, match="its pieces do not meet"):
        Trajectory.of_pieces([0.0, 1.0, 2.0], c)
    c[1, 0, 0] = 1.0 + 1e-7
    assert Trajectory.of_pieces([0.0, 1.0, 2.0], c).gaps[0] == pytest.approx(1e-7, rel=1e-6)


def test_lines_that_end_a_few_units_off_their_knots_are_in_a_tube():
    """They are followed from knot to knot; beyond what rounding takes of that, a line is another."""
    c = np.array([[[0.0], [1.0 + 2.0**-48]], [[1.0], [0.0]]])
    plan = Trajectory.of_pieces([0.0, 1.0, 2.0], c, joint_names=["a"])
    assert plan.gaps[0] == 2.0**-48
    assert Trajectory([0.0, 0.3, 2.0], [[0.1], [0.7], [1e3]]).gaps[0] == 0.0


@pytest.mark.parametrize(
    ("times", "rows", "rates"),
    [
        ([0, 1e-200], [[0.0], [1e200]], None),
        ([0, 1], [[-1.7e308], [1.7e308]], None),
        ([0, 1e-300], [[0.0], [1.0]], [[0.0], [1.0]]),
        ([0, 1e-160, 1], [[0.0], [1.0], [2.0]], [[0.0], [1.0], [0.0]]),
    ],
)
def test_curves_beyond_all_numbers_are_refused_in_a_sentence(times, rows, rates):
    with pytest.raises(TocsinError, match="piece 0 overflows"):
        Trajectory(times, rows, rates)


@pytest.mark.parametrize("second", [[[1e308], [1.0]], [[-1e308], [0.0]]])
def test_pieces_that_end_beyond_all_numbers_are_refused_in_a_sentence(second):
    with pytest.raises(TocsinError, match=r"pieces do not meet|overflows"):
        Trajectory.of_pieces([0, 1e10, 2e10], [[[0.0], [1e300]], second])
