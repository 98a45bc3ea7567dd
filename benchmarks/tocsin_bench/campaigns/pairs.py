"""Planted touches for the self-collision matrix: links that touch at known joint values are never called *never*.

A case is a small robot with joints that turn and slide, limits that hold a chosen configuration (inside, on one end, or
on all of them), and joints that mimic others; round numbers in one of two. A ball is put on one link so that, at the
chosen values, it holds a point of another link's box by a hundredth of its radius: computed from the definitions alone
(`oracles.kinematics`). `robot.prove_pairs` must not call that pair *never*; and each witness that it gives must be one:
the ball and the box are within the margin there, or a tenth of it more.

    python -m tocsin_bench pairs --count 10000 --seed 1
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

import tocsin
from tocsin_bench import report
from tocsin_bench.oracles.kinematics import Joint, Tree, poses

DESCRIPTION = "The self-collision matrix: no pair that touches at planted joint values is called never."

MARGIN = 1e-3
MOST = 3000
"""Boxes of joint values a pair: enough to call many pairs, few enough for many robots."""

ROUND = (0.0, math.pi / 4, math.pi / 2, math.pi, -math.pi / 2, 0.5, 1.0)


class Case(NamedTuple):
    """A robot, and two links that touch at `values`: a box at `place` on one, a ball at `center` on the other."""

    robot: tocsin.Robot
    tree: Tree
    values: np.ndarray
    box: tuple[int, np.ndarray, np.ndarray]
    ball: tuple[int, np.ndarray, float]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this campaign."""
    parser.add_argument("--count", type=int, default=10_000, help="robots (default 10,000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the robots (default 1)")


def drawn(rng: np.random.Generator) -> Case:
    """Return a random case."""
    neat = rng.random() < 0.5
    count = int(rng.integers(2, 5))
    joints = [Joint(), *[_joint(rng, k, neat) for k in range(1, count + 1)]]
    joints = [_mimicking(rng, joints, k) for k in range(len(joints))]
    tree = Tree(tuple(joints))
    values = np.array([rng.choice(ROUND) if neat else rng.uniform(-2.0, 2.0) for _ in range(tree.n_config)])
    where = poses(tree, values, values, [0.0])[0]
    first = int(rng.integers(0, count - 1))
    last = int(rng.integers(first + 2, count + 1))
    size = rng.choice([0.25, 0.5, 1.0], 3) if neat else rng.uniform(0.1, 1.0, 3)
    place = rng.integers(-2, 3, 3) / 2.0 if neat else rng.uniform(-1.0, 1.0, 3)
    corner = rng.uniform(-0.5, 0.5, 3)
    corner[rng.integers(3)] = rng.choice([-0.5, 0.5])
    if neat and rng.random() < 0.5:
        corner = rng.choice([-0.5, 0.0, 0.5], 3)
        corner[rng.integers(3)] = 0.5
    touched = where[first] @ np.append(place + corner * size, 1.0)
    radius = float(rng.choice([0.01, 0.1, 0.3]))
    away = np.eye(3)[rng.integers(3)] if neat else rng.normal(size=3)
    center = (np.linalg.inv(where[last]) @ touched)[:3] + 0.99 * radius * away / np.linalg.norm(away)
    box, ball = (first, place, size), (last, center, radius)
    return Case(_robot(rng, tree, values, box, ball), tree, values, box, ball)


def _joint(rng: np.random.Generator, k: int, neat: bool) -> Joint:
    kind = str(rng.choice(["revolute", "continuous", "prismatic"], p=(0.6, 0.2, 0.2)))
    axis = np.eye(3)[rng.integers(3)] if neat else rng.normal(size=3)
    origin = np.eye(4)
    origin[:3, 3] = rng.integers(-1, 2, 3) / 2.0 if neat else rng.uniform(-0.5, 0.5, 3)
    return Joint(kind, k - 1, origin, (float(axis[0]), float(axis[1]), float(axis[2])))


def _mimicking(rng: np.random.Generator, joints: list[Joint], k: int) -> Joint:
    """Return joint k, which follows the first joint in one of five."""
    if k < 2 or rng.random() > 0.2:
        return joints[k]
    kind = "prismatic" if joints[k].kind == "prismatic" else "revolute"
    factor, offset = float(rng.choice([-1.0, 0.5, 2.0, 1.0 / 3.0])), float(rng.choice([0.0, 0.25]))
    return Joint(kind, k - 1, joints[k].origin, joints[k].axis, (1, factor, offset))


