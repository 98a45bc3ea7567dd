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
from tocsin.deform.dealing import OUT_OF_STEPS, OVER, Deal, Scratch, make_ledger, make_scratch, take_blocks
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


def cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


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
    found = _dealt(pairs, _cut(pairs, limit, threads), question, limit, threads, budget.left)
    at_start = question == FIRST and len(found.hits) > 0 and found.hits[0]["time"] == 0.0
    if threads > 1 and (at_start or not found.complete):
        again = _dealt(pairs, _cut(pairs, limit, 1), question, limit, 1, budget.left)
        found = again._replace(counts=again.counts + found.counts)
    budget.left -= int(work_of(found.counts))
    return found if found.complete or question == EVERY else ended(question)._replace(counts=found.counts)


Cut = tuple[int, np.ndarray, np.ndarray]
"""A pair, its tasks, and where its blocks of them end (`dealing.Deal`)."""


def _cut(pairs: Sequence[MeshPair], limit: float, threads: int) -> list[Cut]:
    """Cut the question into blocks of tasks, of each pair that does not stay apart as a whole."""
    cuts: list[Cut] = []
    boxes: dict[int, list[float]] = {}
    for p, pair in enumerate(pairs):
        if not pair.itself:
            for side in (pair.a, pair.b):
                if id(side) not in boxes:
                    boxes[id(side)] = side.box
            if _parted(boxes[id(pair.a)], boxes[id(pair.b)], pair.margin + pair.tolerance):
                continue
        mesh = pair.a.arrays
        own = (len(mesh.beside_start) - 1, len(mesh.ring_lengths)) if pair.itself else (0, 0)
        if threads == 1:
            tasks = _whole(*own)
            cuts.append((p, tasks, _all_of(len(tasks))))
            continue
        parts = BLOCKS * threads
        tops: tuple[IntArray, int] = spread(pair.for_kernels(), TASKS * threads, limit)
        tasks, n = tops
        ends = np.append(np.arange(0, n, max(-(-n // parts), 1)), n + np.arange(1 + len(_own(*own, parts))))
        cuts.append((p, np.concatenate([tasks[:n], _own(*own, parts)]), ends))
    return cuts


def _parted(a: list[float], b: list[float], by: float) -> bool:
    """Are two boxes (low x, y, z, then high), which contain all that models do, further apart than `by`?"""
    by *= 1.0 + 2.0**-40
    return (
        b[0] - a[3] > by or a[0] - b[3] > by or b[1] - a[4] > by or a[1] - b[4] > by or b[2] - a[5] > by
        or a[2] - b[5] > by
    )  # fmt: skip


@lru_cache(8)
def _all_of(tasks: int) -> np.ndarray:
    """Return where the one block of so many tasks ends."""
    return np.array([0, tasks])


@lru_cache(64)
def _whole(octets: int, rings: int) -> np.ndarray:
    """Return tasks for everything: the one pair of octets at the top, and a model's own."""
    return np.concatenate([np.array([[0, 0, LEVELS - 1]], np.int32), _own(octets, rings, 1)])


@lru_cache(64)
def _own(octets: int, rings: int, parts: int) -> np.ndarray:
    """Return tasks, in so many parts, for octets of a model that are beside each other, and for blocks of rings."""
    rows = []
    for count, kind in ((octets, BESIDE), (rings, RINGS)):
        ends = [count * k // parts for k in range(parts + 1)]
        rows += [(first, last, kind) for first, last in pairwise(ends) if first < last]
    return np.array(rows, np.int32).reshape(-1, 3)


def _dealt(
    pairs: Sequence[MeshPair], cuts: list[Cut], question: int, limit: float, threads: int, most: int
) -> FoundContacts:
    """Deal the blocks of a question out to threads, the caller among them; gather what they find in `most` steps."""
    ledger = make_ledger(len(pairs), most, threads)
    times = np.array([limit])

    def work() -> tuple[np.ndarray, list[tuple[int, np.ndarray]]]:
        scratch = _scratch()
        scratch.counts[:] = 0
        parts = []
        for p, tasks, ends in cuts:
            search = Search(question, empty_hits(question), 0, limit)
            deal = Deal(tasks, ends, p, ledger, times)
            found: Search = take_blocks(pairs[p].for_kernels(), deal, scratch.addresses, search)
            if found.found:
                parts.append((p, found.hits[: found.found]))
        return scratch.counts.copy(), parts

    if not cuts:
        return nothing()._replace(complete=most > 0)
    helpers = [_workers(threads).submit(work) for _ in range(threads - 1)]
    shares = [work()]
    shares += [helper.result() for helper in helpers if not helper.cancel()]  # one that has not begun is not needed
    counts, parts = shares[0]
    for others, more in shares[1:]:
        counts += others
        parts += more
    complete = not ledger[OUT_OF_STEPS] or bool(ledger[OVER])
    if not parts or (threads > 1 and not complete):  # then one thread does it again
        return FoundContacts(np.zeros(0, HIT), np.zeros(0, np.int64), counts, complete)
    hits = parts[0][1] if len(parts) == 1 else np.concatenate([part[1] for part in parts])
    pair = np.repeat([part[0] for part in parts], [len(part[1]) for part in parts]).astype(np.int64)
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
