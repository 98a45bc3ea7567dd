"""Edges on a GPU, compared one by one with the same edges on this machine's threads.

Edges are those of `mbm`: near start and goal of MotionBenchMaker's problems, along the straight way between them, and
anywhere within the limits, with steps of up to `--longest` radians a joint. UR5, UR10 and an arm that is built here
have a table in front of them, and edges anywhere.

An answer is contradicted if it is free on the GPU, and a contact on threads. The other way round, a contact within the
tolerance that one sees and the other passes by, is counted, and no contradiction. Seconds of a call are those of
`check_edges` in all; those of stages are taken in a run of their own, in which every launch is waited for.

    python -m tocsin_bench gpu --robots panda fetch --scenes 10 --count 100000
"""

import argparse
import functools
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tocsin
from tocsin.io.planning import load_problem
from tocsin.limits import MAX_STEPS
from tocsin.queries.devices import lacking, wavefront
from tocsin.queries.edges import Asking, Points
from tocsin.results import Status
from tocsin_bench import report
from tocsin_bench.campaigns.mbm import LONGEST_SLIDE, LONGEST_TURN, NEAR, PLACES, robot_of, spread, unpack
from tocsin_bench.data import Missing, data_file, example_robot

DESCRIPTION = "Edges on a CUDA device: how many a second, where the time goes, and compared with threads one by one."

ROBOTS = ("panda", "fetch", "ur5", "ur10", "arm")

FEW = 64
"""Edges of a first call, which compiles."""

Cell = tuple[str, tocsin.Scene, tocsin.Robot, np.ndarray, np.ndarray]
"""A name, a scene, the robot in it, and two configurations on its way."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--robots", nargs="+", default=["panda"], choices=ROBOTS, help="which (default panda)")
    parser.add_argument("--count", type=int, default=100_000, help="edges of each scene (default 100,000)")
    parser.add_argument("--scenes", type=int, default=2, help="scenes of each robot (default 2)")
    longest = "radians that a joint turns at most (default 0.2); several are measured one after the other"
    parser.add_argument("--longest", type=float, nargs="+", default=[LONGEST_TURN], help=longest)
    parser.add_argument("--seed", type=int, default=1, help="seed of the edges (default 1)")
    parser.add_argument("--repeats", type=int, default=3, help="calls; the fastest counts (default 3)")
    parser.add_argument("--data", help="folder of recorded data, instead of TOCSIN_DATA")
    parser.add_argument("--warm", action="store_true", help="only compile what threads need, and end")
    parser.add_argument("--alone", action="store_true", help="compile in this process alone")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure, robot by robot."""
    if args.data:
        os.environ["TOCSIN_DATA"] = str(Path(args.data).resolve())
    if args.warm:
        _warm(args)
        return {}
    why = lacking()
    if why:
        raise Missing(f"{why}.")
    helper = None if args.alone else _beside(args)
    report.console.print(_timed("compiling for the device", _compile), highlight=False)
    if helper is not None:
        report.console.print(_timed("compiling for threads, beside it", helper.wait), highlight=False)
    asked = [(name, longest) for longest in args.longest for name in args.robots]
    results = {f"{name}, {longest:g} rad": _robot(name, longest, args) for name, longest in asked}
    report.table(
        "Edges on a GPU and on threads; M/s: millions a second",
        ["robot", "edges", "free", "GPU M/s", "call M/s", "threads M/s", "handed back", "false free", "seen by one"],
        [[name, *_cells(found)] for name, found in results.items() if found["edges"]],
    )
    false = sum(found["false free"] for found in results.values())
    if false:
        sys.exit(f"{false} edges are free on the GPU and in contact on threads")
    return results


def _cells(found: dict[str, Any]) -> list[str]:
    n = found["edges"]
    rates = [f"{n / found[key] / 1e6:.3f}" for key in ("device", "call", "threads")]
    shares = [f"{100.0 * found['handed back'] / n:.3f} %", found["false free"], found["seen by one"]]
    return [f"{n:,}", f"{found['free'] / n:.3f}", *rates, *map(str, shares)]


def _compile() -> None:
    from tocsin.wavefront import device

    device.warm()


def _timed(what: str, work: Any) -> str:
    before = time.perf_counter()
    work()
    return f"{what}: {time.perf_counter() - before:.1f} s"


