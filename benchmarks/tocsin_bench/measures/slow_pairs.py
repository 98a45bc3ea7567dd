"""The slowest vertex-face and edge-edge pairs that a search can find: how long can a single query take?

A population of random pairs (some nearly flat, some tiny, some far apart) is bred for advancement steps: in each round
the pairs with most steps are kept, and changed a little, at scales from 1e-5 of their size to all of it. Then the
worst are timed as single calls at the default tolerance: the least of 50 calls, since the machine may be busy. What a
call costs when there is nothing to decide stands beside it.

    python -m tocsin_bench slowest
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from tocsin.deform.advance import ENDED
from tocsin.deform.pairs import end_pairs
from tocsin_bench import report
from tocsin_bench.campaigns import truth
from tocsin_bench.scenes.recorded_pairs import Group

DESCRIPTION = "Search for the slowest vertex-face and edge-edge queries, bred for advancement steps; the worst timed."

KEPT, CHILDREN = 400, 10
"""Pairs that survive a round, and changed copies of each."""


def advance_pairs(
    a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray], margin: float, tolerance: np.ndarray
) -> np.ndarray:
    """Return how pairs end, `advance.ENDED`: edges (n, 2, 3), or vertices (n, 1, 3) of a and faces (n, 3, 3) of b."""
    n, of_a = a[0].shape[:2]
    ended = np.zeros(n, ENDED)
    flat = [np.ascontiguousarray(side).reshape(-1) for side in (*a, *b)]
    end_pairs(of_a, (flat[0], flat[1]), (flat[2], flat[3]), margin, tolerance, ended, np.zeros(n))
    return ended


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--rounds", type=int, default=150, help="rounds of breeding (default 150)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the pairs (default 1)")


KINDS = {"vertex-face": 1, "edge-edge": 2}
"""How many of the four points are the first feature's."""


def _group(kind: str, t0: np.ndarray, t1: np.ndarray) -> Group:
    return Group("bred", kind, t0, t1, np.zeros(len(t0), bool), {})


def _count(kind: str, t0: np.ndarray, t1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    n = KINDS[kind]
    tolerance = truth.default_tolerance(_group(kind, t0, t1))
    ended = advance_pairs((t0[:, :n], t1[:, :n]), (t0[:, n:], t1[:, n:]), 0.0, tolerance)
    return ended["steps"], ended["status"]


def breed(kind: str, rounds: int, rng: np.random.Generator) -> tuple[Group, np.ndarray, np.ndarray]:
    """The pairs with most steps after so many rounds, most first, with their steps and statuses."""
    t0, t1 = rng.normal(size=(2, 20_000, 4, 3))
    flat, small = rng.random(len(t0)) < 0.4, rng.random(len(t0)) < 0.2
    t0[flat, :, 2] *= 1e-3
    t1[flat, :, 2] *= 1e-3
    t0[small] *= rng.uniform(0.01, 1.0, (int(small.sum()), 4, 1))
    steps, status = _count(kind, t0, t1)
    for _ in range(rounds):
        top = np.argsort(-steps)[:KEPT]
        ends = [np.repeat(end[top], CHILDREN, axis=0) for end in (t0, t1)]
        scale = 10.0 ** rng.uniform(-5.0, 0.0, (KEPT * CHILDREN, 1, 1))
        changed = [end + scale * rng.normal(size=end.shape) * (rng.random(end.shape) < 0.3) for end in ends]
        found = _count(kind, *changed)
        t0, t1 = np.concatenate([t0[top], changed[0]]), np.concatenate([t1[top], changed[1]])
        steps, status = np.concatenate([steps[top], found[0]]), np.concatenate([status[top], found[1]])
    order = np.argsort(-steps, kind="stable")
    return _group(kind, t0[order], t1[order]), steps[order], status[order]


def _least(group: Group, row: int, times: int) -> float:
    one = group.part(np.array([row]))
    least = np.inf
    for _ in range(times):
        start = time.perf_counter()
        truth.ask(one, None)
        least = min(least, time.perf_counter() - start)
    return least


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Breed both kinds and time the worst."""
    rows, results = [], {}
    for kind in KINDS:
        group, steps, status = breed(kind, args.rounds, np.random.default_rng(args.seed))
        idle = _least(group, len(group) - 1, 200)
        worst = max(_least(group, k, 50) for k in range(20))
        undecided = int((status == 2).sum())
        rows.append([kind, steps[0], undecided, report.us(worst), report.us(idle), report.us(worst - idle)])
        results[kind] = {"steps": steps[:20], "worst": worst, "idle": idle, "undecided": undecided}
    report.table(
        f"The slowest pairs after {args.rounds} rounds",
        ["", "most steps", "undecided", "worst call, µs", "call with nothing to do, µs", "difference, µs"],
        rows,
    )
    return results
