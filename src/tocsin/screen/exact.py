"""All contacts of two shapes on a relative screw motion without a raster: from the hierarchies, by proof.

Pairs of nodes of the two hierarchies, over an interval of time, are dropped where a direction separates their boxes
during the whole interval; opened into their children, or their interval cut in half, where not; and where both are
triangles, the pairs of features for which they answer (`exact_tables`) are given to `exact_roots`, which isolates
every time of contact. Nothing that is not proven apart is dropped, so nothing that touches is left out.

A direction separates for all of [t - h, t + h] if (gap at t) > (closing speed) h + A h^2 / 2: the place of a point of b
along n is n . p(t + s) = n . p + s n . p' + r with |r| <= A s^2 / 2 and A = theta |p'|, since p'' = omega x p' on a
screw; n . p' is linear in p, so its extremes over a box are those of a support function. Directions: the axes of both
boxes, the line between their centres, and that line without its part along the motion. The last is the collision
screen in small: what passes beside is dropped for the whole motion, however long. So time is cut only where the
orbit's curvature A h^2 / 2 exceeds the size of the boxes.
"""

import numpy as np

from tocsin import vec
from tocsin.advancement.box_step import box_of, outward
from tocsin.compiler.jit import borrowed, kernel
from tocsin.contacts.timed import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE
from tocsin.geometry.tree import spread
from tocsin.motion.joints import UP, rotation_of
from tocsin.motion.screw import relative_twist, screw_velocity, seen_from
from tocsin.screen.collision_screen import STANDS
from tocsin.screen.exact_roots import FEATURES, LEAVES, NODES, OVERFLOW, STEPS, isolate, place_noise, pose_at
from tocsin.screen.exact_tables import ExactTables

CURVED = 0.25
"""Time is cut while the curvature of the orbit exceeds this fraction of the larger box."""

BEYOND = 1.0 + 2.0**-20
"""More than the length of a box's axis in single precision."""

TOUCH = np.dtype(
    [
        ("time", "f8"),
        ("lo", "f8"),
        ("hi", "f8"),
        ("pair", "i4"),
        ("kind", "i4"),
        ("feature_a", "i4"),  # corner, edge or flat face
        ("feature_b", "i4"),
        ("face_a", "i4"),  # the triangle, and which of its corners or edges
        ("face_b", "i4"),
        ("side_a", "i4"),
        ("side_b", "i4"),
        ("proven", "i4"),
        ("spare", "i4"),
    ],
    align=True,
)


@kernel
def separates(n, d, box_a, box_b, omega, velocity, curve, h, noise):
    """Does n, of length at most BEYOND, separate two boxes for h to either side? `d` is between their centres."""
    gap = abs(vec.dot(n, d)) - spread(box_a[2], box_a[1], n) - spread(box_b[2], box_b[1], n)
    if not gap > 0.0:
        return False
    closing = abs(vec.dot(n, velocity)) + spread(box_b[2], box_b[1], vec.cross(n, omega))
    return gap > ((closing * h + curve) + noise) * BEYOND


@kernel
def stay_apart(box_a, box_b, omega, velocity, curve, h, noise):
    """Are two boxes, b's placed in a's frame at the middle, proven apart for h to either side?

    `velocity` is that of b's centre, `curve` = A h^2 / 2. The noise covers the rounding of all sums here.
    """
    d = vec.sub(box_b[0], box_a[0])
    square = vec.dot(velocity, velocity)
    if square > 0.0:
        n = vec.axpy(d, -vec.dot(d, velocity) / square, velocity)
        length = vec.norm(n)
        if length > 0.0:
            n = vec.scale(n, 1.0 / length)
            if separates(n, d, box_a, box_b, omega, velocity, curve, h, noise):
                return True
    length = vec.norm(d)
    if length > 0.0:
        n = vec.scale(d, 1.0 / length)
        if separates(n, d, box_a, box_b, omega, velocity, curve, h, noise):
            return True
    for k in range(3):
        if separates(box_a[1][k], d, box_a, box_b, omega, velocity, curve, h, noise):
            return True
        if separates(box_b[1][k], d, box_a, box_b, omega, velocity, curve, h, noise):
            return True
    return False


@kernel
def three(points, faces, f):
    """Return the corners of a triangle."""
    return vec.load3(points, faces[f, 0]), vec.load3(points, faces[f, 1]), vec.load3(points, faces[f, 2])


