"""04: a whole path in one question, while something else moves too. Joints may be planar and ball joints."""

import numpy as np
from scipy.spatial.transform import Rotation

import tocsin
from tocsin import Body, Box, Capsule, Cylinder, RobotBuilder

b = RobotBuilder("mobile")
b.link("floor")
b.link("cart", (Box(size=(0.6, 0.4, 0.3)), (0, 0, 0.2)), parent="floor", joint="planar", joint_name="drive")
b.link("column", (Cylinder(radius=0.08, length=0.4), (0, 0, 0.2)), parent="cart", origin=(0.1, 0, 0.36))
b.link("arm", (Capsule(radius=0.05, length=0.6), (0, 0, 0.35)), parent="column", joint="ball", origin=(0, 0, 0.5))
robot = b.build()


def row(x, y, heading, lean):
    """A configuration: where the cart is, where it looks, how far the arm leans forward; degrees."""
    return [x, y, np.radians(heading), *Rotation.from_euler("y", lean, degrees=True).as_quat()]


boards = [(Box(size=(0.4, 1.6, 0.03)), (0, 0, z)) for z in (0.4, 0.95, 1.5)]
shelf = Body(boards, (1.6, 0.9, 0), name="shelf")
trolley = Body(Box(size=(0.5, 0.5, 0.9)), (0.9, -2.5, 0.45), name="trolley")
scene = tocsin.Scene(robot, shelf, trolley)

path = [row(-1.5, -1.0, 0, 0), row(0.0, -1.0, 0, 10), row(0.2, 0.0, 60, 20), row(0.5, 0.9, 0, 60), row(0.8, 0.9, 0, 60)]
follow = robot.follow(path)
print(f"{', '.join(robot.joint_names)}; {follow.pieces} pieces")
print(f"the trolley stands: {scene.first_contact(follow).status.value}")
crossing = trolley.move((0.9, -2.5, 0.45), (0.5, 2.2, 0.45))
hit = scene.first_contact(follow, crossing)
piece = int(hit.time * follow.pieces) + 1
print(f"the trolley crosses: {hit.status.value} at t = {hit.time:.4f}, in piece {piece} of the path")
print(f"{hit.contacts[0].link_a} and {hit.contacts[0].link_b}; the trolley is at {trolley.at_contact(hit)[:3, 3]}")
