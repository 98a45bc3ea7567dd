"""Vectors and matrices as tuples of floats: the same code on the CPU and on a GPU.

A vector is `(x, y, z)`. A matrix is a tuple of three rows. A quaternion is `(x, y, z, w)`.
Tuples stay in registers (34 ns against 950 ns for tiny arrays, measured) and allocate nothing.
"""

import math
from typing import SupportsIndex

from tocsin._types import Mat3, Quat, Vec3, Vectors
from tocsin.compiler.jit import kernel


@kernel
def add(a: Vec3, b: Vec3) -> Vec3:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub(a: Vec3, b: Vec3) -> Vec3:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale(a: Vec3, s: float) -> Vec3:
    """Return a * s."""
    return (a[0] * s, a[1] * s, a[2] * s)


@kernel
def axpy(a: Vec3, s: float, b: Vec3) -> Vec3:
    """Return a + s * b."""
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@kernel
def dot(a: Vec3, b: Vec3) -> float:
    """Return the inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a: Vec3, b: Vec3) -> Vec3:
    """Return the cross product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@kernel
def norm(a: Vec3) -> float:
    """Return the Euclidean length."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def matvec(m: Mat3, v: Vec3) -> Vec3:
    """Return m v."""
    return (dot(m[0], v), dot(m[1], v), dot(m[2], v))


@kernel
def tmatvec(m: Mat3, v: Vec3) -> Vec3:
    """Return the transpose of m times v."""
    return (
        m[0][0] * v[0] + m[1][0] * v[1] + m[2][0] * v[2],
        m[0][1] * v[0] + m[1][1] * v[1] + m[2][1] * v[2],
        m[0][2] * v[0] + m[1][2] * v[1] + m[2][2] * v[2],
    )


@kernel
def column(m: Mat3, j: int) -> Vec3:
    """Return column j of a matrix."""
    return (m[0][j], m[1][j], m[2][j])


@kernel
def transpose(m: Mat3) -> Mat3:
    """Return the transpose."""
    return (column(m, 0), column(m, 1), column(m, 2))


@kernel
def matmul(a: Mat3, b: Mat3) -> Mat3:
    """Return a b."""
    c0 = column(b, 0)
    c1 = column(b, 1)
    c2 = column(b, 2)
    return (
        (dot(a[0], c0), dot(a[0], c1), dot(a[0], c2)),
        (dot(a[1], c0), dot(a[1], c1), dot(a[1], c2)),
        (dot(a[2], c0), dot(a[2], c1), dot(a[2], c2)),
    )


@kernel
def tmatmul(a: Mat3, b: Mat3) -> Mat3:
    """Return the transpose of a, times b."""
    return matmul(transpose(a), b)


@kernel
def load3(rows: Vectors, i: SupportsIndex) -> Vec3:
    """Return row i of an (n, 3) array as a vector."""
    return (rows[i, 0], rows[i, 1], rows[i, 2])


@kernel
def quaternion_of(m: Mat3) -> Quat:
    """Return the unit quaternion (x, y, z, w) of a rotation matrix, by the largest of its four components."""
    t = m[0][0] + m[1][1] + m[2][2]
    if t >= 0.0:
        x, y, z, w = m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1.0 + t
    elif m[0][0] >= m[1][1] and m[0][0] >= m[2][2]:
        x, y, z, w = 1.0 + m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0], m[2][1] - m[1][2]
    elif m[1][1] >= m[2][2]:
        x, y, z, w = m[0][1] + m[1][0], 1.0 - m[0][0] + m[1][1] - m[2][2], m[1][2] + m[2][1], m[0][2] - m[2][0]
    else:
        x, y, z, w = m[0][2] + m[2][0], m[1][2] + m[2][1], 1.0 - m[0][0] - m[1][1] + m[2][2], m[1][0] - m[0][1]
    length = math.sqrt(x * x + y * y + z * z + w * w)
    return x / length, y / length, z / length, w / length
