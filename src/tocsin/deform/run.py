"""Asking about pairs of deformable models, on several threads, with the same answer whatever their number.

Pairs of octets near the top are dealt out in blocks. Blocks tell each other the best time so far; that only leaves out
what is proven to be later, so what is found does not depend on who did what when.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tocsin.deform.advance import CONTACT
from tocsin.deform.narrow import ANY, COUNTS, EVERY, HIT
from tocsin.deform.sides import Side
from tocsin.deform.traverse import descend, empty_hits, spread

TASKS = 256
"""Pairs of octets that a question is cut into, or more."""

BLOCKS = 48
"""Blocks of tasks that are handed out one by one."""


class Pair(NamedTuple):
    """Two models that may touch, or one and itself."""

    a: Side
    b: Side
    itself: bool
    margin: float
    tolerance: float
    overlaps: bool


class Found(NamedTuple):
    """Contacts, and the pair that each belongs to."""

    hits: np.ndarray
    pair: np.ndarray
    counts: np.ndarray


def cores() -> int:
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


@cache
def _workers(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="tocsin")


def find(pairs: Sequence[Pair], question: int, *, limit: float = 1.0, threads: int | None = None) -> Found:
    """Return the first contact of all pairs (none or one), every contact, or any: those up to `limit`, in order."""
    blocks = []
    for p, pair in enumerate(pairs):
        tasks, n = spread(pair.a, pair.b, pair.itself, TASKS, limit, pair.margin)
        size = max(-(-n // BLOCKS), 1)
        blocks += [(p, tasks, first, min(first + size, n)) for first in range(0, n, size)]
    best = [limit]
    done: list[bool] = []

    def settle(block: tuple[int, np.ndarray, int, int]) -> tuple[int, np.ndarray, np.ndarray]:
        p, tasks, first, last = block
        counts = np.zeros(COUNTS, np.int64)
        if done:
            return p, np.zeros(0, HIT), counts
        pair = pairs[p]
        answer: Any = descend(
            pair.a, pair.b, pair.itself, tasks, first, last, pair.margin, pair.tolerance, min(best), question,
            pair.overlaps, empty_hits(question), 0, counts,
        )  # fmt: skip
        hits, found, reached = answer
        if question != EVERY and found:
            best.append(reached)
            if question == ANY and hits[0]["status"] == CONTACT:
                done.append(True)
        return p, hits[:found], counts

    threads = min(threads or cores(), max(len(blocks), 1))
    parts = list(map(settle, blocks) if threads == 1 else _workers(threads).map(settle, blocks))
    counts = sum((part[2] for part in parts), np.zeros(COUNTS, np.int64))
    hits = np.concatenate([part[1] for part in parts]) if parts else np.zeros(0, HIT)
    pair = np.repeat([part[0] for part in parts], [len(part[1]) for part in parts]).astype(np.int64)
    order = np.lexsort((hits["b"], hits["a"], hits["kind"], pair, hits["time"]))
    if question != EVERY:
        order = order[:1]
    return Found(hits[order], pair[order], counts)


def nothing() -> Found:
    """Return no contacts."""
    return Found(np.zeros(0, HIT), np.zeros(0, np.int64), np.zeros(COUNTS, np.int64))


def first_time(found: Found) -> float:
    """Return the time of the first contact, inf if there is none."""
    return float(found.hits[0]["time"]) if len(found.hits) else math.inf
