"""Bodies in the frame of the axis: where corners are, and which faces face the other body, by the flow itself."""

import math

import numpy as np
import pytest

import tocsin
from plain import PLAIN
from tocsin.screen.facing import Board, Style
from tocsin.screen.frame import Frame, project
from tocsin.screen.placing import AHEAD, AWAY, FACE_WIDTH, FACING, PLANE, WAY, Chosen, clear_box, place_body
from tocsin.screen.tables import Drawn, lay_out

pytestmark = PLAIN

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NOTHING = Chosen(*[np.zeros(0, np.int32)] * 3)


def surfaces_of(shape):
    scene = tocsin.Scene(tocsin.Body(shape, name="a"))
    return lay_out(scene.models, scene.context.tables())


def placed(frame, pose, sign=1.0, chosen=NOTHING):
    """Return a box placed in the frame of the axis, its record and its tables."""
    surfaces = surfaces_of(tocsin.Box((0.4, 0.6, 0.8)).tessellate())
    surface = surfaces.table[0]
    at, faces = np.zeros((FACING + 1, surface["corners"])), np.zeros((surface["faces"], FACE_WIDTH))
    board = Board(at, faces, np.zeros((1, 1)), np.zeros((1, 4)))
    drawn = Drawn(surfaces.sides, surfaces.numbers, surfaces.places, surfaces.planes, surfaces.links)
    place_body(board, drawn, surface, frame, pose, Style(sign, True, 0.0, False, False, 0.0), chosen)
    return surfaces, surface, at, faces


@pytest.mark.parametrize("angle", [0.0, 1.3])
def test_corners_are_where_the_pose_puts_them_and_on_the_screen(angle):
    frame = Frame(AXES, (0.0, 0.0, 0.0), angle, 0.7)
    pose = (AXES, (2.0, 0.5, 1.0))
    surfaces, surface, at, _ = placed(frame, pose)
    for c in range(surface["corners"]):
        corner = surfaces.corners[surface["corner"] + c]
        x = surfaces.vectors[corner["point"]] + pose[1]
        assert at[:3, c] == pytest.approx(x)
        assert at[3:6, c] == pytest.approx(project(frame, *map(float, x), 0, 0.0), abs=1e-12)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_faces_face_what_they_move_towards(sign):
    frame = Frame(AXES, (0.0, 0.0, 0.0), 0.9, 0.4)
    surfaces, surface, at, faces = placed(frame, (AXES, (3.0, 0.0, 0.0)), sign)
    for f in range(surface["faces"]):
        rim = surface["rim"]
        corners = surfaces.numbers[surfaces.numbers[rim + f] : surfaces.numbers[rim + f + 1]]
        n = faces[f, PLANE : PLANE + 3]
        speeds = []
        for c in corners:
            x, _, z = at[:3, c]
            speeds.append(sign * float(n @ (frame.angle * z, frame.pitch, -frame.angle * x)))
            assert n @ at[:3, c] == pytest.approx(faces[f, PLANE + 3])
        if max(speeds) <= 0.0:
            assert faces[f, WAY] == AWAY
        elif min(speeds) > 0.0:
            assert faces[f, WAY] == AHEAD
    assert 0 < at[FACING].sum() <= surface["corners"]


def test_chosen_parts_alone_are_placed():
    frame = Frame(AXES, (0.0, 0.0, 0.0), 0.0, 1.0)
    chosen = Chosen(np.array([2], np.int32), np.zeros(0, np.int32), np.array([1], np.int32))
    _, _, at, _ = placed(frame, (AXES, (5.0, 5.0, 5.0)), chosen=chosen)
    assert np.flatnonzero(at[0]).tolist() == [2]


def test_an_empty_box_meets_nothing():
    boxes = np.zeros((1, 6))
    clear_box(boxes, 0)
    assert boxes.tolist() == [[math.inf, -math.inf] * 3]
