"""An arm of seven joints over a table, made in code: every link a closed, bumpy mesh of as many triangles as is asked.

For machines that have no recorded robots. It is as long as a panda, and its neighbours do not touch at any angle.
"""

from __future__ import annotations

import math

import numpy as np

import tocsin
from tocsin_bench.scenes import shapes

LENGTHS = (0.3, 0.3, 0.25, 0.25, 0.25, 0.15, 0.12)
"""Of the links, metres."""

GAP = 0.1
"""Between the end of a link and the beginning of the next, which turn about its middle."""


def made_arm(triangles: int) -> tocsin.Robot:
    """An arm of which each link has about so many triangles."""
    builder = tocsin.RobotBuilder("arm")
    builder.link("base", tocsin.Mesh(*shapes.limb(0.05, 0.12, *_rings(triangles))))
    parent, height = "base", 0.05 + 2 * GAP
    for k, length in enumerate(LENGTHS):
        radius = 0.06 - 0.004 * k
        vertices, faces = shapes.limb(length - 2 * radius, radius, *_rings(triangles))
        mesh = tocsin.Mesh(vertices + (0.0, 0.0, radius), faces)
        axis = (0, 0, 1) if k % 2 == 0 else (0, 1, 0)
        builder.link(
            f"link{k + 1}", (mesh, _lifted(0.5 * GAP)), parent=parent, joint="revolute", axis=axis,
            origin=(0, 0, height), limits=(-2.8, 2.8), joint_name=f"joint{k + 1}",
        )  # fmt: skip
        parent, height = f"link{k + 1}", length + 2 * GAP
    return builder.build()


def made_cell(triangles: int) -> tuple[tocsin.Scene, tocsin.Robot]:
    """The arm, and around it a table, a board, a can and a boulder of as many triangles as a link."""
    robot = made_arm(triangles)
    boulder = shapes.blob(max(1, round(math.log(triangles / 20, 4))), 0.25, seed=3)
    bodies = [
        tocsin.Body(tocsin.Box((1.0, 1.6, 0.05)), (0.8, 0.0, 0.2), name="table"),
        tocsin.Body(tocsin.Box((0.02, 1.0, 0.6)), (0.9, 0.0, 0.5), name="board"),
        tocsin.Body(tocsin.Cylinder(0.05, 0.3), (0.5, 0.4, 0.4), name="can"),
        tocsin.Body(tocsin.Mesh(*boulder), (-0.6, 0.5, 0.6), name="boulder"),
    ]
    return tocsin.Scene(robot, *bodies), robot


def _rings(triangles: int) -> tuple[int, int]:
    """Rings and segments of a limb of about so many triangles."""
    rings = max(4, round(math.sqrt(triangles / 2.0)))
    return rings, max(4, round(triangles / (2.0 * rings)))


def _lifted(z: float) -> np.ndarray:
    pose = np.eye(4)
    pose[2, 3] = z
    return pose
