"""How long two leaves stay in touch: the counterpart of `advancement.leaves`, which says how long they stay apart.

All claims are about a stretch [t, t + h] and the motion of the joint records; the true one is within the pair's noise
of it. Three certificates, each of which proves a distance of at most margin + tolerance during the whole stretch:

near      two points x of a and y of b are at a distance d now. They are fixed on their links, so their difference
          changes by at most |u| s + A s^2 / 2 after s (u: its velocity now; A: the bound on acceleration), and stays
          below margin + tolerance - noise while d + |u| s + A s^2 / 2 does.
pierced   a segment pq of one triangle runs through the inside of the other, abc. Then it does so until p or q lies on
          abc, or pq meets one of ab, bc, ca: how often a segment crosses a triangle changes only where the boundary
          of one meets the other. These are five pairs of features, all apart now; `safe_step` bounds each.
          What is computed is off by the noise; moving every point there, straight, meets none of the five events while
          their gaps exceed the noise, so the crossing is true as well.
enclosed  of two convex sets four pairs of points (a_i, b_i) are known for which the tetrahedron of b_i - a_i holds the
          origin: a convex combination of the a_i is one of the b_i. That lasts until the origin is on a face of the
          tetrahedron, and its distance from the four faces is bounded likewise.

The last two grow with the depth of an overlap, so that a deep one is passed in a few strides.
"""

from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.advancement.leaves import convex_set, placed_triangle, triangle
from tocsin.bounds.motion_bound import UNIT, safe_step
from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance
from tocsin.geometry.triangles import closest_on_triangle, segments, triangle_pair
from tocsin.model.tables import MESH

SIGN_ERROR = 32.0 * UNIT
"""A computed determinant of three differences has the right sign if it exceeds this times the product of their lengths.

Each difference is exact but for one rounding, the cross product but for 2 more and a sum of two terms no longer than
the product of the lengths in each of three components, the scalar product but for 3: less than 32 units in all.
"""


@kernel
def side(p, q, a, b):
    """Return the sign of (q - p) . ((a - p) x (b - p)), or 0 where rounding leaves it open."""
    x = vec.sub(q, p)
    y = vec.sub(a, p)
    z = vec.sub(b, p)
    volume = vec.dot(x, vec.cross(y, z))
    if not abs(volume) > SIGN_ERROR * vec.norm(x) * vec.norm(y) * vec.norm(z):
        return 0
    return 1 if volume > 0.0 else -1


@kernel
def pierces(p, q, a, b, c):
    """Does the segment pq certainly run through the inside of the triangle abc?"""
    turn = side(p, q, a, b)
    if turn == 0 or side(p, q, b, c) != turn or side(p, q, c, a) != turn:
        return False
    below = side(a, p, b, c)
    return below != 0 and side(a, q, b, c) == -below


class Moving(NamedTuple):
    """How two leaves move, as a sees b, and how far that can be trusted."""

    place: tuple
    """Of b's origin."""
    motion: tuple
    noise: float
    noise_speed: float
    speed: float
    """Nothing of theirs is faster, or accelerates more."""
    acceleration: float
    need: float
    """Longer than this nobody asks."""


class Within(NamedTuple):
    """What is asked about two leaves."""

    limit: float
    """They are within this distance now, and shall stay within `most`, both less the noise of the pair."""
    most: float
    need: float


@kernel
def step(moving, gap, closing):
    """Return how long a gap that closes at this speed now stays open."""
    return safe_step(gap, closing, moving.acceleration, moving.speed, moving.need)


