"""The motion that is audited, straight or curved: its parts between knots, and the robot's configuration at any place.

A place on a motion is the number of a piece and a fraction of that piece. Parts between knots are cut without rounding:
their pieces are those of the motion, so what is proven about them is proven about the motion.
"""

from __future__ import annotations

import numpy as np

from tocsin.model.base import Motion
from tocsin.model.robot import Robot
from tocsin.model.timed import SplineMotion, stamped
from tocsin.model.trajectory import bernstein, derived


class Course:
    """A robot's motion, and parts of it."""

    def __init__(self, robot: Robot, motion: Motion) -> None:
        self.robot, self.motion = robot, motion
        self.pieces: int = motion.pieces
        self._chunk: tuple[tuple[int, int], Motion] | None = None
        """The last that was asked about: its clock takes as long to lay out as a part of it to be proven free."""
        self.times: np.ndarray | None = motion.times if motion.seconds else None
        self.steps: np.ndarray = largest_steps(robot, motion.rows)
        """(pieces,): how far the entry that moves most goes in each piece; on curves, at most."""
        if isinstance(motion, SplineMotion):
            rates = bernstein(derived(motion.coefficients, 1), np.ones(motion.pieces))
            for k in robot.quaternions:
                rates[:, k : k + 4] = 0.0
            self.steps = np.maximum(self.steps, rates.max(axis=1))

    def row(self, piece: int, share: float) -> np.ndarray:
        """Return the configuration row, base in front, at a place."""
        if share in (0.0, 1.0):
            return self.motion.rows[piece + int(share)]
        return self.motion.row_of(piece, share)

    def at(self, piece: int, share: float) -> Motion:
        """Return the robot standing at a place."""
        return self._in_tube(Motion.of(self.robot, self.row(piece, share)[None]))

    def chunk(self, first: int, last: int) -> Motion:
        """Return the motion from one knot to another; its pieces take equal times."""
        if self._chunk is None or self._chunk[0] != (first, last):
            self._chunk = (first, last), self._made(first, last)
        return self._chunk[1]

    def _made(self, first: int, last: int) -> Motion:
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
    """Return (pieces,): the largest change of any entry in each piece; orientations count by their angle."""
    change = np.abs(np.diff(rows, axis=0))
    for k in robot.quaternions:
        p, q = rows[:-1, k : k + 4], rows[1:, k : k + 4]
        change[:, k : k + 4] = 0.0
        cosine = (p * q).sum(axis=1) / (np.linalg.norm(p, axis=1) * np.linalg.norm(q, axis=1))
        change[:, k] = np.where((p == q).all(axis=1), 0.0, 2.0 * np.arccos(np.minimum(cosine, 1.0)))
    return change.max(axis=1)
