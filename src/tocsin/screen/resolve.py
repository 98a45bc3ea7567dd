"""From candidates to contacts: polished, sorted out, rated [SCREW 9 end, 5].

A contact is a corner in a face or two edges that cross inside both. A corner on the border of a face (EV, VE or VV: up
to rounding it hits an edge or a corner) is in several faces at once: of these the one with the best properness is kept;
of two corners, whichever is better against the faces of the other. Edges that cross at an end of one of them are such a
case too and left to it, as are parallel edges.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.compiler.addresses import Layout, Table, table_of
from tocsin.compiler.jit import inlined, kernel
from tocsin.contacts.properness import edge_normal, face_normal, sine_between
from tocsin.contacts.timed import EDGE_EDGE, FACE_VERTEX, TIMED, VERTEX_FACE, ascending
from tocsin.motion.screw import Twist, screw_direction, screw_point, screw_velocity
from tocsin.screen.chords import S0, S1, crossing
from tocsin.screen.frame import Frame
from tocsin.screen.placing import PLANE, WHAT
from tocsin.screen.polish import (
    polish_corner,
    polish_edges,
    turning_times,
    weights,
    when_in_plane,
    where_edges_cross,
)
from tocsin.screen.properness_filter import corner_may_be_proper, edges_may_be_proper
from tocsin.screen.sweep_and_prune import SORTING, Sorting, make_sorting

BORDER = 1e-9
"""Closer to the border of a face than this part of it is on the border; and further outside is outside."""

LOOSE = 1e-3
"""A rough contact this far outside, in parts of an edge or triangle, may turn out to be inside."""

AT_ENDS = 1e-12
"""Contacts may be this much before 0 or after 1: they are at 0 or at 1."""

SAME = 1e-9
"""Events closer in time than this, between the same features, are one."""

SHIFT = 1 << 29
"""More than any number of a corner, edge or face within its body."""


@kernel
def triangle_of(surfaces, k, rotation, place):
    """Return the corners of triangle k, placed."""
    t = surfaces.triangles[k]
    return (
        vec.add(vec.matvec(rotation, vec.load3(surfaces.vectors, t[0])), place),
        vec.add(vec.matvec(rotation, vec.load3(surfaces.vectors, t[1])), place),
        vec.add(vec.matvec(rotation, vec.load3(surfaces.vectors, t[2])), place),
    )


@kernel
def corner_in_face(surfaces, twist, rough, face, x, rotation, place, way):
    """Return (hit, triangle, tau, point, normal, v, w): a corner against the triangles of a flat face.

    `x` and the face, through (rotation, place), are in a's frame at t = 0; `rough` is the time, roughly.
    """
    none = (0.0, 0.0, 0.0)
    best = -math.inf
    best_k = -1
    y = screw_point(twist, x, way * rough)
    for k in range(face["triangle"], face["triangle"] + face["triangles"]):
        p, q, r = triangle_of(surfaces, k, rotation, place)
        v, w = weights(y, p, q, r)
        inside = min(v, min(w, 1.0 - v - w))
        if inside > best:
            best = inside
            best_k = k
            if inside > LOOSE:
                break
    if best < -LOOSE:
        return False, -1, 0.0, none, none, 0.0, 0.0
    p, q, r = triangle_of(surfaces, best_k, rotation, place)
    tau, point, normal, v, w = polish_corner(twist, x, p, q, r, rough, way)
    hit = min(v, min(w, 1.0 - v - w)) >= -BORDER and -AT_ENDS <= tau <= 1.0 + AT_ENDS
    return hit, best_k, min(max(tau, 0.0), 1.0), point, normal, v, w


@kernel
def seen_by(twist, rotation, n, tau):
    """Return a direction of a's frame, at time tau, in the frame of b, which was turned by `rotation` at t = 0."""
    return vec.tmatvec(rotation, screw_direction(twist, n, -tau))


class Meeting(NamedTuple):
    """Two bodies that may meet."""

    frame: Frame
    twist: Twist
    """Of b as seen from a."""
    rotation: tuple
    """b in a's frame at t = 0, and `place`."""
    place: tuple
    turn_b: tuple
    """From b's frame to the frame of the axis; from a's it is `frame.rows`."""
    turns: np.ndarray
    least: float
    """Contacts that are less proper are left out."""


