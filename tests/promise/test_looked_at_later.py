"""An answer is about the scene that was asked: what is done to models and rules afterwards changes nothing in it.

What an answer finds only when it is looked at (contacts, names, clearances) is found in the tables that were asked, and
what cannot be is refused in a sentence; nothing is told of another link.
"""

import copy
import gc
import pickle

import numpy as np
import pytest

import tocsin
from tocsin import Body, Box, Deformable, Program, RobotBuilder, Scene, Sphere, Status


def cell():
    """An arm that carries two balls, a wall that the first of them meets, and a motion into it."""
    builder = RobotBuilder("arm").link("base")
    builder.link("hand", (Sphere(0.1), (1, 0, 0)), parent="base", joint="revolute")
    robot = builder.build()
    first, second = Body(Sphere(0.05), (1, 0, 0.2), name="first"), Body(Sphere(0.05), (1, 0, 0.4), name="second")
    wall = Body(Box((0.1, 0.1, 0.1)), (0, 1, 0.25), name="wall")
    scene = Scene(robot, first, second, wall)
    robot.attach(first, "hand", touching=["base"])
    robot.attach(second, "hand")
    return scene, robot, first, wall


def let_go(scene, robot, first, wall):
    robot.detach(first)


def stand_and_let_go(scene, robot, first, wall):
    robot.stand_at([2.0])
    robot.detach("second")
    robot.detach(first)


def move_the_wall(scene, robot, first, wall):
    wall.place((0, 1.1, 0.25))


def ignore_it(scene, robot, first, wall):
    scene.ignore("first", "wall")


def widen(scene, robot, first, wall):
    scene.margins["second", "wall"] = 0.1


def told(scene, robot):
    """Ask everything about one motion; return, by name, what tells the answer."""
    motion, rows = robot.move([0.0], [3.0]), (np.zeros((2, 1)), np.full((2, 1), 3.0))
    hit = scene.first_contact(motion)
    other = scene.first_contact(motion, method="interval")
    hits = scene.first_contacts(robot, *rows)
    intervals = scene.contact_intervals(motion)
    audit = tocsin.audit(scene, robot, motion)
    near, many = scene.distance(robot.at([1.0])), scene.distances(robot, [[1.0], [1.2]])
    deep = scene.penetration(robot.at([np.pi / 2]))
    return {
        "first_contact": lambda: (hit.contacts, hit.bracket, robot.at_contact(hit).tolist()),
        "interval": lambda: (other.contacts, other.bracket),
        "first_contacts": lambda: (hits.links.tolist(), hits.models.tolist(), hits.time.tolist()),
        "contact_intervals": lambda: [list(intervals.between(*pair)) for pair in (("first", "wall"), ("arm", "wall"))],
        "audit": lambda: (audit.clearance, [(s.enter, s.pairs, s.contacts, s.exit_contacts) for s in audit.stretches]),
        "distance": lambda: (near, many.links.tolist(), list(many)),
        "penetration": lambda: deep,
    }


@pytest.mark.parametrize("change", [let_go, stand_and_let_go, move_the_wall, ignore_it, widen])
def test_answers_that_are_looked_at_after_a_change_tell_of_the_scene_that_was_asked(change):
    before, after = cell(), cell()
    truth = {name: repr(tell()) for name, tell in told(*before[:2]).items()}
    answers = told(*after[:2])
    change(*after)
    assert "'first'" in truth["first_contact"]
    assert {name: repr(tell()) for name, tell in answers.items()} == truth


def sheet(changed):
    """What is told of a sheet that falls onto a wall in several frames, and of one that a carried ball meets."""
    scene, robot, first, wall = cell()
    falling = np.array([[-0.2, 0.8, 1.3], [0.2, 0.8, 1.3], [0.0, 1.3, 1.3]])
    upright = np.array([[-0.2, 1.02, 0.1], [0.2, 1.02, 0.1], [0.0, 1.02, 0.45]])
    one, two = Deformable(falling, [[0, 1, 2]], name="one"), Deformable(upright, [[0, 1, 2]], name="two")
    scene = Scene(*scene.models, one, two)
    scene.ignore("two", "wall")
    down = one.follow([falling - [0, 0, z] for z in np.linspace(0.0, 1.2, 7)])
    asked = ((down,), (robot.move([0.0], [2.0]), two.move(upright, upright - [0, 0.05, 0])))
    hits = [scene.first_contact(*motions) for motions in asked]
    lists = [scene.contacts(*motions, every="pair") for motions in asked]
    near = scene.distance(one.at(falling))
    if changed:
        robot.detach(first)
        wall.place((5, 5, 5))
        one.stand_at(falling + 9.0)
        scene.ignore("one", "wall")
    return repr(([(hit.time, hit.contacts, hit.complete) for hit in hits], [list(found) for found in lists], near))


