"""Planners' real problems, judged by python-fcl: the 1,400 of MotionBenchMaker for Panda and Fetch.

For each problem the straight edge from start to goal is asked, and short edges: near the start, near the goal, along
the straight edge and anywhere within the limits, with steps of up to 0.2 rad (0.05 m). Then FCL, with its own reading
of the files and its own kinematics (`mbm_files`, `mbm_fcl`), looks at 2,000 evenly spaced configurations of each edge.
An answer is contradicted if

- it is free, and FCL finds a contact at any sample;
- it is a contact at time t, and FCL finds one at t or at any sample before it; or, at t, FCL measures more than the
  tolerance between the two links that are named, and they do not touch when one is shifted by that much (and 1e-6 m);
- it is an initial contact, and FCL finds the two links that far apart at time 0;
- `is_free` and `first_contact` disagree.

Times are taken one question after the other, for all edges of a problem, in three rounds after one untimed question to
the scene; that of an edge is their median. The table also says how many contacts samples 0.05 rad apart (of the joint
that moves most) do not see: what a planner with that resolution would have called free.

    python -m tocsin_bench mbm --problems 20
"""

from __future__ import annotations

import argparse
import functools
import gc
import json
import math
import sys
import tarfile
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tocsin.errors import TocsinError
from tocsin.io.planning import load_problem
from tocsin.model.robot import Robot
from tocsin.results import FirstContact, Status
from tocsin_bench import report
from tocsin_bench.campaigns.mbm_fcl import ACCURACY, Judge
from tocsin_bench.campaigns.mbm_files import Chain, read_scene
from tocsin_bench.campaigns.mbm_record import Record, tables
from tocsin_bench.data import Missing, data_folder

DESCRIPTION = "MotionBenchMaker's 1,400 problems: edges answered, every answer compared with python-fcl sampling."

ROBOTS = ("panda", "fetch")
PLACES = ("start", "goal", "goal", "way", "anywhere")
"""Where short edges begin, in turn."""
NEAR = 0.1
LONGEST_TURN, LONGEST_SLIDE = 0.2, 0.05
COARSE = 0.05
"""Radians between the samples of a usual planner."""
ROUNDS = 3


@dataclass(frozen=True)
class Task:
    """One problem: its robot, its place among that robot's problems, and its files."""

    robot: str
    number: int
    scene: Path
    request: Path
    robot_folder: Path

    @property
    def name(self) -> str:
        """Such as panda/box/0001."""
        kind = self.scene.parent.name.removesuffix(f"_{self.robot}")
        return f"{self.robot}/{kind}/{self.scene.stem.removeprefix('scene')}"


def missing(robots: Sequence[str]) -> str:
    """Return what stands in the way of the campaign, as a sentence; nothing if all is there."""
    try:
        import fcl  # noqa: F401
    except ModuleNotFoundError:
        return "the judge is python-fcl: pip install './benchmarks[peers]'."
    data = data_folder()
    for robot in robots:
        for part in (f"mbm/problems/{robot}.tar.bz2", f"robots/{robot}_mbm/{robot}_mbm.urdf"):
            if not (data / part).exists():
                return f"{part} is not in {str(data)!r}; set TOCSIN_DATA to the folder of recorded data."
    return ""


def unpack(robots: Sequence[str], folder: Path) -> list[Task]:
    """Unpack the problems of these robots into a folder and list them."""
    tasks = []
    for robot in robots:
        with tarfile.open(data_folder() / "mbm" / "problems" / f"{robot}.tar.bz2") as archive:
            archive.extractall(folder / robot, filter="data")
        scenes = sorted((folder / robot).glob("problems/*/scene*.yaml"))
        for number, scene in enumerate(scenes):
            request = scene.with_name(scene.name.replace("scene", "request", 1))
            tasks.append(Task(robot, number, scene, request, data_folder() / "robots" / f"{robot}_mbm"))
    return tasks


T = TypeVar("T")


def spread(tasks: Sequence[T], count: int | None) -> list[T]:
    """Return `count` of the tasks, evenly spread over robots and kinds; all if None."""
    if count is None or count >= len(tasks):
        return [*tasks]
    step = len(tasks) / max(count, 1)
    return [tasks[int((k + 0.5) * step)] for k in range(count)]


