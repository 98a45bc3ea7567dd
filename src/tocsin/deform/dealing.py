"""Shares the tasks of all pairs of models among threads: each thread takes the next block as soon as it is done.

A block is taken inside the kernel, by an atomic counter, so that a thread enters Python once per question. Entering it
for every block took as long as the blocks of a cloth of 20,000 triangles themselves, and for every pair a third of the
time of four small models. Threads tell each other the best time so far; that only leaves out what is proven to be
later, so what is found does not depend on who did what when.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tocsin.compiler.addresses import Layout, table_of
from tocsin.compiler.atomics import fetch_add, lower
from tocsin.compiler.jit import PURE_PYTHON, kernel
from tocsin.deform.mesh_arrays import MeshPair, pair_at
from tocsin.deform.narrow import CAP, EVERY, WORKSPACE, Search, Workspace, make_workspace, work_of
from tocsin.deform.traverse import LISTS, Lists, descend, is_over, make_lists

SPENT, MOST, THREADS, OUT_OF_STEPS, OVER, NEXT = range(6)
"""Entries of a ledger: steps that were taken and that may be, by how many threads; is the cap reached, is nothing else
of interest; which block is the next."""

BEST = 0
"""Of the times that threads share: the best so far."""

SIDE_A, SIDE_B, ITSELF, OVERLAPS, MARGIN, TOLERANCE = 0, 1, 2, 3, 0, 1
"""Columns of `PairTable.sides`, and of `PairTable.near`."""


class PairTable(NamedTuple):
    """The pairs of models of a question."""

    meshes: np.ndarray
    """The addresses of every mesh (`mesh_arrays.mesh_at`), one table beside the other."""
    sides: np.ndarray
    """(n, 4) the mesh of either side, whether it is one mesh and itself, whether overlaps count."""
    near: np.ndarray
    """(n, 2) margin and tolerance."""


def table_of_pairs(pairs: Sequence[MeshPair]) -> PairTable:
    """Return pairs as kernels take them; what they point to belongs to the pairs."""
    meshes = {id(side): side for pair in pairs for side in (pair.a, pair.b)}
    places = {key: k for k, key in enumerate(meshes)}
    sides = [(places[id(pair.a)], places[id(pair.b)], pair.itself, pair.overlaps) for pair in pairs]
    near = [(pair.margin, pair.tolerance) for pair in pairs]
    tables = tuple([mesh.addresses for mesh in meshes.values()])
    beside = tables if PURE_PYTHON else np.array(tables)
    return PairTable(beside, np.array(sides, np.int64), np.array(near))  # type: ignore[arg-type]


class Deal(NamedTuple):
    """The tasks of all pairs, and what threads share about the whole question."""

    tasks: np.ndarray
    """(n, 3) what `traverse.descend` settles."""
    blocks: np.ndarray
    """(m, 3) the first task of a block, the one behind its last, and of which pair they are; pair after pair."""
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


def make_ledger(most: int, threads: int) -> np.ndarray:
    """Return what is shared about a question that may take so many steps."""
    return np.array([0, most, threads, most <= 0, 0, 0], np.int64)


@kernel
def settle_block(pair, deal, k, thread, search):
    """Settle block k, tasks of a pair; return the search then.

    It may take an equal share of the steps that are left, so that all threads together take about as many as they may.
    """
    pair = pair_at(pair)
    tables = thread_at(thread)
    workspace = tables.workspace
    ledger = deal.ledger
    counts = workspace.counts
    before = work_of(counts)
    share = max((ledger[MOST] - ledger[SPENT]) // ledger[THREADS], 1)
    counts[CAP] = before + share
    limit = min(search.limit, deal.times[BEST])
    search = Search(search.question, search.hits, search.found, limit)
    search = descend(pair, deal.tasks, deal.blocks[k, 0], deal.blocks[k, 1], workspace, tables.lists, search)
    taken = work_of(counts) - before
    spent = fetch_add(ledger, SPENT, taken) + taken
    if taken > share or spent > ledger[MOST]:
        ledger[OUT_OF_STEPS] = 1
    counts[CAP] = 0
    return search


@kernel
def take_blocks(pairs, deal, thread, search, best, found):
    """Settle blocks until none is left, or nothing matters any more; return all hits of a list.

    `found` says how many there are of each pair, one after the other; asked for the first contact or any, that of each
    pair is in `best`. `thread` are the addresses of its `ThreadTables`, `search` is for a pair of which nothing is
    known yet.
    """
    ledger = deal.ledger
    limit = search.limit
    question = search.question
    pair = -1
    while ledger[OVER] == 0 and ledger[OUT_OF_STEPS] == 0:
        k = fetch_add(ledger, NEXT, 1)
        if k >= deal.blocks.shape[0]:
            break
        if deal.blocks[k, 2] != pair:
            pair = deal.blocks[k, 2]
            search = Search(question, search.hits, search.found if question == EVERY else 0, limit)
        known = search.found
        a = pairs.meshes[pairs.sides[pair, SIDE_A]]
        b = pairs.meshes[pairs.sides[pair, SIDE_B]]
        itself = pairs.sides[pair, ITSELF] != 0
        overlaps = pairs.sides[pair, OVERLAPS] != 0
        two = MeshPair(a, b, itself, pairs.near[pair, MARGIN], pairs.near[pair, TOLERANCE], overlaps)
        search = settle_block(two, deal, k, thread, search)
        if search.found > 0:
            lower(deal.times, BEST, search.limit)
            if question == EVERY:
                found[pair] += search.found - known
            else:
                found[pair] = 1
                best[pair] = search.hits[0]
            if is_over(search):
                ledger[OVER] = 1
    return search.hits
