"""What `tocsin bench run` and `tocsin bench report` do: one benchmark after the other, each recorded as it ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba

from tocsin.bench import guard, registry, report
from tocsin.bench.race import Benchmark
from tocsin.bench.results import runs, show, tables


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
    """Run the benchmarks with these names; return where the run is kept, and what the guard found to be worse."""
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
        for entry in chosen:
            records[entry.name] = runs.add(folder, _one(entry, folder, questions, repeats, seed))
            _show(records[entry.name])
        if "show" in names:
            show.table(records).show()
        report.console.print(f"wrote {folder / runs.FILE}; see it with: tocsin bench report {folder}", highlight=False)
    worse = records.get("quick", {}).get("worse", [])
    return {"folder": str(folder), "benchmarks": [*records], "worse": worse}


def _one(
    entry: Benchmark | registry.Command, folder: Path, questions: int | None, repeats: int | None, seed: int
) -> dict[str, Any]:  # fmt: skip
    report.console.rule(f"[bold]{entry.name}[/]: {entry.description}")
    return registry.attempt(entry, questions, repeats, seed, folder)


def _show(record: dict[str, Any]) -> None:
    """Print the tables of a record that a command has not printed itself."""
    if record.get("failed"):
        report.console.print(f"{record['benchmark']} is skipped: {record['failed']}", highlight=False)
    if not record.get("printed"):
        for table in tables.of(record):
            table.show()


def write_report(run_folder: Path | None, against: Path | None, root: Path) -> list[Path]:
    """Write the page and the Markdown file of a run into its folder; with another run, both compare the two."""
    from tocsin.bench.results import markdown, page

    found = runs.read(run_folder) if run_folder is not None else runs.latest(root)
    before = None if against is None else runs.read(against)
    return [page.write(found, before), markdown.write(found, before)]
