"""The planted-contact campaign: no miss, never late, no false alarm, on contacts that are there by construction.

Every question has a contact proven in 50 digits (or in integers) at a known t*. An answer is right if it collides, if
`time <= t*`, and if at `time` the oracles (independent of the library) measure a distance of at most
margin + tolerance; `is_free` must say no. One group in eight of the rigid ones touches at exactly distance zero, one in
five asks the second distance back end, and to every 16 planted rigid questions comes a near miss, whose answer must be
free or within the tolerance.

    python -m tocsin_bench planted --rigid 100000 --articulated 20000 --seed 0

A failure is printed by its name, such as `rigid:0:123:7`, and `replay("rigid:0:123:7")` asks it again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tocsin.options import METHODS
from tocsin_bench.campaigns.planted_articulated import articulated_group
from tocsin_bench.campaigns.planted_exact import exact_group
from tocsin_bench.campaigns.planted_judge import Case, Tally, excess, verdict
from tocsin_bench.campaigns.planted_rigid import rigid_group

DESCRIPTION = "No miss, never late: contacts planted by construction, found again."

FAMILIES = {"rigid": rigid_group, "exact": exact_group, "articulated": articulated_group}


def _cases(families: tuple[str, ...], seed: int, tally: Tally) -> Iterator[Case]:
    """Yield cases without end: groups of the families in turn."""
    group = 0
    while True:
        yield from FAMILIES[families[group % len(families)]](seed, group, tally)
        group += 1


def rigid_cases(seed: int, tally: Tally) -> Iterator[Case]:
    """Yield rigid questions without end; every eighth group is an exact one."""
    return _cases(("rigid",) * 7 + ("exact",), seed, tally)


def articulated_cases(seed: int, tally: Tally) -> Iterator[Case]:
    """Yield articulated questions without end."""
    return _cases(("articulated",), seed, tally)


def campaign(
    cases: Callable[[int, Tally], Iterator[Case]], count: int, seed: int, tick: Callable[[Tally], None] | None = None,
    method: str = "advancement",
) -> Tally:  # fmt: skip
    """Ask one engine until `count` planted questions were judged; `tick` is called after each."""
    tally = Tally(method)
    if count <= 0:
        return tally
    for case in cases(seed, tally):
        tally.add(case)
        if tick is not None:
            tick(tally)
        if tally.planted >= count:
            break
    return tally


def replay(name: str) -> dict[str, object]:
    """Ask one question again by its name (`rigid:seed:group:k`) and return what was asked, answered and measured."""
    family, seed, group, k = name.split(":")
    (case,) = FAMILIES[family](int(seed), int(group), None, int(k))
    hit = case.ask()
    return {
        "case": case,
        "hit": hit,
        "verdict": verdict(case, hit),
        "is_free": case.ask_free(),
        "excess at time": excess(case, hit.time) if np.isfinite(hit.time) else None,
        "excess at t*": excess(case, case.time),
    }


def report(title: str, tally: Tally, seconds: float) -> list[str]:
    """Return the lines that sum up a campaign."""
    leads = np.array(tally.leads if tally.leads else [0.0])
    words = [f"{word} {n}" for word, n in tally.counts.items() if n or word in ("missed", "late", "false alarm")]
    lines = [
        f"{title}: {tally.planted} planted, {tally.misses} near misses ({tally.misses_free} answered free)",
        f"  {', '.join(words)}",
        f"  t* - time: {np.mean(leads <= 1e-3):.0%} within 1e-3, {np.mean(leads <= 1e-6):.0%} within 1e-6 "
        "(the others met something earlier)",
        f"  {tally.discarded} contacts not proven after rounding and left out; {seconds:.0f} s",
    ]
    lines += [f"  {word.upper()} {name}: {what}" for name, word, what in tally.failures[:50]]
    if len(tally.failures) > 50:
        lines.append(f"  ... and {len(tally.failures) - 50} more failures")
    return lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    parser.add_argument("--rigid", type=int, default=100_000, help="rigid motions (default 100,000)")
    parser.add_argument("--articulated", type=int, default=20_000, help="articulated motions (default 20,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the motions (default 1)")
    parser.add_argument("--method", default="advancement", choices=METHODS, help="the engine to ask")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign with a progress bar, print the verdicts, and leave with an error if promises were broken."""
    from rich.progress import TaskID, TimeRemainingColumn

    from tocsin_bench.report import bar, say

    wrong, lines = 0, []
    with bar(TimeRemainingColumn()) as progress:
        for title, cases, count in (
            ("rigid", rigid_cases, args.rigid),
            ("articulated", articulated_cases, args.articulated),
        ):
            task = progress.add_task(f"{title}: 0 wrong", total=count)

            def tick(tally: Tally, task: TaskID = task, title: str = title) -> None:
                progress.update(task, completed=tally.planted, description=f"{title}: {tally.wrong} wrong")

            start = time.perf_counter()
            tally = campaign(cases, count, args.seed, tick, args.method)
            wrong += tally.wrong
            lines += report(title, tally, time.perf_counter() - start)
    lines.append("no promise broken" if wrong == 0 else f"{wrong} promises broken")
    for line in lines:
        say(line)
    if wrong:
        sys.exit(f"{wrong} promises were broken")
    return {"rigid": args.rigid, "articulated": args.articulated, "broken": 0}