@functools.cache
def robot_of(name: str, folder: Path) -> Robot:
    """Return the robot of a task, by its name and the folder of its files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the SRDF names links that the file without wheels and sensors does not have
        return Robot.from_urdf(folder / f"{name}_mbm.urdf", srdf=folder / f"{name}.srdf")


@functools.cache
def judged_robot(name: str, folder: Path) -> tuple[Robot, Judge]:
    """Return a robot, and its judge, which knows it by the same file."""
    path = folder / f"{name}_mbm.urdf"
    robot = robot_of(name, folder)
    ignored = [(robot.link_names[i], robot.link_names[k]) for i, k in robot.ignored]
    return robot, Judge(Chain(path), robot.joint_names, ignored)


def edges(
    robot: Robot, start: np.ndarray, goal: np.ndarray, short: int, rng: np.random.Generator
) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Return the straight edge and `short` short ones, as (where it begins, q_t0, q_t1), within the robot's limits."""
    joints = [joint for joint in robot.joints if joint.width]
    turns = np.array([joint.kind != "prismatic" for joint in joints])
    lower, upper = np.array([joint.limits or (-np.pi, np.pi) for joint in joints]).T
    longest = np.where(turns, LONGEST_TURN, LONGEST_SLIDE)
    found = [("straight", start, goal)]
    for k in range(short):
        place = PLACES[k % len(PLACES)]
        if place == "anywhere":
            q = rng.uniform(lower, upper)
        else:
            t = {"start": 0.0, "goal": 1.0, "way": rng.uniform()}[place]
            q = start + t * (goal - start) + rng.uniform(-NEAR, NEAR, len(start)) * longest / LONGEST_TURN
        q = np.clip(q, lower, upper)
        found.append((place, q, np.clip(q + rng.uniform(-longest, longest), lower, upper)))
    return found


def solve(task: Task, short: int, samples: int, seed: int) -> list[Record]:
    """Ask all edges of one problem, and have each answer judged."""
    robot, judge = judged_robot(task.robot, task.robot_folder)
    problem = load_problem(task.scene, task.request)
    start, goal = problem.configurations(robot)
    scene = problem.scene(robot)
    judge.enter(read_scene(task.scene), problem.allowed)
    rng = np.random.default_rng([seed, ROBOTS.index(task.robot), task.number])
    asked = edges(robot, start, goal, short, rng)
    motions = [robot.move(q_t0, q_t1) for _, q_t0, q_t1 in asked]
    scene.first_contact(motions[0])
    first_seconds, hits = _timed(scene.first_contact, motions)
    free_seconds, frees = _timed(scene.is_free, motions)
    records = []
    for k, (place, q_t0, q_t1) in enumerate(asked):
        hit: FirstContact = hits[k]
        record = Record(
            problem=task.name,
            edge=k,
            place=place,
            status=hit.status.value,
            time=hit.time if math.isfinite(hit.time) else None,
            tolerance=hit.tolerance,
            links=(hit.contacts[0].link_a, hit.contacts[0].link_b) if hit.contacts else None,
            q_t0=q_t0.tolist(),
            q_t1=q_t1.tolist(),
            first_contact_seconds=first_seconds[k],
            is_free_seconds=free_seconds[k],
        )
        if frees[k] != (hit.status is Status.FREE):
            record.contradictions.append(f"is_free says {frees[k]}, first_contact {hit.status.value!r}")
        before = judge.calls
        compare(judge, record, hit, q_t0, q_t1, samples)
        record.fcl_calls = judge.calls - before
        records.append(record)
    return records


def _timed(ask: Callable[[Any], Any], motions: list[Any]) -> tuple[list[float], list[Any]]:
    """Return the seconds and the answers of a question to each motion in turn; seconds are the median of the rounds."""
    seconds = np.zeros((ROUNDS, len(motions)))
    answers: list[Any] = []
    gc.disable()
    for taken in seconds:
        answers.clear()
        for k, motion in enumerate(motions):
            began = time.perf_counter()
            answers.append(ask(motion))
            taken[k] = time.perf_counter() - began
    gc.enable()
    return np.median(seconds, axis=0).tolist(), answers


