"""What a list says about the start, beside feature pairs that touch: edges through faces, and models inside solids.

Both are contacts that need not show in any vertex-face or edge-edge pair. They are looked for at time 0 only: later on,
nothing crosses or gets inside without touching first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tocsin.compiler.jit import kernel
from tocsin.contacts.inside import is_inside
from tocsin.deform.narrow import EDGE_EDGE, EDGE_FACE, FACE_EDGE, FACE_VERTEX, VERTEX_FACE
from tocsin.deform.rigid_mesh import RigidMesh
from tocsin.deform.run import Budget
from tocsin.deform.topology import FACE, Elements, sides_of
from tocsin.geometry.topology import label_faces
from tocsin.outcome import CONTACT


class Parts(NamedTuple):
    """Connected parts of elements that touch nothing: each is inside or outside of a solid as a whole."""

    elements: Elements
    corners: np.ndarray
    """(m, 3) of those elements."""
    labels: np.ndarray
    """(m,) which part each belongs to."""
    samples: np.ndarray
    """One vertex of every part."""


def parts_of(elements: Elements, touching: np.ndarray | None) -> Parts:
    """Return the parts of a model without the elements that are touching, (m,) bool; None if none is."""
    corners = elements.corners if touching is None else elements.corners[~touching]
    labels = label_faces(corners, len(elements.same))
    return Parts(elements, corners, labels, corners[np.unique(labels, return_index=True)[1], 0])


def touching_at_start(elements: Elements, hits: np.ndarray) -> np.ndarray:
    """Return which elements of a, (m,) bool, touch at time 0: by a corner, by an edge or as a face."""
    hits = hits[hits["time"] == 0.0]
    vertex = np.zeros(len(elements.same), np.bool_)
    edge = np.zeros(len(elements.edges), np.bool_)
    touching = np.zeros(len(elements.corners), np.bool_)
    for kind in np.unique(hits["kind"]).tolist():
        table = vertex if kind == VERTEX_FACE else edge if kind in (EDGE_EDGE, EDGE_FACE) else touching
        table[hits["a"][hits["kind"] == kind]] = True
    return touching | vertex[elements.corners].any(axis=1) | edge[sides_of(elements)].any(axis=1)


FACES = 64
"""Faces that are seen from a sample point in a step of the cap."""


@kernel
def mark_inside(points, faces, samples, inside):
    """Write which sample points, of as many as there is room for, are inside a closed mesh."""
    for k in range(inside.shape[0]):
        inside[k] = is_inside(points, faces, 0, faces.shape[0], (samples[k, 0], samples[k, 1], samples[k, 2]))


def inside_at_start(
    whole: Parts, rigid: RigidMesh, placed: np.ndarray, positions: np.ndarray, hits: np.ndarray, budget: Budget
) -> tuple[np.ndarray, bool]:
    """Return the vertices that are inside a solid partner at time 0, of those elements that do not touch its surface.

    Behind them: are these all, or did the budget end the search?

    `whole`: the parts of a model that touches nothing; `hits` are its contacts. What does not touch the surface is
    farther from it than rounding, so a sample is inside or outside without doubt, and its whole part with it.
    """
    nowhere = np.zeros(0, np.int64)
    if not rigid.closed:
        return nowhere, True
    parts = whole
    if (hits["time"] == 0.0).any():
        parts = parts_of(whole.elements, touching_at_start(whole.elements, hits))
    samples = positions[parts.samples]
    within = ((samples >= placed.min(axis=0)) & (samples <= placed.max(axis=0))).all(axis=1)
    if not within.any():
        return nowhere, True
    elements = rigid.soft.given
    faces = elements.corners[(elements.owns & FACE) != 0]
    if not len(faces):  # a ball or a capsule: their radius is in the margin
        return nowhere, True
    rows = np.flatnonzero(within)
    found = np.zeros(min(len(rows), max(budget.left, 0) * FACES // len(faces)), np.bool_)
    mark_inside(placed, faces, samples[rows], found)
    budget.spend(len(found) * len(faces) // FACES)
    inside = np.zeros(len(samples), np.bool_)
    inside[rows[: len(found)]] = found
    return np.unique(parts.corners[inside[parts.labels]]), len(found) == len(rows)


def is_confirmed(hits: np.ndarray, a: Elements, b: Elements, itself: bool) -> np.ndarray:
    """Return which contacts of a list stay: all but edges that may go through a face, where their features touch.

    Where rounding hides whether an edge goes through a face, an end of it is almost on the face, or a side of the face
    on the edge. That is a contact of its own; if it is in the list, the edge and the face say nothing more. Soups have
    millions of such: tables are looked through at once.
    """
    at_start = hits["time"] == 0.0
    known = {
        kind: np.sort(_numbers(*(hits[side][at_start & (hits["kind"] == kind)] for side in "ab")), kind="stable")
        for kind in (VERTEX_FACE, FACE_VERTEX, EDGE_EDGE)
    }
    stay = np.ones(len(hits), np.bool_)
    unclear = (hits["kind"] >= EDGE_FACE) & (hits["status"] != CONTACT)
    for through in (EDGE_FACE, FACE_EDGE):
        rows = np.flatnonzero(unclear & (hits["kind"] == through))
        if not len(rows):
            continue
        i, j = hits["a"][rows, None], hits["b"][rows, None]
        if through == EDGE_FACE:
            ends, lines = _numbers(a.edges[i[:, 0]], j), (i, sides_of(b)[j[:, 0]])
        else:
            ends, lines = _numbers(i, b.edges[j[:, 0]]), (sides_of(a)[i[:, 0]], j)
        sides = _numbers(np.minimum(*lines), np.maximum(*lines)) if itself else _numbers(*lines)
        touched = any_in(ends, known[VERTEX_FACE if through == EDGE_FACE else FACE_VERTEX])
        stay[rows] = ~(touched | any_in(sides, known[EDGE_EDGE]))
    return stay


def _numbers(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return one number for each two features."""
    return (a.astype(np.int64) << 32) | b.astype(np.int64)


def any_in(numbers: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return for each row of numbers if any of them is among those that are known, which are sorted."""
    if not len(known):
        return np.zeros(len(numbers), np.bool_)
    places = np.minimum(np.searchsorted(known, numbers), len(known) - 1)
    return (known[places] == numbers).any(axis=1)
