"""The names of what travels between modules: arrays by what they mean, with their shape; and what users may hand in.

A checker sees the kind of numbers, a reader the shape as well; n, m and k are any lengths. `Any` is left for what is
truly anything: objects of strangers (parsed files, optional packages) before they are checked, and compiled functions,
whose types Numba finds by itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
"""Of whatever shape."""
IntArray: TypeAlias = NDArray[np.int32]
"""Of whatever shape."""
SingleArray: TypeAlias = NDArray[np.float32]
"""Of whatever shape, in single precision."""
Records: TypeAlias = NDArray[np.void]
"""(n,) records; their fields are those of the dtype that the module names."""
Numeric: TypeAlias = NDArray[Any]
"""Numbers of whatever kind and shape: what came from a user, on its way through the door."""

Vec3: TypeAlias = tuple[float, float, float]
"""A vector inside kernels, where tuples stay in registers."""
Mat3: TypeAlias = tuple[Vec3, Vec3, Vec3]
"""A matrix inside kernels, by rows."""
Quat: TypeAlias = tuple[float, float, float, float]
"""A quaternion inside kernels: x y z w."""

Vector: TypeAlias = Annotated[FloatArray, "(3,)"]
"""A position or a direction."""
Vectors: TypeAlias = Annotated[FloatArray, "(n, 3)"]
"""Positions or directions."""
Values: TypeAlias = Annotated[FloatArray, "(n,)"]
SingleRows: TypeAlias = Annotated[SingleArray, "(n, 8)"]
SingleTable: TypeAlias = Annotated[SingleArray, "(n, rows, 8)"]
Matrix: TypeAlias = Annotated[FloatArray, "(n, m)"]
Matrix3: TypeAlias = Annotated[FloatArray, "(3, 3)"]
"""A rotation, or three axes as rows."""
Matrix4: TypeAlias = Annotated[FloatArray, "(4, 4)"]
"""A pose: a rigid transform, last row 0 0 0 1."""
Matrices4: TypeAlias = Annotated[FloatArray, "(n, 4, 4)"]
"""A pose each."""
Place: TypeAlias = Annotated[FloatArray, "(7,)"]
"""A pose: x y z, quaternion x y z w."""
Poses: TypeAlias = Annotated[FloatArray, "(k, 7)"]
"""Such a row each."""
Quaternion: TypeAlias = Annotated[FloatArray, "(4,)"]
"""x y z w."""
Frames: TypeAlias = Annotated[FloatArray, "(k, n, 3)"]
"""The same n positions at k moments."""
Boxes: TypeAlias = Annotated[FloatArray, "(n, 6)"]
"""Lower corner, then upper corner."""

Row: TypeAlias = Annotated[FloatArray, "(7 + n_config,)"]
"""A configuration of a model, the pose of its base (`Place`) in front."""
Rows: TypeAlias = Annotated[FloatArray, "(k, 7 + n_config)"]
"""A path of such rows."""
Configuration: TypeAlias = Annotated[FloatArray, "(n_config,)"]
"""Values of a robot's joints, without the base."""

Indices: TypeAlias = Annotated[IntArray, "(n,)"]
Pairs: TypeAlias = Annotated[IntArray, "(n, 2)"]
Faces: TypeAlias = Annotated[IntArray, "(m, 3)"]
"""Triangles, by the numbers of their vertices."""
LongFaces: TypeAlias = Annotated[NDArray[np.int64], "(m, 3)"]
"""As readers have them, before they are checked."""
LongIndices: TypeAlias = Annotated[NDArray[np.int64], "(n,)"]
Flags: TypeAlias = Annotated[NDArray[np.bool_], "(n,)"]
Counts: TypeAlias = Annotated[NDArray[np.int64], "(n,)"]

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""What is written into a file of JSON."""

Stretch: TypeAlias = Sequence[int] | Annotated[NDArray[np.int64], "(4,)"]
"""From a/n to b/m of a motion, as (a, n, b, m)."""
Stretches: TypeAlias = Annotated[NDArray[np.int64], "(s, 4)"]
"""One after the other."""

LinkTable: TypeAlias = Annotated[Records, "LINK"]
"""The links of a model, parents first (`motion.links.LINK`)."""
NodeTable: TypeAlias = Annotated[Records, "NODE"]
"""A tree (`geometry.tree.NODE`)."""

# ---- what users may hand in; the door (`_cast`) checks it whatever the annotation promised --------------------------

PathLike: TypeAlias = str | os.PathLike[str]
"""A file or folder."""
PointsLike: TypeAlias = ArrayLike | PathLike
"""(n, 3) positions, or a file of them."""
JointValue: TypeAlias = float | tuple[float, ...]
"""Of a joint with one degree of freedom, or with several."""
ConfigurationLike: TypeAlias = ArrayLike | Mapping[str, ArrayLike]
"""Values in the order of `joint_names`, a mapping from joint names, or the name of a state."""


class HasTriangles(Protocol):
    """A mesh of another library: `trimesh.Trimesh`."""

    @property
    def vertices(self) -> ArrayLike:
        """(n, 3)."""
        ...

    @property
    def faces(self) -> ArrayLike:
        """(m, 3)."""
        ...


class HasHomogeneous(Protocol):
    """A pose of pinocchio: `SE3`."""

    @property
    def homogeneous(self) -> ArrayLike:
        """4x4."""
        ...


class HasMatrix(Protocol):
    """A rotation or pose of scipy: `Rotation`, `RigidTransform`."""

    def as_matrix(self) -> ArrayLike:
        """Return it, 3x3 or 4x4."""
        ...


class HasMatrix4(Protocol):
    """A pose of Drake: `RigidTransform`."""

    def GetAsMatrix4(self) -> ArrayLike:
        """Return it, 4x4."""
        ...


PoseLike: TypeAlias = ArrayLike | HasHomogeneous | HasMatrix | HasMatrix4
"""A 4x4 rigid transform, a translation (x, y, z), or a pose or rotation of another library (`_cast.foreign_pose`)."""
