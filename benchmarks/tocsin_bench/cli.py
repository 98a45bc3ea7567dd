"""`tocsin bench list | run | targets | report`: every claim about speed, measured on this machine by one command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from tocsin.cli import options, output

EXAMPLE = "Example: tocsin bench run quick\n\nThen: tocsin bench targets, and tocsin bench report."
LIST_EXAMPLE = "Example: tocsin bench list"
RUN_EXAMPLE = (
    "Example: tocsin bench run walk tori\n\n"
    "The exit code is 1 if a count of `quick` jumped, 3 if a benchmark broke, else 0."
)  # fmt: skip
TARGETS_EXAMPLE = "Example: tocsin bench targets\n\nOf runs that were made: tocsin bench targets out/bench/20260131-..."
REPORT_EXAMPLE = "Example: tocsin bench report out/bench/20260131-120000-0123456789 --against out/bench/20260101-..."

app = typer.Typer(
    name="bench",
    help="Measure tocsin and what one would use instead, side by side.",
    epilog=EXAMPLE,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[NAME]...", help="Benchmarks, or quick, targets, all (default targets).", show_default=False
    ),
]
Root = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="Where runs are kept, a folder each.")]
Questions = Annotated[
    int | None,
    typer.Option("--questions", metavar="N", min=1, help="Questions of a race instead of its own number.",
                 show_default=False),
]  # fmt: skip
Repeats = Annotated[
    int | None,
    typer.Option("--repeats", metavar="N", min=1, help="Rounds of a race instead of its own number.",
                 show_default=False),
]  # fmt: skip
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Of what is random.")]
Store = Annotated[bool, typer.Option("--store", help="With quick: make what it counts the baseline.")]
RunFolder = Annotated[
    Path | None,
    typer.Argument(metavar="[RUN]", readable=False, help="A run's folder; by default the newest.", show_default=False),
]
RunFolders = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="[RUN]...", readable=False, help="Runs to read instead of measuring; the last of a benchmark counts.",
        show_default=False,
    ),
]  # fmt: skip
Against = Annotated[
    Path | None,
    typer.Option("--against", metavar="RUN", readable=False, help="Another run to compare with.", show_default=False),
]
FOLDER = Path("out") / "bench"


@app.command("list", epilog=LIST_EXAMPLE)
def list_(as_json: options.Json = False) -> None:
    """Say which benchmarks there are."""
    from tocsin_bench import registry

    groups = registry.grouped()
    if as_json:
        output.write_json({"benchmarks": [vars_of(entry) for entries in groups.values() for entry in entries]})
        return
    console = output.console()
    console.print(output.table(("name", "what it is"), [*registry.SUITES.items()], title="Suites"))
    for title, entries in groups.items():
        cells = [(entry.name, entry.description) for entry in entries]
        console.print(output.table(("name", "what it measures"), cells, title=title))


def vars_of(entry: Any) -> dict[str, str]:
    """What a list says about a benchmark."""
    return {key: getattr(entry, key) for key in ("name", "description", "question", "group")}


@app.command("run", epilog=RUN_EXAMPLE)
def run(
    names: Names = None,
    out: Root = FOLDER,
    questions: Questions = None,
    repeats: Repeats = None,
    seed: Seed = 1,
    store: Store = False,
    as_json: options.Json = False,
) -> None:
    """Run benchmarks, print their tables, and keep the results as JSON lines with machine, versions and commit."""
    from tocsin_bench import conduct

    found = conduct.run(
        names or ["targets"], out, questions=questions, repeats=repeats, seed=seed, store=store, quiet=as_json
    )
    if as_json:
        output.write_json(found)
    if found["worse"] or found["broken"]:
        sys.exit(3 if found["broken"] else 1)


@app.command("targets", epilog=TARGETS_EXAMPLE)
def targets(read: RunFolders = None, out: Root = FOLDER, seed: Seed = 1, as_json: options.Json = False) -> None:
    """Measure everything that is to be reached, or read it from runs, and say what was: some ten minutes."""
    from tocsin_bench import conduct
    from tocsin_bench.results import targets as goals

    folders = read or [Path(conduct.run(["targets"], out, seed=seed, quiet=as_json)["folder"])]
    records = conduct.read_targets(folders)
    if as_json:
        output.write_json({"runs": [str(folder) for folder in folders], **goals.verdicts(records)})
    elif read:
        conduct.show_targets(records)


@app.command("report", epilog=REPORT_EXAMPLE)
def report(run: RunFolder = None, against: Against = None, out: Root = FOLDER, as_json: options.Json = False) -> None:
    """Write a run as one HTML page and as Markdown, with plots; --against compares it with another run."""
    from tocsin_bench import conduct

    written = conduct.write_report(run, against, out)
    if as_json:
        output.write_json({"files": [str(path) for path in written]})
        return
    for path in written:
        print(f"wrote {path}")
