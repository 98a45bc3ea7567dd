"""What the measurement of plans measures with: depths, by other code than the library's."""

import numpy as np
import pytest

from tocsin_bench.campaigns.mbm_files import Solid
from tocsin_bench.measures.plans import inside, planners


@pytest.mark.parametrize(
    ("kind", "size", "point", "depth"),
    [
        ("box", (2.0, 4.0, 6.0), (0.9, 0.0, 0.0), 0.1),
        ("box", (2.0, 4.0, 6.0), (0.0, 1.7, 2.9), 0.1),
        ("box", (2.0, 4.0, 6.0), (1.1, 0.0, 0.0), 0.0),
        ("cylinder", (1.0, 2.0), (0.6, 0.0, 0.3), 0.4),
        ("cylinder", (1.0, 2.0), (0.0, 0.1, 0.8), 0.2),
        ("cylinder", (1.0, 2.0), (0.0, 0.1, 1.2), 0.0),
        ("sphere", (1.0,), (0.0, 0.0, 0.75), 0.25),
    ],
)
def test_a_point_is_as_deep_as_its_nearest_way_out(kind, size, point, depth):
    turned = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    shift = np.array([5.0, 6.0, 7.0])
    solid = Solid(kind, size, turned, shift)
    far = np.full((1, 3), 100.0)
    points = np.vstack([far, turned @ np.array(point) + shift])
    assert inside(points, solid) == pytest.approx(depth)


def test_planners_are_chosen_by_parts_of_their_names():
    assert list(planners(["plan"])) == ["tocsin plan"]
    assert len(planners(["Coal"])) == 2
