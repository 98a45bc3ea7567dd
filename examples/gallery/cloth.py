"""A cloth falls over an arm that comes up to meet it. Every triangle is painted when it first touches something."""

import numpy as np

import tocsin

n = 61
x, y = (g.ravel() for g in np.meshgrid(*2 * [np.linspace(-0.3, 0.3, n)], indexing="ij"))
i = np.arange(n * n).reshape(n, n)
a, b, c, d = i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]
faces = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])
start = np.stack([x, y, 0.8 + 0.012 * np.sin(11 * x + 5 * y)], axis=1)
droop = 0.9 * np.maximum(np.hypot(0.35 * x, y) - 0.06, 0.0)  # the sides hang down
end = np.stack([0.97 * x, 0.75 * y, start[:, 2] - 0.3 - droop], axis=1)
cloth = tocsin.Deformable(start, faces, name="cloth")

builder = tocsin.RobotBuilder("arm").link("post", (tocsin.Cylinder(0.07, 0.4), (-0.5, 0, 0.2)))
upper = [(tocsin.Capsule(0.05, 0.75), (0, 0, 0.375)), (tocsin.Sphere(0.08), (0, 0, 0.75))]
builder.link("upper", upper, parent="post", joint="revolute", axis=(0, 1, 0), origin=(-0.5, 0, 0.42))
arm = builder.build()
scene = tocsin.Scene(cloth, arm)

found = scene.contacts(cloth.move(start, end), arm.move([2.0], [1.4]), every="pair")
title = "A cloth over an arm, every contact"
tocsin.save_page("cloth.html", scene, hit=found, title=title)
tocsin.save_picture("cloth.png", scene, hit=found, title=title)
