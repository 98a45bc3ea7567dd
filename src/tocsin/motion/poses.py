"""Where the links of a model are at a configuration, and the configurations in between two."""

import math

import numpy as np

from tocsin import vec
from tocsin._types import Indices, LinkTable, Matrices4, Matrix4, Row
from tocsin.compiler.jit import kernel
from tocsin.motion.chain import chain_pose
from tocsin.motion.joints import JOINT, joint_motion, relative_turn, rotation_of


@kernel
def link_poses(links: LinkTable, row: Row) -> Matrices4:
    """Return (n, 4, 4): the pose of every link in the world at one configuration row."""
    n = links.shape[0]
    joints = np.zeros(n, dtype=JOINT)
    out = np.zeros((n, 4, 4))
    for i in range(n):
        joint_motion(joints[i], links[i], row, 0, 0, 0.0, 1.0)
    for i in range(n):
        rotation, place = chain_pose(joints, links, i, -1, 0.0)
        for r in range(3):
            for c in range(3):
                out[i, r, c] = rotation[r][c]
            out[i, r, 3] = place[r]
        out[i, 3, 3] = 1.0
    return out


@kernel
def between(row_t0: Row, row_t1: Row, quaternions: Indices, s: float) -> Row:
    """Return the configuration row at fraction s of the way: linear, orientations along their arc (`arcs`)."""
    out = row_t0 + s * (row_t1 - row_t0)
    for k in quaternions:
        p = (row_t0[k], row_t0[k + 1], row_t0[k + 2], row_t0[k + 3])
        q = (row_t1[k], row_t1[k + 1], row_t1[k + 2], row_t1[k + 3])
        axis, angle = relative_turn(p, q)
        half = 0.5 * s * angle
        x, y, z = vec.scale(axis, math.sin(half))
        w = math.cos(half)
        length = math.sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3])
        out[k] = (w * p[0] + x * p[3] + y * p[2] - z * p[1]) / length
        out[k + 1] = (w * p[1] + y * p[3] + z * p[0] - x * p[2]) / length
        out[k + 2] = (w * p[2] + z * p[3] + x * p[1] - y * p[0]) / length
        out[k + 3] = (w * p[3] - x * p[0] - y * p[1] - z * p[2]) / length
    return out


def base_matrix(row: Row) -> Matrix4:
    """Return the 4x4 base pose of a configuration row."""
    out = np.eye(4)
    out[:3, :3] = np.array(rotation_of((row[3], row[4], row[5], row[6])))
    out[:3, 3] = row[:3]
    return out
