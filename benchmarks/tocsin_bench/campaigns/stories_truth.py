"""How far the actors of a story are apart at given times: kinematics and geometry of its own, all times at once.

Nothing here comes from the engines; `stories_poses` says where things are.

Every shape is a convex core, a polytope or a flat polygon, grown by a radius; hollow if it is a surface. Claims:

- Cores whose projections on every face normal and every cross product of edges overlap by more than the slack do
  overlap (separating axes): a contact, unless a surface holds the other one wholly inside.
- Two polytopes apart are closest at a vertex and a face or at two edges; so are a surface and what is inside it.
  Diagonals are edges too: the foot of a vertex on one may be rounded out of both triangles beside it.
- A cylinder lies between two prisms of 8 sides: what is far from the outer one is far from it, what overlaps the inner
  one overlaps it.

`lower <= distance <= upper` with a slack of 1e-11 of the coordinates, and `touch` where the distance is 0 for certain.
In exact stories, at dyadic times, coordinates are dyadic numbers, axes are coordinate axes, and the slack is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from tocsin_bench.campaigns.stories_folds import Itself
from tocsin_bench.campaigns.stories_poses import link_poses, pieces_of
from tocsin_bench.campaigns.stories_scenes import (
    BOX_FACES,
    CORNERS,
    OCTAHEDRON,
    SHEET,
    SHEET_FACES,
    Actor,
    Part,
    Story,
    Told,
)
from tocsin_bench.oracles import distance as features

SLACK = 1e-11
"""Rounding of what is measured, as a fraction of the largest coordinate."""

Place = tuple[str, str]
"""(model, link)."""

Pair = frozenset[Place]


class Core(NamedTuple):
    """A convex polytope or polygon: `normals` are faces with different normals, `directions` edges likewise.

    `edges`: all sides of the faces, those between two in one plane too.
    """

    vertices: np.ndarray
    faces: np.ndarray
    edges: np.ndarray
    normals: np.ndarray
    directions: np.ndarray
    flat: bool
    radius: float
    hollow: bool


def _edges(faces: np.ndarray) -> np.ndarray:
    return np.array(sorted({tuple(sorted(side)) for a, b, c in faces.tolist() for side in ((a, b), (b, c), (c, a))}))


NO_FACES = np.zeros((0, 3), int)
_BOX = (BOX_FACES, _edges(BOX_FACES), BOX_FACES[[0, 4, 8]], np.array([[0, 1], [0, 2], [0, 4]]))
_FACETS = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
_OCTAHEDRON = (_FACETS, _edges(_FACETS), _FACETS[:4], np.array([[0, 2], [2, 1], [0, 4], [1, 4], [2, 4], [3, 4]]))


def _prism(radius: float, length: float) -> Core:
    angles = 2.0 * np.pi * np.arange(8) / 8
    rim = radius * np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], 1)
    vertices = np.concatenate([rim - [0, 0, length / 2], rim + [0, 0, length / 2]])
    sides = [f for k in range(8) for f in ((k, (k + 1) % 8, 8 + (k + 1) % 8), (k, 8 + (k + 1) % 8, 8 + k))]
    caps = [f for k in range(1, 7) for f in ((0, k + 1, k), (8, 8 + k, 8 + k + 1))]
    faces = np.array(sides + caps)
    ring = [(k, (k + 1) % 8) for k in range(8)]
    directions = np.array([*ring[:4], (0, 8)])
    return Core(vertices, faces, _edges(faces), faces[[0, 2, 4, 6, 16]], directions, False, 0.0, False)


def _flat(vertices: np.ndarray, faces: np.ndarray) -> Core:
    n = len(vertices)
    ring = np.array([(k, (k + 1) % n) for k in range(n)])
    return Core(vertices, faces, _edges(faces), faces[:1], ring, True, 0.0, True)


def cores_of(part: Part) -> tuple[Core, Core]:
    """Return an inner and an outer core of a shape; the same twice, but for a cylinder."""
    one = np.array([[0, 1]])
    if part.kind == "sphere":
        core = Core(np.zeros((1, 3)), NO_FACES, np.array([[0, 0]]), NO_FACES, one[:0], False, part.size[0], False)
    elif part.kind == "capsule":
        ends = np.array([[0, 0, -part.size[1] / 2], [0, 0, part.size[1] / 2]])
        core = Core(ends, NO_FACES, one, NO_FACES, one, False, part.size[0], False)
    elif part.kind == "cylinder":
        radius, length = part.size
        outer = _prism(radius / np.cos(np.pi / 8) * (1.0 + 1e-12), length)
        return _prism(radius * (1.0 - 1e-12), length), outer
    elif part.kind == "sheet":
        core = _flat(SHEET * part.size, SHEET_FACES)
    elif part.kind == "octahedron":
        core = Core(OCTAHEDRON * part.size, *_OCTAHEDRON, False, 0.0, False)
    else:
        core = Core(CORNERS * part.size, *_BOX, False, 0.0, part.kind == "mesh")
    return core, core


class Placed(NamedTuple):
    """A core at all times: `points` (times, vertices, 3)."""

    core: Core
    points: np.ndarray


def _units(v: np.ndarray) -> np.ndarray:
    """Return unit vectors; where there is no direction, zeros."""
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return np.where(length > 1e-12, v / np.where(length > 1e-12, length, 1.0), 0.0)


def _axes(one: Placed) -> tuple[np.ndarray, np.ndarray]:
    """Return (normals, edge directions), (times, k, 3) each, as unit vectors."""
    p, core = one.points, one.core
    directions = _units(p[:, core.directions[:, 1]] - p[:, core.directions[:, 0]])
    f = core.normals
    normals = _units(features.cross(p[:, f[:, 1]] - p[:, f[:, 0]], p[:, f[:, 2]] - p[:, f[:, 0]]))
    if core.flat:
        normals = np.concatenate([normals, _units(features.cross(normals, directions))], axis=1)
    return normals, directions


def overlap(a: Placed, b: Placed) -> np.ndarray:
    """Return (times,): by how much the projections of both cores overlap, at least, over all axes; negative: apart."""
    if not len(a.core.faces) + len(b.core.faces):
        return np.full(len(a.points), -np.inf)  # two points or segments: their radii decide
    normals_a, directions_a = _axes(a)
    normals_b, directions_b = _axes(b)
    crossed = _units(features.cross(directions_a[:, :, None], directions_b[:, None])).reshape(len(a.points), -1, 3)
    axes = np.concatenate([normals_a, normals_b, crossed], axis=1)
    on_a = np.einsum("tki,tvi->tkv", axes, a.points)
    on_b = np.einsum("tki,tvi->tkv", axes, b.points)
    depth = np.minimum(on_a.max(2) - on_b.min(2), on_b.max(2) - on_a.min(2))
    depth[~axes.any(axis=2)] = np.inf
    for one, normals in ((a, normals_a), (b, normals_b)):
        if one.core.flat:  # without an area it has too few axes: neither apart nor in touch for certain
            depth[~normals[:, 0].any(axis=1)] = 0.0
    return depth.min(axis=1)


def sticks_out(a: Placed, b: Placed) -> np.ndarray:
    """Return (times,): how far b reaches beyond the faces of a, at most; negative: b is inside."""
    f, p = a.core.faces, a.points
    normals = _units(features.cross(p[:, f[:, 1]] - p[:, f[:, 0]], p[:, f[:, 2]] - p[:, f[:, 0]]))
    heights = np.einsum("tfi,tvi->tfv", normals, b.points) - np.einsum("tfi,tfi->tf", normals, p[:, f[:, 0]])[..., None]
    return heights.max(axis=(1, 2)) + b.core.radius


def boundary_distance(a: Placed, b: Placed) -> np.ndarray:
    """Return (times,): the least distance of a vertex and a face, or of two edges."""
    best = np.full(len(a.points), np.inf)
    for one, two in ((a, b), (b, a)):
        f = two.core.faces
        if len(f):
            corners = [two.points[:, None, f[:, k]] for k in range(3)]
            best = np.minimum(best, features.point_triangle(one.points[:, :, None], *corners).min(axis=(1, 2)))
    e, g = a.core.edges, b.core.edges
    ends = [a.points[:, e[:, k], None] for k in (0, 1)] + [b.points[:, None, g[:, k]] for k in (0, 1)]
    best = np.minimum(best, features.segment_segment(*ends).min(axis=(1, 2)))
    return np.sqrt(best)


@dataclass(frozen=True)
class Measured:
    """The distance of two links at some times: lower <= distance <= upper, and 0 for certain where `touch`."""

    lower: np.ndarray
    upper: np.ndarray
    touch: np.ndarray

    def and_also(self, other: Measured) -> Measured:
        """Return the smaller of two distances."""
        lower, upper = np.minimum(self.lower, other.lower), np.minimum(self.upper, other.upper)
        return Measured(lower, upper, self.touch | other.touch)


def measured(inner: tuple[Placed, Placed], outer: tuple[Placed, Placed], slack: np.ndarray) -> Measured:
    """Return the distance of two shapes between those of their inner and of their outer cores."""
    upper, touch, _ = _measured(*inner, slack)
    same = inner[0].core is outer[0].core and inner[1].core is outer[1].core
    lower = _measured(*outer, slack)[2] if not same else _
    return Measured(lower, upper, touch)


def _measured(a: Placed, b: Placed, slack: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (upper, touch, lower)."""
    radii = a.core.radius + b.core.radius
    depth, apart = overlap(a, b), boundary_distance(a, b) - radii
    certain, possible = depth >= slack, depth > -slack
    for one, two in ((a, b), (b, a)):
        if one.core.hollow and not one.core.flat:
            out = sticks_out(one, two)
            certain &= out >= slack
            possible &= out > -slack
    touch = certain | ((apart <= -slack) & (radii > 0.0))
    lower = np.where(possible, 0.0, np.maximum(apart - slack, 0.0))
    upper = np.where(touch, 0.0, np.maximum(apart + slack, slack))
    exact = slack == 0.0
    if exact.any():  # coordinate axes: the gap is along one of them, or rounded
        gaps = np.maximum(b.points.min(1) - a.points.max(1), a.points.min(1) - b.points.max(1))
        lone = exact & ((gaps > 0.0).sum(axis=1) == 1)
        upper = np.where(lone, gaps.max(axis=1), np.where(exact & ~touch, upper + SLACK, upper))
    return upper, touch, lower


