"""The smallest distance on a trajectory from both sides, against dense samples of a ball that passes another."""

import numpy as np
import pytest

import tocsin
from tocsin.queries.audit.clearance import CLEARANCE_GAP


def passing(offset, knots=4):
    """A ball on a rail, that passes a ball beside it at `offset` of its centre."""
    builder = tocsin.RobotBuilder("rail").link("base")
    builder.link("cart", tocsin.Sphere(0.5), parent="base", joint="prismatic", axis=(1, 0, 0))
    rail = builder.build()
    scene = tocsin.Scene(rail, tocsin.Body(tocsin.Sphere(0.5), (0.0, offset, 0.0), name="ball"))
    return scene, rail, np.linspace(-2.0, 2.5, knots)[:, None]


@pytest.mark.parametrize("offset", [1.1, 1.5, 3.0])
def test_the_smallest_distance_is_between_the_bounds_which_are_close(offset):
    scene, rail, path = passing(offset)
    found = tocsin.audit(scene, rail, path).clearance
    truth = offset - 1.0
    assert found.lower <= truth + 1e-12
    assert found.upper >= truth - 1e-9
    assert found.lower >= (1.0 - 1.1 * CLEARANCE_GAP) * truth
    assert found.upper <= (1.0 + CLEARANCE_GAP) * truth
    x = found.at.configuration[0]
    assert np.hypot(x, offset) - 1.0 == pytest.approx(found.upper, abs=1e-9), "attained where it says"


def test_where_it_touches_nothing_is_proven_and_nothing_far_is_told():
    scene, rail, path = passing(0.9)
    found = tocsin.audit(scene, rail, path)
    assert not found.is_free
    assert found.clearance.lower == 0.0
    assert found.clearance.upper == pytest.approx(0.0, abs=1e-3)


def test_alone_there_is_nothing_to_keep_away_from():
    _, rail, path = passing(2.0)
    found = tocsin.audit(tocsin.Scene(rail), rail, path).clearance
    assert found.upper == np.inf
