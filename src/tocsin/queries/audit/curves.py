"""Clearance over time, pair by pair: a curve that is proven from below, and one that is witnessed from above.

Below: `contact_intervals` with a margin m says when a pair is within m, and proves that it is farther apart at all
other times. A ladder of such margins gives a step curve: at each time the largest m that is proven, 0 where the two
are not checked. It holds for every motion in the tubes. Pairs with deformable models: parts of the clock in which
`first_contact` proves one of the margins. Above: distances of the nominal motion at single seconds, computed with their
own error bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tocsin._cast import Tried
from tocsin.queries.audit.between import pair_in
from tocsin.queries.audit.deformables import proven_steps, rigid_part, soft_pairs
from tocsin.queries.audit.program_records import Kept
from tocsin.queries.audit.records import Pair
from tocsin.queries.contact_intervals import contact_intervals

if TYPE_CHECKING:
    from tocsin.queries.audit.program import Auditor

LEVELS = 9
"""Margins of the ladder."""

MOST_PAIRS = 12
"""Pairs of which curves are kept: those that come closest."""

WITNESSES, SOFT_WITNESSES = 121, 25
"""Seconds at which distances are measured; of deformable models fewer, each of which takes a search."""


@dataclass(frozen=True, eq=False)
class Curve:
    """The clearance of two links over time, metres."""

    pair: Pair
    edges: np.ndarray
    """(k + 1,) seconds: the steps of the proven curve lie between."""
    lower: np.ndarray
    """(k,) from edges[i] to edges[i + 1] the two are proven to be farther apart than this; 0: not proven."""
    times: np.ndarray
    """(n,) seconds at which it was measured."""
    upper: np.ndarray
    """(n,) how far apart they are there, nominal; inf where they are not checked: not there, gripped, or let touch."""

    @property
    def least(self) -> float:
        """The smallest distance that was measured."""
        return float(self.upper.min())


def ladder(kept: Kept, margin: float, size: float) -> np.ndarray:
    """Return the margins that are asked about, ascending; `size`: how large what moves is."""
    top = max(4.0 * kept.upper, 5.0 * margin, 0.1 * size)
    least = kept.lower if kept.lower > 1e-2 * top else 1e-2 * top
    return np.geomspace(least, top, LEVELS)


def curves_of(auditor: Auditor, kept: Kept) -> tuple[Curve, ...]:
    """Return the curves of the pairs that come within the ladder, the closest first."""
    moving = [motion.model for phase in auditor.phases for motion in phase.motions]
    size = max((shape.diagonal for model in moving for shapes in model.shapes for shape in shapes), default=1.0)
    levels = ladder(kept, auditor.margin, size)
    begin, end = auditor.begin, auditor.end
    within: dict[Pair, list[list[tuple[float, float]]]] = {}
    open_ends: list[list[tuple[float, float]]] = [[] for _ in levels]
    soft = auditor.context.soft
    for phase in auditor.plain:
        context, motions = rigid_part(phase) if soft else (phase.context, phase.motions)
        for k, level in enumerate(levels.tolist() if motions else ()):
            found = contact_intervals(context, motions, Tried(level), 0.05 * level, auditor.max_steps)
            for i in found:
                pair = pair_in(context, i.model_a, i.link_a, i.model_b, i.link_b)
                own = within.setdefault(pair, [[] for _ in levels])
                own[k].append((phase.seconds(i.enter), phase.seconds_after(i.exit)))
            if found.until < 1.0:
                open_ends[k].append((phase.seconds(found.until), phase.end))
    times = np.linspace(begin, end, WITNESSES)
    closeness = {pair: next(k for k, own in enumerate(lists) if own) for pair, lists in within.items()}
    chosen = sorted(within, key=lambda pair: (closeness[pair], str(pair)))[:MOST_PAIRS]
    made: list[Curve] = []
    for pair in chosen:
        unasked = [(p.begin, p.end) for p in auditor.plain if not auditor.between(pair).is_asked(p)]
        lists = [own + more + unasked for own, more in zip(within[pair], open_ends)]
        edges, lower = steps(lists, levels, begin, end)
        made.append(Curve(pair, edges, lower, times, measured(auditor, pair, times)))
    made += soft_curves(auditor, levels) if soft else []
    return tuple(sorted(made, key=lambda curve: curve.least)[:MOST_PAIRS])


def soft_curves(auditor: Auditor, levels: np.ndarray) -> list[Curve]:
    """Return the curves of deformable models and what comes within the ladder of them: steps of the clock in which
    margins are proven, see `deformables`."""
    times = np.linspace(auditor.begin, auditor.end, SOFT_WITNESSES)
    found = [(pair, measured(auditor, pair, times)) for pair in soft_pairs(auditor)]
    near = sorted((one for one in found if one[1].min() < levels[-1]), key=lambda one: float(one[1].min()))
    return [
        Curve(pair, *proven_steps(auditor, pair, times, upper, levels), times, upper)
        for pair, upper in near[:MOST_PAIRS]
    ]


def steps(
    lists: list[list[tuple[float, float]]], levels: np.ndarray, begin: float, end: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return (edges, lower): between two edges the largest level at which no interval lies.

    An interval is closed and begins and ends at edges, so it holds all of what lies between two of them, or nothing.
    """
    edges = np.unique([begin, end, *[t for own in lists for interval in own for t in interval]])
    edges = edges[(edges >= begin) & (edges <= end)]
    lower = np.zeros(len(edges) - 1)
    for own, level in zip(lists, levels.tolist()):
        free = np.ones(len(lower), bool)
        for enter, leave in own:
            free &= (edges[1:] <= enter) | (edges[:-1] >= leave)
        lower[free] = level
    return edges, lower


def measured(auditor: Auditor, pair: Pair, times: np.ndarray) -> np.ndarray:
    """Return the distances of a pair at seconds of a program."""
    between = auditor.between(pair)
    found = np.full(len(times), np.inf)
    for phase in auditor.phases:
        for k in np.flatnonzero((times >= phase.begin) & (times <= phase.end)).tolist():
            gap = between.gap(phase, float(times[k]))
            if gap is not None:
                found[k] = min(found[k], gap.distance)
    return found
