"""The closed shells of a solid mesh: which way they face, and whether two that face opposite ways cross.

Inside a solid mesh is where its winding number is not 0 (`contacts.inside`): every shell that faces outward adds 1
within, every one that is inside out takes 1 away. Shells that face alike may overlap or lie in each other, and the
inside is the union of theirs. A shell wholly inside another one that faces the other way is a cavity. What is left are
two that cross and face opposite ways: where they overlap they cancel, and what is meant there (a notch, or a shell
wound by mistake) cannot be known. Such a mesh is refused.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from tocsin import vec
from tocsin._types import Numeric
from tocsin.compiler.jit import kernel
from tocsin.geometry.triangles import triangle_pair

if TYPE_CHECKING:
    from tocsin.geometry.mesh import Mesh

FLAT = 1e-12
"""A shell faces neither way, or either, if its volume is this part of what it would be without cancellation."""

UNIT = 2.0**-53


@kernel
def any_close(points, faces, rows, others, boxes, limit, start):
    """Is a triangle of `rows` closer than the limit to one of `others`, which are sorted by the beginning of their box?

    `boxes`: lo x y z, hi x y z of every triangle. `start`: for each row the first of the others that may reach it.
    """
    for i in range(rows.shape[0]):
        f = rows[i]
        for k in range(start[i], others.shape[0]):
            g = others[k]
            if boxes[g, 0] > boxes[f, 3] + limit:
                break
            apart = False
            for c in range(3):
                apart = apart or boxes[g, c] > boxes[f, 3 + c] + limit or boxes[f, c] > boxes[g, 3 + c] + limit
            if apart:
                continue
            d, _, _ = triangle_pair(
                vec.load3(points, faces[f, 0]),
                vec.load3(points, faces[f, 1]),
                vec.load3(points, faces[f, 2]),
                vec.load3(points, faces[g, 0]),
                vec.load3(points, faces[g, 1]),
                vec.load3(points, faces[g, 2]),
            )
            if d <= limit:
                return True
    return False


def facing(mesh: Mesh) -> Numeric:
    """Return for each triangle whether its shell faces outward (1), inward (-1) or neither (0)."""
    labels = mesh.components()
    _, first = np.unique(labels, return_index=True)
    corners = mesh.vertices[mesh.faces]
    a, b, c = np.moveaxis(corners - mesh.vertices[mesh.faces[first, 0]][labels][:, None], 1, 0)
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c))
    total, most = np.bincount(labels, volumes), np.bincount(labels, np.abs(volumes))
    return np.where(np.abs(total) > FLAT * most, np.sign(total), 0.0).astype(np.int64)[labels]


def opposite_shells_cross(mesh: Mesh) -> bool:
    """Do two shells of a closed mesh that face opposite ways cross or touch, up to the rounding of its coordinates?"""
    faces = facing(mesh)
    outward, inward = np.flatnonzero(faces >= 0), np.flatnonzero(faces < 0)
    if len(outward) == 0 or len(inward) == 0:
        return False
    corners = mesh.vertices[mesh.faces]
    boxes = np.hstack([corners.min(axis=1), corners.max(axis=1)])
    limit = 16.0 * UNIT * math.hypot(*np.abs(corners).max(axis=(0, 1)))
    inward = inward[np.argsort(boxes[inward, 0], kind="stable")]
    reach = np.maximum.accumulate(boxes[inward, 3])
    start = np.searchsorted(reach, boxes[outward, 0] - limit)
    return bool(any_close(mesh.vertices, mesh.faces, outward, inward, boxes, limit, start))
