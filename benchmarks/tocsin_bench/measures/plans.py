"""How good are the plans that people trust? MotionBenchMaker's problems, planned with usual settings, and audited.

OMPL's RRT-Connect plans and simplifies, as MoveIt has it do. Its motions are checked by samples: every 1 % of the
space's extent, which is OMPL's default, or every 0.5 %, MoveIt's; each sample by Pinocchio and Coal on the same meshes.
Drake's edge checker, with steps of 0.05 rad, takes part where it is installed. Beside them plan OMPL with tocsin's
edges, and tocsin's own planner, of which every edge is proven. Then `tocsin.audit` judges all plans alike.
A plan that is said to be valid and touches is counted, and how deep its links' vertices are in obstacles, at most, is
measured by other code than the library's (`campaigns.mbm_files`).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import tocsin
from tocsin.planning import plan
from tocsin_bench import report
from tocsin_bench.campaigns import mbm
from tocsin_bench.campaigns.mbm_files import Chain, Solid, Surface, read_scene
from tocsin_bench.data import Missing
from tocsin_bench.peers.cells import Cells

DESCRIPTION = "Plans of MotionBenchMaker's problems, by usual settings and by ours, audited: how many collide."

SAMPLED = {"OMPL + Coal, every 1 % (OMPL's default)": 0.01, "OMPL + Coal, every 0.5 % (MoveIt's default)": 0.005}
PROVEN = "OMPL + tocsin"
OWN = "tocsin plan"
DRAKE = "OMPL + Drake, every 0.05 rad"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this measurement."""
    parser.add_argument("--robot", choices=mbm.ROBOTS, default="panda", help="whose problems (default panda)")
    parser.add_argument("--count", type=int, default=70, help="problems, evenly spread (default 70)")
    parser.add_argument("--seconds", type=float, default=10.0, help="seconds for each plan (default 10)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the planners (default 1)")
    parser.add_argument("--only", nargs="*", default=None, help="parts of the planners' names (default all)")
    parser.add_argument("--picture", metavar="PATH", help="also draw the worst plan into this PNG file")


@dataclass
class Tally:
    """What came of one planner."""

    seconds: list[float] = field(default_factory=list)
    solved: int = 0
    collide: int = 0
    undecided: int = 0
    deepest: float = 0.0
    longest: float = 0.0
    """Radians of the joint that moves most, of the longest stretch in contact."""


@dataclass
class Given:
    """One problem, as planners get it."""

    task: mbm.Task
    robot: tocsin.Robot
    scene: tocsin.Scene
    start: np.ndarray
    goal: np.ndarray
    group: str
    cells: Cells


Planner = Callable[[Given, float, int], "np.ndarray | None"]


def own(given: Given, seconds: float, seed: int) -> np.ndarray | None:
    """Plan by our planner."""
    found = plan(given.scene, given.robot, given.start, given.goal, group=given.group, seconds=seconds, seed=seed)
    return found.path if found.found else None


def by_ompl(given: Given, seconds: float, seed: int, ask: Callable[[Any, Any], None]) -> np.ndarray | None:
    """Plan by OMPL's RRT-Connect, and simplify; `ask` sets what it asks."""
    from ompl import base, geometric, util  # pyright: ignore[reportMissingImports]

    from tocsin.planning import state_space

    util.setLogLevel(util.LogLevel.LOG_NONE)
    util.RNG.setSeed(seed)
    space = state_space(given.robot, given.group)
    information: Any = base.SpaceInformation(space)
    ask(information, space)
    information.setup()
    setup: Any = geometric.SimpleSetup(information)
    columns = given.robot.columns(given.group)
    ends: list[Any] = [space.allocState(), space.allocState()]
    for state, q in zip(ends, (given.start, given.goal)):
        for k, column in enumerate(columns):
            state[k] = float(q[column])
    setup.setStartAndGoalStates(*ends)
    setup.setPlanner(geometric.RRTConnect(information))
    if "Exact" not in str(setup.solve(seconds)):
        return None
    setup.simplifySolution()
    path = setup.getSolutionPath()
    rows = np.tile(given.start, (path.getStateCount(), 1))
    for k in range(len(rows)):
        rows[k, columns] = path.getState(k)[0 : len(columns)]
    return rows


