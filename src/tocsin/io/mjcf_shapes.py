"""The geoms of a compiled MuJoCo model as shapes.

Boxes, spheres, capsules and cylinders are exact, and so are hulls of meshes and height fields (a closed solid, cut into
triangles as MuJoCo cuts it). Two are not:
- a plane is a half-space without end; it becomes a box of `PLANE_SIDE` metres under it, half as thick;
- an ellipsoid becomes a polytope around it, at most 0.6 % of its radii larger; one with equal radii is a sphere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tocsin import _cast
from tocsin.errors import TocsinError
from tocsin.geometry.height_field import height_field
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.primitives import Box, Capsule, ConvexHull, Cylinder, Sphere
from tocsin.geometry.shape import Placed, Shape, make_shape
from tocsin.io.mjcf_bounds import MOST_CELLS
from tocsin.io.shapes import PLANE_SIDE, round_polytope

PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)
"""MuJoCo's kinds of geoms."""




def geom_shape(model: Any, geom: int, meshes: str) -> Placed | Shape:
    """Return the shape of a geom with its placement in its body's frame."""
    kind = int(model.geom_type[geom])
    size = model.geom_size[geom].tolist()
    w, x, y, z = model.geom_quat[geom]
    what = f"geom {model.geom(geom).name or geom!r}"
    place = _cast.turned(np.array(model.geom_pos[geom]), np.array((x, y, z, w)), what)
    if kind == PLANE:
        down = np.eye(4)
        down[2, 3] = -0.25 * PLANE_SIDE
        return Box((PLANE_SIDE, PLANE_SIDE, 0.5 * PLANE_SIDE)), place @ down
    if kind == HFIELD:
        return make_shape(_height_field(model, int(model.geom_dataid[geom])), place, solid=True)
    if kind == SPHERE or (kind == ELLIPSOID and size[0] == size[1] == size[2]):
        return Sphere(size[0]), place
    if kind == CAPSULE:
        return Capsule(size[0], 2.0 * size[1]), place
    if kind == ELLIPSOID:
        return ConvexHull(round_polytope() * size), place
    if kind == CYLINDER:
        return Cylinder(size[0], 2.0 * size[1]), place
    if kind == BOX:
        return Box((2.0 * size[0], 2.0 * size[1], 2.0 * size[2])), place
    if kind == MESH:
        return _mesh(model, int(model.geom_dataid[geom]), meshes), place
    raise TocsinError(f"{what} is of a kind that is not read (number {kind}, a signed distance field, for example).")


def _mesh(model: Any, mesh: int, meshes: str) -> Mesh | ConvexHull:
    first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    points = np.array(model.mesh_vert[first : first + count], dtype=np.float64)
    if meshes == "hulls":
        return ConvexHull(points)
    first, count = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
    return Mesh(points, np.array(model.mesh_face[first : first + count]), name=model.mesh(mesh).name)


def _height_field(model: Any, field: int) -> Mesh:
    """Return the closed surface of a height field: its top, cut along the diagonal of each cell, walls and base."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    if rows * columns > MOST_CELLS:
        raise TocsinError(f"height field {model.hfield(field).name!r} has {rows} x {columns} points: too many to hold.")
    x, y, top, below = (float(size) for size in model.hfield_size[field])
    first = int(model.hfield_adr[field])
    heights = np.array(model.hfield_data[first : first + rows * columns], dtype=np.float64) * top
    grid = np.linspace(-x, x, columns), np.linspace(-y, y, rows)
    return height_field(*grid, heights.reshape(rows, columns), -below, name=model.hfield(field).name)
