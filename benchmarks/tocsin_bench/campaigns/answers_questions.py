"""Ten thousand seeded questions, of every kind that can be asked, each a function of its number alone.

`answers` keeps what comes back of them. So nothing here may change when the library does: questions are drawn from a
seeded generator by sums, products, quotients and square roots, whose bits are the same everywhere, and ask through the
public names alone. Every other question is of round numbers: places on a lattice, rotations that map axes to axes,
quarter turns, stations that repeat.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np

import tocsin

CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))
BOX_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
TETRAHEDRON = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
TETRAHEDRON_FACES = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])
SHAPES = ("box", "sphere", "capsule", "cylinder", "hull", "mesh", "tetrahedron", "soup", "solid")
EDGED = ("box", "hull", "mesh", "tetrahedron", "soup")
"""Shapes that `contacts` takes as they are."""
JOINTS = ("revolute", "continuous", "prismatic", "planar", "ball", "floating", "fixed", "mimic")
AXIS_TURNS = [q for q in product((-1, 0, 1), repeat=4) if sum(map(abs, q)) in (1, 2, 4)]
"""Quaternions x y z w, not of unit length, of rotations that map axes to axes."""

THIN = (0.00390625, 0.015625, 0.0625)
"""Margins about cloth, whose edges are short."""


class Draw:
    """Numbers of one question: round ones, or random ones."""

    def __init__(self, seed: int, kind: str, number: int) -> None:
        self.rng = np.random.default_rng([seed, zlib.crc32(kind.encode()), number])
        self.round: bool = number % 2 == 0

    def chance(self, p: float) -> bool:
        """True as often as this."""
        return bool(self.rng.random() < p)

    def one(self, *choices: Any) -> Any:
        """One of these."""
        return choices[int(self.rng.integers(len(choices)))]

    def number(self, lo: float, hi: float) -> float:
        """A number between these, which are multiples of 1/8."""
        if self.round:
            return float(self.rng.integers(round(8 * lo), round(8 * hi) + 1)) / 8.0
        return lo + (hi - lo) * float(self.rng.random())

    def numbers(self, n: int, most: float) -> np.ndarray:
        """That many numbers in [-most, most]."""
        return np.array([self.number(-most, most) for _ in range(n)])

    def size(self) -> float:
        """An edge's length."""
        return self.one(0.25, 0.5, 0.5, 1.0) if self.round else 0.1 + 0.9 * float(self.rng.random())

    def quaternion(self) -> np.ndarray:
        """A unit quaternion x y z w."""
        q = np.array(self.one(*AXIS_TURNS), float) if self.round else 2.0 * self.rng.random(4) - 1.0
        return q / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])

    def pose(self, place: np.ndarray) -> np.ndarray:
        """A pose there, turned anyhow."""
        x, y, z, w = (2.0 * self.rng.random(4) - 1.0).tolist() if not self.round else self.one(*AXIS_TURNS)
        n = x * x + y * y + z * z + w * w
        out = np.eye(4)
        out[:3, :3] = [
            [(w * w + x * x - y * y - z * z) / n, 2 * (x * y - z * w) / n, 2 * (x * z + y * w) / n],
            [2 * (x * y + z * w) / n, (w * w - x * x + y * y - z * z) / n, 2 * (y * z - x * w) / n],
            [2 * (x * z - y * w) / n, 2 * (y * z + x * w) / n, (w * w - x * x - y * y + z * z) / n],
        ]
        out[:3, 3] = place
        return out

    def shape(self, kind: str, scale: float = 1.0) -> Any:
        """A shape of this kind."""
        size = [scale * self.size() for _ in range(3)]
        if kind == "box":
            return tocsin.Box((size[0], size[1], size[2]))
        if kind == "sphere":
            return tocsin.Sphere(0.5 * size[0])
        if kind in ("capsule", "cylinder"):
            return (tocsin.Capsule if kind == "capsule" else tocsin.Cylinder)(0.5 * size[0], size[1])
        if kind == "hull":
            return tocsin.ConvexHull(CORNERS * size + (self.rng.random((8, 3)) - 0.5) * (0.0 if self.round else scale))
        if kind == "tetrahedron":
            return tocsin.Mesh(TETRAHEDRON * size, TETRAHEDRON_FACES)
        if kind == "soup":
            corners = scale * np.stack([self.numbers(3, 0.5) for _ in range(9)])
            return tocsin.Mesh(corners, np.arange(9).reshape(3, 3))
        return tocsin.Mesh(CORNERS * size, BOX_FACES)

    def body(self, name: str, kinds: tuple[str, ...], within: float = 1.0) -> Any:
        """A body of one or two shapes, standing this near to the middle of the scene."""
        kind = self.one(*kinds)
        scale = self.one(0.25, 0.5, 1.0)
        if kind == "solid" or self.chance(0.7):
            placed = self.pose(self.numbers(3, within))
            return tocsin.Body(self.shape(kind, scale), placed, name=name, solid=kind == "solid")
        both = kind, self.one(*(k for k in kinds if k != "solid"))
        parts = [(self.shape(k, scale), self.numbers(3, 0.5)) for k in both]
        return tocsin.Body(parts, self.pose(self.numbers(3, within)), name=name)

    def flight(self, body: Any, *, screws: bool = True, paths: bool = True) -> Any:
        """A motion of a body past the middle of the scene."""
        start = self.numbers(3, 2.0)
        ends = self.pose(start), self.pose(self.numbers(3, 0.5) - start)
        if paths and self.chance(0.2):
            between = [self.pose(self.numbers(3, 1.5)) for _ in range(int(self.rng.integers(1, 4)))]
            return body.follow([ends[0], *between, ends[1]])
        if self.chance(0.15):
            ends = ends[0], ends[0].copy()
            ends[1][:3, 3] = -start
        return body.move(*ends, kind="screw") if screws and self.chance(0.25) else body.move(*ends)

    def robot(self) -> Any:
        """A tree of three to seven links."""
        free = self.chance(0.25)
        builder = tocsin.RobotBuilder("robot", base="free" if free else "fixed")
        builder.link("link0", self.shape("box", 0.4))
        masters: list[int] = []
        n = int(self.rng.integers(3, 8))
        for k in range(1, n):
            joint, mimic = self.one(*JOINTS), None
            if joint == "mimic":
                joint = self.one("revolute", "prismatic")
                if masters:
                    mimic = (f"link{self.one(*masters)}_joint", self.one(-1.0, 0.5, 2.0), self.number(-0.5, 0.5))
            elif joint in ("revolute", "continuous", "prismatic"):
                masters.append(k)
            kind = self.one("box", "capsule", "mesh", "hull", "sphere", "cylinder", None)
            carried = None if kind is None and k < n - 1 else [(self.shape(kind or "box", 0.4), self.numbers(3, 0.25))]
            axis = self.one((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0))
            if not self.round and joint != "planar":
                axis = tuple(2.0 * self.rng.random(3) - 1.0)
            builder.link(
                f"link{k}", carried, parent=f"link{k - 1 if self.chance(0.7) else int(self.rng.integers(k))}",
                joint=joint, axis=axis, origin=self.pose(self.numbers(3, 0.75)), mimic=mimic,
            )  # fmt: skip
        robot = builder.build()
        for a, b in combinations(range(n), 2):
            if self.chance(0.5):
                robot.ignore(f"link{a}", f"link{b}")
        return robot

    def configuration(self, robot: Any, reach: float) -> np.ndarray:
        """Joint values; angles of up to `reach` half turns."""
        out: list[float] = []
        for name in robot.joint_names:
            joint = next(j for j in robot.joints if j.name == name)
            if joint.kind in ("revolute", "continuous"):
                out.append(math.pi * reach * self.number(-1.0, 1.0))
            elif joint.kind == "prismatic":
                out.append(self.number(-0.75, 0.75))
            elif joint.kind == "planar":
                out += [*self.numbers(2, 0.75), math.pi * self.number(-1.0, 1.0)]
            else:
                out += [*(self.numbers(3, 0.75) if joint.kind == "floating" else ()), *self.quaternion()]
        return np.array(out)

    def walk(self, robot: Any, paths: bool = True) -> Any:
        """A motion of a robot: an edge of a planner, or a path."""
        reach = self.one(0.125, 1.0, 1.0, 4.0)
        rows = [self.configuration(robot, reach) for _ in range(2 if not paths or self.chance(0.7) else 4)]
        if robot.base == "free" and self.chance(0.7):
            return robot.follow(rows, base=[self.pose(self.numbers(3, 1.0)) for _ in rows])
        return robot.follow(rows) if len(rows) > 2 else robot.move(*rows)

    def asking(self, *margins: float) -> dict[str, float]:
        """One of these margins and a tolerance, or neither."""
        asked: dict[str, float] = {}
        if self.chance(0.4):
            asked["margin"] = self.one(*(margins or (0.015625, 0.125, 0.25)))
        if self.chance(0.3):
            asked["tolerance"] = self.one(1e-6, 1e-3, 0.0078125)
        return asked

    def links(self, *, screws: bool = True, paths: bool = True) -> tuple[Any, tuple[Any, ...]]:
        """A scene of bodies, or of a robot among bodies, and motions."""
        backend = self.one("triangles", "triangles", "hulls")
        bodies = [self.body(f"body{k}", SHAPES) for k in range(int(self.rng.integers(2, 5)))]
        if self.chance(0.5):
            robot = self.robot()
            scene = tocsin.Scene(robot, *bodies, backend=backend)
            motions = [self.walk(robot, paths)]
            if self.chance(0.3) and motions[0].pieces == 1:
                motions.append(self.flight(bodies[0], screws=screws, paths=False))
        else:
            scene = tocsin.Scene(*bodies, backend=backend)
            motions = [self.flight(bodies[0], screws=screws, paths=paths)]
            if self.chance(0.4) and motions[0].pieces == 1:
                motions.append(self.flight(bodies[1], screws=screws, paths=False))
        if self.chance(0.2):
            scene.margins[scene.names[0], scene.names[1]] = self.one(0.0, 0.0625, 0.5)
        return scene, tuple(motions)

    def sheet(self, cells: int) -> tuple[np.ndarray, np.ndarray]:
        """A square sheet in the plane z = 0."""
        line = np.arange(cells + 1) / cells - 0.5
        x, y = np.meshgrid(line, line, indexing="ij")
        i, j = (part.ravel() for part in np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij"))
        a, b = i * (cells + 1) + j, (i + 1) * (cells + 1) + j
        faces = np.concatenate([np.stack([a, b, b + 1], -1), np.stack([a, b + 1, a + 1], -1)])
        return np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], -1), faces

    def cloths(self) -> tuple[Any, tuple[Any, ...], list[Any]]:
        """A scene of one or two sheets, often a body, sometimes a robot; motions; the sheets."""
        cells = int(self.rng.integers(2, 7))
        flat, faces = self.sheet(cells)
        cloths: list[Any] = []
        motions: list[Any] = []
        for k in range(self.one(1, 1, 2)):
            start = flat + (0.0, 0.0, self.number(0.25, 1.0))
            ruffle = np.stack([self.numbers(3, 0.25) for _ in start]) * self.one(0.25, 1.0)
            end = start * (self.one(-1.0, 0.25, 1.0), 1.0, 1.0) + ruffle - (0.0, 0.0, self.number(0.0, 2.0))
            cloth = tocsin.Deformable(start, faces, name=f"cloth{k}", self_contact=self.chance(0.8))
            cloths.append(cloth)
            motions.append(cloth.move(start, end))
        others: list[Any] = []
        if self.chance(0.6):
            others.append(tocsin.Body(self.shape(self.one(*SHAPES[:-1])), name="body"))
            if self.chance(0.5):
                motions.append(self.flight(others[0], paths=False))
        elif self.chance(0.4):
            others.append(self.robot())
            motions.append(self.walk(others[0], False))
        return tocsin.Scene(*cloths, *others), tuple(motions), cloths

    def edged(self) -> tuple[Any, tuple[Any, ...]]:
        """Two bodies with edges and corners, and motions of one or both."""
        bodies = [self.body(f"body{k}", EDGED, 0.125) for k in range(2)]
        motions = [self.flight(body, paths=False) for body in bodies[: self.one(1, 1, 2)]]
        return tocsin.Scene(*bodies), tuple(motions)


