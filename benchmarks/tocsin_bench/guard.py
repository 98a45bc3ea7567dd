"""The regression guard, `tocsin bench run quick`: counts that do not depend on the machine, against stored ones.

How many pairs survive each cull, how many steps, box, hull and triangle tests a fixed list of questions takes: a change
that makes a bound looser or a search longer shows here on any machine, however busy, while its effect on time may drown
in noise. The stored counts are in `baseline.json`. A count may grow by `SLACK` (the last digits of sines and cosines
differ between processors, and steer a few searches); beyond that the guard fails. What shrinks is reported, so that
the baseline can be lowered with `--store`. The number of contacts must be the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tocsin
from tocsin_bench import race, report
from tocsin_bench.results.tables import Table
from tocsin_bench.scenes import cases, crowds, soft_scenes

BASELINE = Path(__file__).with_name("baseline.json")
SLACK = 0.05
SMALL = 20
"""Counts are allowed to differ by this many, whatever the share: a few of a dozen is no jump."""


def _cloth() -> cases.Case:
    """A small cloth over a ball, from frame to frame."""
    film = soft_scenes.cloth(2_000, np.linspace(0.4, 1.0, 9))
    models = [tocsin.Deformable(part.frames[0], faces=part.faces, name=part.name) for part in film.parts]

    def remake(k: int) -> tuple[Any, ...]:
        return tuple(m.move(part.frames[k], part.frames[k + 1]) for m, part in zip(models, film.parts))

    questions = [remake(k) for k in range(film.steps)]
    return cases.Case("cloth", tocsin.Scene(*models), questions, sum(len(part.faces) for part in film.parts), remake)


CASES: dict[str, tuple[Callable[[], cases.Case], dict[str, Any]]] = {
    "tori": (lambda: cases.tori(2_000, 60), {}),
    "tori, hulls": (lambda: cases.tori(2_000, 20, backend="hulls"), {}),
    "chess pair": (lambda: cases.chess_pair(40), {}),
    "walk": (lambda: cases.walk(90), {}),
    "exercise": (lambda: cases.exercise(90), {}),
    "snake": (lambda: cases.snake(20, 20), {}),
    "long turns": (lambda: cases.swings(20), {}),
    "walk, interval": (lambda: cases.walk(30), {"method": "interval"}),
    "cloth": (_cloth, {}),
    "crowd": (lambda: crowds.crowd("mixed", 300, 8, contact=True), {}),
}
"""What is asked: a scene with its questions, and options of `first_contact`."""


def measure() -> dict[str, dict[str, int]]:
    """Ask all questions of every case and add up their counts."""
    found = {}
    with report.progress("counting", len(CASES)) as step:
        for name, (make, options) in CASES.items():
            step(f"counting: {name}")
            case = make()
            case.scene.charts = False  # Whether one is on disk depends on the machine.
            hits = [case.scene.first_contact(*question, **options) for question in case.questions]
            counts = {key: sum(getattr(hit.stats, key) for hit in hits) for key in race.COUNTS}
            found[name] = {"questions": len(hits), "contacts": sum(hit.collides for hit in hits), **counts}
    return found


def stored() -> dict[str, dict[str, int]]:
    """The counts to compare with."""
    return json.loads(BASELINE.read_text()) if BASELINE.exists() else {}


def compare(found: dict[str, dict[str, int]], base: dict[str, dict[str, int]]) -> tuple[list[str], list[str]]:
    """What has grown beyond the slack or changed where it must not, and what has shrunk; a sentence each."""
    worse, better = [], []
    for name in [*base, *(name for name in found if name not in base)]:
        if name not in found or name not in base:
            worse.append(f"{name}: {'not measured' if name in base else 'not in the baseline'}")
            continue
        for key, now in found[name].items():
            before = base[name].get(key, 0)
            workspace = max(SMALL, SLACK * before)
            words = f"{name}: {key.replace('_', ' ')} {before:,} -> {now:,}"
            if (key in ("questions", "contacts") and now != before) or now > before + workspace:
                worse.append(words)
            elif now < before - workspace:
                better.append(words)
    return worse, better


def table(found: dict[str, dict[str, int]], base: dict[str, dict[str, int]]) -> Table:
    """Counts now, with the change against the baseline where there is one."""
    columns = ["questions", "contacts", *race.COUNTS]
    rows = []
    for name, counts in found.items():
        before = base.get(name, {})
        rows.append([name, *(_cell(counts[key], before.get(key)) for key in columns)])
    return Table(
        "Counts that do not depend on the machine, against the stored baseline",
        ["", *(key.replace("_", " ") for key in columns)],
        rows,
    )


def _cell(now: int, before: int | None) -> str:
    if before is None or before == now:
        return f"{now:,}"
    return f"{now:,} ({100.0 * (now - before) / max(before, 1):+.1f} %)"


def run(*, store: bool = False) -> dict[str, Any]:
    """Measure and compare; the record says what has become worse. With `store`, this becomes the baseline first."""
    found = measure()
    if store:
        BASELINE.write_text(json.dumps(found, indent=1) + "\n")
    base = stored()
    worse, better = compare(found, base)
    shown = table(found, base)
    return {
        "benchmark": "quick", "description": DESCRIPTION, "question": "did any count jump?", "group": "engine",
        "guard": found, "worse": worse, "better": better, "tables": [vars(shown)],
    }  # fmt: skip


def verdict(record: dict[str, Any]) -> None:
    """Say what has changed."""
    for words in record["worse"]:
        report.console.print(f"[bold red]worse[/] {words}", highlight=False)
    for words in record["better"]:
        report.console.print(f"[green]better[/] {words}; `tocsin bench run quick --store` keeps it", highlight=False)
    if not record["worse"]:
        report.console.print("[bold green]no count has jumped[/]")


DESCRIPTION = "The regression guard: pairs, steps and node visits of fixed questions against the stored baseline."
