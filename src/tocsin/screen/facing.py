"""The parts of a surface that face the other body, drawn on the screen [SCREW 4.2, 8].

A line cuts a face into a part that faces the other body and one that does not (`placing.py`), and the two never change
in time. Faces of open surfaces have no outside: both parts count, drawn apart.

Claim: on a part every r that its inside has is had by its boundary too, and so is the stretch of h that the part covers
at this r: so the box around its boundary's chords contains it in r and h. Proof: otherwise r has an extremum inside.
Off the axis that means n = +-e_r, across v, so it is on the line that cuts. On the axis the surface is cut at x = 0
(doppeling). What has the same r is a curve that ends at the boundary, on which h has no extremum inside either: where
it turned, the curve would be along the flow, and the face moves along itself only where it is cut. The cuts are drawn
as virtual edges, which bound a face and are never reported. For t see `bulge`.

Doppeling [SCREW 8]: where the angle phi jumps, at x = 0 and z < 0, faces are cut by the plane x = 0 into parts with phi
in [0, pi] and in [-pi, 0]; if the axis goes through the face both cuts meet there [SCREW fig. 11], otherwise they do
not [SCREW fig. 10]. Of a the second part is drawn once more at phi + 2 pi.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import inlined, kernel
from tocsin.screen.chords import HALVINGS, MOST_CHORDS, Grid, Line, Sheet, draw_line
from tocsin.screen.frame import Frame, project
from tocsin.screen.placing import AHEAD, AWAY, CUT, LINE, MIXED, PLANE, WAY
from tocsin.screen.tables import MANY, WIRE

EDGE_ON = 1e-12
"""A face that moves along itself up to this part of the largest speed faces nothing."""

MOST_SIDES = 30
"""Faces at one edge beyond these do not count: bits of a mask."""

BREAK = HALVINGS + 2
"""In `Board.scratch`: pending ends of a line before this row; in the first column from here on, where an edge is
cut."""

SCRATCH = BREAK + MOST_SIDES + 2
"""Rows of it."""


class Board(NamedTuple):
    """One body on the screen: few tables, as each call that takes one copies its description. Numbers of corners,
    edges and faces are those within the body."""

    at: np.ndarray
    """(7, corners): x, y, z, r, h, t, and whether it faces the other body."""
    faces: np.ndarray
    """(m, FACE_WIDTH): see `placing.py`; where the screen is cut 3 m, of which the others have boxes of copies."""
    chords: np.ndarray
    """(n, CHORD_WIDTH): see `chords.py`."""
    scratch: np.ndarray


class Ties(NamedTuple):
    """How the edges and faces of a body hang together."""

    links: np.ndarray
    sides: np.ndarray
    edge: np.int64
    """The body's first edge and face in the tables, and how many faces it has."""
    face: np.int64
    faces: np.int64


class Style(NamedTuple):
    """How a body is drawn."""

    sign: float
    """1: forward facing parts; -1: backward facing ones."""
    closed: bool
    slow: float
    """What moves along itself up to this speed faces nothing."""
    cut: bool
    """Is the screen cut for this body?"""
    doppel: bool | np.bool_
    """Is what lies at phi < 0 drawn twice?"""
    lasts: float
    """How much longer its boxes last: 1 for b, which moves for that long."""


@kernel
def widen(faces, f, line, x):
    """Add a point to the line that cuts face f, in the columns from `line` on: the two outermost are kept."""
    row = faces[f]
    count = row[line]
    row[line] = count + 1.0
    if count < 2.0:
        k = line + 1 + 3 * int(count)
        row[k] = x[0]
        row[k + 1] = x[1]
        row[k + 2] = x[2]
        return
    p = (row[line + 1], row[line + 2], row[line + 3])
    q = (row[line + 4], row[line + 5], row[line + 6])
    span = vec.norm(vec.sub(q, p))
    to_p = vec.norm(vec.sub(x, p))
    to_q = vec.norm(vec.sub(x, q))
    if to_p > span and to_p >= to_q:
        row[line + 4], row[line + 5], row[line + 6] = x[0], x[1], x[2]
    elif to_q > span:
        row[line + 1], row[line + 2], row[line + 3] = x[0], x[1], x[2]


@inlined
def speed_along(frame, faces, f, x):
    """Return n . v at x of face f, in the frame of the axis."""
    return frame.angle * (faces[f, PLANE] * x[2] - faces[f, PLANE + 2] * x[0]) + frame.pitch * faces[f, PLANE + 1]


@inlined
def between(p, q, s):
    """Return p + s (q - p)."""
    return (p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1]), p[2] + s * (q[2] - p[2]))


@inlined
def join_box(faces, f, chords, k):
    """Grow the box of face f by that of chord k."""
    for j in range(0, 6, 2):
        faces[f, j] = min(faces[f, j], chords[k, j])
        faces[f, j + 1] = max(faces[f, j + 1], chords[k, j + 1])


class Pen(NamedTuple):
    """What drawing a body takes."""

    board: Board
    ties: Ties
    frame: Frame
    grid: Grid
    style: Style


