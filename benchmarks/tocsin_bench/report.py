"""What all benchmarks share: fair timing, tables, and a record of the machine that the numbers come from.

Times are taken with `time.thread_time` around one call, after a warm-up: the seconds that this thread spent on a
processor, so that other programs on the machine do not count (a busy second core still costs some cache). Contestants
take turns: each goes through all questions in order, as in use, then the next one, and the round is repeated, starting
with another contestant, so that a busy moment of the machine hits all of them. (Taking turns on every single question
would let the second one find its data in the cache.) The time of a question is the median over the rounds.
"""

import gc
import importlib.metadata
import json
import math
import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from tocsin_bench.data import Ended

console = Console(width=None if sys.stdout.isatty() else 120)

PACKAGES = (
    "tocsin", "tocsin-bench", "numpy", "numba", "scipy", "trimesh", "python-fcl", "pin", "coal", "hpp-core", "drake",
    "rapier3d", "ipctk", "ompl", "mujoco",
)  # fmt: skip
"""Ours, and those of the contestants; what is not installed is left out."""


def command() -> str:
    """The command line that is running, as a user would type it."""
    program = "python -m tocsin_bench" if "tocsin_bench" in Path(sys.argv[0]).parts else "tocsin"
    return shlex.join([*program.split(), *sys.argv[1:]])


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
            continue
    about = {"cpu": cpu, "cores": os.cpu_count(), "threads_used": 1, "system": platform.platform()}
    return about | {"versions": versions, "commit": commit()}


@cache
def commit() -> str:
    """The commit of the sources, with a + if they were changed since; empty where there is no repository."""
    here = Path(__file__).resolve().parent
    words = []
    sources = ("--untracked-files=no", "--", "..", "../../src")
    for line in (("rev-parse", "--short=10", "HEAD"), ("status", "--porcelain", *sources)):
        try:
            done = subprocess.run(["git", "-C", str(here), *line], capture_output=True, text=True, timeout=20)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        if done.returncode:
            return ""
        words.append(done.stdout.strip())
    return words[0] + ("+" if words[1] else "")


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
    Path(path).write_text(json.dumps(record, indent=1, default=plain) + "\n")
    console.print(f"wrote {path}", highlight=False)


