"""A run as a Markdown file, its plots as SVG files beside it."""

from __future__ import annotations

from pathlib import Path

from tocsin_bench.race import GROUPS
from tocsin_bench.results import compare, papers, plots, tables, targets
from tocsin_bench.results.runs import Run, picture


def write(run: Run, before: Run | None = None) -> Path:
    """Write `report.md` and the plots that it shows into the run's folder."""
    about = run.about["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    parts = [
        "# Benchmarks of tocsin",
        f"{run.about['date']}, commit {about['commit'] or 'unknown'}, by `{run.about['command']}`.  \n"
        f"{about['cpu']}, {about['cores']} cores, one thread used; {about['system']}.  \n{versions}.",
    ]
    if any(name in run.records for name in targets.COUNTS):
        parts.append(targets.table(run.records).markdown())
    if before is not None:
        parts += ["## Compared with another run", *(table.markdown() for table in compare.tables(run, before))]
    overview = plots.culling([*run.records.values()])
    if overview is not None:
        parts += ["## Culling", _file(run, "culling", overview)]
    beside = papers.tables(run.records)
    if beside:
        parts += ["## The papers' tables, beside ours", *(table.markdown() for table in beside)]
    for group, title in GROUPS.items():
        found = [record for record in run.records.values() if record["group"] == group]
        if found:
            parts.append(f"## {title}")
        for record in found:
            parts += [f"### {record['benchmark']}", f"{record['description']} Asked: {record['question']}"]
            if record.get("failed"):
                parts.append(f"Skipped: {record['failed']}")
            shown = [name for name in record.get("pictures", ()) if picture(run, name) is not None]
            parts += [f"![{record['description']}]({name})" for name in shown]
            drawn = plots.distributions(record)
            if drawn is not None:
                parts.append(_file(run, record["benchmark"], drawn))
            for k, curve in enumerate(record.get("curves", ())):
                parts.append(_file(run, f"{record['benchmark']}-{k}", plots.curves(curve)))
            parts += [table.markdown() for table in tables.of(record)]
    path = run.folder / "report.md"
    path.write_text("\n\n".join(parts).replace("<", "&lt;") + "\n")  # none of it is meant as HTML
    return path


def _file(run: Run, name: str, svg: str) -> str:
    (run.folder / f"{name}.svg").write_text(plots.as_file(svg))
    return f"![{name}]({name}.svg)"
