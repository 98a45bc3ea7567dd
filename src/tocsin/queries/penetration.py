"""How deep things are in each other at one moment: `Scene.penetration`.

The depth of two overlapping sets A and B is the length of the shortest translation of B that takes them apart. Along a
unit direction n let w(n) = max n.a - min n.b. A translation by more than w(n) along n puts all of B beyond all of A,
whatever their shape, so every w(n) is an upper bound, and n its witness.

**Convex sets.** The depth is the distance from the origin to the boundary of K = A - B, and w is the support function
of K. `_expanded` grows a polytope inside K by support points (the expanding polytope algorithm): its nearest face, at
distance d with normal n, gives d <= depth <= w(n), the first because a ball of radius d around the origin lies in the
polytope and so in K. It ends where both are equal, which for polytopes happens after finitely many faces. Balls are
left out of K and added after: K + ball(r) has depth(K) + r if the origin is in K, and r - |K| if it is outside.

**Other sets.** B goes along each of a few directions to where it is beyond A, and `contact_intervals` says when its
first contact has ended: there it is proven clear of A, which is asked once more at that place. That is an upper bound
of the depth; a lower one is the largest of the depths of convex shapes of which the two links consist.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from tocsin._types import Matrix4, Vector, Vectors
from tocsin.errors import TocsinError
from tocsin.geometry.primitives import ConvexHull, Cylinder
from tocsin.geometry.shape import Shape
from tocsin.limits import MAX_STEPS
from tocsin.model.base import Motion
from tocsin.model.body import Body
from tocsin.options import BACKENDS
from tocsin.queries.contact_intervals import contact_intervals
from tocsin.queries.context import Context, context_of
from tocsin.queries.distance import distance
from tocsin.results import ByValue, ambiguous

Link: TypeAlias = tuple[Sequence[Shape], Matrix4]
"""The shapes of a link, and where it is."""

Support: TypeAlias = Callable[[Vectors], Vectors]
"""Farthest points of a set, (k, 3), along directions (k, 3)."""

MOST_FACES = 400
"""Support points that are asked for before a depth is left between two bounds."""

SLACK = 1e-12
"""Of the size of what is measured: rounding of w, which is off by less than 16 units of the magnitudes that enter."""

MOST_WAYS = 24
"""Directions along which links that are not convex are taken apart."""

AXES = np.vstack([np.eye(3), -np.eye(3)])


@dataclass(frozen=True, eq=False)
class Penetration(ByValue):
    """How deep two links are in each other: one entry of the answer to `Scene.penetration`."""

    depth: float
    """Metres: `link_b`, moved by this along `direction`, is clear of `link_a`. 0 where they only touch."""
    lower: float
    """No translation shorter than this takes them apart; equal to `depth`, but for rounding, where both are convex."""
    direction: Vector
    """The unit vector, in the world, along which `link_b` moves out of `link_a`."""
    link_a: str
    link_b: str
    model_a: str
    model_b: str
    convex: bool = field(default=True)
    """Are both convex?"""

    def __bool__(self) -> bool:
        raise ambiguous("an entry of penetration", "one.depth > 0")


def penetration(context: Context, placements: tuple[Motion, ...]) -> list[Penetration]:
    """Answer `Scene.penetration`: the deepest first."""
    context.links_only("penetration", "contacts(...) lists the features that touch")
    context.check_motions(placements)
    if any(placement.pieces > 0 for placement in placements):
        raise TocsinError("penetration is about one moment: give robot.at(q) or body.at(pose), not a motion.")
    touching = contact_intervals(context, placements, 0.0, None, MAX_STEPS)
    if touching.until < 1.0:
        raise TocsinError("which links overlap could not be decided: they are too many, or too close to touching.")
    given = {id(p.model): p for p in placements}
    poses = {
        name: (given.get(id(model)) or Motion.of(model, model.rest[None])).link_poses()
        for name, model in zip(context.names, context.models)
    }
    models = dict(zip(context.names, context.models))
    found: list[Penetration] = []
    for pair in touching:
        links: list[Link] = []
        for name, link in ((pair.model_a, pair.link_a), (pair.model_b, pair.link_b)):
            i = models[name].link_names.index(link) if len(models[name].link_names) > 1 else 0
            links.append(([s for s in models[name].shapes[i] if not s.is_empty], poses[name][i]))
        depth, lower, n = _depth(links[0], links[1], BACKENDS[context.hulls])
        convex = all(len(shapes) == 1 and not shapes[0].is_mesh for shapes, _ in links)
        names = pair.link_a, pair.link_b, pair.model_a, pair.model_b
        found.append(Penetration(float(depth), float(min(lower, depth)), n, *names, convex))
    return sorted(found, key=lambda one: -one.depth)


def _depth(a: Link, b: Link, backend: str) -> tuple[float, float, Vector]:
    """Return (upper bound, lower bound, direction) of the depth of two links that touch."""
    parts = [
        _convex_depth((x, a[1]), (y, b[1])) for x in a[0] for y in b[0] if not x.is_mesh and not y.is_mesh
    ]  # fmt: skip
    if len(a[0]) == len(b[0]) == 1 and parts:
        return parts[0]
    lower = max((part[1] for part in parts), default=0.0)
    whole = _support(a), _support(b)
    _, _, best = _expanded(*whole)
    ways = np.vstack([best, *(part[2] for part in sorted(parts, key=lambda p: -p[1])[:8]), AXES])[:MOST_WAYS]
    upper, direction = math.inf, best
    for n in ways:
        far = _beyond(*whole, n)
        near = _way_out(a, b, n, far, backend)
        if near < upper:
            upper, direction = near, n
    return upper, lower, direction


def _way_out(a: Link, b: Link, n: Vector, far: float, backend: str) -> float:
    """Return how far b has to go along n until it is proven clear of a, at most `far`, where it is beyond it."""
    still, moving = Body(list(a[0]), a[1], name="a"), Body(list(b[0]), b[1], name="b")
    pair = context_of((still, moving), backend, 1, False)
    out = b[1].copy()
    out[:3, 3] += far * n
    during = contact_intervals(pair, (moving.move(b[1], out),), 0.0, None, MAX_STEPS)
    first = next((one.exit for one in during if one.from_start), 1.0)
    if during.until < 1.0 or first >= 1.0:
        return far
    left = far * first * (1.0 + 1e-9) + SLACK * (far + float(np.abs(out[:3, 3]).max()))
    out[:3, 3] = b[1][:3, 3] + left * n
    return left if distance(pair, (moving.at(out),)).lower > 0.0 else far


def _convex_depth(a: tuple[Shape, Matrix4], b: tuple[Shape, Matrix4]) -> tuple[float, float, Vector]:
    """Return (upper bound, lower bound, direction) of the depth of two convex shapes; 0 and 0 where they are apart."""
    whole = _support(([a[0]], a[1])), _support(([b[0]], b[1]))
    round_ = a[0].radius + b[0].radius
    cores = Body(_core(a[0]), a[1], name="a"), Body(_core(b[0]), b[1], name="b")
    apart = distance(context_of(cores, "triangles", 1, False), ())
    if apart.distance > 0.0:
        if apart.lower > round_:
            return 0.0, 0.0, apart.normal
        n = apart.normal / np.linalg.norm(apart.normal)
        return max(_beyond(*whole, n), 0.0), max(round_ - apart.distance, 0.0), n
    inner, _, n = _expanded(_support(([a[0]], a[1]), rounded=False), _support(([b[0]], b[1]), rounded=False))
    return _beyond(*whole, n), inner + round_, n


def _core(shape: Shape) -> list[tuple[Cylinder | ConvexHull, Matrix4]]:
    """Return a convex shape without its ball."""
    if isinstance(shape.source, Cylinder):
        return [(shape.source, shape.placement)]
    return [(ConvexHull(shape.proxy), np.eye(4))]


def _support(link: Link, rounded: bool = True) -> Support:
    """Return the support of the hull of a link's shapes, in the world; with their balls, or without."""
    pose = link[1]
    parts: list[tuple[Vectors, float, float, Vector]] = []
    for shape in link[0]:
        corners = shape.points if shape.is_mesh else shape.proxy
        radius = shape.radius if rounded and not shape.is_mesh else 0.0
        axis = pose[:3, :3] @ shape.axis[0] if shape.disk > 0.0 else np.zeros(3)
        parts.append((corners @ pose[:3, :3].T + pose[:3, 3], radius, shape.disk, axis))

    def farthest(directions: Vectors) -> Vectors:
        best, out = np.full(len(directions), -math.inf), np.zeros_like(directions)
        for corners, radius, disk, axis in parts:
            found = corners[np.argmax(directions @ corners.T, axis=1)] + radius * directions
            if disk > 0.0:
                across = directions - (directions @ axis)[:, None] * axis
                length = np.linalg.norm(across, axis=1, keepdims=True)
                found = found + disk * np.divide(across, length, out=np.zeros_like(across), where=length > 0.0)
            along = np.einsum("ij,ij->i", found, directions)
            out = np.where((along > best)[:, None], found, out)
            best = np.maximum(best, along)
        return out

    return farthest


