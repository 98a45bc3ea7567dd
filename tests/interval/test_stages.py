"""Swept volumes change how long it takes, not what is answered: all joints, thin plates, solids, margins, turns."""

import numpy as np
import pytest

import tocsin
from promise.scenes import at, box_mesh
from tocsin.queries.engines.interval import Interval
from tocsin.queries.first_contact import first_contact
from tocsin.results import Status
from tocsin_bench.scenes.trees import configuration, origin, random_robot

SHAPES = (
    (box_mesh(0.1, 0.2, 0.8), at(0.2, 0.1, 0)),
    (tocsin.Capsule(radius=0.1, length=0.5), at(0, 0, 0.3)),
)


def environment(rng):
    """Return a dozen standing bodies: thin plates, needles, solid meshes and primitives."""
    kinds = (
        lambda: tocsin.Mesh(*box_mesh(1.0, 1.0, 1e-4)),
        lambda: tocsin.Mesh(*box_mesh(1e-3, 1e-3, 2.0)),
        lambda: tocsin.Box(size=(0.4, 0.2, 0.3)),
        lambda: tocsin.Cylinder(radius=0.2, length=0.5),
        lambda: tocsin.Sphere(0.2),
    )
    bodies = []
    for k in range(12):
        shape = kinds[k % len(kinds)]()
        bodies.append(tocsin.Body(shape, origin(rng) @ at(*rng.normal(size=3) * 2.0), name=f"body {k}"))
    bodies.append(
        tocsin.Body(tocsin.Mesh(*box_mesh(0.5, 0.5, 0.5)), at(*rng.normal(size=3) * 2), name="solid", solid=True)
    )
    return bodies


def compare(seed, n_links, turns, margin):
    rng = np.random.default_rng(seed)
    robot, tree, _ = random_robot(rng, n_links, shape=list(SHAPES))
    scene = tocsin.Scene(robot, *environment(rng))
    scene.ignore("robot", "robot")
    q0, q1 = configuration(rng, tree, turns), configuration(rng, tree, turns)
    motion = robot.move(q0, q1, base=(at(5.0) @ origin(rng), at(1.0) @ origin(rng)))
    answers = [
        first_contact(scene.context, (motion,), margin, None, 10**7, Interval(stages))
        for stages in ((1, 2, 3), (1, 3), (2, 3), (3,))
    ]
    answers.append(scene.first_contact(motion, margin=margin))
    statuses = {hit.status for hit in answers}
    assert len(statuses) == 1, (seed, answers)
    times = [hit.time for hit in answers]
    assert not answers[0].collides or max(times) - min(times) < 0.01, (seed, times)
    return statuses


@pytest.mark.parametrize(("turns", "margin"), [(0.05, 0.0), (0.3, 0.0), (0.3, 0.05), (2.0, 0.0)])
def test_every_set_of_stages_answers_as_the_default_engine(turns, margin):
    seen = set()
    for seed in range(12):
        seen |= compare(seed, 1 + seed % 5, turns, margin)
    assert Status.FREE in seen
    assert Status.CONTACT in seen