PAIRS, ROWS = 512, 32
"""Room for pairs of boxes and for contacts to begin with."""


class Workspace(NamedTuple):
    """Where two bodies are drawn and what they have in common is written."""

    pairs: np.ndarray
    """Of boxes that overlap."""
    rows: np.ndarray
    """Contacts, and the numbers of their events in `keys`."""
    keys: np.ndarray
    order: np.ndarray
    """(2, ROWS) for sorting them, and for dropping some."""
    sorting: Sorting
    block: np.ndarray
    """Numbers to draw in."""


WORKSPACE = Layout(
    Workspace,
    pairs=(np.dtype(np.int32), 2),
    rows=(TIMED, 1),
    keys=(np.dtype(np.int64), 1),
    order=(np.dtype(np.int64), 2),
    sorting=SORTING,
    block=(np.dtype(np.float64), 1),
)

workspace_at = WORKSPACE.reader()
"""For kernels: the workspace whose arrays are in a table. A dozen arrays that each question made and gave back took a
tenth of that about two cubes."""


def make_workspace(numbers: int) -> Table:
    """Return where a workspace is, with so many numbers to draw in."""
    workspace = Workspace(
        np.empty((PAIRS, 2), np.int32),
        np.empty(ROWS, TIMED),
        np.empty(ROWS, np.int64),
        np.empty((2, ROWS), np.int64),
        make_sorting(),
        np.empty(numbers),
    )
    return table_of(WORKSPACE.checked(workspace))


@kernel
def resolve_edges(surfaces, meeting, boards, bodies, workspace, count, n):
    """Write the contacts of `count` pairs of chords of two bodies, after n rows, with the numbers of their events
    [SCREW 9 step 6].

    They are in a's frame at t = 0. Return how many rows there are then, -1 where there is no room for pairs, -2 where
    there is none for rows.
    """
    pairs = workspace.pairs
    if count > pairs.shape[0]:
        return np.int64(-1)
    chords_a, chords_b = boards[0].chords, boards[1].chords
    surface_a, surface_b = bodies
    for j in range(count):
        i = pairs[j, 0]
        k = pairs[j, 1]
        may, s, u, tau, doubt = crossing(chords_a, i, chords_b, k)
        if not may:
            continue
        number_a = np.int64(chords_a[i, WHAT])
        number_b = np.int64(chords_b[k, WHAT])
        edge_a = surfaces.edges[surface_a["edge"] + number_a]
        edge_b = surfaces.edges[surface_b["edge"] + number_b]
        p, dp = edge_in_frame(boards[0].at, edge_a, surface_a["corner"])
        q, dq = edge_in_frame(boards[1].at, edge_b, surface_b["corner"])
        if not edges_may_be_proper(surfaces.sides, meeting, (edge_a, edge_b), (dp, dq), tau, doubt):
            continue
        s = chords_a[i, S0] + s * (chords_a[i, S1] - chords_a[i, S0])
        u = chords_b[k, S0] + u * (chords_b[k, S1] - chords_b[k, S0])
        crossed, s, u, tau = where_edges_cross(meeting.frame, p, dp, q, dq, s, u, min(max(tau, 0.0), 1.0))
        # On another chord of the two edges it counts as well: what is found twice is listed once in the end.
        outside = min(min(s, 1.0 - s), min(min(u, 1.0 - u), min(tau, 1.0 - tau)))
        if not crossed or outside < -LOOSE:
            continue
        if n >= workspace.rows.shape[0]:
            return np.int64(-2)
        row: np.void = workspace.rows[n]
        ok = cross_edges(surfaces, meeting, bodies, (edge_a, edge_b), s, u, tau, row)
        if ok and row["properness"] >= meeting.least and row["closing_speed"] > 0.0:
            workspace.keys[n] = number_a * SHIFT + number_b
            n += 1
    return n


@inlined
def edge_in_frame(at, edge, first):
    """Return (tail, head - tail) of an edge in the frame of the axis."""
    i = edge["tail"] - first
    k = edge["head"] - first
    p = (at[0, i], at[1, i], at[2, i])
    return p, (at[0, k] - p[0], at[1, k] - p[1], at[2, k] - p[2])


