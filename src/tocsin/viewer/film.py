"""Everything that a picture of an answer needs, computed once: a film of a scene in motion.

A film holds what is shown and when: solids with colours, the pose of every link over time, the frames of deformable
models, the clearance over time (finer where it is small and around the contact), the touching features, and what the
culling saw. The three faces of the viewer only draw it.
"""

# What some of NumPy's functions return has no type.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np

from tocsin import _cast
from tocsin._types import Values
from tocsin.errors import TocsinError
from tocsin.model.base import Motion
from tocsin.model.deformable import Deformable, Deforming
from tocsin.model.program import Program
from tocsin.queries.answer import Answer
from tocsin.queries.audit import ProgramAudit
from tocsin.results import Contact, FirstContact, LazyContact, MovedModel, Status
from tocsin.scene import Scene
from tocsin.soft_results import FeatureContacts, TriangleTimes
from tocsin.viewer.clearance import NOTHING, Clearance, distance_at, measure, worth_measuring
from tocsin.viewer.sheets import Sheet, sheet_of
from tocsin.viewer.solids import MANY, MANY_SEGMENTS, SEGMENTS, TOUCHING, Solid, colour_of, solid_of
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
class Growth:
    """How many contacts of deformable models there are by when: from an answer of `Scene.contacts`."""

    times: np.ndarray
    """(n,): one for each contact, ascending."""
    what: str
    """What is counted: "feature pairs" or "triangles"."""

    def by(self, t: float) -> int:
        """Return how many there are by time t."""
        return int(np.searchsorted(self.times, t, side="right"))


@dataclass(frozen=True, eq=False)
class Film:
    """A scene in motion, and what is known about its first contact."""

    scene: Scene
    motions: tuple[Motion, ...]
    hit: FirstContact
    margin: float
    solids: tuple[Solid, ...]
    sheets: tuple[Sheet, ...]
    """The deformable models."""
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
    growth: Growth | None = None
    """The contacts by when, where all of them were asked for; then there is no clearance."""

    @cached_property
    def slabs(self) -> list[Slab]:
        """What the culling saw, slab by slab; computed when first looked at."""
        return slabs_of(self.hit) if isinstance(self.hit, Answer) else []

    @property
    def culled(self) -> bool:
        """Is the answer one about links, of which `slabs` tells what the culling saw?"""
        return isinstance(self.hit, Answer)

    @cached_property
    def curve(self) -> tuple[np.ndarray, np.ndarray, str]:
        """(times, values, what they are): the clearance in metres, or how many contacts there are by then."""
        if self.growth is None:
            return self.clearance.times, self.clearance.distances, "clearance"
        times = np.unique(np.concatenate([np.linspace(0.0, 1.0, 401), self.growth.times[:1]]))
        return times, np.array([float(self.growth.by(t)) for t in times.tolist()]), f"touching {self.growth.what}"

    @property
    def contact_time(self) -> float | None:
        """When things first touch, or None."""
        return self.hit.time if self.hit.status in (Status.CONTACT, Status.INITIAL_CONTACT) else None

    @property
    def clock(self) -> tuple[float, float] | None:
        """Seconds at the start and at the end; None where motions have no times."""
        stamps = [m.times for m in self.motions if m.seconds and m.times is not None]
        return (min(float(t[0]) for t in stamps), max(float(t[-1]) for t in stamps)) if stamps else None

    @property
    def worth_showing(self) -> float:
        """The time that is worth a picture: the contact, or where an undecided answer ends, or the closest.

        Where all contacts were asked for, the end: all of them are there.
        """
        if self.growth is not None:
            return 1.0
        if math.isfinite(self.hit.time):
            return self.hit.time
        return float(self.clearance.times[self.clearance.distances.argmin()])

    @property
    def size(self) -> float:
        """The diagonal of all that is shown."""
        return float(np.linalg.norm(self.high - self.low)) or 1.0

    def frame_at(self, t: float) -> int:
        """Return the number of the moment nearest to t."""
        return int(np.abs(self.times - t).argmin())

    def headline(self) -> str:
        """Say in one line what was found."""
        if self.growth is not None and len(self.growth.times):
            return f"{len(self.growth.times):,} {self.growth.what} touch"
        return {
            Status.FREE: "Proven free",
            Status.CONTACT: f"First contact at t = {self.hit.time:.5f}",
            Status.INITIAL_CONTACT: "In contact at the start",
            Status.CAPPED: f"Undecided; proven free until t = {self.hit.time:.5f}",
        }[self.hit.status]

    @property
    def is_plotted(self) -> bool:
        """Is there a curve over time that tells something? Not if nothing moves, nor if there is one model only."""
        return any(m.pieces > 0 for m in self.motions) and bool(np.isfinite(self.curve[1]).any())

    def meeting(self) -> str:
        """Say in a few words what touches."""
        if not self.touches:
            return ""
        a, b = told_apart(self.touches[0].contact)
        return f"{a} meets {'itself' if a == b else b}"

    def details(self) -> list[tuple[str, str]]:
        """Return (name, value) lines on when, where, and between which links and features."""
        lines: list[tuple[str, str]] = []
        if self.growth is not None and self.contact_time is not None:
            lines.append(("first", f"t = {self.contact_time:.5f}"))
        if self.touches:
            contact = self.touches[0].contact
            at = contact.point_a
            lines.append(("between", " and ".join(told_apart(contact))))
            lines.append(("features", contact.kind))
            if any(contact.features):
                lines.append(("vertices", " / ".join(", ".join(map(str, f)) or "–" for f in contact.features)))
            if np.isfinite(at).all():
                lines.append(("at", ", ".join(f"{x:z.4f}" for x in at) + " m"))
            if np.any(contact.normal):
                lines.append(("normal", ", ".join(f"{x:z.3f}" for x in contact.normal)))
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
        if self.culled:
            lines.append(("pairs", f"{left} after the culls"))
        if self.sheets:
            lines.append(("deformable", f"{sum(len(sheet.faces) for sheet in self.sheets):,} triangles"))
        return lines


