"""Everything that a picture of an answer needs, computed once: a film of a scene in motion.

A film holds what is shown and when: solids with colours, the pose of every link over time, the clearance over time
(finer where it is small and around the contact), the touching features, and what the culling saw. The three faces of
the viewer only draw it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tocsin import _cast
from tocsin.answer import Answer
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.results import Contact, Distance, FirstContact, Status
from tocsin.scene import Scene
from tocsin.viewer.solids import TOUCHING, Solid, colour_of, solid_of
from tocsin.viewer.survivors import Slab, slabs_of

FRAMES, MOST_FRAMES, FRAMES_A_PIECE = 121, 1501, 6
"""How many moments are kept: at least, at most, and for each stretch of a path."""

MOST_TOUCHES = 64
"""Touching features that are shown: the closest."""


@dataclass(frozen=True, eq=False)
class Touch:
    """One pair of touching features, in the world at the time of contact."""

    contact: Contact
    triangles_a: np.ndarray
    """(k, 3, 3): the triangles that the feature of side a belongs to; none for a convex solid."""
    triangles_b: np.ndarray


@dataclass(frozen=True, eq=False)
class Clearance:
    """The smallest distance in the scene at moments of the motion.

    Links that do not move against each other are left out, unless they are the ones that touch: their distance never
    changes, and a robot has many such neighbours.
    """

    times: np.ndarray
    distances: np.ndarray
    """Metres; inf where there is nothing to compare."""
    pairs: list[tuple[str, str]]
    """The closest links."""
    points: np.ndarray
    """(k, 2, 3): their closest points."""


@dataclass(frozen=True, eq=False)
class Film:
    """A scene in motion, and what is known about its first contact."""

    scene: Scene
    motions: tuple[Motion, ...]
    hit: FirstContact
    margin: float
    solids: tuple[Solid, ...]
    times: np.ndarray
    """(k,): from 0 to 1; the time of contact, and those at which a path turns, are among them."""
    poses: np.ndarray
    """(k, n_links, 4, 4): where the links are at those times."""
    moving: np.ndarray
    """(n_links,) bool: does the link ever leave its place?"""
    touches: tuple[Touch, ...]
    clearance: Clearance
    low: np.ndarray = field(repr=False)
    """The box of all that is shown, at all times."""
    high: np.ndarray = field(repr=False)
    measured: Scene = field(repr=False)
    """The scene without the pairs that do not move against each other: whose clearance is shown."""

    @cached_property
    def slabs(self) -> list[Slab]:
        """What the culling saw, slab by slab; computed when first looked at."""
        assert isinstance(self.hit, Answer)
        return slabs_of(self.hit)

    @property
    def contact_time(self) -> float | None:
        """When things first touch, or None."""
        return self.hit.time if self.hit.status in (Status.CONTACT, Status.INITIAL_CONTACT) else None

    @property
    def size(self) -> float:
        """The diagonal of all that is shown."""
        return float(np.linalg.norm(self.high - self.low)) or 1.0

    def frame_at(self, t: float) -> int:
        """Return the number of the moment nearest to t."""
        return int(np.abs(self.times - t).argmin())

    def headline(self) -> str:
        """Say in one line what was found."""
        return {
            Status.FREE: "Proven free",
            Status.CONTACT: f"First contact at t = {self.hit.time:.5f}",
            Status.INITIAL_CONTACT: "In contact at the start",
            Status.CAPPED: f"Undecided; proven free until t = {self.hit.time:.5f}",
        }[self.hit.status]

    def meeting(self) -> str:
        """Say in a few words what touches."""
        if not self.touches:
            return ""
        contact = self.touches[0].contact
        return f"{contact.link_a} meets {contact.link_b}"

    def details(self) -> list[tuple[str, str]]:
        """Return (name, value) lines on when, where, and between which links and features."""
        lines: list[tuple[str, str]] = []
        if self.touches:
            contact = self.touches[0].contact
            at = contact.point_a
            lines.append(("between", f"{contact.link_a} and {contact.link_b}"))
            lines.append(("features", contact.kind))
            if any(contact.features):
                lines.append(("vertices", " / ".join(", ".join(map(str, f)) or "–" for f in contact.features)))
            if np.isfinite(at).all():
                lines.append(("at", ", ".join(f"{x:.4f}" for x in at) + " m"))
            if np.any(contact.normal):
                lines.append(("normal", ", ".join(f"{x:.3f}" for x in contact.normal)))
            lines.append(("distance", f"{length(contact.distance)}, tolerance {length(self.hit.tolerance)}"))
        if self.margin > 0.0:
            lines.append(("margin", length(self.margin)))
        if not self.touches and np.isfinite(self.clearance.distances).any():
            k = int(self.clearance.distances.argmin())
            a, b = self.clearance.pairs[k]
            least, when = self.clearance.distances[k], self.clearance.times[k]
            lines.append(("least seen", f"{length(least)} at t = {when:.4f}"))
            lines.append(("between", f"{a} and {b}"))
        stats = self.hit.stats
        left = " → ".join(f"{n:,}" for n in (stats.pairs_total, stats.pairs_spatial, stats.pairs_temporal))
        lines.append(("pairs", f"{left} after the culls"))
        return lines


def sampled(film: Film, samples: int | Iterable[float] | None) -> list[tuple[float, float]]:
    """Return (time, clearance) at moments that sampling would look at: so many evenly spaced ones, or those given."""
    if samples is None:
        return []
    even = isinstance(samples, (int, np.integer))
    times = np.linspace(0.0, 1.0, _cast.count(samples, "samples")) if even else _cast.array(samples, "samples", (None,))
    if len(times) and (times.min() < 0.0 or times.max() > 1.0):
        raise TocsinError(f"samples are times from 0 to 1; got {times.min():g} to {times.max():g}.")
    return [(float(t), _distance(film.measured, film.motions, float(t)).distance) for t in times]


def length(metres: float) -> str:
    """Say a length in the unit that suits it."""
    for unit, size in (("m", 1.0), ("mm", 1e-3), ("µm", 1e-6), ("nm", 1e-9)):
        if abs(metres) >= size:
            return f"{metres / size:.4g} {unit}"
    return "0 m" if metres == 0.0 else f"{metres:.3g} m"


def _same(motions: Sequence[Motion], others: Sequence[Motion]) -> bool:
    """Are these the same motions of the same models?"""
    return len(motions) == len(others) and all(
        a.model is b.model and np.array_equal(a.rows, b.rows) for a, b in zip(motions, others)
    )


def shoot(scene: Scene, *motions: Motion, hit: FirstContact | None = None, margin: float = 0.0) -> Film:
    """Compute a film of `motions` in `scene`.

    `hit` is the answer of `scene.first_contact`; without one the scene is asked, with this `margin`. With one the
    motions may be left out: they are the answer's.
    """
    if not isinstance(scene, Scene):
        raise TocsinError(f"the viewer shows a scene, and motions in it; got {type(scene).__name__}.")
    scene.links_only("the viewer", "leave it out of the scene that is shown")
    if hit is None:
        hit = scene.first_contact(*motions, margin=margin)
    elif not isinstance(hit, Answer):
        raise TocsinError(f"hit must be the answer of scene.first_contact; got {type(hit).__name__}.")
    elif hit._asked.scene is not scene:  # type: ignore[attr-defined]
        raise TocsinError("hit is the answer of another scene; ask this one.")
    elif motions and not _same(motions, hit.motions):
        raise TocsinError("hit answers a question about other motions; leave the motions out, or ask about these.")
    motions = hit.motions
    margin = hit._asked.margin  # type: ignore[attr-defined]
    times = _moments(motions, hit)
    poses = np.stack([_poses_at(scene, motions, t) for t in times])
    touches = _touches(scene, motions, hit)
    solids = _solids(scene, touches)
    low, high = _extent(solids, poses)
    measured = _without_rigid_pairs(scene, poses, touches)
    return Film(
        scene, motions, hit, margin, solids, times, poses, np.ptp(poses, axis=0).any(axis=(1, 2)), touches,
        _clearance(measured, motions, hit), low, high, measured,
    )  # fmt: skip


def _moments(motions: tuple[Motion, ...], hit: FirstContact) -> np.ndarray:
    """Return the times that are kept: even ones, those at which a path turns, and the answer's."""
    if all(m.pieces == 0 for m in motions):
        return np.array([0.0, 1.0])
    pieces = max(m.pieces for m in motions)
    turns = [np.arange(m.pieces + 1) / max(m.pieces, 1) for m in motions if m.pieces < MOST_FRAMES]
    even = np.linspace(0.0, 1.0, min(max(FRAMES, FRAMES_A_PIECE * pieces + 1), MOST_FRAMES))
    own = [hit.time] if math.isfinite(hit.time) else []
    return np.unique(np.concatenate([even, *turns, own]))