def first_contact(draw: Draw) -> Any:
    """When links first touch."""
    scene, motions = draw.links()
    return scene.first_contact(*motions, **draw.asking())


def is_free(draw: Draw) -> Any:
    """Do they touch at all."""
    scene, motions = draw.links()
    return scene.is_free(*motions, **draw.asking())


def capped(draw: Draw) -> Any:
    """When links first touch, with few steps to find out."""
    scene, motions = draw.links()
    return scene.first_contact(*motions, max_steps=draw.one(1, 10, 100), **draw.asking())


def interval(draw: Draw) -> Any:
    """When links first touch, by equations and intervals."""
    scene, motions = draw.links(screws=False)
    return scene.first_contact(*motions, method="interval", max_steps=20_000, **draw.asking())


def contact_intervals(draw: Draw) -> Any:
    """During which times links touch."""
    scene, motions = draw.links()
    return scene.contact_intervals(*motions, **draw.asking())


def distance(draw: Draw) -> Any:
    """How far links are apart."""
    scene, motions = draw.links(paths=False)
    places = []
    for motion in motions:
        model = motion.model
        if isinstance(model, tocsin.Robot):
            places.append(model.at(draw.configuration(model, 1.0)))
        else:
            places.append(model.at(draw.pose(draw.numbers(3, 1.5))))
    return scene.distance(*places)


