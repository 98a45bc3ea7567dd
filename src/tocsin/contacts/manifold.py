"""The contact manifold: every pair of features within the margin and tolerance at the time of contact.

Listed are the corners that are near a face or edge of the other side (vertex-face, face-vertex) and the edges that are
near each other (edge-edge). Where two triangles have neither, their closest points are named by where they lie: a
corner on a corner, or, only where shapes overlap, an edge through a face. Shared features are reported once.
"""

import math

import numpy as np

from tocsin import vec
from tocsin.advancement.box_step import box_gap, quad_gaps
from tocsin.advancement.leaves import leaf_distance, placed_triangle, triangle
from tocsin.advancement.relative import relative_state
from tocsin.compiler.jit import borrowed, inlined, kernel
from tocsin.geometry.descent import quad_to_open
from tocsin.geometry.triangles import closest_on_triangle, pierce, segments, triangle_pair
from tocsin.model.tables import MESH
from tocsin.motion.chain import chain_pose
from tocsin.simd.lanes import WIDTH, lane

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

MOST_TESTS = 1 << 22
"""Pairs of boxes that are opened for one list, each into four: seconds. Twenty thousand triangles in one place, which
are a legal soup, have a hundred times as many within the tolerance of each other."""

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
def place_of(slots, touches, touch):
    """Return where in a hash table of touches this one is, or would be: a slot that holds -1."""
    mask = slots.shape[0] - 1
    key = np.int64(touch["kind"])
    for c in range(3):
        key = ((key * 73 + touch["a"][c]) * 73 + touch["b"][c]) & 0xFFFFFFFFFF
    place = (key ^ (key >> 17)) & mask
    while slots[place] >= 0 and not same_feature(touches[slots[place]], touch):
        place = (place + 1) & mask
    return place


@kernel
def with_room(touches, n):
    """Return (touches, slots) with room for twice as many, all entered; no slot table is full."""
    bigger = np.zeros(2 * touches.shape[0], dtype=TOUCH)
    more = np.full(4 * touches.shape[0], -1, dtype=np.int32)
    for k in range(n):
        bigger[k] = touches[k]
        more[place_of(more, bigger, bigger[k])] = k
    return bigger, more


@kernel
def add_touch(listed, n, place, kind, on_a, on_b, witness):
    """Append a touch of two features, (triangle or -1, count, i, k), unless it is listed; return the new count.

    `listed`: the touches, and the hash table of them; `place`: the scene's faces, the pair, its number, and where a's
    frame is in the world. `witness`: points x and y in a's frame, their distance, and the line on which the normal
    lies, where the features say it (or zero): of points that are a few roundings apart the difference says nothing.
    """
    touches, slots = listed
    faces, pair, p, frame = place
    x, y, d, across = witness
    touch = touches[n]
    touch["pair"] = p
    touch["kind"] = kind
    touch["geom_a"] = pair["a"]
    touch["geom_b"] = pair["b"]
    if on_a[0] >= 0:
        name_feature(touch["a"], faces, on_a[0], on_a[1], on_a[2], on_a[3])
    else:
        touch["a"][:] = -1
    if on_b[0] >= 0:
        name_feature(touch["b"], faces, on_b[0], on_b[1], on_b[2], on_b[3])
    else:
        touch["b"][:] = -1
    slot = place_of(slots, touches, touch)
    if slots[slot] >= 0:
        return n
    slots[slot] = n
    v = vec.sub(y, x)
    if vec.dot(across, across) > 0.0:
        v = across if vec.dot(v, across) >= 0.0 else vec.scale(across, -1.0)
    v = vec.matvec(frame[0], v)
    length = vec.norm(v)
    x = vec.add(frame[1], vec.matvec(frame[0], x))
    y = vec.add(frame[1], vec.matvec(frame[0], y))
    for c in range(3):
        touch["point_a"][c] = x[c]
        touch["point_b"][c] = y[c]
        touch["normal"][c] = v[c] / length if d > 0.0 and length > 0.0 else 0.0
    touch["distance"] = d
    return n + 1


