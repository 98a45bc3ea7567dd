"""A feature pair of a deformable model and a partner that moves rigidly, followed by itself through the slabs of time.

`slabs` lists pairs that come near in a slab. Each of them is then asked alone, in shorter slabs, as `slabs` asks for a
first contact: from where it is free until, four times as short after every contact that may be one of the deviation,
twice as long after a slab that is free. So a pair costs what it needs, and hierarchies are not fitted for its sake.
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.deform.advance import ENDED, advance_all
from tocsin.motion.chain import chain_pose
from tocsin.outcome import FREE
from tocsin.simd.gathers import make_places
from tocsin.simd.lanes import DOUBLES

LINKS = 16
"""Links of a chain that are placed in a step of the cap."""

FINER = 2
"""Levels that a contact of the deviation leads down."""


class Course(NamedTuple):
    """How both sides move during a stretch, and the slabs of it."""

    joints: np.ndarray
    links: np.ndarray
    link: int
    begin: float
    end: float
    depth: int
    reach: np.ndarray
    """(depth + 1,) the margin of each level."""
    p0: np.ndarray
    """(n, 3) the deformable model's vertices at both ends."""
    p1: np.ndarray
    points: np.ndarray
    """(m, 3) the partner's, in the frame of its link."""
    chain: int
    """Steps that placing it is counted as."""


class Trail(NamedTuple):
    """Scratch of one pair: its four points as a table of their own."""

    first: np.ndarray
    second: np.ndarray
    numbers: np.ndarray
    queue: np.ndarray
    ended: np.ndarray
    tolerance: np.ndarray
    steps: np.ndarray
    """(2,) how many were taken, and how many may be."""


def make_trail(tolerance: float, most: int) -> Trail:
    """Return scratch for a tolerance, and for so many steps."""
    return Trail(
        make_places(2),
        make_places(3),
        np.zeros((1, 4), np.int32),
        np.zeros(1 + DOUBLES, np.int32),
        np.zeros(1, ENDED),
        np.full(1, tolerance),
        np.array([0, most], np.int64),
    )


@kernel
def time_of(begin, end, x):
    """Return the time at a fraction x of a stretch, which at 1 is its end."""
    return end if x >= 1.0 else begin + (end - begin) * x


@kernel
def later_of(s, e, x):
    """Return a time no later than s + x (e - s), and s if x is 0."""
    return s if x <= 0.0 else max(s, (s + x * (e - s)) * (1.0 - 2.0**-51))


@kernel
def child_of(begin, end, depth, level, k, x):
    """Return (level, k) of the slab with which to go on where slab k of a level is free up to its fraction x.

    It begins no later than that: times on the grid are off by less than a slab of the deepest level, so that one step
    back is enough.
    """
    s = time_of(begin, end, math.ldexp(float(k), -level))
    e = time_of(begin, end, math.ldexp(float(k + 1), -level))
    below = min(level + FINER, depth)
    parts = 1 << (below - level)
    first = k * parts
    j = first + min(int(x * parts), parts - 1)
    if j > first and time_of(begin, end, math.ldexp(float(j), -below)) > later_of(s, e, x):
        j -= 1
    return below, j


@kernel
def put_soft(p0, p1, v, x, y, places, row):
    """Write where a vertex of the deformable model is at the fractions x and y of the stretch."""
    for c in range(3):
        places[row, c] = (1.0 - x) * p0[v, c] + x * p1[v, c]
        places[row, 3 + c] = (1.0 - y) * p0[v, c] + y * p1[v, c]


@kernel
def put_rigid(pose_s, pose_e, points, v, places, row):
    """Write where a point of the partner is in two poses."""
    local = vec.load3(points, v)
    p = vec.add(pose_s[1], vec.matvec(pose_s[0], local))
    q = vec.add(pose_e[1], vec.matvec(pose_e[0], local))
    for c in range(3):
        places[row, c] = p[c]
        places[row, 3 + c] = q[c]


@kernel
def place_pair(kind, points, p, course, x, y, trail):
    """Write the four points of pair p at both ends of the slab from x to y, which are fractions of the stretch."""
    s = time_of(course.begin, course.end, x)
    e = time_of(course.begin, course.end, y)
    pose_s = chain_pose(course.joints, course.links, course.link, -1, s)
    pose_e = chain_pose(course.joints, course.links, course.link, -1, e)
    lone = 2 if kind == 2 else 1
    for c in range(4):
        table = trail.first if c < lone else trail.second
        row = c if c < lone else c - lone
        trail.numbers[0, c] = row
        if (c < lone) == (kind != 1):
            put_soft(course.p0, course.p1, points[p, c], x, y, table, row)
        else:
            put_rigid(pose_s, pose_e, course.points, points[p, c], table, row)


@kernel
def follow_pair(kind, points, p, course, level, k, x, trail):
    """Return (status, time) of pair p in slab k of a level, where it comes near at the fraction x; FREE if it does not.

    `kind`: 0 a vertex of the deformable model and a face, 1 the partner's vertex, 2 two edges (`narrow`).
    """
    deep, j = child_of(course.begin, course.end, course.depth, level, k, x)
    while j < (k + 1) << (deep - level) and trail.steps[0] <= trail.steps[1]:
        begun = math.ldexp(float(j), -deep)
        until = math.ldexp(float(j + 1), -deep)
        place_pair(kind, points, p, course, begun, until, trail)
        _, steps = advance_all(
            kind == 2, ((trail.first, trail.second), trail.numbers, trail.queue), 1, course.reach[deep],
            trail.tolerance, 1.0, False, trail.ended,
        )  # fmt: skip
        trail.steps[0] += steps + course.chain
        status = trail.ended[0]["status"]
        if status == FREE:
            j += 1
            if deep > level and j % 2 == 0:
                deep -= 1
                j //= 2
            continue
        near = trail.ended[0]["time"]
        if deep == course.depth:
            s = time_of(course.begin, course.end, begun)
            e = time_of(course.begin, course.end, until)
            return status, later_of(s, e, near)
        deep, j = child_of(course.begin, course.end, course.depth, deep, j, near)
    return FREE, 0.0


@kernel
def follow(kind, points, course, level, k, hits, trail):
    """Keep those of the hits of a slab, feature pairs of one kind, that touch, with their times; return how many.

    Where more steps are taken than may be, the rest is left out.
    """
    found = 0
    for p in range(points.shape[0]):
        if trail.steps[0] > trail.steps[1]:
            break
        status, time = follow_pair(kind, points, p, course, level, k, hits[p]["time"], trail)
        if status != FREE:
            hits[found] = hits[p]
            hits[found]["time"] = time
            hits[found]["status"] = status
            found += 1
    return found