def proven(given: Given, seconds: float, seed: int) -> np.ndarray | None:
    """Plan by OMPL, every edge asked of tocsin."""
    from tocsin.planning import MotionValidator, StateValidityChecker

    def ask(information: Any, space: Any) -> None:
        asked = given.scene, given.robot, given.group
        information.setMotionValidator(MotionValidator(information, *asked))
        information.setStateValidityChecker(StateValidityChecker(information, *asked))

    return by_ompl(given, seconds, seed, ask)


def sampled(fraction: float) -> Planner:
    """Plan by OMPL, motions sampled so finely, each sample asked of Pinocchio and Coal."""

    def planner(given: Given, seconds: float, seed: int) -> np.ndarray | None:
        from tocsin_bench.peers.coal_robot import CoalRobots

        coal = CoalRobots(given.cells)
        model, data, manager = coal.models[0]
        touches, values = coal.pinocchio.computeCollisions, given.cells.cells[0].exported.values
        columns = given.robot.columns(given.group)
        q = given.start.copy()

        def is_valid(state: Any) -> bool:
            q[columns] = state[0 : len(columns)]
            return not touches(model, data, manager, values(q), True)

        def ask(information: Any, space: Any) -> None:
            information.setStateValidityChecker(is_valid)
            information.setStateValidityCheckingResolution(fraction)

        return by_ompl(given, seconds, seed, ask)

    return planner


def drakes(given: Given, seconds: float, seed: int) -> np.ndarray | None:
    """Plan by OMPL, every edge asked of Drake's checker."""
    from ompl import base  # pyright: ignore[reportMissingImports]

    from tocsin_bench.peers import drake

    checker = drake.checker_of(given.cells.cells[0])
    values = given.cells.cells[0].exported.values
    columns = given.robot.columns(given.group)

    def placed(state: Any) -> np.ndarray:
        q = given.start.copy()
        q[columns] = state[0 : len(columns)]
        return drake.ordered(checker, values(q))

    class Validator(base.MotionValidator):
        """Asks Drake."""

        def checkMotion(self, a: Any, b: Any) -> bool:
            return bool(checker[0].CheckEdgeCollisionFree(placed(a), placed(b)))

    def ask(information: Any, space: Any) -> None:
        information.setStateValidityChecker(lambda state: bool(checker[0].CheckConfigCollisionFree(placed(state))))
        information.setMotionValidator(Validator(information))

    return by_ompl(given, seconds, seed, ask)


def planners(only: list[str] | None) -> dict[str, Planner]:
    """Those that are installed."""
    found: dict[str, Planner] = {OWN: own, PROVEN: proven}
    found |= {name: sampled(fraction) for name, fraction in SAMPLED.items()}
    try:
        import pydrake  # noqa: F401  # pyright: ignore[reportMissingImports]

        found[DRAKE] = drakes
    except ImportError:
        pass
    return {name: ask for name, ask in found.items() if only is None or any(part in name for part in only)}


def depth(given: Given, path: np.ndarray, first: float, last: float) -> float:
    """How deep vertices of links are in obstacles, at most, at 200 moments of a stretch (in waypoints), metres."""
    chain = Chain(given.task.robot_folder / f"{given.task.robot}_mbm.urdf")
    solids = [solid for parts in read_scene(given.task.scene).values() for solid in parts]
    places = np.linspace(first, last, 200)
    k = np.clip(places.astype(int), 0, len(path) - 2)
    rows = path[k] + (places - k)[:, None] * (path[k + 1] - path[k])
    return deepest(chain, given.robot.joint_names, rows, solids)


def deepest(chain: Chain, joint_names: Sequence[str], rows: np.ndarray, solids: list[Solid]) -> float:
    """How deep vertices of links are in obstacles, at most, at the configurations of `rows`, metres."""
    rotations, shifts = chain.poses(joint_names, rows)
    most = 0.0
    for i, shapes in enumerate(chain.shapes):
        for shape in shapes:
            if isinstance(shape, Surface):
                vertices = shape.vertices @ shape.rotation.T + shape.shift
                for j in range(len(rows)):
                    points = vertices @ rotations[i, :, :, j].T + shifts[i, :, j]
                    most = max([most, *[inside(points, solid) for solid in solids]])
    return most


