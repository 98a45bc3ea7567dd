"""One body drawn on the screen: its tables, and the boxes over (r, h, t) of its edges, faces and corners.

Boxes are what is compared first (`sweep_and_prune`). Those of the body that moves last one longer, the whole motion: a
point of a at t_a and one of b at t_b meet after t_a - t_b.

Tables are cut out of one block of numbers that is kept from call to call (`table`). Memory that is taken and given back
in every call costs more than the drawing: the system takes large pieces away each time, and hands them out anew page by
page (a fifth of the time on two tori, measured).
"""

import math

import numpy as np
from numba import types
from numba.extending import intrinsic

from tocsin.compiler.addresses import unowned_array
from tocsin.compiler.jit import PURE_PYTHON, inlined, kernel
from tocsin.screen.chords import CHORD_WIDTH, MOST_CHORDS
from tocsin.screen.facing import Board, Pen, Ties, draw_edges, draw_virtual
from tocsin.screen.frame import project
from tocsin.screen.placing import AWAY, FACE_WIDTH, FACING, PLANE, WAY, WHAT, clear_box, place_body

if PURE_PYTHON:

    def table(block: np.ndarray, at: int, rows: int, columns: int) -> np.ndarray:  # type: ignore[reportRedeclaration]
        """Return rows x columns numbers of a block from `at` on."""
        return block[at : at + rows * columns].reshape(rows, columns)

else:

    @intrinsic
    def _table(typingctx, block, at, rows, columns):
        """Describe a part of a block as a table, without an owner."""
        result = types.Array(block.dtype, 2, "C")

        def codegen(context, builder, signature, args):
            source = context.make_array(signature.args[0])(context, builder, value=args[0])
            start = builder.gep(source.data, [args[1]])
            strides = [builder.mul(args[3], source.itemsize), source.itemsize]
            return unowned_array(context, builder, result, start, args[2:], strides, source.itemsize)

        return result(block, types.int64, types.int64, types.int64), codegen

    @inlined
    def table(block, at, rows, columns):
        """Return rows x columns numbers of a block from `at` on; the block has to live."""
        return _table(block, np.int64(at), np.int64(rows), np.int64(columns))  # type: ignore[reportCallIssue]


@inlined
def space(corners, edges, faces, extra):
    """Return how many numbers the tables of a body take, with room for `extra` chords more than usual."""
    return (FACING + 1) * corners + 3 * FACE_WIDTH * faces + CHORD_WIDTH * (edges + 12 * MOST_CHORDS + extra)


@inlined
def blank_board(block, at, surface, cut, scratch, extra):
    """Return empty tables for a body, from number `at` of a block on."""
    n = np.int64(surface["corners"])
    m = np.int64(surface["faces"])
    corners = table(block, at, FACING + 1, n)
    faces = table(block, at + (FACING + 1) * n, 3 * m if cut else m, FACE_WIDTH)
    at += (FACING + 1) * n + 3 * FACE_WIDTH * m
    return Board(corners, faces, table(block, at, surface["edges"] + 12 * MOST_CHORDS + extra, CHORD_WIDTH), scratch)


@kernel
def draw_body(board, surfaces, surface, frame, grid, pose, style, chosen):
    """Draw the facing parts of one body, which has this pose (rotation, place) in the frame of the axis; return how
    many chords there are, -1 where there is no room."""
    m = np.int64(surface["faces"])
    place_body(board, surfaces, surface, frame, pose, style, chosen)
    ties = Ties(surfaces.links, surfaces.sides, np.int64(surface["edge"]), np.int64(surface["face"]), m)
    pen = Pen(board, ties, frame, grid, style)
    for f in range(m, board.faces.shape[0]):
        clear_box(board.faces, f)
    n = draw_edges(pen, chosen, np.int64(surface["edges"]))
    for layer in range(2 if style.cut else 1):
        if n >= 0 and not draw_virtual(pen, n, chosen, layer):
            n = np.int64(-1)
    return n


@kernel
def list_corners(boxes, at, corners, surface, frame, grid, style, chosen):
    """Write the boxes of the corners that face the other body, and their numbers; return how many there are."""
    whole = chosen.faces.shape[0] == 0
    count = surface["corners"] if whole else chosen.corners.shape[0]
    n = 0
    for i in range(count):
        c = i if whole else chosen.corners[i]
        r = at[3, c]
        if at[FACING, c] == 0.0 or r < grid.least or r > grid.most or corners[surface["corner"] + c]["spokes"] == 0:
            continue
        for copy in range(2 if style.doppel and at[0, c] < 0.0 else 1):
            h = at[4, c]
            t = at[5, c]
            if copy == 1:
                _, h, t = project(frame, at[0, c], at[1, c], at[2, c], np.int64(-1), 2.0 * math.pi)
            boxes[n, 0] = r
            boxes[n, 1] = r
            boxes[n, 2] = h
            boxes[n, 3] = h
            boxes[n, 4] = t
            boxes[n, 5] = t + style.lasts
            boxes[n, WHAT] = c
            n += 1
    return n


@inlined
def bulge(frame, faces, f, k, lasts):
    """Return by how much t inside face f can pass its values on the boundary, around which box k is.

    Claim. The plane n . x = d meets the cylinder of radius r in y = const - b cos(phi - phi_0), b = r |(n_x, n_z)| /
    |n_y|, a graph over phi. Between two boundary points D apart in phi it is off its chord by at most b D^2 / 8, and by
    no more than the height Y of the face; and so is t by g / c times that (c = g^2 + theta^2 r^2), being linear in phi
    and y. Where n_y = 0 the section is phi = const and t linear on it. As phi = theta t - g h / (r sqrt(c)) and y = g t
    + theta r h / sqrt(c), D is at most theta dt + |g| dh / (r sqrt(c)), and Y at most |g| dt + dh, with dh and dt the
    sides of the box; at the least r for all r in it, and no part of a face goes around more than once.
    """
    nx, ny, nz = faces[f, PLANE], faces[f, PLANE + 1], faces[f, PLANE + 2]
    if frame.angle == 0.0 or frame.pitch == 0.0 or ny == 0.0:
        return 0.0
    g = abs(frame.pitch)
    least = max(faces[k, 0], 0.0)
    dh = faces[k, 3] - faces[k, 2]
    dt = faces[k, 5] - faces[k, 4] - lasts
    c = g * g + frame.angle * frame.angle * least * least
    turn = 2.0 * math.pi
    if least > 0.0:
        turn = min(turn, frame.angle * dt + g * dh / (math.sqrt(c) * least))
    b = faces[k, 1] * math.sqrt(nx * nx + nz * nz) / abs(ny)
    return g / c * min(0.125 * b * turn * turn, g * dt + dh)


@kernel
def list_faces(faces, m, frame, style, chosen):
    """Move the boxes of the faces that face the other body to the front of the table, and grow them by what their
    insides need; return how many there are."""
    whole = chosen.faces.shape[0] == 0
    n = 0
    for copy in range(3 if style.cut else 1):
        for i in range(m if whole else chosen.faces.shape[0]):
            f = i if whole else chosen.faces[i]
            k = copy * m + f
            if faces[f, WAY] == AWAY or not faces[k, 0] <= faces[k, 1]:
                continue
            more = bulge(frame, faces, f, k, style.lasts)
            faces[k, 4] -= more
            faces[k, 5] += more
            for j in range(6):
                faces[n, j] = faces[k, j]
            faces[n, WHAT] = f
            n += 1
    return n
