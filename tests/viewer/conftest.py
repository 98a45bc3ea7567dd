"""A program and its audit, once for all tests of films and reports."""

import pytest

import tocsin
from tocsin import Body, Box, Program, RobotBuilder, Scene, Sphere


@pytest.fixture(scope="session")
def audited():
    """A scene, a program in which an arm turns with a part, and its audit, which finds a contact."""
    builder = RobotBuilder("arm")
    builder.link("base", Box((0.1, 0.1, 0.1)))
    builder.link("hand", (Box((0.4, 0.05, 0.05)), (0.3, 0, 0)), parent="base", joint="revolute", joint_name="j")
    robot = builder.build()
    part = Body(Box((0.05, 0.05, 0.05)), (0.55, 0, 0), name="part <b>")
    post = Body(Sphere(0.05), (0.0, 0.6, 0.0), name="post")
    scene = Scene(robot, part, post)
    scene.ignore("hand", "part <b>")
    program = Program("turn")
    program.attach(robot, part, "hand")
    program.move(robot, [1.9], seconds=2.0, error=0.001)
    program.detach(robot, part)
    program.wait(robot, 0.2)
    program.move(robot, [1.0], seconds=1.0)
    return scene, program, tocsin.audit(scene, program)
