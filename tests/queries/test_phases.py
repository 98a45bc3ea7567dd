"""A program as questions: phases between events, on the exact clock, with what is carried in them."""

import numpy as np
import pytest

import tocsin
from tocsin import Body, Box, Program, RobotBuilder, Scene, Sphere, Trajectory
from tocsin.queries.phases import phases, link_poses_at


def arm(name="arm", at=(0, 0, 0)):
    builder = RobotBuilder(name)
    builder.link("base", Box((0.1, 0.1, 0.1)))
    builder.link("upper", (Box((0.3, 0.04, 0.04)), (0.2, 0, 0)), parent="base", joint="revolute", joint_name="j0")
    builder.link("hand", (Box((0.1, 0.04, 0.04)), (0.1, 0, 0)), parent="upper", joint="revolute", joint_name="j1",
                 origin=(0.4, 0, 0))  # fmt: skip
    robot = builder.build()
    robot.place(at)
    return robot


def pick():
    """An arm that takes a part from one side to the other."""
    robot, part = arm(), Body(Box((0.05, 0.05, 0.05)), (0.58, 0, 0), name="part")
    wall = Body(Box((0.02, 0.4, 1.0)), (-0.8, 0, 0), name="wall")
    program = Program("pick")
    curve = Trajectory([0, 1, 2], [[-1.0, 0.5], [-0.4, 0.2], [0.0, 0.0]], np.zeros((3, 2)), joint_names=["j0", "j1"])
    program.follow(robot, curve)
    program.attach(robot, part, "hand")
    program.move(robot, [1.5, 0.3], seconds=2.0)
    program.detach(robot, part)
    program.wait(robot, 0.5)
    program.move(robot, [0.0, 0.0], seconds=1.0)
    return Scene(robot, part, wall), robot, part, program


def test_phases_lie_between_events_and_carry_what_is_carried():
    scene, robot, part, program = pick()
    found = list(phases(scene.context, program))
    assert [(p.begin, p.end, len(p.grasps)) for p in found] == [(0.0, 2.0, 0), (2.0, 4.0, 1), (4.0, 5.5, 0)]
    assert robot.carried == ()
    assert part.carrier is None
    carried = link_poses_at(scene.context, found[1], 4.0)[0][-1]
    left = link_poses_at(scene.context, found[2], 5.0)[1][0]
    assert np.allclose(carried, left, atol=1e-12)
    expected = robot.link_poses([1.5, 0.3])[2] @ np.array([[1, 0, 0, 0.18], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1.0]])
    assert np.allclose(left, expected, atol=1e-12)


def test_the_motion_of_a_phase_is_that_of_the_program():
    _, robot, _, program = pick()
    track = program.tracks[id(robot)]
    for begin, end in ((0.0, 5.5), (0.3, 1.7), (1.5, 2.5), (3.9, 4.2), (4.0, 5.5)):
        part = track.part(begin, end)
        for t in np.linspace(begin, end, 17):
            share = (t - begin) / (end - begin)
            assert np.allclose(part.row_at(share), track.row(t), atol=1e-12)


def test_a_part_that_is_cut_stands_in_a_tube_of_its_rounding():
    _, robot, _, program = pick()
    track = program.tracks[id(robot)]
    assert 0.0 < track.part(0.3, 1.7).error.max() < 1e-12
    assert track.part(4.0, 5.0).error is None or track.part(4.0, 5.0).error.max() < 1e-12


def test_several_models_have_knots_of_their_own():
    one, two = arm("one"), arm("two", (3, 0, 0))
    ball = Body(Sphere(0.1), (0, 3, 0), name="ball")
    program = Program()
    program.move(one, [1.0, 0.0], seconds=1.0)
    program.move(two, [0.0, 1.0], seconds=0.7, at=0.6)
    program.follow(ball, [(0, 3, 0), (1, 3, 0)], times=[10, 12], at=0.25, error=0.01)
    found = list(phases(Scene(one, two, ball).context, program))
    assert [p.begin for p in found] == [0.0, 0.25] or [p.begin for p in found] == [0.0, 0.25, 2.25]
    assert found[-1].end == 2.25
    assert all(len(p.motions) == 3 for p in found)


def test_a_track_continues_quaternions_over_segments():
    body = Body(Box((0.1, 0.2, 0.3)), name="box")
    turn = [tocsin.pose((0, 0, 0), rpy=(0, 0, a)) for a in (0.0, 2.5, 5.0, 7.0)]
    program = Program()
    program.follow(body, turn[:2], times=[0, 1])
    program.follow(body, turn[1:3], times=[0, 1])
    program.follow(body, turn[2:], times=[0, 1])
    track = program.tracks[id(body)]
    whole = track.part(0.0, 3.0)
    for t in np.linspace(0.0, 3.0, 31):
        assert np.allclose(whole.link_poses(t / 3.0), tocsin.model.base.Motion.of(body, track.row(t)[None]).link_poses(),
                           atol=1e-12)  # fmt: skip


@pytest.mark.parametrize(
    ("tell", "sentence"),
    [
        (lambda p, r, b: p.move(r, [0, 0], seconds=-1), "seconds"),
        (lambda p, r, b: p.follow(r, [[0, 0], [1, 1]]), "needs times"),
        (lambda p, r, b: p.follow(r, [[0, 0], [1, 1]], times=[1, 0]), "must increase"),
        (lambda p, r, b: p.follow(r, [[0, 0], [1, np.nan]], times=[0, 1]), "finite"),
        (lambda p, r, b: p.move(r, [0, 0], seconds=1).follow(r, [[1, 0], [0, 0]], times=[0, 1]), "would jump at 1 s"),
        (lambda p, r, b: p.move(r, [0, 0], seconds=1).move(r, [1, 0], seconds=1, at=0.5), "moves until 1 s already"),
        (lambda p, r, b: p.attach(r, b, "claw"), "no link 'claw'"),
        (lambda p, r, b: p.attach(b, r, "hand"), "a robot carries a body"),
        (lambda p, r, b: p.follow("arm", [[0, 0], [1, 1]], times=[0, 1]), "a step is one of a robot"),
        (lambda p, r, b: p.add(r.move([0, 0], [1, 1])), "motions with times"),
    ],
)
def test_what_is_wrong_with_a_step_is_said(tell, sentence):
    robot, part = arm(), Body(Box((0.05, 0.05, 0.05)), name="part")
    with pytest.raises(tocsin.TocsinError, match=sentence):
        tell(Program(), robot, part)


@pytest.mark.parametrize(
    ("tell", "sentence"),
    [
        (lambda p, r, b: p.detach(r, b), "which it has not"),
        (lambda p, r, b: p.attach(r, b, "hand").attach(r, b, "upper"), "which 'arm' carries"),
        (lambda p, r, b: p.attach(r, b, "hand").move(b, (1, 1, 1), seconds=1, at=0.5), "gripped by 'arm' at 0 s"),
        (lambda p, r, b: p.move(arm("other"), [0, 0], seconds=1), "'other', which is not in this scene"),
        (lambda p, r, b: p.attach(r, Body(Sphere(1.0), name="x"), "hand"), "'x', which is not in this scene"),
    ],
)
def test_what_is_wrong_with_events_is_said(tell, sentence):
    robot, part = arm(), Body(Box((0.05, 0.05, 0.05)), (0.6, 0, 0), name="part")
    program = Program()
    tell(program, robot, part)
    program.move(robot, [1.0, 1.0], seconds=1.0)
    with pytest.raises(tocsin.TocsinError, match=sentence):
        list(phases(Scene(robot, part).context, program))