def inside(points: np.ndarray, solid: Solid) -> float:
    """How deep the deepest of some points is in a box, cylinder or sphere; 0 if none is."""
    local = (points - solid.shift) @ solid.rotation
    if solid.kind == "box":
        gaps = 0.5 * np.array(solid.size) - np.abs(local)
    elif solid.kind == "cylinder":
        radius, height = solid.size
        gaps = np.stack([radius - np.hypot(local[:, 0], local[:, 1]), 0.5 * height - np.abs(local[:, 2])], axis=1)
    else:
        gaps = solid.size[0] - np.linalg.norm(local, axis=1)[:, None]
    return max(0.0, float(gaps.min(axis=1).max()))


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Plan, audit, and print the table."""
    why = mbm.missing([args.robot])
    if why:
        raise Missing(why)
    tallies = {name: Tally() for name in planners(args.only)}
    worst: tuple[float, Any, Any] = (-1.0, None, None)
    with tempfile.TemporaryDirectory() as folder:
        tasks = mbm.spread(mbm.unpack([args.robot], Path(folder)), args.count)
        for task in tasks:
            given = given_of(task)
            for name, planner in planners(args.only).items():
                found = _judged(given, name, planner, tallies[name], args)
                if found is not None and found[0] > worst[0]:
                    worst = found
        if args.picture and worst[1] is not None:
            given, path = worst[1], worst[2]
            tocsin.save_picture(args.picture, given.scene, given.robot.follow(path), title=given.task.name)
            report.say(f"wrote {args.picture}: {given.task.name}, {1000 * worst[0]:.1f} mm deep")
    _show(tallies, len(tasks))
    return {name: vars(tally) for name, tally in tallies.items()}


def given_of(task: mbm.Task) -> Given:
    """Return the problem of a task as planners are given it."""
    robot = mbm.robot_of(task.robot, task.robot_folder)
    problem = tocsin.load_problem(task.scene, task.request)
    start, goal = problem.configurations(robot)
    scene = problem.scene(robot)
    cells = Cells()
    cells.add(robot, problem.bodies, problem.allowed, scene)
    scene.first_contact(robot.at(start))  # lays out its tables
    return Given(task, robot, scene, start, goal, problem.group, cells)


def _judged(given: Given, name: str, planner: Planner, tally: Tally, args: argparse.Namespace) -> Any:
    """Plan once and audit it; return (depth, problem, path) of one that collides."""
    began = time.perf_counter()
    try:
        path = planner(given, args.seconds, args.seed)
    except tocsin.TocsinError:
        return None  # the start or the goal is in contact
    if path is None:
        return None
    tally.seconds.append(time.perf_counter() - began)
    tally.solved += 1
    found = tocsin.audit(given.scene, given.robot, path)
    touching = [stretch for stretch in found.stretches if stretch.is_contact]
    tally.undecided += bool(found.stretches) and not touching
    if not touching:
        return None
    tally.collide += 1
    tally.longest = max([tally.longest, *[stretch.joint_step for stretch in touching]])
    deep = max(depth(given, path, s.enter.position, s.exit.position) for s in touching)
    tally.deepest = max(tally.deepest, deep)
    return deep, given, path


def _show(tallies: dict[str, Tally], count: int) -> None:
    rows = []
    for name, tally in tallies.items():
        taken = np.array(tally.seconds or [np.nan])
        middle, high = report.ms(float(np.median(taken))), report.ms(float(np.quantile(taken, 0.95)))
        rows.append(
            [name, f"{tally.solved} of {count}", middle, high, tally.collide, tally.undecided,
             f"{1000 * tally.deepest:.1f} mm", f"{tally.longest:.3f} rad"]
        )  # fmt: skip
    report.table(
        "Plans that are said to be valid, audited",
        ["planner", "solved", "median", "95 %", "collide", "undecided", "deepest", "longest stretch in contact"],
        rows,
    )
