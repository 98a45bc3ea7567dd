"""Putting two features in touch, and proving that they are.

`align` poses the second shape so that two features meet at a given gap. `proven` then decides, from the numbers that
the library will really be given, whether the two shapes are in contact at the planted time. It works on poses in 50
digits, and accepts only what is a proof up to 1e-40:

* margin 0, two polyhedra: an edge of one runs strictly through a triangle of the other;
* a margin: two points, each a convex combination of its shape's vertices, are no farther apart than the margin;
* a round shape: the closed form of its distance to a point of the other shape is no larger than the margin.

Contacts are planted by a depth of about 1e-12 of the coordinates, so that the rounding of poses to float64 does not
undo them; where it does, `proven` says no and the contact is planted deeper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tocsin_bench.campaigns.planted_shapes import Feature, Piece, unit
from tocsin_bench.oracles import kinematics as kin

mp = kin.mp
NEGLIGIBLE = mp.mpf(10) ** -40

PLANS = (
    # feature of a, feature of b, whether their tangents are parallel, how often
    ("vertex", "face", False, 5),
    ("face", "vertex", False, 5),
    ("edge", "edge", False, 6),
    ("edge", "edge", True, 2),
    ("vertex", "vertex", False, 2),
    ("vertex", "edge", False, 2),
    ("edge", "face", False, 2),
    ("edge", "face", True, 1),
    ("face", "face", False, 2),
    ("face", "face", True, 2),
)


@dataclass(frozen=True)
class Touch:
    """Two features to be brought together: `plan` names them, `feature_a`, `feature_b` are in their shapes' frames."""

    piece_a: Piece
    piece_b: Piece
    feature_a: Feature
    feature_b: Feature
    parallel: bool

    @property
    def plan(self) -> str:
        """Return what touches what."""
        return f"{self.feature_a.kind}-{self.feature_b.kind}" + ("-parallel" if self.parallel else "")


def random_plan(rng: np.random.Generator) -> tuple[str, str, bool]:
    """Return a random row of PLANS, without its weight."""
    weights = np.array([row[3] for row in PLANS], float)
    a, b, parallel, _ = PLANS[int(rng.choice(len(PLANS), p=weights / weights.sum()))]
    return a, b, parallel


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """Return a random rotation; one in four is a turn of the axes onto one another."""
    if rng.random() < 0.25:
        m = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)[:, None]
        return m * [1, 1, np.linalg.det(m).round()]
    return kin.quaternion_to(rng.normal(size=4))


def triad(feature: Feature) -> np.ndarray:
    """Return the rotation whose columns are the feature's normal, tangent and their cross product."""
    n = unit(feature.normal)
    t = unit(feature.tangent - n * (feature.tangent @ n))
    return np.stack([n, t, np.cross(n, t)], 1)


def align(touch: Touch, pose_a: np.ndarray, gap: float, twist: float) -> np.ndarray:
    """Return the pose of b at which its feature faces that of a across a gap (negative: a depth).

    The normals are opposite; `twist` turns b about them, from where the tangents are parallel.
    """
    world = pose_a[:3, :3] @ triad(touch.feature_a)
    c, s = np.cos(twist), np.sin(twist)
    if touch.parallel:
        c, s = np.copysign(1.0, c), 0.0
    facing = np.array([[-1.0, 0, 0], [0, c, s], [0, s, -c]])
    rotation = world @ facing @ triad(touch.feature_b).T
    point = pose_a[:3, :3] @ touch.feature_a.point + pose_a[:3, 3] + gap * world[:, 0]
    return kin.frame(rotation, point - rotation @ touch.feature_b.point)


def _closed_form(piece: Piece, point: list) -> Any:
    """Return the distance of a point, in the shape's frame, to a round shape."""
    x, y, z = point
    radius = mp.mpf(piece.true.radius)
    if piece.true.is_cylinder:
        out, up = mp.sqrt(x * x + y * y) - radius, abs(z) - mp.mpf(piece.true.half)
        return mp.sqrt(max(out, 0) ** 2 + max(up, 0) ** 2)
    low, high = mp.mpf(float(piece.true.core[0, 0, 2])), mp.mpf(float(piece.true.core[0, 1, 2]))
    return max(mp.sqrt(x * x + y * y + (z - min(max(z, low), high)) ** 2) - radius, mp.mpf(0))


def _point(feature: Feature, pose: Any) -> list:
    """Return the feature's point in the world: an exact convex combination of the shape's vertices."""
    weights = [mp.mpf(float(w)) for w in feature.weights]
    total = sum(weights)
    local = [sum(w * mp.mpf(float(c[k])) for w, c in zip(weights, feature.corners)) / total for k in range(3)]
    return kin.apply_mp(pose, local)


