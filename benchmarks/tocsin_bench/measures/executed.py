"""What the controller drives, and not what the planner planned: trajectories of real robots, both ways.

Points are those that others have published for their robots (`published`), over a floor; those of plans that OMPL has
made with MoveIt's settings in MotionBenchMaker's scenes (`recorded`), whose straight lines are proven free; and those
of a planner that proves every straight edge, in the same scenes. They are joined as robots are driven: by scipy's cubic
spline, by toppra's path parametrization, by Ruckig from point to point, by quintics at rest at every point, and by the
cubics of a MoveIt message with velocities. The linear audit asks about the straight lines between the points; the
spline audit about the curve. A judge who shares nothing with the library (its own reader and kinematics, FCL's
distances) confirms every contact that the curve is said to have, and looks at samples of every curve that is said to be
free.

    python -m tocsin_bench executed [--folder messages] [--recorded 20] [--problems 0]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

import tocsin
from tocsin import Trajectory
from tocsin.io.planning import load_problem
from tocsin.planning import plan
from tocsin_bench.campaigns import mbm
from tocsin_bench.campaigns.mbm_fcl import Judge
from tocsin_bench.campaigns.mbm_files import Chain, Solid, read_scene
from tocsin_bench.campaigns.published import Published, in_files, listed
from tocsin_bench.data import Missing, data_file
from tocsin_bench.measures import recorded
from tocsin_bench.measures.plans import deepest
from tocsin_bench.report import console

DESCRIPTION = "Published trajectories and plans as controllers drive them: lines, curves, and an FCL judge."

SPEED, ACCELERATION = 1.0, 2.0
"""Limits of all joints, radians or metres a second, and a second squared."""

SAMPLES = 2000
"""Of the judge, on a curve that is proven free."""


def cubic(points: np.ndarray, times: np.ndarray) -> Trajectory:
    """scipy's natural cubic spline through the points."""
    from scipy.interpolate import CubicSpline

    return Trajectory.of(CubicSpline(times, points, bc_type="clamped"))


def quintic(points: np.ndarray, times: np.ndarray) -> Trajectory:
    """Quintics that rest at every point."""
    return Trajectory(times, points, np.zeros_like(points), np.zeros_like(points))


def parametrized(points: np.ndarray, times: np.ndarray) -> Trajectory:
    """toppra: as fast as the limits allow along the spline through the points."""
    import toppra

    toppra.setup_logging("ERROR")
    path = toppra.SplineInterpolator(np.linspace(0.0, 1.0, len(points)), points)
    limits = np.tile([-1.0, 1.0], (points.shape[1], 1))
    bounds = [
        toppra.constraint.JointVelocityConstraint(SPEED * limits),
        toppra.constraint.JointAccelerationConstraint(ACCELERATION * limits),
    ]
    solved = toppra.algorithm.TOPPRA(bounds, path, parametrizer="ParametrizeSpline").compute_trajectory()
    return Trajectory.of(solved)


def ruckig(points: np.ndarray, times: np.ndarray) -> Trajectory:
    """Ruckig from point to point, at rest at each; joints arrive together, on curves of their own."""
    import ruckig as library

    n = points.shape[1]
    knots, pieces = [np.zeros(1)], []
    for a, b in pairwise(points):
        asked = library.InputParameter(n)
        asked.current_position, asked.target_position = a.tolist(), b.tolist()
        asked.max_velocity, asked.max_acceleration = [SPEED] * n, [ACCELERATION] * n
        asked.max_jerk = [4.0 * ACCELERATION] * n
        found = library.Trajectory(n)
        library.Ruckig(n).calculate(asked, found)
        part = Trajectory.of(found)
        lasts = np.diff(part.knots)
        kept = lasts > 1e-9  # phases of no length, whose ends differ by less than a knot may
        pieces.append(part.coefficients[kept])
        knots.append(knots[-1][-1] + np.cumsum(lasts[kept]))
    degree = max(c.shape[1] for c in pieces)
    table = [np.pad(c, ((0, 0), (0, degree - c.shape[1]), (0, 0))) for c in pieces]
    return Trajectory.of_pieces(np.concatenate(knots), np.concatenate(table), source="Ruckig")