@kernel
def add_touches(touches, n, found, count, pair, kind, feature_a, feature_b, fa, fb, side_a, side_b):
    """Append the rows that `isolate` found for one pair of features; return (touches, n)."""
    for k in range(count):
        if n == touches.shape[0]:
            bigger = np.zeros(2 * n + 16, dtype=TOUCH)
            for i in range(n):
                bigger[i] = touches[i]
            touches = bigger
        row = touches[n]
        row["time"] = found[k, 0]
        row["lo"] = found[k, 1]
        row["hi"] = found[k, 2]
        row["pair"] = pair
        row["kind"] = kind
        row["feature_a"] = feature_a
        row["feature_b"] = feature_b
        row["face_a"] = fa
        row["face_b"] = fb
        row["side_a"] = side_a
        row["side_b"] = side_b
        row["proven"] = 1 if found[k, 3] > 0.0 else 0
        n += 1
    return touches, n


@kernel
def triangle_touches(tables, fa, fb, twist, base, lo, hi, pose, noise, stack, found, touches, n, pair, counts):
    """Append the touches during [lo, hi] of all features for which two triangles answer; return (touches, n)."""
    a = three(tables.points, tables.faces, fa)
    b = three(tables.points, tables.faces, fb)
    for i in range(3):
        if tables.corner[fa, i] >= 0 and tables.flat[fb] >= 0:
            counts[FEATURES] += 1
            count, whole = isolate(
                VERTEX_FACE, (a[i], b[0], b[1], b[2]), twist, base, lo, hi, pose, noise, stack, found,
                counts,
            )  # fmt: skip
            counts[OVERFLOW] += 0 if whole else 1
            touches, n = add_touches(
                touches, n, found, count, pair, VERTEX_FACE, tables.corner[fa, i], tables.flat[fb], fa, fb, i, 0
            )
        if tables.corner[fb, i] >= 0 and tables.flat[fa] >= 0:
            counts[FEATURES] += 1
            count, whole = isolate(
                FACE_VERTEX, (b[i], a[0], a[1], a[2]), twist, base, lo, hi, pose, noise, stack, found,
                counts,
            )  # fmt: skip
            counts[OVERFLOW] += 0 if whole else 1
            touches, n = add_touches(
                touches, n, found, count, pair, FACE_VERTEX, tables.flat[fa], tables.corner[fb, i], fa, fb, 0, i
            )
        if tables.edge[fa, i] < 0:
            continue
        for k in range(3):
            if tables.edge[fb, k] < 0:
                continue
            counts[FEATURES] += 1
            count, whole = isolate(
                EDGE_EDGE, (a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3]), twist, base, lo, hi, pose, noise, stack, found,
                counts,
            )  # fmt: skip
            counts[OVERFLOW] += 0 if whole else 1
            touches, n = add_touches(
                touches, n, found, count, pair, EDGE_EDGE, tables.edge[fa, i], tables.edge[fb, k], fa, fb, i, k
            )
    return touches, n


@kernel
def search(tables, a, b, twist, base, workspace, touches, n, pair, max_steps, counts):
    """Append all touches of the shapes a and b of the tables; return (touches, n).

    `base` is the pose of b in a's frame at t = 0, `twist` its motion there. Stops when counts[STEPS] passes max_steps.
    """
    root_a = tables.shapes[a]["root"]
    root_b = tables.shapes[b]["root"]
    if root_a < 0 or root_b < 0:
        return touches, n
    noise = place_noise(twist, base, tables.shapes[a]["reach"], tables.shapes[b]["reach"])
    nodes, times, stack, found = workspace
    nodes[0, 0] = root_a
    nodes[0, 1] = root_b
    times[0, 0] = 0.0
    times[0, 1] = 1.0
    top = 1
    theta = twist.angle
    pose = base
    pose_time = 0.0
    while top > 0:
        top -= 1
        i = nodes[top, 0]
        k = nodes[top, 1]
        lo = times[top, 0]
        hi = times[top, 1]
        counts[NODES] += 1
        counts[STEPS] += 1
        if counts[STEPS] > max_steps:
            return touches, n
        middle = 0.5 * (lo + hi)
        h = 0.5 * (hi - lo) * UP
        if middle != pose_time:
            pose = pose_at(twist, base, middle)
            pose_time = middle
        node_a = tables.nodes[i]
        node_b = tables.nodes[k]
        box_a = box_of(node_a)
        box_b, _ = outward(pose[0], pose[1], node_b)
        velocity = screw_velocity(twist, box_b[0])
        radius_a = np.float64(node_a["radius"])
        radius_b = np.float64(node_b["radius"])
        curve = 0.5 * theta * (vec.norm(velocity) + theta * radius_b) * h * h * UP
        if stay_apart(box_a, box_b, twist.omega, velocity, curve, h, noise):
            continue
        leaf_a = node_a["count"] > 0
        leaf_b = node_b["count"] > 0
        if curve > CURVED * max(radius_a, radius_b) and h > 2.0**-20:
            nodes[top, 0] = i
            nodes[top, 1] = k
            times[top, 0] = middle
            times[top, 1] = hi
            nodes[top + 1, 0] = i
            nodes[top + 1, 1] = k
            times[top + 1, 0] = lo
            times[top + 1, 1] = middle
            top += 2
        elif leaf_a and leaf_b:
            counts[LEAVES] += 1
            touches, n = triangle_touches(
                tables, node_a["first"], node_b["first"], twist, base, lo, hi, pose, noise, stack, found, touches, n,
                pair, counts,
            )  # fmt: skip
        else:
            open_a = leaf_b or (not leaf_a and radius_a >= radius_b)
            for child in range(2):
                nodes[top, 0] = node_a["first"] + child if open_a else i
                nodes[top, 1] = k if open_a else node_b["first"] + child
                times[top, 0] = lo
                times[top, 1] = hi
                top += 1
    return touches, n