def compare(judge: Judge, record: Record, hit: FirstContact, q_t0: np.ndarray, q_t1: np.ndarray, samples: int) -> None:
    """Compare one answer with FCL's samples, and write into the record what FCL says and what it contradicts."""
    free = hit.status is Status.FREE
    even = np.linspace(0.0, 1.0, samples)
    times = even if free else np.union1d(even, [hit.time])
    sweep = judge.sweep(q_t0, q_t1, times)
    # All samples if free, else those before the contact and the time of contact itself, at which nothing overlaps yet.
    stop = len(times) if free else int(np.searchsorted(times, hit.time)) + 1
    if hit.status is not Status.INITIAL_CONTACT:
        touch = judge.touch(sweep, 0, stop)
        record.fcl_samples = int(np.count_nonzero(np.isin(times[:stop], even)))
        if touch is not None:
            answer = "free" if free else f"free until {hit.time!r}"
            record.contradictions.append(
                f"{answer}, but at {times[touch.sample].item()!r} FCL has {touch.link!r} and {touch.other!r} in contact"
            )
    if hit.status in (Status.CONTACT, Status.INITIAL_CONTACT):
        contact = hit.contacts[0]
        a, b = contact.link_a, contact.link_b
        if a not in judge.chain.links:
            a, b = b, a
        record.fcl_distance = judge.distance(sweep, stop - 1, a, b)
        if record.fcl_distance > hit.tolerance:
            # FCL measures cylinders roughly: its test for contact settles what its distance leaves open.
            away = contact.normal if a == contact.link_a else -contact.normal
            record.settled_by_shift = judge.within(sweep, stop - 1, a, b, (hit.tolerance + ACCURACY) * away)
            if not record.settled_by_shift:
                record.contradictions.append(
                    f"contact of {a!r} and {b!r} at {hit.time!r} within {hit.tolerance:.3g} m, "
                    f"but FCL measures {record.fcl_distance:.6g} m"
                )
    if hit.status is Status.CONTACT:
        record.seen_by_samples = judge.touch(sweep, stop) is not None
        coarse = np.linspace(0.0, 1.0, math.ceil(np.abs(q_t1 - q_t0).max() / COARSE) + 1)
        record.seen_by_coarse = judge.touch(judge.sweep(q_t0, q_t1, coarse)) is not None


def campaign(tasks: list[Task], short: int, samples: int, seed: int, workers: int = 1) -> Iterator[list[Record]]:
    """Yield the records of each problem; with several workers, problems are solved by as many processes."""
    solver = functools.partial(solve, short=short, samples=samples, seed=seed)
    if workers <= 1:
        yield from map(solver, tasks)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(solver, tasks, chunksize=4)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--problems", type=int, help="how many, evenly spread (default all 1,400)")
    parser.add_argument("--short", type=int, default=20, help="short edges of each problem (default 20)")
    parser.add_argument("--samples", type=int, default=2_000, help="FCL's configurations on an edge (default 2,000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the short edges (default 0)")
    parser.add_argument("--robots", default=",".join(ROBOTS), help="of panda and fetch (default both)")
    parser.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--out", metavar="PATH", help="write every edge to this file, a line of JSON each")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Run the campaign, print the tables, and leave with exit code 1 if an answer was contradicted."""
    robots = args.robots.split(",")
    for name in robots:
        if name not in ROBOTS:
            raise TocsinError(f"--robots takes {' and '.join(ROBOTS)}, separated by a comma; got {name!r}.")
    if args.samples < 2 or args.short < 0 or args.workers < 1 or (args.problems is not None and args.problems < 1):
        raise TocsinError("--samples must be at least 2, --problems and --workers at least 1, --short at least 0.")
    problem = missing(robots)
    if problem:
        raise Missing(problem)
    records: list[Record] = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as open_files:
        tasks = spread(unpack(robots, Path(folder)), args.problems)
        out = open_files.enter_context(Path(args.out).open("w")) if args.out else None
        began = time.perf_counter()
        for found in _watched(campaign(tasks, args.short, args.samples, args.seed, args.workers), len(tasks)):
            records += found
            for record in found:
                if out is not None:
                    out.write(json.dumps(asdict(record)) + "\n")
                for words in record.contradictions:
                    report.console.print(f"{record.problem} edge {record.edge}: {words}", highlight=False)
        seconds = time.perf_counter() - began
    summary = tables(records, robots, args.samples, seconds)
    if summary["all"]["contradictions"]:
        sys.exit(f"{summary['all']['contradictions']} answers were contradicted")
    return summary


def _watched(results: Iterator[list[Record]], total: int) -> Iterator[list[Record]]:
    """Pass results on under a progress bar, or with a line for every twentieth part where nobody watches."""
    from rich.progress import TimeRemainingColumn

    terminal = report.console.is_terminal
    wrong = edges_done = 0
    began = time.perf_counter()
    with report.bar(TimeRemainingColumn()) as bar:
        task = bar.add_task("0 contradicted", total=total)
        for done, found in enumerate(results, 1):
            yield found
            edges_done += len(found)
            wrong += sum(bool(record.contradictions) for record in found)
            bar.update(task, advance=1, description=f"{wrong} contradicted")
            if not terminal and (done == total or done % max(total // 20, 1) == 0):
                line = f"{done}/{total} problems, {edges_done:,} edges, {wrong} contradicted"
                report.say(f"{line}, {time.perf_counter() - began:.0f} s")
