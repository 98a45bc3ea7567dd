"""What answers claim about the distance D(t) of a story, and where what is measured contradicts them.

The promises (README, "What is promised") make every answer a claim about D, the smallest distance of all checked
pairs, or of some of them, for the margin m and a tolerance:

    free                       D > m during all of [0, 1]
    contact, or capped, at T   D > m during [0, T)
    contact at T               D(T) <= m + tolerance
    not free                   D <= m + tolerance at some time

A claim is contradicted by the truth only: D <= m for certain at a time at which it is claimed to be more, or more than
m + tolerance for certain where it is claimed to be less; what lies between, within the tolerance, may be told either
way. And by another claim: one that D > m' always, another that D <= m + tolerance <= m' somewhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tocsin.results import Status
from tocsin_bench.campaigns.stories_truth import Measured, Pair

LATE = 1e-12
"""Times that were mapped from a part of a motion, or from its reverse, are rounded by less."""


@dataclass(frozen=True)
class Apart:
    """`who` claims that D > bound from `start` to `end`; `closed`: at both ends too."""

    who: str
    start: float
    end: float
    bound: float
    closed: bool = True
    pairs: frozenset[Pair] | None = None
    triangle: tuple[str, int] | None = None


@dataclass(frozen=True)
class Near:
    """`who` claims that D <= bound at a time; at some time, if None."""

    who: str
    time: float | None
    bound: float
    pairs: frozenset[Pair] | None = None


@dataclass
class Claims:
    """All that was claimed about one story; times are those of the story itself."""

    margin: float
    apart: list[Apart] = field(default_factory=list)
    near: list[Near] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)
    """(who, a sentence): what contradicts without a distance."""
    capped: int = 0

    def hit(self, who: str, hit: Any, margin: float | None = None, at: float = 0.0, rate: float = 1.0) -> None:
        """Add what a `FirstContact` claims; its time t is the time at + rate t of the story."""
        m = self.margin if margin is None else margin
        end = 1.0 if hit.status is Status.FREE else hit.time
        if (hit.status is Status.FREE) != (hit.time == math.inf) or not 0.0 <= end <= 1.0:
            self.wrong.append((who, f"{hit.status.name} at {hit.time!r}"))
        whole = (at, rate) == (0.0, 1.0)
        edge = 0.0 if whole or hit.status is Status.FREE else LATE
        low, high = sorted((at, at + rate * end))
        self.apart.append(
            Apart(who, low if rate > 0 else low + edge, high - edge if rate > 0 else high, m,
                  closed=hit.status is Status.FREE or not whole)
        )  # fmt: skip
        self.capped += hit.status is Status.CAPPED
        if hit.status in (Status.CONTACT, Status.INITIAL_CONTACT):
            self.near.append(Near(who, at + rate * hit.time, m + hit.tolerance))
            if not hit.contacts:
                self.wrong.append((who, f"{hit.status.name} at {hit.time!r} without a contact"))
            for contact in hit.contacts[:3]:
                pair = frozenset([pair_of(contact)])
                bound = max(contact.distance, 0.0)
                if contact.kind != "inside":
                    self.near.append(Near(f"{who}.contacts", at + rate * hit.time, bound, pair))

    def times(self) -> set[float]:
        """Return all times that anybody has named."""
        named = {near.time for near in self.near if near.time is not None}
        named |= {t for claim in self.apart for t in (claim.start, claim.end)}
        return {t for t in named if 0.0 <= t <= 1.0}

    def contradictions(
        self, times: np.ndarray, pairs: dict[Pair, Measured], triangles: dict[Any, Measured], slack: float
    ) -> list[tuple[str, str]]:
        """Return (who, a sentence) for every claim that what was measured, or another claim, refutes."""
        found = list(self.wrong)
        together = _least(list(pairs.values()), len(times))
        for claim in self.apart:
            seen = together
            if claim.triangle is not None:
                seen = triangles.get(claim.triangle) or _least([], len(times))
            elif claim.pairs is not None:
                seen = _least([pairs[p] for p in claim.pairs if p in pairs], len(times))
            inside = (times >= claim.start) & ((times <= claim.end) if claim.closed else (times < claim.end))
            broken = inside & ((seen.touch & (claim.bound >= 0.0)) | (seen.upper <= claim.bound))
            if broken.any():
                k = int(np.argmax(broken))
                said = f"farther than {claim.bound:g} from {claim.start!r} to {claim.end!r}"
                found.append((claim.who, f"{said}, but at {float(times[k])!r} the distance is {seen.upper[k]:g}"))
        where = {float(t): k for k, t in enumerate(times)}
        for claim in self.near:
            if claim.time is None or claim.time not in where:
                continue
            seen = together
            if claim.pairs is not None:
                seen = _least([pairs[p] for p in claim.pairs if p in pairs], len(times))
            lower = float(seen.lower[where[claim.time]])
            if lower > claim.bound + slack:
                found.append((claim.who, f"within {claim.bound!r} at {claim.time!r}, where the distance is {lower!r}"))
        return found + self._among_themselves(slack)

    def _among_themselves(self, slack: float) -> list[tuple[str, str]]:
        """Return what one claim says against another: always farther, and somewhere nearer."""
        always = [a for a in self.apart if (a.start, a.end, a.pairs, a.triangle) == (0.0, 1.0, None, None) and a.closed]
        found = []
        for near in self.near:
            for apart in always:
                if near.bound + slack < apart.bound:
                    said = f"within {near.bound!r}, yet always beyond {apart.bound!r}"
                    found.append((f"{near.who}-{apart.who}", said))
                    break
        return found


def _least(several: list[Measured], n: int) -> Measured:
    """Return the smallest of several distances at each of n times."""
    if not several:
        return Measured(np.full(n, np.inf), np.full(n, np.inf), np.zeros(n, bool))
    lower, upper = (np.min([getattr(m, side) for m in several], axis=0) for side in ("lower", "upper"))
    return Measured(lower, upper, np.any([m.touch for m in several], axis=0))


def pair_of(contact: Any) -> Pair:
    """Return the two places that a record with link_a, model_a, link_b and model_b names."""
    return frozenset([(contact.model_a, contact.link_a), (contact.model_b, contact.link_b)])
