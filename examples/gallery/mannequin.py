"""A mannequin of 15 links walks among chess pieces, 121,000 triangles: Walk, the first scene of the 2007 paper."""

import tocsin
from tocsin_bench.scenes import chess, gait, mannequin

robot = mannequin.build()
pieces = [tocsin.Body(tocsin.Mesh(*chess.piece(kind)), pose, name=name) for name, kind, pose in chess.placements()]
scene = tocsin.Scene(robot, *pieces)

frames = gait.walk(robot, 900)


def stretch(k):
    """Return a second of the walk, from frame k on."""
    return robot.follow(frames.q[k : k + 31], base=frames.base[k : k + 31])


seconds = (stretch(k) for k in range(0, 870, 30))
walk = next(walk for walk in seconds if 0.3 < scene.first_contact(walk).time < 1.0)
hit = scene.first_contact(walk)
title = "A mannequin among chess pieces"
tocsin.save_page("mannequin.html", scene, walk, hit=hit, title=title)
tocsin.save_picture("mannequin.png", scene, walk, hit=hit, title=title)
