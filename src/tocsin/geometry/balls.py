"""A cloud of points as balls: one about each, or fewer and larger ones that contain them all."""

import numpy as np

from tocsin._types import Values, Vectors

OUTWARD = 1.0 + 2.0**-40
"""More than the rounding of a distance."""


def covering_balls(points: Vectors, radius: float, spacing: float | None) -> tuple[Vectors, Values]:
    """Return centres (k, 3) and radii (k,) of balls that contain all balls of that radius about the points.

    Without `spacing` they are those balls, each once. With it the points in each cube of a grid of that spacing share
    one. Claim: it contains theirs. Proof: a ball of radius r about p is inside of that of radius r + |p - c| about c,
    and the radius is at least r plus the largest |p - c|, rounded up. It is larger by at most half the cube's diagonal.
    """
    if spacing is None:
        distinct = np.unique(points, axis=0)
        return distinct, np.full(len(distinct), radius)
    cell: Vectors = np.floor(points / spacing)
    _, owner = np.unique(cell, axis=0, return_inverse=True)
    owner = owner.reshape(-1)
    order = np.argsort(owner, kind="stable")
    starts = np.flatnonzero(np.diff(owner[order], prepend=-1))
    low = np.minimum.reduceat(points[order], starts, axis=0)
    high = np.maximum.reduceat(points[order], starts, axis=0)
    centres = low + 0.5 * (high - low)
    away = np.sqrt(((points - centres[owner]) ** 2).sum(axis=1))
    radii = np.maximum.reduceat(away[order], starts)
    return centres, (radius + radii * OUTWARD) * OUTWARD