@kernel
def resolve_corners(surfaces, meeting, of_corner, of_face, on_b, workspace, count, n):
    """Write the contacts of pairs of a face and a corner, which is b's if `on_b`, as `resolve_edges` does.

    `of_corner`: the boxes of corners, the table of where they are, and their body; `of_face`: the table of faces, and
    their body.
    """
    corners, at, surface = of_corner
    faces, face_surface = of_face
    pairs = workspace.pairs
    if count > pairs.shape[0]:
        return np.int64(-1)
    frame = meeting.frame
    twist = meeting.twist
    turn = meeting.turn_b if on_b else frame.rows
    rotation, place = meeting.rotation, meeting.place
    if on_b:
        rotation, place = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (0.0, 0.0, 0.0)
    way = 1.0 if on_b else -1.0
    closed = face_surface["closed"] != 0
    for j in range(count):
        k = pairs[j, 0] if on_b else pairs[j, 1]  # the box of the face, and of the corner
        i = pairs[j, 1] if on_b else pairs[j, 0]
        c = np.int64(corners[i, WHAT])
        f = np.int64(faces[k, WHAT])
        t = corners[i, 4]
        lo = max(faces[k, 4] - t if on_b else t + 1.0 - faces[k, 5], 0.0)
        hi = min(faces[k, 5] - t if on_b else t - faces[k, 4], 1.0)
        corner = surfaces.corners[surface["corner"] + c]
        plane = (faces[f, PLANE], faces[f, PLANE + 1], faces[f, PLANE + 2], faces[f, PLANE + 3])
        moment = 0.5 * (lo + hi), 0.5 * (hi - lo)
        if not corner_may_be_proper(surfaces.vectors, meeting, corner, plane[:3], turn, -way, moment, closed):
            continue
        x = vec.load3(surfaces.vectors, corner["point"])
        if on_b:
            x = vec.add(vec.matvec(meeting.rotation, x), meeting.place)
        face = surfaces.faces[face_surface["face"] + f]
        placed = (at[0, c], at[1, c], at[2, c])
        turns, first, second = turning_times(frame, placed, plane, lo, hi, way)
        for part in range(turns + 1):
            begin = lo - 1e-9 if part == 0 else first if part == 1 else second
            end = hi + 1e-9 if part == turns else first if part == 0 else second
            met, tau = when_in_plane(frame, placed, plane, begin, end, way)
            if not met:
                continue
            ok, triangle, tau, point, normal, v, w = corner_in_face(surfaces, twist, tau, face, x, rotation, place, way)
            if not ok:
                continue
            # The winding may be inside out; the face's normal knows.
            outward = (face["normal"][0], face["normal"][1], face["normal"][2])
            if vec.dot(normal, vec.matvec(rotation, outward)) < 0.0:
                normal = vec.scale(normal, -1.0)
            # At that time as the corner's body sees it, and as a does.
            if on_b:
                seen = seen_by(twist, meeting.rotation, normal, tau)
            else:
                normal = screw_direction(twist, normal, tau)
                seen = normal
                point = x
            proper, sign = face_normal(surfaces.vectors, corner, seen, closed)
            normal = vec.scale(normal, way * sign)
            speed = -vec.dot(normal, screw_velocity(twist, point))
            if proper < meeting.least or not speed > 0.0:
                continue
            if n >= workspace.rows.shape[0]:
                return np.int64(-2)
            row: np.void = workspace.rows[n]
            write_row(row, tau, point, normal, proper, proper, speed)
            row["kind"] = FACE_VERTEX if on_b else VERTEX_FACE
            number = corner["point"] - surface["point"]
            for m in range(3):
                its_face = surfaces.triangles[triangle, m] - face_surface["point"]
                its_corner = number if m == 0 else -1
                row["a"][m] = its_face if on_b else its_corner
                row["b"][m] = its_corner if on_b else its_face
            which = np.int64(1 if on_b else 2)
            workspace.keys[n] = corner_key(v, w, surfaces.triangles[triangle], face_surface, number, f, c, which)
            n += 1
    return n