def audit(draw: Draw) -> Any:
    """Where a robot's path is not proven free, and how close it comes."""
    robot = draw.robot()
    bodies = [draw.body(f"body{k}", SHAPES) for k in range(2)]
    rows = [draw.configuration(robot, 1.0) for _ in range(int(draw.rng.integers(2, 4)))]
    return tocsin.audit(tocsin.Scene(robot, *bodies), robot, rows, margin=draw.one(0.0, 0.0, 0.0625), resolution=0.05)


def screen(draw: Draw) -> Any:
    """Every contact of two bodies, on a raster."""
    scene, motions = draw.edged()
    return scene.contacts(*motions, every="contact", resolution=draw.one("low", "medium"))


def exact(draw: Draw) -> Any:
    """Every contact of two bodies, by proof."""
    scene, motions = draw.edged()
    return scene.contacts(*motions, every="contact", exact=True)


def cloth_first_contact(draw: Draw) -> Any:
    """When deformable models first touch anything, themselves included."""
    scene, motions, _ = draw.cloths()
    return scene.first_contact(*motions, **draw.asking(*THIN))


def cloth_is_free(draw: Draw) -> Any:
    """Do they touch at all, and how much of the step is safe."""
    scene, motions, _ = draw.cloths()
    asked = draw.asking(*THIN)
    return scene.is_free(*motions, **asked), scene.safe_step(*motions, **asked)