@kernel
def gap_step(x, y, of_a, of_b, moving):
    """Return how long three points of a and three of b, as two hulls, stay apart, by the direction from x to y."""
    a0, a1, a2 = of_a
    b0, b1, b2 = of_b
    n = vec.sub(y, x)
    length = vec.norm(n)
    if not length > 0.0:
        return 0.0
    n = (n[0] / length, n[1] / length, n[2] / length)
    top = max(vec.dot(n, a0), max(vec.dot(n, a1), vec.dot(n, a2)))
    gap = min(vec.dot(n, b0), min(vec.dot(n, b1), vec.dot(n, b2))) - top - moving.noise
    if not gap > 0.0:
        return 0.0
    va, wa, vb, wb = moving.motion[:4]
    ka = vec.cross(n, wa)
    kb = vec.cross(n, wb)
    place = moving.place
    leaving = vec.dot(va, n) + max(vec.dot(ka, a0), max(vec.dot(ka, a1), vec.dot(ka, a2)))
    r0 = vec.dot(kb, vec.sub(b0, place))
    r1 = vec.dot(kb, vec.sub(b1, place))
    r2 = vec.dot(kb, vec.sub(b2, place))
    coming = vec.dot(vb, n) + min(r0, min(r1, r2))
    return step(moving, gap, leaving - coming + moving.noise_speed)


@kernel
def edge_of_a_step(p, q, a, b, c, moving):
    """Return how long the segment pq of a stays run through the triangle abc of b; 0 if it does not now."""
    if not pierces(p, q, a, b, c):
        return 0.0
    y = closest_on_triangle(p, a, b, c)
    h = gap_step(p, y, (p, p, p), (a, b, c), moving)
    if h > 0.0:
        y = closest_on_triangle(q, a, b, c)
        h = min(h, gap_step(q, y, (q, q, q), (a, b, c), moving))
    for k in range(3):
        if not h > 0.0:
            return 0.0
        e = a if k == 0 else (b if k == 1 else c)
        f = b if k == 0 else (c if k == 1 else a)
        x, y = segments(p, vec.sub(q, p), e, vec.sub(f, e))
        h = min(h, gap_step(x, y, (p, q, q), (e, f, f), moving))
    return h


@kernel
def edge_of_b_step(p, q, a, b, c, moving):
    """Return how long the segment pq of b stays run through the triangle abc of a; 0 if it does not now."""
    if not pierces(p, q, a, b, c):
        return 0.0
    x = closest_on_triangle(p, a, b, c)
    h = gap_step(x, p, (a, b, c), (p, p, p), moving)
    if h > 0.0:
        x = closest_on_triangle(q, a, b, c)
        h = min(h, gap_step(x, q, (a, b, c), (q, q, q), moving))
    for k in range(3):
        if not h > 0.0:
            return 0.0
        e = a if k == 0 else (b if k == 1 else c)
        f = b if k == 0 else (c if k == 1 else a)
        x, y = segments(e, vec.sub(f, e), p, vec.sub(q, p))
        h = min(h, gap_step(x, y, (e, f, f), (p, q, q), moving))
    return h


@kernel
def pierced_step(of_a, of_b, moving):
    """Return how long two triangles stay run through each other: the longest of their six edges; 0 if none is."""
    a0, a1, a2 = of_a
    b0, b1, b2 = of_b
    h = 0.0
    for k in range(3):
        p = a0 if k == 0 else (a1 if k == 1 else a2)
        q = a1 if k == 0 else (a2 if k == 1 else a0)
        h = max(h, edge_of_a_step(p, q, b0, b1, b2, moving))
        p = b0 if k == 0 else (b1 if k == 1 else b2)
        q = b1 if k == 0 else (b2 if k == 1 else b0)
        h = max(h, edge_of_b_step(p, q, a0, a1, a2, moving))
    return h


@kernel
def near_step(x, y, d, most, moving):
    """Return how long the points x of a and y of b, at a distance d now, stay within `most` of each other."""
    va, wa, vb, wb = moving.motion[:4]
    u = vec.sub(
        vec.add(vb, vec.cross(wb, vec.sub(y, moving.place))),
        vec.add(va, vec.cross(wa, x)),
    )
    return step(moving, most - d, vec.norm(u) + moving.noise_speed)


