"""Collision objects as planners write them: primitives, meshes and planes with poses, from YAML or ROS messages.

Two shapes have no exact counterpart. A cone becomes the pyramid of `CONE_SIDES` sides around it, at most 0.13 % of its
radius larger. A plane has no end; it becomes a square of `PLANE_SIDE` metres about the point nearest to its origin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tocsin import _cast
from tocsin._types import Matrix4, Values
from tocsin.errors import TocsinError, unknown_name
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.primitives import Box, ConvexHull, Cylinder, Primitive, Sphere
from tocsin.geometry.shape import Geometry, Placed
from tocsin.io.uris import Places
from tocsin.io.yamlfile import Structure, is_mapping, listing, mapping, word
from tocsin.model.body import Body

CONE_SIDES = 64
PLANE_SIDE = 2000.0

_MESSAGE_TYPES = {1: "box", 2: "sphere", 3: "cylinder", 4: "cone"}
"""The numbers of shape_msgs/SolidPrimitive."""


MOST_OBJECTS = 10_000
"""Objects of one scene, and shapes of one object."""


def check_count(count: int, what: str = "the scene") -> None:
    """Refuse more objects than a scene has, before one of them is made."""
    if count > MOST_OBJECTS:
        raise TocsinError(f"{what} has {count} objects; at most {MOST_OBJECTS} are read.")


def refuse_doubles(names: Iterable[str]) -> None:
    """Refuse objects of one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise TocsinError(f"two objects are called {name!r}; names must differ.")
        seen.add(name)


def object_body(name: str, pose: Matrix4, shapes: list[Placed]) -> Body:
    """Return the body of an object; the frame of a single shape is the body's own."""
    if len(shapes) == 1:
        shape, placement = shapes[0]
        return Body(shape, pose @ placement, name=name)
    return Body(list(shapes), pose, name=name)


def shapes_of(entry: Structure, name: str, places: Places) -> tuple[Matrix4, list[Placed]]:
    """Return the pose of a collision object in its frame and its shapes, placed in the object's frame."""
    shapes: list[Placed] = []

    def mesh(given: Structure, what: str) -> Mesh:
        return _mesh(given, what, places)

    kinds: tuple[tuple[str, str, Callable[[Structure, str], Geometry]], ...] = (
        ("primitives", "primitive_poses", _primitive),
        ("meshes", "mesh_poses", mesh),
        ("planes", "plane_poses", _plane),
    )
    for key, poses_key, make in kinds:
        items = listing(entry.get(key), f"{key} of {name!r}")
        poses = listing(entry.get(poses_key), f"{poses_key} of {name!r}")
        if len(poses) > len(items) or (len(poses) < len(items) and (poses or len(items) > 1)):
            raise TocsinError(f"object {name!r} has {len(items)} {key}, but {len(poses)} {poses_key}.")
        check_count(len(items), f"object {name!r}")
        for k, item in enumerate(items):
            what = f"{key}[{k}] of object {name!r}"
            placement = pose_of(poses[k], f"{poses_key}[{k}] of object {name!r}") if poses else np.eye(4)
            try:
                shapes.append((make(mapping(item, what), what), placement))
            except TocsinError as error:
                raise TocsinError(f"{what}: {error}") from None
    pose = pose_of(entry["pose"], f"the pose of object {name!r}") if entry.get("pose") is not None else np.eye(4)
    return pose, shapes


def _primitive(given: Structure, what: str) -> Primitive:
    kind = given.get("type")
    kind = _MESSAGE_TYPES.get(kind, "") if isinstance(kind, int) else str(kind).lower()
    if kind not in _MESSAGE_TYPES.values():
        raise unknown_name("kind of primitive", given.get("type"), _MESSAGE_TYPES.values())
    count = {"box": 3, "sphere": 1, "cylinder": 2, "cone": 2}[kind]
    size = _cast.array(given.get("dimensions"), "the dimensions", (count,)).tolist()
    if kind == "box":
        return Box((size[0], size[1], size[2]))
    if kind == "sphere":
        return Sphere(size[0])
    return Cylinder(size[1], size[0]) if kind == "cylinder" else cone(size[1], size[0])


def cone(radius: float, height: float) -> ConvexHull:
    """Return the pyramid around a cone whose apex is at z = height / 2 and whose base is at -height / 2."""
    Cylinder(radius, height)  # the same sizes are legal
    around = radius / math.cos(math.pi / CONE_SIDES) * (1.0 + 4.0 * np.finfo(float).eps)
    angles = 2.0 * np.pi * np.arange(CONE_SIDES) / CONE_SIDES
    rim = np.column_stack((around * np.cos(angles), around * np.sin(angles), np.full(CONE_SIDES, -0.5 * height)))
    return ConvexHull(np.vstack((rim, np.array([(0.0, 0.0, 0.5 * height)]))))


def plane(coefficients: object) -> Mesh:
    """Return the square that stands for the plane a x + b y + c z + d = 0."""
    a, b, c, d = _cast.array(coefficients, "the coefficients of a plane", (4,)).tolist()
    length = math.hypot(a, b, c)
    normal = _cast.unit((a, b, c), "the normal of a plane")
    helper = np.eye(3)[int(np.argmin(np.abs(normal)))]
    u = _cast.unit(np.cross(normal, helper), "an axis of a plane")
    v = np.cross(normal, u)
    centre, half = -d / length * normal, 0.5 * PLANE_SIDE
    corners = [centre + half * (s * u + t * v) for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return Mesh(np.array(corners), np.array([(0, 1, 2), (0, 2, 3)]))


def _plane(given: Structure, what: str) -> Mesh:
    return plane(given.get("coef"))


def _mesh(given: Structure, what: str, places: Places) -> Mesh:
    """Return a mesh that is written out, or named by a resource with the scale in `dimensions`."""
    resource = given.get("resource")
    if resource:
        mesh = Mesh.load(places.resolve(word(resource, "the resource"), what))
        scale = given.get("dimensions")
        return mesh if scale is None else mesh.scaled(tuple(_cast.array(scale, "the dimensions", (3,)).tolist()))
    vertices = [_numbers(vertex, "a vertex", "xyz") for vertex in listing(given.get("vertices"), "vertices")]
    faces: list[Any] = [
        face.get("vertex_indices") if is_mapping(face) else face
        for face in listing(given.get("triangles"), "triangles")
    ]
    if not vertices or not faces:
        raise TocsinError("a mesh needs vertices and triangles, or a resource.")
    return Mesh(np.array(vertices), faces)


def _numbers(value: object, what: str, keys: str) -> Values:
    """Return numbers that are given as a list, or by letter as in ROS messages."""
    if is_mapping(value):
        missing = [key for key in keys if key not in value]
        if missing:
            raise TocsinError(f"{what} must have {', '.join(keys)}; {missing[0]!r} is missing.")
        value = [value[key] for key in keys]
    return _cast.array(value, what, (len(keys),))


def pose_of(value: object, what: str, position: str = "position", orientation: str = "orientation") -> Matrix4:
    """Return the 4x4 matrix of a pose or transform, its two parts as lists or by letter; `what` names it in errors."""
    given = mapping(value, what)
    for key in (position, orientation):
        if key not in given:
            raise TocsinError(f"{what} has no {key!r}.")
    return _cast.turned(
        _numbers(given[position], f"the {position} of {what}", "xyz"),
        _numbers(given[orientation], f"the {orientation} of {what}", "xyzw"),
        what,
    )