def cloth_pairs(draw: Draw) -> Any:
    """Every pair of their features that touches."""
    scene, motions, _ = draw.cloths()
    return scene.contacts(*motions, every="pair", **draw.asking(*THIN))


def cloth_triangles(draw: Draw) -> Any:
    """When each of their triangles first touches."""
    scene, motions, _ = draw.cloths()
    return scene.contacts(*motions, every="triangle", **draw.asking(*THIN))


def cloth_distance(draw: Draw) -> Any:
    """How far they are from everything at one moment."""
    scene, motions, cloths = draw.cloths()
    moment = draw.one(0.0, 0.25, 0.5)
    return scene.distance(*(c.at(m.vertices_at(moment)) for c, m in zip(cloths, motions)))


def feature_times(draw: Draw) -> Any:
    """Pairs of features of one's own: eight vertices and faces, eight pairs of edges."""

    def corners(*shape: int) -> np.ndarray:
        return draw.numbers(math.prod(shape), 1.0).reshape(shape)

    faces = tocsin.vertex_face_times(corners(8, 3), corners(8, 3), corners(8, 3, 3), corners(8, 3, 3), **draw.asking())
    edges = tocsin.edge_edge_times(*(corners(8, 2, 3) for _ in range(4)), **draw.asking())
    return faces, edges


KINDS: dict[str, tuple[int, Callable[[Draw], Any]]] = {
    "first contact": (2800, first_contact),
    "is free": (800, is_free),
    "capped": (400, capped),
    "interval": (1000, interval),
    "contact intervals": (700, contact_intervals),
    "distance": (800, distance),
    "audit": (300, audit),
    "screen": (500, screen),
    "exact": (300, exact),
    "cloth, first contact": (600, cloth_first_contact),
    "cloth, is free": (400, cloth_is_free),
    "cloth, pairs": (500, cloth_pairs),
    "cloth, triangles": (300, cloth_triangles),
    "cloth, distance": (300, cloth_distance),
    "feature times": (300, feature_times),
}
"""How many of each kind, and what asks one."""
