"""The bounds behind the exact search, attacked in 50 digits: places, f, its slope and its curvature, and boxes."""

import mpmath
import numpy as np
import pytest

from tocsin import _cast
from tocsin.contacts.timed import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE
from tocsin.motion.arcs import decided
from tocsin.motion.joints import rotation_of
from tocsin.motion.screw import relative_twist, seen_from
from tocsin.motion.screw_axis import OF_A_POSE
from tocsin.screen.exact import Passing, stay_apart
from tocsin.screen.exact_roots import COUNTS, Orbit, Span, isolate, make_roots, measure, place_noise, pose_at
from tocsin_bench.oracles import kinematics as kin
from tocsin_bench.oracles import screw as oracle


def random_poses(rng):
    """Return four poses: both bodies at both ends, with turns from none to nearly half a turn."""
    out = []
    for _ in range(2):
        start = kin.frame(kin.exp(rng.normal(size=3)), rng.normal(size=3) * 10.0 ** rng.uniform(-2, 2))
        axis = rng.normal(size=3)
        most = rng.choice([0.0, 1e-9, 1e-4, 0.1, 1.0, 1.5])
        turn = kin.exp(axis / np.linalg.norm(axis) * most)
        end = kin.frame(turn @ start[:3, :3], start[:3, 3] + rng.normal(size=3) * 10.0 ** rng.uniform(-2, 1))
        out += [start, end]
    return out


def relative(poses):
    """Return (twist, base) as the search makes them."""
    rows = np.stack([_cast.pose(pose, "a pose") for pose in poses])
    rows = np.concatenate([decided(rows[:2], OF_A_POSE), decided(rows[2:], OF_A_POSE)])
    place, q = seen_from(rows[0], rows[2])
    return relative_twist(*rows), (rotation_of(q), place)


def scene(seed):
    rng = np.random.default_rng(seed)
    poses = random_poses(rng)
    twist, base = relative(poses)
    motion, (rows, shift) = oracle.relative_screw(*poses)
    points = [tuple(x) for x in rng.normal(size=(4, 3))]
    reach = max(np.linalg.norm(x) for x in points)
    noise = place_noise(twist, base, reach, reach)

    def place(x, t):
        start = tuple(oracle._dot(row, x) + s for row, s in zip(rows, shift))
        return motion.at(start, t)

    return rng, twist, base, points, noise, place


@pytest.mark.parametrize("seed", range(60))
def test_a_computed_place_is_off_by_less_than_the_noise(seed):
    with mpmath.workdps(oracle.DIGITS):
        rng, twist, base, points, noise, place = scene(seed)
        for t in (0.0, 1.0, float(rng.uniform())):
            rotation, shift = pose_at(twist, base, t)
            for x in points:
                true = place(x, t)
                off = [oracle._dot(row, x) + s - c for row, s, c in zip(rotation, shift, true)]
                assert mpmath.sqrt(oracle._dot(off, off)) <= noise


def true_f(kind, q, place, t):
    if kind == FACE_VERTEX:
        n = oracle._cross(oracle._sub(q[2], q[1]), oracle._sub(q[3], q[1]))
        return oracle._dot(n, oracle._sub(place(q[0], t), q[1]))
    if kind == VERTEX_FACE:
        c = [place(x, t) for x in q[1:]]
        n = oracle._cross(oracle._sub(c[1], c[0]), oracle._sub(c[2], c[0]))
        return oracle._dot(n, oracle._sub(q[0], c[0]))
    tail, head = place(q[2], t), place(q[3], t)
    return oracle._dot(
        oracle._sub(q[1], q[0]), oracle._cross(oracle._sub(head, tail), oracle._sub(tail, q[0]))
    )  # fmt: skip