@kernel
def corner_key(v, w, t, surface, point, face, corner, which):
    """Return a number for the event: of two corners, of a corner on an edge, or of a corner in a face.

    Two corners have one number whichever of them is said to be in a face of the other.
    """
    u = 1.0 - v - w
    k = -1
    if u >= 1.0 - BORDER:
        k = 0
    elif v >= 1.0 - BORDER:
        k = 1
    elif w >= 1.0 - BORDER:
        k = 2
    if k >= 0:
        other = np.int64(t[k] - surface["point"])
        if which == 1:
            return (np.int64(3) * SHIFT + other) * SHIFT + point
        return (np.int64(3) * SHIFT + point) * SHIFT + other
    if min(u, min(v, w)) <= BORDER:
        return (np.int64(which + 3) * SHIFT + corner) * SHIFT + (SHIFT - 1)
    return (np.int64(which) * SHIFT + corner) * SHIFT + face


@kernel
def write_row(row, tau, point, normal, proper, true_proper, speed):
    """Write what all kinds of contacts have."""
    row["time"] = tau
    row["lo"] = tau
    row["hi"] = tau
    row["proven"] = 0
    row["properness"] = proper
    row["true_properness"] = true_proper
    row["closing_speed"] = speed
    for j in range(3):
        row["point"][j] = point[j]
        row["normal"][j] = normal[j]


@kernel
def cross_edges(surfaces, meeting, bodies, edges, s, u, tau, row):
    """Write the contact of two edges of two bodies that cross at about s, u and tau; return whether there is one."""
    twist = meeting.twist
    surface_a, surface_b = bodies
    edge_a, edge_b = edges
    tail_a = surfaces.corners[edge_a["tail"]]["point"]
    head_a = surfaces.corners[edge_a["head"]]["point"]
    tail_b = surfaces.corners[edge_b["tail"]]["point"]
    head_b = surfaces.corners[edge_b["head"]]["point"]
    a0 = vec.load3(surfaces.vectors, tail_a)
    a1 = vec.load3(surfaces.vectors, head_a)
    b0 = vec.add(vec.matvec(meeting.rotation, vec.load3(surfaces.vectors, tail_b)), meeting.place)
    b1 = vec.add(vec.matvec(meeting.rotation, vec.load3(surfaces.vectors, head_b)), meeting.place)
    along_a = vec.sub(a1, a0)
    s, u, tau, point, along_b = polish_edges(twist, a0, a1, b0, b1, s, u, tau)
    if min(s, 1.0 - s) < BORDER or min(u, 1.0 - u) < BORDER or tau < -AT_ENDS or tau > 1.0 + AT_ENDS:
        return False
    tau = min(max(tau, 0.0), 1.0)
    normal = vec.cross(along_a, along_b)
    length = vec.norm(normal)
    if length == 0.0:
        return False
    normal = vec.scale(normal, 1.0 / length)
    proper, sign = edge_normal(
        surfaces.sides, edge_a, surfaces.sides, edge_b, normal, seen_by(twist, meeting.rotation, normal, tau)
    )
    normal = vec.scale(normal, sign)
    sine = sine_between(along_a, along_b)
    write_row(row, tau, point, normal, proper, proper * sine, -vec.dot(normal, screw_velocity(twist, point)))
    row["kind"] = EDGE_EDGE
    row["a"][0] = tail_a - surface_a["point"]
    row["a"][1] = head_a - surface_a["point"]
    row["a"][2] = -1
    row["b"][0] = tail_b - surface_b["point"]
    row["b"][1] = head_b - surface_b["point"]
    row["b"][2] = -1
    return True


@kernel
def best_of_each(rows, keys, scratch):
    """Keep of all rows of one event the most proper, in place; return how many are left. `scratch`: two rows."""
    n = keys.shape[0]
    if n < 2:
        return n
    if n > scratch.shape[1]:
        scratch = np.empty((2, n), dtype=np.int64)
    order = scratch[0]
    dropped = scratch[1]
    ascending(keys, order)
    for i in range(n):
        dropped[i] = False
    for i in range(n):
        a = order[i]
        k = i + 1
        while k < n and keys[order[k]] == keys[a] and not dropped[a]:
            b = order[k]
            if not dropped[b] and abs(rows[a]["time"] - rows[b]["time"]) <= SAME:
                if rows[b]["properness"] > rows[a]["properness"]:
                    dropped[a] = True
                else:
                    dropped[b] = True
            k += 1
    kept = 0
    for i in range(n):
        if not dropped[i]:
            if kept < i:
                rows[kept] = rows[i]
            kept += 1
    return kept
