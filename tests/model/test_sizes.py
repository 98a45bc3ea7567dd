"""Numbers in other units are pointed out, in the line that gives them, and legal ones are not."""

import warnings

import numpy as np
import pytest

from tocsin import Body, Box, Capsule, RobotBuilder, Scene, Sphere, Trajectory, UnitWarning
from tocsin.model.sizes import reach_of

pytestmark = pytest.mark.pure


def arm():
    b = RobotBuilder("arm").link("base", Box((0.2, 0.2, 0.1)))
    b.link(
        "upper", Capsule(0.05, 0.4), parent="base", joint="revolute", axis=(0, 1, 0), origin=(0, 0, 0.3), limits=(-2, 2)
    )
    b.link("fore", Sphere(0.1), parent="upper", joint="continuous", axis=(0, 1, 0), origin=(0, 0, 0.5))
    return b.build()


def test_the_reach_of_an_arm_is_that_of_its_chain():
    assert reach_of(arm()) == pytest.approx(0.3 + 0.5 + 0.1)
    assert reach_of(RobotBuilder("bare").link("base").build()) == 0.0


def test_a_box_of_five_hundred_metres_beside_an_arm_is_pointed_out():
    with pytest.warns(UnitWarning, match=r"'crate' is .* m across, and a robot beside it reaches 0\.9 m\. Millimetres"):
        Scene(arm(), Body(Box((500, 300, 200)), name="crate"))


@pytest.mark.parametrize("size", [(80, 80, 0.1), (1000, 1000, 0.5), (3, 3, 3)])
def test_floors_and_things_of_a_cell_are_not_pointed_out(size):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Scene(arm(), Body(Box(size), (0, 0, -600), name="floor"))
        Scene(Body(Box((500, 500, 500))), Body(Sphere(1e-3), (0, 0, 900)))  # no robot to compare with


@pytest.mark.parametrize(
    "ask",
    [
        lambda r: r.move([0, 0], [45, 0]),
        lambda r: r.at([45.0, 0.0]),
        lambda r: r.follow([[0, 0], [0, 0], [45, 0]]),
        lambda r: r.move([0, 0], {"upper_joint": 45}),
    ],
)
def test_angles_that_are_probably_degrees_are_pointed_out_at_every_door(ask):
    robot = arm()
    with pytest.warns(UnitWarning, match=r"joint 'upper_joint' is at 45 rad, outside of its limits -2 to 2\. Degrees"):
        motion = ask(robot)
    assert motion.rows[-1][7] == 45.0


@pytest.mark.parametrize("kind", ["continuous", "revolute"])
def test_whole_numbers_of_many_turns_are_pointed_out_where_a_joint_has_no_limits(kind):
    builder = RobotBuilder("arm").link("base", Sphere(0.1))
    builder.link("upper", Sphere(0.1), parent="base", joint=kind, origin=(1.0, 0, 0))
    robot = builder.build()
    with pytest.warns(UnitWarning, match="^row 1 of the trajectory: joint"):  # which has no name
        robot.follow(Trajectory([0.0, 1.0], [[0], [45]]))
    for ask in (lambda: robot.move([0], [90]), lambda: robot.at([-90.0]), lambda: robot.follow([[0], [-90], [10]])):
        with pytest.warns(UnitWarning, match=r"joint 'upper_joint' is at -?90 rad, 14 turns\. Degrees\?"):
            ask()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.move([-12.0], [12.0])
        robot.move([90.5], [40 * np.pi])  # a wheel that has gone far, and a spindle
        robot.follow(np.linspace(0.0, 900.0, 14)[1:-1, None])


def test_angles_that_may_be_meant_are_not_pointed_out():
    robot = arm()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.move([0, 0], [2.0, 4 * np.pi])  # a continuous joint turns as often as it likes
        robot.at([6.5, 0.0])  # outside of the limits, but no larger than a turn


def test_a_margin_of_metres_is_probably_one_of_millimetres():
    ball = Body(Sphere(0.1), name="ball")
    scene = Scene(ball, Body(Sphere(0.1), (5.0, 0.0, 0.0), name="other"))
    with pytest.warns(UnitWarning, match=r"margin is 20 m\. Millimetres\? Lengths are metres: 0\.02\."):
        assert not scene.is_free(ball.at((0.0, 0.0, 0.0)), margin=20.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scene.is_free(ball.at((0.0, 0.0, 0.0)), margin=0.02)