def _local_triangles(triangles: np.ndarray, pose: Any, centre: list) -> tuple[list, np.ndarray]:
    """Return world triangles in 50 digits relative to `centre`, and rounded after that."""
    known: dict[tuple, list] = {}
    exact = []
    for triangle in triangles.tolist():
        for corner in triangle:
            if tuple(corner) not in known:
                world = kin.apply_mp(pose, [mp.mpf(c) for c in corner])
                known[tuple(corner)] = [w - c for w, c in zip(world, centre)]
        exact.append([known[tuple(corner)] for corner in triangle])
    return exact, np.array([[[float(x) for x in p] for p in t] for t in exact])


def _volume(a: list, b: list, c: list, d: list) -> Any:
    u, v, w = ([x - y for x, y in zip(p, d)] for p in (a, b, c))
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0])


def _edge_through(p: list, q: list, triangle: list) -> bool:
    """Return whether the segment pq runs strictly through the triangle, by the signs of five volumes."""
    a, b, c = triangle
    size = max(abs(x) for point in (p, q, a, b, c) for x in point) ** 3 * NEGLIGIBLE
    side_p, side_q = _volume(a, b, c, p), _volume(a, b, c, q)
    if min(abs(side_p), abs(side_q)) <= size or (side_p > 0) == (side_q > 0):
        return False
    turns = [_volume(p, q, a, b), _volume(p, q, b, c), _volume(p, q, c, a)]
    return all(v > size for v in turns) or all(v < -size for v in turns)


def _cut(one: tuple[list, np.ndarray], two: tuple[list, np.ndarray], tries: int = 6) -> bool:
    """Return whether some edge of one set runs through some triangle of the other.

    Float64 volumes rank the candidates by how far from the rim they pass, relative to their sizes; the best few are
    decided in 50 digits.
    """
    ranked = []
    for (exact_e, edges), (exact_t, triangles), side in ((one, two, 0), (two, one, 1)):
        p = edges[:, :, None]
        q = np.roll(edges, -1, axis=1)[:, :, None]
        a, b, c = (triangles[None, None, :, k] for k in range(3))

        def volume(x, y, z, w):
            return np.einsum("...i,...i->...", x - w, np.cross(y - w, z - w))

        side_p, side_q = volume(a, b, c, p), volume(a, b, c, q)
        turns = np.stack([volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)])
        turns = turns * np.where(turns.sum(0) < 0, -1.0, 1.0)
        score = np.where(side_p * side_q < 0, turns.min(0) / np.maximum(np.abs(turns).max(0), 1e-300), -1.0)
        best = np.argsort(score, axis=None)[::-1][:tries]
        for flat in best:
            e, k, t = np.unravel_index(flat, score.shape)
            if score[e, k, t] > -1e-3:
                ranked.append((float(score[e, k, t]), side, exact_e[e][k], exact_e[e][(k + 1) % 3], exact_t[t]))
    ranked.sort(key=lambda r: -r[0])
    return any(_edge_through(p, q, t) for _, _, p, q, t in ranked[:tries])


def proven(touch: Touch, pose_a: Any, pose_b: Any, margin: float) -> bool:
    """Return whether the two shapes are certainly within `margin` at these poses (50 digits)."""
    workspace = mp.mpf(margin)
    a, b = touch.piece_a, touch.piece_b
    if a.round and b.round:
        middle = kin.apply_mp(pose_a, [mp.mpf(float(c)) for c in touch.feature_a.point])
        other = kin.apply_mp(pose_b, [mp.mpf(float(c)) for c in touch.feature_b.point])
        middle = [(x + y) / 2 for x, y in zip(middle, other)]
        return sum(_closed_form(p, kin.unapply_mp(pose, middle)) for p, pose in ((a, pose_a), (b, pose_b))) <= workspace
    if a.round:
        return _closed_form(a, kin.unapply_mp(pose_a, _point(touch.feature_b, pose_b))) <= workspace
    point = _point(touch.feature_a, pose_a)
    if b.round:
        return _closed_form(b, kin.unapply_mp(pose_b, point)) <= workspace
    if margin > 0:
        other = _point(touch.feature_b, pose_b)
        return sum((x - y) ** 2 for x, y in zip(point, other)) <= workspace * workspace
    near_a = _local_triangles(touch.feature_a.triangles, pose_a, point)
    near_b = _local_triangles(touch.feature_b.triangles, pose_b, point)
    return _cut(near_a, near_b)
