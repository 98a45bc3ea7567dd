"""One deformable model as the kernels see it during a question: its elements, its hierarchy, where its vertices are."""

from typing import NamedTuple

import numpy as np

from tocsin.compiler.jit import borrowed, kernel


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
    reach: float
    """The largest coordinate in `table`, rounded up."""
    pace: float
    """How far any vertex of an element goes, rounded up."""
    size: float
    """The mean width of elements."""
    box: tuple[float, ...]
    """Low x, y, z, then high, of all that it does."""


@kernel
def borrowed_side(side):
    """Return the same tables without references to their owners."""
    return MeshArrays(
        borrowed(side.octets), borrowed(side.start), borrowed(side.corners), borrowed(side.owned_edges),
        borrowed(side.owns), borrowed(side.source), borrowed(side.edges), borrowed(side.cards), borrowed(side.same),
        borrowed(side.places), borrowed(side.beside_start), borrowed(side.beside_other), borrowed(side.beside_known),
        borrowed(side.above_start), borrowed(side.above_other), borrowed(side.above_known), borrowed(side.table),
        borrowed(side.ring_vertices), borrowed(side.ring_faces), borrowed(side.ring_lengths), borrowed(side.has_ring),
        side.reach, side.pace, side.size, side.box,
    )  # fmt: skip