class Truth:
    """What is true about a story."""

    def __init__(self, story: Story, told: Told) -> None:
        self.story, self.told = story, told
        self.slack: float = SLACK * story.size
        self._motions = {m.model.name: m for m in told.motions}

    def measure(self, times: Sequence[float]) -> tuple[dict[Pair, Measured], dict[tuple[str, int], Measured]]:
        """Return how far apart each pair of links is at these times, and each triangle of a cloth from all others."""
        t = np.asarray(times, float)
        dyadic = np.mod(t * 1024.0, 1.0) == 0.0
        slack = np.where(self.story.exact & dyadic, 0.0, self.slack)
        placed = [(actor, *self._placed(actor, t)) for actor in self.story.actors]
        pairs: dict[Pair, Measured] = {}
        triangles: dict[tuple[str, int], Measured] = {}
        named = any(actor.moves for actor in self.story.actors)
        for (a, inner_a, outer_a), (b, inner_b, outer_b) in self._sides(placed, named):
            for i, k in ((i, k) for i in range(len(inner_a)) for k in range(len(inner_b))):
                if a is b and not self._checked(a, inner_a[i][0], inner_b[k][0], i, k):
                    continue
                where = (a.name, self._name(a, inner_a[i][0])), (b.name, self._name(b, inner_b[k][0]))
                found = measured((inner_a[i][1], inner_b[k][1]), (outer_a[i][1], outer_b[k][1]), slack)
                pair = frozenset(where)
                pairs[pair] = pairs[pair].and_also(found) if pair in pairs else found
                for actor, n in ((a, i), (b, k)):
                    if actor.kind == "cloth":
                        key = (actor.name, n)
                        triangles[key] = triangles[key].and_also(found) if key in triangles else found
        for actor in self.story.actors:
            if actor.self_contact and (actor.moves or not named):
                assert actor.faces is not None
                itself = Itself(self._vertices(actor, t), actor.faces, slack)
                pairs[frozenset([(actor.name, actor.name)])] = Measured(*itself.of())
                for n in range(len(actor.faces)):
                    own, key = Measured(*itself.of(n)), (actor.name, n)
                    triangles[key] = triangles[key].and_also(own) if key in triangles else own
        return pairs, triangles

    def _sides(self, placed: list[Any], named: bool) -> list[Any]:
        """Return which models are checked against which: at least one of them is asked about."""
        sides = [(x, y) for x, y in combinations(placed, 2) if x[0].moves or y[0].moves or not named]
        return sides + [(x, x) for x in placed if x[0].kind == "robot" and (x[0].moves or not named)]

    def _checked(self, actor: Actor, link_a: int, link_b: int, i: int, k: int) -> bool:
        """Return whether two links of a robot are checked: not if joined, directly or by links without shapes."""
        if i >= k or link_a == link_b:
            return False
        for low, high in ((link_a, link_b), (link_b, link_a)):
            above = actor.links[high].parent
            while above >= 0:
                if above == low:
                    return False
                if actor.links[above].parts:
                    break
                above = actor.links[above].parent
        return True

    def _name(self, actor: Actor, link: int) -> str:
        return actor.links[link].name if len(actor.links) > 1 else actor.name

    def _vertices(self, actor: Actor, t: np.ndarray) -> np.ndarray:
        """Return (times, n, 3): where the vertices of a cloth are."""
        points = np.zeros((len(t), len(actor.stations[0]), 3))
        for piece, which, s in pieces_of(actor, t):
            first, last = actor.stations[piece], actor.stations[min(piece + 1, len(actor.stations) - 1)]
            points[which] = first + s[:, None, None] * (last - first)
        return points

    def _placed(self, actor: Actor, t: np.ndarray) -> tuple[list[Any], list[Any]]:
        """Return the inner and the outer cores of an actor, each with its link, at all times."""
        if actor.kind == "cloth":
            points = self._vertices(actor, t)
            assert actor.faces is not None
            one = np.array([[0, 1, 2]])
            found = [(0, Placed(_flat(points[0, f], one), points[:, f])) for f in actor.faces]
            return found, found
        motion = self._motions.get(actor.name)
        if motion is None:
            motion = _Standing(self.told.models[actor.name].rest)
        poses = link_poses(actor, motion, t)
        sides: tuple[list[Any], list[Any]] = ([], [])
        for k, link in enumerate(actor.links):
            for part in link.parts:
                at = poses[:, k] @ part.placement
                for side, core in zip(sides, cores_of(part)):
                    points = core.vertices @ at[:, :3, :3].transpose(0, 2, 1) + at[:, None, :3, 3]
                    side.append((k, Placed(core, points)))
        return sides


class _Standing(NamedTuple):
    """A motion that is none."""

    row: np.ndarray

    def row_at(self, _t: float) -> np.ndarray:
        return self.row
