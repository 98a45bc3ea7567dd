"""Dealing the tasks of a pair of models out to threads: each takes the next block of them as soon as it is done.

A block is taken inside the kernel, by an atomic count, so that a thread goes to Python once for a question: asked for
every block it cost as much as the blocks of a cloth of 20,000 triangles. Threads tell each other the best time so far;
that only leaves out what is proven to be later, so what is found does not depend on who did what when.
"""

from typing import NamedTuple

import numpy as np

from tocsin.compiler.addresses import Layout, table_of
from tocsin.compiler.atomics import fetch_add, lower
from tocsin.compiler.jit import kernel
from tocsin.deform.mesh_arrays import pair_at
from tocsin.deform.narrow import CAP, WORKSPACE, Search, Workspace, make_workspace, work_of
from tocsin.deform.traverse import LISTS, Lists, descend, is_over, make_lists

SPENT, MOST, THREADS, OUT_OF_STEPS, OVER, NEXT = range(6)
"""Entries of a ledger: steps that were taken and that may be, by how many threads; is the cap reached, is nothing else
of interest; from NEXT on, of every pair, which of its blocks is the next."""

BEST = 0
"""Of the times that threads share: the best so far."""


class Deal(NamedTuple):
    """The tasks of a pair, and what threads share about the whole question."""

    tasks: np.ndarray
    """(n, 3) what `traverse.descend` settles."""
    ends: np.ndarray
    """Block k is tasks ends[k] to ends[k + 1] - 1."""
    pair: int
    ledger: np.ndarray
    times: np.ndarray
    """(1,) BEST."""


class ThreadTables(NamedTuple):
    """What one thread writes on."""

    workspace: Workspace
    lists: Lists


THREAD = Layout(ThreadTables, workspace=WORKSPACE, lists=LISTS)
"""Its arrays; handed to a kernel one by one they took most of the 12 us of a call that had nothing to do."""

thread_at = THREAD.reader()
"""For kernels: the tables whose arrays are in a table."""


class Scratch(NamedTuple):
    """A thread's tables as kernels take them."""

    addresses: np.ndarray
    counts: np.ndarray
    """(COUNTS,) what the thread has done in the question."""


def make_scratch() -> Scratch:
    """Return tables for one more thread."""
    tables = ThreadTables(make_workspace(), make_lists())
    return Scratch(table_of(THREAD.checked(tables)), tables.workspace.counts)


def make_ledger(pairs: int, most: int, threads: int) -> np.ndarray:
    """Return what is shared about a question of so many pairs, which may take so many steps."""
    return np.array([0, most, threads, most <= 0, 0] + [0] * pairs, np.int64)


@kernel
def take_blocks(pair, deal, thread, search):
    """Settle blocks of a pair's tasks until none is left, or nothing matters any more; return the search then.

    A block may take an equal share of the steps that are left, so that all threads together take about as many as they
    may. `thread` are the addresses of its `ThreadTables`.
    """
    pair = pair_at(pair)
    tables = thread_at(thread)
    workspace = tables.workspace
    lists = tables.lists
    ledger = deal.ledger
    counts = workspace.counts
    while ledger[OVER] == 0 and ledger[OUT_OF_STEPS] == 0:
        k = fetch_add(ledger, NEXT + deal.pair, 1)
        if k + 1 >= deal.ends.shape[0]:
            break
        before = work_of(counts)
        share = max((ledger[MOST] - ledger[SPENT]) // ledger[THREADS], 1)
        counts[CAP] = before + share
        limit = min(search.limit, deal.times[BEST])
        search = Search(search.question, search.hits, search.found, limit)
        search = descend(pair, deal.tasks, deal.ends[k], deal.ends[k + 1], workspace, lists, search)
        taken = work_of(counts) - before
        spent = fetch_add(ledger, SPENT, taken) + taken
        if taken > share or spent > ledger[MOST]:
            ledger[OUT_OF_STEPS] = 1
        if search.found > 0:
            lower(deal.times, BEST, search.limit)
            if is_over(search):
                ledger[OVER] = 1
    counts[CAP] = 0
    return search
