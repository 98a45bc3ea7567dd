"""11: not only the first contact: every interval of time during which two links of a moving scene are in contact."""

import tocsin
from tocsin import Body, Box, Capsule, Cylinder, RobotBuilder

b = RobotBuilder("arm").link("base", Cylinder(radius=0.1, length=0.1))
b.link("upper", (Capsule(radius=0.05, length=0.4), (0, 0, 0.25)), parent="base", joint="revolute", axis=(0, 1, 0),
       origin=(0, 0, 0.1), joint_name="shoulder")  # fmt: skip
b.link("lower", (Capsule(radius=0.04, length=0.4), (0, 0, 0.25)), parent="upper", joint="continuous", axis=(0, 1, 0),
       origin=(0, 0, 0.5), joint_name="elbow")  # fmt: skip
arm = b.build()
wire = Body(Box(size=(0.001, 0.3, 0.001)), (0.7, 0.0, 0.6), name="wire")
shelf = Body(Box(size=(0.3, 0.4, 0.02)), (-0.45, 0.0, 0.9), name="shelf")
scene = tocsin.Scene(arm, wire, shelf)

path = arm.follow([[0.0, 0.0], [1.2, 0.5], [0.6, 2.0], [-0.4, -0.6], [-0.9, 30.0]])
found = scene.contact_intervals(path, tolerance=1e-4)
print(f"{len(found)} intervals of {path.pieces} pieces, in {found.steps} steps")
for one in found:
    print(f"{one.link_a:6} {one.link_b:6} from {one.enter:.4f} to {one.exit:.4f}")

short = [one for one in found if one.exit - one.enter < 1 / 500]
print(f"{len(short)} of them are shorter than the step between 500 samples")
print(f"in contact at t = 0.7: {found.at(0.7)}; at t = 0.72: {[(one.link_a, one.link_b) for one in found.at(0.72)]}")