def plain(value: Any) -> Any:
    """Numpy values as what JSON knows."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"a {type(value).__name__} cannot be written as JSON")


Runner = Callable[[Sequence[int]], tuple[np.ndarray, list[Any]]]
"""Goes through the questions with these numbers, and returns the seconds and the answer of each."""


@dataclass(frozen=True)
class Turns:
    """What came of one contestant: seconds of each question, the median over the rounds, and its last answers."""

    seconds: np.ndarray
    answers: list[Any]
    ended: str = ""
    """Why it was not asked more, if its process has ended."""


def asking(
    ask: Callable[[int], Any],
    before: Callable[[], None] | None = None,
    *,
    clock: Callable[[], float] = time.thread_time,
) -> Runner:
    """A contestant in this process: `ask` is called with the number of a question, `before` ahead of it, untimed."""

    def go_through(questions: Sequence[int]) -> tuple[np.ndarray, list[Any]]:
        seconds, answers = np.zeros(len(questions)), []
        was_collecting = gc.isenabled()
        gc.collect()
        gc.disable()
        try:
            for k, question in enumerate(questions):
                if before is not None:
                    before()
                start = clock()
                answer = ask(question)
                seconds[k] = clock() - start
                answers.append(answer)
        finally:
            if was_collecting:
                gc.enable()
        return seconds, answers

    return go_through


PATIENCE = 3.0
"""Seconds that a contestant of a race may take for its questions in one round; a slower one is given fewer."""
ONE_BY_ONE = 6
"""So many questions are asked singly to find out how long they take."""
ENOUGH = 3.0
"""A peer that takes this many times the patience is asked once."""


def rounds(
    contestants: Mapping[str, Runner],
    n_questions: int,
    repeats: int,
    *,
    label: str = "timing",
    warm_up: bool = True,
    patience: float = math.inf,
    peers: Collection[str] = (),
) -> dict[str, Turns]:
    """Let contestants take turns.

    Before the first round each goes through all questions untimed, until it has taken more than `patience` seconds; how
    far it came is how many questions it is given. Ours are asked once before that, because kernels that were never used
    are compiled then; one of the `peers` that took `ENOUGH` times as long is not asked again, and these times count. So
    do those of one whose process has ended: it keeps what it has answered before.
    """
    counts = dict.fromkeys(contestants, n_questions)
    taken: dict[str, list[np.ndarray]] = {name: [] for name in contestants}
    warmed: dict[str, np.ndarray] = {}
    answers: dict[str, list[Any]] = {}
    ended: dict[str, str] = {}
    done: set[str] = set()
    with progress(label, (repeats + warm_up) * len(contestants)) as step:
        for name, run in contestants.items() if warm_up else ():
            step(f"{label}: {name}, to warm up")
            if name not in peers:
                run(range(1))
            warmed[name], answers[name], ended[name] = _warmed(run, n_questions, patience)
            counts[name] = len(warmed[name])
            if ended[name] or (name in peers and warmed[name].sum() > ENOUGH * patience):
                done.add(name)
        for number in range(repeats):
            order = [*contestants.items()]
            first = number % max(len(contestants), 1)
            for name, run in order[first:] + order[:first]:
                step(f"{label}: {name}")
                if name in done:
                    continue
                try:
                    seconds, answers[name] = run(range(counts[name]))
                except Ended as why:
                    if name not in answers:
                        raise
                    ended[name] = f"round {number + 1}: {why}"
                    done.add(name)
                    continue
                taken[name].append(seconds)
    return {
        name: Turns(np.median(taken[name] or [warmed[name]], axis=0), answers[name], ended.get(name, ""))
        for name in contestants
    }


def _warmed(run: Runner, count: int, patience: float) -> tuple[np.ndarray, list[Any], str]:
    """Go through the questions in growing parts until patience ends; what came of those that were answered, and what
    ended it."""
    taken, answers = np.zeros(0), []
    left, part = patience, 1
    while len(taken) < count and left > 0.0:
        part = min(part, count - len(taken))
        try:
            seconds, said = run(range(len(taken), len(taken) + part))
        except Ended as why:
            return taken, answers, f"question {len(taken) + 1}{f' to {len(taken) + part}' * (part > 1)}: {why}"
        taken, answers = np.concatenate([taken, seconds]), answers + said
        left -= float(seconds.sum())
        # One by one at first, since a contact may take a thousand times as long as a free motion; then as many again,
        # or what the patience that is left allows for by the slowest so far.
        part = 1 if len(taken) < ONE_BY_ONE else max(1, int(min(len(taken), left / max(float(taken.max()), 1e-9))))
    return taken, answers, ""


def take_turns(
    contestants: Mapping[str, Callable[[int], Any]],
    n_questions: int,
    repeats: int,
    *,
    label: str = "timing",
) -> dict[str, np.ndarray]:
    """Return seconds of each contestant on each question, the median over `repeats` rounds, after an untimed one.

    A contestant is called with the number of the question.
    """
    runners = {name: asking(ask) for name, ask in contestants.items()}
    return {name: turns.seconds for name, turns in rounds(runners, n_questions, repeats, label=label).items()}


def say(line: str) -> None:
    """Print a line as it is, unless nothing is to be printed."""
    console.print(line, highlight=False, markup=False, soft_wrap=True)


def bar(*more: ProgressColumn) -> Progress:
    """A progress bar for something long, shown if somebody watches; with further columns."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), *more)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def progress(label: str, total: int) -> Iterator[Callable[[str], None]]:
    """Show a bar meanwhile; yields a function that takes a step, with its name."""
    with bar() as shown:
        task = shown.add_task(label, total=total)

        def step(words: str) -> None:
            shown.update(task, advance=1, description=words)

        yield step


@contextmanager
def quietly(wanted: bool = True) -> Iterator[None]:
    """Print nothing meanwhile, if wanted."""
    was = console.quiet
    console.quiet = wanted or was
    try:
        yield
    finally:
        console.quiet = was


_kept: list[list[dict[str, Any]]] = []


@contextmanager
def keeping_tables() -> Iterator[list[dict[str, Any]]]:
    """Yield a list to which every table that is printed meanwhile is added, as text."""
    _kept.append([])
    try:
        yield _kept[-1]
    finally:
        _kept.pop()


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> None:
    """Print a table; numbers are right-aligned, the first column is text."""
    for kept in _kept[-1:]:
        cells = [[str(cell) for cell in row] for row in rows]
        kept.append({"title": title, "columns": list(columns), "rows": cells, "note": note})
    out = Table(title=title, title_justify="left", caption=note or None, caption_justify="left")
    for k, column in enumerate(columns):
        out.add_column(column, justify="left" if k == 0 else "right")
    for row in rows:
        out.add_row(*[str(cell) for cell in row])
    console.print(out)


def ms(seconds: float) -> str:
    """Seconds as milliseconds with three figures or whole."""
    return "-" if not np.isfinite(seconds) else f"{1e3 * seconds:.3g}" if seconds < 1.0 else f"{1e3 * seconds:,.0f}"


def us(seconds: float) -> str:
    """Seconds as microseconds with three figures or whole."""
    return "-" if not np.isfinite(seconds) else f"{1e6 * seconds:,.3g}" if seconds < 1e-3 else f"{1e6 * seconds:,.0f}"


def percent(fraction: float) -> str:
    """A fraction as a percentage with one decimal."""
    return "-" if not np.isfinite(fraction) else f"{100.0 * fraction:.1f} %"


def mean(values: np.ndarray) -> float:
    """The mean, NaN of nothing."""
    return float(np.mean(values)) if len(values) else float("nan")
