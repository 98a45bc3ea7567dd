"""Two links by themselves: how far, how fast, and how deep in each other."""

import pytest

from tocsin import Body, Box, Program, Scene, Sphere
from tocsin.queries.audit.between import Between
from tocsin.queries.audit.records import Pair
from tocsin.queries.phases import phases


def passing(y):
    """A cube that drives past another at 0.5 m/s, y aside."""
    a, b = Body(Box((1, 1, 1)), (-3, y, 0), name="a"), Body(Box((1, 1, 1)), name="b")
    scene = Scene(a, b)
    program = Program().follow(a, [(-3, y, 0), (3, y, 0)], times=[0, 12])
    (phase,) = phases(scene.context, program)
    return Between(scene.context, Pair("a", "a", "b", "b")), phase


def test_the_smallest_distance_its_place_and_speed():
    between, phase = passing(1.25)
    found = between.closest(phase, 0.0, 12.0)
    assert found.distance == pytest.approx(0.25, abs=1e-9)
    assert found.speed == pytest.approx(0.5, rel=1e-6)
    assert abs(found.point[1] - 0.625) < 0.13


def test_an_overlap_is_as_deep_as_the_way_out():
    between, phase = passing(0.9)
    assert between.closest(phase, 0.0, 12.0).distance == 0.0
    assert between.way_out(phase, 6.0) == pytest.approx(0.1, abs=5e-3)
    assert between.way_out(phase, 6.0) >= 0.1


def test_what_stands_has_no_speed():
    one, other = Body(Sphere(0.1), name="one"), Body(Sphere(0.1), (0.7, 0.3, 0.2), name="other")
    program = Program().follow(one, [(0, 0, 0), (0.4, 0.3, 0.2)], times=[0, 1]).wait(one, 1.0)
    phase = next(iter(phases(Scene(one, other).context, program)))
    between = Between(phase.context, Pair("one", "one", "other", "other"))
    assert between.approach(phase, 1.5).speed == 0.0
    assert between.approach(phase, 0.5).speed > 0.3


@pytest.mark.filterwarnings("ignore::tocsin.UnitWarning")
@pytest.mark.parametrize("first", [0.0, 1.7e9, 1e12])
def test_a_speed_that_jumps_is_the_larger_of_the_two(first):
    """At 0.5 m/s there and at 0.2 m/s back: the mean of both was said, which is nothing where they are equal."""
    one, other = Body(Sphere(0.1), (0, 0, 0), name="one"), Body(Sphere(0.1), (1.3, 0, 0), name="other")
    program = Program().follow(one, [(0, 0, 0), (1, 0, 0), (0, 0, 0)], times=[first, first + 2, first + 7], at=first)
    (phase,) = phases(Scene(one, other).context, program)
    found = Between(phase.context, Pair("one", "one", "other", "other")).approach(phase, first + 2.0)
    assert found.distance == pytest.approx(0.1)
    assert found.speed == pytest.approx(0.5, rel=1e-6)
