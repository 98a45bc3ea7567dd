"""Two tori of 10,000 triangles, interlocked, one turning in the other: the benchmark of two papers."""

import trimesh

import tocsin

mesh = trimesh.creation.torus(1.0, 0.28, major_sections=100, minor_sections=50)
still = tocsin.Body(mesh, name="still")
turning = tocsin.Body(mesh, tocsin.pose((1.0, 0, 0), rpy_degrees=(90, 0, 0)), name="turning")
scene = tocsin.Scene(still, turning)

start = tocsin.pose((1.0, 0, 0), rpy_degrees=(90, 0, 0))
move = turning.move(start, tocsin.pose((0.9, 0.7, 0.3), rpy_degrees=(50, 70, 40)))
hit = scene.first_contact(move)
title = "Two tori, interlocked"
tocsin.save_page("tori.html", scene, move, hit=hit, title=title)
tocsin.save_picture("tori.png", scene, move, hit=hit, title=title)
