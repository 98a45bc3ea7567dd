"""A ring is thrown at a pole: a mesh of 9,000 triangles that turns by 170 degrees while it flies."""

import trimesh

import tocsin
from tocsin import Body, Box, Capsule

ring = Body(trimesh.creation.torus(0.3, 0.09, major_sections=96, minor_sections=48), (-0.9, 0, 0.5), name="ring")
pole = Body(Capsule(radius=0.05, length=0.9), (0.15, 0.05, 0.5), name="pole")
fence = Body([(Box((0.01, 0.9, 0.04)), (0, 0, z)) for z in (0.1, 0.3, 0.5)], (0.75, 0, 0), name="fence")
scene = tocsin.Scene(ring, pole, fence)

end = tocsin.pose((1.0, 0.2, 0.5), rpy_degrees=(20, 160, 30))
throw = ring.move((-0.9, 0, 0.5), end)
hit = scene.first_contact(throw)
title = "A ring, thrown"
tocsin.save_page("ring.html", scene, throw, hit=hit, title=title)
tocsin.save_picture("ring.png", scene, throw, hit=hit, title=title)
