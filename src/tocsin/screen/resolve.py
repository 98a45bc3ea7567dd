"""From candidates to contacts: polished, sorted out, rated (the last steps of section 9, and section 5).

A contact is a corner in a face or two edges that cross inside both. A corner on the border of a face (EV, VE or VV: up
to rounding it hits an edge or a corner) is in several faces at once: of these the one with the best properness is kept;
of two corners, whichever is better against the faces of the other. Edges that cross at an end of one of them are such a
case too and left to it, as are parallel edges.
"""

import math
from typing import Any

import numpy as np

from tocsin import vec
from tocsin._jit import borrowed, kernel
from tocsin.contacts.properness import edge_normal, edge_side, face_normal, sine_between
from tocsin.contacts.timed import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE, ascending, with_room
from tocsin.motion.joints import axis_angle
from tocsin.motion.screw import screw_direction, screw_point, screw_velocity
from tocsin.screen.polish import polish_corner, polish_edges, weights, when_in_plane, where_edges_cross
from tocsin.screen.scan import CORNER_OF_B, EDGES

BORDER = 1e-9
"""Closer to the border of a face than this part of it is on the border; and further outside is outside."""

LOOSE = 1e-3
"""A rough contact this far outside, in parts of an edge or triangle, may turn out to be inside."""

ABOUT = 0.02
"""What is less proper than wanted by this much, at roughly the right time, is not looked at further."""

MOMENTS = 9
"""Times at which turns are prepared for the first look."""

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
def turns_of(twist, rotation):
    """Return (MOMENTS, 9): how b is turned as a sees it, at times in between: what a first look needs."""
    out = np.empty((MOMENTS, 9))
    axis = vec.scale(twist.omega, 1.0 / twist.angle) if twist.angle > 0.0 else (0.0, 0.0, 1.0)
    for m in range(MOMENTS):
        turn = vec.matmul(axis_angle(axis, twist.angle * m / (MOMENTS - 1.0)), rotation)
        for j in range(3):
            out[m, 3 * j] = turn[j][0]
            out[m, 3 * j + 1] = turn[j][1]
            out[m, 3 * j + 2] = turn[j][2]
    return out


@kernel
def turn_at(turns, tau):
    """Return the nearest of the turns to a time."""
    row = turns[int(min(max(tau, 0.0), 1.0) * (MOMENTS - 1.0) + 0.5)]
    return (row[0], row[1], row[2]), (row[3], row[4], row[5]), (row[6], row[7], row[8])


@kernel
def edges_worth(vectors, corners, edges, sides, pieces_a, pieces_b, candidate, turns, angle, least):
    """Can two edges that cross on the screen be a contact that is proper enough?

    Most are not, and that is quick to see: their normal is known as well as the time is. A turn that is off by an angle
    d turns their normal by at most d / sine, the sine of the angle between them, to first order; twice that is allowed
    for.
    """
    edge_a = edges[pieces_a[candidate["a"]]["edge"]]
    edge_b = edges[pieces_b[candidate["b"]]["edge"]]
    if edge_a["flat"] != 0 or edge_b["flat"] != 0:
        return False
    turn = turn_at(turns, candidate["tau"])
    doubt = angle * (0.5 * min(candidate["hi"] - candidate["lo"], 1.0) + 0.5 / (MOMENTS - 1.0))
    along_a = vec.sub(
        vec.load3(vectors, corners[edge_a["head"]]["point"]), vec.load3(vectors, corners[edge_a["tail"]]["point"])
    )
    along_b = vec.sub(
        vec.load3(vectors, corners[edge_b["head"]]["point"]), vec.load3(vectors, corners[edge_b["tail"]]["point"])
    )
    normal = vec.cross(along_a, vec.matvec(turn, along_b))
    length = vec.norm(normal)
    sine = length / math.sqrt(vec.dot(along_a, along_a) * vec.dot(along_b, along_b))
    if not sine > 2.0 * doubt:
        return True
    normal = vec.scale(normal, 1.0 / length)
    wanted = least - ABOUT - 2.0 * doubt / sine
    below = edge_side(sides, edge_a["side"], edge_a["sides"], normal)
    above = edge_side(sides, edge_a["side"], edge_a["sides"], (-normal[0], -normal[1], -normal[2]))
    if max(below, above) < wanted:
        return False
    on_b = vec.tmatvec(turn, normal)
    above = min(above, edge_side(sides, edge_b["side"], edge_b["sides"], on_b))
    below = min(below, edge_side(sides, edge_b["side"], edge_b["sides"], (-on_b[0], -on_b[1], -on_b[2])))
    return max(below, above) >= wanted