def sampled(film: Film, samples: int | Iterable[float] | None) -> list[tuple[float, float]]:
    """Return (time, clearance) at moments that sampling would look at: so many evenly spaced ones, or those given."""
    if samples is None or film.growth is not None:
        return []
    even = isinstance(samples, (int, np.integer))
    times = np.linspace(0.0, 1.0, _cast.count(samples, "samples")) if even else _cast.array(samples, "samples", (None,))
    if len(times) and (times.min() < 0.0 or times.max() > 1.0):
        raise TocsinError(f"samples are times from 0 to 1; got {times.min():g} to {times.max():g}.")
    return [(float(t), distance_at(film.measured, film.motions, float(t)).distance) for t in times]


def titled(title: object) -> None:
    """Refuse a title that is not text."""
    if title is not None and not (isinstance(title, str) and _cast.is_writable(title)):
        raise TocsinError(f"a title is text; got {_cast.said(title)}.")


def told_apart(contact: Contact) -> tuple[str, str]:
    """Return the names of two links, with their models' where the links of two models share one."""
    if contact.link_a != contact.link_b or contact.model_a == contact.model_b:
        return contact.link_a, contact.link_b
    return f"{contact.model_a}/{contact.link_a}", f"{contact.model_b}/{contact.link_b}"


def length(metres: float) -> str:
    """Say a length in the unit that suits it."""
    for unit, size in (("m", 1.0), ("mm", 1e-3), ("µm", 1e-6), ("nm", 1e-9)):
        if abs(metres) >= size:
            return f"{metres / size:.4g} {unit}"
    return "0 m" if metres == 0.0 else f"{metres:.3g} m"


def _knots(motion: Motion) -> np.ndarray:
    """Return the fractions of a motion at which its pieces begin and end."""
    if motion.times is None:
        return np.arange(motion.pieces + 1) / max(motion.pieces, 1)
    return (motion.times - motion.times[0]) / (motion.times[-1] - motion.times[0])


def _same(motions: Sequence[Motion], others: Sequence[Motion]) -> bool:
    """Are these the same motions of the same models?"""
    return len(motions) == len(others) and all(
        a.model is b.model
        and np.array_equal(a.rows, b.rows)
        and np.array_equal(_knots(a), _knots(b))
        and (not isinstance(a, Deforming) or (isinstance(b, Deforming) and np.array_equal(a.frames, b.frames)))
        for a, b in zip(motions, others)
    )


