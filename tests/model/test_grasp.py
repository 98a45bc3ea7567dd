"""What a robot carries moves with it, collides with all but what it touches, and stays where it is let go."""

import pickle

import numpy as np
import pytest

import tocsin
from tocsin import Body, Box, Deformable, RobotBuilder, Scene, Sphere, Status, Trajectory


def gripper():
    """An arm of two joints that turns in a plane, with a hand and a finger."""
    builder = RobotBuilder("arm")
    builder.link("base", Box((0.1, 0.1, 0.1)))
    builder.link("upper", (Box((0.3, 0.04, 0.04)), (0.2, 0, 0)), parent="base", joint="revolute", joint_name="j0")
    builder.link("hand", (Box((0.1, 0.04, 0.04)), (0.1, 0, 0)), parent="upper", joint="revolute", joint_name="j1",
                 origin=(0.4, 0, 0))  # fmt: skip
    builder.link("finger", (Box((0.05, 0.01, 0.02)), (0, 0, 0)), parent="hand", origin=(0.18, 0.025, 0))
    return builder.build()


def carried():
    robot, part = gripper(), Body(Box((0.06, 0.06, 0.06)), name="part")
    wall = Body(Box((0.02, 1.0, 1.0)), (-0.5, 0, 0), name="wall")
    robot.attach(part, "hand", pose=(0.2, 0, 0), touching=["finger"])
    return robot, part, wall, Scene(robot, part, wall)


def test_a_carried_body_moves_with_its_link_and_is_met_where_it_is():
    robot, part, wall, scene = carried()
    hit = scene.first_contact(robot.move([0, 0], [3.0, 0]))
    assert (hit.status, {hit.contacts[0].link_a, hit.contacts[0].link_b}) == (Status.CONTACT, {"part", "wall"})
    pose = part.at_contact(hit)
    alone = Scene(Body(Box((0.06, 0.06, 0.06)), pose, name="copy"), wall)
    assert alone.distance().distance <= hit.tolerance
    robot.detach(part)
    free = scene.first_contact(robot.move([0, 0], [3.0, 0]))
    assert free.collides
    assert "part" in (free.contacts[0].link_a, free.contacts[0].link_b)


def test_both_engines_curves_and_lists_know_what_is_carried():
    robot, _, _, scene = carried()
    plan = Trajectory([0, 2], [[0, 0], [3.0, 0]], [[0, 0], [0, 0]], joint_names=["j0", "j1"])
    hits = [scene.first_contact(robot.follow(plan), method=method) for method in ("advancement", "interval")]
    assert hits[0].seconds == pytest.approx(hits[1].seconds, abs=1e-3)
    found = scene.contact_intervals(robot.follow(plan))
    assert ("part", "wall") in {tuple(sorted((i.link_a, i.link_b))) for i in found}
    assert scene.distances(robot, [[0.0, 0.0], [2.9, 0.0]]).distance[1] == 0.0


def test_it_collides_with_the_other_links_and_not_with_those_it_touches():
    robot, part, _, scene = carried()
    robot.ignore("finger", "upper")
    hit = scene.first_contact(robot.move([0, 0], [0, 3.1]))
    assert hit.collides
    assert {hit.contacts[0].link_a, hit.contacts[0].link_b} == {"part", "upper"}
    robot.detach(part)
    robot.attach(part, "hand", pose=(0.2, 0, 0))
    assert scene.first_contact(robot.at([0, 0])).status is Status.INITIAL_CONTACT


def test_after_release_it_stays_where_it_was_left():
    robot, part, _, scene = carried()
    robot.stand_at([0.5, 0.3])
    pose = robot.carried_pose(part)
    robot.detach(part)
    robot.stand_at([-1.0, 0.0])
    assert np.allclose(part.rest[:3], pose[:3, 3], atol=1e-15)
    found = scene.distance(part.at(pose))
    assert 0.0 < found.distance < 1.0
    robot.stand_at([0.5, 0.3])
    robot.attach(part, "hand", touching=["finger"])
    assert np.allclose(robot.carried[0].pose[:3, 3], (0.2, 0, 0), atol=1e-12)


def test_rules_about_a_body_hold_while_it_is_carried():
    robot, _, _, scene = carried()
    scene.ignore("part", "wall")
    move = robot.move([0, 0], [3.0, 0])
    hit = scene.first_contact(move)
    assert "part" not in {hit.contacts[0].link_a, hit.contacts[0].link_b} if hit.collides else True
    robot, _, _, scene = carried()
    scene.ignore("arm", "wall")
    move = robot.move([0, 0], [3.0, 0])
    assert scene.first_contact(move).collides  # the part is not the arm
    before = scene.first_contact(move).time
    scene.margins["part", "wall"] = 0.05
    assert scene.first_contact(move).time < before


