"""A triangle mesh at rest: vertices and faces exactly as given, and a report of what is in them.

Polygon soups are legal. Nothing is merged and nothing is removed; the report says what is there. A mesh is a surface:
whether it is closed matters only to those who ask for a solid.
"""

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast, _given
from tocsin._provided import Provided
from tocsin._types import Faces, Flags, HasTriangles, Indices, LongFaces, LongIndices, Matrix4, PathLike, Vectors
from tocsin.errors import TocsinError, UnitWarning, remark
from tocsin.geometry.affine import moved
from tocsin.geometry.grouping import group_rows, weld
from tocsin.geometry.topology import half_edges, label_faces

COLLINEAR = 2.0**-50
"""A triangle counts as degenerate when twice its area is at most this much of its longest edge, squared."""

LARGEST_COORDINATE = _cast.LARGEST
"""Beyond this, products of three lengths could overflow in the queries."""

LARGE_FILE = 100.0
"""Metres across, from which a mesh file is probably in other units: CAD programs write millimetres."""

MESH_FILE: Provided[[Path], tuple[Vectors, LongFaces]] = Provided("reads meshes", "tocsin.io.meshfile")
"""Makes `(vertices, faces)` of a file."""


@dataclass(frozen=True)
class MeshReport:
    """What is in a mesh. Corners are compared by exact position, so an unmerged closed STL counts as closed."""

    triangles: int
    vertices: int
    degenerate: int
    """Triangles without area: repeated corners, or corners on one line up to rounding."""
    duplicated: int
    """Triangles whose three corners already occurred in another triangle, whatever the winding."""
    duplicated_vertices: int
    """Vertices whose position already occurred."""
    unreferenced_vertices: int
    open_edges: int
    """Edges of exactly one triangle. Triangles with repeated corners have no edges here: they are segments."""
    non_manifold_edges: int
    """Edges of three or more triangles."""
    components: int
    """Groups of triangles connected through edges."""
    is_closed: bool
    """There are triangles, and every edge is shared by exactly two."""

    def __str__(self) -> str:
        """Say it in a sentence, leaving out what is not there."""
        kind = "no triangles" if self.triangles == 0 else "closed" if self.is_closed else "not closed"
        found = [
            f"{count} {name}"
            for count, name in (
                (self.degenerate, "degenerate"),
                (self.duplicated, "duplicated"),
                (self.open_edges, "open edges"),
                (self.non_manifold_edges, "non-manifold edges"),
                (self.duplicated_vertices, "duplicated vertices"),
                (self.unreferenced_vertices, "unreferenced vertices"),
            )
            if count
        ]
        head = f"{self.triangles} triangles, {self.vertices} vertices, {self.components} component"
        return head + ("" if self.components == 1 else "s") + f", {kind}" + "".join(f", {part}" for part in found)


