"""Two links of a program on their own: their distance at a given second, their speed, and how deep they overlap."""

# trimesh has no types.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tocsin.limits import MAX_STEPS
from tocsin.model.base import Model, Motion
from tocsin.model.body import Body
from tocsin.model.deformable import Deformable, Deforming
from tocsin.queries.audit.records import Pair
from tocsin.queries.context import Context
from tocsin.queries.distance import distance
from tocsin.queries.engines.advancement import ENGINE
from tocsin.queries.first_contact import first_contact
from tocsin.queries.phases import Phase, link_poses_at
from tocsin.queries.rules import Rules
from tocsin.results import Distance

STEP = 1e-6
"""Seconds to either side at which places are compared to tell a speed: where it jumps, the larger of the two counts."""

NOISE = 2.0**-47 / STEP
"""Of the coordinates of a place, a second: slower than this is what rounding leaves of standing."""

LOOKS = 33
"""How often a stretch is looked at for its smallest distance, before the best look is narrowed down."""


@dataclass(frozen=True)
class Approach:
    """Two links at one second: how far apart, where, and how fast they move against each other there."""

    seconds: float
    distance: float
    """Metres; 0 where they touch or overlap."""
    point: np.ndarray
    """(3,) the middle between the closest points, in the world."""
    speed: float
    """Metres a second: of the closest points against each other; measured, not proven."""


class Between:
    """Two links of the scene of a program, as bodies of their own; deformable models are themselves."""

    def __init__(self, context: Context, pair: Pair) -> None:
        self.pair = pair
        self.scene = context
        named = ((pair.model_a, pair.link_a), (pair.model_b, pair.link_b))
        self.sides: list[tuple[int, str]] = [(context.names.index(model), link) for model, link in named]
        self.is_soft: bool = any(isinstance(context.models[m], Deformable) for m, _ in self.sides)
        self._pairs: dict[int, Context | None] = {}

    def is_asked(self, phase: Phase) -> bool:
        """Are both there, and checked against each other? Not what hangs on a link, or may touch it, and that link."""
        numbers: list[int] = []
        for m, link in self.sides:
            models = phase.context.models
            i = _index(phase.context, m, link)
            if i is None or not (isinstance(models[m], Deformable) or models[m].shapes[i]):
                return False
            numbers.append(sum(len(model.links) for model in models[:m]) + i)
        return phase.context.rules.of_links().get((min(numbers), max(numbers)), 0.0) != -math.inf

    def _bodies(self, phase: Phase) -> Context | None:
        """Return the two links as bodies; None where they are not asked about.

        A deformable model against itself is one model; beside another it does not count against itself.
        """
        key = id(phase.context)
        if key not in self._pairs:
            self._pairs[key] = None
            if self.is_asked(phase):
                models: dict[str, Model] = {}
                for name, (m, link) in zip(("a", "b"), self.sides):
                    model = phase.context.models[m]
                    shapes = model.shapes[_index(phase.context, m, link) or 0]
                    models[name] = model if isinstance(model, Deformable) else Body(tuple(shapes), name=name)
                folded = models["a"] is models["b"]
                own = ("a",) if folded else ("a", "b")
                rules = Rules(own, [models[name] for name in own])
                for name in () if folded else own:
                    if isinstance(models[name], Deformable):
                        rules.ignore(name, name)
                self._pairs[key] = Context([models[name] for name in own], rules, threads=1, charts=False)
        return self._pairs[key]

    def vertices(self, phase: Phase, side: int, seconds: float) -> np.ndarray:
        """Return (n, 3): where the vertices of a deformable side are."""
        m = self.sides[side][0]
        for motion in phase.motions:
            if phase.context.places[id(motion.model)] == m and isinstance(motion, Deforming):
                return motion.vertices_at(phase.fraction(seconds))
        model = phase.context.models[m]
        assert isinstance(model, Deformable)
        return model.vertices

    def poses(self, phase: Phase, seconds: float) -> list[np.ndarray]:
        """Return the 4x4 poses of both links."""
        found = link_poses_at(self.scene, phase, seconds, [m for m, _ in self.sides])
        return [found[m][_index(phase.context, m, link) or 0] for m, link in self.sides]

    def gap(self, phase: Phase, seconds: float) -> Distance | None:
        """Return the distance of the two links, where both are there."""
        bodies = self._bodies(phase)
        if bodies is None:
            return None
        poses = self.poses(phase, seconds)
        placed: list[Motion] = []
        for side, model in enumerate(bodies.models):
            soft = isinstance(model, Deformable)
            placed.append(model.at(self.vertices(phase, side, seconds) if soft else poses[side]))  # type: ignore[attr-defined]
        return distance(bodies, tuple(placed))

    def approach(self, phase: Phase, seconds: float) -> Approach | None:
        """Return all that is known about the two links at a given second."""
        found = self.gap(phase, seconds)
        if found is None:
            return None
        point = 0.5 * (np.asarray(found.point_a) + np.asarray(found.point_b))
        step, speed = max(STEP, 8.0 * math.ulp(seconds)), 0.0
        for t in (max(seconds - step, phase.begin), min(seconds + step, phase.end)):
            if t != seconds:
                ends = found.point_a, found.point_b
                a, b = (self.gone(phase, side, seconds, t, x) for side, x in enumerate(ends))
                speed = max(speed, float(np.linalg.norm(a - b)) / abs(t - seconds))
        return Approach(seconds, found.distance, point, 0.0 if speed <= NOISE * float(np.abs(point).max()) else speed)

    def gone(self, phase: Phase, side: int, seconds: float, until: float, touch: np.ndarray) -> np.ndarray:
        """Return (3,): how far a point of a side goes in the world from one second to another."""
        model = phase.context.models[self.sides[side][0]]
        if isinstance(model, Deformable):
            which, shares = on_surface(self.vertices(phase, side, seconds), model.faces, touch)
            return shares @ (self.vertices(phase, side, until)[which] - self.vertices(phase, side, seconds)[which])
        here, there = (self.poses(phase, t)[side] for t in (seconds, until))
        return (there @ np.linalg.inv(here) @ np.append(touch, 1.0))[:3] - touch

    def closest(self, phase: Phase, enter: float, leave: float) -> Approach | None:
        """Return the smallest distance found between two seconds: sampled evenly, then narrowed around the least."""
        times = np.linspace(enter, leave, LOOKS if leave > enter else 1)
        gaps = [self.gap(phase, t) for t in times.tolist()]
        values = [math.inf if g is None else g.distance for g in gaps]
        best = int(np.argmin(values))
        if not math.isfinite(values[best]):
            return None
        at, least = float(times[best]), values[best]
        step = float(times[1] - times[0]) if len(times) > 1 else 0.0
        while least > 0.0 and step > 1e-7 * max(leave - enter, 1e-9):
            step *= 0.5
            for t in (max(at - step, enter), min(at + step, leave)):
                found = self.gap(phase, t)
                if found is not None and found.distance < least:
                    at, least = t, found.distance
        return self.approach(phase, at)

    def way_out(self, phase: Phase, seconds: float) -> float:
        """Return how far one link would have to be pushed to separate it from the other, in the best of 7 directions.

        An upper bound of the depth of the overlap, proven: the link comes in from afar along the direction, and until
        its first contact the two are apart.
        """
        bodies = self._bodies(phase)
        if bodies is None:
            return 0.0
        a, b = bodies.models
        pose_a, pose_b = self.poses(phase, seconds)
        first_a, first_b = a.shapes[0][0].center, b.shapes[0][0].center
        apart = pose_a[:3, :3] @ first_a + pose_a[:3, 3] - pose_b[:3, :3] @ first_b - pose_b[:3, 3]
        ways = [*np.eye(3), *-np.eye(3)]
        if np.linalg.norm(apart) > 0.0:
            ways.append(apart / np.linalg.norm(apart))
        sizes = [max(shape.diagonal + shape.reach for shape in m.shapes[0]) for m in (a, b)]
        far = 2.0 * sum(sizes) + float(np.linalg.norm(apart))
        best = far
        for way in ways:
            start = pose_a.copy()
            start[:3, 3] += far * way
            motion = a.move(start, pose_a)  # type: ignore[attr-defined]
            hit = first_contact(bodies, (motion, b.at(pose_b)), 0.0, 1e-3 * min(sizes), MAX_STEPS, ENGINE)  # type: ignore[attr-defined]
            if hit.collides:
                best = min(best, (1.0 - hit.time) * far)
        return best


