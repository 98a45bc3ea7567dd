"""What is kept of a deformable model between questions: its elements, their order, and room for the hierarchy.

Fitting the hierarchy to a new motion is one pass over vertices and elements; the order stays until the model has
changed its form so much that octets have grown apart, and is then made anew.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tocsin._jit import kernel
from tocsin.deform.hierarchy import HI_T0, LO_T0, Hierarchy, make_hierarchy, refit
from tocsin.deform.order import spatial_order
from tocsin.deform.packed import ROWS
from tocsin.deform.rings import Rings, blocks_of, find_rings
from tocsin.deform.sides import Side
from tocsin.deform.topology import Elements, make_elements, reordered

WORN = 1.6
"""The order is made anew when octets have become this many times larger, compared with their elements, than they were
when it was made."""


@kernel
def looseness(octets, start):
    """Return how large the DOPs of octets are compared with those of their elements, at time 0."""
    sums = np.zeros(2)
    for level in range(2):
        for q in range(start[level], start[level + 1]):
            for lane in range(8):
                for row in range(0, 12, 4):
                    width = octets[q, row + HI_T0, lane] - octets[q, row + LO_T0, lane]
                    if width > 0.0:
                        sums[level] += width
    return sums[1] / sums[0] if sums[0] > 0.0 else 0.0


@kernel
def seat(corners, whole, seats, marks):
    """Write the corners of eight elements side by side, and their marks; the last element fills the last octet."""
    n = corners.shape[0]
    for q in range(seats.shape[0]):
        for lane in range(8):
            for c in range(3):
                v = corners[min(8 * q + lane, n - 1), c]
                seats[q, c, lane] = v
                marks[q, c, lane] = v if whole[v] else np.nan


@kernel
def in_sequence(corners, n):
    """Return the vertices of elements in the order in which they are first met; n is the number of all vertices."""
    met = np.zeros(n, dtype=np.bool_)
    sequence = np.zeros(n, dtype=np.int32)
    count = 0
    for e in range(corners.shape[0]):
        for c in range(3):
            v = corners[e, c]
            if not met[v]:
                met[v] = True
                sequence[count] = v
                count += 1
    return sequence[:count].copy()


class Soft:
    """A model's elements and hierarchy; one question at a time may use them."""

    def __init__(
        self,
        vertices: int,
        faces: np.ndarray,
        edges: np.ndarray,
        points: np.ndarray,
        same: np.ndarray,
        *,
        meets_itself: bool = True,
    ) -> None:
        self.given: Elements = make_elements(vertices, faces, edges, points, same)
        self.lock = threading.Lock()
        self.rebuilt = 0
        """How often the order was made."""
        self._n_faces = len(faces) if meets_itself else 0
        self._found: Any = None
        self._elements: Elements | None = None
        self._loose = 0.0

    @property
    def is_empty(self) -> bool:
        """True if there is nothing that could touch."""
        return len(self.given.corners) == 0

    def fit(self, p0: np.ndarray, p1: np.ndarray, origin: np.ndarray) -> Side:
        """Return the model as kernels see it, moving from p0 to p1."""
        if self._elements is None:
            self._order(p0)
        side = self._fitted(p0, p1, origin)
        loose = looseness(side.octets, side.start)
        if self._loose == 0.0:
            self._loose = loose
        elif loose > WORN * self._loose:
            self._order(p0)
            side = self._fitted(p0, p1, origin)
            self._loose = looseness(side.octets, side.start)
        return side

    def _order(self, positions: np.ndarray) -> None:
        """Put the elements in order where they are now."""
        corners = self.given.corners
        n = len(positions)
        if self._found is None:
            self._found = find_rings(corners, self.given.same, n, self._n_faces)
            self._hierarchy: Hierarchy = make_hierarchy(len(corners))
            octets = int(self._hierarchy.start[1])
            self._packed = np.zeros((octets, ROWS, 8), np.float32)
            self._seats = np.zeros((octets, 3, 8), np.int32)
            self._marks = np.zeros((octets, 3, 8), np.float32)
            self._table = np.zeros((n, 8), np.float32)
        centers = (positions[corners[:, 0]] + positions[corners[:, 1]] + positions[corners[:, 2]]) / 3.0
        order: Any = spatial_order(np.ascontiguousarray(centers.T))
        self._elements = reordered(self.given, order)
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        sequence: Any = in_sequence(self._elements.corners, n)
        self._used = np.sort(sequence)
        self._rings: Rings = blocks_of(self._found, place, sequence)
        seat(self._elements.corners, self._rings.whole, self._seats, self._marks)
        self.rebuilt += 1

    def _fitted(self, p0: np.ndarray, p1: np.ndarray, origin: np.ndarray) -> Side:
        elements, hierarchy = self._elements, self._hierarchy
        assert elements is not None
        measured: Any = refit(
            hierarchy, self._packed, self._seats, self._used, self._table, p0, p1, origin, len(elements.corners)
        )
        return Side(
            hierarchy.octets,
            hierarchy.start,
            elements.corners,
            elements.owned_edges,
            elements.owns,
            elements.source,
            elements.edges,
            elements.same,
            p0,
            p1,
            self._packed,
            self._marks,
            self._table,
            *self._rings,
            *map(float, measured),
        )