@kernel
def enclosed_step(simplex, moving):
    """Return how long the tetrahedron of the simplex, rows (b - a, a, b), holds the origin; 0 if it does not now."""
    origin = (0.0, 0.0, 0.0)
    turn = side(origin, vec.load3(simplex, 0), vec.load3(simplex, 1), vec.load3(simplex, 2))
    va, wa, vb, wb = moving.motion[:4]
    best = np.inf
    for k in range(4):
        w0 = vec.load3(simplex, (k + 1) % 4)
        w1 = vec.load3(simplex, (k + 2) % 4)
        w2 = vec.load3(simplex, (k + 3) % 4)
        # By Cramer's rule the origin's weights are these volumes over their sum, with alternating signs.
        if turn == 0 or side(origin, w0, w1, w2) != (turn if k % 2 == 1 else -turn):
            return 0.0
        n = vec.cross(vec.sub(w1, w0), vec.sub(w2, w0))
        length = vec.norm(n)
        if not length > 0.0:
            return 0.0
        if vec.dot(n, w0) < 0.0:
            length = -length
        n = (n[0] / length, n[1] / length, n[2] / length)
        gap = min(vec.dot(n, w0), min(vec.dot(n, w1), vec.dot(n, w2))) - moving.noise
        if not gap > 0.0:
            return 0.0
        slowest = np.inf
        for i in range(4):
            if i != k:
                x = (simplex[i, 3], simplex[i, 4], simplex[i, 5])
                y = (simplex[i, 6], simplex[i, 7], simplex[i, 8])
                u = vec.sub(
                    vec.add(vb, vec.cross(wb, vec.sub(y, moving.place))),
                    vec.add(va, vec.cross(wa, x)),
                )
                slowest = min(slowest, vec.dot(n, u))
        best = min(best, step(moving, gap, moving.noise_speed - slowest))
    return best


@kernel
def moving_leaves(pair, node_a, node_b, pose, motion, need):
    """Return how two leaves move."""
    reach_a = np.float64(node_a["reach"])
    reach_b = np.float64(node_b["reach"])
    speed = pair["speed"] + pair["turn_a"] * reach_a + pair["turn_b"] * reach_b
    acceleration = pair["accel"] + pair["accel_per_reach_a"] * reach_a + pair["accel_per_reach_b"] * reach_b
    return Moving(pose[1], motion, pair["noise"], pair["noise_speed"], speed, acceleration, need)


@kernel
def leaf_certificate(world, pair, a, b, pose, motion, within, workspace):
    """Return (h, d): the leaves a, b stay within `most` + noise of each other during [t, t + h]; h = 0 if d > `limit`.

    `d` is the distance of two points of them now.
    """
    limit, most, need = within
    geom_a = world.geoms[pair["a"]]
    geom_b = world.geoms[pair["b"]]
    node_a = world.nodes[a]
    node_b = world.nodes[b]
    moving = moving_leaves(pair, node_a, node_b, pose, motion, need)
    if geom_a["kind"] == MESH and geom_b["kind"] == MESH:
        a0, a1, a2 = triangle(world.points, world.faces, node_a["first"])
        (b0, b1, b2), _ = placed_triangle(world.points, world.faces, node_b["first"], pose)
        d, x, y = triangle_pair(a0, a1, a2, b0, b1, b2)
        if not d <= limit:
            return 0.0, d
        h = near_step(x, y, d, most, moving)
        if d <= pair["noise"] and h < need:
            h = max(h, pierced_step((a0, a1, a2), (b0, b1, b2), moving))
        return h, d
    table_a, set_a = convex_set(geom_a, node_a, world.points, world.faces, workspace.corners_a)
    table_b, set_b = convex_set(geom_b, node_b, world.points, world.faces, workspace.corners_b)
    radii = set_a[2] + set_b[2]
    # Without their radii: of two capsules whose axes are near, the distance between the axes says how deep they are.
    core_a = (set_a[0], set_a[1], 0.0, set_a[3])
    core_b = (set_b[0], set_b[1], 0.0, set_b[3])
    guess = vec.add(pose[1], vec.matvec(pose[0], vec.load3(table_b, set_b[0])))
    guess = vec.sub(guess, vec.load3(table_a, set_a[0]))
    simplex = workspace.simplex
    for i in range(4):
        for k in range(9):
            simplex[i, k] = 0.0
    _, d, _, x, y = convex_distance(table_a, core_a, table_b, core_b, pose, guess, simplex, (0.0, -1.0, 1.0 - 1e-12))
    if not d <= limit + radii:
        return 0.0, d - radii
    h = near_step(x, y, d, most + radii, moving)
    if h < need:
        h = max(h, enclosed_step(simplex, moving))
    return h, max(d - radii, 0.0)
