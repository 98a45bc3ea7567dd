"""How near a vertex-face or edge-edge pair comes during its motion: certified from below, by branch and bound.

The distance of two features whose points move linearly changes by at most L |t - s| from t to s, where L is the largest
relative velocity of a vertex of one and a vertex of the other: every pair of material points has a relative velocity
that is a convex combination of those, and the closest points at s are at most L |t - s| further apart at t. So over
[lo, hi] the distance is at least d(middle) - L (hi - lo) / 2. Intervals for which that exceeds the threshold are done;
others are halved. Distances are float64, a few 1e-16 of the coordinates off, which `ROUNDING` covers amply.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tocsin_bench.oracles import distance
from tocsin_bench.oracles.feature_pairs import EDGE_EDGE, VERTEX_FACE

ROUNDING = 1e-12
"""Of the largest coordinate of a pair."""


def distances(kind: str, points: np.ndarray) -> np.ndarray:
    """Return the distances (n,) of n pairs of features (n, 4, 3): vertex and face, or edge and edge."""
    a, b, c, d = (points[:, k] for k in range(4))
    if kind == EDGE_EDGE:
        return np.sqrt(distance.segment_segment(a, b, c, d))
    edges = [distance.point_segment(a, p, q) for p, q in ((b, c), (c, d), (d, b))]
    return np.sqrt(np.minimum.reduce([*edges, distance.point_triangle(a, b, c, d)]))


def exact_squared_distance(kind: str, t0, t1, time: float) -> Fraction:
    """Return the squared distance of one pair at a time that is given as a float, exactly."""
    t = Fraction(time)
    points = [
        tuple(Fraction(float(a)) + t * (Fraction(float(b)) - Fraction(float(a))) for a, b in zip(p, q))
        for p, q in zip(t0, t1)
    ]
    if kind == VERTEX_FACE:
        return distance.exact_point_triangle(points[0], points[1:])
    return distance.exact_segment_segment(*points)


def stays_beyond(kind: str, t0: np.ndarray, t1: np.ndarray, threshold: np.ndarray | float) -> np.ndarray:
    """Return (n,) whether each pair (n, 4, 3) is proven to keep more than the threshold at all times in [0, 1].

    Where it is False, a time was found at which the distance is at most the threshold and the rounding.
    """
    t0, t1 = np.asarray(t0, float), np.asarray(t1, float)
    middle = 0.5 * (t0 + t1).mean(1, keepdims=True)
    t0, t1 = t0 - middle, t1 - middle
    count = len(t0)
    limit = np.broadcast_to(threshold, count) + ROUNDING * np.maximum(np.abs(t0).max((1, 2)), np.abs(t1).max((1, 2)))
    split = 1 if kind == VERTEX_FACE else 2
    v = t1 - t0
    relative = v[:, :split, None] - v[:, None, split:]
    speed = np.sqrt((relative**2).sum(-1)).max((1, 2)) * (1 + 1e-12)
    beyond = np.ones(count, bool)
    pair = np.arange(count)
    lo, hi = np.zeros(count), np.ones(count)
    while len(pair):
        t = 0.5 * (lo + hi)
        d = distances(kind, t0[pair] + t[:, None, None] * v[pair])
        beyond[pair[d <= limit[pair]]] = False
        left = (d - 0.5 * speed[pair] * (hi - lo) <= limit[pair]) & beyond[pair]
        pair, lo, hi, t = pair[left], lo[left], hi[left], t[left]
        pair, lo, hi = np.concatenate([pair, pair]), np.concatenate([lo, t]), np.concatenate([t, hi])
    return beyond
