"""A hand closes around a ball: sixteen joints at once, and the finger that touches first."""

from importlib.metadata import distribution
from pathlib import Path

import numpy as np

import tocsin

files = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
hand = tocsin.Robot.from_urdf(files / "allegro_hand_description/urdf/allegro_right_hand.urdf")
open_hand = np.zeros(16)
open_hand[12:] = 0.9, 0.3, 0.2, 0.1  # the thumb, beside the palm
hand.ignore_overlapping_at(open_hand)
ball = tocsin.Body(tocsin.Sphere(0.035), (0.075, 0.0, 0.03), name="ball")
scene = tocsin.Scene(hand, ball)

closed = open_hand.copy()
for finger in range(3):
    closed[4 * finger : 4 * finger + 4] = 0.0, 1.2, 1.0, 0.9
closed[12:] = 1.3, 0.6, 0.5, 0.6
grasp = hand.move(open_hand, closed)
hit = scene.first_contact(grasp)
title = "A hand closes around a ball"
tocsin.save_page("hand.html", scene, grasp, hit=hit, title=title)
tocsin.save_picture("hand.png", scene, grasp, hit=hit, title=title)
