"""Stage two on its own: every pair of a moving and a standing shape goes in, and what comes out is looked at."""

import numpy as np

import tocsin
from tocsin.broad_phase.moving import set_motion
from tocsin.interval.swept_cull import make_swept, swept_cull
from tocsin.motion.knots import WHOLE

PAIR = np.dtype([("a", "i4"), ("b", "i4"), ("margin", "f8")], align=True)


def ready(scene, motion):
    """Return (world, stage, swept) with the joints of one motion written."""
    world = scene.context.tables()
    prepared, configs, _ = scene.context.prepared(world, (motion,))
    buffers = prepared.buffers
    is_active = np.array([model is motion.model for model in scene.models])
    swept = make_swept(world, is_active, buffers.static_boxes, buffers.static_child, buffers.static_geom)
    set_motion(buffers, configs, WHOLE)
    return world, buffers, swept


def kept(scene, motion, margin=0.0, t0=0.0, t1=1.0):
    """Return {(moving shape, standing shape): (start, end)} of the pairs that stage two keeps."""
    world, buffers, swept = ready(scene, motion)
    moving = np.flatnonzero(swept.row >= 0)
    standing = np.flatnonzero(swept.row < 0)
    pairs = np.zeros(len(moving) * len(standing), PAIR)
    pairs["a"], pairs["b"] = np.repeat(moving, len(standing)), np.tile(standing, len(moving))
    pairs["margin"] = margin
    n, window = swept_cull(world, buffers.joints, buffers.sweeps, swept, pairs, len(pairs), t0, t1)
    return {(int(p["a"]), int(p["b"])): (float(w[0]), float(w[1])) for p, w in zip(pairs[:n], window)}


def splinter(tip, away, size):
    """Return a thin triangle whose first corner is `tip` and which points away from there."""
    side = np.cross(away, np.eye(3)[np.abs(away).argmin()])
    return tocsin.Mesh(
        np.array([tip, tip + size * away + 0.01 * size * side, tip + size * away - 0.01 * size * side]),
        np.array([[0, 1, 2]]),
    )
