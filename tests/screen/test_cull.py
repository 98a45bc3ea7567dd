"""Balls that flow: none that comes near is left out, and what is chosen of large bodies holds all that meets."""

import math

import numpy as np

from plain import PLAIN
from tocsin.screen.cull import balls_meet
from tocsin.screen.frame import Frame

pytestmark = PLAIN

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def nearest(frame, a, b, count=400):
    """How near the flow takes b to a during [0, 1], sampled."""
    t = np.linspace(0.0, 1.0, count)
    c, s = np.cos(frame.angle * t), np.sin(frame.angle * t)
    places = np.stack([c * b[0] + s * b[2], b[1] + frame.pitch * t, c * b[2] - s * b[0]], axis=1)
    return float(np.linalg.norm(places - a, axis=1).min())


def test_no_ball_that_comes_near_is_left_out():
    rng = np.random.default_rng(1)
    told = 0
    for case in range(400):
        angle = 0.0 if case % 4 == 0 else float(rng.uniform(0.01, math.pi))
        pitch = 0.0 if case % 5 == 0 and angle else float(rng.normal())
        # A translation is along y, and never against it (`screen_frame`).
        frame = Frame(AXES, (0.0, 0.0, 0.0), angle, pitch if angle else abs(pitch))
        a, b = rng.normal(size=(2, 3))
        if case % 7 == 0:
            a[[0, 2]] = 0.0  # on the axis
        radius = float(rng.uniform(0.05, 1.0))
        if not balls_meet(frame, tuple(map(float, a)), tuple(map(float, b)), radius):
            told += 1
            assert nearest(frame, a, b) > radius * (1.0 - 1e-9)
    assert told > 100


def test_a_ball_that_turns_away_and_comes_round_again_is_seen():
    frame = Frame(AXES, (0.0, 0.0, 0.0), math.pi, 0.0)
    assert balls_meet(frame, (0.0, 0.0, -1.0), (0.0, 0.0, 1.0), 1e-6), "half a turn takes it there"
    assert not balls_meet(frame, (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), 0.1), "the other side is never reached"
