"""HPP's continuous validation of straight paths: `Dichotomy` and `Progressive`, in a process of its own.

`Dichotomy` covers the path by intervals proven free, in any order, and says yes or no; `Progressive` goes from the
start and allows a penetration, which may not be 0. Both bound the velocity of each pair of links along its chain of
joints, and their distances come from Coal. Only `validate` is timed: robots, obstacles and paths are ready before. The
wheels of HPP find their libraries by `LD_LIBRARY_PATH`, which a process must have when it starts.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tocsin_bench import report
from tocsin_bench.data import Ended
from tocsin_bench.peers.cells import Cells
from tocsin_bench.peers.remote import LIMIT, Worker, serve
from tocsin_bench.race import Contestant

PENETRATION = 1e-3
"""Metres that `Progressive` allows."""


def contestants(cells: Cells) -> list[Contestant]:
    """Both validations on all edges."""
    spec = importlib.util.find_spec("pyhpp")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("no pyhpp", name="pyhpp")
    libraries = str(Path(spec.origin).resolve().parents[3])

    def start() -> Worker:
        worker = Worker(__name__, {"LD_LIBRARY_PATH": libraries})
        worker.call("load", [(cell.exported.urdf, cell.exported.srdf) for cell in cells.cells])
        worker.call("draw", [(edge.cell, *cells.values(edge)) for edge in cells.edges])
        return worker

    workers = [start()]

    def runner(method: str) -> report.Runner:
        def run(questions: Sequence[int]) -> tuple[np.ndarray, list[float]]:
            if not workers:
                workers.append(start())
            try:
                return workers[0].call("run", method, list(questions), limit=LIMIT)
            except Ended:
                workers.clear()  # both methods share it, and the other one has done nothing wrong
                raise

        return run

    return [
        Contestant("hpp Dichotomy", runner("Dichotomy"), proves=True, against="tocsin is_free"),
        Contestant(
            "hpp Progressive", runner("Progressive"), proves=True, against="tocsin is_free",
            note=f"allows a penetration of {1e3 * PENETRATION:g} mm",
        ),
    ]  # fmt: skip


class Service:
    """What the worker does: robots with their obstacles, paths, validations."""

    def __init__(self) -> None:
        self.devices: list[Any] = []
        self.paths: list[tuple[int, Any]] = []
        self.validations: dict[tuple[str, int], Any] = {}
        self.kept: list[Any] = []

    def load(self, texts: Sequence[tuple[str, str]]) -> None:
        """Read robots among their obstacles."""
        import pinocchio  # pyright: ignore[reportMissingImports]
        from pyhpp.core import Problem, Straight  # pyright: ignore[reportMissingImports]
        from pyhpp.pinocchio import Device, urdf  # pyright: ignore[reportMissingImports]

        for k, (model, semantics) in enumerate(texts):
            device = Device(f"robot{k}")
            urdf.loadModelFromString(device, 0, "", "anchor", model, semantics, pinocchio.SE3.Identity())
            problem = Problem(device)
            self.devices.append((device, Straight(problem)))
            self.kept.append(problem)

    def draw(self, edges: Sequence[tuple[int, np.ndarray, np.ndarray]]) -> None:
        """Make the straight path of each edge."""
        self.paths = [(cell, self.devices[cell][1](q_t0, q_t1)) for cell, q_t0, q_t1 in edges]

    def run(self, method: str, questions: list[int]) -> tuple[np.ndarray, list[float]]:
        """Validate the paths with these numbers; seconds, and infinity if valid, else NaN."""
        import pyhpp.core  # pyright: ignore[reportMissingImports]

        for k in questions:
            cell = self.paths[k][0]
            if (method, cell) not in self.validations:
                tolerance = 0.0 if method == "Dichotomy" else PENETRATION
                self.validations[method, cell] = getattr(pyhpp.core, method)(self.devices[cell][0], tolerance)

        def ask(k: int) -> bool:
            cell, path = self.paths[k]
            return self.validations[method, cell].validate(path, False)[0]

        seconds, answers = report.asking(ask)(questions)
        return seconds, [math.inf if free else math.nan for free in answers]


if __name__ == "__main__":
    serve(Service())
