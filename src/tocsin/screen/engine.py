"""All contacts of a time step: one compiled call for all pairs of a scene (sections 6 and 9 of the screw paper).

Of each pair one body is seen from the other, the one that stands if one does, and moves on a screw. Balls around both
say whether and when they can touch at all (step one); then both are drawn on the screen, the drawings are scanned, and
what overlaps is resolved.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tocsin import vec
from tocsin._jit import borrowed, kernel
from tocsin.contacts.timed import TIMED, ascending
from tocsin.motion.joints import axis_angle, relative_turn, rotation_of
from tocsin.motion.screw import relative_twist, screw_point, seen_from, twist_between
from tocsin.screen.cull import balls_meet, choose
from tocsin.screen.facing import Chosen, Style, borrowed_drawing, draw_body
from tocsin.screen.frame import screen_frame
from tocsin.screen.raster import Grid
from tocsin.screen.resolve import resolve
from tocsin.screen.scan import scan
from tocsin.screen.tables import Surfaces

STANDS, INTERPOLATES, SCREWS = range(3)
"""How a link moves between its two poses."""

MOST_ROWS = 4096
"""A screen has no more rows than this: pixels become larger instead."""

CULL_FROM = 3000
"""Pairs with more faces than this are culled by their hierarchies first."""


@kernel
def borrowed_surfaces(surfaces):
    """Return the tables without their owners, for the duration of a call."""
    return Surfaces(
        borrowed(surfaces.table),
        borrowed(surfaces.vectors),
        borrowed(surfaces.corners),
        borrowed(surfaces.edges),
        borrowed(surfaces.faces),
        borrowed(surfaces.sides),
        borrowed(surfaces.triangles),
        borrowed(surfaces.numbers),
    )


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


@kernel
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


@kernel
def screen_of(surface_a, surface_b, rotation, place, twist, pixel, time_resolution):
    """Return (can they meet, frame, grid, doppel, cut of b): step one, for b moving as a sees it.

    Rows are made only where both have something.
    """
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
        start = max(ball_a[0] - radius_a, ball_b[0] - radius_b)
        end = min(ball_a[0] + radius_a, ball_b[0] + radius_b)
    else:
        r_a = math.sqrt(ball_a[0] * ball_a[0] + ball_a[2] * ball_a[2])
        r_b = math.sqrt(ball_b[0] * ball_b[0] + ball_b[2] * ball_b[2])
        start = max(max(r_a - radius_a, r_b - radius_b), 0.0)
        end = min(r_a + radius_a, r_b + radius_b)
    end = max(start, end)
    size = pixel
    if size <= 0.0:
        size = -pixel * min(surface_a["short"], surface_b["short"])
    size = max(size, (end - start) / MOST_ROWS)
    cut_a, low_a = cut_needed(frame, ball_a, radius_a)
    cut_b, _ = cut_needed(frame, ball_b, radius_b)
    doppel = cut_a or low_a <= frame.angle - math.pi
    return meet, frame, Grid(start, size, int((end - start) / size) + 1, time_resolution), doppel, cut_b


@kernel
def pair_contacts(surfaces, nodes, a, b, rotation, place, twist, pixel, time_resolution, least, out, n):
    """Append the contacts of shape b, moving by `twist` as seen from a, to `out`, in a's frame; return (out, n)."""
    surface_a = surfaces.table[a]
    surface_b = surfaces.table[b]
    meet, frame, grid, doppel, cut_b = screen_of(surface_a, surface_b, rotation, place, twist, pixel, time_resolution)
    if not meet:
        return out, n
    none = np.empty(0, dtype=np.int32)
    chosen_a = Chosen(none, none, none)
    chosen_b = Chosen(none, none, none)
    turned_b = vec.matmul(frame.rows, rotation)
    place_a = vec.scale(vec.matvec(frame.rows, frame.origin), -1.0)
    place_b = vec.matvec(frame.rows, vec.sub(place, frame.origin))
    if surface_a["faces"] + surface_b["faces"] > CULL_FROM and surface_a["root"] >= 0 and surface_b["root"] >= 0:
        chosen_a, chosen_b = choose(
            surfaces, nodes, surface_a, surface_b, frame, frame.rows, place_a, turned_b, place_b, 8.0 * grid.size
        )
        if chosen_a.faces.shape[0] == 0:
            return out, n
    own_a = draw_body(surfaces, surface_a, frame, grid, frame.rows, place_a, Style(-1.0, doppel, doppel), chosen_a)
    single: Any = np.bool_(False)
    own_b = draw_body(surfaces, surface_b, frame, grid, turned_b, place_b, Style(1.0, cut_b, single), chosen_b)
    drawing_a = borrowed_drawing(own_a)
    drawing_b = borrowed_drawing(own_b)
    candidates = scan(surfaces, frame, grid, drawing_a, drawing_b, surface_a, surface_b)
    out, n = resolve(
        surfaces, frame, twist, rotation, place, drawing_a, drawing_b, surface_a, surface_b, candidates, least, out, n
    )
    if own_a.heads.shape[0] + own_b.heads.shape[0] == 0:  # a last use, so that the tables live until here
        n = np.int64(0)
    return out, n


@kernel
def all_pairs(surfaces, nodes, pairs, poses, how, pixel, time_resolution, least):
    """Return the contacts of all pairs (a, b) of shapes, a < b, sorted by time.

    `poses` (links, 2, 7): pose rows at both ends, `how` each link moves in between. `pixel`: metres, or if negative
    parts of a typical short edge.
    """
    surfaces = borrowed_surfaces(surfaces)
    nodes = borrowed(nodes)
    poses = borrowed(poses)
    out = np.empty(32, dtype=TIMED)
    n = np.int64(0)  # typed: see `facing.draw_body`
    for k in range(pairs.shape[0]):
        a = pairs[k, 0]
        b = pairs[k, 1]
        link_a = surfaces.table[a]["link"]
        link_b = surfaces.table[b]["link"]
        # Seen from the one that stands, so that where it stands is where things are.
        swapped = how[link_a] != STANDS and how[link_b] == STANDS
        if swapped:
            link_a, link_b = link_b, link_a
        twist = relative_twist(poses[link_a, 0], poses[link_a, 1], poses[link_b, 0], poses[link_b, 1])
        place, q = seen_from(poses[link_a, 0], poses[link_b, 0])
        first = n
        out, n = pair_contacts(
            surfaces, nodes, b if swapped else a, a if swapped else b, rotation_of(q), place, twist, pixel,
            time_resolution, least, out, n,
        )  # fmt: skip
        if n == first:
            continue
        true_screw = how[link_a] == STANDS and how[link_b] == SCREWS
        error = 0.0 if true_screw else bulge_of(twist)
        for i in range(first, n):
            finish(out[i], poses[link_a, 0], poses[link_a, 1], how[link_a], swapped)
            out[i]["geom_a"] = a
            out[i]["geom_b"] = b
            out[i]["screw_error"] = error
    times = np.empty(n)
    for i in range(n):
        times[i] = out[i]["time"]
    order = ascending(times)
    rows = np.empty(n, dtype=TIMED)
    for i in range(n):
        rows[i] = out[order[i]]
    return rows


@kernel
def bulge_of(twist):
    """Return (1 - cos(theta/2)) r of the origin of b: how far its arc bulges from its chord (section 4.3), metres."""
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
