"""What a planted question is, and the verdict on an answer to it.

The verdict uses nothing of the library but the answer: poses at `time` come from `oracles.kinematics` and
distances from `oracles.shapes`. Their float64 rounding is allowed for by `SLACK` of the largest coordinate.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tocsin.limits import RELATIVE_TOLERANCE
from tocsin.model.base import Motion
from tocsin.results import FirstContact, Status
from tocsin.scene import Scene
from tocsin_bench.oracles import shapes

SLACK = 1e-13
"""Rounding of the oracles, as a fraction of the largest coordinate in the question."""

ROUND_SLACK = 1e-8
"""What the searches for cylinders leave undecided, as a fraction of the cylinder's diagonal."""

VERDICTS = ("right", "missed", "late", "false alarm", "capped", "wrong status", "is_free lied")


@dataclass(frozen=True)
class Case:
    """One question whose answer is known: at `time` the two planted features are in contact (if `planted`)."""

    name: str
    label: str
    time: float
    margin: float
    tolerance: float | None
    span: float
    scene: Scene
    motions: tuple[Motion, ...]
    pairs: Callable[[float], list[tuple[Any, np.ndarray, Any, np.ndarray]]]
    """Time -> the placed shapes of every pair that may touch, for the oracle."""
    planted: bool = True

    def ask(self, **how: Any) -> FirstContact:
        """Ask for the first contact, with further options of `Scene.first_contact` if any are given."""
        return self.scene.first_contact(*self.motions, margin=self.margin, tolerance=self.tolerance, **how)

    def ask_free(self, **how: Any) -> bool:
        """Ask for a yes or no, likewise."""
        return self.scene.is_free(*self.motions, margin=self.margin, tolerance=self.tolerance, **how)


@dataclass
class Tally:
    """What a campaign has seen so far, of the engine that `method` names."""

    method: str = "advancement"
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(VERDICTS, 0))
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    leads: list[float] = field(default_factory=list)
    """t* - time of every right answer to a planted question: how early the bell rang."""
    labels: dict[str, int] = field(default_factory=dict)
    misses: int = 0
    """Near misses asked in addition to the planted ones."""
    misses_free: int = 0
    """Near misses that were answered as free."""
    discarded: int = 0
    """Contacts that could not be proven after rounding, and were not asked."""

    @property
    def planted(self) -> int:
        """Return how many planted questions were asked."""
        return sum(self.counts.values()) - self.misses

    @property
    def wrong(self) -> int:
        """Return how many answers broke the promise."""
        return sum(self.counts.values()) - self.counts["right"]

    def add(self, case: Case) -> str:
        """Ask, judge, and keep the verdict."""
        hit = case.ask(method=self.method)
        word = verdict(case, hit)
        if word == "right" and case.planted and case.ask_free(method=self.method):
            word = "is_free lied"
        self.counts[word] += 1
        if case.planted:
            self.labels[case.label] = self.labels.get(case.label, 0) + 1
            if word == "right":
                self.leads.append(case.time - hit.time)
        else:
            self.misses += 1
            self.misses_free += hit.status is Status.FREE
        if word != "right":
            self.failures.append(
                (case.name, word, f"{case.label}, t* = {case.time!r}, answer {hit.status.name} {hit.time!r}")
            )
        return word


def excess(case: Case, time: float) -> float:
    """Return the least distance(time) - margin - tolerance of all pairs: a lower bound of it where it is positive."""
    least = math.inf
    for a, pose_a, b, pose_b in case.pairs(time):
        diagonal = min(a.diagonal, b.diagonal)
        allowed = case.margin + (RELATIVE_TOLERANCE * diagonal if case.tolerance is None else case.tolerance)
        allowed += SLACK * case.span + ROUND_SLACK * max(s.diagonal for s in (a, b)) * (a.is_cylinder or b.is_cylinder)
        far = shapes.apart(a, pose_a, b, pose_b) - allowed
        least = min(least, far if far > 0 else shapes.distance(a, pose_a, b, pose_b, enough=allowed) - allowed)
        if least <= 0:
            break
    return least


def verdict(case: Case, hit: FirstContact) -> str:
    """Return one of VERDICTS."""
    if case.planted and hit.status is Status.FREE:
        return "missed"
    if hit.status is Status.FREE:
        return "right" if hit.time == math.inf and not hit.collides else "wrong status"
    if case.planted and not hit.time <= case.time:
        return "late"
    if hit.status is Status.CAPPED:
        return "capped"
    if not 0.0 <= hit.time <= 1.0 or not hit.collides:
        return "wrong status"
    if (hit.status is Status.INITIAL_CONTACT) != (hit.time == 0.0):
        return "wrong status"
    return "false alarm" if excess(case, hit.time) > 0 else "right"