class Bounding(NamedTuple):
    """What a line bounds: the faces at the sides of `edge` that are in `mask`, or, where it is virtual, `face`."""

    edge: np.int64
    """-1 where it is virtual."""
    mask: np.int64
    face: np.int64


@inlined
def sheet_of(pen):
    """Return what the lines of a body are drawn on."""
    return Sheet(pen.board.chords, pen.board.scratch, pen.frame, pen.grid, pen.style.lasts)


@kernel
def draw_copy(pen, n, bounding, side, copy, p, q, part):
    """Draw a line from p to q, a part of its edge, that needs no more cutting, after n chords; return how many there
    are now.

    Copy 0 has phi in [0, pi], 1 in [-pi, 0], and 2 is that again at phi + 2 pi; `side` is 1 or -1 likewise, or 0 where
    the screen is not cut. Chords of virtual and of flat edges are not counted: they are there for the boxes of faces
    only.
    """
    board, ties = pen.board, pen.ties
    edge, mask, face = bounding
    shift = 2.0 * math.pi if copy == 2 else 0.0
    a = project(pen.frame, p[0], p[1], p[2], side, shift)
    b = project(pen.frame, q[0], q[1], q[2], side, shift)
    last = draw_line(sheet_of(pen), n, edge, Line(p, q, a, b, part[0], part[1]), side, shift)
    first_side = np.int64(ties.links[ties.edge + edge, 5]) if edge >= 0 else np.int64(0)
    for k in range(n, last):
        if edge < 0:
            join_box(board.faces, copy * ties.faces + face, board.chords, k)
        rest = mask
        at = first_side
        while rest != 0:
            if rest & 1:
                join_box(board.faces, copy * ties.faces + ties.sides[at]["face"] - ties.face, board.chords, k)
            rest >>= 1
            at += 1
    return last if edge >= 0 and ties.links[ties.edge + edge, 4] == 0 else n


@kernel
def draw_part(pen, n, bounding, p, q, part):
    """Draw a line from p to q, a part of its edge, after n chords; cut at x = 0 if the screen is cut. Return how many
    chords there are now."""
    whole = np.int64(0)
    if not pen.style.cut:
        return draw_copy(pen, n, bounding, whole, whole, p, q, part)
    edge, mask, face = bounding
    ties, faces = pen.ties, pen.board.faces
    lo, hi = part
    ends = 1
    s = 1.0
    if p[0] * q[0] < 0.0:
        s = p[0] / (p[0] - q[0])
        ends = 2
        x = between(p, q, s)
        x = (0.0, x[1], x[2])
        if edge >= 0:
            for k in range(MOST_SIDES):
                if mask >> k & 1:
                    f = ties.sides[ties.links[ties.edge + edge, 5] + k]["face"] - ties.face
                    widen(faces, f, np.int64(CUT), x)
        else:
            widen(faces, face, np.int64(CUT), x)
    for end in range(ends):
        x = p if end == 0 else between(p, q, s)
        y = q if end == ends - 1 else between(p, q, s)
        u = lo if end == 0 else lo + s * (hi - lo)
        v = hi if end == ends - 1 else lo + s * (hi - lo)
        side = np.int64(1 if x[0] + y[0] >= 0.0 else -1)
        for again in range(2 if pen.style.doppel and side < 0 else 1):
            copy = np.int64(0 if side > 0 else 1 + again)
            n = draw_copy(pen, n, bounding, side, copy, x, y, (u, v))
    return n


@kernel
def draw_in_parts(pen, n, edge):
    """Draw the facing parts of an edge at which a face is cut, or of any edge where the screen is, after n chords;
    return how many there are now."""
    board, ties, frame, _, style = pen
    at = board.at
    faces = board.faces
    breaks = board.scratch
    tail = ties.links[ties.edge + edge, 0]
    head = ties.links[ties.edge + edge, 1]
    first_side = ties.links[ties.edge + edge, 5]
    p = (at[0, tail], at[1, tail], at[2, tail])
    q = (at[0, head], at[1, head], at[2, head])
    none = np.int64(-1)
    mask = np.int64(0)
    parts = 1
    sides = min(ties.links[ties.edge + edge, 6], MOST_SIDES)
    for k in range(sides):
        f = ties.sides[first_side + k]["face"] - ties.face
        v0 = speed_along(frame, faces, f, p)
        v1 = speed_along(frame, faces, f, q)
        if (v0 > style.slow and v1 < -style.slow) or (v0 < -style.slow and v1 > style.slow):
            s = v0 / (v0 - v1)
            breaks[BREAK + parts, 0] = s
            parts += 1
            widen(faces, f, np.int64(LINE), between(p, q, s))
        elif max(style.sign * v0, style.sign * v1) > style.slow or (
            not style.closed and max(abs(v0), abs(v1)) > style.slow
        ):
            mask |= 1 << k
    if parts == 1 and mask == 0 and sides > 0:
        return n
    breaks[BREAK, 0] = 0.0
    breaks[BREAK + parts, 0] = 1.0
    for j in range(BREAK + 2, BREAK + parts):  # by insertion: there are one or two
        s = breaks[j, 0]
        k = j
        while k > BREAK + 1 and breaks[k - 1, 0] > s:
            breaks[k, 0] = breaks[k - 1, 0]
            k -= 1
        breaks[k, 0] = s
    for part in range(parts):
        lo = breaks[BREAK + part, 0]
        hi = breaks[BREAK + part + 1, 0]
        here = mask
        if parts > 1:
            x = between(p, q, 0.5 * (lo + hi))
            for k in range(sides):
                v = speed_along(frame, faces, ties.sides[first_side + k]["face"] - ties.face, x)
                if style.sign * v > style.slow or (not style.closed and abs(v) > style.slow):
                    here |= 1 << k
        if hi > lo and (here != 0 or sides == 0):
            x = p if part == 0 else between(p, q, lo)
            y = q if part == parts - 1 else between(p, q, hi)
            n = draw_part(pen, n, Bounding(edge, here, none), x, y, (lo, hi))
    return n


