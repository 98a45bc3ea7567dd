"""An arm in a cell, for planners: a wall with a window between where it is and where it is to go."""

import numpy as np

import tocsin
from promise.scenes import at, box_mesh

START, GOAL = np.array([-0.9, 0.3, 0.4]), np.array([0.9, 0.3, 0.4])


def planar_arm(name="arm"):
    """Return an arm of three joints and a finger that stands, of capsules and meshes."""
    builder = tocsin.RobotBuilder(name)
    builder.link("base", tocsin.Cylinder(0.08, 0.1))
    parent, height = "base", 0.12
    for k in range(3):
        shape = tocsin.Mesh(*box_mesh(0.06, 0.06, 0.24)) if k == 1 else tocsin.Capsule(0.03, 0.2)
        builder.link(
            f"link{k}", (shape, at(0, 0, 0.17)), parent=parent, joint="revolute", axis=((0, 0, 1), (0, 1, 0))[k > 0],
            origin=(0, 0, height), limits=(-2.5, 2.5), joint_name=f"joint{k}",
        )  # fmt: skip
        parent, height = f"link{k}", 0.34
    builder.link("finger", (tocsin.Box((0.02, 0.02, 0.06)), at(0, 0, 0.03)), parent=parent, joint="prismatic",
                 axis=(1, 0, 0), origin=(0, 0, 0.34), limits=(0, 0.02), joint_name="finger_joint")  # fmt: skip
    robot = builder.build()
    robot.groups = {"arm": ("joint0", "joint1", "joint2")}
    return robot


def cell():
    """Return (scene, robot): the straight way from START to GOAL leads through a board."""
    robot = planar_arm()
    board = tocsin.Body(tocsin.Box((0.5, 0.03, 0.5)), at(0.45, 0, 0.85), name="board")
    return tocsin.Scene(robot, board), robot
