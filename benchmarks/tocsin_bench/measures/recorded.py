"""Plans of another planner, recorded: OMPL's RRT-Connect in MotionBenchMaker's problems, simplified, as MoveIt has it.

Motions were checked by samples of Pinocchio and Coal, every 0.5 % of the space's extent (MoveIt's default). Kept are
the plans of three points or more whose straight lines are proven free; `plans` tells about the others. What a plan is
driven as, `executed` asks of these.

    python -m tocsin_bench executed --record plans.json     plans anew, for those who have OMPL
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

import tocsin
from tocsin_bench.campaigns import mbm
from tocsin_bench.measures import plans

FILE = Path(__file__).with_name("recorded_plans.json")

FRACTION, SECONDS = 0.005, 5.0
"""How finely motions were sampled, and how long a plan might take."""

DIGITS = 9
"""Of joint values, after the point: what was audited is what is kept."""


class Plan(NamedTuple):
    """The points of a plan, in the scene of a problem."""

    problem: str
    """Such as panda/box/0001."""
    points: np.ndarray


def listed(file: Path = FILE) -> list[Plan]:
    """Return the plans of a file, in its order."""
    return [Plan(row["problem"], np.array(row["points"])) for row in json.loads(file.read_text())]


def made(robot: str, count: int, seed: int) -> Iterator[Plan]:
    """Plan so many problems of a robot, evenly spread; yield the plans that are kept."""
    planner = plans.sampled(FRACTION)
    with tempfile.TemporaryDirectory() as folder:
        for task in mbm.spread(mbm.unpack([robot], Path(folder)), count):
            given = plans.given_of(task)
            try:
                path = planner(given, SECONDS, seed)
            except tocsin.TocsinError:
                continue  # the start or the goal is in contact
            if path is None or len(path) < 3:
                continue
            path = np.round(path, DIGITS)
            if tocsin.audit(given.scene, given.robot, path).is_free:
                yield Plan(task.name, path)


def record(file: Path, count: int, seed: int) -> int:
    """Plan, and write the plans that are kept; return how many."""
    found = [plan for robot in mbm.ROBOTS for plan in made(robot, count, seed)]
    rows = [json.dumps({"problem": plan.problem, "points": plan.points.tolist()}) for plan in found]
    file.write_text("[\n" + ",\n".join(rows) + "\n]\n")
    return len(found)
