"""python-fcl, sampled, as one writes it in Python: every pair of shapes that may touch, at every sample.

(Its managers hand their callbacks new wrappers, by which pairs that may touch cannot be told from those that may not.)
Places of the links are made before the clock starts, as a gift; setting them and the tests of the pairs are timed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tocsin.geometry.primitives import Box, Capsule, Cylinder, Sphere
from tocsin.geometry.shape import Shape
from tocsin.motion.poses import base_matrix
from tocsin_bench import report
from tocsin_bench.peers.cells import Cell, Cells
from tocsin_bench.peers.export import BODY, LINK
from tocsin_bench.peers.remote import apart
from tocsin_bench.race import Contestant

RADIANS = 0.05


def contestants(cells: Cells) -> list[Contestant]:
    """FCL at samples 0.05 rad apart."""
    prepared = [_Cell(cell) for cell in cells.cells]
    places: dict[int, list[list[Any]]] = {}

    def ask(k: int) -> float:
        samples = places[k]
        found = prepared[cells.edges[k].cell].first(samples)
        return math.inf if found is None else found / (len(samples) - 1)

    timed = report.asking(ask)

    def ready(questions: Any) -> Any:
        for k in questions:
            if k not in places:
                edge = cells.edges[k]
                times = np.linspace(0.0, 1.0, len(cells.samples(edge, RADIANS)))
                places[k] = [prepared[edge.cell].placed(edge.motion.link_poses(float(t))) for t in times]
        return timed(questions)

    return [Contestant(f"fcl, every {RADIANS:g} rad", apart(ready), against="tocsin is_free")]


class _Cell:
    """One cell: an object for every shape, and the pairs of objects that may touch."""

    def __init__(self, cell: Cell) -> None:
        import fcl  # pyright: ignore[reportMissingImports]

        self.fcl: Any = fcl
        robot = cell.robot
        self.moving = [(k, shape) for k, shapes in enumerate(robot.shapes) for shape in shapes]
        self.objects = [fcl.CollisionObject(self._geometry(shape)) for _, shape in self.moving]
        names = [LINK + robot.link_names[k] for k, _ in self.moving]
        objects = [*self.objects]
        for body in cell.scene.models:
            for shape in () if body is robot else body.shapes[0]:
                objects.append(fcl.CollisionObject(self._geometry(shape), self._transform(body.rest, shape)))
                names.append(BODY + body.name)
        self.pairs = [
            (objects[a], objects[b])
            for a in range(len(self.objects))
            for b in range(a + 1, len(objects))
            if names[a] != names[b] and frozenset((names[a], names[b])) not in cell.exported.disabled
        ]

    def _transform(self, rest: np.ndarray, shape: Shape) -> Any:
        placed = base_matrix(rest) @ shape.placement
        return self.fcl.Transform(placed[:3, :3], placed[:3, 3])

    def _geometry(self, shape: Shape) -> Any:
        source = shape.source
        if isinstance(source, Box):
            return self.fcl.Box(*source.size)
        if isinstance(source, Sphere):
            return self.fcl.Sphere(source.radius)
        if isinstance(source, Cylinder):
            return self.fcl.Cylinder(source.radius, source.length)
        if isinstance(source, Capsule):
            return self.fcl.Capsule(source.radius, source.length)
        mesh = shape.mesh()
        model = self.fcl.BVHModel()
        model.beginModel(len(mesh.vertices), len(mesh.faces))
        model.addSubModel(mesh.vertices, mesh.faces)
        model.endModel()
        return model

    def placed(self, poses: np.ndarray) -> list[Any]:
        """FCL's places of all moving shapes."""
        found = [poses[k] @ shape.placement for k, shape in self.moving]
        return [self.fcl.Transform(pose[:3, :3], pose[:3, 3]) for pose in found]

    def first(self, samples: list[list[Any]]) -> int | None:
        """The first sample at which a pair that counts touches."""
        collide = self.fcl.collide
        for number, places in enumerate(samples):
            for made, place in zip(self.objects, places):
                made.setTransform(place)
            if any(collide(a, b) for a, b in self.pairs):
                return number
        return None
