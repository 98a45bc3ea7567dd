"""How far apart things are at one moment: `Scene.distance`, of links and of deformable models."""

# What kernels return has the types that Numba finds.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tocsin._types import Vec3
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.model.deformable import Deforming
from tocsin.queries.context import Context
from tocsin.queries.kernels.at_moment import nearest
from tocsin.results import Distance

TINY, NUDGE = 2.0**-400, 2.0**-500
"""Metres and radians; lengths that may be asked about go down to 1e-30 m."""


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


Nearest = tuple[float, float, int, int, Vec3, Vec3]
"""Upper and lower bound of a distance, its shapes, -1 for none, and their closest points."""


def _links(context: Context, placements: tuple[Motion, ...]) -> Distance:
    """Return the smallest distance of links."""
    world = context.tables()
    upper, lower, a, b, x, y = nearest_links(context, placements)
    names = [context.name_of(world, g) if g >= 0 else ("", "") for g in (a, b)]
    return distance_from(upper, lower, np.array(x), np.array(y), *names)


def nearest_links(context: Context, placements: tuple[Motion, ...]) -> Nearest:
    """Return the closest links.

    Where two of them are nearer than any length whose square is a float, kernels find no direction between them, and
    an upper bound of infinity, so that another pair is taken for the closest. They are asked again then with numbers
    below TINY as 0, and with models that are not off the origin apart by NUDGE: both are less than the rounding of any
    length that may be asked about.
    """
    found = _asked(context, placements)
    if is_open(found[0], found[1]):
        given = placements or tuple(Motion.of(model, model.rest[None].copy()) for model in context.models)
        moved: list[Motion] = []
        for k, placement in enumerate(given, 1):
            row = np.where(np.abs(placement.rows[0]) < TINY, 0.0, placement.rows[0])
            row[0] = row[0] or k * NUDGE
            moved.append(Motion.of(placement.model, row[None]))
        again = _asked(context, tuple(moved))
        found = again if again[0] < found[0] else found
    return found


def is_open(upper: float, lower: float) -> bool:
    """May two links touch, and no points of them were found that do? Not where there is nothing to compare."""
    return lower <= 0.0 < upper or lower < upper == math.inf


def _asked(context: Context, placements: tuple[Motion, ...]) -> Nearest:
    prepared, configs, _ = context.prepared(context.tables(), placements)
    upper, lower, a, b, x, y = nearest(prepared.table, configs)
    return upper, float(lower), a, b, x, y


def distance_from(
    upper: float, lower: float, x: np.ndarray, y: np.ndarray, name_a: tuple[str, str], name_b: tuple[str, str]
) -> Distance:
    """Put the closest points of two links into a record; names are (model, link), "" for none."""
    if upper == math.inf:
        return Distance(math.inf, lower)
    gap = y - x
    length = float(np.linalg.norm(gap))
    normal = gap / length if length > 0.0 and upper > 0.0 else np.zeros(3)
    return Distance(upper, lower, name_a[1], name_b[1], x, y, normal, name_a[0], name_b[0])
