"""Deformable models as they are shown: triangles whose corners go straight from one frame to the next.

Two sets of places and one number between them make every moment, so that is all that the three faces of the viewer
need. Loose edges become thin rods and loose points small octahedra: everything is triangles. Of very long paths of very
large models evenly chosen frames are kept, and the moment of contact.
"""

# What some of NumPy's functions return has no type.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tocsin.geometry.topology import label_faces
from tocsin.model.base import Motion
from tocsin.model.deformable import Deformable, Deforming
from tocsin.viewer.solids import FABRICS, TOUCHING, Colour, corner_normals

MOST_PLACES = 2_000_000
"""Frames times vertices that are kept of one model."""

MOST_LOOSE = 20_000
"""Rods, and octahedra, that are drawn: of more, evenly chosen ones."""

ROD, BEAD = 1.2e-3, 4e-3
"""The radii of rods and octahedra, as parts of the model's size."""

TUBE = np.array([(0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (2, 0, 3), (2, 3, 5)])
"""The sides of a rod: three corners around one end, then three around the other."""

DIAMOND = np.array([(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)])
"""The faces of an octahedron with corners at +x, -x, +y, -y, +z, -z."""


SHADES: tuple[Colour, ...] = (*FABRICS, *TOUCHING)

MEETS = len(FABRICS)
"""The first of the two colours of what touches."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """A deformable model, ready to be drawn; everything in the world."""

    label: str
    faces: np.ndarray
    """(m, 3): the model's own triangles, then those of rods and octahedra."""
    corners: np.ndarray
    """The same by position: vertices that count as one have one number."""
    shades: np.ndarray
    """(m,): the colour of each triangle, one of SHADES: parts that do not hang together can be told apart."""
    times: np.ndarray
    """(k,): of the frames, from 0 to 1; a single 0 if it stands."""
    frames: np.ndarray
    """(k, n, 3)"""
    first: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """When each of the model's own triangles first touches, inf if never; empty where that was not asked."""

    def at(self, t: float) -> np.ndarray:
        """Return (n, 3): where the vertices are at time t."""
        k, s = self.between(t)
        return self.frames[k] if s == 0.0 else (1.0 - s) * self.frames[k] + s * self.frames[k + 1]

    def between(self, t: float) -> tuple[int, float]:
        """Return the frame before a time, and how far it is from there to the next, from 0 to 1."""
        if len(self.times) == 1:
            return 0, 0.0
        k = min(max(int(np.searchsorted(self.times, t, side="right")) - 1, 0), len(self.times) - 2)
        return k, min(max((t - self.times[k]) / (self.times[k + 1] - self.times[k]), 0.0), 1.0)

    @property
    def colours(self) -> np.ndarray:
        """(m, 3)"""
        return np.array(SHADES)[self.shades]

    def normals(self, vertices: np.ndarray) -> np.ndarray:
        """Return (m, 3, 3): normals at the corners of the triangles where the vertices are."""
        return corner_normals(vertices, self.faces, self.corners)

    @cached_property
    def touched(self) -> np.ndarray:
        """(j,): the triangles that ever touch, the earliest first."""
        order = np.argsort(self.first, kind="stable")
        return order[np.isfinite(self.first[order])]

    def touched_by(self, t: float) -> np.ndarray:
        """Return the triangles that have touched by time t."""
        return self.touched[: int(np.searchsorted(self.first[self.touched], t, side="right"))]

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """The box of all frames."""
        if self.frames.shape[1] == 0:
            return np.zeros(3), np.zeros(3)
        return self.frames.min(axis=(0, 1)), self.frames.max(axis=(0, 1))


def sheet_of(
    model: Deformable, motion: Motion | None, label: str, m: int, meeting: Sequence[tuple[int, tuple[int, ...]]],
    time: float, first: np.ndarray | None,
) -> Sheet:  # fmt: skip
    """Make the m-th model of a scene ready to be drawn.

    `meeting`: (side, vertices) of its features that touch; `time`: a moment that must be among the frames, if finite.
    """
    frames = motion.frames if isinstance(motion, Deforming) else model.vertices[None]
    times = np.arange(len(frames)) / max(len(frames) - 1, 1)
    most = max(MOST_PLACES // max(frames.shape[1], 1), 2)
    if len(frames) > most:
        times = np.unique(times[np.linspace(0, len(frames) - 1, most).astype(int)])
        if math.isfinite(time):
            times = np.unique(np.append(times, time))
        assert isinstance(motion, Deforming)
        frames = np.stack([motion.vertices_at(t) for t in times])
    size = float(np.linalg.norm(np.ptp(frames[0], axis=0))) if frames.shape[1] else 1.0
    edges, points = (_some(loose) for loose in (model.loose_edges, model.loose_points))
    n, rods = frames.shape[1], 6 * len(edges)
    placed = np.concatenate([frames, _rods(frames, edges, ROD * size), _beads(frames, points, BEAD * size)], axis=1)
    tubes = n + 6 * np.arange(len(edges))[:, None, None] + TUBE
    diamonds = n + rods + 6 * np.arange(len(points))[:, None, None] + DIAMOND
    faces = np.concatenate([model.faces, tubes.reshape(-1, 3), diamonds.reshape(-1, 3)]).astype(np.int32)
    same = np.concatenate([model.same, np.arange(n, placed.shape[1])])
    shades = _shades(model, len(faces), m, meeting)
    return Sheet(label, faces, same[faces], shades, times, placed, np.zeros(0) if first is None else first)


def _shades(model: Deformable, n: int, m: int, meeting: Sequence[tuple[int, tuple[int, ...]]]) -> np.ndarray:
    """Return the colours of n triangles by the parts that they belong to; what touches has colours of its own."""
    shades = np.full(n, m % len(FABRICS))
    if len(model.faces) == 0:
        return shades if not meeting else np.full(n, MEETS + meeting[0][0])
    labels = label_faces(model.same[model.faces], len(model.vertices))
    own = shades[: len(labels)]
    own += np.unique(labels, return_inverse=True)[1].reshape(-1)
    own %= len(FABRICS)
    for side, vertices in reversed(meeting):
        parts = labels[np.isin(model.faces, vertices).any(axis=1)]
        own[np.isin(labels, parts)] = MEETS + side
    return shades


def _some(loose: np.ndarray) -> np.ndarray:
    return loose[:: max(1, -(-len(loose) // MOST_LOOSE))]


def _rods(frames: np.ndarray, edges: np.ndarray, radius: float) -> np.ndarray:
    """Return (k, 6 n, 3): the corners of three-sided rods around edges, in every frame."""
    p, q = frames[:, edges[:, 0]], frames[:, edges[:, 1]]
    along = q - p
    across = np.eye(3)[np.abs(along[0]).argmin(axis=1)]  # one direction for all frames: rods do not twist
    u = _unit(np.cross(along, across))
    v = _unit(np.cross(along, u))
    around = [math.cos(a) * u + math.sin(a) * v for a in (0.0, 2.0 * math.pi / 3.0, 4.0 * math.pi / 3.0)]
    corners = np.stack([end + radius * off for end in (p, q) for off in around], axis=2)
    return corners.reshape(len(frames), -1, 3)


def _beads(frames: np.ndarray, points: np.ndarray, radius: float) -> np.ndarray:
    """Return (k, 6 n, 3): the corners of octahedra around points, in every frame."""
    off = radius * np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], dtype=np.float64)
    return (frames[:, points, None] + off).reshape(len(frames), -1, 3)


def _unit(vectors: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(length > 0.0, length, 1.0)
