"""What is to be reached, and what a run measured: `tocsin bench targets`, and a section of every report that has some.

A row names a benchmark, a contestant, which statistic is compared, and the ratio to reach; or a budget of our own; or a
row of a paper's table, in which we are to be twenty times as fast. All ratios are of one run, on one thread.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tocsin_bench import race, report
from tocsin_bench.results import papers
from tocsin_bench.results.tables import Table, factor


@dataclass(frozen=True)
class Goal:
    """`peer` takes at least `ratio` times as long as ours by `statistic`."""

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
        for statistic, ratio in (("mean", 50.0), ("p99", 100.0))
    ),
    *(
        Goal("Pinocchio + Coal every 0.05 rad, unproven", name, "coal, every 0.05 rad", "mean", 3.0)
        for name in ("panda", "fetch", "ur5")
    ),
    Budget("certified panda edge", "panda", "tocsin is_free", 100e-6),
    Budget("certified short panda edge", "panda-short", "tocsin is_free", 50e-6),
    Goal("Coal sampled at 1000, unproven", "tori", "coal, 1000 samples", "mean", 20.0),
    Goal("FCL sampled at 100, unproven", "tori", "fcl naive, 100 samples", "mean", 1.0),
    Goal("FCL conservative advancement", "tori", "fcl conservative advancement", "mean", 20.0),
    Goal("our interval engine", "walk-engines", 'tocsin method="interval"', "mean", 15.0),
    Goal("the same with the matrices of 2004", "walk-engines", "interval engine, plain matrices", "mean", 15.0),
    Goal("ipctk, first contact", "cloth-ball", "ipctk additive", "mean", 20.0),
)

PEERS = tuple({goal.peer for goal in GOALS if isinstance(goal, Goal)})
"""Who has to take part for this table; its run leaves others out."""

PAPER_RATIO = 20.0
"""By so much each row of the papers' tables is to be beaten: ten by the machine, two by the algorithm."""

COUNTS: dict[str, tuple[int | None, int | None]] = {
    "panda": (160, 3), "fetch": (160, 2), "ur5": (200, 2), "panda-short": (160, 3), "tori": (200, 3),
    "walk-engines": (900, 3), "cloth-ball": (1, 3), "n-body": (1, 2), "walk": (900, 3), "exercise": (540, 3),
    "excavator-drive": (60, 2), "excavator-load": (60, 2), "crane-move": (60, 2), "crane-drop": (60, 2),
    "trains": (90, 2), "falling": (160, 2), "arm": (60, 3), "organs": (None, 2), "screen": (None, 7),
}  # fmt: skip
"""The benchmarks that the table is made of, with questions and repeats for a run of some ten minutes."""


def table(records: Mapping[str, Mapping[str, Any]]) -> Table:
    """Every goal with what was measured; rows whose benchmark did not run say why."""
    rows = [_budget(goal, records) if isinstance(goal, Budget) else _goal(goal, records) for goal in GOALS]
    return Table(
        "To reach, and reached",
        ["against", "scene", "of", "to reach", "measured", "", "missed"],
        [*rows, *_papers(records)],
        "How many times as long the other takes, in one run on one thread; of a paper's row the least of its cells, "
        "worst cases and parts of a query left out. missed: contacts that the peer calls free.",
    )


def verdicts(records: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """How many rows were reached, not reached, and not measured."""
    words = [row[5] for row in table(records).rows]
    return {"reached": words.count("reached"), "not reached": words.count("not reached"), "open": words.count("")}


def _absent(record: Mapping[str, Any] | None) -> str:
    return "not run" if record is None else f"skipped: {record['failed']}"


def _verdict(reached: bool) -> str:
    return "reached" if reached else "not reached"


def _goal(goal: Goal, records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    record = records.get(goal.benchmark)
    opening = [goal.against, goal.benchmark, WORDS[goal.statistic], factor(goal.ratio)]
    if record is None or record.get("failed"):
        return [*opening, _absent(record), "", ""]
    peer = next((c for c in record["contestants"] if c["name"] == goal.peer), None)
    if peer is None:
        why = next((text for name, text in record["skipped"].items() if goal.peer.startswith(name)), "not there")
        return [*opening, why, "", ""]
    measured = race.ratios(record, peer).get(goal.statistic)
    missed = f"{peer['missed']} of {sum(record['collides'][: len(peer['seconds'])])}"
    if measured is None:
        return [*opening, peer["note"], "", missed]
    return [*opening, factor(measured), _verdict(measured >= goal.ratio), missed]


def _budget(goal: Budget, records: Mapping[str, Mapping[str, Any]]) -> list[str]:
    record = records.get(goal.benchmark)
    opening = [goal.claim, goal.benchmark, "mean of free", f"{report.us(goal.seconds)} µs"]
    if record is None or record.get("failed"):
        return [*opening, _absent(record), "", ""]
    who = next(c for c in record["contestants"] if c["name"] == goal.contestant)
    taken = race.spread(who["seconds"], record["collides"])["free"]
    return [*opening, f"{report.us(taken)} µs", _verdict(taken <= goal.seconds), ""]


def _papers(records: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    """A row for every row of a paper's table: its least ratio, and which cell has it."""
    found = []
    cells = [each for name in COUNTS if name in records for each in papers.of(records[name])]
    for (source, row), members in papers.rows(cells).items():
        ratios = {each["column"]: each["paper"] / each["ours"] for each in members if each["judged"]}
        if not ratios:
            continue
        least = min(ratios, key=lambda column: ratios[column])
        reached = _verdict(ratios[least] >= PAPER_RATIO)
        found.append([source, row, least, factor(PAPER_RATIO), factor(ratios[least]), reached, ""])
    return found
