"""08: an answer as a picture, as a page that needs no server, and in the viewer.

python examples/08_pictures.py [folder] writes the first two; with --view it opens the third, on this machine only.
"""

import sys
from pathlib import Path

import numpy as np
import trimesh
from trimesh.transformations import rotation_matrix, translation_matrix

import tocsin
from tocsin import Body, Box, Capsule

folder = Path(next((name for name in sys.argv[1:] if not name.startswith("-")), "out"))
knot = trimesh.creation.torus(0.3, 0.09, major_sections=96, minor_sections=48)
ring = Body(knot, (-0.9, 0.0, 0.5), name="ring")
pole = Body(Capsule(radius=0.05, length=0.9), (0.15, 0.05, 0.5), name="pole")
fence = Body(
    [(Box(size=(0.01, 0.9, 0.04)), (0, 0, z)) for z in (0.1, 0.3, 0.5)],
    (0.75, 0.0, 0.0),
    name="fence",
)
scene = tocsin.Scene(ring, pole, fence)

start = (-0.9, 0.0, 0.5)
end = translation_matrix((1.0, 0.2, 0.5)) @ rotation_matrix(np.radians(170), (0.3, 1.0, 0.2))
throw = ring.move(start, end)
hit = scene.first_contact(throw)
print(f"{hit.status.value} at t = {hit.time:.4f}: {hit.contacts[0].link_a} and {hit.contacts[0].link_b}")
folder.mkdir(parents=True, exist_ok=True)
print("wrote", tocsin.save_picture(folder / "throw.png", scene, throw, hit=hit, title="a ring, thrown"))
print("wrote", tocsin.save_page(folder / "throw.html", scene, throw, hit=hit, title="a ring, thrown"))
if "--view" in sys.argv:
    tocsin.view(scene, throw, hit=hit)