@kernel
def pick(k, a, b, c):
    """Return the k-th of three, cyclically."""
    k = k % 3
    return a if k == 0 else (b if k == 1 else c)


NOWHERE = (0.0, 0.0, 0.0)


@kernel
def common_normal(u, v):
    """Return a vector across u and v, or zero where they are parallel up to rounding."""
    w = vec.cross(u, v)
    if vec.dot(w, w) <= 1e-16 * vec.dot(u, u) * vec.dot(v, v):
        return NOWHERE
    return w


@kernel
def heights_of(normal, q, a, b, c):
    """Return the heights (lo, hi) of three points over q along a normal, of any length."""
    x = vec.dot(normal, vec.sub(a, q))
    y = vec.dot(normal, vec.sub(b, q))
    z = vec.dot(normal, vec.sub(c, q))
    return min(x, min(y, z)), max(x, max(y, z))


@kernel
def slab_around(normal, q, a, b, c, beyond):
    """Return the heights between which a point within `beyond` of the triangle abc is; all of them for no normal."""
    if vec.dot(normal, normal) == 0.0:
        return -math.inf, math.inf
    lo, hi = heights_of(normal, q, a, b, c)
    more = beyond * vec.norm(normal)
    return lo - more, hi + more


@kernel
def edges_apart(across, gap, edge_a, edge_b, beyond):
    """Are two edges, `gap` from the begin of one to that of the other, farther apart than `beyond` along `across`?"""
    of_a = vec.dot(across, edge_a)
    begin = vec.dot(across, gap)
    end = begin + vec.dot(across, edge_b)
    apart = max(min(begin, end) - max(of_a, 0.0), min(of_a, 0.0) - max(begin, end))
    return apart > beyond * vec.norm(across)