@kernel
def borrowed_tables(tables):
    """Return the tables without their owners, for the duration of a call."""
    return ExactTables(
        borrowed(tables.shapes),
        borrowed(tables.nodes),
        borrowed(tables.points),
        borrowed(tables.faces),
        borrowed(tables.corner),
        borrowed(tables.edge),
        borrowed(tables.flat),
    )


@kernel
def search_pairs(tables, pairs, links, poses, how, max_steps, counts):
    """Return the touches of all pairs of shapes, each seen from the one that stands, if one does.

    `links`: of each shape; `poses` (links, 2, 7): pose rows at both ends; `how` each link moves in between.
    """
    tables = borrowed_tables(tables)
    workspace = (
        np.zeros((1024, 2), dtype=np.int32),
        np.zeros((1024, 2)),
        np.zeros((128, 2)),
        np.zeros((256, 4)),
    )
    touches = np.zeros(256, dtype=TOUCH)
    n = 0
    for p in range(pairs.shape[0]):
        a, b = seen_pair(pairs, p, links, how)
        twist, base = relative_motion(poses, links[a], links[b])
        touches, n = search(tables, a, b, twist, base, workspace, touches, n, p, max_steps, counts)
        if counts[STEPS] > max_steps:
            break
    return touches[:n]


@kernel
def seen_pair(pairs, p, links, how):
    """Return the shapes of a pair: first the one in whose frame the other is seen, the one that stands if one does."""
    a = pairs[p, 0]
    b = pairs[p, 1]
    if how[links[a]] != STANDS and how[links[b]] == STANDS:
        return b, a
    return a, b


@kernel
def relative_motion(poses, link_a, link_b):
    """Return (twist, base): the screw of one link as another sees it, and its pose there at t = 0."""
    twist = relative_twist(poses[link_a, 0], poses[link_a, 1], poses[link_b, 0], poses[link_b, 1])
    place, q = seen_from(poses[link_a, 0], poses[link_b, 0])
    return twist, (rotation_of(q), place)


def joined(touches: np.ndarray) -> np.ndarray:
    """Return the touches by pair, features and time, those of one pair of features whose brackets meet made one.

    The same touch is found in two intervals of time that meet there, and on both sides of the seam between two
    triangles of one flat face. The bracket of what is joined holds all of it; it is proven, and has the time of the
    first that is, if any of it is.
    """
    order = np.lexsort(
        (touches["lo"], touches["feature_b"], touches["feature_a"], touches["kind"], touches["pair"])
    )  # fmt: skip
    rows = touches[order]
    if len(rows) == 0:
        return rows
    same = np.ones(len(rows) - 1, bool)
    for name in ("pair", "kind", "feature_a", "feature_b"):
        same &= rows[name][1:] == rows[name][:-1]
    run = np.concatenate([[0], np.cumsum(~same)])
    # The latest time so far within each run: brackets are in [0, 1], so two apart per run keeps runs apart.
    reached = np.maximum.accumulate(rows["hi"] + 2.0 * run) - 2.0 * run
    fresh = np.concatenate([[True], ~same | (rows["lo"][1:] > reached[:-1])])
    group = np.cumsum(fresh) - 1
    first = np.flatnonzero(fresh)
    lo = rows["lo"][first]
    hi = np.maximum.reduceat(rows["hi"], first)
    # Of each group the first that is proven, else the first.
    rank = np.lexsort((np.arange(len(rows)), -rows["proven"], group))
    best = rows[rank[np.searchsorted(group[rank], np.arange(len(first)))]].copy()
    best["lo"], best["hi"] = lo, hi
    return best
