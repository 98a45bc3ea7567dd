"""A program as questions: phases between events, on the exact clock, with what is carried in them."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

import tocsin
from gripping import arm, pick
from tocsin import Body, Box, Deformable, Program, RobotBuilder, Scene, Sphere
from tocsin.queries.phases import Phase, link_poses_at, part_of, phases


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
    assert [(p.begin, p.end) for p in found] == [(0.0, 2.25)]
    assert all(len(p.motions) == 3 for p in found)


def test_who_only_waits_is_asked_about_while_it_does():
    """A step of waiting said nothing: a program of a robot that waits in a wall, or of a cloth in one, was free."""
    robot, wall = arm(), Body(Box((0.05, 4, 4)), (0.3, 0, 0), name="wall")
    cloth = Deformable([[0.3, 1, 0], [0.4, 1, 0], [0.3, 1.2, 0]], [[0, 1, 2]], name="cloth")
    scene = Scene(robot, wall, cloth)
    for model, pair in ((robot, "arm/"), (cloth, "cloth")):
        program = Program().wait(model, 2.0)
        assert (program.begin, program.end, program.models) == (0.0, 2.0, (model,))
        found = tocsin.audit(scene, program)
        assert [(c.enter, c.exit) for c in found.conflicts[:1]] == [(0.0, 2.0)]
        assert pair in found.conflicts[0].pair.said
        late = program.wait(robot, 1.0).delayed(model, 0.5)
        assert late.waits[0] == (0.5, model)
        assert len(next(iter(phases(scene.context, late))).motions) == len(program.models)


@pytest.mark.parametrize("pause", ["none", "wait", "at"])
def test_who_grips_after_a_pause_grips_as_far_off_as_it_stands(pause):
    """Without a pause the part was in the tube of the hand, after one in none."""
    robot, part = arm(), Body(Box((0.05, 0.05, 0.05)), (0.58, 0, 0), name="part")
    program = Program().move(robot, [0.0, 0.001], seconds=1.0, error=0.02)
    if pause == "wait":
        program.wait(robot, 1.0)
    program.attach(robot, part, "hand", at=2.0 if pause == "at" else None)
    program.move(robot, [1.0, 0.0], seconds=1.0).detach(robot, part).wait(robot, 0.5)
    _, carried, left = phases(Scene(robot, part).context, program)
    assert carried.grasps[0].play.metres > 0.01
    assert next(m for m in left.motions if m.model is part).error[0] > 0.01


def test_what_is_let_go_at_the_very_end_is_asked_about_as_it_is_then():
    """The last event was behind the last question: a part that was left in the hand, or in another one, was proven."""
    robot, part = arm(), Body(Box((0.05, 0.05, 0.05)), (0.58, 0, 0), name="part")
    scene = Scene(robot, part)
    program = Program().attach(robot, part, "hand").move(robot, [1.0, 0.0], seconds=3.0).detach(robot, part)
    *_, carried, left = phases(scene.context, program)
    assert (carried.begin, carried.end, left.begin, left.end) == (0.0, 3.0, 3.0, 3.0)
    assert (left.seconds(0.5), left.seconds_after(0.5), left.fraction(3.0)) == (3.0, 3.0, 0.0)
    assert (len(carried.grasps), len(left.grasps)) == (1, 0)
    before, after = link_poses_at(scene.context, carried, 3.0), link_poses_at(scene.context, left, 3.0)
    assert np.allclose(before[0][-1], after[1][0], atol=1e-12)
    assert np.allclose(before[0][:-1], after[0], atol=1e-12)
    assert part_of(program, left, 3.0, 3.0) == left.motions


def test_who_grips_later_is_asked_about_from_the_start():
    """A robot that only grips had no motion before: proven curves of its pairs were above their distances."""
    robot, ball = arm(), Body(Sphere(0.1), (0, 3, 0), name="ball")
    part = Body(Box((0.05, 0.05, 0.05)), (0.58, 0, 0), name="part")
    program = Program().follow(ball, [(0, 3, 0), (1, 3, 0)], times=[0, 2]).attach(robot, part, "hand", at=1.0)
    for phase in phases(Scene(robot, ball, part).context, program):
        assert robot in [motion.model for motion in phase.motions]


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


@pytest.mark.parametrize(("ends", "multiplier"), [((-1.0, 1.0), 1e6), ((-4e5, 4e5), 1.0), ((0.0, 1.0), 1.0)])
def test_a_body_that_is_let_go_is_in_its_tube_whatever_turns_were_rounded(ends, multiplier):
    builder = RobotBuilder("arm").link("base")
    builder.link("slide", parent="base", joint="prismatic", joint_name="x", axis=(1, 0, 0))
    builder.link("hand", parent="slide", joint="revolute", mimic=("x", multiplier, 0.25))
    robot, part = builder.build(), Body(Box((0.05, 0.05, 0.05)), name="part")
    program = Program().attach(robot, part, "hand", at=0.0, pose=(3.0, 0.0, 0.0))
    program.follow(robot, [[ends[0]], [ends[1]]], times=[0, 3])
    program.detach(robot, part, at=1.0)
    (_, left) = phases(Scene(robot, part).context, program)
    (motion,) = [m for m in left.motions if m.model is part]
    with mpmath.workdps(50):
        x = mpmath.mpf(ends[0]) + (mpmath.mpf(ends[1]) - mpmath.mpf(ends[0])) / 3
        angle = mpmath.mpf(multiplier) * x + mpmath.mpf(0.25)
        exact = [x + 3 * mpmath.cos(angle), 3 * mpmath.sin(angle)]
        off = mpmath.sqrt(sum((mpmath.mpf(float(v)) - e) ** 2 for v, e in zip(motion.rows[0, :2], exact)))
        turned = abs(mpmath.sin((2 * mpmath.atan2(*map(mpmath.mpf, motion.rows[0, 5:7].tolist())) - angle) / 2))
    assert off <= motion.error[0] <= 1e-6
    assert 2 * turned <= motion.error[3] <= 1e-6


@pytest.mark.pure
def test_seconds_of_a_phase_lie_on_both_sides_of_the_true_ones():
    rng = np.random.default_rng(5)
    apart = 0
    for begin, end in rng.uniform(0.0, 10.0, size=(300, 2)).round(2).tolist():
        phase = Phase(begin, begin + end + 0.01, None, (), ())
        for t in (0.0, float(rng.uniform()), 1.0):
            exact = Fraction(phase.begin) + Fraction(t) * (Fraction(phase.end) - Fraction(phase.begin))
            assert Fraction(phase.seconds(t)) <= exact <= Fraction(phase.seconds_after(t))
            apart += phase.seconds(t) < phase.seconds_after(t)
        assert (phase.seconds(0.0), phase.seconds_after(1.0)) == (phase.begin, phase.end)
    assert apart > 250
