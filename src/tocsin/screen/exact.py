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

from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.advancement.box_step import box_of, outward
from tocsin.compiler.jit import borrowed, kernel
from tocsin.contacts.timed import EDGE_EDGE, FACE_VERTEX, VERTEX_FACE
from tocsin.geometry.descent import opens_a
from tocsin.geometry.tree import spread
from tocsin.motion.joints import UP, rotation_of
from tocsin.motion.screw import relative_twist, screw_velocity, seen_from
from tocsin.screen.collision_screen import STANDS
from tocsin.screen.exact_roots import (
    FEATURES,
    LEAVES,
    NODES,
    OVERFLOW,
    STEPS,
    Orbit,
    Roots,
    Span,
    isolate,
    make_roots,
    place_noise,
    pose_at,
)

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


class Passing(NamedTuple):
    """How a box of b moves for h to either side of a moment, as a sees it."""

    omega: tuple
    velocity: tuple
    """Of its centre."""
    curve: float
    """A h^2 / 2."""
    h: float
    noise: float
    """Covers the rounding of all sums in `separates`, metres."""


@kernel
def separates(n, d, box_a, box_b, passing):
    """Does n, of length at most BEYOND, separate two boxes for h to either side? `d` is between their centres."""
    gap = abs(vec.dot(n, d)) - spread(box_a[2], box_a[1], n) - spread(box_b[2], box_b[1], n)
    if not gap > 0.0:
        return False
    closing = abs(vec.dot(n, passing.velocity)) + spread(box_b[2], box_b[1], vec.cross(n, passing.omega))
    return gap > ((closing * passing.h + passing.curve) + passing.noise) * BEYOND


@kernel
def stay_apart(box_a, box_b, passing):
    """Are two boxes, b's placed in a's frame at the middle, proven apart for h to either side?"""
    d = vec.sub(box_b[0], box_a[0])
    velocity = passing.velocity
    square = vec.dot(velocity, velocity)
    if square > 0.0:
        n = vec.axpy(d, -vec.dot(d, velocity) / square, velocity)
        length = vec.norm(n)
        if length > 0.0 and separates(vec.scale(n, 1.0 / length), d, box_a, box_b, passing):
            return True
    length = vec.norm(d)
    if length > 0.0 and separates(vec.scale(d, 1.0 / length), d, box_a, box_b, passing):
        return True
    for k in range(3):
        if separates(box_a[1][k], d, box_a, box_b, passing) or separates(box_b[1][k], d, box_a, box_b, passing):
            return True
    return False


@kernel
def three(points, faces, f):
    """Return the corners of a triangle."""
    return vec.load3(points, faces[f, 0]), vec.load3(points, faces[f, 1]), vec.load3(points, faces[f, 2])


class Touches(NamedTuple):
    """A list of touches as it grows."""

    rows: np.ndarray
    n: int
    pair: int
    """Which pair of shapes is looked at."""


class On(NamedTuple):
    """What of a shape touches."""

    feature: np.int64
    """Corner, edge or flat face."""
    face: np.int64
    """The triangle, and which of its corners or edges."""
    side: np.int64


@kernel
def add_touches(touches, found, count, kind, on_a, on_b):
    """Append the rows that `isolate` found for one pair of features; return the list."""
    rows, n, pair = touches
    for k in range(count):
        if n == rows.shape[0]:
            bigger = np.zeros(2 * n + 16, dtype=TOUCH)
            for i in range(n):
                bigger[i] = rows[i]
            rows = bigger
        row = rows[n]
        row["time"] = found[k, 0]
        row["lo"] = found[k, 1]
        row["hi"] = found[k, 2]
        row["pair"] = pair
        row["kind"] = kind
        row["feature_a"] = on_a.feature
        row["feature_b"] = on_b.feature
        row["face_a"] = on_a.face
        row["face_b"] = on_b.face
        row["side_a"] = on_a.side
        row["side_b"] = on_b.side
        row["proven"] = 1 if found[k, 3] > 0.0 else 0
        n += 1
    return Touches(rows, n, pair)


@kernel
def feature_touches(kind, q, on_a, on_b, orbit, span, workspace, touches, counts):
    """Append the touches of two features, the points `q` as `exact_roots` takes them; return the list.

    Many arguments because which features, when, and where it is written are three things, of two each and more.
    """
    counts[FEATURES] += 1
    count, whole = isolate(kind, q, orbit, span, workspace.roots, counts)
    counts[OVERFLOW] += 0 if whole else 1
    return add_touches(touches, workspace.roots.found, count, kind, on_a, on_b)


