"""Random robots of every kind of joint, and the same trees as the oracle sees them."""

import numpy as np

import tocsin
from tocsin_bench.oracles import kinematics

KINDS = ("fixed", "revolute", "continuous", "prismatic", "planar", "ball", "floating")


def origin(rng):
    """Return a random 4x4 placement."""
    return kinematics.frame(kinematics.exp(rng.normal(size=3)), rng.normal(size=3))


def configuration(rng, tree, turns=1.0):
    """Return a random configuration; turns up to `turns` rounds."""
    parts = []
    for link, joint in enumerate(tree.joints):
        if tree.width(link) == 0:
            continue
        quaternion = rng.normal(size=4)
        parts.append(
            {
                "revolute": rng.uniform(-turns, turns, size=1) * 2 * np.pi,
                "continuous": rng.uniform(-turns, turns, size=1) * 2 * np.pi,
                "prismatic": rng.normal(size=1),
                "planar": rng.normal(size=3),
                "ball": quaternion / np.linalg.norm(quaternion),
                "floating": np.concatenate([rng.normal(size=3), quaternion / np.linalg.norm(quaternion)]),
            }[joint.kind]
        )
    return np.concatenate(parts) if parts else np.zeros(0)


def random_robot(rng, n, kinds=KINDS, shape=None):
    """Return (robot, tree, order): n links beside the root; `order[i]` is the robot's index of the tree's link i."""
    builder = tocsin.RobotBuilder("robot", base="free")
    builder.link("0", shape)
    joints = [kinematics.Joint()]
    driven = []
    for i in range(1, n + 1):
        kind = str(rng.choice(kinds))
        parent = int(rng.integers(max(0, i - 2), i))
        axis = (0.0, 0.0, 1.0) if kind == "planar" else tuple(rng.normal(size=3).tolist())
        place = origin(rng)
        mimic = named = None
        if kind in ("revolute", "continuous", "prismatic"):
            if driven and rng.random() < 0.2:
                master = int(rng.choice(driven))
                mimic, named = (master, 1.5, 0.25), (f"{master}_joint", 1.5, 0.25)
            else:
                driven.append(i)
        builder.link(str(i), shape, parent=str(parent), joint=kind, axis=axis, origin=place, mimic=named)
        joints.append(kinematics.Joint(kind, parent, place, axis, mimic))
    robot = builder.build()
    return robot, kinematics.Tree(tuple(joints)), [robot.link_index(str(i)) for i in range(n + 1)]