def _poses_at(scene: Scene, motions: tuple[Motion, ...], t: float) -> np.ndarray:
    """Return (n_links, 4, 4): where all links of a scene are at time t."""
    given = {id(m.model): m for m in motions}
    still = [given.get(id(model)) or Motion(model, model.stand[None]) for model in scene.models]
    return np.concatenate([motion.link_poses(t) for motion in still])


def _solids(scene: Scene, touches: tuple[Touch, ...]) -> tuple[Solid, ...]:
    """Make every shape ready to be drawn, in the order of the scene's tables."""
    meeting: dict[tuple[str, str], int] = {}
    if touches:
        contact = touches[0].contact
        meeting = {(contact.model_a, contact.link_a): 0, (contact.model_b, contact.link_b): 1}
    solids: list[Solid] = []
    first = 0
    for m, (name, model) in enumerate(zip(scene.names, scene.models)):
        single = len(model.link_names) == 1
        for i, shapes in enumerate(model.shapes):
            label = name if single else model.link_names[i]
            side = meeting.get((name, label))
            colour = colour_of(model, m, i) if side is None else TOUCHING[side]
            solids += [solid_of(shape, first + i, label, colour) for shape in shapes if not shape.is_empty]
        first += len(model.link_names)
    return tuple(solids)


def _touches(scene: Scene, motions: tuple[Motion, ...], hit: FirstContact) -> tuple[Touch, ...]:
    """Return the touching features of an answer with the triangles that they belong to, the closest first."""
    if not hit.contacts:
        return ()
    poses = _poses_at(scene, motions, hit.time)
    touches: list[Touch] = []
    for contact in hit.contacts[:MOST_TOUCHES]:
        sides = zip((contact.model_a, contact.model_b), (contact.link_a, contact.link_b), contact.features)
        points = (contact.point_a, contact.point_b)
        a, b = (_triangles(scene, poses, *side, point) for side, point in zip(sides, points))
        touches.append(Touch(contact, a, b))
    return tuple(touches)


