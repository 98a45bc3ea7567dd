"""Solid primitives: box, sphere, capsule, cylinder and the hull of points, centred at the origin, axis along z.

They are solids, unlike meshes: a body inside one is in contact with it. `tessellate` is for display only; queries use
the exact shapes.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast
from tocsin._types import Vectors
from tocsin.errors import TocsinError
from tocsin.geometry.hull import Hull, convex_hull
from tocsin.geometry.mesh import Mesh


def _positive(what: str, given: object) -> float:
    """Return a positive finite float, or say what was given instead."""
    value = _cast.plain(given)
    if value is None or not (math.isfinite(value) and value > 0.0):
        raise TocsinError(f"{what} must be a positive finite number in metres; got {_cast.said(given)}.")
    if not _cast.SMALLEST <= value <= _cast.LARGEST:
        raise TocsinError(
            f"{what} must be {_cast.SMALLEST:g} to {_cast.LARGEST:g} m; got {value:g}: choose other units."
        )
    return value


FINEST = 100_000
"""Segments of a circle, at most."""


def _resolution(given: object) -> int:
    """Return the number of segments of a full circle, at least 3."""
    segments = _cast.whole(given)
    if segments is None or not 3 <= segments <= FINEST:
        raise TocsinError(
            f"resolution is the number of segments of a circle, a whole number from 3 to {FINEST}; got "
            f"{_cast.said(given)}."
        )
    return segments


@dataclass(frozen=True)
class Box:
    """A solid box with full edge lengths `size` = (x, y, z), metres, centred at the origin: `Box((0.4, 0.4, 0.1))`."""

    size: tuple[float, float, float]

    if TYPE_CHECKING:

        def __init__(self, size: Iterable[float]) -> None: ...

    def __post_init__(self) -> None:
        """Check the size."""
        try:
            size = () if _cast.instance(self.size, (bytes, bytearray)) else tuple(self.size)
        except TypeError:
            size = ()
        if len(size) != 3:
            given = _cast.said(self.size)
            raise TocsinError(f"the size of a box is three edge lengths (x, y, z) in metres; got {given}.")
        object.__setattr__(self, "size", tuple(_positive("each edge length of a box", s) for s in size))

    def tessellate(self, resolution: int = 32) -> Mesh:
        """Return the 12 triangles of the box, whatever the resolution."""
        _resolution(resolution)
        hx, hy, hz = (0.5 * s for s in self.size)
        corners = [(x, y, z) for x in (-hx, hx) for y in (-hy, hy) for z in (-hz, hz)]
        quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
        return Mesh(np.array(corners), np.array(faces))


@dataclass(frozen=True)
class Sphere:
    """A solid ball around the origin, its radius in metres: `Sphere(0.1)`."""

    radius: float

    def __post_init__(self) -> None:
        """Check the radius."""
        object.__setattr__(self, "radius", _positive("the radius of a sphere", self.radius))

    def tessellate(self, resolution: int = 32) -> Mesh:
        """Return a mesh of rings, inscribed."""
        return _rounded(self.radius, 0.0, _resolution(resolution))


@dataclass(frozen=True)
class Capsule:
    """All points within `radius` of a segment of the given length along z, centred at the origin; metres.

    It is `length + 2 * radius` long in all: `Capsule(radius=0.05, length=0.4)` half a metre.
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        """Check radius and length."""
        object.__setattr__(self, "radius", _positive("the radius of a capsule", self.radius))
        object.__setattr__(self, "length", _positive("the length of a capsule", self.length))

    def tessellate(self, resolution: int = 32) -> Mesh:
        """Return a mesh of rings, inscribed."""
        return _rounded(self.radius, 0.5 * self.length, _resolution(resolution))


@dataclass(frozen=True)
class Cylinder:
    """A solid cylinder of the given height (`length`) along z, centred at the origin; metres."""

    radius: float
    length: float

    def __post_init__(self) -> None:
        """Check radius and length."""
        object.__setattr__(self, "radius", _positive("the radius of a cylinder", self.radius))
        object.__setattr__(self, "length", _positive("the length of a cylinder", self.length))

    def tessellate(self, resolution: int = 32) -> Mesh:
        """Return a prism with `resolution` sides, inscribed."""
        h = 0.5 * self.length
        return _rings([(0.0, -h), (self.radius, -h), (self.radius, h), (0.0, h)], _resolution(resolution))


@dataclass(frozen=True, eq=False)
class ConvexHull:
    """The convex hull of (n, 3) points, n >= 1, where they are: solid, flat, a segment or a single point."""

    points: Vectors

    if TYPE_CHECKING:

        def __init__(self, points: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        """Check and copy the points."""
        what = "the points of a convex hull"
        given = _cast.numbers(self.points, what, "an (n, 3) array of numbers")
        if given.size == 0:
            raise TocsinError("a convex hull needs at least one point; got none.")
        object.__setattr__(self, "points", _cast.frozen(_cast.coordinates(given, what, (None, 3)).copy()))

    @cached_property
    def hull(self) -> Hull:
        """The hull itself; computed on first use."""
        return convex_hull(self.points)

    def tessellate(self, resolution: int = 32) -> Mesh:
        """Return the hull's faces (none for a segment or point), whatever the resolution."""
        _resolution(resolution)
        return Mesh(self.hull.vertices, self.hull.faces)


Primitive = Box | Sphere | Capsule | Cylinder | ConvexHull


def _rounded(radius: float, half: float, resolution: int) -> Mesh:
    """A sphere cut at its equator and pulled apart by +-half."""
    quarter = max(2, resolution // 4)
    arc = [0.5 * math.pi * k / quarter for k in range(quarter + 1)]
    lower = [(radius * math.sin(t), -half - radius * math.cos(t)) for t in arc]
    upper = [(r, -z) for r, z in reversed(lower)]
    return _rings(lower + (upper if half > 0.0 else upper[1:]), resolution)


def _rings(profile: list[tuple[float, float]], resolution: int) -> Mesh:
    """Revolve a profile of (radius, z), from pole to pole, about the z axis."""
    angles = 2.0 * np.pi * np.arange(resolution) / resolution
    x, y, ones = np.cos(angles), np.sin(angles), np.ones(resolution)
    rings = [np.column_stack((r * x, r * y, z * ones)) for r, z in profile[1:-1]]
    poles = (np.array([(0.0, 0.0, z)]) for _, z in (profile[0], profile[-1]))
    vertices = np.vstack([next(poles), *rings, next(poles)])
    here = 1 + np.arange(resolution)
    ahead = 1 + (np.arange(resolution) + 1) % resolution
    south = np.zeros(resolution, dtype=int)
    faces = [np.column_stack((south, ahead, here))]
    for k in range(len(rings) - 1):
        a, b = here + k * resolution, ahead + k * resolution
        faces += [np.column_stack((a, b, b + resolution)), np.column_stack((a, b + resolution, a + resolution))]
    last = (len(rings) - 1) * resolution
    faces.append(np.column_stack((here + last, ahead + last, south + len(vertices) - 1)))
    return Mesh(vertices, np.vstack(faces))
