"""What the command line says of programs."""

import pytest

from tocsin import Program, Robot, RobotBuilder, TocsinError, Trajectory
from tocsin.cli.programs import BETWEEN, beyond_limits, by_robot, errors, paired, place

pytestmark = pytest.mark.pure


def test_two_words_after_with_are_one():
    given = ["audit", "a", "b", "--with", "c", "d", "--margin", "1", "--with", "e", "f"]
    assert paired(given) == ["audit", "a", "b", "--with", f"c{BETWEEN}d", "--margin", "1", "--with", f"e{BETWEEN}f"]
    assert paired(["--with", "c"]) == ["--with", "c"]
    assert paired(["--with", "c", "--margin", "1"]) == ["--with", "c", "--margin", "1"]


def test_errors_are_one_number_or_by_joint():
    assert errors(None) is None
    assert errors("0.01") == 0.01
    assert errors("a=0.1, b=2") == {"a": 0.1, "b": 2.0}
    with pytest.raises(TocsinError, match="--error takes"):
        errors("a=b")


def test_robots_are_put_where_place_says():
    robot: Robot = RobotBuilder("arm").link("base").build()
    place([robot], ["arm=1,2,3,0,0,3.141592653589793"])
    assert robot.rest[:3].tolist() == [1.0, 2.0, 3.0]
    assert abs(robot.rest[5]) == pytest.approx(1.0)
    for wrong in ("leg=1,2,3", "arm=1,2", "arm=1,2,nan", "arm"):
        with pytest.raises(TocsinError):
            place([robot], [wrong])


def test_errors_are_those_of_all_robots_on_the_command_line():
    """They were those of the first alone: what came --with others was proven without any."""
    robots = []
    for name in ("one", "two"):
        builder = RobotBuilder(name).link("base").link("a", parent="base", joint="revolute", joint_name="elbow")
        robots.append(builder.link("b", parent="a", joint="floating", joint_name=f"{name}_base").build())
    assert by_robot(None, robots) == [None, None]
    assert by_robot(0.01, robots) == [0.01, 0.01]
    assert by_robot({"elbow": 0.1, "two_base": 0.2}, robots) == [{"elbow": 0.1}, {"elbow": 0.1, "two_base": 0.2}]
    assert by_robot({"two/elbow": 0.1, "two_base.x": 0.2}, robots) == [None, {"elbow": 0.1, "two_base.x": 0.2}]
    for wrong in ("wrist", "one/two_base", "three/elbow"):
        with pytest.raises(TocsinError, match=f"no joint '{wrong}'"):
            by_robot({wrong: 0.1}, robots)


def test_limits_that_a_robot_of_a_program_leaves_are_named():
    builder = RobotBuilder("arm").link("base")
    robot = builder.link("a", parent="base", joint="prismatic", joint_name="x", limits=(0, 1)).build()
    swing = Trajectory([0, 1], [[0.9], [0.9]], [[2], [-2]], joint_names=["x"])
    program = Program().follow(robot, swing).move(robot, [0.5], seconds=1)
    assert beyond_limits(program) == ["arm: joint 'x' leaves its limits 0 to 1 between waypoints, up to 1.4"]
    assert beyond_limits(Program().move(robot, [0.5], seconds=1)) == []
