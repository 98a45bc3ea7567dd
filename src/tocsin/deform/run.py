"""Asking about pairs of deformable models, on several threads, with the same answer whatever their number.

Pairs of octets near the top are dealt out in blocks. Blocks tell each other the best time so far; that only leaves out
what is proven to be later, so what is found does not depend on who did what when.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tocsin.deform.hierarchy import LEVELS
from tocsin.deform.mesh_arrays import MeshArrays
from tocsin.deform.mesh_state import MeshState
from tocsin.deform.narrow import ANY, CAP, COUNTS, EVERY, FIRST, HIT, make_workspace, work_of
from tocsin.deform.ranking import in_order
from tocsin.deform.traverse import BESIDE, RINGS, descend, empty_hits, make_lists, spread
from tocsin.outcome import CAPPED, CONTACT

TASKS = 256
"""Pairs of octets that a question is cut into, or more."""

BLOCKS = 12
"""Blocks of tasks for each thread, handed out one by one."""

SMALL = 4096
"""Elements below which one thread is enough: waking another takes as long as the question."""


SLAB, FITTED = 64, 16
"""Steps that a stretch or a slab of time is counted as, whatever there is to look at; elements fitted in a step."""

UNLIMITED = 2**62
"""Steps of a question without a cap."""


class MeshPair(NamedTuple):
    """Two models that may touch, or one and itself."""

    a: MeshArrays
    b: MeshArrays
    itself: bool
    margin: float
    tolerance: float
    overlaps: bool


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


_kept = threading.local()


def _scratch() -> tuple[Any, Any]:
    """Return this thread's workspace: what a small question needs is less than what making it costs."""
    if not hasattr(_kept, "workspace"):
        _kept.workspace, _kept.lists = make_workspace(), make_lists()
    return _kept.workspace, _kept.lists


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
    small = sum(len(pair.a.corners) + len(pair.b.corners) for pair in pairs) < SMALL
    threads = 1 if small else threads or cores()
    found = _dealt(pairs, _blocks(pairs, limit, threads), question, limit, threads, budget.left)
    at_start = question == FIRST and len(found.hits) > 0 and found.hits[0]["time"] == 0.0
    if threads > 1 and (at_start or not found.complete):
        again = _dealt(pairs, _blocks(pairs, limit, 1), question, limit, 1, budget.left)
        found = again._replace(counts=again.counts + found.counts)
    budget.left -= int(work_of(found.counts))
    return found if found.complete or question == EVERY else ended(question)._replace(counts=found.counts)


def _blocks(pairs: Sequence[MeshPair], limit: float, threads: int) -> list[Any]:
    """Cut the question: (pair, tasks, first, last), of each pair that does not stay apart as a whole."""
    blocks: list[Any] = []
    for p, pair in enumerate(pairs):
        if not pair.itself and _parted(pair):
            continue
        own = (len(pair.a.beside_start) - 1, len(pair.a.ring_lengths)) if pair.itself else (0, 0)
        if threads == 1:
            tasks = _whole(*own)
            blocks.append((p, tasks, 0, len(tasks)))
            continue
        parts = BLOCKS * threads
        tasks, n = spread(pair.a, pair.b, pair.itself, TASKS, limit, pair.margin + pair.tolerance)
        size = max(-(-n // parts), 1)
        blocks += [(p, tasks, first, min(first + size, n)) for first in range(0, n, size)]
        tasks = _own(*own, parts)
        blocks += [(p, tasks, k, k + 1) for k in range(len(tasks))]
    return blocks


def _parted(pair: MeshPair) -> bool:
    """Are the boxes of two models, which contain all that they do, further apart than what matters?"""
    by = (pair.margin + pair.tolerance) * (1.0 + 2.0**-40)
    a, b = pair.a.box, pair.b.box
    return any(b[k] - a[k + 3] > by or a[k] - b[k + 3] > by for k in range(3))


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
    pairs: Sequence[MeshPair], blocks: list[Any], question: int, limit: float, threads: int, most: int
) -> FoundContacts:
    """Deal blocks out to threads, the caller among them, and gather what they find in `most` steps.

    A block may take an equal share of the steps that are left, so that all threads together take about `most`.
    """
    best = [limit]
    spent: list[int] = []
    spent_all: list[bool] = [True] if most <= 0 else []
    done: list[bool] = []
    waiting = iter(enumerate(blocks))
    parts: dict[int, tuple[int, np.ndarray]] = {}
    counts = np.zeros(COUNTS, np.int64)

    def work() -> np.ndarray:
        own = np.zeros(COUNTS, np.int64)
        before = 0
        workspace, lists = _scratch()
        while not done and not spent_all:
            k, block = next(waiting, (-1, None))
            if block is None:
                break
            share = max((most - sum(spent)) // threads, 1)
            own[CAP] = before + share
            p, tasks, first, last = block
            pair = pairs[p]
            bounds = (pair.margin, pair.tolerance, min(best), question)
            hits: Any = empty_hits(question)
            n: Any = 0
            hits, n, reached, after = descend(
                pair.a, pair.b, pair.itself, tasks, first, last, workspace, lists, *bounds, pair.overlaps, hits, n, own
            )
            spent.append(after - before)
            if after - before > share or sum(spent) > most:
                spent_all.append(True)
            before = after
            if n:
                parts[k] = (p, hits[:n])
                best.append(reached)
                ends = question == ANY or (question == FIRST and hits[0]["time"] == 0.0)
                if ends and hits[0]["status"] == CONTACT:
                    done.append(True)
        own[CAP] = 0
        return own

    helpers = [_workers(threads).submit(work) for _ in range(threads - 1)]
    counts += work()
    for helper in helpers:
        counts += helper.result()
    complete = not spent_all or bool(done)
    if not parts or (threads > 1 and not complete):  # then one thread does it again
        return nothing()._replace(counts=counts, complete=complete)
    order = sorted(parts)
    hits = parts[order[0]][1] if len(order) == 1 else np.concatenate([parts[k][1] for k in order])
    pair = np.repeat([parts[k][0] for k in order], [len(parts[k][1]) for k in order]).astype(np.int64)
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
