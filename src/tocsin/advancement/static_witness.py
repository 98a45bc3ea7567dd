"""Static witnesses: do two shapes touch at one given moment?

A yes-or-no question is settled by any contact, at whatever time: a witness at one moment is a proof. Contacts on the
edges of planners are seldom short. Nine in ten are present at t = 1, 1/2, 3/4 or 1/4, most at the first two, and a look
there costs a fraction of advancing up to them. A look that finds nothing, or gives up, proves nothing.
"""

import numpy as np

from tocsin import vec
from tocsin.advancement.box_step import box_gap, boxes_of, center_of, deepest_on_top, facing, quad_gaps
from tocsin.advancement.leaves import convex_set, hull_of, placed_triangle, triangle
from tocsin.advancement.relative import relative_state
from tocsin.compiler.jit import kernel
from tocsin.geometry.convex import convex_distance
from tocsin.geometry.descent import quad_to_open
from tocsin.geometry.tree import spread
from tocsin.geometry.triangles import triangle_pair
from tocsin.model.tables import CONVEX, MESH
from tocsin.simd.lanes import bits, select

LOOKS = (1.0, 0.5)
"""Where in a slab `is_free` looks before it goes on; at its end, where there are several slabs, before it culls. What
touches at neither is as soon reached as seen: looks at 3/4 and 1/4 cost free motions of a PR2 a tenth, for nothing."""

UNSEEN = 24
"""Steps that `is_free` takes on a short motion before it looks: as they are charged, or those of a pair that has an
account of its own."""

TESTS = 24
"""Box and leaf tests after which a look gives up: of contacts of edges 95 in 100 are found within 14, by going down
where boxes overlap most; surfaces that come close without touching could take hundreds."""


@kernel
def leaves_touch(world, geom_a, geom_b, node_a, node_b, pose, workspace, near):
    """Are there two points of two leaves, as a witness, that are no farther apart than `near`?"""
    if geom_a["kind"] == MESH and geom_b["kind"] == MESH:
        a0, a1, a2 = triangle(world.points, world.faces, node_a["first"])
        (b0, b1, b2), _ = placed_triangle(world.points, world.faces, node_b["first"], pose)
        d, _, _ = triangle_pair(a0, a1, a2, b0, b1, b2)
        return d <= near
    table_a, set_a = convex_set(geom_a, node_a, world.points, world.faces, workspace.corners_a)
    table_b, set_b = convex_set(geom_b, node_b, world.points, world.faces, workspace.corners_b)
    guess = vec.add(pose[1], vec.matvec(pose[0], center_of(node_b)))
    guess = vec.sub(guess, center_of(node_a))
    goal = near, near, 0.0
    _, upper, _, _, _ = convex_distance(table_a, set_a, table_b, set_b, pose, guess, workspace.simplex, goal)
    return upper <= near


@kernel
def gap_of_hulls(world, pair, pose, workspace, near):
    """Return (lower, n): the gap between the hulls of two shapes along the unit direction n, in a's frame.

    It is looked for until it is wider than `near`, or cannot be.
    """
    geom_a, geom_b = world.geoms[pair["a"]], world.geoms[pair["b"]]
    guess = (pair["direction"][0], pair["direction"][1], pair["direction"][2])
    if guess[0] == 0.0 and guess[1] == 0.0 and guess[2] == 0.0:
        guess = vec.add(pose[1], vec.matvec(pose[0], center_of(world.nodes[geom_b["root"]])))
        guess = vec.sub(guess, center_of(world.nodes[geom_a["root"]]))
    lower, _, n, _, _ = convex_distance(
        world.points, hull_of(geom_a), world.points, hull_of(geom_b), pose, guess, workspace.simplex, (near, near, 0.0)
    )
    return lower, n


@kernel
def gaps_along(quads, q, node, pose, of_a, n):
    """Return lanes: the gaps along n of the four boxes of a quad to a node of the other, as `quad_gaps` has them."""
    other, _ = facing(node, pose, of_a)
    if not of_a:
        back = vec.tmatvec(pose[0], n)
        n = (-back[0], -back[1], -back[2])
    center, axes, half = boxes_of(quads, q)
    width = spread(other[2], other[1], n)
    return (vec.dot(n, other[0]) - width) - vec.dot(center, n) - spread(half, axes, n)


@kernel
def boxes_apart(world, sweeps, joints, pair, t):
    """Are the boxes of a pair too far apart at time t for a witness?"""
    near = pair["margin"] + pair["tolerance"] - pair["noise"]
    pose, _ = relative_state(pair, sweeps, joints, world.links, t)
    gap, _ = box_gap(world.nodes[world.geoms[pair["a"]]["root"]], world.nodes[world.geoms[pair["b"]]["root"]], pose)
    return gap > near


@kernel
def has_static_witness(world, sweeps, joints, workspace, pair, t):
    """Is the pair seen to touch at time t? True is a proof: two points are within margin + tolerance.

    The distance of two leaves is up to the pair's noise, which is subtracted from what is accepted, as in the
    advancement. Boxes and hulls farther apart than that are not opened, nor are boxes that are along the direction
    between the hulls; of those that are, the one with the deepest overlap is opened first.
    """
    near = pair["margin"] + pair["tolerance"] - pair["noise"]
    geom_a = world.geoms[pair["a"]]
    geom_b = world.geoms[pair["b"]]
    a = geom_a["root"]
    b = geom_b["root"]
    pose, _ = relative_state(pair, sweeps, joints, world.links, t)
    gap, _ = box_gap(world.nodes[a], world.nodes[b], pose)
    if gap > near:
        return False
    n = (0.0, 0.0, 0.0)
    if not (geom_a["kind"] == CONVEX and geom_b["kind"] == CONVEX):
        lower, n = gap_of_hulls(world, pair, pose, workspace, near)
        if lower > near:
            return False
    stack = workspace.stack
    stack[0, 0] = a
    stack[0, 1] = b
    top = 1
    for _ in range(TESTS):
        if top == 0:
            break
        top -= 1
        a = stack[top, 0]
        b = stack[top, 1]
        node_a = world.nodes[a]
        node_b = world.nodes[b]
        if node_a["count"] > 0 and node_b["count"] > 0:
            if leaves_touch(world, geom_a, geom_b, node_a, node_b, pose, workspace, near):
                return True
            continue
        open_a, q = quad_to_open(node_a, node_b)
        gaps = quad_gaps(world.quads, q, node_b if open_a else node_a, pose, open_a)
        if n[0] != 0.0 or n[1] != 0.0 or n[2] != 0.0:
            along = gaps_along(world.quads, q, node_b if open_a else node_a, pose, open_a, n)
            gaps = select(along > gaps, along, gaps)
        top = deepest_on_top(stack, top, world.kids, q, (a, b), open_a, gaps, bits(gaps > near))
    return False


@kernel
def static_witness_during(world, sweeps, joints, workspace, pair, begin, end):
    """Return one of LOOKS in [begin, end] at which the pair is seen to touch, or infinity."""
    for k in range(len(LOOKS)):
        t = end if k == 0 else begin + (end - begin) * LOOKS[k]
        if pair["start"] <= t and has_static_witness(world, sweeps, joints, workspace, pair, t):
            return t
    return np.inf
