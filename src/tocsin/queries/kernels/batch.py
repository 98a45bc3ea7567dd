"""Many questions in one compiled call: the very kernels of single ones, one after the other.

A chunk of a batch is asked on one thread's buffers, without the interpreter's lock. What takes more than the kernels, a
chart that is yet to be made or an arc that only rationals decide, is marked, and left to a single question.
"""

from typing import NamedTuple

import numpy as np

from tocsin._cast import check_row, write_pose
from tocsin.advancement.work import STEPS
from tocsin.compiler.jit import kernel
from tocsin.motion.arcs import decide_arcs
from tocsin.outcome import UNCHARTED
from tocsin.queries.buffers import buffers_at
from tocsin.queries.kernels.at_moment import closest_pair
from tocsin.queries.kernels.first_contact import solve

OUTCOME = np.dtype(
    [
        ("time", "f8"),
        ("upper", "f8"),
        ("tolerance", "f8"),
        ("a", "i4"),  # shapes
        ("b", "i4"),
        ("stretch", "i4"),
        ("status", "i4"),  # see `outcome`; UNCHARTED: to be asked alone
    ],
    align=True,
)

NEAREST = np.dtype(
    [("distance", "f8"), ("lower", "f8"), ("point_a", "f8", 3), ("point_b", "f8", 3), ("a", "i4"), ("b", "i4")],
    align=True,
)


class Batch(NamedTuple):
    """Motions of one model, each through as many points."""

    front: np.ndarray
    """What all configuration rows begin with: a robot's base."""
    points: np.ndarray
    """(n, k, m): the rest of the rows, motion by motion; k is 1 where the model stands, 2 for edges."""
    quaternions: np.ndarray
    stretches: np.ndarray


@kernel
def write_rows(rows, batch, i):
    """Write the configuration rows of motion i."""
    f = batch.front.shape[0]
    for k in range(rows.shape[0]):
        for c in range(f):
            rows[k, c] = batch.front[c]
        for c in range(batch.points.shape[2]):
            rows[k, f + c] = batch.points[i, k, c]


@kernel
def first_wrong(batch, most, rows):
    """Return (i, k): the first motion and its point that a model cannot follow; (-1, -1) for none."""
    for i in range(batch.points.shape[0]):
        write_rows(rows, batch, i)
        for k in range(rows.shape[0]):
            if check_row(rows[k], batch.quaternions, most) != 0:
                return i, k
    return -1, -1


@kernel
def write_poses(poses, rows):
    """Write (n, 4, 4) matrices as pose rows; return the first that is no rigid transform, or -1."""
    for i in range(poses.shape[0]):
        if write_pose(poses[i], rows[i]) != 0:
            return i
    return -1


@kernel
def ask_chunk(table, batch, terms, first, last, rows, found):
    """Write the outcomes of the motions from `first` to before `last`; return how many steps they took."""
    buffers = buffers_at(table)
    configs = rows.reshape(rows.size)
    steps = 0
    for i in range(first, last):
        write_rows(rows, batch, i)
        record = found[i]
        if decide_arcs(rows, batch.quaternions, 0) >= 0:
            record["status"] = UNCHARTED
            continue
        status, time, upper, a, b, tolerance, stretch = solve(buffers, configs, batch.stretches, terms)
        steps += buffers.counts[STEPS]
        record["status"] = status
        record["time"] = time
        record["upper"] = upper
        record["tolerance"] = tolerance
        record["a"] = a
        record["b"] = b
        record["stretch"] = stretch
    return steps


@kernel
def measure_chunk(table, batch, first, last, rows, found):
    """Write the closest pairs where the model stands, from placement `first` to before `last`."""
    buffers = buffers_at(table)
    configs = rows.reshape(rows.size)
    for i in range(first, last):
        write_rows(rows, batch, i)
        upper, lower, a, b, x, y = closest_pair(buffers, configs, 0.0)
        record = found[i]
        record["distance"] = upper
        record["lower"] = lower
        record["a"] = a
        record["b"] = b
        for c in range(3):
            record["point_a"][c] = x[c]
            record["point_b"][c] = y[c]
