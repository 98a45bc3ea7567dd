"""An arc is decided once: what is reversed, cut or seen from elsewhere is the same arc, at half a turn too."""

import math
from fractions import Fraction

import numpy as np
import pytest

import tocsin
from promise.scenes import at
from tocsin.motion.arcs import decided
from tocsin.motion.joints import relative_turn
from tocsin.motion.screw_axis import Screw

QUATERNION = np.array([0], np.int32)
HALF_TURNS = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (-1, 0, 0, 0), (0, 0.6, -0.8, 0), (0.5, 0.5, 0.5, 0.5)]


def near_half_turns(count):
    """Yield (p, q) half a turn apart, up to the last bits, with any signs."""
    rng = np.random.default_rng(11)
    for i in range(count):
        p = np.array(HALF_TURNS[i % 6], float) if i % 3 else rng.normal(size=4)
        q = np.array([p[3], -p[2], p[1], -p[0]]) if i % 2 else rng.normal(size=4)
        p, q = p / np.linalg.norm(p), q - (q @ p) * p / (p @ p)
        q /= np.linalg.norm(q)
        if i % 5 == 0:
            k = int(rng.integers(4))
            q[k] = np.nextafter(q[k], rng.choice([-2.0, 2.0]))
        yield p * rng.choice([-1.0, 1.0]), q * rng.choice([-1.0, 1.0])


def hamilton(p, q):
    """Return q p^-1, exactly, as w and (x, y, z)."""
    (a, b, c, d), (e, f, g, h) = ([Fraction(float(v)) for v in (r[3], *r[:3])] for r in (q, p))
    f, g, h = -f, -g, -h
    return a * e - b * f - c * g - d * h, [a * f + b * e + c * h - d * g, a * g - b * h + c * e + d * f,
                                           a * h + b * g - c * f + d * e]  # fmt: skip


@pytest.mark.pure
def test_the_arc_is_the_shorter_one_of_the_given_numbers_to_the_last_bit():
    open_ones = 0
    for p, q in near_half_turns(600):
        rows = decided(np.array([p, q]), QUATERNION)
        assert np.array_equal(rows[0], p)
        assert np.array_equal(np.abs(rows[1]), np.abs(q))
        w, vector = hamilton(*rows)
        assert w >= 0
        assert w > 0 or next(v for v in vector if v != 0) > 0
        open_ones += abs(w) < Fraction(1, 2**51)
        assert np.array_equal(decided(np.array([p, -q]), QUATERNION), rows)
        assert np.array_equal(decided(np.array([-p, q]), QUATERNION), -rows)
    assert open_ones > 100


@pytest.mark.pure
def test_the_reverse_is_the_same_arc_to_the_bit():
    for p, q in near_half_turns(200):
        p, q = (tuple(row) for row in decided(np.array([p, q]), QUATERNION))
        axis, angle = relative_turn(p, q)
        assert relative_turn(q, p) == (tuple(-x for x in axis), angle)
        assert abs(angle - math.pi) < 1e-14  # the quaternions come from a library, and differ by its last bits


@pytest.mark.parametrize("kind", ["interpolating", "screw"])
def test_a_motion_reversed_or_cut_passes_through_the_same_places(kind):
    body = tocsin.Body(tocsin.Sphere(0.1))
    rng = np.random.default_rng(12)
    for i, (p, q) in enumerate(near_half_turns(60)):
        ends = [at(*rng.integers(-2, 3, size=3) / 2.0) for _ in range(2)]
        for pose, quaternion in zip(ends, (p, q)):
            x, y, z, w = quaternion
            v = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            pose[:3, :3] += 2.0 * (w * v + v @ v)
        motion = body.move(*ends, kind=kind)
        here = (0.25, 0.5, 1e-9)[i % 3]
        if kind == "interpolating":
            back = tocsin.Motion.of(body, motion.rows[::-1].copy())
            first = tocsin.Motion.of(body, np.stack([motion.rows[0], motion.row_at(here)]))
            rest = tocsin.Motion.of(body, np.stack([motion.row_at(here), motion.rows[1]]))
            for t in np.linspace(0.0, 1.0, 9):
                pose = motion.link_poses(t)
                assert np.abs(back.link_poses(1.0 - t) - pose).max() < 1e-14
                assert np.abs(first.link_poses(t) - motion.link_poses(here * t)).max() < 1e-14
                assert np.abs(rest.link_poses(t) - motion.link_poses(here + (1 - here) * t)).max() < 1e-14
        seen = Screw.relative(np.eye(4), np.eye(4), *ends)
        away = at(1, 2, 3, (30, 40, 50))
        from_afar = Screw.relative(away, away, *ends)
        straight = Screw.between(*ends)
        for t in (0.25, 0.5, 0.75):
            pose = straight.at(t) @ ends[0]
            assert np.abs(seen.at(t) @ ends[0] - pose).max() < 1e-13
            assert np.abs(away @ from_afar.at(t) @ np.linalg.inv(away) @ ends[0] - pose).max() < 1e-13
            if kind == "screw":
                assert np.abs(motion.link_poses(t)[0] - pose).max() < 1e-13


def test_what_the_user_hands_in_is_left_as_it_is():
    body = tocsin.Body(tocsin.Sphere(0.1))
    rows = np.array([[0, 0, 0, 0, 0, 0, 1.0], [1, 0, 0, 0, 0, 0, -1.0]])
    motion = tocsin.Motion(body, rows)
    assert rows[1, 6] == -1.0
    assert motion.rows[1, 6] == 1.0


def test_two_bodies_that_turn_against_each_other_are_listed_on_their_way():
    """120 degrees each, in opposite directions: 240 against each other, not 120 the other way round."""
    bar = tocsin.Body((tocsin.Box((1, 0.05, 0.05)), (0.5, 0, 0)), name="bar")
    post = tocsin.Body((tocsin.Box((0.1, 0.1, 0.1)), (0.8 * math.cos(2.5), 0.8 * math.sin(2.5), 0)), name="post")
    scene = tocsin.Scene(bar, post)
    motions = [b.move(np.eye(4), at(0, 0, 0, (0, 0, a)), kind="screw") for b, a in ((bar, 120), (post, -120))]
    hit = scene.first_contact(*motions)
    assert hit.time == pytest.approx(0.56, abs=0.02)
    for exact in (True, False):
        found = scene.contacts(*motions, exact=exact)
        assert found[0].time == pytest.approx(hit.time, abs=1e-3)
