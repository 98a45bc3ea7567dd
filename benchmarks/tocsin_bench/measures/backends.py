"""The two distance back ends side by side: a tree of boxes over triangles, and a tree of hulls over convex pieces.

Both carry the same promise; which is faster depends on the scene. They take turns on each question in one run.
"""

import argparse
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import tocsin
from tocsin.options import BACKENDS
from tocsin_bench import report
from tocsin_bench.scenes import cases

DESCRIPTION = "Mean time of a query with each distance back end, on every scene: tori, chess pair, walk, exercise."

SCENES: dict[str, Callable[..., cases.Case]] = {
    "tori": cases.tori, "chess pair": cases.chess_pair, "walk": cases.walk, "exercise": cases.exercise,
}  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=200, help="motions or frames of each scene (default 200)")
    parser.add_argument(
        "--repeats", type=int, default=3, help="rounds; the time of a motion is their median (default 3)"
    )


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Time every scene with every back end and say where their answers differ."""
    if "backend" not in inspect.signature(tocsin.Scene).parameters:
        report.console.print("tocsin.Scene takes no `backend` here: there is one distance back end, nothing to compare")
        return {}
    rows, results = [], {}
    for name, make in SCENES.items():
        asked = {backend: make(**{_count_keyword(name): args.count}, backend=backend) for backend in BACKENDS}
        ask = {b: (lambda k, case=case: case.scene.first_contact(*case.questions[k])) for b, case in asked.items()}
        seconds = report.take_turns(ask, args.count, args.repeats, label=name)
        hits = {b: [case.scene.first_contact(*question) for question in case.questions] for b, case in asked.items()}
        collides = {b: np.array([hit.collides for hit in answers]) for b, answers in hits.items()}
        reference = collides[BACKENDS[0]]
        # Near the tolerance one may rightly say free and the other contact; more than a few would be a fault.
        differ = max(int(np.sum(collides[b] != reference)) for b in BACKENDS)
        best = min(BACKENDS, key=lambda b: report.mean(seconds[b]))
        rows.append([name, *(report.us(report.mean(seconds[b])) for b in BACKENDS),
                     *(report.us(report.mean(seconds[b][~reference])) for b in BACKENDS),
                     *(report.us(report.mean(seconds[b][reference])) for b in BACKENDS), best, differ])  # fmt: skip
        results[name] = {"seconds": seconds, "differ": differ}
    report.table(
        f"Distance back ends, mean µs of first_contact, contacts not read, over {args.count} questions",
        [
            "scene",
            *BACKENDS,
            *(f"{b}, free" for b in BACKENDS),
            *(f"{b}, contact" for b in BACKENDS),
            "faster",
            "differ",
        ],
        rows,
    )
    return results


def _count_keyword(name: str) -> str:
    return "n_frames" if name in ("walk", "exercise") else "count"
