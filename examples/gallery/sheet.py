"""An arm swings a sheet of 0.5 mm past a plate of 0.2 mm: they overlap for a thousandth of the motion."""

import numpy as np

import tocsin
from tocsin import Body, Box, Capsule, Cylinder, RobotBuilder

b = RobotBuilder("arm").link("base", (Cylinder(0.13, 0.06), (0, 0, 0.03)))
turning = {"joint": "revolute", "axis": (0, 1, 0)}
b.link("turret", (Cylinder(0.09, 0.28), (0, 0, 0.15)), parent="base", joint="revolute", origin=(0, 0, 0.07))
b.link("upper", (Capsule(0.06, 0.4), (0, 0, 0.24)), parent="turret", origin=(0, 0, 0.3), **turning)
b.link("elbow", (Capsule(0.05, 0.3), (0, 0, 0.2)), parent="upper", origin=(0, 0, 0.46), **turning)
b.link("hand", (Capsule(0.035, 0.05), (0, 0, 0.05)), parent="elbow", origin=(0, 0, 0.38), **turning)
b.link("sheet", (Box((0.42, 0.0005, 0.26)), (0, 0, 0.25)), parent="hand")
arm = b.build()
arm.ignore_overlapping_at(np.zeros(4))

plate = Body(Box((0.3, 0.0002, 0.3)), tocsin.pose((0.61, 0.17, 0.18), rpy=(0, 0, 0.27)), name="plate")
foot = Body(Box((0.34, 0.05, 0.03)), tocsin.pose((0.61, 0.17, 0.015), rpy=(0, 0, 0.27)), name="foot")
crate = Body(Box((0.3, 0.3, 0.22)), (-0.5, 0.35, 0.11), name="crate")
scene = tocsin.Scene(arm, plate, foot, crate)

swing = arm.move([-0.8, 0.55, 1.15, 1.35], [1.1, 0.75, 1.05, 1.40])
hit = scene.first_contact(swing, tolerance=1e-6)
title = "A thin sheet meets a thin plate"
tocsin.save_page("sheet.html", scene, swing, hit=hit, title=title, samples=60)
tocsin.save_picture("sheet.png", scene, swing, hit=hit, title=title, samples=60)