def _robot(rng: np.random.Generator, tree: Tree, values: np.ndarray, box: Any, ball: Any) -> tocsin.Robot:
    builder = tocsin.RobotBuilder("drawn")
    for k, joint in enumerate(tree.joints):
        shapes: list[Any] = [(tocsin.Sphere(0.01), (0.0, 0.0, 50.0 + 3.0 * k))]  # a link without a shape is a frame
        if k == box[0]:
            x, y, z = (float(s) for s in box[2])
            made = tocsin.Box((x, y, z))
            shapes.append((made if rng.random() < 0.5 else made.tessellate(), box[1]))
        if k == ball[0]:
            shapes.append((tocsin.Sphere(ball[2]), ball[1]))
        if k == 0:
            builder.link("0", shapes)
            continue
        options: dict[str, Any] = {}
        if joint.mimic is not None:
            options["mimic"] = (f"{joint.mimic[0]}_joint", *joint.mimic[1:])
        elif joint.kind != "continuous":
            options["limits"] = _limits(rng, float(values[tree.start(k)]))
        builder.link(
            str(k), shapes, parent=str(joint.parent), joint=joint.kind, axis=joint.axis, origin=joint.origin, **options
        )
    return builder.build()


def _limits(rng: np.random.Generator, value: float) -> tuple[float, float]:
    """Return limits that hold a value, often at one end."""
    low, high = rng.choice([0.0, 0.05, 0.5, 2.0], 2)
    return value - float(low), value + float(high) + (1e-3 if low == high == 0.0 else 0.0)


def gap(case: Case, q: np.ndarray) -> float:
    """Return how far the ball is from the box at some joint values."""
    where = poses(case.tree, q, q, [0.0])[0]
    (a, place, size), (b, center, radius) = case.box, case.ball
    local = (np.linalg.inv(where[a]) @ where[b] @ np.append(center, 1.0))[:3] - place
    return float(np.linalg.norm(np.maximum(np.abs(local) - size / 2.0, 0.0))) - radius


def wrong(case: Case) -> tuple[str, str]:
    """Return (verdict of the planted pair, what is wrong with it)."""
    names = {str(case.box[0]), str(case.ball[0])}
    found = case.robot.prove_pairs(margin=MARGIN, most=MOST, threads=1)
    (pair,) = [p for p in found if {p.link_a, p.link_b} == names]
    if gap(case, case.values) > 0.0:
        return pair.verdict, "the plant is not one"
    if pair.verdict in ("never", "adjacent"):
        return pair.verdict, f"called {pair.verdict} although they touch at {case.values.tolist()}"
    if pair.witness is not None:
        # Other shapes of the two links are 50 m away: what touches are the ball and the box.
        far = gap(case, pair.witness)
        if far > 1.1 * MARGIN + 1e-12:
            return pair.verdict, f"the witness {pair.witness.tolist()} has {far:g} m between them"
    return pair.verdict, ""


def campaign(count: int, seed: int, tick: Any = None) -> tuple[Counter[str], list[str]]:
    """Return (verdicts, what was wrong, by a name that replays it)."""
    verdicts: Counter[str] = Counter()
    broken: list[str] = []
    for index in range(count):
        verdict, said = wrong(drawn(np.random.default_rng([seed, index])))
        verdicts[verdict] += 1
        if said:
            broken.append(f"pairs:{seed}:{index}: {said}")
        if tick is not None:
            tick(index + 1)
    return verdicts, broken


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Draw robots, print what was wrong, and leave with an error if anything was."""
    with report.bar() as progress:
        task = progress.add_task("planted touches", total=args.count)
        verdicts, broken = campaign(args.count, args.seed, lambda done: progress.update(task, completed=done))
    for line in broken[:50]:
        report.console.print(line, highlight=False)
    names = ["never", "always", "sometimes", "adjacent", "undecided"]
    report.table(f"{args.count:,} planted touches", [*names, "wrong"], [[*[verdicts[n] for n in names], len(broken)]])
    if broken:
        sys.exit(f"{len(broken)} pairs are not what they are called")
    return {"count": args.count, **verdicts, "wrong": 0}
