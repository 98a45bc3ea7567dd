"""Pairs of features and of convex solids: the part of an interval in which they can touch, and whether they do.

An *item* is a pair of nodes (BOXES), a pair of leaves of which one is a convex solid (SOLIDS), or one elementary
equation of two triangles: VERTEX_FACE + k is vertex k of b's triangle against a's, FACE_VERTEX + k the reverse,
EDGE_EDGE + 3 i + k edge i of a's against edge k of b's.

Convex solids (spheres, capsules, cylinders, boxes, hulls, and triangles against one of these) have no finite list of
equations; their inequality is that of `contraction` with their support functions: for any direction n, the support of
a linear image L B along -n is that of B along -L^T n, disks and balls included, and G is concave because a support
function is convex. GJK only proposes the direction, at some moment of the interval; a poor one excludes less.
"""

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance, support_value
from tocsin.interval.box_separation import clearance
from tocsin.interval.contraction import contract, linear_pose, placed
from tocsin.interval.equations import edge_edge, vertex_face
from tocsin.interval.witness import APART, TOUCHING, UNDECIDED, edge_gap, triangles_at, vertex_gap
from tocsin.model.tables import CONVEX
from tocsin.motion.chain import chain_pose
from tocsin.motion.joints import UP

BOXES, SOLIDS, VERTEX_FACE, FACE_VERTEX, EDGE_EDGE, KINDS = 0, 1, 2, 5, 8, 17
"""What an item is; from VERTEX_FACE on, one equation."""


@kernel
def corner(world, f, k):
    """Return corner k of triangle f in its link's frame."""
    return vec.load3(world.points, world.faces[f, k % 3])


@kernel
def equation_range(world, pair, relative, kind, fa, fb, lo, hi):
    """Return the part of [lo, hi] in which one equation can have a valid root (`equations`)."""
    if kind < EDGE_EDGE:
        side = 0 if kind < FACE_VERTEX else 1
        k = kind - VERTEX_FACE if side == 0 else kind - FACE_VERTEX
        p = corner(world, fb if side == 0 else fa, k)
        f = fa if side == 0 else fb
        x0 = relative["x0"] if side == 0 else relative["y0"]
        x1 = relative["x1"] if side == 0 else relative["y1"]
        need = clearance(pair, relative, side, vec.norm(p))
        return vertex_face(
            placed(x0, x1, lo, p), placed(x0, x1, hi, p), corner(world, f, 0), corner(world, f, 1),
            corner(world, f, 2), need, lo, hi,
        )  # fmt: skip
    i = (kind - EDGE_EDGE) // 3
    k = (kind - EDGE_EDGE) % 3
    a = corner(world, fa, i)
    u = vec.sub(corner(world, fa, i + 1), a)
    c = corner(world, fb, k)
    d = corner(world, fb, k + 1)
    x0 = relative["x0"]
    x1 = relative["x1"]
    need = clearance(pair, relative, 0, max(vec.norm(c), vec.norm(d)))
    c0 = placed(x0, x1, lo, c)
    c1 = placed(x0, x1, hi, c)
    v0 = vec.sub(placed(x0, x1, lo, d), c0)
    v1 = vec.sub(placed(x0, x1, hi, d), c1)
    loose = (relative["rho"][0] * vec.norm(vec.sub(d, c)) + 2.0 * pair["noise"]) * UP
    other = c0, v0, vec.sub(c1, c0), vec.sub(v1, v0)
    return edge_edge((a, u), other, (need, loose, pair["margin"]), lo, hi)


@kernel
def convex_set(world, geom, node, scratch):
    """Return (table, (first, count, radius, disk)) of a leaf: a convex solid is its proxy, a triangle its corners."""
    if geom["kind"] == CONVEX:
        return world.points, (geom["proxy"], geom["proxy_count"], geom["proxy_radius"], geom["proxy_disk"])
    for k in range(3):
        p = corner(world, node["first"], k)
        for i in range(3):
            scratch[k, i] = p[i]
    return scratch, (np.int32(0), np.int32(3), 0.0, 0.0)


@kernel
def gap_at(table_a, a, table_b, b, pose, n):
    """Return G of `contraction` for two convex sets at one moment, radii included, for any vector n."""
    reach_a = support_value(table_a, a[0], a[1], a[3], n)
    back = vec.tmatvec(pose[0], n)
    reach_b = support_value(table_b, b[0], b[1], b[3], (-back[0], -back[1], -back[2]))
    return vec.dot(n, pose[1]) - reach_b - reach_a - (a[2] + b[2]) * vec.norm(n) * UP