@dataclass(frozen=True, eq=False, repr=False)
class Mesh:
    """An immutable triangle soup: `vertices` (n, 3) float64 in metres and `faces` (m, 3) int32, both read-only."""

    vertices: Vectors
    faces: Faces
    name: str = field(default="", kw_only=True)
    """Where it came from, for messages."""

    if TYPE_CHECKING:

        def __init__(self, vertices: ArrayLike, faces: ArrayLike, *, name: str = "") -> None: ...

    def __post_init__(self) -> None:
        """Check and copy what was given."""
        _given.text(self.name, "the name of a mesh")
        vertices = _checked_vertices(self.vertices)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", _checked_faces(self.faces, len(vertices)))

    def __repr__(self) -> str:
        origin = f" from {self.name!r}" if self.name else ""
        return f"<Mesh{origin}: {len(self.faces)} triangles, {len(self.vertices)} vertices>"

    @classmethod
    def load(cls, path: PathLike, *, scale: ArrayLike | None = None, units: str | None = None) -> "Mesh":
        """Read an STL, OBJ, PLY, OFF, DAE, GLB or GLTF file; several parts in one file become one mesh.

        Vertices and faces stay as the file has them: nothing is merged or cleaned. DAE units are made metres; axes are
        never turned. `scale`: one factor or one an axis; or `units`, those of the file: "mm", "cm", "in", "ft", "um",
        "m". A mesh of more than a hundred metres, of a file without either, gets a remark. A damaged file, or one that
        claims more than it holds, is refused (`tocsin.io.meshfile`).
        """
        if not is_path(path):
            raise TocsinError(f"cannot load a mesh: a path is text or a pathlib.Path; got {_cast.said(path)}.")
        file = Path(path)
        vertices, faces = MESH_FILE(file)
        factors = _cast.scale(scale, units)
        try:
            mesh = cls(vertices, faces, name=file.name)
            if factors is not None:
                return mesh.scaled(factors)
        except TocsinError as error:
            raise TocsinError(f"cannot load {str(file)!r}: {error}") from None
        across = float(np.ptp(mesh.vertices, axis=0).max()) if len(mesh.vertices) else 0.0
        if across > LARGE_FILE:
            remark(f'{file.name!r} is {across:.4g} m across. Millimetres? Then say units="mm".', UnitWarning)
        return mesh

    @classmethod
    def from_any(cls, source: "MeshLike", *, scale: ArrayLike | None = None, units: str | None = None) -> "Mesh":
        """Make a mesh of a path, a `trimesh.Trimesh`, a `(vertices, faces)` pair, or a Mesh (returned as it is).

        `scale` and `units` as in `load`.
        """
        if is_path(source):
            return cls.load(source, scale=scale, units=units)
        factors = _cast.scale(scale, units)
        mesh = cls._from_object(source)
        return mesh if factors is None else mesh.scaled(factors)

    @classmethod
    def _from_object(cls, source: "MeshLike") -> "Mesh":
        if isinstance(source, Mesh):
            return source
        given: Any = source  # whatever a stranger calls a mesh
        if hasattr(given, "vertices") and hasattr(given, "faces"):
            return cls(given.vertices, given.faces)
        if isinstance(source, (tuple, list)) and len(given) == 2:
            return cls(given[0], given[1])
        raise TocsinError(
            f"cannot make a mesh of {type(given).__name__}: give a file path, a trimesh.Trimesh, "
            "a (vertices, faces) pair, or a tocsin.Mesh."
        )

    @cached_property
    def report(self) -> MeshReport:
        """What is in this mesh; computed on first use, in O(n log n)."""
        corners, first = self.welded
        count = len(first)
        collapsed = _collapsed(corners)
        edges = half_edges(corners[~collapsed], count)
        referenced = np.zeros(len(self.vertices), dtype=bool)
        referenced[self.faces.ravel()] = True
        open_edges = int(np.count_nonzero(edges.uses == 1))
        crowded = int(np.count_nonzero(edges.uses > 2))
        return MeshReport(
            triangles=len(self.faces),
            vertices=len(self.vertices),
            degenerate=int(np.count_nonzero(self.degenerate)),
            duplicated=len(corners) - len(group_rows(np.sort(corners, axis=1).astype(np.int64))[1]),
            duplicated_vertices=len(self.vertices) - count,
            unreferenced_vertices=len(self.vertices) - int(np.count_nonzero(referenced)),
            open_edges=open_edges,
            non_manifold_edges=crowded,
            components=int(self.components().max(initial=-1)) + 1,
            is_closed=len(edges.uses) > 0 and open_edges == 0 and crowded == 0,
        )

    @cached_property
    def welded(self) -> tuple[Faces, LongIndices]:
        """Faces by position: `(corners, first)`, (m, 3) int32 numbers of distinct positions and one vertex for each."""
        labels, first = weld(self.vertices)
        corners = labels[self.faces]
        corners.setflags(write=False)
        return corners, first

    @cached_property
    def degenerate(self) -> Flags:
        """(m,) bool: triangles without area, up to rounding (`COLLINEAR`)."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        edges = np.stack((b - a, c - b, a - c))
        longest = np.abs(edges).max(axis=(0, 2), initial=0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            edges /= longest[None, :, None]  # at unit size nothing underflows; a point gives NaN, which is degenerate
            normal = np.cross(edges[0], -edges[2])
            return ~(np.linalg.norm(normal, axis=1) > COLLINEAR)

    def components(self) -> Indices:
        """(m,) int32 labels 0, 1, ... of the groups of triangles that are connected through edges (by position)."""
        corners, first = self.welded
        return label_faces(corners, len(first))

    def scaled(self, factor: ArrayLike) -> "Mesh":
        """Return this mesh scaled about its origin, by one factor or one an axis; mirroring keeps the outside."""
        factors = _cast.scale(factor)
        if factors is None:
            raise TocsinError("a scale must be one or three finite numbers other than zero; got None.")
        mirrored = np.prod(np.sign(np.broadcast_to(factors, 3))) < 0.0
        return Mesh(self.vertices * factors, self.faces[:, ::-1] if mirrored else self.faces, name=self.name)

    def transformed(self, transform: Matrix4) -> "Mesh":
        """Return this mesh moved by a 4x4 affine matrix; one that mirrors keeps the mesh's outside."""
        wanted = "a finite 4x4 matrix with last row 0 0 0 1"
        matrix = _cast.numbers(transform, "a transform", wanted)
        if matrix.shape != (4, 4) or not np.all(np.isfinite(matrix)) or not np.array_equal(matrix[3], (0, 0, 0, 1)):
            raise TocsinError(f"a transform must be {wanted}; got {_cast.said(transform)}.")
        mirrored = np.linalg.det(matrix[:3, :3]) < 0.0
        return Mesh(moved(self.vertices, matrix), self.faces[:, ::-1] if mirrored else self.faces, name=self.name)


