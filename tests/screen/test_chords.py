"""Edges on the screen: chords follow their curve within what they say they are off."""

import math

import numpy as np
import pytest

from tocsin.screen.chords import (
    CHORD_WIDTH,
    H0,
    H1,
    LATE,
    MOST_CHORDS,
    OFF,
    R0,
    R1,
    S0,
    S1,
    T0,
    T1,
    Grid,
    Line,
    Sheet,
    chord_error,
    crossing,
    draw_line,
)  # fmt: skip
from tocsin.screen.frame import Frame, project

pytestmark = pytest.mark.pure

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FINE = Grid(0.01, 1 / 128, 0.0, math.inf)


def drawn(frame, p, q, grid=FINE, edge=7):
    """Return the chords of a line, in the frame of the axis."""
    chords = np.zeros((2 * MOST_CHORDS, CHORD_WIDTH))
    a, b = project(frame, *p, 0, 0.0), project(frame, *q, 0, 0.0)
    sheet = Sheet(chords, np.zeros((64, 4)), frame, grid, 0.0)
    n = draw_line(sheet, 0, edge, Line(p, q, a, b, 0.0, 1.0), 0, 0.0)
    return chords[:n]


def random_line(rng):
    """Return two points ahead of the axis, so that the angle does not jump between them."""
    p, q = rng.uniform(-1, 1, (2, 3)) + (0.0, 0.0, 1.6)
    return tuple(p.tolist()), tuple(q.tolist())


@pytest.mark.parametrize("pitch", [0.0, 0.7])
def test_the_curve_stays_as_near_to_its_chords_as_they_say(pitch):
    rng = np.random.default_rng(1)
    for _ in range(60):
        frame = Frame(AXES, (0.0, 0.0, 0.0), float(rng.uniform(0.2, 3.0)), pitch)
        p, q = random_line(rng)
        chords = drawn(frame, p, q)
        assert chords[0, S0] == 0.0
        assert chords[-1, S1] == 1.0
        np.testing.assert_array_equal(chords[1:, S0], chords[:-1, S1])
        for row in chords:
            for part in np.linspace(0.0, 1.0, 9):
                s = row[S0] + part * (row[S1] - row[S0])
                r, h, t = project(frame, *(x + s * (y - x) for x, y in zip(p, q)), 0, 0.0)
                assert abs(r - (row[R0] + part * (row[R1] - row[R0]))) <= row[OFF] + 1e-12
                assert abs(h - (row[H0] + part * (row[H1] - row[H0]))) <= row[OFF] + 1e-12
                assert abs(t - (row[T0] + part * (row[T1] - row[T0]))) <= row[LATE] + 1e-12
                assert row[0] - 1e-12 <= r <= row[1] + 1e-12
                assert row[2] - 1e-12 <= h <= row[3] + 1e-12
                assert row[4] - 1e-12 <= t <= row[5] + 1e-12


def test_the_bound_on_a_chords_error_holds():
    rng = np.random.default_rng(2)
    for _ in range(300):
        frame = Frame(AXES, (0.0, 0.0, 0.0), float(rng.uniform(0.1, 3.0)), float(rng.normal()))
        p, q = random_line(rng)
        d = np.subtract(q, p)
        a, b, m = (project(frame, *(np.array(p) + s * d).tolist(), 0, 0.0) for s in (0.0, 1.0, 0.5))
        across = math.hypot(d[0], d[2])
        line = np.array(p)[[0, 2]] + np.linspace(0, 1, 2001)[:, None] * d[[0, 2]]
        nearest = float(np.linalg.norm(line, axis=1).min())
        off, late = chord_error(frame, a, b, across, abs(d[1]), 0.999 * nearest)
        assert max(abs(m[0] - 0.5 * (a[0] + b[0])), abs(m[1] - 0.5 * (a[1] + b[1]))) <= off + 1e-12
        assert abs(m[2] - 0.5 * (a[2] + b[2])) <= late + 1e-12


def test_nothing_bounds_a_line_through_the_axis():
    assert chord_error(Frame(AXES, (0.0,) * 3, 1.0, 0.0), (0.0,) * 3, (1.0,) * 3, 1.0, 0.0, 0.0) == (math.inf, math.inf)


def test_a_translation_needs_one_chord_and_what_is_beyond_the_screen_none():
    frame = Frame(AXES, (0.0, 0.0, 0.0), 0.0, 1.0)
    assert len(drawn(frame, (0.0, 0.0, 0.0), (5.0, 6.0, 7.0))) == 1
    assert len(drawn(frame, (0.0, 0.0, 0.0), (5.0, 6.0, 7.0), Grid(0.01, 0.01, 8.0, 9.0))) == 0
    turning = Frame(AXES, (0.0, 0.0, 0.0), 1.0, 0.0)
    assert len(drawn(turning, (0.0, 0.0, 1.0), (0.3, 0.0, 1.0), Grid(0.01, 0.01, 3.0, 4.0))) == 0


def test_curves_that_cross_have_chords_that_may_cross_at_about_the_right_time():
    """Two lines through flow lines that meet: the crossing is among the pairs of chords, its time within the doubt."""
    rng = np.random.default_rng(3)
    for _ in range(40):
        frame = Frame(AXES, (0.0, 0.0, 0.0), float(rng.uniform(0.3, 1.0)), float(rng.uniform(-0.5, 0.5)))
        (p0, p1), (q0, q1) = random_line(rng), random_line(rng)
        s, u, tau = rng.uniform(0.1, 0.9, 3)
        meet = np.array(p0) + s * np.subtract(p1, p0)
        c, k = math.cos(frame.angle * tau), math.sin(frame.angle * tau)
        # b's line is moved so that its point at u is where the flow takes to `meet` in tau.
        before = np.array([c * meet[0] - k * meet[2], meet[1] - frame.pitch * tau, c * meet[2] + k * meet[0]])
        shift = before - (np.array(q0) + u * np.subtract(q1, q0))
        q0, q1 = (tuple((np.array(q) + shift).tolist()) for q in (q0, q1))
        if min(q0[2], q1[2]) < 0.2:
            continue
        a, b = drawn(frame, p0, p1), drawn(frame, q0, q1)
        found = [crossing(a, i, b, j) for i in range(len(a)) for j in range(len(b))]
        assert any(yes and abs(time - tau) <= doubt + 1e-9 for yes, _, _, time, doubt in found)
