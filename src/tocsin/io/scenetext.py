"""MoveIt's text format for planning scenes (`.scene`).

The first line is the scene's name. `* name` starts an object; then, in the newer variant, its pose (position, then
quaternion x y z w); then the number of shapes, and for each its kind, its size, its pose and its colour; then, in the
newer variant, the number of subframes, and for each its name and pose. A line with a dot ends the file. As MoveIt does,
the line after the first object's name tells the variants apart: one number is the older one.
"""

from __future__ import annotations

import math

import numpy as np

from tocsin import _cast
from tocsin._types import Matrix4, Values
from tocsin.errors import TocsinError
from tocsin.geometry.mesh import Mesh
from tocsin.geometry.primitives import Box, Cylinder, Sphere
from tocsin.geometry.shape import Geometry, Placed
from tocsin.io.collision_objects import check_count, cone, object_body, plane, refuse_doubles
from tocsin.model.body import Body

MOST_LINES = 1_000_000
"""Lines of a scene: they are read word by word, and a vertex or a triangle takes one."""

SHAPES = ("box", "cone", "cylinder", "mesh", "plane", "sphere")


class _Lines:
    """The words of a scene, read in order, with the line of each for errors."""

    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        self.name = lines[0].strip() if lines else ""
        self.lines = lines
        self.line = 1
        self.words: list[str] = []

    def rest_of_line(self) -> str:
        """Return the next line that is not blank, whole."""
        self.words = []
        while self.line < len(self.lines):
            self.line += 1
            if self.lines[self.line - 1].strip():
                return self.lines[self.line - 1].strip()
        raise TocsinError(f"it ends in line {len(self.lines)}, in the middle of an object.")

    def word(self) -> str:
        """Return the next word."""
        if not self.words:
            self.words = self.rest_of_line().split()[::-1]
        return self.words.pop()

    def numbers(self, count: int, what: str) -> Values:
        """Return the next `count` numbers."""
        out = np.zeros(count)
        for k in range(count):
            given = self.word()
            try:
                out[k] = float(given)
            except ValueError:
                out[k] = math.nan
            if not math.isfinite(out[k]):
                raise TocsinError(f"line {self.line}: {what} must be {count} finite numbers; got {given[:40]!r}.")
        return out

    def count(self, what: str) -> int:
        """Return the next whole number, at most one per line that is left."""
        given = self.word()
        if not (given.isascii() and given.isdigit()):
            raise TocsinError(f"line {self.line}: {what} must be a whole number; got {given[:40]!r}.")
        if len(given) > 9 or int(given) > len(self.lines):
            raise TocsinError(f"line {self.line} claims {given[:40]} as {what}; the file has {len(self.lines)} lines.")
        return int(given)

    def pose(self, what: str) -> Matrix4:
        """Return the next pose, 4x4."""
        position = self.numbers(3, f"the position of {what}")
        return _cast.turned(position, self.numbers(4, f"the orientation of {what}"), f"{what} (line {self.line})")


def parse_scene_text(text: str) -> tuple[str, list[Body]]:
    """Return the name of a scene and its objects as bodies; a file without its closing dot is refused."""
    if text.count("\n") > MOST_LINES:
        raise TocsinError(f"it has more than {MOST_LINES} lines.")
    lines = _Lines(text)
    bodies: list[Body] = []
    newer: bool | None = None
    while True:
        head = lines.rest_of_line() if lines.line < len(lines.lines) else ""
        if head == ".":
            break
        if not head.startswith("*"):
            said = f"line {lines.line} is {head[:40]!r}" if head else f"it ends in line {len(lines.lines)}"
            raise TocsinError(f"{said}, where '* name' of an object or the closing '.' is expected.")
        name = _cast.name(head[1:].strip(), f"the name of the object in line {lines.line}")
        if newer is None:
            following = next((line for line in lines.lines[lines.line :] if line.strip()), "")
            newer = len(following.split()) > 1
        pose = lines.pose(f"object {name!r}") if newer else np.eye(4)
        count = lines.count(f"the number of shapes of {name!r}")
        check_count(count, f"object {name!r}")
        shapes = [_shape(lines, name) for _ in range(count)]
        check_count(len(bodies))
        for _ in range(lines.count(f"the number of subframes of {name!r}") if newer else 0):
            lines.rest_of_line()
            lines.pose(f"a subframe of {name!r}")
        if shapes:
            bodies.append(object_body(name, pose, shapes))
    refuse_doubles(body.name for body in bodies)
    return lines.name, bodies


def _shape(lines: _Lines, name: str) -> Placed:
    kind = lines.word()
    what = f"the {kind} of {name!r}"
    line = lines.line
    if kind not in SHAPES:
        raise TocsinError(f"line {line}: no shape {kind[:40]!r}; shapes are: {', '.join(SHAPES)}.")
    try:
        if kind == "mesh":
            shape: Geometry = _mesh(lines, what)
        elif kind == "plane":
            shape = plane(lines.numbers(4, what))
        elif kind == "sphere":
            shape = Sphere(*lines.numbers(1, what).tolist())
        elif kind == "box":
            x, y, z = lines.numbers(3, what).tolist()
            shape = Box((x, y, z))
        else:
            radius, length = lines.numbers(2, what).tolist()
            shape = Cylinder(radius, length) if kind == "cylinder" else cone(radius, length)
    except TocsinError as error:
        raise TocsinError(f"object {name!r}, line {line}: {error}") from None
    place = lines.pose(what)
    lines.numbers(4, f"the colour of {what}")
    return shape, place


def _mesh(lines: _Lines, what: str) -> Mesh:
    vertices, triangles = lines.count(f"the vertices of {what}"), lines.count(f"the triangles of {what}")
    points = lines.numbers(3 * vertices, f"the vertices of {what}").reshape(-1, 3)
    corners = lines.numbers(3 * triangles, f"the triangles of {what}").reshape(-1, 3)
    if (corners != np.round(corners)).any() or (np.abs(corners) > vertices).any():
        raise TocsinError(f"the triangles of {what} must be vertex numbers below {vertices}.")
    return Mesh(points, corners.astype(np.int64))
