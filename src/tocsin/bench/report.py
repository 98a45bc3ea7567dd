"""What all benchmarks share: fair timing, tables, and a record of the machine that the numbers come from.

Times are taken with `time.perf_counter` around one call, after a warm-up, by one thread. Contestants take turns: each
goes through all questions in order, as in use, then the next one, and the round is repeated, starting with another
contestant, so that a busy moment of the machine hits all of them. (Taking turns on every single question would let the
second one find its data in the cache.) The time of a question is the median over the rounds.
"""

import gc
import importlib.metadata
import json
import os
import platform
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

console = Console(width=None if sys.stdout.isatty() else 120)

PACKAGES = ("tocsin", "numpy", "numba", "scipy", "trimesh", "python-fcl", "ipctk")


def command() -> str:
    """The command line that is running, as a user would type it."""
    return "python -m tocsin.bench " + shlex.join(sys.argv[1:])


def machine() -> dict[str, Any]:
    """Processor, system and versions."""
    cpu = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {"cpu": cpu, "cores": os.cpu_count(), "threads_used": 1, "system": platform.platform(), "versions": versions}


def opening(title: str) -> None:
    """Say what is measured, by which command, and on which machine."""
    about = machine()
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    console.rule(f"[bold]{title}")
    console.print(f"made by: {command()}", highlight=False)
    console.print(f"{about['cpu']}, {about['cores']} cores, one thread used; {versions}", highlight=False, style="dim")


def save(path: str | Path | None, results: Mapping[str, Any]) -> None:
    """Write results with the command and the machine to `path` as JSON; nothing if `path` is None."""
    if path is None:
        return
    record = {
        "command": command(),
        "date": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": machine(),
        "results": results,
    }
    Path(path).write_text(json.dumps(record, indent=1, default=_plain) + "\n")
    console.print(f"wrote {path}", highlight=False)


def _plain(value: Any) -> Any:
    """Numpy values as what JSON knows."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")


def take_turns(
    contestants: Mapping[str, Callable[[int], Any]],
    n_questions: int,
    repeats: int,
    *,
    label: str = "timing",
    before: Callable[[], None] | None = None,
    warm_up: bool = True,
) -> dict[str, np.ndarray]:
    """Seconds of each contestant on each question, the median over `repeats` rounds, after an untimed one.

    A contestant is called with the number of the question; `before` is called before each call, outside the clock.
    """
    seconds = {name: np.zeros((repeats, n_questions)) for name in contestants}
    clock = time.perf_counter
    was_collecting = gc.isenabled()
    try:
        for number in track(
            range(-warm_up, repeats),
            description=label,
            console=console,
            transient=True,
            disable=not console.is_terminal,
        ):
            gc.collect()
            gc.disable()
            first = max(number, 0) % len(contestants)
            for name, ask in [*contestants.items()][first:] + [*contestants.items()][:first]:
                for question in range(n_questions):
                    if before is not None:
                        before()
                    start = clock()
                    ask(question)
                    took = clock() - start
                    if number >= 0:
                        seconds[name][number, question] = took
            gc.enable()
    finally:
        if not was_collecting:
            gc.disable()
    return {name: np.median(taken, axis=0) for name, taken in seconds.items()}


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> None:
    """Print a table; numbers are right-aligned, the first column is text."""
    out = Table(title=title, title_justify="left", caption=note or None, caption_justify="left")
    for k, column in enumerate(columns):
        out.add_column(column, justify="left" if k == 0 else "right")
    for row in rows:
        out.add_row(*[str(cell) for cell in row])
    console.print(out)


def ms(seconds: float) -> str:
    """Seconds as milliseconds with three figures."""
    return "-" if not np.isfinite(seconds) else f"{1e3 * seconds:.3g}"


def us(seconds: float) -> str:
    """Seconds as microseconds with three figures or whole."""
    return "-" if not np.isfinite(seconds) else f"{1e6 * seconds:,.3g}" if seconds < 1e-3 else f"{1e6 * seconds:,.0f}"


def percent(fraction: float) -> str:
    """A fraction as a percentage with one decimal."""
    return "-" if not np.isfinite(fraction) else f"{100.0 * fraction:.1f} %"


def mean(values: np.ndarray) -> float:
    """The mean, NaN of nothing."""
    return float(np.mean(values)) if len(values) else float("nan")
