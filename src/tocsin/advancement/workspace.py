"""The working memory of one thread's queries, made once: a query allocates nothing unless something overflows."""

from typing import NamedTuple

import numpy as np

from tocsin.advancement.heap import ITEM
from tocsin.broad_phase.pairs import PAIR
from tocsin.model.tables import World

SEARCH = np.dtype(
    [
        ("begin", "f8"),  # of the slab of time
        ("slab_end", "f8"),
        ("end", "f8"),  # the first contact so far, or the end of the slab
        ("until", "f8"),  # that, or the end of the pair at hand
        ("soonest", "f8"),  # when small nodes may meet, of all whose hulls were looked at at this moment
        ("size", "i8"),  # items in the heap
        ("top", "i8"),  # pairs of nodes on the stack
        ("status", "i4"),  # how it ends, as far as is known
        ("found", "i4"),  # the pair that it ends with
        ("pair", "i4"),  # the pair at hand
        ("anything", "i4"),  # will any contact do?
        ("paused", "i4"),  # may it go on from where the cap ended it?
        ("spare", "i4"),
    ],
    align=True,
)
"""The state of one search, see `advancement.engine`."""


class Workspace(NamedTuple):
    """Scratch arrays that kernels write."""

    heap: np.ndarray
    stack: np.ndarray
    """(n, 2): pairs of nodes still to be looked at. Two trees of depth d, four wide, need 6 d + 4."""
    spare: np.ndarray
    """Another, for a search within one look."""
    warm_starts: np.ndarray
    """(n, 4): the direction from which the hulls of each of these start, and the gap between their boxes."""
    simplex: np.ndarray
    corners_a: np.ndarray
    corners_b: np.ndarray
    pairs: np.ndarray
    taylor: np.ndarray
    """One Taylor matrix."""
    search: np.ndarray
    """(1,): the state of the search at hand."""


class Tables(NamedTuple):
    """What every search among links reads, and works in."""

    world: World
    sweeps: np.ndarray
    joints: np.ndarray
    taylor: np.ndarray
    workspace: Workspace


def make_workspace(items: int = 4096, pairs: int = 256) -> Workspace:
    """Return empty working memory; its lists of items and of pairs of shapes grow where they must."""
    return Workspace(
        np.zeros(items, ITEM),
        np.zeros((1024, 2), np.int32),
        np.zeros((1024, 2), np.int32),
        np.zeros((1024, 4)),
        np.zeros((4, 9)),
        np.zeros((3, 3)),
        np.zeros((3, 3)),
        np.zeros(pairs, PAIR),
        np.zeros((3, 4, 5)),
        np.zeros(1, SEARCH),
    )
