"""The contact manifold: every pair of features within the margin and tolerance at the time of contact.

Each touching pair of triangles is named by where its closest points lie: on a corner, on an edge, inside the face.
A corner against anything is vertex-face (or face-vertex), an edge against an edge is edge-edge; an edge against a face
appears only where shapes overlap. Triangles that share a feature report it once.
"""

import math

import numpy as np

from tocsin import vec
from tocsin._jit import kernel
from tocsin.advancement.boxes import box_gap
from tocsin.advancement.leaves import corner, leaf_distance, placed_corner
from tocsin.advancement.relative import relative_state
from tocsin.model.world import MESH
from tocsin.motion.chain import chain_pose

VERTEX_FACE, FACE_VERTEX, EDGE_EDGE, EDGE_FACE, SURFACE = range(5)
KINDS = ("vertex-face", "face-vertex", "edge-edge", "edge-face", "surface")

TOUCH = np.dtype(
    [
        ("pair", "i4"),
        ("kind", "i4"),
        ("a", "i4", 3),  # corners of the feature, global point indices, -1 where there are fewer
        ("b", "i4", 3),
        ("geom_a", "i4"),
        ("geom_b", "i4"),
        ("point_a", "f8", 3),
        ("point_b", "f8", 3),
        ("normal", "f8", 3),
        ("distance", "f8"),
    ],
    align=True,
)

MOST = 65536
"""More touching features than this are not listed."""

ON = 1e-6
"""A closest point nearer to a corner or edge than this fraction of the triangle's size lies on it."""


@kernel
def feature(p, a, b, c):
    """Return (count, i, k): the corner (1, i), edge (2, i, k) or face (3) of triangle abc on which p lies."""
    ab = vec.sub(b, a)
    bc = vec.sub(c, b)
    ca = vec.sub(a, c)
    size = math.sqrt(max(vec.dot(ab, ab), max(vec.dot(bc, bc), vec.dot(ca, ca))))
    close = ON * size
    if vec.norm(vec.sub(p, a)) <= close:
        return 1, 0, 0
    if vec.norm(vec.sub(p, b)) <= close:
        return 1, 1, 0
    if vec.norm(vec.sub(p, c)) <= close:
        return 1, 2, 0
    if vec.norm(vec.cross(ab, vec.sub(p, a))) <= close * vec.norm(ab):
        return 2, 0, 1
    if vec.norm(vec.cross(bc, vec.sub(p, b))) <= close * vec.norm(bc):
        return 2, 1, 2
    if vec.norm(vec.cross(ca, vec.sub(p, c))) <= close * vec.norm(ca):
        return 2, 2, 0
    return 3, 0, 0


@kernel
def name_feature(out, faces, f, count, i, k):
    """Write the corners of a feature of triangle f, ascending, so that neighbours name it alike."""
    if count == 1:
        out[0] = faces[f, i]
        out[1] = -1
        out[2] = -1
    elif count == 2:
        out[0] = min(faces[f, i], faces[f, k])
        out[1] = max(faces[f, i], faces[f, k])
        out[2] = -1
    else:
        for c in range(3):
            out[c] = faces[f, c]


@kernel
def same_feature(x, y):
    """Do two records name the same pair of features?"""
    for c in range(3):
        if x["a"][c] != y["a"][c] or x["b"][c] != y["b"][c]:
            return False
    return x["kind"] == y["kind"] and x["geom_a"] == y["geom_a"] and x["geom_b"] == y["geom_b"]


