"""All contacts of a time step: one compiled call for all pairs of a scene [SCREW 6, 9].

Of each pair one body is seen from the other, the one that stands if one does, and moves on a screw. Balls around both
say whether and when they can touch at all [SCREW 9 step 1]; then both are drawn on the screen, the drawings are
scanned, and what overlaps is resolved.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.compiler.addresses import Layout, Table, table_of
from tocsin.compiler.jit import borrowed, inlined, kernel
from tocsin.contacts.timed import TIMED, ascending, with_room
from tocsin.geometry.tree import NODE
from tocsin.motion.joints import axis_angle, relative_turn, rotation_of
from tocsin.motion.screw import relative_twist, screw_point, seen_from, twist_between
from tocsin.screen.chords import Grid
from tocsin.screen.cull import balls_meet, choose
from tocsin.screen.drawing import blank_board, draw_body, list_corners, list_faces, space, table
from tocsin.screen.facing import EDGE_ON, SCRATCH, Style
from tocsin.screen.frame import Frame, screen_frame
from tocsin.screen.placing import WHAT, Chosen
from tocsin.screen.properness_filter import MOMENTS, fill_turns
from tocsin.screen.resolve import (
    PAIRS,
    Meeting,
    Workspace,
    best_of_each,
    resolve_corners,
    resolve_edges,
    workspace_at,
)
from tocsin.screen.sweep_and_prune import meeting as meet_on_screen
from tocsin.screen.tables import SURFACES, Drawn, Edged, Faced, Surfaces

STANDS, INTERPOLATES, SCREWS = range(3)
"""How a link moves between its two poses."""

MOST_PIXELS = 4096
"""A screen has no more of them along r than this: they become larger instead."""

MOST_PAIRS = PAIRS * 8**4
"""Room at most: two million, and half a gigabyte to draw them in."""

CULL_FROM = 3000
"""Pairs with more faces than this are culled by their hierarchies first."""


class Shapes(NamedTuple):
    """The shapes of a scene: their surfaces, and the nodes of their hierarchies."""

    surfaces: Surfaces
    nodes: np.ndarray


SHAPES = Layout(Shapes, surfaces=SURFACES, nodes=(NODE, 1))

shapes_at = SHAPES.reader()
"""For kernels: the shapes whose arrays are in a table."""


def table_of_shapes(surfaces: Surfaces, nodes: np.ndarray) -> Table:
    """Return where the tables of a scene are, as one argument of a call."""
    return table_of(SHAPES.checked(Shapes(surfaces, nodes)))


@kernel
def pose_between(row_t0, row_t1, how, t):
    """Return (rotation, place) of a link at time t between two pose rows."""
    q0 = (row_t0[3], row_t0[4], row_t0[5], row_t0[6])
    p0 = (row_t0[0], row_t0[1], row_t0[2])
    start = rotation_of(q0)
    if how == STANDS:
        return start, p0
    q1 = (row_t1[3], row_t1[4], row_t1[5], row_t1[6])
    p1 = (row_t1[0], row_t1[1], row_t1[2])
    axis, angle = relative_turn(q0, q1)
    rotation = vec.matmul(axis_angle(axis, angle * t), start)
    if how == SCREWS:
        return rotation, screw_point(twist_between(p0, q0, p1, q1), p0, t)
    return rotation, vec.axpy(p0, t, vec.sub(p1, p0))


@inlined
def cut_needed(frame, center, radius):
    """Return (needed, lowest phi): does a ball reach the jump of phi; inf-free, in the frame of the axis."""
    if frame.angle == 0.0:
        return False, 0.0
    r = math.sqrt(center[0] * center[0] + center[2] * center[2])
    if r <= radius:
        return True, -math.pi
    half = math.asin(radius / r)
    phi = math.atan2(center[0], center[2])
    return abs(phi) + half >= math.pi, phi - half


class Screen(NamedTuple):
    """What the first step says about two bodies [SCREW 9 step 1]."""

    meet: bool
    """Can they?"""
    frame: Frame
    grid: Grid
    cut_a: bool
    """Is the screen cut for a, which is then doppeled, and for b?"""
    cut_b: bool
    far_a: float
    """No part of a is farther from the axis, none of b than `far_b`."""
    far_b: float


@kernel
def screen_of(surface_a, surface_b, rotation, place, twist, pixel, time_resolution):
    """Return the screen for b, moving as a sees it [SCREW 9 step 1]. Only what both have of r is on it."""
    center_a = (surface_a["center"][0], surface_a["center"][1], surface_a["center"][2])
    center_b = (surface_b["center"][0], surface_b["center"][1], surface_b["center"][2])
    center_b = vec.add(vec.matvec(rotation, center_b), place)
    frame = screen_frame(twist, center_b)
    ball_a = vec.matvec(frame.rows, vec.sub(center_a, frame.origin))
    ball_b = vec.matvec(frame.rows, vec.sub(center_b, frame.origin))
    radius_a = surface_a["radius"]
    radius_b = surface_b["radius"]
    meet = (frame.pitch != 0.0 or frame.angle != 0.0) and balls_meet(frame, ball_a, ball_b, radius_a + radius_b)
    if frame.angle == 0.0:
        r_a = ball_a[0]
        r_b = ball_b[0]
        start = max(r_a - radius_a, r_b - radius_b)
    else:
        r_a = math.sqrt(ball_a[0] * ball_a[0] + ball_a[2] * ball_a[2])
        r_b = math.sqrt(ball_b[0] * ball_b[0] + ball_b[2] * ball_b[2])
        start = max(max(r_a - radius_a, r_b - radius_b), 0.0)
    end = max(start, min(r_a + radius_a, r_b + radius_b))
    size = pixel
    if size <= 0.0:
        size = -pixel * min(surface_a["short"], surface_b["short"])
    size = max(size, (end - start) / MOST_PIXELS)
    cut_a, low_a = cut_needed(frame, ball_a, radius_a)
    cut_b, _ = cut_needed(frame, ball_b, radius_b)
    doppel = cut_a or low_a <= frame.angle - math.pi
    grid = Grid(size, time_resolution, start - size, end + size)
    return Screen(meet, frame, grid, doppel, cut_b, r_a + radius_a, r_b + radius_b)


@kernel
def space_of(surface_a, surface_b, extra):
    """Return how many numbers a pair needs to be drawn, with room for `extra` chords more than usual, in either
    order."""
    most = max(surface_a["corners"], surface_b["corners"])
    of_a = space(surface_a["corners"], surface_a["edges"], surface_a["faces"], extra)
    of_b = space(surface_b["corners"], surface_b["edges"], surface_b["faces"], extra)
    return of_a + of_b + 2 * (WHAT + 1) * most + 4 * (SCRATCH + MOMENTS)


@inlined
def pair_contacts(surfaces, nodes, a, b, relative, terms, workspace, n):
    """Write the contacts of shape b, `relative` (rotation, place, twist) to a, in a's frame, after n rows.

    `terms`: pixel, time resolution, least properness. Return how many rows there are then; -1 where the workspace's
    pairs or its block are too short, -2 where its rows and keys are. The tables have no owners here, so that no
    references are counted.
    """
    surface_a = surfaces.table[a]
    surface_b = surfaces.table[b]
    rotation, place, twist = relative
    screen = screen_of(surface_a, surface_b, rotation, place, twist, terms[0], terms[1])
    if not screen.meet:
        return n
    frame = screen.frame
    none = surfaces.numbers[:0]
    own_a = Chosen(none, none, none)
    own_b = Chosen(none, none, none)
    pose_a = frame.rows, vec.scale(vec.matvec(frame.rows, frame.origin), -1.0)
    pose_b = vec.matmul(frame.rows, rotation), vec.matvec(frame.rows, vec.sub(place, frame.origin))
    if surface_a["faces"] + surface_b["faces"] > CULL_FROM and surface_a["root"] >= 0 and surface_b["root"] >= 0:
        own_a, own_b = choose(surfaces, nodes, surface_a, surface_b, frame, pose_a, pose_b, 8.0 * screen.grid.size)
        if own_a.faces.shape[0] == 0:
            return n
    if workspace.block.shape[0] < space_of(surface_a, surface_b, workspace.pairs.shape[0] - PAIRS):
        return np.int64(-1)
    turns = table(workspace.block, SCRATCH * 4, MOMENTS, 4)
    fill_turns(turns, frame.angle)
    meeting = Meeting(frame, twist, rotation, place, pose_b[0], turns, terms[2])
    chosen = borrowed(own_a), borrowed(own_b)
    first = n
    n = drawn_contacts(surfaces, (surface_a, surface_b), screen, (pose_a, pose_b), chosen, meeting, workspace, n)
    if n > first:
        n = first + best_of_each(workspace.rows[first:n], workspace.keys[first:n], workspace.order)
    if own_a.faces.shape[0] + own_b.faces.shape[0] < 0:  # a last use, so that the lists live until here
        n = np.int64(0)
    return n


@inlined
def boards_of(bodies, screen, workspace):
    """Return (board_a, board_b, corners): empty tables in a block for two bodies, and for the boxes of corners."""
    surface_a, surface_b = bodies
    extra = workspace.pairs.shape[0] - PAIRS
    scratch = table(workspace.block, 0, SCRATCH + MOMENTS, 4)
    at = 4 * (SCRATCH + MOMENTS)
    board_a = blank_board(workspace.block, at, surface_a, screen.cut_a, scratch, extra)
    at += space(surface_a["corners"], surface_a["edges"], surface_a["faces"], extra)
    board_b = blank_board(workspace.block, at, surface_b, screen.cut_b, scratch, extra)
    at += space(surface_b["corners"], surface_b["edges"], surface_b["faces"], extra)
    corners = table(workspace.block, at, max(2 * surface_a["corners"], surface_b["corners"]), WHAT + 1)
    return board_a, board_b, corners


@inlined
def drawn_contacts(surfaces, bodies, screen, poses, chosen, meeting, workspace, n):
    """Draw two bodies and write what overlaps and is a contact after n rows; return how many rows there are then."""
    surface_a, surface_b = bodies
    frame, grid = screen.frame, screen.grid
    single: np.bool_ = np.bool_(False)  # typed: a bare False would be a constant, and functions are compiled for each
    of_b: np.bool_ = np.bool_(True)
    of_a: np.bool_ = np.bool_(False)
    in_time: np.bool_ = np.bool_(True)
    slow_a = EDGE_ON * (frame.angle * screen.far_a + abs(frame.pitch))
    slow_b = EDGE_ON * (frame.angle * screen.far_b + abs(frame.pitch))
    style_a = Style(-1.0, surface_a["closed"] != 0, slow_a, screen.cut_a, screen.cut_a, 0.0)
    style_b = Style(1.0, surface_b["closed"] != 0, slow_b, screen.cut_b, single, 1.0)
    board_a, board_b, corners = boards_of(bodies, screen, workspace)
    drawn = Drawn(surfaces.sides, surfaces.numbers, surfaces.places, surfaces.planes, surfaces.links)
    edged = Edged(surfaces.vectors, surfaces.corners, surfaces.edges, surfaces.sides)
    faced = Faced(surfaces.vectors, surfaces.corners, surfaces.faces, surfaces.triangles)
    count_a = draw_body(board_a, drawn, surface_a, frame, grid, poses[0], style_a, chosen[0])
    count_b = draw_body(board_b, drawn, surface_b, frame, grid, poses[1], style_b, chosen[1])
    if count_a < 0 or count_b < 0:
        n = np.int64(-1)
    if n >= 0:
        chords_a, chords_b = board_a.chords, board_b.chords
        count = meet_on_screen(chords_a, count_a, chords_b, count_b, workspace.pairs, in_time, workspace.sorting)
        n = resolve_edges(edged, meeting, (board_a, board_b), bodies, workspace, count, n)
    if n >= 0:
        count_a = list_faces(board_a.faces, np.int64(surface_a["faces"]), frame, style_a, chosen[0])
        count_b = list_corners(corners, board_b.at, surfaces.corners, surface_b, frame, grid, style_b, chosen[1])
        count = meet_on_screen(board_a.faces, count_a, corners, count_b, workspace.pairs, in_time, workspace.sorting)
        of_corner, of_face = (corners, board_b.at, surface_b), (board_a.faces, surface_a)
        n = resolve_corners(faced, meeting, of_corner, of_face, of_b, workspace, count, n)
    if n >= 0:
        count_b = list_faces(board_b.faces, np.int64(surface_b["faces"]), frame, style_b, chosen[1])
        count_a = list_corners(corners, board_a.at, surfaces.corners, surface_a, frame, grid, style_a, chosen[0])
        count = meet_on_screen(corners, count_a, board_b.faces, count_b, workspace.pairs, in_time, workspace.sorting)
        of_corner, of_face = (corners, board_a.at, surface_a), (board_b.faces, surface_b)
        n = resolve_corners(faced, meeting, of_corner, of_face, of_a, workspace, count, n)
    return n


@kernel
def all_contacts(shapes, pairs, poses, pixel, time_resolution, least, scratch):
    """Return (contacts, whole): those of all pairs (a, b) of shapes, a < b, sorted by time.

    Not the whole list: somewhere more than MOST_PAIRS pairs of chords, or of faces and corners, may meet.
    `shapes` are the addresses of the scene's `Shapes`, `scratch` of a `Workspace`; where it has too little room, more
    is taken. `poses` (links, 2, 8): pose rows at both ends, and in the first how the link moves in between. `pixel`:
    metres, or if negative parts of a typical short edge.
    """
    surfaces, nodes = shapes_at(shapes)
    workspace = workspace_at(scratch)
    poses = borrowed(poses)
    terms = pixel, time_resolution, least
    box_pairs = workspace.pairs
    rows = workspace.rows
    keys = workspace.keys
    block = workspace.block
    n = np.int64(0)
    for k in range(pairs.shape[0]):
        a = pairs[k, 0]
        b = pairs[k, 1]
        link_a = surfaces.table[a]["link"]
        link_b = surfaces.table[b]["link"]
        # Seen from the one that stands, so that where it stands is where things are.
        how_a = np.int64(poses[link_a, 0, 7])
        how_b = np.int64(poses[link_b, 0, 7])
        swapped = how_a != STANDS and how_b == STANDS
        if swapped:
            link_a, link_b = link_b, link_a
            how_a, how_b = how_b, how_a
        twist = relative_twist(poses[link_a, 0], poses[link_a, 1], poses[link_b, 0], poses[link_b, 1])
        place, q = seen_from(poses[link_a, 0], poses[link_b, 0])
        rotation = rotation_of(q)
        first = n
        while True:
            enough = block.shape[0] >= space_of(surfaces.table[a], surfaces.table[b], box_pairs.shape[0] - PAIRS)
            n = pair_contacts(
                surfaces, nodes, b if swapped else a, a if swapped else b, (rotation, place, twist), terms,
                Workspace(
                    borrowed(box_pairs), borrowed(rows), borrowed(keys), workspace.order, workspace.sorting,
                    borrowed(block),
                ), first,
            )  # fmt: skip
            if n >= 0:
                break
            if n == -2:
                rows = with_room(rows, first, 2 * rows.shape[0])
                keys = np.empty(rows.shape[0], dtype=np.int64)
                continue
            if enough:
                if box_pairs.shape[0] >= MOST_PAIRS:
                    return by_time(rows, first, workspace.order), False
                box_pairs = np.empty((8 * box_pairs.shape[0], 2), dtype=np.int32)
            block = np.empty(space_of(surfaces.table[a], surfaces.table[b], box_pairs.shape[0] - PAIRS))
        if n == first:
            continue
        true_screw = how_a == STANDS and how_b == SCREWS
        error = 0.0 if true_screw else bulge_of(twist)
        for i in range(first, n):
            row: np.void = rows[i]
            finish(row, poses[link_a, 0], poses[link_a, 1], how_a, swapped)
            row["geom_a"] = a
            row["geom_b"] = b
            row["screw_error"] = error
    return by_time(rows, n, workspace.order), True


@kernel
def by_time(found, n, scratch):
    """Return the first n rows, sorted by time."""
    rows = np.empty(n, dtype=TIMED)
    if n == 1:
        rows[0] = found[0]
        return rows
    if n > scratch.shape[1]:
        scratch = np.empty((1, n), dtype=np.int64)
    order = scratch[0]
    ascending(found[:n]["time"], order)
    for i in range(n):
        rows[i] = found[order[i]]
    return rows


@kernel
def bulge_of(twist):
    """Return (1 - cos(theta/2)) r of the origin of b: how far its arc bulges from its chord [SCREW 4.3], metres."""
    if twist.angle == 0.0:
        return 0.0
    turning = vec.norm(vec.cross(twist.omega, twist.w)) / (twist.angle * twist.angle)
    sine = math.sin(0.25 * twist.angle)
    return 2.0 * sine * sine * turning


@kernel
def finish(row, pose_t0, pose_t1, how, swapped):
    """Take a contact from the frame of the body that stands in it to the world, and from (b, a) to (a, b)."""
    rotation, place = pose_between(pose_t0, pose_t1, how, row["time"])
    point = vec.add(vec.matvec(rotation, (row["point"][0], row["point"][1], row["point"][2])), place)
    normal = vec.matvec(rotation, (row["normal"][0], row["normal"][1], row["normal"][2]))
    sign = -1.0 if swapped else 1.0
    for j in range(3):
        row["point"][j] = point[j]
        row["normal"][j] = sign * normal[j]
    if swapped:
        for j in range(3):
            row["a"][j], row["b"][j] = row["b"][j], row["a"][j]
        if row["kind"] < 2:
            row["kind"] = 1 - row["kind"]
