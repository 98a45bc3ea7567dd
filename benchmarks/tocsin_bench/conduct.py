"""What `tocsin bench run` and `tocsin bench report` do: one benchmark after the other, each recorded as it ends."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numba

from tocsin.errors import TocsinError
from tocsin_bench import guard, race, registry, report
from tocsin_bench.results import papers, runs, tables, targets


def run(
    names: list[str],
    root: Path,
    *,
    questions: int | None = None,
    repeats: int | None = None,
    seed: int = 1,
    store: bool = False,
    quiet: bool = False,
) -> dict[str, Any]:
    """Run the benchmarks with these names; return where the run is kept, what the guard found worse, and what broke."""
    chosen = registry.chosen([name for name in names if name != "quick"])
    numba.set_num_threads(1)
    with report.quietly(quiet):
        folder = runs.start(root)
        report.opening(f"tocsin bench run {' '.join(names)}")
        records: dict[str, dict[str, Any]] = {}
        if "quick" in names:
            records["quick"] = runs.add(folder, guard.run(store=store))
            _show(records["quick"])
            guard.verdict(records["quick"])
        for place, entry in enumerate(chosen):
            few, rounds = targets.COUNTS[entry.name] if "targets" in names else (None, None)
            report.console.rule(f"{place + 1} of {len(chosen)}: [bold]{entry.name}[/]: {entry.description}")
            start = time.monotonic()
            try:
                with race.only(targets.PEERS) if "targets" in names else nullcontext():
                    drawn = None if "targets" in names else folder
                    record = registry.attempt(entry, questions or few, repeats or rounds, seed, drawn)
            except KeyboardInterrupt:
                report.console.print(f"interrupted; what was measured before is in {folder}", highlight=False)
                raise
            records[entry.name] = runs.add(folder, {**record, "took": time.monotonic() - start})
            _show(records[entry.name])
        if "targets" in names:
            show_targets(records)
        report.console.print(f"wrote {folder / runs.FILE}; see it with: tocsin bench report {folder}", highlight=False)
    worse = records.get("quick", {}).get("worse", [])
    broken = [name for name, record in records.items() if record.get("broken")]
    return {"folder": str(folder), "benchmarks": [*records], "worse": worse, "broken": broken}


def show_targets(records: Mapping[str, dict[str, Any]]) -> None:
    """Print the papers' tables, and what was to be reached."""
    for table in [*papers.tables(records), targets.table(records)]:
        table.show()


def read_targets(folders: list[Path]) -> dict[str, dict[str, Any]]:
    """The records of these runs; of a benchmark that several have, the last one's."""
    return {name: record for folder in folders for name, record in runs.read(folder).records.items()}


def _show(record: dict[str, Any]) -> None:
    """Print the tables of a record that a command has not printed itself."""
    if record.get("failed"):
        words = "has failed" if record.get("broken") else "is skipped"
        report.console.print(f"{record['benchmark']} {words}: {record['failed']}", highlight=False)
    if not record.get("printed"):
        for table in tables.of(record):
            table.show()


def write_report(run_folder: Path | None, against: Path | None, root: Path) -> list[Path]:
    """Write the page and the Markdown file of a run into its folder; with another run, both compare the two."""
    from tocsin_bench.results import markdown, page

    found = runs.read(run_folder) if run_folder is not None else runs.latest(root)
    before = None if against is None else runs.read(against)
    try:
        return [page.write(found, before), markdown.write(found, before)]
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, TocsinError):
            raise
        where = " or ".join(repr(str(run.folder)) for run in (found, before) if run is not None)
        raise TocsinError(f"{where} is not a run that `tocsin bench run` has written ({error}).") from error
