"""03: does this motion keep 20 mm from everything? Margins for all pairs, for single ones, and pairs left out."""

import tocsin
from tocsin import Body, Box, Capsule, Cylinder, RobotBuilder, Sphere

b = RobotBuilder("gantry")
b.link("bridge", Box(size=(0.1, 1.2, 0.1)))
b.link("carriage", Box(size=(0.16, 0.16, 0.16)), parent="bridge", joint="prismatic", axis=(0, 1, 0),
       origin=(0.13, 0, 0), joint_name="across", limits=(-0.5, 0.5))  # fmt: skip
b.link("mast", (Cylinder(radius=0.03, length=0.6), (0, 0, -0.3)), parent="carriage", joint="prismatic", axis=(0, 0, -1),
       joint_name="down", limits=(0.0, 0.4))  # fmt: skip
gantry = b.build()
gantry.ignore("bridge", "mast")  # 50 mm apart by design: a margin counts between links of one robot too

ball = Body(Sphere(radius=0.03), (0.13, 0.2, -1.0), name="ball")
wall = Body(Box(size=(0.4, 0.02, 0.4)), (0.13, 0.3, -0.95), name="wall")
post = Body(Capsule(radius=0.02, length=0.4), (0.13, -0.1, -0.95), name="post")
scene = tocsin.Scene(gantry, ball, wall, post)
move = gantry.move({"across": 0.2, "down": 0.0}, {"across": 0.2, "down": 0.36})


def say(what, hit):
    """Print an answer in one line."""
    pair = f" at t = {hit.time:.4f}, {hit.contacts[0].link_a} and {hit.contacts[0].link_b}" if hit.contacts else ""
    print(f"{what:48} {hit.status.value}{pair}")


say("contact (margin 0)", scene.first_contact(move))
say("20 mm from everything", scene.first_contact(move, margin=0.02))
scene.margins["mast", "ball"] = 0.005
say("20 mm, but 5 mm are enough between mast and ball", scene.first_contact(move, margin=0.02))
scene.ignore("mast", "ball")
say("20 mm, and the ball may be touched", scene.first_contact(move, margin=0.02))
near = scene.distance(gantry.at([0.2, 0.36]))
print(f"at the end: {1e3 * near.distance:.2f} mm from {near.link_a} to {near.link_b}")
