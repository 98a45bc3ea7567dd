"""Scenes as plain data: what `stories` asks about, and what it is judged by.

A `Story` says which models there are, how each moves, and what margin and tolerance are asked for, in numbers alone.
`told` makes models, motions and a scene of it; or of the same story told otherwise: in another frame, in other units,
its models in another order, on another back end. `stories_truth` reads the same numbers with kinematics and geometry
of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

import tocsin

ROUND: dict[str, Any] = {"sphere": tocsin.Sphere, "capsule": tocsin.Capsule, "cylinder": tocsin.Cylinder}
WIDTH = {"fixed": 0, "revolute": 1, "continuous": 1, "prismatic": 1, "planar": 3, "ball": 4, "floating": 7}

CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))
BOX_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
"""Outward."""
SHEET = np.array([[-0.5, -0.5, 0.0], [0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [-0.5, 0.5, 0.0]])
SHEET_FACES = np.array([[0, 1, 2], [0, 2, 3]])
OCTAHEDRON = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])


@dataclass(frozen=True)
class Part:
    """One shape on a link: `size` is that of a box, sheet or octahedron, (radius,) or (radius, length) otherwise."""

    kind: str
    size: tuple[float, ...]
    placement: np.ndarray

    def shape(self) -> Any:
        """Return what the library is given."""
        if self.kind in ROUND:
            return ROUND[self.kind](*self.size)
        if self.kind == "box":
            x, y, z = self.size
            return tocsin.Box((x, y, z))
        if self.kind == "hull":
            return tocsin.ConvexHull(CORNERS * self.size)
        if self.kind == "octahedron":
            return tocsin.ConvexHull(OCTAHEDRON * self.size)
        if self.kind == "sheet":
            return tocsin.Mesh(SHEET * self.size, SHEET_FACES)
        return tocsin.Mesh(CORNERS * self.size, BOX_FACES)


@dataclass(frozen=True)
class Link:
    """One link; `parent`: its place in the model, -1 for a root. `mimic`: (link of the master, multiplier, offset)."""

    name: str
    parts: tuple[Part, ...] = ()
    joint: str = "fixed"
    parent: int = -1
    origin: np.ndarray | None = None
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    mimic: tuple[int, float, float] | None = None

    @property
    def width(self) -> int:
        """Return its entries in a configuration."""
        return 0 if self.mimic is not None or self.parent < 0 else WIDTH[self.joint]


@dataclass(frozen=True)
class Actor:
    """One model and its motion.

    `stations`: poses (4x4) of a body; (configuration, base pose) of a robot; vertices (n, 3) of a cloth. One station
    only: it stands there; `named`: and is given to the question, as `at`.
    """

    name: str
    kind: str
    stations: tuple[Any, ...]
    links: tuple[Link, ...] = ()
    screw: bool = False
    named: bool = False
    free: bool = False
    faces: np.ndarray | None = None
    self_contact: bool = False

    @property
    def moves(self) -> bool:
        """Return whether the question names it."""
        return len(self.stations) > 1 or self.named


@dataclass(frozen=True)
class Story:
    """One motion, and how it is asked about."""

    actors: tuple[Actor, ...]
    margin: float
    tolerance: float | None
    backend: str
    exact: bool
    """Boxes and rectangles that never turn, all on the lattice: what is measured at dyadic times has no rounding."""

    @property
    def size(self) -> float:
        """Return a bound on all coordinates."""
        total = 0.0
        for actor in self.actors:
            reach = sum(float(np.linalg.norm(x.origin[:3, 3])) for x in actor.links if x.origin is not None)
            reach += max((_reach(p) for x in actor.links for p in x.parts), default=0.0)
            for station in actor.stations:
                numbers = np.concatenate([np.ravel(x) for x in station]) if actor.kind == "robot" else station
                total = max(total, reach + float(np.abs(numbers).max()) * (1 + 2 * len(actor.links)))
        return total + self.margin

    @property
    def pieces(self) -> set[int]:
        """Return how many pieces the moving actors' motions have."""
        return {len(actor.stations) - 1 for actor in self.actors if len(actor.stations) > 1}


@dataclass(frozen=True)
class Told:
    """A story in the library's words."""

    scene: Any
    motions: tuple[Any, ...]
    models: dict[str, Any]


def _reach(part: Part) -> float:
    return float(np.linalg.norm(part.placement[:3, 3])) + 2.0 * sum(part.size)


def moved(pose: np.ndarray, scale: float, turn: np.ndarray | None = None) -> np.ndarray:
    """Return a pose in other units, seen from a turned frame."""
    out = pose.copy()
    out[:3, 3] *= scale
    if turn is not None:
        out[:3] = turn @ out[:3]
    return out


