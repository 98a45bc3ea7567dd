"""Batches on a GPU: the tables of a scene as a device keeps them, made when it is first asked there."""

from __future__ import annotations

from typing import Any

import numpy as np

from tocsin.broad_phase.charts import may_have_chart
from tocsin.errors import remark
from tocsin.model.base import Motion
from tocsin.model.world import World
from tocsin.motion.chain import common_ancestor
from tocsin.options import RELATIVE_TOLERANCE
from tocsin.queries.context import Context
from tocsin.wavefront.field import Field, field_of

STRIDE = 1.0
"""Of the median diagonal of a model's shapes: how far a slab may take one."""


def lacking() -> str:
    """Return what stands in the way of a CUDA device, as a sentence; nothing if one is there."""
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # type: ignore[attr-defined]  # numba-cuda 0.30 names it, numpy 2.5 does not
    try:
        from numba import cuda
    except ImportError:
        return "numba-cuda is not installed (pip install 'tocsin[cuda]')"
    if not cuda.is_available():
        return "no CUDA device can be used"
    return ""


def wavefront(context: Context, standing: Motion, front: np.ndarray, margin: float, tolerance: float) -> Any:
    """Return what asks edges of a model on the CUDA device, or None, with a remark, if there is no such device.

    `front`: what all rows of its edges begin with.
    """
    why = lacking()
    if why:
        remark(f"device='cuda': {why}, so the batch is asked on the threads of this machine.")
        return None
    from tocsin.wavefront.device import Device

    model = context.places[id(standing.model)]
    return context.kept(
        f"cuda {model} {margin} {tolerance}",
        context.tables(),
        lambda: Device(field(context, standing, margin, tolerance), front, standing.width - len(front)),
    )


def field(context: Context, standing: Motion, margin: float, tolerance: float) -> Field:
    """Return the field in which a model moves, with the charts of all its pairs that may have one."""
    model = context.places[id(standing.model)]
    world = charted(context, model, margin, tolerance)
    prepared = context.ready((standing,), margin, tolerance)[2]
    return field_of(world, prepared.buffers, model, margin, tolerance, RELATIVE_TOLERANCE, STRIDE)


def charted(context: Context, model: int, margin: float, tolerance: float) -> World:
    """Return the tables with the charts of a model's own pairs: a tenth of a second each, once, for many edges."""
    world = context.tables()
    world = context.charts.charted.get((margin, tolerance), world)
    record = world.models[model]
    first = int(record["geom"])
    for pair in world.selves[record["self"] : record["self"] + max(record["selves"], 0)]:
        a, b = first + int(pair["a"]), first + int(pair["b"])
        stop = common_ancestor(world.links, world.geoms[a]["link"], world.geoms[b]["link"])
        if may_have_chart(world, a, b, stop):
            world = context.charts.with_chart(world, a, b, margin, tolerance)
    return world