def test_two_bodies_are_let_go_in_any_order():
    robot, part, wall, _ = carried()
    other = Body(Sphere(0.01), name="other")
    robot.attach(other, "finger", pose=(0.1, 0, 0))
    robot.ignore("other", "part")
    assert robot.link_names[-2:] == ("part", "other")
    robot.detach(part)
    assert robot.link_names[-1] == "other"
    scene = Scene(robot, part, other, wall)
    assert scene.first_contact(robot.move([0, 0], [3.0, 0])).collides
    robot.detach(other)
    assert len(robot.link_names) == 4
    assert robot.ignored == gripper().ignored


def test_deformable_models_meet_what_is_carried():
    robot, part, _, _ = carried()
    sheet = Deformable([[0.62, -0.5, -0.5], [0.62, 0.5, -0.5], [0.62, 0, 0.5]], [[0, 1, 2]], name="sheet")
    scene = Scene(robot, part, sheet)
    rest = sheet.vertices - (0.2, 0, 0)
    hit = scene.first_contact(robot.at([1.4, 0.0]), sheet.move(sheet.vertices, rest))
    free = scene.is_free(robot.at([2.6, 0.0]), sheet.move(sheet.vertices, rest))
    assert free
    assert not hit.collides or "part" in {hit.contacts[0].link_a, hit.contacts[0].link_b}
    hit = scene.first_contact(robot.move([1.4, 0.0], [0.0, 0.0]), sheet.move(sheet.vertices, sheet.vertices))
    assert {hit.contacts[0].link_a, hit.contacts[0].link_b} == {"part", "sheet"}


def test_what_is_carried_may_be_named():
    robot, part, _, _ = carried()
    assert np.array_equal(robot.carried_pose("part"), robot.carried_pose(part))
    robot.detach("part")
    assert robot.carried == ()
    with pytest.raises(tocsin.TocsinError, match="does not carry 'part'; it carries: nothing"):
        robot.detach("part")


def test_a_robot_that_carries_something_can_leave_out_what_overlaps():
    robot, part, _, _ = carried()
    robot.detach(part)
    robot.attach(part, "hand", pose=(0.2, 0, 0))  # the finger touches it
    assert {frozenset(pair) for pair in robot.ignore_overlapping_at()} >= {frozenset(("finger", "part"))}
    assert not Scene(robot, part).first_contact().collides


def test_a_scene_travels_with_what_is_carried():
    robot, _, _, scene = carried()
    again = pickle.loads(pickle.dumps(scene))
    move = again.models[0].move([0, 0], [3.0, 0])
    assert again.first_contact(move).time == scene.first_contact(robot.move([0, 0], [3.0, 0])).time


def test_what_is_wrong_is_said():
    robot, part, wall, scene = carried()
    with pytest.raises(tocsin.TocsinError, match="no link 'claw'; links are"):
        gripper().attach(wall, "claw")
    with pytest.raises(tocsin.TocsinError, match="carried by 'arm' already"):
        robot.attach(part, "hand")
    with pytest.raises(tocsin.TocsinError, match="does not carry 'wall'; it carries: 'part'"):
        robot.detach(wall)
    with pytest.raises(tocsin.TocsinError, match="moves with it; detach it first"):
        scene.first_contact(part.move((0, 0, 0), (1, 0, 0)))
    with pytest.raises(tocsin.TocsinError, match="carries 'part', which is not in this scene"):
        Scene(robot, wall).is_free(robot.at([0, 0]))
    with pytest.raises(tocsin.TocsinError, match="carried by 'arm', which is not in this scene"):
        Scene(part, wall).distance()
    with pytest.raises(tocsin.TocsinError, match="a robot carries bodies"):
        robot.attach(gripper(), "hand")
    with pytest.raises(tocsin.TocsinError, match="another name"):
        robot.attach(Body(Sphere(0.1), name="hand"), "hand")
    with pytest.raises(tocsin.TocsinError, match="must be finite"):
        robot.attach(wall, "hand", pose=(np.nan, 0, 0))
    with pytest.raises(tocsin.TocsinError, match="no link 'thumb'"):
        robot.attach(wall, "hand", touching=["thumb"])
