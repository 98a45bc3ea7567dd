"""How long two leaves stay apart: triangles and convex solids, by a separating direction and their own corners.

`triangles_step` and `convex_step` say for how long from one moment on, `leaf_advance` goes on like that until the two
touch or are past the end [CATCH 3.4, eq. 4].
"""

import numpy as np

from tocsin import vec
from tocsin.advancement.relative import bending, relative_state
from tocsin.advancement.work import LEAF_TESTS, spent
from tocsin.bounds.motion_bound import MOSTLY, safe_step, sharper_step
from tocsin.compiler.jit import inlined, kernel
from tocsin.geometry.convex import convex_distance, support_value
from tocsin.geometry.triangles import gap_along, sharper_direction, triangle_pair
from tocsin.model.tables import CONVEX, MESH
from tocsin.outcome import CAPPED, CONTACT, FREE


@kernel
def corner(world_points, faces, f, k):
    """Return corner k of triangle f."""
    return vec.load3(world_points, faces[f, k])


@kernel
def placed_corner(world_points, faces, f, k, pose):
    """Return corner k of triangle f, placed by a pose; and its offset from the pose's origin."""
    arm = vec.matvec(pose[0], vec.load3(world_points, faces[f, k]))
    return vec.add(arm, pose[1]), arm


@inlined
def triangle(points, faces, f):
    """Return the corners of triangle f."""
    return corner(points, faces, f, 0), corner(points, faces, f, 1), corner(points, faces, f, 2)


@inlined
def placed_triangle(points, faces, f, pose):
    """Return the corners of triangle f, placed by a pose; and their offsets from the pose's origin."""
    b0, r0 = placed_corner(points, faces, f, 0, pose)
    b1, r1 = placed_corner(points, faces, f, 1, pose)
    b2, r2 = placed_corner(points, faces, f, 2, pose)
    return (b0, b1, b2), (r0, r1, r2)


@inlined
def proven_gap(a, b, closest):
    """Return (n, gap): a unit direction and the gap between two triangles along it; `closest` is (d, x, y), d > 0.

    Any direction proves its gap: the smallest n.b over b's corners less the largest n.a over a's. That between the
    closest points gives d up to rounding; where they are so near that it does not, `sharper_direction` does better.
    """
    d, x, y = closest
    n = ((y[0] - x[0]) / d, (y[1] - x[1]) / d, (y[2] - x[2]) / d)
    gap = gap_along(n, a[0], a[1], a[2], b[0], b[1], b[2])
    if gap < 0.5 * d:
        n, gap = sharper_direction(n, gap, a[0], a[1], a[2], b[0], b[1], b[2])
    return n, gap


@kernel
def triangles_step(points, faces, triangles, pose, motion, pair, reaches, goal):
    """Return (h, d, x, y): two triangles stay apart during [t, t + h]; their distance and closest points at t.

    The certificate: with n the unit direction between the closest points, the gap is the smallest n.b over b's
    corners minus the largest n.a over a's: a proven lower bound of the distance, equal to it up to rounding. The
    fastest point along n of a triangle is one of its corners, since the velocity is linear in the point.

    `triangles` are numbers of faces, `reaches` how far their points are from their links' origins; `goal` (need, keep).
    A step that does not reach `need` ends while the gap is still `keep` or more, if it has twice as much now: what
    has to be proven about others until two triangles come within the tolerance is easier while these are not yet at
    the margin.
    """
    reach_a, reach_b = reaches
    need, keep = goal
    a0, a1, a2 = triangle(points, faces, triangles[0])
    (b0, b1, b2), (r0, r1, r2) = placed_triangle(points, faces, triangles[1], pose)
    d, x, y = triangle_pair(a0, a1, a2, b0, b1, b2)
    if not d > 0.0:
        return 0.0, 0.0, x, y
    n, gap = proven_gap((a0, a1, a2), (b0, b1, b2), (d, x, y))
    gap -= pair["margin"] + pair["noise"]
    va, wa, vb, wb, aa, ca, ab, cb = motion
    ka = vec.cross(n, wa)
    kb = vec.cross(n, wb)
    fastest = vec.dot(va, n) + max(vec.dot(ka, a0), max(vec.dot(ka, a1), vec.dot(ka, a2)))
    slowest = vec.dot(vb, n) + min(vec.dot(kb, r0), min(vec.dot(kb, r1), vec.dot(kb, r2)))
    speed = pair["speed"] + pair["turn_a"] * reach_a + pair["turn_b"] * reach_b
    acceleration = pair["accel"] + pair["accel_per_reach_a"] * reach_a + pair["accel_per_reach_b"] * reach_b
    closing = fastest - slowest + pair["noise_speed"]
    h = safe_step(gap, closing, acceleration, speed, need)
    keeps = gap > 2.0 * keep
    if h < need and closing * h < MOSTLY * gap:
        ka = bending(n, wa, ca)
        kb = bending(n, wb, cb)
        most = vec.dot(aa, n) + max(vec.dot(ka, a0), max(vec.dot(ka, a1), vec.dot(ka, a2)))
        least = vec.dot(ab, n) + min(vec.dot(kb, r0), min(vec.dot(kb, r1), vec.dot(kb, r2)))
        now = most - least + pair["noise_accel"]
        jerk = pair["jerk"] + pair["jerk_per_reach_a"] * reach_a + pair["jerk_per_reach_b"] * reach_b
        h = sharper_step(h, gap, closing, now, acceleration, jerk, need)
        if h < need and keeps:
            h = safe_step(gap - keep, closing, acceleration, speed, need)
            h = sharper_step(h, gap - keep, closing, now, acceleration, jerk, need)
    elif h < need and keeps:
        h = safe_step(gap - keep, closing, acceleration, speed, need)
    return h, d, x, y