@pytest.mark.parametrize("kind", [VERTEX_FACE, FACE_VERTEX, EDGE_EDGE])
@pytest.mark.parametrize("seed", range(15))
def test_f_its_slope_and_its_curvature_are_within_their_bounds(kind, seed):
    with mpmath.workdps(oracle.DIGITS):
        rng, twist, base, points, noise, place = scene(1000 + seed)
        q = tuple(tuple(mpmath.mpf(c) for c in x) for x in points)
        t, h = float(rng.uniform()), float(rng.uniform(0.0, 0.3))
        f, slope, error, slope_error, bend = measure(kind, tuple(points), twist, pose_at(twist, base, t), h, noise)
        step = mpmath.mpf(10) ** -15

        def value(x):
            return true_f(kind, q, place, x)

        def second(x):
            return (value(x + step) - 2 * value(x) + value(x - step)) / step**2

        assert abs(value(t) - f) <= error
        assert abs((value(t + step) - value(t - step)) / (2 * step) - slope) <= slope_error
        for s in np.linspace(-h, h, 5):
            assert abs(second(mpmath.mpf(t) + float(s))) <= bend * (1 + 1e-9) + 1e-12 * error


@pytest.mark.parametrize("seed", range(40))
def test_boxes_that_are_said_to_stay_apart_do(seed):
    rng = np.random.default_rng(seed)
    said = 0
    for _ in range(50):
        poses = random_poses(rng)
        poses[2][:3, 3] = poses[0][:3, 3] + rng.normal(size=3) * 2
        poses[3][:3, 3] = poses[0][:3, 3] + rng.normal(size=3) * 2
        twist, base = relative(poses)
        h = float(rng.choice([0.5, 0.1, 0.02]))
        middle = float(rng.uniform(h, 1 - h))
        halves = rng.uniform(0.0, 0.6, (2, 3))
        pose = pose_at(twist, base, middle)
        turned = np.array(pose[0])
        box_a = (tuple(np.zeros(3)), tuple(map(tuple, np.eye(3))), tuple(halves[0]))
        box_b = (pose[1], tuple(map(tuple, turned.T)), tuple(halves[1]))
        omega, w = np.array(twist.omega), np.array(twist.w)
        velocity = np.cross(omega, np.array(pose[1]) - np.array(twist.center)) + w
        radius = np.linalg.norm(halves[1])
        curve = 0.5 * twist.angle * (np.linalg.norm(velocity) + twist.angle * radius) * h * h
        if not stay_apart(box_a, box_b, Passing(twist.omega, tuple(velocity), curve, h, 1e-12)):
            continue
        said += 1
        for t in np.linspace(middle - h, middle + h, 25):
            rotation, place = pose_at(twist, base, float(t))
            assert separated(halves[0], np.array(rotation), np.array(place), halves[1])
    assert said > 0


def separated(half_a, rotation, place, half_b):
    """The separating-axis test of two boxes, all fifteen axes."""
    axes = [*np.eye(3), *rotation.T, *(np.cross(e, f) for e in np.eye(3) for f in rotation.T)]
    for n in axes:
        length = np.linalg.norm(n)
        if length > 1e-9 and abs(n @ place) > np.abs(n) @ half_a + np.abs(n @ rotation) @ half_b + 1e-13:
            return True
    return False


def test_a_root_found_from_both_sides_of_a_cut_is_one():
    identity = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    rows = np.array([[0, 0, 0, 0, 0, 0, 1.0], [0, 0, 0, 0, 0, 0, 1], [0, 0, 1, 0, 0, 0, 1], [0, 0, -1, 0, 0, 0, 1]])
    twist = relative_twist(*rows)
    base = (identity, (0.0, 0.0, 1.0))
    q = ((0.1, 0.1, 0.0), (-1.0, -1.0, 0.0), (2.0, -1.0, 0.0), (-1.0, 2.0, 0.0))
    roots = make_roots()
    found = roots.found
    orbit = Orbit(twist, base, place_noise(twist, base, 2.0, 2.0))
    counts = np.zeros(COUNTS, np.int64)
    n, whole = isolate(FACE_VERTEX, q, orbit, Span(0.0, 1.0, pose_at(twist, base, 0.5)), roots, counts)
    assert (n, whole) == (1, True)
    assert found[0, 0] == 0.5
    assert found[0, 3] == 1.0
    before, _ = isolate(FACE_VERTEX, q, orbit, Span(0.0, 0.5, pose_at(twist, base, 0.25)), roots, counts)
    after, _ = isolate(FACE_VERTEX, q, orbit, Span(0.5, 1.0, pose_at(twist, base, 0.75)), roots, counts)
    assert before + after >= 1
