"""A shape ready for queries: its points, triangles, hierarchy, convex proxy and box, in the frame of its link.

Meshes are surfaces, kept triangle by triangle. Primitives and hulls are solids, kept exactly as a convex set: a few
points and radii (see `convex.py`). What takes noticeable time is kept in the cache folder, keyed by content.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np

from tocsin import _cast
from tocsin._types import Faces, Flags, Matrix3, Matrix4, NodeTable, Numeric, PoseLike, Vector, Vectors
from tocsin.compiler.progress import several
from tocsin.compiler.threads import on_cores
from tocsin.errors import MeshWarning, TocsinError, remark
from tocsin.geometry import cache
from tocsin.geometry.affine import moved
from tocsin.geometry.features import Features, find_features
from tocsin.geometry.hull import convex_hull
from tocsin.geometry.hull_tree import HullTree, build_hull_tree
from tocsin.geometry.mesh import Mesh, MeshLike
from tocsin.geometry.obb import fit_obb
from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder, Primitive, Sphere
from tocsin.geometry.proxy import NO_POINTS, convex_proxy
from tocsin.geometry.shells import opposite_shells_cross
from tocsin.geometry.support_building import are_support_patches, build_support_patches
from tocsin.geometry.support_patches import SupportPatches, patch_layout
from tocsin.geometry.tree import NODE, UNIT, write_box
from tocsin.geometry.tree_building import build_tree, is_tree

Geometry: TypeAlias = Primitive | Mesh
"""Where it is, in its own frame."""

Placed: TypeAlias = tuple[Geometry, Matrix4]
"""With its own frame in that of its link or body."""

PRIMITIVES = (Box, Sphere, Capsule, Cylinder, ConvexHull)

MANY = 10_000
"""Triangles of a robot from which its links are prepared on all cores; fewer take less time than threads do."""

CACHED_FROM = 24
"""Meshes with at least this many triangles keep their hierarchy on disk: 300 take 15 ms to build and 1 to read."""

BUILT: cache.Layout = {
    "center": (float, (3,)), "axes": (float, (3, 3)), "half": (float, (3,)), "proxy": (float, (None, 3)),
    "radius": (float, ()), "others": (float, (None, 3)), "slack": (float, ()), "tight": (bool, ()),
    "samples": (float, (None, 3)),
}  # fmt: skip
"""What is built of a mesh beside its hierarchy."""


@dataclass(frozen=True, eq=False)
class Shape:
    """One shape of a link, everything in the link's frame."""

    source: Geometry
    """The Mesh or primitive it was made from, in its own frame."""
    placement: Matrix4
    """4x4: its own frame in the link's."""
    points: Vectors
    faces: Faces
    nodes: NodeTable
    proxy: Vectors
    """(k, 3): the points of a convex set that contains the shape, and is the shape if there are no faces."""
    radius: float
    disk: float
    axis: Vectors
    """(1, 3): of a cylinder the unit axis, which its rounded ends do not tell; else (0, 3)."""
    center: Vector
    axes: Matrix3
    half: Vector
    reach: float
    diagonal: float
    """Of the box along the axes of its own frame, metres."""
    samples: Vectors
    """(k, 3): one point of each connected component; only where a mesh may lie inside another unnoticed."""
    solid: bool = False
    key: str = ""
    """Of its triangles, as placed, in the cache; "" if it has too few to be kept."""
    others: Vectors = field(default_factory=lambda: NO_POINTS)
    """(k, 3): with those of the proxy, the corners of the mesh's convex hull; (0, 3) if the proxy has to do."""
    slack: float = 0.0
    """As `radius`, of the hull."""
    tight: bool = False
    """Is it the hull itself? See `proxy.Proxy`."""

    @property
    def identity(self) -> tuple[int, bytes]:
        """The same for two shapes that are made from one mesh or primitive and placed alike: tables hold one of them.

        It tells shapes apart only as long as both are alive.
        """
        return id(self.source), self.placement.tobytes()

    @property
    def is_mesh(self) -> bool:
        """True for a surface made of triangles; False for a convex solid."""
        return isinstance(self.source, Mesh)

    def mesh(self, resolution: int = 32) -> Mesh:
        """Return its triangles, in its own frame: the mesh itself, or a primitive's tessellation."""
        return self.source if isinstance(self.source, Mesh) else self.source.tessellate(resolution)

    @cached_property
    def hull_tree(self) -> HullTree:
        """The hierarchy of convex hulls over the surface's convex pieces, built when first asked for."""
        return build_hull_tree(self.mesh(), self.points)

    @cached_property
    def patches(self) -> SupportPatches:
        """The corners below every node of the hierarchy of boxes, found when first asked for."""
        return self.found_patches()

    def found_patches(self) -> SupportPatches:
        """Fetch the patches from the cache, or make them: 70 ms for 10,000 triangles."""
        key = cache.derived_key(self.key, "patches")
        found = cache.load(key, patch_layout(len(self.nodes)))
        if found is None or not are_support_patches(SupportPatches(**found)):
            found = build_support_patches(self.nodes, self.points, self.faces)._asdict()
            cache.store(key, found)
        return SupportPatches(**found)

    @cached_property
    def features(self) -> Features:
        """Its corners, edges and flat faces; of a primitive those of its tessellation, which for a box or a hull is
        exact."""
        mesh = self.mesh()
        return find_features(mesh, _placed(mesh.vertices, self.placement))

    @property
    def is_empty(self) -> bool:
        """True for a mesh without triangles: it never touches anything."""
        return len(self.nodes) == 0


