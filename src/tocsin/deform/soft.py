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
from tocsin.deform.packed import ROWS, pack
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


class Soft:
    """A model's elements and hierarchy; one question at a time may use them."""

    def __init__(
        self, vertices: int, faces: np.ndarray, edges: np.ndarray, points: np.ndarray, same: np.ndarray
    ) -> None:
        self.given: Elements = make_elements(vertices, faces, edges, points, same)
        self.lock = threading.Lock()
        self.rebuilt = 0
        """How often the order was made."""
        self._elements: Elements | None = None
        self._hierarchy: Hierarchy | None = None
        self._packed = np.zeros((0, ROWS, 8), np.float32)
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
        centers = (positions[corners[:, 0]] + positions[corners[:, 1]] + positions[corners[:, 2]]) / 3.0
        self._elements = reordered(self.given, spatial_order(np.ascontiguousarray(centers.T)))
        if self._hierarchy is None:
            self._hierarchy = make_hierarchy(len(corners), len(positions))
            self._packed = np.zeros((int(self._hierarchy.start[1]), ROWS, 8), np.float32)
        self.rebuilt += 1

    def _fitted(self, p0: np.ndarray, p1: np.ndarray, origin: np.ndarray) -> Side:
        elements, hierarchy = self._elements, self._hierarchy
        assert elements is not None
        assert hierarchy is not None
        refit(hierarchy, elements.corners, p0, p1, origin)
        measured: Any = pack(self._packed, elements.corners, elements.identity, p0, p1, origin)
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
            elements.hinges,
            elements.hinge_vertices,
            *map(float, measured),
        )
