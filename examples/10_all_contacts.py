"""10: a simulator's step: a crate drops, turning, onto a step: all contacts at once, and how properly each faces."""

import math

import numpy as np

import tocsin


def pose(x, y, z, degrees=0.0):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, 0, s, x], [0, 1, 0, y], [-s, 0, c, z], [0, 0, 0, 1.0]])


crate = tocsin.Body(tocsin.Box((1.0, 0.6, 0.6)), name="crate")
floor = tocsin.Body(tocsin.Box((6.0, 6.0, 0.2)), pose(0, 0, -0.1), name="floor")
step = tocsin.Body(tocsin.Box((1.0, 2.0, 0.3)), pose(-0.9, 0, 0.15), name="step")
scene = tocsin.Scene(crate, floor, step)

# The crate turns about one axis of the world and slides along it; the first contact is one of many.
move = crate.move(pose(0.1, 0.1, 0.9, -4.0), pose(-0.1, 0.0, 0.2, 6.0), kind="screw")
print(f"first contact: t = {scene.first_contact(move, tolerance=1e-9).time:.6f}")

contacts = scene.contacts(move)
for c in contacts:
    facing = f"properness {c.properness:+.3f}, {c.closing_speed:.2f} m a step"
    print(f"t = {c.time:.6f}  {c.link_a} and {c.link_b:6}{c.kind:12} {facing}")

# What happens within a tenth of the step is resolved at once; slightly improper contacts belong to it.
for k, group in enumerate(tocsin.group(contacts, within=0.1)):
    print(f"impulse {k + 1}: {len(group)} contacts from t = {group[0].time:.3f} to {group[-1].time:.3f}")
