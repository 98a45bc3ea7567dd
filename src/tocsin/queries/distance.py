"""How far apart things are at one moment: `Scene.distance`, of links and of deformable models."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.model.deformable import Deforming
from tocsin.queries.context import Context
from tocsin.queries.kernels.at_moment import nearest
from tocsin.results import Distance


def distance(context: Context, placements: tuple[Motion, ...]) -> Distance:
    """Return the smallest distance of the given models to everything else, of all if none is given."""
    context.check_motions(placements)
    if any(placement.pieces > 0 for placement in placements):
        raise TocsinError(
            "distance is a question about one moment: give robot.at(q), body.at(pose) or cloth.at(V), not a motion."
        )
    rigid = tuple(p for p in placements if not isinstance(p, Deforming))
    found = _links(context, rigid) if rigid or not placements else Distance(math.inf, math.inf)
    if not context.soft:
        return found
    from tocsin.deform.distance import nearest as nearest_features
    from tocsin.queries.deformables import standing

    lower, upper, contact = nearest_features(standing(context, placements), context.names, found.distance)
    if contact is None:
        return replace(found, lower=min(lower, found.lower))
    return Distance(
        upper, min(lower, found.lower), contact.link_a, contact.link_b, contact.point_a, contact.point_b,
        contact.normal, contact.model_a, contact.model_b,
    )  # fmt: skip


def _links(context: Context, placements: tuple[Motion, ...]) -> Distance:
    """Return the smallest distance of links."""
    world = context.tables()
    prepared, configs, _ = context.prepared(world, placements)
    found: Any = nearest(prepared.table, configs, 0.0)
    upper, lower, a, b, x, y = found
    if a < 0:
        return Distance(math.inf, math.inf)
    model_a, link_a = context.name_of(world, a)
    model_b, link_b = context.name_of(world, b)
    gap = np.array(y) - np.array(x)
    length = float(np.linalg.norm(gap))
    normal = gap / length if length > 0.0 and upper > 0.0 else np.zeros(3)
    return Distance(upper, lower, link_a, link_b, np.array(x), np.array(y), normal, model_a, model_b)
