"""The film of a program: all its models on the clock, and what its audit found.

Bodies are drawn by themselves wherever they are, in a hand or not. Clearances are measured at single moments.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tocsin.errors import TocsinError
from tocsin.limits import MAX_STEPS
from tocsin.model import grasp
from tocsin.model.deformable import Deformable, Deforming
from tocsin.model.program import Program
from tocsin.motion.links import IDENTITY_BASE
from tocsin.queries.audit import Conflict, ProgramAudit, audit
from tocsin.queries.distance import distance
from tocsin.queries.engines.advancement import ENGINE
from tocsin.queries.first_contact import first_contact
from tocsin.queries.phases import Phase, link_poses_at
from tocsin.results import Distance
from tocsin.scene import Scene
from tocsin.viewer.clearance import Clearance
from tocsin.viewer.film import Film, Touch, extent, length
from tocsin.viewer.sheets import Sheet, sheet_of
from tocsin.viewer.solids import TOUCHING, Solid, colour_of, solid_of
from tocsin.viewer.survivors import Slab

FRAMES, MEASURED, SOFT_FRAMES = 241, 121, 61
"""Moments that are kept, at which clearances are measured, and of deformable models."""


@dataclass(frozen=True, eq=False)
class ProgramFilm(Film):
    """A program on its clock, and its audit."""

    audit: ProgramAudit = field(kw_only=True)

    @cached_property
    def slabs(self) -> list[Slab]:
        """Nothing is shown of the culling: a program is many questions."""
        return []

    @property
    def culled(self) -> bool:
        """See `slabs`."""
        return False

    @property
    def clock(self) -> tuple[float, float]:
        """Seconds at the start and at the end."""
        return self.audit.program.begin, self.audit.program.end

    @property
    def contact_time(self) -> float | None:
        """When the first margin is not kept, as a fraction of the clock."""
        found = [c.enter for c in self.audit.conflicts if c.is_contact]
        return self.fraction(found[0]) if found else None

    @property
    def worth_showing(self) -> float:
        """The first conflict, or where it is closest."""
        first = self.contact_time
        return self.fraction(self.audit.clearance.at) if first is None else first

    def fraction(self, seconds: float) -> float:
        """Return the fraction of the clock at a second."""
        begin, end = self.clock
        return min(max((seconds - begin) / (end - begin), 0.0), 1.0)

    def headline(self) -> str:
        """Say in one line what was found."""
        conflicts = list(self.audit.conflicts)
        if not conflicts:
            kept = f"keeps {length(self.margin)}" if self.margin > 0.0 else "is free"
            return f"Proven: the whole program {kept}"
        many = "es" if len(conflicts) > 1 else ""
        return f"{len(conflicts)} stretch{many} not proven; the first at {conflicts[0].enter:.3f} s"

    def details(self) -> list[tuple[str, str]]:
        """Return (name, value) lines."""
        lines = [
            (f"{c.enter:.3f}–{c.exit:.3f} s", f"{who(c)}, {length(c.depth)} too close" if c.depth else who(c))
            for c in self.audit.conflicts[:6]
        ]
        kept = self.audit.clearance
        if np.isfinite(kept.upper):
            lines.append(("clearance", f"{length(kept.lower)} proven, {length(kept.upper)} seen at {kept.at:.3f} s"))
            lines.append(("between", f"{kept.nearest.link_a} and {kept.nearest.link_b}"))
        if kept.speed is not None:
            lines.append(("speed there", f"{kept.speed:.3g} m/s"))
        share = self.audit.tube_share
        if share is not None and not np.isnan(share):
            lines.append(("tubes take", f"{100.0 * share:.1f} % of the clearance"))
        return [*lines, *[(f"{e.at:.3f} s", str(e)) for e in self.audit.program.events[:6]]]


def who(conflict: Conflict) -> str:
    """Say which links a stretch is about."""
    return "not known" if conflict.pair is None else conflict.pair.said


def program_film(scene: Scene, given: ProgramAudit | Program, margin: float = 0.0) -> ProgramFilm:
    """Compute the film of a program, or of what was found of it."""
    found = audit(scene, given, margin=margin) if isinstance(given, Program) else given
    if found.scene is not scene.context:
        raise TocsinError("this is the audit of another scene.")
    begin, end = found.program.begin, found.program.end
    seconds = [p.begin for p in found.phases] + [c.enter for c in found.conflicts] + [found.clearance.at]
    moments = np.unique(np.concatenate([np.linspace(begin, end, FRAMES), seconds]))
    poses = np.stack([_poses(found, t) for t in moments.tolist()])
    touches = _touches(found)
    solids, sheets = _things(found, touches)
    low, high = extent(solids, sheets, poses)
    phase = _phase(found, found.conflicts[0].enter) if found.conflicts else found.phases[-1]
    hit = first_contact(phase.context, phase.motions, found.margin, None, MAX_STEPS, ENGINE)
    return ProgramFilm(
        scene, (), hit, found.margin, solids, sheets, (moments - begin) / (end - begin), poses,
        np.ptp(poses, axis=0).any(axis=(1, 2)), touches, _clearance(found), low, high, scene, audit=found,
    )  # fmt: skip


def _phase(found: ProgramAudit, t: float) -> Phase:
    """Return the phase of a second."""
    return next((p for p in found.phases if t < p.end), found.phases[-1])


def _poses(found: ProgramAudit, t: float) -> np.ndarray:
    """Return (n, 4, 4): where all links of the scene are, bodies where they are carried."""
    phase = _phase(found, t)
    placed = link_poses_at(found.scene, phase, t)
    parts: list[np.ndarray] = []
    for k, model in enumerate(phase.context.models):
        own = len(model.link_names) - len(model.carried)
        poses = placed[k][:own]
        if model.carrier is not None:
            m = next(i for i, other in enumerate(phase.context.models) if other is model.carrier)
            poses = placed[m][phase.context.models[m].link_index(model.name)][None]
        parts.append(poses)
    return np.concatenate(parts)


def _things(found: ProgramAudit, touches: tuple[Touch, ...]) -> tuple[tuple[Solid, ...], tuple[Sheet, ...]]:
    """Make every shape and every deformable model ready to be drawn."""
    meeting: dict[str, int] = {}
    if touches:
        meeting = {touches[0].contact.link_b: 1, touches[0].contact.link_a: 0}
    solids: list[Solid] = []
    sheets: list[Sheet] = []
    first = 0
    for m, (name, given) in enumerate(zip(found.scene.names, found.scene.models)):
        model = grasp.bare(given)
        single = len(model.link_names) == 1
        for i, shapes in enumerate(model.shapes):
            label = name if single else model.link_names[i]
            colour = TOUCHING[meeting[label]] if label in meeting else colour_of(model, m, i)
            if isinstance(given, Deformable):
                sheets.append(sheet_of(given, _frames(found, given), label, m, [], np.inf, None))
            solids += [solid_of(shape, first + i, label, colour) for shape in shapes if not shape.is_empty]
        first += len(model.link_names)
    return tuple(solids), tuple(sheets)


def _frames(found: ProgramAudit, model: Deformable) -> Deforming | None:
    """Return a deformable model in equal times."""
    program = found.program
    track = program.tracks.get(id(model))
    if track is None:
        return None
    motion = track.part(program.begin, program.end)
    assert isinstance(motion, Deforming)
    frames = np.stack([motion.vertices_at(t) for t in np.linspace(0.0, 1.0, SOFT_FRAMES).tolist()])
    return Deforming(model, IDENTITY_BASE.reshape(1, -1).copy(), frames)


def _touches(found: ProgramAudit) -> tuple[Touch, ...]:
    """Return the contacts at the start of the first conflict that is one."""
    for conflict in found.conflicts:
        if conflict.is_contact:
            phase = _phase(found, conflict.enter)
            hit = first_contact(phase.context, phase.motions, found.margin, None, MAX_STEPS, ENGINE)
            none = np.zeros((0, 3, 3))
            return tuple(Touch(contact, none, none) for contact in hit.contacts[:1])
    return ()


def _clearance(found: ProgramAudit) -> Clearance:
    """Measure the clearance over the clock."""
    begin, end = found.program.begin, found.program.end
    times = np.unique(np.append(np.linspace(begin, end, MEASURED), found.clearance.at))
    looks: list[Distance] = []
    for t in times.tolist():
        phase = _phase(found, t)
        looks.append(distance(phase.context, tuple(m.standing(phase.fraction(t)) for m in phase.motions)))
    return Clearance(
        (times - begin) / (end - begin),
        np.array([d.distance for d in looks]),
        [(d.link_a, d.link_b) for d in looks],
        np.stack([np.stack([d.point_a, d.point_b]) if d.link_a else np.zeros((2, 3)) for d in looks]),
    )
