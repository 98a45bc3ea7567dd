"""The working memory of one thread's queries, made once: a query allocates nothing unless something overflows."""

from typing import NamedTuple

import numpy as np

from tocsin.advancement.heap import ITEM
from tocsin.broad_phase.pairs import PAIR


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
    )
