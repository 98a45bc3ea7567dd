"""From the touches of the exact search to the records of contacts: place, normal, properness, in the world.

The same words as the screen's (`resolve`), for contacts of either sign of the closing speed: those at which two
surfaces come out of each other are contacts too.
"""

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import borrowed, kernel
from tocsin.contacts.properness import edge_normal, face_normal, sine_between
from tocsin.contacts.timed import EDGE_EDGE, FACE_VERTEX, TIMED, ascending
from tocsin.geometry.triangles import segments
from tocsin.motion.screw import screw_velocity
from tocsin.screen.collision_screen import SCREWS, STANDS, bulge_of, finish
from tocsin.screen.exact import relative_motion, seen_pair, three
from tocsin.screen.exact_roots import pose_at
from tocsin.screen.resolve import write_row

NOWHERE = (0.0, 0.0, 0.0)


@kernel
def unit(x):
    """Return x at length 1, or zero."""
    length = vec.norm(x)
    return vec.scale(x, 1.0 / length) if length > 0.0 else NOWHERE


@kernel
def wound(c, outward):
    """Return the unit normal of a triangle on the side of `outward`, its flat face's."""
    n = unit(vec.cross(vec.sub(c[1], c[0]), vec.sub(c[2], c[0])))
    return n if vec.dot(n, (outward[0], outward[1], outward[2])) >= 0.0 else vec.scale(n, -1.0)


@kernel
def corner_row(row, surfaces, tables, touch, surface_a, surface_b, twist, pose):
    """Write a corner against a face, in a's frame."""
    rotation, place = pose
    a = three(tables.points, tables.faces, touch["face_a"])
    b = three(tables.points, tables.faces, touch["face_b"])
    if touch["kind"] == FACE_VERTEX:
        corner = surfaces.corners[touch["feature_b"]]
        normal = wound(a, surfaces.faces[touch["feature_a"]]["normal"])
        point = vec.add(vec.matvec(rotation, b[touch["side_b"]]), place)
        proper, sign = face_normal(
            surfaces.vectors, corner, vec.tmatvec(rotation, normal), surface_a["closed"] != 0
        )  # fmt: skip
        normal = vec.scale(normal, sign)
    else:
        corner = surfaces.corners[touch["feature_a"]]
        # From b towards a, so the normal from a to b is its opposite.
        normal = vec.matvec(rotation, wound(b, surfaces.faces[touch["feature_b"]]["normal"]))
        point = a[touch["side_a"]]
        proper, sign = face_normal(surfaces.vectors, corner, normal, surface_b["closed"] != 0)
        normal = vec.scale(normal, -sign)
    speed = -vec.dot(normal, screw_velocity(twist, point))
    write_row(row, touch["time"], point, normal, proper, proper, speed)


@kernel
def edge_row(row, surfaces, tables, touch, twist, pose):
    """Write two edges, in a's frame; of parallel ones the normal and the properness are zero."""
    rotation, place = pose
    a = three(tables.points, tables.faces, touch["face_a"])
    b = three(tables.points, tables.faces, touch["face_b"])
    a0 = a[touch["side_a"]]
    da = vec.sub(a[(touch["side_a"] + 1) % 3], a0)
    b0 = vec.add(vec.matvec(rotation, b[touch["side_b"]]), place)
    db = vec.matvec(rotation, vec.sub(b[(touch["side_b"] + 1) % 3], b[touch["side_b"]]))
    x, y = segments(a0, da, b0, db)
    point = vec.scale(vec.add(x, y), 0.5)
    normal = unit(vec.cross(da, db))
    proper, sign = edge_normal(
        surfaces.sides, surfaces.edges[touch["feature_a"]], surfaces.sides, surfaces.edges[touch["feature_b"]],
        normal, vec.tmatvec(rotation, normal),
    )  # fmt: skip
    normal = vec.scale(normal, sign)
    speed = -vec.dot(normal, screw_velocity(twist, point))
    write_row(row, touch["time"], point, normal, proper, proper * sine_between(da, db), speed)


@kernel
def name_side(names, tables, face, first, count, side):
    """Write the vertex numbers of a corner, an edge or a whole triangle."""
    for j in range(3):
        names[j] = tables.faces[face, (side + j) % 3] - first if j < count else -1


@kernel
def rows_of_touches(surfaces, tables, touches, pairs, links, poses, how):
    """Return one record a touch, in the world and by time."""
    surfaces = borrowed(surfaces)
    tables = borrowed(tables)
    touches = borrowed(touches)
    poses = borrowed(poses)
    n = touches.shape[0]
    times = np.zeros(n)
    for i in range(n):
        times[i] = touches[i]["time"]
    order = np.empty(n, dtype=np.int64)
    ascending(times, order)
    rows = np.zeros(n, dtype=TIMED)
    pair = -1
    twist, base = relative_motion(poses, 0, 0)
    a = 0
    b = 0
    for i in range(n):
        touch = touches[order[i]]
        row = rows[i]
        if touch["pair"] != pair:
            pair = touch["pair"]
            a, b = seen_pair(pairs, pair, links, how)
            twist, base = relative_motion(poses, links[a], links[b])
        pose = pose_at(twist, base, touch["time"])
        first_a = tables.shapes[a]["point"]
        first_b = tables.shapes[b]["point"]
        if touch["kind"] == EDGE_EDGE:
            edge_row(row, surfaces, tables, touch, twist, pose)
            name_side(row["a"], tables, touch["face_a"], first_a, 2, touch["side_a"])
            name_side(row["b"], tables, touch["face_b"], first_b, 2, touch["side_b"])
        else:
            corner_row(row, surfaces, tables, touch, surfaces.table[a], surfaces.table[b], twist, pose)
            on_a = 3 if touch["kind"] == FACE_VERTEX else 1
            name_side(row["a"], tables, touch["face_a"], first_a, on_a, touch["side_a"])
            name_side(row["b"], tables, touch["face_b"], first_b, 4 - on_a, touch["side_b"])
        row["kind"] = touch["kind"]
        row["lo"] = touch["lo"]
        row["hi"] = touch["hi"]
        row["proven"] = touch["proven"]
        row["geom_a"] = pairs[pair, 0]
        row["geom_b"] = pairs[pair, 1]
        finish(row, poses[links[a], 0], poses[links[a], 1], how[links[a]], a != pairs[pair, 0])
        row["screw_error"] = 0.0 if how[links[a]] == STANDS and how[links[b]] == SCREWS else bulge_of(twist)
    return rows