MeshLike: TypeAlias = Mesh | PathLike | HasTriangles | tuple[ArrayLike, ArrayLike]
"""What a mesh can be made of: a file, a `trimesh.Trimesh`, `(vertices, faces)`, or a `Mesh`."""


def is_path(given: object) -> TypeGuard[PathLike]:
    """Is this the name of a file?"""
    return isinstance(given, (str, os.PathLike))


def _checked_vertices(given: object) -> Vectors:
    """Return vertices as a read-only (n, 3) float64 copy, or say what is wrong with them."""
    vertices = np.array(_cast.numbers(given, "vertices", "an (n, 3) array of numbers"), ndmin=1)
    if vertices.size == 0:
        vertices = np.zeros((0, 3))
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise TocsinError(f"vertices must have shape (n, 3); got {vertices.shape}.")
    finite = np.isfinite(vertices).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        raise TocsinError(
            f"vertices must be finite; {int((~finite).sum())} of {len(vertices)} are not, "
            f"first row {row}: {vertices[row]}."
        )
    if np.abs(vertices).max(initial=0.0) > LARGEST_COORDINATE:
        raise TocsinError(f"coordinates must be at most {LARGEST_COORDINATE:g} m; got {np.abs(vertices).max():g}.")
    vertices.setflags(write=False)
    return vertices


def _checked_faces(given: object, count: int) -> Faces:
    """Return faces as a read-only (m, 3) int32 copy, or say what is wrong with them."""
    if count > np.iinfo(np.int32).max:
        raise TocsinError(f"a mesh holds at most {np.iinfo(np.int32).max} vertices; got {count}.")
    if given is None:
        raise TocsinError("faces must be an (m, 3) array of vertex numbers; got None.")
    return _cast.indices(given, "faces", 3, count)


def _collapsed(corners: Faces) -> Flags:
    """(m,) bool: triangles with a repeated corner."""
    return (corners[:, 0] == corners[:, 1]) | (corners[:, 1] == corners[:, 2]) | (corners[:, 2] == corners[:, 0])
