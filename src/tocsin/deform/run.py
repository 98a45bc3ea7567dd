"""Asking about pairs of deformable models, on several threads, with the same answer whatever their number.

Pairs of octets near the top are dealt out in blocks (`dealing`): what is found does not depend on who did what when.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tocsin._types import IntArray
from tocsin.compiler.threads import cores
from tocsin.deform.dealing import (
    OUT_OF_STEPS,
    OVER,
    Deal,
    Scratch,
    make_ledger,
    make_scratch,
    table_of_pairs,
    take_blocks,
)
from tocsin.deform.hierarchy import LEVELS
from tocsin.deform.mesh_arrays import MeshPair
from tocsin.deform.mesh_state import MeshState
from tocsin.deform.narrow import COUNTS, EVERY, FIRST, HIT, Search, work_of
from tocsin.deform.ranking import in_order
from tocsin.deform.traverse import BESIDE, RINGS, empty_hits, spread
from tocsin.outcome import CAPPED

TASKS = 32
"""Pairs of octets that a question is cut into for each thread, or more: opening them is one thread's work."""

BLOCKS = 12
"""Blocks of tasks for each thread."""

SMALL = 4096
"""Elements below which one thread is enough: waking another takes as long as the question."""


SLAB, FITTED = 64, 16
"""Steps that a stretch or a slab of time is counted as, whatever there is to look at; elements fitted in a step."""

UNLIMITED = 2**62
"""Steps of a question without a cap."""


class FoundContacts(NamedTuple):
    """Contacts, and the pair that each belongs to."""

    hits: np.ndarray
    pair: np.ndarray
    counts: np.ndarray
    complete: bool = True
    """False if the budget ended the search."""


@dataclass
class Budget:
    """How many steps a question may still take (`narrow.work_of`); all that it does is charged to it.

    So time and memory are bounded by the cap: what the kernels do by counts, what is done around them by how large the
    tables are that it goes through.
    """

    left: int

    def spend(self, steps: int) -> None:
        """Charge steps, whether there are so many or not: what is asked next ends at once."""
        self.left -= steps

    def fit(self, *models: MeshState) -> None:
        """Charge a stretch or a slab of time, and fitting models to it."""
        self.left -= SLAB + sum(len(model.given.corners) for model in models) // FITTED


@cache
def _workers(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="tocsin")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_workers.cache_clear)  # threads do not follow into another process

_kept = threading.local()


def _scratch() -> Scratch:
    """Return this thread's tables: what a small question needs is less than what making them costs."""
    if not hasattr(_kept, "scratch"):
        _kept.scratch = make_scratch()
    return _kept.scratch


def find(
    pairs: Sequence[MeshPair],
    question: int,
    *,
    limit: float = 1.0,
    threads: int | None = None,
    budget: Budget | None = None,
) -> FoundContacts:
    """Return the first contact of all pairs (none or one), every contact, or any: those up to `limit`, in order.

    A contact at time 0 ends the search for the first: none is earlier. Which one was met first depends on the threads;
    so then one thread goes through everything in order until it meets one. The same where the budget ends the search:
    what was looked at by then depends on the threads. Of a list that ended so there is what was found; else nothing is
    known, from the start on.
    """
    budget = budget or Budget(UNLIMITED)
    if threads != 1 and sum(len(pair.a.arrays.corners) + len(pair.b.arrays.corners) for pair in pairs) < SMALL:
        threads = 1
    threads = threads or cores()
    found = _dealt(pairs, question, limit, threads, budget.left)
    at_start = question == FIRST and len(found.hits) > 0 and found.hits[0]["time"] == 0.0
    if threads > 1 and (at_start or not found.complete):
        again = _dealt(pairs, question, limit, 1, budget.left)
        found = again._replace(counts=again.counts + found.counts)
    budget.left -= int(work_of(found.counts))
    return found if found.complete or question == EVERY else ended(question)._replace(counts=found.counts)


