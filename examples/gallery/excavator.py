"""An excavator swings its bucket on a construction site of 390,000 triangles, as in the 2007 paper."""

import numpy as np

import tocsin
from tocsin_bench.scenes import site

robot = site.excavator()
scene = tocsin.Scene(robot, *site.bodies())

# drive x, drive y, under, cabin, boom, arm, bucket: the first place from which a swing ends in a contact
places = [(x, y) for x in np.arange(-12, 13, 4.0) for y in np.arange(-12, 13, 4.0)]
swings = (robot.move([x, y, 0, -1.2, 0.5, -1.2, -0.8], [x, y, 0, 1.8, 0.3, -1.0, -0.6]) for x, y in places)
swing = next(swing for swing in swings if 0.0 < scene.first_contact(swing).time < 1.0)
hit = scene.first_contact(swing)
title = "An excavator on a construction site"
tocsin.save_page("excavator.html", scene, swing, hit=hit, title=title)
tocsin.save_picture("excavator.png", scene, swing, hit=hit, title=title)
