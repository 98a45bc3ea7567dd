"""The smallest distance on a trajectory: proven from below, attained from above."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tocsin._cast import Tried
from tocsin.model.base import Motion
from tocsin.queries.audit.records import Clearance, Stretch
from tocsin.queries.audit.search import CHUNK, Search
from tocsin.queries.distance import distance
from tocsin.queries.engines.advancement import ENGINE
from tocsin.queries.first_contact import first_contact
from tocsin.results import Distance, Status

CLEARANCE_GAP = 0.02
"""The proven lower bound of the smallest clearance is at most this fraction below the attained one."""

LOOKS = 16
"""Stretches in which the smallest distance is looked for."""

SMALLEST_CLEARANCE = 1e-9
"""Metres; nothing smaller than this is proven to be a clearance."""


class Lowest:
    """The smallest distance on the trajectory of a search, from both sides.

    Distances are bounded by questions about motions with a margin, which cost less than distances at samples: free
    with the margin m proves that all distances are more than m; contact is a place at which one is at most m + room.
    """

    def __init__(self, search: Search) -> None:
        self.search = search
        context = search.kept
        self.context = context if not context.rules.margins else context.copy(margins=None)
        self.place = (0, 0.0)
        self.nearest = self.static_witness(*self.place)
        self.upper = self.nearest.distance
        """A distance that is attained, or not reached, at `place`."""

    def static_witness(self, piece: int, fraction: float) -> Distance:
        """Return the distance at a place."""
        return distance(self.context, (Motion.of(self.search.robot, self.search.row(piece, fraction)[None]),))

    def bounds(self, stretches: Sequence[Stretch]) -> Clearance:
        """Return bounds of the smallest distance on the trajectory, chunk by chunk.

        A chunk that is proven to keep a margin keeps it whatever the later ones do, so the least margin that was
        proven is a lower bound for all; `upper` only shrinks.
        """
        search = self.search
        for stretch in stretches[:LOOKS]:
            if self.upper > 0.0:
                begin = search.gone(stretch.enter.waypoint, stretch.enter.fraction)
                self.measure(*search.place(begin + 0.5 * stretch.joint_step))
                self.measure(stretch.enter.waypoint, stretch.enter.fraction)
        touches = bool(stretches) and search.margin == 0.0 and not search.kept.rules.margins
        lower = 0.0 if touches else self.upper
        for first in range(0, search.pieces, CHUNK):
            last = min(first + CHUNK, search.pieces)
            if 0.0 < lower < math.inf:
                lower = min(lower, self.proven(first, last))
        self.measure(*self.place)
        upper = self.nearest.distance
        return Clearance(min(lower, upper), upper, search.moment(*self.place), self.nearest)

    def measure(self, piece: int, fraction: float) -> None:
        """Look at the distance at a place, and remember it if it is the smallest known."""
        found = self.static_witness(piece, fraction)
        if found.distance <= self.upper or (piece, fraction) == self.place:
            self.nearest, self.upper, self.place = found, found.distance, (piece, fraction)

    def proven(self, first: int, last: int) -> float:
        """Return a margin that is proven to be kept from waypoint `first` to `last`; `upper` may shrink.

        It is at least (1 - CLEARANCE_GAP) upper, unless questions are undecided: the margin `m` is halved until it is
        kept, then bisected between the largest that is kept and the smallest that is not, `top`. With g the gap, it
        ends at m >= (1 - 0.7 g) top, where upper <= (1 + 0.25 g) top, and (1 - 0.7 g) / (1 + 0.25 g) >= 1 - g.
        """
        search = self.search
        motion = search.course.chunk(first, last)
        enough = 1.0 - 0.7 * CLEARANCE_GAP
        kept, top, undecided = 0.0, self.upper, 0
        goal = enough * top
        while top > SMALLEST_CLEARANCE and undecided < 3:
            workspace = 0.25 * CLEARANCE_GAP * goal
            hit = first_contact(self.context, (motion,), Tried(goal), workspace, search.max_steps, ENGINE)
            if hit.status is Status.FREE:
                kept = goal
            else:
                top = goal
                undecided += hit.status is Status.CAPPED
                if hit.status is not Status.CAPPED and goal + workspace < self.upper:
                    t = hit.time * (last - first)
                    piece = min(int(t), last - first - 1)
                    self.upper, self.place = goal + workspace, (first + piece, min(t - piece, 1.0))
            if kept >= enough * top:
                break
            goal = math.sqrt(kept * top) if kept > 0.0 else 0.5 * top
        return kept