def _beyond(a: Support, b: Support, n: Vector) -> float:
    """Return w(n), rounded up: moved by so much along n, b is beyond a."""
    x, y = a(n[None])[0], b(-n[None])[0]
    return float(n @ x - n @ y) + SLACK * float(np.abs(x).max() + np.abs(y).max() + 1e-300)


def _expanded(a: Support, b: Support) -> tuple[float, float, Vector]:
    """Return (lower bound, upper bound, direction) of the depth of two convex sets whose difference has the origin.

    Of a difference that is flat, both are 0, along its normal.
    """
    from scipy.spatial import ConvexHull as Hull  # pyright: ignore[reportMissingTypeStubs]
    from scipy.spatial import QhullError  # pyright: ignore[reportMissingTypeStubs]

    ways = np.vstack([AXES, np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / math.sqrt(3.0)])
    points = a(ways) - b(-ways)
    size = float(np.abs(points).max()) or 1.0
    _, spread, turn = np.linalg.svd(points - points.mean(axis=0))
    if spread[2] <= 1e-9 * size:
        n = turn[2] if _beyond(a, b, turn[2]) <= _beyond(a, b, -turn[2]) else -turn[2]
        return 0.0, _beyond(a, b, n), n
    upper, best, d = math.inf, AXES[0], 0.0
    try:
        hull = Hull(points, incremental=True)
    except QhullError:
        widths = [_beyond(a, b, n) for n in ways]
        return 0.0, min(widths), ways[int(np.argmin(widths))]
    for _ in range(MOST_FACES):
        k = int(np.argmax(hull.equations[:, 3]))  # the nearest face; offsets are negative inside
        n, d = hull.equations[k, :3], -float(hull.equations[k, 3])
        w = _beyond(a, b, n)
        if w < upper:
            upper, best = w, n
        if upper - d <= 1e-9 * size:
            break
        hull.add_points(a(n[None]) - b(-n[None]))
    hull.close()
    return max(d - SLACK * size, 0.0), upper, best
