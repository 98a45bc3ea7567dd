"""The working memory of one thread's queries, made once: a query allocates nothing unless something overflows."""

from typing import NamedTuple

import numpy as np

from tocsin._jit import borrowed, kernel
from tocsin.advancement.heap import ITEM
from tocsin.culling.pairs import PAIR


class Room(NamedTuple):
    """Scratch arrays that kernels write."""

    heap: np.ndarray
    stack: np.ndarray
    """(n, 2): pairs of nodes still to be looked at. Two trees of depth d, four wide, need 6 d + 4."""
    simplex: np.ndarray
    corners_a: np.ndarray
    corners_b: np.ndarray
    pairs: np.ndarray
    taylor: np.ndarray
    """One Taylor matrix."""


def make_room() -> Room:
    """Return empty working memory."""
    return Room(
        np.zeros(4096, ITEM),
        np.zeros((1024, 2), np.int32),
        np.zeros((4, 9)),
        np.zeros((3, 3)),
        np.zeros((3, 3)),
        np.zeros(256, PAIR),
        np.zeros((3, 4, 5)),
    )


@kernel
def borrowed_room(room):
    """Return the scratch arrays without their owners, for the duration of a call."""
    return Room(
        borrowed(room.heap),
        borrowed(room.stack),
        borrowed(room.simplex),
        borrowed(room.corners_a),
        borrowed(room.corners_b),
        borrowed(room.pairs),
        borrowed(room.taylor),
    )