def _cut(pairs: Sequence[MeshPair], limit: float, threads: int) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Cut the question into blocks of tasks; return which pairs do not stay apart as a whole, and theirs.

    As `dealing.Deal` has them; a pair of a block is its place among those that are left.
    """
    met: list[int] = []
    sizes: list[tuple[int, int]] = []
    boxes: dict[int, list[float]] = {}
    for p, pair in enumerate(pairs):
        if pair.itself:
            mesh = pair.a.arrays
            sizes.append((len(mesh.beside_start) - 1, len(mesh.ring_lengths)))
        else:
            for side in (pair.a, pair.b):
                if id(side) not in boxes:
                    boxes[id(side)] = side.box
            if _parted(boxes[id(pair.a)], boxes[id(pair.b)], pair.margin + pair.tolerance):
                continue
            sizes.append((0, 0))
        met.append(p)
    if threads == 1 or not met:
        return met, *_whole(tuple(sizes))
    parts = BLOCKS * threads
    tasks, blocks, before = [], [], 0
    for k, (p, own) in enumerate(zip(met, sizes)):
        tops: tuple[IntArray, int] = spread(pairs[p].for_kernels(), TASKS * threads, limit)
        n = tops[1]
        rest = _own(*own, parts)
        ends = np.append(np.arange(0, n, max(-(-n // parts), 1)), n + np.arange(1 + len(rest))) + before
        tasks += [tops[0][:n], rest]
        blocks.append(np.stack([ends[:-1], ends[1:], np.full(len(ends) - 1, k)], axis=1))
        before = int(ends[-1])
    return met, np.concatenate(tasks), np.concatenate(blocks)


def _parted(a: list[float], b: list[float], by: float) -> bool:
    """Are two boxes (low x, y, z, then high), which contain all that models do, further apart than `by`?"""
    by *= 1.0 + 2.0**-40
    return (
        b[0] - a[3] > by or a[0] - b[3] > by or b[1] - a[4] > by or a[1] - b[4] > by or b[2] - a[5] > by
        or a[2] - b[5] > by
    )  # fmt: skip


@lru_cache(64)
def _whole(sizes: tuple[tuple[int, int], ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return tasks for everything, of each pair the one pair of octets at the top and what is its own, in one block."""
    top = np.array([[0, 0, LEVELS - 1]], np.int32)
    tasks = [np.concatenate([top, _own(*own, 1)]) for own in sizes]
    ends = np.cumsum([0, *map(len, tasks)])
    return np.concatenate([top[:0], *tasks]), np.stack([ends[:-1], ends[1:], np.arange(len(sizes))], axis=1)


@lru_cache(64)
def _own(octets: int, rings: int, parts: int) -> np.ndarray:
    """Return tasks, in so many parts, for octets of a model that are beside each other, and for blocks of rings."""
    rows = []
    for count, kind in ((octets, BESIDE), (rings, RINGS)):
        ends = [count * k // parts for k in range(parts + 1)]
        rows += [(first, last, kind) for first, last in pairwise(ends) if first < last]
    return np.array(rows, np.int32).reshape(-1, 3)


def _dealt(pairs: Sequence[MeshPair], question: int, limit: float, threads: int, most: int) -> FoundContacts:
    """Deal the blocks of a question out to threads, the caller among them; gather what they find in `most` steps."""
    met, tasks, blocks = _cut(pairs, limit, threads)
    if not met:
        return nothing()._replace(complete=most > 0)
    table = table_of_pairs([pairs[p] for p in met])
    deal = Deal(tasks, blocks, make_ledger(most, threads), np.array([limit]))

    def work() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        scratch = _scratch()
        scratch.counts[:] = 0
        best = np.zeros(len(met), HIT)
        found = np.zeros(len(met), np.int64)
        search = Search(question, empty_hits(question), 0, limit)
        hits = take_blocks(table, deal, scratch.addresses, search, best, found)
        hits = hits[: found.sum()] if question == EVERY else best.take(np.flatnonzero(found))
        return scratch.counts.copy(), hits, found

    helpers = [_workers(threads).submit(work) for _ in range(threads - 1)]
    shares = [work()]
    shares += [helper.result() for helper in helpers if not helper.cancel()]  # one that has not begun is not needed
    counts = shares[0][0]
    for others, _, _ in shares[1:]:
        counts += others
    complete = not deal.ledger[OUT_OF_STEPS] or bool(deal.ledger[OVER])
    shares = [share for share in shares if len(share[1])]
    if not shares or (threads > 1 and not complete):  # then one thread does it again
        return FoundContacts(np.zeros(0, HIT), np.zeros(0, np.int64), counts, complete)
    hits = shares[0][1] if len(shares) == 1 else np.concatenate([share[1] for share in shares])
    pair = np.concatenate([np.repeat(met, share[2]) for share in shares])
    ranked = in_order(hits, pair)
    if question != EVERY:
        ranked = ranked[:1]
    return FoundContacts(hits.take(ranked), pair[ranked], counts, complete)  # 40 times as fast as hits[ranked]


def nothing() -> FoundContacts:
    """Return no contacts."""
    return FoundContacts(np.zeros(0, HIT), np.zeros(0, np.int64), np.zeros(COUNTS, np.int64))


def undecided(t: float) -> FoundContacts:
    """Return that nothing is known beyond a time."""
    hits = np.zeros(1, HIT)
    hits["time"], hits["kind"], hits["status"] = t, -1, CAPPED
    return nothing()._replace(hits=hits, pair=np.zeros(1, np.int64), complete=False)


def ended(question: int) -> FoundContacts:
    """Return what is known where the budget ended the search before it began: nothing, from the start on."""
    return nothing()._replace(complete=False) if question == EVERY else undecided(0.0)
