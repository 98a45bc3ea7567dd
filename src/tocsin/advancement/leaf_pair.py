"""Two leaves are advanced at once until they touch or are past the end [CATCH 3.4, eq. 4]."""

import numpy as np

from tocsin import vec
from tocsin.advancement.leaves import convex_set, convex_step, triangles_step
from tocsin.advancement.relative import relative_state
from tocsin.advancement.work import LEAF_TESTS, spent
from tocsin.compiler.jit import kernel
from tocsin.model.tables import MESH
from tocsin.outcome import CAPPED, CONTACT, FREE


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
