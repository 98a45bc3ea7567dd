"""How points are joined: all of these pass through them."""

import numpy as np
import pytest

from tocsin_bench.measures import recorded
from tocsin_bench.measures.executed import JOINED

POINTS = np.array([[0.0, 0.0, 0.5], [0.7, -0.2, 0.5], [0.9, 0.6, 0.5], [0.1, 0.8, 0.5]])
TIMES = np.array([0.0, 1.2, 2.5, 4.0])


@pytest.mark.parametrize("name", JOINED)
def test_every_way_to_join_points_passes_through_them(name):
    pytest.importorskip({"toppra": "toppra", "Ruckig": "ruckig"}.get(name, "scipy"))
    trajectory = JOINED[name](POINTS, TIMES)
    fine = trajectory(np.linspace(trajectory.knots[0], trajectory.knots[-1], 4001))
    for point in POINTS:
        assert np.abs(fine - point).max(axis=1).min() < 5e-3
    assert np.allclose(trajectory.positions[[0, -1]], POINTS[[0, -1]], atol=1e-6)


def test_recorded_plans_have_three_points_or_more_of_one_robot_each():
    plans = recorded.listed()
    assert len({plan.problem for plan in plans}) == len(plans) > 20
    for plan in plans:
        robot = plan.problem.split("/")[0]
        assert robot in ("panda", "fetch")
        assert plan.points.shape[1] == {"panda": 7, "fetch": 8}[robot]
        assert len(plan.points) > 2
        assert np.isfinite(plan.points).all()
        assert np.array_equal(plan.points, np.round(plan.points, recorded.DIGITS))
