"""Pinocchio and Coal, sampled: a planner's usual check, with a tree over the links' boxes as its broad phase.

Configurations are made before the clock starts, as a gift. Each sample is one call, `pinocchio.computeCollisions` with
the manager, which places the links and stops at the first pair that touches; the loop over the samples is Python's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tocsin_bench import report
from tocsin_bench.peers.cells import Cell, Cells
from tocsin_bench.peers.remote import apart
from tocsin_bench.race import Contestant


class CoalRobots:
    """Every cell in Pinocchio."""

    def __init__(self, cells: Cells) -> None:
        import pinocchio  # pyright: ignore[reportMissingImports]

        self.pinocchio: Any = pinocchio
        self.cells = cells
        self.kept: list[Any] = []
        self.models = [self._read(cell) for cell in cells.cells]
        self.samples: dict[tuple[int, float], np.ndarray] = {}

    def _read(self, cell: Cell) -> tuple[Any, Any, Any]:
        pin, exported = self.pinocchio, cell.exported
        model = pin.buildModelFromXML(exported.urdf)
        geometry = pin.buildGeomFromUrdfString(model, exported.urdf, pin.GeometryType.COLLISION)
        geometry.addAllCollisionPairs()
        pin.removeCollisionPairsFromXML(model, geometry, exported.srdf)
        order = [name for name in model.names if name != "universe"]
        if tuple(order) != exported.joints:
            raise ValueError(f"Pinocchio orders the joints otherwise: {order}, not {exported.joints}")
        placed = pin.GeometryData(geometry)
        manager = pin.BroadPhaseManager_DynamicAABBTreeCollisionManager(model, geometry, placed)
        self.kept += [geometry, placed]  # the manager keeps addresses, not objects
        return model, model.createData(), manager

    def contestant(self, radians: float) -> Contestant:
        """Samples so far apart, in radians of the joint that moves most."""

        def ask(k: int) -> float:
            model, data, manager = self.models[self.cells.edges[k].cell]
            touches = self.pinocchio.computeCollisions
            samples = self.samples[k, radians]
            for i, q in enumerate(samples):
                if touches(model, data, manager, q, True):
                    return i / (len(samples) - 1)
            return math.inf

        timed = report.asking(ask)

        def ready(questions: Any) -> Any:
            for k in questions:
                if (k, radians) not in self.samples:
                    self.samples[k, radians] = self.cells.samples(self.cells.edges[k], radians)
            return timed(questions)

        return Contestant(f"coal, every {radians:g} rad", apart(ready), against="tocsin is_free")

    def overlaps_after(self, k: int, t: float) -> bool:
        """Does anything touch at one of 2,000 configurations between t and the end?"""
        edge = self.cells.edges[k]
        model, data, manager = self.models[edge.cell]
        q_t0, q_t1 = self.cells.values(edge)
        times = np.linspace(0.0 if math.isnan(t) else t, 1.0, 2000)
        samples = q_t0 + times[:, None] * (q_t1 - q_t0)
        return any(self.pinocchio.computeCollisions(model, data, manager, q, True) for q in samples)
