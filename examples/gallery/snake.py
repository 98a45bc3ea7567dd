"""A snake of 40 links winds between posts: 39 joints turn at once. Which link meets which post first?"""

import numpy as np

import tocsin

shape = (tocsin.Capsule(0.03, 0.1), tocsin.pose((0.07, 0, 0), rpy=(0, np.pi / 2, 0)))
b = tocsin.RobotBuilder("snake").link("link0", shape)
for k in range(1, 40):
    b.link(f"link{k}", shape, parent=f"link{k - 1}", joint="revolute", axis=(0, 0, 1), origin=(0.17, 0, 0))
snake = b.build()
posts = [tocsin.Body(tocsin.Cylinder(0.04, 0.5), (x, y, 0), name=f"post{k}") for k, (x, y) in
         enumerate((x, 0.62 * (-1) ** j) for j, x in enumerate(np.arange(0.8, 6.5, 0.8)))]  # fmt: skip
scene = tocsin.Scene(snake, *posts)


def wave(size, phase):
    """Return joint values: the body is a sine of this size."""
    heading = size * np.sin(np.arange(40) * 0.42 + phase)
    return np.diff(heading)


wind = snake.follow([wave(0.35, phase) for phase in np.linspace(0.0, 2.4, 13)])
hit = scene.first_contact(wind)
title = "A snake of 40 links between posts"
tocsin.save_page("snake.html", scene, wind, hit=hit, title=title)
tocsin.save_picture("snake.png", scene, wind, hit=hit, title=title)
