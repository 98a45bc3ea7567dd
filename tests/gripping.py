"""An arm with a hand, and a program in which it takes a part from one side to the other: for tests of programs."""

import numpy as np

from tocsin import Body, Box, Program, RobotBuilder, Scene, Trajectory


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
