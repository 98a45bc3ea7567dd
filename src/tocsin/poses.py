"""Poses in the forms in which people have them: a position with a quaternion, with roll, pitch and yaw, or a rotation.

`tocsin.pose` makes a 4x4 matrix of any of them; the order of a quaternion is in the name of its argument, because both
orders are common and one taken for the other is a rotation too. Wherever a pose is expected, objects of other libraries
are taken as well (`_cast.foreign_pose`).
"""

from __future__ import annotations

import math
from typing import Never

import numpy as np
from numpy.typing import ArrayLike

from tocsin import _cast
from tocsin._types import HasMatrix, Matrix4
from tocsin.errors import TocsinError, UnitWarning, remark

ORIENTATIONS = (
    "quaternion_xyzw (as in ROS, scipy, pinocchio, PyBullet), quaternion_wxyz (as in MuJoCo, Drake, Blender), rpy "
    "(radians, as in URDF), rpy_degrees, or rotation (a 3x3 matrix or a scipy Rotation)"
)
"""What may be said by name, beside the position."""


def pose(
    xyz: ArrayLike = (0.0, 0.0, 0.0),
    *unnamed: Never,
    quaternion_xyzw: ArrayLike | None = None,
    quaternion_wxyz: ArrayLike | None = None,
    rpy: ArrayLike | None = None,
    rpy_degrees: ArrayLike | None = None,
    rotation: ArrayLike | HasMatrix | None = None,
    **unknown: Never,
) -> Matrix4:
    """Return the 4x4 pose of a position (metres) and at most one orientation.

    `quaternion_xyzw`: as in ROS, scipy, pinocchio and PyBullet. `quaternion_wxyz`: as in MuJoCo, Drake and Blender.
    `rpy`: roll, pitch and yaw about the fixed axes x, y, z in this order, radians, as in URDF; `rpy_degrees`: the same
    in degrees. `rotation`: a 3x3 matrix or a `scipy.spatial.transform.Rotation`.

    >>> pose((1, 0, 0), rpy_degrees=(0, 0, 90)).round(3)[0]
    array([ 0., -1.,  0.,  1.])
    """
    if unnamed or unknown:
        got = ", ".join([*map(_cast.said, unnamed), *unknown])
        raise TocsinError(f"a pose is a position (x, y, z) and at most one of {ORIENTATIONS}, by name; got {got}.")
    orientations = {
        "quaternion_xyzw": quaternion_xyzw, "quaternion_wxyz": quaternion_wxyz, "rpy": rpy, "rpy_degrees": rpy_degrees,
        "rotation": rotation,
    }  # fmt: skip
    given = [name for name, value in orientations.items() if value is not None]
    if len(given) > 1:
        raise TocsinError(f"a pose has one orientation: {ORIENTATIONS}; got {' and '.join(given)}.")
    position = _cast.coordinates(xyz, "the position of a pose", (3,))
    what = "a pose"
    matrix = np.eye(4)
    if quaternion_xyzw is not None:
        matrix = _cast.turned(position, quaternion_xyzw, what)
    elif quaternion_wxyz is not None:
        matrix = _cast.turned(position, quaternion_wxyz, what, "wxyz")
    elif rpy is not None:
        angles = _cast.array(rpy, "rpy", (3,))
        if np.abs(angles).max() > 2.0 * math.pi:
            remark(f"rpy is {angles.tolist()} rad, more than a turn. Degrees? Say rpy_degrees.", UnitWarning)
        matrix[:3, :3] = _cast.rolled(angles)
    elif rpy_degrees is not None:
        degrees = _cast.array(rpy_degrees, "rpy_degrees", (3,)).tolist()
        matrix[:3, :3] = _cast.rolled(np.array([math.radians(angle) for angle in degrees]))
    elif rotation is not None:
        found = _cast.foreign_pose(rotation)
        turned = _cast.numbers(found, "rotation", "a 3x3 rotation matrix or a scipy Rotation")
        if turned.shape not in ((3, 3), (4, 4)) or (turned.shape == (4, 4) and turned[:3, 3].any()):
            raise TocsinError(
                f"rotation must be a 3x3 rotation matrix or a scipy Rotation; got {_cast.said(rotation)}."
            )
        matrix[:3, :3] = turned[:3, :3]
    matrix[:3, 3] = position
    return _cast.placement(matrix, what)
