"""Batches of edges against single questions, and on several threads: a recorded panda over a table.

Edges start at free configurations and go a given way, in radians of all joints together, in random directions. A single
question is `scene.is_free(robot.move(q0, q1))` in a loop; a batch is `scene.check_edges`. One thread is timed by the
seconds that it spent on a processor, several by the clock on the wall: these want a machine with nothing else to do.
"""

import argparse
import time
from typing import Any

import numpy as np

import tocsin
from tocsin_bench import report
from tocsin_bench.data import data_file

DESCRIPTION = "Edges of a panda, one by one and in batches, on one thread and on several: µs an edge."

WAYS = (0.1, 0.5, 2.0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--count", type=int, default=5000, help="edges of each length (default 5,000)")
    parser.add_argument("--repeats", type=int, default=5, help="rounds; the least counts (default 5)")
    parser.add_argument("--threads", type=int, nargs="*", default=[2], help="threads besides one (default 2)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the edges (default 1)")


def cell() -> tuple[tocsin.Scene, tocsin.Robot]:
    """A panda, a table and what is on it."""
    folder = data_file("robots/panda_mbm")
    robot = tocsin.Robot.from_urdf(folder / "panda_mbm.urdf", srdf=folder / "panda.srdf")
    bodies = [
        tocsin.Body(tocsin.Box((1.0, 1.6, 0.05)), (0.7, 0.0, 0.2), name="table"),
        tocsin.Body(tocsin.Box((0.02, 1.0, 0.6)), (0.9, 0.0, 0.5), name="board"),
        tocsin.Body(tocsin.Cylinder(0.05, 0.3), (0.5, 0.3, 0.4), name="can"),
        tocsin.Body(tocsin.Box((0.2, 0.2, 0.2)), (0.5, -0.3, 0.35), name="box"),
    ]
    return tocsin.Scene(robot, *bodies), robot


def edges(scene: tocsin.Scene, robot: tocsin.Robot, count: int, way: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges from free configurations."""
    rng = np.random.default_rng(seed)
    low, high = np.clip(robot.limits, -np.pi, np.pi).T
    drawn = rng.uniform(low, high, (8 * count, robot.n_config))
    starts = drawn[scene.check_configurations(robot, drawn)][:count]
    turns = rng.normal(size=starts.shape)
    return starts, starts + way * turns / np.linalg.norm(turns, axis=1, keepdims=True)


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure every length of edge."""
    scene, robot = cell()
    rows, results = [], {}
    for way in WAYS:
        starts, ends = edges(scene, robot, args.count, way, args.seed)
        n = len(starts)

        def alone(starts: np.ndarray = starts, ends: np.ndarray = ends) -> list[bool]:
            return [scene.is_free(robot.move(a, b)) for a, b in zip(starts, ends)]

        def together(threads: int, starts: np.ndarray = starts, ends: np.ndarray = ends) -> np.ndarray:
            return scene.check_edges(robot, starts, ends, threads=threads)

        same = alone() == together(1).tolist()
        single, batch = (_least(ask, args.repeats, time.thread_time) for ask in (alone, lambda: together(1)))
        wall = {k: _least(lambda k=k: together(k), args.repeats, time.perf_counter) for k in (1, *args.threads)}
        cells = [report.us(single / n), report.us(batch / n), f"{single / batch:.2f}"]
        cells += [f"{wall[1] / wall[k]:.2f}" for k in args.threads]
        rows.append([f"{way:g} rad", n, f"{together(1).mean():.2f}", *cells, "yes" if same else "NO"])
        results[f"{way:g} rad"] = {"n": n, "single": single / n, "batch": batch / n, "wall": wall, "same": same}
    threads = [f"{k} threads" for k in args.threads]
    report.table(
        "Edges of a panda, µs an edge; several threads as factors over one",
        ["way", "edges", "free", "one by one", "batch", "factor", *threads, "same answers"],
        rows,
    )
    return results


def _least(ask: Any, repeats: int, clock: Any) -> float:
    """The least seconds of so many rounds."""
    taken = []
    for _ in range(repeats):
        start = clock()
        ask()
        taken.append(clock() - start)
    return min(taken)
