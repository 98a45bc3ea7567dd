"""A deformable model against a partner that moves rigidly, in slabs of time that are as short as necessary.

In a slab both sides move along straight lines, up to the partner's deviation d, which is added to the margin: what is
free with that margin is free. A contact may be due to the deviation alone. It proves that everything is free until
then, so shorter slabs are asked from there on.

Slabs are those of a grid: level l cuts the stretch into 2^l of equal length. At the deepest level 2 d is below half of
the tolerance (or d is mostly rounding, which no shorter slab helps: then a contact is left undecided). Contacts are
decided there and nowhere else, by each feature pair for itself; larger slabs only tell what is free.

Claim: what touches at the deepest level is never called free by a larger slab. So the first contact and a list, which
ask different larger slabs, tell the same times, bit by bit.
Proof. A contact at the deepest level means that the straight lines there are within m + d + tol / 2, the true shapes
within m + 2 d + tol / 2, and the straight lines of a larger slab, whose deviation is D, within m + D + (2 d + tol / 2):
that is the margin for which larger slabs are asked, and nothing within its margin is called free.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tocsin.deform.follow import LINKS, Course, child_of, follow, later_of, make_trail, time_of
from tocsin.deform.mesh_arrays import FittedMesh, MeshPair
from tocsin.deform.mesh_state import MeshState
from tocsin.deform.narrow import ANY, COUNTS, EDGE_EDGE, EDGE_FACE, EVERY, FIRST, STEPS, VERTEX_FACE
from tocsin.deform.ranking import in_order
from tocsin.deform.rigid_mesh import LinkMotion, RigidMesh
from tocsin.deform.run import Budget, FoundContacts, find, nothing, undecided
from tocsin.deform.starting import any_in
from tocsin.outcome import CAPPED

FINEST = 2.0**-44
"""The shortest slab, of the time at which it is: its ends are known up to a hundredth of its length."""

COARSE = 0.02
"""Of the width of elements: lists are made in slabs whose deviation is at most this. In longer ones, much that is only
near would be listed, and followed: with 0.25 nine in ten of 90,000 pairs between a cloth and bumps that turn below it,
three to five times the time; with 0.002 slabs are so many that it grows again."""

BLIND = 1.0
"""Widths of elements: where the deviation is more, the first contact is not looked for in a slab, only whether
anything is near. Which of all that is within the deviation comes first takes many steps, and says little."""

SORTED = 16
"""Feature pairs of a slab, and such that are known already, that are looked through in a step."""


class SoftRigidPair(NamedTuple):
    """One deformable model and one shape of a link, over a stretch of time."""

    soft: MeshState
    ends: tuple[np.ndarray, np.ndarray]
    """The deformable model's vertices at both ends of the stretch."""
    begin: float
    end: float
    rigid: RigidMesh
    path: LinkMotion
    origin: np.ndarray
    margin: float
    tolerance: float
    overlaps: bool
    noise: float
    """Metres by which the deformable model's own positions may be off in a slab."""


