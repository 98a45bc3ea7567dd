"""The second engine answers what the first one does: every kind of scene, asked of both."""

import numpy as np
import pytest

import tocsin
from tocsin.errors import TocsinError
from tocsin.queries.engines.interval import Interval
from tocsin.queries.first_contact import first_contact
from tocsin.results import Status


def at(x, y, z, angle=0.0):
    pose = np.eye(4)
    c, s = np.cos(angle), np.sin(angle)
    pose[:2, :2] = [[c, -s], [s, c]]
    pose[:3, 3] = x, y, z
    return pose


@pytest.fixture(scope="module")
def ball_and_cube():
    cube = tocsin.Body(tocsin.Box(size=(1, 1, 1)).tessellate(), name="cube")
    ball = tocsin.Body(tocsin.Sphere(0.5).tessellate(24), name="ball")
    return tocsin.Scene(cube, ball), ball


@pytest.mark.parametrize("options", [{}, {"margin": 0.1}, {"tolerance": 1e-9}])
def test_both_engines_find_the_same_first_contact(ball_and_cube, options):
    scene, ball = ball_and_cube
    move = ball.move(at(3, 0.1, 0.2), at(-3, 0.2, 0.3, 2.0))
    first = scene.first_contact(move, **options)
    second = scene.first_contact(move, method="interval", **options)
    assert second.status is Status.CONTACT
    assert abs(first.time - second.time) * 7.0 <= first.tolerance + second.tolerance
    assert not scene.is_free(move, method="interval", **options)


def test_the_final_interval_is_reported(ball_and_cube):
    scene, ball = ball_and_cube
    hit = scene.first_contact(ball.move(at(3, 0, 0), at(-3, 0, 0)), method="interval", tolerance=1e-10)
    free_until, by = hit.bracket
    assert free_until == hit.time
    assert hit.time <= by <= hit.time + 1e-6


def test_passing_by_is_proven_free_with_every_combination_of_stages(ball_and_cube):
    scene, ball = ball_and_cube
    move = ball.move(at(3, 1.1, 0), at(-3, 1.05, 0, 1.0))
    for stages in ((1, 2, 3), (1, 3), (2, 3), (3,)):
        hit = first_contact(scene.context, (move,), 0.0, None, 10**6, Interval(stages))
        assert hit.status is Status.FREE
        assert hit.bracket == (1.0, np.inf)
        assert hit.stats.intervals >= (0 if 2 in stages else 2)  # swept volumes can settle it before the first
        assert set(hit.stats.seconds) == {"motion", "bvh", "swept", "exact"}
    with pytest.raises(TocsinError, match="stages are 1, 2 and 3"):
        Interval((1, 2))


def test_a_cap_on_steps_says_until_when_it_is_free(ball_and_cube):
    scene, ball = ball_and_cube
    move = ball.move(at(3, 0, 0), at(-3, 0, 0))
    truth = scene.first_contact(move, tolerance=1e-9).time
    capped = scene.first_contact(move, method="interval", max_steps=2)
    assert capped.status is Status.CAPPED
    assert capped.time <= truth
    assert capped.bracket == (capped.time, np.inf)


def test_plain_interval_matrices_of_the_paper_give_the_same_answers(ball_and_cube):
    scene, ball = ball_and_cube
    for goal, status in ((at(-3, 0.2, 0.3, 2.0), Status.CONTACT), (at(3, 3, 0, 1.0), Status.FREE)):
        move = ball.move(at(3, 0.1, 0.2), goal)
        taylor = scene.first_contact(move, method="interval")
        plain = first_contact(scene.context, (move,), 0.0, None, 10**6, Interval((1, 3, "plain")))
        assert plain.status is taylor.status is status
        if status is Status.CONTACT:
            assert abs(plain.time - taylor.time) * 7.0 <= plain.tolerance + taylor.tolerance
            assert plain.stats.intervals > taylor.stats.intervals