def message(points: np.ndarray, times: np.ndarray) -> Trajectory:
    """A RobotTrajectory message with velocities, as MoveIt's time parametrization writes them, read from its file."""
    velocities = np.gradient(points, times, axis=0)
    velocities[[0, -1]] = 0.0
    names = [f"j{k}" for k in range(points.shape[1])]
    rows = [
        {"positions": p.tolist(), "velocities": v.tolist(), "time_from_start": float(t)}
        for p, v, t in zip(points, velocities, times)
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.json"
        file.write_text(json.dumps({"joint_trajectory": {"joint_names": names, "points": rows}}))
        found = tocsin.load_trajectory(file)
    return Trajectory.of_pieces(found.knots, found.coefficients, source="MoveIt")


JOINED: dict[str, Callable[[np.ndarray, np.ndarray], Trajectory]] = {
    "cubic spline (scipy)": cubic, "toppra": parametrized, "Ruckig": ruckig, "quintics": quintic, "MoveIt": message,
}  # fmt: skip

NEEDS = {"toppra": "toppra", "Ruckig": "ruckig"}
"""What has to be installed for some of them."""


def joined() -> dict[str, Callable[[np.ndarray, np.ndarray], Trajectory]]:
    """Return the ways to join points for which all is installed; the others are named."""
    lost = [name for name, module in NEEDS.items() if find_spec(module) is None]
    if lost:
        console.print(f"not installed, and left out: {', '.join(lost)} (pip install toppra ruckig)", highlight=False)
    return {name: join for name, join in JOINED.items() if name not in lost}


def judged(judge: Any, found: Any, trajectory: Trajectory) -> str:
    """Return what the judge says: of a contact, whether it is there; of freedom, whether samples agree."""
    if found.is_free:
        rows = trajectory(np.linspace(trajectory.knots[0], trajectory.knots[-1], SAMPLES))
        touch = judge.touch(judge.through(rows))
        return f"{SAMPLES} samples: free" if touch is None else f"WRONG: {touch.link} and {touch.other} touch"
    conflict = found.conflicts[0]
    when = conflict.at if conflict.at is not None else 0.5 * (conflict.enter + conflict.exit)
    rows = trajectory(np.array([trajectory.knots[0] + when]))  # a program begins with its first motion
    sweep = judge.through(rows)
    apart = judge.distance(sweep, 0, conflict.pair.link_a, conflict.pair.link_b)
    return f"contact at {when:.3f} s" if apart <= 1e-3 else f"WRONG: {1e3 * apart:.2f} mm apart at {when:.3f} s"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--seed", type=int, default=1, help="seed of the planner (default 1)")
    parser.add_argument("--problems", type=int, default=2, help="problems, five trajectories each (default 2)")
    parser.add_argument("--recorded", type=int, default=4, help="recorded plans, evenly spread (default 4)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="only record plans of OMPL anew, into this file")
    parser.add_argument("--count", type=int, default=70, help="problems a robot that --record plans (default 70)")
    parser.add_argument("--folder", type=Path, help="folder with further messages of MoveIt for Fetch, files fetch*")


def run(args: argparse.Namespace) -> dict[str, Any]:
    """Make the tables."""
    lost = mbm.missing(("panda", "fetch"))
    if lost:
        raise Missing(lost)
    if args.record:
        console.print(f"{recorded.record(args.record, args.count, args.seed)} plans are in {args.record}")
        return {}
    ways = joined()
    published = _published(ways, args.folder)
    _show("what others have published, over a floor", published)
    rows: list[dict[str, Any]] = []
    driven: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        if args.recorded:
            tasks = {task.name: task for task in mbm.unpack(mbm.ROBOTS, Path(folder))}
            for plan_ in mbm.spread(recorded.listed(), args.recorded):
                driven += _driven(tasks[plan_.problem], plan_.points, ways)
            _tell(driven)
        for robot in ("panda", "fetch")[: max(args.problems, 1)]:
            tasks = mbm.unpack((robot,), Path(folder))
            done = 0
            for task in mbm.spread(tasks, 24):
                if done * 2 >= args.problems:
                    break
                made = _problem(task, args.seed, ways)
                if made is not None:
                    rows += made
                    done += 1
    if rows:
        _show("the points of our plans, joined by straight lines and as they are driven", rows)
    rows = published + driven + rows
    wrong = sum("WRONG" in r["judge"] for r in rows)
    fooled = sum(r["linear"] == "free" and r["curve"] != "free" for r in rows)
    console.print(
        f"{len(rows)} trajectories; the linear audit passes {fooled} that touch; the judge contradicts {wrong}"
    )
    if wrong:
        raise SystemExit(f"{wrong} answers were contradicted")
    return {"rows": rows, "fooled": fooled}


COLUMNS = {
    "problem": "problem", "joined by": "by", "degree": "degree", "pieces": "pieces", "seconds": "lasts",
    "linear": "linear", "curve": "curve", "not free (s)": "when", "judge": "judge", "ms": "ms",
}  # fmt: skip


def _show(title: str, rows: list[dict[str, Any]]) -> None:
    """Print rows as a table."""
    table = Table(title=title)
    for name in COLUMNS:
        table.add_column(name, justify="right" if name in ("degree", "pieces", "seconds", "ms") else "left")
    for row in rows:
        table.add_row(*[str(row[key]) for key in COLUMNS.values()])
    console.print(table)


WORST = 10
"""Curves that are shown of those that pass as lines and touch: the deepest."""


def _tell(rows: list[dict[str, Any]]) -> None:
    """Print how many curves of recorded plans touch, by how they are joined, and the worst of them."""
    table = Table(title="recorded plans of OMPL, straight lines proven free, as they are driven")
    for name in ("joined by", "curves", "free", "touch", "undecided", "deepest"):
        table.add_column(name, justify="left" if name == "joined by" else "right")
    for way in dict.fromkeys(row["by"] for row in rows):
        told = [row["curve"] for row in rows if row["by"] == way]
        deep = max(row["deep"] for row in rows if row["by"] == way)
        counts = len(told), told.count("free"), told.count("contact"), told.count("capped")
        table.add_row(way, *map(str, counts), f"{1e3 * deep:.1f} mm")
    console.print(table)
    fooled = sorted((row for row in rows if row["curve"] == "contact"), key=lambda row: -row["deep"])
    _show(f"the {min(WORST, len(fooled))} deepest of {len(fooled)}", fooled[:WORST])


FLOOR = ((4.0, 4.0, 0.1), (0.0, 0.0, -0.1))
"""Size and place: 5 cm below where robots stand."""


def _on_a_floor(name: str) -> tuple[tocsin.Robot, Judge, tocsin.Scene]:
    """Return a robot on a floor, and its judge there."""
    if name == "ur10":
        file = data_file("robots/ur10/ur10.urdf")
        robot = tocsin.Robot.from_urdf(file, ignore_overlapping=True)
        ignored = [(robot.link_names[i], robot.link_names[k]) for i, k in robot.ignored]
        judge = Judge(Chain(file), robot.joint_names, ignored)
    else:
        robot, judge = mbm.judged_robot(name, data_file(f"robots/{name}_mbm"))
    size, place = FLOOR
    scene = tocsin.Scene(robot, tocsin.Body(tocsin.Box(size), place, name="floor"))
    judge.enter({"floor": [Solid("box", size, np.eye(3), np.array(place))]}, ())
    return robot, judge, scene


def _published(ways: dict[str, Callable[..., Trajectory]], folder: Path | None) -> list[dict[str, Any]]:
    """Return the rows of what others have published: as it is sent, and joined as their libraries do."""
    rows = []
    for given in listed():
        robot, judge, scene = _on_a_floor(given.robot)
        points, times = given.rows(robot), np.array(given.times)
        sent = given.sent(robot)
        curves = {} if sent is None else {"as it is sent": sent}
        for way in _ways_of(given):
            if way in ways:
                curves[way] = ways[way](points, times)
        rows += _audited(f"{given.name} ({given.robot})", scene, robot, judge, (points, times), curves)
    for name, which, file in in_files(folder):
        robot, judge, scene = _on_a_floor(which)
        sent = _of_all_joints(tocsin.load_trajectory(file), robot)
        rows += _audited(name, scene, robot, judge, (sent(sent.knots), sent.knots), {"as it is sent": sent})
    return rows


def _of_all_joints(given: Trajectory, robot: tocsin.Robot) -> Trajectory:
    """Return a trajectory of some joints as one of the robot's whole configuration; the others stand at 0."""
    table = np.zeros((*given.coefficients.shape[:2], robot.n_config))
    for k, name in enumerate(given.joint_names):
        table[:, :, robot.joint_names.index(name)] = given.coefficients[:, :, k]
    return Trajectory.of_pieces(given.knots, table, source=given.source)


def _ways_of(given: Published) -> tuple[str, ...]:
    """Return how points are joined: by the library whose example they are; several stops by a spline, too."""
    if len(given.points) < 3:
        return () if given.derivatives else ("Ruckig",)
    return ("toppra",) if "toppra" in given.name else ("cubic spline (scipy)", "toppra", "Ruckig")


def _audited(
    name: str, scene: tocsin.Scene, robot: tocsin.Robot, judge: Any, given: tuple[np.ndarray, np.ndarray],
    curves: dict[str, Trajectory],
) -> list[dict[str, Any]]:  # fmt: skip
    """Return a row for each curve through the given points, which the straight lines pass at their times."""
    points, times = given
    straight = tocsin.audit(scene, tocsin.Program().follow(robot, points, times=times))
    rows = []
    for way, trajectory in curves.items():
        audit = tocsin.audit(scene, tocsin.Program().follow(robot, trajectory))
        met = [(c, c.pair) for c in audit.conflicts[:2] if c.pair is not None]
        when = ", ".join(f"{c.enter:.3f}–{c.exit:.3f} {pair.link_a}/{pair.link_b}" for c, pair in met)
        rows.append({
            "problem": name, "by": way, "degree": trajectory.degree, "pieces": len(trajectory.coefficients),
            "lasts": f"{trajectory.duration:.2f}", "linear": straight.status.value, "curve": audit.status.value,
            "when": when, "judge": judged(judge, audit, trajectory), "ms": round(1e3 * audit.seconds),
        })  # fmt: skip
    return rows


def _entered(task: mbm.Task) -> tuple[tocsin.Robot, Judge, tocsin.Scene, Any]:
    """Return the robot of a problem, its judge in its scene, the scene, and the problem."""
    robot, judge = mbm.judged_robot(task.robot, task.robot_folder)
    problem = load_problem(task.scene, task.request)
    judge.enter(read_scene(task.scene), problem.allowed)
    return robot, judge, problem.scene(robot), problem


def _stamped(points: np.ndarray) -> np.ndarray:
    """Return the seconds at which points are passed, at two thirds of the greatest speed."""
    lasts = np.maximum(np.abs(np.diff(points, axis=0)).max(axis=1) / SPEED, 0.1)
    return np.concatenate([[0.0], np.cumsum(1.5 * lasts)])


def _driven(task: mbm.Task, points: np.ndarray, ways: dict[str, Callable[..., Trajectory]]) -> list[dict[str, Any]]:
    """Return the rows of one recorded plan, and how deep links are in obstacles on its curves."""
    robot, judge, scene, _ = _entered(task)
    times = _stamped(points)
    curves = {name: join(points, times) for name, join in ways.items()}
    rows = _audited(task.name, scene, robot, judge, (points, times), curves)
    solids = [solid for parts in read_scene(task.scene).values() for solid in parts]
    for row, curve in zip(rows, curves.values()):
        row["deep"] = 0.0
        if row["curve"] == "contact":
            moments = np.linspace(curve.knots[0], curve.knots[-1], SAMPLES // 4)
            row["deep"] = deepest(judge.chain, robot.joint_names, curve(moments), solids)
            row["judge"] += f", {1e3 * row['deep']:.1f} mm deep"
    return rows


def _problem(task: mbm.Task, seed: int, ways: dict[str, Callable[..., Trajectory]]) -> list[dict[str, Any]] | None:
    """Return the rows of one problem; None if no plan of at least three points was found."""
    robot, judge, scene, problem = _entered(task)
    start, goal = problem.configurations(robot)
    if any(scene.first_contact(robot.at(q)).collides for q in (start, goal)):
        return None
    found = plan(scene, robot, start, goal, seed=seed)
    if len(found.path) < 3:
        return None
    points = np.asarray(found.path)
    times = _stamped(points)
    curves = {name: join(points, times) for name, join in ways.items()}
    return _audited(task.name, scene, robot, judge, (points, times), curves)
