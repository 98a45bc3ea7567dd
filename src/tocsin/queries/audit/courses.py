"""The motion that is audited, in parts: straight or on curves, any stretch of it, in either direction.

A place on a motion is a piece and a share of that piece. A part from one share to another is the same motion with its
own time from 0 to 1, and shares of it are shares of the part: the proof in `search` needs no more. On a curve a part's
coefficients are rounded, which moves every entry by at most 64 units of the sum of its terms' sizes.
"""

from __future__ import annotations

import numpy as np

from tocsin.model.base import Motion
from tocsin.model.robot import Robot
from tocsin.model.timed import SplineMotion, stamped
from tocsin.model.trajectory import bernstein, derived
from tocsin.motion.splines import shifted

ROUNDING = 2.0**-48
"""Bounds the rounding of an interpolated entry, relative to the largest entry (or 1): sixteen units of it."""

CURVED = 4.0
"""Times that of entries on curves, relative to the sum of their terms' sizes."""


class Course:
    """A robot's motion, and parts of it."""

    def __init__(self, robot: Robot, motion: Motion) -> None:
        self.robot, self.motion = robot, motion
        self.pieces: int = motion.pieces
        self.times: np.ndarray | None = motion.times if motion.seconds else None
        self.sizes: np.ndarray = motion.rows
        """(k, width): how large entries are, terms added up."""
        self.steps: np.ndarray = largest_steps(robot, motion.rows)
        """(pieces,): how far the entry that moves most goes in each piece; on curves, at most."""
        self.curved: bool = isinstance(motion, SplineMotion)
        if isinstance(motion, SplineMotion):
            rates = bernstein(derived(motion.coefficients, 1), np.ones(motion.pieces))
            for k in robot.quaternions:
                rates[:, k : k + 4] = 0.0
            self.steps = np.maximum(self.steps, rates.max(axis=1))
            self.sizes = CURVED * np.abs(motion.coefficients).sum(axis=1)

    def row(self, piece: int, share: float) -> np.ndarray:
        """Return the configuration row, base in front, at a place."""
        if share in (0.0, 1.0):
            return self.motion.rows[piece + int(share)]
        return self.motion.row_of(piece, share)

    def at(self, piece: int, share: float) -> Motion:
        """Return the robot standing at a place."""
        return self._in_tube(Motion.of(self.robot, self.row(piece, share)[None]))

    def part(self, piece: int, begin: float, end: float) -> Motion:
        """Return the motion from one share of a piece to another, forwards or backwards."""
        rows = np.stack([self.row(piece, begin), self.row(piece, end)])
        if not isinstance(self.motion, SplineMotion):
            return self._in_tube(Motion.of(self.robot, rows))
        c = shifted(self.motion.coefficients[piece : piece + 1], np.array([begin]))
        c = c * ((end - begin) ** np.arange(c.shape[1]))[:, None]
        for k in self.robot.quaternions:
            c[0, :2, k : k + 4] = rows[:, k : k + 4]
        return stamped(SplineMotion(self.robot, rows, c), [0.0, 1.0], self.motion.error, seconds=False)

    def chunk(self, first: int, last: int) -> Motion:
        """Return the motion from one knot to another; its pieces take equal times."""
        rows = self.motion.rows[first : last + 1]
        if not isinstance(self.motion, SplineMotion):
            return self._in_tube(Motion.of(self.robot, rows))
        motion = SplineMotion(self.robot, rows, self.motion.coefficients[first:last])
        return stamped(motion, np.arange(last - first + 1.0), self.motion.error, seconds=False)

    def _in_tube(self, motion: Motion) -> Motion:
        if self.motion.error is None:
            return motion
        if motion.pieces == 0:
            motion = motion.lasting(1, 0)
        return stamped(motion, np.arange(motion.pieces + 1.0), self.motion.error, seconds=False)


def largest_steps(robot: Robot, rows: np.ndarray) -> np.ndarray:
    """Return (pieces,): by how much the entry that changes most changes in each piece; orientations by their angle."""
    change = np.abs(np.diff(rows, axis=0))
    for k in robot.quaternions:
        p, q = rows[:-1, k : k + 4], rows[1:, k : k + 4]
        change[:, k : k + 4] = 0.0
        cosine = (p * q).sum(axis=1) / (np.linalg.norm(p, axis=1) * np.linalg.norm(q, axis=1))
        change[:, k] = np.where((p == q).all(axis=1), 0.0, 2.0 * np.arccos(np.minimum(cosine, 1.0)))
    return change.max(axis=1)