def shoot(
    scene: Scene,
    *motions: Motion | Program | ProgramAudit,
    hit: FirstContact | FeatureContacts | TriangleTimes | None = None,
    margin: float = 0.0,
) -> Film:
    """Compute a film of `motions` in `scene`.

    `hit` is the answer of `scene.first_contact`, or of `scene.contacts` about deformable models; without one the scene
    is asked for the first contact, with this `margin`. With one the motions may be left out: they are the answer's.
    Instead of motions a `Program` may be given, or its audit: then all of it is shown on its clock.
    """
    if not _cast.instance(scene, Scene):
        raise TocsinError(f"the viewer shows a scene, and motions in it; got {type(scene).__name__}.")
    if len(motions) == 1 and isinstance(motions[0], (Program, ProgramAudit)):
        from tocsin.viewer.program_film import program_film

        given = motions[0]
        if hit is not None:
            raise TocsinError("to show a program's audit, give the audit instead of the program, and leave out hit=.")
        if isinstance(given, ProgramAudit) and margin not in (0.0, given.margin):
            raise TocsinError(f"the audit of a program has its own margin, {given.margin:g} m; got {margin!r}.")
        return program_film(scene, given, margin)
    growth: Growth | None = None
    first: Mapping[str, Values] = {}
    motions = cast(tuple[Motion, ...], motions)
    if isinstance(hit, (FeatureContacts, TriangleTimes)):
        motions = _motions_of(scene, motions, hit.motions)
        margin, tolerance = hit.margin, hit.tolerance
        growth = Growth(hit.times, "feature pairs" if isinstance(hit, FeatureContacts) else "triangles")
        first = (
            hit
            if isinstance(hit, TriangleTimes)
            else scene.contacts(*motions, every="triangle", margin=margin, tolerance=tolerance)
        )
        hit = scene.first_contact(*motions, margin=margin, tolerance=tolerance)
    elif hit is None:
        hit = scene.first_contact(*motions, margin=margin)
    if not isinstance(hit, LazyContact) or hit.scene is None:
        raise TocsinError(
            "hit must be the answer of scene.first_contact, or of scene.contacts about deformable models; got "
            f"{type(hit).__name__}."
        )
    if hit.scene is not scene:
        raise TocsinError("hit is the answer of another scene; ask this one.")
    motions = _motions_of(scene, motions, hit.motions)
    times = _moments(motions, hit)
    poses = np.stack([_poses_at(scene, motions, t) for t in times])
    touches = _touches(scene, motions, hit)
    solids, sheets = _things(scene, motions, hit, touches, first)
    low, high = extent(solids, sheets, poses)
    measured = worth_measuring(scene, poses, [touch.contact for touch in touches])
    return Film(
        scene, motions, hit, hit.margin, solids, sheets, times, poses, np.ptp(poses, axis=0).any(axis=(1, 2)), touches,
        NOTHING if growth is not None else measure(measured, motions, hit), low, high, measured, growth,
    )  # fmt: skip


def _motions_of(scene: Scene, motions: tuple[Motion, ...], answered: tuple[MovedModel, ...]) -> tuple[Motion, ...]:
    """Return the motions of an answer, which are those given, if any are."""
    asked = cast(tuple[Motion, ...], answered)
    scene.context.check_motions(asked)
    if motions and not _same(scene.context.on_clock(motions), asked):
        raise TocsinError("hit answers a question about other motions; leave the motions out, or ask about these.")
    return asked


def _moments(motions: tuple[Motion, ...], hit: FirstContact) -> np.ndarray:
    """Return the times that are kept: even ones, those at which a path turns, and the answer's."""
    if all(m.pieces == 0 for m in motions):
        return np.array([0.0, 1.0])
    pieces = max(m.pieces for m in motions)
    turns = [_knots(m) for m in motions if m.pieces < MOST_FRAMES]
    even = np.linspace(0.0, 1.0, min(max(FRAMES, FRAMES_A_PIECE * pieces + 1), MOST_FRAMES))
    own = [hit.time] if math.isfinite(hit.time) else []
    return np.unique(np.concatenate([even, *turns, own]))


def _poses_at(scene: Scene, motions: tuple[Motion, ...], t: float) -> np.ndarray:
    """Return (n_links, 4, 4): where all links of a scene are at time t."""
    given = {id(m.model): m for m in motions}
    still = [given.get(id(model)) or Motion.of(model, model.rest[None]) for model in scene.models]
    return np.concatenate([motion.link_poses(t) for motion in still])


