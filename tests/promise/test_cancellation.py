"""Contacts at the end of joints whose values cancel large offsets: the rounding is that of the large numbers."""

import math
from fractions import Fraction

import numpy as np

import tocsin


def test_a_contact_behind_a_mimic_joint_that_cancels_a_thousand_kilometres_is_found():
    rng = np.random.default_rng(0)
    tip = tocsin.Mesh(np.array([[0, 0, 0], [0, 1e-3, 0], [0, 0, 1e-3]]), np.array([[0, 1, 2]]))
    for _ in range(20):
        big, step = float(rng.uniform(1e6, 4e6)), float(rng.uniform(3e-3, 6e-3))
        builder = tocsin.RobotBuilder("slider")
        builder.link("base")
        builder.link("drive", parent="base", joint="prismatic", axis=(1, 0, 0))
        mimic = ("drive_joint", 1 / 3, float(rng.uniform(-1, 1)) - big / 3)
        builder.link("tip", tip, parent="base", joint="prismatic", axis=(1, 0, 0), mimic=mimic)
        robot = builder.build()
        end = Fraction(mimic[1]) * Fraction(big + step) + Fraction(mimic[2])
        wall = float(end)
        while Fraction(wall) > end:
            wall = math.nextafter(wall, -math.inf)
        corners = np.array([[wall, -1, -1], [wall, 1, -1], [wall, 0, 1.0]])
        plate = tocsin.Body((corners, np.array([[0, 1, 2]])), name="wall")
        hit = tocsin.Scene(robot, plate).first_contact(robot.move([big], [big + step]))
        assert hit.collides
