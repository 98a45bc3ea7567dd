"""The parts of a surface that face the other body, drawn on the screen (sections 4.2 and 8).

A point x of a face with normal n meets what is in front of it only if n . v(x) > 0, v the velocity of the flow: b,
which moves, meets a with such forward facing parts, a meets b with its backward facing ones. On a face n . v(x) is
linear, theta (n_x z - n_z x) + g n_y in the frame of the axis, so a line cuts it into a forward and a backward part,
and the two never change in time. Faces of open surfaces have no outside: both parts count, drawn apart.

Claim: within a part every row that its inside reaches is reached by its boundary too, so that the extent of the
boundary's records in a row covers the part there. Proof: otherwise r has an extremum inside. Off the axis that means n
= +-e_r, across v, so it is on the line that cuts. On the axis the surface is cut at x = 0 (doppeling). The cuts are
drawn as virtual edges, which bound a face and are never reported.

Doppeling (figs. 10, 11): where the angle phi jumps, at x = 0 and z < 0, faces are cut by the plane x = 0 into parts
with phi in [0, pi] and in [-pi, 0]; if the axis goes through the face both cuts meet there, which is fig. 11, otherwise
it is fig. 10. Of a the second part is drawn once more at phi + 2 pi.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin._jit import borrowed, kernel
from tocsin.contacts.timed import with_room
from tocsin.screen.frame import project
from tocsin.screen.raster import HALVINGS, PIECE, RECORD, draw_line

VERTEX = np.dtype([("h", "f8"), ("t", "f8"), ("corner", "i4"), ("next", "i4")], align=True)
"""A corner on the screen; `next` of the same row."""

EDGE_ON = 1e-12
"""A face that moves along itself up to this part of the largest speed faces nothing."""

MOST_SIDES = 30
"""Faces at one edge beyond these do not count: bits of a mask."""


class Drawing(NamedTuple):
    """One body on the screen. Numbers of corners and faces are those within the body."""

    corners: np.ndarray
    """(n, 6): x, y, z in the frame of the axis, r, h, t."""
    faces: np.ndarray
    """(m, 4): normal and offset in the frame of the axis."""
    pieces: np.ndarray
    records: np.ndarray
    heads: np.ndarray
    """First record of each row, -1 if none."""
    bounds: np.ndarray
    """(rows, 4): what the records of real edges of a row cover: lowest and highest h, earliest and latest t."""
    vertices: np.ndarray
    vertex_heads: np.ndarray
    counts: np.ndarray
    """Pieces, records and corners that are drawn."""


@kernel
def borrowed_drawing(drawing):
    """Return the tables without their owners; the caller uses the drawing again afterwards, which keeps it alive.

    Counting references, at every call that takes a table, took more time than all the rest.
    """
    return Drawing(
        borrowed(drawing.corners),
        borrowed(drawing.faces),
        borrowed(drawing.pieces),
        borrowed(drawing.records),
        borrowed(drawing.heads),
        borrowed(drawing.bounds),
        borrowed(drawing.vertices),
        borrowed(drawing.vertex_heads),
        borrowed(drawing.counts),
    )


class Work(NamedTuple):
    """What is needed while drawing."""

    chords: np.ndarray
    """(m, 7): where faces are cut into facing parts: how many points, and the two outermost."""
    cuts: np.ndarray
    """The same for the cut of the screen."""
    stack: np.ndarray
    breaks: np.ndarray


class Style(NamedTuple):
    """How a body is drawn."""

    sign: float
    """1: forward facing parts; -1: backward facing ones."""
    cut: bool
    """Is the screen cut for this body?"""
    doppel: bool
    """Is what lies at phi < 0 drawn twice?"""


class Chosen(NamedTuple):
    """Which parts of a body are drawn; empty lists stand for all."""

    corners: np.ndarray
    edges: np.ndarray
    faces: np.ndarray


@kernel
def widen(chord, f, x):
    """Add a point to the line that cuts face f: the two outermost are kept."""
    row = chord[f]
    count = row[0]
    row[0] = count + 1.0
    if count < 2.0:
        k = 1 + 3 * int(count)
        row[k] = x[0]
        row[k + 1] = x[1]
        row[k + 2] = x[2]
        return
    p = (row[1], row[2], row[3])
    q = (row[4], row[5], row[6])
    span = vec.norm(vec.sub(q, p))
    to_p = vec.norm(vec.sub(x, p))
    to_q = vec.norm(vec.sub(x, q))
    if to_p > span and to_p >= to_q:
        row[4], row[5], row[6] = x[0], x[1], x[2]
    elif to_q > span:
        row[1], row[2], row[3] = x[0], x[1], x[2]


@kernel
def speed_along(frame, face, x):
    """Return n . v at x, in the frame of the axis."""
    return frame.angle * (face[0] * x[2] - face[2] * x[0]) + frame.pitch * face[1]


@kernel
def between(p, q, s):
    """Return p + s (q - p)."""
    return (p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1]), p[2] + s * (q[2] - p[2]))


@kernel
def add_piece(pieces, n, edge, mask, copy, face, lo, hi):
    """Write piece n."""
    piece = pieces[n]
    piece["edge"] = edge
    piece["mask"] = mask
    piece["copy"] = copy
    piece["face"] = face
    piece["lo"] = lo
    piece["hi"] = hi


@kernel
def draw_part(drawing, work, surfaces, first_face, frame, grid, style, edge, mask, face, p, q, a, b, lo, hi):
    """Draw the part [lo, hi] of an edge, from p to q, at a and b on the screen; cut at x = 0 if the screen is cut."""
    counts = drawing.counts
    if not style.cut:
        whole = np.int64(0)
        add_piece(drawing.pieces, counts[0], edge, mask, whole, face, lo, hi)
        number = counts[0] if edge >= 0 else -1 - counts[0]
        counts[1] = draw_line(
            drawing.records, counts[1], drawing.heads, drawing.bounds, work.stack, frame, grid, number, p, q, a, b, lo,
            hi, whole, 0.0,
        )  # fmt: skip
        counts[0] += 1
        return
    ends = 1
    s = 1.0
    if p[0] * q[0] < 0.0:
        s = p[0] / (p[0] - q[0])
        ends = 2
        x = between(p, q, s)
        x = (0.0, x[1], x[2])
        if edge >= 0:
            record = surfaces.edges[edge]
            for k in range(min(record["sides"], MOST_SIDES)):
                if mask >> k & 1:
                    widen(work.cuts, surfaces.sides[record["side"] + k]["face"] - first_face, x)
        else:
            widen(work.cuts, face, x)
    for part in range(ends):
        x = p if part == 0 else between(p, q, s)
        y = q if part == ends - 1 else between(p, q, s)
        u = lo if part == 0 else lo + s * (hi - lo)
        v = hi if part == ends - 1 else lo + s * (hi - lo)
        side = np.int64(1 if x[0] + y[0] >= 0.0 else -1)
        for copy in range(2 if style.doppel and side < 0 else 1):
            draw_copy(drawing, work, frame, grid, edge, mask, np.int64(0 if side > 0 else 1 + copy), face, x, y, u, v)


@kernel
def draw_copy(drawing, work, frame, grid, edge, mask, copy, face, p, q, lo, hi):
    """Draw a line on one side of the cut: copy 0 has phi in [0, pi], 1 in [-pi, 0], and 2 is that again at phi + 2
    pi."""
    counts = drawing.counts
    side = np.int64(1 if copy == 0 else -1)
    shift = 2.0 * math.pi if copy == 2 else 0.0
    a = project(frame, p[0], p[1], p[2], side, shift)
    b = project(frame, q[0], q[1], q[2], side, shift)
    add_piece(drawing.pieces, counts[0], edge, mask, copy, face, lo, hi)
    number = counts[0] if edge >= 0 else -1 - counts[0]
    counts[1] = draw_line(
        drawing.records, counts[1], drawing.heads, drawing.bounds, work.stack, frame, grid, number, p, q, a, b, lo, hi,
        side, shift,
    )  # fmt: skip
    counts[0] += 1


@kernel
def place_faces(drawing, work, surfaces, surface, style, rotation, place, chosen):
    """Write the planes of the faces in the frame of the axis."""
    whole = chosen.faces.shape[0] == 0
    for i in range(surface["faces"] if whole else chosen.faces.shape[0]):
        f = i if whole else chosen.faces[i]
        face = surfaces.faces[surface["face"] + f]
        normal = face["normal"]
        n = vec.matvec(rotation, (normal[0], normal[1], normal[2]))
        drawing.faces[f, 0] = n[0]
        drawing.faces[f, 1] = n[1]
        drawing.faces[f, 2] = n[2]
        drawing.faces[f, 3] = face["offset"] + vec.dot(n, place)
        work.chords[f, 0] = 0.0
        if style.cut:
            work.cuts[f, 0] = 0.0


@kernel
def draw_corners(drawing, surfaces, surface, frame, grid, style, rotation, place, chosen):
    """Place the corners, and put those that face the other body into their rows; return the largest r."""
    closed = surface["closed"] != 0
    whole = chosen.faces.shape[0] == 0
    farthest = 0.0
    n = 0
    for i in range(surface["corners"] if whole else chosen.corners.shape[0]):
        c = i if whole else chosen.corners[i]
        corner = surfaces.corners[surface["corner"] + c]
        x = vec.add(vec.matvec(rotation, vec.load3(surfaces.vectors, corner["point"])), place)
        for k in range(3):
            drawing.corners[c, k] = x[k]
        farthest = max(farthest, x[0] * x[0] + x[2] * x[2])
        faces_here = not closed
        k = corner["face"]
        while not faces_here and k < corner["face"] + corner["faces"]:
            face = drawing.faces[surfaces.numbers[k] - surface["face"]]
            faces_here = style.sign * speed_along(frame, face, x) > 0.0
            k += 1
        if not faces_here and corner["faces"] > 0:
            continue  # parts of edges end here only if a face at them faces the other body here
        side = np.int64(0)
        if style.cut:
            side = np.int64(1 if x[0] >= 0.0 else -1)
        q = project(frame, x[0], x[1], x[2], side, 0.0)
        for k in range(3):
            drawing.corners[c, 3 + k] = q[k]
        row = math.floor((q[0] - grid.start) / grid.size)
        if row < 0.0 or row >= grid.rows or corner["spokes"] == 0:
            continue
        for copy in range(2 if style.doppel and side < 0 else 1):
            if copy == 1:
                q = project(frame, x[0], x[1], x[2], side, 2.0 * math.pi)
            vertex = drawing.vertices[n]
            vertex["h"] = q[1]
            vertex["t"] = q[2]
            vertex["corner"] = c
            vertex["next"] = drawing.vertex_heads[int(row)]
            drawing.vertex_heads[int(row)] = n
            n += 1
    drawing.counts[2] = n
    return math.sqrt(farthest)


@kernel
def draw_edges(drawing, work, surfaces, surface, frame, grid, style, chosen, slow, room, start):
    """Draw the facing parts of the edges from number `start` on; return the first for which there is no room."""
    first_corner = surface["corner"]
    first_face = surface["face"]
    closed = surface["closed"] != 0
    whole = chosen.faces.shape[0] == 0
    count = surface["edges"] if whole else chosen.edges.shape[0]
    corners = drawing.corners
    faces = drawing.faces
    breaks = work.breaks
    counts = drawing.counts
    none = np.int64(-1)  # typed: a bare -1 would be a constant, and functions are compiled again for each constant
    uncut = np.int64(0)
    per_part = 4 if style.cut else 1
    pieces = drawing.pieces
    records = drawing.records
    heads = drawing.heads
    bounds = drawing.bounds
    stack = work.stack
    for i in range(start, count):
        e = np.int64(surface["edge"] + (i if whole else chosen.edges[i]))
        edge = surfaces.edges[e]
        tail = edge["tail"] - first_corner
        head = edge["head"] - first_corner
        p = (corners[tail, 0], corners[tail, 1], corners[tail, 2])
        q = (corners[head, 0], corners[head, 1], corners[head, 2])
        mask = np.int64(0)
        parts = 1
        sides = min(edge["sides"], MOST_SIDES)
        most = per_part * (sides + 1)
        if counts[0] + most > drawing.pieces.shape[0] or counts[1] + most * room > drawing.records.shape[0]:
            return i
        for k in range(sides):
            f = surfaces.sides[edge["side"] + k]["face"] - first_face
            v0 = speed_along(frame, faces[f], p)
            v1 = speed_along(frame, faces[f], q)
            if (v0 > slow and v1 < -slow) or (v0 < -slow and v1 > slow):
                s = v0 / (v0 - v1)
                breaks[parts] = s
                parts += 1
                widen(work.chords, f, between(p, q, s))
            elif (not closed and max(abs(v0), abs(v1)) > slow) or max(style.sign * v0, style.sign * v1) > slow:
                mask |= 1 << k
        if parts == 1 and mask == 0 and sides > 0:
            continue
        breaks[0] = 0.0
        breaks[parts] = 1.0
        for j in range(2, parts):  # by insertion: there are one or two
            s = breaks[j]
            k = j
            while k > 1 and breaks[k - 1] > s:
                breaks[k] = breaks[k - 1]
                k -= 1
            breaks[k] = s
        for part in range(parts):
            lo = breaks[part]
            hi = breaks[part + 1]
            here = mask
            if parts > 1:
                x = between(p, q, 0.5 * (lo + hi))
                for k in range(sides):
                    f = surfaces.sides[edge["side"] + k]["face"] - first_face
                    v = speed_along(frame, faces[f], x)
                    if style.sign * v > slow or (not closed and abs(v) > slow):
                        here |= 1 << k
            if hi > lo and (here != 0 or sides == 0):
                x = p if part == 0 else between(p, q, lo)
                y = q if part == parts - 1 else between(p, q, hi)
                a = (corners[tail, 3], corners[tail, 4], corners[tail, 5])
                b = (corners[head, 3], corners[head, 4], corners[head, 5])
                if part > 0:
                    a = project(frame, x[0], x[1], x[2], uncut, 0.0)
                if part < parts - 1:
                    b = project(frame, y[0], y[1], y[2], uncut, 0.0)
                if style.cut:
                    draw_part(
                        drawing, work, surfaces, first_face, frame, grid, style, e, here, none, x, y, a, b, lo, hi
                    )
                    continue
                # The common case by itself: a call that takes all tables costs as much as the line.
                add_piece(pieces, counts[0], e, here, uncut, none, lo, hi)
                counts[1] = draw_line(
                    records, counts[1], heads, bounds, stack, frame, grid, counts[0], x, y, a, b, lo, hi, uncut, 0.0
                )
                counts[0] += 1
    return count


@kernel
def draw_virtual(drawing, work, surfaces, surface, frame, grid, style, chosen, room, layer, start):
    """Draw the virtual edges from face number `start` on; return the first for which there is no room.

    Layer 0: where faces are cut into their facing parts. Layer 1: where the screen is cut; there the line lies in the
    plane x = 0, is drawn once for each part that it bounds (on z < 0 they see it at phi = pi and -pi), and is cut where
    it passes the axis.
    """
    whole = chosen.faces.shape[0] == 0
    count = surface["faces"] if whole else chosen.faces.shape[0]
    lines = work.chords if layer == 0 else work.cuts
    counts = drawing.counts
    none = np.int64(-1)
    uncut = np.int64(0)
    for i in range(start, count):
        f = np.int64(i if whole else chosen.faces[i])
        if lines[f, 0] < 2.0:
            continue
        if counts[0] + 6 > drawing.pieces.shape[0] or counts[1] + 6 * room > drawing.records.shape[0]:
            return i
        p = (lines[f, 1], lines[f, 2], lines[f, 3])
        q = (lines[f, 4], lines[f, 5], lines[f, 6])
        if layer == 0:
            a = project(frame, p[0], p[1], p[2], uncut, 0.0)
            b = project(frame, q[0], q[1], q[2], uncut, 0.0)
            draw_part(
                drawing, work, surfaces, surface["face"], frame, grid, style, none, uncut, f, p, q, a, b, 0.0, 1.0
            )
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
                draw_copy(drawing, work, frame, grid, none, uncut, np.int64(copy), f, x, y, 0.0, 1.0)
    return count


@kernel
def draw_body(surfaces, surface, frame, grid, rotation, place, style, chosen):
    """Draw the facing parts of one body, placed by (rotation, place) in the frame of the axis."""
    whole = chosen.faces.shape[0] == 0
    used_edges = surface["edges"] if whole else chosen.edges.shape[0]
    used_faces = surface["faces"] if whole else chosen.faces.shape[0]
    used_corners = surface["corners"] if whole else chosen.corners.shape[0]
    room = 2 * grid.rows + 8  # a line has two records a row at most
    copies = 3 if style.cut else 1
    pieces = np.empty(copies * (used_edges + used_faces) + 64, dtype=PIECE)
    records = np.empty(copies * 6 * used_edges + 8 * copies * room, dtype=RECORD)
    all_heads = np.full((2, grid.rows), -1, dtype=np.int32)
    bounds = np.empty((grid.rows, 4))
    for row in range(grid.rows):
        bounds[row, 0] = bounds[row, 2] = math.inf
        bounds[row, 1] = bounds[row, 3] = -math.inf
    rest = (
        np.empty((surface["corners"], 6)),
        np.empty((surface["faces"], 4)),
        all_heads[0],
        np.empty(copies * used_corners, dtype=VERTEX),
        all_heads[1],
        np.zeros(3, dtype=np.int64),
    )
    own_work = Work(
        np.empty((surface["faces"], 7)),
        np.empty((surface["faces"] if style.cut else 0, 7)),
        np.empty((HALVINGS + 2, 4)),
        np.empty(MOST_SIDES + 2),
    )
    own = Drawing(rest[0], rest[1], pieces, records, rest[2], bounds, rest[3], rest[4], rest[5])
    drawing = borrowed_drawing(own)
    work = Work(borrowed(own_work.chords), borrowed(own_work.cuts), borrowed(own_work.stack), borrowed(own_work.breaks))
    place_faces(drawing, work, surfaces, surface, style, rotation, place, chosen)
    farthest = draw_corners(drawing, surfaces, surface, frame, grid, style, rotation, place, chosen)
    slow = EDGE_ON * (frame.angle * farthest + abs(frame.pitch))
    done = np.int64(0)
    for stage in range(3 if style.cut else 2):
        done = np.int64(0)
        end = used_edges if stage == 0 else used_faces
        while done < end:
            if stage == 0:
                done = draw_edges(drawing, work, surfaces, surface, frame, grid, style, chosen, slow, room, done)
            else:
                done = draw_virtual(drawing, work, surfaces, surface, frame, grid, style, chosen, room, stage - 1, done)
            if done < end:
                pieces = with_room(pieces, own.counts[0], pieces.shape[0] + 1)  # which makes it twice as long
                records = with_room(records, own.counts[1], records.shape[0] + 1)
                own = Drawing(rest[0], rest[1], pieces, records, rest[2], bounds, rest[3], rest[4], rest[5])
                drawing = borrowed_drawing(own)
    if own_work.stack.shape[0] + own.heads.shape[0] == 0:  # a last use: tables live until here
        done = np.int64(0)
    return own
