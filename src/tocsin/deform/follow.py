"""Feature pairs of a deformable model and a partner that moves rigidly, each followed through the slabs of time.

`slabs` lists pairs that come near in a slab. Each of them is then asked for itself, in shorter slabs, as `slabs` asks
for a first contact: from where it is free until, four times as short after every contact that may be one of the
deviation, twice as long after a slab that is free. So a pair costs what it needs, and hierarchies are not fitted for
its sake.

A crew of pairs goes side by side: those that are in slabs of the same level are advanced in one call, eight in the
lanes of a register, and those in the same slab share the poses of the partner. What becomes of a pair does not depend
on the others (`advance`).
"""

import math
from typing import NamedTuple

import numpy as np

from tocsin import vec
from tocsin.compiler.jit import borrowed, kernel
from tocsin.deform.advance import ENDED, advance_all
from tocsin.motion.chain import chain_pose
from tocsin.outcome import FREE
from tocsin.simd.gathers import make_places
from tocsin.simd.lanes import DOUBLES

LINKS = 16
"""Links of a chain that are placed in a step of the cap."""

FINER = 2
"""Levels that a contact of the deviation leads down."""

CREW = 128
"""Pairs that are followed side by side."""

GONE, FOUND = -1, -2
"""In the place of a level, of a pair that is free, and of one that touches."""


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
    """Scratch of a crew: the points of those that are advanced as tables of their own, and where each of all stands."""

    first: np.ndarray
    second: np.ndarray
    numbers: np.ndarray
    queue: np.ndarray
    ended: np.ndarray
    tolerance: np.ndarray
    level: np.ndarray
    """(CREW,) the level of the slab that a pair is asked in next; GONE or FOUND."""
    slab: np.ndarray
    """(CREW,) which of that level it is."""
    chosen: np.ndarray
    """(CREW,) those that are advanced."""
    steps: np.ndarray
    """(2,) how many were taken, and how many may be."""


def make_trail(tolerance: float, most: int) -> Trail:
    """Return scratch for a tolerance, and for so many steps."""
    return Trail(
        make_places(2 * CREW),
        make_places(3 * CREW),
        np.zeros((CREW, 4), np.int32),
        np.zeros(CREW + DOUBLES, np.int32),
        np.zeros(CREW, ENDED),
        np.full(1, tolerance),
        np.zeros(CREW, np.int64),
        np.zeros(CREW, np.int64),
        np.zeros(CREW, np.int64),
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
def place_pair(kind, points, p, course, slab, trail, row):
    """Write the four points of pair p at both ends of a slab, (x, y, pose at x, pose at y), as pair `row` of those that
    are advanced; x and y are fractions of the stretch."""
    x, y, pose_x, pose_y = slab
    lone = 2 if kind == 2 else 1
    for c in range(4):
        table = trail.first if c < lone else trail.second
        at = lone * row + c if c < lone else (4 - lone) * row + c - lone
        trail.numbers[row, c] = at
        if (c < lone) == (kind != 1):
            put_soft(course.p0, course.p1, points[p, c], x, y, table, at)
        else:
            put_rigid(pose_x, pose_y, course.points, points[p, c], table, at)


@kernel
def place_level(kind, points, first, count, course, level, trail):
    """Choose those of a crew, `count` pairs from `first` on, that are in slabs of a level, and write where their points
    are; return how many."""
    n = 0
    p = 0
    while p < count:
        if trail.level[p] != level:
            p += 1
            continue
        j = trail.slab[p]
        x = math.ldexp(float(j), -level)
        y = math.ldexp(float(j + 1), -level)
        s = time_of(course.begin, course.end, x)
        e = time_of(course.begin, course.end, y)
        pose_s = chain_pose(course.joints, course.links, course.link, -1, s)
        pose_e = chain_pose(course.joints, course.links, course.link, -1, e)
        while p < count and (trail.level[p] != level or trail.slab[p] == j):
            if trail.level[p] == level:
                place_pair(kind, points, first + p, course, (x, y, pose_s, pose_e), trail, n)
                trail.chosen[n] = p
                n += 1
            p += 1
    return n


@kernel
def step_on(p, end, hit, course, level, k, trail):
    """Go on with pair p of a crew, by how it `ended` in its slab; `level` and k are of the slab in which it came near.

    One that touches has its time and its status written into `hit`.
    """
    deep = trail.level[p]
    j = trail.slab[p]
    if end["status"] == FREE:
        j += 1
        if deep > level and j % 2 == 0:
            deep -= 1
            j //= 2
        if j >= (k + 1) << (deep - level):
            deep = np.int64(GONE)
    elif deep == course.depth:
        s = time_of(course.begin, course.end, math.ldexp(float(j), -deep))
        e = time_of(course.begin, course.end, math.ldexp(float(j + 1), -deep))
        hit["time"] = later_of(s, e, end["time"])
        hit["status"] = end["status"]
        deep = np.int64(FOUND)
    else:
        deep, j = child_of(course.begin, course.end, course.depth, deep, j, end["time"])
    trail.level[p] = deep
    trail.slab[p] = j


@kernel
def follow_crew(kind, points, crew, course, slab, hits, trail):
    """Follow a crew, (first, count) of the pairs, from a slab, (level, k), on, until all are done or steps are out.

    `kind`: 0 a vertex of the deformable model and a face, 1 the partner's vertex, 2 two edges (`narrow`).
    """
    first, count = crew
    level, k = slab
    for p in range(count):
        trail.level[p], trail.slab[p] = child_of(
            course.begin, course.end, course.depth, level, k, hits[first + p]["time"]
        )
    left = count
    while left > 0 and trail.steps[0] <= trail.steps[1]:
        for deep in range(level, course.depth + 1):
            n = place_level(kind, points, first, count, course, deep, trail)
            if n == 0:
                continue
            _, steps = advance_all(
                kind == 2, ((trail.first, trail.second), trail.numbers, trail.queue), n, course.reach[deep],
                trail.tolerance, 1.0, False, trail.ended,
            )  # fmt: skip
            trail.steps[0] += steps + n * course.chain
            for q in range(n):
                p = trail.chosen[q]
                step_on(p, trail.ended[q], hits[first + p], course, level, k, trail)
                left -= trail.level[p] < 0


@kernel
def follow(kind, points, course, level, k, hits, trail):
    """Keep those of the hits of a slab, feature pairs of one kind, that touch, with their times; return how many.

    Where more steps are taken than may be, the rest is left out.
    """
    course = borrowed(course)
    trail = borrowed(trail)
    points = borrowed(points)
    hits = borrowed(hits)
    found = 0
    for first in range(0, points.shape[0], CREW):
        if trail.steps[0] > trail.steps[1]:
            break
        count = min(CREW, points.shape[0] - first)
        follow_crew(kind, points, (first, count), course, (level, k), hits, trail)
        for p in range(count):
            if trail.level[p] == FOUND:
                hits[found] = hits[first + p]
                found += 1
    return found
