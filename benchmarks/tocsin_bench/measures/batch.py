"""Batches of edges against single questions, on one thread and on several.

Edges start at free configurations and go a given way, in radians of all joints together, in random directions. A single
question is `scene.is_free(robot.move(q0, q1))` in a loop, or `first_contact`; a batch is `scene.check_edges`, or
`first_contacts`. All answers of a batch, for every number of threads, are compared bit by bit with the single ones. One
thread is timed by the seconds that it spent on a processor, several by the clock on the wall: these want a machine with
nothing else to do. `allocations` are those of kernels, per edge. What the machine itself gives is measured beside it:
as many processes, each with the whole batch on one thread of its own, which share nothing but its processors.
"""

import argparse
import math
import multiprocessing
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tocsin
from tocsin_bench import report
from tocsin_bench.data import data_file
from tocsin_bench.scenes.made_arm import made_cell

DESCRIPTION = "Edges of robots, one by one and in batches, on one thread and on several: µs an edge, and the same bits."

ROBOTS = ("panda", "fetch", "made-3k", "made-20k", "made-100k")
"""Recorded ones, and arms made in code with so many triangles a link."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--robots", nargs="+", default=["panda"], choices=ROBOTS, help="which robots (default panda)")
    parser.add_argument("--ways", type=float, nargs="+", default=[0.1, 0.5, 2.0], help="radians (default 0.1 0.5 2)")
    parser.add_argument("--count", type=int, default=5000, help="edges of each length (default 5,000)")
    parser.add_argument("--repeats", type=int, default=5, help="rounds; the least counts (default 5)")
    parser.add_argument("--threads", type=int, nargs="*", default=[2], help="threads besides one (default 2)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the edges (default 1)")


def cell(name: str) -> tuple[tocsin.Scene, tocsin.Robot]:
    """A robot, a table and what is on it; both before a robot that stands on the floor."""
    if name.startswith("made-"):
        return made_cell(1000 * int(name[5:-1]))
    folder = data_file(f"robots/{name}_mbm")
    robot = tocsin.Robot.from_urdf(folder / f"{name}_mbm.urdf", srdf=folder / f"{name}.srdf")
    x, z = (0.3, 0.4) if name == "fetch" else (0.0, 0.0)
    bodies = [
        tocsin.Body(tocsin.Box((1.0, 1.6, 0.05)), (x + 0.7, 0.0, z + 0.2), name="table"),
        tocsin.Body(tocsin.Box((0.02, 1.0, 0.6)), (x + 0.9, 0.0, z + 0.5), name="board"),
        tocsin.Body(tocsin.Cylinder(0.05, 0.3), (x + 0.5, 0.3, z + 0.4), name="can"),
        tocsin.Body(tocsin.Box((0.2, 0.2, 0.2)), (x + 0.5, -0.3, z + 0.35), name="box"),
    ]
    return tocsin.Scene(robot, *bodies), robot


def edges(scene: tocsin.Scene, robot: tocsin.Robot, count: int, way: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Edges from free configurations."""
    rng = np.random.default_rng(seed)
    low, high = np.clip(robot.limits, -np.pi, np.pi).T
    found: list[np.ndarray] = []
    while sum(map(len, found)) < count:
        drawn = rng.uniform(low, high, (2 * count, robot.n_config))
        found.append(drawn[scene.check_configurations(robot, drawn)])
        if not len(found[-1]):
            raise SystemExit(f"none of {len(drawn):,} configurations of {robot.name} is free: nothing to measure.")
    starts = np.concatenate(found)[:count]
    turns = rng.normal(size=starts.shape)
    return starts, starts + way * turns / np.linalg.norm(turns, axis=1, keepdims=True)


