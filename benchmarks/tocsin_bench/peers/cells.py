"""Robots among bodies, and edges of a planner in them, as every peer is given them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tocsin.model.body import Body
from tocsin.model.robot import Robot
from tocsin.scene import Scene
from tocsin_bench import report
from tocsin_bench.peers.export import Exported, export
from tocsin_bench.race import Contestant


@dataclass(frozen=True)
class Cell:
    """A robot, the bodies around it, and both as a file that others read."""

    robot: Robot
    scene: Scene
    exported: Exported


@dataclass(frozen=True)
class Edge:
    """A straight line of configurations in one of the cells."""

    cell: int
    q_t0: np.ndarray
    q_t1: np.ndarray
    motion: Any


@dataclass
class Cells:
    """Cells and the edges asked about in them; the folder of their meshes lives as long as this."""

    folder: Any = field(default_factory=tempfile.TemporaryDirectory)
    cells: list[Cell] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def add(
        self, robot: Robot, bodies: Sequence[Body] = (), allowed: Iterable[tuple[str, str]] = (), scene: Any = None
    ) -> int:  # fmt: skip
        """Add a cell and return its number; `scene` if it is there already."""
        exported = export(robot, bodies, allowed, Path(self.folder.name))
        self.cells.append(Cell(robot, Scene(robot, *bodies) if scene is None else scene, exported))
        return len(self.cells) - 1

    def add_edge(self, cell: int, q_t0: np.ndarray, q_t1: np.ndarray) -> bool:
        """Add an edge, unless it starts in contact: planners do not ask such questions."""
        motion = self.cells[cell].robot.move(q_t0, q_t1)
        if self.cells[cell].scene.first_contact(motion).time == 0.0:
            return False
        self.edges.append(Edge(cell, q_t0, q_t1, motion))
        return True

    def values(self, edge: Edge) -> tuple[np.ndarray, np.ndarray]:
        """The ends of an edge in the joints of the exported file."""
        exported = self.cells[edge.cell].exported
        return exported.values(edge.q_t0), exported.values(edge.q_t1)

    def samples(self, edge: Edge, radians: float) -> np.ndarray:
        """Configurations of an edge, in the file's joints; from one to the next no joint moves by more than this."""
        q_t0, q_t1 = self.values(edge)
        count = int(np.ceil(np.abs(q_t1 - q_t0).max() / radians)) + 1
        return np.linspace(q_t0, q_t1, max(count, 2))

    def ours(self) -> list[Contestant]:
        """Our own contestants."""
        asked = [(self.cells[edge.cell].scene, self.cells[edge.cell].robot, edge) for edge in self.edges]

        def is_free(k: int) -> Any:
            scene, _, edge = asked[k]
            return scene.is_free(edge.motion)

        def first_contact(k: int) -> Any:
            scene, _, edge = asked[k]
            return scene.first_contact(edge.motion)

        def with_move(k: int) -> Any:
            scene, robot, edge = asked[k]
            return scene.is_free(robot.move(edge.q_t0, edge.q_t1))

        named = {"tocsin is_free": is_free, "tocsin first_contact": first_contact, "tocsin move + is_free": with_move}
        return [Contestant(name, report.asking(ask), ours=True, proves=True) for name, ask in named.items()]
