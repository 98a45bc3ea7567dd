"""An ANYmal jumps over a wall, its base free in the air, its legs folding: does it clear the wall by 20 mm?"""

from importlib.metadata import distribution
from pathlib import Path

import numpy as np

import tocsin
from tocsin import Body, Box

files = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
anymal = files / "anymal_c_simple_description"
robot = tocsin.Robot.from_urdf(anymal / "urdf/anymal.urdf", srdf=anymal / "srdf/anymal.srdf", base="free")
wall = Body(Box((0.06, 1.1, 0.5)), (0.9, 0, 0.25), name="wall")
floor = Body(Box((4.4, 1.5, 0.1)), (0.9, 0, -0.05), name="floor")
scene = tocsin.Scene(robot, wall, floor)

stand = robot.configuration("standing")
folded = stand + np.tile([0.0, 0.25, -0.5], 4) * np.sign(stand)
x = np.linspace(-0.6, 2.4, 13)
height = 0.63 + 0.55 * (1 - ((x - 0.9) / 1.5) ** 2)
bases = [tocsin.pose((a, 0, h), rpy=(0, 0.5 * np.sin(np.pi * (a - 0.9) / 1.5), 0)) for a, h in zip(x, height)]
fold = np.clip(1.4 - np.abs(x - 0.9), 0, 1)[:, None]
jump = robot.follow(stand + fold * (folded - stand), base=bases)
hit = scene.first_contact(jump, margin=0.02)
title = "A quadruped jumps a wall, 20 mm clear"
tocsin.save_page("quadruped.html", scene, jump, hit=hit, title=title)
tocsin.save_picture("quadruped.png", scene, jump, hit=hit, title=title)