def pair_in(context: Context, model_a: str, link_a: str, model_b: str, link_b: str) -> Pair:
    """Return a pair of links; two bodies in the hands of one robot by name, in whatever order they were gripped."""
    if model_a == model_b:
        held = [grasp.body.name for grasp in context.models[context.names.index(model_a)].carried]
        if link_b < link_a and link_a in held and link_b in held:
            link_a, link_b = link_b, link_a
    return Pair(model_a, link_a, model_b, link_b)


def on_surface(vertices: np.ndarray, faces: np.ndarray, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (vertices, shares): the place of a mesh that is nearest to a point, as shares of a triangle's vertices.

    Of loose edges and points, the vertex that is nearest.
    """
    if not len(faces):
        return np.array([((vertices - point) ** 2).sum(axis=1).argmin()]), np.ones(1)
    from trimesh.triangles import closest_point, points_to_barycentric

    triangles = vertices[faces]
    nearest = closest_point(triangles, np.broadcast_to(point, (len(faces), 3)))
    k = int(((nearest - point) ** 2).sum(axis=1).argmin())
    shares = points_to_barycentric(triangles[k][None], nearest[k][None])[0]
    return faces[k], np.nan_to_num(shares, nan=1.0 / 3.0)


def _index(context: Context, m: int, link: str) -> int | None:
    """Return the number of a link of a model as it is in a phase; None if it is not there."""
    model = context.models[m]
    if len(model.link_names) == 1:
        return 0
    return model.link_names.index(link) if link in model.link_names else None
