"""Programs are told step by step; what is wrong with a step is said when it is told."""

import numpy as np
import pytest

import tocsin
from gripping import arm
from tocsin import Body, Box
from tocsin.model.program import Program

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("tell", "sentence"),
    [
        (lambda p, r, b: p.move(r, [0, 0], seconds=-1), "seconds"),
        (lambda p, r, b: p.follow(r, [[0, 0], [1, 1]]), "needs times"),
        (lambda p, r, b: p.follow(r, [[0, 0], [1, 1]], times=[1, 0]), "must increase"),
        (lambda p, r, b: p.follow(r, [[0, 0], [1, np.nan]], times=[0, 1]), "finite"),
        (lambda p, r, b: p.move(r, [0, 0], seconds=1).follow(r, [[1, 0], [0, 0]], times=[0, 1]), "would jump at 1 s"),
        (lambda p, r, b: p.move(r, [0, 0], seconds=1).move(r, [1, 0], seconds=1, at=0.5), "moves until 1 s already"),
        (lambda p, r, b: p.wait(r, 1e308).wait(r, 1e308), "no clock shows both"),
        (lambda p, r, b: p.wait(r, 1.0).wait(r, 1e-20), "no clock shows both"),
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


def test_steps_begin_where_the_last_one_of_their_model_ended():
    robot, part = arm(), Body(Box((0.05, 0.05, 0.05)), name="part")
    program = Program("p").move(robot, [1, 0], seconds=1.5).wait(robot, 0.5).attach(robot, part, "hand")
    program.move(robot, [0, 0], seconds=1.0).follow(part, [(0, 0, 0), (1, 0, 0)], times=[5, 6], at=0.25)
    assert [step["at"] for step in program.steps] == [0.0, 1.5, 2.0, 2.0, 0.25]
    assert (program.begin, program.end, program.duration) == (0.0, 3.0, 3.0)
    assert program.row(part, 0.75)[0] == 0.5
    assert repr(program) == "<Program 'p': 5 steps of arm, part, 3 s>"


def test_a_model_that_grips_nothing_can_be_moved_to_later():
    one, two = arm("one"), arm("two")
    program = Program().move(one, [1, 0], seconds=1.0).move(two, [1, 0], seconds=1.0)
    late = program.delayed(two, 2.0)
    assert (late.end, program.end) == (3.0, 1.0)
    assert late.row(two, 2.0)[7] == 0.0
