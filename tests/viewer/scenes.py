"""A small scene for pictures: an arm of two links that swings into a plate, among other things."""

import numpy as np

import tocsin

PLATE_AT = 0.45
"""Metres along x."""


def placed(x=0.0, y=0.0, z=0.0):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def slab_mesh(thickness=0.01, side=0.5):
    """A plate across x, as a mesh."""
    return tocsin.Box(size=(thickness, side, side)).tessellate()


def arm_and_plate(*, plate_at=PLATE_AT, name="plate"):
    """Return (scene, motion): an arm that falls forward into a plate, past a ball that it does not touch."""
    b = tocsin.RobotBuilder("arm")
    b.link("base", (tocsin.Cylinder(radius=0.1, length=0.1), (0, 0, 0.05)))
    b.link("upper", (tocsin.Capsule(radius=0.05, length=0.4), (0, 0, 0.25)), parent="base", joint="revolute",
           axis=(0, 1, 0), origin=(0, 0, 0.1))  # fmt: skip
    hand = [(slab_mesh(0.08, 0.08), (0, 0, 0.1)), (tocsin.Sphere(radius=0.03), (0, 0, 0.3))]
    b.link("hand", hand, parent="upper", joint="revolute", axis=(0, 1, 0), origin=(0, 0, 0.5))
    robot = b.build()
    plate = tocsin.Body(slab_mesh(), placed(plate_at, 0, 0.45), name=name)
    ball = tocsin.Body(tocsin.Sphere(radius=0.1), placed(-0.3, 0.4, 0.1), name="ball")
    scene = tocsin.Scene(robot, plate, ball)
    return scene, robot.move([0.0, 0.0], [1.2, 0.4])