@kernel
def triangle_touches(listed, n, place, pair_of_faces, corners, near):
    """Append the touches of two triangles that are within `near` of each other, if they are; return the new count.

    Every corner near the other's face or edge, and every two edges that are near each other within both. Where there is
    none (corner on corner, or a crossing) the closest points are named by where they lie.

    Most corners of triangles that touch are far from the other's plane, and most edges from one another. Claim: what is
    passed over for that is farther apart than `near`, as computed. Proof: along any direction the gap between two
    convex sets is at most their distance, whatever the normal is rounded to; heights and distances are off by less than
    the pair's noise each, and two noises more than `near` are asked for.
    """
    fa, fb = pair_of_faces
    a0, a1, a2, b0, b1, b2 = corners
    beyond = near + 2.0 * place[1]["noise"]
    normal_a = common_normal(vec.sub(a1, a0), vec.sub(a2, a0))
    normal_b = common_normal(vec.sub(b1, b0), vec.sub(b2, b0))
    low_a, high_a = slab_around(normal_a, a0, a0, a1, a2, beyond)
    low_b, high_b = slab_around(normal_b, b0, b0, b1, b2, beyond)
    lowest, highest = heights_of(normal_a, a0, b0, b1, b2)
    if lowest > high_a or highest < low_a:
        return n
    lowest, highest = heights_of(normal_b, b0, a0, a1, a2)
    if lowest > high_b or highest < low_b:
        return n
    face_a = (fa, 3, 0, 0)
    face_b = (fb, 3, 0, 0)
    before = n
    alone = True
    crossing = True
    for k in range(3):
        corner_a = pick(k, a0, a1, a2)
        height = vec.dot(normal_b, vec.sub(corner_a, b0))
        if not (height < low_b or height > high_b):
            q = closest_on_triangle(corner_a, b0, b1, b2)
            gap = vec.norm(vec.sub(q, corner_a))
            crossing = crossing and gap > near
            on = feature(q, b0, b1, b2)[0] if gap <= near else 0
            if on > 1:
                witness = corner_a, q, gap, normal_b if on == 3 else NOWHERE
                n = add_touch(listed, n, place, VERTEX_FACE, (fa, 1, k, 0), face_b, witness)
                alone = False
        corner_b = pick(k, b0, b1, b2)
        height = vec.dot(normal_a, vec.sub(corner_b, a0))
        if not (height < low_a or height > high_a):
            q = closest_on_triangle(corner_b, a0, a1, a2)
            gap = vec.norm(vec.sub(corner_b, q))
            crossing = crossing and gap > near
            on = feature(q, a0, a1, a2)[0] if gap <= near else 0
            if on > 1:
                witness = q, corner_b, gap, normal_a if on == 3 else NOWHERE
                n = add_touch(listed, n, place, FACE_VERTEX, face_a, (fb, 1, k, 0), witness)
                alone = False
        for m in range(3):
            pb = pick(m, b0, b1, b2)
            edge_a = vec.sub(pick(k + 1, a0, a1, a2), corner_a)
            edge_b = vec.sub(pick(m + 1, b0, b1, b2), pb)
            across = vec.cross(edge_a, edge_b)
            if edges_apart(across, vec.sub(pb, corner_a), edge_a, edge_b, beyond):
                continue
            u, v = segments(corner_a, edge_a, pb, edge_b)
            gap = vec.norm(vec.sub(v, u))
            crossing = crossing and gap > near
            if gap <= near and feature(u, a0, a1, a2)[0] == 2 and feature(v, b0, b1, b2)[0] == 2:
                witness = u, v, gap, common_normal(edge_a, edge_b)
                n = add_touch(listed, n, place, EDGE_EDGE, (fa, 2, k, (k + 1) % 3), (fb, 2, m, (m + 1) % 3), witness)
                alone = False
    if not alone:
        return n
    closest = crossing_of(corners) if crossing else triangle_pair(a0, a1, a2, b0, b1, b2)
    return touch_alone(listed, before, place, pair_of_faces, corners, near, closest)


@kernel
def crossing_of(corners):
    """Return (d, x, y): where an edge of one of two triangles goes through the other; d is inf where none does.

    Claim: where no corner is within `near` of the other triangle, and no two edges are, the triangles are within `near`
    of each other only if this finds it, and then it is what `triangle_pair` finds. Proof: triangles that do not cross
    are as far apart as a corner and a face, or two edges; where they cross an edge goes through a face.
    `triangle_pair` takes the least of the same crossings in the same order, of corners and of edges, and the latter two
    are greater. It measures all of them first, which takes several times as long; of triangles through each other most
    pairs are such.
    """
    a0, a1, a2, b0, b1, b2 = corners
    least, x, y = math.inf, a0, b0
    for k in range(3):
        least, x, y = pierce(pick(k, a0, a1, a2), pick(k + 1, a0, a1, a2), b0, b1, b2, least, x, y)
    for k in range(3):
        least, y, x = pierce(pick(k, b0, b1, b2), pick(k + 1, b0, b1, b2), a0, a1, a2, least, y, x)
    return math.sqrt(least), x, y


@kernel
def touch_alone(listed, n, place, pair_of_faces, corners, near, closest):
    """Append the closest points of two triangles, named by where they lie, if they touch; return the new count."""
    fa, fb = pair_of_faces
    a0, a1, a2, b0, b1, b2 = corners
    d, x, y = closest
    if not d <= near:
        return n
    count_a, i_a, k_a = feature(x, a0, a1, a2)
    count_b, i_b, k_b = feature(y, b0, b1, b2)
    on_a = (fa, count_a, i_a, k_a)
    on_b = (fb, count_b, i_b, k_b)
    kind = EDGE_FACE
    if count_a == 1:
        kind = VERTEX_FACE
        on_b = (fb, 3, 0, 0)
    elif count_b == 1:
        kind = FACE_VERTEX
        on_a = (fa, 3, 0, 0)
    elif count_a == 2 and count_b == 2:
        kind = EDGE_EDGE
    return add_touch(listed, n, place, kind, on_a, on_b, (x, y, d, NOWHERE))


