"""What rows of numbers are poses and configurations: the checks that kernels make, and `_cast` with them.

Each returns a number that says what is wrong, 0 for nothing; `_cast` and `model.base` put it into a sentence.
"""

import math

from tocsin import vec
from tocsin._types import Indices, Mat3, Matrix4, Row, Vectors
from tocsin.compiler.jit import kernel

RIGID = 1e-5
"""Largest deviation of R R^T from I, or of a quaternion's length from 1, that still counts as a rotation."""

SMALLEST, LARGEST = 1e-30, 1e30
"""Sizes and distances (metres) outside these are refused: their squares and cubes would leave the range of floats."""

ORTHONORMAL = 1e-15
"""Deviation of R R^T from I that rounding explains: such a matrix is left as it is, so that exact ones stay exact."""


@kernel
def deviation(m: Mat3) -> float:
    """Return the largest entry of |R R^T - I|."""
    most = 0.0
    for i in range(3):
        for j in range(i + 1):
            most = max(most, abs(vec.dot(m[i], m[j]) - (1.0 if i == j else 0.0)))
    return most


@kernel
def nearest_rotation(m: Mat3) -> Mat3:
    """Return the rotation nearest to a matrix whose deviation is at most `RIGID`; it has determinant +1.

    Claim: the result is the factor U of m = U H (U a rotation, H symmetric), the nearest one, up to rounding. Proof: a
    step X (3 I - X^T X) / 2 keeps U and takes H to H (3 I - H^2) / 2; with E = H^2 - I it takes E to
    -(3 E^2 + E^3) / 4. |E| <= 3 RIGID at first, so 7e-10 after one step and 4e-19, less than rounding, after two.
    Sums and products alone: the same bits on every processor, which those of LAPACK are not.
    """
    if deviation(m) <= ORTHONORMAL:
        return m
    for _ in range(2):
        s = vec.tmatmul(m, m)
        half = (
            (1.5 - 0.5 * s[0][0], -0.5 * s[0][1], -0.5 * s[0][2]),
            (-0.5 * s[1][0], 1.5 - 0.5 * s[1][1], -0.5 * s[1][2]),
            (-0.5 * s[2][0], -0.5 * s[2][1], 1.5 - 0.5 * s[2][2]),
        )
        m = vec.matmul(m, half)
    return m


@kernel
def write_pose(matrix: Matrix4, out: Row) -> int:
    """Write a 4x4 matrix as (x y z, quaternion x y z w); return 0, or 1 nan, 2 not rigid, 3 a mirror, 4 too far."""
    for i in range(4):
        for j in range(4):
            if not math.isfinite(matrix[i, j]):
                return 1
            if abs(matrix[i, j]) > LARGEST:
                return 4
    m = (vec.load3(matrix, 0), vec.load3(matrix, 1), vec.load3(matrix, 2))
    if deviation(m) > RIGID:
        return 2
    if matrix[3, 0] != 0.0 or matrix[3, 1] != 0.0 or matrix[3, 2] != 0.0 or matrix[3, 3] != 1.0:
        return 2
    if vec.dot(m[0], vec.cross(m[1], m[2])) < 0.0:
        return 3
    x, y, z, w = vec.quaternion_of(nearest_rotation(m))
    out[0] = matrix[0, 3]
    out[1] = matrix[1, 3]
    out[2] = matrix[2, 3]
    out[3] = x
    out[4] = y
    out[5] = z
    out[6] = w
    return 0


@kernel
def check_row(row: Row, quaternions: Indices, most: Row) -> int:
    """Return 0 if a configuration is fine, 1 for nan or inf, 2 + k if the quaternion at entry k is not unit.

    And -1 - k if entry k is larger than most[k].
    """
    for i in range(row.shape[0]):
        if not math.isfinite(row[i]):
            return 1
        if abs(row[i]) > most[i]:
            return -1 - i
    for i in range(quaternions.shape[0]):
        k = quaternions[i]
        s = row[k] * row[k] + row[k + 1] * row[k + 1] + row[k + 2] * row[k + 2] + row[k + 3] * row[k + 3]
        if abs(s - 1.0) > 2.0 * RIGID:
            return 2 + k
    return 0


@kernel
def copy_checked(given: Vectors, out: Vectors) -> bool:
    """Copy coordinates; return True if all are finite, and none is too far away.

    A simulation hands in two frames a step: looked at and copied in one pass they take a third of the time.
    """
    wrong = 0
    for i in range(given.shape[0]):
        for k in range(3):
            x = given[i, k]
            out[i, k] = x
            wrong |= not abs(x) <= LARGEST  # nor is nan
    return wrong == 0
