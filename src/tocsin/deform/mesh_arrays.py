"""Deformable models as the kernels see them during a question, elements, hierarchy and vertices, and pairs of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tocsin.compiler.addresses import Layout, table_of
from tocsin.compiler.jit import borrowed, inlined, kernel

FLOAT32, INT32, INT64 = np.dtype(np.float32), np.dtype(np.int32), np.dtype(np.int64)

REACH, PACE, SIZE, BOX, MEASURES = 0, 1, 2, 3, 9
"""What is measured of a mesh when it is fitted: the largest coordinate in `table`, rounded up; how far any vertex of an
element goes, rounded up; the mean width of elements; low x, y, z, then high, of all that it does."""


class MeshArrays(NamedTuple):
    """One of the two models of a pair; for contact with itself a model is both."""

    octets: np.ndarray
    start: np.ndarray
    corners: np.ndarray
    owned_edges: np.ndarray
    owns: np.ndarray
    source: np.ndarray
    edges: np.ndarray
    cards: np.ndarray
    """(m, 8) what elements represent (`feature_filter.make_cards`)."""
    same: np.ndarray
    places: np.ndarray
    """(n, 8) x, y, z of the vertices at time 0, then at time 1, and two spares (`columns.make_places`)."""
    beside_start: np.ndarray
    """Octets of elements that are beside each other (`neighbours`), then octets of those."""
    beside_other: np.ndarray
    beside_known: np.ndarray
    above_start: np.ndarray
    above_other: np.ndarray
    above_known: np.ndarray
    table: np.ndarray
    """`places` in single precision, from the origin of the question."""
    ring_vertices: np.ndarray
    ring_faces: np.ndarray
    ring_lengths: np.ndarray
    has_ring: np.ndarray
    measures: np.ndarray
    """(MEASURES,) what was measured when it was fitted: REACH and so on."""


MESH = Layout(
    MeshArrays,
    octets=(FLOAT32, 3),
    start=(INT64, 1),
    corners=(INT32, 2),
    owned_edges=(INT32, 2),
    owns=(np.dtype(np.uint8), 1),
    source=(INT32, 1),
    edges=(INT32, 2),
    cards=(INT32, 2),
    same=(INT32, 1),
    places=(np.dtype(np.float64), 2),
    beside_start=(INT32, 1),
    beside_other=(INT32, 1),
    beside_known=(INT64, 1),
    above_start=(INT32, 1),
    above_other=(INT32, 1),
    above_known=(INT64, 1),
    table=(FLOAT32, 2),
    ring_vertices=(INT32, 3),
    ring_faces=(INT32, 3),
    ring_lengths=(INT32, 2),
    has_ring=(np.dtype(np.bool_), 1),
    measures=(np.dtype(np.float64), 1),
)
"""The arrays of a mesh; handed to a kernel one by one they took 6 us, and a scene of four soft bodies has ten pairs."""

mesh_at = MESH.reader()
"""For kernels: the mesh whose arrays are in a table."""


class FittedMesh(NamedTuple):
    """A deformable model, fitted to a motion."""

    arrays: MeshArrays
    addresses: np.ndarray
    """Where its arrays are (`mesh_at`)."""

    @property
    def box(self) -> list[float]:
        """Low x, y, z, then high, of all that it does."""
        return self.arrays.measures[BOX:MEASURES].tolist()

    @property
    def size(self) -> float:
        """The mean width of its elements."""
        return float(self.arrays.measures[SIZE])


def fitted_mesh(arrays: MeshArrays) -> FittedMesh:
    """Return a mesh of these arrays."""
    return FittedMesh(arrays, table_of(MESH.checked(arrays)))


class MeshPair(NamedTuple):
    """Two models that may touch, or one and itself, and what counts as a contact."""

    a: Any
    """A `FittedMesh`; for kernels its addresses, and within them `MeshArrays` (`pair_at`)."""
    b: Any
    itself: bool
    margin: float
    tolerance: float
    overlaps: bool
    """An edge through a face at time 0 is a contact too."""

    def for_kernels(self) -> MeshPair:
        """Return the pair as kernels take it."""
        return self._replace(a=self.a.addresses, b=self.b.addresses)


@kernel
def pair_at(pair):
    """Return the pair whose meshes are in tables, without references to the owners of their arrays."""
    return MeshPair(mesh_at(pair.a), mesh_at(pair.b), pair.itself, pair.margin, pair.tolerance, pair.overlaps)


@kernel
def local_mesh(mesh):
    """Return the same tables as a record of the kernel's own."""
    return MeshArrays(
        borrowed(mesh.octets), borrowed(mesh.start), borrowed(mesh.corners), borrowed(mesh.owned_edges),
        borrowed(mesh.owns), borrowed(mesh.source), borrowed(mesh.edges), borrowed(mesh.cards), borrowed(mesh.same),
        borrowed(mesh.places), borrowed(mesh.beside_start), borrowed(mesh.beside_other), borrowed(mesh.beside_known),
        borrowed(mesh.above_start), borrowed(mesh.above_other), borrowed(mesh.above_known), borrowed(mesh.table),
        borrowed(mesh.ring_vertices), borrowed(mesh.ring_faces), borrowed(mesh.ring_lengths), borrowed(mesh.has_ring),
        borrowed(mesh.measures),
    )  # fmt: skip


@kernel
def local_pair(pair):
    """Return the same pair as a record of the kernel's own.

    An argument of 4 KB lies in memory, and whatever is inlined copies it: 0.4 us for every pair of octets.
    """
    return MeshPair(local_mesh(pair.a), local_mesh(pair.b), pair.itself, pair.margin, pair.tolerance, pair.overlaps)


@kernel
def swapped(pair):
    """Return the pair with its sides exchanged."""
    return MeshPair(pair.b, pair.a, pair.itself, pair.margin, pair.tolerance, pair.overlaps)


@inlined
def largest_coordinate(pair):
    """Return the largest coordinate in the tables of both, rounded up."""
    return max(pair.a.measures[REACH], pair.b.measures[REACH])


@kernel
def culling_margin(pair):
    """Return the margin for which parts of a pair are left out.

    Asked for the first contact, pairs are left out up to the best time so far, which depends on what was met before. A
    pair that is never within the margin, but within margin + tolerance, may count as a contact or not: so that it does
    not depend on the order, nothing is left out that could count as one by then. Asked for every contact the same, so
    that the first of a list is the first contact.
    """
    return (pair.margin + pair.tolerance) * (1.0 + 2.0**-50)
