"""01: an arm swings a thin blade through a thin wire: when, where, between which links; and what sampling says."""

import numpy as np

import tocsin
from tocsin import Body, Box, Capsule, Cylinder, RobotBuilder

b = RobotBuilder("arm")
b.link("base", Cylinder(radius=0.1, length=0.1))
b.link("upper", (Capsule(radius=0.05, length=0.4), (0, 0, 0.25)), parent="base", joint="revolute", axis=(0, 1, 0),
       origin=(0, 0, 0.1), joint_name="shoulder")  # fmt: skip
b.link("lower", (Capsule(radius=0.04, length=0.4), (0, 0, 0.25)), parent="upper", joint="revolute", axis=(0, 1, 0),
       origin=(0, 0, 0.5), joint_name="elbow")  # fmt: skip
b.link("blade", (Box(size=(0.0005, 0.02, 0.3)), (0, 0, 0.65)), parent="lower")  # 0.5 mm
arm = b.build()

wire = Body(Box(size=(0.0002, 0.3, 0.0002)), (0.89, 0.0, 0.817), name="wire")  # 0.2 mm
scene = tocsin.Scene(arm, wire)

q0, q1 = np.array([0.0, 0.0]), np.array([1.5, 0.5])
move = arm.move(q0, q1)  # both joints at constant rates over t in [0, 1]
hit = scene.first_contact(move)
contact = hit.contacts[0]
print(f"{hit.status.value} at t = {hit.time:.5f}: {contact.link_a} and {contact.link_b}, {contact.kind}")
print(f"at {np.round(contact.point_a, 4)} m, the normal is {np.round(contact.normal, 3)}")
print(f"joint values there: {np.round(arm.at_contact(hit), 4)}")

before = arm.move(q0, q0 + 0.999 * hit.time * (q1 - q0))
print(f"the part before is free: {scene.is_free(before)}, which is proven for all of it")

for count in (20, 100, 500):
    touching = [t for t in np.linspace(0, 1, count) if scene.distance(arm.at(q0 + t * (q1 - q0))).distance == 0]
    print(f"{count} samples say: " + (f"contact at {touching[0]:.4f}" if touching else "no contact"))