@kernel
def corners_of(world, fa, fb, pose):
    """Return the corners of a triangle of a and of one of b, all in a's frame."""
    points, faces = world.points, world.faces
    a0, a1, a2 = triangle(points, faces, fa)
    (b0, b1, b2), _ = placed_triangle(points, faces, fb, pose)
    return a0, a1, a2, b0, b1, b2


@inlined
def open_near(world, stack, top, pose, near):
    """Put in the place of row `top` of a stack, and behind it, what the larger of its two nodes is opened into: those
    of up to four nodes below it that are within `near` of the other one. Return the stack's height."""
    a, b = stack[top, 0], stack[top, 1]
    node_a, node_b = world.nodes[a], world.nodes[b]
    open_a, q = quad_to_open(node_a, node_b)
    gaps = quad_gaps(world.quads, q, node_b if open_a else node_a, pose, open_a)
    for k in range(WIDTH):
        kid = world.kids[q, k]
        if kid >= 0 and not lane(gaps, k) > near:
            stack[top, 0] = kid >> 1 if open_a else a
            stack[top, 1] = b if open_a else kid >> 1
            top += 1
    return top


@kernel
def manifold(world, sweeps, joints, workspace, pairs, n_pairs, t, max_tests):
    """Return (touches, n, whole): every touching pair of features of all pairs at time t, points in the world's frame.

    Not the whole list: there are more than MOST, or more pairs of boxes than `max_tests` or MOST_TESTS to open.
    """
    world, sweeps, joints, pairs = borrowed(world), borrowed(sweeps), borrowed(joints), borrowed(pairs)
    touches = np.zeros(128, dtype=TOUCH)
    slots = np.full(256, -1, dtype=np.int32)
    left = min(max_tests, MOST_TESTS)
    n = 0
    stack = borrowed(workspace.stack)
    for p in range(n_pairs):
        pair = pairs[p]
        geom_a, geom_b = world.geoms[pair["a"]], world.geoms[pair["b"]]
        meshes = geom_a["kind"] == MESH and geom_b["kind"] == MESH
        near = pair["margin"] + pair["tolerance"]
        pose, _ = relative_state(pair, sweeps, joints, world.links, t)
        gap, _ = box_gap(world.nodes[geom_a["root"]], world.nodes[geom_b["root"]], pose)
        if gap > near:
            continue
        place = world.faces, pair, p, chain_pose(joints, world.links, pair["link_a"], -1, t)
        stack[0, 0], stack[0, 1] = geom_a["root"], geom_b["root"]
        top = 1
        while top > 0:
            top -= 1
            left -= 1
            if left < 0 or n >= MOST:
                return touches, n, False
            node_a, node_b = world.nodes[stack[top, 0]], world.nodes[stack[top, 1]]
            if not (node_a["count"] > 0 and node_b["count"] > 0):
                top = open_near(world, stack, top, pose, near)
                continue
            if n + 16 > touches.shape[0]:  # the touches of two triangles
                touches, slots = with_room(touches, n)
            listed = borrowed(touches), borrowed(slots)
            fa = node_a["first"] if geom_a["kind"] == MESH else -1
            fb = node_b["first"] if geom_b["kind"] == MESH else -1
            if meshes:
                n = triangle_touches(listed, n, place, (fa, fb), corners_of(world, fa, fb, pose), near)
                continue
            d, _, x, y = leaf_distance(world, geom_a, geom_b, node_a, node_b, pose, workspace)
            if d <= near:
                witness = x, y, d, NOWHERE
                n = add_touch(listed, n, place, SURFACE, (fa, 3, 0, 0), (fb, 3, 0, 0), witness)
    return touches, n, True
