"""03: clearance instead of contact: margins for all pairs and for single ones, pairs to leave out, distances."""

import numpy as np

import tocsin
from tocsin import Body, Box, Capsule, Cylinder, RobotBuilder, Sphere


def moved(x, y, z):
    """A 4x4 pose without rotation."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def gantry():
    """A carriage on rails that lowers a gripper: two sliding joints, two fingers that move as one."""
    b = RobotBuilder("gantry")
    b.link("bridge", Box(size=(0.1, 1.2, 0.1)))
    b.link("carriage", Box(size=(0.16, 0.16, 0.16)), parent="bridge", joint="prismatic", axis=(0, 1, 0),
           origin=(0.13, 0, 0), joint_name="across", limits=(-0.5, 0.5))  # fmt: skip
    b.link("mast", (Cylinder(radius=0.03, length=0.6), moved(0, 0, -0.3)), parent="carriage", joint="prismatic",
           axis=(0, 0, -1), joint_name="down", limits=(0.0, 0.4))  # fmt: skip
    finger = (Box(size=(0.02, 0.01, 0.1)), moved(0, 0, -0.05))
    b.link("left", finger, parent="mast", joint="prismatic", axis=(0, 1, 0), origin=(0, 0, -0.6), joint_name="grip")
    b.link("right", finger, parent="mast", joint="prismatic", axis=(0, -1, 0), origin=(0, 0, -0.6),
           mimic=("grip", 1.0, 0.0))  # fmt: skip
    return b.build()


def say(what, hit):
    """Print an answer in one line."""
    where = "" if not hit.contacts else f", {hit.contacts[0].link_a} and {hit.contacts[0].link_b}"
    print(f"{what:53} {hit.status.value}" + (f" at t = {hit.time:.4f}{where}" if hit.contacts else ""))


def main():
    """Lower the gripper over a ball, between two walls, and ask for more and more clearance."""
    robot = gantry()
    ball = Body(Sphere(radius=0.03), moved(0.13, 0.2, -1.0), name="ball")
    wall = Body(Box(size=(0.4, 0.02, 0.4)), moved(0.13, 0.3, -0.95), name="wall")
    post = Body(Capsule(radius=0.02, length=0.4), moved(0.13, -0.1, -0.95), name="post")
    robot.ignore("bridge", "mast")  # 50 mm apart by design: a margin counts between links of one robot too
    scene = tocsin.Scene(robot, ball, wall, post)
    print(f"joints: {', '.join(robot.joint_names)}")
    q0, q1 = np.array([0.2, 0.0, 0.05]), np.array([0.2, 0.36, 0.05])
    move = robot.move(q0, q1)

    say("contact (margin 0)", scene.first_contact(move))
    say("20 mm from everything", scene.first_contact(move, margin=0.02))
    scene.margins["left", "ball"] = 0.005
    scene.margins["right", "ball"] = 0.005
    say("20 mm, but 5 mm are enough between fingers and ball", scene.first_contact(move, margin=0.02))
    scene.ignore("mast", "ball")
    say("20 mm, and the mast is not checked against the ball", scene.first_contact(move, margin=0.02))
    say("50 mm, with the same exceptions", scene.first_contact(move, margin=0.05))

    near = scene.distance(robot.at(q1))
    print(f"\nat the end: {1e3 * near.distance:.2f} mm from {near.link_a} to {near.link_b} "
          f"(proven: at least {1e3 * near.lower:.2f} mm)")  # fmt: skip
    scene.margins.clear()
    grip = robot.move(q1, q1 - [0.0, 0.0, 0.05])
    hit = scene.first_contact(grip, tolerance=1e-6)
    say("then the fingers close on the ball", hit)
    print("grip at contact: " + (f"{robot.at_contact(hit)[2]:.4f} m" if hit.collides else "-"))


if __name__ == "__main__":
    main()
