"""Convex surface decomposition: patches of triangles on their own convex hull (Ehmann and Lin 2001, section 4).

A patch grows from a seed, breadth first over shared edges (corners are compared by position, so soups connect). A
triangle joins if all patch corners lie behind its plane and its corners lie behind the planes of all patch triangles,
up to the tolerance: then every patch triangle lies in a supporting plane, on the boundary of the patch's hull. The
number of corners of a patch is capped, so one triangle costs a bounded number of plane tests and the whole is linear
after the O(m log m) sort of the edges.

What a piece means, and what it does not. A mesh is a surface, but the hull of an open patch also holds space behind it
(half a hollow ball is one patch, its hull is half a solid ball), so two overlapping hulls prove nothing; hulls that are
apart prove that the pieces are apart. Whoever finds two hulls overlapping must look at the triangles of the pieces. The
faces of a hull that are not in the mesh are Ehmann and Lin's virtual faces. Soundness needs only that a hull contains
its triangles, which holds for any set of triangles; convexity makes the hulls tight where the surface is looked at from
outside: there a patch's triangle lies at most `tolerance` diagonals below its hull, so a distance between hulls that is
realised on patch triangles is too small by no more than that for each of the two, never too large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tocsin import vec
from tocsin._types import Indices
from tocsin.compiler.jit import kernel
from tocsin.errors import TocsinError
from tocsin.geometry.scaling import binary_scale, largest_coordinate, middle_of_box
from tocsin.geometry.topology import half_edges

if TYPE_CHECKING:
    from tocsin.geometry.mesh import Mesh

TOLERANCE = 2.0**-24
"""How far in front of a patch plane a corner may lie, in diagonals of the mesh: what single-precision files resolve."""


def surface_pieces(mesh: Mesh, max_vertices: int = 64, *, tolerance: float = TOLERANCE) -> Indices:
    """Return (m,) int32 labels 0, 1, ... of edge-connected pieces, each on the boundary of its own convex hull.

    Which side is outside is taken from the winding; where neighbours disagree the majority (by area) of their
    component decides, and a mesh that is inside out as a whole is turned. Triangles without area are pieces by
    themselves. `max_vertices` (at least 3) caps the corners of a piece, and four times that its triangles.
    """
    if max_vertices < 3:
        raise TocsinError(f"max_vertices must be at least 3, one triangle; got {max_vertices!r}.")
    if len(mesh.faces) == 0:
        return np.zeros(0, dtype=np.int32)
    corners, first = mesh.welded
    positions = mesh.vertices[first]
    positions = positions - np.array(middle_of_box(positions))
    positions *= binary_scale(largest_coordinate(positions))[0]
    diagonal = float(np.linalg.norm(np.ptp(positions, axis=0)))
    around = half_edges(corners, len(first)).next_around
    normals = outward_normals(corners, around, positions, mesh.degenerate)
    return _grow(corners, around, positions, normals, max_vertices, tolerance * diagonal)


@kernel
def outward_normals(corners, around, positions, degenerate):
    """Return (m, 3) unit normals, alike across edges of two triangles and outward as a whole; zero where degenerate."""
    m = corners.shape[0]
    normals = np.zeros((m, 3))
    area = np.zeros(m)
    for f in range(m):
        a = vec.load3(positions, corners[f, 0])
        n = vec.cross(vec.sub(vec.load3(positions, corners[f, 1]), a), vec.sub(vec.load3(positions, corners[f, 2]), a))
        area[f] = vec.norm(n)
        if area[f] > 0.0 and not degenerate[f]:
            normals[f, 0], normals[f, 1], normals[f, 2] = vec.scale(n, 1.0 / area[f])
    sign = np.zeros(m, dtype=np.int8)
    group = np.zeros(m, dtype=np.int32)
    volume = 0.0
    for seed in range(m):
        if sign[seed] != 0:
            continue
        sign[seed] = 1
        group[0] = seed
        size = 1
        head = 0
        kept = 0.0
        while head < size:
            f = group[head]
            head += 1
            kept += sign[f] * area[f]
            for h in range(3 * f, 3 * f + 3):
                other = around[h]
                g = other // 3
                if other == h or around[other] != h or sign[g] != 0:
                    continue
                along = corners[f, h % 3] == corners[g, other % 3]
                sign[g] = -sign[f] if along else sign[f]
                group[size] = g
                size += 1
        for k in range(size):
            f = group[k]
            if kept < 0.0:
                sign[f] = -sign[f]
            a = vec.load3(positions, corners[f, 0])
            b = vec.load3(positions, corners[f, 1])
            volume += sign[f] * vec.dot(a, vec.cross(b, vec.load3(positions, corners[f, 2])))
    for f in range(m):
        turn = -sign[f] if volume < 0.0 else sign[f]
        for j in range(3):
            normals[f, j] *= turn
    return normals


@kernel
def _in_front(normals, f, anchor, p, tolerance):
    """Whether p lies in front of the plane of face f by more than the tolerance."""
    return vec.dot(vec.load3(normals, f), vec.sub(p, anchor)) > tolerance


@kernel
def _fits(surface, f, faces, vertices, tolerance):
    """Whether face f keeps the patch on its own hull. Constraints only grow, so a face that fails never fits later."""
    corners, positions, normals = surface
    anchor = vec.load3(positions, corners[f, 0])
    for k in range(vertices.shape[0]):
        if _in_front(normals, f, anchor, vec.load3(positions, vertices[k]), tolerance):
            return False
    for j in range(3):
        p = vec.load3(positions, corners[f, j])
        for g in faces:
            if _in_front(normals, g, vec.load3(positions, corners[g, 0]), p, tolerance):
                return False
    return True


@kernel
def _grow(corners, around, positions, normals, max_vertices, tolerance):
    """Grow the patches one after another, breadth first."""
    m = corners.shape[0]
    surface = corners, positions, normals
    labels = np.full(m, -1, dtype=np.int32)
    tried = np.full(m, -1, dtype=np.int32)
    owner = np.full(positions.shape[0], -1, dtype=np.int32)
    faces = np.zeros(4 * max_vertices, dtype=np.int32)
    vertices = np.zeros(max_vertices, dtype=np.int32)
    piece = 0
    for seed in range(m):
        if labels[seed] >= 0:
            continue
        labels[seed] = piece
        if normals[seed, 0] == 0.0 and normals[seed, 1] == 0.0 and normals[seed, 2] == 0.0:
            piece += 1
            continue
        faces[0] = seed
        n_faces = 1
        n_vertices = 3
        for j in range(3):
            vertices[j] = corners[seed, j]
            owner[corners[seed, j]] = piece
        head = 0
        while head < n_faces:
            f = faces[head]
            head += 1
            for h in range(3 * f, 3 * f + 3):
                other = around[h]
                while other != h:
                    g = other // 3
                    other = around[other]
                    if labels[g] >= 0 or tried[g] == piece or n_faces == faces.shape[0]:
                        continue
                    if normals[g, 0] == 0.0 and normals[g, 1] == 0.0 and normals[g, 2] == 0.0:
                        continue
                    fresh = 0
                    for j in range(3):
                        if owner[corners[g, j]] != piece:
                            fresh += 1
                    if n_vertices + fresh > max_vertices:
                        continue
                    tried[g] = piece
                    if not _fits(surface, g, faces[:n_faces], vertices[:n_vertices], tolerance):
                        continue
                    labels[g] = piece
                    faces[n_faces] = g
                    n_faces += 1
                    for j in range(3):
                        if owner[corners[g, j]] != piece:
                            owner[corners[g, j]] = piece
                            vertices[n_vertices] = corners[g, j]
                            n_vertices += 1
        piece += 1
    return labels
