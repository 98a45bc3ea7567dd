"""What two bodies draw on their collision screen, to look at it: the same calls as in `Scene.contacts`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tocsin import Motion, Scene, TimedContact, vec
from tocsin.motion.joints import rotation_of
from tocsin.motion.screw import relative_twist, seen_from
from tocsin.queries.all_contacts import cast_of, moved, pixel_of
from tocsin.screen.chords import H0, H1, MOST_CHORDS, R0, R1, Grid
from tocsin.screen.collision_screen import screen_of, space_of
from tocsin.screen.drawing import blank_board, draw_body
from tocsin.screen.facing import EDGE_ON, SCRATCH, Style
from tocsin.screen.frame import Frame, project
from tocsin.screen.placing import Chosen
from tocsin.screen.tables import Drawn


class Screen(NamedTuple):
    """The collision screen of two bodies, to look at: rows, and the records of both."""

    frame: Frame
    start: float
    size: float
    rows: int
    a: tuple[np.ndarray, np.ndarray, np.ndarray]
    """Rows, and where each record begins and ends along h."""
    b: tuple[np.ndarray, np.ndarray, np.ndarray]

    def places(self, contacts: Sequence[TimedContact]) -> list[tuple[float, float]]:
        """Return (r, h) of contacts with a body that stands at the origin of the world."""
        found: list[tuple[float, float]] = []
        for contact in contacts:
            x = vec.matvec(self.frame.rows, vec.sub(tuple(contact.point), self.frame.origin))
            r, h, _ = project(self.frame, *x, 0, 0.0)
            found.append((r, h))
        return found


def boards(scene: Scene, motion: Motion, resolution: str | float) -> tuple[Frame, Grid, list[np.ndarray]]:
    """Return the frame and the screen of the first two shapes of a scene, the second of which moves, and the tables of
    their chords."""
    pixel, step = pixel_of(resolution)
    context = scene.context
    cast = cast_of(context)
    _, poses, _ = moved(context, cast, (motion,))
    one, two = cast.surfaces.table[0], cast.surfaces.table[1]
    (a_t0, a_t1), (b_t0, b_t1) = poses[one["link"], :, :7].copy(), poses[two["link"], :, :7].copy()
    twist = relative_twist(a_t0, a_t1, b_t0, b_t1)
    place, q = seen_from(a_t0, b_t0)
    rotation = rotation_of(q)
    _, frame, grid, doppel, cut, far_a, far_b = screen_of(one, two, rotation, place, twist, pixel, step)
    all_of_it = Chosen(*[np.zeros(0, np.int32)] * 3)
    turn_b = vec.matmul(frame.rows, rotation)
    at_a = vec.scale(vec.matvec(frame.rows, frame.origin), -1.0)
    at_b = vec.matvec(frame.rows, vec.sub(place, frame.origin))
    tables = []
    for surface, turn, at, sign, cuts, lasts, far in (
        (one, frame.rows, at_a, -1.0, (doppel, doppel), 0.0, far_a),
        (two, turn_b, at_b, 1.0, (cut, False), 1.0, far_b),
    ):
        style = Style(sign, bool(surface["closed"]), EDGE_ON * (frame.angle * far + abs(frame.pitch)), *cuts, lasts)
        extra = MOST_CHORDS * int(surface["edges"])
        block = np.zeros(space_of(surface, surface, extra))
        board = blank_board(block, np.int64(0), surface, cuts[0], np.zeros((SCRATCH, 4)), np.int64(extra))
        tables_of = cast.surfaces
        drawn = Drawn(tables_of.sides, tables_of.numbers, tables_of.places, tables_of.planes, tables_of.links)
        n = draw_body(board, drawn, surface, frame, grid, (turn, at), style, all_of_it)
        tables.append(board.chords[:n].copy())  # they are in the block
    return frame, grid, tables


def drawings(scene: Scene, motion: Motion, resolution: str | float) -> Screen:
    """Return the collision screen of the first two shapes of a scene, the second of which moves."""
    frame, grid, tables = boards(scene, motion, resolution)
    start = grid.least + grid.size
    rows = int((grid.most - start) / grid.size)
    return Screen(frame, start, grid.size, rows, *[pixels(chords, grid) for chords in tables])


def pixels(chords: np.ndarray, grid: Grid) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (row, from, to) along h of what chords cover, row by row of pixels."""
    found = []
    start = grid.least + grid.size
    for r0, h0, r1, h1 in chords[:, [R0, H0, R1, H1]]:
        low, high = sorted((r0, r1))
        for row in range(int((low - start) // grid.size), int((high - start) // grid.size) + 1):
            ends = np.clip([start + row * grid.size, start + (row + 1) * grid.size], low, high)
            h = np.sort(h0 + (ends - r0) * (h1 - h0) / (r1 - r0)) if r1 != r0 else np.sort([h0, h1])
            if start <= ends[1] and ends[0] <= grid.most:
                found.append((row, *h))
    rows, lo, hi = np.array(found).reshape(-1, 3).T
    return rows.astype(int), lo, hi