@kernel
def draw_edges(pen, chosen, count):
    """Draw the facing parts of the edges, `count` or those chosen; return how many chords there are, -1 where there is
    no room."""
    board, ties, _, _, style = pen
    whole = chosen.faces.shape[0] == 0
    at = board.at
    faces = board.faces
    chords = board.chords
    links = ties.links
    uncut = np.int64(0)
    per_part = 4 if style.cut else 1
    n = np.int64(0)
    for i in range(count if whole else chosen.edges.shape[0]):
        e = np.int64(i if whole else chosen.edges[i])
        f = links[ties.edge + e, 2]
        g = links[ties.edge + e, 3]
        way_f = faces[f, WAY] if f >= 0 else AHEAD if f == WIRE else MIXED
        way_g = faces[g, WAY] if g >= 0 else AWAY
        if way_f == AWAY and way_g == AWAY:
            continue
        if style.cut or way_f == MIXED or way_g == MIXED or f == MANY:
            if n + per_part * (min(links[ties.edge + e, 6], MOST_SIDES) + 1) * MOST_CHORDS > chords.shape[0]:
                return np.int64(-1)
            n = draw_in_parts(pen, n, e)
            continue
        # The common case by itself: its corners are projected already.
        if n + MOST_CHORDS > chords.shape[0]:
            return np.int64(-1)
        tail = links[ties.edge + e, 0]
        head = links[ties.edge + e, 1]
        p = (at[0, tail], at[1, tail], at[2, tail])
        q = (at[0, head], at[1, head], at[2, head])
        a = (at[3, tail], at[4, tail], at[5, tail])
        b = (at[3, head], at[4, head], at[5, head])
        last = draw_line(sheet_of(pen), n, e, Line(p, q, a, b, 0.0, 1.0), uncut, 0.0)
        for k in range(n, last):
            if f >= 0 and way_f == AHEAD:
                join_box(faces, f, chords, k)
            if g >= 0 and way_g == AHEAD:
                join_box(faces, g, chords, k)
        if links[ties.edge + e, 4] == 0:
            n = last
    return n


@kernel
def draw_virtual(pen, n, chosen, layer):
    """Draw the virtual edges after n chords, which only grow the boxes of faces; return False where there is no room.

    Layer 0: where faces are cut into their facing parts. Layer 1: where the screen is cut; there the line lies in the
    plane x = 0, is drawn once for each part that it bounds (on z < 0 they see it at phi = pi and -pi), and is cut where
    it passes the axis.
    """
    board, ties, _, _, style = pen
    whole = chosen.faces.shape[0] == 0
    faces = board.faces
    line = LINE if layer == 0 else CUT
    none = np.int64(-1)
    empty = np.int64(0)
    for i in range(ties.faces if whole else chosen.faces.shape[0]):
        f = np.int64(i if whole else chosen.faces[i])
        if faces[f, WAY] == AWAY or (layer == 0 and faces[f, WAY] != MIXED) or faces[f, line] < 2.0:
            continue
        if n + MOST_CHORDS > board.chords.shape[0]:
            return False
        p = (faces[f, line + 1], faces[f, line + 2], faces[f, line + 3])
        q = (faces[f, line + 4], faces[f, line + 5], faces[f, line + 6])
        if layer == 0:
            draw_part(pen, n, Bounding(none, empty, f), p, q, (0.0, 1.0))
            continue
        ends = 1
        s = 1.0
        if p[2] * q[2] < 0.0:
            s = p[2] / (p[2] - q[2])
            ends = 2
        for part in range(ends):
            x = p if part == 0 else between(p, q, s)
            y = q if part == ends - 1 else between(p, q, s)
            for copy in range(3 if style.doppel else 2):
                side = np.int64(1 if copy == 0 else -1)
                draw_copy(pen, n, Bounding(none, empty, f), side, np.int64(copy), x, y, (0.0, 1.0))
    return True
