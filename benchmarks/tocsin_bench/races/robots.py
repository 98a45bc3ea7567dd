"""A planner's question, is the whole edge free, against what planners use: HPP, Pinocchio + Coal, FCL, Drake.

MotionBenchMaker's scenes for panda and fetch; UR5 and UR10, PR2 and a humanoid against themselves. No edge starts in
contact. Times of the peers are without the reading of files and the making of samples or paths.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from tocsin.io.planning import load_problem
from tocsin.model.robot import Robot
from tocsin.viewer.picture import save_picture
from tocsin_bench.campaigns import mbm
from tocsin_bench.data import Missing, data_file, example_robot
from tocsin_bench.peers import coal_robot, drake, fcl_robot, hpp
from tocsin_bench.peers.cells import Cells
from tocsin_bench.race import Benchmark, Paper, Race, available
from tocsin_bench.scenes.edges import TRIES, far_from

QUESTION = "is the whole edge free?"
EDGES_A_PROBLEM = 8


def _problems(name: str, short: bool, count: int, seed: int) -> Cells:
    """Edges in MotionBenchMaker's problems: the straight one and a planner's, or short ones."""
    why = mbm.missing([name])
    if why:
        raise Missing(why)
    cells = Cells()
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        tasks = mbm.spread(mbm.unpack([name], Path(folder)), -(-count // EDGES_A_PROBLEM))
        for task in tasks:
            robot = mbm.robot_of(task.robot, task.robot_folder)
            problem = load_problem(task.scene, task.request)
            start, goal = problem.configurations(robot)
            cell = cells.add(robot, problem.bodies, problem.allowed, problem.scene(robot))
            wanted = len(cells.edges) + EDGES_A_PROBLEM
            edges = mbm.edges(robot, start, goal, 4 * EDGES_A_PROBLEM, rng)
            if not short:
                edges = [edges[0], *((place, q, far_from(robot, q, rng)) for place, q, _ in edges[1:])]
            for _, q_t0, q_t1 in edges[short:]:
                if len(cells.edges) < min(wanted, count):
                    cells.add_edge(cell, q_t0, q_t1)
    return cells


OVERLAPS = tuple((f"{side}_shoulder_pan_link", f"{side}_upper_arm_link") for side in "rl")
"""Of PR2: meshes that overlap in nearly every configuration, by design, but not in all of them."""


def _alone(
    path: str, geometry: str, share: float, count: int, seed: int, overlaps: Sequence[tuple[str, str]] = ()
) -> Cells:  # fmt: skip
    """Random edges of a robot that can touch nothing but itself; they begin within a share of each joint's range."""
    file = example_robot(path) if path.startswith("ur_") else data_file(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = Robot.from_urdf(file, geometry=geometry, packages=[file.parents[2]], ignore_overlapping=True)
    for pair in overlaps:
        robot.ignore(*pair)
    cells = Cells()
    cell = cells.add(robot)
    rng = np.random.default_rng(seed)
    joints = [joint for joint in robot.joints if joint.width]
    limits = np.array([joint.limits or (-np.pi, np.pi) for joint in joints])
    lower, upper = np.clip(limits, -np.pi, np.pi).T
    for _ in range(TRIES * count):
        if len(cells.edges) == count:
            break
        q = np.clip(0.0, lower, upper) + share * (rng.uniform(lower, upper) - np.clip(0.0, lower, upper))
        cells.add_edge(cell, q, far_from(robot, q, rng))
    if not cells.edges:
        raise Missing(f"{TRIES * count:,} random edges of {robot.name} start in contact: there is nothing to ask")
    return cells


def _race(make: partial[Cells], count: int, repeats: int, seed: int) -> Race:
    return edges_race(make(count=count, seed=seed), repeats)


def edges_race(
    cells: Cells, repeats: int, paper: Paper | None = None, picture: Callable[[str], None] | None = None
) -> Race:  # fmt: skip
    """Every peer on the same edges."""
    contestants, skipped = cells.ours(), {}
    contestants += available("hpp", skipped, partial(hpp.contestants, cells)) or []
    coal = available("coal", skipped, partial(coal_robot.CoalRobots, cells))
    if coal is not None:
        contestants += [coal.contestant(0.05), coal.contestant(0.01), coal.contestant(0.002)]
    for name, maker in (("fcl", fcl_robot.contestants), ("drake", drake.contestants)):
        contestants += available(name, skipped, partial(maker, cells)) or []
    cell = cells.cells[0]
    facts = {
        "links": len(cell.robot.link_names), "joints": cell.robot.n_config, "scenes": len(cells.cells),
        "triangles": sum(len(s.faces) for model in cell.scene.models for link in model.shapes for s in link),
    }  # fmt: skip
    return Race(
        contestants=contestants,
        n_questions=len(cells.edges),
        repeats=repeats,
        truth="tocsin first_contact",
        confirm=None if coal is None else coal.overlaps_after,
        facts=facts,
        skipped=skipped,
        paper=paper,
        picture=picture or partial(_draw, cells),
    )


def _draw(cells: Cells, path: str) -> None:
    """The first edge that ends in contact, or the first."""
    asked = [(cells.cells[edge.cell].scene, edge.motion) for edge in cells.edges]
    touching = (question for question in asked if not question[0].is_free(question[1]))
    scene, motion = next(touching, asked[0])
    save_picture(path, scene, motion, size=(1280, 800))


def _entry(name: str, description: str, make: partial[Cells], questions: int) -> Benchmark:
    return Benchmark(name, description, QUESTION, "robots", partial(_race, make), questions=questions, repeats=3)


BENCHMARKS = (
    _entry("panda", "Panda's edges in MotionBenchMaker's scenes: from start to goal, and a planner's of up to 1 rad.",
           partial(_problems, "panda", False), 160),
    _entry("panda-short", "Panda's short edges in the same scenes, up to 0.2 rad.",
           partial(_problems, "panda", True), 160),
    _entry("fetch", "Fetch's edges in MotionBenchMaker's scenes: from start to goal, and a planner's of up to 1 rad.",
           partial(_problems, "fetch", False), 160),
    _entry("ur5", "UR5 against itself, with the meshes that are shown, 96K triangles.",
           partial(_alone, "ur_description/urdf/ur5_robot.urdf", "visual", 1.0), 200),
    _entry("ur10", "UR10 against itself, 6K triangles.",
           partial(_alone, "robots/ur10/ur10.urdf", "collision", 1.0), 100),
    _entry("pr2", "PR2 against itself: 82 links, 20 joints.",
           partial(_alone, "robots/pr2/pr2.urdf", "collision", 0.4, overlaps=OVERLAPS), 60),
    _entry("human", "A recorded mannequin (human36) against itself: 37 links, 109K triangles.",
           partial(_alone, "robots/human36/human36.urdf", "visual", 0.1), 40),
    _entry("humanoid", "A humanoid (JVRC-1) against itself: 60 links, 34 joints.",
           partial(_alone, "robots/jvrc1/jvrc1.urdf", "collision", 1.0), 60),
)  # fmt: skip
