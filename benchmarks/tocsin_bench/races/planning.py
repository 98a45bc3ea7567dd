"""Planning on a construction site [CATCH 8.1, fig. 9, fig. 10]: every edge that a planner asks about.

OMPL's RRT-Connect plans for the excavator and the tower crane of `site`, in a process of its own; its validator of
motions is `Scene.is_free`, and each edge that it asks about is kept. These edges are the questions of the race, so that
all contestants answer what a planner really asks: long motions between random configurations, most of which collide.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import tocsin
from tocsin.viewer import render
from tocsin_bench.data import Missing
from tocsin_bench.peers.cells import Cells
from tocsin_bench.peers.remote import Worker, serve
from tocsin_bench.race import Benchmark, Paper, Race
from tocsin_bench.races import robots
from tocsin_bench.scenes import site


@dataclass(frozen=True)
class Task:
    """From one configuration to another; joints outside `joints` stay as they are."""

    robot: Callable[[], tocsin.Robot]
    start: tuple[float, ...]
    goal: tuple[float, ...]
    joints: tuple[int, ...]
    paper: Paper
    step: float
    """The longest edge of the planner's trees, in metres and radians together."""


_PARKED = (-7.5, -4.0, 0.0, 0.0, 1.0, -2.2, -1.0)
_DIGGING = (0.2, -6.6, 0.5, 1.4, 0.45, -1.3, -0.9)
_LOADING = (0.2, -6.6, 0.5, 0.0, 0.95, -1.5, -1.2)
_REAL_LOW, _REAL_HIGH = (1.2, -0.75, 1.5, 0.5, 0.0), (0.0, -0.75, 1.2, 0.9, 0.0)
_FIRST, _SECOND, _PIPE = (-2.6, 9.0, 12.0), (-0.2, 12.0, 15.0), (1.93, 4.27, 16.6)

TASKS = {
    "excavator-drive": Task(
        site.excavator, _PARKED, _DIGGING, (0, 1, 2, 3, 4, 5, 6),
        Paper("2007, Table 1", 0.78, 0.15, 0.82, 3.4), 10.0,
    ),
    "excavator-load": Task(
        site.excavator, _DIGGING, _LOADING, (3, 4, 5, 6),
        Paper("2007, Table 1", 0.1, 0.075, 0.12, 0.98), 3.0,
    ),
    "excavator-real": Task(
        site.recorded_excavator, _REAL_LOW, _REAL_HIGH, (0, 1, 2, 3),
        Paper("2007, Table 1", 0.1, 0.075, 0.12, 0.98), 3.0,
    ),
    "crane-move": Task(
        site.crane, _FIRST, _SECOND, (0, 1, 2),
        Paper("2007, Table 1", 5.66e-3, 1.32e-3, 11.1e-3, 0.134), 12.0,
    ),
    "crane-drop": Task(
        site.crane, _SECOND, _PIPE, (0, 1, 2),
        Paper("2007, Table 1", 15.1e-3, 2.9e-3, 27.3e-3, 0.211), 12.0,
    ),
}  # fmt: skip


SEARCHES, SECONDS = 60, 6.0


class Service:
    """The planner's process: OMPL's random numbers start fresh in it, and its ends are not heard."""

    def plan(self, name: str, wanted: int, seed: int) -> dict[str, Any]:
        """Plan until so many edges were asked and a way is found, at most `SEARCHES` times; edges and the first way."""
        from ompl import util  # pyright: ignore[reportMissingImports]

        util.RNG.setSeed(seed)
        task = TASKS[name]
        robot = task.robot()
        scene = tocsin.Scene(robot, *site.bodies())
        asked: list[tuple[np.ndarray, np.ndarray]] = []
        way: list[np.ndarray] = []
        for _ in range(SEARCHES):
            found = _solve(task, robot, scene, asked)
            way = way or found
            if len(asked) >= wanted and way:
                break
        return {"asked": asked, "way": way}


