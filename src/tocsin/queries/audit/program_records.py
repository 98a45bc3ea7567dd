"""The results of the audit of a program: what is not proven, by pair and second, and how much clearance there is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tocsin._cast import clock
from tocsin.model.program import Program
from tocsin.queries.audit.records import Pair, first_of
from tocsin.queries.context import Context
from tocsin.queries.phases import Phase
from tocsin.results import Distance, Status, ambiguous

if TYPE_CHECKING:
    from tocsin.queries.audit.curves import Curve
    from tocsin.queries.audit.program import Auditor


NOT_BY_ITSELF = "only errors or the tolerance reach the margin"
"""Said of a stretch in which the nominal motion keeps its margin."""


class Measured(NamedTuple):
    """What is measured of a stretch; None where there is nothing to measure."""

    distance: float | None = None
    depth: float | None = None
    at: float | None = None
    point: np.ndarray | None = None
    speed: float | None = None


@dataclass(frozen=True, eq=False)
class Conflict:
    """A closed stretch of the clock during which two links are not proven to keep their margin.

    How far they fall short, where and how fast is measured when it is first looked at, of the scene as it was.
    """

    status: Status
    """CONTACT, or CAPPED if it is undecided."""
    enter: float
    """Seconds; proven free just before."""
    exit: float
    """Seconds; proven free just after."""
    pair: Pair | None
    """None: the cap was reached before it was known who."""
    margin: float
    """Metres that the pair has to keep."""
    look: Callable[[Conflict], Measured] | None = field(default=None, repr=False)
    """How the rest is measured."""

    @cached_property
    def measured(self) -> Measured:
        """All that is measured, at once."""
        return Measured() if self.look is None else self.look(self)

    @property
    def distance(self) -> float | None:
        """The smallest distance found in it, of the nominal motion; 0 where they touch or overlap."""
        return self.measured.distance

    @property
    def depth(self) -> float | None:
        """By how much the margin is missed, metres: margin - distance, or margin + the penetration of an overlap.

        None where it is undefined: a deformable model has no inside in which another could be deep.
        """
        return self.measured.depth

    @property
    def at(self) -> float | None:
        """The second at which that distance was found."""
        return self.measured.at

    @property
    def point(self) -> np.ndarray | None:
        """(3,) where that was, in the world."""
        return self.measured.point

    @property
    def speed(self) -> float | None:
        """How fast the closest points moved against each other then, metres a second; measured, not proven."""
        return self.measured.speed

    @property
    def is_contact(self) -> bool:
        """False if undecided."""
        return self.status is not Status.CAPPED


@dataclass(frozen=True, eq=False, repr=False)
class Kept:
    """The smallest distance of a program, whatever the margins: `lower` <= true <= `upper`, metres."""

    lower: float
    """Proven for every moment, and for every motion in the tubes."""
    upper: float
    """Measured at the second `at`; inf if there is nothing to keep away from."""
    at: float
    nearest: Distance
    """Which links, and which of their points, had that distance."""
    speed: float | None
    """How fast those points moved against each other, metres a second; measured, not proven."""

    def __repr__(self) -> str:
        if not self.nearest.link_a:
            return "<Kept: there is nothing to keep away from>"
        pair = f"{self.nearest.link_a!r} and {self.nearest.link_b!r}"
        return f"<Kept: more than {self.lower:.4g} m, {self.upper:.4g} m seen at {clock(self.at)} s between {pair}>"

    def __bool__(self) -> bool:
        raise ambiguous("a clearance", "clearance.lower > 0 for a proof")


@dataclass(frozen=True, eq=False, repr=False)
class ProgramAudit:
    """What is known about a program. What lies outside of `conflicts` is proven to keep its margin."""

    program: Program
    scene: Context = field(repr=False)
    phases: tuple[Phase, ...] = field(repr=False)
    conflicts: tuple[Conflict, ...]
    margin: float
    queries: int
    """Questions asked of the engine for the conflicts."""
    seconds: float = field(compare=False)
    """That these took."""
    auditor: Auditor = field(repr=False)
    """Who looks at what is looked at later, in the scene as it was."""

    @cached_property
    def clearance(self) -> Kept:
        """The smallest distance: found when first looked at."""
        return self.auditor.clearance(self.conflicts)

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        """Clearance over time of the pairs that come closest, the closest first: found when first looked at."""
        return self.auditor.curves(self.clearance)

    @cached_property
    def tube_share(self) -> float | None:
        """The share of the proven clearance that tubes take; nan if none is proven without them either.

        None without tubes, or where there is nothing to keep away from.
        """
        return self.auditor.tube_share(self.clearance, self.conflicts)

    @property
    def tube_said(self) -> str:
        """The same as the end of a sentence, "errors take ..."; empty without tubes."""
        share = self.tube_share
        if share is None:
            return ""
        if math.isnan(share):
            return "nothing: no clearance is proven without them either"
        return f"{100.0 * share:.3g} % of the clearance that is proven without them"

    def __repr__(self) -> str:
        said = f"{self.status}, {repr(self.program)[1:-1]}, margin {self.margin:g} m"
        for conflict in self.conflicts[:1]:
            pair = "" if conflict.pair is None else f" between {conflict.pair.said}"
            said += f"; from {clock(conflict.enter)} s{pair}{first_of(len(self.conflicts))}"
        return f"<ProgramAudit: {said}>"

    def __bool__(self) -> bool:
        raise ambiguous("an audit", "audit.is_free")

    @property
    def is_free(self) -> bool:
        """True only if the whole program is proven to keep all margins."""
        return not self.conflicts

    @property
    def status(self) -> Status:
        """FREE, CONTACT, INITIAL_CONTACT, or CAPPED if it is undecided but nothing was found to touch."""
        found = [c for c in self.conflicts if c.is_contact]
        if found:
            return Status.INITIAL_CONTACT if found[0].enter <= self.program.begin else Status.CONTACT
        return Status.CAPPED if self.conflicts else Status.FREE
