"""Where the models of a scene are while they move, stretch by stretch.

Times between two changes of velocity are one stretch, with its own time from 0 to 1 (`motion.knots`); within it
vertices go straight, and links follow their true motion (`slabs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tocsin._types import Vec3
from tocsin.deform.mesh_state import widen
from tocsin.deform.pairing import Pairing, Part, soft_of
from tocsin.deform.rigid_mesh import LinkMotion, RigidMesh, into_cylinder, link_motions, rigid_mesh_of
from tocsin.deform.topology import Elements
from tocsin.geometry.primitives import Cylinder
from tocsin.model.base import Model, Motion, is_timed
from tocsin.model.deformable import Deformable, Deforming
from tocsin.model.timed import on_clock
from tocsin.motion.clocks import Timeline
from tocsin.motion.knots import WHOLE, piece_in, share_of, shares_in, stretches_of

Stretch = tuple[int, ...]
"""See `motion.knots`."""

INTERPOLATED = 8.0 * 2.0**-53
"""Error of positions between two frames, relative to these: the share x of the piece that is done comes from one that
is off by half a unit, two roundings more and a product; (1 - x) p + x q adds three. Below 7 units of the larger one."""


class Frames(NamedTuple):
    """A deformable model during a stretch."""

    start: np.ndarray
    end: np.ndarray
    off: float
    """How far its ends may be off, metres."""


class Placement:
    """Where parts are: deformable models by their vertices, shapes of links by the poses of these."""

    def __init__(self, pairing: Pairing, models: Sequence[Model], motions: dict[int, Motion]) -> None:
        self._pairing = pairing
        self.models = models
        self.motions = motions
        self._paths: tuple[Stretch, dict[int, list[LinkMotion]]] = (WHOLE, {})
        self._shared: tuple[float, Stretch, float] = (0.0, WHOLE, 0.0)

    def rigid_mesh(self, part: Part) -> RigidMesh:
        """Return the mesh that stands for a shape of a link."""
        return rigid_mesh_of(self._pairing.shape(part), self._pairing.tolerances[part])

    @cached_property
    def timeline(self) -> Timeline | None:
        """The clock of the motions, if they have times; in the order in which they are named."""
        motions = list(self.motions.values())
        return on_clock(motions) if is_timed(motions) else None

    def _shares(self, k: int, stretch: Stretch) -> tuple[int, float, float]:
        """Return the piece of model k in a stretch, and from which to which of its shares that is."""
        if self.timeline is None:
            return shares_in(stretch, self.motions[k].pieces)
        return self.timeline.piece(list(self.motions).index(k), stretch)

    @cached_property
    def stretches(self) -> list[Stretch]:
        """The stretches between changes of velocity, in order."""
        if self.timeline is not None:
            return [tuple(s) for s in self.timeline.stretches.tolist()]
        if all(m.pieces <= 1 for m in self.motions.values()):
            return [WHOLE]
        return [tuple(s) for s in stretches_of(m.pieces for m in self.motions.values()).tolist()]

    def ends(self, k: int, stretch: Stretch) -> Frames:
        """Return where the vertices of model k are at both ends of a stretch."""
        motion = self.motions.get(k)
        if isinstance(motion, Deforming) and len(motion.frames) == 2 and stretch == WHOLE and self.timeline is None:
            return Frames(motion.frames[0], motion.frames[1], 0.0)
        at, off = self.frames(k, stretch)
        return Frames(at(0.0), at(1.0), off)

    def frames(
        self, k: int, stretch: Stretch, rows: list[int] | None = None
    ) -> tuple[Callable[[float], np.ndarray], float]:
        """Return where vertices of model k, all or some, are in a stretch, and how far its ends may be off; metres."""
        model: Any = self.models[k]
        motion = self.motions.get(k)
        if not isinstance(motion, Deforming) or motion.pieces == 0:
            still = model.vertices if not isinstance(motion, Deforming) else motion.frames[0]
            still = still if rows is None else still[rows]
            return (lambda t: still), 0.0
        piece, first, last = self._shares(k, stretch)
        p, q = motion.frames[piece], motion.frames[piece + 1]
        if rows is not None:
            p, q = p[rows], q[rows]

        def at(t: float) -> np.ndarray:
            x = last if t == 1.0 else first + t * (last - first)
            if x in (0.0, 1.0):
                return q if x else p
            return (1.0 - x) * p + x * q

        if (first, last) == (0.0, 1.0):  # its ends are frames
            return at, 0.0
        return at, INTERPOLATED * max(float(np.abs(frame).max(initial=0.0)) for frame in (p, q))

    def link_motion(self, part: Part, stretch: Stretch) -> LinkMotion:
        """Return how a link moves during a stretch; those of the last stretch are kept."""
        if self._paths[0] != stretch:
            self._paths = (stretch, {})
        kept = self._paths[1]
        if part.model not in kept:
            kept[part.model] = self._paths_of(part.model, stretch)
        return kept[part.model][self._pairing.link_of(part)]

    def _paths_of(self, k: int, stretch: Stretch) -> list[LinkMotion]:
        model, motion = self.models[k], self.motions.get(k)
        if motion is None or motion.pieces == 0:
            row = model.rest if motion is None else motion.rows[0]
            return link_motions(model.kernel_links, row.copy(), len(row), (0, 0, 0.0, 1.0, -1))
        width = motion.width
        if self.timeline is not None:
            row0, row1, begin, end, errors = self.timeline.listed(list(self.motions).index(k), stretch)
            listed = int(row0), int(row1), begin, end, int(errors)
            return link_motions(model.kernel_links, self.timeline.configs, width, listed)
        piece, begin, end = piece_in(stretch, motion.pieces)
        listed = piece * width, (piece + 1) * width, begin, end, -1
        return link_motions(model.kernel_links, motion.configs, width, listed)

    def elements(self, part: Part) -> Elements:
        """Return a part's elements in the order given: edges and faces by number."""
        model = self.models[part.model]
        return (soft_of(model) if isinstance(model, Deformable) else self.rigid_mesh(part).soft).given

    def _share(self, t: float) -> tuple[Stretch, float]:
        """Return in which stretch a time is, and how much of it is done; kept, for all contacts of that time."""
        kept = self._shared
        if kept[0] != t or kept[1] == WHOLE:
            stretch = next(s for s in self.stretches if share_of(s, t) <= 1.0 or s == self.stretches[-1])
            kept = self._shared = t, stretch, float(np.clip(share_of(stretch, t), 0.0, 1.0))
        return kept[1:]

    def positions(self, part: Part, t: float, which: Sequence[int]) -> np.ndarray:
        """Return where some of a part's vertices are at a time."""
        stretch, t = self._share(t)
        rows = list(which)
        if isinstance(self.models[part.model], Deformable):
            return self.frames(part.model, stretch, rows)[0](t)
        rigid = self.rigid_mesh(part)
        return self.link_motion(part, stretch).place(rigid._replace(points=rigid.points[rows]), t)

    def radius(self, part: Part) -> float:
        """Return how far a part's surface is from its elements; metres."""
        return 0.0 if part.shape < 0 else self._pairing.shape(part).radius

    def onto(self, part: Part, t: float, point: np.ndarray) -> np.ndarray | None:
        """Return the point of a cylinder closest to one of its prism; None where a part is what stands for it."""
        if part.shape < 0 or not isinstance(self._pairing.shape(part).source, Cylinder):
            return None
        shape = self._pairing.shape(part)
        stretch, t = self._share(t)
        path = self.link_motion(part, stretch)
        table = np.concatenate([shape.proxy, shape.axis])
        x, y, z = point.tolist()
        found: Vec3 = into_cylinder(path.joints, path.links, path.link, t, table, shape.disk, (x, y, z))
        return np.array(found)

    def is_mesh(self, part: Part) -> bool:
        """Are a part's vertices those that the user gave?"""
        return part.shape < 0 or self._pairing.shape(part).is_mesh


def middle_of(models: Iterable[Frames]) -> np.ndarray:
    """Return a point about in the middle of deformable models at the start, from which single precision measures.

    Any point would do: how far from it everything is, is measured when models are fitted.
    """
    box = np.array([[np.inf] * 3, [-np.inf] * 3])
    for frames in models:
        widen(box, frames.start)
    return 0.5 * (box[0] + box[1]) if box[0, 0] <= box[1, 0] else np.zeros(3)
