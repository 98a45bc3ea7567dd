"""The tables of one query on its way through the solver: frames, relative motions, pairs, scratch."""

from typing import NamedTuple

import numpy as np

from tocsin.compiler.jit import kernel
from tocsin.interval.frames import (
    FRAME,
    HASH_SLOTS,
    RELATIVE,
    add_frame,
    refresh,
    relate,
    relate_back,
    slot_of,
    write_identity,
)

INTERVALS, BOX_TESTS, EQUATIONS, EQUATION_TESTS, SOLID_TESTS, MOTIONS, STEPS = range(7)
"""Counts of a query: intervals of time; tests of boxes, equations generated, tests of equations and of convex solids;
relative motions bounded; steps, which the cap counts: boxes, and equations and solids taken up again."""


class SolverWorkspace(NamedTuple):
    """What the solver works with; written by `lay_out` for one piece of a motion."""

    pairs: np.ndarray
    relation: np.ndarray
    """Pair -> its relative motion."""
    frames: np.ndarray
    matrices: np.ndarray
    """(n, 3, 4, 5): Taylor matrices of the frames."""
    relatives: np.ndarray
    scratch: np.ndarray
    """(2, 3, 4, 5)."""
    work: np.ndarray
    """(8, 3): of the box test."""
    simplex: np.ndarray
    corners_a: np.ndarray
    corners_b: np.ndarray
    stack: np.ndarray
    """(n, 2): nodes still to be looked at; `ranges` has their times."""
    ranges: np.ndarray
    counts: np.ndarray


@kernel
def lay_out(pairs, n, world, joints, workspace, plain, counts):
    """Return the workspace for the first n pairs, whose records are filled in; `plain`: as in `switches`."""
    frames = np.zeros(64, dtype=FRAME)
    frames[0]["plain"] = plain
    keys = np.zeros(64, dtype=np.int64)
    slots = np.full(HASH_SLOTS, -1, dtype=np.int32)
    relatives = np.zeros(max(n, 1), dtype=RELATIVE)
    relative_keys = np.zeros(max(n, 1), dtype=np.int64)
    relative_slots = np.full(HASH_SLOTS, -1, dtype=np.int32)
    relation = np.zeros(max(n, 1), dtype=np.int32)
    keys[0] = -1
    count = 1
    used = 0
    for p in range(n):
        stop = pairs[p]["stop"]
        frames, keys, count, a = add_frame(frames, keys, slots, count, joints, world.links, pairs[p]["link_a"], stop)
        frames, keys, count, b = add_frame(frames, keys, slots, count, joints, world.links, pairs[p]["link_b"], stop)
        key = np.int64(a) * 4294967296 + b
        k = slot_of(relative_slots, relative_keys, key)
        if k >= 0 and relative_slots[k] >= 0:
            relation[p] = relative_slots[k]
            continue
        relative_keys[used] = key
        relatives[used]["frame_a"] = a
        relatives[used]["frame_b"] = b
        relatives[used]["stamp"] = -1
        relatives[used]["back_stamp"] = -1
        relation[p] = used
        if k >= 0:
            relative_slots[k] = used
        used += 1
    matrices = np.zeros((count, 3, 4, 5))
    write_identity(matrices[0])
    return SolverWorkspace(
        pairs, relation, frames, matrices, relatives, np.zeros((2, 3, 4, 5)), np.zeros((8, 3)), workspace.simplex,
        workspace.corners_a, workspace.corners_b, np.zeros((1024, 2), dtype=np.int32), np.zeros((1024, 2)), counts,
    )  # fmt: skip


@kernel
def ready(workspace, joints, p, t0, t1, stamp):
    """Make sure that the relative motion of pair p during [t0, t1] is there, and return its record."""
    relative = workspace.relatives[workspace.relation[p]]
    if relative["stamp"] != stamp:
        a = relative["frame_a"]
        b = relative["frame_b"]
        stands = relative["stamp"] >= 0 and workspace.frames[a]["moves"] == 0 and workspace.frames[b]["moves"] == 0
        if not stands:
            bring(workspace, joints, a, b, t0, t1, stamp)
            relate(relative, workspace.matrices, workspace.scratch)
            relative["stamp"] = stamp
            workspace.counts[MOTIONS] += 1
    return relative


@kernel
def ready_back(workspace, joints, p, t0, t1, stamp):
    """Make sure that the inverse of the relative motion of pair p is there as well, and return its record."""
    relative = workspace.relatives[workspace.relation[p]]
    if relative["back_stamp"] != stamp:
        bring(workspace, joints, relative["frame_a"], relative["frame_b"], t0, t1, stamp)
        relate_back(relative, workspace.matrices, workspace.scratch)
        relative["back_stamp"] = stamp
    return relative


@kernel
def bring(workspace, joints, a, b, t0, t1, stamp):
    """Bring the matrices of two frames up to date; the identity always is."""
    if a != 0:
        refresh(workspace.frames, workspace.matrices, workspace.scratch[0], joints, a, t0, t1, stamp)
    if b != 0:
        refresh(workspace.frames, workspace.matrices, workspace.scratch[0], joints, b, t0, t1, stamp)