def _triangles(
    scene: Scene, poses: np.ndarray, model_name: str, link: str, feature: tuple[int, ...], point: np.ndarray
) -> np.ndarray:
    """Return (k, 3, 3): the triangles of a link's mesh that hold all vertices of a feature, in the world."""
    best, nearest = np.zeros((0, 3, 3)), math.inf
    if not feature:
        return best
    m = scene.names.index(model_name)
    model = scene.models[m]
    i = 0 if len(model.link_names) == 1 else model.link_index(link)
    pose = poses[sum(len(other.link_names) for other in scene.models[:m]) + i]
    for shape in model.shapes[i]:
        # A contact names its link; of several meshes there, the one whose feature is at the point is meant.
        if shape.is_mesh and max(feature) < len(shape.points):
            world = shape.points @ pose[:3, :3].T + pose[:3, 3]
            away = _off(world[list(feature)], point)
            if away < nearest:
                nearest = away
                holds = np.logical_and.reduce([(shape.faces == v).any(axis=1) for v in feature])
                best = world[shape.faces[holds]]
    return best


def _off(corners: np.ndarray, point: np.ndarray) -> float:
    """Return how far a point is from the flat through one, two or three corners."""
    edges = corners[1:] - corners[0]
    along = edges.T @ np.linalg.lstsq(edges.T, point - corners[0], rcond=None)[0] if len(edges) else np.zeros(3)
    return float(np.linalg.norm(point - corners[0] - along))


