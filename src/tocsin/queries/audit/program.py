"""The audit of a program: several robots and bodies on one clock, phase by phase.

Everything outside the stretches of an audit is proven free. In each phase the proof is either `is_free`, or
`contact_intervals`, whose intervals contain every time of contact of their pair. With deformable models, time is halved
until a part is proven free or is shorter than the `resolution`.
"""

from __future__ import annotations

import copy
import math
import time as clock_module
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from tocsin import _cast
from tocsin.model.program import Program
from tocsin.model.timed import stamped
from tocsin.queries.audit.between import Approach, Between, pair_in
from tocsin.queries.audit.curves import Curve, curves_of
from tocsin.queries.audit.deformables import alone, named, without
from tocsin.queries.audit.program_records import Conflict, Kept, Measured, ProgramAudit
from tocsin.queries.audit.records import Pair
from tocsin.queries.contact_intervals import contact_intervals
from tocsin.queries.context import Context
from tocsin.queries.distance import distance
from tocsin.queries.engines.advancement import ENGINE
from tocsin.queries.first_contact import first_contact, is_free
from tocsin.queries.phases import Phase, part_of, phases
from tocsin.results import ContactInterval, Distance, Status, seconds_at

SAMPLES = 24
"""Moments of each phase at which the distance of everything is looked at, to know where to begin."""

GAP = 0.02
"""The proven clearance is at most this fraction below the one that is witnessed, unless tubes or caps are between."""

SMALLEST = 1e-9
"""Metres; nothing smaller is proven to be a clearance."""

MOST_SOFT = 4096
"""Questions about parts of a phase, of one pair that a deformable model is in."""