class Slabs:
    """The grid of slabs of a stretch, and what they are asked."""

    def __init__(self, mixed: SoftRigidPair, budget: Budget, threads: int | None) -> None:
        self.mixed = mixed
        self.budget = budget
        self._chain = mixed.path.length_of_chain // LINKS
        self._threads = threads
        self.counts = np.zeros(COUNTS, np.int64)
        rigid, path = mixed.rigid, mixed.path
        allowed = 0.25 * mixed.tolerance
        longest = path.longest(rigid, allowed - mixed.noise)
        if longest == 0.0:
            longest = path.longest(rigid, 2.0 * path.deviation(rigid, 0.0) + mixed.noise)
        self.depth = 0
        while self._duration(self.depth) > longest and self._duration(self.depth + 1) > FINEST * mixed.end:
            self.depth += 1
        self.deviation = [self._deviation(level) for level in range(self.depth + 1)]
        least = self.deviation[-1]
        self.decides = least <= allowed
        """Is a contact at the deepest level one within the tolerance?"""
        near = mixed.margin + rigid.radius
        self.reach = np.array([near + d + 2.0 * least + 0.5 * mixed.tolerance for d in self.deviation])
        self.reach *= 1.0 + 2.0**-50
        self.reach[-1] = near + least

    def _duration(self, level: int) -> float:
        """Return how long a slab is at most, the rounding of its ends included."""
        return math.ldexp(self.mixed.end - self.mixed.begin, -level) + 2.0**-51 * self.mixed.end

    def _deviation(self, level: int) -> float:
        return self.mixed.path.deviation(self.mixed.rigid, self._duration(level)) + self.mixed.noise

    def time(self, level: int, k: int) -> float:
        """Return when slab k of a level begins, and the one before it ends."""
        return time_of(self.mixed.begin, self.mixed.end, math.ldexp(k, -level))

    def _vertices(self, level: int, k: int) -> np.ndarray:
        p, q = self.mixed.ends
        x = math.ldexp(k, -level)
        return p if x == 0.0 else q if x == 1.0 else (1.0 - x) * p + x * q

    def fit(self, level: int, k: int) -> tuple[FittedMesh, FittedMesh]:
        """Return both models as they are during a slab."""
        mixed = self.mixed
        a = mixed.soft.fit(self._vertices(level, k), self._vertices(level, k + 1), mixed.origin)
        placed = [mixed.path.place(mixed.rigid, self.time(level, j)) for j in (k, k + 1)]
        self.budget.fit(mixed.soft, mixed.rigid.soft)
        self.budget.spend(self._chain)
        return a, mixed.rigid.soft.fit(placed[0], placed[1], mixed.origin)

    def loses(self, level: int, sides: tuple[FittedMesh, FittedMesh], most: float) -> bool:
        """Return whether the deviation is more than so many widths of elements, and shorter slabs have less."""
        widths = [side.size for side in sides if side.size > 0.0]
        return level < self.depth and self.deviation[level] > most * min(widths, default=math.inf)

    def ask(
        self, level: int, k: int, sides: tuple[FittedMesh, FittedMesh], question: int, limit: float = 1.0
    ) -> FoundContacts:
        """Ask about one slab; times that come back are fractions of it.

        Every slab from the start on is asked for overlaps: a contact of the deviation alone may hide one.
        """
        overlaps = self.mixed.overlaps and k == 0
        pair = MeshPair(*sides, False, float(self.reach[level]), 0.5 * self.mixed.tolerance, overlaps)
        found = find([pair], question, limit=limit, threads=self._threads, budget=self.budget)
        self.counts += found.counts
        return found

    def follow(self, level: int, k: int, hits: np.ndarray) -> tuple[np.ndarray, bool]:
        """Return which of the feature pairs that come near in a slab touch there, with their times, and if that is all.

        Each goes its own way through the slabs below.
        """
        mixed = self.mixed
        path = mixed.path
        course = Course(
            path.joints, path.links, path.link, mixed.begin, mixed.end, self.depth, self.reach, *mixed.ends,
            mixed.rigid.points, self._chain,
        )  # fmt: skip
        trail = make_trail(0.5 * mixed.tolerance, self.budget.left)
        parts = []
        for kind in range(EDGE_FACE):
            some = hits[hits["kind"] == kind]
            if len(some):
                points = points_of(kind, some, mixed.soft, mixed.rigid.soft)
                parts.append(some[: follow(kind, points, course, level, k, some, trail)])
        self.budget.spend(int(trail.steps[0]))
        self.counts[STEPS] += trail.steps[0]
        return np.concatenate(parts), self.budget.left > 0


def points_of(kind: int, hits: np.ndarray, a: MeshState, b: MeshState) -> np.ndarray:
    """Return (n, 4): the vertices of feature pairs of a kind, vertex and face or two edges, as `feature_filter` orders
    them."""
    i, j = hits["a"], hits["b"]
    if kind == EDGE_EDGE:
        both = a.directed[i], b.directed[j]
    else:
        both = (i[:, None], b.given.corners[j]) if kind == VERTEX_FACE else (j[:, None], a.given.corners[i])
    return np.ascontiguousarray(np.concatenate(both, axis=1), np.int32)


