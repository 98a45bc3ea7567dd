"""What the culling saw: the box that every shape swept in every slab of time, and the pairs left after each cull.

A query keeps none of this, so its stages are run once more, slab by slab, by the query's own kernels and on tables of
their own. The slabs after the contact are there too, though the query never looked at them.
"""

# What kernels return has the types that Numba finds.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tocsin.advancement.engine import advance
from tocsin.advancement.workspace import Tables, make_workspace
from tocsin.broad_phase.moving import FIRST, MODEL, SLOTS, near_pairs, set_motion
from tocsin.limits import MAX_STEPS
from tocsin.model.base import Motion, is_timed
from tocsin.model.tables import World
from tocsin.model.timed import on_clock
from tocsin.motion.knots import stretches_of, time_after, time_before
from tocsin.queries.answer import Answer
from tocsin.queries.buffers import Prepared, again
from tocsin.queries.kernels.candidates import cull


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
    asked = hit.asked
    assert asked is not None
    return culled(asked.prepared, asked.motions, asked.configs, hit.margin, asked.tolerance)


def culled(
    prepared: Prepared, motions: tuple[Motion, ...], configs: np.ndarray, margin: float, tolerance: float
) -> list[Slab]:  # fmt: skip
    """Run the culling of a question about these motions and keep what it leaves; a tolerance below 0: the default."""
    buffers, _ = again(prepared, motions)
    world, workspace = buffers.world, buffers.workspace
    grow = max(margin, prepared.largest_margin)
    shapes, rows = _leaves(world, buffers.active)
    if is_timed(motions):
        stretches = on_clock(motions).stretches
    else:
        stretches = stretches_of(m.pieces for m in motions)
    if len(stretches) > MOST_SLABS:
        stretches = stretches[np.linspace(0, len(stretches) - 1, MOST_SLABS).astype(int)]
    found: list[Slab] = []
    for stretch in map(tuple, stretches.tolist()):
        count = set_motion(buffers, configs, stretch)
        edges = np.linspace(0.0, 1.0, count + 1)
        for t0, t1 in zip(edges[:-1].tolist(), edges[1:].tolist()):
            tables = Tables(world, buffers.sweeps, buffers.joints, buffers.taylor, workspace)
            pairs, n = cull(buffers, workspace.pairs, t0, t1, margin, grow, tolerance)
            advance(tables, pairs, n, (t0, t1), False, MAX_STEPS, buffers.counts, False)
            visited = pairs[:n][pairs[:n]["visited"] == 1]
            temporal = np.column_stack([visited["a"], visited["b"]])
            pairs, n = near_pairs(buffers, make_workspace().pairs, margin)
            spatial = np.column_stack([pairs[:n]["a"], pairs[:n]["b"]])
            when = time_before(stretch, t0), time_after(stretch, t1)
            found.append(Slab(*when, shapes, buffers.boxes[rows].copy(), spatial, temporal))
    return found


def _leaves(world: World, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the shapes of the active models and the rows of their swept boxes."""
    shapes, rows = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for entry in active:
        model = world.models[entry[MODEL]]
        shapes.append(model["geom"] + np.arange(int(model["geoms"])))
        rows.append(entry[FIRST] + entry[SLOTS] + np.arange(int(model["geoms"])))
    return np.concatenate(shapes), np.concatenate(rows)