class Auditor:
    """One audit of a program under way."""

    def __init__(
        self, context: Context, program: Program, margin: float, tolerance: float | None, max_steps: int,
        progress: Callable[[int, int], None],
    ) -> None:  # fmt: skip
        self.context, self.program = context, program
        self.margin, self.tolerance, self.max_steps = margin, tolerance, max_steps
        self.asked: list[Phase] = list(phases(context, program))
        copied = context.as_it_is()
        self.copied: list[Phase] = [replace(p, context=copied) if p.context is context else p for p in self.asked]
        """On copies of the scene's models, for what is looked at when it has changed."""
        self._state = context.state
        self._plain: dict[int, list[Phase]] = {}
        self.begin, self.end = self.asked[0].begin, self.asked[-1].end
        self.has_tubes: bool = any(s.error.any() for track in program.tracks.values() for s in track.segments)
        self.queries = 0
        self._between: dict[Pair, Between] = {}
        self._progress = progress

    @property
    def phases(self) -> list[Phase]:
        """The phases, in the scene as it was: itself, with all that it has learnt, unless it has changed."""
        return self.asked if self.context.state == self._state else self.copied

    @property
    def plain(self) -> list[Phase]:
        """Phases without margins of single pairs: clearances are distances, whatever is to be kept."""
        found = self.phases
        if id(found) not in self._plain:
            twins: dict[int, Context] = {}
            for phase in found:
                own = phase.context
                if id(own) not in twins:
                    twins[id(own)] = own.copy(margins=None) if own.rules.margins else own
            self._plain[id(found)] = [replace(phase, context=twins[id(phase.context)]) for phase in found]
        return self._plain[id(found)]

    def between(self, pair: Pair) -> Between:
        """Return two links by themselves."""
        if pair not in self._between:
            self._between[pair] = Between(self.context, pair)
        return self._between[pair]

    # ---- stretches ---------------------------------------------------------------------------------------------------

    def conflicts(self, resolution: float) -> list[Conflict]:
        """Return everything that is not proven to keep its margin, by pair and time."""
        found: list[Conflict] = []
        for k, phase in enumerate(self.asked, 1):
            self.queries += 1
            if not is_free(phase.context, phase.motions, self.margin, self.tolerance, self.max_steps, ENGINE):
                more = self._soft(phase, resolution) if phase.context.soft else self._rigid(phase)
                found += more
            self._progress(k, len(self.asked))
        return [replace(c, look=self.measured) for c in _joined(found)]

    def _rigid(self, phase: Phase) -> Iterator[Conflict]:
        """Yield the stretches of a phase, pair by pair; what the cap leaves open is one of nobody."""
        self.queries += 1
        found = contact_intervals(phase.context, phase.motions, self.margin, self.tolerance, self.max_steps)
        for interval in found:
            yield self._conflict(phase, interval)
        if found.until < 1.0:
            yield Conflict(Status.CAPPED, phase.seconds(found.until), phase.end, None, self.margin)

    def _conflict(self, phase: Phase, interval: ContactInterval) -> Conflict:
        pair = pair_in(phase.context, interval.model_a, interval.link_a, interval.model_b, interval.link_b)
        status = Status.CONTACT if interval.proven else Status.CAPPED
        enter, leave = phase.seconds(interval.enter), phase.seconds_after(interval.exit)
        return Conflict(status, enter, leave, pair, self.margin_of(phase, pair))

    def margin_of(self, phase: Phase, pair: Pair) -> float:
        """Return the margin that a pair of links has to keep."""
        rules = phase.context.rules
        links = rules.links
        numbers = [links.get(f"{m}/{k}", links.get(m, (-1,)))[-1] for m, k in ((pair[0], pair[1]), (pair[2], pair[3]))]
        own = rules.of_links().get((min(numbers), max(numbers)), math.nan)
        return self.margin if math.isnan(own) or own < 0.0 else own

    def _soft(self, phase: Phase, resolution: float) -> Iterator[Conflict]:
        """Yield the stretches of a phase with deformable models, pair by pair.

        The pair that is met first is searched on its own and then ignored, until the rest is proven free.
        """
        context = phase.context
        asked = (self.margin, self.tolerance, self.max_steps, ENGINE)
        while True:
            self.queries += 1
            hit = first_contact(context, phase.motions, *asked, scene=named(context))
            if hit.status is Status.FREE:
                return
            if not hit.contacts:
                yield Conflict(Status.CAPPED, phase.seconds(hit.time), phase.end, None, self.margin)
                return
            c = hit.contacts[0]
            pair = pair_in(context, c.model_a, c.link_a, c.model_b, c.link_b)
            yield from self._halved(replace(phase, context=alone(context, pair)), pair, resolution)
            context = without(context, pair)

    def _halved(self, phase: Phase, pair: Pair, resolution: float) -> Iterator[Conflict]:
        """Yield the stretches of one pair, by halving what is not proven free."""
        margin = self.margin_of(phase, pair)
        waiting, questions = [(phase.begin, phase.end)], 0
        while waiting:
            begin, end = waiting.pop()
            self.queries += 1
            questions += 1
            part = part_of(self.program, phase, begin, end)
            asked = (self.margin, self.tolerance, self.max_steps, ENGINE)
            hit = first_contact(phase.context, part, *asked, scene=named(phase.context))
            if hit.status is Status.FREE:
                continue
            enter = seconds_at((begin, end), hit.time)
            middle = max(0.5 * (begin + end), enter)
            if end - begin <= resolution or questions >= MOST_SOFT or not begin < middle < end:
                status = Status.CAPPED if hit.status is Status.CAPPED else Status.CONTACT
                yield Conflict(status, enter, end, pair, margin)
                continue
            waiting += [(middle, end), (enter, middle)] if enter < middle else [(middle, end)]

    def measured(self, conflict: Conflict) -> Measured:
        """Return the smallest distance found in a stretch, where that is, and how deep it goes."""
        if conflict.pair is None or conflict.status is Status.CAPPED:
            return Measured()
        best: tuple[Approach, Phase] | None = None
        between = self.between(conflict.pair)
        for phase in self.phases:
            enter, leave = max(conflict.enter, phase.begin), min(conflict.exit, phase.end)
            if enter <= leave:
                found = between.closest(phase, enter, leave)
                if found is not None and (best is None or found.distance < best[0].distance):
                    best = found, phase
        if best is None:
            return Measured()
        approach, phase = best
        depth: float | None = max(conflict.margin - approach.distance, 0.0)
        if approach.distance == 0.0:
            depth = None if between.is_soft else conflict.margin + between.way_out(phase, approach.seconds)
        return Measured(approach.distance, depth, approach.seconds, approach.point, approach.speed)

    # ---- clearance ---------------------------------------------------------------------------------------------------

    def clearance(self, conflicts: Sequence[Conflict]) -> Kept:
        """Return the smallest distance of the program, from both sides."""
        nearest, at, where = Distance(math.inf, math.inf), self.begin, None
        for phase in self.plain:
            times = np.linspace(phase.begin, phase.end, SAMPLES).tolist()
            times += [c.at for c in conflicts if c.at is not None and phase.begin <= c.at <= phase.end]
            for t in times:
                found = self.look(phase, t)
                if found.distance < nearest.distance:
                    nearest, at, where = found, t, phase
        touches = any(c.pair is not None and c.margin == 0.0 for c in conflicts)
        lower, upper = (0.0 if touches else nearest.distance), nearest.distance
        for phase in self.plain:
            if 0.0 < lower < math.inf:
                kept, upper, t = self.proven(phase, upper)
                lower = min(lower, kept)
                if t is not None:
                    nearest, at, where = self.look(phase, t), t, phase
                    upper = min(upper, nearest.distance)
        speed = None
        if where is not None and nearest.link_a:
            pair = pair_in(where.context, nearest.model_a, nearest.link_a, nearest.model_b, nearest.link_b)
            phase = self.phases[self.plain.index(where)]
            found = self.between(pair).closest(phase, max(at - 0.02, phase.begin), min(at + 0.02, phase.end))
            if found is not None and found.distance <= nearest.distance:
                at, speed = found.seconds, found.speed
                nearest = self.look(where, at)
        return Kept(min(lower, nearest.distance), nearest.distance, at, nearest, speed)

    def look(self, phase: Phase, t: float) -> Distance:
        """Return the distance of everything at a second, nominal: without tubes."""
        share = phase.fraction(t)
        return distance(phase.context, tuple(m.standing(share) for m in phase.motions))

    def proven(self, phase: Phase, upper: float) -> tuple[float, float, float | None]:
        """Return (kept, upper, second): a margin that is proven for a phase, and where less than `upper` was seen.

        The margin is halved until it is kept, then bisected between the largest that is and the smallest that is not;
        a contact with a margin is a place to look at: what is measured there is witnessed.
        """
        kept, top, undecided, seen = 0.0, upper, 0, None
        goal = (1.0 - 0.7 * GAP) * top
        while top > SMALLEST and undecided < 3:
            room = 0.25 * GAP * goal
            hit = first_contact(phase.context, phase.motions, _cast.Tried(goal), room, self.max_steps, ENGINE)
            if hit.status is Status.FREE:
                kept = goal
            else:
                top = goal
                undecided += hit.status is Status.CAPPED
                if hit.status is not Status.CAPPED:
                    t = phase.seconds(hit.time)
                    found = self.look(phase, t).distance
                    if found < upper:
                        upper, seen = found, t
            if kept >= (1.0 - 0.7 * GAP) * top:
                break
            goal = math.sqrt(kept * top) if kept > 0.0 else 0.5 * top
        return kept, upper, seen

    def curves(self, kept: Kept) -> tuple[Curve, ...]:
        """Return the clearance over time of the pairs that come closest."""
        return curves_of(self, kept) if math.isfinite(kept.upper) else ()

    def tube_share(self, kept: Kept, conflicts: Sequence[Conflict]) -> float | None:
        """Return which share of the clearance of the nominal motions tubes take; None without tubes, or where there
        is nothing to keep away from."""
        if not self.has_tubes or not math.isfinite(kept.upper):
            return None
        nominal = copy.copy(self)
        nominal._plain = {}
        nominal.asked, nominal.copied = (
            [replace(p, motions=tuple(stamped(m, m.times, None) for m in p.motions)) for p in own]
            for own in (self.asked, self.copied)
        )
        bare = nominal.clearance(conflicts)
        return 1.0 - kept.lower / bare.lower if bare.lower > 0.0 else math.nan