ShapeLike: TypeAlias = "MeshLike | Primitive | Shape | tuple[MeshLike | Primitive, PoseLike] | Sequence[ShapeLike]"
"""What a link or body can be made of: a mesh, a primitive, either with its placement, or a list of such."""


def make_shape(source: MeshLike | Primitive, placement: Matrix4 | None = None, *, solid: bool = False) -> Shape:
    """Prepare a mesh (path, trimesh, arrays or Mesh) or a primitive, placed in its link's frame by a 4x4 matrix."""
    given = source if isinstance(source, PRIMITIVES) else Mesh.from_any(source)
    place = np.eye(4) if placement is None else placement
    shape = _mesh_shape(given, place, solid) if isinstance(given, Mesh) else _convex_shape(given, place)
    if 0.0 < shape.diagonal < _cast.SMALLEST or not shape.reach <= _cast.LARGEST:
        raise TocsinError(
            f"a shape of {shape.diagonal:g} m, up to {shape.reach:g} m from its link's origin, is out of range: "
            f"lengths go from {_cast.SMALLEST:g} to {_cast.LARGEST:g} m; choose other units."
        )
    return shape


def _placed(points: Vectors, place: Matrix4) -> Vectors:
    """Transform points; the identity changes no bit."""
    out = moved(points, place)
    if out is points:
        return points
    out = np.ascontiguousarray(out)
    out.setflags(write=False)  # as those of a mesh: kernels are compiled anew for arrays that can be written
    return out


def _mesh_shape(mesh: Mesh, place: Matrix4, solid: bool) -> Shape:
    if solid and not mesh.report.is_closed:
        raise TocsinError(f"solid=True needs a closed mesh, but this one is open or non-manifold: {mesh.report}.")
    if solid and not _consistently_wound(mesh):
        raise TocsinError(
            "solid=True needs triangles that are all wound alike (each edge once in each direction), or inside and "
            "outside mean nothing; trimesh.repair.fix_winding can mend this mesh."
        )
    if solid and opposite_shells_cross(mesh):
        raise TocsinError(
            "solid=True needs shells that face alike where they cross, but two of this mesh cross and one of them is "
            "inside out: turn its triangles around, or give the two as shapes of their own."
        )
    empty = np.zeros(3)
    if len(mesh.faces) == 0:
        remark("a mesh without triangles never touches anything.", MeshWarning)
        return Shape(
            mesh, place, np.zeros((0, 3)), mesh.faces, np.zeros(0, NODE), np.zeros((0, 3)), 0.0, 0.0, np.zeros((0, 3)),
            empty, np.eye(3), empty, 0.0, 0.0, np.zeros((0, 3)), solid,
        )  # fmt: skip
    points = _placed(mesh.vertices, place)
    used = np.zeros(len(points), dtype=bool)
    used[mesh.faces] = True
    key = cache.content_key(__file__, "shape", points, mesh.faces) if len(mesh.faces) >= CACHED_FROM else ""
    built = _built(mesh, points, used, key)
    corners = mesh.vertices[used]
    diagonal = math.hypot(*(corners.max(axis=0) - corners.min(axis=0)))
    return Shape(
        mesh,
        place,
        points,
        mesh.faces,
        built["nodes"],
        built["proxy"],
        float(built["radius"]),
        0.0,
        np.zeros((0, 3)),
        built["center"],
        built["axes"],
        built["half"],
        float(built["nodes"]["reach"][0]),
        diagonal,
        built["samples"],
        solid,
        key,
        built["others"],
        float(built["slack"]),
        bool(built["tight"]),
    )


