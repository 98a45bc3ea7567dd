"""What each idea of the engine is worth: the same questions with it and without it, in one run.

    python -m tocsin_bench ablation-taylor
    python -m tocsin_bench ablation-temporal --scenes walk "long turns" --planted 2000

The engine without an idea is a process of its own (`variants.py` says what stands in for what), and so, for the same
conditions, is the engine as it is; they take turns. Kernels are compiled at the first run, a minute or two, and kept.
Answers must agree: a motion that one calls free and the other a contact is counted, and so is a time that differs by
more than the tolerances allow for.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from tocsin_bench import race, report
from tocsin_bench.data import Ended, Missing
from tocsin_bench.measures import variants
from tocsin_bench.peers.remote import Worker

TITLES = {
    "taylor": ("Taylor models", "interval matrices"),
    "temporal": ("temporal culling", "every pair by itself"),
    "hulls": ("hulls first", "hierarchies at once"),
    "bound": ("our motion bound", "equation 10"),
}
"""With it, and without."""

DESCRIPTIONS = {
    "taylor": "Swept boxes by Taylor models against interval arithmetic (2007, section 5.1, Fig. 5).",
    "temporal": "Temporal culling on and off (2007, section 7.1, Table 2).",
    "hulls": "Hulls first, or the hierarchies at once (2007, section 7.2).",
    "bound": "Our motion bound against the speed bound of equation 10 (2007, section 6).",
}

COLUMNS = {"pairs_spatial": "pairs left", "pairs_temporal": "advanced", "steps": "steps", "node_tests": "boxes",
           "hull_tests": "hulls", "leaf_tests": "triangles"}  # fmt: skip
"""Counts that are shown, mean of a question."""

APART = 0.01
"""Times of contact that differ by more are counted as another answer: both are early by what their tolerance allows."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--scenes", nargs="+", metavar="NAME", choices=[*variants.SCENES], default=[*variants.SCENES],
                        help=f"some of {', '.join(variants.SCENES)}")  # fmt: skip
    parser.add_argument("--count", type=int, default=100, help="questions of each scene (default 100)")
    parser.add_argument("--repeats", type=int, default=3, help="rounds; times are medians over them (default 3)")
    parser.add_argument("--seed", type=int, default=1, help="seed of planted contacts (default 1)")
    parser.add_argument("--planted", type=int, default=0, metavar="N",
                        help="also hold the engine without it against N planted contacts")  # fmt: skip


def run(name: str, args: argparse.Namespace) -> dict[str, Any]:
    """Ask every scene with and without one idea, and print what it costs and counts."""
    sides = {"with": variants.worker(variants.AS_IT_IS), "without": variants.worker(name)}
    rows, results, apart = [], {}, 0
    for scene in args.scenes:
        try:
            found = _scene(sides, scene, args)
        except Missing as missing:
            report.console.print(f"{scene}: left out, {missing}", highlight=False)
            continue
        results[scene] = found
        apart += found["differ"]
        ratio = found["without"]["mean"] / found["with"]["mean"]
        counts = [_both(f"{found[side]['counts'][key]:,.3g}" for side in sides) for key in COLUMNS]
        rows.append([scene, _both(report.us(found[side]["mean"]) for side in sides), f"{ratio:.2f}x", *counts])
    report.table(
        f"With {TITLES[name][0]} -> without: {TITLES[name][1]}. first_contact, mean of a question",
        ["", "µs", "slower by", *COLUMNS.values()],
        rows,
        f"{args.count} questions of each scene; answers that differ: {apart}",
    )
    if args.planted:
        results["broken"] = sides["without"].call("planted", args.planted, args.planted // 5, args.seed)
        report.console.print(
            f"{args.planted} rigid and {args.planted // 5} articulated planted contacts without it: promises broken "
            f"{results['broken']}",
            highlight=False,
        )
        if results["broken"]:
            raise SystemExit(f"{results['broken']} promises are broken without {TITLES[name][0]}")
    return results


def _both(cells: Iterable[str]) -> str:
    return " -> ".join(cells)


def _scene(sides: Mapping[str, Worker], scene: str, args: argparse.Namespace) -> dict[str, Any]:
    """Both on one scene: seconds, counts, and in how many answers they differ."""
    count = max(worker.call("prepare", scene, args.count) for worker in sides.values())
    runners = {side: partial(_asked, worker) for side, worker in sides.items()}
    done = report.rounds(runners, count, args.repeats, label=scene)
    for turns in done.values():
        if turns.ended:
            raise Ended(turns.ended)
    times = {side: np.array(turns.answers) for side, turns in done.items()}
    collides = np.isfinite(times["with"])
    same = np.isfinite(times["without"]) == collides
    both = collides & same
    apart = np.abs(times["with"][both] - times["without"][both]) > APART
    counts = {side: worker.call("counts") for side, worker in sides.items()}
    found: dict[str, Any] = {"differ": int(np.sum(~same) + np.sum(apart)), "seconds": {}}
    for side, turns in done.items():
        found[side] = {**race.spread(turns.seconds, collides), "counts": counts[side]}
        found["seconds"][side] = turns.seconds
    return found


def _asked(worker: Worker, questions: Sequence[int]) -> tuple[np.ndarray, list[Any]]:
    return worker.call("run", list(questions))


COMMANDS = {f"ablation-{name}": (DESCRIPTIONS[name], partial(run, name)) for name in TITLES}
"""The benchmarks by name: what each says about itself, and what it does."""