@kernel
def classify(touch, world, fa, fb, x, y, pose):
    """Write the kind and the features of a touch of triangles fa and fb, b placed by `pose`, at x and y."""
    points = world.points
    faces = world.faces
    a0, a1, a2 = corner(points, faces, fa, 0), corner(points, faces, fa, 1), corner(points, faces, fa, 2)
    count_a, ia, ka = feature(x, a0, a1, a2)
    b0, _ = placed_corner(points, faces, fb, 0, pose)
    b1, _ = placed_corner(points, faces, fb, 1, pose)
    b2, _ = placed_corner(points, faces, fb, 2, pose)
    count_b, ib, kb = feature(y, b0, b1, b2)
    if count_a == 1:
        touch["kind"] = VERTEX_FACE
        count_b = 3
    elif count_b == 1:
        touch["kind"] = FACE_VERTEX
        count_a = 3
    elif count_a == 2 and count_b == 2:
        touch["kind"] = EDGE_EDGE
    else:
        touch["kind"] = EDGE_FACE
    name_feature(touch["a"], world.faces, fa, count_a, ia, ka)
    name_feature(touch["b"], world.faces, fb, count_b, ib, kb)


@kernel
def manifold(world, sweeps, joints, room, pairs, n_pairs, t):
    """Return (touches, n): every touching pair of features of all pairs at time t, points in the world's frame."""
    touches = np.zeros(16, dtype=TOUCH)
    n = 0
    stack = room.stack
    for p in range(n_pairs):
        pair = pairs[p]
        geom_a = world.geoms[pair["a"]]
        geom_b = world.geoms[pair["b"]]
        near = pair["margin"] + pair["tolerance"]
        pose, _ = relative_state(pair, sweeps, joints, world.links, t)
        frame = chain_pose(joints, world.links, pair["link_a"], -1, t)
        begin = n
        stack[0, 0] = geom_a["root"]
        stack[0, 1] = geom_b["root"]
        top = 1
        while top > 0 and n < MOST:
            top -= 1
            node_a = world.nodes[stack[top, 0]]
            node_b = world.nodes[stack[top, 1]]
            gap, _, _, _, _ = box_gap(node_a, node_b, pose)
            if gap > near:
                continue
            leaf_a = node_a["count"] > 0
            leaf_b = node_b["count"] > 0
            if not (leaf_a and leaf_b):
                open_a = leaf_b or (not leaf_a and node_a["radius"] >= node_b["radius"])
                stack[top + 1, 0] = stack[top, 0]
                stack[top + 1, 1] = stack[top, 1]
                if open_a:
                    stack[top, 0] = node_a["first"]
                    stack[top + 1, 0] = node_a["first"] + 1
                else:
                    stack[top, 1] = node_b["first"]
                    stack[top + 1, 1] = node_b["first"] + 1
                top += 2
                continue
            d, _, x, y = leaf_distance(world, geom_a, geom_b, node_a, node_b, pose, room)
            if not d <= near:
                continue
            if n == touches.shape[0]:
                bigger = np.zeros(2 * n, dtype=TOUCH)
                for k in range(n):
                    bigger[k] = touches[k]
                touches = bigger
            touch = touches[n]
            if geom_a["kind"] == MESH and geom_b["kind"] == MESH:
                classify(touch, world, node_a["first"], node_b["first"], x, y, pose)
            else:
                touch["kind"] = SURFACE
                for c in range(3):
                    touch["a"][c] = world.faces[node_a["first"], c] if geom_a["kind"] == MESH else -1
                    touch["b"][c] = world.faces[node_b["first"], c] if geom_b["kind"] == MESH else -1
            touch["pair"] = p
            touch["geom_a"] = pair["a"]
            touch["geom_b"] = pair["b"]
            known = False
            for k in range(begin, n):
                if same_feature(touches[k], touch):
                    known = True
                    break
            if known:
                continue
            v = vec.matvec(frame[0], vec.sub(y, x))
            length = vec.norm(v)
            x = vec.add(frame[1], vec.matvec(frame[0], x))
            y = vec.add(frame[1], vec.matvec(frame[0], y))
            for c in range(3):
                touch["point_a"][c] = x[c]
                touch["point_b"][c] = y[c]
                touch["normal"][c] = v[c] / length if d > 0.0 and length > 0.0 else 0.0
            touch["distance"] = d
            n += 1
    return touches, n
