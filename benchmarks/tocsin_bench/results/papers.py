"""The papers' tables, cell by cell: the printed figure beside ours, from the records of a run.

A cell names a table, a row and a column, and holds two numbers of the same kind. Races with a `Paper` have the cells of
[CATCH table 1, table 2, fig. 12] and of [LOCAL table I]; commands hand in theirs: `arm` [ARTICULATE table 1, table 2],
`organs` [LOCAL table II], `screen` [SCREW 9.1]. The machines of the papers, of 2003 to 2008, were about ten times
slower than one of today, and the meshes are others of the same sizes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tocsin_bench import race, report
from tocsin_bench.results.tables import Table, factor, finite

Cell = Mapping[str, Any]
"""table, row, column; paper, ours: seconds, numbers or shares, as `kind` says; judged: is it one to be 20 times
faster in, and not a part of another or a single worst case?"""

TITLES = {
    "2007, Table 1": "milliseconds a query (Pentium 4, 3.6 GHz)",
    "2007, Table 2": "pairs of links, mean of a query",
    "2007, Fig. 12": "walk without self-contact, milliseconds a query: the method, and its predecessor by intervals",
    "2004, Table 1": "an arm among pipes, milliseconds a motion by stage (Pentium 4, 2.4 GHz)",
    "2004, Table 2": "the arm in a machine room, milliseconds a motion by stage and by which stages are on",
    "2010, Table I": "milliseconds a step (one core, 2.66 GHz)",
    "2010, Table II": "milliseconds a step (one core, 2.66 GHz)",
    "screw paper, 9.1": "all contacts of a pair, microseconds (Pentium IV, 2.4 GHz)",
}
"""Every table with what it is of, in the order of reports."""

STATISTICS = {"mean": "all", "free": "free", "contact": "contact", "worst": "worst"}
"""Columns of [CATCH table 1]."""


def cell(
    table: str, row: str, column: str, paper: float, ours: float, *, kind: str = "seconds", judged: bool = False
) -> Cell:  # fmt: skip
    """One cell as a record keeps it."""
    return {"table": table, "row": row, "column": column, "paper": paper, "ours": ours, "kind": kind, "judged": judged}


def of(record: Mapping[str, Any]) -> list[Cell]:
    """The cells of one benchmark that both sides have; a stage that took no time at all, or never ran, has none."""
    found = [*record.get("cells", ()), *_of_race(record)]
    both = [each for each in found if finite(each["paper"]) and finite(each["ours"])]
    return [each for each in both if each["kind"] != "seconds" or each["ours"] > 0.0]


def _of_race(record: Mapping[str, Any]) -> list[Cell]:
    paper = record.get("paper")
    if not paper:
        return []
    found = []
    first = record["contestants"][0]["name"]
    for who in record["contestants"]:
        figures = paper if who["name"] == first else paper.get("others", {}).get(who["name"], {})
        taken = race.spread(who["seconds"], record["collides"])
        row = f"{record['benchmark']}: {who['name'].removeprefix('tocsin ')}"
        found += [
            cell(paper["source"], row, column, figures[key], taken[key], judged=who["ours"] and key != "worst")
            for key, column in STATISTICS.items()
            if figures.get(key) is not None
        ]
    left = race.culling(record)
    if left is not None and paper["pairs"]:
        theirs = race.culling_rates(*paper["pairs"])
        found += [
            cell("2007, Table 2", record["benchmark"], column, theirs[key], left[key], kind=kind)
            for key, column, kind in (
                ("before", "before", "pairs"), ("spatial", "after spatial", "pairs"), ("spatial_rate", "rate", "share"),
                ("temporal", "after temporal", "pairs"), ("temporal_rate", "rate of the rest", "share"),
            )
        ]  # fmt: skip
    return found


def rows(cells: Iterable[Cell]) -> dict[tuple[str, str], list[Cell]]:
    """The cells by table and row, in the order of `TITLES`."""
    found: dict[tuple[str, str], list[Cell]] = {}
    order = [*TITLES]
    for each in sorted(cells, key=lambda c: order.index(c["table"]) if c["table"] in order else len(order)):
        found.setdefault((each["table"], each["row"]), []).append(each)
    return found


def tables(records: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    """Every table of a paper of which this run has cells."""
    by_row = rows(each for record in records.values() for each in of(record))
    made = []
    for name in dict.fromkeys(table for table, _ in by_row):
        lines = {row: cells for (table, row), cells in by_row.items() if table == name}
        columns = [*dict.fromkeys(each["column"] for cells in lines.values() for each in cells)]
        microseconds = "microseconds" in TITLES.get(name, "")
        texts = {
            row: {each["column"]: _text(each, report.us if microseconds else report.ms) for each in cells}
            for row, cells in lines.items()
        }
        made.append(
            Table(
                f"{name}: {TITLES.get(name, '')}",
                ["", *columns],
                [[row, *(found.get(column, "") for column in columns)] for row, found in texts.items()],
                "ours (the paper's; how many times as long it took)",
            )
        )
    return made


def _text(each: Cell, seconds: Any) -> str:
    ours, paper = each["ours"], each["paper"]
    if each["kind"] == "share":
        return f"{report.percent(ours)} ({report.percent(paper)})"
    if each["kind"] == "pairs":
        return f"{ours:,.4g} ({paper:,.6g})"
    return f"{seconds(ours)} ({seconds(paper)}; {factor(paper / ours)})"
