"""A body drawn on the screen: boxes of faces hold what is inside them, not only their boundary."""

import math

import numpy as np
import pytest

from plain import PLAIN
from tocsin.screen.chords import CHORD_WIDTH
from tocsin.screen.drawing import blank_board, bulge, list_faces, space
from tocsin.screen.frame import Frame, project
from tocsin.screen.placing import AHEAD, AWAY, FACE_WIDTH, FACING, PLANE, WAY, WHAT, Chosen

pytestmark = PLAIN

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ALL = Chosen(*[np.zeros(0, np.int32)] * 3)


class Style:
    cut, lasts = False, 0.0


def test_no_point_inside_a_face_is_later_or_earlier_than_its_box_and_bulge():
    rng = np.random.default_rng(1)
    used = 0
    for _ in range(40):
        frame = Frame(AXES, (0.0, 0.0, 0.0), float(rng.uniform(0.2, 1.5)), float(rng.uniform(0.2, 2.0)))
        corners = rng.normal(size=(3, 3)) * 0.4 + [0.0, 0.0, 2.0]
        n = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        n /= np.linalg.norm(n)
        weights = np.linspace(0.0, 1.0, 60)[:, None]
        rim = np.concatenate([(1 - weights) * corners[k] + weights * corners[(k + 1) % 3] for k in range(3)])
        on_screen = np.array([project(frame, *map(float, x), 0, 0.0) for x in rim])
        faces = np.zeros((1, FACE_WIDTH))
        faces[0, 0:6:2], faces[0, 1:6:2] = on_screen.min(axis=0), on_screen.max(axis=0)
        faces[0, PLANE : PLANE + 3] = n
        more = bulge(frame, faces, 0, 0, 0.0)
        assert more >= 0.0
        inside = rng.dirichlet([1, 1, 1], 60) @ corners
        times = np.array([project(frame, *map(float, x), 0, 0.0)[2] for x in inside])
        assert times.min() >= faces[0, 4] - more - 1e-3 * np.ptp(times)
        assert times.max() <= faces[0, 5] + more + 1e-3 * np.ptp(times)
        used += more > 0.0
    assert used > 30


@pytest.mark.parametrize(("angle", "pitch", "ny"), [(0.0, 1.0, 0.5), (1.0, 0.0, 0.5), (1.0, 1.0, 0.0)])
def test_where_time_is_linear_on_a_face_nothing_is_added(angle, pitch, ny):
    faces = np.ones((1, FACE_WIDTH))
    faces[0, PLANE + 1] = ny
    assert bulge(Frame(AXES, (0.0, 0.0, 0.0), angle, pitch), faces, 0, 0, 0.0) == 0.0


def test_faces_that_look_away_or_are_nowhere_are_not_listed():
    faces = np.zeros((4, FACE_WIDTH))
    faces[:, 1:6:2] = 1.0
    faces[:, WAY] = AHEAD, AWAY, AHEAD, AHEAD
    faces[2, 0:2] = math.inf, -math.inf
    faces[:, 4] = 0.0, 1.0, 2.0, 3.0
    n = list_faces(faces, 4, Frame(AXES, (0.0, 0.0, 0.0), 0.0, 1.0), Style, ALL)
    assert n == 2
    assert faces[:2, WHAT].tolist() == [0, 3]
    assert faces[1, 4] == 3.0


def test_the_tables_of_a_body_fit_into_the_space_that_is_said():
    surface = {"corners": 8, "faces": 6, "edges": 12}
    for cut in (False, True):
        block = np.arange(space(8, 12, 6, 5) + 7, dtype=float)
        board = blank_board(block, 7, surface, cut, np.zeros((1, 1)), 5)
        assert board.at.shape == (FACING + 1, 8)
        assert board.faces.shape == (18 if cut else 6, FACE_WIDTH)
        assert board.chords.shape[1] == CHORD_WIDTH
        assert board.at[0, 0] == 7.0
        assert board.chords[-1, -1] == block[-1]
