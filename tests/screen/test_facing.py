"""Facing parts of a body: speeds along normals are those of the flow, and of a cut the outermost points are kept."""

import numpy as np
import pytest

from plain import PLAIN
from tocsin.screen.facing import between, join_box, speed_along, widen
from tocsin.screen.frame import Frame
from tocsin.screen.placing import FACE_WIDTH, LINE, PLANE

pytestmark = PLAIN

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def test_the_speed_of_a_point_along_a_normal_is_that_of_the_flow():
    rng = np.random.default_rng(1)
    for _ in range(50):
        frame = Frame(AXES, (0.0, 0.0, 0.0), float(rng.uniform(0.1, 3)), float(rng.normal()))
        faces = np.zeros((1, FACE_WIDTH))
        n, x = rng.normal(size=(2, 3))
        faces[0, PLANE : PLANE + 3] = n
        h = 1e-6

        def at(t, frame=frame, x=x):
            c, s = np.cos(frame.angle * t), np.sin(frame.angle * t)
            return np.array([c * x[0] + s * x[2], x[1] + frame.pitch * t, c * x[2] - s * x[0]])

        measured = (at(h) - at(-h)) / (2.0 * h) @ n
        assert speed_along(frame, faces, 0, tuple(x)) == pytest.approx(measured, rel=1e-6, abs=1e-6)


def test_of_points_on_a_line_the_two_outermost_are_kept_in_any_order():
    rng = np.random.default_rng(2)
    for _ in range(50):
        p, d = rng.normal(size=(2, 3))
        places = rng.uniform(-1.0, 1.0, 6)
        faces = np.zeros((1, FACE_WIDTH))
        for s in places:
            widen(faces, 0, LINE, tuple(p + s * d))
        assert faces[0, LINE] == 6.0
        ends = faces[0, LINE + 1 : LINE + 7].reshape(2, 3)
        found = np.sort((ends - p) @ d / (d @ d))
        assert found == pytest.approx([places.min(), places.max()])


def test_between_two_points_is_linear():
    assert between((0.0, 1.0, 2.0), (4.0, 1.0, 0.0), 0.25) == (1.0, 1.0, 1.5)


def test_a_box_grows_by_a_chord_on_every_side():
    faces, chords = np.zeros((1, FACE_WIDTH)), np.zeros((2, 8))
    faces[0, :6] = 0.0, 1.0, 0.0, 1.0, 0.0, 1.0
    chords[1, :6] = -1.0, 0.5, 0.5, 2.0, 0.25, 0.75
    join_box(faces, 0, chords, 1)
    assert faces[0, :6].tolist() == [-1.0, 1.0, 0.0, 2.0, 0.0, 1.0]
