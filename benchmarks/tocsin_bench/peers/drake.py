"""Drake's edge checker: `SceneGraphCollisionChecker.CheckEdgeCollisionFree`, sampled, on one thread.

Drake takes the convex hull of every mesh for collision, so it asks another question of meshes than the others: more
contacts, which are counted as alarms. Its step is by the Euclidean norm of the joints' change.
"""

from __future__ import annotations

import itertools
import logging
import math
from typing import Any

import numpy as np

from tocsin_bench import report
from tocsin_bench.peers.cells import Cell, Cells
from tocsin_bench.peers.export import BODY, WORLD
from tocsin_bench.peers.remote import apart
from tocsin_bench.race import Contestant

STEP = 0.05
NOTE = "takes the convex hull of each mesh, which is another question: its alarms are contacts of hulls"


def contestants(cells: Cells) -> list[Contestant]:
    """The checker with steps of 0.05 rad."""
    checkers = [checker_of(cell) for cell in cells.cells]
    edges = [cells.values(edge) for edge in cells.edges]
    ends = [(ordered(checkers[e.cell], a), ordered(checkers[e.cell], b)) for e, (a, b) in zip(cells.edges, edges)]

    def ask(k: int) -> float:
        free = checkers[cells.edges[k].cell][0].CheckEdgeCollisionFree(*ends[k])
        return math.inf if free else math.nan

    name = f"drake, every {STEP:g} rad"
    return [Contestant(name, apart(report.asking(ask)), against="tocsin is_free", note=NOTE)]


def ordered(checker: tuple[Any, list[int]], q: np.ndarray) -> np.ndarray:
    """Return a configuration in the order of Drake's positions."""
    found = np.zeros(len(q))
    found[checker[1]] = q
    return found


def checker_of(cell: Cell) -> tuple[Any, list[int]]:
    """Return Drake's checker of a cell, and the order of its joints."""
    from pydrake import planning  # pyright: ignore[reportMissingImports]

    logging.getLogger("drake").setLevel(logging.WARNING)
    builder = planning.RobotDiagramBuilder()
    plant = builder.plant()
    builder.parser().AddModelsFromString(cell.exported.urdf.replace('filename="/', 'filename="file:///'), "urdf")
    instance = plant.GetModelInstanceByName(cell.robot.name)
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(WORLD))
    plant.Finalize()
    places = [plant.GetJointByName(name).position_start() for name in cell.exported.joints]
    make: Any = planning.SceneGraphCollisionChecker  # its stub knows one way to make it, this is the other
    checker = make(
        model=builder.Build(), robot_model_instances=[instance], edge_step_size=STEP,
        env_collision_padding=0.0, self_collision_padding=0.0,
    )  # fmt: skip
    plant = checker.plant()
    names = {plant.get_body(index).name(): index for index in plant.GetBodyIndices(instance)}
    for pair in cell.exported.disabled:
        if len(pair) == 2 and all(name in names for name in pair):
            a, b = (names[name] for name in pair)
            checker.SetCollisionFilteredBetween(a, b, True)
    # What stands is part of the same model here: its pairs among itself are no questions.
    standing = [index for name, index in names.items() if name.startswith(BODY)]
    for a, b in itertools.combinations(standing, 2):
        checker.SetCollisionFilteredBetween(a, b, True)
    return checker, places
