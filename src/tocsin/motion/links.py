"""The table of links: one record per link of a model or of a whole scene, and the kinds of joints.

A link's frame is placed in its parent's frame by the joint's origin (`rotation`, `translation`) followed by the
joint's own motion. A root link hangs on the world by a floating joint, so every model has seven leading configuration
entries (x y z, quaternion x y z w) for its base, whether it stands, is carried or flies.
"""

import numpy as np

FIXED, REVOLUTE, PRISMATIC, PLANAR, BALL, FLOATING = range(6)

JOINT_KINDS = {
    "fixed": FIXED,
    "revolute": REVOLUTE,
    "continuous": REVOLUTE,
    "prismatic": PRISMATIC,
    "planar": PLANAR,
    "ball": BALL,
    "floating": FLOATING,
}
"""Name -> code. A continuous joint is a revolute one without limits."""

WIDTH = {FIXED: 0, REVOLUTE: 1, PRISMATIC: 1, PLANAR: 3, BALL: 4, FLOATING: 7}
"""Configuration entries per kind."""

LINK = np.dtype(
    [
        ("parent", "i4"),  # -1: the world
        ("kind", "i4"),
        ("config", "i4"),  # first entry of the joint in the model's configuration (base included)
        ("model", "i4"),
        ("depth", "i4"),  # number of joints up to the world
        ("spare", "i4"),
        ("multiplier", "f8"),  # mimic: value = multiplier * master + offset; 1 and 0 otherwise
        ("offset", "f8"),
        ("axis", "f8", 3),  # unit vector in the joint's frame
        ("across", "f8", (2, 3)),  # planar: the two directions of the plane
        ("rotation", "f8", (3, 3)),  # the joint's origin in the parent's frame
        ("translation", "f8", 3),
    ],
    align=True,
)

BASE_WIDTH = 7
IDENTITY_BASE = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
