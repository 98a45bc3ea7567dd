"""A checker of configurations and edges with the names of Drake's `CollisionChecker`: here every answer is proven.

What Drake finds by steps along the edge is certified for the whole edge, so there is no step size to choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tocsin.planning.edge_asker import EdgeAsker


@dataclass(frozen=True)
class EdgeMeasure:
    """How far an edge is proven free."""

    alpha: float
    """The part of it that is, from its start, up to 1."""
    distance: float
    """Between its ends, in the norm of the joints."""

    def completely_free(self) -> bool:
        """Is all of it?"""
        return self.alpha == 1.0

    def partially_free(self) -> bool:
        """Is any of it?"""
        return self.alpha > 0.0


Edges = Sequence[tuple[ArrayLike, ArrayLike]]


class CollisionChecker(EdgeAsker):
    """`CollisionChecker(scene, robot, group=None, margin=0.0)`; configurations are those of the group's joints."""

    def CheckConfigCollisionFree(self, q: ArrayLike) -> bool:
        """Is this configuration proven free?"""
        return self.stands_free(q)

    def CheckConfigsCollisionFree(self, configs: ArrayLike) -> NDArray[np.bool_]:
        """(n,): which of these are?"""
        return self.scene.check_configurations(self.robot, configs, group=self.group, margin=self.margin)

    def CheckEdgeCollisionFree(self, q1: ArrayLike, q2: ArrayLike) -> bool:
        """Is the whole edge proven free?"""
        return self.is_free(q1, q2)

    def CheckEdgesCollisionFree(self, edges: Edges) -> NDArray[np.bool_]:
        """(n,): which of these, pairs of configurations, are?"""
        Q0, Q1 = self._ends(edges)
        return self.scene.check_edges(self.robot, Q0, Q1, group=self.group, margin=self.margin)

    def MeasureEdgeCollisionFree(self, q1: ArrayLike, q2: ArrayLike) -> EdgeMeasure:
        """How far is the edge proven free?"""
        return EdgeMeasure(self.measure(q1, q2), float(np.linalg.norm(np.subtract(q2, q1)[None], axis=1)[0]))

    def MeasureEdgesCollisionFree(self, edges: Edges) -> list[EdgeMeasure]:
        """How far is each of these?"""
        Q0, Q1 = self._ends(edges)
        parts = self.scene.measure_edges(self.robot, Q0, Q1, group=self.group, margin=self.margin)
        lengths = np.linalg.norm(Q1 - Q0, axis=1)
        return [EdgeMeasure(alpha, length) for alpha, length in zip(parts.tolist(), lengths.tolist())]

    def _ends(self, edges: Edges) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        shape = (-1, len(self))
        return tuple(np.array([edge[k] for edge in edges], np.float64).reshape(shape) for k in (0, 1))  # type: ignore[return-value]