def _things(
    scene: Scene,
    motions: tuple[Motion, ...],
    hit: FirstContact,
    touches: tuple[Touch, ...],
    first: Mapping[str, np.ndarray],
) -> tuple[tuple[Solid, ...], tuple[Sheet, ...]]:
    """Make every shape ready to be drawn, in the order of the scene's tables, and every deformable model."""
    meeting: dict[tuple[str, str], int] = {}
    soft: dict[str, list[tuple[int, tuple[int, ...]]]] = {}
    if touches:
        contact = touches[0].contact
        meeting = {(contact.model_b, contact.link_b): 1, (contact.model_a, contact.link_a): 0}
        for side, name in enumerate((contact.model_a, contact.model_b)):
            soft.setdefault(name, []).append((side, contact.features[side]))
    given = {id(m.model): m for m in motions}
    solids: list[Solid] = []
    sheets: list[Sheet] = []
    link = 0
    for m, (name, model) in enumerate(zip(scene.names, scene.models)):
        single = len(model.link_names) == 1
        for i, shapes in enumerate(model.shapes):
            label = name if single else model.link_names[i]
            side = meeting.get((name, label))
            colour = colour_of(model, m, i) if side is None else TOUCHING[side]
            if isinstance(model, Deformable):
                own = (m, soft.get(name, []), hit.time, first.get(name))
                sheets.append(sheet_of(model, given.get(id(model)), label, *own))
            sides = SEGMENTS if len(shapes) <= MANY else MANY_SEGMENTS
            solids += [solid_of(shape, link + i, label, colour, sides) for shape in shapes if not shape.is_empty]
        link += len(model.link_names)
    return tuple(solids), tuple(sheets)


def _touches(scene: Scene, motions: tuple[Motion, ...], hit: FirstContact) -> tuple[Touch, ...]:
    """Return the touching features of an answer with the triangles that they belong to, the closest first."""
    if not hit.contacts:
        return ()
    poses = _poses_at(scene, motions, hit.time)
    touches: list[Touch] = []
    for contact in hit.contacts[:MOST_TOUCHES]:
        sides = zip((contact.model_a, contact.model_b), (contact.link_a, contact.link_b), contact.features)
        points = (contact.point_a, contact.point_b)
        a, b = (_triangles(scene, motions, hit.time, poses, *side, point) for side, point in zip(sides, points))
        touches.append(Touch(contact, a, b))
    return tuple(touches)


def _triangles(
    scene: Scene, motions: tuple[Motion, ...], time: float, poses: np.ndarray, model_name: str, link: str,
    feature: tuple[int, ...], point: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Return (k, 3, 3): the triangles of a link's mesh that hold all vertices of a feature, in the world."""
    best, nearest = np.zeros((0, 3, 3)), math.inf
    if not feature:
        return best
    m = scene.names.index(model_name)
    model = scene.models[m]
    if isinstance(model, Deformable):
        moving = [motion for motion in motions if motion.model is model and isinstance(motion, Deforming)]
        return (moving[0].vertices_at(time) if moving else model.vertices)[_holding(model.faces, feature)]
    i = 0 if len(model.link_names) == 1 else model.link_index(link)
    pose = poses[sum(len(other.link_names) for other in scene.models[:m]) + i]
    for shape in model.shapes[i]:
        # A contact names its link; of several meshes there, the one whose feature is at the point is meant.
        if shape.is_mesh and max(feature) < len(shape.points):
            world = shape.points @ pose[:3, :3].T + pose[:3, 3]
            away = _off(world[list(feature)], point)
            if away < nearest:
                nearest = away
                best = world[_holding(shape.faces, feature)]
    return best


def _holding(faces: np.ndarray, feature: tuple[int, ...]) -> np.ndarray:
    """Return the faces that hold all vertices of a feature."""
    return faces[np.logical_and.reduce([(faces == v).any(axis=1) for v in feature])]


def _off(corners: np.ndarray, point: np.ndarray) -> float:
    """Return how far a point is from the flat through one, two or three corners."""
    edges = corners[1:] - corners[0]
    along = np.zeros(3)
    if len(edges):
        along += edges.T @ np.linalg.lstsq(edges.T, point - corners[0], rcond=None)[0]
    return float(np.linalg.norm(point - corners[0] - along))


def extent(solids: tuple[Solid, ...], sheets: tuple[Sheet, ...], poses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the box of all that is shown at all times; of solids, by their oriented boxes."""
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for solid in solids:
        pose = poses[:, solid.link]
        corners = solid.box @ np.swapaxes(pose[:, :3, :3], 1, 2) + pose[:, None, :3, 3]
        low, high = np.minimum(low, corners.min(axis=(0, 1))), np.maximum(high, corners.max(axis=(0, 1)))
    for sheet in sheets:
        if len(sheet.faces):
            low, high = np.minimum(low, sheet.bounds[0]), np.maximum(high, sheet.bounds[1])
    return (low, high) if low[0] <= high[0] else (-np.ones(3), np.ones(3))