def _beside(args: argparse.Namespace) -> Any:
    """Start a process that compiles what threads need, while this one compiles for the device."""
    line = [sys.executable, "-m", "tocsin_bench", "gpu", "--warm", "--robots", *args.robots]
    return subprocess.Popen([*line, *(["--data", args.data] if args.data else [])], stdout=subprocess.DEVNULL)


def _warm(args: argparse.Namespace) -> None:
    for name in args.robots:
        for _, scene, robot, start, goal in cells(name, 1):
            starts, ends = edges(robot, start, goal, FEW, LONGEST_TURN, np.random.default_rng(0))
            scene.check_edges(robot, starts, ends)
            scene.first_contact(robot.move(starts[0], ends[0]))


# ---- scenes and edges ------------------------------------------------------------------------------------------------


def cells(name: str, count: int) -> Iterator[Cell]:
    """Yield scenes of a robot."""
    if name not in ("panda", "fetch"):
        for k in range(count):
            yield _on_table(name, k)
        return
    with tempfile.TemporaryDirectory() as folder:
        for task in spread(unpack([name], Path(folder)), count):
            robot = robot_of(name, task.robot_folder)
            problem = load_problem(task.scene, task.request)
            yield (task.name, problem.scene(robot), robot, *problem.configurations(robot))


def _on_table(name: str, seed: int) -> Cell:
    """A robot with a table and some things on it."""
    if name == "arm":
        robot = _arm()
    else:
        robot = _from_file(name)
    rng = np.random.default_rng(seed)
    bodies = [tocsin.Body(tocsin.Box((1.0, 1.6, 0.05)), (0.8, 0.0, -0.2), name="table")]
    for k in range(8):
        x, y = rng.uniform((0.35, -0.7), (0.9, 0.7))
        shape = tocsin.Box(tuple(rng.uniform(0.05, 0.3, 3))) if k % 2 else tocsin.Cylinder(0.04, 0.2)
        bodies.append(tocsin.Body(shape, (x, y, -0.05), name=f"thing {k}"))
    scene = tocsin.Scene(robot, *bodies)
    lower, upper = np.clip(robot.limits, -np.pi, np.pi).T
    drawn = rng.uniform(lower, upper, (200, robot.n_config))
    start, goal = drawn[scene.check_configurations(robot, drawn)][:2]
    return f"{name}/table/{seed}", scene, robot, start, goal


