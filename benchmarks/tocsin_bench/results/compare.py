"""Two runs side by side: how times and counts have changed from one to the other.

Times of two runs depend on what the machine did; so beside the plain change stands the change relative to the peers
of the same benchmark, which were hit by the same weather. Counts do not depend on the machine at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tocsin_bench import report
from tocsin_bench.race import COUNTS
from tocsin_bench.results.runs import Run
from tocsin_bench.results.tables import Table


def tables(now: Run, before: Run) -> list[Table]:
    """The tables of a comparison: times, and counts."""
    shared = [name for name in now.records if name in before.records and "contestants" in now.records[name]]
    times, counts = [], []
    for name in shared:
        new, old = now.records[name], before.records[name]
        if "contestants" not in old:
            continue
        theirs = {c["name"]: c for c in old["contestants"]}
        both = [(c, theirs[c["name"]]) for c in new["contestants"] if c["name"] in theirs]
        weather = _weather(both)
        for c, was in both:
            change = _median(c) / _median(was)
            times.append(
                [f"{name}: {c['name']}", report.us(_median(was)), report.us(_median(c)), signed(change),
                 signed(change / weather) if weather and c["ours"] else ""]
            )  # fmt: skip
        counts += [row for key in COUNTS if (row := _count(name, key, new, old))]
    made = [
        Table(
            f"Median µs a question: {before.name}, then {now.name}",
            ["", "before", "now", "change", "against the peers"],
            times,
            "against the peers: the change of ours divided by the median change of the peers in the same benchmark",
        )
    ]
    if counts:
        columns = ["", "before", "now", "change"]
        made.append(Table("Counts that have changed, mean of a question", columns, counts))
    return made


def _median(contestant: Mapping[str, Any]) -> float:
    return float(np.median(contestant["seconds"])) if contestant["seconds"] else float("nan")


def _weather(both: list[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> float | None:
    """By how much the peers of a benchmark have changed, which nobody here has touched."""
    changes = [_median(new) / _median(old) for new, old in both if not new["ours"]]
    return float(np.median(changes)) if changes else None


def _count(name: str, key: str, new: Mapping[str, Any], old: Mapping[str, Any]) -> list[str] | None:
    if key not in new.get("counts", {}) or key not in old.get("counts", {}):
        return None
    now, was = (float(np.mean(record["counts"][key])) for record in (new, old))
    if now == was or was == 0.0:
        return None
    return [f"{name}: {key.replace('_', ' ')}", f"{was:.4g}", f"{now:.4g}", signed(now / was)]


def signed(ratio: float) -> str:
    """A ratio as a signed percentage."""
    return f"{100.0 * (ratio - 1.0):+.1f} %"
