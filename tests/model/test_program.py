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
        (lambda p, r, b: p.wait(r, 1e308).wait(r, 1e308), "rounding hides one of them"),
        (lambda p, r, b: p.wait(r, 1.0).wait(r, 1e-20), "rounding hides one of them"),
        (lambda p, r, b: p.attach(r, b, "claw"), "no link 'claw'"),
        (lambda p, r, b: p.attach(b, r, "hand"), "a robot carries a body"),
        (lambda p, r, b: p.follow("arm", [[0, 0], [1, 1]], times=[0, 1]), "a step is for a robot"),
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


def random_steps(rng, robot):
    """A program of steps whose stamps are not what floats can say, one after another."""
    program, q = Program(), np.zeros(2)
    for _ in range(5):
        count = int(rng.integers(2, 4))
        times = np.cumsum(rng.choice([0.1, 0.2, 0.3, 0.7, 1 / 3, 1e-3, 0.05], count))
        path = np.concatenate([[q], rng.uniform(-1, 1, (count - 1, 2))])
        if rng.random() < 0.5:
            rates = np.zeros_like(path) if rng.random() < 0.5 else None
            program.follow(robot, tocsin.Trajectory(times, path, rates, joint_names=robot.joint_names))
        else:
            program.follow(robot, path, times=times)
        q = path[-1]
        if rng.random() < 0.3:
            program.wait(robot, float(rng.choice([0.1, 0.3])))
    return program


def test_steps_follow_each_other_whatever_their_stamps_are_rounded_to(tmp_path):
    """Stamps are moved to where a step begins, which rounded some to before the end of the last: these were refused."""
    rng = np.random.default_rng(5)
    robot = arm()
    scene = tocsin.Scene(robot)
    for _ in range(40):
        program = random_steps(rng, robot)
        late = program.delayed(robot, 0.1)
        for told in (program, late):
            again = tocsin.load_program(told.save(tmp_path / "p.json"), scene)
            assert again.end == pytest.approx(told.end, rel=1e-15)
            for one, other in zip(told.tracks[id(robot)].segments, again.tracks[id(robot)].segments):
                assert one.motion.configs == pytest.approx(other.motion.configs, abs=1e-15)
                assert one.times == pytest.approx(other.times, rel=1e-15)
                assert told is late or np.array_equal(one.times, other.times)


def test_a_second_that_differs_from_the_end_of_a_step_by_rounding_is_that_end():
    robot = arm()
    program = Program().follow(robot, [[0, 0], [1, 0]], times=[0, 0.1]).follow(robot, [[1, 0], [0, 0]], times=[0, 0.2])
    assert program.end == 0.1 + 0.2 > 0.3
    program.follow(robot, [[0, 0], [1, 0]], times=[0, 1], at=0.3)
    assert program.steps[-1]["at"] == 0.1 + 0.2
    with pytest.raises(tocsin.TocsinError, match="too close to each other"):
        program.delayed(robot, 1e17)


def test_joints_that_a_step_does_not_name_stay_where_they_are_then(tmp_path):
    """They went back to where the robot stands: a hand's trajectory after an arm's was refused as a jump."""
    robot = arm()
    one, two = robot.joint_names
    program = Program().follow(robot, tocsin.Trajectory([0, 1], [[0.0], [0.5]], joint_names=[one]))
    program.follow(robot, tocsin.Trajectory([0, 1], [[0.0], [0.2]], [[0.0], [0.0]], joint_names=[two]))
    program.follow(robot, [{one: 0.5}, {one: 0.1}], times=[0, 1])
    assert program.row(robot)[7:].tolist() == [0.1, 0.2]
    again = tocsin.load_program(program.save(tmp_path / "p.json"), tocsin.Scene(robot))
    assert again.row(robot)[7:].tolist() == [0.1, 0.2]


def test_what_a_trajectory_says_without_columns_is_kept_in_files(tmp_path):
    """Names that only the group has, and where a message says that other joints stand."""
    robot = arm()
    one, two = robot.joint_names
    robot.groups["upper"] = (one,)
    scene = tocsin.Scene(robot)
    still = np.zeros((2, 1))
    bare = tocsin.Trajectory([0, 1], [[0.0], [0.5]], still)
    placed = tocsin.Trajectory([0, 1], [[0.0], [0.5]], still, joint_names=[one], standing=[(two, 0.25)])
    for plan, group, end in ((bare, "upper", [0.5, 0.0]), (placed, None, [0.5, 0.25])):
        program = Program().follow(robot, plan, group=group)
        again = tocsin.load_program(program.save(tmp_path / "p.json"), scene)
        assert again.row(robot)[7:].tolist() == program.row(robot)[7:].tolist() == end


def test_errors_of_joints_of_several_values_are_kept_in_files(tmp_path):
    """Names of joints were put beside entries of a configuration, of which such joints have more."""
    builder = tocsin.RobotBuilder("float").link("a").link("b", Box((1, 1, 1)), parent="a", joint="floating")
    robot = builder.link("c", Box((1, 1, 1)), parent="b", joint="revolute").build()
    path = [[0, 0, 0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0, 1, 1]]
    program = Program().follow(robot, path, times=[0, 1], error={"b_joint": 0.02, "c_joint": 0.01})
    again = tocsin.load_program(program.save(tmp_path / "p.json"), tocsin.Scene(robot))
    one, other = (p.tracks[id(robot)].segments[0].error for p in (program, again))
    assert np.array_equal(one, other)
    assert one[7:].tolist() == [0.02, 0, 0, 0.02, 0, 0, 0, 0.01]
