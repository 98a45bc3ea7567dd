"""Every robot of the package example-robot-data: its edges against itself and a few boxes, and Coal on the same ones.

Nobody tuned for most of them, so tuning to two or three shows here. An edge begins where nothing touches, within a
share of each joint's range, and moves every joint by up to one radian; boxes lie about the robot at random, but not in
its way at a configuration that is drawn first: in a box a trunk that stands would leave no edge to ask about. Links
that touch in most configurations, by design, are ignored by all.
"""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import math
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import tocsin
from tocsin.errors import TocsinError
from tocsin.queries.first_contact import touching_pairs
from tocsin_bench import race, report
from tocsin_bench.data import Missing, example_robot
from tocsin_bench.peers import coal_robot
from tocsin_bench.peers.cells import Cells
from tocsin_bench.scenes.edges import TRIES, far_from

DESCRIPTION = "Every robot of example-robot-data that loads: edges against itself and boxes, Coal beside it."

COAL = "coal, every 0.05 rad"
BOXES = 5
DRAWN = 24
"""Configurations in which links are looked at that may touch by design: those that do in half of them."""
SHARE = 0.5
"""Of each joint's range, about zero: where edges begin."""
STATISTICS = ("mean", "median", "p99")
NOTE = "first: first_contact, mean; ratio: is_free to that; coal: every 0.05 rad, how many times is_free in the mean"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this benchmark."""
    parser.add_argument("--robots", default="*", help="which, as a pattern of the file's name (default *)")
    parser.add_argument("--count", type=int, default=200, help="edges of each robot (default 200)")
    parser.add_argument("--repeats", type=int, default=3, help="rounds (default 3)")
    parser.add_argument("--seed", type=int, default=1, help="seed of boxes and edges (default 1)")
    parser.add_argument("--alone", action="store_true", help="ours alone, without Coal")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Measure every robot; one that does not load, or has nothing to ask, is named."""
    results, left_out = {}, {}
    files = sorted(example_robot(".").glob("*/*/*.urdf"))
    for file in (file for file in files if fnmatch.fnmatch(file.stem, args.robots)):
        try:
            results[file.stem] = _measured(file, args)
        except (TocsinError, ValueError, Missing) as why:
            left_out[file.stem] = str(why).splitlines()[0]
    if not results:
        raise Missing(f"no robot of example-robot-data is called {args.robots!r}, or none loads: {left_out}")
    for kind in ("free", "contact"):
        rows = [[name, *_row(found, kind)] for name, found in results.items() if kind in found]
        columns = ["", "joints", "faces", "edges", "mean", "median", "99 %", "first", "ratio", "coal", "at 99 %"]
        report.table(f"Edges of robots, {kind}: µs of is_free", columns, rows, NOTE)
    for name, why in left_out.items():
        report.say(f"left out: {name}: {why}")
    return {"robots": results, "left_out": left_out}


def _row(found: dict[str, Any], kind: str) -> list[str]:
    """One line of a table."""
    ours, first, coal = (found[kind].get(name) for name in ("tocsin is_free", "tocsin first_contact", COAL))
    cells = [found["joints"], f"{found['triangles']:,}", found[kind]["edges"]]
    cells += [report.us(ours[name]) for name in STATISTICS]
    cells += [report.us(first["mean"]), f"{ours['mean'] / first['mean']:.2f}"]
    return cells + [f"{coal[name] / ours[name]:.2f}" if coal else "-" for name in ("mean", "p99")]


def load(file: Path, rng: np.random.Generator) -> tocsin.Robot:
    """The robot of a file, by its collision geometry where there is some; what touches by design is ignored."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = tocsin.Robot.from_urdf(file, packages=[file.parents[2]])
        if not any(robot.shapes):
            robot = tocsin.Robot.from_urdf(file, geometry="visual", packages=[file.parents[2]])
    if not robot.n_config:
        raise Missing("has no joint that moves")
    seen = Counter(pair for _ in range(DRAWN) for pair in touching_pairs(robot.at(_drawn(robot, rng))))
    robot.ignore_pairs([pair for pair, times in seen.items() if 2 * times > DRAWN])
    return robot


def _drawn(robot: tocsin.Robot, rng: np.random.Generator) -> np.ndarray:
    """A configuration within SHARE of each joint's range about zero."""
    lower, upper = np.sort(np.clip(robot.limits, -np.pi, np.pi), axis=1).T
    middle = np.clip(0.0, lower, upper)
    return middle + SHARE * (lower + rng.random(len(lower)) * (upper - lower) - middle)  # `uniform` refuses 0 to 0


def boxes_about(robot: tocsin.Robot, rng: np.random.Generator) -> list[tocsin.Body]:
    """Boxes in the room that a robot takes, none of which touches it at a configuration at which it is free."""
    alone = tocsin.Scene(robot)
    where = next((at for _ in range(TRIES) if alone.is_free(at := robot.at(_drawn(robot, rng)))), None)
    if where is None:
        raise Missing(f"at {TRIES} random configurations it touches itself")
    points = where.link_poses()[:, :3, 3]
    low, high = points.min(axis=0), points.max(axis=0)
    size = float(np.linalg.norm(high - low)) or 1.0
    boxes: list[tocsin.Body] = []
    for _ in range(TRIES * BOXES):
        side, place = rng.uniform(0.05, 0.25, 3) * size, rng.uniform(low - 0.4 * size, high + 0.4 * size)
        box = tocsin.Body(tocsin.Box(side), place, name=f"box{len(boxes)}")
        if tocsin.Scene(robot, box).is_free(where):
            boxes.append(box)
        if len(boxes) == BOXES:
            return boxes
    raise Missing(f"{TRIES * BOXES} boxes touch it")


def cells_of(file: Path, count: int, seed: int) -> Cells:
    """A robot among boxes, and its edges."""
    rng = np.random.default_rng(seed)
    robot = load(file, rng)
    boxes = boxes_about(robot, rng)
    cells = Cells()
    cell = cells.add(robot, boxes)
    for _ in range(TRIES * count):
        if len(cells.edges) == count:
            break
        q = _drawn(robot, rng)
        cells.add_edge(cell, q, far_from(robot, q, rng))
    if not cells.edges:
        raise Missing(f"{TRIES * count:,} random edges start in contact")
    return cells


def _measured(file: Path, args: argparse.Namespace) -> dict[str, Any]:
    """One robot: seconds by contestant, of free edges and of others."""
    cells = cells_of(file, args.count, args.seed)
    contestants = {c.name: c.run for c in cells.ours()}
    if not args.alone:
        with contextlib.suppress(ModuleNotFoundError, ValueError):
            contestants[COAL] = coal_robot.CoalRobots(cells).contestant(0.05).run
    peers = [COAL]
    done = report.rounds(contestants, len(cells.edges), args.repeats, label=file.stem, patience=20.0, peers=peers)
    robot = cells.cells[0].robot
    triangles = sum(len(shape.faces) for shapes in robot.shapes for shape in shapes)
    found: dict[str, Any] = {"joints": robot.n_config, "triangles": triangles}
    touch = ~np.array([math.isinf(race.time_of(hit)) for hit in done["tocsin first_contact"].answers])
    for kind, wanted in (("free", ~touch), ("contact", touch)):
        if wanted.any():
            parts = {name: turns.seconds[wanted[: len(turns.seconds)]] for name, turns in done.items()}
            found[kind] = {"edges": int(wanted.sum())}
            found[kind] |= {name: race.spread(part, np.zeros(len(part), bool)) for name, part in parts.items()}
    return found
