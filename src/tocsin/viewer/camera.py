"""Where to look from: a direction from which the contact is seen, and a distance at which what moves fills the view.

Directions are tried on a ring of azimuths and elevations. Better is one from which nothing hides the contact, that sees
the normal from the side, and that is near the usual three-quarter view from the front.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tocsin.viewer.film import Film

AZIMUTHS = np.radians(np.arange(-180.0, 180.0, 15.0))
ELEVATIONS = np.radians([20.0, 32.0])
USUAL = math.radians(-52.0)
"""Azimuth of the usual view: in front of a robot that looks along x, from its right."""

MOST_TRIANGLES = 60_000
"""Tested for hiding the contact; of more, every n-th."""


NEAR = 0.3
"""What stands wholly within this fraction of the size of what moves, around it, is to be in view too."""


@dataclass(frozen=True)
class View:
    """A direction to look from, and the points that should be in the picture."""

    azimuth: float
    elevation: float
    focus: np.ndarray
    """(n, 3)"""

    @property
    def back(self) -> np.ndarray:
        """The unit vector from what is looked at towards the eye."""
        c = math.cos(self.elevation)
        return np.array([c * math.cos(self.azimuth), c * math.sin(self.azimuth), math.sin(self.elevation)])

    @property
    def frame(self) -> np.ndarray:
        """Rows right, up, back."""
        return look(self.back)

    def eye(self, wide: float, high: float) -> np.ndarray:
        """Return where the eye must be for all points to be in view; `wide`, `high`: tangents of half the angles.

        In the camera's frame a point (x, y, z) is left of the right edge if x - cx <= wide (d - z), and so on: every
        edge gives one bound, and two opposite ones give the eye's place across and its distance.
        """
        p = self.focus @ self.frame.T
        place, far = np.zeros(3), 0.0
        for axis, slope in ((0, wide), (1, high)):
            right, left = (p[:, axis] + slope * p[:, 2]).max(), (-p[:, axis] + slope * p[:, 2]).max()
            place[axis] = 0.5 * (right - left)
            far = max(far, 0.5 * (right + left) / slope)
        place[2] = far
        return place @ self.frame


def look(back: np.ndarray) -> np.ndarray:
    """Return rows right, up, back of a camera that looks along -back, with z up."""
    right = np.cross((0.0, 0.0, 1.0), back)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(back, right), back])


def best_view(film: Film) -> View:
    """Choose the view of a film."""
    focus = _focus(film)
    at, normal = _place(film)
    frame = film.frame_at(film.contact_time or 0.0)
    triangles = _triangles(film, frame) if at is not None else np.zeros((0, 3, 3))
    best, most = (USUAL, float(ELEVATIONS[0])), -math.inf
    for elevation in ELEVATIONS.tolist():
        for azimuth in AZIMUTHS.tolist():
            back = View(azimuth, elevation, focus).back
            score = 0.6 * math.cos(azimuth - USUAL) - 0.3 * (elevation - ELEVATIONS[0])
            if at is not None and normal is not None:
                score += 1.0 - abs(float(normal @ back)) - 3.0 * _hidden(triangles, at + 2e-3 * film.size * back, back)
            if score > most:
                best, most = (azimuth, elevation), score
    return View(*best, focus)


def _place(film: Film) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the closest touching point and its normal, if there are any."""
    if not film.touches or not np.isfinite(film.touches[0].contact.point_a).all():
        return None, None
    return film.touches[0].contact.point_a, film.touches[0].contact.normal


def _focus(film: Film) -> np.ndarray:
    """Return the corners of what should be in view: all that moves, from start to end, and what is small and near."""
    ends = [0, film.frame_at(film.contact_time or 0.5), len(film.times) - 1]
    boxes = [np.concatenate([_placed(s.box, film.poses[k, s.link]) for k in ends]) for s in film.solids]
    moving = [box for box, s in zip(boxes, film.solids) if film.moving[s.link]]
    for sheet in film.sheets:
        if len(sheet.faces):
            seen = extremes(np.concatenate([sheet.at(film.times[k]) for k in ends]))
            boxes.append(seen)
            moving += [seen] if len(sheet.times) > 1 else []
    if not moving:
        return np.concatenate([*boxes, [film.low, film.high]])
    inner = np.concatenate(moving)
    low, high = inner.min(axis=0), inner.max(axis=0)
    size = float(np.linalg.norm(high - low))
    near = [box for box in boxes if ((box > low - NEAR * size) & (box < high + NEAR * size)).all()]
    at, _ = _place(film)
    return np.concatenate([inner, *near] if at is None else [inner, *near, at[None]])


def extremes(points: np.ndarray) -> np.ndarray:
    """Return the points that matter to a camera: at most 200 of them, the farthest in as many directions."""
    if len(points) <= 200:
        return points
    directions = np.random.default_rng(0).normal(size=(200, 3))
    return points[np.unique((directions @ points.T).argmax(axis=1))]


def _placed(points: np.ndarray, pose: np.ndarray) -> np.ndarray:
    return points @ pose[:3, :3].T + pose[:3, 3]


def _triangles(film: Film, frame: int) -> np.ndarray:
    """Return (n, 3, 3): all triangles in the world, thinned out if there are very many."""
    every = [_placed(s.vertices, film.poses[frame, s.link])[s.faces] for s in film.solids]
    every = np.concatenate([*every, *[sheet.at(film.times[frame])[sheet.faces] for sheet in film.sheets]])
    return every[:: max(1, len(every) // MOST_TRIANGLES)]


def _hidden(triangles: np.ndarray, point: np.ndarray, direction: np.ndarray) -> bool:
    """Does any triangle lie between a point and the eye, far away in this direction? (Moeller and Trumbore's test.)"""
    a = triangles[:, 0]
    e1, e2 = triangles[:, 1] - a, triangles[:, 2] - a
    p = np.cross(direction, e2)
    scale = (e1 * p).sum(axis=1)
    ok = scale != 0.0
    inverse = 1.0 / np.where(ok, scale, 1.0)
    s = point - a
    u = (s * p).sum(axis=1) * inverse
    q = np.cross(s, e1)
    v = (q @ direction) * inverse
    t = (q * e2).sum(axis=1) * inverse
    return bool((ok & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t > 0.0)).any())
