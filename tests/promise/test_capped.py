"""It ends: a step cap gives CAPPED, with a time up to which freedom is really proven."""

import itertools
import math

import numpy as np
import pytest

import tocsin
from promise.scenes import at, two
from tocsin import Status
from tocsin_bench.campaigns import planted, planted_judge
from tocsin_bench.oracles import kinematics, shapes
from tocsin_bench.scenes import shapes as meshes

TORUS = meshes.torus(400, 0.4, 0.12)
CAPS = (1, 2, 3, 5, 10, 30, 100, 300, 1000)


def linked(margin=0.0, max_steps=None):
    """Ask about two linked tori that pass each other closely."""
    scene, a, b = two(TORUS, TORUS)
    start, stop = at(0.4, 0, 0.02, (80, 0, 0)), at(0.45, 0.05, -0.03, (100, 30, 150))
    options = {} if max_steps is None else {"max_steps": max_steps}
    return scene.first_contact(a.move(start, stop), b.at(at()), margin=margin, **options), (start, stop)


def test_a_cap_of_one_step_says_capped():
    hit, _ = linked(max_steps=1)
    assert hit.status is Status.CAPPED
    assert 0.0 <= hit.time <= 1.0
    assert hit.bracket == (hit.time, math.inf)
    assert hit.collides  # not proven free
    assert hit.contacts == ()
    assert hit.stats.steps <= 2


def test_capped_is_not_free():
    scene, a, b = two(TORUS, TORUS)
    motion = a.move(at(0.4, 0, 0.02, (80, 0, 0)), at(0.45, 0.05, -0.03, (100, 30, 150)))
    assert not scene.is_free(motion, b.at(at()), max_steps=1)


@pytest.mark.parametrize("margin", [0.0, 0.1, 0.13])
def test_freedom_is_proven_until_the_time_of_a_capped_answer(margin):
    end, ends = linked(margin)
    truth, proven = shapes.mesh(*TORUS), 0.0
    for cap in CAPS:
        hit, _ = linked(margin, cap)
        if hit.status is Status.CAPPED:
            assert hit.time <= end.time
            proven = max(proven, hit.time)
        else:
            assert (hit.status, hit.time) == (end.status, end.time)
    assert proven > 0
    for t in np.linspace(0, proven, 16, endpoint=False):
        pose = kinematics.body_poses(*ends, [t])[0]
        assert shapes.distance(truth, pose, truth, at(), enough=margin) > margin


def test_enough_steps_change_nothing():
    end, _ = linked(0.25)
    hit, _ = linked(0.25, max(end.stats.steps, 1))
    assert (hit.status, hit.time) == (end.status, end.time)


@pytest.mark.parametrize("cases", [planted.rigid_cases, planted.articulated_cases])
def test_no_cap_makes_an_answer_late(cases):
    """The planted contact at t* is never proven away, wherever the query is cut off."""
    for case in itertools.islice(cases(5, planted_judge.Tally()), 40):
        for cap in (1, 2, 4, 8, 16):
            hit = case.ask(max_steps=cap)
            if case.planted:
                assert hit.status is not Status.FREE, case.name
                assert hit.time <= case.time, case.name


def test_spinning_a_thousand_times_ends():
    builder = tocsin.RobotBuilder("spinner")
    builder.link("base")
    builder.link("blade", (tocsin.Box(size=(1, 0.05, 0.05)), at(0.5)), parent="base", joint="continuous")
    robot = builder.build()
    post = tocsin.Body(tocsin.Sphere(radius=0.1), name="post", pose=at(0, 1.2))
    scene = tocsin.Scene(robot, post)
    assert scene.is_free(robot.move([0], [2000 * math.pi]))
    near = tocsin.Body(tocsin.Sphere(radius=0.1), name="near", pose=at(0, 1.05))
    hit = tocsin.Scene(robot, near).first_contact(robot.move([0], [2000 * math.pi]))
    assert hit.collides
    assert hit.time <= 0.25 / 1000
