"""A chart settles a pair only where what it proves is at least what is asked."""

import numpy as np
import pytest

import tocsin
from tocsin.broad_phase.charts import settled
from tocsin.broad_phase.pairs import PAIR
from tocsin.model.charts import CHART


@pytest.mark.pure
@pytest.mark.parametrize(
    ("margin", "tolerance", "answer"),
    [(0.0, 0.01, True), (0.01, 0.01, True), (0.02, 0.01, False), (0.0, 0.03, False), (0.025, 0.0, False)],
)
def test_a_chart_is_not_asked_beyond_its_clearance(margin, tolerance, answer):
    """Every cell is set, for 0.02 m: a larger margin is not in that, nor a tolerance that noise has raised."""
    b = tocsin.RobotBuilder("one joint")
    b.link("a", tocsin.Sphere(0.1))
    b.link("b", tocsin.Sphere(0.1), parent="a", joint="continuous", axis=(0, 0, 1), origin=(1, 0, 0))
    robot = b.build()
    chart, pair = np.zeros(1, CHART), np.zeros(1, PAIR)
    chart["bits"], chart["clear"], chart["joint_x"], chart["joint_y"] = np.uint64(2**64 - 1), 0.02, 1, -1
    pair["margin"], pair["tolerance"] = margin, tolerance
    rows = np.array(robot.move([0.0], [1.0]).rows).reshape(-1)
    world = tocsin.Scene(robot).context.tables()
    assert settled(world, pair[0], chart[0], rows, (0, robot.width, 0.0, 1.0), 0.0, 1.0) == answer
