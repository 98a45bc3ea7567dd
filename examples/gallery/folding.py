"""A strip of cloth rolls up and touches itself: self-contact, first of all."""

import numpy as np

import tocsin

rows, columns = 121, 25
s, w = np.meshgrid(np.linspace(0, 1.2, rows), np.linspace(-0.15, 0.15, columns), indexing="ij")
i = np.arange(rows * columns).reshape(rows, columns)
a, b, c, d = i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]
faces = np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))])


def rolled(bend):
    """Return the strip with this curvature."""
    angle = bend * s
    step = 1.2 / (rows - 1)
    x, z = np.cumsum(np.cos(angle), axis=0) * step, np.cumsum(np.sin(angle), axis=0) * step
    return np.stack([x - x.mean(), w + 0.01 * s * bend, z], -1).reshape(-1, 3)


strip = tocsin.Deformable(rolled(0.0), faces, name="strip")
scene = tocsin.Scene(strip)
roll = strip.follow([rolled(bend) for bend in np.linspace(0, 6.5, 28)])
hit = scene.first_contact(roll)
title = "A strip rolls up until it meets itself"
tocsin.save_page("folding.html", scene, roll, hit=hit, title=title)
tocsin.save_picture("folding.png", scene, roll, hit=hit, title=title)
