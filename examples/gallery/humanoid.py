"""A G1 folds its arms: 170,000 triangles against themselves, on a path of three pieces."""

from importlib.metadata import distribution
from pathlib import Path

import tocsin

files = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
robot = tocsin.Robot.from_urdf(files / "g1_description/urdf/g1_29dof_rev_1_0.urdf")
scene = tocsin.Scene(robot)


def arms(pitch, roll, yaw, elbow):
    """Return joint values, the right arm a mirror of the left."""
    left = {"shoulder_pitch": pitch, "shoulder_roll": roll, "shoulder_yaw": yaw, "elbow": elbow}
    mirrored = {"shoulder_roll", "shoulder_yaw"}
    right = {name: -value if name in mirrored else value for name, value in left.items()}
    return {f"{side}_{k}_joint": v for side, arm in (("left", left), ("right", right)) for k, v in arm.items()}


poses = (0.3, 0.5, 0, 0.9), (-0.6, 0.4, 0.2, 0.6), (-0.5, 0.1, -0.9, 0.1)
path = [robot.configuration(arms(*pose)) for pose in poses]
fold = robot.follow(path)
hit = scene.first_contact(fold)
title = "A humanoid folds its arms"
tocsin.save_page("humanoid.html", scene, fold, hit=hit, title=title)
tocsin.save_picture("humanoid.png", scene, fold, hit=hit, title=title)