@kernel
def corner_worth(vectors, candidate, corner, face, turns, angle, on_b, closed, least):
    """Can a corner, of b if `on_b`, in a face of the other be a contact that is proper enough?"""
    lo = max(candidate["lo"], 0.0)
    hi = min(candidate["hi"], 1.0)
    turn = turn_at(turns, 0.5 * (lo + hi))
    doubt = angle * (0.5 * (hi - lo) + 0.5 / (MOMENTS - 1.0))
    n = face["normal"]
    normal = (n[0], n[1], n[2])
    normal = vec.tmatvec(turn, normal) if on_b else vec.matvec(turn, normal)
    proper, _ = face_normal(vectors, corner, normal, closed)
    return proper >= least - ABOUT - doubt


@kernel
def meet_plane(frame, corner, plane, candidate, way):
    """Return (found, rough time): when a corner meets the plane of a face, both in the frame of the axis."""
    lo = max(candidate["lo"], 0.0) - 1e-9
    hi = min(candidate["hi"], 1.0) + 1e-9
    return when_in_plane(frame, (corner[0], corner[1], corner[2]), plane, lo, hi, way)


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


@kernel
def resolve(
    surfaces, frame, twist, rotation, place, drawing_a, drawing_b, surface_a, surface_b, candidates, least, out, n
):
    """Append the contacts of one pair to `out`, in a's frame at t = 0; return (out, n).

    (rotation, place): b in a's frame at t = 0. `least`: contacts that are less proper are left out.
    """
    first = n
    identity = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    zero = (0.0, 0.0, 0.0)
    keys = np.empty(candidates.count, dtype=np.int64)
    own_turns = turns_of(twist, rotation)
    turns = borrowed(own_turns)
    for i in range(candidates.count):
        candidate = candidates.rows[i]
        if candidate["hi"] < 0.0 or candidate["lo"] > 1.0:
            continue
        out = with_room(out, n, n + 1)
        row: Any = out[n]
        key = np.int64(0)
        if candidate["kind"] == EDGES:
            if not edges_worth(
                surfaces.vectors, surfaces.corners, surfaces.edges, surfaces.sides, drawing_a.pieces, drawing_b.pieces,
                candidate, turns, twist.angle, least,
            ):  # fmt: skip
                continue
            ok, key = cross_edges(
                surfaces, frame, twist, rotation, place, drawing_a, drawing_b, surface_a, surface_b, candidate, row
            )
        elif candidate["kind"] == CORNER_OF_B:
            c = candidate["b"]
            f = candidate["a"]
            corner = surfaces.corners[surface_b["corner"] + c]
            face = surfaces.faces[surface_a["face"] + f]
            if not corner_worth(
                surfaces.vectors, candidate, corner, face, turns, twist.angle, True, surface_a["closed"] != 0, least
            ):
                continue
            found, rough = meet_plane(frame, drawing_b.corners[c], drawing_a.faces[f], candidate, 1.0)
            if not found:
                continue
            x = vec.add(vec.matvec(rotation, vec.load3(surfaces.vectors, corner["point"])), place)
            ok, k, tau, point, normal, v, w = corner_in_face(surfaces, twist, rough, face, x, identity, zero, 1.0)
            if ok:
                # The winding may be inside out; the face's normal knows.
                if vec.dot(normal, (face["normal"][0], face["normal"][1], face["normal"][2])) < 0.0:
                    normal = vec.scale(normal, -1.0)
                proper, sign = face_normal(
                    surfaces.vectors, corner, seen_by(twist, rotation, normal, tau), surface_a["closed"] != 0
                )
                normal = vec.scale(normal, sign)
                t = surfaces.triangles[k]
                write_row(row, tau, point, normal, proper, proper, -vec.dot(normal, screw_velocity(twist, point)))
                row["kind"] = FACE_VERTEX
                for j in range(3):
                    row["a"][j] = t[j] - surface_a["point"]
                    row["b"][j] = -1
                row["b"][0] = corner["point"] - surface_b["point"]
                key = corner_key(v, w, t, surface_a, corner["point"] - surface_b["point"], f, c, 1)
        else:
            c = candidate["a"]
            f = candidate["b"]
            corner = surfaces.corners[surface_a["corner"] + c]
            face = surfaces.faces[surface_b["face"] + f]
            if not corner_worth(
                surfaces.vectors, candidate, corner, face, turns, twist.angle, False, surface_b["closed"] != 0, least
            ):
                continue
            found, rough = meet_plane(frame, drawing_a.corners[c], drawing_b.faces[f], candidate, -1.0)
            if not found:
                continue
            x = vec.load3(surfaces.vectors, corner["point"])
            ok, k, tau, point, normal, v, w = corner_in_face(surfaces, twist, rough, face, x, rotation, place, -1.0)
            if ok:
                outward = vec.matvec(rotation, (face["normal"][0], face["normal"][1], face["normal"][2]))
                if vec.dot(normal, outward) < 0.0:
                    normal = vec.scale(normal, -1.0)
                # As a sees it at that time; from b towards a, so the normal from a to b is its opposite.
                normal = screw_direction(twist, normal, tau)
                proper, sign = face_normal(surfaces.vectors, corner, normal, surface_b["closed"] != 0)
                normal = vec.scale(normal, -sign)
                t = surfaces.triangles[k]
                write_row(row, tau, x, normal, proper, proper, -vec.dot(normal, screw_velocity(twist, x)))
                row["kind"] = VERTEX_FACE
                for j in range(3):
                    row["a"][j] = -1
                    row["b"][j] = t[j] - surface_b["point"]
                row["a"][0] = corner["point"] - surface_a["point"]
                key = corner_key(v, w, t, surface_b, corner["point"] - surface_a["point"], f, c, 2)
        if ok and row["properness"] >= least and row["closing_speed"] > 0.0:
            keys[n - first] = key
            n += 1
    n = first + best_of_each(out[first:n], keys[: n - first])
    if own_turns.shape[0] == 0:  # a last use, so that it lives until here
        n = first
    return out, n


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
def cross_edges(surfaces, frame, twist, rotation, place, drawing_a, drawing_b, surface_a, surface_b, candidate, row):
    """Write the contact of two pieces of edges; return (found, key of the event)."""
    piece_a = drawing_a.pieces[candidate["a"]]
    piece_b = drawing_b.pieces[candidate["b"]]
    edge_a = surfaces.edges[piece_a["edge"]]
    edge_b = surfaces.edges[piece_b["edge"]]
    none = np.int64(0)
    at = drawing_a.corners
    i = edge_a["tail"] - surface_a["corner"]
    k = edge_a["head"] - surface_a["corner"]
    p = (at[i, 0], at[i, 1], at[i, 2])
    dp = (at[k, 0] - p[0], at[k, 1] - p[1], at[k, 2] - p[2])
    at = drawing_b.corners
    i = edge_b["tail"] - surface_b["corner"]
    k = edge_b["head"] - surface_b["corner"]
    q = (at[i, 0], at[i, 1], at[i, 2])
    dq = (at[k, 0] - q[0], at[k, 1] - q[1], at[k, 2] - q[2])
    tau = min(max(candidate["tau"], 0.0), 1.0)
    tail_a = surfaces.corners[edge_a["tail"]]["point"]
    head_a = surfaces.corners[edge_a["head"]]["point"]
    tail_b = surfaces.corners[edge_b["tail"]]["point"]
    head_b = surfaces.corners[edge_b["head"]]["point"]
    a0 = vec.load3(surfaces.vectors, tail_a)
    a1 = vec.load3(surfaces.vectors, head_a)
    b0 = vec.add(vec.matvec(rotation, vec.load3(surfaces.vectors, tail_b)), place)
    b1 = vec.add(vec.matvec(rotation, vec.load3(surfaces.vectors, head_b)), place)
    along_a = vec.sub(a1, a0)
    found, s, u, tau = where_edges_cross(frame, p, dp, q, dq, candidate["s_a"], candidate["s_b"], tau)
    if not found or tau < -LOOSE or tau > 1.0 + LOOSE:
        return False, none
    if min(s - piece_a["lo"], piece_a["hi"] - s) < -LOOSE or min(u - piece_b["lo"], piece_b["hi"] - u) < -LOOSE:
        return False, none
    s, u, tau, point, along_b = polish_edges(twist, a0, a1, b0, b1, s, u, tau)
    if min(s, 1.0 - s) < BORDER or min(u, 1.0 - u) < BORDER or tau < -AT_ENDS or tau > 1.0 + AT_ENDS:
        return False, none
    tau = min(max(tau, 0.0), 1.0)
    normal = vec.cross(along_a, along_b)
    length = vec.norm(normal)
    if length == 0.0:
        return False, none
    normal = vec.scale(normal, 1.0 / length)
    proper, sign = edge_normal(
        surfaces.sides, edge_a, surfaces.sides, edge_b, normal, seen_by(twist, rotation, normal, tau)
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
    return True, np.int64(piece_a["edge"] - surface_a["edge"]) * SHIFT + np.int64(piece_b["edge"] - surface_b["edge"])


@kernel
def best_of_each(rows, keys):
    """Keep of all rows of one event the most proper, in place; return how many are left."""
    n = keys.shape[0]
    if n < 2:
        return n
    order = ascending(keys)
    dropped = np.zeros(n, dtype=np.bool_)
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