def _extent(solids: tuple[Solid, ...], poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the box of all solids at all times, by their oriented boxes."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for solid in solids:
        pose = poses[:, solid.link]
        corners = solid.box @ np.swapaxes(pose[:, :3, :3], 1, 2) + pose[:, None, :3, 3]
        low, high = np.minimum(low, corners.min(axis=(0, 1))), np.maximum(high, corners.max(axis=(0, 1)))
    return (low, high) if solids else (-np.ones(3), np.ones(3))


def _without_rigid_pairs(scene: Scene, poses: np.ndarray, touches: tuple[Touch, ...]) -> Scene:
    """Return a copy of a scene that ignores pairs of a model's links that stand still in each other's frames."""
    copy = Scene(*scene.models)
    copy._rules.ignored |= scene._rules.ignored
    copy._rules.changed()
    meeting = {frozenset((t.contact.link_a, t.contact.link_b)) for t in touches}
    first = 0
    for name, model in zip(scene.names, scene.models):
        body = list(range(len(model.link_names)))  # number of the rigid group that each link belongs to
        for i, link in enumerate(model.links):
            if link["parent"] >= 0:
                own, parent = poses[:, first + i], poses[:, first + link["parent"]]
                relative = np.linalg.inv(parent) @ own
                if np.ptp(relative, axis=0).max() <= STILL * (1.0 + np.abs(relative).max()):
                    body[i] = body[link["parent"]]
        for k in range(len(body)):
            for i in range(k):
                a, b = model.link_names[i], model.link_names[k]
                if body[i] == body[k] and model.shapes[i] and model.shapes[k] and frozenset((a, b)) not in meeting:
                    copy.ignore(f"{name}/{a}", f"{name}/{b}")
        first += len(body)
    return copy


STILL = 1e-9
"""Relative change of a pose over the motion below which it counts as none."""


def _distance(scene: Scene, motions: tuple[Motion, ...], t: float) -> Distance:
    """Return the smallest distance in the scene at time t."""
    return scene.distance(*[Motion(m.model, m.row_at(t)[None]) for m in motions])


def _clearance(scene: Scene, motions: tuple[Motion, ...], hit: FirstContact) -> Clearance:
    """Measure the clearance over time: evenly, around the contact, and then more finely around its lowest places."""
    found: dict[float, tuple[float, tuple[str, str], np.ndarray]] = {}

    def measure(times: np.ndarray) -> None:
        for t in times.tolist():
            if 0.0 <= t <= 1.0 and t not in found:
                d = _distance(scene, motions, t)
                found[t] = d.distance, (d.link_a, d.link_b), np.stack([d.point_a, d.point_b])

    if all(m.pieces == 0 for m in motions):
        measure(np.array([0.0]))
        found[1.0] = found[0.0]
    else:
        measure(np.linspace(0.0, 1.0, COARSE))
        if math.isfinite(hit.time):
            steps = 0.5 ** np.arange(3, 16)
            measure(np.concatenate([[hit.time], hit.time - steps, hit.time + steps]))
        for _ in range(ROUNDS):
            times = np.array(sorted(found))
            values = np.array([found[t][0] for t in times])
            lowest = [k for k in range(1, len(times) - 1) if values[k - 1] > values[k] <= values[k + 1]]
            for k in sorted(lowest, key=lambda k: values[k])[:VALLEYS]:
                measure(0.5 * (times[k - 1 : k + 1] + times[k : k + 2]))
    times = np.array(sorted(found))
    return Clearance(
        times,
        np.array([found[t][0] for t in times]),
        [found[t][1] for t in times],
        np.stack([found[t][2] for t in times]),
    )


COARSE, ROUNDS, VALLEYS = 101, 6, 4
"""Moments at which the clearance is measured first, rounds of refinement, and how many low places are refined."""
