"""What the culling saw: the box that every shape swept in every slab of time, and the pairs left after each cull.

A query keeps none of this, so its stages are run once more, slab by slab, by the query's own kernels and on tables of
their own. The slabs after the contact are there too, though the query never looked at them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tocsin import query
from tocsin.advancement.engine import advance
from tocsin.advancement.room import make_room
from tocsin.culling.spatial import against_standing, between_moving
from tocsin.model.world import World
from tocsin.options import MAX_STEPS, RELATIVE_TOLERANCE
from tocsin.scene import Answer, _breaks, _with_motions


@dataclass(frozen=True, eq=False)
class Slab:
    """One slab of time as the culling saw it. Shapes are numbered as the solids of a film."""

    t0: float
    t1: float
    shapes: np.ndarray
    """(n,): the shapes that belong to moving models."""
    boxes: np.ndarray
    """(n, 6): lo x y z, hi x y z of the box that each of them swept."""
    spatial: np.ndarray
    """(k, 2): pairs of shapes whose swept boxes overlap."""
    temporal: np.ndarray
    """(k, 2): those of them whose first lower bound did not settle that they are free or too late."""


MOST_SLABS = 256
"""Of a film: a path of more is shown by evenly chosen ones."""


def slabs_of(hit: Answer) -> list[Slab]:
    """Run the culling of an answer again and keep what it leaves."""
    asked = hit._asked  # type: ignore[attr-defined]
    world, stage = asked.world, asked.stage
    room = make_room()
    joints, sweeps, taylor, boxes = (a.copy() for a in (stage.joints, stage.sweeps, stage.taylor, stage.boxes))
    # With no motions all models are active and stand: the table is as it was laid.
    active = _with_motions(stage.active, hit.motions) if hit.motions else stage.active.copy()
    standing = (stage.static_boxes, stage.static_child, stage.static_geom)
    grow = max(asked.margin, stage.largest_margin)
    shapes, rows = _leaves(world, active)
    counts = np.zeros(query.COUNTS, np.int64)
    breaks = _breaks(hit.motions)
    pieces = list(range(len(breaks) - 1))
    if len(pieces) > MOST_SLABS:
        pieces = [pieces[i] for i in np.linspace(0, len(pieces) - 1, MOST_SLABS).astype(int)]
    found: list[Slab] = []
    for piece in pieces:
        begin, end = float(breaks[piece]), float(breaks[piece + 1])
        count = query.set_motion(world, joints, sweeps, active, asked.configs, begin, end)
        edges = np.linspace(begin, end, count + 1)
        for t0, t1 in zip(edges[:-1].tolist(), edges[1:].tolist()):
            pairs, n = query.cull(
                world, joints, sweeps, taylor, room.taylor, boxes, active, *standing, room.pairs,
                t0, t1, asked.margin, grow, asked.tolerance, RELATIVE_TOLERANCE, counts,
            )  # fmt: skip
            advance(world, sweeps, joints, taylor, room, pairs, n, t0, t1, False, MAX_STEPS, counts)
            visited = pairs[:n][pairs[:n]["visited"] == 1]
            temporal = np.column_stack([visited["a"], visited["b"]])
            spatial = _overlapping(world, boxes, active, standing, asked.margin)
            found.append(Slab(t0, t1, shapes, boxes[rows].copy(), spatial, temporal))
    return found


def _leaves(world: World, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the shapes of the active models and the rows of their swept boxes."""
    shapes, rows = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for entry in active:
        model = world.models[entry[query.MODEL]]
        shapes.append(model["geom"] + np.arange(int(model["geoms"])))
        rows.append(entry[query.FIRST] + entry[query.ROOM] + np.arange(int(model["geoms"])))
    return np.concatenate(shapes), np.concatenate(rows)


def _overlapping(
    world: World,
    boxes: np.ndarray,
    active: np.ndarray,
    standing: tuple[np.ndarray, np.ndarray, np.ndarray],
    margin: float,
) -> np.ndarray:
    """Return (k, 2): the pairs of shapes that spatial culling leaves for the boxes as they are now."""
    pairs, n = make_room().pairs, 0
    for k, entry in enumerate(active):
        first, room, geom = entry[query.FIRST], entry[query.ROOM], world.models[entry[query.MODEL]]["geom"]
        pairs, n = against_standing(pairs, n, world, boxes, first, room, geom, *standing, margin)
        for other in active[k:]:
            other_geom = world.models[other[query.MODEL]]["geom"]
            pairs, n = between_moving(
                pairs, n, world, boxes, first, room, geom, other[query.FIRST], other[query.ROOM], other_geom, margin
            )
    return np.column_stack([pairs[:n]["a"], pairs[:n]["b"]])