@kernel
def triangle_touches(tables, fa, fb, orbit, span, workspace, touches, counts):
    """Append the touches during a span of all features for which two triangles answer; return the list."""
    a = three(tables.points, tables.faces, fa)
    b = three(tables.points, tables.faces, fb)
    none = np.int64(0)
    flat_a = On(np.int64(tables.flat[fa]), np.int64(fa), none)
    flat_b = On(np.int64(tables.flat[fb]), np.int64(fb), none)
    for i in range(3):
        corner_a = On(np.int64(tables.corner[fa, i]), np.int64(fa), np.int64(i))
        corner_b = On(np.int64(tables.corner[fb, i]), np.int64(fb), np.int64(i))
        edge_a = On(np.int64(tables.edge[fa, i]), np.int64(fa), np.int64(i))
        if corner_a.feature >= 0 and flat_b.feature >= 0:
            q = (a[i], b[0], b[1], b[2])
            touches = feature_touches(VERTEX_FACE, q, corner_a, flat_b, orbit, span, workspace, touches, counts)
        if corner_b.feature >= 0 and flat_a.feature >= 0:
            q = (b[i], a[0], a[1], a[2])
            touches = feature_touches(FACE_VERTEX, q, flat_a, corner_b, orbit, span, workspace, touches, counts)
        for k in range(3):
            edge_b = On(np.int64(tables.edge[fb, k]), np.int64(fb), np.int64(k))
            if edge_a.feature >= 0 and edge_b.feature >= 0:
                q = (a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3])
                touches = feature_touches(EDGE_EDGE, q, edge_a, edge_b, orbit, span, workspace, touches, counts)
    return touches


class Workspace(NamedTuple):
    """Memory of the search: a stack of pairs of nodes with their times, and what `isolate` needs."""

    nodes: np.ndarray
    times: np.ndarray
    roots: Roots


@kernel
def put(workspace, top, i, k, lo, hi):
    """Put a pair of nodes and a stretch of time on the stack."""
    workspace.nodes[top, 0] = i
    workspace.nodes[top, 1] = k
    workspace.times[top, 0] = lo
    workspace.times[top, 1] = hi


@kernel
def search(tables, a, b, orbit, workspace, touches, max_steps, counts):
    """Append all touches of the shapes a and b of the tables, b moving by `orbit`; return the list.

    Stops when counts[STEPS] passes max_steps.
    """
    twist, base, noise = orbit
    put(workspace, 0, tables.shapes[a]["root"], tables.shapes[b]["root"], 0.0, 1.0)
    top = 1 if min(tables.shapes[a]["root"], tables.shapes[b]["root"]) >= 0 else 0
    theta = twist.angle
    pose = base
    pose_time = 0.0
    while top > 0:
        top -= 1
        i = workspace.nodes[top, 0]
        k = workspace.nodes[top, 1]
        lo = workspace.times[top, 0]
        hi = workspace.times[top, 1]
        counts[NODES] += 1
        counts[STEPS] += 1
        if counts[STEPS] > max_steps:
            break
        middle = 0.5 * (lo + hi)
        h = 0.5 * (hi - lo) * UP
        if middle != pose_time:
            pose = pose_at(twist, base, middle)
            pose_time = middle
        node_a = tables.nodes[i]
        node_b = tables.nodes[k]
        box_b, _ = outward(pose[0], pose[1], node_b)
        velocity = screw_velocity(twist, box_b[0])
        radius_a = np.float64(node_a["radius"])
        radius_b = np.float64(node_b["radius"])
        curve = 0.5 * theta * (vec.norm(velocity) + theta * radius_b) * h * h * UP
        if stay_apart(box_of(node_a), box_b, Passing(twist.omega, velocity, curve, h, noise)):
            continue
        if curve > CURVED * max(radius_a, radius_b) and h > 2.0**-20:
            put(workspace, top, i, k, middle, hi)
            put(workspace, top + 1, i, k, lo, middle)
            top += 2
        elif node_a["count"] > 0 and node_b["count"] > 0:
            counts[LEAVES] += 1
            touches = triangle_touches(
                tables, node_a["first"], node_b["first"], orbit, Span(lo, hi, pose), workspace, touches, counts
            )
        elif opens_a(node_a, node_b):
            put(workspace, top, node_a["first"], k, lo, hi)
            put(workspace, top + 1, node_a["first"] + 1, k, lo, hi)
            top += 2
        else:
            put(workspace, top, i, node_b["first"], lo, hi)
            put(workspace, top + 1, i, node_b["first"] + 1, lo, hi)
            top += 2
    return touches


@kernel
def search_pairs(tables, pairs, links, poses, how, max_steps, counts):
    """Return the touches of all pairs of shapes, each seen from the one that stands, if one does.

    `links`: of each shape; `poses` (links, 2, 7): pose rows at both ends; `how` each link moves in between.
    """
    tables = borrowed(tables)
    counts = borrowed(counts)
    own_workspace = Workspace(np.zeros((1024, 2), dtype=np.int32), np.zeros((1024, 2)), make_roots())
    workspace = borrowed(own_workspace)  # counting references to these took a quarter of a search
    own_rows = np.zeros(256, dtype=TOUCH)
    rows = borrowed(own_rows)
    n = 0
    for p in range(pairs.shape[0]):
        a, b = seen_pair(pairs, p, links, how)
        twist, base = relative_motion(poses, links[a], links[b])
        orbit = Orbit(twist, base, place_noise(twist, base, tables.shapes[a]["reach"], tables.shapes[b]["reach"]))
        rows, n, _ = search(tables, a, b, orbit, workspace, Touches(rows, n, p), max_steps, counts)
        if counts[STEPS] > max_steps:
            break
    found = rows[:n].copy()
    if own_rows.shape[0] + own_workspace.nodes.shape[0] == 0:  # a last use, so that both live until here
        n = 0
    return found[:n]


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
