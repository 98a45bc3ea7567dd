"""The table of `tocsin bench run show`: what is claimed against each peer and each paper, and what this run measured.

A row names a benchmark, a contestant, which statistic is compared, and the ratio to reach. All ratios are of one run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.bench import race, report
from tocsin.bench.results.tables import Table, factor, finite


@dataclass(frozen=True)
class Goal:
    """`peer` takes at least `ratio` times as long as ours by `statistic`; it is the paper where `peer` is empty."""

    against: str
    benchmark: str
    peer: str
    statistic: str
    ratio: float


@dataclass(frozen=True)
class Budget:
    """The mean of one of ours over the free questions, in seconds."""

    claim: str
    benchmark: str
    contestant: str
    seconds: float


WORDS = {"mean": "mean", "p99": "99th percentile", "free": "mean of free", "contact": "mean of contact"}

GOALS: tuple[Goal | Budget, ...] = (
    *(
        Goal("HPP Dichotomy, proven too", name, "hpp Dichotomy", statistic, ratio)
        for name in ("panda", "fetch", "ur5")
        for statistic, ratio in (("mean", 50.0), ("p99", 100.0), ("free", 50.0))
    ),
    *(
        Goal("Pinocchio + Coal every 0.05 rad, unproven", name, "coal, every 0.05 rad", "mean", 3.0)
        for name in ("panda", "fetch", "ur5")
    ),
    Budget("certified panda edge", "panda", "tocsin is_free", 100e-6),
    Budget("certified short panda edge", "panda-short", "tocsin is_free", 50e-6),
    Goal("Coal sampled at 1000", "tori", "coal, 1000 samples", "mean", 20.0),
    Goal("FCL sampled at 100, unproven", "tori", "fcl naive, 100 samples", "mean", 1.0),
    Goal("FCL conservative advancement", "tori", "fcl conservative advancement", "mean", 20.0),
    Goal("ipctk, first contact", "cloth-ball", "ipctk additive", "mean", 20.0),
    Goal("the paper of 2010, Table I", "cloth-ball", "", "mean", 20.0),
    Goal("our interval engine", "walk-engines", 'tocsin method="interval"', "mean", 15.0),
    Goal("the same with the matrices of 2004", "walk-engines", "interval engine, plain matrices", "mean", 15.0),
    *(
        Goal("the paper of 2007, Table 1", name, "", "mean", 20.0)
        for name in (
            "walk",
            "exercise",
            "excavator-drive",
            "excavator-load",
            "crane-move",
            "crane-drop",
            "trains",
            "falling",
        )
    ),
)

BENCHMARKS = tuple(dict.fromkeys(goal.benchmark for goal in GOALS))
"""What has to be run for this table."""


def table(records: Mapping[str, Mapping[str, Any]]) -> Table:
    """Every goal with what was measured; rows whose benchmark did not run say why."""
    rows = [_budget(goal, records) if isinstance(goal, Budget) else _goal(goal, records) for goal in GOALS]
    return Table(
        "To reach, and reached",
        ["against", "scene", "of", "to reach", "measured", "", "missed by the peer"],
        rows,
        "Ratios of one run, on one thread: how many times as long the other takes. Ours misses nothing, and proves it.",
    )


def _absent(record: Mapping[str, Any] | None) -> str:
    return "not run" if record is None else f"skipped: {record['failed']}"


def _goal(goal: Goal, records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    record = records.get(goal.benchmark)
    opening = [goal.against, goal.benchmark, WORDS[goal.statistic], factor(goal.ratio)]
    if record is None or record.get("failed"):
        return [*opening, _absent(record), "", ""]
    missed = ""
    if goal.peer:
        peer = next((c for c in record["contestants"] if c["name"] == goal.peer), None)
        if peer is None:
            why = next((text for name, text in record["skipped"].items() if goal.peer.startswith(name)), "not there")
            return [*opening, why, "", ""]
        measured = race.ratios(record, peer).get(goal.statistic)
        missed = f"{peer['missed']} of {sum(record['collides'][: len(peer['seconds'])])}"
    else:
        own = race.spread(record["contestants"][0]["seconds"], record["collides"])
        theirs = record["paper"].get(goal.statistic)
        measured = theirs / own[goal.statistic] if finite(theirs) else None
    reached = "" if measured is None else "reached" if measured >= goal.ratio else "not reached"
    return [*opening, factor(measured), reached, missed]


def _budget(goal: Budget, records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    record = records.get(goal.benchmark)
    opening = [goal.claim, goal.benchmark, "mean of free", f"{report.us(goal.seconds)} µs"]
    if record is None or record.get("failed"):
        return [*opening, _absent(record), "", ""]
    who = next(c for c in record["contestants"] if c["name"] == goal.contestant)
    taken = race.spread(who["seconds"], record["collides"])["free"]
    return [*opening, f"{report.us(taken)} µs", "reached" if taken <= goal.seconds else "not reached", ""]
