"""Many questions in one compiled call: the very kernels of single ones, one after the other.

Threads take motions of a batch one by one, from a counter that they share, and each asks on buffers of its own, without
the interpreter's lock: nobody waits for long for the last of them, however much they differ. What takes more than the
kernels, a chart that is yet to be made or an arc that only rationals decide, is left to a single question.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin.advancement.work import HASTE, STEPS, late
from tocsin.compiler.atomics import fetch_add
from tocsin.compiler.jit import kernel
from tocsin.motion.arcs import decide_arcs
from tocsin.outcome import CAPPED, UNCHARTED
from tocsin.queries.buffers import buffers_at
from tocsin.queries.kernels.at_moment import closest_pair
from tocsin.queries.kernels.first_contact import solve
from tocsin.row_checks import check_row, write_pose

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


CHUNK = 1024
"""Motions in a compiled call, at most. Between two calls charts are made and progress is told, which takes 20 µs of the
interpreter's lock."""

PART_FIRST, PART_WIDTH, PART_QUATERNIONS, PART_END = range(4)
"""Columns of the table of parts: where the rows of a model begin, how long one is, and which quaternions are its."""


class Batch(NamedTuple):
    """Motions of some models, all at once, each through as many points."""

    template: np.ndarray
    """(c,): configuration rows as questions take them, model by model, with what is the same in all motions."""
    places: np.ndarray
    """(m,): where in it the numbers of a motion go."""
    numbers: np.ndarray
    """(n, m): those numbers, motion by motion."""
    points: int
    """Rows of each model: 1 where it stands, 2 for edges."""
    parts: np.ndarray
    """(models, 4), see PART_FIRST and its neighbours."""
    quaternions: np.ndarray
    """Of all models, one after the other, where they start in a row of theirs."""
    most: np.ndarray
    """(c,): how large the entries may be."""
    stretches: np.ndarray


@kernel
def write_rows(configs, batch, i):
    """Write the configuration rows of motion i."""
    for c in range(configs.shape[0]):
        configs[c] = batch.template[c]
    write_numbers(configs, batch, i)


@kernel
def write_numbers(configs, batch, i):
    """Write what is motion i's own of its configuration rows."""
    for j in range(batch.places.shape[0]):
        configs[batch.places[j]] = batch.numbers[i, j]


@kernel
def turned(batch):
    """Is a quaternion among the numbers of motions?"""
    for m in range(batch.parts.shape[0]):
        for q in range(batch.parts[m, PART_QUATERNIONS], batch.parts[m, PART_END]):
            for k in range(batch.points):
                at = batch.parts[m, PART_FIRST] + k * batch.parts[m, PART_WIDTH] + batch.quaternions[q]
                for place in batch.places:
                    if at <= place < at + 4:
                        return True
    return False


@kernel
def within(batch, i):
    """Are the numbers of motion i finite, and no larger than they may be?"""
    for j in range(batch.places.shape[0]):
        x = batch.numbers[i, j]
        if not (math.isfinite(x) and abs(x) <= batch.most[batch.places[j]]):
            return False
    return True


@kernel
def first_wrong(batch, configs):
    """Return (i, m, k): the first motion, a model and its point that cannot be followed; i is -1 for none.

    `configs` is a copy of the template. What is the same in all motions is looked at with the first of them.
    """
    plain = not turned(batch)
    for i in range(batch.numbers.shape[0]):
        if plain and i > 0 and within(batch, i):
            continue
        write_numbers(configs, batch, i)
        for m in range(batch.parts.shape[0]):
            first, width = batch.parts[m, PART_FIRST], batch.parts[m, PART_WIDTH]
            quaternions = batch.quaternions[batch.parts[m, PART_QUATERNIONS] : batch.parts[m, PART_END]]
            for k in range(batch.points):
                at = first + k * width
                if check_row(configs[at : at + width], quaternions, batch.most[at : at + width]) != 0:
                    return i, m, k
    return -1, -1, -1


@kernel
def arcs_open(configs, batch):
    """Choose the arcs of all models; is one left open by rounding?"""
    for m in range(batch.parts.shape[0]):
        first, width = batch.parts[m, PART_FIRST], batch.parts[m, PART_WIDTH]
        quaternions = batch.quaternions[batch.parts[m, PART_QUATERNIONS] : batch.parts[m, PART_END]]
        rows = configs[first : first + batch.points * width].reshape((batch.points, width))
        if decide_arcs(rows, quaternions, 0) >= 0:
            return True
    return False


@kernel
def write_poses(poses, rows):
    """Write (n, 4, 4) matrices as pose rows; return the first that is no rigid transform, or -1."""
    for i in range(poses.shape[0]):
        if write_pose(poses[i], rows[i]) != 0:
            return i
    return -1


class Taken(NamedTuple):
    """What a compiled call has done."""

    done: int
    """How many motions."""
    left: int
    """The one that was taken and not done, since it was told to end (`work.late`); -1 for none."""
    steps: int
    """What they took."""
    alone: int
    """How many of them are to be asked alone."""


@kernel
def taken(dealt, left):
    """Return the motion to be done: one that was taken before, or else the next that nobody has."""
    return left if left >= 0 else fetch_add(dealt, 0, 1)


@kernel
def ask_edges(table, batch, terms, dealt, left, configs, found, alone):
    """Take motions and write their outcomes until none is left, or CHUNK are done, or it is told to end (`work.late`).

    `dealt` holds the next motion that nobody has. What is not decided when it ends is an answer if there is a deadline
    (HASTE), and not asked otherwise. `alone` gets those that are marked UNCHARTED.
    """
    counts = buffers_at(table).counts
    steps = done = lone = 0
    while done < CHUNK:
        i = taken(dealt, left)
        if i >= batch.numbers.shape[0]:
            return Taken(done, -1, steps, lone)
        left = -1
        if late(counts):
            return Taken(done, i, steps, lone)
        write_rows(configs, batch, i)
        record = found[i]
        if arcs_open(configs, batch):
            record["status"] = UNCHARTED
        else:
            status, time, upper, a, b, tolerance, stretch = solve(table, configs, batch.stretches, terms)
            steps += counts[STEPS]
            if status in (CAPPED, UNCHARTED) and counts[HASTE] == 0 and late(counts):
                return Taken(done, i, steps, lone)
            record["status"] = status
            record["time"] = time
            record["upper"] = upper
            record["tolerance"] = tolerance
            record["a"] = a
            record["b"] = b
            record["stretch"] = stretch
        if record["status"] == UNCHARTED:
            alone[lone] = i
            lone += 1
        done += 1
    return Taken(done, -1, steps, lone)


@kernel
def measure_placements(table, batch, dealt, left, configs, found):
    """Take placements and write the closest pairs where the models stand, in the way of `ask_edges`."""
    counts = buffers_at(table).counts
    done = 0
    while done < CHUNK:
        i = taken(dealt, left)
        if i >= batch.numbers.shape[0]:
            break
        left = -1
        if late(counts):
            return Taken(done, i, 0, 0)
        write_rows(configs, batch, i)
        upper, lower, a, b, x, y = closest_pair(table, configs)
        record = found[i]
        record["distance"] = upper
        record["lower"] = lower
        record["a"] = a
        record["b"] = b
        for c in range(3):
            record["point_a"][c] = x[c]
            record["point_b"][c] = y[c]
        done += 1
    return Taken(done, -1, 0, 0)
