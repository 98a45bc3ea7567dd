"""Many bodies that move at once: what a question costs, how it grows with their number, beside others' broad phases.

One thread each, processor time, so that a busy machine counts less; contestants take turns step by step. tocsin answers
about the whole of a step, proven; the others find pairs of boxes at its end (`peers.broad_phases`).
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tocsin_bench import report
from tocsin_bench.peers import broad_phases
from tocsin_bench.scenes import crowds

DESCRIPTION = "1,000 to 10,000 bodies that all move at once: first contact, distance and all contacts of a step."

COUNTS = (1_000, 3_000, 10_000)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=7, help="steps of each crowd (default 7)")
    parser.add_argument("--bodies", type=int, nargs="+", default=list(COUNTS), help="how many bodies (default all)")
    parser.add_argument(
        "--kind", choices=crowds.KINDS, nargs="+", default=list(crowds.KINDS), help="which (default all)"
    )


def taken(ask: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds, and the answer."""
    began = time.process_time()
    answer = ask()
    return time.process_time() - began, answer


def step_after_step(kind: str, n: int, steps: int, contact: bool) -> tuple[dict[str, float], int]:
    """The median seconds of each question and contestant over the steps after the first, and how many collide."""
    case = crowds.crowd(kind, n, steps, contact=contact)
    frames = crowds.poses(n, steps, crowds.RUSH if contact else crowds.DRIFT)
    bodies: Any = list(case.scene.models)
    peers, _ = broad_phases.available(bodies)
    seconds: dict[str, list[float]] = {}
    hits = 0
    for k in range(steps):
        told = {}
        told["move_all"], motions = taken(lambda k=k: case.remake(k))
        told["first_contact"], hit = taken(lambda motions=motions: case.scene.first_contact(*motions))
        hits += hit.collides
        told["is_free"], _ = taken(lambda motions=motions: case.scene.is_free(*motions))
        standing = [body.at(pose) for body, pose in zip(bodies, frames[k + 1])]
        told["distance"], _ = taken(lambda standing=standing: case.scene.distance(*standing))
        told["contacts"], _ = taken(lambda motions=motions: case.scene.contacts(*motions))
        for peer in peers:
            peer.place(frames[k + 1])
            told[peer.name], _ = taken(peer.ask)
        for name, value in told.items():
            seconds.setdefault(name, []).append(value)
    return {name: float(np.median(values[1:] or values)) for name, values in seconds.items()}, hits


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Time every crowd."""
    results: dict[str, Any] = {}
    for kind in args.kind:
        for contact in (False, True):
            found = {n: step_after_step(kind, n, args.count, contact) for n in args.bodies}
            name = f"{kind}, {'some meet' if contact else 'free'}"
            results[name] = {str(n): {"seconds": times, "collide": hits} for n, (times, hits) in found.items()}
            columns = [question for times, _ in found.values() for question in times]
            rows = [
                [question, *[report.ms(times[question]) for times, _ in found.values()]]
                for question in dict.fromkeys(columns)
            ]
            rows.append(["steps that collide", *[str(hits) for _, hits in found.values()]])
            report.table(
                f"{name}: processor ms of a step, median of {args.count}",
                ["", *[f"{n:,} bodies" for n in args.bodies]],
                rows,
                "the first step, which lays out tables and trees, is left out",
            )
    return results