@kernel
def convex_set(geom, node, points, faces, scratch):
    """Return (table, (first, count, radius, disk)): a leaf as a convex set, and the table of its points.

    A convex solid is its proxy; a triangle's corners are copied into `scratch`. node_first is the triangle.
    """
    if geom["kind"] == CONVEX:
        return points, proxy_of(geom)
    f = node["first"]
    for k in range(3):
        for i in range(3):
            scratch[k, i] = points[faces[f, k], i]
    return scratch, (0, 3, 0.0, 0.0)


@kernel
def proxy_of(geom):
    """Return the convex proxy of a shape as a set of `geometry.convex`."""
    return geom["proxy"], geom["proxy_count"], geom["proxy_radius"], geom["proxy_disk"]


@kernel
def hull_of(geom):
    """Return the convex hull of a shape, or what it has in its place, as a set of `geometry.convex`.

    Its corners are the proxy's and those `others` of the hull that the proxy does without, one behind the other in the
    table: `model.world` lays out no shape for which that is not so.
    """
    return geom["proxy"], geom["hull_count"], geom["hull_radius"], geom["proxy_disk"]


@kernel
def convex_step(side_a, side_b, pose, motion, pair, n, simplex, goal):
    """Return (h, gap, upper, n, x, y) for two convex sets: `gap` is proven, `upper` witnessed by x and y, at t.

    A side is (table of points, set, reach from its link's origin); `goal` is (near, accept, need), of which the first
    two are those of `convex_distance`.
    """
    table_a, a, reach_a = side_a
    table_b, b, reach_b = side_b
    near, accept, need = goal
    clear = pair["margin"] + pair["noise"]
    lower, upper, n, x, y = convex_distance(table_a, a, table_b, b, pose, n, simplex, (clear, near, accept))
    gap = lower - clear
    if not gap > 0.0:
        return 0.0, gap, upper, n, x, y
    va, wa, vb, wb, aa, ca, ab, cb = motion
    ka = vec.cross(n, wa)
    kb = vec.tmatvec(pose[0], vec.cross(n, wb))
    fastest = vec.dot(va, n) + support_value(table_a, a[0], a[1], a[3], ka) + a[2] * vec.norm(ka)
    back = (-kb[0], -kb[1], -kb[2])
    slowest = vec.dot(vb, n) - support_value(table_b, b[0], b[1], b[3], back) - b[2] * vec.norm(kb)
    speed = pair["speed"] + pair["turn_a"] * reach_a + pair["turn_b"] * reach_b
    acceleration = pair["accel"] + pair["accel_per_reach_a"] * reach_a + pair["accel_per_reach_b"] * reach_b
    closing = fastest - slowest + pair["noise_speed"]
    h = safe_step(gap, closing, acceleration, speed, need)
    if h < need and closing * h < MOSTLY * gap:
        ka = bending(n, wa, ca)
        kb = vec.tmatvec(pose[0], bending(n, wb, cb))
        back = (-kb[0], -kb[1], -kb[2])
        most = vec.dot(aa, n) + support_value(table_a, a[0], a[1], a[3], ka) + a[2] * vec.norm(ka)
        least = vec.dot(ab, n) - support_value(table_b, b[0], b[1], b[3], back) - b[2] * vec.norm(kb)
        jerk = pair["jerk"] + pair["jerk_per_reach_a"] * reach_a + pair["jerk_per_reach_b"] * reach_b
        h = sharper_step(h, gap, closing, most - least + pair["noise_accel"], acceleration, jerk, need)
    return h, gap, upper, n, x, y