@kernel
def solid_range(world, pair, relative, workspace, leaves, lo, hi):
    """Return the part of [lo, hi] in which two leaves, of which one is a convex solid, can be within the margin.

    A ball of radius r around a point of b is a ball in a's frame too, so radii are not mapped. A cylinder's disk is
    mapped with its axis; the frame in which `support` lays it out is off by a few roundings, which the noise holds.
    """
    node_b = world.nodes[leaves[1]]
    table_a, a = convex_set(world, world.geoms[pair["a"]], world.nodes[leaves[0]], workspace.corners_a)
    table_b, b = convex_set(world, world.geoms[pair["b"]], node_b, workspace.corners_b)
    need = clearance(pair, relative, 0, np.float64(node_b["reach"]))
    x0 = relative["x0"]
    x1 = relative["x1"]
    n = (0.0, 0.0, 0.0)
    for attempt in range(3):
        # In the middle first, which settles what passes by; then at the ends, which close in on a contact.
        s = 0.5 * (lo + hi) if attempt == 0 else (lo if attempt == 1 else hi)
        if n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0:
            n = vec.sub(placed(x0, x1, s, vec.load3(table_b, b[0])), vec.load3(table_a, a[0]))
        _, _, n, _, _ = convex_distance(
            table_a, a, table_b, b, linear_pose(x0, x1, s), n, workspace.simplex, (need, -1.0, 0.9)
        )
        beyond = need * vec.norm(n) * UP
        at_lo = gap_at(table_a, a, table_b, b, linear_pose(x0, x1, lo), n) - beyond
        at_hi = gap_at(table_a, a, table_b, b, linear_pose(x0, x1, hi), n) - beyond
        lo, hi = contract(at_lo, at_hi, 0.0, lo, hi, lo, hi)
        if lo >= hi:
            break
    return lo, hi


@kernel
def pose_at(joints, links, pair, t):
    """Return (R, T): the pose of b in a's frame at time t, by the joints between them."""
    ra, pa = chain_pose(joints, links, pair["link_a"], pair["stop"], t)
    rb, pb = chain_pose(joints, links, pair["link_b"], pair["stop"], t)
    return vec.tmatmul(ra, rb), vec.tmatvec(ra, vec.sub(pb, pa))


@kernel
def seen(world, f, k, pose):
    """Return corner k of b's triangle f in a's frame."""
    return vec.add(vec.matvec(pose[0], corner(world, f, k)), pose[1])


@kernel
def touches(world, joints, pair, kind, a, b, t, workspace):
    """Are the two features, or solids, of an item within margin + tolerance at time t, proven by two points?"""
    near = pair["margin"] + pair["tolerance"] - pair["noise"]
    pose = pose_at(joints, world.links, pair, t)
    if kind == SOLIDS:
        table_a, set_a = convex_set(world, world.geoms[pair["a"]], world.nodes[a], workspace.corners_a)
        table_b, set_b = convex_set(world, world.geoms[pair["b"]], world.nodes[b], workspace.corners_b)
        n = vec.add(pose[1], vec.matvec(pose[0], vec.load3(table_b, set_b[0])))
        n = vec.sub(n, vec.load3(table_a, set_a[0]))
        goal = near, near, 0.9
        _, upper, _, _, _ = convex_distance(table_a, set_a, table_b, set_b, pose, n, workspace.simplex, goal)
        return upper <= near
    if kind < FACE_VERTEX:
        gap = vertex_gap(seen(world, b, kind - VERTEX_FACE, pose), corner(world, a, 0), corner(world, a, 1),
                         corner(world, a, 2))  # fmt: skip
    elif kind < EDGE_EDGE:
        gap = vertex_gap(corner(world, a, kind - FACE_VERTEX), seen(world, b, 0, pose), seen(world, b, 1, pose),
                         seen(world, b, 2, pose))  # fmt: skip
    else:
        i = (kind - EDGE_EDGE) // 3
        k = (kind - EDGE_EDGE) % 3
        gap = edge_gap(
            corner(world, a, i), corner(world, a, i + 1), seen(world, b, k, pose), seen(world, b, k + 1, pose)
        )
    return vec.norm(gap) <= near


@kernel
def has_solid(world, pair):
    """Is one of the two shapes a convex solid?"""
    return world.geoms[pair["a"]]["kind"] == CONVEX or world.geoms[pair["b"]]["kind"] == CONVEX


@kernel
def leaves_at(world, joints, pair, relative, workspace, leaves, t):
    """Return APART, TOUCHING or UNDECIDED for two leaves at time t, the interval at hand being that moment."""
    a, b = leaves
    if has_solid(world, pair):
        lo, hi = solid_range(world, pair, relative, workspace, leaves, 0.0, 0.0)
        if lo > hi:
            return APART
        return TOUCHING if touches(world, joints, pair, SOLIDS, a, b, t, workspace) else UNDECIDED
    pose = pose_at(joints, world.links, pair, t)
    fa = world.nodes[a]["first"]
    fb = world.nodes[b]["first"]
    return triangles_at(
        (corner(world, fa, 0), corner(world, fa, 1), corner(world, fa, 2)),
        (seen(world, fb, 0, pose), seen(world, fb, 1, pose), seen(world, fb, 2, pose)),
        pair["margin"] + pair["noise"], pair["margin"] + pair["tolerance"] - pair["noise"],
    )  # fmt: skip