def _consistently_wound(mesh: Mesh) -> bool:
    """Is every edge, by position, used once in each direction?"""
    corners = mesh.welded[0].astype(np.int64)
    start = corners.reshape(-1)
    end = np.roll(corners, -1, axis=1).reshape(-1)
    n = int(corners.max(initial=0)) + 1
    forward = np.sort(start * n + end)
    return bool(np.array_equal(forward, np.sort(end * n + start)) and (np.diff(forward) > 0).all())


def _built(mesh: Mesh, points: Vectors, used: Flags, key: str) -> dict[str, Numeric]:
    """Build, or fetch from the cache, what depends on the triangles alone; `used` are the points that they have."""
    faces = mesh.faces
    if key:
        found = cache.load(key, {**BUILT, "nodes": (NODE, (2 * len(faces) - 1,))})
        if found is not None and is_tree(found["nodes"]):
            return found
    corners = points[used]
    center, axes, half = fit_obb(corners)
    proxy = convex_proxy(corners)
    built: dict[str, Numeric] = {
        "nodes": build_tree(points, faces),
        "center": np.asarray(center, dtype=np.float64),
        "axes": np.asarray(axes, dtype=np.float64),
        "half": np.asarray(half, dtype=np.float64),
        "proxy": proxy.kept,
        "radius": np.array(proxy.radius, dtype=np.float64),
        "others": proxy.others,
        "slack": np.array(proxy.slack, dtype=np.float64),
        "tight": np.array(proxy.tight),
        "samples": points[faces[np.unique(mesh.components(), return_index=True)[1], 0]],
    }
    if key:
        cache.store(key, built)
    return built


