"""Coal on two meshes, sampled: the first of N evenly spaced times at which they overlap; it proves nothing in between.

Poses are made before the clock starts, as a gift: only Coal's own tests are timed, by its functor for this pair of
trees, which is faster than `coal.collide`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from tocsin_bench import report
from tocsin_bench.peers.remote import apart
from tocsin_bench.peers.rigid_pair import Pair
from tocsin_bench.race import Contestant
from tocsin_bench.scenes.shapes import Triangles


def tree(mesh: Triangles) -> Any:
    """A mesh as Coal's tree of oriented boxes with swept spheres, as Pinocchio and HPP make it."""
    import coal  # pyright: ignore[reportMissingImports]

    made = coal.BVHModelOBBRSS()
    made.beginModel(len(mesh[1]), len(mesh[0]))
    made.addVertices(np.ascontiguousarray(mesh[0], dtype=np.float64))
    made.addTriangles(np.ascontiguousarray(mesh[1], dtype=np.int64))
    made.endModel()
    return made


class CoalPair:
    """The meshes and motions in Coal."""

    def __init__(self, pair: Pair) -> None:
        import coal  # pyright: ignore[reportMissingImports]

        self.coal: Any = coal
        self.pair = pair
        self.trees = tree(pair.mesh_a), tree(pair.mesh_b)
        self.test = coal.ComputeCollision(*self.trees)
        self.request, self.result = coal.CollisionRequest(), coal.CollisionResult()
        self.rest = coal.Transform3s()
        self.transforms = lru_cache(maxsize=None)(self._transforms)

    def _transforms(self, k: int, samples: int) -> list[Any]:
        parts = self.pair.relative(k, np.linspace(0.0, 1.0, samples))
        return [self.coal.Transform3s(rotation, origin) for rotation, origin in zip(*parts)]

    def contestant(self, samples: int) -> Contestant:
        """Coal at so many samples a motion."""

        def ask(k: int) -> float:
            test, request, result, rest = self.test, self.request, self.result, self.rest
            for i, placed in enumerate(self.transforms(k, samples)):
                result.clear()
                if test(placed, rest, request, result):
                    return i / (samples - 1)
            return math.inf

        def ready(questions: Any) -> Any:
            for k in questions:
                self.transforms(k, samples)
            return timed(questions)

        timed = report.asking(ask)
        return Contestant(f"coal, {samples} samples", apart(ready), against="tocsin first_contact")