def _solve(task: Task, robot: tocsin.Robot, scene: tocsin.Scene, asked: list[Any]) -> list[np.ndarray]:
    """One search; the way that was found, or nothing."""
    from ompl import base, geometric  # pyright: ignore[reportMissingImports]

    rest = np.array(task.start, dtype=np.float64)
    chosen = list(task.joints)
    limits = np.array([joint.limits or (-np.pi, np.pi) for joint in robot.joints if joint.width])[chosen]
    space: Any = base.RealVectorStateSpace(len(chosen))
    bounds = base.RealVectorBounds(len(chosen))
    for k, (low, high) in enumerate(limits):
        bounds.setLow(k, float(low))
        bounds.setHigh(k, float(high))
    space.setBounds(bounds)
    information: Any = base.SpaceInformation(space)

    def configuration(state: Any) -> np.ndarray:
        q = rest.copy()
        q[chosen] = [state[k] for k in range(len(chosen))]
        return q

    class Validator(base.MotionValidator):  # type: ignore[misc]
        """Asks tocsin, and keeps the question."""

        def checkMotion(self, a: Any, b: Any, last: Any = None) -> bool:
            q_t0, q_t1 = configuration(a), configuration(b)
            asked.append((q_t0, q_t1))
            return bool(scene.is_free(robot.move(q_t0, q_t1)))

    information.setStateValidityChecker(lambda state: bool(scene.is_free(robot.at(configuration(state)))))
    information.setMotionValidator(Validator(information))
    information.setup()
    planning: Any = geometric.SimpleSetup(information)
    ends = [space.allocState(), space.allocState()]
    for state, values in zip(ends, (task.start, task.goal)):
        for k, joint in enumerate(chosen):
            state[k] = float(values[joint])
    planning.setStartAndGoalStates(*ends)
    planner = geometric.RRTConnect(information)
    planner.setRange(task.step)
    planning.setPlanner(planner)
    if "Exact" not in str(planning.solve(SECONDS)):
        return []
    path = planning.getSolutionPath()
    return [configuration(path.getState(k)) for k in range(path.getStateCount())]


def _race(name: str, count: int, repeats: int, seed: int) -> Race:
    task = TASKS[name]
    planned = Worker(__name__, {}).call("plan", name, count, seed)
    if not planned["way"]:
        raise Missing(f"the planner found no way in {SEARCHES} searches of {SECONDS:g} s")
    robot = task.robot()
    cells = Cells()
    cell = cells.add(robot, site.bodies())
    every = max(1, len(planned["asked"]) // count)
    for q_t0, q_t1 in planned["asked"][::every]:
        if len(cells.edges) < count:
            cells.add_edge(cell, q_t0, q_t1)
    return robots.edges_race(cells, repeats, task.paper, partial(draw, robot, planned["way"]))


def draw(robot: tocsin.Robot, way: list[np.ndarray], path: str) -> None:
    """The site, and the robot at the ends and two moments of the way that was found."""
    render_scene = render.RenderScene()
    colours = {"ground": (0.62, 0.56, 0.46), "building": (0.72, 0.72, 0.7), "scaffold": (0.55, 0.58, 0.62)}
    for name, mesh in site.site().items():
        normals = np.repeat(_flat(mesh)[:, None], 3, axis=1) if name != "ground" else None
        render_scene.add(mesh, colours.get(name, (0.5, 0.45, 0.42)), normals=normals)
    motion = robot.follow(np.array(way))
    paints = ((0.95, 0.75, 0.3), (0.93, 0.66, 0.22), (0.9, 0.56, 0.18), (0.85, 0.42, 0.15))
    for t, colour in zip((0.0, 0.4, 0.7, 1.0), paints):
        for shapes, pose in zip(robot.shapes, motion.link_poses(t)):
            for shape in shapes:
                mesh = shape.points, shape.faces  # in the frame of the link
                render_scene.add(mesh, colour, pose, np.repeat(_flat(mesh)[:, None], 3, axis=1))
    crane = robot.name == "crane"
    eye, at = ((24.0, -30.0, 26.0), (0.0, 1.0, 7.0)) if crane else ((6.0, -24.0, 17.0), (-1.5, -2.0, 1.0))
    render.render(render_scene, path, eye=eye, at=at, zoom=1.8)


def _flat(mesh: Any) -> np.ndarray:
    """The normal of each face, for edges that look sharp."""
    corners = mesh[0][mesh[1]]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)


QUESTION = "is the whole edge, which OMPL's RRT-Connect asks about, free?"
DESCRIPTIONS = {
    "excavator-drive": "An excavator (19K triangles) plans its way across a construction site (0.39M).",
    "excavator-load": "The excavator plans from the ground into a truck.",
    "excavator-real": "A recorded excavator (ZX120, 32K triangles) plans the same in the same place.",
    "crane-move": "A tower crane (1.3K triangles) plans on the same site, from one place to another.",
    "crane-drop": "The crane plans to lower its load into a standing pipe.",
}
BENCHMARKS = tuple(
    Benchmark(name, description, QUESTION, "papers", partial(_race, name), questions=60, repeats=3)
    for name, description in DESCRIPTIONS.items()
)

if __name__ == "__main__":
    serve(Service())