def audit_program(
    context: Context, program: Program, margin: float, tolerance: float | None, resolution: float, max_steps: int,
    progress: Callable[[int, int], None] | None,
) -> ProgramAudit:  # fmt: skip
    """Return what is known about a program; see `tocsin.audit`."""
    started = clock_module.perf_counter()
    auditor = Auditor(context, program, _cast.margin(margin), tolerance, max_steps, progress or (lambda d, t: None))
    conflicts = auditor.conflicts(resolution)
    return ProgramAudit(
        program=program,
        scene=context,
        phases=tuple(auditor.copied),
        conflicts=tuple(conflicts),
        margin=auditor.margin,
        queries=auditor.queries,
        seconds=clock_module.perf_counter() - started,
        auditor=auditor,
    )


def _joined(found: list[Conflict]) -> list[Conflict]:
    """Return stretches in order; those of a pair that meet at the end of a phase are one."""
    last: dict[Pair | None, Conflict] = {}
    done: list[Conflict] = []
    for conflict in sorted(found, key=lambda c: c.enter):
        before = last.get(conflict.pair)
        if before is not None and conflict.enter <= before.exit and conflict.margin == before.margin:
            status = before.status if before.status is not Status.CAPPED else conflict.status
            last[conflict.pair] = replace(before, exit=max(before.exit, conflict.exit), status=status)
            continue
        if before is not None:
            done.append(before)
        last[conflict.pair] = conflict
    return sorted([*done, *last.values()], key=lambda c: (c.enter, str(c.pair)))
