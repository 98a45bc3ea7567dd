"""What curves and several robots cost: quintic edges against straight ones, a plan of 100 knots, four arms at once.

python -m tocsin_bench curved

Times are of the processor: on a busy machine they say more than the clock on the wall.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

import tocsin
from tocsin import Body, Box, Robot, Scene, Sphere, Trajectory
from tocsin.io.planning import load_problem
from tocsin_bench.campaigns import mbm
from tocsin_bench.data import Missing, data_file
from tocsin_bench.report import console

DESCRIPTION = "What curves cost: quintic panda edges over straight ones, a 12-joint plan of 100 knots, four pandas."

ROUNDS = 5
"""Each question is asked so often, and the quickest counts."""


def quickest(ask: Callable[..., Any], *given: Any) -> float:
    """Return the least of some seconds of processor that a question takes."""
    found = []
    for _ in range(ROUNDS):
        began = time.process_time()
        ask(*given)
        found.append(time.process_time() - began)
    return min(found)


def quintic(robot: Robot, points: np.ndarray, times: np.ndarray) -> Any:
    """Return quintics through points, at rest at the first and the last."""
    velocities = np.gradient(points, times, axis=0) if len(points) > 2 else np.zeros_like(points)
    velocities[[0, -1]] = 0.0
    return robot.follow(Trajectory(times, points, velocities, np.zeros_like(points)))


def edges(count: int, seed: int) -> dict[str, Any]:
    """Return how much more quintic edges of panda cost than straight ones, in MotionBenchMaker's scenes."""
    lost = mbm.missing(("panda",))
    if lost:
        raise Missing(lost)
    rng = np.random.default_rng(seed)
    seconds: dict[str, list[float]] = {name: [] for name in ("is_free", "is_free curved", "first", "first curved")}
    with tempfile.TemporaryDirectory() as folder:
        for task in mbm.spread(mbm.unpack(("panda",), Path(folder)), max(count // 10, 1)):
            robot = mbm.robot_of(task.robot, task.robot_folder)
            problem = load_problem(task.scene, task.request)
            scene = problem.scene(robot)
            start, goal = problem.configurations(robot)
            for _, a, b in mbm.edges(robot, start, goal, 9, rng):
                straight, curved = robot.move(a, b), quintic(robot, np.stack([a, b]), np.array([0.0, 1.0]))
                seconds["is_free"].append(quickest(scene.is_free, straight))
                seconds["is_free curved"].append(quickest(scene.is_free, curved))
                seconds["first"].append(quickest(scene.first_contact, straight))
                seconds["first curved"].append(quickest(scene.first_contact, curved))
    means = {name: 1e6 * float(np.mean(s)) for name, s in seconds.items()}
    return means | {
        "is_free ratio": means["is_free curved"] / means["is_free"],
        "first ratio": means["first curved"] / means["first"],
        "edges": len(seconds["first"]),
    }


def long_plan(seed: int) -> dict[str, float]:
    """Return the milliseconds that a 12-joint plan of 10 s and 100 knots takes, against itself and a scene."""
    rng = np.random.default_rng(seed)
    folder = data_file("robots/hyq")
    file = next(iter(sorted(folder.rglob("*.urdf"))))
    robot = Robot.from_urdf(file, packages=[folder.parent], ignore_overlapping=True)
    if robot.n_config < 12:
        raise Missing(f"{file.name} has {robot.n_config} joints; twelve are wanted.")
    places = [(1.5, 0, 0), (-1.5, 0, 0), (0, 1.5, 0)]
    things = [Body(Box((0.3, 0.3, 0.3)), p, name=f"box{k}") for k, p in enumerate(places)]
    scene = Scene(robot, *things, Body(Sphere(0.2), (0, -1.5, 0), name="ball"))
    times = np.linspace(0.0, 10.0, 101)
    low, high = np.clip(robot.limits.T, -1.0, 1.0)
    middle, reach = 0.5 * (low + high), 0.2 * (high - low)
    waves = np.sin(np.outer(times, rng.uniform(0.3, 1.2, robot.n_config)) + rng.uniform(0, 6, robot.n_config))
    motion = quintic(robot, middle + reach * waves, times)
    free = scene.is_free(motion)
    return {
        "free": float(free),
        "is_free ms": 1e3 * quickest(scene.is_free, motion),
        "first_contact ms": 1e3 * quickest(scene.first_contact, motion),
        "audit ms": 1e3 * quickest(tocsin.audit, scene, robot, motion),
        "audit and clearance ms": 1e3 * quickest(lambda: tocsin.audit(scene, robot, motion).clearance),
    }


def four_arms(count: int, seed: int) -> dict[str, float]:
    """Return the microseconds that the first conflict of four pandas takes, one motion each."""
    folder = data_file("robots/panda_mbm")
    arms = []
    for k in range(4):
        arm = Robot.from_urdf(folder / "panda_mbm.urdf", srdf=folder / "panda.srdf", name=f"panda{k}")
        arm.place(tocsin.pose((0.5 * np.cos(k * np.pi / 2), 0.5 * np.sin(k * np.pi / 2), 0),
                              rpy=(0, 0, k * np.pi / 2 + np.pi)))  # fmt: skip
        arms.append(arm)
    scene = Scene(*arms)
    rng = np.random.default_rng(seed)
    low, high = np.clip(arms[0].limits.T, -2.9, 2.9)
    home = arms[0].configuration({}) if not arms[0].states else arms[0].configuration(next(iter(arms[0].states)))
    times, hits = {"straight": [], "curved": []}, 0
    while len(times["straight"]) < count:
        ends = [np.clip(home + rng.uniform(-1.0, 1.0, (2, len(home))), low, high) for _ in arms]
        if scene.first_contact(*[arm.at(e[0]) for arm, e in zip(arms, ends)]).collides:
            continue
        straight = [arm.move(*e) for arm, e in zip(arms, ends)]
        curved = [quintic(arm, e, np.array([0.0, 1.0 + 0.1 * k])) for k, (arm, e) in enumerate(zip(arms, ends))]
        hits += scene.first_contact(*straight).collides
        times["straight"].append(quickest(scene.first_contact, *straight))
        times["curved"].append(quickest(scene.first_contact, *curved))
    found = {f"{name} us": 1e6 * float(np.mean(s)) for name, s in times.items()}
    return found | {"questions": count, "conflicts": hits}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--count", type=int, default=200, help="edges, and questions about four arms (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the motions (default 1)")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure all three."""
    found: dict[str, Any] = {}
    for name, measure in (
        ("panda edges", lambda: edges(args.count, args.seed)),
        ("twelve joints, 10 s, 100 knots", lambda: long_plan(args.seed)),
        ("four pandas", lambda: four_arms(args.count, args.seed)),
    ):
        try:
            found[name] = measure()
        except Missing as sentence:
            console.print(str(sentence), highlight=False)
            continue
        table = Table(title=name)
        for key in found[name]:
            table.add_column(key, justify="right")
        table.add_row(*[f"{value:.4g}" for value in found[name].values()])
        console.print(table)
    return found