def test_answers_about_cloths_tell_of_the_scene_that_was_asked():
    told = sheet(changed=False)
    assert "link_b='wall'" in told
    assert "link_b='first'" in told
    assert sheet(changed=True) == told


def test_a_body_on_a_screw_is_not_resumed_under_other_rules():
    a, b = Body(Box((0.1, 0.1, 0.1)), name="a"), Body(Box((0.1, 0.1, 0.1)), (0.5, 0.5, 0), name="b")
    scene = Scene(a, b)
    motion = a.move(np.eye(4), tocsin.pose((1.0, 1.4, 0), rpy=(0, 0, 1.0)), kind="screw")
    capped = scene.first_contact(motion, max_steps=1)
    assert capped.status is Status.CAPPED
    assert capped.resume().time >= capped.time - 1e-9
    scene.margins["a", "b"] = 0.45
    assert scene.first_contact(motion).time < capped.time
    with pytest.raises(tocsin.TocsinError, match="a rule of the scene has changed"):
        capped.resume()


def cloud(changed):
    """Three round meshes, of which two have a margin of their own; the third is closer all the time."""
    ball = Sphere(0.2).tessellate(24)
    a, b, c = Body(ball, name="a"), Body(ball, (2, 0, 0), name="b"), Body(ball, (0, 0.45, 0), name="c")
    scene = Scene(a, b, c)
    scene.margins["a", "b"] = 0.8
    turned = tocsin.pose((1.5, 0, 0), rpy=(0, 0, 0.5))
    hits = [
        scene.first_contact(*motions, max_steps=20)
        for motions in (
            [a.move((0, 0, 0), (1.5, 0, 0))],
            [a.move((0, 0, 0), turned, kind="screw")],
            [a.at((0.8, 0, 0))],
            [a.follow([(0, 0, 0), (1.5, 0, 0)], times=[1.0, 3.0]), c.at((0, 0.45, 0))],
        )
    ]
    if changed:
        a.place((5, 5, 5))
        b.place((-1, 0, 0))
        scene.ignore("a", "b")
    return hits


def test_a_contact_without_features_is_one_of_the_pair_that_touches():
    for now, later in zip(cloud(changed=False), cloud(changed=True)):
        assert now.collides
        (contact,), (other,) = now.contacts, later.contacts
        assert not now.complete
        assert {contact.link_a, contact.link_b} == {"a", "b"}
        assert contact.distance <= 0.8 + now.tolerance
        assert repr(contact) == repr(other)


def test_motions_that_were_sent_find_their_model_whatever_was_copied_meanwhile():
    scene, robot, first, _ = cell()
    sent = pickle.dumps(robot.move([0.0], [1.0]))
    program = Program().move(robot, [0.5], seconds=1.0).detach(robot, first).move(robot, [0.0], seconds=1.0)
    audits = [tocsin.audit(scene, program)]
    robot.stand_at([0.25])
    for _ in range(2):
        there = pickle.loads(sent)
        assert len(there.link_poses(1.0)) == len(robot.link_names)
        assert np.array_equal(there.model.rest, robot.rest), "of itself, not of a copy"
        audits.clear()
        gc.collect()


@pytest.mark.parametrize("kept", ["the first", "a copy"])
def test_motions_that_were_sent_find_the_copy_that_is_left(kept):
    robot = cell()[1]
    sent = pickle.dumps(robot.move([0.0], [1.0]))
    copied = copy.deepcopy(robot)
    names = robot.link_names
    if kept == "the first":
        del copied
    else:
        del robot
    gc.collect()
    assert len(pickle.loads(sent).link_poses(1.0)) == len(names)
