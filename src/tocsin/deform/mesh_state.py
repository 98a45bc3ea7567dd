"""What is kept of a deformable model between questions: its elements, their order, and room for the hierarchy.

Fitting the hierarchy to a new motion is one pass over vertices and elements; the order stays until the model has
changed its form so much that octets have grown apart, and is then made anew [LOCAL VI].
"""

from __future__ import annotations

import threading
from functools import cached_property
from typing import Any

import numpy as np

from tocsin._types import Indices
from tocsin.compiler.jit import kernel
from tocsin.deform.feature_filter import make_cards
from tocsin.deform.hierarchy import Hierarchy, make_hierarchy, refit
from tocsin.deform.mesh_arrays import MEASURES, FittedMesh, MeshArrays, fitted_mesh
from tocsin.deform.neighbours import Beside, find_above, find_beside
from tocsin.deform.order import spatial_order
from tocsin.deform.rings import Rings, blocks_of, find_rings
from tocsin.deform.topology import Elements, directed, make_elements, reordered
from tocsin.simd.gathers import make_places

WORN = 1.6
"""The order is made anew when octets have become this many times larger, compared with their elements, than they were
when it was made."""


SAMPLED = 1024
"""Vertices that tell about where a model is: all those of a cloth of 20,000 triangles take a seventh of fitting it."""


@kernel
def widen(box, positions):
    """Grow a box, (2, 3), so that it contains positions: SAMPLED of them or a few more, one in so many."""
    for v in range(0, positions.shape[0], max(positions.shape[0] // SAMPLED, 1)):
        for k in range(3):
            x = positions[v, k]
            box[0, k] = min(box[0, k], x)
            box[1, k] = max(box[1, k], x)


@kernel
def seat(corners, seats):
    """Write the corners of eight elements side by side; the last element fills the last octet."""
    n = corners.shape[0]
    for q in range(seats.shape[0]):
        for lane in range(8):
            for c in range(3):
                seats[q, c, lane] = corners[min(8 * q + lane, n - 1), c]


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


class MeshState:
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
        self._found: tuple[np.ndarray, ...] | None = None
        self._elements: Elements | None = None
        self._loose = 0.0
        self._last: tuple[np.ndarray, ...] = ()

    @property
    def is_empty(self) -> bool:
        """True if there is nothing that could touch."""
        return len(self.given.corners) == 0

    @cached_property
    def directed(self) -> np.ndarray:
        """(k, 2): the edges as given, each in the direction of its element (`topology.directed`)."""
        return directed(self.given)

    def fit(self, p0: np.ndarray, p1: np.ndarray, origin: np.ndarray) -> FittedMesh:
        """Return the model as kernels see it, moving from p0 to p1.

        Asked again for the very same arrays, as by every link beside a cloth, it is as it was left.
        """
        given = (p0, p1, origin)
        if self._last and all(x is y for x, y in zip(given, self._last)):
            return self._mesh
        if self._elements is None:
            self._order(p0)
        loose = self._fitted(p0, p1, origin)
        if self._loose == 0.0:
            self._loose = loose
        elif loose > WORN * self._loose:
            self._order(p0)
            self._loose = self._fitted(p0, p1, origin)
        self._last = given
        return self._mesh

    def forget(self) -> None:
        """Let go of where it was fitted last, at the end of a question: those arrays are not its own."""
        self._last = ()

    def _order(self, positions: np.ndarray) -> None:
        """Put the elements in order where they are now."""
        corners = self.given.corners
        n = len(positions)
        if self._found is None:
            self._found = find_rings(corners, self.given.same, n, self._n_faces)
            self._hierarchy: Hierarchy = make_hierarchy(len(corners))
            octets = int(self._hierarchy.start[1])
            self._seats = np.zeros((octets, 3, 8), np.int32)
            self._table = np.zeros((n, 8), np.float32)
            self._places = make_places(n)
        centers = (positions[corners[:, 0]] + positions[corners[:, 1]] + positions[corners[:, 2]]) / 3.0
        order: Indices = spatial_order(np.ascontiguousarray(centers.T))
        self._elements = reordered(self.given, order)
        self._cards = make_cards(self._elements.corners, self._elements.owned_edges, self._elements.owns)
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        sequence: Indices = in_sequence(self._elements.corners, n)
        self._used = np.sort(sequence)
        self._rings: Rings = blocks_of(self._found, place, sequence)
        whole, _, faces, first = self._found
        beside = find_beside(self._elements.corners, place, whole, faces, first)
        self._beside = Beside(*beside), Beside(*find_above(*beside[:2]))
        seat(self._elements.corners, self._seats)
        self.rebuilt += 1
        elements, hierarchy = self._elements, self._hierarchy
        self._mesh = fitted_mesh(
            MeshArrays(
                hierarchy.octets,
                hierarchy.start,
                elements.corners,
                elements.owned_edges,
                elements.owns,
                elements.source,
                elements.edges,
                self._cards,
                elements.same,
                self._places,
                *self._beside[0],
                *self._beside[1],
                self._table,
                *self._rings,
                np.zeros(MEASURES),
            )
        )

    def _fitted(self, p0: np.ndarray, p1: np.ndarray, origin: np.ndarray) -> float:
        """Fit the hierarchy; return how loose it is (`hierarchy.refit`)."""
        loose: Any = refit(self._mesh.addresses, self._seats, self._used, p0, p1, origin)
        return loose
