"""A program as questions: phases between events, on the exact clock, with what is carried in them."""

import numpy as np
import pytest

import tocsin
from tocsin import Body, Box, Program, RobotBuilder, Scene, Sphere, Trajectory
from tocsin.queries.phases import link_poses_at, phases


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
