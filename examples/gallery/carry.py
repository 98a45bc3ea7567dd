"""A Panda puts a sheet of 1 mm and a ring from one side to the other, one after the other: a program, audited whole."""

from importlib.metadata import distribution
from pathlib import Path

import numpy as np
import trimesh

import tocsin
from tocsin import Body, Box, Cylinder, Trajectory

files = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
panda = files / "panda_description"
robot = tocsin.Robot.from_urdf(panda / "urdf/panda.urdf", srdf=panda / "srdf/panda.srdf")


def down(pan, reach):  # the hand points down
    return np.array([pan, 0.2 + reach, 0.0, -2.2 + reach, 0.0, 2.4, 0.785 + pan, 0.02])


# Quintics at rest at every point, a second each.
rests = lambda *points: Trajectory(np.arange(len(points)), points, *np.zeros((2, len(points), 8)))  # noqa: E731
thing = {"sheet": Box((0.2, 0.14, 0.001)), "ring": trimesh.creation.torus(0.06, 0.012)}
spots = {"sheet": (down(-0.9, 0.35), down(0.9, 0.35)), "ring": (down(-0.4, 0.35), down(0.4, 0.35))}
below = {"sheet": tocsin.pose((0, 0, 0.1145)), "ring": tocsin.pose((0, 0, 0.103))}  # the fingertips, in its frame
hand, fingers = robot.link_index("panda_hand"), ("panda_leftfinger", "panda_rightfinger")
bodies = {k: Body(thing[k], robot.link_poses(spots[k][0])[hand] @ below[k], name=k) for k in thing}
post = Body(Cylinder(0.02, 0.9), (0.76, 0.0, 0.45), name="post")
table = Body(Box((0.46, 1.4, 0.02)), (0.49, 0.0, 0.097), name="table")
scene = tocsin.Scene(robot, *bodies.values(), post, table)
home, program = down(0.0, 0.0), tocsin.Program("carry")
for k, (pick, place) in spots.items():
    lift = [np.append(q[:1], [*home[1:6], *q[6:]]) for q in (pick, place)]
    program.follow(robot, rests(home, lift[0], pick)).attach(robot, bodies[k], "panda_hand", touching=fingers)
    program.follow(robot, rests(pick, *lift, place)).detach(robot, bodies[k]).follow(robot, rests(place, lift[1], home))
title = "A Panda carries a sheet and a ring"
found = tocsin.audit(scene, program)
tocsin.save_page("carry.html", scene, found, title=title)
tocsin.save_picture("carry.png", scene, found, title=title)
