"""What commands print: sober tables for people, one JSON object for machines, progress for those who wait."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

import tocsin_command
from tocsin.compiler.progress import told_to
from tocsin.results import Status

Record: TypeAlias = dict[str, Any]
"""What a command says, as it is written in JSON: names, and values of whatever kind JSON has."""

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

COLOURS = {
    Status.FREE: "bold green",
    Status.CONTACT: "bold red",
    Status.INITIAL_CONTACT: "bold red",
    Status.CAPPED: "bold yellow",
}

WIDTH_OF_FILES = 110
"""Columns where the output is not a terminal."""


def console() -> Console:
    """Return the console of standard output."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDTH_OF_FILES, highlight=False, soft_wrap=False)


def note(text: str) -> None:
    """Say something that is not the answer, on standard error."""
    print(text, file=sys.stderr, flush=True)


def write_json(record: Record) -> None:
    """Print the one JSON object; infinities and NaN, which JSON does not know, become null."""
    tocsin_command.print_whole(json.dumps(_plain(record), indent=2, allow_nan=False))


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in cast(dict[object, object], value).items()}
    if isinstance(value, np.ndarray):
        return _plain(cast(object, value.tolist()))
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in cast(Sequence[object], value)]
    if isinstance(value, np.generic):
        return _plain(cast(object, value.item()))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def headline(status: Status, text: str) -> str:
    """Return a line that opens with the verdict, in its colour; `text` goes on from there."""
    from rich.markup import escape

    return f"[{COLOURS[status]}]{'undecided' if status is Status.CAPPED else status.value}[/]{escape(text)}"


def table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "", right: Sequence[int] = ()
) -> Table:
    """Return a table without frames; columns numbered in `right` are aligned to the right."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    out = Table(title=title or None, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, title_style="bold")
    for k, column in enumerate(columns):
        out.add_column(column, justify="right" if k in right else "left", overflow="fold")
    for row in rows:
        out.add_row(*[Text(str(cell)) for cell in row])
    return out


def facts(rows: Sequence[tuple[str, object]]) -> RenderableType:
    """Return names and values, one pair a line."""
    from rich.table import Table
    from rich.text import Text

    out = Table.grid(padding=(0, 2))
    out.add_column(style="dim", no_wrap=True)
    out.add_column(overflow="fold")
    for name, value in rows:
        out.add_row(f"  {name}", Text(str(value)))
    return out


@contextmanager
def progress(label: str) -> Generator[Callable[[float, float], None], None, None]:
    """Show a bar on standard error while something long runs, if that is a terminal; yields progress(done, total).

    While kernels are compiled, it says how many of those that a question needs are there.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} % after"),
        TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("left"), console=Console(stderr=True), transient=True,
        disable=not sys.stderr.isatty(),
    )  # fmt: skip
    with bar:
        task = bar.add_task(label, total=None)

        def compiling(question: str, done: int, total: int) -> None:
            left = f"compiling {question}: {done} of {total} kernels"
            bar.update(task, description=label if done == total else left, completed=done, total=total)

        with nullcontext() if bar.disable else told_to(compiling):
            yield lambda done, total: bar.update(task, description=label, completed=done, total=total)


def metres(value: float) -> str:
    """Return a length with a unit that suits it."""
    if not math.isfinite(value):
        return "infinite"
    for unit, size in (("m", 1.0), ("mm", 1e-3), ("µm", 1e-6)):
        if abs(value) >= size:
            return f"{value / size:.4g} {unit}"
    return "0 m" if value == 0.0 else f"{value / 1e-9:.3g} nm"


def seconds(value: float) -> str:
    """Return a duration with a unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-6:.3g} µs"


def vector(values: object, digits: int = 4) -> str:
    """Return numbers in brackets, rounded."""
    return "(" + ", ".join(f"{x:.{digits}f}" for x in np.asarray(values)) + ")"
