"""Two UR5s on one clock: each has its own time stamps, and the second starts a second late. Do they meet, and when?"""

from importlib.metadata import distribution
from pathlib import Path

import tocsin
from tocsin import Body, Box

files = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
ur = files / "ur_description"
urdf, srdf = ur / "urdf/ur5_robot.urdf", ur / "srdf/ur5.srdf"
left, right = (tocsin.Robot.from_urdf(urdf, srdf=srdf, name=name) for name in ("left", "right"))
right.place(tocsin.pose((1.1, 0, 0), rpy_degrees=(0, 0, 180)))
table = Body(Box((1.7, 0.8, 0.04)), (0.55, 0, -0.025), name="table")
scene = tocsin.Scene(left, right, table)
for robot in scene.names[:2]:
    scene.ignore(f"{robot}/base_link", "table")

from_side, over = [1.2, -1.2, 1.2, -1.5, -1.5, 0], [0.1, -1.0, 1.3, -1.8, -1.5, 0]
down = [-0.9, -0.9, 1.3, -1.9, -1.5, 0]
a = left.follow([from_side, over, down], times=[0.0, 1.5, 4.0])
b = right.follow([from_side, over, down], times=[1.0, 3.0, 4.0])
hit = scene.first_contact(a, b, margin=0.01)
title = "Two arms on one clock, 10 mm apart"
tocsin.save_page("two_arms.html", scene, a, b, hit=hit, title=title)
tocsin.save_picture("two_arms.png", scene, a, b, hit=hit, title=title)
