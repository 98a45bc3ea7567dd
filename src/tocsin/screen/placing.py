"""A body in the frame of the axis: its corners on the screen, its planes, and which of its faces face the other body.

A point x of a face with normal n meets what is in front of it only if n . v(x) > 0, v the velocity of the flow: b,
which moves, meets a with such forward facing parts, a meets b with its backward facing ones [SCREW 4.2]. On a face
n . v(x) is linear, theta (n_x z - n_z x) + g n_y in the frame of the axis, so its corners say all: a face whose corners
all look away is left out before anything else is asked of it, and one whose corners all look ahead needs no cutting.

Corners are placed and projected all, coordinate by coordinate: in registers that is quicker than choosing them.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin.compiler.jit import inlined, kernel
from tocsin.screen.frame import angle_of

AWAY, AHEAD, MIXED = 0.0, 1.0, 2.0
"""How a face faces the other body: not at all, everywhere, or it is cut by a line."""

WHAT = 6
"""A row of a table that begins with a box over (r, h, t), from and to each, goes on with what it is around."""

PLANE, WAY, LINE, CUT, FACE_WIDTH = 7, 11, 12, 19, 26
"""Then, in the table of faces: normal and offset; AWAY, AHEAD or MIXED; where it is cut into facing parts: how many
points, and the two outermost; and the same for the cut of the screen."""

FACING = 6
"""Row of the table of corners: 1 where a face at the corner faces the other body. Before it are x, y, z, r, h, t."""


class Chosen(NamedTuple):
    """Which parts of a body are drawn; empty lists stand for all."""

    corners: np.ndarray
    edges: np.ndarray
    faces: np.ndarray


@inlined
def place_corners(at, places, first, start, stop, frame, rotation, place):
    """Place corners start to stop of the body whose first corner is `first` of the tables, and project them."""
    g = frame.pitch
    theta = frame.angle
    for c in range(start, stop):
        px = places[0, first + c]
        py = places[1, first + c]
        pz = places[2, first + c]
        at[0, c] = rotation[0][0] * px + rotation[0][1] * py + rotation[0][2] * pz + place[0]
        at[1, c] = rotation[1][0] * px + rotation[1][1] * py + rotation[1][2] * pz + place[1]
        at[2, c] = rotation[2][0] * px + rotation[2][1] * py + rotation[2][2] * pz + place[2]
    if theta == 0.0:
        for c in range(start, stop):
            at[3, c] = at[0, c]
            at[4, c] = at[2, c]
            at[5, c] = at[1, c] / g
        return
    for c in range(start, stop):
        x = at[0, c]
        y = at[1, c]
        z = at[2, c]
        phi = angle_of(x, z)
        square = x * x + z * z
        r = math.sqrt(square)
        speed = g * g + theta * theta * square
        still = speed == 0.0  # on the axis of a pure turn
        inverse = 1.0 / (1.0 if still else speed)
        at[3, c] = r
        at[4, c] = y if still else r * (theta * y - g * phi) * math.sqrt(inverse)
        at[5, c] = (g * y + theta * square * phi) * inverse


@inlined
def clear_box(boxes, k):
    """Make box k empty."""
    for j in range(0, 6, 2):
        boxes[k, j] = math.inf
        boxes[k, j + 1] = -math.inf


@inlined
def place_face(board, f, surfaces, surface, frame, pose, style):
    """Place face f of a body, find out how it faces the other body, and mark its corners that do.

    Faces of open surfaces have no outside: both sides count. What moves along itself up to `style.slow` faces nothing.
    """
    at, faces, planes, numbers = board.at, board.faces, surfaces.planes, surfaces.numbers
    first, rim = surface["face"], surface["rim"]
    rotation, place = pose
    sign = style.sign
    closed = style.closed
    slow = style.slow
    px = planes[0, first + f]
    py = planes[1, first + f]
    pz = planes[2, first + f]
    x = rotation[0][0] * px + rotation[0][1] * py + rotation[0][2] * pz
    y = rotation[1][0] * px + rotation[1][1] * py + rotation[1][2] * pz
    z = rotation[2][0] * px + rotation[2][1] * py + rotation[2][2] * pz
    faces[f, PLANE] = x
    faces[f, PLANE + 1] = y
    faces[f, PLANE + 2] = z
    faces[f, PLANE + 3] = planes[3, first + f] + x * place[0] + y * place[1] + z * place[2]
    a = -sign * frame.angle * z
    b = sign * frame.angle * x
    c = sign * frame.pitch * y
    low = math.inf
    high = -math.inf
    start = numbers[rim + f]
    stop = numbers[rim + f + 1]
    for k in range(start, stop):
        corner = numbers[k]
        v = a * at[0, corner] + b * at[2, corner] + c
        low = min(low, v)
        high = max(high, v)
    if high <= slow and (closed or low >= -slow):
        faces[f, WAY] = AWAY
        return
    ahead = low > slow or (not closed and high < -slow)
    faces[f, WAY] = AHEAD if ahead else MIXED
    faces[f, LINE] = 0.0
    faces[f, CUT] = 0.0
    clear_box(faces, f)
    if closed:
        for k in range(start, stop):
            corner = numbers[k]
            if ahead or a * at[0, corner] + b * at[2, corner] + c > 0.0:
                at[FACING, corner] = 1.0


@kernel
def place_body(board, surfaces, surface, frame, pose, style, chosen):
    """Fill the tables of corners and faces of a body that has this pose (rotation, place) in the frame of the axis."""
    at = board.at
    mark = 0.0 if style.closed else 1.0
    first = surface["corner"]
    whole = chosen.faces.shape[0] == 0
    start = np.int64(0)  # typed: a bare 0 would be a constant, and functions are compiled again for each constant
    stop = np.int64(surface["corners"])
    for k in range(1 if whole else chosen.corners.shape[0]):
        if not whole:
            start = np.int64(chosen.corners[k])
            stop = start + 1
        place_corners(at, surfaces.places, first, start, stop, frame, pose[0], pose[1])
        for c in range(start, stop):
            at[FACING, c] = mark
    for k in range(surface["faces"] if whole else chosen.faces.shape[0]):
        f = np.int64(k if whole else chosen.faces[k])
        place_face(board, f, surfaces, surface, frame, pose, style)