def _convex_shape(source: Primitive, place: Matrix4) -> Shape:
    """A primitive as points and radii; exact, up to the rounding of the placement."""
    radius = 0.0
    disk = 0.0
    if isinstance(source, Box):
        x, y, z = (0.5 * s for s in source.size)
        core = np.array([[i * x, j * y, k * z] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        size = 2.0 * np.array([x, y, z])
    elif isinstance(source, Sphere):
        radius = float(source.radius)
        core = np.zeros((1, 3))
        size = np.full(3, 2.0 * radius)
    elif isinstance(source, Capsule):
        radius = float(source.radius)
        h = 0.5 * source.length
        core = np.array([[0.0, 0.0, -h], [0.0, 0.0, h]])
        size = np.array([2.0 * radius, 2.0 * radius, 2.0 * (radius + h)])
    elif isinstance(source, Cylinder):
        disk = float(source.radius)
        h = 0.5 * source.length
        core = np.array([[0.0, 0.0, -h], [0.0, 0.0, h]])
        size = np.array([2.0 * disk, 2.0 * disk, 2.0 * h])
    else:
        hull = convex_hull(source.points)
        core = np.ascontiguousarray(hull.vertices)
        radius = hull.slack * (1.0 + 2.0**-40)
        size = core.max(axis=0) - core.min(axis=0)
    proxy = _placed(core, place)
    axis = np.zeros((0, 3))
    if disk > 0.0:
        axis = place[None, :3, 2] / np.linalg.norm(place[:3, 2])
    if isinstance(source, (Sphere, Capsule, Cylinder, Box)):
        # The box of the primitive's own frame, placed; inflated for the rounding of the placement.
        axes = np.ascontiguousarray(place[:3, :3].T)
        center = np.ascontiguousarray(place[:3, 3])
        half = 0.5 * size + 64.0 * UNIT * (size.max() + np.abs(center).max())
    else:
        center, axes, half = fit_obb(proxy)
        half = half + radius
    reach = (float(np.sqrt((proxy**2).sum(axis=1).max())) + radius + disk) * (1.0 + 16.0 * UNIT)
    node = np.zeros(1, NODE)
    write_box(node[0], tuple(center), tuple(map(tuple, axes)), tuple(half), reach)
    node["count"] = 1
    return Shape(
        source,
        place,
        np.zeros((0, 3)),
        np.zeros((0, 3), np.int32),
        node,
        proxy,
        radius,
        disk,
        axis,
        np.asarray(center),
        np.asarray(axes),
        np.asarray(half),
        reach,
        math.hypot(*size),
        proxy[:1],
        True,
    )


def placed_shapes(given: ShapeLike | None, what: str, *, solid: bool = False) -> tuple[Shape, ...]:
    """Prepare what a link may carry: nothing, a shape, a (shape, placement) pair, or a list of such."""
    if given is None:
        return ()
    if isinstance(given, list) or (isinstance(given, tuple) and all(isinstance(item, Shape) for item in given)):
        return tuple(s for item in cast(Sequence[ShapeLike], given) for s in placed_shapes(item, what, solid=solid))
    if isinstance(given, Shape):
        return (given,)
    if isinstance(given, tuple) and len(given) == 2 and not _is_arrays(given):
        if isinstance(given[1], (*PRIMITIVES, Mesh)):
            raise TocsinError(f"several shapes of {what} go into a list: [{given[0]!r}, {given[1]!r}].")
        place = _cast.placement(given[1], f"the placement of a shape of {what}")
        return (make_shape(cast(MeshLike, given[0]), place, solid=solid),)
    if not (isinstance(given, (*PRIMITIVES, Mesh, str, os.PathLike, tuple)) or hasattr(given, "faces")) or (
        isinstance(given, tuple) and len(given) != 2
    ):
        raise TocsinError(
            f"the shape of {what} must be a mesh (a file path, a trimesh.Trimesh, (vertices, faces), a Mesh), a "
            "primitive (Box, Sphere, Capsule, Cylinder, ConvexHull), a (shape, placement) pair, or a list of such; "
            f"got {_cast.said(given)}."
        )
    try:
        return (make_shape(cast(MeshLike, given), solid=solid),)
    except TocsinError as error:
        raise TocsinError(f"the shape of {what}: {error}") from error


def shapes_of_links(given: Mapping[str, ShapeLike | None], links: Sequence[str]) -> tuple[tuple[Shape, ...], ...]:
    """Prepare what the links of a robot carry, in the order of `links`; large meshes of several on all cores."""
    sizes = {link: size for link in links if (size := _triangles(given.get(link)))}
    with several("hierarchies", list(sizes.values())) as done:

        def make(link: str) -> tuple[Shape, ...]:
            made = placed_shapes(given[link], f"link {link!r}")
            done(sizes[link])
            return made

        large = sorted(sizes, key=lambda link: -sizes[link]) if sum(sizes.values()) >= MANY else []
        made = dict(zip(large, on_cores(make, large)))
    return tuple(made[k] if k in made else placed_shapes(given.get(k), f"link {k!r}") for k in links)


def _triangles(given: ShapeLike | None) -> int:
    """Return the triangles of a list of placed meshes and primitives; 0 if it holds anything about which there may be
    something to say, which is said in the caller's thread."""
    if not isinstance(given, list):
        return 0
    held = [item[0] if isinstance(item, tuple) and len(item) == 2 else item for item in given]
    plain = all(isinstance(one, PRIMITIVES) or (isinstance(one, Mesh) and len(one.faces)) for one in held)
    return sum(len(one.faces) for one in held if isinstance(one, Mesh)) if plain else 0


def _is_arrays(given: tuple[Any, Any]) -> bool:
    """Is this (vertices, faces), and not (shape, placement)?"""
    if isinstance(given[0], (*PRIMITIVES, Mesh, str)) or hasattr(given[0], "faces") or hasattr(given[0], "__fspath__"):
        return False
    try:
        return np.shape(given[1]) not in ((4, 4), (3,))
    except Exception:  # no array at all: let the checks of arrays say so
        return True
