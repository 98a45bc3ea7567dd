"""A Panda reaches over the rim of a bin and down into it; its meshes are the robot's own."""

from importlib.metadata import distribution
from pathlib import Path

import tocsin
from tocsin import Body, Box

files = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
panda = files / "panda_description"
robot = tocsin.Robot.from_urdf(panda / "urdf/panda.urdf", srdf=panda / "srdf/panda.srdf")

walls = [((0.4, 0.01, 0.2), (0, y, 0.1)) for y in (-0.25, 0.25)]
walls += [((0.01, 0.5, 0.2), (x, 0, 0.1)) for x in (-0.2, 0.2)]
shapes = [(Box(size), place) for size, place in [*walls, ((0.4, 0.5, 0.01), (0, 0, 0.005))]]
crate = Body(shapes, (0.55, 0.0, 0.0), name="bin")
table = Body(Box((1.6, 1.6, 0.04)), (0.4, 0, -0.025), name="table")
scene = tocsin.Scene(robot, crate, table)
scene.ignore("panda_link0", "table")

above = [-1.2, 0.2, 0.0, -1.9, 0.0, 2.1, 0.8, 0.02]
inside = [0.1, 0.62, 0.0, -2.1, 0.0, 2.72, 0.8, 0.02]
reach = robot.move(above, inside)
hit = scene.first_contact(reach)
title = "A Panda reaches into a bin"
tocsin.save_page("panda.html", scene, reach, hit=hit, title=title)
tocsin.save_picture("panda.png", scene, reach, hit=hit, title=title)