@kernel
def leaf_distance(world, geom_a, geom_b, node_a, node_b, pose, workspace):
    """Return (upper, lower, x, y) of two leaves at one moment: `upper` witnessed by x and y, `lower` by a direction.

    Both are up to the rounding that the pair's noise covers, in a's frame; closest points to full precision.
    """
    if geom_a["kind"] == MESH and geom_b["kind"] == MESH:
        a0, a1, a2 = triangle(world.points, world.faces, node_a["first"])
        (b0, b1, b2), _ = placed_triangle(world.points, world.faces, node_b["first"], pose)
        d, x, y = triangle_pair(a0, a1, a2, b0, b1, b2)
        if not d > 0.0:
            return 0.0, 0.0, x, y
        _, gap = proven_gap((a0, a1, a2), (b0, b1, b2), (d, x, y))
        return d, gap, x, y
    table_a, set_a = convex_set(geom_a, node_a, world.points, world.faces, workspace.corners_a)
    table_b, set_b = convex_set(geom_b, node_b, world.points, world.faces, workspace.corners_b)
    guess = vec.add(pose[1], vec.matvec(pose[0], vec.load3(table_b, set_b[0])))
    guess = vec.sub(guess, vec.load3(table_a, set_a[0]))
    lower, upper, _, x, y = convex_distance(
        table_a, set_a, table_b, set_b, pose, guess, workspace.simplex, (0.0, 0.0, 1.0 - 1e-12)
    )
    return upper, lower, x, y


@kernel
def later(t, h):
    """Return t + h, rounded down: fl(t + h) <= (t + h)(1 + u), and (1 + u)^2 (1 - 2 u) < 1."""
    return (t + h) * (1.0 - 2.0**-52)


@kernel
def leaf_advance(tables, pair, a, b, seen, end, counts):
    """Return (status, time): advance two leaves from seen.t until they touch (CONTACT), or until `end` (FREE).

    CAPPED: they are too close to prove anything more, yet farther apart than the tolerance: the resolution of
    floating point; or the account at hand is used up (`spent`). Nothing is within the margin before `time`.
    """
    world, workspace = tables.world, tables.workspace
    geom_a, geom_b = world.geoms[pair["a"]], world.geoms[pair["b"]]
    node_a, node_b = world.nodes[a], world.nodes[b]
    t, pose, motion = seen
    near = pair["margin"] + pair["tolerance"] - pair["noise"]
    meshes = geom_a["kind"] == MESH and geom_b["kind"] == MESH
    n = (0.0, 0.0, 0.0)
    simplex = workspace.simplex
    reaches = np.float64(node_a["reach"]), np.float64(node_b["reach"])
    while not spent(counts):
        counts[LEAF_TESTS] += 1
        if meshes:
            goal = end - t, 0.4 * pair["tolerance"]
            h, d, _, _ = triangles_step(
                world.points, world.faces, (node_a["first"], node_b["first"]), pose, motion, pair, reaches, goal
            )
        else:
            table_a, set_a = convex_set(geom_a, node_a, world.points, world.faces, workspace.corners_a)
            table_b, set_b = convex_set(geom_b, node_b, world.points, world.faces, workspace.corners_b)
            if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0:
                n = vec.add(pose[1], vec.matvec(pose[0], vec.load3(table_b, set_b[0])))
                n = vec.sub(n, vec.load3(table_a, set_a[0]))
            side_a, side_b = (table_a, set_a, reaches[0]), (table_b, set_b, reaches[1])
            h, _, d, n, _, _ = convex_step(side_a, side_b, pose, motion, pair, n, simplex, (near, 0.9, end - t))
        if d <= near:
            return CONTACT, t
        if later(t, h) >= end:
            return FREE, end
        if not later(t, h) > t:
            return CAPPED, t
        t = later(t, h)
        pose, motion = relative_state(pair, tables.sweeps, tables.joints, world.links, t)
    return CAPPED, t
