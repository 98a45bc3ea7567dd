"""What questions share: tables that follow models and rules, buffers that belong to one thread, and refusals."""

import threading

import numpy as np
import pytest

import tocsin
from tocsin.queries.context import MOST_BUFFERS, context_of

pytestmark = pytest.mark.pure


def bodies(n=3):
    return [tocsin.Body(tocsin.Sphere(0.2), (k, 0, 0), name=f"b{k}") for k in range(n)]


def test_tables_are_laid_out_again_only_when_something_changes():
    a, *_ = models = bodies()
    scene = tocsin.Scene(*models)
    world = scene.context.tables()
    assert scene.context.tables() is world
    scene.first_contact(a.move((0, 5, 0), (0, 6, 0)))
    assert scene.context.tables() is world
    scene.ignore("b0", "b1")
    assert scene.context.tables() is not world


def test_what_is_kept_beside_tables_goes_with_them():
    scene = tocsin.Scene(*bodies())
    context = scene.context
    world, made = context.tables(), []
    for _ in range(2):
        context.kept("counted", world, lambda: made.append(1) or len(made))
    assert len(made) == 1
    scene.ignore("b0", "b1")
    assert context.kept("counted", context.tables(), lambda: made.append(1) or len(made)) == 2


def test_each_thread_has_buffers_of_its_own_and_asks_on_them_again():
    a, *_ = models = bodies()
    context = tocsin.Scene(*models).context
    asked = (a.move((0, 5, 0), (0, 6, 0)),)
    mine = context.ready(asked, 0.0, -1.0)[2]
    assert context.ready(asked, 0.0, -1.0)[2] is mine
    theirs = []
    thread = threading.Thread(target=lambda: theirs.append(context.ready(asked, 0.0, -1.0)[2]))
    thread.start()
    thread.join()
    assert theirs[0] is not mine
    assert theirs[0].buffers.world is mine.buffers.world


def test_buffers_are_not_kept_without_end():
    models = bodies(12)
    context = tocsin.Scene(*models).context
    world = context.tables()
    for i in range(12):
        for k in range(i):
            context.prepared(world, (models[i].at((i, 9, 0)), models[k].at((k, 9, 0))))
    assert len(context._local.__dict__) <= MOST_BUFFERS


def test_names_say_the_link_of_a_robot_and_the_body_itself():
    arm = tocsin.RobotBuilder("arm").link("base", tocsin.Sphere(0.1))
    arm = arm.link("tip", tocsin.Sphere(0.1), parent="base", joint="revolute", origin=(1, 0, 0)).build()
    context = tocsin.Scene(tocsin.Body(tocsin.Sphere(0.1), (5, 0, 0), name="ball"), arm).context
    world = context.tables()
    assert [context.name_of(world, g) for g in range(3)] == [("ball", "ball"), ("arm", "base"), ("arm", "tip")]


def test_wrong_motions_are_refused_in_sentences():
    a, b, _ = models = bodies()
    context = tocsin.Scene(*models).context
    move = a.move((0, 0, 0), (1, 0, 0))
    with pytest.raises(tocsin.TocsinError, match="put a star before it"):
        context.check_motions(([move],))
    with pytest.raises(tocsin.TocsinError, match="is not in this scene"):
        context.check_motions((bodies()[0].at((0, 0, 0)),))
    with pytest.raises(tocsin.TocsinError, match="'b0' is given two motions"):
        context.prepared(context.tables(), (move, a.at((0, 0, 0))))
    with pytest.raises(tocsin.TocsinError, match="at least one"):
        context_of((), "triangles", None, True)
    with pytest.raises(tocsin.TocsinError, match="twice"):
        context_of((b, b), "triangles", None, True)
    with pytest.raises(tocsin.TocsinError, match=r"Scene\(\*models\)"):
        context_of((models,), "triangles", None, True)


def test_configurations_of_several_motions_follow_each_other():
    a, b, _ = models = bodies()
    context = tocsin.Scene(*models).context
    one, two = a.move((0, 0, 0), (1, 0, 0)), b.follow([np.eye(4)] * 4)
    prepared, configs, pieces = context.prepared(context.tables(), (one, two))
    assert pieces == 3
    assert configs.tolist() == [*one.rows.ravel(), *two.rows.ravel()]
    assert len(prepared.buffers.active) == 2
