"""04: a path of several configurations in one question, with another body moving at the same time.

A mobile arm (a planar joint for its base, a ball joint for its shoulder) follows a path of five configurations while a
trolley crosses its way. Where it is not free, the configuration at the contact says how far it gets.
"""

import numpy as np
from scipy.spatial.transform import Rotation

import tocsin
from tocsin import Body, Box, Capsule, Cylinder, RobotBuilder


def moved(x, y, z):
    """A 4x4 pose without rotation."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def mobile_arm():
    """Configuration: x, y, heading; shoulder quaternion x y z w; elbow angle. Eight numbers."""
    b = RobotBuilder("mobile")
    b.link("floor")
    b.link("cart", (Box(size=(0.6, 0.4, 0.3)), moved(0, 0, 0.2)), parent="floor", joint="planar", joint_name="drive")
    b.link("column", (Cylinder(radius=0.08, length=0.4), moved(0, 0, 0.2)), parent="cart", origin=(0.1, 0, 0.36))
    b.link("upper", (Capsule(radius=0.05, length=0.35), moved(0, 0, 0.2)), parent="column", joint="ball",
           origin=(0, 0, 0.5), joint_name="shoulder")  # fmt: skip
    b.link("lower", (Capsule(radius=0.04, length=0.35), moved(0, 0, 0.2)), parent="upper", joint="revolute",
           axis=(0, 1, 0), origin=(0, 0, 0.42), joint_name="elbow")  # fmt: skip
    return b.build()


def configuration(x, y, heading, lean, elbow):
    """A row of the path: where the cart is, how far the shoulder leans forward, the elbow; degrees."""
    shoulder = Rotation.from_euler("y", lean, degrees=True).as_quat()  # x y z w
    return [x, y, np.radians(heading), *shoulder, np.radians(elbow)]


def main():
    """Follow the path alone, then with the trolley, then only as far as it is free."""
    robot = mobile_arm()
    boards = [(Box(size=(0.4, 1.6, 0.03)), moved(0, 0, z)) for z in (0.4, 0.95, 1.5)]
    shelf = Body(boards, moved(1.6, 0.9, 0), name="shelf")
    trolley = Body(Box(size=(0.5, 0.5, 0.9)), moved(0.9, -2.5, 0.45), name="trolley")
    scene = tocsin.Scene(robot, shelf, trolley)
    path = np.array([
        configuration(-1.5, -1.0, 0, 0, 30),
        configuration(0.0, -1.0, 0, 10, 60),
        configuration(0.2, 0.0, 60, 20, 70),
        configuration(0.5, 0.9, 0, 40, 50),
        configuration(0.8, 0.9, 0, 40, 50),
    ])  # fmt: skip
    move = robot.follow(path)
    print(f"{robot.n_config} values a configuration: {', '.join(robot.joint_names)}; {move.pieces} pieces")
    print(f"the path, the trolley standing: {scene.first_contact(move).status.value}")

    crossing = trolley.move(moved(0.9, -2.5, 0.45), moved(0.5, 2.2, 0.45))
    hit = scene.first_contact(move, crossing)
    piece = int(hit.time * move.pieces) + 1
    print(f"the path, the trolley crossing: {hit.status.value} at t = {hit.time:.4f}, in piece {piece}")
    print(f"  {hit.contacts[0].link_a} and {hit.contacts[0].link_b} at {np.round(hit.contacts[0].point_a, 3)}")
    print(f"  the robot is at    {np.round(robot.at_contact(hit), 3)}")
    print(f"  the trolley is at  {np.round(trolley.at_contact(hit)[:3, 3], 3)}")
    stats = hit.stats
    print(f"  pairs: {stats.pairs_total} before culling, {stats.pairs_spatial} after spatial culling, "
          f"{stats.pairs_temporal} opened; {stats.slabs} slabs")  # fmt: skip

    wait = scene.first_contact(robot.follow(path[:2]), crossing).status
    print(f"only the first piece, at a quarter of the speed: {wait.value}")
    print(f"20 mm of clearance all along, the trolley standing: {scene.is_free(move, margin=0.02)}")


if __name__ == "__main__":
    main()