def scaled_values(actor: Actor, q: np.ndarray, scale: float) -> np.ndarray:
    """Return a configuration in other units: lengths are scaled, angles and quaternions are not."""
    out, k = q.copy(), 0
    for link in actor.links:
        lengths = {"prismatic": 1, "planar": 2, "floating": 3}.get(link.joint, 0) if link.width else 0
        out[k : k + lengths] *= scale
        k += link.width
    return out


def told(story: Story, scale: float = 1.0, turn: np.ndarray | None = None) -> Told:
    """Return the models, motions and scene of a story, as it is, or in other units and from a turned frame."""
    models, motions = {}, []
    for actor in story.actors:
        if scale != 1.0 or turn is not None:
            actor = seen(actor, scale, turn)
        model = models[actor.name] = MODELS[actor.kind](actor)
        if actor.moves:
            motions.append(motion_of(model, actor))
    return Told(tocsin.Scene(*models.values(), backend=story.backend, threads=1), tuple(motions), models)


def seen(actor: Actor, scale: float, turn: np.ndarray | None) -> Actor:
    """Return an actor in other units, seen from a turned frame."""
    links = []
    for link in actor.links:
        parts = tuple(Part(p.kind, tuple(scale * s for s in p.size), moved(p.placement, scale)) for p in link.parts)
        origin = None if link.origin is None else moved(link.origin, scale)
        mimic = link.mimic
        if mimic is not None and link.joint == "prismatic":
            mimic = (mimic[0], mimic[1], scale * mimic[2])
        links.append(replace(link, parts=parts, origin=origin, mimic=mimic))
    stations: list[Any] = []
    for station in actor.stations:
        if actor.kind == "body":
            stations.append(moved(station, scale, turn))
        elif actor.kind == "robot":
            stations.append((scaled_values(actor, station[0], scale), moved(station[1], scale, turn)))
        else:
            stations.append(scale * (station if turn is None else station @ turn.T))
    return replace(actor, links=tuple(links), stations=tuple(stations))


def _body(actor: Actor) -> Any:
    (link,) = actor.links
    solid = any(part.kind == "solid" for part in link.parts)
    shapes = [(part.shape(), part.placement) for part in link.parts]
    return tocsin.Body(shapes, actor.stations[0], name=actor.name, solid=solid)


def _robot(actor: Actor) -> Any:
    builder = tocsin.RobotBuilder(actor.name, base="free" if actor.free else "fixed")
    for link in actor.links:
        shape = [(part.shape(), part.placement) for part in link.parts] or None
        solid = any(part.kind == "solid" for part in link.parts)
        if link.parent < 0:
            builder.link(link.name, shape, solid=solid)
            continue
        mimic = None
        if link.mimic is not None:
            mimic = (f"{actor.links[link.mimic[0]].name}_joint", *link.mimic[1:])
        builder.link(
            link.name, shape, parent=actor.links[link.parent].name, joint=link.joint, axis=link.axis,
            origin=link.origin, mimic=mimic, solid=solid,
        )  # fmt: skip
    robot = builder.build()
    values, base = actor.stations[0]
    robot.stand_at(values)
    robot.place(base)
    return robot


def _cloth(actor: Actor) -> Any:
    return tocsin.Deformable(actor.stations[0], actor.faces, name=actor.name, self_contact=actor.self_contact)


MODELS = {"body": _body, "robot": _robot, "cloth": _cloth}


def motion_of(model: Any, actor: Actor) -> Any:
    """Return the motion of a model through the stations of an actor."""
    stations = actor.stations
    if actor.kind == "robot":
        values, bases = [q for q, _ in stations], [base for _, base in stations]
        if len(values) == 1:
            return model.at(values[0])
        if actor.free:
            return model.follow(values, base=bases)
        return model.move(*values) if len(values) == 2 else model.follow(values)
    if len(stations) == 1:
        return model.at(stations[0])
    if len(stations) > 2:
        return model.follow(stations)
    return model.move(*stations, kind="screw") if actor.screw else model.move(*stations)


def pose_of(rotation: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Return a 4x4 pose."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation, place
    return out


def quaternion_of(rotation: np.ndarray) -> np.ndarray:
    """Return the unit quaternion x y z w of a rotation, exact where its entries are 0, 1/2 and 1."""
    m = rotation
    squares = np.array([1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2],
                        1 - m[0, 0] - m[1, 1] + m[2, 2], 1 + m[0, 0] + m[1, 1] + m[2, 2]])  # fmt: skip
    k = int(np.argmax(squares))
    rows = np.array(
        [[squares[0], m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]],
         [m[0, 1] + m[1, 0], squares[1], m[1, 2] + m[2, 1], m[0, 2] - m[2, 0]],
         [m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], squares[2], m[1, 0] - m[0, 1]],
         [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3]]]
    )  # fmt: skip
    return rows[k] / (2.0 * math.sqrt(squares[k]))