def first_contact(slabs: Slabs, limit: float) -> FoundContacts:
    """Return the first contact up to `limit`, its time in terms of the whole motion; one hit or none.

    Where a slab is asked only whether anything is near, its first half comes next: nothing is known to be free.
    """
    level = k = 0
    while k < 2**level:
        s, e = slabs.time(level, k), slabs.time(level, k + 1)
        if s > limit:
            break
        part = min((limit - s) / (e - s) * (1.0 + 2.0**-50), 1.0) if limit < e else 1.0
        sides = slabs.fit(level, k)
        blind = slabs.loses(level, sides, BLIND)
        found = slabs.ask(level, k, sides, ANY if blind else FIRST, part)
        if not found.complete:
            return undecided(s)._replace(counts=slabs.counts)
        if not len(found.hits):
            k += 1
            if level > 0 and k % 2 == 0:
                level, k = level - 1, k // 2
            continue
        if blind:
            level, k = level + 1, 2 * k
            continue
        hit = found.hits[0]
        x = float(hit["time"])
        if level == slabs.depth or hit["kind"] >= EDGE_FACE:
            hit["time"] = later_of(s, e, x)
            if not slabs.decides and hit["kind"] < EDGE_FACE:
                hit["status"] = CAPPED
            return found._replace(counts=slabs.counts)
        level, k = child_of(slabs.mixed.begin, slabs.mixed.end, slabs.depth, level, k, x)
    return nothing()._replace(counts=slabs.counts)


def free_until(slabs: Slabs) -> float:
    """Return a time before which nothing touches, `inf` if nothing does; half of the budget is for this.

    What touches at the deepest level is never called free by a larger slab: so no entry of a list is earlier.
    """
    whole, half = slabs.budget, Budget(slabs.budget.left // 2)
    whole.spend(half.left)
    slabs.budget = half
    found = first_contact(slabs, slabs.mixed.end)
    whole.spend(-half.left)
    slabs.budget = whole
    return float(found.hits[0]["time"]) if len(found.hits) else math.inf


def every_contact(slabs: Slabs, limit: float) -> FoundContacts:
    """Return every feature pair that touches up to `limit`, with its first time; in order.

    Of the whole stretch the first contact is asked for before: where there is none, lists of what is near are not
    needed. Up to an earlier limit, which is that of contacts known already, rounding would hide those at the limit.
    Time is opened before space: where more than a part of elements' widths is lost to the deviation, quarters are
    asked, or halves where that is enough.
    """
    free = free_until(slabs) if limit >= slabs.mixed.end else slabs.mixed.begin
    waiting = [(0, 0)] if free < math.inf else []
    parts: list[np.ndarray] = []
    known = np.zeros(0, np.int64)
    complete = True
    while waiting and complete:
        level, k = waiting.pop()
        if slabs.time(level, k) > limit:
            break
        if slabs.time(level, k + 1) < free:
            continue
        sides = slabs.fit(level, k)
        coarse = slabs.loses(level, sides, COARSE)
        found = slabs.ask(level, k, sides, ANY if coarse else EVERY)
        complete = found.complete
        if coarse:
            if len(found.hits):
                finer = 2 if slabs.loses(level + 1, sides, COARSE) else 1
                waiting += [(level + finer, j) for j in reversed(range(k << finer, (k + 1) << finer))]
            continue
        slabs.budget.spend((len(found.hits) + len(known)) // SORTED)
        hits = found.hits[~any_in(keys_of(found.hits)[:, None], known)]
        overlaps = hits["kind"] >= EDGE_FACE
        near, through = hits[~overlaps], hits[overlaps]
        through["time"] = slabs.mixed.begin
        if level == slabs.depth:
            s, e = slabs.time(level, k), slabs.time(level, k + 1)
            near["time"] = [later_of(s, e, x) for x in near["time"].tolist()]
        elif len(near):
            near, whole = slabs.follow(level, k, near)
            complete = complete and whole
        if not slabs.decides:
            near["status"] = CAPPED
        parts += [near, through]
        known = np.sort(np.concatenate([known, keys_of(near)]))
    hits = np.concatenate([nothing().hits, *parts])
    pair = np.zeros(len(hits), np.int64)
    return FoundContacts(hits[in_order(hits, pair)] if len(hits) else hits, pair, slabs.counts, complete)


def keys_of(hits: np.ndarray) -> np.ndarray:
    """Return one number for each feature pair."""
    kind, a, b = (hits[name].astype(np.int64) for name in ("kind", "a", "b"))
    return kind << 60 | a << 30 | b
