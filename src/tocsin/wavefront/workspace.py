"""The memory of a batch: made once for so many edges, used by one batch after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np

from tocsin._types import Indices, LongIndices, Matrix, Values
from tocsin.motion.joints import JOINT
from tocsin.wavefront.field import Field
from tocsin.wavefront.stages import ITEMS, ROUNDS, Batch

SLABS = 8
"""Room for jobs: so many for each edge, on average."""

EACH = 48
"""Room for items of a round: so many for each edge, on average."""


class Edges(NamedTuple):
    """Edges as they are given, see `Batch`."""

    template: Values
    places: LongIndices
    numbers: Matrix


class HasEdges(Protocol):
    """A record with the fields of `Edges` among its own: the batch of a question."""

    @property
    def template(self) -> Values:
        """Two configurations, of which edges differ in some entries."""
        ...

    @property
    def places(self) -> LongIndices:
        """These entries."""
        ...

    @property
    def numbers(self) -> Matrix:
        """Their values, edge by edge."""
        ...

    def _replace(self, *, numbers: Matrix) -> HasEdges:
        """Return the same with other edges."""
        ...


def bytes_of(field: Field, width: int) -> int:
    """Return how many bytes an edge takes."""
    slab = 12 + 48 * max(len(field.moving), 1)
    return 32 * width + JOINT.itemsize * len(field.links) + len(field.charts) + 8 + SLABS * slab + 48 * EACH


def batch_of(
    field: Field, edges: HasEdges, order: Indices, empty: Callable[..., np.ndarray] = np.zeros, slabs: int = SLABS
) -> tuple[Batch, np.ndarray, np.ndarray]:
    """Return a batch of as many edges as there are numbers, and two lists of items.

    `edges` have a template, places and numbers, `order` is that of couples, see `Batch`. `empty` makes arrays;
    `slabs`: room for so many of each edge, on average.
    """
    n, width = len(edges.numbers), len(edges.template) // 2
    configs = empty((n, 2 * width), np.float64)
    batch = Batch(
        edges.template,
        edges.places,
        edges.numbers,
        configs.reshape(n, 2, width),
        configs,
        empty((n, len(field.links)), JOINT),
        empty((n, max(len(field.charts), 1)), np.int8),
        empty((n,), np.int32),
        empty((n,), np.int32),
        order,
        empty((len(order),), np.int64),
        empty((slabs * n, 3), np.int32),
        empty((slabs * n, max(len(field.moving), 1), 6), np.float64),
        empty((ITEMS + ROUNDS + 1,), np.int64),
    )
    return batch, empty((EACH * slabs // SLABS * n, 6), np.int32), empty((EACH * slabs // SLABS * n, 6), np.int32)
