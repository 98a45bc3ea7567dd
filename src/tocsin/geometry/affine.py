"""Points moved by a 4x4 matrix: the one place where those of meshes, primitives and files are."""

import numpy as np

from tocsin._types import Matrix4, Vectors

IDENTITY = np.eye(4)


def moved(points: Vectors, transform: Matrix4) -> Vectors:
    """Return (n, 3) points transformed by a 4x4 affine matrix; the identity changes no bit.

    Summed in this order and rounded after every operation, on every machine. `points @ rotation.T` is not: which kernel
    a matrix library chooses for the processor decides about its last bits, and so about those of the answers.
    """
    if np.array_equal(transform, IDENTITY):
        return points
    x, y, z = points[:, :1], points[:, 1:2], points[:, 2:3]
    return x * transform[:3, 0] + y * transform[:3, 1] + z * transform[:3, 2] + transform[:3, 3]
