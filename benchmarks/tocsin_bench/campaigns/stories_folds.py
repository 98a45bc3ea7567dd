"""Strips of cloth that fold onto themselves, in round numbers: how they are drawn, and how near they come.

A strip is a row of squares, and every fold a line across it, so that a profile of points says all of it. It is folded
over (a flap comes down on the first square, on its edge or beside it), closed like a bellows (all squares in one
plane), rolled up (the last line meets the first), or pulled about on the lattice.

Features that share a vertex never touch. All others do: so a strip is as far from itself as its closest vertex and
face, or two edges, that share none; at no distance where an edge goes through a face.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from tocsin_bench.campaigns.stories_scenes import Actor, Link
from tocsin_bench.oracles import distance as features

if TYPE_CHECKING:
    from tocsin_bench.campaigns.stories_drawn import Dice



def _profiles(dice: Dice) -> tuple[np.ndarray, np.ndarray]:
    """Return (k, 2) points, x and z, of the lines of a strip at two stations."""
    kind = dice.one("flap", "bellows", "roll", "pulled")
    height = dice.one(0.25, 0.5, 1.0)
    if kind == "flap":
        along = dice.one(0.0, 0.25, 0.5, 1.0)
        start = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, height], [1.0 - along, height]])
        fall = dice.one(height, height, 2.0 * height, height / 2)
        return start, start - [[0.0, 0.0], [0.0, 0.0], [0.0, fall / 2], [0.0, fall]]
    if kind == "bellows":
        lines = np.arange(dice.one(4, 5, 6))
        start = np.stack([0.5 * lines, height * (lines % 2)], axis=1)
        return start, start * [dice.one(0.0, 0.0, 0.25, -0.5), 1.0]
    if kind == "roll":
        flat = np.stack([np.arange(5.0), np.zeros(5)], axis=1)
        end = dice.one((0.0, 0.0), (0.0, 0.25), (0.25, 0.0), (-0.25, 0.0))
        return flat, np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], end])
    start = np.stack([np.arange(4.0), np.zeros(4)], axis=1)
    return start, start + np.array([dice.place(1.5)[:2] for _ in start])


def random_fold(dice: Dice, name: str) -> Actor:
    """Return a strip that moves between two of its profiles, there and back at times."""
    profiles = list(_profiles(dice))
    profiles += profiles[:1] if dice.chance(0.3) else []
    profiles = profiles[::-1] if dice.chance(0.3) else profiles
    width, pose, drift = dice.one(0.5, 1.0, 1.0), dice.pose(1.0), dice.place(1.0) * dice.one(0.0, 1.0)
    frames = []
    for k, profile in enumerate(profiles):
        rows = [[x, y, z] for x, z in profile.tolist() for y in (0.0, width)]
        frames.append(np.array(rows) @ pose[:3, :3].T + pose[:3, 3] + k * drift)
    lines = np.arange(len(profiles[0]) - 1)
    a, b, c, d = 2 * lines, 2 * lines + 1, 2 * lines + 2, 2 * lines + 3
    faces = np.concatenate([np.stack([a, c, d], axis=1), np.stack([a, d, b], axis=1)])
    return Actor(name, "cloth", tuple(frames), (Link(name),), faces=faces, self_contact=True)


def _through(p: Any, q: Any, a: Any, b: Any, c: Any, slack: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return whether edges p q go through faces a b c: for certain, and possibly; `slack` is one of volumes."""

    def volume(u: np.ndarray, v: np.ndarray, w: np.ndarray) -> np.ndarray:
        return np.einsum("...i,...i->...", features.cross(u, v), w)

    ends = np.stack([volume(b - a, c - a, p - a), volume(b - a, c - a, q - a)])
    sides = np.stack([volume(q - p, a - p, b - p), volume(q - p, b - p, c - p), volume(q - p, c - p, a - p)])
    apart = (ends > slack).all(0) | (ends < -slack).all(0)
    beside = (sides > slack).any(0) & (sides < -slack).any(0)
    across = (ends.max(0) > slack) & (ends.min(0) < -slack)
    certain = across & ((sides > slack).all(0) | (sides < -slack).all(0))
    low, high = np.minimum(p, q), np.maximum(p, q)
    corners = np.stack([a, b, c])
    near = ((low <= corners.max(0) + 1e-9) & (high >= corners.min(0) - 1e-9)).all(-1)
    return certain, ~apart & ~beside & near


def _sides(edges: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return (edges, faces): whether a face has an edge."""
    return (edges[:, None, :, None] == faces[None, :, None, :]).any(3).all(2)


def _one(which: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return (rows, faces): which face each row is about."""
    return which[:, None] == np.arange(len(faces))


class Itself:
    """How near a cloth comes to itself at all times: (times, pairs) of distances, and which faces each is about."""

    def __init__(self, points: np.ndarray, faces: np.ndarray, slack: np.ndarray) -> None:
        edges = np.array(sorted({tuple(sorted(side)) for f in faces.tolist() for side in combinations(f, 2)}))
        at = points.transpose(1, 0, 2)
        of_vertex, of_edge = (faces[None] == np.arange(len(at))[:, None, None]).any(2), _sides(edges, faces)
        v, f = np.nonzero(~of_vertex)
        near = features.point_triangle(at[v], *(at[faces[f, k]] for k in range(3)))
        rows = [self._near(near, slack, of_vertex[v] | _one(f, faces))]
        e, g = np.nonzero(np.triu(~(edges[:, None, :, None] == edges[None, :, None, :]).any((2, 3)), 1))
        near = features.segment_segment(*(at[edges[which, k]] for which in (e, g) for k in range(2)))
        rows.append(self._near(near, slack, of_edge[e] | of_edge[g]))
        e, f = np.nonzero(~(edges[:, None, :, None] == faces[None, :, None, :]).any((2, 3)))
        volumes = slack * (1.0 + float(np.abs(points).max())) ** 2
        (p, q), (a, b, c) = (at[edges[e, k]] for k in range(2)), (at[faces[f, k]] for k in range(3))
        certain, possible = _through(p, q, a, b, c, volumes)
        owners = of_edge[e] | _one(f, faces)
        rows.append((np.where(possible, 0.0, np.inf), np.where(certain, 0.0, np.inf), certain, owners))
        self._lower, self._upper, self._touch, self._owners = (np.concatenate(column) for column in zip(*rows))

    @staticmethod
    def _near(squared: np.ndarray, slack: np.ndarray, owners: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return (lower, upper, touch, owners) of pairs of features that are so far apart."""
        distance = np.sqrt(squared)
        return np.maximum(distance - slack, 0.0), distance + slack, np.zeros(distance.shape, bool), owners

    def of(self, face: int | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return (lower, upper, touch) of the whole, or of a face with its edges and vertices."""
        rows = slice(None) if face is None else self._owners[:, face]
        lower, upper, touch = (table[rows] for table in (self._lower, self._upper, self._touch))
        return lower.min(0, initial=np.inf), upper.min(0, initial=np.inf), np.logical_or.reduce(touch, 0)
