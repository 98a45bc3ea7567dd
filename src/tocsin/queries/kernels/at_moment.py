"""Questions about one moment: what touches then, and what is closest."""

from tocsin.broad_phase.moving import MODEL, all_pairs, set_motion
from tocsin.broad_phase.pairs import prepare
from tocsin.broad_phase.sweep import link_middle
from tocsin.compiler.jit import kernel
from tocsin.contacts.closest import closest
from tocsin.contacts.manifold import manifold
from tocsin.motion.knots import WHOLE
from tocsin.queries.buffers import buffers_at
from tocsin.queries.kernels.candidates import cull, named


@kernel
def touching(table, configs, stretch, t, margin, grow, tolerance, max_tests):
    """Return (touches, n, whole): the contact manifold at time t of a stretch."""
    buffers = buffers_at(table)
    set_motion(buffers, configs, stretch)
    pairs, n = cull(buffers, buffers.workspace.pairs, t, t, margin, grow, tolerance)
    return manifold(buffers.world, buffers.sweeps, buffers.joints, buffers.workspace, pairs, n, t, max_tests)


@kernel
def nearest(table, configs, margin):
    """Return what `closest_pair` does, called from Python."""
    return closest_pair(buffers_at(table), configs, margin)


@kernel
def closest_pair(buffers, configs, margin):
    """Return (upper, lower, geom_a, geom_b, x, y): the closest pair of a standing scene, by its active models."""
    world, workspace, active = buffers.world, buffers.workspace, buffers.active
    joints, sweeps = buffers.joints, buffers.sweeps
    set_motion(buffers, configs, WHOLE)
    for k in range(active.shape[0]):
        model = world.models[active[k, MODEL]]
        for i in range(model["link"], model["link"] + model["links"]):
            link_middle(sweeps, joints, world.links, i, 0.0, 0.0)
    pairs, n = all_pairs(buffers, workspace.pairs, margin)
    for p in range(n):
        prepare(pairs[p], world.geoms, joints, world.links, sweeps, -1.0, 0.0)
    upper, lower, p, x, y = closest(world, sweeps, joints, workspace, pairs, n, 0.0)
    if p < 0:
        return upper, lower, -1, -1, x, y
    a, b, _ = named(pairs, p)
    return upper, lower, a, b, x, y
