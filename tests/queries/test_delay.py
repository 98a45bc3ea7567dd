"""The least delay: proven free with it, in contact a little before, and no delay where none helps."""

import math

import numpy as np
import pytest

import tocsin
from tocsin import Body, Box, Scene, Sphere


def crossing(size=0.1):
    """Two balls whose paths cross: a passes the crossing at 1 s, b at 1 s too."""
    a, b = Body(Sphere(size), name="a"), Body(Sphere(size), name="b")
    scene = Scene(a, b)
    return scene, a.follow([(-1, 0, 0), (1, 0, 0)], times=[0, 2]), b.follow([(0, -1, 0), (0, 1, 0)], times=[0, 2])


def test_the_least_delay_of_two_balls_that_cross_is_the_exact_one():
    scene, a, b = crossing()
    found = tocsin.delay(scene, a, b, resolution=1e-5)
    # At delay d, both of speed 1: they are d apart in phase, and their least distance is d / sqrt 2.
    exact = 0.2 * math.sqrt(2.0)
    assert exact <= found.seconds <= exact + 1e-3
    assert scene.is_free(*found.motions)
    assert found.before < found.seconds <= found.before + 1e-5
    assert found.conflict.collides
    for k in range(int(found.before / found.step)):
        late = b.model.follow([(0, -1, 0), (0, 1, 0)], times=np.array([0, 2]) + k * found.step)
        assert not scene.is_free(a, late)


def test_what_is_free_needs_no_delay_and_what_stays_in_the_way_has_none():
    scene, a, b = crossing(0.01)
    far = b.model.follow([(0, -1, 1), (0, 1, 1)], times=[0, 2])
    assert tocsin.delay(scene, a, far).seconds == 0.0
    ends_there = a.model.follow([(-1, 0, 0), (0, 0, 0)], times=[0, 1])
    stuck = tocsin.delay(scene, ends_there, b)
    assert stuck.seconds == math.inf
    assert stuck.conflict.collides
    with pytest.raises(tocsin.TocsinError, match="neither true nor false"):
        bool(stuck)


def test_robots_wait_for_each_other():
    robots = []
    for k, name in enumerate(("one", "two")):
        builder = tocsin.RobotBuilder(name)
        builder.link("base", Box((0.1, 0.1, 0.1)))
        builder.link("arm", (Box((0.7, 0.05, 0.05)), (0.4, 0, 0)), parent="base", joint="revolute", joint_name="j")
        robots.append(builder.build())
        robots[-1].place((1.0 * k, 0, 0))
    one, two = robots
    scene = Scene(one, two)
    a = one.follow([[1.2], [-1.2], [-1.6]], times=[0, 2, 2.4])
    b = two.follow([[math.pi - 1.5], [math.pi + 1.5]], times=[0, 2])
    found = tocsin.delay(scene, a, b, margin=0.01)
    assert 0.0 < found.seconds < math.inf
    assert scene.is_free(*found.motions, margin=0.01)


def test_what_does_not_fit_is_said():
    scene, a, b = crossing()
    with pytest.raises(tocsin.TocsinError, match="all with times"):
        tocsin.delay(scene, a)
    with pytest.raises(tocsin.TocsinError, match="all with times"):
        tocsin.delay(scene, a, b.model.move((0, 0, 0), (1, 0, 0)))
    with pytest.raises(tocsin.TocsinError, match="more than a million"):
        tocsin.delay(scene, a, b, step=1e-9)
    with pytest.raises(tocsin.TocsinError, match="takes a Scene"):
        tocsin.delay(a, b)


def test_a_delay_says_how_long_and_what_a_shorter_one_would_meet():
    found = tocsin.delay(*crossing())
    assert repr(found) == f"<Delay: {found.seconds:.6g} s; with {found.before:.6g} s {found.conflict}>"