@functools.cache
def _from_file(name: str) -> tocsin.Robot:
    """A robot of the recorded data, or of the package example-robot-data."""
    try:
        file = data_file(f"robots/{name}/{name}.urdf")
    except Missing:
        file = example_robot(f"ur_description/urdf/{name}_robot.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tocsin.Robot.from_urdf(file, packages=[file.parents[2]], ignore_overlapping=True)


def _arm() -> tocsin.Robot:
    """A six-joint arm of meshes."""
    b = tocsin.RobotBuilder("arm")
    b.link("base", tocsin.Cylinder(0.1, 0.1).tessellate(32))
    before, height = "base", 0.1
    for k in range(6):
        tall = 0.28 if k < 3 else 0.14
        shape = tocsin.Capsule(0.06 - 0.005 * k, 0.7 * tall).tessellate(24)
        axis = (0, 1, 0) if k % 2 else (0, 0, 1)
        b.link(
            f"link {k}", (shape, (0, 0, 0.5 * tall + 0.06)), parent=before, joint="revolute", axis=axis,
            origin=(0, 0, height), limits=(-2.8, 2.8),
        )  # fmt: skip
        before, height = f"link {k}", tall + 0.1
    return b.build()


def edges(
    robot: tocsin.Robot, start: np.ndarray, goal: np.ndarray, count: int, longest: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return as many edges, the straight one first; the places of `mbm` in turn, see `mbm.edges`."""
    joints = [joint for joint in robot.joints if joint.width]
    turns = np.array([joint.kind != "prismatic" for joint in joints])
    lower, upper = np.array([joint.limits or (-np.pi, np.pi) for joint in joints]).T
    most = np.where(turns, longest, longest * LONGEST_SLIDE / LONGEST_TURN)
    near = NEAR * np.where(turns, 1.0, LONGEST_SLIDE / LONGEST_TURN)
    places = np.array([{"start": 0.0, "goal": 1.0, "way": -1.0, "anywhere": -2.0}[place] for place in PLACES])
    place = places[np.arange(count) % len(places)]
    t = np.where(place == -1.0, rng.uniform(size=count), np.maximum(place, 0.0))[:, None]
    q = start + t * (goal - start) + rng.uniform(-near, near, (count, len(start)))
    q = np.where((place == -2.0)[:, None], rng.uniform(lower, upper, q.shape), q)
    q = np.clip(q, lower, upper)
    ends = np.clip(q + rng.uniform(-most, most, q.shape), lower, upper)
    q[0], ends[0] = start, goal
    return q, ends


# ---- measuring -------------------------------------------------------------------------------------------------------


def _robot(name: str, longest: float, args: argparse.Namespace) -> dict[str, Any]:
    """Measure all scenes of a robot."""
    keys = ("edges", "free", "device", "call", "threads", "handed back", "false free", "seen by one")
    sums: dict[str, Any] = dict.fromkeys(keys, 0)
    for number, (title, scene, robot, start, goal) in enumerate(cells(name, args.scenes)):
        rng = np.random.default_rng([args.seed, number, ROBOTS.index(name)])
        starts, ends = edges(robot, start, goal, args.count, longest, rng)
        found = _scene(title, scene, robot, starts, ends, args.repeats)
        for key in keys:
            sums[key] += found[key]
    return sums


def _scene(
    title: str, scene: tocsin.Scene, robot: tocsin.Robot, starts: np.ndarray, ends: np.ndarray, repeats: int
) -> dict[str, Any]:  # fmt: skip
    """Ask one scene's edges on both, and compare."""
    n = len(starts)
    before = time.perf_counter()
    points = Points(scene.context, robot, {"Q0": starts, "Q1": ends})
    checking = time.perf_counter() - before
    before = time.perf_counter()
    wave = wavefront(points, Asking(0.0, None, MAX_STEPS, None, None, device="cuda"))
    assert wave is not None, "the batch is not one for a device"
    status = np.zeros(n, np.int32)
    wave.ask(points.picked(np.arange(FEW)).batch, status[:FEW])
    making = time.perf_counter() - before
    seconds: dict[str, list[float]] = {"device": [], "call": [], "threads": []}
    on_gpu = on_threads = np.zeros(n, bool)
    scene.check_edges(robot, starts[:FEW], ends[:FEW])
    for _ in range(repeats):
        before = time.perf_counter()
        wave.ask(points.batch, status)
        seconds["device"].append(time.perf_counter() - before)
        before = time.perf_counter()
        on_gpu = scene.check_edges(robot, starts, ends, device="cuda")
        seconds["call"].append(time.perf_counter() - before)
    before = time.perf_counter()
    on_threads = scene.check_edges(robot, starts, ends)
    seconds["threads"].append(time.perf_counter() - before)
    false = [
        int(i)
        for i in np.flatnonzero(on_gpu & ~on_threads)
        if scene.first_contact(robot.move(starts[i], ends[i])).status is not Status.CAPPED
    ]
    wave.timed, wave.seconds = True, {}
    wave.ask(points.batch, status)
    wave.timed = False
    counts = wave.counters
    least = {key: min(taken) for key, taken in seconds.items()}
    say = report.console.print
    say(
        f"{title}: {n:,} edges, {on_threads.mean():.3f} free; checked at the door in {checking:.3f} s, field in "
        f"{making:.2f} s; GPU {n / least['device']:,.0f}/s, call {n / least['call']:,.0f}/s, threads "
        f"{n / least['threads']:,.0f}/s; {(status == 2).sum()} handed back; {len(false)} false free {false[:5]}; "
        f"{(on_threads & ~on_gpu).sum()} seen by one", highlight=False,
    )  # fmt: skip
    stages = ", ".join(f"{stage} {1e3 * taken:.2f}" for stage, taken in wave.seconds.items() if taken > 1e-4)
    say(f"    ms of all batches: {stages}", highlight=False)
    say(
        f"    of the last batch: jobs {counts[0]:,}, node tests {counts[1]:,}, leaf tests {counts[2]:,}, items by "
        f"round {counts[3:][counts[3:] > 0].tolist()}", highlight=False,
    )  # fmt: skip
    return {
        "edges": n, "free": int(on_threads.sum()), **least, "handed back": int((status == 2).sum()),
        "false free": len(false), "seen by one": int((on_threads & ~on_gpu).sum()),
    }  # fmt: skip
