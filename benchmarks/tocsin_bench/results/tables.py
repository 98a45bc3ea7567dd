"""The tables of a record, once for all: as rows of text, which the terminal, the page and the Markdown file lay out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tocsin_bench import race, report


@dataclass(frozen=True)
class Table:
    """A title, columns (the first holds names), rows of text, and a note below."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def show(self) -> None:
        """Print it on the terminal."""
        report.table(self.title, self.columns, self.rows, self.note)

    def markdown(self) -> str:
        """As Markdown, the title in bold above."""
        lines = [f"**{self.title}**", "", "| " + " | ".join(self.columns) + " |"]
        lines.append("|" + "|".join("---" if k == 0 else "---:" for k in range(len(self.columns))) + "|")
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in self.rows]
        return "\n".join([*lines, *(["", self.note] if self.note else [])])


def of(record: Mapping[str, Any]) -> list[Table]:
    """Every table of a record."""
    if record.get("failed"):
        return []
    made = [Table(t["title"], t["columns"], t["rows"], t.get("note", "")) for t in record.get("tables", ())]
    if record.get("contestants"):
        made.append(times(record))
        if any("missed" in c and not c["ours"] for c in record["contestants"]):
            made.append(answers(record))
        pairs = culling(record)
        made += [pairs] if pairs is not None else []
    return made


def times(record: Mapping[str, Any]) -> Table:
    """Seconds of each contestant, with a paper's where there are any, and ratios within this run."""
    rows = []
    for who in record["contestants"]:
        parts = race.spread(who["seconds"], record["collides"])
        ratio = race.ratios(record, who)
        cells = [report.us(parts[key]) for key in ("mean", "median", "p99", "worst", "free", "contact")]
        count = f"{len(who['seconds'])}"
        rows.append([who["name"], count, *cells, factor(ratio.get("mean")), factor(ratio.get("p99"))])
    paper = record.get("paper")
    if paper and finite(paper["mean"]):
        best = race.spread(record["contestants"][0]["seconds"], record["collides"])
        cells = [
            report.us(value) if finite(value) else ""
            for value in (paper["mean"], math.nan, math.nan, paper["worst"], paper["free"], paper["contact"])
        ]
        rows.append([f"paper: {paper['source']}", "", *cells, factor(paper["mean"] / best["mean"]), ""])
    said = ", ".join(f"{count} {status}" for status, count in sorted(record.get("statuses", {}).items()))
    notes = [said] if said else []
    notes += [f"{name}: {why}" for name, why in record["skipped"].items()]
    notes += [f"{c['name']}: {c['note']}" for c in record["contestants"] if c["note"]]
    return Table(
        f"{record['benchmark']}: µs a question",
        ["", "questions", "mean", "median", "99 %", "worst", "free", "contact", "x ours", "x at 99 %"],
        rows,
        "; ".join(notes),
    )


def answers(record: Mapping[str, Any]) -> Table:
    """What the answers of the peers are worth, against those that are proven."""
    rows = []
    for who in record["contestants"]:
        if "missed" not in who or who["ours"]:
            continue
        touch = sum(record["collides"][: len(who["seconds"])])
        late = f"{who['late']} of {who['timed']}" if who["timed"] else "gives no time"
        worst = f"{who['lateness']:.2g}" if who["timed"] else ""
        rows.append(
            [who["name"], "yes" if who["proves"] else "no", f"{who['missed']} of {touch}", f"{who['grazed']}",
             f"{who['alarms']}", late, worst]
        )  # fmt: skip
    return Table(
        f"{record['benchmark']}: answers of the peers",
        ["", "proof", "missed", "grazed", "alarms", "late", "latest by"],
        rows,
        "missed: calls free what overlaps; grazed: within our tolerance, but no overlap found; alarms: contact on a "
        "motion that is proven free; late: after ours, which is early by what its tolerance allows, by more than 1e-4 "
        "of the motion, in whose units the latest is",
    )


def culling(record: Mapping[str, Any]) -> Table | None:
    """Pairs before and after each cull."""
    found = race.culling(record)
    if found is None:
        return None
    rows = [_culling_row("tocsin", found)]
    paper = record.get("paper")
    touching = float(np.mean(record["collides"]))
    if touching > 0.0:
        others = race.culling_rates(found["before"], found["spatial"], found["temporal"] - touching)
        rows.append(_culling_row("tocsin, but for the pair that touches first", others))
    if paper and paper["pairs"]:
        rows.append(_culling_row(f"paper: {paper['source']}", race.culling_rates(*paper["pairs"])))
    return Table(
        f"{record['benchmark']}: pairs of links, mean of all questions",
        ["", "before", "after spatial", "rate", "after temporal", "rate"],
        rows,
        "The pair that touches first is never culled; the paper's Walk leaves fewer pairs a frame than touch in it, so "
        "its count is without that pair.",
    )


def _culling_row(name: str, found: Mapping[str, float]) -> list[str]:
    return [
        name,
        f"{found['before']:,.0f}",
        f"{found['spatial']:.2f}",
        report.percent(found["spatial_rate"]),
        f"{found['temporal']:.3f}",
        report.percent(found["temporal_rate"]),
    ]


def finite(value: Any) -> bool:
    """Is it a number, and finite? JSON has null where it is not."""
    return value is not None and math.isfinite(value)


def factor(ratio: float | None) -> str:
    """A ratio as text with three figures; nothing where there is none."""
    if ratio is None or not math.isfinite(ratio):
        return ""
    return f"{ratio:,.0f}x" if ratio >= 100.0 else f"{ratio:.3g}x"
