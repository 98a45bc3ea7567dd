"""How far off its place a body may be after a robot with joint errors has gripped it or let it go.

A robot with errors grips a body at a slightly wrong place and leaves it at another; a body whose place a camera knows
to a centimetre lies in the hand to a centimetre. Where a body may be off is a `Play`: a point r from its origin by at
most metres + radians r, in the world while it stands, in the frame of the link while it is carried.

Claim. Let the body have the play (s, a) before it is gripped or let go, and let a point of the link x from the link's
origin be off by at most E + T x then. With X the distance of the body's origin from the link's, its play afterwards is
(s + E + T X, a + T).

Proof. Of a point of the body, let b be where it should be in the world, h in the link, and b', h' where it is; L and L'
place the link. Gripped: |h' - h| = |b' - L' h| <= |b' - b| + |L h - L' h|. Let go: |b' - b| = |L' h' - L h| <=
|h' - h| + |L' h - L h|. In both the first is at most s + a r, and the second at most E + T |h| <= E + T (X + r).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tocsin._types import LinkTable, Row
from tocsin.motion.links import BALL, FLOATING, PLANAR, PRISMATIC, REVOLUTE
from tocsin.motion.poses import link_poses

UP = 1.0 + 1e-9
"""What is computed here is rounded; no chain is so long that it takes this much."""


class Play(NamedTuple):
    """How far a body may be off: a point r from its origin by at most metres + radians r."""

    metres: float = 0.0
    radians: float = 0.0

    def moved(self, links: LinkTable, row: Row, error: Row, link: int, reach: float) -> Play:
        """Return the play after a grip or a release, by a link whose origin is `reach` from the body's."""
        slide, turn = tube_of(links, row, error, link)
        return Play((self.metres + slide + turn * reach) * UP, (self.radians + turn) * UP)


EXACT = Play()


def play_of(error: Row) -> Play:
    """Return the play of a body by itself, from how far its row may be off."""
    return Play(float(error[:3].sum()), float(error[3]))


def tube_of(links: LinkTable, row: Row, error: Row, link: int) -> tuple[float, float]:
    """Return (E, T): a point x from a link's origin may be off in the world by E + T x; as `bounds.tubes` has it."""
    poses = link_poses(links, row)
    x = slides = turns = 0.0
    while link >= 0:
        slide, turn = _joint_error(links[link], error)
        slides += slide + turn * x
        turns += turn
        parent = int(links[link]["parent"])
        behind = np.zeros(3) if parent < 0 else poses[parent, :3, 3]
        x += float(np.linalg.norm(poses[link, :3, 3] - behind)) + slide
        link = parent
    return slides * UP, turns * UP


LEFT = 2.0**-44
"""512 units."""


def rounding_of(links: LinkTable, sizes: Row, link: int, reach: float) -> Play:
    """Return how far the computed pose of a body that a link carries is off, its origin `reach` from the link's.

    `sizes` are those of the terms of which the entries of the configuration are made (`model.tracks`).

    Proof. An entry is off by 2^-46 of its terms, so the angle or place of a joint, a multiple of it and an offset, by
    1.1 2^-46 of theirs; the matrices of a joint come of fewer than 64 roundings of numbers of at most 1, or L, the
    lengths and places in it. Together that is less than LEFT (1 + the terms of the angle) of an angle, which moves the
    body's origin by that times its distance from the joint, and less than LEFT L.
    """
    metres = radians = 0.0
    while link >= 0:
        row = links[link]
        place, angle = _joint_error(row, sizes)
        kind, offset = int(row["kind"]), abs(float(row["offset"]))
        turned = LEFT * (1.0 + angle + (offset if kind == REVOLUTE else 0.0))
        length = float(np.linalg.norm(row["translation"])) + place + (offset if kind == PRISMATIC else 0.0)
        metres += turned * reach + LEFT * length
        radians += turned
        reach += length
        link = int(row["parent"])
    return Play(metres * UP, radians * UP)


def _joint_error(link: np.void, error: Row) -> tuple[float, float]:
    """Return (metres, radians) that the joint of a link may be off, from the errors of a row."""
    kind, own = int(link["kind"]), error[int(link["config"]) :]
    if kind in (REVOLUTE, PRISMATIC):
        off = abs(float(link["multiplier"])) * float(own[0])
        return (0.0, off) if kind == REVOLUTE else (off, 0.0)
    if kind == PLANAR:
        return float(own[0] + own[1]), float(own[2])
    if kind == BALL:
        return 0.0, float(own[0])
    if kind == FLOATING:
        return float(own[:3].sum()), float(own[3])
    return 0.0, 0.0
