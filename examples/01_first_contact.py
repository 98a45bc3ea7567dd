"""01: an arm carries a sheet of metal through a thin plate. Sampling the motion does not see it; tocsin does.

    make demo

The arm has six joints; links are primitives and meshes. It swings a 0.5 mm sheet past a 0.2 mm plate that stands in
the way, so the two overlap for about a thousandth of the motion. Writes a picture: the first argument, or
out/first_contact.png.
"""

import sys
import time

import numpy as np
import trimesh

import tocsin
from tocsin import Body, Box, Capsule, ConvexHull, Cylinder, RobotBuilder


def placed(x=0.0, y=0.0, z=0.0, yaw=0.0):
    """A 4x4 pose: turned about z by `yaw`, then moved."""
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    pose[:3, 3] = x, y, z
    return pose


def turned(*profile):
    """A mesh turned on a lathe: the profile is (radius, z), from bottom to top."""
    return trimesh.creation.revolve(np.array(profile), sections=48)


def arm():
    """A 6-joint arm that holds a sheet of metal, 0.5 mm thick, in a clamp."""
    turret = turned((0, 0), (0.11, 0), (0.11, 0.06), (0.08, 0.12), (0.08, 0.28), (0.05, 0.31), (0, 0.31))
    wrist = turned((0, 0.02), (0.05, 0.02), (0.032, 0.1), (0.032, 0.18), (0, 0.18))
    clamp = ConvexHull([(x, y, z) for z, r in ((0.03, 0.03), (0.09, 0.015)) for x in (-3 * r, 3 * r) for y in (-r, r)])
    sheet = trimesh.creation.box((0.42, 0.0005, 0.26))
    b = RobotBuilder("arm")
    b.link("base", (Cylinder(radius=0.13, length=0.06), placed(z=0.03)))
    b.link("turret", turret, parent="base", joint="revolute", axis=(0, 0, 1), origin=(0, 0, 0.07), limits=(-3, 3))
    b.link("upper", (Capsule(radius=0.06, length=0.42), placed(z=0.23)), parent="turret", joint="revolute",
           axis=(0, 1, 0), origin=(0, 0, 0.3), limits=(-2, 2))  # fmt: skip
    b.link("elbow", [(Capsule(radius=0.05, length=0.12), placed(z=0.1))], parent="upper", joint="revolute",
           axis=(0, 1, 0), origin=(0, 0, 0.46), limits=(-2.6, 2.6))  # fmt: skip
    b.link("forearm", wrist, parent="elbow", joint="revolute", axis=(0, 0, 1), origin=(0, 0, 0.18))
    b.link("hand", (Capsule(radius=0.035, length=0.05), placed(z=0.04)), parent="forearm", joint="revolute",
           axis=(0, 1, 0), origin=(0, 0, 0.2), limits=(-2.2, 2.2))  # fmt: skip
    b.link("clamp", clamp, parent="hand", joint="continuous", axis=(0, 0, 1), origin=(0, 0, 0.08))
    b.link("sheet", sheet, parent="clamp", origin=(0, 0, 0.21))
    return b.build()


def main(picture="out/first_contact.png"):
    """Ask, print what is known, and draw it."""
    robot = arm()
    plate = Body.from_mesh(trimesh.creation.box((0.3, 0.0002, 0.3)), placed(0.61, 0.17, 0.18, 0.27), name="plate")
    foot = Body(Box(size=(0.34, 0.05, 0.03)), placed(0.61, 0.17, 0.015, 0.27), name="foot")
    post = Body(Capsule(radius=0.04, length=0.5), placed(0.1, 0.85, 0.29), name="post")
    ring = Body.from_mesh(trimesh.creation.torus(0.12, 0.035), placed(0.45, -0.45, 0.035), name="ring")
    crate = Body(Box(size=(0.3, 0.3, 0.22)), placed(-0.5, 0.35, 0.11), name="crate")
    scene = tocsin.Scene(robot, plate, foot, post, ring, crate)
    q0 = np.array([-0.8, 0.55, 1.15, 0.0, 1.35, 0.0])
    q1 = np.array([1.1, 0.75, 1.05, 0.0, 1.40, 0.0])
    move = robot.move(q0, q1)
    scene.first_contact(move)  # loads the compiled code, so that the next one can be timed

    start = time.perf_counter()
    hit = scene.first_contact(move, tolerance=1e-6)
    took = time.perf_counter() - start
    contact = hit.contacts[0]
    print(f"first_contact  {hit.status.value} at t = {hit.time:.6f}, in {1e6 * took:.0f} µs")
    print(f"  between      {contact.link_a} and {contact.link_b}, {contact.kind}, vertices {contact.features}")
    print(f"  at           {np.round(contact.point_a, 4)} m, normal {np.round(contact.normal, 3)}")
    print(f"  distance     {1e6 * contact.distance:.2f} µm there; tolerance {1e6 * hit.tolerance:.2f} µm")
    print(f"  joints       {np.round(robot.at_contact(hit), 4)}")
    print(f"is_free        {scene.is_free(move)}")
    before = robot.move(q0, q0 + 0.999 * hit.time * (q1 - q0))
    print(f"is_free        {scene.is_free(before)} for the part before the contact: proven, not sampled\n")

    print("What sampling says, by scene.distance at evenly spaced configurations:")
    for count in (20, 100, 500):
        touching = [t for t in np.linspace(0, 1, count) if scene.distance(robot.at(q0 + t * (q1 - q0))).distance == 0]
        said = f"contact at t = {touching[0]:.4f}" if touching else "no contact: the sheet went through the plate"
        print(f"  {count:4} samples  {said}")
    around = hit.time + np.linspace(0.0, 0.01, 1000)
    share = np.mean([scene.distance(robot.at(q0 + t * (q1 - q0))).distance == 0 for t in around])
    print(f"They overlap during {0.01 * share:.2%} of the motion.")

    try:
        print(f"\nwrote {tocsin.save_picture(picture, scene, hit=hit, samples=500)}")
    except tocsin.TocsinError as missing:
        print(f"\nno picture: {missing}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