def differing(
    scene: tocsin.Scene, robot: tocsin.Robot, starts: np.ndarray, ends: np.ndarray, threads: list[int]
) -> int:
    """How many answers of batches differ from those of single questions, in any bit."""
    free = np.array([scene.is_free(robot.move(a, b)) for a, b in zip(starts, ends)])
    singles = [scene.first_contact(robot.move(a, b)) for a, b in zip(starts, ends)]
    times = np.array([hit.time for hit in singles])
    status = np.array([hit.status for hit in singles], dtype=object)
    wrong = 0
    for k in threads:
        wrong += int((scene.check_edges(robot, starts, ends, threads=k) != free).sum())
        hits = scene.first_contacts(robot, starts, ends, threads=k)
        wrong += int(((hits.time.view(np.int64) != times.view(np.int64)) | (hits.status != status)).sum())
    return wrong


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure every robot and length of edge; exit with an error where an answer differs."""
    rows, results, wrong = [], {}, 0
    for name in args.robots:
        scene, robot = cell(name)
        for way in args.ways:
            found = _measured(scene, robot, way, args)
            wrong += found["differing"]
            wall, n = found["wall"], found["n"]
            factors = {k: wall[1] / wall[k] for k in args.threads}
            shares = [f"{by:.2f} ({by / k:.2f}; {found['processes'][k]:.2f})" for k, by in factors.items()]
            rates = f"{n / min(wall.values()):,.0f}"
            one = [report.us(found["single"]), report.us(found["batch"]), f"{found['single'] / found['batch']:.2f}"]
            last = [rates, f"{found['allocations']:.3f}", found["differing"]]
            rows.append([f"{name} {way:g} rad", n, f"{found['free']:.2f}", *one, *shares, *last])
            results[f"{name} {way:g} rad"] = found
    threads = [f"{k} threads" for k in args.threads]
    report.table(
        "µs an edge; several threads as factors over one (and per thread; as many processes)",
        ["edges", "n", "free", "one by one", "batch", "factor", *threads, "best, edges/s", "allocations", "differ"],
        rows,
    )
    if wrong:
        raise SystemExit(f"{wrong} answers of batches differ from those of single questions.")
    return results


def _measured(scene: tocsin.Scene, robot: tocsin.Robot, way: float, args: argparse.Namespace) -> dict[str, Any]:
    """One robot and length."""
    starts, ends = edges(scene, robot, args.count, way, args.seed)
    n = len(starts)

    def alone() -> list[bool]:
        return [scene.is_free(robot.move(a, b)) for a, b in zip(starts, ends)]

    def together(threads: int) -> np.ndarray:
        return scene.check_edges(robot, starts, ends, threads=threads)

    differ = differing(scene, robot, starts, ends, [1, *args.threads])
    before = _allocations()
    free = float(together(1).mean())
    allocations = (_allocations() - before) / n
    asks = {"single": (alone, time.thread_time), "batch": (lambda: together(1), time.thread_time)}
    asks |= {str(k): (lambda k=k: together(k), time.perf_counter) for k in (1, *args.threads)}
    least = _least(asks, args.repeats)
    return {
        "n": n, "free": free, "differing": differ, "allocations": allocations, "single": least["single"] / n,
        "batch": least["batch"] / n, "wall": {k: least[str(k)] for k in (1, *args.threads)},
        "processes": {k: _apart(lambda: together(1), k, args.repeats, least["1"]) for k in args.threads},
    }  # fmt: skip


def _apart(ask: Callable[[], Any], k: int, repeats: int, alone: float) -> float:
    """How many times as much k processes do at once as one that takes `alone` seconds; the best of the rounds."""
    context = multiprocessing.get_context("fork")
    barrier, spent = context.Barrier(k), context.SimpleQueue()

    def work() -> None:
        for _ in range(repeats):
            barrier.wait()
            start = time.perf_counter()
            ask()
            barrier.wait()
            spent.put(time.perf_counter() - start)

    workers = [context.Process(target=work) for _ in range(k)]
    for worker in workers:
        worker.start()
    seconds = [spent.get() for _ in range(k * repeats)]
    for worker in workers:
        worker.join()
    return k * alone / min(seconds)


def _allocations() -> int:
    """What compiled code has asked for, all told; 0 where Numba does not count."""
    from numba.core.runtime import _nrt_python as runtime  # type: ignore[attr-defined]

    try:
        runtime.memsys_enable_stats()
        return int(runtime.memsys_get_stats_alloc())
    except (AttributeError, RuntimeError):
        return 0


def _least(asks: dict[str, tuple[Callable[[], Any], Callable[[], float]]], repeats: int) -> dict[str, float]:
    """The least seconds of each in so many rounds, in turns."""
    least = dict.fromkeys(asks, math.inf)
    for _ in range(repeats):
        for name, (ask, clock) in asks.items():
            start = clock()
            ask()
            least[name] = min(least[name], clock() - start)
    return least
